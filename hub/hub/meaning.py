"""What a query means to the hub's embedder, beside a view whose vectors are as complete as they need be."""

from __future__ import annotations

from hub.door.texts import Texts
from hub.embed import Embedder, directions, query_direction
from hub.following import Follower
from hub.ledger import KeptRecall
from hub.vectors import WORDS_ALONE, Meant
from hub.view import View
from hub.view.meanings import spoken

AT_ONCE = 512
"""So many vectors that a view lacks, a recall makes itself, with a local embedder: half a second at most."""

NEWEST = 64
"""If it lacks more, as after an import, only those of what was recorded last; the rest is found by words so far."""

NOT_YET = "not all memories are embedded yet; the others are found by words alone"


class Meaning:
    """INVARIANT: no query, and no vector of one, is remembered here: nobody can find out what another asked."""

    def __init__(self, embedder: Embedder | None, texts: Texts) -> None:
        self.embedder = embedder
        self._follower = None if embedder is None else Follower(texts, embedder)

    @property
    def id(self) -> str | None:
        return None if self.embedder is None else self.embedder.id

    def of(self, view: View, query: str) -> Meant:
        """What a query means, to be asked of this view."""
        if self.embedder is None:
            return WORDS_ALONE
        missing = self._completed(view, self.embedder)
        return Meant(query_direction(self.embedder, query), missing)

    def again(self, view: View, kept: KeptRecall) -> Meant:
        """What the query of a kept recall meant then. INVARIANT: never to another embedder than it was asked of."""
        if self.embedder is None or kept.embedder != self.embedder.id:
            return WORDS_ALONE
        self._completed(view, self.embedder)
        return Meant(kept.steps, kept.missing)

    def follow(self) -> None:
        """Something has been recorded, whose vectors are to follow."""
        if self._follower is not None:
            self._follower.follow()

    def settle(self) -> None:
        """Waits until all that is recorded has its vector. Raises Fault `not_settled` if the embedder fails."""
        if self._follower is not None:
            self._follower.settle()

    def close(self) -> None:
        if self._follower is not None:
            self._follower.close()

    def _completed(self, view: View, embedder: Embedder) -> str | None:
        """Makes what the view lacks, if the embedder is local; says so if something is left."""
        lacking = list(view.lacking().items())
        if not lacking or not embedder.local:
            return NOT_YET if lacking else None
        wanted = lacking if len(lacking) <= AT_ONCE else lacking[-NEWEST:]
        registry = view.base.registry
        made = directions(embedder, [spoken(record, registry) for _, record in wanted])
        found = {place: steps for (place, _), steps in zip(wanted, made, strict=True)}
        view.base.meanings.take(found)
        assert self._follower is not None, "where there is an embedder"
        self._follower.keep(found)
        return NOT_YET if len(wanted) < len(lacking) else None
