"""Collections in Chroma: each holds what its mark stands for, or is being changed."""

from __future__ import annotations

import hashlib
import os
import secrets
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, cast

from hub.errors import Fault
from hub.vectors import Vector

if TYPE_CHECKING:
    from chromadb.api.client import Client
    from chromadb.api.collection_configuration import CreateCollectionConfiguration
    from chromadb.api.models.Collection import Collection
    from chromadb.config import Settings

TIMEOUT = 5.0
"""Seconds that a server may take to answer."""

AT_ONCE = 500
"""So many vectors are handed over in one call."""

_NEIGHBOURS: CreateCollectionConfiguration = {"hnsw": {"space": "cosine", "ef_search": 256, "ef_construction": 200}}
_CHANGING = ""
"""The mark of a collection that is being changed."""


@dataclass(frozen=True, slots=True)
class Shelf:
    """What one collection is to hold, and the mark that stands for just that; `complete`: no vector is missing yet.

    INVARIANT: `name` tells nobody a label, and `ids` are random; nothing else but vectors goes to Chroma.
    """

    name: str
    mark: str
    ids: Sequence[str] = ()
    vectors: Sequence[Vector] = ()
    complete: bool = True


class Session(Protocol):
    """As much of the HTTP client in Chroma's own as is needed here."""

    timeout: object

    def close(self) -> None:
        """Gives back its connections."""


# --- collections -------------------------------------------------------------------------------------------------


class Collections:
    """Collections of one hub among those of others, of which it knows its own by how their names begin.

    `alone`: they are nobody else's, though all that is in the memory of a process lies together in there, and they are
    gone when they are closed.
    """

    def __init__(self, client: Client, *, alone: bool = False) -> None:
        self._client = client
        self._own = f"{secrets.token_hex(8)}-" if alone else ""
        self._open: dict[str, Collection] = {}

    def names(self) -> set[str]:
        there = (found.name for found in self._client.list_collections())
        return {name.removeprefix(self._own) for name in there if name.startswith(self._own)}

    def mark(self, name: str) -> str | None:
        """What a collection holds; None if there is none, and no mark of anything while it is being changed."""
        from chromadb.errors import NotFoundError

        try:
            return _mark(self._client.get_collection(self._own + name, embedding_function=None))
        except NotFoundError:
            return None

    def nearest(self, name: str, vector: Sequence[int], most: int) -> list[str]:
        """The ids nearest to a vector."""
        collection = self._open.get(name)
        if collection is None:
            collection = self._open[name] = self._client.get_collection(self._own + name, embedding_function=None)
        asked: list[Sequence[float] | Sequence[int]] = [vector]
        return collection.query(query_embeddings=asked, n_results=most, include=[])["ids"][0]

    def renew(self, shelf: Shelf, go_on: Callable[[], None]) -> None:
        """Makes one collection what it is to be, unless `go_on`, which is called again and again, raises.

        Only what is not there yet is added; a collection of which most must go is made anew.
        """
        collection = self._collection(shelf.name)
        wanted = dict(zip(shelf.ids, shelf.vectors, strict=True))
        there = set(collection.get(include=[])["ids"])
        if len(gone := sorted(there - wanted.keys())) > len(wanted):
            self.remove(shelf.name)
            collection, there, gone = self._collection(shelf.name), set(), []
        for some in _batches(gone):
            go_on()
            collection.delete(ids=some)
        for some in _batches([id_ for id_ in shelf.ids if id_ not in there]):
            go_on()
            collection.add(ids=some, embeddings=[wanted[id_] for id_ in some])
        if collection.count() != len(wanted):
            raise Fault("index_failed", "Chroma does not hold what it was given", "have the index made anew")
        collection.modify(metadata={"mark": shelf.mark})

    def keep(self, names: set[str]) -> None:
        """Removes all other collections of the hub of these."""
        families = {_family(name) for name in names}
        for name in self.names() - names:
            if _family(name) in families:
                self.remove(name)

    def remove(self, name: str) -> None:
        self._open.pop(name, None)
        self._client.delete_collection(self._own + name)

    def close(self) -> None:
        if self._own:
            for name in self.names():
                self.remove(name)
        for session in _sessions(self._client):
            session.close()
        self._client.close()

    def _collection(self, name: str) -> Collection:
        """One that is being changed from now on."""
        changing = {"mark": _CHANGING}
        collection = self._client.get_or_create_collection(
            self._own + name, configuration=_NEIGHBOURS, metadata=changing, embedding_function=None
        )
        collection.modify(metadata=changing)
        self._open[name] = collection
        return collection


def name_of(hub: str, embedder: str, label: str) -> str:
    """The name of a collection: of which hub, before the last hyphen, and of what in there, told to nobody."""
    within = hashlib.blake2b(f"{embedder}\0{label}".encode(), digest_size=16).hexdigest()
    return f"hub-{hashlib.blake2b(hub.encode(), digest_size=8).hexdigest()}-{within}"


def _family(name: str) -> str:
    return name.rpartition("-")[0]


def _mark(collection: Collection) -> str:
    return str((collection.metadata or {}).get("mark", _CHANGING))


def _batches(ids: Sequence[str]) -> Iterator[list[str]]:
    return (list(ids[start : start + AT_ONCE]) for start in range(0, len(ids), AT_ONCE))


def embedded() -> Client:
    import chromadb

    return cast("Client", chromadb.EphemeralClient(settings=_settings()))


def served(host: str, port: int, *, ssl: bool) -> Client:
    import chromadb

    client = cast("Client", chromadb.HttpClient(host, port, ssl, settings=_settings()))
    for session in _sessions(client):
        session.timeout = TIMEOUT  # left to itself, it waits for ever
    return client


def _sessions(client: Client) -> Iterator[Session]:
    """What a client of a server speaks through, and would leave open: there is another client inside it."""
    for one in (client, vars(client).get("_admin_client", client)):
        session = vars(vars(one).get("_server", one)).get("_session")
        if session is not None:
            yield session


def _settings() -> Settings:
    """INVARIANT: nobody is told anything, and no `.env` that happens to lie about has a say."""
    os.environ["ORT_DISABLE_TELEMETRY"] = "1"
    from chromadb.config import Settings

    return Settings(_env_file=None, anonymized_telemetry=False)  # type: ignore[call-arg]
