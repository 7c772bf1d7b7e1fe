"""What comes along unasked: core facts beside an answer, and the lasting facts of the customer for prompts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain

from hub.facts import CUSTOMER, Belief, Relation, Status
from hub.timeline import sides
from hub.view import SlotKey, View
from hub.view.finding import named, newest_slots

MOST_OF_A_RELATION = 6
MOST_THINGS = 3
MOST_LASTING = 40


def core(view: View, relations: Iterable[Relation], taken: set[str]) -> Iterator[Belief]:
    """The current beliefs of these relations that are not taken yet, each side of what is contested."""
    for relation in relations:
        things = chain((CUSTOMER,), _things(view, relation))
        yield from _current(view, (key for thing in things for key in _slots(view, thing, relation)), taken)


def lasting(view: View, relations: Iterable[Relation]) -> list[Belief]:
    """What is current and lasts, of the customer, and what is core of anything; in the order of the registry."""
    found: list[Belief] = []
    for relation in relations:
        things = chain((CUSTOMER,), _things(view, relation) if relation.core else ())
        beliefs = _current(view, (key for thing in things for key in _slots(view, thing, relation)), set())
        found += sorted(beliefs, key=lambda belief: belief.claim.seq)
    return found[:MOST_LASTING]


def _slots(view: View, thing: str, relation: Relation) -> Iterable[SlotKey]:
    return newest_slots(view, thing, relation.name, MOST_OF_A_RELATION)


def _things(view: View, relation: Relation) -> Iterable[str]:
    return named(view, view.base.subjects.get(relation.name), MOST_THINGS)


def _current(view: View, keys: Iterable[SlotKey], taken: set[str]) -> Iterator[Belief]:
    for key in dict.fromkeys(keys):
        belief = view.believe(key)
        if belief is not None and belief.status is Status.CURRENT:
            yield from (side for side in sides(belief) if side.claim.id not in taken)
