"""What was said around a hit: in one talk, a word counts for the turns beside it too, less and less further away."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from hub.facts import Turn
from hub.recall.lexical import Matches, Term
from hub.vectors import Nearness
from hub.view import View
from hub.view.finding import among

MOST_TALKS = 32
"""So many talks are gone through, those first that were hit best."""

AFTER = (1.0, 0.7, 0.5, 0.35, 0.25)
BEFORE = (1.0, 0.5, 0.35, 0.25, 0.17)
"""What a word still counts for so many turns after it was said, or before: an answer follows its question."""

NEAR_AFTER, NEAR_BEFORE = 0.4, 0.35
"""What the meaning of the turn before, and of the turn after, counts for beside a turn's own."""


def talks(view: View, hits: Iterable[int]) -> Iterator[Sequence[int]]:
    """The talks that these rows, the best first, belong to: the turns of each that still stand, oldest first.

    A turn of no session is a talk by itself. INVARIANT: a neighbour is one in the view, and no other.
    """
    seen: set[str] = set()
    for row in hits:
        turn = view.base.rows[row].record
        assert isinstance(turn, Turn), "only turns are said in talks"
        if turn.session is None:
            yield from ((row,) for _ in range(view.standing(turn)))
        elif turn.session not in seen and len(seen) < MOST_TALKS:
            seen.add(turn.session)
            yield [number for number in among(view, view.base.talks[turn.session]) if _stands(view, number)]


def _stands(view: View, row: int) -> bool:
    turn = view.base.rows[row].record
    return isinstance(turn, Turn) and view.standing(turn)


def in_words(talk: Sequence[int], matches: Matches) -> list[float]:
    """How well each turn of a talk matches, together with what was said around it."""
    weights = [0.0] * len(talk)
    for term, rows in zip(matches.terms, matches.held, strict=True):
        places = [place for place, row in enumerate(talk) if row in rows]
        if places:
            _spread(term, places, weights)
    return list(matches.worths(dict(zip(talk, weights, strict=True))).values())


def _spread(term: Term, places: Sequence[int], weights: list[float]) -> None:
    """Adds to each turn what the nearest turn with the word, or the next best, leaves of it."""
    shares: dict[int, float] = {}
    for place in places:
        for distance, share in enumerate(AFTER):
            shares[place + distance] = max(share, shares.get(place + distance, 0.0))
        for distance, share in enumerate(BEFORE):
            shares[place - distance] = max(share, shares.get(place - distance, 0.0))
    for place, share in shares.items():
        if 0 <= place < len(weights):
            weights[place] += term.weight * share


def in_meaning(talk: Sequence[int], near: Nearness) -> list[float]:
    """The cosine of each turn of a talk and, for less, of those beside it: their weighted mean, 0..1."""
    cosines = [max(0.0, near.of(row) or 0.0) for row in talk]
    return [_mean(cosines, place) for place in range(len(talk))]


def _mean(cosines: Sequence[float], place: int) -> float:
    total, weight = cosines[place], 1.0
    if place:
        total, weight = total + NEAR_AFTER * cosines[place - 1], weight + NEAR_AFTER
    if place + 1 < len(cosines):
        total, weight = total + NEAR_BEFORE * cosines[place + 1], weight + NEAR_BEFORE
    return total / weight
