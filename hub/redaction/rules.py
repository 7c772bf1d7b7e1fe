"""One rule of detection: a pattern, words without which it need not be tried, and a second look at what it finds."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from hub.redaction.plain import Found, Plain

Judge = Callable[["re.Match[str]"], bool]


def anything(_match: re.Match[str]) -> bool:
    return True


@dataclass(frozen=True, slots=True)
class Rule:
    """`v` is the group that is blanked out.

    INVARIANT: one of the `hints`, in small letters, is in every text that the pattern can match.
    INVARIANT: no part of a pattern that can begin anywhere is of unbounded length, so that no text takes long.
    """

    kind: str
    hints: tuple[str, ...]
    pattern: re.Pattern[str]
    judge: Judge = anything

    @classmethod
    def of(cls, kind: str, hints: str, *parts: str, judge: Judge = anything) -> Rule:
        """`hints` are parted by commas, `parts` put together; capitals count only where a part says `(?-i:…)`."""
        return cls(kind, tuple(hints.split(",")), re.compile("".join(parts), re.IGNORECASE), judge)

    def found(self, plain: Plain) -> Iterator[Found]:
        return self.matched(plain) if any(map(plain.lower.__contains__, self.hints)) else iter(())

    def matched(self, plain: Plain) -> Iterator[Found]:
        """`found` in a text with a hint."""
        for match in self.pattern.finditer(plain.text):
            if self.judge(match):
                yield Found(*match.span("v"), self.kind)


def either(words: Iterable[str]) -> str:
    """A pattern for whichever of these words begins somewhere: they branch where they part, so that one look at a text
    costs less than one for each word."""
    rests: dict[str, list[str]] = {}
    for word in words:
        if not word:
            return ""
        rests.setdefault(word[0], []).append(word[1:])
    return f"(?:{'|'.join(re.escape(first) + either(rest) for first, rest in rests.items())})"
