"""From leads to candidates: what they hold at the as-of, scored, and dropped below the floor."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from heapq import heappush, heappushpop
from itertools import chain, starmap

from hub.answers import Memory, Step
from hub.codec import Quick, replaced
from hub.facts import Belief, Claim, Status, Turn
from hub.memories import confidence, heard, remembered
from hub.recall.leads import Lead, Leads, most_alike
from hub.recall.weighing import Evidence, Merits, explained, likeness, relevance, usefulness
from hub.requests import Recall
from hub.salience import SUREST, recency
from hub.timeline import sides
from hub.view import SlotKey, View
from hub.view.finding import extent, most_important, times_used

TURN_CLASS = "event"
"""The memory class whose half-life turns have."""


class Fact(Quick, frozen=True):
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


class Word(Quick, frozen=True):
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


def sifted(view: View, leads: Leads, request: Recall, most: int | None = None) -> tuple[list[Fact], list[Word]]:
    """The facts and the turns that are relevant enough, and score enough; of the facts `most` at least, the best.

    What nothing but words and meaning speaks for has to stand out against what fits by chance; whoever asks for a score
    of 0 and more gets it all.
    """
    least, past, free = request.min_score or 0.0, request.include_past, request.min_score == 0
    said = list(words(view, leads, past=past, free=free)) if asks_for(request, "turn") else []
    weigher = Weigher(view, leads, past=past, free=free)
    weighing = weigher if asks_for(request, "fact") else None
    likely = free or _stands_out(view, leads, said, weighing)
    told = [] if weighing is None else weighing.best(most, least, grounded=not likely)
    return told, [word for word in said if word.score >= least and likely]


def _stands_out(view: View, leads: Leads, said: list[Word], weighing: Weigher | None) -> bool:
    """Whether words and meaning say more for any of it than for what fits by chance."""
    least = leads.floors.by_chance(extent(view)[0])
    alike = max((word.evidence.likeness for word in said), default=0.0)
    return alike >= least or (weighing is not None and weighing.stands_out(least))


def ranked(candidates: list[Candidate]) -> list[Candidate]:
    """By score; of equals, those recorded first come first."""
    return sorted(candidates, key=lambda candidate: (-candidate.score, candidate.order))


# --- facts -------------------------------------------------------------------------------------------------------


def facts(view: View, leads: Leads, *, past: bool, free: bool = False) -> Iterator[Fact]:
    """Those above the floor, or all if they are free of it."""
    weigher = Weigher(view, leads, past=past, free=free)
    return chain.from_iterable(map(weigher.facts, weigher.bounds))


class Bound(Quick, frozen=True):
    """The most that can speak for what one lead leads to, whatever its slot turns out to hold."""

    key: SlotKey
    lead: Lead
    lexical: float
    dense: float
    likeness: float
    relevance: float

    @property
    def evidence(self) -> Evidence:
        lead = self.lead
        return Evidence(self.lexical, self.dense, lead.entity, lead.graph, lead.because)


class Weigher:
    """Weighs the facts that the leads of one recall lead to, each lead once, and those that can't be among the best not
    at all. What a relation decides is looked up once.

    INVARIANT: a bound is made as a score is, of the largest parts there may be: rounding keeps the order, so that no
    fact scores more than its bound.
    """

    def __init__(self, view: View, leads: Leads, *, past: bool, free: bool) -> None:
        self._view = view
        self._past = past
        self._floor = leads.floors.fact
        self._least = 0.0 if free else self._floor
        self._weighed: dict[SlotKey, list[Fact]] = {}
        self._half_lives: dict[str, int | None] = {}
        self.bounds = [bound for bound in starmap(_bound, leads.slots.items()) if bound.relevance >= self._least]
        """Of the leads that may lead above the floor."""

    def stands_out(self, least: float) -> bool:
        """Whether words and meaning alone say so much for any of the facts."""
        likely = [bound for bound in self.bounds if bound.likeness >= least]
        likely.sort(key=lambda bound: -bound.likeness)
        return any(fact.evidence.likeness >= least for bound in likely for fact in self.facts(bound))

    def best(self, most: int | None, least: float, *, grounded: bool) -> list[Fact]:
        """Those that score enough, of which there is more than likeness to be said if they must be `grounded`: all, or
        so many of the best at least."""
        ideal = Merits(1.0, most_important(self._view), 1.0 if self._view.base.uses else 0.0, SUREST)
        found: list[Fact] = []
        scores: list[float] = []  # the best, as a heap
        for bound in sorted(self.bounds, key=lambda bound: -bound.relevance):
            if len(scores) == most and ideal.score(bound.relevance, past=False) < scores[0]:
                break
            for fact in self.facts(bound):
                if fact.score >= least and (fact.evidence.grounded or not grounded):
                    found.append(fact)
                    (heappushpop if len(scores) == most else heappush)(scores, fact.score)
        return found

    def facts(self, bound: Bound) -> list[Fact]:
        """What a lead leads to, if it is above the floor."""
        found = self._weighed.get(bound.key)
        if found is None:
            found = self._weighed[bound.key] = self._facts(bound)
        return found

    def _facts(self, bound: Bound) -> list[Fact]:
        found: list[Fact] = []
        for belief in _held(self._view, bound.key, past=self._past):
            evidence, relevant = _evidence(self._view, bound, belief)
            if relevant >= self._least:
                weighed = [self._fact(bound, side, evidence, relevant) for side in sides(belief)]
                found += weighed if len(weighed) == 1 else _side_by_side(weighed)
        return found

    def _fact(self, bound: Bound, belief: Belief, evidence: Evidence, relevant: float) -> Fact:
        said = belief.support or (belief.claim,)
        used = usefulness(times_used(self._view, [claim.id for claim in said])) if self._view.base.uses else 0.0
        merits = Merits(self._freshness(belief, said), _importance(said), used, confidence(belief))
        fused = merits.score(relevant, past=belief.status is Status.PAST)
        return Fact(bound.key, belief, evidence, merits, fused, self._floor, bound.lead.via)

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


def _bound(key: SlotKey, lead: Lead) -> Bound:
    lexical, dense = most_alike(lead.said)
    alike = likeness(lexical, dense)
    return Bound(key, lead, lexical, dense, alike, relevance(alike, lead.entity, lead.graph))


def _side_by_side(facts: list[Fact]) -> list[Fact]:
    """INVARIANT: no side of what is contested is put before another for its score."""
    best = max(fact.score for fact in facts)
    return [fact if fact.score == best else replaced(fact, score=best) for fact in facts]


def _held(view: View, key: SlotKey, *, past: bool) -> list[Belief]:
    now = view.stretches(key)
    if not past:
        return now
    return now + [belief for belief in view.history(key) if belief.status is Status.PAST]


def _evidence(view: View, bound: Bound, belief: Belief) -> tuple[Evidence, float]:
    """What speaks for one belief, and how relevant that makes it.

    INVARIANT: a claim of another value than is held speaks for nothing.
    """
    key, said = bound.key, bound.lead.said
    if not said or key[2] is not None:
        return bound.evidence, bound.relevance
    slot = view.slot(key)
    values = {slot.key(claim) for claim in (belief.claim, *belief.contested)}
    lexical, dense = most_alike([match for match in said if slot.key(match.record) in values])
    evidence = replaced(bound.evidence, lexical=lexical, dense=dense)
    return evidence, evidence.relevance


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
    return set(map(view.slot_of, view.claims_of(turn)))
