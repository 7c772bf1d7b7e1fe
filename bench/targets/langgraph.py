"""LangGraph's in-memory store, with the vectors the hub uses."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from typing import Any

from bench.targets import Hit
from bench.targets.vectors import DIMENSIONS, vector


class LangGraph:
    def __init__(self) -> None:
        from langgraph.store.memory import InMemoryStore

        embed = {"dims": DIMENSIONS, "embed": lambda texts: [vector(text) for text in texts], "fields": ["text"]}
        self._store: Any = InMemoryStore(index=embed)
        self._places: dict[str, tuple[str, str]] = {}

    def keep(self, customer: str, drawer: str, text: str) -> str:
        memory_id = secrets.token_hex(8)
        self._places[memory_id] = _namespace(customer, drawer)
        self._store.put(self._places[memory_id], memory_id, {"text": text})
        return memory_id

    def find(self, customer: str, drawer: str, query: str, limit: int) -> Sequence[Hit]:
        found = self._store.search(_namespace(customer, drawer), query=query, limit=limit)
        return [Hit(one.key, one.value["text"], float(one.score or 0.0)) for one in found]

    def drop(self, memory_id: str) -> None:
        self._store.delete(self._places[memory_id], memory_id)

    def close(self) -> None:
        self._places.clear()


def _namespace(customer: str, drawer: str) -> tuple[str, str]:
    """A part of a namespace may hold no full stop."""
    return customer.replace("%", "%25").replace(".", "%2E"), drawer
