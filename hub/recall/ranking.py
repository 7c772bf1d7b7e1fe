"""From leads to candidates: what they hold at the as-of, scored, and dropped below the floor."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

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


class Fact(NamedTuple):
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


class Word(NamedTuple):
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
    weigher = _Weigher(view, leads.floors.fact)
    for key, lead in leads.slots.items():
        for belief in _held(view, key, past=past):
            lexical, dense = _likeness(view, key, lead, belief)
            evidence = Evidence(lexical, dense, lead.entity, lead.graph, lead.because)
            if (relevance := evidence.relevance) < floor:
                continue
            weighed = [weigher.fact(key, lead, side, evidence, relevance) for side in sides(belief)]
            yield from weighed if len(weighed) == 1 else _side_by_side(weighed)


def _side_by_side(facts: list[Fact]) -> list[Fact]:
    """INVARIANT: no side of what is contested is put before another for its score."""
    best = max(fact.score for fact in facts)
    return [fact if fact.score == best else fact._replace(score=best) for fact in facts]


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


class _Weigher:
    """Weighs the facts of one view, of which many may read alike: what a relation decides is looked up once."""

    def __init__(self, view: View, floor: float) -> None:
        self._view = view
        self._floor = floor
        self._half_lives: dict[str, int | None] = {}

    def fact(self, key: SlotKey, lead: Lead, belief: Belief, evidence: Evidence, relevance: float) -> Fact:
        said = belief.support or (belief.claim,)
        used = usefulness(times_used(self._view, [claim.id for claim in said])) if self._view.base.uses else 0.0
        merits = Merits(self._freshness(belief, said), _importance(said), used, confidence(belief))
        fused = merits.score(relevance, past=belief.status is Status.PAST)
        return Fact(key, belief, evidence, merits, fused, self._floor, lead.via)

    def _freshness(self, belief: Belief, said: Sequence[Claim]) -> float:
        """What is left since it was last said; what is still to come is as fresh as can be."""
        if belief.status is Status.UPCOMING:
            return 1.0
        last = said[0].said_at if len(said) == 1 else max(claim.said_at for claim in said)
        return recency(self._view.valid_at - last, self._half_life(belief.claim.relation))

    def _half_life(self, relation: str) -> int | None:
        if relation not in self._half_lives:
            memory_class = self._view.relation(relation).memory_class
            self._half_lives[relation] = self._view.registry.half_life(memory_class)
        return self._half_lives[relation]


def _importance(said: Sequence[Claim]) -> float:
    if len(said) == 1:
        return 1.0 if said[0].pinned else said[0].importance
    return max(1.0 if claim.pinned else claim.importance for claim in said)


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
