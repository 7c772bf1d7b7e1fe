"""How much a candidate counts for: relevance by what speaks for it, and one score in 0..1. Calibration is in here."""

from __future__ import annotations

from dataclasses import dataclass

from hub.answers import Confidence, Explained, Gap

FLOOR, TURN_FLOOR = 0.25, 0.2
"""What is less relevant than this is no answer; a turn, which only its words can speak for, has to be less so."""

LEXICAL, ENTITY, GRAPH = 0.85, 0.6, 0.75
"""How far words, a name in the query, and a path or a kind of query can each speak for a candidate by themselves."""

RELEVANCE, RECENCY, IMPORTANCE, TRUST = 0.8, 0.12, 0.05, 0.03
"""The shares of a score, which a candidate has only as far as it is relevant."""

TURN = 0.9
"""A turn counts for a little less than a fact of the same relevance."""

PAST = 0.8
"""What is left of the score of what is no longer so."""

HIGH, MEDIUM = 0.65, 0.4

DIGITS = 6
"""Scores are compared as they are shown."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """What speaks for a candidate, each 0..1; `why` says it in words."""

    lexical: float = 0.0
    entity: float = 0.0
    graph: float = 0.0
    why: tuple[str, ...] = ()

    @property
    def relevance(self) -> float:
        """Independent grounds: any may do, together they do better."""
        return 1 - (1 - LEXICAL * self.lexical) * (1 - ENTITY * self.entity) * (1 - GRAPH * self.graph)


def score(relevance: float, recency: float, importance: float, trust: float, *, past: bool) -> float:
    whole = RELEVANCE + RECENCY * recency + IMPORTANCE * importance + TRUST * trust
    return round(relevance * whole * (PAST if past else 1), DIGITS)


def explained(evidence: Evidence, recency: float, importance: float, fused: float, floor: float) -> Explained:
    return Explained(
        lexical=round(evidence.lexical, DIGITS),
        dense=0.0,
        entity=round(evidence.entity, DIGITS),
        graph=round(evidence.graph, DIGITS),
        recency=round(recency, DIGITS),
        importance=importance,
        use=0.0,
        fused=fused,
        floor=floor,
        why=evidence.why,
    )


def confidence(best: float, gaps: tuple[Gap, ...]) -> Confidence:
    """How sure an answer is whose best memory has this score."""
    level = "none" if best == 0 else "high" if best >= HIGH else "medium" if best >= MEDIUM else "low"
    return Confidence(level=level, score=best, gaps=gaps)
