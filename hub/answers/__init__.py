"""What the hub says back: frozen values with aware datetimes, ready for JSON."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime

from hub.answers.access import AgentAnswer as AgentAnswer
from hub.answers.access import AgentKey as AgentKey
from hub.answers.access import AgentList as AgentList
from hub.answers.access import AuthorAnswer as AuthorAnswer
from hub.answers.access import ConsentAnswer as ConsentAnswer
from hub.answers.access import ConsentList as ConsentList
from hub.answers.access import Me as Me
from hub.answers.access import PolicyCheck as PolicyCheck
from hub.answers.access import PolicyVersion as PolicyVersion
from hub.answers.access import PolicyVersions as PolicyVersions
from hub.answers.access import Promoted as Promoted
from hub.answers.access import Ruling as Ruling
from hub.answers.access import TokenAnswer as TokenAnswer
from hub.codec import Named, Quick
from hub.facts import Label, Precision, Scope, Status, Value
from hub.redaction import Redacted


class AsOfAnswer(Quick, frozen=True, kw_only=True):
    """`known_at` None: everything recorded so far."""

    valid_at: datetime
    known_at: datetime | None = None


class Step(Named, frozen=True, kw_only=True):
    """One step of the walk that led to a memory; `from_` and `to` are names, `memory_id` the fact walked along."""

    from_: str
    relation: str
    to: str
    memory_id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Explained:
    """What a memory's score is made of, each 0..1 before weighting; `why` says it in words."""

    lexical: float
    dense: float
    entity: float
    graph: float
    recency: float
    importance: float
    use: float
    fused: float
    floor: float
    why: tuple[str, ...] = ()


class Memory(Quick, frozen=True, kw_only=True):
    """One thing remembered, as of some point in time; `score` lies in 0..1.

    `corroboration`: how many of the records that may be known say it.
    """

    id: str
    kind: str
    text: str
    subject: str | None = None
    subject_id: str | None = None
    relation: str | None = None
    value: Value | None = None
    object_id: str | None = None
    on: datetime | None = None
    valid_from: datetime
    valid_to: datetime | None = None
    precision: Precision = Precision.INSTANT
    status: Status
    recorded_at: datetime
    superseded_by: str | None = None
    author: AuthorAnswer
    scope: Scope
    confidence: float
    corroboration: int = 1
    contested_by: tuple[str, ...] = ()
    core: bool = False
    expires: datetime | None = None
    score: float = 0.0
    via: tuple[Step, ...] = ()
    explain: Explained | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Gap:
    topic: str
    reason: str


class Confidence(Quick, frozen=True, kw_only=True):
    """How sure the answer as a whole is.

    `score`: the chance that a right memory is among those told, 0..1, if as many questions have an answer as have none;
    0 if nothing is told. `level`: high from 0.9 on, medium from 0.6, low below, none at 0. bench.abstain measures both.
    """

    level: str
    score: float
    gaps: tuple[Gap, ...] = ()


class Prompt(Quick, frozen=True, kw_only=True):
    """`stable` stays byte for byte the same while what it is made of does; `tokens` is an estimate for both."""

    stable: str
    dynamic: str
    tokens: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Use:
    """How often a memory has been of use to the agents of a domain."""

    id: str
    uses: int


@dataclass(frozen=True, slots=True, kw_only=True)
class FeedbackReceipt:
    """`uses`: of what was cited and may still be known, in the order it was cited in; nothing is counted twice for one
    recall."""

    recall_id: str
    uses: tuple[Use, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Unavailable:
    """A memory that was in an answer: to its agent `no longer available`; to auditors `erased`, or `revoked` by a
    `rule`."""

    id: str
    reason: str
    rule: Ruling | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SinceThen:
    """What keeps a recall that is run again from being answered as it was.

    `changed` names what else is another: `memory` (something the answer drew on beside), `ranker`, `embedder`,
    `vectors` (some memories had none yet), or `digest` (something was erased, and whether the rest is the same can't be
    told).
    """

    unavailable: tuple[Unavailable, ...] = ()
    changed: tuple[str, ...] = ()


class Recalled(Quick, frozen=True, kw_only=True):
    """`since_then` is None but in a replay that can't be the same."""

    recall_id: str
    as_of: AsOfAnswer
    memories: tuple[Memory, ...]
    upcoming: tuple[Memory, ...]
    confidence: Confidence
    prompt: Prompt
    truncated: bool
    nothing_known_before: datetime | None = None
    since_then: SinceThen | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ProfileEntity:
    id: str
    kind: str
    name: str
    beliefs: tuple[Memory, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Profile:
    as_of: AsOfAnswer
    entities: tuple[ProfileEntity, ...]
    next: str | None = None
    truncated: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class SlotHistory:
    subject: str
    relation: str
    value: Value | None = None
    intervals: tuple[Memory, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Timeline:
    as_of: AsOfAnswer
    slots: tuple[SlotHistory, ...]
    next: str | None = None
    truncated: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Node:
    """`attributes` are the entity's one-valued beliefs, relation to value."""

    id: str
    kind: str
    name: str
    attributes: dict[str, Value] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Edge:
    source: str
    target: str
    key: str
    relation: str
    memory_id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Graph:
    """networkx node-link form, with `edges`."""

    directed: bool = True
    multigraph: bool = True
    nodes: tuple[Node, ...]
    edges: tuple[Edge, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class FactAnswer:
    """A claim as it was recorded."""

    id: str
    subject: str
    subject_id: str
    relation: str
    value: Value | None = None
    object_id: str | None = None
    negated: bool = False
    text: str
    mode: str
    valid_from: datetime
    valid_to: datetime | None = None
    precision: Precision
    on: datetime | None = None
    said_at: datetime
    recorded_at: datetime
    author: AuthorAnswer
    label: tuple[Label, ...]
    confidence: float
    importance: float
    sources: tuple[str, ...] = ()
    reason: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Recorded:
    """One record about a fact: `kind` is claim, withdraw, hide or relabel; `target` what it acts upon."""

    id: str
    kind: str
    target: str | None = None
    fact: FactAnswer | None = None
    author: AuthorAnswer
    recorded_at: datetime
    reason: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class FactHistory:
    id: str
    records: tuple[Recorded, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnReceipt:
    id: str
    label: tuple[Label, ...]


class FactReceipt(Quick, frozen=True, kw_only=True):
    """As the writer's view has it. `outcome` is what became of this fact's slot: accepted (it was free), corroborated
    (it said the same), superseded or corrected (this fact has taken the place of another), contested (both stand),
    provisional (a relation that no registry knows), outranked (another word counts more)."""

    id: str
    slot: str
    outcome: str
    label: Label
    valid_from: datetime
    valid_to: datetime | None = None
    contested_by: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Refused:
    """`index` is the place of the item among the facts sent, None for the text."""

    index: int | None
    code: str
    detail: str
    fix: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Remembered:
    """`redacted`: what is blank in the text that is kept. `extraction`: `done`, or `failed`; None: nobody read it."""

    turn: TurnReceipt | None
    facts: tuple[FactReceipt, ...]
    refused: tuple[Refused, ...]
    recorded_at: datetime
    redacted: tuple[Redacted, ...] = ()
    extraction: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ActReceipt:
    """What became of retract, forget, restore and their like: the acts recorded and what they act upon."""

    acts: tuple[str, ...]
    targets: tuple[str, ...]
    recorded_at: datetime
