"""A hub in this process to play stories against, and its twin: the same without what somebody may not read."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

from hub.clock import SimulatedClock
from hub.facts import Instant
from hub.hub import ADMIN, Agent, Hub, Operator
from hub.play.reference import Asking, Hidden, Reference, cut
from hub.play.story import OPERATORS, Story


@dataclass(frozen=True, slots=True)
class Inside:
    """Hubs with a simulated clock. `policies` is the folder for stories that name none, by default the shipped one."""

    policies: Path | None = None

    @contextmanager
    def opened(self, story: Story) -> Iterator[InsideSession]:
        with tempfile.TemporaryDirectory(prefix="play-") as folder:
            clock = SimulatedClock(story.start)
            session = InsideSession(Path(folder) / "memory.db", clock, story.policy or self.policies)
            with closing(session):
                for name, domain in story.agents.items():
                    session.hub.agent(name, domain=domain)
                yield session


class InsideSession:
    """One story's hub, in a file of its own."""

    def __init__(self, path: Path, clock: SimulatedClock, policies: Path | None = None) -> None:
        self.path = path
        self.clock = clock
        self.hub = Hub.open(path, policies=policies, clock=clock)

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
        self.hub = Hub.open(self.path, clock=self.clock)

    def close(self) -> None:
        self.hub.close()

    @contextmanager
    def twin(self, asking: Asking) -> Iterator[tuple[InsideSession, Hidden]]:
        """The hub as it stands at this moment, without all that this question must not be answered from; and that.

        What that is, the reference evaluator says.
        """
        self.hub.flush()
        hidden = Reference(self.path, self.now()).hidden(asking)
        with tempfile.TemporaryDirectory(prefix="twin-") as folder:
            copy = Path(folder) / "memory.db"
            cut(self.path, copy, hidden)
            with closing(InsideSession(copy, SimulatedClock(self.now()))) as session:
                yield session, hidden


def role(name: str) -> str:
    """Operators of a story are the holder of the admin key, whatever they are called there."""
    return ADMIN if name in OPERATORS else name
