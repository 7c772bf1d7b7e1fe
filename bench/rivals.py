"""One memory beside the hub, in an environment of its own: it is given texts and vectors, and asked; it knows no hub.

python bench/rivals.py SYSTEM FOLDER WORK ROUNDS     (started by bench.peers)
"""

from __future__ import annotations

import asyncio
import json
import os
import statistics
import sys
import time as wall
import uuid
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from itertools import cycle
from pathlib import Path
from typing import Any, Protocol

import numpy as np

TOP = 10
AT_ONCE = 500
THEN = datetime(2026, 1, 1, tzinfo=UTC)


class Work:
    """Texts of users, and queries, each with its vector."""

    def __init__(self, folder: Path, name: str) -> None:
        plain = json.loads((folder / f"{name}.json").read_text(encoding="utf-8"))
        self.texts: list[tuple[str, str]] = [(user, text) for user, text in plain["texts"]]
        self.queries: list[tuple[str, str]] = [(user, query) for user, query in plain["queries"]]
        self.vectors = np.load(folder / f"{name}.npy")
        said = [text for _, text in (*self.texts, *self.queries)]
        self._row = {text: row for row, text in enumerate(said)}

    def vector(self, text: str) -> list[float]:
        """As the others want it; the hub takes the `row` as it is, as from an embedder in its process."""
        return self.row(text).tolist()

    def row(self, text: str) -> Any:
        number = self._row.get(text)
        return np.zeros(self.dimensions, dtype=np.float32) if number is None else self.vectors[number]

    @property
    def dimensions(self) -> int:
        return int(self.vectors.shape[1])

    def batches(self) -> Iterator[list[tuple[str, str]]]:
        return (self.texts[start : start + AT_ONCE] for start in range(0, len(self.texts), AT_ONCE))


class Rival(Protocol):
    def __init__(self, work: Work, folder: Path) -> None: ...

    def keep(self, texts: list[tuple[str, str]]) -> None: ...

    def settle(self) -> None: ...

    def find(self, user: str, query: str) -> list[str]: ...


class Settled:
    def settle(self) -> None:
        """What is kept can be found at once."""


# --- mem0 --------------------------------------------------------------------------------------------------------


class Mem0(Settled):
    """`infer=False`. What `add` writes for a text is written many at a time, straight into its vector store."""

    provider = "qdrant"

    def __init__(self, work: Work, folder: Path) -> None:
        os.environ.setdefault("OPENAI_API_KEY", "nobody is called")
        os.environ.update(MEM0_TELEMETRY="False", MEM0_DIR=str(folder), ANONYMIZED_TELEMETRY="False")
        from mem0 import Memory

        place: dict[str, Any] = {"path": str(folder / "vectors")}
        place |= {"embedding_model_dims": work.dimensions} if self.provider == "qdrant" else {"collection_name": "mem0"}
        config = {"vector_store": {"provider": self.provider, "config": place}, "history_db_path": str(folder / "h.db")}
        self._memory: Any = Memory.from_config(config)
        self._memory.embedding_model = _Embedder(work)
        self._work = work
        self._payload: dict[str, Any] | None = None

    def keep(self, texts: list[tuple[str, str]]) -> None:
        if self._payload is None:
            (user, text), *texts = texts
            told = self._memory.add(text, user_id=user, infer=False)
            self._payload = dict(self._memory.vector_store.get(told["results"][0]["id"]).payload)
        payloads = [self._payload | {"data": text, "user_id": user} for user, text in texts]
        if "text_lemmatized" in self._payload:
            payloads = [p | {"text_lemmatized": p["data"]} for p in payloads]
        vectors = [self._work.vector(text) for _, text in texts]
        self._memory.vector_store.insert(vectors=vectors, payloads=payloads, ids=[str(uuid.uuid4()) for _ in texts])

    def find(self, user: str, query: str) -> list[str]:
        found = self._memory.search(query, filters={"user_id": user}, top_k=TOP, threshold=0.0)
        return [one["memory"] for one in found["results"]]


class Mem0Chroma(Mem0):
    provider = "chroma"


class _Embedder:
    """In the place of mem0's own, which would ask a service."""

    config = None

    def __init__(self, work: Work) -> None:
        self._work = work

    def embed(self, text: str, memory_action: str | None = None) -> list[float]:
        return self._work.vector(text)

    def embed_batch(self, texts: list[str], memory_action: str | None = None) -> list[list[float]]:
        return [self._work.vector(text) for text in texts]


# --- LangGraph ---------------------------------------------------------------------------------------------------


class LangGraphMemory(Settled):
    def __init__(self, work: Work, folder: Path) -> None:
        from langgraph.store.memory import InMemoryStore

        self._store: Any = InMemoryStore(index=self._index(work))

    def _index(self, work: Work) -> Any:
        return {
            "dims": work.dimensions,
            "embed": lambda texts: [work.vector(text) for text in texts],
            "fields": ["text"],
        }

    def keep(self, texts: list[tuple[str, str]]) -> None:
        from langgraph.store.base import PutOp

        self._store.batch([PutOp((user, "memories"), uuid.uuid4().hex, {"text": text}) for user, text in texts])

    def find(self, user: str, query: str) -> list[str]:
        return [one.value["text"] for one in self._store.search((user, "memories"), query=query, limit=TOP)]


