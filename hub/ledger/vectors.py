"""Vectors beside their records: found for whoever may read these, added in commits of their own, let go of."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Any

from sqlalchemy import Connection, TextClause, text

from hub.facts import Record
from hub.ledger import sqlite
from hub.ledger.rows import record_from

Place = tuple[int, str]
"""(sequence number of a record, mark of the text of it that was embedded)."""

_AT_ONCE = 500


_STEPS, _LENGTHS = "record, mark, steps", "record, mark, length(steps)"


def _of_records(columns: str, many: int) -> str:
    """By place, not by name: SQLite looks every name up among all of them."""
    return f"SELECT {columns} FROM vector WHERE embedder = ? AND record IN ({', '.join('?' * many)})"


# INVARIANT: an erased record, which is a gap by now, or gone, gets no vector any more.
_KEEP = (
    "INSERT INTO vector (record, embedder, mark, steps) SELECT seq, :embedder, :mark, :steps FROM record "
    "WHERE seq = :record AND kind IN ('claim', 'turn', 'passage') ON CONFLICT DO NOTHING"
)
_CHANGED = text("UPDATE clock SET vectors = vectors + 1")

# Records that may have something to embed; and those of them that no vector stands for.
_FILED = "FROM record r WHERE seq > :after AND kind IN ('claim', 'turn', 'passage')"
_TEXTS = text(f"SELECT kind, body {_FILED} ORDER BY seq LIMIT :most")
_MANY = text(f"SELECT count(*) {_FILED}")
_WITHOUT = text(
    f"SELECT kind, body {_FILED} "
    "AND NOT EXISTS (SELECT 1 FROM vector v WHERE v.record = r.seq AND v.embedder = :embedder) "
    "ORDER BY seq LIMIT :most"
)

_LENGTH = text("SELECT length(steps) FROM vector WHERE embedder = :embedder ORDER BY record DESC LIMIT 1")
_LAST_OF_OTHERS = text("SELECT record FROM vector WHERE embedder <> :embedder ORDER BY record DESC LIMIT 1")
_COUNTED = text("SELECT embedder, count(*) AS many FROM vector GROUP BY embedder ORDER BY embedder")
_OF_OTHERS = text("SELECT record, embedder, mark FROM vector WHERE embedder <> :embedder LIMIT :most")
_LET_GO = text("DELETE FROM vector WHERE record = :record AND embedder = :embedder AND mark = :mark")


class Vectors:
    """The vectors of one embedder, in one snapshot or one open commit."""

    def __init__(self, connection: Connection, embedder: str) -> None:
        self._connection = connection
        self._embedder = embedder

    def of(self, records: Collection[int]) -> dict[Place, bytes]:
        """The vectors of these records. INVARIANT: whoever asks has been let through to them."""
        return {(record, mark): steps for record, mark, steps in self._rows(_STEPS, records)}

    def lengths(self, records: Collection[int]) -> dict[Place, int]:
        """How long the vectors of these records are."""
        return {(record, mark): length for record, mark, length in self._rows(_LENGTHS, records)}

    def without(self, after: int, most: int) -> list[Record]:
        """The first records after a sequence number that have none, of whatever customer."""
        return self._records(_WITHOUT, after, most)

    def texts(self, after: int, most: int) -> list[Record]:
        """The first records after a sequence number that may have something to embed."""
        return self._records(_TEXTS, after, most)

    def many(self) -> int:
        """How many records may have something to embed."""
        return self._connection.execute(_MANY, {"after": 0}).scalar() or 0

    def length(self) -> int:
        """How long the latest vector is; 0 if there is none."""
        return self._connection.execute(_LENGTH, {"embedder": self._embedder}).scalar() or 0

    def last_of_others(self) -> int:
        """The number of the last record that another embedder has embedded; 0 if there is none."""
        return self._connection.execute(_LAST_OF_OTHERS, {"embedder": self._embedder}).scalar() or 0

    def counted(self) -> dict[str, int]:
        """Embedder -> how many vectors it has given, of all embedders."""
        return {row.embedder: row.many for row in self._connection.execute(_COUNTED)}

    # --- in a commit ---------------------------------------------------------------------------------------------

    def keep(self, vectors: Mapping[Place, bytes]) -> None:
        """Adds vectors to records that are still there; what is known already stays as it is."""
        places = ((record, mark, steps) for (record, mark), steps in vectors.items())
        rows = ({"record": r, "embedder": self._embedder, "mark": m, "steps": s} for r, m, s in places)
        sqlite.run(self._connection, _KEEP, *rows)
        self._connection.execute(_CHANGED)

    def let_go(self, places: Collection[Place]) -> None:
        """Takes vectors away: of texts that read differently by now, or of a length that no longer fits."""
        for record, mark in places:
            self._connection.execute(_LET_GO, {"record": record, "embedder": self._embedder, "mark": mark})

    def let_go_of_others(self, most: int) -> int:
        """Takes away some vectors of other embedders, and says how many; 0 if there are none left."""
        rows = self._connection.execute(_OF_OTHERS, {"embedder": self._embedder, "most": most}).all()
        for row in rows:
            self._connection.execute(_LET_GO, dict(row._mapping))
        self._connection.execute(_CHANGED)
        return len(rows)

    def _rows(self, columns: str, records: Collection[int]) -> Iterator[Any]:
        numbers = list(records)
        for start in range(0, len(numbers), _AT_ONCE):
            some = numbers[start : start + _AT_ONCE]
            yield from sqlite.rows(self._connection, _of_records(columns, len(some)), (self._embedder, *some))

    def _records(self, query: TextClause, after: int, most: int) -> list[Record]:
        rows = self._connection.execute(query, {"embedder": self._embedder, "after": after, "most": most})
        return [record_from(kind, body) for kind, body in rows]
