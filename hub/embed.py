"""The embedder port: text to vectors in whole steps, so that sums of products are exact in any order."""

from __future__ import annotations

import hashlib
from typing import Protocol

import numpy as np


class Embedder(Protocol):
    """One model of one version."""

    @property
    def id(self) -> str:
        """Names model and version; vectors of different ids are never compared."""

    def embed(self, text: str) -> list[float]:
        """One text to one vector of the embedder's own length; texts are embedded one by one, so that a batch can't
        change a bit of the result."""


def steps(vector: list[float]) -> bytes:
    """The direction of a vector, one signed byte a dimension.

    At most ±min(127, ⌊√(2²⁴ / d)⌋) steps, so that a dot product of d of them stays below 2²⁴ and float32 holds it
    exactly.
    """
    direction = np.asarray(vector, dtype=np.float64)
    largest = float(np.abs(direction).max(initial=0.0))
    most = min(127, int((2**24 / max(len(vector), 1)) ** 0.5))
    scaled = np.zeros_like(direction) if largest == 0 else direction / largest * most
    return bytes(np.rint(scaled).astype(np.int8).tobytes())


class HashingEmbedder:
    """Words hashed to dimensions: no model, no download, and no understanding; for tests."""

    def __init__(self, dimensions: int = 64) -> None:
        self.id = f"hashing-{dimensions}"
        self._dimensions = dimensions

    def embed(self, text: str) -> list[float]:
        vector = [0.0] * self._dimensions
        for word in text.casefold().split():
            number = int.from_bytes(hashlib.sha256(word.encode("utf-8", "replace")).digest()[:8], "big")
            vector[number % self._dimensions] += 1.0 if number >> 63 else -1.0
        return vector
