"""The vectors of a base's rows, and which of its texts have none yet."""

from __future__ import annotations

import threading
from collections.abc import Mapping

from hub.facts import Claim, Passage, Record, Turn
from hub.registry import SAME_AS, Registry
from hub.vectors import Matrix, fit, mark

Place = tuple[int, str]
"""Where a vector belongs: the sequence number of a record, and the mark of the text it stands for."""


def spoken(record: Record, registry: Registry) -> str:
    """What there is to embed of a record; empty for what recall answers no query with."""
    match record:
        case Claim(negated=False):
            return fit_of(record, registry.render(record))
        case Turn(text=text) | Passage(whole=text):
            return fit_of(record, text)
    return ""


def fit_of(record: Record, text: str) -> str:
    """What there is to embed of a record that reads like this."""
    return "" if isinstance(record, Claim) and record.relation == SAME_AS else fit(text)


class Meanings:
    """Of one base, for one embedder; None: nothing is embedded, and nothing is missed."""

    def __init__(self, embedder: str | None) -> None:
        self.embedder = embedder
        self.matrix = Matrix()
        self.looked = 0  # at this count of commits of vectors the ledger was last asked
        self._lacking: dict[Place, tuple[int, ...]] = {}
        self._taking = threading.Lock()

    def expect(self, number: int, record: Record, text: str) -> None:
        """A row that reads like this, and needs a vector if there is anything to embed."""
        if self.embedder is not None and (wanted := fit_of(record, text)):
            place = (record.seq, mark(wanted))
            self._lacking[place] = (*self._lacking.get(place, ()), number)

    def lacking(self) -> dict[Place, tuple[int, ...]]:
        """The rows that have no vector yet, in ledger order."""
        return self._lacking.copy()

    def take(self, found: Mapping[Place, bytes]) -> None:
        """Vectors that rows were waiting for; others, and those of another length, are left."""
        with self._taking:
            lacking = self._lacking
            wanted = {place: vector for place, vector in found.items() if place in lacking}
            length = self.matrix.dimensions or len(next(iter(wanted.values()), b""))
            fitting = {place: vector for place, vector in wanted.items() if len(vector) == length}
            rows = [row for place in fitting for row in lacking[place]]
            if rows:
                self.matrix.put(rows, [vector for place, vector in fitting.items() for _ in lacking[place]])
            for place in fitting:  # last of all: what is set is not waited for
                del lacking[place]
