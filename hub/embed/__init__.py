"""The embedder port: texts to vectors, by a model that comes with the hub, another that is installed, or a URL."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from hub.embed.hashing import HashingEmbedder
from hub.embed.sentence import SentenceEmbedder
from hub.errors import Fault, Incorrect
from hub.vectors import Vector, fit, steps

__all__ = ["Embedder", "HashingEmbedder", "SentenceEmbedder", "Vector", "chosen", "directions", "query_direction"]


class Embedder(Protocol):
    """One model of one version. The two verbs are called as LangChain calls them."""

    @property
    def id(self) -> str:
        """Names model and version; vectors of different ids are never compared."""

    @property
    def local(self) -> bool:
        """Whether it answers at once and always, so that a recall may wait for it."""

    def embed_documents(self, texts: list[str]) -> Sequence[Vector]:
        """Texts that are kept, one vector each, of the embedder's own length.

        INVARIANT: a local one embeds them one by one, for a batch would change their last bits.
        """

    def embed_query(self, text: str) -> Vector:
        """What is asked, to be compared with what is kept."""


def chosen(name: str) -> Embedder | None:
    """`sentence` (the one that comes with the hub), `hashing` (no understanding, for tests), or `none`."""
    match name:
        case "none":
            return None
        case "sentence":
            return SentenceEmbedder()
        case "hashing":
            return HashingEmbedder()
    raise Incorrect("no_embedder", f"there is no embedder `{name[:60]}`", "say sentence, hashing or none")


def directions(embedder: Embedder, texts: Sequence[str]) -> list[bytes]:
    """The steps of each text. Raises Fault `bad_vector` for an embedder that gives anything but vectors."""
    found = [steps(vector) for vector in embedder.embed_documents([fit(text) for text in texts])] if texts else []
    if len(found) != len(texts) or any(len(some) != len(found[0]) for some in found):
        message = f"`{embedder.id}` gave {len(found)} vectors for {len(texts)} texts, or of several lengths"
        raise Fault("bad_vector", message, "mend the embedder, or choose another")
    return found


def query_direction(embedder: Embedder, query: str) -> bytes | None:
    """The steps of a query; None for one that there is nothing to embed of."""
    text = fit(query)
    return steps(embedder.embed_query(text)) if text else None
