"""The calendar as people use it: points, lengths and stretches, counted from a day in a time zone."""

from __future__ import annotations

from calendar import monthrange
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta, tzinfo
from enum import StrEnum

from hub.facts import Instant, Precision
from hub.moments import as_datetime, from_datetime, start_of

_AHEAD_YEARS = 9
"""A 29 February comes back within eight years."""


class Unit(StrEnum):
    MINUTE = "minute"
    HOUR = "hour"
    DAY = "day"
    WEEK = "week"
    WEEKEND = "weekend"
    MONTH = "month"
    YEAR = "year"


class Toward(StrEnum):
    """Which way a sentence looks: what “on Friday” means depends on it."""

    PAST = "past"
    AHEAD = "ahead"


@dataclass(frozen=True, slots=True)
class Shift:
    """So many units from the present one: yesterday is `(DAY, -1)`, this month `(MONTH, 0)`."""

    unit: Unit
    by: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Clock:
    """A time of day; `hour` None: it was said, but not whether before or after noon."""

    hour: int | None
    minute: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Point:
    """A stretch of the calendar by what was said of it; what was not said is found by the direction.

    `weekday` counts from Monday, 0. `numbers`: a day and a month in an order that the reader has to know.
    `toward` is said by the words themselves (“last Friday”), and `today` that the present day counts too.
    """

    year: int | None = None
    month: int | None = None
    day: int | None = None
    weekday: int | None = None
    numbers: tuple[int, int] | None = None
    clock: Clock | None = None
    shift: Shift | None = None
    toward: Toward | None = None
    today: bool = False


Amount = tuple[tuple[int, Unit], ...]
"""A length: `((1, YEAR), (6, MONTH))`."""


@dataclass(frozen=True, slots=True)
class Cell:
    """The days `[first, after)`, as one year, month or day, or as several days."""

    first: date
    after: date
    precision: Precision = Precision.DAY


@dataclass(frozen=True, slots=True)
class Now:
    """When and where something is said; `order` is how a day and a month are written there, `dm`, `md` or unknown."""

    at: Instant
    place: tzinfo
    order: str | None = None

    @property
    def local(self) -> datetime:
        return as_datetime(self.at).astimezone(self.place)


Stretch = tuple[Instant, Instant, Precision]
"""`[start, end)`."""


# --- points ------------------------------------------------------------------------------------------------------


def stretch(point: Point, now: Now, toward: Toward | None) -> Stretch | None:
    """What a point means; None if there is no such date, or if the direction would have to be guessed.

    Raises ValueError or OverflowError outside the years 1 to 9999.
    """
    toward = point.toward or toward
    if point.numbers is not None:
        return _numbered(point, now, toward)
    if point.clock is not None and point.clock.hour is not None:
        return _timed(point, point.clock, now, toward)
    cell = _cell(point, now.local.date(), toward)
    return None if cell is None else (*_bounds(cell, now.place), cell.precision)


def _numbered(point: Point, now: Now, toward: Toward | None) -> Stretch | None:
    one, other = point.numbers or (0, 0)
    readings = {order: pair for order, pair in (("dm", (one, other)), ("md", (other, one))) if 1 <= pair[1] <= 12}
    if len(set(readings.values())) == 1:
        day, month = next(iter(readings.values()))
    elif now.order in readings:
        day, month = readings[now.order]
    else:
        return None
    return stretch(replace(point, numbers=None, day=day, month=month), now, toward)


def _timed(point: Point, clock: Clock, now: Now, toward: Toward | None) -> Stretch | None:
    day = replace(point, clock=None)
    if day == Point(toward=point.toward):
        return _next_time(clock, now, toward)
    cell = _cell(day, now.local.date(), toward)
    if cell is None or cell.after - cell.first != timedelta(days=1):
        return None
    return _at(cell.first, clock, now.place)


def _next_time(clock: Clock, now: Now, toward: Toward | None) -> Stretch | None:
    """The last or the next time a clock shows it."""
    if toward is None:
        return None
    today = now.local.date()
    found = _at(today, clock, now.place)
    if toward is Toward.AHEAD and found[0] <= now.at:
        return _at(today + timedelta(days=1), clock, now.place)
    if toward is Toward.PAST and found[0] > now.at:
        return _at(today - timedelta(days=1), clock, now.place)
    return found


def _at(day: date, clock: Clock, place: tzinfo) -> Stretch:
    """A time that the clocks left out is as much later as they were put forward."""
    local = datetime(day.year, day.month, day.day, clock.hour or 0, clock.minute, tzinfo=place)
    start = from_datetime(local)
    return start, start + 1, Precision.INSTANT


def _bounds(cell: Cell, place: tzinfo) -> tuple[Instant, Instant]:
    return start_of(cell.first, place), start_of(cell.after, place)


