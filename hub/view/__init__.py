"""All that one viewer may know of one customer: rows under one clearance, cut to an as-of."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Protocol, TypeVar, cast

from hub.facts import (
    Arbitration,
    Belief,
    Cardinality,
    Claim,
    Entity,
    Filing,
    Gap,
    Instant,
    Passage,
    Relation,
    Status,
    Turn,
    ValueKey,
)
from hub.registry import SAME_AS, Registry
from hub.timeline import Slot, history, negation_of, slot_value
from hub.view.base import ANY_KIND, THE_CUSTOMER, Base, Row
from hub.view.entities import Entities
from hub.view.kept import Held, Note, Place, Places, Score, SlotKey, Spot, Stretch, before, itself, overlap
from hub.view.news import NOTHING_NEW, News
from hub.view.trust import trust

__all__ = ["ANY_KIND", "THE_CUSTOMER", "Base", "Finder", "Row", "SlotKey", "View"]


T = TypeVar("T")


class Finder(Protocol):
    """Finds rows by their vectors, elsewhere than in the view."""

    named: tuple[str, ...] | None
    """The ids of what it has found; None if it has not been asked, or did not know."""

    def __call__(self, view: View, steps: bytes, most: int, least: float) -> list[int] | None:
        """The rows of the view nearest to a query, the nearest first, none whose cosine is below `least`.

        INVARIANT: each of them is looked up in the view, and its cosine is the view's own. None: look at every row.
        """


class View(Entities):
    """What one viewer may know at one as-of: a value that never changes, and the only thing to read from.

    `prefix` rows of `base` were recorded by then; `sees` says whether the viewer might have read a filing then
    (None: all that the base holds). `more` are rows about to be written, for receipts only: they are believed, not
    searched.
    """

    __slots__ = ("_helds", "_notes", "finder", "knowledge", "names")

    finder: Finder | None
    """Of company knowledge: what may name the rows that are near a query, in place of looking at all of them."""

    names: dict[str, Entity]
    """How classes of things are called, as far as that has been asked: of much told of one thing, once."""

    knowledge: View | None
    """What the viewer may know of the company's own at the same as-of, if there is any; receipts are given without."""

    def __init__(
        self,
        base: Base,
        *,
        snapshot: int,
        valid_at: Instant,
        known_at: Instant | None,
        registry: Registry,
        sees: Callable[[Filing], bool] | None = None,
        more: News | None = None,
    ) -> None:
        self.base = base
        self.valid_at = valid_at
        self.known_at = known_at
        self.registry = registry
        self.sees = sees
        self.more = NOTHING_NEW if more is None else more
        self._snapshot = snapshot
        self._ground = None
        self._near = {}
        known = len(base.rows) if known_at is None else bisect_right(base.ats, known_at)
        self.prefix = min(known, bisect_right(base.seqs, snapshot))
        self._grouping = None
        self._new_places = None
        self._kept = None
        self._own_kept = None
        self._helds: dict[SlotKey, Held] = {}
        self._notes: dict[str, Note] = {}
        self.names: dict[str, Entity] = {}
        self.finder = self.knowledge = None

    def known(self, record_id: str) -> Row | None:
        """The row of a record by id, of this view or of the company's own beside it."""
        return self.row(record_id) or (None if self.knowledge is None else self.knowledge.row(record_id))

    def plus(self, rows: Iterable[Row]) -> View:
        """The same view as it will be once these rows are recorded."""
        return self._like(self.valid_at, self.more.plus(rows))

    def beside(self, other: View) -> View:
        """The same view with all that is about to be recorded in another, and nothing else that is."""
        return self._like(self.valid_at, other.more)

    def at(self, valid_at: Instant) -> View:
        """The same knowledge, asked about another point in valid time."""
        return self if valid_at == self.valid_at else self._like(valid_at, self.more)

    def _like(self, valid_at: Instant, more: News) -> View:
        return type(self)(
            self.base,
            snapshot=self._snapshot,
            valid_at=valid_at,
            known_at=self.known_at,
            registry=self.registry,
            sees=self.sees,
            more=more,
        )

    # --- turns and passages ---------------------------------------------------------------------------------------

    def turns(self) -> Iterator[Turn]:
        """Every turn said by the as-of that still stands, oldest first."""
        for row in self.rows(self.base.turns):
            turn = row.record
            if isinstance(turn, Turn) and self.standing(turn):
                yield turn

    def passages(self) -> Iterator[Passage]:
        """Every piece of company knowledge that stands at the as-of, oldest first."""
        for row in self.rows(self.base.passages):
            passage = row.record
            if isinstance(passage, Passage) and self.published(passage):
                yield passage

    def published(self, passage: Passage) -> bool:
        return passage.recorded_at <= self.valid_at and self.living(passage)

    def standing(self, turn: Turn) -> bool:
        return turn.said_at <= self.valid_at and self.living(turn) and not self.forgotten(turn)

    def outdated(self, turn: Turn) -> bool:
        """Old words must not answer for a new value: a turn with claims of which none is believed any more."""
        claims = self.claims_of(turn)
        return bool(claims) and not any(map(self.believed, claims))

    def claims_of(self, turn: Turn) -> list[Claim]:
        """What was claimed from a turn, oldest first."""
        rows = self.rows(self.base.claims_from.get(turn.id, ()))
        return [row.record for row in rows if isinstance(row.record, Claim)]

    def believed(self, claim: Claim) -> bool:
        """Whether the claim's slot holds what the claim says, now or in a future the view knows of."""
        key = self.slot_of(claim)
        belief = self.believe(key)
        if belief is None or claim.negated:
            return claim.negated and belief is None
        slot = self.slot(key)
        return belief.status is not Status.EXPIRED and slot.key(belief.claim) == slot.key(claim)

    # --- slots and beliefs ---------------------------------------------------------------------------------------

    def relation(self, name: str) -> Relation:
        return self.registry.of(name, "")

    def slot_of(self, claim: Claim) -> SlotKey:
        keys = (self._kept or self.kept()).keys
        key = keys.get(claim.id)
        if key is None:
            key = keys[claim.id] = self._key(claim)
        stands = self.stands()
        return self._classed(key) if stands else key

    def _key(self, claim: Claim) -> SlotKey:
        many = self.registry.of(claim.relation, claim.author.domain).cardinality is Cardinality.MANY
        content = claim.value if claim.obj is None else claim.obj
        return (claim.subject.id, claim.relation, slot_value(content) if many and content is not None else None)

    def _classed(self, key: SlotKey) -> SlotKey:
        subject, relation, value = key
        if value is not None and value[0] == "entity":
            value = ("entity", self.canon(value[1]), "")
        return (self.canon(subject), relation, value)

    def slot(self, key: SlotKey) -> Slot:
        """The living claims of one slot, those of the opposite relation included as negations."""
        return self._held(key).slot

    def untold(self, key: SlotKey) -> bool:
        """Whether no claim has to do with the slot, nor anything else that may count in it; what is not seen, or was
        taken back, may make it False."""
        return not any(self._may_tell(place, said) for place, said in self._places(key))

    def _may_tell(self, place: Place, said: ValueKey | None) -> bool:
        if self.more and self.more.says(place, said):
            return True
        if said is not None:
            return bool(self.base.claims_saying.get((*place, said)))
        return bool(self.base.claims_of.get(place) or self.base.gaps_of.get(place))

    def believe(self, key: SlotKey) -> Belief | None:
        """The belief in one slot at this as-of, expired ones included (see `status`)."""
        return self._held(key).at(self.valid_at)

    def history(self, key: SlotKey) -> list[Belief]:
        """Every stretch of one slot, oldest first."""
        return history(self.slot(key), self.valid_at)

    def stretches(self, key: SlotKey) -> list[Belief]:
        """What one slot holds now, unless that has expired, and what it will hold."""
        held = self._held(key)
        belief = held.at(self.valid_at)
        now = [belief] if belief is not None and belief.status is not Status.EXPIRED else []
        if held.latest_turn <= self.valid_at:
            return now
        return now + [b for b in history(held.slot, self.valid_at) if b.interval.start > self.valid_at]

    def slots(self, subject: str | None = None) -> list[SlotKey]:
        """The slots that claims of this view touch, of one subject or of all, by first claim."""
        members = list(self.base.relations_of) if subject is None else self.members(subject)
        places = [(entity, name) for entity in members for name in self.base.relations_of.get(entity, ())]
        claims = [c for entity, name in places if name != SAME_AS for c in self._own((entity, name))]
        claims.sort(key=lambda c: c.seq)
        return list(dict.fromkeys(self.slot_of(c) for c in claims))

    def beliefs(self, subject: str | None = None) -> list[Belief]:
        """All that is held at this as-of, expired and upcoming included (see `status`), by first claim."""
        found = (self.believe(key) for key in self.slots(subject))
        return [belief for belief in found if belief is not None]

    def of(self, subject: str, relation: str) -> list[Belief]:
        """What is held of one subject under one relation, expired and upcoming included, by first claim."""
        claims = [claim for member in self.members(subject) for claim in self._own((member, relation))]
        keys = dict.fromkeys(self.slot_of(claim) for claim in sorted(claims, key=lambda claim: claim.seq))
        return [belief for key in keys if (belief := self.believe(key)) is not None]

    def about(self, entity: str) -> list[SlotKey]:
        """The slots of claims whose object this entity is, by first claim."""
        numbers = sorted(n for member in self.members(entity) for n in self.base.claims_on.get(member, ()))
        claims = [row.record for row in self.rows(numbers)]
        keys = [self.slot_of(c) for c in claims if isinstance(c, Claim) and c.relation != SAME_AS]
        return list(dict.fromkeys(keys))

    def speaks_of(self, relations: Iterable[Relation]) -> list[Relation]:
        """Those of which there may be a claim; of the others there is none, nor a trace of one."""
        told, anything = self.base.told_by, bool(self.more)
        return [relation for relation in relations if anything or relation.name in told]

    def noted(self, name: str, relations: Iterable[str], make: Callable[[], tuple[T, Stretch]]) -> tuple[T, Stretch]:
        """What `make` makes of beliefs, and the stretch of valid time around now on which it stays as it is.

        INVARIANT: `make` looks at nothing but claims of these relations, and makes the same of the same every time. It
        is asked again only when one of the claims, or the grouping of entities, is another.
        """
        if self.more:
            return make()
        if name not in self._notes:
            self._notes[name] = self._noted(name, relations, make)
        note = self._notes[name]
        return cast(T, note.made), note.stretch

    def _noted(self, name: str, relations: Iterable[str], make: Callable[[], tuple[object, Stretch]]) -> Note:
        version = self.ground() + before(self.base.acts, self.prefix)
        told_by = self.base.told_by
        for relation in told_by.keys() & relations:
            version += before(told_by[relation], self.prefix)
        kept, grouping = self.kept(), self.grouping()
        note = kept.note(name, version, self.valid_at, grouping)
        return note or kept.write(name, version, Note(*make(), grouping))

    def held_now(self, keys: Iterable[SlotKey]) -> tuple[list[Belief | None], Stretch]:
        """What these slots hold, as `believe` says it, and the stretch of valid time around now on which none of that
        changes."""
        known = [self._held(key).around(self.valid_at) for key in keys]
        return [belief for _, _, belief in known], overlap((start, end) for start, end, _ in known)

    # --- folding, once -------------------------------------------------------------------------------------------

    def _held(self, key: SlotKey) -> Held:
        held = self._helds.get(key)
        if held is None:
            held = self._helds[key] = self._found(key)
        return held

    def _found(self, key: SlotKey) -> Held:
        stands = self.stands()
        spot = self._spot(key, stands)
        version = spot.version(self.prefix) + self.ground()
        held = spot.held(version, stands)
        if held is not None and (held.weighed is None or held.weighed == self._heard(key[1])):
            return held
        return spot.hold(version, self._folded(key, spot.places))

    def _heard(self, relation: str) -> int:
        """How many rows of this view may have to do with how far a word counts in the relation."""
        return (
            self.ground() + before(self.base.told_by.get(relation), self.prefix) + before(self.base.acts, self.prefix)
        )

    def _spot(self, key: SlotKey, stands: Mapping[str, str]) -> Spot:
        alone = not stands
        if alone and not self.more and (found := self.kept().spots.get(key)) is not None:
            return found
        places = self._places(key)
        kept, at = self.kept_for(place for place, _ in places), key if alone else (key, places)
        if self.more and self.registry.of(key[1], "").arbitration is Arbitration.TRUST:
            kept = self.own_kept()
        return kept.spots.get(at) or kept.keep(at, Spot(places, tuple(self._numbers(places))))

    def _numbers(self, places: Places) -> Iterator[list[int]]:
        """The lists of rows that have to do with these places, as they will grow."""
        base = self.base
        for place, said in places:
            yield base.acts_at[place]
            if said is None:
                yield base.claims_of[place]
                yield base.gaps_of[place]
            else:
                yield base.claims_saying[(*place, said)]

    def _places(self, key: SlotKey) -> Places:
        """Where a slot's claims are kept: under its class of subjects, its relation or the opposite, its values."""
        subject, name, value = key
        opposite = self.registry.of(name, "").opposite
        names = (name,) if opposite is None else (name, opposite)
        if not self.stands():
            return tuple(((subject, relation), value) for relation in names)
        alike = [value]
        if value is not None and value[0] == "entity":
            alike = [("entity", member, "") for member in self.members(value[1])]
        return tuple(((member, name), said) for member in self.members(subject) for name in names for said in alike)

    def _folded(self, key: SlotKey, places: Places) -> Held:
        relation = self.registry.of(key[1], "")
        found = [claim for place, said in places for claim in (*self._own(place, said), *self._gaps(place, said))]
        told = [negation_of(c) if c.relation == relation.opposite else c for c in found if _speaks(c, relation)]
        stands = self.stands()
        canon = (lambda entity: stands.get(entity, entity)) if stands else itself
        slot = self._built([c for c in told if self.living(c)], relation, canon)
        if relation.arbitration is not Arbitration.TRUST or len({slot.key(c) for c in slot.claims}) < 2:
            return Held(slot)
        return Held(replace(slot, trust=self.trust(relation.name)), weighed=self._heard(relation.name))

    def trust(self, relation: str) -> Score:
        """How far each domain's word counts in a relation."""
        kept, version = self.own_kept() if self.more else self.kept(), self._heard(relation)
        return kept.trust.get((relation, version)) or kept.weigh(relation, version, trust(self, relation))

    def told(self, key: SlotKey) -> list[Claim]:
        """Every claim that has to do with a slot, also what was taken back, and what the opposite relation holds."""
        return [claim for place, said in self._places(key) for claim in self._own(place, said)]

    def _gaps(self, place: Place, said: ValueKey | None) -> Iterator[Claim]:
        """What goes on counting of erased claims; the slot of a value that is erased is nobody's to ask for."""
        for row in self.rows(self.base.gaps_of.get(place, ()) if said is None else ()):
            gap = row.record
            assert isinstance(gap, Gap) and gap.silent is not None, "nothing else is kept there"
            yield gap.silent

    def _own(self, place: Place, value: ValueKey | None = None) -> Iterator[Claim]:
        """The claims of one subject and relation, and of one value if it is given."""
        base = self.base
        numbers = base.claims_of.get(place, ()) if value is None else base.claims_saying.get((*place, value), ())
        yield from (row.record for row in self.rows(numbers) if isinstance(row.record, Claim))
        if self.more:
            yield from self.more.claims(place, value)


def _speaks(claim: Claim, relation: Relation) -> bool:
    """A claim of the opposite says what is not so; what denies the opposite says nothing."""
    return claim.relation == relation.name or not claim.negated
