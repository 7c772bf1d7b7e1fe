"""Time in language, as four tables of sentences tell it, and the faults that such readers have had."""

from __future__ import annotations

import time
import unicodedata
from collections import Counter
from pathlib import Path
from typing import NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hub.documents import parse
from hub.errors import Incorrect
from hub.extract.when import Role, Toward, When, times
from hub.extract.when.finding import found
from hub.extract.when.pack import read as pack_read
from hub.facts import Instant, Precision
from hub.moments import EARLIEST, HOUR, LATEST, as_datetime, instant, moment, rendered, span_end, zone_named

TABLES = Path(__file__).parent / "when"
LOOKS = {"past": Toward.PAST, "ahead": Toward.AHEAD, "open": None}


class Case(NamedTuple):
    lang: str
    said_at: Instant
    zone: str
    toward: Toward | None
    text: str
    means: str

    def read(self) -> str:
        return "; ".join(self.shown(when) for when in self.times()) or "nothing"

    def times(self) -> tuple[When, ...]:
        return times(self.text, lang=self.lang, said_at=self.said_at, zone=self.zone, toward=self.toward)

    def shown(self, when: When) -> str:
        """As the tables write it."""
        shown = f"{self.text[slice(*when.span)]} = {when.role}"
        if when.start is None or when.role is Role.DURATION:
            return f"{shown} {self._local(when.end)}"
        start = self._local(when.start) + ".." if when.precision is Precision.INSTANT else str(when.starts)
        whole = when.end is None or when.end == span_end(when.start, when.precision, self.zone)
        return f"{shown} {start}" if whole else f"{shown} {start.removesuffix('..')}..{self._local(when.end)}"

    def _local(self, at: Instant | None) -> str:
        assert at is not None
        return as_datetime(at).astimezone(zone_named(self.zone)).strftime("%Y-%m-%dT%H:%M").removesuffix("T00:00")


def cases(lang: str) -> list[Case]:
    groups = parse((TABLES / f"{lang}.yaml").read_text("utf-8"), f"{lang}.yaml")
    return [
        Case(lang, instant(group["said"]), group["zone"], toward, text, means)
        for group in groups
        for look, toward in LOOKS.items()
        for text, means in group.get(look, {}).items()
    ]


CASES = [case for lang in ("en", "ko", "vi", "ja") for case in cases(lang)]


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.lang} {case.text}")
def test_what_a_sentence_says_of_time(case):
    assert case.read() == case.means


def test_every_language_has_its_sixty_cases_and_many_of_them_say_nothing():
    said = Counter(case.lang for case in CASES)
    silent = Counter(case.lang for case in CASES if case.means == "nothing")
    assert all(said[lang] >= 60 and silent[lang] >= 15 for lang in said), (said, silent)


# --- where and when it is said -----------------------------------------------------------------------------------


def read(text: str, said: str, zone: str = "UTC", *, lang: str = "en", toward: Toward | None = None) -> When:
    (when,) = times(text, lang=lang, said_at=instant(said), zone=zone, toward=toward)
    return when


def hours(when: When) -> float:
    assert when.start is not None
    assert when.end is not None
    return (when.end - when.start) / HOUR


@pytest.fixture
def machine_in(monkeypatch):
    def moved(zone: str) -> None:
        monkeypatch.setenv("TZ", zone)
        time.tzset()

    yield moved
    monkeypatch.undo()
    time.tzset()


YESTERDAYS = [("en", "since yesterday"), ("ko", "어제부터"), ("vi", "từ hôm qua"), ("ja", "昨日から")]


@pytest.mark.parametrize(("lang", "text"), YESTERDAYS)
@pytest.mark.parametrize(
    ("zone", "day", "start"),
    [
        ("Asia/Tokyo", "2026-07-01", "2026-06-30T15:00:00Z"),  # half past eight in the morning of the second
        ("UTC", "2026-06-30", "2026-06-30T00:00:00Z"),
        ("America/New_York", "2026-06-30", "2026-06-30T04:00:00Z"),
    ],
)
def test_near_midnight_yesterday_is_that_of_the_customers_zone_not_of_the_machine(
    lang, text, zone, day, start, machine_in
):
    for machine in ("Asia/Tokyo", "America/Los_Angeles"):
        machine_in(machine)
        when = read(text, "2026-07-01T23:30:00Z", zone, lang=lang)
        assert (when.starts, rendered(when.start)) == (day, start)


def test_a_sentence_read_again_means_what_it_meant_for_it_depends_on_nothing_but_what_is_handed_in():
    said = {"lang": "en", "said_at": instant("2026-07-01T23:30:00Z"), "zone": "Asia/Tokyo", "toward": Toward.AHEAD}
    first = times("Back on Friday, in two weeks, for 3 days", **said)
    assert len(first) == 3
    assert times("Back on Friday, in two weeks, for 3 days", **said) == first


