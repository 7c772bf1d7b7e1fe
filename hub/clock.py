"""Where the present comes from: the system's clock or a simulated one, and the rule that no two commits share it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from threading import Lock
from time import sleep, time_ns

from hub.errors import Incorrect
from hub.facts import Instant
from hub.moments import LATEST, Clock, rendered

LONGEST_WAIT = 1_000
"""Microseconds to wait for a clock that may just not have ticked yet."""

_PAUSES = 4


class SystemClock:
    """The machine's clock, in UTC."""

    def now(self) -> Instant:
        return time_ns() // 1_000

    def next(self, last: Instant) -> Instant:
        return next_instant(self, last)

    def tick(self) -> None:
        """Goes by itself."""


class SimulatedClock:
    """Stands still unless moved, a microsecond at every commit; never goes back. Threads may share it."""

    def __init__(self, start: Instant) -> None:
        self._now = start
        self._lock = Lock()

    def now(self) -> Instant:
        return self._now

    def next(self, last: Instant) -> Instant:
        """It goes by commits, so there is nothing to wait for.

        Raises `clock_out_of_range` where it could not tick after the commit any more, before anything is recorded.
        """
        now = max(self._now, last + 1)
        if now >= LATEST:
            raise _out_of_range()
        return now

    def tick(self) -> None:
        self.advance(1)

    def advance(self, microseconds: int) -> None:
        """Raises `clock_backward` for a negative number, `clock_out_of_range` past the year 9999."""
        with self._lock:
            self._move(self._now + microseconds)

    def set(self, instant: Instant) -> None:
        """Raises `clock_backward` for an instant before now, `clock_out_of_range` past the year 9999."""
        with self._lock:
            self._move(instant)

    def move(self, to: Instant | None, by: int = 0) -> None:
        """Sets it, unless `to` is None, and moves it on from there; or raises as these do, and leaves it as it was."""
        with self._lock:
            start = self._now if to is None else to
            self._move(start if start < self._now else start + by)

    def _move(self, instant: Instant) -> None:
        if instant < self._now:
            raise Incorrect(
                "clock_backward",
                f"{rendered(instant)} lies before the clock's {rendered(self._now)}",
                "move the clock forward only",
            )
        if instant > LATEST:
            raise _out_of_range()
        self._now = instant


def _out_of_range() -> Incorrect:
    return Incorrect("clock_out_of_range", "the calendar ends with the year 9999", "move the clock less far")


@dataclass(frozen=True, slots=True)
class ClockAnswer:
    """What a simulated clock says."""

    now: datetime


def next_instant(clock: Clock, last: Instant, pause: Callable[[float], None] = sleep) -> Instant:
    """The recorded time of the next commit: the clock's, where that lies after `last`, else `last` and 1 µs.

    On the same tick the clock gets up to `LONGEST_WAIT` to go on by itself; `pause` waits for so many seconds.
    INVARIANT: what comes back lies after `last`, whatever the clock does.
    """
    now = clock.now()
    for _ in range(_PAUSES):
        if now != last:
            break
        pause(LONGEST_WAIT / _PAUSES / 1_000_000)
        now = clock.now()
    return max(now, last + 1)
