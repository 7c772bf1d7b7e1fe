"""What comes along unasked: core facts beside an answer, and the lasting facts of the customer for prompts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import chain

from hub.codec import Quick
from hub.facts import CUSTOMER, Belief, Relation, Status
from hub.recall.cues import Vocabulary
from hub.recall.prompt import profile_line, stable
from hub.text import estimate_tokens
from hub.timeline import sides
from hub.view import SlotKey, View
from hub.view.finding import named, newest_slots
from hub.view.kept import Stretch, overlap

MOST_OF_A_RELATION = 6
MOST_THINGS = 3
MOST_LASTING = 40


class Company(Quick, frozen=True):
    """Core facts, and the lines of the profile; both of what is current, each side of what is contested.

    `told` are the ids of the claims behind the lines, one each; `text` is the stable part of a prompt, and so many
    `tokens`, where nothing bounds it.
    """

    core: tuple[Belief, ...] = ()
    profile: tuple[str, ...] = ()
    told: tuple[str, ...] = ()
    text: str = ""
    tokens: int = 0


def company(view: View, known: Vocabulary) -> Company:
    """Whatever was asked, this is the same, until one of the facts it is made of is another."""
    relations = (*known.core, *known.lasting)
    return view.noted("company", known.company, lambda: _gathered(view, relations))[0]


def _gathered(view: View, relations: Sequence[Relation]) -> tuple[Company, Stretch]:
    """INVARIANT: in the order of the registry and of recording, so that the text does not depend on what is asked."""
    parts = [_part(view, relation) for relation in view.speaks_of(relations)]
    core = tuple(belief for part, _ in parts for belief in part.core)
    lines = tuple(line for part, _ in parts for line in part.profile)[:MOST_LASTING]
    told = tuple(claim for part, _ in parts for claim in part.told)[:MOST_LASTING]
    text = stable(lines, None)
    return Company(core, lines, told, text, estimate_tokens(text)), overlap(stretch for _, stretch in parts)


def _part(view: View, relation: Relation) -> tuple[Company, Stretch]:
    names = (relation.name,) if relation.opposite is None else (relation.name, relation.opposite)
    return view.noted(f"company of {relation.name}", names, lambda: _made(view, relation))


def _made(view: View, relation: Relation) -> tuple[Company, Stretch]:
    held, stretch = view.held_now(_slots(view, relation))
    current = (belief for belief in held if belief is not None and belief.status is Status.CURRENT)
    beliefs = tuple(chain.from_iterable(map(sides, current)))
    lines = tuple(_line(view, belief) for belief in beliefs)
    told = tuple(belief.claim.id for belief in beliefs)
    return Company(beliefs if relation.core else (), lines, told), stretch


def _line(view: View, belief: Belief) -> str:
    """Kept for the very belief, of which it says nothing that another view of the same rows would not."""
    if view.more:
        return profile_line(view, belief)
    kept = view.kept().lines
    known = kept.get(belief.claim.id)
    if known is None or known[0] is not belief:
        known = kept[belief.claim.id] = (belief, profile_line(view, belief))
    return known[1]


def _slots(view: View, relation: Relation) -> Iterable[SlotKey]:
    """Of the customer, and if it is core, of anything."""
    things = named(view, view.base.subjects.get(relation.name), MOST_THINGS) if relation.core else []
    slots = (newest_slots(view, thing, relation.name, MOST_OF_A_RELATION) for thing in (CUSTOMER, *things))
    return reversed(list(dict.fromkeys(chain.from_iterable(slots))))