def test_a_zone_that_is_none_is_refused():
    with pytest.raises(Incorrect) as refused:
        read("yesterday", "2026-07-01T00:00:00Z", "Mars/Olympus")
    assert refused.value.code == "unknown_zone"


def test_a_language_without_a_pack_says_nothing_of_time():
    assert times("gestern", lang="de", said_at=0, zone="UTC") == ()


NEW_YORK = "America/New_York"


def test_the_day_clocks_are_put_forward_is_an_hour_shorter_and_a_day_is_no_24_hours():
    noon_before = "2026-03-07T12:00:00-05:00"
    assert hours(read("tomorrow", noon_before, NEW_YORK)) == 23
    assert hours(read("for 1 day", noon_before, NEW_YORK)) == 23
    assert hours(read("for 24 hours", noon_before, NEW_YORK)) == 24
    assert read("for 1 day", noon_before, NEW_YORK).ends == "2026-03-08T16:00:00Z"


def test_a_time_of_day_that_the_clocks_leave_out_is_as_much_later():
    assert read("tomorrow at 2:30 am", "2026-03-07T12:00:00-05:00", NEW_YORK).starts == "2026-03-08T07:30:00Z"


def test_hours_ahead_go_by_the_clock_that_was_put_back():
    assert read("in 2 hours", "2026-11-01T00:30:00-04:00", NEW_YORK).starts == "2026-11-01T06:30:00Z"
    assert read("in 1 hour", "2026-11-01T01:30:00-05:00", NEW_YORK).starts == "2026-11-01T07:30:00Z"


def test_the_last_day_stands_in_for_one_that_a_month_does_not_have():
    assert read("for a month", "2026-01-31T08:00:00Z").ends == "2026-02-28T08:00:00Z"
    assert read("for a year", "2028-02-29T08:00:00Z").ends == "2029-02-28T08:00:00Z"


def test_a_day_of_the_month_is_sought_where_there_is_one():
    february = "2026-02-10T08:00:00Z"
    assert read("on the 31st", february, toward=Toward.AHEAD).starts == "2026-03-31"
    assert read("on the 30th", february, toward=Toward.PAST).starts == "2026-01-30"


def test_a_time_of_day_that_has_passed_comes_again_tomorrow_and_one_to_come_was_yesterday():
    noon = "2026-07-01T12:00:00Z"
    found = [read(text, noon, toward=look).starts for look in Toward for text in ("at 9 am", "at 3 pm")]
    assert found == [f"2026-{day}:00:00Z" for day in ("07-01T09", "06-30T15", "07-02T09", "07-01T15")]


@pytest.mark.parametrize("text", ["in 900 years", "for 900 years", "until 900 years from now", "until 9999-12-31"])
def test_beyond_the_calendar_there_is_no_time(text):
    assert times(text, lang="en", said_at=LATEST, zone="UTC") == ()


@pytest.mark.parametrize("text", ["yesterday", "3 years ago", "last month", "at 9 am", "in 2 hours"])
@pytest.mark.parametrize("said_at", [EARLIEST, LATEST])
@pytest.mark.parametrize("zone", ["Asia/Tokyo", NEW_YORK])
def test_at_the_edges_of_the_calendar_nothing_breaks(text, said_at, zone):
    for toward in (None, *Toward):
        times(text, lang="en", said_at=said_at, zone=zone, toward=toward)


@given(
    st.text(alphabet="for 3dayswek,næt10/.:-月日년전에tháng trước", max_size=60),
    st.sampled_from(["en", "ko", "vi", "ja"]),
)
def test_whatever_is_said_the_spans_lie_in_the_text_and_the_stretches_are_none_of_them_empty(text, lang):
    for toward in (None, *Toward):
        at = 0
        for when in times(text, lang=lang, said_at=instant("2026-07-01T09:00:00Z"), zone="Asia/Tokyo", toward=toward):
            assert at <= when.span[0] < when.span[1] <= len(text)
            assert when.start is None or when.end is None or when.start < when.end
            at = when.span[1]


# --- precision ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "precision", "ends"),
    [
        ("until 2027", Precision.YEAR, "2028-01-01T00:00:00Z"),
        ("until March 2027", Precision.MONTH, "2027-04-01T00:00:00Z"),
        ("until 3 March 2027", Precision.DAY, "2027-03-04T00:00:00Z"),
        ("until tomorrow at noon", Precision.INSTANT, "2026-07-02T12:00:00Z"),
    ],
)
def test_until_reaches_to_the_end_of_what_is_named_and_keeps_its_precision(text, precision, ends):
    when = read(text, "2026-07-01T09:00:00Z")
    assert (when.role, when.start, when.precision, when.ends) == (Role.UNTIL, None, precision, ends)


