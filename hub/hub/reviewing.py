"""The review queue: what is contested, customer by customer, and the decisions of somebody who may make them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import islice

from hub.answers import ActReceipt
from hub.door import Act, Desk, Door
from hub.facts import Arbitration, Filing
from hub.hub.points import Place, cursor_from, cursor_text, moment_text
from hub.registry import Registry
from hub.remember import deciding
from hub.remember.deciding import Contest
from hub.requests import Act as Reasoned
from hub.requests import Correct, Queue, checked


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewPage:
    contests: tuple[Contest, ...]
    next: str | None = None
    truncated: bool = False


class Reviewing:
    """All of it needs the act `decide`, and shows and settles nothing but what the policy lets this operator decide.

    INVARIANT: there is no queue but what the views of this moment hold.
    """

    id: str
    _door: Door

    def review(self, *, customer: str | None = None, limit: int = 100, cursor: str | None = None) -> ReviewPage:
        """What is contested, of one customer or of all, in the order of their names, `limit` a page."""
        return self.reviewed(checked(Queue, {"customer": customer, "limit": limit, "cursor": cursor}))

    def reviewed(self, asked: Queue) -> ReviewPage:
        """`review` for a request that has been checked."""
        self._must(Act.DECIDE)
        key = self._door.cursor_key
        start = Place("", 0) if asked.cursor is None else cursor_from(asked.cursor, Place, key)
        name, seen = start.customer, start.number
        found = ((c, n) for customer in self._queued(asked.customer, name) for n, c in self._contests(customer))
        rest = ((contest, number) for contest, number in found if (contest.customer, number) >= (name, seen))
        page = list(islice(rest, asked.limit + 1))
        more = page[asked.limit] if len(page) > asked.limit else None
        following = None if more is None else cursor_text(Place(more[0].customer, more[1]), key)
        shown = tuple(contest for contest, _ in page[: asked.limit])
        return ReviewPage(contests=shown, next=following, truncated=more is not None)

    def accept(self, fact_id: str, *, reason: str | None = None) -> ActReceipt:
        """The value of this fact stands; what else was recorded so far has no say in it any more."""
        asked = checked(Reasoned, {"reason": reason})
        return self._decided(fact_id, lambda desk: deciding.accept(desk, fact_id, asked.reason))

    def reject(self, fact_id: str, *, reason: str | None = None) -> ActReceipt:
        """The value of this fact is wrong: every claim of it is taken back."""
        asked = checked(Reasoned, {"reason": reason})
        return self._decided(fact_id, lambda desk: deciding.reject(desk, fact_id, asked.reason))

    def edit(self, /, fact_id: str, **fields: object) -> ActReceipt:
        """Another value stands in its place. Takes `value`, `valid_from`, `valid_to` (None: open), `reason`."""
        asked = checked(Correct, {name: moment_text(value) for name, value in fields.items()})
        return self.edited(fact_id, asked)

    def edited(self, fact_id: str, asked: Correct) -> ActReceipt:
        """`edit` for a request that has been checked."""
        return self._decided(fact_id, lambda desk: deciding.edit(desk, fact_id, asked))

    def undo(self, decision_id: str, *, reason: str | None = None) -> ActReceipt:
        """Takes a decision back: what it settled is contested again."""
        asked = checked(Reasoned, {"reason": reason})
        return self._decided(decision_id, lambda desk: deciding.undo(desk, decision_id, asked.reason))

    def _decided(self, record_id: str, act: Callable[[Desk], ActReceipt]) -> ActReceipt:
        with self._door.admit(self.id, self._customer_of(record_id), act=Act.DECIDE) as desk:
            return act(desk)

    def _queued(self, customer: str | None, after: str) -> list[str]:
        if customer is not None:
            return [customer]
        registry = self._door.rules().registry
        found = self._door.customers(self.id, lambda filing: _may_be_contested(registry, filing), Act.DECIDE)
        return [name for name in found if name >= after]

    def _contests(self, customer: str) -> list[tuple[int, Contest]]:
        return list(enumerate(deciding.contests(self._door.inspect(self.id, customer, act=Act.DECIDE), customer)))

    def _customer_of(self, record_id: str) -> str:
        raise NotImplementedError

    def _must(self, act: Act) -> None:
        raise NotImplementedError


def _may_be_contested(registry: Registry, filing: Filing) -> bool:
    return any(registry.of(name, "").arbitration is not Arbitration.LATEST for name in _names(registry, filing))


def _names(registry: Registry, filing: Filing) -> list[str]:
    return [label.relation for label in filing if registry.knows(label.relation)]
