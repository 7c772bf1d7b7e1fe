"""A checkup of one hub: what is wrong, how complete its vectors are, and what could be done about it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from hub.door.texts import Counted
from hub.ledger import SCHEMA, Ledger
from hub.ledger import broken as broken

REINDEX = "run `hub reindex`: it embeds what is missing, and lets go of what is in the way"
RETURN = "a sound copy of the file is better than this one mended: see to your backups"


@dataclass(frozen=True, slots=True, kw_only=True)
class Checkup:
    """`embedder` and `vectors` are None where nothing is embedded. `unread`: turns that could not be read and will be
    again; `given_up`: those that will not."""

    sound: bool
    faults: tuple[str, ...]
    schema: int
    audit_lines: int
    embedder: str | None
    vectors: Counted | None
    unread: int
    given_up: int
    advice: tuple[str, ...]


def checkup(ledger: Ledger, faults: Sequence[str], embedder: str | None, vectors: Counted | None) -> Checkup:
    with ledger.reading() as reading:
        lines, _ = reading.trail_head()
        unread, given_up = reading.unread().counted()
    return Checkup(
        sound=not faults,
        faults=tuple(faults),
        schema=SCHEMA,
        audit_lines=lines,
        embedder=embedder,
        vectors=vectors,
        unread=unread,
        given_up=given_up,
        advice=tuple(_advice(faults, vectors)),
    )


def _advice(faults: Sequence[str], vectors: Counted | None) -> Iterator[str]:
    if any("can't be read" in fault or "wrong head" in fault for fault in faults):
        yield RETURN
    if vectors is not None and (vectors.missing or vectors.stale or vectors.others):
        yield REINDEX
