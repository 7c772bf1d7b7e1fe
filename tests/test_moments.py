"""Reading and writing instants: offsets, dates in a zone, nights on which clocks change, the edges of the calendar."""

import time
import zoneinfo
from datetime import UTC, date, datetime, timedelta, timezone, tzinfo
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hub.errors import Incorrect
from hub.facts import Precision
from hub.moments import (
    DAY,
    EARLIEST,
    HOUR,
    LATEST,
    SECOND,
    as_datetime,
    duration,
    from_datetime,
    instant,
    moment,
    rendered,
    span_end,
    zone_named,
)

INSTANTS = st.integers(EARLIEST, LATEST)
ZONES = sorted(
    name
    for name in zoneinfo.available_timezones()
    if name != "localtime" and not name.startswith(("posix", "right/", "SystemV/"))
)
JULY = datetime(2026, 7, 1, 9, tzinfo=UTC)


def refusal(call, *args):
    with pytest.raises(Incorrect) as caught:
        call(*args)
    return caught.value


def read_or_refused(read, said):
    try:
        return read(said)
    except Incorrect as refused:
        return refused.code


# --- instants ----------------------------------------------------------------------------------------------------

SAME_INSTANT = [
    ("2024-01-01T00:00+09:00", "2023-12-31T15:00:00Z"),
    ("2024-01-01t00:00:00z", "2024-01-01T00:00:00Z"),
    ("2024-01-01 00:00:00Z", "2024-01-01T00:00:00Z"),
    ("2024-01-01T00:00:00-00:00", "2024-01-01T00:00:00Z"),
    ("2024-02-29T23:59:59.5+00:00", "2024-02-29T23:59:59.500000Z"),
    ("2024-01-01T00:00:00.1234567899Z", "2024-01-01T00:00:00.123456Z"),
    ("2024-01-01T00:00:00.9999999Z", "2024-01-01T00:00:00.999999Z"),
    ("2024-01-01T05:45+05:45", "2024-01-01T00:00:00Z"),
    ("2024-01-01T00:00+23:59", "2023-12-31T00:01:00Z"),
    ("0001-01-01T00:00Z", "0001-01-01T00:00:00Z"),
    ("9999-12-31T23:59:59.999999Z", "9999-12-31T23:59:59.999999Z"),
    ("0001-01-01T00:00-01:00", "0001-01-01T01:00:00Z"),
    ("1969-12-31T23:59:59.999999Z", "1969-12-31T23:59:59.999999Z"),
]


@pytest.mark.parametrize(("said", "meant"), SAME_INSTANT)
def test_an_instant_is_read_whatever_its_offset(said, meant):
    assert rendered(instant(said)) == meant


def test_the_night_clocks_go_back_has_two_half_past_ones_an_hour_apart():
    assert instant("2025-11-02T01:30-05:00") - instant("2025-11-02T01:30-04:00") == HOUR
    new_york = zone_named("America/New_York")
    summer, winter = (datetime(2025, 11, 2, 1, 30, tzinfo=new_york, fold=fold) for fold in (0, 1))
    assert from_datetime(winter) - from_datetime(summer) == HOUR


def test_an_instant_is_not_reached_one_microsecond_before_it():
    new_year = instant("2024-01-01T00:00+09:00")
    assert new_year == instant("2023-12-31T15:00Z")
    assert new_year - 1 == instant("2023-12-31T14:59:59.999999Z")


NAIVE = ["2026-03-01T09:00", "2026-03-01T09:00:00", "2026-03-01 09:00:00.5", datetime(2026, 3, 1)]  # noqa: DTZ001


@pytest.mark.parametrize("said", NAIVE, ids=str)
@pytest.mark.parametrize("read", [instant, lambda said: moment(said, "Asia/Tokyo")], ids=["instant", "moment"])
def test_a_date_time_without_offset_is_refused_as_naive(read, said):
    refused = refusal(read, said)
    assert refused.code == "naive_instant"
    assert "+07:00" in refused.fix


class Vague(tzinfo):
    def utcoffset(self, _):
        return None


def test_a_zone_that_knows_no_offset_leaves_a_datetime_naive():
    assert refusal(instant, datetime(2026, 3, 1, tzinfo=Vague())).code == "naive_instant"


