"""mem0 (`infer=False`) on its own local Qdrant, with the vectors the hub uses."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Sequence
from typing import Any

from bench.targets import Hit
from bench.targets.vectors import DIMENSIONS, vector
from hub.errors import no_such_record


class Mem0:
    def __init__(self) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="mem0-")
        os.environ.setdefault("OPENAI_API_KEY", "nobody is called")
        os.environ.update(MEM0_TELEMETRY="False", MEM0_DIR=self._folder.name)
        from mem0 import Memory

        place = {"path": f"{self._folder.name}/vectors", "embedding_model_dims": DIMENSIONS}
        stores = {"vector_store": {"provider": "qdrant", "config": place}}
        self._memory: Any = Memory.from_config({**stores, "history_db_path": f"{self._folder.name}/history.db"})
        self._memory.embedding_model = _Embedder()

    def keep(self, customer: str, drawer: str, text: str) -> str:
        told = self._memory.add(text, user_id=customer, agent_id=drawer, infer=False)
        return str(told["results"][0]["id"])

    def find(self, customer: str, drawer: str, query: str, limit: int) -> Sequence[Hit]:
        found = self._memory.search(query, filters={"user_id": customer, "agent_id": drawer}, top_k=limit)
        return [Hit(one["id"], one["memory"], one["score"]) for one in found["results"]]

    def drop(self, memory_id: str) -> None:
        try:
            self._memory.delete(memory_id)
        except ValueError:
            raise no_such_record() from None

    def close(self) -> None:
        self._memory.vector_store.client.close()
        self._folder.cleanup()


class _Embedder:
    """In the place of mem0's own, which would ask a service."""

    config = None

    def embed(self, text: str, memory_action: str | None = None) -> list[float]:
        return vector(text)

    def embed_batch(self, texts: list[str], memory_action: str | None = None) -> list[list[float]]:
        return [vector(text) for text in texts]
