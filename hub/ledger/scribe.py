"""The scribe: a thread that writes visits down, many in one commit, so that nobody who reads waits for the disk."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future

from sqlalchemy.exc import DBAPIError

from hub.errors import Fault
from hub.ledger.visits import UNFORESEEN, Told

GATHERING = 0.1
"""Seconds that a line may wait for others to be written down with."""
AGAIN = 1.0
"""Seconds after which the disk is tried again."""
PATIENCE = 5.0
"""Seconds that a reader waits for room, as long as lines are written at all."""
MOST = 10_000

_log = logging.getLogger("hub.audit")

Write = Callable[[Sequence[Told], int], None]
"""Writes down in one commit what is told, and how many others were lost before."""


class Page:
    """What is written down together; `written` says when, or why not."""

    def __init__(self) -> None:
        self.told: list[Told] = []
        self.written: Future[None] = Future()


class Scribe:
    """Takes what visits tell, in the order in which they end. `strict`: whoever hands it in waits until it is on the
    disk.

    Else what can't be written is tried again and again. Lines that are lost, because there is no room left for more,
    are counted; the audit says so as soon as it can be written.
    """

    def __init__(self, write: Write, *, strict: bool) -> None:
        self.failure: str | None = None
        self._write = write
        self._strict = strict
        self._turn = threading.Condition()
        self._page = Page()
        self._going: Page | None = None
        self._thread: threading.Thread | None = None
        self._hurried = int(strict)
        self._closing = False
        self._lost = 0

    def hand_in(self, told: Told, *, wait: bool = True) -> None:
        """Raises Fault `audit_failed` if strict, and it can't be written; `wait` False: nobody waits for this one."""
        with self._turn:
            if not self._turn.wait_for(self._has_room, PATIENCE if wait and self.failure is None else 0):
                self._lost += 1
                return
            page = self._page
            page.told.append(told)
            self._begin()
            if self._hurried or len(page.told) in (1, MOST):
                self._turn.notify_all()
        if self._strict and wait:
            page.written.result()

    def flush(self) -> None:
        """Waits until all that has been handed in is written down, or could not be."""
        with self._turn:
            pages = [page for page in (self._going, self._page) if page is not None and page.told]
            self._hurried += 1
            if pages:
                self._begin()
            self._turn.notify_all()
        for page in pages:
            page.written.exception()
        with self._turn:
            self._hurried -= 1

    def close(self) -> None:
        with self._turn:
            self._closing = True
            self._turn.notify_all()
        if self._thread is not None:
            self._thread.join()
        left, self._page = self._page, Page()
        left.written.set_exception(_failed("the hub is closed"))
        if lost := self._lost + len(left.told):
            _log.error("%d lines of the audit could not be written: %s", lost, self.failure)

    def _has_room(self) -> bool:
        return len(self._page.told) < MOST

    def _begin(self) -> None:
        """The thread starts when there is something to write, and again in a process that was forked off."""
        if self._thread is None or not self._thread.is_alive():
            self._going = None
            self._thread = threading.Thread(target=self._run, name="hub-audit", daemon=True)
            self._thread.start()

    def _run(self) -> None:
        while (page := self._next()) is not None:
            failure: str | None = UNFORESEEN
            lost, again = self._lost, False
            try:
                self._write(page.told, lost)
                failure = None
            except (DBAPIError, Fault) as error:
                failure, again = type(error).__name__, not self._strict
            finally:
                self._settle(page, failure, lost if failure is None else 0, again=again)

    def _next(self) -> Page | None:
        with self._turn:
            if self.failure and not self._strict:
                self._turn.wait_for(lambda: self._closing, AGAIN)
            self._turn.wait_for(lambda: self._page.told or self._closing)
            self._turn.wait_for(lambda: self._hurried or self._closing or not self._has_room(), GATHERING)
            if not self._page.told or (self._closing and self.failure):
                return None
            self._going, self._page = self._page, Page()
            return self._going

    def _settle(self, page: Page, failure: str | None, told: int, *, again: bool) -> None:
        """INVARIANT: whoever waits for the page hears of it, whatever happened."""
        with self._turn:
            self.failure, self._going = failure, None
            if failure == UNFORESEEN:  # which ends this thread, sooner or later
                self._thread = None
            self._lost -= told
            if again:
                self._page.told[:0] = page.told
            elif failure is not None:
                self._lost += len(page.told)
            self._turn.notify_all()
        if failure is None:
            page.written.set_result(None)
        else:
            page.written.set_exception(_failed(failure))


def _failed(failure: str) -> Fault:
    return Fault("audit_failed", f"the audit can't be written ({failure})", "see `hub doctor`, and try again")
