"""Words hashed to dimensions: an embedder for tests, without a model and without understanding."""

from __future__ import annotations

import hashlib


class HashingEmbedder:
    """Equal words have equal vectors, and texts with words in common are near each other; nothing else is."""

    local = True
    at_once = 10_000

    def __init__(self, dimensions: int = 64) -> None:
        self.id = f"hashing-{dimensions}"
        self._dimensions = dimensions

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        return [self.embed_query(text) for text in texts]

    def embed_query(self, text: str) -> list[float]:
        vector = [0.0] * self._dimensions
        for word in text.casefold().split():
            number = int.from_bytes(hashlib.sha256(word.encode("utf-8", "replace")).digest()[:8], "big")
            vector[number % self._dimensions] += 1.0 if number >> 63 else -1.0
        return vector

    def close(self) -> None:
        """There is nothing to give back."""
