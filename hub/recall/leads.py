"""Everything in a view that a query might mean, with what speaks for it: words, names, walks, and kinds of query."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Set
from dataclasses import dataclass, field
from itertools import islice
from typing import Generic, TypeVar

from hub.answers import Step
from hub.facts import CUSTOMER, Claim, Relation, Status, Turn
from hub.graph import along, walk
from hub.recall.cues import Cues, Vocabulary
from hub.recall.lexical import Matches, best
from hub.recall.names import things
from hub.recall.talks import in_meaning, in_words, talks
from hub.recall.weighing import FLOORS, TURN, TURN_DENSE, WORDS_ONLY, Evidence, Floors, Scale, scale_of
from hub.registry import SAME_AS
from hub.vectors import NOTHING_NEAR, Meant, Nearness
from hub.view import SlotKey, View
from hub.view.finding import named, newest_claims, newest_slots
from hub.view.kept import Place

MOST_ROWS, MOST_NEAR = 64, 32
"""So many of the rows that match best in words, and in meaning, are looked at."""

MOST_TURNS = 64
"""So many turns are leads, with what was said around them."""

MOST_OF_A_RELATION = 6
MOST_SUBJECTS = 6

CONTEXT, CONTEXT_PASSING = 0.5, 0.6
"""What one kind of query that a relation belongs to is worth, and more if it holds for a while only; two add up."""

BY_THE_WAY = 0.3
"""What it is worth if only a thing named in the query, not the query itself, is of that kind."""

LABEL = 0.8
"""What it is worth to be called by its label, in whatever language."""

NEXT = 0.8
"""What is left for the second newest value of a relation, and so on for each older one."""

NEARBY, APART = 0.9, 0.6
"""What is left for a thing of the customer's, and for one that nothing links to it."""


R = TypeVar("R", Claim, Turn)
Matching = dict[Place, list[SlotKey]]


@dataclass(frozen=True, slots=True)
class Match(Generic[R]):
    """A record that matches in words, in meaning, or in both: how well, 0..1."""

    record: R
    lexical: float
    dense: float

    @property
    def strength(self) -> float:
        return Evidence(self.lexical, self.dense).likeness


@dataclass(slots=True)
class Lead:
    """What speaks for one slot so far; `said` are its claims that match."""

    entity: float = 0.0
    graph: float = 0.0
    path: tuple[Step, ...] = ()
    said: list[Match[Claim]] = field(default_factory=list)
    why: list[str] = field(default_factory=list)

    def hint(self, strength: float, via: tuple[Step, ...], *why: str) -> None:
        """Of several ways to a slot the strongest counts."""
        if strength > self.graph:
            self.graph, self.path = strength, via
        self.why += why

    @property
    def via(self) -> tuple[Step, ...]:
        """What the query names itself needs no path."""
        return () if self.entity else self.path


@dataclass(slots=True)
class Leads:
    slots: dict[SlotKey, Lead] = field(default_factory=dict)
    turns: list[Match[Turn]] = field(default_factory=list)
    floors: Floors = WORDS_ONLY

    def lead(self, key: SlotKey) -> Lead:
        found = self.slots.get(key)
        if found is None:
            found = self.slots[key] = Lead()
        return found

    def matching(self) -> Matching:
        """The slots with claims that match, best first, by their place."""
        matching: Matching = {}
        said = [(key, max(one.strength for one in lead.said)) for key, lead in self.slots.items() if lead.said]
        for key, _ in sorted(said, key=lambda pair: -pair[1]):
            matching.setdefault(key[:2], []).append(key)
        return matching


def gathered(view: View, cues: Cues, vocabulary: Vocabulary, meant: Meant) -> Leads:
    """INVARIANT: whatever is in here came out of the view."""
    alike = _likeness(view, cues, vocabulary, meant)
    leads = Leads(floors=WORDS_ONLY if alike.near is NOTHING_NEAR else FLOORS)
    _by_likeness(alike, leads)
    by_name, by_kind = things(view, cues)
    _by_walking(view, by_name, by_kind, leads)
    related = _relations_to(view, by_name)
    _by_relation(view, _called_for(cues, related, vocabulary), by_name.keys(), leads)
    return leads


