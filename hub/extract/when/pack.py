"""How a language speaks of time, read from its file: words, points, lengths and the frames around them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from pathlib import Path

from hub.documents import Fields, parse
from hub.errors import Incorrect
from hub.extract.when.calendar import Amount, Shift, Toward, Unit
from hub.extract.when.phrases import BAD, Codes, Senses, Stage
from hub.text import fold

LANGUAGES = ("en", "ko", "vi", "ja")

WHEN, FRAMED, AMOUNT, EITHER, CLOCK = "WwAEC"
"""What a stage makes: a point, one that needs a frame to be one, a length, a point or a length, a time of day."""

LOWER = "~"
"""Ends a word that is written in lower case though its sense as a time is a capital's, such as “may”."""

_WORDS = ("numbers", "ordinals", "months", "weekdays", "halves", "units", "cells", "steps", "lengths", "parts")
_PHRASES = ("points", "amounts", "either", "clocks", "joins", "frames")
_KEYS = (
    "joined",
    "number_words",
    "lowercase",
    "capitals",
    "marked",
    "blocked",
    "particles",
    "numeric",
    *_WORDS,
    *_PHRASES,
)
_DIGITS: Mapping[str, range] = {
    "n": range(1, 1000),
    "month": range(1, 13),
    "day": range(1, 32),
    "hour": range(25),
    "minute": range(60),
    "year": range(1900, 2200),
}
_MADE: Mapping[str, str] = {
    "when": WHEN + FRAMED + EITHER,
    "alone": WHEN,
    "framed": FRAMED + EITHER,
    "amount": AMOUNT + EITHER,
    "length": AMOUNT,
    "clock": CLOCK,
}
WRITTEN = ("iso", "ym", "numeric", "short", "colon")
"""Slots that are filled by the way digits are written: 2026-10-03, 2026-10, 10/03/2026, 10/03, 17:30."""


class Role(StrEnum):
    """What an expression says: a stretch, its start or end, a length, or a distance from now; NONE says nothing."""

    ON = "on"
    SINCE = "since"
    UNTIL = "until"
    DURATION = "duration"
    AHEAD = "ahead"
    AGO = "ago"
    NONE = "none"


class Joined(StrEnum):
    """How words meet: with spaces between them, with particles at their end, or without any sign."""

    SPACED = "spaced"
    PARTICLES = "particles"
    UNSPACED = "unspaced"


@dataclass(frozen=True, slots=True, kw_only=True)
class PointRule:
    """What a phrase adds to what its slots say; `framed`: on its own it is no time, as “March” is not."""

    step: int | None = None
    shift: Shift | None = None
    toward: Toward | None = None
    today: bool = False
    framed: bool = False


@dataclass(frozen=True, slots=True)
class AmountRule:
    """Numbers and units in turn; a unit without a number is one of them."""


@dataclass(frozen=True, slots=True)
class EitherRule:
    """`{n} 日`: a day of the month, or so many days."""

    unit: Unit


@dataclass(frozen=True, slots=True)
class ClockRule:
    """A time of day that the words themselves say, as far as its slots do not."""

    hour: int | None
    minute: int


@dataclass(frozen=True, slots=True, kw_only=True)
class FrameRule:
    """`toward` is said by the frame, `usually` holds if the sentence says nothing else. `beyond`: the point itself
    is left out. `vague`: about; only months and years bear it. `bare`: a length without a word that says what for.
    """

    role: Role
    toward: Toward | None = None
    usually: Toward | None = None
    beyond: bool = False
    vague: bool = False
    bare: bool = False


AtomRule = PointRule | AmountRule | EitherRule | ClockRule


@dataclass(frozen=True, slots=True)
class Numeric:
    """How 10/03 is read: in a zone or area by its own order, elsewhere by `otherwise`; None: not at all."""

    zones: Mapping[str, str]
    otherwise: str | None

    def order(self, zone: str) -> str | None:
        area = zone.partition("/")[0] + "/*"
        return self.zones.get(zone, self.zones.get(area, self.otherwise))


