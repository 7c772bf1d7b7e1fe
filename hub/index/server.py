"""A Chroma server with the collections of one hub among others."""

from __future__ import annotations

from collections.abc import Iterable
from urllib.parse import urlsplit

from hub.errors import Incorrect
from hub.index.chroma import Collections, Shelf, Store, behind, served


class Server:
    """A Chroma server, which several processes, and several hubs, may use at once."""

    def __init__(self, url: str) -> None:
        self._address = _address(url)

    def opened(self) -> Store:
        return _ServerStore(self._collections())

    def removed(self, names: set[str]) -> bool:
        """From its collections; what its disk keeps of them is the server's."""
        collections = self._collections()
        for name in names & collections.marks().keys():
            collections.remove(name)
        collections.close()
        return True

    def faults(self, shelves: Iterable[Shelf]) -> list[str]:
        store = self.opened()
        found = behind(store, shelves)
        store.close()
        return found

    def _collections(self) -> Collections:
        host, port, ssl = self._address
        return Collections(served(host, port, ssl=ssl), shared=True)


class _ServerStore:
    """Others may change the collections at any time: their marks are asked for again and again."""

    def __init__(self, collections: Collections) -> None:
        self._collections = collections
        self.mark = collections.mark
        self.nearest = collections.nearest
        self.renew = collections.renew
        self.keep = collections.keep
        self.close = collections.close

    def alive(self) -> bool:
        return True

    def spoil(self) -> None:
        """Nothing of it is here."""


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