# --- words and meaning -------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Likeness:
    """How well the rows of a view match in words, and how near they are in meaning."""

    view: View
    matches: Matches
    near: Nearness
    scale: Scale

    def hits(self) -> dict[int, None]:
        """The rows that match best either way."""
        in_words = self._filling(MOST_ROWS, lambda most: best(self.matches.scores, most))
        return in_words | self._filling(MOST_NEAR, lambda most: self.near.best(most, self.scale.least))

    def _filling(self, places: int, ranked: Callable[[int], list[tuple[int, float]]]) -> dict[int, None]:
        """The best rows, until so many places are filled: rows of one slot share one, and what is outdated takes none.

        INVARIANT: what is dead keeps nothing that lives out of sight, however often it was said.
        """
        most = places
        while True:
            rows = dict.fromkeys(row for row, _ in ranked(most))
            if len(rows) < most or len({place for row in rows if (place := self._place(row)) is not None}) >= places:
                return rows
            most *= 2

    def _place(self, row: int) -> SlotKey | int | None:
        record = self.view.base.rows[row].record
        if isinstance(record, Claim):
            return self.view.slot_of(record)
        return None if self.outdated(row) else row

    def outdated(self, row: int) -> bool:
        record = self.view.base.rows[row].record
        return isinstance(record, Turn) and self.view.outdated(record)

    def match(self, row: int, claim: Claim) -> Match[Claim]:
        return Match(claim, self.matches.scores.get(row, 0.0), self.closeness(row, self.near.of(row)))

    def closeness(self, row: int, cosine: float | None) -> float:
        record = self.view.base.rows[row].record
        blind = isinstance(record, Claim | Turn) and record.lang in self.scale.blind
        return 0.0 if blind else self.scale.closeness(cosine)


def _likeness(view: View, cues: Cues, vocabulary: Vocabulary, meant: Meant) -> Likeness:
    scale = scale_of(view.base.meanings.embedder)
    unseen = meant.steps is None or cues.lang in scale.blind
    near = NOTHING_NEAR if unseen or meant.steps is None else view.similar(meant.steps)
    return Likeness(view, Matches(view, cues, vocabulary), near, scale)


def _by_likeness(alike: Likeness, leads: Leads) -> None:
    view = alike.view
    turns: list[int] = []
    for row in alike.hits():
        record = view.base.rows[row].record
        if isinstance(record, Turn):
            turns.append(row)
        elif isinstance(record, Claim) and record.relation != SAME_AS:
            leads.lead(view.slot_of(record)).said.append(alike.match(row, record))
    for key, lead in leads.slots.items():
        lead.said += (alike.match(row, claim) for row, claim in _holding(view, key))
    leads.turns += _heard(alike, sorted(turns, key=alike.outdated))


def _holding(view: View, key: SlotKey) -> Iterator[tuple[int, Claim]]:
    """The claims by which a slot that holds one value holds it: others of it match, but speak for nothing."""
    beliefs = view.stretches(key) if key[2] is None else ()
    for claim in (claim for belief in beliefs for claim in (belief.claim, *belief.contested)):
        yield from ((row, claim) for row in view.base.by_id.get(claim.id, ()) if view.visible(row))


def _heard(alike: Likeness, hits: Iterable[int]) -> list[Match[Turn]]:
    """The turns that match best, together with what was said around them: those outdated last, of equals the newest."""
    found: list[tuple[float, int, Match[Turn]]] = []
    for talk in talks(alike.view, hits):
        spoken = zip(talk, in_words(talk, alike.matches), in_meaning(talk, alike.near), strict=True)
        for row, lexical, cosine in spoken:
            turn = alike.view.base.rows[row].record
            assert isinstance(turn, Turn), "nothing else is in a talk"
            match = Match(turn, TURN * lexical, TURN_DENSE * alike.closeness(row, cosine))
            if match.strength:
                found.append((match.strength, row, match))
    found.sort(key=lambda one: (alike.outdated(one[1]), -one[0], -one[1]))
    return [match for _, _, match in found[:MOST_TURNS]]


# --- names and walks ---------------------------------------------------------------------------------------------


