"""What an answer shows: its memories, whichever verb gave it, and every text in it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from types import MappingProxyType
from typing import NamedTuple

from hub.answers import FactAnswer, FactHistory, Graph, Memory, Profile, Recalled, Ruling, Step, Timeline
from hub.codec import fields_of
from hub.errors import HubError
from hub.recall.reasons import WhyAnswer, WhyNotAnswer

_ID = re.compile(r"\b(?:fact|turn|ent|act|recall|slot|entry|rec)_[A-Za-z0-9_-]{6,}")
_INSTANT = re.compile(r"\b\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:\d{2})")
_OPAQUE = frozenset({"next", "recall_id", "slot", "key"})
"""Fields made of random letters, which could hold any short text by chance."""
_SAID = frozenset({"value", "attributes"})
"""Fields whose numbers were said by somebody; other numbers are measured or counted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """One memory of an answer; `via` is its path, `None` bounds are open or not told."""

    text: str
    status: str | None = None
    valid_from: datetime | None = None
    valid_to: datetime | None = None
    contested: bool = False
    core: bool = False
    via: str = ""


NO_HEADERS: Mapping[str, str] = MappingProxyType({})


class Told(NamedTuple):
    """A text of an answer, and the road to it: `memories.0.via.1.to`."""

    road: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Sight:
    """All of an answer that checks look at; `abstains`: it says itself that it knows nothing."""

    memories: tuple[Shown, ...] = ()
    upcoming: tuple[Shown, ...] = ()
    texts: tuple[Told, ...] = ()
    abstains: bool = True

    @property
    def all(self) -> tuple[Shown, ...]:
        return self.memories + self.upcoming


def sight_of(answer: object, headers: Mapping[str, str] = NO_HEADERS) -> Sight:
    """What is in an answer, or in the error that came instead of one, and in the headers around it."""
    memories, upcoming = _memories(answer)
    recalled = isinstance(answer, Recalled)
    return Sight(
        memories=tuple(_shown(memory, recalled) for memory in memories) + _drawn(answer) + _explained(answer),
        upcoming=tuple(_shown(memory, recalled) for memory in upcoming),
        texts=tuple(dict.fromkeys((*_texts(answer), *_texts(dict(headers), ("headers",))))),
        abstains=answer.confidence.level == "none" if isinstance(answer, Recalled) else True,
    )


# --- memories ----------------------------------------------------------------------------------------------------


def _memories(answer: object) -> tuple[Iterable[Memory | FactAnswer], Iterable[Memory]]:
    match answer:
        case Recalled():
            return answer.memories, answer.upcoming
        case Profile():
            return [memory for entity in answer.entities for memory in entity.beliefs], ()
        case Timeline():
            return [memory for slot in answer.slots for memory in slot.intervals], ()
        case FactAnswer():
            return [answer], ()
        case FactHistory():
            return [record.fact for record in answer.records if record.fact is not None], ()
    return (), ()


def _shown(memory: Memory | FactAnswer, recalled: bool) -> Shown:
    """Only in a recall do core facts come along unasked."""
    if isinstance(memory, FactAnswer):
        return Shown(text=memory.text, valid_from=memory.valid_from, valid_to=memory.valid_to)
    return Shown(
        text=memory.text,
        status=memory.status.value,
        valid_from=memory.valid_from,
        valid_to=memory.valid_to,
        contested=bool(memory.contested_by),
        core=recalled and memory.core,
        via=path(memory.via),
    )


def path(steps: Iterable[Step]) -> str:
    """A walk in words: `customer owns Honda Civic`."""
    return ", ".join(f"{step.from_} {step.relation} {step.to}" for step in steps)


def _drawn(answer: object) -> tuple[Shown, ...]:
    """A graph's edges and attributes, read like memories."""
    if not isinstance(answer, Graph):
        return ()
    names = {node.id: node.name for node in answer.nodes}
    edges = [
        f"{names.get(edge.source, edge.source)} {edge.relation} {names.get(edge.target, edge.target)}"
        for edge in answer.edges
    ]
    attributes = [f"{node.name} {key}: {value}" for node in answer.nodes for key, value in node.attributes.items()]
    return tuple(Shown(text=text) for text in (*edges, *attributes))


def _explained(answer: object) -> tuple[Shown, ...]:
    """A memory with who told it and the lines that let it be read, or a candidate with what stopped it."""
    match answer:
        case WhyAnswer():
            return tuple(
                Shown(
                    text=f"{why.text}: told by {why.told.author.agent}, read by {', '.join(map(_line, why.rules))}",
                    status=why.status.value,
                    via=path(why.matched.via),
                )
                for why in answer.memories
            )
        case WhyNotAnswer():
            return tuple(
                Shown(text=f"{one.text}: {one.reason}" + ("" if one.rule is None else f", {_line(one.rule)}"))
                for one in answer.candidates
            )
    return ()


def _line(rule: Ruling) -> str:
    return rule.text or rule.why


# --- texts -------------------------------------------------------------------------------------------------------


def _texts(part: object, road: tuple[str, ...] = (), named: str = "") -> Iterator[Told]:
    """Every text of an answer, line by line too; ids, instants and measured numbers give none.

    `named` is the field that the part is in: keys of dictionaries were said by somebody, and name nothing.
    """
    match part:
        case str() if named not in _OPAQUE:
            yield from (Told(".".join(road), line) for line in _lines(_canonical(part)))
        case bool() | int() | float() if named in _SAID:
            yield Told(".".join(road), str(part))
        case dict():
            for key, value in part.items():
                yield Told(".".join(road), str(key))
                yield from _texts(value, (*road, str(key)), named)
        case list() | tuple() | set() | frozenset():
            for number, item in enumerate(part):
                yield from _texts(item, (*road, str(number)), named)
        case HubError():
            told = {"code": part.code, "message": part.message, "fix": part.fix, "where": part.where}
            for key, text in told.items():
                yield from _texts(text, (*road, key))
        case _:
            for field in fields_of(part):
                yield from _texts(getattr(part, field), (*road, field.rstrip("_")), field)


def _lines(text: str) -> Iterator[str]:
    yield text
    if "\n" in text:
        yield from text.splitlines()


def _canonical(text: str) -> str:
    return _INSTANT.sub("<instant>", _ID.sub("<id>", text))
