"""The labels behind the numbers of compartments, read once and let go of with an erasure."""

from __future__ import annotations

import threading
from collections.abc import MutableMapping

from sqlalchemy import Connection

from hub.facts import Filing
from hub.ledger import queries
from hub.ledger.rows import filing_from


class Filings:
    """Number -> labels, for every number that is committed; threads with snapshots of any age may share it."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._known: dict[int, Filing] = {}
        self._upto = 0
        self._erased = 0

    def apart(self) -> Filings:
        """The same for one transaction, which may see numbers that are not committed."""
        beside = Filings()
        with self._lock:
            beside._known, beside._upto, beside._erased = dict(self._known), self._upto, self._erased
        return beside

    def known(self, connection: Connection, upto: int, erased: int) -> MutableMapping[int, Filing]:
        """INVARIANT: in a snapshot from before an erasure, what that unnamed still has its labels."""
        with self._lock:
            if erased < self._erased:
                return _read(connection, 0)
            if erased > self._erased:
                self._known, self._upto, self._erased = {}, 0, erased
            if upto > self._upto:
                self._known |= _read(connection, self._upto)
                self._upto = upto
            return self._known


def _read(connection: Connection, after: int) -> dict[int, Filing]:
    return {number: filing_from(labels) for number, labels in connection.execute(queries.FILINGS, {"after": after})}
