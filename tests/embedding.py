"""Hubs on one file with an embedder each, and what is embedded there."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from hub.answers import Recalled
from hub.clock import SimulatedClock
from hub.embed import Embedder, HashingEmbedder
from hub.hub import Hub
from hub.vectors import steps
from hub.view import View
from tests.scene import START

KIM = "kim"


class Words(HashingEmbedder):
    """Keeps what it was asked, and does what it is told to before it answers."""

    def __init__(self, *, local: bool = True, at_once: int = 10_000, dimensions: int = 64) -> None:
        super().__init__(dimensions)
        self.id = "words"
        self.local, self.at_once = local, at_once
        self.kept: list[str] = []
        self.asked: list[str] = []
        self.before: Callable[[list[str]], object] = lambda texts: None

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        self.kept += texts
        self.before(texts)
        return [HashingEmbedder.embed_query(self, text) for text in texts]

    def embed_query(self, text: str) -> list[float]:
        self.asked.append(text)
        self.before([text])
        return super().embed_query(text)


class Hubs:
    """Opened on one file at one clock, closed when the block is left."""

    def __init__(self, folder: Path) -> None:
        self.file = folder / "memory.db"
        self._clock = SimulatedClock(START)
        self._hubs: list[Hub] = []

    def __call__(self, embedder: Embedder | str | None, **more: object) -> Hub:
        hub = Hub.open(self.file, clock=self._clock, embedder=embedder, extractor=None, **more)
        self._hubs.append(hub)
        return hub

    def __enter__(self) -> Hubs:
        return self

    def __exit__(self, *_: object) -> None:
        for hub in self._hubs:
            hub.close()


def tell(hub: Hub, *values: str, text: str | None = None, relation: str = "likes", agent: str = "mia") -> list[str]:
    """The ids of the facts."""
    facts = [{"relation": relation, "value": value} for value in values]
    return [fact.id for fact in hub.agent(agent, KIM).remember(text, facts=facts).facts]


def stored(hub: Hub) -> list[tuple[str, str, str, bytes]]:
    """(kind and body of a record, embedder, steps) of every vector on the disk."""
    path = hub._ledger._readers.url.database
    asked = "SELECT kind, body, embedder, steps FROM vector JOIN record ON record = seq ORDER BY seq, embedder"
    with closing(sqlite3.connect(path)) as connection:
        return connection.execute(asked).fetchall()


def embedders(hub: Hub) -> list[str]:
    """Whose vectors are on the disk, record by record."""
    return [embedder for _, _, embedder, _ in stored(hub)]


def look(hub: Hub, agent: str = "mia") -> View:
    return hub._door.look(agent, KIM)


def nearest(hub: Hub, query: str, agent: str = "mia") -> list[str]:
    """The ids of the records nearest to a text."""
    view = look(hub, agent)
    near = view.similar(steps(HashingEmbedder().embed_query(query)))
    return [view.base.rows[number].record.id for number, _ in near.best(3, 0.1)]


def gaps(answer: Recalled) -> list[str]:
    """What an answer says it could not see of what was meant."""
    return [gap.reason for gap in answer.confidence.gaps if gap.topic == "meaning"]


@contextmanager
def held_up(embedder: Words) -> Iterator[threading.Event]:
    """Whoever embeds waits in there until this is over; the event says that somebody does."""
    inside, go_on = threading.Event(), threading.Event()

    def wait(_texts: list[str]) -> None:
        inside.set()
        assert go_on.wait(30)

    embedder.before = wait
    try:
        yield inside
    finally:
        embedder.before = lambda texts: None
        go_on.set()
