"""What this process filed last, known without asking the database for what it has just been told."""

from __future__ import annotations

import threading
from collections import defaultdict, deque
from collections.abc import Iterable, Iterator
from itertools import takewhile
from operator import attrgetter

from hub.ledger.rows import Entry, State

_MOST = 256
"""Entries; a view that lacks more than that is better off asking."""


class Fresh:
    """All that was filed from one sequence number to another, by customer and filing.

    INVARIANT: there is no gap in it, so it tells what the database would; a commit of another process ends it, and so
    does an erasure. INVARIANT: whoever asks goes through nothing that was filed before, nor through other filings than
    those asked for.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._since = self._upto = 0
        self._places: deque[tuple[int, int]] = deque()
        self._filed: dict[int, dict[int, deque[Entry]]] = defaultdict(dict)
        """INVARIANT: the filings of a customer in the order of their latest entries."""

    def add(self, since: int, upto: int, filed: Iterable[tuple[int, Entry]]) -> None:
        """One commit: the sequence numbers before and after it, and by customer what it filed, oldest first."""
        with self._lock:
            if since != self._upto:
                self._start(since)
            for customer, entry in filed:
                self._places.append((customer, entry.filing))
                of_customer = self._filed[customer]
                of_customer[entry.filing] = of_customer.pop(entry.filing, deque())  # after all others
                of_customer[entry.filing].append(entry)
            while len(self._places) > _MOST:
                self._let_go()
            self._upto = upto

    def changed(self, state: State, after: int) -> list[int] | None:
        """The filings under which something was filed about a customer after a sequence number; None if it is not
        known here."""
        with self._lock:
            if not self._knows(state, after):
                return None
            latest = takewhile(lambda place: place[1][-1].seq > after, reversed(self._of(state).items()))
            return [filing for filing, _ in latest if next(self._between(filing, after, state), None)]

    def entries(self, state: State, filings: Iterable[int], after: int) -> list[Entry] | None:
        """What was filed so, up to where the ledger stands, oldest first; None if it is not known here."""
        with self._lock:
            if not self._knows(state, after):
                return None
            found = [entry for filing in filings for entry in self._between(filing, after, state)]
        return sorted(found, key=attrgetter("seq"))

    def _knows(self, state: State, after: int) -> bool:
        if state.erased > self._upto:  # INVARIANT: nothing is kept of what has been erased
            self._start(0)
        return self._since <= after and state.seq <= self._upto

    def _of(self, state: State) -> dict[int, deque[Entry]]:
        return {} if state.customer is None else self._filed.get(state.customer, {})

    def _between(self, filing: int, after: int, state: State) -> Iterator[Entry]:
        """Newest first. INVARIANT: nothing from after the snapshot, which may not even know the filing's labels."""
        later = takewhile(lambda entry: entry.seq > after, reversed(self._of(state).get(filing, ())))
        return (entry for entry in later if entry.seq <= state.seq)

    def _start(self, since: int) -> None:
        self._since = self._upto = since
        self._places.clear()
        self._filed.clear()

    def _let_go(self) -> None:
        customer, filing = self._places.popleft()
        entries = self._filed[customer][filing]
        self._since = entries.popleft().seq
        if not entries:
            del self._filed[customer][filing]
        if not self._filed[customer]:
            del self._filed[customer]
