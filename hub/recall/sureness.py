"""How sure an answer is: the chance that a right memory is in it, read off the best score in it."""

from __future__ import annotations

from itertools import pairwise

from hub.answers import Confidence, Gap
from hub.recall.weighing import DIGITS

SURE = ((0.0, 0.0), (0.3, 0.3), (0.36, 0.36), (0.4, 0.65), (0.5, 0.88), (0.7, 0.96), (1.0, 0.99))
"""Best score -> how many of the answers with it hold a right memory, with straight lines between.

Measured by bench.abstain on one half of its questions, of which about half have an answer; the table that it prints
says how it holds on the other half. INVARIANT: a constant, which no store teaches anything.
"""

HIGH, MEDIUM = 0.9, 0.6
"""Nine in ten such answers are right; six in ten."""


def confidence(best: float, gaps: tuple[Gap, ...]) -> Confidence:
    """How sure an answer is whose best memory has this score; 0 if it has none."""
    chance = sure(best)
    level = "none" if best == 0 else "high" if chance >= HIGH else "medium" if chance >= MEDIUM else "low"
    return Confidence(level=level, score=chance, gaps=gaps)


def sure(best: float) -> float:
    for (before, low), (after, high) in pairwise(SURE):
        if best <= after:
            return round(low + (high - low) * (best - before) / (after - before), DIGITS)
    return SURE[-1][1]
