"""Other memories to play stories against: what they are told, what they find, and nothing that they don't have."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Protocol

from hub.answers import (
    AsOfAnswer,
    AuthorAnswer,
    Confidence,
    FactReceipt,
    Memory,
    Prompt,
    Recalled,
    Remembered,
)
from hub.facts import Instant, Label, Scope, Status
from hub.moments import as_datetime
from hub.play.story import Story
from hub.play.target import Unable

NOW = as_datetime(0)


@dataclass(frozen=True, slots=True)
class Hit:
    id: str
    text: str
    score: float


class Store(Protocol):
    """The little that every memory can do. `drawer` is the agent whose own it is, or nobody's."""

    def keep(self, customer: str, drawer: str, text: str) -> str:
        """The id of the memory made of a text."""

    def find(self, customer: str, drawer: str, query: str, limit: int) -> Sequence[Hit]:
        """What is nearest to a query, best first."""

    def drop(self, memory_id: str) -> None:
        """Takes a memory away; Missing if there is none."""

    def close(self) -> None:
        """Gives back what it holds."""


@dataclass(frozen=True, slots=True)
class Elsewhere:
    """A store, used in one of the two ways it offers: one drawer for all agents of a customer, or one for each."""

    make: type[Store]
    shared: bool

    @contextmanager
    def opened(self, story: Story) -> Iterator[Session]:
        store = self.make()
        try:
            yield Session(store, self.shared)
        finally:
            store.close()


@dataclass(frozen=True, slots=True)
class Session:
    store: Store
    shared: bool

    def agent(self, name: str, customer: str) -> Agent:
        return Agent(self.store, customer, "everybody" if self.shared else name)

    def operator(self, name: str) -> object:
        raise Unable("there are no operators")

    def customer(self, name: str) -> str:
        return name

    def now(self) -> Instant:
        """Marks can be set; to ask as of one is what these systems can't do."""
        return 0

    def advance(self, microseconds: int) -> None:
        """Nothing in these systems changes because time passes."""

    def restart(self) -> None:
        raise Unable("it is not restarted here")


@dataclass(frozen=True, slots=True)
class Agent:
    """An agent of one customer. What it is told as facts it keeps as `relation: value`, and what is said as it is."""

    store: Store
    customer: str
    drawer: str
    _kept: list[str] = field(default_factory=list)

    def remember(
        self, text: str | None = None, *, facts: Iterable[Mapping[str, object]] = (), **more: object
    ) -> Remembered:
        _only(more, "lang", "session", "role", "said_at")
        texts = [_written(fact) for fact in facts] or [text or ""]
        receipts = tuple(_receipt(self.store.keep(self.customer, self.drawer, one)) for one in texts)
        return Remembered(turn=None, facts=receipts, refused=(), recorded_at=NOW)

    def recall(self, query: str, *, limit: int = 5, **more: object) -> Recalled:
        _only(more, "lang", "session", "explain", "kinds")
        hits = self.store.find(self.customer, self.drawer, query, limit)
        memories = tuple(_memory(hit) for hit in hits)
        best = max((hit.score for hit in hits), default=0.0)
        return Recalled(
            recall_id="",
            as_of=AsOfAnswer(valid_at=NOW, known_at=None),
            memories=memories,
            upcoming=(),
            confidence=Confidence(level="low" if memories else "none", score=best),
            prompt=Prompt(stable="", dynamic="\n".join(hit.text for hit in hits), tokens=0),
            truncated=False,
        )

    def retract(self, fact_id: str, *, reason: str | None = None) -> None:
        self.store.drop(fact_id)

    forget = erase = retract


def _only(given: Mapping[str, object], *known: str) -> None:
    """A question that cannot be asked is skipped, and not asked in another way."""
    odd = sorted(name for name in given if name not in known)
    if odd:
        raise Unable(f"it knows no {', '.join(f'`{name}`' for name in odd)}")


def _written(fact: Mapping[str, object]) -> str:
    _only(fact, "subject", "relation", "value", "object", "scope", "confidence", "importance", "pinned")
    if fact.get("scope") is not None:
        raise Unable("it knows no `scope`")
    thing = fact.get("object")
    said = thing.get("name") if isinstance(thing, dict) else thing if thing is not None else fact.get("value")
    told = f"{str(fact['relation']).replace('_', ' ')}: {said}"
    return told if fact.get("subject") is None else f"{fact['subject']} · {told}"


def _receipt(memory_id: str) -> FactReceipt:
    label = Label("", "", Scope.SHARED, "")
    return FactReceipt(id=memory_id, slot="", outcome="accepted", label=label, valid_from=NOW)


def _memory(hit: Hit) -> Memory:
    return Memory(
        id=hit.id,
        kind="fact",
        text=hit.text,
        valid_from=NOW,
        status=Status.CURRENT,
        recorded_at=NOW,
        author=AuthorAnswer(agent="", domain=""),
        scope=Scope.SHARED,
        confidence=1.0,
        score=hit.score,
    )
