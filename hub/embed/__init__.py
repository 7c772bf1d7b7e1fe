"""The embedder port: texts to vectors, by a model that comes with the hub, another that is installed, or a URL."""

from __future__ import annotations

import os

from hub.embed.e5 import E5Embedder
from hub.embed.hashing import HashingEmbedder
from hub.embed.port import REFUSED, Embedder, directions, directions_of_those_taken, query_direction
from hub.embed.sentence import SentenceEmbedder
from hub.errors import Incorrect

__all__ = [
    "DEFAULT",
    "REFUSED",
    "E5Embedder",
    "Embedder",
    "HashingEmbedder",
    "SentenceEmbedder",
    "chosen",
    "directions",
    "directions_of_those_taken",
    "query_direction",
]

DEFAULT = "sentence"


def chosen(name: str | None = None, model: str | None = None) -> Embedder | None:
    """`sentence` (the one that comes with the hub), `e5`, `hashing` (no understanding, for tests), the URL of an
    endpoint that embeds with `model`, or `none`.

    By default what HUB_EMBEDDER and HUB_EMBEDDER_MODEL say, or the one that comes with the hub. The key of an endpoint
    is in HUB_EMBEDDER_KEY, and nowhere else.
    """
    name = name or os.environ.get("HUB_EMBEDDER") or DEFAULT
    if name.startswith(("http://", "https://")):
        from hub.embed.endpoint import EndpointEmbedder  # httpx takes a tenth of a second, and few need it

        return EndpointEmbedder(
            name, model or os.environ.get("HUB_EMBEDDER_MODEL", ""), os.environ.get("HUB_EMBEDDER_KEY")
        )
    match name:
        case "none":
            return None
        case "sentence":
            return SentenceEmbedder()
        case "e5":
            return E5Embedder()
        case "hashing":
            return HashingEmbedder()
    raise Incorrect("no_embedder", f"there is no embedder `{name[:60]}`", "say sentence, e5, hashing, none or a URL")
