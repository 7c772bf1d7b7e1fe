"""Instants as whole microseconds: read, checked, cut to days in a time zone, and written again."""

from __future__ import annotations

import re
from bisect import bisect_left
from datetime import UTC, date, datetime, timedelta, tzinfo
from functools import lru_cache
from typing import Protocol
from zoneinfo import ZoneInfo

from hub.errors import Incorrect
from hub.facts import Instant, Precision

SECOND = 1_000_000
MINUTE = 60 * SECOND
HOUR = 60 * MINUTE
DAY = 24 * HOUR
WEEK = 7 * DAY

EARLIEST: Instant = -719_162 * DAY
"""0001-01-01T00:00Z."""

LATEST: Instant = 2_932_897 * DAY - 1
"""The last microsecond of 9999."""

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_LENGTHS = {"s": SECOND, "m": MINUTE, "h": HOUR, "d": DAY, "w": WEEK}
# Leap seconds and 24:00 fail here: counted in microseconds, both are the next minute under another name.
_DATE_TIME = re.compile(
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}[Tt ](?:[01][0-9]|2[0-3]):[0-5][0-9](?::[0-5][0-9](?:\.[0-9]+)?)?"
    r"(?P<offset>[Zz]|[+-](?:[01][0-9]|2[0-3]):[0-5][0-9])?"
)
_DATE = re.compile(r"([0-9]{4})(?:-([0-9]{2})(?:-([0-9]{2}))?)?")
_DURATION = re.compile(r"([0-9]{1,15})([smhdw])")
_ZONE = re.compile(r"[A-Za-z][A-Za-z0-9_+-]*(?:/[A-Za-z0-9_+-]+)*")
# Files beside the zones that mean something else on another machine, or count leap seconds.
_NOT_ZONES = ("localtime", "posixrules", "posix/", "right/")


class Clock(Protocol):
    """A source of the present, which may stand still or go back, and the rule that no two commits share an instant."""

    def now(self) -> Instant:
        """What the source shows."""

    def next(self, last: Instant) -> Instant:
        """The instant of the next commit, later than `last` whatever the source does."""

    def tick(self) -> None:
        """The hub calls this once a commit, for clocks that go by commits."""


# --- reading -----------------------------------------------------------------------------------------------------


def instant(given: str | datetime) -> Instant:
    """An RFC 3339 instant, or an aware datetime, as microseconds since 1970-01-01T00:00Z.

    Seconds may be left out; digits after the sixth are cut off, never rounded. Refused as `naive_instant`: no offset.
    Refused as `bad_instant`: any other form, leap seconds, `24:00`, what lies outside the years 1 to 9999 in UTC.
    """
    if isinstance(given, datetime):
        return from_datetime(given)
    match = _DATE_TIME.fullmatch(given)
    if match is None:
        raise _bad_instant(given)
    if match["offset"] is None:
        raise _naive(given)
    try:
        return from_datetime(datetime.fromisoformat(given.upper()))
    except ValueError:
        raise _bad_instant(given) from None


def moment(given: str | datetime, zone: str) -> tuple[Instant, Precision]:
    """An instant, or the start of a day, month or year (`2026-03-01`, `2026-03`, `2026`) in the IANA zone.

    Raises as `instant` does, and `unknown_zone`.
    """
    place = zone_named(zone)
    if isinstance(given, datetime) or (match := _DATE.fullmatch(given)) is None:
        return instant(given), Precision.INSTANT
    year, month, day = match.groups()
    try:
        first = date(int(year), int(month or 1), int(day or 1))
    except ValueError:
        raise _bad_instant(given) from None
    precision = Precision.DAY if day else Precision.MONTH if month else Precision.YEAR
    return start_of(first, place), precision


def from_datetime(given: datetime) -> Instant:
    """An aware datetime as an instant; raises `naive_instant`, and `bad_instant` outside the years 1 to 9999 in UTC."""
    if given.utcoffset() is None:
        raise _naive(given.isoformat())
    since = given - _EPOCH
    counted = (since.days * 86_400 + since.seconds) * SECOND + since.microseconds
    if not EARLIEST <= counted <= LATEST:
        raise _bad_instant(given.isoformat())
    return counted


