"""Quoting: whether a question says what a claim holds, whole or in part, in whatever it is built into."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from hub.text import fold, is_stop, tokens

_WORDS = re.compile(r"\w+")
_CJK = re.compile("[\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff]")
_SHORTEST = 3
"""Fewer letters than this stand in words that have nothing to do with them."""


@dataclass(frozen=True, slots=True)
class Quotable:
    """What gives a value away: `whole` tokens of a question, and `parts` of it, folded."""

    whole: frozenset[str]
    parts: tuple[str, ...]

    @classmethod
    def of(cls, values: Iterable[str]) -> Quotable:
        """Words of grammar are looked for only where they are all of a value: a band may be called The Who."""
        said = [" ".join(fold(value).split()) for value in values]
        known = [tokens(value) for value in said]
        whole = {token for found in known for token in found if not is_stop(token) or all(map(is_stop, found))}
        words = {word for value in said for word in _WORDS.findall(value) if not _is_grammar(word)}
        return cls(frozenset(whole), tuple(part for part in {*said, *words} if _is_telling(part)))

    def in_(self, query: str) -> bool:
        folded = " ".join(fold(query).split())
        return any(part in folded for part in self.parts) or not self.whole.isdisjoint(tokens(query))


def _is_grammar(word: str) -> bool:
    return all(map(is_stop, tokens(word)))


def _is_telling(part: str) -> bool:
    signs_alone = _WORDS.search(part) is None
    return bool(part) and (len(part) >= _SHORTEST or signs_alone or _CJK.search(part) is not None)
