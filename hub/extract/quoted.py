"""Where words stand in a text as whole words, whatever their case and space, and whether they tell of an end."""

from __future__ import annotations

import re
from bisect import bisect_right
from itertools import accumulate

from hub.extract.pack import endings
from hub.extract.sentences import composed
from hub.extract.standing import content
from hub.registry import Registry
from hub.text import CJK

_SIGN = re.compile(rf"[0-9]+(?:[.,][0-9]+)+(?![^\W_{CJK}])|[{CJK}]|[^\W_{CJK}]+|\S")
"""A number, a word, or else a single sign: Chinese, Japanese and Korean put no space between words."""
_EDGE = "\x1f"


class Quotable:
    """A text in which it is looked, however often, in a time that grows with its length and no faster."""

    def __init__(self, text: str) -> None:
        self.text = composed(text)
        found = list(_SIGN.finditer(self.text))
        words = [one[0].casefold() for one in found]
        self._spans = [one.span() for one in found]
        self._joined = _joined(words)
        self._starts = list(accumulate((len(word) + 1 for word in words), initial=0))

    def found(self, part: str) -> tuple[int, int] | None:
        """Where these words stand for the first time; None if they don't, or if there are none."""
        words = [one[0].casefold() for one in _SIGN.finditer(composed(part))]
        if not words:
            return None
        at = self._joined.find(_joined(words))
        if at < 0:
            return None
        first = bisect_right(self._starts, at) - 1
        return self._spans[first][0], self._spans[first + len(words) - 1][1]


def within(part: str, text: str) -> tuple[int, int] | None:
    """Where these words stand in a text; None if they don't."""
    return Quotable(text).found(part)


def tells_an_end(relation: str, quote: str, registry: Registry) -> bool:
    """Whether a quote, in which no value is named, speaks of the relation at all, or of something's end."""
    labels = [registry.label(relation, lang) for lang in ("en", "ko", "vi", "ja")]
    named = [*labels, relation.replace("_", " "), *registry.questions.get(relation, ())]
    words, said = content(quote), Quotable(quote)
    return any(words & content(name) for name in named) or any(said.found(ending) for ending in endings())


def _joined(words: list[str]) -> str:
    return _EDGE + _EDGE.join(words) + _EDGE
