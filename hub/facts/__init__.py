"""The nouns of the hub, frozen: claims, labels, entities, turns, acts, beliefs."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from hub.codec import Quick
from hub.errors import Incorrect
from hub.facts.values import Entity as Entity
from hub.facts.values import Value as Value
from hub.facts.values import ValueKey as ValueKey
from hub.facts.values import folded as folded
from hub.facts.values import value_key as value_key

Instant = int
"""Microseconds since 1970-01-01T00:00Z."""

CUSTOMER = "customer"
"""The entity id of the customer in every customer's own graph."""

COMPANY = "\tcompany"
"""Whose company knowledge is, in the place of a customer: a name that no customer can have, for it can't be sent."""


class Scope(StrEnum):
    PRIVATE = "private"
    SHARED = "shared"
    GLOBAL = "global"


class Mode(StrEnum):
    STATE = "state"
    CHANGE = "change"
    CORRECT = "correct"


class Precision(StrEnum):
    YEAR = "year"
    MONTH = "month"
    DAY = "day"
    INSTANT = "instant"


class Cardinality(StrEnum):
    ONE = "one"
    MANY = "many"


class Arbitration(StrEnum):
    LATEST = "latest"
    OWNER = "owner"
    TRUST = "trust"
    REVIEW = "review"


class Status(StrEnum):
    CURRENT = "current"
    UPCOMING = "upcoming"
    PAST = "past"
    EXPIRED = "expired"


class Label(Quick, frozen=True, order=True):
    """The compartment a record is filed under.

    `owner` and `told` are domains; `relation` is a relation's name, or a kind of record such as `turn`.
    """

    owner: str
    told: str
    scope: Scope
    relation: str


Filing = frozenset[Label]
"""The labels of one record: it may be read by those who may read every one of them."""


class Author(Quick, frozen=True):
    agent: str
    domain: str


class Interval(Quick, frozen=True):
    """A half-open stretch of valid time, `[start, end)`; `end` None means open."""

    start: Instant
    end: Instant | None = None

    def __post_init__(self) -> None:
        if self.end is not None and self.end <= self.start:
            raise Incorrect(
                "empty_interval",
                "`valid_to` does not lie after `valid_from`",
                "send a `valid_to` later than `valid_from`, or leave it out",
                where="valid_to",
            )

    def holds(self, instant: Instant) -> bool:
        return self.start <= instant and (self.end is None or instant < self.end)


@dataclass(frozen=True, slots=True)
class AsOf:
    """A point in both times; `known_at` None means everything recorded so far."""

    valid_at: Instant
    known_at: Instant | None = None


class Described(Quick, frozen=True):
    """The date a fact describes (a flight's day), which is not when it is true."""

    at: Instant
    precision: Precision


class Claim(Quick, frozen=True, kw_only=True):
    """One immutable statement in the ledger.

    `value` and `obj` exclude each other; both are None only for a negation without a value.
    `mode_given`: the mode was stated, not implied by a start. `start_given`, `end_given`: the bounds were
    stated (an open end can be stated too). `confidence` and `importance` lie in 0..1. `settles`: somebody who may
    decide has decided so about all that was recorded before. `seq` orders the ledger and never leaves the hub.
    """

    id: str
    seq: int
    recorded_at: Instant
    author: Author
    subject: Entity
    relation: str
    value: Value | None = None
    obj: Entity | None = None
    negated: bool = False
    interval: Interval
    start_given: bool = False
    end_given: bool = False
    precision: Precision = Precision.INSTANT
    mode: Mode = Mode.STATE
    mode_given: bool = False
    settles: bool = False
    on: Described | None = None
    confidence: float = 0.8
    importance: float = 0.5
    pinned: bool = False
    sources: tuple[str, ...] = ()
    lang: str = "en"
    said_at: Instant
    reason: str | None = None

    def __post_init__(self) -> None:
        if self.value is not None and self.obj is not None:
            raise Incorrect("value_and_object", "a fact has a `value` or an `object`, not both", "send one of them")
        if self.value is None and self.obj is None and not self.negated:
            raise Incorrect("no_value", "a fact needs a `value` or an `object`", "send one of them, or `negated: true`")

    @property
    def change_given(self) -> bool:
        """A change said in so many words: only such a one can move the present when told late."""
        return self.mode is Mode.CHANGE and self.mode_given


class Turn(Quick, frozen=True, kw_only=True):
    """One message, verbatim."""

    id: str
    seq: int
    recorded_at: Instant
    author: Author
    role: str
    text: str
    session: str | None = None
    lang: str = "en"
    said_at: Instant


class Passage(Quick, frozen=True, kw_only=True):
    """A piece of a document of the company, word for word, under its headings."""

    id: str
    seq: int
    recorded_at: Instant
    author: Author
    document: str
    heading: str
    text: str

    @property
    def whole(self) -> str:
        """As it is read: a piece says little without what it stands under."""
        return f"{self.heading}\n{self.text}" if self.heading else self.text


class Feedback(Quick, frozen=True, kw_only=True):
    """Which memories of an answer were of use (`helped`), or of none; it is its domain's own, and nobody else's."""

    id: str
    seq: int
    recorded_at: Instant
    author: Author
    recall: str
    cited: tuple[str, ...]
    helped: bool = True


