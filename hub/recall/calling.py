"""Which relations the kind of a query calls for, and of what: by label, by context, by a thing that is spoken of."""

from __future__ import annotations

from collections.abc import Iterator, Set
from dataclasses import dataclass
from functools import cached_property
from itertools import islice

from hub.answers import Step
from hub.facts import CUSTOMER, Claim, Status
from hub.graph import along
from hub.recall.cues import Cues, Vocabulary
from hub.recall.leads import Leads, Matching
from hub.registry import SAME_AS
from hub.view import SlotKey, View
from hub.view.finding import named, newest_claims, newest_slots
from hub.view.kept import Place

MOST_OF_A_RELATION = 6
MOST_SUBJECTS = 6

CONTEXT, CONTEXT_PASSING = 0.5, 0.6
"""What one kind of query that a relation belongs to is worth, and more if it holds for a while only; two add up."""

BY_THE_WAY = 0.3
"""What it is worth if only a thing named in the query, not the query itself, is of that kind."""

LABEL = 0.8
"""What it is worth to be called by its label, in whatever language."""

TELLING = 0.3
"""What it is worth if the query has a word of the name, of a relation that is in no registry and so has no labels."""

EXACT, STRANGE = 0.5, 0.15
"""What is left of all that if the query names one thing exactly, such as an order by its number, for then others of its
kind are not meant; and if the view knows of no such thing."""

NEXT = 0.8
"""What is left for the second newest value of a relation, and so on for each older one."""

NEARBY, APART = 0.9, 0.6
"""What is left for a thing of the customer's, and for one that nothing links to it."""


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


class Caller:
    """One query's call upon the relations of one view."""

    def __init__(self, view: View, cues: Cues, vocabulary: Vocabulary, things: Set[str], *, walking: bool) -> None:
        self._view = view
        self._cues = cues
        self._vocabulary = vocabulary
        self._things = things
        self._walking = walking

    @cached_property
    def _kinds(self) -> set[str]:
        return {self._view.entity(thing).kind for thing in self._things}

    def call(self, leads: Leads, *, strange: bool = False) -> None:
        """Adds what is called for; `strange`: it names something exactly that the view does not know."""
        calls = self._calls(STRANGE if strange else EXACT if self._cues.identifiers else 1.0)
        matching = leads.matching() if calls else {}
        for name, call in calls.items():
            self._hint((CUSTOMER, name), call, call.strength, call.via, leads, matching)
            for subject in self._subjects(name):
                if subject in self._things:
                    self._hint((subject, name), call, call.strength, (), leads, matching)
                elif self._walking:
                    link = _link(self._view, subject)
                    strength, via = (APART, ()) if link is None else (NEARBY, (link,))
                    self._hint((subject, name), call, call.strength * strength, via, leads, matching)
        leads.unheld = tuple(name for name in self._cues.relations if not self._held(name))

    def _held(self, relation: str) -> bool:
        """Whether anything is held of a relation, of the customer or of a thing."""
        subjects = (CUSTOMER, *named(self._view, self._view.base.subjects.get(relation), MOST_SUBJECTS))
        return any(self._view.stretches(key) for subject in subjects for key in self._newest((subject, relation)))

    def _newest(self, place: Place) -> list[SlotKey]:
        return newest_slots(self._view, *place, MOST_OF_A_RELATION)

    def _calls(self, share: float) -> dict[str, _Call]:
        """What the query calls for, for this share of what it is worth by itself."""
        cues, vocabulary = self._cues, self._vocabulary
        calls: dict[str, _Call] = {}
        for name in cues.relations:
            calls.setdefault(name, _Call()).add(share * LABEL, "called by its label")
        for name, word in self._told_by_name():
            calls.setdefault(name, _Call()).add(share * TELLING, f"asks for `{word}`")
        for context in cues.contexts:
            for relation in vocabulary.by_context[context]:
                strength = CONTEXT if relation.ttl is None else CONTEXT_PASSING
                calls.setdefault(relation.name, _Call()).add(share * strength, f"a query about {context}")
        for kind in cues.kinds:
            for relation in vocabulary.by_subject_kind.get(kind, ()):
                calls.setdefault(relation.name, _Call()).add(share * CONTEXT, f"speaks of the {kind}")
        for step in self._links():
            for context in self._view.relation(step.relation).contexts:
                for relation in vocabulary.by_context.get(context, ()):
                    why = f"goes with {step.to}"
                    calls.setdefault(relation.name, _Call()).add(share * BY_THE_WAY, why, (step,))
        return calls

    def _told_by_name(self) -> Iterator[tuple[str, str]]:
        """Relations without labels that a word of the query tells of, and the word."""
        for word in self._cues.words:
            if word not in self._vocabulary.common:
                yield from ((name, word) for name in self._view.base.unregistered.get(word, ()))

    def _links(self) -> Iterator[Step]:
        """How the customer stands to the things that are named."""
        links = (_link(self._view, thing) for thing in self._things) if self._walking else ()
        return (step for step in links if step is not None)

    def _hint(
        self, place: Place, call: _Call, strength: float, via: tuple[Step, ...], leads: Leads, matching: Matching
    ) -> None:
        """What matches comes first of what a relation holds, and then what is newest."""
        for age, key in enumerate(dict.fromkeys((*matching.get(place, ()), *self._newest(place)))):
            leads.lead(key).hint(strength * NEXT**age, via, *call.why)

    def _subjects(self, relation: str) -> Iterator[str]:
        """Things the relation is told of; if the query names some, no others of their kind."""
        view = self._view
        found = named(view, view.base.subjects.get(relation), MOST_SUBJECTS)
        for subject in dict.fromkeys(map(view.canon, found)):
            if subject in self._things or not self._kinds or view.entity(subject).kind not in self._kinds:
                yield subject


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
