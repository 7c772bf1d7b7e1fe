"""Vectors follow the write: a thread that embeds what has been recorded, and stores what a recall had to make."""

from __future__ import annotations

import logging
import threading
from collections.abc import Mapping

from hub.door.texts import Texts, Waiting
from hub.embed import Embedder, directions_of_those_taken
from hub.errors import Fault
from hub.view.meanings import Place

GATHERING = 0.05
"""Seconds that a text may wait for others to be stored with."""
AT_ONCE = 64
"""So many are embedded and stored in one commit."""
AGAIN, AT_LAST = 1.0, 60.0
"""Seconds after which an embedder that failed is tried again; each time twice as many, up to the latter."""

_log = logging.getLogger("hub.embed")


class Follower:
    """INVARIANT: nothing is lost. What there is to embed is what the ledger has no vector for, whoever was killed when;
    only what another embedder has embedded before is left to `hub reindex`."""

    def __init__(self, texts: Texts, embedder: Embedder) -> None:
        self.failure: str | None = None
        self._texts = texts
        self._embedder = embedder
        self._turn = threading.Condition()
        self._storing = threading.Lock()
        self._made: dict[Place, bytes] = {}
        self._after: int | None = None
        self._length = 0
        self._asked = self._done = self._failed = self._failures = self._hurried = 0
        self._closing = False
        self._thread: threading.Thread | None = None

    def follow(self) -> None:
        """Something has been recorded."""
        with self._turn:
            self._asked += 1
            self._begin()

    def keep(self, found: Mapping[Place, bytes]) -> None:
        """Vectors that somebody had to make before this thread came to it."""
        with self._turn:
            self._made |= found
            self._asked += 1
            self._begin()

    def settle(self) -> None:
        """Waits until all that has been recorded so far has its vector. Raises Fault `not_settled` if that fails."""
        with self._turn:
            self._asked += 1
            self._hurried += 1
            ticket = self._asked
            self._begin()
            self._turn.wait_for(lambda: max(self._done, self._failed) >= ticket or self._closing)
            self._hurried -= 1
            settled = self._done >= ticket
        if not settled:
            message = f"not everything is embedded yet ({self.failure or 'the hub is closed'})"
            raise Fault("not_settled", message, "see to the embedder, and try again")

    def close(self) -> None:
        """INVARIANT: the ledger is not touched after this. What is not stored yet will be made again."""
        with self._turn:
            self._closing = True
            self._turn.notify_all()
        with self._storing:
            pass

    # --- the thread ----------------------------------------------------------------------------------------------

    def _begin(self) -> None:
        """The thread starts when there is something to do, and again in a process that was forked off."""
        if not self._closing and (self._thread is None or not self._thread.is_alive()):
            self._thread = threading.Thread(target=self._run, name="hub-vectors", daemon=True)
            self._thread.start()
        self._turn.notify_all()

    def _run(self) -> None:
        while (ticket := self._next()) is not None:
            try:
                while (waiting := self._look()) is not None:
                    self._store(self._embedded(waiting.texts), waiting.upto)
            except Fault as error:
                self._over(ticket, f"{error.code}: {error.message}")
            else:
                self._over(ticket, None)

    def _next(self) -> int | None:
        """Waits for something to do: the number of all that was asked for so far, or None once the hub is closed."""
        with self._turn:
            if self._failures and not self._closing:
                self._turn.wait_for(lambda: self._closing or self._hurried, _pause(self._failures))
            self._turn.wait_for(lambda: self._asked > self._done or self._closing)
            self._turn.wait_for(lambda: self._hurried or self._closing, GATHERING)
            return None if self._closing else self._asked

    def _look(self) -> Waiting | None:
        """What is to be embedded next, once what was made elsewhere is stored."""
        with self._turn:
            made, self._made = self._made, {}
        with self._storing:
            if self._closing:
                return None
            try:
                if made:
                    self._texts.keep(self._embedder.id, made)
                if self._after is None:
                    self._after, self._length = self._texts.start(self._embedder.id)
                return self._texts.waiting(self._embedder.id, self._after, AT_ONCE)
            except Fault:
                with self._turn:
                    self._made = made | self._made
                raise

    def _embedded(self, texts: Mapping[Place, str]) -> dict[Place, bytes]:
        made = directions_of_those_taken(self._embedder, list(texts.values()))
        found = {place: steps for place, steps in zip(texts, made, strict=True) if steps is not None}
        if len(found) < len(texts):
            _log.warning("%d texts that `%s` refuses are found by words", len(texts) - len(found), self._embedder.id)
        return found

    def _store(self, found: Mapping[Place, bytes], upto: int) -> None:
        length = next((len(steps) for steps in found.values()), self._length)
        if self._length not in (0, length):
            message = f"`{self._embedder.id}` gives {length} dimensions, and gave {self._length} before"
            raise Fault("wrong_dimension", message, "run `hub reindex`, or go back to the model it was")
        with self._storing:
            if not self._closing:
                if found:
                    self._texts.keep(self._embedder.id, found)
                self._after, self._length = upto, length

    def _over(self, ticket: int, failure: str | None) -> None:
        with self._turn:
            if failure is not None and self.failure is None:
                _log.warning("`%s` fails, and will be tried again (%s)", self._embedder.id, failure)
            self.failure = failure
            if failure is None:
                self._done, self._failures = ticket, 0
            else:
                self._failed, self._failures = ticket, self._failures + 1
            self._turn.notify_all()


def _pause(failures: int) -> float:
    return float(min(AGAIN * 2 ** min(failures - 1, 10), AT_LAST))
