"""What has been folded over a base, kept so that the next view need not fold it again."""

from __future__ import annotations

from bisect import bisect_left
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import accumulate

from hub.facts import Belief, Entity, Filing, Instant, ValueKey
from hub.registry import Registry
from hub.timeline import Slot, believe

SlotKey = tuple[str, str, ValueKey | None]
"""(the subject's class, relation, value if the relation holds many)."""

Place = tuple[str, str]
"""(subject, relation) of a claim."""

Places = tuple[tuple[Place, ValueKey | None], ...]
"""Where the claims of one slot are kept: of one value only, or of all."""

Score = Callable[[str], float]
"""A domain to how far its word counts, 0..1."""

Stretch = tuple[Instant, Instant]
"""Of valid time, its end excluded."""

EVER_SINCE = -(1 << 80)
FOR_EVER = 1 << 80
_MOST_POINTS = 16
_MOST_SLOTS = 50_000
_MOST_CLAIMS = 20_000
_MOST_KEPT = 16
_MOST_NOTES = 8_192


def before(numbers: Sequence[int] | None, prefix: int) -> int:
    """How many of these row numbers, which go up, lie before the prefix."""
    if not numbers:
        return 0
    return len(numbers) if numbers[-1] < prefix else bisect_left(numbers, prefix)


# --- which entities are one --------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Grouping:
    """`stands`: every entity that is one with another -> the one that stands for its class; `members` the other way."""

    stands: Mapping[str, str] = field(default_factory=dict)
    members: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    @classmethod
    def of(cls, stands: Mapping[str, str]) -> Grouping:
        members: dict[str, tuple[str, ...]] = {}
        for member, first in stands.items():
            members[first] = (*members.get(first, (first,)), *(() if member == first else (member,)))
        return cls(stands, members)


ALONE = Grouping()
"""Every entity is one of its own."""


def classes(pairs: Iterable[tuple[str, str]], order: Callable[[str], int]) -> dict[str, str]:
    """Entity id -> the id that stands for its `same_as` class: the one mentioned first."""
    stands: dict[str, str] = {}

    def root(entity: str) -> str:
        while (above := stands.get(entity, entity)) != entity:
            entity = above
        return entity

    for one, other in pairs:
        first, second = sorted((root(one), root(other)), key=order)
        stands[second] = first
    return {entity: root(entity) for entity in stands}


def itself(entity: str) -> str:
    return entity


# --- one slot ----------------------------------------------------------------------------------------------------


class Held:
    """One slot, as it is between two rows that have to do with it, with the beliefs asked for so far."""

    __slots__ = ("_known", "_things", "latest_turn", "slot", "weighed")

    latest_turn: Instant
    """When a stretch may begin at the latest: with a claim, or where one ends that had painted over another."""

    def __init__(self, slot: Slot, weighed: int | None = None) -> None:
        """`weighed`: the version of what trust was learned from, if any of its values are to be weighed."""
        self.weighed = weighed
        things = {c.obj.id for c in slot.claims if isinstance(c.obj, Entity)}
        self.slot = slot
        ends = (c.interval.end for c in slot.claims if c.interval.end is not None) if len(slot.claims) > 1 else ()
        self.latest_turn = max((*(c.interval.start for c in slot.claims), *ends), default=EVER_SINCE)
        self._things = tuple((thing, slot.canon(thing)) for thing in things)
        self._known: tuple[tuple[Instant, Instant, Belief | None], ...] = ()

    def holds(self, stands: Mapping[str, str]) -> bool:
        """Whether the slot is the same where these stand for others."""
        return not self._things or all(stands.get(thing, thing) == first for thing, first in self._things)

    def at(self, valid_at: Instant) -> Belief | None:
        return self.around(valid_at)[2]

    def around(self, valid_at: Instant) -> tuple[Instant, Instant, Belief | None]:
        """The stretch around an instant on which the belief stays as it is, and the belief."""
        for known in self._known:
            if known[0] <= valid_at < known[1]:
                return known
        belief = believe(self.slot, valid_at)
        found = (*self.unchanging(valid_at, belief), belief)
        self._known = (*self._known[-_MOST_POINTS:], found)
        return found

    def unchanging(self, valid_at: Instant, belief: Belief | None) -> Stretch:
        """The stretch of valid time around an instant on which the belief, its status included, stays as it is."""
        turns = list(self._turns())
        if belief is not None and belief.expires is not None:
            turns.append(belief.expires)
        return stretch(turns, valid_at)

    def _turns(self) -> Iterator[Instant]:
        for claim in self.slot.claims:
            yield claim.interval.start
            if claim.interval.end is not None:
                yield claim.interval.end
            if claim.on is not None:
                yield claim.on.at


