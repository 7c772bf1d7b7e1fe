"""From leads to candidates: what they hold at the as-of, scored, and dropped below the floor."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from hub.answers import Memory, Step
from hub.facts import Belief, Claim, Status, Turn
from hub.memories import confidence, heard, remembered
from hub.recall.leads import Lead, Leads
from hub.recall.weighing import Evidence, Merits, explained, usefulness
from hub.requests import Recall
from hub.salience import recency
from hub.timeline import sides
from hub.view import SlotKey, View
from hub.view.finding import extent, times_used

TURN_CLASS = "event"
"""The memory class whose half-life turns have."""


@dataclass(frozen=True, slots=True)
class Fact:
    """A belief, or a side of a contested one, that is relevant enough."""

    key: SlotKey
    belief: Belief
    evidence: Evidence
    merits: Merits
    score: float
    floor: float
    via: tuple[Step, ...] = ()

    @property
    def order(self) -> int:
        return self.belief.claim.seq

    @property
    def ahead(self) -> bool:
        return self.belief.status is Status.UPCOMING

    def memory(self, view: View, explain: bool) -> Memory:
        why = explained(self.evidence, self.merits, self.score, self.floor) if explain else None
        return remembered(view, self.belief, score=self.score, via=self.via, explain=why)


@dataclass(frozen=True, slots=True)
class Word:
    """A turn that is relevant enough; `past` if none of what it said is believed any more; said so many `times`."""

    turn: Turn
    evidence: Evidence
    merits: Merits
    score: float
    floor: float
    past: bool
    times: int = 1

    @property
    def order(self) -> int:
        return self.turn.seq

    @property
    def ahead(self) -> bool:
        return False

    def memory(self, view: View, explain: bool) -> Memory:
        why = explained(self.evidence, self.merits, self.score, self.floor) if explain else None
        return heard(view, self.turn, score=self.score, past=self.past, times=self.times, explain=why)


Candidate = Fact | Word

MIDDLING = 0.5
"""The importance of a turn, which nobody states."""

SURE = 1.0
"""The trust in a turn: it was said, whatever it said."""


def asks_for(request: Recall, kind: str) -> bool:
    return request.kinds is None or kind in request.kinds


def sifted(view: View, leads: Leads, request: Recall) -> tuple[list[Fact], list[Word]]:
    """The facts and the turns that are relevant enough, and score enough.

    What nothing but words and meaning speaks for has to stand out against what fits by chance; whoever asks for a score
    of 0 and more gets it all.
    """
    least, past, free = request.min_score or 0.0, request.include_past, request.min_score == 0
    told = list(facts(view, leads, past=past, free=free)) if asks_for(request, "fact") else []
    said = list(words(view, leads, past=past, free=free)) if asks_for(request, "turn") else []
    alike = max([fact.evidence.likeness for fact in told] + [word.evidence.likeness for word in said], default=0.0)
    likely = free or alike >= leads.floors.by_chance(extent(view)[0])
    return (
        [fact for fact in told if fact.score >= least and (likely or fact.evidence.grounded)],
        [word for word in said if word.score >= least and likely],
    )


def ranked(candidates: list[Candidate]) -> list[Candidate]:
    """By score; of equals, those recorded first come first."""
    return sorted(candidates, key=lambda candidate: (-candidate.score, candidate.order))


# --- facts -------------------------------------------------------------------------------------------------------


def facts(view: View, leads: Leads, *, past: bool, free: bool = False) -> Iterator[Fact]:
    """Those above the floor, or all if they are free of it."""
    floor = 0.0 if free else leads.floors.fact
    for key, lead in leads.slots.items():
        for belief in _held(view, key, past=past):
            likeness = _likeness(view, key, lead, belief)
            evidence = Evidence(*likeness, lead.entity, lead.graph, tuple(dict.fromkeys(lead.why)))
            if evidence.relevance >= floor:
                yield from _side_by_side([_fact(view, key, leads, side, evidence) for side in sides(belief)])


def _side_by_side(facts: list[Fact]) -> list[Fact]:
    """INVARIANT: no side of what is contested is put before another for its score."""
    if len(facts) == 1:
        return facts
    best = max(fact.score for fact in facts)
    return [fact if fact.score == best else replace(fact, score=best) for fact in facts]


def _held(view: View, key: SlotKey, *, past: bool) -> list[Belief]:
    now = view.stretches(key)
    if not past:
        return now
    return now + [belief for belief in view.history(key) if belief.status is Status.PAST]


def _likeness(view: View, key: SlotKey, lead: Lead, belief: Belief) -> tuple[float, float]:
    """How well words and meaning match. INVARIANT: a claim of another value than is held speaks for nothing."""
    said = lead.said
    if said and key[2] is None:
        slot = view.slot(key)
        values = {slot.key(claim) for claim in (belief.claim, *belief.contested)}
        said = [match for match in said if slot.key(match.record) in values]
    if len(said) == 1:
        return said[0].lexical, said[0].dense
    return max((m.lexical for m in said), default=0.0), max((m.dense for m in said), default=0.0)


def _fact(view: View, key: SlotKey, leads: Leads, belief: Belief, evidence: Evidence) -> Fact:
    said = [claim.id for claim in belief.support] or [belief.claim.id]
    used = usefulness(times_used(view, said)) if view.base.uses else 0.0
    merits = Merits(freshness(view, belief), importance(belief), used, confidence(belief))
    fused = merits.score(evidence.relevance, past=belief.status is Status.PAST)
    return Fact(key, belief, evidence, merits, fused, leads.floors.fact, leads.slots[key].via)


def freshness(view: View, belief: Belief) -> float:
    """What is left since it was last said; what is still to come is as fresh as can be."""
    if belief.status is Status.UPCOMING:
        return 1.0
    last = max([claim.said_at for claim in belief.support], default=belief.claim.said_at)
    half_life = view.registry.half_life(view.relation(belief.claim.relation).memory_class)
    return recency(view.valid_at - last, half_life)


def importance(belief: Belief) -> float:
    said = belief.support or (belief.claim,)
    return max([1.0 if claim.pinned else claim.importance for claim in said])


# --- turns -------------------------------------------------------------------------------------------------------


def words(view: View, leads: Leads, *, past: bool, free: bool = False) -> Iterator[Word]:
    """Those above the floor, or all if they are free of it."""
    floor = 0.0 if free else leads.floors.turn
    for match in leads.turns:
        turn, evidence = match.record, Evidence(match.lexical, match.dense)
        if evidence.relevance < floor:
            continue
        outdated = view.outdated(turn)
        if past or not outdated:
            fresh = recency(view.valid_at - turn.said_at, view.registry.half_life(TURN_CLASS))
            merits = Merits(fresh, MIDDLING, usefulness(times_used(view, [turn.id])), SURE)
            fused = merits.score(evidence.relevance, past=outdated)
            yield Word(turn, evidence, merits, fused, leads.floors.turn, outdated)


def carried(view: View, turn: Turn) -> set[SlotKey]:
    """The slots of what a turn said."""
    records = (row.record for row in view.rows(view.base.claims_from.get(turn.id, ())))
    return {view.slot_of(claim) for claim in records if isinstance(claim, Claim)}