NOT_INSTANTS = [
    "",
    " ",
    "now",
    "yesterday",
    "last fortnightish",
    "2026-03-01T24:00Z",
    "2026-06-30T23:59:60Z",
    "2016-12-31T23:59:60Z",
    "2026-03-01T23:60Z",
    "2026-13-01T00:00Z",
    "2026-00-01T00:00Z",
    "2026-02-29T00:00Z",
    "2026-03-01T09:00+24:00",
    "2026-03-01T09:00+05:60",
    "2026-03-01T09:00+0700",
    "2026-03-01T09:00+07",
    "2026-03-01T09:00:00,5Z",
    "2026-03-01T09:00:00.Z",
    "2026-03-01T09Z",
    "20260301T090000Z",
    "2026-W09-7T09:00Z",
    "2026-060T09:00Z",
    "2026-3-1T9:00Z",
    " 2026-03-01T09:00Z",
    "2026-03-01T09:00Z\n",
    "2026-03-01T09:00Z[Asia/Tokyo]",
    "2026-03-01T09:00 07:00",
    "٢٠٢٦-03-01T09:00Z",
    "2026-03-01T09:00Z\x00",
    "\ud8002026-03-01T09:00Z",
    "1780000000",
    "1e9",
    "NaN",
    "0000-01-01T00:00Z",
    "10000-01-01T00:00Z",
    "-0001-01-01T00:00Z",
    "0001-01-01T00:00+00:01",
    "9999-12-31T23:59-00:01",
    datetime.min.replace(tzinfo=timezone(timedelta(hours=9))),
    datetime.max.replace(tzinfo=timezone(timedelta(hours=-9))),
    "9" * 1_000_000,
]


@pytest.mark.parametrize("said", NOT_INSTANTS, ids=lambda said: ascii(str(said))[:40])
@pytest.mark.parametrize("read", [instant, lambda said: moment(said, "UTC")], ids=["instant", "moment"])
def test_what_is_no_instant_is_refused_and_never_guessed(read, said):
    refused = refusal(read, said)
    assert refused.code == "bad_instant"
    str(refused).encode()
    assert len(str(refused)) < 250


@pytest.mark.parametrize("said", ["2026", "2026-03", "2026-03-01"])
def test_a_date_alone_is_no_instant(said):
    assert refusal(instant, said).code == "bad_instant"


# --- dates in a zone ---------------------------------------------------------------------------------------------

STARTS = [
    ("2026-03-01", "UTC", "2026-03-01T00:00:00Z", Precision.DAY),
    ("2026-03", "UTC", "2026-03-01T00:00:00Z", Precision.MONTH),
    ("2026", "UTC", "2026-01-01T00:00:00Z", Precision.YEAR),
    ("2026-03-01", "Asia/Tokyo", "2026-02-28T15:00:00Z", Precision.DAY),
    ("2026", "Asia/Ho_Chi_Minh", "2025-12-31T17:00:00Z", Precision.YEAR),
    ("2026-07", "America/New_York", "2026-07-01T04:00:00Z", Precision.MONTH),
    ("2026-03-01T12:00+09:00", "America/New_York", "2026-03-01T03:00:00Z", Precision.INSTANT),
    (JULY, "Asia/Tokyo", "2026-07-01T09:00:00Z", Precision.INSTANT),
    ("0001", "UTC", "0001-01-01T00:00:00Z", Precision.YEAR),
    ("9999-12-31", "UTC", "9999-12-31T00:00:00Z", Precision.DAY),
    # Midnight is left out: the day starts at 01:00.
    ("2018-11-04", "America/Sao_Paulo", "2018-11-04T03:00:00Z", Precision.DAY),
    ("2024-04-26", "Africa/Cairo", "2024-04-25T22:00:00Z", Precision.DAY),
    # Half past eleven becomes half past midnight: the gap starts the day before.
    ("1919-03-31", "America/Toronto", "1919-03-31T04:30:00Z", Precision.DAY),
    # Midnight comes twice: the first one counts.
    ("2025-11-02", "America/Havana", "2025-11-02T04:00:00Z", Precision.DAY),
    ("2006-10-29", "America/St_Johns", "2006-10-29T02:30:00Z", Precision.DAY),
    # A day that Samoa left out starts with the next one.
    ("2011-12-30", "Pacific/Apia", "2011-12-30T10:00:00Z", Precision.DAY),
]


@pytest.mark.parametrize(("said", "zone", "start", "precision"), STARTS)
def test_a_date_means_its_start_in_the_zone_and_keeps_its_precision(said, zone, start, precision):
    at, kept = moment(said, zone)
    assert (rendered(at), kept) == (start, precision)