@dataclass(frozen=True, slots=True)
class Pack:
    """A language, compiled. `words`: a word to its code and senses; `atoms`, `joins`, `frames` run in that order."""

    joined: Joined
    lexer: re.Pattern[str]
    words: Mapping[str, tuple[str, Senses]]
    digits: Mapping[int, tuple[str, Senses]]
    lowercase: frozenset[str]
    capitals: frozenset[str]
    particles: frozenset[str]
    numeric: Numeric
    atoms: Stage[AtomRule]
    joins: Stage[None]
    frames: Stage[FrameRule]


@lru_cache(maxsize=16)
def pack_of(lang: str, *, bare: bool = False) -> Pack:
    """The pack of a language; `bare`: for text written without the marks of its letters."""
    file = Path(__file__).with_name(f"{lang}.yaml")
    return read(file.read_text(encoding="utf-8"), file.name, bare=bare)


def read(text: str, source: str, *, bare: bool = False) -> Pack:
    """The pack written in `text`; raises `bad_pack`, naming what is wrong, or `bad_document`."""
    return _Reading(Fields.of(parse(text, source), source, BAD, _KEYS), bare).pack()


class _Reading:
    def __init__(self, top: Fields, bare: bool) -> None:
        self._top = top
        self._bare = bare
        self._joined = top.choice("joined", Joined)
        self._codes = Codes(self._plain)
        self._senses: dict[str, dict[str, object]] = {}
        self._spaced: dict[str, str] = {}

    def pack(self) -> Pack:
        capitals = self._words_of("capitals")
        for word, slot, value in self._vocabulary():
            self._learn(word, slot, value)
            if word in capitals:
                self._learn(word + LOWER, "lower", value)
        digits = self._digits()
        self._fill_made()
        stages = (
            Stage(self._atoms(), self._codes),
            Stage(self._joins(), self._codes),
            Stage(self._frames(), self._codes),
        )
        for word in self._words_of("blocked"):
            self._codes.of(word)
        words = {word: (code, self._senses.get(word, {})) for word, code in self._codes.words()}
        return Pack(
            joined=self._joined,
            lexer=re.compile(self._lexer(words)),
            words=words,
            digits=digits,
            lowercase=frozenset(self._words_of("lowercase")),
            capitals=frozenset(capitals),
            particles=frozenset(self._top.texts("particles")),
            numeric=_numeric(self._top.part("numeric", ("zones", "otherwise"))),
            atoms=stages[0],
            joins=stages[1],
            frames=stages[2],
        )

    # --- words -------------------------------------------------------------------------------------------------

    def _plain(self, word: str) -> str:
        """A word as the lexer looks it up."""
        word = fold(word) if self._bare else word.casefold()
        if self._joined is Joined.SPACED:
            return " ".join(word.split())
        whole = "".join(word.split())
        self._spaced.setdefault(whole, word)  # a space that is written here may be left out
        return whole

    def _words_of(self, key: str) -> set[str]:
        return {self._plain(word) for word in self._top.texts(key)}

    def _learn(self, word: str, slot: str, value: object) -> None:
        senses = self._senses.setdefault(word, {})
        if slot not in senses:
            self._codes.fill(slot, self._codes.of(word))
            senses[slot] = value

    def _vocabulary(self) -> Iterator[tuple[str, str, object]]:
        number_slots = self._top.texts("number_words")
        for number, word in self._listed("numbers"):
            for slot in number_slots:
                if number in _DIGITS[slot]:
                    yield word, slot, number
        for key, slot in (("ordinals", "ordinal"), ("months", "monthname"), ("steps", "step")):
            for number, word in self._listed(key):
                yield word, slot, number
        for number, word in self._listed("weekdays"):
            yield word, "weekday", number - 1
        yield from self._units()
        for key, words in self._texts_by("lengths"):
            yield from ((word, "long", _length(key)) for word in words)
        for key, words in self._texts_by("halves", ("am", "pm")):
            yield from ((word, "half", key) for word in words)
        yield from ((part, "part", None) for part in self._kept(self._top, "parts"))

    def _units(self) -> Iterator[tuple[str, str, object]]:
        for key, words in self._texts_by("units", tuple(Unit)):
            unit = Unit(key)
            for word in words:
                if unit is not Unit.WEEKEND:
                    yield word, "unit", unit
                if unit not in (Unit.MINUTE, Unit.HOUR, Unit.DAY):
                    yield word, "period", unit
        cells = self._top.part("cells", (Unit.DAY, Unit.WEEK, Unit.WEEKEND, Unit.MONTH, Unit.YEAR))
        for key in cells.values:
            by_shift = cells.part(key)
            for shift in by_shift.values:
                yield from ((word, "cell", Shift(Unit(key), _int(shift, key))) for word in self._kept(by_shift, shift))

    def _listed(self, key: str) -> Iterator[tuple[int, str]]:
        for number, words in self._texts_by(key):
            yield from ((_int(number, key), word) for word in words)

    def _texts_by(self, key: str, allowed: Iterable[str] | None = None) -> Iterator[tuple[str, list[str]]]:
        part = self._top.part(key, allowed)
        for name in part.values:
            yield name, self._kept(part, name)

    def _kept(self, part: Fields, name: str) -> list[str]:
        """The words of a list; in text without marks, those of `marked` mean something else."""
        left_out = self._words_of("marked") if self._bare else set()
        return [word for word in map(self._plain, part.texts(name)) if word not in left_out]

    def _digits(self) -> dict[int, tuple[str, Senses]]:
        """Numbers that fill the same slots share a code."""
        found: dict[int, tuple[str, Senses]] = {}
        for number in (*range(1000), *_DIGITS["year"]):
            slots = [slot for slot, numbers in _DIGITS.items() if number in numbers]
            code = self._codes.of("#" + " ".join(slots))
            if number in (0, 1, 13, 25, 32, 60, 1900):
                for slot in (*slots, "digits"):
                    self._codes.fill(slot, code)
            found[number] = (code, dict.fromkeys([*slots, "digits"], number))
        for slot in WRITTEN:
            self._codes.fill(slot, self._codes.of("#" + slot))
        return found

    def _fill_made(self) -> None:
        for slot, codes in _MADE.items():
            self._codes.fill(slot, codes)

    def _lexer(self, words: Mapping[str, object]) -> str:
        known = sorted((w for w in words if w[0] != "#" and w[-1] != LOWER), key=lambda word: (-len(word), word))
        if self._joined is not Joined.SPACED:
            either = "|".join(re.escape(self._spaced.get(word, word)).replace(r"\ ", " ?") for word in known)
            return _NUMBERS + f"|(?P<word>{either})"
        signs = "|".join(re.escape(word) for word in known if not word[0].isalnum()) or "(?!)"
        either = "|".join(re.escape(word).replace(r"\ ", " +") for word in known if word[0].isalnum())
        return _NUMBERS + rf"|(?P<sign>{signs})|(?<![^\W\d_])(?P<word>{either})(?![^\W_])"

    # --- phrases -----------------------------------------------------------------------------------------------

    def _atoms(self) -> Iterator[tuple[str, AtomRule]]:
        for fields, says in self._entries("points", ("step", "shift", "toward", "today", "framed")):
            point = PointRule(
                step=_whole(fields, "step"),
                shift=_shift(fields),
                toward=_toward(fields, "toward"),
                today=fields.flag("today"),
                framed=fields.flag("framed"),
            )
            yield from ((say, point) for say in says)
        yield from ((say, AmountRule()) for say in self._top.texts("amounts"))
        for fields, says in self._entries("either", ("unit",)):
            yield from ((say, EitherRule(fields.choice("unit", Unit))) for say in says)
        for fields, says in self._entries("clocks", ("hour", "minute")):
            clock = ClockRule(_whole(fields, "hour"), _whole(fields, "minute") or 0)
            yield from ((say, clock) for say in says)

    def _joins(self) -> Iterator[tuple[str, None]]:
        """What is joined to a point leaves it as it is: one that needs a frame still needs it."""
        for say in self._top.texts("joins"):
            yield from ((say.replace("{when}", kind), None) for kind in ("{alone}", "{framed}"))

    def _frames(self) -> Iterator[tuple[str, FrameRule]]:
        by_role = self._top.part("frames", tuple(Role))
        for role in by_role.values:
            for fields, says in self._entries(role, ("toward", "usually", "beyond", "vague", "bare"), by_role):
                frame = FrameRule(
                    role=Role(role),
                    toward=_toward(fields, "toward"),
                    usually=_toward(fields, "usually"),
                    beyond=fields.flag("beyond"),
                    vague=fields.flag("vague"),
                    bare=fields.flag("bare"),
                )
                yield from ((say, frame) for say in says)

    def _entries(
        self, key: str, allowed: tuple[str, ...], top: Fields | None = None
    ) -> Iterator[tuple[Fields, tuple[str, ...]]]:
        """The phrases of a list, each with what stands beside it."""
        top = top or self._top
        entries = top.values.get(key, [])
        if not isinstance(entries, list):
            raise top.wrong(f"needs a list as `{key}`", "write `- …` lines")
        for entry in entries:
            given = {"say": [entry]} if isinstance(entry, str) else entry
            fields = Fields.of(given, f"{top.name} `{key}`", BAD, ("say", "marked", *allowed))
            if not (self._bare and fields.flag("marked")):
                yield fields, fields.texts("say")


