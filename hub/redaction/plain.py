"""Text as detectors read it: full width, accents, look-alike letters and invisible characters aside."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator
from itertools import accumulate
from typing import NamedTuple

_LOOK_ALIKES = dict(zip("аеорсухіѕјһԁАВЕКМНОРСТХІЅЈ", "aeopcyxisjhdABEKMHOPCTXISJ", strict=True))
"""Cyrillic letters that a reader takes for Latin ones."""
_SAME_AS = {**_LOOK_ALIKES, "đ": "d", "Đ": "D", "ı": "i"}


class Found(NamedTuple):
    """A stretch of text, its end excluded, and what it is."""

    start: int
    end: int
    kind: str


class _Shapes(dict[int, str]):
    """Each character as it is compared, worked out when it is first met: one character, or none."""

    def __missing__(self, code: int) -> str:
        shape = self[code] = _shape(chr(code))
        return shape


def _shape(char: str) -> str:
    if unicodedata.category(char) in ("Cf", "Mn"):
        return ""
    digit = unicodedata.digit(char, None)
    if digit is not None:
        return str(digit)
    base = unicodedata.normalize("NFKD", char)[0]
    return _SAME_AS.get(char) or (base if base.isascii() else char)


_SHAPES = _Shapes()


class Plain(NamedTuple):
    """`text` is where patterns are looked for, `whole` what is cut: what was sent, after NFKC."""

    whole: str
    text: str
    lower: str

    @classmethod
    def of(cls, sent: str) -> Plain:
        if sent.isascii():
            return cls(sent, sent, sent.lower())
        whole = unicodedata.normalize("NFKC", sent)
        text = whole.translate(_SHAPES)
        return cls(whole, text, text.lower())

    def places(self, found: Iterable[Found]) -> Iterator[Found]:
        """The same stretches in `whole`, with whatever is invisible in them."""
        if len(self.text) == len(self.whole):
            yield from found
            return
        upto = list(accumulate(len(_SHAPES[ord(char)]) for char in self.whole))
        first = {count: number for number, count in reversed(list(enumerate(upto)))}
        for start, end, kind in found:
            yield Found(first[start + 1], first[end] + 1, kind)
