"""Phrases written as `until {when}`: compiled once, and found in a row of words."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Generic, NamedTuple, TypeVar

from hub.errors import Incorrect

BAD = "bad_pack"
_FIRST_CODE = 0xE000
_PART = re.compile(r"\s*(?:(?P<sign>\(|\)\??)|\{(?P<slot>[a-z]+)\}(?P<maybe>\??)|(?P<words>[^\s(){}]+))")

GAP = "_"
"""The space between two words; a phrase may have one between its parts, but not before a part written `+so`."""

M = TypeVar("M")
Senses = Mapping[str, object]
"""What a word can stand for, slot by slot: `{"n": 1, "day": 1}`."""


class Node(NamedTuple):
    """A word, or what several words together mean; `code` is the one character that it is in a row."""

    code: str
    start: int
    end: int
    senses: Senses


class Codes:
    """One character for every word of a language, and for every slot the characters that fill it."""

    def __init__(self, plain: Callable[[str], str]) -> None:
        """`plain` writes a word as it is looked up."""
        self._plain = plain
        self._codes: dict[str, str] = {}
        self._filling: dict[str, str] = {}

    def of(self, word: str) -> str:
        return self._codes.setdefault(self._plain(word), chr(_FIRST_CODE + len(self._codes)))

    def words(self) -> Iterable[tuple[str, str]]:
        return self._codes.items()

    def fill(self, slot: str, code: str) -> None:
        self._filling[slot] = self._filling.get(slot, "") + code

    def filling(self, slot: str, phrase: str) -> str:
        if slot not in self._filling:
            raise Incorrect(BAD, f"`{phrase}` has a slot `{slot}` that no word fills", "name another", where=phrase)
        return self._filling[slot]


@dataclass(frozen=True, slots=True)
class Compiled:
    """`pattern` matches the phrase in a row of codes, a group a slot; one of `first` begins it."""

    pattern: str
    slots: tuple[str, ...]
    first: str
    parts: int
    needed: int

    @property
    def weight(self) -> tuple[int, int]:
        """Of two phrases that fit, the one that says more is meant."""
        return self.parts, self.needed


def compiled(phrase: str, codes: Codes) -> Compiled:
    """A phrase: words, `{slots}`, `one|an_other`, `maybe?`, `(several words)?` and `+ending`; not in brackets first."""
    pattern, first, at, parts, needed, depth = "", "", 0, 0, 0, 0
    slots: list[str] = []
    while at < len(phrase):
        part = _PART.match(phrase, at)
        if part is None or (part["sign"] and not needed):
            raise _no_phrase(phrase)
        at = part.end()
        if part["sign"]:
            depth += 1 if part["sign"] == "(" else -1
            pattern += "(?:" if part["sign"] == "(" else part["sign"]
            continue
        among, maybe = _part(part, codes, phrase)
        first += "" if needed else among
        one = f"([{among}])" if part["slot"] else f"[{among}]"
        pattern += _placed(one, maybe, needed > 0, tight=part.group().lstrip().startswith("+"))
        needed += not maybe
        parts += 1
        if part["slot"]:
            slots.append(part["slot"])
    if depth or not needed:
        raise _no_phrase(phrase)
    return Compiled(pattern, tuple(slots), first, parts, needed)


def _no_phrase(phrase: str) -> Incorrect:
    return Incorrect(BAD, f"`{phrase}` is no phrase", "write words, {slots} and (brackets)?", where=phrase)


def _part(part: re.Match[str], codes: Codes, phrase: str) -> tuple[str, bool]:
    """The codes of one part of a phrase, and whether it may be missing."""
    if part["slot"]:
        return codes.filling(part["slot"], phrase), bool(part["maybe"])
    words = part["words"]
    bare = words.removeprefix("+").removesuffix("?")
    return "".join(codes.of(word.replace("_", " ")) for word in bare.split("|")), words.endswith("?")


def _placed(one: str, maybe: bool, opened: bool, *, tight: bool) -> str:
    """With a gap to its neighbour on the inner side, so that no match begins or ends with a gap."""
    gap = "" if tight else GAP + "?"
    if opened:
        return f"(?:{gap}{one})?" if maybe else gap + one
    return f"(?:{one}{gap})?" if maybe else one


Slots = Sequence[tuple[str, object]]
Ready = tuple[Compiled, M]


class _Choice(Generic[M]):
    """The phrases that may begin with one word, as one pattern."""

    def __init__(self, ready: Sequence[Ready[M]]) -> None:
        self._pattern = re.compile("|".join(f"(?P<r{n}>{made.pattern})" for n, (made, _) in enumerate(ready)))
        groups = self._pattern.groupindex
        self._rules = {groups[f"r{n}"]: (made.slots, meaning) for n, (made, meaning) in enumerate(ready)}

    def match(self, row: str, at: int, nodes: Sequence[Node]) -> tuple[int, M, Slots] | None:
        """Where the match ends, its rule's meaning, and its slots with what fills them."""
        match = self._pattern.match(row, at)
        if match is None:
            return None
        group = match.lastindex or 0  # the group that closed last: that of the rule, which holds the slots' groups
        slots, meaning = self._rules[group]
        filled = [(slot, match.start(group + n)) for n, slot in enumerate(slots, 1)]
        return match.end(), meaning, [(slot, nodes[place].senses[slot]) for slot, place in filled if place >= 0]


class Stage(Generic[M]):
    """Rules that are tried together: wherever one fits, its words become one node; the phrase that says most wins."""

    def __init__(self, rules: Iterable[tuple[str, M]], codes: Codes) -> None:
        """Phrases, each with what `build` is given when it is found."""
        made = [(compiled(phrase, codes), meaning) for phrase, meaning in rules]
        made.sort(key=lambda pair: pair[0].weight, reverse=True)
        by_first: dict[str, list[int]] = {}
        for number, (phrase, _) in enumerate(made):
            for code in dict.fromkeys(phrase.first):
                by_first.setdefault(code, []).append(number)
        choices = {numbers: _Choice([made[n] for n in numbers]) for numbers in set(map(tuple, by_first.values()))}
        self._choices = {code: choices[tuple(numbers)] for code, numbers in by_first.items()}

    def applied(self, nodes: Sequence[Node], build: Callable[[M, Slots], tuple[str, Senses]]) -> list[Node]:
        """The row with every match replaced; `build` gives the new node's code and senses."""
        row = "".join([node.code for node in nodes])
        made: list[Node] = []
        at = 0
        while at < len(row):
            choice = self._choices.get(row[at])
            match = None if choice is None else choice.match(row, at, nodes)
            if match is None:
                made.append(nodes[at])
                at += 1
                continue
            end, meaning, slots = match
            code, senses = build(meaning, slots)
            made.append(Node(code, nodes[at].start, nodes[end - 1].end, senses))
            at = end
        return made
