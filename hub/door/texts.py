"""Texts on their way to the embedder, and their vectors on the way back: one by one, and shown to nobody."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from hub.door.rules import Rulebook
from hub.ledger import Ledger
from hub.vectors import mark
from hub.view.meanings import Place, spoken


@dataclass(frozen=True, slots=True)
class Waiting:
    """Texts without a vector, by where their vectors belong; every record up to number `upto` has been looked at."""

    texts: dict[Place, str]
    upto: int


class Texts:
    """INVARIANT: each text goes to the embedder by itself, and its vector lies beside its own record: nothing is ever
    made of two texts, and nobody but the embedder is given one."""

    def __init__(self, ledger: Ledger, rulebook: Rulebook) -> None:
        self._ledger = ledger
        self._rulebook = rulebook

    def waiting(self, embedder: str, after: int, most: int) -> Waiting | None:
        """Of the first so many records after a number that lack a vector; None if none does."""
        with self._ledger.reading() as reading:
            records = list(reading.without_vector(embedder, after, most))
            registry = self._rulebook.today(reading).registry
        read = ((record, spoken(record, registry)) for record in records)
        texts = {(record.seq, mark(text)): text for record, text in read if text}
        return Waiting(texts, records[-1].seq) if records else None

    def start(self, embedder: str) -> tuple[int, int]:
        """The number after which an embedder is at home, for what others have embedded is left to `hub reindex`; and
        the length of its vectors, 0 if there is none yet."""
        with self._ledger.reading() as reading:
            return reading.embedded_by_another(embedder), reading.dimensions(embedder)

    def keep(self, embedder: str, found: Mapping[Place, bytes]) -> None:
        """Stores vectors, as far as their records have not been erased. Raises Fault `vectors_failed`."""
        self._ledger.keep_vectors(embedder, found)
