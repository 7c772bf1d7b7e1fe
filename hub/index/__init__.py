"""The index of company knowledge: ids and vectors in Chroma, made anew from the ledger when anything is amiss."""

from __future__ import annotations

import threading
import time as wall
from array import array
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from typing import TypeVar

from hub.errors import Fault
from hub.index.chroma import Collections, Shelf, name_of
from hub.index.places import Memory, Place, Server

__all__ = ["Index", "Memory", "Place", "Server", "Shelf", "name_of"]

T = TypeVar("T")

AGAIN = 5.0
"""Seconds after which an index that fails is tried again."""
PATIENCE = 2.0
"""Seconds that a recall waits for the index at most; it can be answered without."""
LAST_WAIT = 30.0
"""Seconds that closing waits for what is being indexed."""
CLOSING = "index_closing"


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
        self._store: Collections | None = None
        self._askers: ThreadPoolExecutor | None = None
        self._keeper = ThreadPoolExecutor(1, "hub-index")
        self._job: Future[None] | None = None
        self._not_before = 0.0
        self._closing = False

    def search(self, name: str, mark: str, query: bytes, most: int) -> list[str] | None:
        """The ids nearest to a query in steps; None if the collection is not at this mark, or does not answer."""
        store, askers = self._store, self._askers
        if store is None or askers is None:
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
            fix = "recalls are answered without it; see to the Chroma server if it is on one"
            raise Fault("index_failed", f"company knowledge is not indexed ({self.failure})", fix)

    def scrap(self) -> bool:
        """Takes the index away, to be made anew; False if something of it may still be where it was."""
        scrapped = self._keeper.submit(self._scrapped)
        return scrapped.exception() is None

    def faults(self) -> list[str]:
        """What is wrong with the index, as far as there is one."""
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
        with suppress(Fault):  # what could not be embedded is indexed later
            self._settle()
        shelves = list(self._shelves())
        if not shelves:
            return
        if (store := self._store) is None:
            store = self._store = self.place.opened()
            self._askers = ThreadPoolExecutor(2, "hub-nearest")
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
            self._drop()

    def _give_up(self, store: Collections, error: BaseException) -> None:
        with self._turn:
            self.failure, self._not_before = _named(error), wall.monotonic() + AGAIN
            if not self._closing:
                self._keeper.submit(self._drop, store)

    def _looked_over(self) -> list[str]:
        shelves = list(self._shelves())
        if not shelves or (self._store is None and not self.place.lasting):
            return []
        store = self._store or self.place.opened()
        late = sum(store.mark(shelf.name) != shelf.mark for shelf in shelves)
        if store is not self._store:
            store.close()
        return [f"{late} collections of company knowledge are behind (`hub reindex` renews them)"] if late else []

    def _drop(self, meant: Collections | None = None) -> None:
        """Closes what is open, unless another was `meant`."""
        store, askers = self._store, self._askers
        if store is None or askers is None or store is not (meant or store):
            return
        self._store = self._askers = None
        askers.shutdown(wait=False)
        store.close()

    def _scrapped(self) -> None:
        self._drop()
        if self.place.lasting:
            store = self.place.opened()
            for name in store.names() & {shelf.name for shelf in self._shelves()}:
                store.remove(name)
            store.close()


def _nearest(store: Collections, name: str, mark: str, query: bytes, most: int) -> list[str] | None:
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