def _cell(point: Point, today: date, toward: Toward | None) -> Cell | None:
    found = _sought(point, today, toward)
    if found is None or (point.weekday is not None and point.weekday != found.first.weekday()):
        return None
    return found


def _sought(point: Point, today: date, toward: Toward | None) -> Cell | None:
    if point.shift is not None:
        return _shifted_cell(point, point.shift, today)
    if point.year is not None:
        return _dated(point.year, point.month, point.day)
    if toward is None:
        return None
    if point.month is None and point.day is None:
        return _weekday(point, today, toward)
    return next((cell for cell in _candidates(point, today, toward) if _lies(cell, today, toward)), None)


def _lies(cell: Cell, today: date, toward: Toward) -> bool:
    return cell.first <= today if toward is Toward.PAST else cell.after > today


def _candidates(point: Point, today: date, toward: Toward) -> Iterator[Cell]:
    """The years, or the months, that have such a date, nearest first; the one around `today` included."""
    step = -1 if toward is Toward.PAST else 1
    for count in range(_AHEAD_YEARS if point.month else 4):
        if point.month:
            year, month = today.year + step * count, point.month
        else:
            year, month = _month_from(today, step * count)
        cell = _dated(year, month, point.day)
        if cell is not None:
            yield cell


def _weekday(point: Point, today: date, toward: Toward) -> Cell | None:
    """The nearest such day; today is another one, unless said otherwise."""
    if point.weekday is None:
        return None
    steps = range(0 if point.today else 1, 8)
    days = (today + timedelta(days=step if toward is Toward.AHEAD else -step) for step in steps)
    return next(_days(day, 1) for day in days if day.weekday() == point.weekday)


def _dated(year: int, month: int | None, day: int | None) -> Cell | None:
    if month is None:
        return None if day is not None else Cell(date(year, 1, 1), date(year + 1, 1, 1), Precision.YEAR)
    if day is None:
        following = _month_from(date(year, month, 1), 1)
        return Cell(date(year, month, 1), date(*following, 1), Precision.MONTH)
    return _days(date(year, month, day), 1) if 1 <= day <= monthrange(year, month)[1] else None


def _shifted_cell(point: Point, shift: Shift, today: date) -> Cell | None:
    match shift.unit:
        case Unit.DAY:
            return _days(today + timedelta(days=shift.by), 1)
        case Unit.WEEK | Unit.WEEKEND:
            monday = today + timedelta(days=7 * shift.by - today.weekday())
            if point.weekday is not None:
                return _days(monday + timedelta(days=point.weekday), 1)
            return _days(monday, 7) if shift.unit is Unit.WEEK else _days(monday + timedelta(days=5), 2)
        case Unit.MONTH:
            return _dated(*_month_from(today, shift.by), point.day)
        case _:
            return _dated(today.year + shift.by, point.month, point.day)


def _days(first: date, count: int) -> Cell:
    return Cell(first, first + timedelta(days=count))


def _month_from(day: date, by: int) -> tuple[int, int]:
    years, month = divmod(day.month - 1 + by, 12)
    return day.year + years, month + 1


# --- lengths -----------------------------------------------------------------------------------------------------


def away(amount: Amount, now: Now, sign: int) -> Stretch:
    """What lies a length away: an instant for hours, a day for days and weeks, a month or a year for those."""
    finest = amount[-1][1]
    there = moved(amount, now, sign)
    if finest in (Unit.HOUR, Unit.MINUTE):
        return there, there + 1, Precision.INSTANT
    day = as_datetime(there).astimezone(now.place).date()
    if finest in (Unit.MONTH, Unit.YEAR):
        day = _first_of(amount, now.local.date(), sign)
        cell = _dated(day.year, day.month if finest is Unit.MONTH else None, None)
    else:
        cell = _days(day, 1)
    assert cell is not None
    return (*_bounds(cell, now.place), cell.precision)


def _first_of(amount: Amount, today: date, sign: int) -> date:
    months = sum(count * (12 if unit is Unit.YEAR else 1) for count, unit in amount)
    return date(*_month_from(today, sign * months), 1)


def moved(amount: Amount, now: Now, sign: int) -> Instant:
    """The instant a length away: days, weeks, months and years by the calendar of the place, hours as they pass.

    The last day of a month stands in for one that it does not have.
    """
    local = now.local
    hours = timedelta()
    for count, unit in amount:
        if unit in (Unit.MONTH, Unit.YEAR):
            year, month = _month_from(local.date(), sign * count * (12 if unit is Unit.YEAR else 1))
            local = local.replace(year=year, month=month, day=min(local.day, monthrange(year, month)[1]))
        elif unit in (Unit.DAY, Unit.WEEK):
            local += timedelta(days=sign * count * (7 if unit is Unit.WEEK else 1))
        else:
            hours += timedelta(minutes=sign * count * (60 if unit is Unit.HOUR else 1))
    return from_datetime(local) + hours // timedelta(microseconds=1)
