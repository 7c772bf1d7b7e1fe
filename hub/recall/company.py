"""What comes along unasked: core facts beside an answer, and the lasting facts of the customer for prompts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from hub.facts import CUSTOMER, Belief, Relation, Status
from hub.recall.cues import Vocabulary
from hub.recall.prompt import profile_line
from hub.timeline import sides
from hub.view import SlotKey, View
from hub.view.finding import named, newest_slots

MOST_OF_A_RELATION = 6
MOST_THINGS = 3
MOST_LASTING = 40


@dataclass(frozen=True, slots=True)
class Company:
    """Core facts, and the lines of the profile; both of what is current, each side of what is contested."""

    core: tuple[Belief, ...]
    profile: tuple[str, ...]


def company(view: View, known: Vocabulary) -> Company:
    """Whatever was asked, this is the same, until one of the facts it is made of is another."""
    relations = (*known.core, *known.lasting)
    return view.noted("company", known.names_of_company, lambda: _gathered(view, relations))


def _gathered(view: View, relations: Sequence[Relation]) -> tuple[Company, list[SlotKey]]:
    """INVARIANT: in the order of the registry and of recording, so that the text does not depend on what is asked."""
    slots = [(relation, key) for relation in relations for key in _slots(view, relation)]
    held = [(relation, belief) for relation, key in slots for belief in _current(view, key)]
    core = tuple(belief for relation, belief in held if relation.core)
    profile = tuple(profile_line(view, belief) for _, belief in held[:MOST_LASTING])
    return Company(core, profile), [key for _, key in slots]


def _slots(view: View, relation: Relation) -> Iterable[SlotKey]:
    """Of the customer, and if it is core, of anything."""
    things = named(view, view.base.subjects.get(relation.name), MOST_THINGS) if relation.core else []
    keys = (
        key for thing in (CUSTOMER, *things) for key in newest_slots(view, thing, relation.name, MOST_OF_A_RELATION)
    )
    return reversed(list(dict.fromkeys(keys)))


def _current(view: View, key: SlotKey) -> Iterator[Belief]:
    belief = view.believe(key)
    if belief is not None and belief.status is Status.CURRENT:
        yield from sides(belief)
