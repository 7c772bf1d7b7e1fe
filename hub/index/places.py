"""Where collections are: in the memory of this process, or on a Chroma server."""

from __future__ import annotations

from typing import Protocol
from urllib.parse import urlsplit

from hub.errors import Incorrect
from hub.index.chroma import Collections, embedded, served


class Place(Protocol):
    """Where an index is."""

    @property
    def lasting(self) -> bool:
        """Whether what is there outlives whoever opened it."""

    def opened(self) -> Collections:
        """Raises whatever Chroma does if it can't be."""


class Memory:
    """The memory of this process; whoever opens it is alone in there.

    INVARIANT: nothing of it is ever on the disk. What Chroma writes there is not only what it was given: the files of a
    new collection hold whatever lay in the memory of the process before, and what was removed stays in them.
    """

    lasting = False

    def opened(self) -> Collections:
        return Collections(embedded(), alone=True)


class Server:
    """A Chroma server, which several processes, and several hubs, may use at once. What its disk keeps is its own."""

    lasting = True

    def __init__(self, url: str) -> None:
        self._address = _address(url)

    def opened(self) -> Collections:
        host, port, ssl = self._address
        return Collections(served(host, port, ssl=ssl))


def _address(url: str) -> tuple[str, int, bool]:
    refused = Incorrect(
        "bad_chroma_url",
        "that is no address of a Chroma server",
        "write it like http://127.0.0.1:8000",
        where="HUB_CHROMA_URL",
    )
    try:
        parts = urlsplit(url)
        port, ssl = parts.port, parts.scheme == "https"
    except ValueError:
        raise refused from None
    if not parts.hostname or parts.scheme not in ("http", "https") or parts.path not in ("", "/"):
        raise refused
    return parts.hostname, port or (443 if ssl else 8000), ssl
