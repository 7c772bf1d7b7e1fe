"""How sure and how fresh: confidence under corroboration, and decay by half-life."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache

SUREST = 0.99
"""However many say so, a belief stays this side of certain."""

_DIGITS = 6
_PRIOR = 4


def corroborated(confidences: Sequence[float]) -> float:
    """How sure independent claims of one value make us together: noisy-or, 1 - ∏(1 - c), at most `SUREST`.

    Confidences lie in 0..1; none at all gives 0. INVARIANT: their order does not show, not even in the last bit.
    """
    if len(confidences) == 1:
        return _by_one(confidences[0])
    doubt = math.prod((1 - confidence for confidence in sorted(confidences)), start=1.0)
    return min(SUREST, round(1 - doubt, _DIGITS))


@lru_cache
def _by_one(confidence: float) -> float:
    return min(SUREST, round(1 - (1 - confidence), _DIGITS))


def earned(confirmed: int, refuted: int) -> float:
    """How far somebody's word counts who was confirmed and refuted so often, in 0..1; 0.5 to begin with.

    The mean of a Beta distribution, whose prior is worth `_PRIOR` observations, half of each kind.
    """
    return round((_PRIOR / 2 + confirmed) / (_PRIOR + confirmed + refuted), _DIGITS)


def recency(age_us: int, half_life_us: int | None) -> float:
    """What is left after `age_us` microseconds, in 0..1: 2^(-age / half-life); 1 without a half-life or an age yet."""
    if half_life_us is None or age_us <= 0:
        return 1.0
    return math.exp2(-age_us / half_life_us) if half_life_us > 0 else 0.0
