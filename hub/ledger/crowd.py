"""Refusals that may come in any number: a few of a kind have a line each, of the others the audit says how many."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass

from hub.facts import Instant
from hub.ledger.visits import Visit
from hub.moments import MINUTE

OF_STRANGERS = frozenset({"bad_key", "foreign_host", "foreign_origin", "too_many_requests"})
"""Outcomes that whoever reaches the port can bring about, as often as the machine can bear."""
APART = 20
"""So many of a kind have a line of their own, in any `WINDOW`."""
WINDOW = MINUTE

Kind = tuple[str, str | None, str | None, str]
"""(verb, agent, its domain, outcome); an agent is one there is, so kinds are few."""


@dataclass(slots=True)
class _Tally:
    since: Instant
    apart: int = 0
    others: int = 0
    last: Instant = 0


class Crowd:
    """INVARIANT: every refusal has its line, or is one of the number in another, which is written with the first
    refusal of the kind after the window, and whenever somebody wants to read the audit."""

    def __init__(self, now: Callable[[], Instant]) -> None:
        self._now = now
        self._lock = threading.Lock()
        self._tallies: dict[Kind, _Tally] = {}
        self._over: list[Visit] = []

    def stands_out(self, visit: Visit) -> bool:
        """Whether this visit is to have a line of its own; if not, it is counted."""
        if visit.outcome not in OF_STRANGERS:
            return True
        kind, now = (visit.verb, visit.agent, visit.domain, visit.outcome), self._now()
        with self._lock:
            tally = self._tallies.get(kind)
            if tally is None or not 0 <= now - tally.since < WINDOW:
                self._close(kind)
                tally = self._tallies[kind] = _Tally(now)
            tally.last = now
            if tally.apart < APART:
                tally.apart += 1
                return True
            tally.others += 1
            return False

    def over(self) -> list[Visit]:
        """The sums of windows that are over, each of them once."""
        with self._lock:
            found, self._over = self._over, []
        return found

    def rest(self) -> list[Visit]:
        """All that has been counted and not been told, whether its window is over or not."""
        with self._lock:
            for kind in self._tallies:
                self._close(kind)
        return self.over()

    def _close(self, kind: Kind) -> None:
        tally = self._tallies.get(kind)
        if tally is not None and tally.others:
            verb, agent, domain, outcome = kind
            told = f"{outcome}_times_{tally.others}"
            self._over.append(Visit(verb=verb, agent=agent, domain=domain, outcome=told, at=tally.last))
            tally.others = 0
