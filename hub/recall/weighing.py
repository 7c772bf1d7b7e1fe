"""How much a candidate counts for: relevance by what speaks for it, and one score in 0..1. Calibration is in here."""

from __future__ import annotations

import math
from dataclasses import dataclass

from hub.answers import Explained
from hub.codec import Quick

CHANCE_ROWS, CHANCE_RISE = 10, 0.075
"""The more there is, the better something fits by chance: by the last figure for every ten times as many rows."""

LEXICAL, DENSE, ENTITY, GRAPH = 0.85, 0.85, 0.6, 0.75
"""How far words, meaning, a name in the query, and a path or a kind of query can each speak for a candidate."""

TURN, TURN_DENSE = 0.9, 0.6
"""What words and meaning count for a turn beside a fact: in talk much is alike that answers nothing."""

RELEVANCE, RECENCY, IMPORTANCE, USE, TRUST = 0.78, 0.1, 0.05, 0.04, 0.03
"""The shares of a score, which a candidate has only as far as it is relevant."""

HALF_USED = 3
"""So many uses are half of what uses can do."""

PAST = 0.8
"""What is left of the score of what is no longer so."""

DIGITS = 6
"""Scores are compared as they are shown."""


def likeness(lexical: float, dense: float) -> float:
    """What words and meaning say together."""
    return 1 - (1 - LEXICAL * lexical) * (1 - DENSE * dense)


def relevance(alike: float, entity: float, graph: float) -> float:
    """Independent grounds: any may do, together they do better."""
    return 1 - (1 - alike) * (1 - ENTITY * entity) * (1 - GRAPH * graph)


class Evidence(Quick, frozen=True):
    """What speaks for a candidate, each 0..1; `why` says it in words."""

    lexical: float = 0.0
    dense: float = 0.0
    entity: float = 0.0
    graph: float = 0.0
    why: tuple[str, ...] = ()

    @property
    def likeness(self) -> float:
        """What words and meaning say."""
        return likeness(self.lexical, self.dense)

    @property
    def relevance(self) -> float:
        return relevance(likeness(self.lexical, self.dense), self.entity, self.graph)

    @property
    def grounded(self) -> bool:
        """Whether there is more to it than words and meaning."""
        return self.entity > 0 or self.graph > 0


@dataclass(frozen=True, slots=True)
class Floors:
    """The least relevance of a fact, and of a turn, that makes it an answer; and how relevant the best has to be, in a
    view of ten rows, if nothing but words and meaning speaks for any."""

    fact: float
    turn: float
    chance: float

    def by_chance(self, rows: int) -> float:
        """The same for a view of so many rows."""
        return self.chance + CHANCE_RISE * max(0.0, math.log10(max(rows, 1) / CHANCE_ROWS))


FLOORS = Floors(fact=0.3, turn=0.25, chance=0.3)
WORDS_ONLY = Floors(fact=0.25, turn=0.2, chance=0.25)
"""Where meaning has no say, less fits by chance."""


# --- meaning -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Scale:
    """Between which cosines one text says more and more for another, to an embedder; what it is blind for, it is not
    asked about."""

    least: float = 0.2
    most: float = 0.6
    blind: frozenset[str] = frozenset()

    def closeness(self, cosine: float | None) -> float:
        """What a cosine says for a text, 0..1; none says nothing."""
        return 0.0 if cosine is None else max(0.0, min(1.0, (cosine - self.least) / (self.most - self.least)))


SCALES = {
    "sentence": Scale(0.1, 0.6, frozenset({"vi"})),
    "e5": Scale(0.83, 0.9),
    "hashing": Scale(0.5, 1.0),
}
"""By the first word of an embedder's id; measured by bench.abstain and bench.locomo."""


def scale_of(embedder: str | None) -> Scale:
    return SCALES.get((embedder or "").split("-")[0], Scale())


# --- scores ------------------------------------------------------------------------------------------------------


class Merits(Quick, frozen=True):
    """What else counts for a candidate than relevance, each 0..1: how fresh, important, useful and sure it is."""

    recency: float
    importance: float
    use: float
    trust: float

    def score(self, relevance: float, *, past: bool) -> float:
        shares = RECENCY * self.recency + IMPORTANCE * self.importance + USE * self.use + TRUST * self.trust
        return round(relevance * (RELEVANCE + shares) * (PAST if past else 1), DIGITS)


def usefulness(uses: int) -> float:
    """What it says for a memory that it has been of use so often."""
    return uses / (uses + HALF_USED)


def explained(evidence: Evidence, merits: Merits, fused: float, floor: float) -> Explained:
    return Explained(
        lexical=round(evidence.lexical, DIGITS),
        dense=round(evidence.dense, DIGITS),
        entity=round(evidence.entity, DIGITS),
        graph=round(evidence.graph, DIGITS),
        recency=round(merits.recency, DIGITS),
        importance=merits.importance,
        use=round(merits.use, DIGITS),
        fused=fused,
        floor=floor,
        why=evidence.why,
    )