def duration(text: str) -> int:
    """`45m`, `6h`, `2d`, `10s` or `1w` in microseconds; raises `bad_duration`, also when no calendar holds it."""
    match = _DURATION.fullmatch(text)
    length = int(match[1]) * _LENGTHS[match[2]] if match else -1
    if not 0 <= length <= LATEST - EARLIEST:
        raise Incorrect(
            "bad_duration",
            f"{_quoted(text)} is not a length of time",
            "send a whole number and one of s, m, h, d, w, such as `45m`",
        )
    return length


@lru_cache(maxsize=64)
def zone_named(name: str) -> tzinfo:
    """The IANA time zone of that name; raises `unknown_zone`."""
    if name == "UTC":  # the default has to work where no time zones are installed
        return UTC
    try:
        if _ZONE.fullmatch(name) and not name.startswith(_NOT_ZONES):
            return ZoneInfo(name)
    except (LookupError, ValueError, OSError):  # a folder of zones is an OSError
        pass
    raise Incorrect(
        "unknown_zone",
        f"{_quoted(name)} is not a time zone",
        "send a name of the IANA database, such as `Asia/Ho_Chi_Minh`",
    )


# --- stretches ---------------------------------------------------------------------------------------------------


def span_end(start: Instant, precision: Precision, zone: str) -> Instant:
    """Where the day, month or year around `start` ends in the zone: the start of the next one.

    An instant by itself lasts one microsecond. After the year 9999 the calendar ends, at `LATEST + 1`.
    """
    if precision is Precision.INSTANT:
        return start + 1
    place = zone_named(zone)
    try:
        return start_of(_following(_local_date(start, place), precision), place)
    except ValueError:
        return LATEST + 1


def _following(day: date, precision: Precision) -> date:
    if precision is Precision.DAY:
        return date.fromordinal(day.toordinal() + 1)
    if precision is Precision.MONTH and day.month < 12:
        return day.replace(month=day.month + 1, day=1)
    return date(day.year + 1, 1, 1)


def _local_date(at: Instant, place: tzinfo) -> date:
    try:
        return as_datetime(at).astimezone(place).date()
    except OverflowError:
        return date.max if at > 0 else date.min


def start_of(day: date, place: tzinfo) -> Instant:
    """The first instant that carries the date `day`, or a later one where the zone left that day out."""
    first, second = (datetime(day.year, day.month, day.day, tzinfo=place, fold=fold) for fold in (0, 1))
    before, after = _offset(first), _offset(second)
    if before >= after:  # midnight exists; where it comes twice, `first` is the earlier one
        return from_datetime(first)
    # Midnight was left out by clocks put forward. It need not be the edge of the gap, so that is searched for.
    low, high = from_datetime(second) // SECOND, from_datetime(first) // SECOND
    put_forward = bisect_left(
        range(low, high), after, key=lambda second: _offset(as_datetime(second * SECOND).astimezone(place))
    )
    return (low + put_forward) * SECOND


def _offset(at: datetime) -> timedelta:
    return at.utcoffset() or timedelta()


# --- writing -----------------------------------------------------------------------------------------------------


def as_datetime(at: Instant) -> datetime:
    """The instant as an aware UTC datetime, exact to the microsecond.

    A deadline that was added up past the years 1 to 9999 becomes their edge, so that an answer can still be written.
    """
    try:
        return _EPOCH + timedelta(0, 0, at)
    except OverflowError:
        return as_datetime(LATEST if at > 0 else EARLIEST)


def rendered(at: Instant) -> str:
    """RFC 3339 with `Z`; six digits of a second if it is not a whole one."""
    return as_datetime(at).isoformat()[:-6] + "Z"


# --- refusals ----------------------------------------------------------------------------------------------------


def _naive(given: str) -> Incorrect:
    return Incorrect(
        "naive_instant",
        f"{_quoted(given)} does not say its offset from UTC",
        "add the offset, such as `2026-03-01T09:00:00+07:00`, or `Z`",
    )


def _bad_instant(given: str) -> Incorrect:
    return Incorrect(
        "bad_instant",
        f"{_quoted(given)} is not an instant of the years 1 to 9999",
        "send RFC 3339 with an offset, such as `2026-03-01T09:00:00+07:00`, or where a day will do `2026-03-01`",
    )


def _quoted(given: str) -> str:
    """What came in, short and safe to print."""
    short = given if len(given) <= 40 else given[:40] + "…"
    return "`" + "".join(c if c.isprintable() else "�" for c in short) + "`"