@pytest.mark.parametrize("said", ["0000", "2026-13", "2026-00", "2026-02-29", "2026-03-32", "2026-3", "26", "２０２６"])
def test_a_date_that_no_calendar_has_is_refused(said):
    assert refusal(moment, said, "UTC").code == "bad_instant"


def test_the_first_day_of_all_does_not_exist_east_of_utc():
    assert refusal(moment, "0001-01-01", "Asia/Tokyo").code == "bad_instant"
    assert moment("0001-01-01", "America/New_York")[0] > EARLIEST


NOT_ZONES = [
    "",
    "Hanoi",
    "Europe",
    "../UTC",
    "/etc/localtime",
    "localtime",
    "posixrules",
    "right/UTC",
    "posix/UTC",
    "Asia/Tokyo\n",
    "Asia/Tokyo\x00",
    "Asia//Tokyo",
    "Asia/",
    "\ud800",
    "UTC+7",
    "+07:00",
    "A" * 5_000,
]


@pytest.mark.parametrize("zone", NOT_ZONES, ids=lambda zone: ascii(zone)[:20])
@pytest.mark.parametrize("said", ["2026-03-01", "2026-03-01T00:00Z"])
def test_an_unknown_zone_is_refused_even_where_it_is_not_needed(said, zone):
    refused = refusal(moment, said, zone)
    assert refused.code == "unknown_zone"
    str(refused).encode()


@given(st.sampled_from(ZONES), st.dates(date(1850, 1, 1), date(2100, 1, 1)))
def test_nothing_of_a_day_lies_before_its_start(zone, day):
    start, _ = moment(day.isoformat(), zone)
    place = zone_named(zone)
    assert as_datetime(start).astimezone(place).date() >= day
    assert as_datetime(start - 1).astimezone(place).date() < day


@pytest.mark.parametrize("zone", ["America/Sao_Paulo", "America/Toronto", "Africa/Cairo", "Asia/Beirut", "Asia/Gaza"])
def test_every_day_of_a_century_starts_where_the_one_before_ends(zone):
    days = [date.fromordinal(date(1915, 1, 1).toordinal() + n) for n in range(40_000)]
    starts = [moment(day.isoformat(), zone)[0] for day in days]
    for start, following in pairwise(starts):
        assert span_end(start, Precision.DAY, zone) == following
        assert 22 * HOUR <= following - start <= 26 * HOUR


# --- stretches ---------------------------------------------------------------------------------------------------

ENDS = [
    ("2026-03-01", "Asia/Tokyo", "2026-03-02"),
    ("2026-03-31", "Asia/Tokyo", "2026-04-01"),
    ("2026-02", "Asia/Tokyo", "2026-03"),
    ("2026-11", "Asia/Tokyo", "2026-12"),
    ("2026-12", "Asia/Tokyo", "2027-01"),
    ("2026", "Asia/Tokyo", "2027"),
    ("2024-02-29", "UTC", "2024-03-01"),
    ("2025-11-02", "America/New_York", "2025-11-03"),
]


@pytest.mark.parametrize(("said", "zone", "following"), ENDS)
def test_a_stretch_ends_where_the_next_one_starts(said, zone, following):
    start, precision = moment(said, zone)
    assert span_end(start, precision, zone) == moment(following, zone)[0]
    assert span_end(start + 12 * HOUR, precision, zone) == moment(following, zone)[0]


def test_the_night_clocks_go_back_makes_a_day_of_25_hours():
    start, precision = moment("2025-11-02", "America/New_York")
    assert span_end(start, precision, "America/New_York") - start == 25 * HOUR


def test_an_instant_by_itself_lasts_one_microsecond():
    assert span_end(2026, Precision.INSTANT, "UTC") == 2027


@pytest.mark.parametrize("said", ["9999", "9999-12", "9999-12-31"])
@pytest.mark.parametrize("zone", ["UTC", "Asia/Tokyo", "America/New_York"])
def test_the_last_stretches_end_with_the_calendar(said, zone):
    assert span_end(*moment(said, zone), zone) == LATEST + 1


def test_a_zone_whose_local_date_leaves_the_calendar_still_has_an_end():
    assert span_end(LATEST, Precision.DAY, "Asia/Tokyo") == LATEST + 1
    assert EARLIEST < span_end(EARLIEST, Precision.DAY, "America/New_York") < EARLIEST + 3 * DAY


