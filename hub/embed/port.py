"""What an embedder is: one model of one version, and what it is asked."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from hub.errors import Fault
from hub.vectors import Vector, fit, steps

REFUSED = "text_refused"
"""The code of the Fault that an embedder raises for what it will never embed, however often it is asked."""


class Embedder(Protocol):
    """One model of one version. It is asked by the names that LangChain has for it."""

    @property
    def id(self) -> str:
        """Names model and version; vectors of different ids are never compared."""

    @property
    def local(self) -> bool:
        """Whether it answers at once and always. A recall completes what its view lacks with a local embedder, and
        never waits for another."""

    @property
    def at_once(self) -> int:
        """How many hundreds of characters (each text begins one) it embeds in half a second; 0 if it is not local."""

    def embed_documents(self, texts: list[str]) -> Sequence[Vector]:
        """Texts that are kept, one vector each, all of one length.

        INVARIANT: a local one embeds them one by one, for a batch would change their last bits.
        """

    def embed_query(self, text: str) -> Vector:
        """What is asked, to be compared with what is kept."""

    def close(self) -> None:
        """Gives back what it holds."""


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


def directions_of_those_taken(embedder: Embedder, texts: Sequence[str]) -> list[bytes | None]:
    """The steps of each text; None for one that the embedder refuses, which must not keep the others from theirs."""
    try:
        return list(directions(embedder, texts))
    except Fault as error:
        if error.code != REFUSED:
            raise
    if len(texts) == 1:
        return [None]
    half = len(texts) // 2
    return [some for part in (texts[:half], texts[half:]) for some in directions_of_those_taken(embedder, part)]
