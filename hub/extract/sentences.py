"""A text cut into sentences, with what others said in it and what says when masked letter by letter."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from hub.extract.patterns import QUOTED, TIMED

LONGEST_SENTENCE = 2_000
"""Of a longer sentence only the start is read."""

_ENDS = re.compile(r"[.!?…。！？．\n\r\u2028\u2029]+[\"'”’」』）)]*")
_ASKS = frozenset("?？")
_STRONG = frozenset("!?…。！？\n\r\u2028\u2029")
_ABBREVIATION = re.compile(
    r"(?:^|[\s(])(?:dr|mr|mrs|ms|prof|st|vs|no|e\.g|i\.e|approx|ave|rd|tp|ts|ths|bs|[a-z])$", re.IGNORECASE
)
_QUOTES = re.compile(
    '"[^"\n]{1,600}"|“[^”\n]{1,600}”|«[^»\n]{1,600}»|「[^」\n]{1,600}」|『[^』\n]{1,600}』|‘[^’\n]{1,600}’(?!\\w)'
    "|(?<![\\w])'[^'\n]{1,600}'(?!\\w)"
)
_UNSEEN = re.compile("[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufeff]")
_STRAIGHT = str.maketrans(
    {"’": "'", "‘": "'", "ʼ": "'", "`": "'", "\u00a0": " ", "\u3000": " ", QUOTED: " ", TIMED: " "}
)
_PIECE = re.compile("(?s).{1,512}(?![\u0300-\u036f\u1161-\u11ff\u3099\u309a])|.{1,512}")


@dataclass(frozen=True, slots=True)
class Sentence:
    """`text[start:end]`, without the sign that ends it; `asked`: that is a question mark."""

    start: int
    end: int
    asked: bool


def composed(text: str) -> str:
    """As it is read: in composed letters, without signs nobody sees. Linear in the text's length."""
    if text.isascii():
        return text
    return "".join(unicodedata.normalize("NFC", piece) for piece in _PIECE.findall(_UNSEEN.sub("", text)))


def sentences(text: str) -> Iterator[Sentence]:
    """In order; a dot within a number, a name or an abbreviation ends none."""
    start = 0
    for found in _ENDS.finditer(text):
        if not _is_end(text, start, found):
            continue
        if (sentence := _sentence(text, start, found.start(), bool(_ASKS & set(found[0])))) is not None:
            yield sentence
        start = found.end()
    if (sentence := _sentence(text, start, len(text), False)) is not None:
        yield sentence


def _is_end(text: str, start: int, found: re.Match[str]) -> bool:
    if _STRONG & set(found[0]):
        return True
    after = text[found.end() : found.end() + 1]
    if after and not after.isspace():
        return False
    return not after or _ABBREVIATION.search(text, max(start, found.start() - 8), found.start()) is None


def _sentence(text: str, start: int, end: int, asked: bool) -> Sentence | None:
    end = min(end, start + LONGEST_SENTENCE)
    inner = text[start:end]
    start += len(inner) - len(inner.lstrip())
    end = start + len(inner.strip())
    return Sentence(start, end, asked) if start < end else None


def straight(low: str) -> str:
    """With plain apostrophes and spaces, in the same places."""
    return low if low.isascii() else low.translate(_STRAIGHT)


def quotes_masked(low: str) -> str:
    """What stands within quotation marks is somebody else's, or a title: its letters are masked, the marks stay."""
    return _QUOTES.sub(lambda found: found[0][0] + QUOTED * (len(found[0]) - 2) + found[0][-1], low)


def masked(low: str, spans: Sequence[tuple[int, int]]) -> str:
    """With what says when masked."""
    for start, end in spans:
        low = low[:start] + TIMED * (end - start) + low[end:]
    return low