# --- writing -----------------------------------------------------------------------------------------------------


@given(INSTANTS)
def test_every_instant_survives_being_written_and_read(at):
    assert instant(rendered(at)) == at
    assert from_datetime(as_datetime(at)) == at
    assert as_datetime(at).tzinfo is UTC
    assert moment(rendered(at), "Asia/Tokyo") == (at, Precision.INSTANT)


@given(INSTANTS, st.integers(-1439, 1439))
def test_an_offset_changes_how_an_instant_looks_and_nothing_else(at, minutes):
    local = timezone(timedelta(minutes=minutes))
    try:
        seen = as_datetime(at).astimezone(local)
    except OverflowError:
        return
    assert from_datetime(seen) == at
    assert instant(seen.isoformat()) == at


@given(st.lists(INSTANTS, min_size=2))
def test_whole_seconds_and_microseconds_keep_their_order_as_datetimes(instants):
    assert [as_datetime(at) for at in sorted(instants)] == sorted(as_datetime(at) for at in instants)


@given(st.datetimes(timezones=st.timezones()))
def test_any_aware_datetime_is_read_or_refused(when):
    at = read_or_refused(instant, when)
    assert at == "bad_instant" or as_datetime(at) - when == timedelta()


@given(st.text() | st.from_regex(r"\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d(:\d\d(\.\d+)?)?([zZ]|[+-]\d\d:\d\d)?"))
def test_any_text_is_read_or_refused(said):
    at = read_or_refused(lambda said: moment(said, "Asia/Tokyo")[0], said)
    assert at in {"bad_instant", "naive_instant"} or EARLIEST <= at <= LATEST


def test_microseconds_are_written_only_when_there_are_some():
    assert rendered(0) == "1970-01-01T00:00:00Z"
    assert rendered(1) == "1970-01-01T00:00:00.000001Z"
    assert rendered(-1) == "1969-12-31T23:59:59.999999Z"
    assert rendered(10 * SECOND + 500_000) == "1970-01-01T00:00:10.500000Z"


@pytest.mark.parametrize("beyond", [1, 10**6 * DAY, 10**40])
def test_a_deadline_past_the_calendar_is_written_as_its_edge(beyond):
    assert as_datetime(LATEST + beyond) == as_datetime(LATEST)
    assert as_datetime(EARLIEST - beyond) == as_datetime(EARLIEST)


@pytest.mark.skipif(not hasattr(time, "tzset"), reason="the zone of a process can't be changed here")
@pytest.mark.parametrize("zone", ["Asia/Tokyo", "America/New_York", "UTC", "<+0545>-5:45"])
def test_the_zone_of_the_machine_changes_nothing(zone, monkeypatch):
    monkeypatch.setenv("TZ", zone)
    time.tzset()
    try:
        assert instant("2024-01-01T00:00+09:00") == 1_704_034_800 * SECOND
        assert rendered(1_704_034_800 * SECOND) == "2023-12-31T15:00:00Z"
        assert moment("2024-01-01", "Asia/Tokyo") == (1_704_034_800 * SECOND, Precision.DAY)
        assert refusal(instant, "2024-01-01T00:00").code == "naive_instant"
    finally:
        monkeypatch.undo()
        time.tzset()


# --- lengths -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("said", "seconds"),
    [("45m", 2_700), ("6h", 21_600), ("2d", 172_800), ("10s", 10), ("1w", 604_800), ("0s", 0), ("007d", 604_800)],
)
def test_a_duration_is_a_whole_number_and_a_unit(said, seconds):
    assert duration(said) == seconds * SECOND


@pytest.mark.parametrize(
    "said",
    ["", "m", "45", "45M", "4.5h", "1h30m", "-1h", "+1h", "1 h", " 1h", "1h\n", "1y", "1mo", "PT1H", "٤h", "forever",
     "521723w", "9" * 15 + "w", "9" * 100_000 + "s", "\ud800", "1h\x00"],
    ids=lambda said: ascii(said)[:12],
)  # fmt: skip
def test_what_is_no_duration_is_refused(said):
    refused = refusal(duration, said)
    assert refused.code == "bad_duration"
    str(refused).encode()


def test_a_duration_is_at_most_the_whole_calendar():
    assert duration("521722w") <= LATEST - EARLIEST
