"""The things a view's claims mention, and which of them are one."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import chain

from hub.codec import replaced
from hub.facts import CUSTOMER, Claim, Entity, Relation, folded
from hub.registry import DEFAULT_TRUST, SAME_AS, Registry
from hub.timeline import Slot, folding_order
from hub.view.base import ANY_KIND, THE_CUSTOMER, Row, entities_of
from hub.view.kept import ALONE, Grouping, Held, Kept, Place, before, classes, itself, stretch
from hub.view.records import Records

Pair = tuple[str, str]
"""Two entities by id, in order."""


class Entities(Records):
    """The middle layer of a view: names, kinds and `same_as`."""

    __slots__ = ("_grouping", "_kept", "_new_places", "_own_kept")

    _grouping: Grouping | None
    _kept: Kept | None
    _new_places: frozenset[Place] | None
    _own_kept: Kept | None

    def canon(self, entity: str) -> str:
        """The entity that stands for the `same_as` class of this one, at the as-of."""
        return self.stands().get(entity, entity)

    def stands(self) -> Mapping[str, str]:
        """Every entity that is one with another -> the one that stands for its class."""
        return (self._grouping or self.grouping()).stands

    def members(self, entity: str) -> tuple[str, ...]:
        """The class of an entity, the one that stands for it first."""
        stands = self.canon(entity)
        return self.grouping().members.get(stands, (stands,))

    def grouping(self) -> Grouping:
        if self._grouping is None:
            self._grouping = self._grouped() if self.base.same or any(self.more.aliases()) else ALONE
        return self._grouping

    def kept(self) -> Kept:
        """INVARIANT: what is kept depends on nothing but the rows that the views of a base see, and the registry."""
        if self._kept is None:
            self._kept = self.base.kept.of(self.sees, self.registry)
        return self._kept

    def own_kept(self) -> Kept:
        """What is kept of what nobody else sees: rows about to be written, and what they touch."""
        if self._own_kept is None:
            self._own_kept = Kept()
        return self._own_kept

    def kept_for(self, places: Iterable[Place]) -> Kept:
        """Where what is folded of these places is kept; what rows about to be written touch is this view's own."""
        return self.own_kept() if self.more and any(map(self._touched, places)) else self.kept()

    def _touched(self, place: Place) -> bool:
        """Whether the rows about to be written have to do with it."""
        return self.more.touches(place) or place in self._acted_upon()

    def _acted_upon(self) -> frozenset[Place]:
        if self._new_places is None:
            claims = (self._claim_of(row.record) for row in self.more.acts())
            self._new_places = frozenset((c.subject.id, c.relation) for c in claims if c is not None)
        return self._new_places

    def entity(self, entity: str) -> Entity:
        """An entity by the first name this view has for it, and the first kind that says anything."""
        stands = self.canon(entity)
        if stands == CUSTOMER:
            return THE_CUSTOMER
        mentions = self._mentions_of(stands)
        return described(stands, mentions, self.registry)

    def entities(self) -> list[Entity]:
        """Everything this view's claims mention, a class once, by first mention."""
        return [self.entity(entity) for entity in self.in_order(list(self.base.mentions))]

    def in_order(self, entities: Iterable[str]) -> list[str]:
        """Those of these that the view mentions, a class once, by first mention of the class.

        INVARIANT: which of its members are asked for makes no difference, for a base also knows of what is not seen.
        """
        return sorted({self.canon(entity) for entity in entities if self._mentioned(entity)}, key=self._first_mention)

    def named(self, token: str) -> list[str]:
        """The classes of entities with this token in a name, by first mention."""
        naming = self.base.names.get(token)
        rows = {} if naming is None else naming.rows
        return self.in_order([entity for entity, numbers in list(rows.items()) if any(map(self.visible, numbers))])

    def called(self, name: str) -> list[Row]:
        """The rows in which something is called just so, one an entity, by first mention."""
        known = list(self.base.called.get(folded(name), {}).values())
        found = [next(self.rows(numbers), None) for numbers in known]
        rows = sorted((row for row in found if row is not None), key=lambda row: row.seq)
        return rows + list(self.more.calling(name))

    def calling(self, name: str) -> Iterator[Row]:
        """Every row in which something is called just so."""
        numbers = (n for known in list(self.base.called.get(folded(name), {}).values()) for n in known)
        return chain(self.rows(numbers), self.more.calling(name))

    def mentioned(self) -> Iterator[Entity]:
        """Every mention of an entity in this view, in ledger order."""
        return (entity for row in self.all_rows() for entity in entities_of(row.record))

    def _mentions_of(self, stands: str) -> Iterator[Entity]:
        for member in self.members(stands):
            for number in self.base.mentions.get(member, ()):
                if self.visible(number):
                    yield self._mention(number, member)
        news = self.more.mentioning(self.members(stands)) if self.more else ()
        yield from (e for row in news for e in entities_of(row.record) if self.canon(e.id) == stands)

    def _mentioned(self, entity: str) -> bool:
        return any(self.visible(n) for n in self.base.mentions[entity])

    def _mention(self, number: int, entity: str) -> Entity:
        return next(e for e in entities_of(self.base.rows[number].record) if e.id == entity)

    def _grouped(self) -> Grouping:
        kept, version = self.own_kept() if self._joins() else self.kept(), self._grouping_version()
        found = kept.grouping(version, self.valid_at)
        if found is not None:
            return found
        pairs = self._pairs()
        joined = [pair for pair, held in pairs.items() if held.at(self.valid_at) is not None]
        grouping = Grouping.of(classes(joined, self._first_mention)) if joined else ALONE
        turns = [turn for held in pairs.values() for turn in held.unchanging(self.valid_at, None)]
        return kept.group(version, stretch(turns, self.valid_at), grouping)

    def _joins(self) -> bool:
        """Whether the rows about to be written have to do with which things are one."""
        return any(self.more.aliases()) or any(relation == SAME_AS for _, relation in self._acted_upon())

    def _grouping_version(self) -> int:
        base, prefix = self.base, self.prefix
        return self.ground() + before(base.same, prefix) + before(base.same_acts, prefix)

    def _pairs(self) -> dict[Pair, Held]:
        """What is said of every two entities, whichever way round: a slot whose value is that they are one.

        Those that nothing about to be written speaks of are put together once, for all that is written at once.
        """
        if any(relation == SAME_AS for _, relation in self._acted_upon()):
            return self._held_of([*self.rows(self.base.same), *self.more.aliases()], {})
        kept, version = self.kept(), self._grouping_version()
        known = kept.pairs(version)
        if known is None:
            known = kept.pair(version, self._held_of(self.rows(self.base.same), {}))
        return {**known, **self._held_of(self.more.aliases(), known)}

    def _held_of(self, rows: Iterable[Row], known: Mapping[Pair, Held]) -> dict[Pair, Held]:
        """What these rows say, after what is known to be said of the same two."""
        pairs: dict[Pair, list[Claim]] = {}
        for row in rows:
            claim = row.record
            if isinstance(claim, Claim) and claim.obj is not None and self.living(claim):
                one, other = sorted((claim.subject, claim.obj), key=lambda e: e.id)
                pair = (one.id, other.id)
                if pair not in pairs:
                    pairs[pair] = list(known[pair].slot.claims) if pair in known else []
                pairs[pair].append(replaced(claim, subject=one, obj=other))
        same = self.registry.of(SAME_AS, "")
        return {pair: Held(self._built(claims, same, itself)) for pair, claims in pairs.items()}

    def _first_mention(self, entity: str) -> int:
        """Twice the row's number, one more for an object; rows about to be written come last."""
        number = next((n for n in self.base.mentions.get(entity, ()) if self.visible(n)), None)
        if number is not None:
            return 2 * number + (entities_of(self.base.rows[number].record)[0].id != entity)
        return 2 * self.prefix + self.more.first_mention(entity)

    def _built(
        self,
        claims: list[Claim],
        relation: Relation,
        canon: Callable[[str], str],
        trust: Callable[[str], float] = lambda _domain: DEFAULT_TRUST,
    ) -> Slot:
        silent = frozenset(c.id for c in claims if c.id in self.base.gaps or self.forgotten(c))
        return Slot(folding_order(claims), relation, trust, silent, canon)


def described(entity: str, mentions: Iterable[Entity], registry: Registry) -> Entity:
    """An entity as it is mentioned, once at least: by the first name that is more than a noun for its kind, else by the
    first, and of the first kind that says anything."""
    kind, name, unnamed = ANY_KIND, "", True
    for mention in mentions:
        kind = mention.kind if kind == ANY_KIND else kind
        bare = registry.kind_of(mention.name) is not None
        if not name or (unnamed and not bare):
            name, unnamed = mention.name, bare
        if kind != ANY_KIND and not unnamed:
            break
    return Entity(entity, kind, name)
