"""Answers held against what the second evaluator makes of the records that the asker may read."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from functools import lru_cache
from itertools import chain
from typing import NamedTuple, cast

from hub.answers import Memory, Profile, Recalled, Timeline
from hub.codec import decode
from hub.documents import parse
from hub.facts import (
    Arbitration,
    Cardinality,
    Claim,
    Gap,
    Hide,
    Instant,
    Record,
    Relation,
    Scope,
    Status,
    ValueKey,
    Withdraw,
    value_key,
)
from hub.moments import DAY, duration, from_datetime
from hub.play.beliefs import NONE, SAME_AS, Answer, Slot, World
from hub.play.reference import Asking, Recorded, Reference, Version

_KINDS: Mapping[str, type[Record]] = {"claim": Claim, "withdraw": Withdraw, "hide": Hide, "gap": Gap}
"""Those that beliefs are made of."""

Believed = Profile | Recalled | Timeline


class Held(NamedTuple):
    """One stretch of what a slot holds, known by the claim that began it."""

    id: str
    relation: str
    value: ValueKey
    begins: Instant
    ends: Instant | None
    ended_by: str | None


class Disputed(NamedTuple):
    """One side of what is contested, against so many others."""

    subject: str
    relation: str
    value: ValueKey
    others: int


Line = Held | Disputed


def mistakes(
    reference: Reference, asking: Asking, valid_at: Instant | None, answer: Believed, *, whole: bool
) -> Iterator[str]:
    """What an answer says otherwise than the evaluator, or (`whole`) does not say.

    A profile holds all that is believed and to come, a timeline every stretch that ever was; a recall chooses. What is
    contested is compared side by side.
    """
    at = from_datetime(answer.as_of.valid_at) if valid_at is None else valid_at
    known_at = None if answer.as_of.known_at is None else from_datetime(answer.as_of.known_at)
    if (at, asking.known_at) != (from_datetime(answer.as_of.valid_at), known_at):
        yield f"it is answered as of {answer.as_of}"
    world = _world(reference, asking)
    if isinstance(answer, Timeline):
        yield from _told_of_old(world, at, answer, whole=whole)
        return
    due = list(_due(world, at))
    seen = [_line(world, at, memory) for memory in _memories(answer)]
    yield from (f"it says {line}" for line in seen if line not in due)
    if whole and isinstance(answer, Profile):
        yield from (f"it does not say {line}" for line in due if line not in seen)


def _told_of_old(world: World, at: Instant, answer: Timeline, *, whole: bool) -> Iterator[str]:
    due = [_held(world, one) for slot in _slots(world, at) for one in world.history(slot, at)]
    shown = [memory for slot in answer.slots for memory in slot.intervals]
    seen = {_stretch(world, memory): bool(memory.contested_by) for memory in shown}
    yield from (f"it says {line}" for line, contested in seen.items() if line not in due and not contested)
    if whole:
        yield from (f"it does not say {line}" for line in due if line not in seen)


# --- what is due -----------------------------------------------------------------------------------------------------


def _due(world: World, at: Instant) -> Iterator[Line]:
    """All that is believed at a moment, and all that is known to come."""
    for slot in _slots(world, at):
        now = world.ask(slot, at)
        ahead = (one for one in world.history(slot, at) if one.interval is not None and one.interval.start > at)
        for one in chain([] if now.expired else [now], ahead):
            yield from _sides(world, at, slot, one)


def _sides(world: World, at: Instant, slot: Slot, answer: Answer) -> Iterator[Line]:
    held = None if answer.interval is None else _held(world, answer)
    if not answer.contested:
        yield from [] if held is None else [held]
        return
    sides = answer.contested | {NONE if held is None else held.value}
    subject = world.classes(at).get(slot.subject, slot.subject)
    yield from (Disputed(subject, slot.relation, side, len(sides) - 1) for side in sides if side != NONE)


def _held(world: World, answer: Answer) -> Held:
    first = world.by_id[answer.first or ""]
    assert isinstance(first, Claim) and answer.interval is not None, "what holds has begun"
    return Held(first.id, first.relation, _key(first), answer.interval.start, answer.interval.end, answer.superseded_by)


def _slots(world: World, at: Instant) -> Iterator[Slot]:
    """All that any claim speaks of, each once."""
    classes = world.classes(at)
    found: dict[object, Slot] = {}
    for claim in world.known:
        if isinstance(claim, Claim) and claim.relation != SAME_AS and claim.id not in world.erased:
            subject = classes.get(claim.subject.id, claim.subject.id)
            many = world.registry[claim.relation].cardinality is Cardinality.MANY
            value = (claim.value if claim.obj is None else claim.obj) if many else None
            key = world.key_of(claim, classes) if many else None
            found.setdefault((subject, claim.relation, key), Slot(subject, claim.relation, value))
    yield from found.values()


# --- what is said ----------------------------------------------------------------------------------------------------


def _memories(answer: Profile | Recalled) -> Iterator[Memory]:
    """Facts that hold now or later; a recall may tell of others, and of turns."""
    if isinstance(answer, Profile):
        yield from (memory for entity in answer.entities for memory in entity.beliefs)
        return
    for memory in (*answer.memories, *answer.upcoming):
        if memory.kind == "fact" and memory.status in (Status.CURRENT, Status.UPCOMING):
            yield memory


def _line(world: World, at: Instant, memory: Memory) -> Line:
    claim = world.by_id.get(memory.id)
    if not memory.contested_by or not isinstance(claim, Claim):
        return _stretch(world, memory)
    classes = world.classes(at)
    subject = classes.get(claim.subject.id, claim.subject.id)
    return Disputed(subject, claim.relation, world.key_of(claim, classes), len(memory.contested_by))


def _stretch(world: World, memory: Memory) -> Held:
    claim = world.by_id.get(memory.id)
    value = _key(claim) if isinstance(claim, Claim) else NONE
    ends = None if memory.valid_to is None else from_datetime(memory.valid_to)
    begins = from_datetime(memory.valid_from)
    return Held(memory.id, memory.relation or "", value, begins, ends, memory.superseded_by)


def _key(claim: Claim) -> ValueKey:
    content = claim.value if claim.obj is None else claim.obj
    return NONE if content is None else value_key(content)


# --- the records and the rules ---------------------------------------------------------------------------------------


def _world(reference: Reference, asking: Asking) -> World:
    found = [_read(record) for record in reference.visible(asking) if record.kind in _KINDS]
    erased = frozenset(record.id for record in found if isinstance(record, Gap))
    records = [record.silent if isinstance(record, Gap) else record for record in found]
    version = reference.version(asking.known_at)
    known = {} if version is None else relations(version)
    names = {record.relation for record in records if isinstance(record, Claim)}
    registry = {name: known.get(name) or unknown(name) for name in (*names, *known, SAME_AS)}
    trust = {} if version is None else _trust(version)
    return World([record for record in records if record is not None], registry, trust, asking.known_at, erased)


def _read(recorded: Recorded) -> Record:
    return decode(recorded.body, _KINDS[recorded.kind])


def relations(version: Version) -> Mapping[str, Relation]:
    """Those of the file, and what operators have made known beside it."""
    promoted = [one for one in json.loads(version.promotions) if "arbitration" in one]
    by_hand = {
        one["relation"]: Relation(
            one["relation"],
            one["owner"] or "",
            cardinality=Cardinality.ONE,
            scope=Scope(one["scope"]),
            arbitration=Arbitration(one["arbitration"]),
        )
        for one in promoted
    }
    return {**by_hand, **_file(version.relations)[0]}


def _trust(version: Version) -> Mapping[str, float]:
    return _file(version.relations)[1]


@lru_cache(maxsize=8)
def _file(text: str) -> tuple[Mapping[str, Relation], Mapping[str, float]]:
    """The relations, and how far the words of domains count."""
    whole = cast(dict[str, dict[str, dict[str, str]]], parse(text, "relations"))
    known = {
        name: Relation(
            name,
            said["owner"],
            cardinality=Cardinality(said["cardinality"]),
            scope=Scope(said.get("scope", "private")),
            arbitration=Arbitration(said.get("arbitration", "latest")),
            ttl=duration(said["ttl"]) if "ttl" in said else None,
            opposite=said.get("opposite"),
        )
        for name, said in whole["relations"].items()
    }
    return known, cast(dict[str, float], whole.get("trust") or {})


def unknown(name: str) -> Relation:
    """A name that nobody registered holds one value for a month; two names may be one thing for good."""
    if name == SAME_AS:
        return Relation(name, "")
    return Relation(name, "", cardinality=Cardinality.ONE, ttl=30 * DAY)
