"""The index of company knowledge: ids and vectors in Chroma, made anew from the ledger when anything is amiss."""

from __future__ import annotations

import threading
import time as wall
from array import array
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from typing import Protocol, TypeVar

from hub.errors import Fault
from hub.index.chroma import Shelf, Store, behind, name_of
from hub.index.folder import Folder
from hub.index.server import Server

__all__ = ["Folder", "Index", "Place", "Server", "Shelf", "name_of"]

T = TypeVar("T")

AGAIN = 5.0
"""Seconds after which an index that fails, or that another process has, is tried again."""
PATIENCE = 2.0
"""Seconds that a recall waits for the index at most; it can be answered without."""
LAST_WAIT = 30.0
"""Seconds that closing waits for what is being indexed."""
CLOSING = "index_closing"


class Place(Protocol):
    """Where an index is kept: a folder, or a server."""

    def opened(self) -> Store | None:
        """Raises Fault `index_failed`; None while another process has it."""

    def removed(self, names: set[str]) -> bool:
        """Takes these collections away, or all there is; False if that could not be done."""

    def faults(self, shelves: Iterable[Shelf]) -> list[str]:
        """What is not as it should be, looked at without changing anything."""


class Index:
    """Answers only while it holds exactly what it is asked about; else it says so, and is renewed meanwhile.

    Chroma is loaded once there is something to index, and all it does is done in threads of its own: nobody waits for
    it for long, and whatever goes wrong in there, panics of its binary part included, ends there.
    """

    def __init__(
        self, place: Place, shelves: Callable[[], Sequence[Shelf]], settle: Callable[[], None] = lambda: None
    ) -> None:
        """`shelves` is what there is to index now, read from the ledger; `settle` waits until it is embedded."""
        self.failure: str | None = None
        self.place = place
        self._settle = settle
        self._shelves = shelves
        self._turn = threading.Lock()
        self._store: Store | None = None
        self._askers: ThreadPoolExecutor | None = None
        self._keeper = ThreadPoolExecutor(1, "hub-index")
        self._job: Future[None] | None = None
        self._not_before = 0.0
        self._closing = False

    def search(self, name: str, mark: str, query: bytes, most: int) -> list[str] | None:
        """The ids nearest to a query in steps; None if the collection is not at this mark, or does not answer."""
        store, askers = self._store, self._askers
        if store is None or askers is None or not store.alive():
            self.wake()
            return None
        asked = askers.submit(_nearest, store, name, mark, query, most)
        if (error := _error(asked, PATIENCE)) is not None:
            self._give_up(store, error)
            return None
        if (found := asked.result()) is None:
            self.wake()
        return found

    def wake(self) -> None:
        """Has the index renewed soon, unless it has just failed."""
        with self._turn:
            busy = self._job is not None and not self._job.done()
            if not (self._closing or busy or wall.monotonic() < self._not_before):
                self._job = self._submitted()

    def settle(self) -> None:
        """Waits until it holds all there is now. Raises Fault `index_failed` if it can't."""
        with self._turn:
            if self._closing:
                return
            self._job = job = self._submitted()
        job.exception()
        if self.failure is not None:
            fix = "recalls are answered without it; see to its folder or server"
            raise Fault("index_failed", f"company knowledge is not indexed ({self.failure})", fix)

    def scrap(self) -> bool:
        """Takes the index away, to be made anew; False if something of it may still lie where it was.

        INVARIANT: whatever was taken out of a collection is on its disk until then.
        """
        scrapped = self._keeper.submit(self._scrapped)
        return scrapped.exception() is None and scrapped.result()

    def faults(self) -> list[str]:
        """What is wrong with the index; nothing of one that another process has."""
        looked = self._keeper.submit(self._looked_over)
        if (error := looked.exception()) is not None:
            return [f"the index of company knowledge can't be looked at ({_named(error)})"]
        return looked.result()

    def close(self) -> None:
        with self._turn:
            if self._closing:
                return
            self._closing = True
        _error(self._keeper.submit(self._drop), LAST_WAIT)
        self._keeper.shutdown(wait=False)

    # --- in the thread that keeps it -----------------------------------------------------------------------------

    def _submitted(self) -> Future[None]:
        return self._keeper.submit(self._over, self._keeper.submit(self._renew))

    def _renew(self) -> None:
        """INVARIANT: a collection is at a mark only if all that the mark stands for is in it, and nothing else."""
        if self._store is not None and not self._store.alive():
            self._drop()
        with suppress(Fault):  # what could not be embedded is indexed later
            self._settle()
        shelves = list(self._shelves())
        if not shelves:
            return
        store = self._store or self.place.opened()
        if store is None:
            raise Fault("index_taken", "another process has the index", "it is answered without one here")
        if self._store is None:
            self._store, self._askers = store, ThreadPoolExecutor(2, "hub-nearest")
        for shelf in shelves:
            if shelf.complete and store.mark(shelf.name) != shelf.mark:
                store.renew(shelf, self._go_on)
        store.keep({shelf.name for shelf in shelves})

    def _go_on(self) -> None:
        if self._closing:
            raise Fault(CLOSING, "the hub was closed meanwhile", "it is renewed by whoever opens it next")

    def _over(self, job: Future[None]) -> None:
        """Whatever failed is begun anew, from nothing, after a while."""
        error = job.exception()
        with self._turn:
            self.failure = None if error is None else _named(error)
            if error is not None:
                self._not_before = wall.monotonic() + AGAIN
        closing = isinstance(error, Fault) and error.code == CLOSING
        if error is not None and self._store is not None and not closing:
            self._spoil(self._store)

    def _give_up(self, store: Store, error: BaseException) -> None:
        with self._turn:
            self.failure, self._not_before = _named(error), wall.monotonic() + AGAIN
            if not self._closing:
                self._keeper.submit(self._spoil, store)

    def _spoil(self, store: Store) -> None:
        if self._store is store:
            store.spoil()
            self._drop()

    def _looked_over(self) -> list[str]:
        shelves = list(self._shelves())
        if not shelves:
            return []
        if self._store is not None and self._store.alive():
            return behind(self._store, shelves)
        return self.place.faults(shelves)

    def _drop(self) -> None:
        store, askers = self._store, self._askers
        self._store = self._askers = None
        if askers is not None:
            askers.shutdown(wait=False)
        if store is not None:
            store.close()

    def _scrapped(self) -> bool:
        self._drop()
        return self.place.removed({shelf.name for shelf in self._shelves()})


def _nearest(store: Store, name: str, mark: str, query: bytes, most: int) -> list[str] | None:
    """INVARIANT: at the mark before and after, for it may be changed while it is asked."""
    if store.mark(name) != mark:
        return None
    found = store.nearest(name, array("b", query).tolist(), most)
    return found if store.mark(name) == mark else None


def _error(job: Future[T], patience: float) -> BaseException | None:
    try:
        return job.exception(patience)
    except TimeoutError as error:
        return error


def _named(error: BaseException) -> str:
    """Not what it says, which may quote paths and addresses."""
    return error.message if isinstance(error, Fault) else type(error).__name__