def stretch(turns: Iterable[Instant], at: Instant) -> Stretch:
    """The stretch around an instant in which none of these lies."""
    known = list(turns)
    start = max((turn for turn in known if turn <= at), default=EVER_SINCE)
    return start, min((turn for turn in known if turn > at), default=FOR_EVER)


def overlap(stretches: Iterable[Stretch]) -> Stretch:
    """What is left of time where all of these meet."""
    since, until = EVER_SINCE, FOR_EVER
    for start, end in stretches:
        since, until = max(since, start), min(until, end)
    return since, until


# --- what a clearance of the past lets through ------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Seen:
    """Which rows of a base, from its first on, a clearance admits: one byte each; and how many of those before each
    have words, and how many words."""

    mask: bytes = b""
    rows: tuple[int, ...] = (0,)
    words: tuple[int, ...] = (0,)

    def upto(self, prefix: int) -> tuple[int, int]:
        return self.rows[prefix], self.words[prefix]

    def grown(self, admitted: Sequence[bool], lengths: Sequence[int]) -> Seen:
        """With the rows that follow, which are so many words long."""
        told = [length if seen else 0 for seen, length in zip(admitted, lengths, strict=True)]
        rows = accumulate(map(bool, told), initial=self.rows[-1])
        words = accumulate(told, initial=self.words[-1])
        return Seen(self.mask + bytes(admitted), (*self.rows[:-1], *rows), (*self.words[:-1], *words))


# --- all of them -------------------------------------------------------------------------------------------------


class Spot:
    """Where one slot is kept, and what it was between rows that have to do with it."""

    __slots__ = ("_held", "_numbers", "places")

    def __init__(self, places: Places, numbers: tuple[Sequence[int], ...]) -> None:
        self.places = places
        self._numbers = numbers
        self._held: dict[int, Held] = {}

    def version(self, prefix: int) -> int:
        """How many rows before the prefix have to do with the slot: where that is equal, so is the slot."""
        count = 0
        for numbers in self._numbers:
            if numbers:
                count += len(numbers) if numbers[-1] < prefix else bisect_left(numbers, prefix)
        return count

    def held(self, version: int, stands: Mapping[str, str]) -> Held | None:
        held = self._held.get(version)
        return held if held is not None and held.holds(stands) else None

    def hold(self, version: int, held: Held) -> Held:
        if len(self._held) * len(held.slot.claims) >= _MOST_CLAIMS:
            self._held.clear()
        self._held[version] = held
        return held


@dataclass(frozen=True, slots=True)
class Note:
    """Something made of beliefs, and the stretch of valid time on which it stays as it is."""

    made: object
    stretch: Stretch
    grouping: Grouping


@dataclass(frozen=True, slots=True)
class Order:
    """The entities under a word by their first mention among so many rows that a clearance admits.

    `word` is kept so that its id stays its own.
    """

    word: object
    rows: int
    places: list[int]
    entities: list[str]


