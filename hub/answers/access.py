"""What the hub says of who may come in and what the policy and the registry are."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime

from hub.facts import Label


@dataclass(frozen=True, slots=True, kw_only=True)
class AuthorAnswer:
    agent: str
    domain: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Me:
    agent: str
    domain: str
    roles: tuple[str, ...]
    purposes: tuple[str, ...]
    customers: tuple[str, ...] | None
    policy_version: int


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentAnswer:
    """`customers` None: any."""

    id: str
    domain: str
    roles: tuple[str, ...]
    purposes: tuple[str, ...]
    customers: tuple[str, ...] | None


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentList:
    """All that are at work, those bound first first: the list is never cut."""

    agents: tuple[AgentAnswer, ...]
    next: str | None = None
    truncated: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentKey:
    """Shown once; the hub keeps only its SHA-256."""

    agent: str
    key: str = field(repr=False)
    expires_at: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ConsentAnswer:
    """A customer's grant or objection as recorded; `withdrawn_at` once it has been taken back."""

    id: str
    domain: str
    owner: str | None
    relation: str | None
    effect: str
    valid_from: datetime
    valid_to: datetime | None
    reason: str | None
    author: AuthorAnswer
    recorded_at: datetime
    withdrawn_at: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ConsentList:
    """All that this caller could have recorded, oldest first: the list is never cut."""

    consents: tuple[ConsentAnswer, ...]
    next: str | None = None
    truncated: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class TokenAnswer:
    """Shown once, like a key."""

    token: str = field(repr=False)
    customer: str
    purpose: str | None
    expires_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class PolicyVersion:
    """`model`, `policy` and `relations` are the files' texts; `promotions` the relations made known since."""

    version: int
    recorded_at: datetime
    author: str
    reason: str
    model: str
    policy: str
    relations: str
    promotions: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class PolicyVersions:
    """All of them, oldest first: the list is never cut."""

    versions: tuple[PolicyVersion, ...]
    next: str | None = None
    truncated: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class PolicyCheck:
    """What a policy would be refused for; nothing if it is fit."""

    fit: bool
    code: str | None = None
    detail: str | None = None
    fix: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Ruling:
    """What a policy says of one label: number and text of the line that decides, and in which version.

    Without a line, `why` says what else it was. `version` None: a policy that is not in force.
    """

    label: Label
    allowed: bool
    line: int | None
    text: str | None
    why: str
    version: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Promoted:
    relation: str
    policy_version: int
    moved: int
