"""Visits: what one verb does from beginning to end, until its line is in the audit."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from contextvars import ContextVar
from dataclasses import dataclass, field

from hub.codec import replaced
from hub.errors import HubError
from hub.facts import Filing, Instant, Label, Scope
from hub.ledger.rows import KeptRecall, KeyState, State
from hub.ledger.trail import OK, Line
from hub.registry import Registry

UNFORESEEN = "internal"
PROVISIONAL = "(provisional)"
"""What the audit calls every relation that the registry does not know."""

Returned = tuple[Iterable[str], Iterable[Filing]]
"""The ids of what an answer holds, and where that is filed."""


Told = tuple[Line, KeptRecall | None]
"""The line of a visit, and the recall it was."""


@dataclass(slots=True, kw_only=True)
class Visit:
    """One verb under way. Whatever it reads or writes leaves word here; its line is made when it is over.

    INVARIANT: what a caller may have made up (a purpose, an agent, a customer, an id) comes in only once it is known.
    `house` says where an agent lives that was answered before anybody asked.
    """

    verb: str
    agent: str | None = None
    domain: str | None = None
    behalf: str | None = None
    customer: str | None = None
    purpose: str | None = None
    at: Instant = 0
    state: State | None = None
    records: dict[str, None] = field(default_factory=dict)
    refused: tuple[str, ...] = ()
    success: str = OK
    outcome: str = UNFORESEEN
    signed: bool = False
    hash: str | None = None
    sight: tuple[State, Instant] | None = None
    view: object = None
    registry: Registry | None = None
    house: Callable[[str], str | None] | None = None
    returned: Callable[[], Returned] | None = None
    recall: Callable[[], KeptRecall] | None = None
    answered: Returned = ((), ())
    kept: KeptRecall | None = None

    def saw(self, state: State, present: Instant) -> None:
        """A snapshot was read."""
        self.state, self.at = state, present
        self.customer = state.reference or self.customer

    def met(self, agent: str, domain: str | None) -> None:
        """Whether the agent whose visit this is lives anywhere."""
        if agent == self.agent:
            self.agent, self.domain = (agent, domain) if domain is not None else (None, None)

    def named(self, *records: str, of: str | None = None) -> None:
        """Records that there are were asked for, of the customer with that reference."""
        self.records |= dict.fromkeys(records)
        self.customer = of or self.customer

    def ruled(self, registry: Registry) -> None:
        """By what the registry of the day knows, the line calls relations by name."""
        self.registry = registry

    def purposed(self, purpose: str | None) -> None:
        """A purpose that was bound."""
        self.purpose = self.purpose or purpose

    def came_by(self, key: KeyState | None) -> None:
        """A key that there is, or was, is no stranger's."""
        if key is not None and self.agent is None:
            self.agent = key.agent

    def repeated(self, records: Iterable[str]) -> None:
        """What is asked had been done before."""
        self.success = "repeated"
        self.named(*records)

    def committed(self) -> None:
        """A transaction has carried the line; what follows in the same verb is told in another."""
        self.signed = True
        self.records, self.refused = {}, ()

    def answers(self) -> None:
        """Notes what is answered while that is at hand: what waits to be written down keeps no answer and no view."""
        if self.agent is not None and self.domain is None and self.house is not None:
            self.met(self.agent, self.house(self.agent))
        if self.returned is not None:
            self.answered = self.returned()
        if self.recall is not None:
            self.kept = self.recall()

    def told(self) -> Told:
        """What the audit is to say of what was read, or refused."""
        return self._line(self.at, self.outcome, *self.answered), self.kept

    def signature(self, at: Instant, customer: str | None, touched: Mapping[str, Filing]) -> Line:
        """For what was written, in the same transaction."""
        line = self._line(at, self.success, touched, touched.values())
        return replaced(line, customer=customer or line.customer)

    def _line(self, at: Instant, outcome: str, records: Iterable[str], filings: Iterable[Filing]) -> Line:
        return Line(
            at=at,
            agent=self.agent,
            domain=self.domain,
            behalf=self.behalf,
            verb=self.verb,
            customer=self.customer,
            purpose=self.purpose,
            version=0 if self.state is None else self.state.version,
            labels=tuple(sorted({self._told(label) for filing in filings for label in filing})),
            records=tuple(self.records | dict.fromkeys(records)),
            outcome=outcome,
            refused=self.refused,
        )

    def _told(self, label: Label) -> Label:
        """INVARIANT: what a customer's own relation is called is content, which the audit could not let go."""
        own = label.scope is not Scope.GLOBAL
        hidden = own and self.registry is not None and self.registry.is_provisional(label.relation)
        return replaced(label, relation=PROVISIONAL) if hidden else label


_under_way: ContextVar[Visit | None] = ContextVar("visit", default=None)


def under_way() -> Visit:
    """The visit that whatever happens now is part of; outside any, one that nobody will ask."""
    return _under_way.get() or Visit(verb="none")


def within_another() -> AbstractContextManager[Visit] | None:
    """The visit that whatever begins now is part of, if one is under way."""
    outer = _under_way.get()
    return None if outer is None else nullcontext(outer)


def visiting(visit: Visit, hand_in: Callable[[Visit], None], *, quiet: bool = False) -> AbstractContextManager[Visit]:
    """INVARIANT: a verb leaves one line, whatever becomes of it; a verb within a verb is part of it.

    `quiet`: only if it is refused.
    """
    return within_another() or _visiting(visit, hand_in, quiet=quiet)


@contextmanager
def _visiting(visit: Visit, hand_in: Callable[[Visit], None], *, quiet: bool) -> Iterator[Visit]:
    token = _under_way.set(visit)
    try:
        yield visit
        if not (visit.signed or quiet):
            visit.answers()
        visit.outcome = visit.success
    except HubError as error:
        visit.outcome, error.noted = error.code, True
        raise
    finally:
        _under_way.reset(token)
        if visit.outcome != visit.success or not (visit.signed or quiet):
            hand_in(visit)