class Kept:
    """Slots by where their claims are, groupings of entities, keys of claims, and notes made of all that."""

    __slots__ = ("_groupings", "_notes", "_pairs", "faces", "keys", "lines", "orders", "seen", "spots", "trust")

    def __init__(self) -> None:
        self.seen = Seen()
        self.keys: dict[str, SlotKey] = {}
        self.faces: dict[str, object] = {}
        """By the id of a claim: how it reads, which is made once for all answers that tell it."""
        self.lines: dict[str, tuple[Belief, str]] = {}
        """The same as a line of the profile, of the belief that it was written for last."""
        self.orders: dict[int, Order] = {}
        self.spots: dict[SlotKey | tuple[SlotKey, Places], Spot] = {}
        self.trust: dict[tuple[str, int], Score] = {}
        self._groupings: tuple[tuple[int, Instant, Instant, Grouping], ...] = ()
        self._pairs: tuple[int, dict[tuple[str, str], Held]] = (-1, {})
        self._notes: dict[tuple[str, int], Note] = {}

    @property
    def size(self) -> int:
        slots = len(self.spots) + len(self._pairs[1])
        faces = FACE * len(self.faces) + LINE * len(self.lines)
        return faces + SPOT * slots + KEY * len(self.keys) + SEEN * len(self.seen.rows) + NOTE * len(self._notes)

    def keep(self, at: SlotKey | tuple[SlotKey, Places], spot: Spot) -> Spot:
        if len(self.spots) >= _MOST_SLOTS:
            self.spots.clear()
        self.spots[at] = spot
        return spot

    def weigh(self, relation: str, version: int, trust: Score) -> Score:
        if len(self.trust) >= _MOST_NOTES:
            self.trust.clear()
        self.trust[relation, version] = trust
        return trust

    def grouping(self, version: int, valid_at: Instant) -> Grouping | None:
        for known, start, end, grouping in self._groupings:
            if known == version and start <= valid_at < end:
                return grouping
        return None

    def group(self, version: int, bounds: Stretch, grouping: Grouping) -> Grouping:
        self._groupings = ((version, *bounds, grouping), *self._groupings[:_MOST_POINTS])
        return grouping

    def pairs(self, version: int) -> dict[tuple[str, str], Held] | None:
        """What is said of every two entities; None if it was put together last for others of these rows."""
        known, pairs = self._pairs
        return pairs if known == version else None

    def pair(self, version: int, pairs: dict[tuple[str, str], Held]) -> dict[tuple[str, str], Held]:
        self._pairs = (version, pairs)
        return pairs

    def note(self, name: str, version: int, valid_at: Instant, grouping: Grouping) -> Note | None:
        note = self._notes.get((name, version))
        fits = note is not None and note.stretch[0] <= valid_at < note.stretch[1] and note.grouping is grouping
        return note if fits else None

    def write(self, name: str, version: int, note: Note) -> Note:
        if len(self._notes) >= _MOST_NOTES:
            self._notes.clear()
        self._notes[name, version] = note
        return note


SPOT, KEY, SEEN, NOTE, FACE, LINE = 1_400, 150, 70, 1_000, 650, 170
"""Bytes that a slot with its beliefs takes up, the key of a claim, a row in a mask, a note, how a claim reads, and a
line about it, as measured."""


class Keeping:
    """What is kept over one base, apart for each clearance of the past and each registry."""

    def __init__(self) -> None:
        self._kept: OrderedDict[tuple[object, int], tuple[Kept, Registry]] = OrderedDict()

    def of(self, sees: Callable[[Filing], bool] | None, registry: Registry) -> Kept:
        key = (sees, id(registry))  # the registry is kept beside it, so that its id stays its own
        found = self._kept.get(key)
        if found is None:
            while len(self._kept) >= _MOST_KEPT:
                with suppress(KeyError):  # others let go of them at the same time
                    self._kept.popitem(last=False)
            found = self._kept[key] = (Kept(), registry)
        return found[0]

    @property
    def size(self) -> int:
        """About how many bytes all of it takes up."""
        return sum(kept.size for kept, _ in list(self._kept.values()))
