"""Which thing a name means, in a view that all readers of what is written may share."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from hub.door import Desk
from hub.errors import Incorrect, Missing
from hub.facts import CUSTOMER, Claim, Entity, Filing, Interval, Relation, Scope, folded
from hub.registry import SAME_AS, plainly
from hub.remember.mentions import meant, the_unnamed
from hub.requests import Another, Fact, Kin, Mention, Thing
from hub.view import ANY_KIND, THE_CUSTOMER, Row, View
from hub.view.base import entities_of


class Names:
    """Finds or makes entities in one view: a cut for claims, the writer's own for aliases."""

    def __init__(self, desk: Desk, view: View, lang: str = "en") -> None:
        self._desk = desk
        self._view = view
        self._lang = lang

    def resolved(
        self, named: str | Thing | None, kind: str | None = None, *, subject: Relation | None = None
    ) -> Entity:
        """The entity meant; a name nobody in this view has used yet makes a new one.

        Of a thing that is only mentioned, a part of the name may do, or its kind: what a relation says of the
        customer it says of that kind (`subject`), as long as no such thing is known.
        """
        if isinstance(named, Kin):
            named = self._kin(named)
        elif isinstance(named, Mention):
            named = self._mentioned(named, subject)
        return self._found_or_made(named, self._view.called, kind)[0]

    def _kin(self, kin: Kin) -> Thing:
        held = None if kin.is_named else self._held(kin)
        return Thing(kind=kin.kind, name=kin.name) if held is None else Thing(id=held.id)

    def _held(self, kin: Kin) -> Entity | None:
        belief = self._view.believe((CUSTOMER, kin.by, None))
        return None if belief is None else belief.claim.obj

    def another(self, named: Another, fact: Fact) -> Entity:
        """Somebody else than whoever was called so before, but for one of whom the very same was said."""
        for row in self._view.called(named.name or ""):
            known = _called(row, named.name or "")
            if known is not None and known.kind == named.kind and self._is_said(known, fact):
                return known
        return Entity(self._desk.new_id("ent"), named.kind or ANY_KIND, named.name or "")

    def _is_said(self, entity: Entity, fact: Fact) -> bool:
        rows = self._view.rows(self._view.base.claims_of.get((entity.id, fact.relation), ()))
        claims = (row.record for row in rows if isinstance(row.record, Claim))
        return any((_held(claim), claim.negated) == (_meant(fact), fact.negated) for claim in claims)

    def _mentioned(self, mention: Mention, subject: Relation | None) -> Thing | None:
        if mention.name is not None and list(self._view.called(mention.name)):
            return mention
        known = meant(self._view, mention)
        if known is not None:
            return Thing(id=known.id)
        if mention.name is not None or mention.kind is None:
            return mention
        of_customer = subject is not None and subject.subject_kind == mention.kind
        return None if of_customer else Thing(kind=mention.kind, name=self._noun(mention.kind))

    def _noun(self, kind: str) -> str:
        return self._desk.registry.noun(kind, self._lang) or kind

    def placed(self, named: str | Thing | None) -> tuple[Entity, Filing | None]:
        """The entity meant, and where its name is filed: the widest place, None if it is new."""
        entity, place = self._found_or_made(named, self._view.calling)
        return entity, None if place is None else place.filing

    def join_twins(self, claim: Claim, filing: Filing) -> None:
        """A name new to the readers of `filing` may be known to the writer by other labels: who reads both is told."""
        for entity in entities_of(claim):
            if entity.id == CUSTOMER:
                continue
            if self._calls(entity):
                continue
            known = [row for row in self._view.calling(entity.name) if _mention(row, entity) is not None]
            if any(e.id == entity.id for row in known for e in entities_of(row.record)):
                continue
            places = {filing | row.filing for row in known}
            for place in sorted(places, key=lambda place: (_narrowness(place), sorted(place))):
                self._join(claim, entity, place)

    def _calls(self, entity: Entity) -> bool:
        """Whether the first row in which the entity is called so says that already; however many follow it."""
        rows = (row for row in self._view.called(entity.name) if _mention(row, entity) is not None)
        return any(e.id == entity.id for row in rows for e in entities_of(row.record))

    def naming(self, claim: Claim) -> Claim | None:
        """The alias by which a new name belongs to the one thing of its kind that is known in this view without any.

        INVARIANT no write-down: the view is that of all readers of the claim, from before it.
        """
        entity = claim.obj
        if entity is None or claim.negated or list(self._view.called(entity.name)):
            return None
        unnamed = the_unnamed(self._view, entity.kind)
        return None if unnamed is None else self._alias(claim, entity, unnamed)

    def namesake(self, claim: Claim, entity: Entity, kin: Kin) -> Claim | None:
        """The alias by which whoever was spoken of by this noun alone is the one that is now said to be called so.

        INVARIANT no write-down: as for `naming`.
        """
        known = self._by_noun(kin)
        return None if known is None else self._alias(claim, entity, known)

    def join_kin(self, claim: Claim, filing: Filing, kin: Kin) -> None:
        """Whom a relation holds, and who is spoken of by the noun for it, are one to those who read both."""
        belief = self._view.believe((CUSTOMER, kin.by, None))
        if belief is None:
            return
        place = filing | self._desk.filing_of(belief.claim.id)
        seen = Names(self._desk, self._desk.cut(place))
        held, known = seen._held(kin), seen._by_noun(kin)
        if held is not None and known is not None and held.id != known.id:
            self._desk.file(self._alias(claim, known, held), place)

    def _by_noun(self, kin: Kin) -> Entity | None:
        """The one who is called by the noun, and by nothing else."""
        called = (_called(row, kin.noun) for row in self._view.called(kin.noun))
        found = {e.id: e for e in called if e is not None and e.kind == kin.kind}
        alone = [e for e in found.values() if len(self._view.members(e.id)) == 1]
        return alone[0] if len(found) == 1 == len(alone) else None

    def _join(self, claim: Claim, entity: Entity, place: Filing) -> None:
        """INVARIANT no write-down: whether there is an alias for the readers of `place` follows from what they know,
        and what it names is known to whoever may ever read it.
        """
        seen = self._desk.cut(place)
        others = ((row, e) for row in seen.calling(entity.name) if (e := _mention(row, entity)) is not None)
        twins = [(row, twin) for row, twin in others if twin.id != entity.id]
        classes = {seen.canon(twin.id) for _, twin in twins}
        named = next((twin for row, twin in twins if row.filing <= place), None)
        if named is not None and len(classes) == 1 and seen.canon(entity.id) not in classes:
            self._desk.file(self._alias(claim, entity, named), place)

    def _alias(self, claim: Claim, entity: Entity, twin: Entity) -> Claim:
        return Claim(
            id=self._desk.new_id("fact"),
            seq=self._desk.next_seq(),
            recorded_at=self._desk.now,
            author=self._desk.author,
            subject=entity,
            relation=SAME_AS,
            obj=twin,
            interval=Interval(min(claim.interval.start, claim.said_at)),
            lang=claim.lang,
            said_at=claim.said_at,
        )

    def _found_or_made(
        self, named: str | Thing | None, rows_with: Callable[[str], Iterable[Row]], kind: str | None = None
    ) -> tuple[Entity, Row | None]:
        """INVARIANT: of a thing with many mentions the widest is meant, for its readers may not know the others."""
        thing = Thing(name=named) if isinstance(named, str) else named
        if thing is None or thing.id == CUSTOMER or (thing.name == CUSTOMER and thing.id is None):
            return THE_CUSTOMER, None
        if thing.id is not None:
            return self._by_id(thing.id)
        if thing.name is None:
            raise Incorrect("no_name", "an entity needs a `name`", "send `name`, or `id`", where="subject")
        wanted = self._kind(thing.kind or kind)
        found = [
            (row, e)
            for row in rows_with(thing.name)
            if (e := _called(row, thing.name)) is not None and (ANY_KIND in (wanted, e.kind) or e.kind == wanted)
        ]
        if (alike := len({self._view.canon(e.id) for _, e in found})) > 1:
            message = f"`{thing.name[:60]}` may be one of {alike} things"
            raise Incorrect("ambiguous_entity", message, "name its `kind`, or its `id`", where="subject")
        if not found:
            return Entity(self._desk.new_id("ent"), wanted, thing.name), None
        place, entity = min(found, key=lambda it: _width(it[0]))
        return Entity(entity.id, wanted if wanted != ANY_KIND else entity.kind, thing.name), place

    def _by_id(self, entity: str) -> tuple[Entity, Row]:
        place = min(self._view.rows(self._view.base.mentions.get(entity, ())), key=_width, default=None)
        if place is None:
            raise Missing(
                "not_found", "there is no such entity for all who may read this", "name it, or narrow `scope`"
            )
        return next(e for e in entities_of(place.record) if e.id == entity), place

    def _kind(self, kind: str | None) -> str:
        return ANY_KIND if kind is None else self._desk.registry.kind_of(kind) or kind


def _held(claim: Claim) -> str:
    return folded(plainly(claim.value) if claim.obj is None else claim.obj.name)


def _meant(fact: Fact) -> str:
    named = fact.object
    if named is None:
        return folded(plainly(fact.value))
    return folded(named if isinstance(named, str) else named.name or "")


def _called(row: Row, name: str) -> Entity | None:
    return next((e for e in entities_of(row.record) if folded(e.name) == folded(name)), None)


def _mention(row: Row, entity: Entity) -> Entity | None:
    other = _called(row, entity.name)
    alike = other is not None and (ANY_KIND in (other.kind, entity.kind) or other.kind == entity.kind)
    return other if alike else None


def _width(row: Row) -> tuple[int, int]:
    """Smallest for what most may read, and of that for what was there first."""
    return _narrowness(row.filing), row.seq


def _narrowness(filing: Filing) -> int:
    return sum(1 for label in filing if label.scope is Scope.PRIVATE)
