"""Finding time in a text: words to points and lengths, and those to expressions."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import cast

from hub.extract.when.calendar import Amount, Clock, Point, Shift, Unit
from hub.extract.when.pack import (
    AMOUNT,
    CLOCK,
    EITHER,
    FRAMED,
    LOWER,
    WHEN,
    WRITTEN,
    AmountRule,
    AtomRule,
    ClockRule,
    EitherRule,
    FrameRule,
    Joined,
    Pack,
    PointRule,
)
from hub.extract.when.phrases import GAP, Node, Senses, Slots

_BREAK = Node(" ", 0, 0, {})
_GAP = Node(GAP, 0, 0, {})
_FOUND = "F"
_LETTERS = re.compile(r"[^\W\d_]*")
_CLUSTER = re.compile("(?s)[\u1100-\u115f][\u1160-\u11a7][\u11a8-\u11ff]?|.[\u0300-\u036f\u3099\u309a]*")
_HAN_NUMBER = re.compile("[〇一二三四五六七八九十百]")
_HAN = re.compile("[\u3400-\u9fff]")


@dataclass(frozen=True, slots=True)
class Found:
    """One expression, not yet held against a calendar; `span` counts characters of the text as it was given."""

    span: tuple[int, int]
    frame: FrameRule
    points: tuple[Point, ...]
    amount: Amount | None


def found(text: str, pack: Pack) -> Iterator[Found]:
    """Every expression of time in a text, in order; what is said to be none is left out by its frame."""
    plain, places = _plain(text)
    nodes = list(_nodes(plain, text, places, pack))
    if not nodes:
        return
    for node in pack.frames.applied(pack.joins.applied(pack.atoms.applied(nodes, _atom), _joined), _framed):
        if node.code == _FOUND and _stands(plain, node, pack):
            frame, points, amount = cast("tuple[FrameRule, tuple[Point, ...], Amount | None]", node.senses["found"])
            start, end = (node.start, node.end) if places is None else (places[node.start], places[node.end])
            yield Found((start, end), frame, points, amount)


# --- letters -----------------------------------------------------------------------------------------------------


def _plain(text: str) -> tuple[str, list[int] | None]:
    """The text as it is compared, and where each of its characters comes from; None: from the same place."""
    folded = text.casefold()
    if len(folded) == len(text) and (text.isascii() or unicodedata.is_normalized("NFKC", text)):
        return folded, None
    pieces: list[str] = []
    places: list[int] = []
    for match in _CLUSTER.finditer(text):
        piece = _normal(match[0][:40])
        pieces.append(piece)
        places += [match.start()] * len(piece)
    return "".join(pieces), [*places, len(text)]


@lru_cache(maxsize=4096)
def _normal(cluster: str) -> str:
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", cluster).casefold())


# --- words -------------------------------------------------------------------------------------------------------


def _nodes(plain: str, text: str, places: list[int] | None, pack: Pack) -> Iterator[Node]:
    """The words that the pack knows; between those that do not touch, a break."""
    at = -1
    for match in pack.lexer.finditer(plain):
        at_first = match.start() if places is None else places[match.start()]
        node = _node(match, text[at_first].isupper(), pack)
        if 0 <= at < match.start():
            yield _BREAK if plain[at : match.start()].strip(" \t") else _GAP
        yield node
        at = match.end()


def _node(match: re.Match[str], upper: bool, pack: Pack) -> Node:
    written, kind = match[0], match.lastgroup or ""
    if kind in ("word", "sign"):
        word = (" " if pack.joined is Joined.SPACED else "").join(written.split())
        if word in pack.lowercase and upper:
            return _BREAK
        if word in pack.capitals and not upper:
            word += LOWER
        code, senses = pack.words[word]
    elif kind == "number":
        code, senses = pack.digits.get(int(written), (" ", {}))
    else:
        code, senses = pack.words["#" + kind][0], {kind: tuple(map(int, re.split("[-/.:]", written)))}
    return Node(code, match.start(), match.end(), senses)


def _stands(plain: str, node: Node, pack: Pack) -> bool:
    """Whether the expression is cut out of the text where words begin and end."""
    before, rest = plain[node.start - 1 : node.start], _LETTERS.match(plain, node.end)
    if pack.joined is Joined.PARTICLES:
        return not before.isalpha() and rest is not None and (not rest[0] or rest[0] in pack.particles)
    if pack.joined is Joined.UNSPACED:
        return not (_HAN_NUMBER.match(plain, node.start) and _HAN.match(before))
    return True


# --- points and lengths ------------------------------------------------------------------------------------------


def _atom(rule: AtomRule, slots: Slots) -> tuple[str, Senses]:
    match rule:
        case PointRule():
            point = _point(rule, dict(slots))
            return _pointed(point, framed=rule.framed)
        case AmountRule():
            amount = _amount(slots)
            return AMOUNT, {"amount": amount, "length": amount}
        case EitherRule(unit):
            return _either(cast("int", slots[0][1]), unit)
        case _:
            return CLOCK, {"clock": _clock(rule, dict(slots))}


def _pointed(point: Point, *, framed: bool) -> tuple[str, Senses]:
    if framed:
        return FRAMED, {"when": point, "framed": point}
    return WHEN, {"when": point, "alone": point}


def _point(rule: PointRule, slots: dict[str, object]) -> Point:
    shift = cast("Shift | None", slots.get("cell")) or rule.shift
    if "period" in slots:
        by = rule.step if rule.step is not None else cast("int", slots.get("step", 0))
        shift = Shift(cast("Unit", slots["period"]), by)
    year, month, day, numbers = _written(slots)
    return Point(
        year=year,
        month=month,
        day=day,
        numbers=numbers,
        weekday=_number(slots, "weekday"),
        shift=shift,
        toward=rule.toward,
        today=rule.today,
    )


def _written(slots: dict[str, object]) -> tuple[int | None, int | None, int | None, tuple[int, int] | None]:
    """Year, month, day, and two numbers that are a day and a month."""
    numbers = next((cast("tuple[int, ...]", slots[name]) for name in WRITTEN if name in slots), ())
    if "iso" in slots or "ym" in slots:
        return numbers[0], numbers[1], numbers[2] if len(numbers) > 2 else None, None
    if numbers:
        return numbers[2] if len(numbers) > 2 else None, None, None, (numbers[0], numbers[1])
    month = _number(slots, "monthname", "month", "lower")
    return _number(slots, "year"), month, _number(slots, "day", "ordinal"), None


def _number(slots: dict[str, object], *names: str) -> int | None:
    return next((cast("int", slots[name]) for name in names if name in slots), None)


def _amount(slots: Slots) -> Amount:
    parts: list[tuple[int, Unit]] = []
    count = 1
    for slot, value in slots:
        if slot == "long":
            parts += cast("Amount", value)
        elif slot in ("n", "digits"):
            count = cast("int", value)
        else:
            parts.append((count, cast("Unit", value)))
            count = 1
    return tuple(parts)


def _either(number: int, unit: Unit) -> tuple[str, Senses]:
    amount: Amount = ((number, unit),)
    if number > 31:
        return AMOUNT, {"amount": amount, "length": amount}
    point = Point(day=number)
    return EITHER, {"amount": amount, "when": point, "framed": point}


def _clock(rule: ClockRule, slots: dict[str, object]) -> Clock:
    """Hours from 1 to 12 need to be said to be before or after noon."""
    said = {"hour": rule.hour, "minute": rule.minute, **slots}
    hour, minute = cast("tuple[int | None, int]", slots.get("colon", (said["hour"], said["minute"])))
    if hour is None or hour > 24 or minute > 59:
        return Clock(hour=None)
    if "half" in slots and hour <= 12:
        hour = hour % 12 + (12 if slots["half"] == "pm" else 0)
    elif 1 <= hour <= 12 and rule.hour is None:
        return Clock(hour=None)
    return Clock(hour=hour % 24, minute=minute)


def _joined(rule: None, slots: Slots) -> tuple[str, Senses]:
    """A day with a time or a part of it; a part is not counted."""
    given = dict(slots)
    point = cast("Point", given.get("alone") or given.get("framed") or Point(shift=Shift(Unit.DAY, 0)))
    if "clock" in given:
        return _pointed(replace(point, clock=cast("Clock", given["clock"])), framed=False)
    return _pointed(point, framed="framed" in given)


def _framed(rule: FrameRule, slots: Slots) -> tuple[str, Senses]:
    points = [cast("Point", value) for slot, value in slots if slot in ("when", "alone")]
    points += [Point(clock=cast("Clock", value)) for slot, value in slots if slot == "clock"]
    amount = next((value for slot, value in slots if slot in ("amount", "length")), None)
    return _FOUND, {"found": (rule, tuple(points), amount)}
