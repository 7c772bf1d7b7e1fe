"""What operators decide about relations: promoted, merged, rejected, and how far a domain's word counts in them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import datetime

from hub.answers import PolicyVersion, Promoted
from hub.codec import decode, encode
from hub.door import Act, Desk, Door
from hub.facts import Arbitration, Claim, Filing, Instant, Scope
from hub.hub.spelling import in_use, refuse_misspelt
from hub.ledger import Version
from hub.moments import as_datetime
from hub.registry import Rating, Registry, checked_relation, read_amendment
from hub.remember import acts, schema
from hub.requests import MergeRelation, Promote, Rate, checked
from hub.view import View


@dataclass(frozen=True, slots=True, kw_only=True)
class RelationAnswer:
    """What the registry says of one relation; `owner` empty: each writer's own domain.

    `ttl_seconds` None: for ever. `label`: how it reads, by language.
    """

    name: str
    owner: str
    cardinality: str
    scope: Scope
    arbitration: str
    sensitivity: str
    memory_class: str
    ttl_seconds: int | None
    opposite: str | None
    inverse: str | None
    core: bool
    context: tuple[str, ...]
    label: dict[str, str]
    promoted: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class RelationUse:
    """A name that no registry knows, as one domain uses it: how many customers' living facts stand under it.

    `standing`: provisional, rejected, or merged `into` a known relation.
    """

    relation: str
    domain: str
    customers: int
    facts: int
    last_used: datetime
    standing: str
    into: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Rated:
    """`score` None: what the domain has earned counts."""

    domain: str
    relation: str | None
    score: float | None
    policy_version: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Relations:
    """All of them: the list is never cut."""

    relations: tuple[RelationAnswer, ...]
    next: str | None = None
    truncated: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class RelationUses:
    """All that this operator may share, most used first: the list is never cut."""

    relations: tuple[RelationUse, ...]
    next: str | None = None
    truncated: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Ratings:
    """All of them: the list is never cut."""

    ratings: tuple[Rated, ...]
    next: str | None = None
    truncated: bool = False


class Governing:
    """The registry between two versions of its file: what it calls what needs the act `share`, scores `decide`."""

    id: str
    _door: Door
    _words: str

    def relations(self) -> list[RelationAnswer]:
        """Every relation of the registry, and those promoted since."""
        self._must(Act.INSPECT)
        registry = self._door.rules().registry
        promoted = [p.relation for p in registry.promotions]
        return [_relation(registry, name, name in promoted) for name in [*registry.relations, *promoted]]

    def provisional(self) -> list[RelationUse]:
        """Names in use that no registry knows, as far as this operator may share them, by domain, most used first."""
        self._must(Act.SHARE)
        registry = self._door.rules().registry
        counted: dict[tuple[str, str], list[tuple[str, Instant]]] = {}
        for customer in self._door.customers(self.id, lambda filing: _is_provisional(registry, filing), Act.SHARE):
            for claim in _uses(self._door.inspect(self.id, customer, act=Act.SHARE), registry):
                counted.setdefault((claim.relation, claim.author.domain), []).append((customer, claim.recorded_at))
        found = [_use(registry, *named, uses) for named, uses in counted.items()]
        return sorted(found, key=lambda use: (-use.customers, -use.facts, use.relation, use.domain))

    def promote(
        self,
        relation: str,
        *,
        scope: str,
        arbitration: str | None = None,
        owner: str | None = None,
        existing: bool = False,
    ) -> Promoted:
        """Makes a provisional relation known; with `existing`, values already stored move too, from now on."""
        fields = {"scope": scope, "arbitration": arbitration, "owner": owner, "existing": existing}
        asked = checked(Promote, fields)
        self._must(Act.SHARE)
        refuse_misspelt("owner", asked.owner, in_use(self._door).domains)
        arbiter = None if asked.arbitration is None else Arbitration(asked.arbitration)
        version = self._amended(
            f"promote {relation}",
            lambda known: known.promoted(
                checked_relation(relation), scope=asked.scope, arbitration=arbiter, owner=asked.owner
            ),
        )
        moved = self._refiled(relation, asked.scope, f"promote {relation}") if asked.existing else 0
        return Promoted(relation=relation, policy_version=version.version, moved=moved)

    def demote(self, relation: str, *, existing: bool = False) -> Promoted:
        """Takes back what was decided about a name; with `existing`, stored values are private again from now on."""
        version = self._amended(f"demote {relation}", lambda known: known.demoted(checked_relation(relation)))
        moved = self._refiled(relation, Scope.PRIVATE, f"demote {relation}") if existing else 0
        return Promoted(relation=relation, policy_version=version.version, moved=moved)

    def merge_relation(self, relation: str, *, into: str, existing: bool = False, scope: str | None = None) -> Promoted:
        """From now on what is sent under a provisional name is recorded under a known one.

        With `existing`, values already stored move too, from now on: as they are filed, for nobody else to see, or
        with a `scope` to where the known relation files them.
        """
        asked = checked(MergeRelation, {"into": into, "existing": existing, "scope": scope})
        version = self._amended(
            f"merge {relation} into {asked.into}",
            lambda known: known.merged(checked_relation(relation), checked_relation(asked.into)),
        )
        moved = self._renamed(relation, asked.into, asked.scope) if asked.existing else 0
        return Promoted(relation=relation, policy_version=version.version, moved=moved)

    def reject_relation(self, relation: str, *, existing: bool = False) -> Promoted:
        """From now on nothing is recorded under a provisional name; with `existing`, stored values are taken back."""
        version = self._amended(f"reject {relation}", lambda known: known.rejected(checked_relation(relation)))
        moved = self._taken_back(relation) if existing else 0
        return Promoted(relation=relation, policy_version=version.version, moved=moved)

    def rate(self, domain: str, score: float | None, *, relation: str | None = None) -> Rated:
        """How far a domain's word counts, 0..1, in one relation or in all; None: as far as it has earned."""
        asked = checked(Rate, {"domain": domain, "score": score, "relation": relation})
        name = None if asked.relation is None else checked_relation(asked.relation)
        self._must(Act.DECIDE)
        known = in_use(self._door)
        refuse_misspelt("domain", asked.domain, known.domains)
        refuse_misspelt("relation", name, known.relations)

        def rated(known: Registry) -> Registry:
            score = asked.score
            return known.unrated(asked.domain, name) if score is None else known.rated(asked.domain, score, name)

        version = self._amended(f"rate {asked.domain}", rated, Act.DECIDE)
        return Rated(domain=asked.domain, relation=name, score=asked.score, policy_version=version.version)

    def ratings(self) -> list[Rated]:
        """How far operators, or the registry's file, say that whose word counts."""
        self._must(Act.INSPECT)
        rules = self._door.rules()
        said: dict[tuple[str, str | None], float] = {(d, None): score for d, score in rules.registry.trust.items()}
        said |= {(a.domain, a.relation): a.score for a in rules.registry.amendments if isinstance(a, Rating)}
        version = rules.version.id
        return [
            Rated(domain=domain, relation=relation, score=score, policy_version=version)
            for (domain, relation), score in said.items()
        ]

    # --- how it is done ------------------------------------------------------------------------------------------

    def _amended(self, reason: str, change: Callable[[Registry], Registry], act: Act = Act.SHARE) -> PolicyVersion:
        self._must(act)
        return self._publish(lambda version: self._amending(version, reason, change))

    def _amending(self, version: Version, reason: str, change: Callable[[Registry], Registry]) -> Version:
        registry = Registry.read(version.relations, "relations.yaml", self._words)
        known = registry.with_amendments(map(read_amendment, decode(version.promotions, list[dict[str, str | None]])))
        amendments = encode([amendment.plain() for amendment in change(known).amendments]).decode()
        return replace(version, promotions=amendments, reason=reason)

    def _refiled(self, relation: str, scope: Scope, reason: str) -> int:
        def moved(desk: Desk, claim: Claim, _seen: View) -> bool:
            return bool(acts.refile(desk, claim, scope, None, reason).acts)

        return self._everywhere(relation, Act.RELABEL, moved)

    def _renamed(self, relation: str, into: str, scope: Scope | None) -> int:
        reason = f"merge {relation} into {into}"

        def moved(desk: Desk, claim: Claim, seen: View) -> bool:
            if seen.forgotten(claim):  # so it stays, under the name that was forgotten
                return False
            moved = schema.renamed(desk, claim, seen, into, scope, reason)
            acts.withdrawal(desk, claim, reason)
            return moved

        return self._everywhere(relation, Act.RELABEL, moved)

    def _taken_back(self, relation: str) -> int:
        def taken(desk: Desk, claim: Claim, _seen: View) -> bool:
            acts.withdrawal(desk, claim, f"reject {relation}")
            return True

        return self._everywhere(relation, Act.DECIDE, taken)

    def _everywhere(self, relation: str, act: Act, do: Callable[[Desk, Claim, View], bool]) -> int:
        """On every living claim of the relation, in one transaction a customer; says how many were changed.

        INVARIANT: what becomes of a claim depends on nothing but what all may see who may read it, before any of it.
        """
        name = checked_relation(relation)
        found = self._door.customers(self.id, lambda filing: any(label.relation == name for label in filing), act)
        return sum(self._of(customer, name, act, do) for customer in found)

    def _of(self, customer: str, relation: str, act: Act, do: Callable[[Desk, Claim, View], bool]) -> int:
        with self._door.admit(self.id, customer, act=act) as desk:
            rows = list(desk.view.rows(desk.view.base.told_by.get(relation, ())))
            seen = [(row.record, desk.cut(row.filing)) for row in rows if isinstance(row.record, Claim)]
            return sum(do(desk, claim, view) for claim, view in seen if view.living(claim))

    def _publish(self, change: Callable[[Version], Version]) -> PolicyVersion:
        raise NotImplementedError

    def _must(self, act: Act) -> None:
        raise NotImplementedError