def test_a_year_stays_a_year_and_is_not_its_first_of_january():
    when = read("in 2026", "2026-07-01T09:00:00Z", "Asia/Tokyo")
    assert (when.precision, when.starts) == (Precision.YEAR, "2026")
    assert moment(when.starts, "Asia/Tokyo") == (when.start, Precision.YEAR)


def test_what_starts_and_ends_are_written_as_a_request_takes_them():
    for case in CASES:
        for when in case.times():
            if when.starts is not None:
                assert moment(when.starts, case.zone) == (when.start, when.precision)
            if when.ends is not None:
                assert instant(when.ends) == when.end


def test_a_length_that_no_word_says_the_use_of_is_marked():
    assert read("phải sửa 3 ngày", "2026-07-01T09:00:00Z", lang="vi").bare
    assert not read("trong 3 ngày", "2026-07-01T09:00:00Z", lang="vi").bare


def test_in_a_week_is_no_time_of_what_has_happened():
    said = "2026-07-01T09:00:00Z"
    assert read("in two weeks", said, toward=Toward.AHEAD).role is Role.AHEAD
    assert times("in two weeks", lang="en", said_at=instant(said), zone="UTC", toward=Toward.PAST) == ()


# --- letters -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("lang", "text", "words", "starts"),
    [
        ("vi", unicodedata.normalize("NFD", "Tôi đến từ hôm qua nhé"), "từ hôm qua", "2026-06-30"),
        ("ja", "やあ、ﾃｽﾄです。来週の金曜日です", "来週の金曜日", "2026-07-10"),
        ("ko", unicodedata.normalize("NFD", "네 다음 주 금요일에 가요"), "다음 주 금요일에", "2026-07-10"),
        ("en", "İstanbul, SINCE YESTERDAY!", "SINCE YESTERDAY", "2026-06-30"),
        ("en", "the ﬁrst of May 2026", "the ﬁrst of May 2026", "2026-05-01"),
    ],
)
def test_a_span_counts_the_text_as_it_was_given(lang, text, words, starts):
    when = read(text, "2026-07-01T09:00:00Z", "Asia/Tokyo", lang=lang)
    assert (unicodedata.normalize("NFC", text[slice(*when.span)]), when.starts) == (words, starts)


def test_a_long_text_is_read_in_one_go():
    for text in ("for 3 ", "3 days and ", "since yesterday, ", "2026-", "1/", "다음 주 "):
        for lang in ("en", "ko"):
            times(text * 5_000, lang=lang, said_at=0, zone="UTC")


# --- the packs ---------------------------------------------------------------------------------------------------

SMALL = """
joined: spaced
number_words: [n]
numbers: {1: [a]}
units: {day: [day, days]}
cells: {day: {-1: [yesterday]}}
points: ["{cell}"]
amounts: ["{n} {unit}"]
frames:
  on: ["{alone}"]
  ago: ["{amount} ago"]
"""


def test_a_small_pack_reads_what_it_says():
    pack = pack_read(SMALL, "small.yaml")
    assert [one.span for one in found("yesterday or 3 days ago", pack)] == [(0, 9), (13, 23)]


@pytest.mark.parametrize(
    ("old", "new", "seen"),
    [
        ("joined: spaced", "joined: loosely", "no such `joined`"),
        ("units:", "unites:", "unknown key `unites`"),
        ('"{alone}"', '"{alone} (since"', None),
        ('"{alone}"', '"(since)? {alone}"', "is no phrase"),
        ('"{alone}"', '"{alone} }"', "is no phrase"),
        ('"{alone}"', '"{allone}"', "slot `allone`"),
        ('on: ["{alone}"]', 'on: "{alone}"', "needs a list"),
        ('on: ["{alone}"]', 'at: ["{alone}"]', "unknown key `at`"),
        ('["{cell}"]', '[{say: ["{cell}"], shift: fortnight 1}]', "is no length"),
        ('["{cell}"]', '[{say: ["{cell}"], towards: past}]', "unknown key `towards`"),
        ('["{cell}"]', '[{say: ["{cell}"], toward: up}]', "no such `toward`"),
        ("-1: [yesterday]", "before: [yesterday]", "no whole number"),
        ("{day: [day, days]}", "{moon: [day, days]}", "unknown key `moon`"),
    ],
)
def test_a_pack_that_cannot_be_read_is_refused_by_name(old, new, seen):
    assert old in SMALL
    with pytest.raises(Incorrect) as refused:
        pack_read(SMALL.replace(old, new), "small.yaml")
    assert refused.value.code == "bad_pack"
    assert (seen or "is no phrase") in refused.value.message
