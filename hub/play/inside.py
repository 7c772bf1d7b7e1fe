"""A hub in this process to play stories against, and its twin: the same without what somebody may not read."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import AbstractContextManager, closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, NamedTuple, Protocol, runtime_checkable

from hub.clock import SimulatedClock
from hub.extract import Asker
from hub.facts import Instant
from hub.hub import ADMIN, Agent, Hub, Operator, shipped_words
from hub.hub.listening import configured
from hub.play.reference import Asking, Hidden, Reference, cut
from hub.play.story import OPERATORS, Story
from hub.play.target import Unable


@dataclass(frozen=True, slots=True)
class Inside:
    """Hubs with a simulated clock. `policies` is the folder for stories that name none, by default the shipped one."""

    policies: Path | None = None
    extractor: Asker | None = None
    """Asks a model for the stories that require one; by default the one that HUB_MODEL names."""

    @contextmanager
    def opened(self, story: Story) -> Iterator[InsideSession]:
        """Raises Unable for a story that requires a model, if there is none."""
        extractor = None if story.requires is None else self.extractor or configured(shipped_words())
        if story.requires is not None and extractor is None:
            raise Unable(f"it needs a language model (`requires: {story.requires}`)")
        with tempfile.TemporaryDirectory(prefix="play-") as folder:
            clock = SimulatedClock(story.start)
            policies = story.policy or self.policies
            session = InsideSession(Path(folder) / "memory.db", clock, policies, extractor or "rules")
            with closing(session):
                for name, domain in story.agents.items():
                    session.hub.agent(name, domain=domain, purposes=story.purposes.get(name, ()))
                yield session


@runtime_checkable
class Doubled(Protocol):
    """A hub whose file is at hand, so that it can be read and copied behind its back."""

    def now(self) -> Instant:
        """What its clock says."""

    def reference(self) -> Reference:
        """Its file as it stands at this moment, read behind its back."""

    def twin(self, asking: Asking) -> AbstractContextManager[Twin]:
        """The hub as it stands at this moment, without all that this question must not be answered from."""


class InsideSession:
    """One story's hub, in a file of its own."""

    def __init__(
        self,
        path: Path,
        clock: SimulatedClock,
        policies: Path | None = None,
        extractor: Asker | Literal["rules"] = "rules",
    ) -> None:
        self.path = path
        self.clock = clock
        self._extractor: Asker | Literal["rules"] = extractor
        self.hub = Hub.open(path, policies=policies, clock=clock, extractor=extractor)

    def agent(self, name: str, customer: str) -> Agent:
        return self.hub.agent(role(name), customer)

    def operator(self, name: str) -> Operator:
        return self.hub.operator(role(name))

    def customer(self, name: str) -> str:
        return name

    def now(self) -> Instant:
        return self.clock.now()

    def advance(self, microseconds: int) -> None:
        self.clock.advance(microseconds)

    def restart(self) -> None:
        self.hub.close()
        self.hub = Hub.open(self.path, clock=self.clock, extractor=self._extractor)

    def close(self) -> None:
        self.hub.close()

    def reference(self) -> Reference:
        """The hub's file as it stands at this moment, read behind its back."""
        return Reference(self.path, self.now())

    @contextmanager
    def twin(self, asking: Asking) -> Iterator[Twin]:
        """The hub as it stands at this moment, without all that this question must not be answered from.

        What that is, the reference evaluator says.
        """
        self.hub.flush()
        reference = self.reference()
        hidden = reference.hidden(asking)
        with tempfile.TemporaryDirectory(prefix="twin-") as folder:
            copy = Path(folder) / "memory.db"
            cut(self.path, copy, hidden)
            with closing(InsideSession(copy, SimulatedClock(self.now()))) as session:
                yield Twin(session, hidden, reference)


class Twin(NamedTuple):
    """A hub without what is `hidden`, and the whole of it as the reference evaluator reads it."""

    session: InsideSession
    hidden: Hidden
    reference: Reference


def role(name: str) -> str:
    """Operators of a story are the holder of the admin key, whatever they are called there."""
    return ADMIN if name in OPERATORS else name
