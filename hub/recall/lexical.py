"""Which rows of a view match a query word for word, and how well: BM25 over the rows of the view alone."""

from __future__ import annotations

import heapq
import math
import re
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence

from hub.codec import Quick
from hub.recall.cues import Cues, Vocabulary
from hub.view import View
from hub.view.finding import extent, holding

# S. Robertson, H. Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond" (2009). Texts here are short and
# few, so that length and repetition count for little, and a view of three rows must weigh words much as one of three
# thousand does.
SATURATION = 0.5
LENGTH = 0.2
UNSEEN_ROWS = 20
"""How many rows without the word every view is given beside its own."""

UNKNOWN, UNKNOWN_PAIR = 0.75, 0.25
"""What a word that no row has counts for, among the words asked for, beside a rare one that some have; pairs of CJK
signs overlap, and run across words."""

SIGN = 0.7
"""What a single sign counts for that stands in for a pair no row has."""

COMMON, UNDERSTOOD = 0.45, 0.4
"""What is left of the weight of a word that any talk is made of, and of one that no row has but that calls for a kind
of memory, or is part of a date."""

HIRAGANA, UNKNOWN_HIRAGANA = 0.4, 0.2
"""The same for a pair of hiragana, which is mostly grammar, and for one that no row has."""

ENOUGH = 4.0
"""So many rare words are a full match, however much longer the query is."""

MOST_SCANNED = 2_000
"""Of a word that more rows have, only those are looked at that a rarer word has found, or else the newest."""


_HIRAGANA = re.compile("[\u3041-\u309f]+")


class Term(Quick, frozen=True):
    """A word of the query that some rows have: they in ledger order, and what it counts for."""

    weight: float
    rows: Sequence[int]


class Matches:
    """Row number -> how well it matches, 0..1. INVARIANT: nothing but the rows of the view comes into it."""

    __slots__ = ("_full", "_held", "_lengths", "_usual", "scores", "terms")

    def __init__(self, view: View, cues: Cues, known: Vocabulary) -> None:
        rows, length = extent(view)
        terms = list(_terms(view, cues, known, rows))
        self._full = min(sum(term.weight for term in terms) or 1.0, ENOUGH * _weight(1, rows))
        self._lengths = view.base.lengths
        self._usual = max(length, 1) / max(rows, 1)
        self.terms: list[Term] = []
        weights: dict[int, float] = {}
        for term in sorted(filter(_held, terms), key=lambda term: len(term.rows)):
            self.terms.append(term := _scanned(term, weights))
            if not weights:
                weights = dict.fromkeys(term.rows, term.weight)
                continue
            for number in term.rows:
                weights[number] = weights.get(number, 0.0) + term.weight
        self.scores = self.worths(weights)
        self._held: list[frozenset[int]] = []

    @property
    def held(self) -> list[frozenset[int]]:
        """The rows of each term, to look them up in."""
        if len(self._held) < len(self.terms):
            self._held = [frozenset(term.rows) for term in self.terms]
        return self._held

    def worths(self, weights: Mapping[int, float]) -> dict[int, float]:
        """What words of such a weight are worth in each row, 0..1: in a short one more than in a long one."""
        lengths, usual, full = self._lengths, self._usual, self._full
        brevities: dict[int, float] = {}  # few rows are of a length of their own
        worths: dict[int, float] = {}
        for row, weight in weights.items():
            length = lengths[row]
            brevity = brevities.get(length)
            if brevity is None:
                brevity = brevities[length] = _brevity(length / usual)
            worths[row] = min(1.0, weight * brevity / full)
        return worths


def best(scores: Mapping[int, float], most: int) -> list[tuple[int, float]]:
    """The rows that match best, of equals the newest."""
    pairs = zip(scores.values(), scores.keys(), strict=True)
    found = sorted(pairs, reverse=True)[:most] if len(scores) <= 4 * most else heapq.nlargest(most, pairs)
    return [(row, score) for score, row in found]


def _terms(view: View, cues: Cues, known: Vocabulary, rows: int) -> Iterator[Term]:
    """Words that no row has included: they count little against the others if they are understood in another way."""
    rare = _weight(1, rows)
    for word in (*cues.words, *cues.dates):
        numbers, share = _rows_with(view, word)
        weight = _weight(len(numbers), rows) if numbers else rare
        if _HIRAGANA.fullmatch(word):
            share = HIRAGANA if numbers else UNKNOWN_HIRAGANA
        elif numbers:
            share *= COMMON if word in known.common else 1.0
        else:
            share *= UNDERSTOOD if word in known.understood or word in cues.dated else 1.0
        yield Term(weight * share, numbers)


def _held(term: Term) -> bool:
    return bool(term.rows)


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


def _scanned(term: Term, found: Mapping[int, float]) -> Term:
    if len(term.rows) <= MOST_SCANNED:
        return term
    return Term(term.weight, _known(found, term.rows) if found else term.rows[-MOST_SCANNED:])


def _known(found: Mapping[int, float], numbers: Sequence[int]) -> list[int]:
    places = ((number, bisect_left(numbers, number)) for number in sorted(found))
    return [number for number, place in places if place < len(numbers) and numbers[place] == number]
