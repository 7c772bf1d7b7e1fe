"""The things a view's claims mention, and which of them are one."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import chain

from hub.facts import CUSTOMER, Claim, Entity, Relation, folded
from hub.registry import SAME_AS
from hub.timeline import Slot, believe, classes, folding_order
from hub.view.base import ANY_KIND, THE_CUSTOMER, Row, entities_of
from hub.view.records import Records


class Entities(Records):
    """The middle layer of a view: names, kinds and `same_as`."""

    __slots__ = ("_canon",)

    _canon: dict[str, str] | None

    def canon(self, entity: str) -> str:
        """The entity that stands for the `same_as` class of this one, at the as-of."""
        return self.stands().get(entity, entity)

    def stands(self) -> dict[str, str]:
        """Every entity that is one with another -> the one that stands for its class."""
        if self._canon is None:
            self._canon = self._classes() if self.base.same or self.more else {}
        return self._canon

    def members(self, entity: str) -> list[str]:
        stands = self.canon(entity)
        return [stands, *(member for member, of in self.stands().items() if of == stands and member != stands)]

    def entity(self, entity: str) -> Entity:
        """An entity by the first name this view has for it; its kind is the first that says anything."""
        stands = self.canon(entity)
        if stands == CUSTOMER:
            return THE_CUSTOMER
        mentions = self._mentions_of(stands)
        first = next(mentions)
        kinds = (e.kind for e in chain((first,), mentions) if e.kind != ANY_KIND)
        return Entity(stands, next(kinds, ANY_KIND), first.name)

    def entities(self) -> list[Entity]:
        """Everything this view's claims mention, a class once, by first mention."""
        seen = dict.fromkeys(self.canon(entity) for entity in list(self.base.mentions) if self._mentioned(entity))
        return [self.entity(entity) for entity in seen]

    def named(self, token: str) -> list[str]:
        """The classes of entities with this token in a name, by first mention."""
        naming = self.base.names.get(token)
        rows = {} if naming is None else naming.rows
        return list(
            dict.fromkeys(self.canon(e) for e, numbers in list(rows.items()) if any(map(self.visible, numbers)))
        )

    def called(self, name: str) -> list[Row]:
        """The rows in which something is called just so, one an entity, by first mention."""
        known = list(self.base.called.get(folded(name), {}).values())
        found = [next(self.rows(list(numbers)), None) for numbers in known]
        more = [row for row in self.more if any(folded(e.name) == folded(name) for e in entities_of(row.record))]
        return [row for row in found if row is not None] + more

    def mentioned(self) -> Iterator[Entity]:
        """Every mention of an entity in this view, in ledger order."""
        return (entity for row in self.all_rows() for entity in entities_of(row.record))

    def _mentions_of(self, stands: str) -> Iterator[Entity]:
        for member in self.members(stands):
            for number in self.base.mentions.get(member, ()):
                if self.visible(number):
                    yield self._mention(number, member)
        yield from (e for row in self.more for e in entities_of(row.record) if self.canon(e.id) == stands)

    def _mentioned(self, entity: str) -> bool:
        return any(self.visible(n) for n in self.base.mentions[entity])

    def _mention(self, number: int, entity: str) -> Entity:
        return next(e for e in entities_of(self.base.rows[number].record) if e.id == entity)

    def _classes(self) -> dict[str, str]:
        pairs: dict[tuple[str, str], list[Claim]] = defaultdict(list)
        rows = [*self.rows(self.base.same), *(r for r in self.more if getattr(r.record, "relation", "") == SAME_AS)]
        for row in rows:
            claim = row.record
            if isinstance(claim, Claim) and claim.obj is not None and self.living(claim):
                one, other = sorted((claim.subject.id, claim.obj.id))
                pairs[one, other].append(claim)
        joined = [pair for pair, claims in pairs.items() if self._holds(claims)]
        order = {entity: number for number, entity in enumerate(list(self.base.mentions))}
        return classes(joined, lambda entity: order.get(entity, len(order)))

    def _holds(self, claims: list[Claim]) -> bool:
        """Whether a pair's claims, folded as one slot, say that the two are one."""
        alike = [c if c.obj is None else _undirected(c) for c in claims]
        return (
            believe(self._built(alike, self.registry.of(SAME_AS, ""), lambda entity: entity), self.valid_at) is not None
        )

    def _built(self, claims: list[Claim], relation: Relation, canon: Callable[[str], str]) -> Slot:
        silent = frozenset(c.id for c in claims if self.forgotten(c))
        return Slot(folding_order(claims), relation, self.registry.trust_of, silent, canon)


def _undirected(claim: Claim) -> Claim:
    """`a same_as b` and `b same_as a` are one slot and one value."""
    assert claim.obj is not None
    first, second = sorted((claim.subject, claim.obj), key=lambda e: e.id)
    return replace(claim, subject=first, obj=second)
