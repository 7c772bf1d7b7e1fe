"""Which rows of a view match a query word for word, and how well: BM25 over the rows of the view alone."""

from __future__ import annotations

import heapq
import math
import re
from bisect import bisect_left
from collections.abc import Mapping, Sequence, Set

from hub.view import View
from hub.view.finding import extent, holding

# S. Robertson, H. Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond" (2009). Texts here are short and
# few, so that length counts for little, and a view of three rows must weigh words much as one of three thousand does.
SATURATION = 1.2
LENGTH = 0.3
UNSEEN_ROWS = 20
"""How many rows without the word every view is given beside its own."""

UNKNOWN, UNKNOWN_PAIR = 0.75, 0.25
"""What a word that no row has counts for, among the words asked for, beside a rare one that some have; pairs of CJK
signs overlap, and run across words."""

SIGN = 0.7
"""What a single sign counts for that stands in for a pair no row has."""

COMMON = 0.4
"""What is left of the weight of a word that any talk is made of (so is most of what Japanese writes in hiragana), and
of one that no row has but that calls for a kind of memory."""

ENOUGH = 4.0
"""So many rare words are a full match, however much longer the query is."""

MOST_SCANNED = 2_000
"""Of a word that more rows have, only those are looked at that a rarer word has found, or else the newest."""


_HIRAGANA = re.compile("[\u3041-\u309f]+")


def matches(view: View, words: Sequence[str], common: Set[str], understood: Set[str]) -> dict[int, float]:
    """Row number -> how well it matches, 0..1. INVARIANT: nothing but the rows of the view comes into it.

    A word that no row has counts little against the others if it is common, or understood in another way.
    """
    rows, length = extent(view)
    rare = _weight(1, rows)
    asked = 0.0
    found: list[tuple[float, Sequence[int]]] = []
    for word in words:
        numbers, share = _rows_with(view, word)
        weight = _weight(len(numbers), rows) * share if numbers else rare * share
        if word in (common if numbers else understood) or _HIRAGANA.fullmatch(word):
            weight *= COMMON
        asked += weight
        if numbers:
            found.append((weight, numbers))
    scores: dict[int, float] = {}
    for weight, numbers in sorted(found, key=lambda pair: len(pair[1])):
        _add(scores, numbers, weight)
    full, lengths = min(asked, ENOUGH * rare), view.base.lengths
    return {n: min(1.0, score * _brevity(lengths[n] * rows / length) / full) for n, score in scores.items()}


def best(scores: Mapping[int, float], most: int) -> list[tuple[int, float]]:
    """The rows that match best, of equals the newest."""
    return heapq.nlargest(most, scores.items(), key=lambda pair: (pair[1], pair[0]))


def _rows_with(view: View, word: str) -> tuple[Sequence[int], float]:
    """The rows with a word, or with a sign of it; and what share of its weight that is worth."""
    numbers = holding(view, word)
    if numbers or word.isascii() or len(word) != 2:
        return numbers, 1.0 if numbers else UNKNOWN
    signs = (holding(view, sign) for sign in word)
    alone = min((some for some in signs if some), key=len, default=())
    return alone, SIGN if alone else UNKNOWN_PAIR


def _weight(count: int, rows: int) -> float:
    """What a word counts for that so many of the rows have."""
    return math.log(1 + (rows + UNSEEN_ROWS) / (count + 1))


def _brevity(relative_length: float) -> float:
    return (SATURATION + 1) / (1 + SATURATION * (1 - LENGTH + LENGTH * relative_length))


def _add(scores: dict[int, float], numbers: Sequence[int], weight: float) -> None:
    if len(numbers) > MOST_SCANNED:
        numbers = _known(scores, numbers) if scores else numbers[-MOST_SCANNED:]
    for number in numbers:
        scores[number] = scores.get(number, 0.0) + weight


def _known(scores: Mapping[int, float], numbers: Sequence[int]) -> list[int]:
    places = ((number, bisect_left(numbers, number)) for number in scores)
    return [number for number, place in places if place < len(numbers) and numbers[place] == number]