class Withdraw(Quick, frozen=True, kw_only=True):
    """Takes a record back; withdrawing a withdrawal undoes it.

    `as_operator`: the policy let its author decide for others.
    """

    id: str
    seq: int
    recorded_at: Instant
    author: Author
    target: str
    as_operator: bool = False
    reason: str | None = None


class Hide(Quick, frozen=True, kw_only=True):
    """Forgets records: they no longer answer, but can be restored by withdrawing this one."""

    id: str
    seq: int
    recorded_at: Instant
    author: Author
    target: str
    as_operator: bool = False
    reason: str | None = None


class Relabel(Quick, frozen=True, kw_only=True):
    """Says that a record was filed elsewhere from then on; the ledger's entries carry it out."""

    id: str
    seq: int
    recorded_at: Instant
    author: Author
    target: str
    before: tuple[Label, ...]
    after: tuple[Label, ...]
    as_operator: bool = False
    reason: str | None = None


class Gap(Quick, frozen=True, kw_only=True):
    """What an erased record leaves: nothing of what it said. `silent` goes on counting in a claim's slot."""

    id: str
    seq: int
    recorded_at: Instant
    author: Author
    silent: Claim | None = None


Act = Withdraw | Hide | Relabel
Record = Claim | Turn | Passage | Feedback | Withdraw | Hide | Relabel | Gap


@dataclass(frozen=True, slots=True)
class Relation:
    """What the registry says of one relation.

    `ttl` is in microseconds. `labels` and `templates` are (language, text) pairs; a template stands in for
    `label: value`. `subject_kind` is what the relation speaks of when it is told of the customer (the car, for
    `availability`). `weight`: how far a walk along it leads, 0..1. `provisional`: no registry knows it yet.
    """

    name: str
    owner: str
    cardinality: Cardinality = Cardinality.MANY
    scope: Scope = Scope.PRIVATE
    arbitration: Arbitration = Arbitration.LATEST
    sensitivity: str = "normal"
    ttl: int | None = None
    memory_class: str = "preference"
    opposite: str | None = None
    inverse: str | None = None
    core: bool = False
    contexts: tuple[str, ...] = ()
    object_kind: str | None = None
    subject_kind: str | None = None
    labels: tuple[tuple[str, str], ...] = ()
    templates: tuple[tuple[str, str], ...] = ()
    weight: float = 1.0
    provisional: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Binding:
    """Where an agent lives and what it is bound to, from one recorded instant on.

    `customers` None means any; `purposes` are those it may name; a disabled agent may do nothing.
    """

    agent: str
    domain: str
    customers: tuple[str, ...] | None = None
    purposes: tuple[str, ...] = ()
    enabled: bool = True
    recorded_at: Instant = 0


class ConsentEffect(StrEnum):
    GRANT = "grant"
    OBJECT = "object"


@dataclass(frozen=True, slots=True, kw_only=True)
class Consent:
    """A customer's grant or objection, or (`withdraws`) the taking back of one.

    It concerns one domain (`*`: all but the owner), and the labels of one owner and relation, or of any.
    """

    id: str
    recorded_at: Instant
    author: Author
    domain: str
    effect: ConsentEffect
    interval: Interval
    owner: str | None = None
    relation: str | None = None
    reason: str | None = None
    withdraws: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Viewer:
    """Who stands at the door: an agent, no wider than its token, and perhaps on behalf of another.

    `customer` and `purposes` None: whatever the agent is bound to. With `behalf`, what both may counts.
    """

    agent: str
    customer: str | None = None
    purposes: tuple[str, ...] | None = None
    behalf: Viewer | None = None

    @property
    def narrowed(self) -> bool:
        return self.customer is not None or self.purposes is not None or self.behalf is not None

    def keyed(self, key: str) -> str:
        """What an idempotency key of this agent is kept as: on whose behalf it is sent is a part of it.

        INVARIANT: as whom an agent asks decides what it is told, so another answer is kept for each.
        """
        return key if self.behalf is None else f"{key}\n{self.behalf.keyed(self.behalf.agent)}"

    def serves(self, customer: str, binding: Binding) -> bool:
        """Company knowledge is there for every agent, whomever it is bound to."""
        bound = binding.customers is None or customer in binding.customers
        return customer == COMPANY or (bound and self.customer in (None, customer))

    def may_name(self, purpose: str | None) -> bool:
        """Whether it is not too narrow for the purpose, whatever the agent is bound to."""
        return purpose is None or self.purposes is None or purpose in self.purposes

    def named(self, binding: Binding) -> tuple[str, ...]:
        """The purposes it may name."""
        return tuple(filter(self.may_name, binding.purposes))


@dataclass(frozen=True, slots=True)
class Belief:
    """What a view holds in one slot at one point in time: computed, never stored.

    `claim` is the first claim of the unbroken stretch and names the belief; `winner` is the one that won the fold
    at the as-of. `interval` is the effective one. `contested` are claims of the other values that nobody has settled,
    one a value; `against_none`: "nothing" is one of them, and if the winner is a negation the slot holds no value.
    `support` are all claims that say the same at the as-of.
    """

    claim: Claim
    winner: Claim
    interval: Interval
    status: Status
    superseded_by: str | None = None
    contested: tuple[Claim, ...] = ()
    against_none: bool = False
    expires: Instant | None = None
    support: tuple[Claim, ...] = ()
