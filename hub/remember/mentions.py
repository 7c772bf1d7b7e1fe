"""Which thing is meant by its kind alone, or by a part of its name."""

from __future__ import annotations

from hub.facts import CUSTOMER, Entity, Status
from hub.requests import Mention
from hub.text import is_stop, tokens
from hub.view import ANY_KIND, View

OWNS = "owns"


def meant(view: View, mention: Mention) -> Entity | None:
    """The one thing in a view that a mention fits; None if there is none, or if several fit and stay apart."""
    if mention.name is None:
        return _only([entity for entity in _owned(view) if entity.kind == mention.kind])
    return _only(_named(view, mention.name, mention.kind or ANY_KIND))


def the_unnamed(view: View, kind: str) -> Entity | None:
    """The one thing of a kind that the customer has and that nobody in a view has called anything but that."""
    return _only([thing for thing in _owned(view) if thing.kind == kind == view.registry.kind_of(thing.name)])


def _only(found: list[Entity]) -> Entity | None:
    return found[0] if len(found) == 1 else None


def _owned(view: View) -> list[Entity]:
    """What the customer has now."""
    held = [belief for belief in view.of(CUSTOMER, OWNS) if belief.status is Status.CURRENT]
    things = {view.canon(belief.claim.obj.id): None for belief in held if belief.claim.obj is not None}
    return [view.entity(thing) for thing in things]


def _named(view: View, name: str, kind: str) -> list[Entity]:
    """Everything in whose name all of these words stand."""
    words = {token for token in tokens(name) if not is_stop(token)}
    fitting = [set(view.named(word)) for word in words]
    common = set.intersection(*fitting) if fitting else set()
    entities = [view.entity(entity) for entity in common if entity != CUSTOMER]
    return [entity for entity in entities if ANY_KIND in (kind, entity.kind) or entity.kind == kind]
