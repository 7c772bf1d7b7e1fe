"""Days as words: what is said on a day, or planned for it, is found by that day, however it is written."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hub.facts import Described, Precision
from hub.moments import DAY, instant
from hub.view.days import marks_asked, marks_of
from tests.recalling import asked, relevant
from tests.views import START, Notebook, thing

MAY_8 = instant("2023-05-08T13:56:00Z")


def shown(query: str) -> list[str]:
    return [mark.removeprefix("\0") for mark in marks_asked(query)]


WRITTEN = [
    ("What was said on 8 May, 2023?", ["2023-05-08"]),
    ("what happened on May 8th", ["-05-08"]),
    ("the 8th of May", ["-05-08"]),
    ("on Aug 12, 2022", ["2022-08-12"]),
    ("in September 2023", ["2023-09"]),
    ("since June", ["-06"]),
    ("trips of 2024", ["2024"]),
    ("2023-05-08", ["2023-05-08"]),
    ("between 2023-05 and 2023-07", ["2023-05", "2023-07"]),
    ("2023년 5월 8일에 뭐 했어?", ["2023-05-08"]),
    ("5월에", ["-05"]),
    ("２０２３年５月８日の予定", ["2023-05-08"]),
    ("12月は？", ["-12"]),
    ("ngày 8 tháng 5 năm 2023", ["2023-05-08"]),
    ("tháng 12", ["-12"]),
    ("8 May and 9 June 2021, and 2020", ["-05-08", "2021-06-09", "2020"]),
    # what is no date
    ("May I march to the 3 mayors?", []),
    ("order 48207, room 2023a, 20231", []),
    ("3 months, 5 개월, 2ヶ月, 3 tháng nữa", []),
    ("month 13월, 2023-13-01", []),
    ("32 May", []),
    ("version 2.2023.1", []),
    ("", []),
]


@pytest.mark.parametrize(("query", "marks"), WRITTEN, ids=lambda part: ascii(part)[:40])
def test_a_date_is_read_as_it_is_written_in_four_languages(query, marks):
    assert sorted(shown(query)) == sorted(marks)


def test_a_day_is_found_by_itself_its_month_and_its_year_with_the_year_or_without():
    assert {mark.removeprefix("\0") for mark in marks_of(MAY_8, Precision.DAY)} == {
        *("2023", "2023-05", "-05", "2023-05-08", "-05-08")
    }
    assert marks_of(MAY_8, Precision.INSTANT) == marks_of(MAY_8, Precision.DAY)
    assert marks_of(MAY_8, Precision.MONTH) == ("\x002023", "\x002023-05", "\0-05")
    assert marks_of(MAY_8, Precision.YEAR) == ("\x002023",)


@given(
    st.dates(), st.sampled_from(["{0:%-d %B %Y}", "{0:%B %-d, %Y}", "{0:%Y-%m-%d}", "{0.year}년 {0.month}월 {0.day}일"])
)
def test_whatever_day_is_asked_for_finds_what_was_said_on_it(day, form):
    at = instant(f"{day.isoformat()}T12:00:00Z")
    asked_for = list(marks_asked(form.format(day)))
    if 1900 <= day.year < 2100:
        assert asked_for == [f"\0{day.isoformat()}"]
        assert asked_for[0] in marks_of(at, Precision.DAY)


@given(st.text(max_size=200))
def test_nothing_that_is_asked_breaks_the_reading_of_dates(query):
    for mark, written in marks_asked(query).items():
        assert mark.startswith("\0")
        assert written


def test_what_was_said_and_what_is_planned_on_a_day_is_found_by_it():
    book = Notebook()
    book.said("mia", "the roof leaks again")
    book.told("atlas", "booking", thing("Hotel Arena", "hotel"), on=Described(START + 40 * DAY, Precision.DAY))
    book.told("mia", "motto", "slow is smooth", since=instant("2026-03-01T00:00:00Z"))
    book.wait(3 * DAY)
    view = book.view()
    assert relevant(asked(view, "What was said on 1 July 2026?"))[0] == "the roof leaks again"
    assert relevant(asked(view, "Anything on 2026-08-10?")) == ["booking: Hotel Arena"]
    assert relevant(asked(view, "ngày 10 tháng 8")) == ["booking: Hotel Arena"]
    assert relevant(asked(view, "2026년 3월")) == ["motto: slow is smooth"]
    assert relevant(asked(view, "What was said on 2 July 2026?")) == []