def _by_walking(view: View, by_name: Mapping[str, float], by_kind: Mapping[str, float], leads: Leads) -> None:
    if not by_name and not by_kind:
        return
    for reached in walk(view, {**by_name, **by_kind}):
        lead = leads.lead(reached.key)
        if reached.via:
            lead.hint(reached.strength, reached.via, f"{len(reached.via)} steps from what is named")
        else:
            lead.entity = max(lead.entity, reached.strength)
            lead.why.append("about what is named")


# --- kinds of query ----------------------------------------------------------------------------------------------


@dataclass(slots=True)
class _Call:
    """A relation that the query calls for, how strongly, and the step to the thing that called for it."""

    strength: float = 0.0
    via: tuple[Step, ...] = ()
    why: tuple[str, ...] = ()

    def add(self, strength: float, why: str, via: tuple[Step, ...] = ()) -> None:
        """Kinds of query add up; the path is named only if nothing but the path led here."""
        if not self.strength:
            self.via = via
        self.strength = 1 - (1 - self.strength) * (1 - strength)
        self.why = (*self.why, why)


def _relations_to(view: View, entities: Iterable[str]) -> list[tuple[Relation, Step]]:
    """How the customer stands to the things that are named."""
    links = (_link(view, entity) for entity in entities)
    return [(view.relation(step.relation), step) for step in links if step is not None]


def _link(view: View, entity: str) -> Step | None:
    """The newest fact that the customer stands to a thing by."""
    customer = view.canon(CUSTOMER)
    for member in view.members(entity):
        for claim in islice(newest_claims(view, view.base.claims_on.get(member)), MOST_OF_A_RELATION):
            if view.canon(claim.subject.id) == customer and claim.relation != SAME_AS and _stands(view, claim):
                return along(view, claim)
    return None


def _stands(view: View, claim: Claim) -> bool:
    belief = view.believe(view.slot_of(claim))
    return belief is not None and belief.status is not Status.EXPIRED and claim in belief.support


def _called_for(cues: Cues, near: Iterable[tuple[Relation, Step]], vocabulary: Vocabulary) -> dict[str, _Call]:
    calls: dict[str, _Call] = {}
    for name in cues.relations:
        calls.setdefault(name, _Call()).add(LABEL, "called by its label")
    for context in cues.contexts:
        for relation in vocabulary.by_context[context]:
            strength = CONTEXT if relation.ttl is None else CONTEXT_PASSING
            calls.setdefault(relation.name, _Call()).add(strength, f"a query about {context}")
    for kind in cues.kinds:
        for relation in vocabulary.by_subject_kind.get(kind, ()):
            calls.setdefault(relation.name, _Call()).add(CONTEXT, f"speaks of the {kind}")
    for standing, step in near:
        for context in standing.contexts:
            for relation in vocabulary.by_context.get(context, ()):
                calls.setdefault(relation.name, _Call()).add(BY_THE_WAY, f"goes with {step.to}", (step,))
    return calls


def _by_relation(view: View, calls: Mapping[str, _Call], named_things: Set[str], leads: Leads) -> None:
    matching = leads.matching()
    for name, call in calls.items():
        _hint(view, (CUSTOMER, name), call.strength, call.via, call, leads, matching)
        for subject in _subjects(view, name, named_things):
            if subject in named_things:
                _hint(view, (subject, name), call.strength, (), call, leads, matching)
                continue
            link = _link(view, subject)
            strength = call.strength * (APART if link is None else NEARBY)
            _hint(view, (subject, name), strength, () if link is None else (link,), call, leads, matching)


def _hint(
    view: View, place: Place, strength: float, via: tuple[Step, ...], call: _Call, leads: Leads, matching: Matching
) -> None:
    """What matches comes first of what a relation holds, and then what is newest."""
    keys = dict.fromkeys((*matching.get(place, ()), *newest_slots(view, *place, MOST_OF_A_RELATION)))
    for age, key in enumerate(keys):
        leads.lead(key).hint(strength * NEXT**age, via, *call.why)


def _subjects(view: View, relation: str, named_things: Set[str]) -> Iterator[str]:
    """Things the relation is told of; if the query names some, no others of their kind."""
    found = named(view, view.base.subjects.get(relation), MOST_SUBJECTS)
    kinds = {view.entity(entity).kind for entity in named_things} if found else set()
    for subject in dict.fromkeys(map(view.canon, found)):
        if subject in named_things or not kinds or view.entity(subject).kind not in kinds:
            yield subject
