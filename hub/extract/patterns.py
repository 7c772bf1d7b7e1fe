"""Patterns as linguists write them, `I [really] like {list}`, made into regular expressions that cannot run away."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass

from hub.errors import Incorrect

BAD = "bad_pack"

QUOTED, TIMED = "\ue000", "\ue001"
"""Stand, letter by letter, for what somebody else said and for words that say when."""

LONGEST = 160
"""A slot is never filled with more characters; this is what bounds the work of a match."""

SPACE_OR_TIME = f"[\\s{TIMED}]+"
_ANY_WORD = f"[^\\s,;{TIMED}]{{1,40}}"
_WILD = "\ue0ff"
"""Stands for any word while an expression is written, until it is known how many there are."""

WILD = "any_word_"
"""What the names of groups begin with that any word fills."""
_SIGN = re.compile(
    r"(?P<slot>\{[a-z_]+(?::[a-z_]+)?\})|<(?P<list>[a-z_]+)>|(?P<sign>[\[\]()|])|(?P<space>\s+)"
    r"|(?P<word>[^\s\[\]()|<{]+)"
)


@dataclass(frozen=True, slots=True)
class Slot:
    """A place in a pattern that any words may fill, as far as its type lets them."""

    name: str
    type: str


@dataclass(frozen=True, slots=True)
class Word:
    """As it is compared. `_` in it is a space that has to be there, however the language spaces its words; `*` alone
    is any one word."""

    text: str


@dataclass(frozen=True, slots=True)
class Choice:
    """One of several sequences; `optional`: or none of them."""

    of: tuple[Sequence, ...]
    optional: bool = False


class Space:
    """Where words meet: how, the language says."""


Sequence = tuple[Slot | Word | Choice | Space, ...]
SPACE = Space()


@dataclass(frozen=True, slots=True)
class Notation:
    """What a language gives its patterns: its lists of words, how its words are spaced and compared."""

    lists: Mapping[str, tuple[str, ...]]
    spaced: str
    start: str
    """What a word that may stand anywhere follows."""
    edge: str
    """What follows a last word."""
    compared: Callable[[str], str]
    filled: Callable[[Slot, bool], str]
    """What may fill a slot, as an expression; True: nothing comes after it."""
    phrases: Callable[[Slot], tuple[str, ...]]
    """The phrases of which a slot is always one; none if it may be anything."""


@dataclass(frozen=True, slots=True)
class Pattern:
    """Compiled. `anchors`: a text without any of them is not worth trying. `slots`: the type of each, by name."""

    text: str
    regex: re.Pattern[str]
    slots: Mapping[str, str]
    anchors: tuple[str, ...]
    timed: bool = False
    """It begins with words of time, which otherwise go with the clause and are no part of it."""


def compiled(text: str, notation: Notation) -> Pattern:
    """Words, `[maybe]`, `(one|other)`, `<list of the pack>` and `{slot}` or `{slot:type}`; raises Incorrect."""
    sequence = _parsed(text, notation)
    slots = {slot.name: slot.type for slot in _slots(sequence)}
    if len(sequence) > 2 and sequence[-2] is SPACE and _is_maybe(sequence[-1]) and _is_open(sequence[-3], notation):
        raise _wrong(text, "ends in something optional after a slot, which would then take one word only")
    end = "" if _is_open(sequence[-1], notation) else notation.edge
    expression = _numbered(_expression(sequence, notation, last=True)) + end
    timed = expression.startswith("(?P<") and expression.partition(">")[2].startswith(TIMED)
    return Pattern(text, re.compile(expression), slots, _anchors(sequence, text, notation), timed)


def alternatives(texts: Iterable[str], notation: Notation) -> re.Pattern[str]:
    """Patterns without slots, as one expression, the longest first; it matches nothing if there are none."""
    sequences = [_parsed(text, notation) for text in sorted(texts, key=len, reverse=True)]
    written = "|".join(_expression(sequence, notation, last=False) for sequence in sequences).replace(_WILD, _ANY_WORD)
    return re.compile(f"{notation.start}(?:{written}){notation.edge}" if written else "(?!)")


# --- reading -----------------------------------------------------------------------------------------------------


def _parsed(text: str, notation: Notation) -> Sequence:
    signs = list(_signs(text))
    sequence, at = _choice(signs, 0, text, notation, "")
    if at != len(signs) or len(sequence) != 1:
        raise _wrong(text, "has brackets that do not match, or a bar outside of them")
    return sequence[0]


def _signs(text: str) -> Iterator[tuple[str, str]]:
    at = 0
    stripped = text.strip()
    while at < len(stripped):
        found = _SIGN.match(stripped, at)
        if found is None:
            raise _wrong(text, f"cannot be read from `{stripped[at:][:20]}` on")
        yield found.lastgroup or "", found[found.lastgroup or 0]
        at = found.end()


def _choice(
    signs: list[tuple[str, str]], at: int, text: str, notation: Notation, until: str
) -> tuple[tuple[Sequence, ...], int]:
    options: list[Sequence] = []
    option: list[Slot | Word | Choice | Space] = []
    while at < len(signs) and signs[at] != ("sign", until):
        kind, sign = signs[at]
        at += 1
        if kind == "sign" and sign == "|":
            options.append(tuple(option))
            option = []
        elif kind == "sign" and sign in "[(":
            inner, at = _choice(signs, at, text, notation, "]" if sign == "[" else ")")
            if at >= len(signs):
                raise _wrong(text, "has a bracket that is not closed")
            option.append(Choice(inner, optional=sign == "["))
            at += 1
        else:
            option.append(_part(kind, sign, text, notation))
    return tuple(map(_clinging, (*options, tuple(option)))), at


def _clinging(sequence: Iterable[Slot | Word | Choice | Space]) -> Sequence:
    """`it (will|'ll)` is `it( will|'ll)`: what begins with an apostrophe has no space before it."""
    made: list[Slot | Word | Choice | Space] = []
    for part in sequence:
        if made and made[-1] is SPACE and isinstance(part, Choice) and any(map(_clings, part.of)):
            made.pop()
            part = Choice(tuple(one if _clings(one) else (SPACE, *one) for one in part.of), part.optional)
        made.append(part)
    return tuple(made)


def _clings(option: Sequence) -> bool:
    return bool(option) and isinstance(option[0], Word) and option[0].text.startswith("'")


def _part(kind: str, sign: str, text: str, notation: Notation) -> Slot | Word | Choice | Space:
    if kind == "space":
        return SPACE
    if kind == "slot":
        name, _, of = sign[1:-1].partition(":")
        return Slot(name, of or name)
    if kind == "list":
        if sign not in notation.lists:
            raise _wrong(text, f"names `{sign}`, which is no list of the pack")
        return Choice(tuple(_parsed(phrase, notation) for phrase in notation.lists[sign]))
    if kind != "word":
        raise _wrong(text, f"has a stray `{sign}`")
    return Word(notation.compared(sign))


def _is_maybe(part: Slot | Word | Choice | Space) -> bool:
    return isinstance(part, Choice) and part.optional


def _is_open(part: Slot | Word | Choice | Space, notation: Notation) -> bool:
    return isinstance(part, Slot) and notation.filled(part, True) != notation.filled(part, False)


def _wrong(text: str, what: str) -> Incorrect:
    return Incorrect(BAD, f"the pattern `{text}` {what}", "write words, [maybe], (one|other), <list> and {slot}")


# --- writing -----------------------------------------------------------------------------------------------------


def _expression(sequence: Sequence, notation: Notation, *, last: bool) -> str:
    """A space beside something optional goes with it: `I [really] like` is `I (really )?like`."""
    written, at = "", 0
    while at < len(sequence):
        part, after = sequence[at], sequence[at + 1] if at + 1 < len(sequence) else None
        ends = last and at + 1 == len(sequence)
        if isinstance(part, Choice) and part.optional:
            spaced = after is SPACE and (at == 0 or sequence[at - 1] is SPACE)
            written += f"(?:(?:{_options(part, notation, ends)}){notation.spaced if spaced else ''})?"
            at += spaced
        elif part is SPACE and isinstance(after, Choice) and after.optional and _spaced_itself(sequence[at + 2 :]):
            written += f"(?:{notation.spaced}(?:{_options(after, notation, last)}))?"
            at += 1
        else:
            written += _piece(part, notation, ends)
        at += 1
    return written


def _numbered(expression: str) -> str:
    """With a group for every place that any word may fill, so that it can be told which were filled."""
    first, *others = expression.split(_WILD)
    return first + "".join(f"(?P<{WILD}{n}>{_ANY_WORD}){other}" for n, other in enumerate(others))


def _spaced_itself(rest: Sequence) -> bool:
    """Whether no space has to come before what is left."""
    return not rest or (isinstance(rest[0], Choice) and any(option[:1] == (SPACE,) for option in rest[0].of))


def _options(choice: Choice, notation: Notation, last: bool) -> str:
    written = [_expression(option, notation, last=last) for option in choice.of]
    return "|".join(sorted(written, key=len, reverse=True))


def _piece(part: Slot | Word | Choice | Space, notation: Notation, last: bool) -> str:
    match part:
        case Word(text):
            return _WILD if text == "*" else re.escape(text).replace("_", SPACE_OR_TIME)
        case Choice():
            return f"(?:{_options(part, notation, last)})"
        case Slot(name, _):
            return f"(?P<{name}>{notation.filled(part, last)})"
    return notation.spaced


# --- what a text must hold ---------------------------------------------------------------------------------------


def _slots(sequence: Sequence) -> Iterator[Slot]:
    for part in sequence:
        if isinstance(part, Slot):
            yield part
        elif isinstance(part, Choice):
            for option in part.of:
                yield from _slots(option)


def _anchors(sequence: Sequence, text: str, notation: Notation) -> tuple[str, ...]:
    """The words of which any match holds one, chosen to be as long as can be."""
    needed = [words for part in sequence if (words := _needed(part, notation))]
    if not needed:
        raise _wrong(text, "has no word that a text would have to hold")
    return max(needed, key=lambda words: min(map(len, words)))


def _needed(part: Slot | Word | Choice | Space, notation: Notation) -> tuple[str, ...]:
    if isinstance(part, Slot):
        part = Choice(tuple(_parsed(phrase, notation) for phrase in notation.phrases(part)))
    match part:
        case Word(text):
            return () if text in ("*", "_") else (max(text.split("_"), key=len),)
        case Choice(of, optional=False):
            each = [max((w for p in one if (w := _needed(p, notation))), key=_shortest, default=()) for one in of]
            return tuple(word for words in each for word in words) if all(each) else ()
    return ()


def _shortest(words: tuple[str, ...]) -> int:
    return min(map(len, words))
