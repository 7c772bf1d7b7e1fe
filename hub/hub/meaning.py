"""What a query means to the hub's embedder, beside a view whose vectors are as complete as they need be."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from itertools import accumulate

from hub.door.texts import Texts
from hub.embed import Embedder, directions, query_direction
from hub.errors import Fault
from hub.following import Follower
from hub.ledger import KeptRecall
from hub.vectors import WORDS_ALONE, Meant
from hub.view import View
from hub.view.meanings import Place, spoken

HUNDRED = 100

NEWEST = 8
"""Of a view that lacks more than can be embedded at once, as after an import, so much of that goes into the newest;
the rest is found by its words until its vectors have followed."""

NOT_YET = "not all memories are embedded yet; the others are found by their words alone"
SILENT = "the embedder does not answer; memories are found by their words alone"
ANOTHER_LENGTH = "the embedder has changed under its name; memories are found by their words alone"

_log = logging.getLogger("hub.embed")


class Meaning:
    """INVARIANT: no query, and no vector of one, is remembered here: nobody can find out what another asked."""

    def __init__(self, embedder: Embedder | None, texts: Texts, *, own: bool = False) -> None:
        """`own`: the embedder is closed with the hub."""
        self.embedder = embedder
        self._own = own
        self._texts = texts
        self._follower = None if embedder is None else Follower(texts, embedder)

    @property
    def id(self) -> str | None:
        return None if self.embedder is None else self.embedder.id

    def of(self, view: View, query: str) -> Meant:
        """What a query means, to be asked of this view."""
        if self.embedder is None:
            return WORDS_ALONE
        missing = self._completed(view, self.embedder)
        try:
            asked = query_direction(self.embedder, query)
        except Fault as error:
            _log.warning("a query goes to `%s` in vain: %s", self.embedder.id, error.message)
            return Meant(missing=SILENT)
        length = view.base.meanings.matrix.dimensions
        return Meant(asked, ANOTHER_LENGTH if asked is not None and length not in (0, len(asked)) else missing)

    def again(self, view: View, kept: KeptRecall) -> Meant:
        """What the query of a kept recall meant then. INVARIANT: never to another embedder than it was asked of."""
        if self.embedder is None or kept.embedder != self.embedder.id:
            return WORDS_ALONE
        self._completed(view, self.embedder)
        return Meant(kept.steps, kept.missing)

    def notice(self) -> None:
        """Says so if another embedder has been at work here."""
        if self.embedder is not None and self._texts.start(self.embedder.id)[0]:
            _log.warning(
                "not `%s` but another embedder has been at work here: what that has embedded is found by its words "
                "until `hub reindex` has been run",
                self.embedder.id,
            )

    def follow(self) -> None:
        """Something has been recorded, whose vectors are to follow."""
        if self._follower is not None:
            self._follower.follow()

    def warm(self) -> None:
        """Loads a local embedder, and begins to embed what is left from before."""
        if self.embedder is not None and self.embedder.local:
            self.embedder.embed_query("good morning")
        self.follow()

    def settle(self) -> None:
        """Waits until all that is recorded has its vector. Raises Fault `not_settled` if the embedder fails."""
        if self._follower is not None:
            self._follower.settle()

    def close(self) -> None:
        if self._follower is not None:
            self._follower.close()
        if self.embedder is not None and self._own:
            self.embedder.close()

    def _completed(self, view: View, embedder: Embedder) -> str | None:
        """Makes what the view lacks, and the company's own beside it."""
        views = (view,) if view.knowledge is None else (view, view.knowledge)
        left = [self._filled(one, embedder) for one in views]
        return next(filter(None, left), None)

    def _filled(self, view: View, embedder: Embedder) -> str | None:
        """If the embedder is local; says so if something is left."""
        lacking = {place: spoken(record, view.base.registry) for place, record in view.lacking().items()}
        wanted = _affordable(lacking, embedder.at_once) if lacking and embedder.local else {}
        if wanted:
            found = dict(zip(wanted, directions(embedder, list(wanted.values())), strict=True))
            view.base.meanings.take(found)
            assert self._follower is not None, "where there is an embedder"
            self._follower.keep(found)
        return NOT_YET if len(wanted) < len(lacking) else None


def _affordable(texts: Mapping[Place, str], at_once: int) -> Mapping[Place, str]:
    """INVARIANT: how much is embedded depends on the texts alone, not on how fast that goes today."""
    newest_first = list(texts.items())[::-1]
    costs = list(accumulate(1 + len(text) // HUNDRED for _, text in newest_first))
    if costs[-1] <= at_once:
        return texts
    few = [item for item, cost in zip(newest_first, costs, strict=True) if cost <= at_once // NEWEST]
    return dict(few[::-1])
