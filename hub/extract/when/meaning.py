"""What an expression of time means when said at an instant and a place, or None where one would have to guess."""

from __future__ import annotations

from hub.extract.when.calendar import Amount, Now, Point, Stretch, Toward, Unit, away, moved, stretch
from hub.extract.when.finding import Found
from hub.extract.when.pack import FrameRule, Role
from hub.facts import Instant, Precision

_COARSE = frozenset((Unit.MONTH, Unit.YEAR))

Bounds = tuple[Role, Instant | None, Instant | None, Precision]


def meant(one: Found, now: Now, toward: Toward | None) -> Bounds | None:
    """The role and the half-open bounds; raises ValueError or OverflowError outside the years 1 to 9999."""
    frame = one.frame
    if frame.role is Role.NONE:
        return None
    toward = frame.toward or toward or frame.usually
    if not one.points:
        return None if one.amount is None else _measured(frame, one.amount, now, toward)
    first = stretch(one.points[0], now, toward)
    if first is None:
        return None
    if one.amount is not None:
        start = first[0]
        return Role.ON, start, moved(one.amount, Now(start, now.place), 1), Precision.INSTANT
    return _pointed(frame, first) if len(one.points) == 1 else _ranged(one.points[1], first, now)


def _pointed(frame: FrameRule, found: Stretch) -> Bounds:
    start, end, precision = found
    if precision is Precision.INSTANT and frame.role is not Role.ON:  # a time of day is a bound, and has no inside
        end = start
    if frame.role is Role.SINCE:
        return Role.SINCE, end if frame.beyond else start, None, precision
    if frame.role is Role.UNTIL:
        return Role.UNTIL, None, start if frame.beyond else end, precision
    return Role.ON, start, end, precision


def _ranged(last: Point, first: Stretch, now: Now) -> Bounds | None:
    """From one point to another, which is sought from the first one on; its last day is part of the stretch."""
    start, _, precision = first
    found = stretch(last, Now(start, now.place, now.order) if last.shift is None else now, Toward.AHEAD)
    if found is None or found[1] <= start:
        return None
    return Role.ON, start, found[1], precision


def _measured(frame: FrameRule, amount: Amount, now: Now, toward: Toward | None) -> Bounds | None:
    if frame.vague and not _COARSE.issuperset(unit for _, unit in amount):
        return None
    if frame.role is Role.AHEAD:
        return None if toward is Toward.PAST else (Role.AHEAD, *away(amount, now, 1))
    if frame.role is Role.AGO:
        return Role.AGO, *away(amount, now, -1)
    if frame.role is Role.UNTIL:
        return Role.UNTIL, None, moved(amount, now, 1), Precision.INSTANT
    if frame.role is Role.SINCE or toward is Toward.PAST:
        start, _, precision = away(amount, now, -1)
        return Role.SINCE, start, None, precision
    return Role.DURATION, now.at, moved(amount, now, 1), Precision.INSTANT
