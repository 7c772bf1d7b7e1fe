"""Why and why not, as they are told: what brought a memory into an answer, and what kept another out of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from hub.answers import AsOfAnswer, AuthorAnswer, Explained, Ruling, Step
from hub.facts import Filing, Label, Status


class Reason(StrEnum):
    """What stopped a candidate first, in the order in which a recall would come to it."""

    NOT_YET_KNOWN = "not_yet_known"
    DENIED = "denied"
    WITHDRAWN = "withdrawn"
    HIDDEN = "hidden"
    NOT_YET_VALID = "not_yet_valid"
    EXPIRED = "expired"
    ENDED = "ended"
    SUPERSEDED = "superseded"
    BELOW_FLOOR = "below_floor"
    OVER_BUDGET = "over_budget"


Rules = Callable[[Filing], tuple[Ruling, ...]]
"""What the policies that have a say, today's and that of the as-of, say of each label of a filing."""


# --- why ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Matched:
    """What led to a memory: words of the query that it holds, names the query calls, kinds of query, and the walk."""

    words: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    because: tuple[str, ...] = ()
    via: tuple[Step, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """A ground for a memory: its value, 0..1, and how far it counts."""

    name: str
    value: float
    weight: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Ranking:
    """`relevance` is 1 - ∏(1 - weight · value) of the `grounds`; `score` is relevance · Σ(weight · value) of the
    `shares`, times `factor`."""

    score: float
    relevance: float
    floor: float
    grounds: tuple[Part, ...]
    shares: tuple[Part, ...]
    factor: float = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Telling:
    """One record: what it says, who told it when, and where it is filed."""

    id: str
    kind: str
    text: str
    author: AuthorAnswer
    said_at: datetime
    recorded_at: datetime
    label: tuple[Label, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Why:
    """One memory of an answer. `told` is the record that names it, `support` others that say the same, `turns` the
    words they came from, `superseded` what it took the place of; `ranked` is None for what merely came along."""

    memory_id: str
    kind: str
    text: str
    status: Status
    matched: Matched
    ranked: Ranking | None
    told: Telling
    support: tuple[Telling, ...] = ()
    turns: tuple[Telling, ...] = ()
    superseded: tuple[Telling, ...] = ()
    rules: tuple[Ruling, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class WhyAnswer:
    """`memories` as they were recalled, what is upcoming last."""

    agent: str
    as_of: AsOfAnswer
    memories: tuple[Why, ...]


# --- why not -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """`rule` is the line that denied it, `by` what superseded, ended, withdrew or hid it; `explain` what it would have
    been ranked by."""

    memory_id: str
    text: str
    reason: Reason
    rule: Ruling | None = None
    by: str | None = None
    explain: Explained | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class WhyNotAnswer:
    """Those first that were recorded first; `truncated`: there are more."""

    agent: str
    as_of: AsOfAnswer
    candidates: tuple[Candidate, ...]
    truncated: bool = False
