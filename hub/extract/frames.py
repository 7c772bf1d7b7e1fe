"""Frames: the ways to say a fact in one language, and what is claimed when somebody says it so."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum

from hub.documents import Fields
from hub.extract.patterns import Notation, Pattern, compiled
from hub.extract.when import Toward

_SLOT = re.compile(r"\{([a-z_]+)\}")
_CLAIM = ("relation", "value", "object", "kind", "names", "noun", "of", "not", "change", "time")
_FRAME = ("say", "anywhere", "toward", "marked", "claims", "examples", "refuse", "needs_time")


class Timing(StrEnum):
    """What a time that is said beside a fact is for: its start, its end, what it describes, or nothing."""

    FROM = "from"
    ON = "on"
    LASTS = "lasts"
    NONE = "none"


@dataclass(frozen=True, slots=True, kw_only=True)
class Claimed:
    """A fact in which `{slot}` stands for the words found there.

    `names`: the object is told to be called so; `noun`: what it is to the customer, by whom the relation holds.
    `of`: the thing it is said of, in a slot, or `it`, the one that was spoken of last; None: the customer.
    """

    relation: str
    value: str | None
    obj: str | None
    kind: str | None
    names: bool
    noun: str | None
    of: str | None
    negated: bool
    change: bool
    timing: Timing


@dataclass(frozen=True, slots=True, kw_only=True)
class Frame:
    """`anywhere`: wherever the words stand in a sentence. `refuse`: it is understood, so that nothing is claimed.
    `needs_time`: without a time said beside it, it says nothing."""

    patterns: tuple[Pattern, ...]
    claims: tuple[Claimed, ...]
    anywhere: bool
    refuse: bool
    needs_time: bool
    toward: Toward | None
    examples: Mapping[str, tuple[str, ...]]

    @property
    def claimed(self) -> frozenset[str]:
        """The slots whose words are in a claim."""
        parts = (part for c in self.claims for part in (c.relation, c.value, c.obj, c.kind, c.of))
        return frozenset(slot for part in parts for slot in slots_in(part))


def read_frames(top: Fields, notation: Notation, *, bare: bool) -> tuple[Frame, ...]:
    """The list under `frames`; with `bare`, without those that need the marks on their letters."""
    listed = top.values.get("frames", [])
    if not isinstance(listed, list):
        raise top.wrong("has no list of `frames`", "write `frames:` and then `- say: …`")
    fields = [Fields.of(one, f"{top.name} frame {n}", top.code, (*_FRAME, *_CLAIM)) for n, one in enumerate(listed, 1)]
    return tuple(_frame(one, notation) for one in fields if not (bare and one.flag("marked")))


def _frame(fields: Fields, notation: Notation) -> Frame:
    refuse = fields.flag("refuse")
    return Frame(
        patterns=tuple(compiled(text, notation) for text in fields.texts("say")),
        claims=() if refuse else tuple(_claims(fields)),
        anywhere=fields.flag("anywhere"),
        refuse=refuse,
        needs_time=fields.flag("needs_time"),
        toward=fields.choice("toward", Toward) if fields.has("toward") else None,
        examples=_examples(fields),
    )


def _claims(fields: Fields) -> Iterator[Claimed]:
    """One claim written into the frame itself, or a list of them."""
    listed = fields.values.get("claims")
    if listed is None:
        yield _claimed(fields)
        return
    if not isinstance(listed, list):
        raise fields.wrong("has `claims` that are no list", "write `- {relation: …}` lines")
    for one in listed:
        yield _claimed(Fields.of(one, f"{fields.name} claim", fields.code, _CLAIM))


def _claimed(fields: Fields) -> Claimed:
    def maybe(key: str) -> str | None:
        return fields.text(key) if fields.has(key) else None

    return Claimed(
        relation=fields.text("relation"),
        value=maybe("value"),
        obj=maybe("object"),
        kind=maybe("kind"),
        names=fields.flag("names"),
        noun=maybe("noun"),
        of=maybe("of"),
        negated=fields.flag("not"),
        change=fields.flag("change"),
        timing=fields.choice("time", Timing) if fields.has("time") else Timing.FROM,
    )


def _examples(fields: Fields) -> dict[str, tuple[str, ...]]:
    part = fields.part("examples")
    return {sentence: part.texts(sentence) for sentence in part.values}


def slots_in(template: str | None) -> list[str]:
    """The names of the slots that a template needs."""
    return _SLOT.findall(template or "")
