"""What may fill a place in a pattern: how far it reaches, what it may not be, and how it is written down."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import StrEnum

from hub.documents import Fields
from hub.extract.particles import HANGUL, MARKS
from hub.extract.patterns import LONGEST, QUOTED, TIMED, Notation, alternatives

_NEVER = re.compile("(?!)")
_BRACKETS = "\\[\\]()<>；（）"
_PLAIN = f"[^,;、，{_BRACKETS}{TIMED}]"
_WITH_COMMAS = f"[^;{_BRACKETS}{TIMED}]"
_KEYS = ("most", "list", "commas", "time", "capital", "proper", "like", "one_of", "write")
_WORDS = ("ends", "never", "without", "drop", "trail")
_EDGES = f"\"'“”‘’«»「」『』.,、，!~ \t\n\r{TIMED}"
_SHORT = 2
_ESCAPED = re.compile(r"\\.|[^\\]+")
_WORD = re.compile(r"[^\s,]+")


class Spacing(StrEnum):
    """How a language spaces its words: always, as one likes, never."""

    WORDS = "words"
    LOOSE = "loose"
    NONE = "none"


class Written(StrEnum):
    """How the words of a slot become a value: as they are, in capitals, or as a part of a relation's name."""

    PLAIN = "plain"
    UPPER = "upper"
    NAME = "name"
    THING = "thing"
    KIND = "kind"
    LENGTH = "length"
    """Of time: “until Friday” is so many days."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SlotType:
    """`ends` cut the slot off, `never` and `without` refuse it, `drop` and `trail` are left out of its ends.

    `most` counts words, or characters where a language puts no spaces. `joints` is None for what is no list. `capital`:
    if the writer uses capitals at all, it begins with one; `proper`: it does, and ends before a word that does not.
    """

    most: int = 6
    joints: re.Pattern[str] | None = None
    commas: bool = False
    timed: bool = False
    capital: bool = False
    proper: bool = False
    ends: re.Pattern[str] = _NEVER
    never: re.Pattern[str] = _NEVER
    without: re.Pattern[str] = _NEVER
    drop: re.Pattern[str] = _NEVER
    trail: re.Pattern[str] = _NEVER
    like: str | None = None
    phrases: tuple[str, ...] = ()
    write: Written = Written.PLAIN
    spaced: bool = True

    def filled(self, last: bool) -> str:
        """As an expression."""
        if self.timed:
            return f"{TIMED}[\\s{TIMED}]*"
        if self.like is not None:
            return self.like
        letters = _WITH_COMMAS if self.commas or self.joints else _PLAIN
        return f"{letters}{{1,{LONGEST}}}{'' if last else '?'}"


@dataclass(frozen=True, slots=True)
class Fitted:
    """The parts of a text that fill a slot, and where the slot ends."""

    spans: tuple[tuple[int, int], ...]
    end: int


def read_slots(top: Fields, notation: Notation, spacing: Spacing) -> dict[str, SlotType]:
    """The types under `slots` of a pack."""
    part = top.part("slots")
    joints = alternatives(top.texts("list_joints"), replace_edges(notation))
    return {name: _read(part.part(name, (*_KEYS, *_WORDS)), notation, spacing, joints) for name in part.values}


def replace_edges(notation: Notation) -> Notation:
    """For what may touch a word on either side, as a comma does."""
    return replace(notation, start="", edge="")


def _read(fields: Fields, notation: Notation, spacing: Spacing, joints: re.Pattern[str]) -> SlotType:
    words = {key: alternatives(fields.texts(key), notation) for key in _WORDS if fields.has(key)}
    like = _expression(fields.text("like"), notation) if fields.has("like") else None
    if fields.has("one_of"):
        like = alternatives(notation.lists[fields.text("one_of")], replace_edges(notation)).pattern
        if fields.flag("list"):
            like = f"{like}(?:{joints.pattern}{like}){{0,9}}"
    return SlotType(
        most=int(fields.number("most")) if fields.has("most") else (6 if spacing is Spacing.WORDS else 20),
        joints=joints if fields.flag("list") else None,
        commas=fields.flag("commas"),
        timed=fields.flag("time"),
        capital=fields.flag("capital"),
        proper=fields.flag("proper"),
        like=like,
        phrases=notation.lists[fields.text("one_of")] if fields.has("one_of") else (),
        write=fields.choice("write", Written) if fields.has("write") else Written.PLAIN,
        spaced=spacing is not Spacing.NONE,
        **words,
    )


def _expression(like: str, notation: Notation) -> str:
    """As texts are compared; what is escaped in it stays."""
    parts = (part if part.startswith("\\") else notation.compared(part) for part in _ESCAPED.findall(like))
    return "".join(parts).replace(HANGUL, HANGUL + MARKS)


# --- fitting -----------------------------------------------------------------------------------------------------


def fitted(text: str, low: str, span: tuple[int, int], of: SlotType, *, last: bool, cased: bool) -> Fitted | None:
    """The items that fill a slot which a pattern has found in `low`; None if nothing may.

    `last`: the pattern ended with the slot, so that it may have run too far. `cased`: the writer uses capitals.
    """
    start, end = span
    if last:
        end = _cut(low, start, end, of)
    if last and of.proper:
        end = _proper(text, start, end)
    if of.joints is None:
        item = _item(text, low, start, end, of, cased)
        return None if item is None else Fitted((item,), end if not last else max(item[1], _stripped(low, start, end)))
    return _listed(text, low, start, end, of, last=last, cased=cased)


def _cut(low: str, start: int, end: int, of: SlotType) -> int:
    found = of.ends.search(low, start + 1, end)
    return end if found is None else found.start()


def _proper(text: str, start: int, end: int) -> int:
    """The end of the words that begin with a capital or a digit, from `start` on."""
    at = start
    for word in _WORD.finditer(text, start, end):
        if at > start and not _is_proper(word[0]):
            break
        at = word.end()
    return at


def _is_proper(word: str) -> bool:
    return not word.islower() or any(map(str.isdigit, word))


def _stripped(low: str, start: int, end: int) -> int:
    return start + len(low[start:end].rstrip(_EDGES))


def _item(text: str, low: str, start: int, end: int, of: SlotType, cased: bool) -> tuple[int, int] | None:
    """The part of `[start, end)` that is worth keeping; None if it may not fill the slot."""
    if of.timed:
        refused = of.never.match(text[start:end].lower()) is not None
        return None if refused else (start, end)
    start, end = _trimmed(low, start, end)
    if (found := of.drop.match(low, start, end)) is not None:
        start = found.end()
    while (trail := trailing(low, start, end, of.trail)) < end:
        end = trail
    start, end = _trimmed(low, start, end)
    if start >= end or _long(low[start:end], of) or _refused(low, start, end, of):
        return None
    first = text[start : start + 2].lstrip(_EDGES)[:1]
    if of.proper:
        return (start, end) if _is_proper(text[start:end].split()[0]) else None
    return None if of.capital and cased and first.islower() else (start, end)


def _refused(low: str, start: int, end: int, of: SlotType) -> bool:
    said_by_another = low[start:end].strip(QUOTED) and QUOTED in low[start:end] and low[start] != QUOTED
    return bool(
        said_by_another or of.never.match(low, start, end) is not None or of.without.search(low, start, end) is not None
    )


def _trimmed(low: str, start: int, end: int) -> tuple[int, int]:
    inner = low[start:end]
    return start + len(inner) - len(inner.lstrip(_EDGES)), start + len(inner.rstrip(_EDGES))


def trailing(low: str, start: int, end: int, trail: re.Pattern[str]) -> int:
    for found in trail.finditer(low, start, end):
        if found.end() == end and found.start() > start:
            return _stripped(low, start, found.start())
    return end


def _long(words: str, of: SlotType) -> bool:
    return (len(words.split()) if of.spaced else len(words)) > of.most


# --- lists -------------------------------------------------------------------------------------------------------


def _listed(text: str, low: str, start: int, end: int, of: SlotType, *, last: bool, cased: bool) -> Fitted | None:
    """`a`, `a and b`, `a, b and c`; after the end of a pattern a comma alone joins only what is short."""
    items: list[tuple[int, int]] = []
    joined: list[bool] = []
    for part_start, part_end, comma in _parts(low, start, end, of):
        item = _item(text, low, part_start, part_end, of, cased)
        if item is None:
            break
        items.append(item)
        joined.append(not comma)
    if last:
        items = items[: _believable(low, items, joined)]
    if not items:
        return None
    return Fitted(tuple(items), end if not last else _stripped(low, start, items[-1][1]))


def _parts(low: str, start: int, end: int, of: SlotType) -> Iterator[tuple[int, int, bool]]:
    """Each part, and whether but a comma stands before it."""
    at, comma = start, False
    for found in (of.joints or _NEVER).finditer(low, start + 1, end):
        yield at, found.start(), comma
        at, comma = found.end(), not found[0].strip(" ,、，\t\n")
    yield at, end, comma


def _believable(low: str, items: list[tuple[int, int]], joined: list[bool]) -> int:
    """How many of the items are part of a list, and not the next clause."""
    words = [n for n, with_word in enumerate(joined) if with_word and n]
    upto = max(words) + 1 if words else 1
    if not words and len(items) > _SHORT and all(len(low[s:e].split()) <= _SHORT for s, e in items):
        return len(items)
    return upto