class LangGraphSqlite(LangGraphMemory):
    def __init__(self, work: Work, folder: Path) -> None:
        import sqlite3

        if not hasattr(sqlite3.Connection, "enable_load_extension"):  # it needs one that can load sqlite-vec
            import pysqlite3

            sys.modules["sqlite3"] = sqlite3 = pysqlite3
        from langgraph.store.sqlite import SqliteStore

        connection = sqlite3.connect(str(folder / "store.db"), isolation_level=None)
        self._store = SqliteStore(connection, index=self._index(work))
        self._store.setup()


# --- Graphiti ----------------------------------------------------------------------------------------------------


class Graphiti:
    """Its hybrid search, over facts that are handed to it as it would have extracted them."""

    def __init__(self, work: Work, folder: Path) -> None:
        os.environ.update(EMBEDDING_DIM=str(work.dimensions), GRAPHITI_TELEMETRY_ENABLED="false")
        os.environ.setdefault("OPENAI_API_KEY", "nobody is called")
        from graphiti_core import Graphiti as Made
        from graphiti_core.driver.kuzu_driver import KuzuDriver
        from graphiti_core.embedder.client import EmbedderClient

        class Embedder(EmbedderClient):
            async def create(self, input_data: Any) -> list[float]:
                return work.vector(input_data if isinstance(input_data, str) else input_data[0])

            async def create_batch(self, input_data_list: list[str]) -> list[list[float]]:
                return [work.vector(text) for text in input_data_list]

        self._loop = asyncio.new_event_loop()
        self._driver = KuzuDriver(str(folder / "graph.kuzu"))
        self._embedder = Embedder()
        self._graph = Made(graph_driver=self._driver, embedder=self._embedder)
        self._users: dict[str, Any] = {}
        self._work = work

    def keep(self, texts: list[tuple[str, str]]) -> None:
        from graphiti_core.edges import EntityEdge
        from graphiti_core.nodes import EntityNode
        from graphiti_core.utils.bulk_utils import add_nodes_and_edges_bulk

        nodes, edges = [], []
        for user, text in texts:
            if user not in self._users:
                self._users[user] = EntityNode(name=user, group_id=user, created_at=THEN)
                nodes.append(self._users[user])
            thing = EntityNode(name=text, group_id=user, created_at=THEN, name_embedding=self._work.vector(text))
            nodes.append(thing)
            edges.append(
                EntityEdge(
                    source_node_uuid=self._users[user].uuid,
                    target_node_uuid=thing.uuid,
                    name="LIKES",
                    fact=text,
                    group_id=user,
                    created_at=THEN,
                    valid_at=THEN,
                    fact_embedding=self._work.vector(text),
                )
            )
        self._loop.run_until_complete(add_nodes_and_edges_bulk(self._driver, [], [], nodes, edges, self._embedder))

    def settle(self) -> None:
        """Its words are indexed once all is there: on Kuzu, what it calls building its indices does nothing."""
        import kuzu
        from graphiti_core.driver.driver import GraphProvider
        from graphiti_core.graph_queries import get_fulltext_indices

        connection = kuzu.Connection(self._driver.db)
        connection.execute("LOAD EXTENSION fts")
        for query in get_fulltext_indices(GraphProvider.KUZU):
            connection.execute(query)
        connection.close()

    def find(self, user: str, query: str) -> list[str]:
        found = self._loop.run_until_complete(self._graph.search(query, group_ids=[user], num_results=TOP))
        return [edge.fact for edge in found]


RIVALS: dict[str, type[Rival]] = {
    "mem0-qdrant": Mem0,
    "mem0-chroma": Mem0Chroma,
    "langgraph-memory": LangGraphMemory,
    "langgraph-sqlite": LangGraphSqlite,
    "graphiti-kuzu": Graphiti,
}


def searched(find: Callable[[str, str], list[str]], queries: list[tuple[str, str]], rounds: int) -> dict[str, float]:
    """CPU (of all threads) and wall milliseconds a search, medians; and how many were found on average."""
    cpu, walls, found = [], [], 0
    for number, (user, query) in zip(range(rounds + rounds // 5), cycle(queries), strict=False):
        spent, began = wall.process_time_ns(), wall.perf_counter_ns()
        answer = find(user, query)
        if number >= rounds // 5:
            cpu.append((wall.process_time_ns() - spent) / 1e6)
            walls.append((wall.perf_counter_ns() - began) / 1e6)
            found += len(answer)
    return {
        "cpu_ms": round(statistics.median(cpu), 4),
        "wall_ms": round(statistics.median(walls), 4),
        "found": round(found / rounds, 2),
    }


def main(system: str, folder: str, name: str, rounds: str) -> None:
    work, place = Work(Path(folder), name), Path(folder) / f"{system}-{name}"
    place.mkdir()
    began = wall.perf_counter()
    rival = RIVALS[system](work, place)
    for batch in work.batches():
        rival.keep(batch)
    rival.settle()
    loaded = wall.perf_counter() - began
    print(json.dumps(searched(rival.find, work.queries, int(rounds)) | {"loaded_s": round(loaded, 1)}), flush=True)
    os._exit(0)  # some of them leave threads behind that nobody ends


if __name__ == "__main__":
    main(*sys.argv[1:])
