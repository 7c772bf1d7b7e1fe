"""What operators decide about relations and domains beside the file: recorded acts, each undone by itself."""

from __future__ import annotations

from dataclasses import dataclass

from hub.documents import Fields
from hub.errors import Incorrect
from hub.facts import Arbitration, Cardinality, Relation, Scope
from hub.registry.reading import BAD, checked_relation, read_domain

Plain = dict[str, str | None]
"""An amendment as it is stored."""


@dataclass(frozen=True, slots=True)
class Promotion:
    """Makes a provisional relation a known one; `owner` None leaves every claim with the domain of its writer."""

    relation: str
    scope: Scope
    arbitration: Arbitration = Arbitration.LATEST
    owner: str | None = None

    def __post_init__(self) -> None:
        if self.owner is None and self.arbitration is Arbitration.OWNER:
            raise Incorrect(
                "owner_needed",
                f"`{self.relation}` cannot be arbitrated by its owner, for it has none",
                "name an `owner`, or choose `latest`, `trust` or `review`",
                where="arbitration",
            )

    @classmethod
    def read(cls, plain: object) -> Promotion:
        """The promotion that `plain` made these plain values of."""
        fields = Fields.of(plain, "promotion", BAD, ("relation", "scope", "arbitration", "owner"))
        return cls(
            checked_relation(fields.text("relation")),
            fields.choice("scope", (Scope.PRIVATE, Scope.SHARED)),
            fields.choice("arbitration", Arbitration),
            None if fields.values.get("owner") is None else read_domain(fields, "owner"),
        )

    def plain(self) -> Plain:
        return {
            "relation": self.relation,
            "scope": self.scope.value,
            "arbitration": self.arbitration.value,
            "owner": self.owner,
        }

    def made(self, writer_domain: str) -> Relation:
        return Relation(
            self.relation,
            self.owner or writer_domain,
            cardinality=Cardinality.ONE,
            scope=self.scope,
            arbitration=self.arbitration,
            memory_class="state",
        )


@dataclass(frozen=True, slots=True)
class Merge:
    """From now on, what is sent under the one name is recorded under the other, which is known."""

    relation: str
    into: str

    @classmethod
    def read(cls, plain: object) -> Merge:
        fields = Fields.of(plain, "merge", BAD, ("relation", "into"))
        return cls(checked_relation(fields.text("relation")), checked_relation(fields.text("into")))

    def plain(self) -> Plain:
        return {"relation": self.relation, "into": self.into}


@dataclass(frozen=True, slots=True)
class Rejection:
    """From now on, nothing is recorded under the name."""

    relation: str

    @classmethod
    def read(cls, plain: object) -> Rejection:
        return cls(checked_relation(Fields.of(plain, "rejection", BAD, ("relation", "rejected")).text("relation")))

    def plain(self) -> Plain:
        return {"relation": self.relation, "rejected": "true"}


@dataclass(frozen=True, slots=True)
class Rating:
    """How far a domain's word counts, 0..1, in one relation or (None) in all; in place of what is learned."""

    domain: str
    relation: str | None
    score: float

    @classmethod
    def read(cls, plain: object) -> Rating:
        fields = Fields.of(plain, "rating", BAD, ("domain", "relation", "score"))
        relation = None if fields.values.get("relation") is None else checked_relation(fields.text("relation"))
        return cls(read_domain(fields, "domain"), relation, float(fields.text("score")))

    def plain(self) -> Plain:
        return {"domain": self.domain, "relation": self.relation, "score": repr(self.score)}


Amendment = Promotion | Merge | Rejection | Rating


def read_amendment(plain: Plain) -> Amendment:
    kinds: dict[str, type[Amendment]] = {"into": Merge, "rejected": Rejection, "score": Rating}
    return next((kind for key, kind in kinds.items() if key in plain), Promotion).read(plain)


def latest(amendments: tuple[Amendment, ...]) -> tuple[Amendment, ...]:
    """The last word on every name, and on every domain's word in a relation, in the order in which they came up."""
    return tuple({_about(amendment): amendment for amendment in amendments}.values())


def _about(amendment: Amendment) -> tuple[str | None, ...]:
    return (amendment.domain, amendment.relation) if isinstance(amendment, Rating) else (amendment.relation,)
