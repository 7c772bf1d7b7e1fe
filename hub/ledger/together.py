"""Many commits in one transaction: each is recorded by itself, and all are on the disk together."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from sqlalchemy import Connection

from hub.ledger import Ledger, sqlite
from hub.ledger.fresh import Fresh
from hub.ledger.transactions import Reading
from hub.ledger.visits import Visit, under_way


class Together(Ledger):
    """The ledger as one open transaction sees it, which holds its lock.

    INVARIANT: each of its writings is recorded as it would be by itself, with its own instant and its own line in the
    audit, and one that fails leaves nothing behind. INVARIANT: nobody else knows of any of it before it is on the disk.
    """

    def __init__(self, ledger: Ledger, connection: Connection) -> None:
        vars(self).update(vars(ledger))
        self._lock = threading.Lock()
        self._filings = self._filings.apart()
        self.fresh = Fresh()
        self._connection = connection
        self.over: list[Visit] = []

    @contextmanager
    def reading(self, customer: str = "", pulse: int | None = None) -> Iterator[Reading]:
        reading = Reading(self._connection, self, customer)
        under_way().saw(reading.state, reading.present)
        yield reading

    def by_heart(self, customer: str, pulse: int | None) -> None:
        """What may yet be undone is read, and forgotten."""

    def note(self, visit: Visit, *, wait: bool = True) -> None:
        """What was refused is told when the lock is given back: whoever writes it down needs that."""
        self.over.append(visit)

    @contextmanager
    def _opened(self) -> Iterator[Connection]:
        with sqlite.within(self._connection):
            yield self._connection


@contextmanager
def together(ledger: Ledger) -> Iterator[Together]:
    """An error that leaves it undoes all that was written in it; what was refused is in the audit all the same."""
    refused: list[Visit] = []
    try:
        with ledger.transaction() as connection:
            inside = Together(ledger, connection)
            refused = inside.over
            yield inside
    finally:
        for visit in refused:
            ledger.note(visit)
