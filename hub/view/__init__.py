"""All that one viewer may know of one customer: rows under one clearance, cut to an as-of."""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import chain

from hub.facts import (
    CUSTOMER,
    Belief,
    Cardinality,
    Claim,
    Entity,
    Filing,
    Hide,
    Instant,
    Record,
    Relation,
    Status,
    Turn,
    ValueKey,
    Withdraw,
    folded,
)
from hub.registry import SAME_AS, Registry
from hub.timeline import (
    NONE,
    Slot,
    believe,
    classes,
    folding_order,
    hidden,
    history,
    negation_of,
    slot_value,
    withdrawn,
)
from hub.view.base import ANY_KIND, THE_CUSTOMER, Base, Row, entities_of

__all__ = ["ANY_KIND", "THE_CUSTOMER", "Base", "Row", "SlotKey", "View"]

SlotKey = tuple[str, str, ValueKey | None]
"""(the subject's class, relation, value if the relation holds many)."""


class View:
    """What one viewer may know at one as-of: a value that never changes, and the only thing to read from.

    `prefix` rows of `base` were recorded by then; `sees` says whether the viewer might have read a filing then
    (None: all that the base holds). `more` are rows about to be written, for receipts only: they are believed, not
    searched.
    """

    __slots__ = (
        "_beliefs",
        "_canon",
        "_snapshot",
        "base",
        "known_at",
        "more",
        "prefix",
        "registry",
        "sees",
        "valid_at",
    )

    def __init__(
        self,
        base: Base,
        *,
        snapshot: int,
        valid_at: Instant,
        known_at: Instant | None,
        registry: Registry,
        sees: Callable[[Filing], bool] | None = None,
        more: tuple[Row, ...] = (),
    ) -> None:
        self.base = base
        self.valid_at = valid_at
        self.known_at = known_at
        self.registry = registry
        self.sees = sees
        self.more = more
        self._snapshot = snapshot
        known = len(base.rows) if known_at is None else bisect_right(base.ats, known_at)
        self.prefix = min(known, bisect_right(base.seqs, snapshot))
        self._canon: dict[str, str] | None = None
        self._beliefs: dict[SlotKey, Belief | None] = {}

    def plus(self, rows: Iterable[Row]) -> View:
        """The same view as it will be once these rows are recorded."""
        return self._like(self.valid_at, self.more + tuple(rows))

    def at(self, valid_at: Instant) -> View:
        """The same knowledge, asked about another point in valid time."""
        return self._like(valid_at, self.more)

    def _like(self, valid_at: Instant, more: tuple[Row, ...]) -> View:
        return type(self)(
            self.base,
            snapshot=self._snapshot,
            valid_at=valid_at,
            known_at=self.known_at,
            registry=self.registry,
            sees=self.sees,
            more=more,
        )

    # --- records -------------------------------------------------------------------------------------------------

    def visible(self, number: int) -> bool:
        """Whether row `number` of the base is part of this view."""
        if number >= self.prefix:
            return False
        left = self.base.left.get(number)
        if left is not None and not (left[1] > self._snapshot if self.known_at is None else left[0] > self.known_at):
            return False
        return self.sees is None or self.sees(self.base.rows[number].filing)

    def rows(self, numbers: Iterable[int]) -> Iterator[Row]:
        """The visible ones of these rows, in ledger order."""
        return (self.base.rows[n] for n in numbers if self.visible(n))

    def row(self, record_id: str) -> Row | None:
        """The row of a record by id; None if it is not visible, whatever the reason."""
        found = next(self.rows(self.base.by_id.get(record_id, ())), None)
        return found or next((row for row in self.more if row.record.id == record_id), None)

    def all_rows(self) -> Iterator[Row]:
        yield from self.rows(range(self.prefix))
        yield from self.more

    def claim(self, record_id: str) -> Claim | None:
        row = self.row(record_id)
        return row.record if row is not None and isinstance(row.record, Claim) else None

    def acts_on(self, target: str) -> Sequence[Record]:
        numbers = self.base.acts_on.get(target)
        found = [row.record for row in self.rows(numbers)] if numbers else []
        if self.more:
            found += [row.record for row in self.more if getattr(row.record, "target", None) == target]
        return found

    def owner_of(self, record: Record) -> str:
        """The owner domain of what a record is about; of an act, of what it acts upon in the end."""
        while isinstance(record, Withdraw | Hide):
            row = self.row(record.target)
            if row is None:
                return record.author.domain
            record = row.record
        if isinstance(record, Claim):
            return self.registry.of(record.relation, record.author.domain).owner
        return record.author.domain

    def living(self, record: Record) -> bool:
        """Whether nobody has taken the record back, as far as this view knows."""
        if record.id not in self.base.acts_on and not self.more:
            return True
        return not withdrawn(record, self.owner_of(record), self.acts_on)

    def forgotten(self, record: Record) -> bool:
        if record.id not in self.base.acts_on and not self.more:
            return False
        return hidden(record, self.owner_of(record), self.acts_on)

    # --- turns ---------------------------------------------------------------------------------------------------

    def turns(self) -> Iterator[Turn]:
        """Every turn said by the as-of that still stands, oldest first."""
        for row in self.rows(self.base.turns):
            turn = row.record
            if isinstance(turn, Turn) and self.standing(turn):
                yield turn

    def standing(self, turn: Turn) -> bool:
        return turn.said_at <= self.valid_at and self.living(turn) and not self.forgotten(turn)

    def outdated(self, turn: Turn) -> bool:
        """Old words must not answer for a new value: a turn with claims of which none is believed any more."""
        claims = [row.record for row in self.rows(self.base.claims_from.get(turn.id, ()))]
        return bool(claims) and not any(isinstance(c, Claim) and self.believed(c) for c in claims)

    def believed(self, claim: Claim) -> bool:
        """Whether the claim's slot holds what the claim says, now or in a future the view knows of."""
        key = self.slot_of(claim)
        belief = self.believe(key)
        if belief is None or claim.negated:
            return claim.negated and belief is None
        slot = self.slot(key)
        return belief.status is not Status.EXPIRED and slot.key(belief.claim) == slot.key(claim)

    # --- entities ------------------------------------------------------------------------------------------------

    def canon(self, entity: str) -> str:
        """The entity that stands for the `same_as` class of this one, at the as-of."""
        if self._canon is None:
            self._canon = self._classes() if self.base.same or self.more else {}
        return self._canon.get(entity, entity)

    def members(self, entity: str) -> list[str]:
        stands = self.canon(entity)
        assert self._canon is not None
        return [stands, *(member for member, of in self._canon.items() if of == stands and member != stands)]

    def entity(self, entity: str) -> Entity:
        """An entity by the first name this view has for it; its kind is the first that says anything."""
        stands = self.canon(entity)
        if stands == CUSTOMER:
            return THE_CUSTOMER
        mentions = self._mentions_of(stands)
        first = next(mentions)
        kinds = (e.kind for e in chain((first,), mentions) if e.kind != ANY_KIND)
        return Entity(stands, next(kinds, ANY_KIND), first.name)

    def entities(self) -> list[Entity]:
        """Everything this view's claims mention, a class once, by first mention."""
        seen = dict.fromkeys(self.canon(entity) for entity in list(self.base.mentions) if self._mentioned(entity))
        return [self.entity(entity) for entity in seen]

    def named(self, token: str) -> list[str]:
        """The classes of entities with this token in a name, by first mention."""
        entities = self.base.names.get(token, {})
        return list(
            dict.fromkeys(self.canon(e) for e, rows in list(entities.items()) if any(self.visible(n) for n in rows))
        )

    def called(self, name: str) -> list[Row]:
        """The rows in which something is called just so, one an entity, by first mention."""
        known = list(self.base.called.get(folded(name), {}).values())
        found = [next(self.rows(list(numbers)), None) for numbers in known]
        more = [row for row in self.more if any(folded(e.name) == folded(name) for e in entities_of(row.record))]
        return [row for row in found if row is not None] + more

    def mentioned(self) -> Iterator[Entity]:
        """Every mention of an entity in this view, in ledger order."""
        return (entity for row in self.all_rows() for entity in entities_of(row.record))

    def _mentions_of(self, stands: str) -> Iterator[Entity]:
        for member in self.members(stands):
            for number in self.base.mentions.get(member, ()):
                if self.visible(number):
                    yield self._mention(number, member)
        yield from (e for row in self.more for e in entities_of(row.record) if self.canon(e.id) == stands)

    def _mentioned(self, entity: str) -> bool:
        return any(self.visible(n) for n in self.base.mentions[entity])

    def _mention(self, number: int, entity: str) -> Entity:
        return next(e for e in entities_of(self.base.rows[number].record) if e.id == entity)

    def _classes(self) -> dict[str, str]:
        pairs: dict[tuple[str, str], list[Claim]] = defaultdict(list)
        rows = [*self.rows(self.base.same), *(r for r in self.more if getattr(r.record, "relation", "") == SAME_AS)]
        for row in rows:
            claim = row.record
            if isinstance(claim, Claim) and claim.obj is not None and self.living(claim):
                one, other = sorted((claim.subject.id, claim.obj.id))
                pairs[one, other].append(claim)
        joined = [pair for pair, claims in pairs.items() if self._holds(claims)]
        order = {entity: number for number, entity in enumerate(list(self.base.mentions))}
        return classes(joined, lambda entity: order.get(entity, len(order)))

    def _holds(self, claims: list[Claim]) -> bool:
        """Whether a pair's claims, folded as one slot, say that the two are one."""
        alike = [c if c.obj is None else _undirected(c) for c in claims]
        return (
            believe(self._built(alike, self.registry.of(SAME_AS, ""), lambda entity: entity), self.valid_at) is not None
        )

    # --- slots and beliefs ---------------------------------------------------------------------------------------

    def relation(self, name: str) -> Relation:
        return self.registry.of(name, "")

    def slot_of(self, claim: Claim) -> SlotKey:
        many = self.registry.of(claim.relation, claim.author.domain).cardinality is Cardinality.MANY
        content = claim.value if claim.obj is None else claim.obj
        value = slot_value(content, self.canon) if many and content is not None else None
        return (self.canon(claim.subject.id), claim.relation, value)

    def slot(self, key: SlotKey) -> Slot:
        """The living claims of one slot, those of the opposite relation included as negations."""
        subject, name, value = key
        relation = self.registry.of(name, "")
        found = list(self._claims(subject, name, value))
        if relation.opposite is not None:
            opposed = self._claims(subject, relation.opposite, value)
            found += [negation_of(c) for c in opposed if not c.negated]
        return self._built([c for c in found if self.living(c)], relation, self.canon)

    def believe(self, key: SlotKey) -> Belief | None:
        """The belief in one slot at this as-of, expired ones included (see `status`)."""
        if key not in self._beliefs:
            self._beliefs[key] = believe(self.slot(key), self.valid_at)
        return self._beliefs[key]

    def history(self, key: SlotKey) -> list[Belief]:
        """Every stretch of one slot, oldest first."""
        return history(self.slot(key), self.valid_at)

    def slots(self, subject: str | None = None) -> list[SlotKey]:
        """The slots that claims of this view touch, of one subject or of all, by first claim."""
        members = list(self.base.relations_of) if subject is None else self.members(subject)
        places = [(entity, name) for entity in members for name in self.base.relations_of.get(entity, ())]
        claims = [c for entity, name in places if name != SAME_AS for c in self._own_claims(entity, name)]
        claims.sort(key=lambda c: c.seq)
        return list(dict.fromkeys(self.slot_of(c) for c in claims))

    def beliefs(self, subject: str | None = None) -> list[Belief]:
        """All that is held at this as-of, expired and upcoming included (see `status`), by first claim."""
        found = (self.believe(key) for key in self.slots(subject))
        return [belief for belief in found if belief is not None]

    def about(self, entity: str) -> list[SlotKey]:
        """The slots of claims whose object this entity is, by first claim."""
        numbers = sorted(n for member in self.members(entity) for n in self.base.claims_on.get(member, ()))
        claims = [row.record for row in self.rows(numbers)]
        keys = [self.slot_of(c) for c in claims if isinstance(c, Claim) and c.relation != SAME_AS]
        return list(dict.fromkeys(keys))

    def _claims(self, subject: str, relation: str, value: ValueKey | None) -> Iterator[Claim]:
        """The claims of a slot's class of subjects and, if it is about one value, of its class of values."""
        for member in self.members(subject):
            if value is None:
                yield from self._own_claims(member, relation)
                continue
            alike = [value] if value[0] != "entity" else [("entity", v, "") for v in self.members(value[1])]
            for said in alike:
                yield from self._own_claims(member, relation, said)

    def _own_claims(self, entity: str, relation: str, said: ValueKey | None = None) -> Iterator[Claim]:
        if said is None:
            numbers = self.base.claims_of.get((entity, relation), ())
        else:
            numbers = self.base.claims_saying.get((entity, relation, said), ())
        for row in chain(self.rows(numbers), self.more):
            claim = row.record
            if not isinstance(claim, Claim) or (claim.subject.id, claim.relation) != (entity, relation):
                continue
            if said is None or said == _said(claim):
                yield claim

    def _built(self, claims: list[Claim], relation: Relation, canon: Callable[[str], str]) -> Slot:
        silent = frozenset(c.id for c in claims if self.forgotten(c))
        return Slot(folding_order(claims), relation, self.registry.trust_of, silent, canon)


def _said(claim: Claim) -> ValueKey:
    content = claim.value if claim.obj is None else claim.obj
    return NONE if content is None else slot_value(content)


def _undirected(claim: Claim) -> Claim:
    """`a same_as b` and `b same_as a` are one slot and one value."""
    assert claim.obj is not None
    first, second = sorted((claim.subject, claim.obj), key=lambda e: e.id)
    return replace(claim, subject=first, obj=second)
