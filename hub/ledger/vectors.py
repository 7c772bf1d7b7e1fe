"""Vectors beside their records: found for whoever may read these, added in commits of their own, let go of."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

from sqlalchemy import Connection, bindparam, text

from hub.facts import Record
from hub.ledger.rows import record_from

Place = tuple[int, str]
"""(sequence number of a record, mark of the text of it that was embedded)."""

_AT_ONCE = 500

_OF = text("SELECT record, mark, steps FROM vector WHERE embedder = :embedder AND record IN :records").bindparams(
    bindparam("records", expanding=True)
)

# INVARIANT: an erased record, which is a gap by now, or gone, gets no vector any more.
_KEEP = text(
    "INSERT INTO vector (record, embedder, mark, steps) SELECT seq, :embedder, :mark, :steps FROM record "
    "WHERE seq = :record AND kind IN ('claim', 'turn', 'passage') ON CONFLICT DO NOTHING"
)
_KEPT = text("UPDATE clock SET vectors = vectors + 1")

# Records with a text, those that some vector stands for left out.
_WITHOUT = text(
    "SELECT seq, kind, body FROM record r WHERE seq > :after AND kind IN ('claim', 'turn', 'passage') "
    "AND NOT EXISTS (SELECT 1 FROM vector v WHERE v.record = r.seq AND v.embedder = :embedder) "
    "ORDER BY seq LIMIT :most"
)

_LENGTH = text("SELECT length(steps) FROM vector WHERE embedder = :embedder ORDER BY record DESC LIMIT 1")
_ANOTHERS = text("SELECT record FROM vector WHERE embedder <> :embedder ORDER BY record DESC LIMIT 1")


def found(connection: Connection, embedder: str, records: Collection[int]) -> dict[Place, bytes]:
    """The vectors of these records. INVARIANT: whoever asks has been let through to them."""
    numbers = list(records)
    vectors: dict[Place, bytes] = {}
    for start in range(0, len(numbers), _AT_ONCE):
        asked = {"embedder": embedder, "records": numbers[start : start + _AT_ONCE]}
        vectors |= {(record, mark): steps for record, mark, steps in connection.execute(_OF, asked)}
    return vectors


def keep(connection: Connection, embedder: str, vectors: Mapping[Place, bytes]) -> None:
    """Adds vectors to records that are still there; what is known already stays as it is."""
    for (record, mark), steps in vectors.items():
        connection.execute(_KEEP, {"record": record, "embedder": embedder, "mark": mark, "steps": steps})
    connection.execute(_KEPT)


def without(connection: Connection, embedder: str, after: int, most: int) -> Iterable[Record]:
    """The first records after a sequence number that the embedder has given no vector."""
    asked = {"embedder": embedder, "after": after, "most": most}
    return [record_from(kind, body) for _, kind, body in connection.execute(_WITHOUT, asked)]


def last_of_another(connection: Connection, embedder: str) -> int:
    """The number of the last record that another embedder has embedded; 0 if there is none."""
    return connection.execute(_ANOTHERS, {"embedder": embedder}).scalar() or 0


def length(connection: Connection, embedder: str) -> int:
    """How long the embedder's latest vector is; 0 if there is none."""
    return connection.execute(_LENGTH, {"embedder": embedder}).scalar() or 0
