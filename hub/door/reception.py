"""What is asked at the door that is no customer's memory: who is at work, what it may do, whose a record is."""

from __future__ import annotations

from collections.abc import Callable

from hub.door.desk import company_label
from hub.door.eyes import Eyes, Rulings, rulings, whose
from hub.door.keyring import Keyring
from hub.door.rules import Rulebook, Rules
from hub.door.texts import Texts
from hub.errors import no_such_record
from hub.facts import COMPANY, AsOf, Binding, Filing, Instant, Label, Viewer
from hub.ledger import Ledger, under_way
from hub.policy import Act, Subject

HUB = company_label("hub")
"""The label of the hub itself: who may write it operates the hub, who may inspect it audits it."""


class Reception:
    """Answers with rules, bindings and names of customers, and with nothing of what is remembered of them."""

    def __init__(self, ledger: Ledger, words: str) -> None:
        self._ledger = ledger
        self._rulebook = Rulebook(words)
        self.texts = Texts(ledger, self._rulebook)
        self.keys = Keyring(ledger, self._rulebook)
        self.cursor_key = ledger.cursor_key

    def now(self) -> Instant:
        """The present of recorded time: the clock, or the last commit if that was stepped ahead of it."""
        with self._ledger.reading() as reading:
            return reading.present

    def may(self, agent: str, act: Act, label: Label = HUB) -> bool:
        """Whether today's policy lets the agent do this."""
        with self._ledger.reading() as reading:
            subject = Subject(agent, self._rulebook.at_work(reading, agent).domain)
            return self._rulebook.today(reading).policy.decide(subject, label, act)

    def rules(self) -> Rules:
        with self._ledger.reading() as reading:
            return self._rulebook.today(reading)

    def binding(self, agent: str) -> Binding | None:
        """Where the agent is bound today; None for one nobody has created."""
        with self._ledger.reading() as reading:
            return self._rulebook.binding(reading, agent)

    def customer_of(self, viewer: Viewer | str, record_id: str) -> str:
        """Whose record an id names: no more than the way to a look, which alone says whether there is such a record."""
        with self._ledger.reading() as reading:
            looking = as_viewer(viewer)
            binding = self._rulebook.at_work(reading, looking.agent)
            customer = reading.customer_of(record_id) if fit(record_id) else None
            customer = None if customer == COMPANY else customer  # which has verbs of its own
            if customer is not None:
                under_way().named(record_id, of=reading.reference(customer))
        if customer is None or not looking.serves(customer, binding):
            raise no_such_record()
        return customer

    def served_by(self, viewer: Viewer | str) -> str:
        """A customer whom the viewer serves, to be looked at for what none of them has."""
        with self._ledger.reading() as reading:
            looking = as_viewer(viewer)
            customers = self._rulebook.at_work(reading, looking.agent).customers
        if customers == ():
            raise no_such_record()
        return looking.customer or (customers or ("nobody",))[0]

    def rulings(self, eyes: Eyes, customer: str, as_of: AsOf | None = None) -> Rulings:
        """Which lines decide about what these eyes see."""
        with self._ledger.reading(customer) as reading:
            return rulings(self._rulebook, reading, eyes, customer, None if as_of is None else as_of.known_at)

    def whose(self, name: str, at: Instant | None = None) -> Binding | None:
        """Who is meant by eyes of that name: the agent, or else any agent of the domain; None if there is neither."""
        with self._ledger.reading() as reading:
            return whose(self._rulebook, reading, name, at)

    def customers(self, viewer: str, wanted: Callable[[Filing], bool], act: Act) -> list[str]:
        """The customers whom the viewer serves, and of whom there is or was something filed so that it may act on."""
        with self._ledger.reading() as reading:
            binding = self._rulebook.at_work(reading, viewer)
            policy = self._rulebook.today(reading).policy
            reads = self._rulebook.opened(reading, policy, binding, act, None, reading.present)
            found = reading.customers_with(lambda filing: wanted(filing) and reads.admits_all(filing))
        return [customer for customer in found if Viewer(agent=viewer).serves(customer, binding)]

    def bindings(self) -> list[Binding]:
        """Every agent at work today."""
        with self._ledger.reading() as reading:
            return self._rulebook.everybody(reading)

    def flush(self) -> None:
        """Waits until all that was answered so far is written down, for only then is it found where it quotes."""
        self._ledger.flush()

    def sweep(self) -> bool:
        """Writes over on the disk what was erased; False while a reader of an older state is in the way."""
        return self._ledger.sweep()


def fit(record_id: object) -> bool:
    """No store need be asked about anything else."""
    return isinstance(record_id, str) and record_id.isascii() and record_id.isprintable()


def on_behalf(viewer: Viewer) -> str | None:
    """On whose behalf."""
    return None if viewer.behalf is None else viewer.behalf.agent


def as_viewer(viewer: Viewer | str) -> Viewer:
    return viewer if isinstance(viewer, Viewer) else Viewer(agent=viewer)
