"""Texts on their way to the embedder, and their vectors on the way back: one by one, and shown to nobody."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from hub.door.rules import Rulebook
from hub.facts import Record
from hub.ledger import Ledger, Reading
from hub.vectors import mark
from hub.view.meanings import Place, spoken

AT_ONCE = 500
"""So many vectors are let go of in one commit, and records counted in one snapshot."""


@dataclass(frozen=True, slots=True)
class Waiting:
    """Texts without a vector, by where their vectors belong, and vectors whose text reads differently by now, or that
    are not of the length they should be. Every record up to number `upto` has been looked at: `records` of them, with
    `spoken` texts in all."""

    texts: dict[Place, str]
    upto: int
    records: int
    spoken: int
    stale: frozenset[Place] = frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class Counted:
    """How many texts there are, how many of them have no vector of an embedder, how many vectors of it stand for texts
    that read differently by now, and how many there are of others, by the embedder."""

    texts: int
    missing: int
    stale: int
    others: dict[str, int]


class Texts:
    """INVARIANT: each text goes to the embedder by itself, and its vector lies beside its own record: nothing is ever
    made of two texts, and nobody but the embedder is given one."""

    def __init__(self, ledger: Ledger, rulebook: Rulebook) -> None:
        self._ledger = ledger
        self._rulebook = rulebook

    def waiting(self, embedder: str, after: int, most: int) -> Waiting | None:
        """Of the first so many records after a number that lack a vector; None if none does."""
        with self._ledger.reading() as reading:
            records = reading.vectors(embedder).without(after, most)
            texts = self._read(reading, records)
        return Waiting(texts, records[-1].seq, len(records), len(texts)) if records else None

    def start(self, embedder: str) -> tuple[int, int]:
        """The number after which an embedder is at home, for what others have embedded is left to `hub reindex`; and
        the length of its vectors, 0 if there is none yet."""
        with self._ledger.reading() as reading:
            vectors = reading.vectors(embedder)
            return vectors.last_of_others(), vectors.length()

    def keep(self, embedder: str, found: Mapping[Place, bytes]) -> None:
        """Stores vectors, as far as their records have not been erased. Raises Fault `vectors_failed`."""
        with self._ledger.embedding(embedder) as vectors:
            vectors.keep(found)

    # --- all of them, anew ---------------------------------------------------------------------------------------

    def many(self, embedder: str) -> int:
        """How many records may have something to embed."""
        with self._ledger.reading() as reading:
            return reading.vectors(embedder).many()

    def page(self, embedder: str, length: int | None, after: int, most: int) -> Waiting | None:
        """Of the first so many records after a number: what there is to do until all have a vector of that length (or
        of whatever length), and no others. None if there are no more."""
        with self._ledger.reading() as reading:
            records = reading.vectors(embedder).texts(after, most)
            known = reading.vectors(embedder).lengths([record.seq for record in records])
            texts = self._read(reading, records)
        stale = frozenset(place for place, long in known.items() if place not in texts or length not in (None, long))
        lacking = {place: text for place, text in texts.items() if place in stale or place not in known}
        return Waiting(lacking, records[-1].seq, len(records), len(texts), stale) if records else None

    def renew(self, embedder: str, stale: Iterable[Place], found: Mapping[Place, bytes]) -> None:
        """Stores vectors in the place of others. Raises Fault `vectors_failed`."""
        with self._ledger.embedding(embedder) as vectors:
            vectors.let_go(list(stale))
            vectors.keep(found)

    def let_go_of_others(self, embedder: str) -> int:
        """Takes away all that other embedders have made, and says how much. Raises Fault `vectors_failed`."""
        gone = 0
        while True:
            with self._ledger.embedding(embedder) as vectors:
                some = vectors.let_go_of_others(AT_ONCE)
            gone += some
            if not some:
                return gone

    def counted(self, embedder: str) -> Counted:
        """How complete the vectors of an embedder are. Reads every record once."""
        texts = missing = stale = after = 0
        while (page := self.page(embedder, None, after, AT_ONCE)) is not None:
            after = page.upto
            texts += page.spoken
            missing += len(page.texts)
            stale += len(page.stale)
        with self._ledger.reading() as reading:
            others = reading.vectors(embedder).counted()
        others.pop(embedder, None)
        return Counted(texts=texts, missing=missing, stale=stale, others=others)

    def _read(self, reading: Reading, records: Iterable[Record]) -> dict[Place, str]:
        registry = self._rulebook.today(reading).registry
        read = ((record, spoken(record, registry)) for record in records)
        return {(record.seq, mark(text)): text for record, text in read if text}