def _is_provisional(registry: Registry, filing: Filing) -> bool:
    return any(registry.is_provisional(label.relation) for label in filing)


def _uses(view: View, registry: Registry) -> Iterator[Claim]:
    """The living claims under names that the registry does not know."""
    for name in [name for name in view.base.told_by if registry.is_provisional(name)]:
        claims = (row.record for row in view.rows(view.base.told_by[name]))
        yield from (claim for claim in claims if isinstance(claim, Claim) and view.living(claim))


def _use(registry: Registry, relation: str, domain: str, uses: list[tuple[str, Instant]]) -> RelationUse:
    meant = registry.meant(relation)
    merged = "provisional" if meant == relation else "merged"
    return RelationUse(
        relation=relation,
        domain=domain,
        customers=len({customer for customer, _ in uses}),
        facts=len(uses),
        last_used=as_datetime(max(at for _, at in uses)),
        standing="rejected" if registry.rejects(relation) else merged,
        into=None if meant == relation else meant,
    )


def _relation(registry: Registry, name: str, promoted: bool) -> RelationAnswer:
    relation = registry.of(name, "")
    return RelationAnswer(
        name=name,
        owner=relation.owner,
        cardinality=relation.cardinality,
        scope=relation.scope,
        arbitration=relation.arbitration,
        sensitivity=relation.sensitivity,
        memory_class=relation.memory_class,
        ttl_seconds=None if relation.ttl is None else relation.ttl // 1_000_000,
        opposite=relation.opposite,
        inverse=relation.inverse,
        core=relation.core,
        context=relation.contexts,
        label=dict(relation.labels),
        promoted=promoted,
    )
