"""Asks the hub's own algebra, and its views, what the naive evaluator is asked, in the same words."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType

import hub.timeline
from hub.facts import Belief, Cardinality, Claim, Hide, Instant, Record, Status, ValueKey, Withdraw
from hub.play.beliefs import NONE, NOTHING, SAME_AS, Answer, Slot, World
from hub.registry import Registry
from hub.view import Base, Row, View
from hub.view.kept import classes


class Algebra:
    """One world through a timeline module, which may be one with a planted mistake."""

    def __init__(self, timeline: ModuleType, world: World) -> None:
        self.timeline = timeline
        self.world = world
        self.known = [r for r in world.records if world.known_at is None or r.recorded_at <= world.known_at]

    def ask(self, slot: Slot, valid_at: Instant) -> Answer:
        ground = self.slot(slot, valid_at)
        belief = self.timeline.believe(ground, valid_at)
        return NOTHING if belief is None else answer(belief, ground.key)

    def history(self, slot: Slot, valid_at: Instant) -> list[Belief]:
        beliefs: list[Belief] = self.timeline.history(self.slot(slot, valid_at), valid_at)
        return beliefs

    def slot(self, slot: Slot, valid_at: Instant) -> hub.timeline.Slot:
        relation = self.world.registry[slot.relation]
        stands = self.stands(valid_at)

        def canon(entity: str) -> str:
            return stands.get(entity, entity)

        living = [c for c in self.living() if canon(c.subject.id) == canon(slot.subject)]
        heard = [c for c in living if c.relation == slot.relation]
        against = [c for c in living if c.relation == relation.opposite and not c.negated]
        built = self.built([*heard, *map(self.timeline.negation_of, against)], slot.relation, canon)
        if relation.cardinality is Cardinality.ONE:
            return built
        asked = self.timeline.slot_value(slot.value, canon)
        return self.built([c for c in built.claims if built.key(c) == asked], slot.relation, canon)

    def stands(self, valid_at: Instant) -> dict[str, str]:
        pairs: dict[tuple[str, str], list[Claim]] = {}
        for claim in self.living():
            if claim.relation == SAME_AS and claim.obj is not None:
                one, other = sorted((claim.subject.id, claim.obj.id))
                pairs.setdefault((one, other), []).append(claim)
        joined = [pair for pair, claims in pairs.items() if self.joined(claims, valid_at)]
        names = sorted({name for pair in joined for name in pair})
        return classes(joined, names.index)

    def joined(self, claims: list[Claim], valid_at: Instant) -> bool:
        """Whether the claims of one pair, told either way round, say that the two are one."""
        return self.timeline.believe(self.built(claims, SAME_AS, lambda _name: "either"), valid_at) is not None

    def built(self, claims: list[Claim], relation: str, canon: Callable[[str], str]) -> hub.timeline.Slot:
        silent = frozenset(c.id for c in claims if self.timeline.hidden(c, self.owner_of(c), self.acts_on))
        ordered = self.timeline.folding_order(claims)
        rules = self.world.registry[relation]
        built: hub.timeline.Slot = self.timeline.Slot(ordered, rules, self.world.trust.__getitem__, silent, canon)
        return built

    def living(self) -> list[Claim]:
        claims = [r for r in self.known if isinstance(r, Claim)]
        return [c for c in claims if not self.timeline.withdrawn(c, self.owner_of(c), self.acts_on)]

    def owner_of(self, claim: Claim) -> str:
        return self.world.registry[claim.relation].owner

    def acts_on(self, target: str) -> list[Record]:
        return [r for r in self.known if isinstance(r, Withdraw | Hide) and r.target == target]


class Viewed:
    """One world through views over one base, which keeps what it has folded from one question to the next."""

    def __init__(self, world: World, base: Base | None = None) -> None:
        self.world = world
        self.registry = Registry(relations=world.registry, trust=world.trust)
        self.base = base or Base(self.registry)
        for record in world.records[len(self.base.rows) :]:
            self.base.append(Row(record, frozenset(), record.recorded_at, record.seq))

    def ask(self, slot: Slot, valid_at: Instant) -> Answer:
        last = self.world.records[-1].seq if self.world.records else 0
        known_at = self.world.known_at
        view = View(self.base, snapshot=last, valid_at=valid_at, known_at=known_at, registry=self.base.registry)
        many = self.world.registry[slot.relation].cardinality is Cardinality.MANY
        value = hub.timeline.slot_value(slot.value, view.canon) if many and slot.value is not None else None
        place = (view.canon(slot.subject), slot.relation, value)
        belief = view.believe(place)
        return NOTHING if belief is None else answer(belief, lambda claim: least(view, view.slot(place).key(claim)))


def least(view: View, key: ValueKey) -> ValueKey:
    """The key by the least name of a class; views go by the one that was mentioned first."""
    return ("entity", min(view.members(key[1])), "") if key[0] == "entity" else key


def answer(belief: Belief, key: Callable[[Claim], ValueKey]) -> Answer:
    """The hub's belief in the evaluator's words; a "nothing" that values contest is no belief, but contested."""
    rivals = frozenset(key(c) for c in belief.contested)
    if belief.winner.negated:
        return Answer(contested=rivals | {key(belief.claim)})
    expired = belief.status is Status.EXPIRED
    return Answer(
        value=None if expired else key(belief.winner),
        winner=belief.winner.id,
        contested=rivals | {NONE} if belief.against_none else rivals,
        expired=expired,
        interval=belief.interval,
        superseded_by=belief.superseded_by,
        first=belief.claim.id,
    )
