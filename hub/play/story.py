"""The nouns of a story: who is in it, what happens step by step, and what has to hold."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path

from hub.facts import Instant, folded

OPERATORS = ("operator", "auditor", "admin")
"""Names that stand for the holder of the admin key, whatever agents a story has."""

LAST = "last"
"""The recall asked last, whoever asked it."""

_REGEX = re.compile(r"/(.+)/([a-z]*)", re.DOTALL)
_FLAGS = {"i": re.IGNORECASE, "m": re.MULTILINE, "s": re.DOTALL, "u": re.UNICODE}


class Category(StrEnum):
    LEAKAGE = "leakage"
    TEMPORAL = "temporal"
    CONTRADICTION = "contradiction"
    STALE = "stale"
    CROSS_AGENT = "cross_agent"
    MULTI_HOP = "multi_hop"
    ARBITRATION = "arbitration"
    OPEN_SCHEMA = "open_schema"
    EXACT_MATCH = "exact_match"
    LONG_CONVERSATION = "long_conversation"
    BURST = "burst"
    ERASE = "erase"
    INJECTION = "injection"
    POLICY = "policy"


class Lang(StrEnum):
    EN = "en"
    KO = "ko"
    VI = "vi"
    JA = "ja"


class Verb(StrEnum):
    SAY = "say"
    REMEMBER = "remember"
    RECALL = "recall"
    TIMELINE = "timeline"
    PROFILE = "profile"
    GRAPH = "graph"
    BELIEFS = "beliefs"
    FACT = "fact"
    HISTORY = "history"
    CORRECT = "correct"
    RETRACT = "retract"
    END = "end"
    FORGET = "forget"
    RESTORE = "restore"
    PROMOTE = "promote"
    POLICY = "policy"
    RELABEL = "relabel"
    SAME_AS = "same_as"
    ADVANCE = "advance"
    MARK = "mark"
    RESTART = "restart"
    SLEEP = "sleep"
    BURST = "burst"
    ERASE = "erase"
    CONSENT = "consent"
    WHY = "why"


@dataclass(frozen=True, slots=True)
class Wanted:
    """A text of a check: part of the other text whatever its case, or a pattern if written `/re/flags`."""

    text: str
    pattern: re.Pattern[str] | None = None

    @classmethod
    def read(cls, text: str) -> Wanted:
        """Raises ValueError for a pattern or flag that Python's `re` does not know."""
        regex = _REGEX.fullmatch(text)
        if regex is None:
            return cls(text)
        try:
            return cls(text, re.compile(regex[1], _flags(regex[2])))
        except re.error as error:
            raise ValueError(f"`{text}` is no pattern: {error}") from None

    def is_in(self, text: str) -> bool:
        if self.pattern is not None:
            return self.pattern.search(text) is not None
        return folded(self.text) in folded(text)

    def is_in_any(self, texts: Iterable[str]) -> bool:
        return any(map(self.is_in, texts))

    def __str__(self) -> str:
        return self.text


def _flags(letters: str) -> int:
    unknown = set(letters) - _FLAGS.keys()
    if unknown:
        raise ValueError(f"a pattern takes the flags {', '.join(_FLAGS)}, not {', '.join(sorted(unknown))}")
    return sum(_FLAGS[letter] for letter in set(letters))


Wants = tuple[Wanted, ...]
Pairs = tuple[tuple[Wanted, str | None], ...]
"""A text that picks a memory, and what that memory has to say; None: nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Expect:
    """What has to hold of one answer, which may be a refusal if `anything` is expected.

    `absent` takes in what was written as `stale`.
    """

    remembers: Wants = ()
    absent: Wants = ()
    private: Wants = ()
    conflict: Wants = ()
    empty: bool | None = None
    order: Wants = ()
    valid_from: Pairs = ()
    valid_to: Pairs = ()
    status: Pairs = ()
    via: Pairs = ()
    error: str | None = None
    anything: bool = False

    @property
    def shown(self) -> Wants:
        """Texts that the answer has to hold: what makes a step a positive control."""
        pairs = (*self.valid_from, *self.valid_to, *self.status, *self.via)
        return (*self.remembers, *self.conflict, *self.order, *(wanted for wanted, _ in pairs))


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One thing that happens. `arguments` are those of its verb, by name; `names` are given to what it records.

    `of` is such a name, or a text that exactly one visible memory holds.
    """

    number: int
    where: str
    verb: Verb
    agent: str | None = None
    arguments: Mapping[str, object]
    names: tuple[str, ...] = ()
    of: str | None = None
    expect: Expect = Expect()

    @property
    def travels(self) -> bool:
        """Whether it asks about another moment than the present."""
        return any(key in self.arguments for key in ("as_of", "valid_at", "known_at"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Story:
    """`agents` maps each agent to its home domain, `purposes` those that are the story's own to what they may name.

    `policy` is a folder of policies, None the one the player has.
    """

    id: str
    category: Category
    lang: Lang = Lang.EN
    description: str = ""
    agents: Mapping[str, str]
    purposes: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    policy: Path | None = None
    start: Instant
    requires: str | None = None
    steps: tuple[Step, ...]
    source: str
