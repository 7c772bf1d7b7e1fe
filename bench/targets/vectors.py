"""The hub's own embedder, for systems that are to be compared with it and not with their embedders."""

from __future__ import annotations

from functools import lru_cache

from hub.embed import SentenceEmbedder

DIMENSIONS = 512

_embedder = SentenceEmbedder()


@lru_cache(maxsize=100_000)
def vector(text: str) -> list[float]:
    return [float(part) for part in _embedder.embed_query(text)]
