"""Card numbers: by length and first digits, by their check digit, and by how cards are printed."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import accumulate, pairwise

from stdnum import luhn

from hub.redaction.plain import Found, Plain

_RUN = re.compile(r"\d(?<!\d\d)(?:[ \t.,\-–/·_\r\n]{0,4}\d){13,}(?!\d)")
"""A pattern that begins with a digit is far faster than one that begins with what stands before it."""
_GROUP = re.compile(r"\d+")
_BRANDS = (
    (re.compile("4"), (19, 16)),
    (re.compile(r"5[1-5]|222[1-9]|22[3-9]|2[3-6]|27[01]|2720|6011|64[4-9]|65|352[89]|35[3-8]"), (16,)),
    (re.compile("3[47]"), (15,)),
    (re.compile("30[0-5]|3[68]"), (14,)),
    (re.compile("62|9704"), (19, 18, 17, 16)),
)
"""First digits and lengths (ISO/IEC 7812), the longest first; 9704 are Vietnam's own."""

_PRINTED = ([4, 6, 5], [4, 6, 4], [6, 13])


def cards(plain: Plain) -> Iterator[Found]:
    for run in _RUN.finditer(plain.text):
        groups = [match.span() for match in _GROUP.finditer(plain.text, *run.span())]
        digits = "".join(plain.text[start:end] for start, end in groups)
        upto = list(accumulate((end - start for start, end in groups), initial=0))
        first = 0
        while first < len(groups):
            last = _last_of_a_card(digits, upto, first)
            if last is not None and not _is_column(plain, groups[first:last]):
                yield Found(groups[first][0], groups[last - 1][1], "card_number")
            first = last or first + 1


_NAMED = re.compile(r"card|visa|amex|\bso the\b|카드|カード", re.IGNORECASE)
_NEAR = 60


def _is_column(plain: Plain, groups: list[tuple[int, int]]) -> bool:
    """Whether every group has a line of its own: a list of numbers, unless somebody calls it a card."""
    gaps = [plain.text[end:start] for (_, end), (start, _) in pairwise(groups)]
    if not gaps or not all("\n" in gap for gap in gaps):
        return False
    start = groups[0][0]
    return _NAMED.search(plain.text, max(0, start - _NEAR), start) is None


def _last_of_a_card(digits: str, upto: list[int], first: int) -> int | None:
    """Where the groups end that make a card number together, from this one on.

    `upto`: how many of the digits lie before each group, and before the end.
    """
    start = upto[first]
    lengths = next((lengths for brand, lengths in _BRANDS if brand.match(digits, start)), ())
    for last in (upto.index(start + length, first) for length in lengths if start + length in upto[first : first + 20]):
        groups = [end - begin for begin, end in zip(upto[first:last], upto[first + 1 : last + 1], strict=True)]
        if _printed_as_one(groups) and luhn.checksum(digits[start : upto[last]]) == 0:
            return last
    return None


def _printed_as_one(lengths: list[int]) -> bool:
    """As cards are printed, or in equal groups: two numbers side by side are not one."""
    return lengths in _PRINTED or (len(set(lengths[:-1])) <= 1 and lengths[-1] <= lengths[0])
