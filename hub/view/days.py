"""Days as words: the marks by which what was said, or is planned, on a day is found, and those a question asks for."""

from __future__ import annotations

import re
from collections.abc import Iterator

from hub.facts import Instant, Precision
from hub.moments import as_datetime
from hub.text import fold

_MONTHS = "january february march april may june july august september october november december".split()
_NUMBERS = {name[:length]: at for at, name in enumerate(_MONTHS, 1) for length in (3, 4, len(name))}
_MONTH = f"(?P<n>{'|'.join(sorted(_NUMBERS, key=len, reverse=True))})"
_DAY = r"(?<![0-9])(?P<d>[0-9]{1,2})(?:st|nd|rd|th)?"
_YEAR = r"(?P<y>(?:19|20)[0-9]{2})(?![0-9a-z])"
# A month by itself is a word like any other (`may`, `march`), unless it is said when.
_WRITTEN = tuple(
    map(
        re.compile,
        (
            rf"(?<![0-9-]){_YEAR}-(?P<m>[0-9]{{2}})(?:-(?P<d>[0-9]{{2}}))?(?![0-9-])",
            rf"\b{_DAY} (?:of )?{_MONTH}\b(?:,? {_YEAR})?",
            rf"\b{_MONTH}\.? {_DAY}(?![0-9:.,]*[0-9])(?:,? {_YEAR})?",
            rf"\b(?:(?:in|during|since|until|before|after|of|last|next|this) )?{_MONTH},? {_YEAR}",
            rf"\b(?:in|during|since|until|before|after|last|next|this) {_MONTH}\b",
            rf"(?:{_YEAR} ?[年년] ?)?(?<![0-9])(?P<m>[0-9]{{1,2}}) ?[月월](?: ?(?P<d>[0-9]{{1,2}}) ?[日일])?",
            rf"(?:\b(?P<d>[0-9]{{1,2}}) )?\bthang (?P<m>[0-9]{{1,2}})(?![0-9])(?:,? (?:nam )?{_YEAR})?",
            rf"(?<![0-9.,-]){_YEAR}(?![-.,][0-9])",
        ),
    )
)
_DIGIT = re.compile("[0-9]")
_WITHOUT_DIGITS = tuple(written for written in _WRITTEN if written.search("in march"))
_SHORTEST, _LONGEST = 3, 2_000


def marks_of(at: Instant, precision: Precision) -> tuple[str, ...]:
    """What a day, month or year is found by; no text has such words."""
    day = as_datetime(at)
    year, month = f"\0{day.year}", f"-{day.month:02}"
    if precision is Precision.YEAR:
        return (year,)
    if precision is Precision.MONTH:
        return year, year + month, "\0" + month
    date = f"-{day.day:02}"
    return year, year + month, "\0" + month, year + month + date, "\0" + month + date


def marks_asked(query: str) -> dict[str, str]:
    """The mark of each date that a question names, and how it was written; English, Korean, Vietnamese, Japanese, ISO.

    Only the first two thousand characters are read; what no calendar has is no date.
    """
    text = fold(query[:_LONGEST])
    found: dict[str, str] = {}
    ways = _WRITTEN if _DIGIT.search(text) else _WITHOUT_DIGITS
    for written in ways if len(text) >= _SHORTEST else ():
        for match in written.finditer(text):
            mark = _mark(match)
            if mark is not None:
                found.setdefault(mark, match[0])
                text = text[: match.start()] + " " * len(match[0]) + text[match.end() :]
    return found


def _mark(match: re.Match[str]) -> str | None:
    parts = match.groupdict()
    month = _NUMBERS[parts["n"]] if parts.get("n") else int(parts.get("m") or 0)
    day = int(parts.get("d") or 0)
    if month > 12 or day > 31 or (parts.get("m") and not month) or (parts.get("d") and not day):
        return None
    return "\0" + (parts.get("y") or "") + "".join(_padded(month, day))


def _padded(*numbers: int) -> Iterator[str]:
    return (f"-{number:02}" for number in numbers if number)
