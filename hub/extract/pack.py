"""A language's pack, read from its file and compiled: words, kinds of slots, and the frames in which facts are said."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path

from hub.documents import Fields, parse
from hub.errors import Incorrect
from hub.extract.frames import Frame, read_frames, slots_in
from hub.extract.others import Others, read_others
from hub.extract.particles import MARKS, PARTICLES, particled
from hub.extract.patterns import BAD, SPACE_OR_TIME, TIMED, Notation, Pattern, Slot, alternatives, compiled
from hub.extract.slots import SlotType, Spacing, Written, read_slots, replace_edges
from hub.text import fold

_FOLDER = Path(__file__).parent / "packs"
_GUARDS = ("openers", "tails", "guards", "formerly", "nowadays", "asks", "tags", "starters")
_KEYS = (
    *("spacing", "lists", "goods", "joints", "list_joints", "questions", "rates", "lengths", "shared"),
    *("goes_on", "speaker", "particles", "others", "endings"),
    *("slots", "things", "spelling", "frames", *_GUARDS),
)
_SPACES = {Spacing.WORDS: f"[\\s{TIMED}]+?", Spacing.LOOSE: f"[\\s{TIMED}]*?", Spacing.NONE: f"[\\s、，,{TIMED}]*?"}
_EDGES = {Spacing.WORDS: r"(?:(?<!\w)|(?!\w))", Spacing.LOOSE: rf"(?![\w{MARKS}])", Spacing.NONE: ""}
SPACE_ALONE = r"\s+"
_BREAKS = r"\s*[,;()–—、，；：（）]+\s*|:\s+|\s-+\s"


@dataclass(frozen=True, slots=True)
class Things:
    """How things are mentioned, “my car”, “the Civic”, “xe của tôi”, “it”; `kinds` maps nouns, as compared."""

    before: re.Pattern[str]
    after: re.Pattern[str]
    pronouns: re.Pattern[str]
    kinds: Mapping[str, str]
    goods: frozenset[str]
    """The kinds of things that people own."""


@dataclass(frozen=True, slots=True)
class Shared:
    """A noun that the words of a list share: “Thai and Vietnamese food”."""

    nouns: re.Pattern[str]
    before: re.Pattern[str]


@dataclass(frozen=True, slots=True)
class Candidate:
    """A pattern, and the frame that it is a way to say. `goes_on`: after another statement, whose subject is meant."""

    pattern: Pattern
    frame: Frame
    goes_on: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Pack:
    """A language, compiled.

    A clause may begin after `breaks`. What `guards` begin says nothing of the customer, to its sentence's end, and what
    `formerly` begin nothing either, up to a clause that begins with one of `nowadays`. `asks` begin a question and
    `questions` end one, and `tags` make a question of all that went before. `openers` come before a statement and
    `tails` after it without changing it; `starters` begin clauses, so that no list goes on with them. `rates` are words
    of time that say how often. `found` lists every candidate under each word of which a sentence has to hold one.
    """

    lang: str
    bare: bool
    frames: tuple[Frame, ...]
    found: Mapping[str, tuple[int, ...]]
    candidates: tuple[Candidate, ...]
    slots: Mapping[str, SlotType]
    things: Things
    spelling: Mapping[str, str]
    spacing: Spacing
    breaks: re.Pattern[str]
    openers: re.Pattern[str]
    tails: re.Pattern[str]
    guards: re.Pattern[str]
    formerly: re.Pattern[str]
    nowadays: re.Pattern[str]
    asks: re.Pattern[str]
    tags: re.Pattern[str]
    questions: re.Pattern[str]
    starters: re.Pattern[str]
    rates: re.Pattern[str]
    lengths: Mapping[int, str]
    """How so many days are written; under 0 for any number."""
    shared: Shared
    speaker: re.Pattern[str] | None
    """With which words the speaker is named, in a language where a subject goes on unsaid from clause to clause."""
    others: Others | None
    """How other people are spoken of; None in a language for which that is not known."""
    compared: Callable[[str], str]
    """As words are compared, character for character."""


def lowered(text: str) -> str:
    """In small letters, character for character: no letter grows into two."""
    low = text.lower()
    return low if len(low) == len(text) else "".join(c.lower() if len(c.lower()) == 1 else c for c in text)


def shipped_pack(lang: str, nouns: Mapping[str, str], *, bare: bool = False) -> Pack | None:
    """The pack that comes with the hub, compiled once; None for a language without one.

    `bare` compares letters without their marks. `nouns`: those of the language, and the kind of thing each names.
    """
    return _shipped(lang, tuple(nouns.items()), bare)


@lru_cache(maxsize=16)
def _shipped(lang: str, nouns: tuple[tuple[str, str], ...], bare: bool) -> Pack | None:
    file = _FOLDER / f"{lang}.yaml"
    return pack_from(file.read_text(encoding="utf-8"), file.name, dict(nouns), bare=bare) if file.is_file() else None


@lru_cache(maxsize=1)
def endings() -> tuple[str, ...]:
    """What says, in any of the languages, that something is no more."""
    files = sorted(_FOLDER.glob("*.yaml"))
    packs = (Fields.of(parse(file.read_text(encoding="utf-8"), file.name), file.name, BAD, _KEYS) for file in files)
    return tuple(ending for pack in packs for ending in pack.texts("endings"))


def pack_from(text: str, source: str, nouns: Mapping[str, str], *, bare: bool = False) -> Pack:
    """The pack written in `text`; raises Incorrect `bad_pack`, naming the pattern or the key."""
    top = Fields.of(parse(text, source), source, BAD, _KEYS)
    spacing = top.choice("spacing", Spacing)
    compared: Callable[[str], str] = fold if bare else particled(top.part("particles", PARTICLES), lowered)
    nouns = {compared(noun): kind for noun, kind in nouns.items()}
    notation = _notation(top, spacing, compared, nouns)
    slots = read_slots(top, notation, spacing)
    notation = _with_slots(notation, slots)
    frames = read_frames(top, notation, bare=bare)
    candidates = (*_candidates(frames), *_going_on(top, frames, notation))
    _check(top, candidates, slots)
    guards = {key: alternatives(top.texts(key), notation) for key in _GUARDS}
    return Pack(
        lang=source.removesuffix(".yaml"),
        bare=bare,
        frames=frames,
        found=_found(candidates),
        candidates=candidates,
        slots=slots,
        things=_things(top, notation, nouns),
        spelling={key: top.part("spelling").text(key) for key in top.part("spelling").values},
        spacing=spacing,
        breaks=_breaks(top, notation),
        questions=_ending(alternatives(top.texts("questions"), replace_edges(notation))),
        rates=alternatives(top.texts("rates"), notation),
        lengths={1: top.part("lengths").text("one"), 0: top.part("lengths").text("many")},
        shared=_shared(top, notation),
        speaker=alternatives(top.texts("speaker"), notation) if top.has("speaker") else None,
        others=read_others(top, compared, spacing is Spacing.WORDS),
        compared=compared,
        **guards,
    )


def _candidates(frames: tuple[Frame, ...]) -> Iterator[Candidate]:
    return (Candidate(pattern, frame) for frame in frames for pattern in frame.patterns)


def _going_on(top: Fields, frames: tuple[Frame, ...], notation: Notation) -> Iterator[Candidate]:
    """What is left of the patterns where the subject is not said again: “I live in Hue and work at FPT”."""
    part = top.part("goes_on")
    left = {opening: str(part.values[opening] or "") for opening in part.values}
    for candidate in _candidates(frames):
        for opening, instead in left.items():
            rest = candidate.pattern.text.removeprefix(opening)
            if rest != candidate.pattern.text and rest.startswith(" ") and not candidate.frame.anywhere:
                with suppress(Incorrect):  # what is left may say nothing without its subject
                    yield Candidate(compiled(instead + rest, notation), candidate.frame, goes_on=True)


def _notation(top: Fields, spacing: Spacing, compared: Callable[[str], str], nouns: Mapping[str, str]) -> Notation:
    part = top.part("lists")
    lists = {name: part.texts(name) for name in part.values} | {key: top.texts(key) for key in _GUARDS}
    lists["noun"] = tuple(nouns)
    lists["good"] = tuple(noun for noun, kind in nouns.items() if kind in top.texts("goods"))
    spaced = spacing is Spacing.WORDS
    return Notation(
        lists=lists,
        spaced=_SPACES[spacing],
        start=r"(?<!\w)" if spaced else "",
        edge=_EDGES[spacing],
        compared=compared,
        filled=lambda slot, last: "(?!)",
        phrases=lambda slot: (),
    )


def _with_slots(notation: Notation, slots: Mapping[str, SlotType]) -> Notation:
    def filled(slot: Slot, last: bool) -> str:
        if slot.type not in slots:
            raise Incorrect(BAD, f"there is no slot `{slot.type}`", "describe it under `slots`", where=slot.name)
        return slots[slot.type].filled(last)

    return replace(notation, filled=filled, phrases=lambda slot: slots[slot.type].phrases)


def _breaks(top: Fields, notation: Notation) -> re.Pattern[str]:
    """Words of time beside a joint belong to one of the clauses that it parts, and not to the joint."""
    joints = alternatives(top.texts("joints"), replace_edges(notation)).pattern
    return re.compile(f"{_BREAKS}|{joints.replace(SPACE_OR_TIME, SPACE_ALONE)}")


def _things(top: Fields, notation: Notation, nouns: Mapping[str, str]) -> Things:
    part = top.part("things", ("before", "after", "pronouns"))
    edgeless = replace_edges(notation)
    return Things(
        before=alternatives(part.texts("before"), edgeless),
        after=alternatives(part.texts("after"), edgeless),
        pronouns=alternatives(part.texts("pronouns"), notation),
        kinds=nouns,
        goods=frozenset(top.texts("goods")),
    )


def _ending(words: re.Pattern[str]) -> re.Pattern[str]:
    return re.compile(f"{words.pattern}\\s*\\Z")


def _shared(top: Fields, notation: Notation) -> Shared:
    part = top.part("shared", ("nouns", "before"))
    return Shared(alternatives(part.texts("nouns"), notation), alternatives(part.texts("before"), notation))


def _found(candidates: tuple[Candidate, ...]) -> dict[str, tuple[int, ...]]:
    found: dict[str, list[int]] = {}
    for number, candidate in enumerate(candidates):
        for anchor in candidate.pattern.anchors:
            found.setdefault(anchor, []).append(number)
    return {anchor: tuple(numbers) for anchor, numbers in found.items()}


def _check(top: Fields, candidates: tuple[Candidate, ...], slots: Mapping[str, SlotType]) -> None:
    """Every slot that a claim speaks of stands in every pattern of its frame, and is written as is needed there."""
    for candidate in candidates:
        named = candidate.pattern.slots
        if candidate.goes_on:
            continue
        for claim in candidate.frame.claims:
            wanted = (claim.relation, claim.value, claim.obj, claim.kind, claim.of)
            for slot in (slot for template in wanted for slot in slots_in(template)):
                if slot not in named:
                    raise top.wrong(f"claims `{slot}`, which is not in `{candidate.pattern.text}`", "name it there")
            if any(slots[named[slot]].write is not Written.THING for slot in slots_in(claim.of)):
                raise top.wrong(f"says `{claim.relation}` of what is no thing", "use a slot with `write: thing`")