# A number that is part of a code, a decimal, a range or a version is none that is meant here.
_GUARD = r"(?<![A-Za-z0-9_])(?<![0-9][.,:/~〜–-])(?<![A-Za-z][-/])"
_NO_MORE = r"(?![0-9]|[.,:/~〜–-][0-9])"
_NUMBERS = (
    f"{_GUARD}(?:(?P<iso>[0-9]{{4}}([-/.])[0-9]{{1,2}}\\2[0-9]{{1,2}})|(?P<ym>[0-9]{{4}}[-/][0-9]{{1,2}})"
    f"|(?P<numeric>[0-9]{{1,2}}([-/.])[0-9]{{1,2}}\\5[0-9]{{4}})|(?P<short>[0-9]{{1,2}}/[0-9]{{1,2}})"
    f"|(?P<colon>[0-9]{{1,2}}:[0-9]{{2}})|(?P<number>[0-9]{{1,4}})){_NO_MORE}"
)


def _numeric(part: Fields) -> Numeric:
    zones = part.part("zones", ("dm", "md"))
    return Numeric(
        {zone: order for order in zones.values for zone in zones.texts(order)},
        part.text("otherwise") if part.has("otherwise") else None,
    )


def _length(key: str) -> Amount:
    return tuple((one.by, one.unit) for one in [_counted(key)])


def _whole(fields: Fields, key: str) -> int | None:
    return int(fields.number(key)) if fields.has(key) else None


def _toward(fields: Fields, key: str) -> Toward | None:
    return fields.choice(key, Toward) if fields.has(key) else None


def _shift(fields: Fields) -> Shift | None:
    return _counted(fields.text("shift")) if fields.has("shift") else None


def _counted(text: str) -> Shift:
    unit, _, count = text.partition(" ")
    if unit not in tuple(Unit):
        raise Incorrect(BAD, f"`{text}` is no length", "write a unit and a number, such as `week 1`", where=text)
    return Shift(Unit(unit), _int(count, text))


def _int(text: str, where: str) -> int:
    if not re.fullmatch(r"-?[0-9]{1,4}", text):
        raise Incorrect(BAD, f"`{text}` in `{where}` is no whole number", "write one, such as `-1`", where=where)
    return int(text)
