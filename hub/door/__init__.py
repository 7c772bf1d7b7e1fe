"""THE door: every read of customer memory is a look, every write passes admit."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from copy import copy
from dataclasses import replace

from hub.door.bases import ROOM, Bases
from hub.door.consents import CONSENTED
from hub.door.desk import Desk, company_label
from hub.door.eyes import Eyes, Rulings
from hub.door.eyes import clearances as clearances_of
from hub.door.reads import Among, Both, Cut, Reads
from hub.door.reception import HUB, Reception, as_viewer, fit, on_behalf
from hub.door.rules import NewId, Rules
from hub.door.shelves import Again, Asked, Everybody, Shelving
from hub.erased import Erased
from hub.errors import Incorrect, no_such_record, not_yours
from hub.facts import COMPANY, AsOf, Author, Filing, Instant, Label, Scope, Viewer
from hub.ledger import KeptRecall, Ledger, NotByHeart, Reading, Visit, Writing, under_way
from hub.ledger.together import together
from hub.ledger.visits import within_another
from hub.policy import Act
from hub.view import Finder, View

__all__ = [
    "CONSENTED",
    "HUB",
    "ROOM",
    "Act",
    "Bases",
    "Desk",
    "Door",
    "Eyes",
    "Rules",
    "Rulings",
    "Shelving",
    "company_label",
]

Clearances = Callable[[Reading, Instant | None], tuple[Reads, Reads | None]]
"""What may be read today, and what might have been read at the `known_at`, as one snapshot has it."""


class Door(Reception):
    """Decides with the policy, reads the ledger, and gives out nothing but views."""

    def __init__(
        self, ledger: Ledger, words: str, new_id: NewId, embedder: str | None = None, room: int = ROOM
    ) -> None:
        super().__init__(ledger, words)
        self._bases = Bases(embedder, room)
        self.new_id = new_id
        self.shelving: Shelving | None = None
        self.recorded: Callable[[], None] = lambda: None
        """Called when records are on the disk, whose vectors are to follow."""

    def visit(
        self, verb: str, viewer: Viewer | str | None = None, *, quiet: bool = False
    ) -> AbstractContextManager[Visit]:
        """One verb of the viewer, from beginning to end; `quiet` ones leave a line only if they are refused.

        INVARIANT: nobody looks or writes without a line in the audit. What is asked of the door outside any verb is a
        verb by itself.
        """
        if (outer := within_another()) is not None:
            return outer
        if viewer is None:
            return self._ledger.visit(Visit(verb=verb), quiet=quiet)
        who = as_viewer(viewer)
        visit = Visit(verb=verb, agent=who.agent, behalf=on_behalf(who), house=self._domain_of)
        return self._ledger.visit(visit, quiet=quiet)

    def _domain_of(self, agent: str) -> str | None:
        binding = self.binding(agent)
        return None if binding is None else binding.domain

    # --- reading -------------------------------------------------------------------------------------------------

    def look(
        self,
        viewer: Viewer | str,
        customer: str,
        as_of: AsOf | None = None,
        purpose: str | None = None,
        *,
        through: str = "",
    ) -> View:
        """All that the viewer (or simply the agent of that id) may know of the customer at the as-of.

        INVARIANT: by today's policy *and* by that of `known_at`. With `through`, the eyes of another agent: what
        the viewer may inspect today, and that agent might have read then. Raises Denied for an agent that is not at
        work, or not bound to the customer or purpose, and Incorrect for a `known_at` still to come.
        """
        looking = as_viewer(viewer)
        eyes = as_viewer(through) if through else looking
        act = Act.INSPECT if through else Act.READ

        def clearances(reading: Reading, known_at: Instant | None) -> tuple[Reads, Reads | None]:
            today = self._rulebook.clearance(reading, looking, customer, None if through else purpose, act)
            if known_at is None and not through:  # what it might have read by then is what it may read today
                return today, None
            return today, self._rulebook.clearance_then(reading, eyes, customer, purpose, known_at)

        return self._looked(looking, customer, as_of, clearances)

    def inspect(
        self,
        viewer: str,
        customer: str,
        as_of: AsOf | None = None,
        eyes: Eyes | None = None,
        *,
        act: Act = Act.INSPECT,
    ) -> View:
        """All that an auditor may look into today of what was recorded by the as-of; with `eyes`, what these see of it.

        `act`: what an operator is here for, instead of inspecting. Eyes that look now see what an agent is answered
        now: by today's policy, or the one that stands in for it, *and* by that of `known_at`.
        """

        def clearances(reading: Reading, known_at: Instant | None) -> tuple[Reads, Reads | None]:
            today = self._rulebook.clearance(reading, as_viewer(viewer), customer, None, act)
            if eyes is None:
                return today, None
            looked, then = clearances_of(self._rulebook, reading, eyes, customer, known_at)
            return (Both(today, looked), then) if eyes.asked_at is None else (today, Both(then, looked))

        return self._looked(as_viewer(viewer), customer, as_of, clearances)

    def look_again(self, viewer: Viewer | str, kept: KeptRecall, *, inspecting: bool = False) -> View:
        """What a recall was answered from, as far as the viewer may still know it.

        INVARIANT: by today's policy *and* by all that decided then, of the rows there were. With `inspecting`, today's
        policy says what an auditor may look into.
        """
        looking = as_viewer(viewer)

        def clearances(reading: Reading, known_at: Instant | None) -> tuple[Reads, Reads]:
            purpose = None if inspecting else self._rulebook.still_named(reading, looking, kept.purpose)
            act = Act.INSPECT if inspecting else Act.READ
            today = self._rulebook.clearance(reading, looking, kept.customer, purpose, act)
            before, whose = reading.pinned(kept.state, kept.present), (kept.viewer, kept.customer, kept.purpose)
            then = self._rulebook.clearance_then(before, *whose, None)
            return today, then if known_at is None else Both(
                then, self._rulebook.clearance_then(before, *whose, known_at)
            )

        return self._looked(looking, kept.customer, AsOf(kept.valid_at, kept.known_at), clearances, kept)

    def kept_recall(self, viewer: Viewer | str, recall_id: str) -> KeptRecall:
        """A recall of the viewer's own; Missing for any other.

        INVARIANT: what was asked is filed under the asker's own domain, like what was said to it; and what a token may
        not ask for, it finds no trace of in what was asked without it.
        """
        looking = as_viewer(viewer)
        self._ledger.flush()
        with self._ledger.reading() as reading:
            binding = self._rulebook.at_work(reading, looking.agent)
            kept = reading.recall(recall_id) if fit(recall_id) else None
        if kept is None or not _is_own(looking, kept) or not looking.serves(kept.customer, binding):
            raise no_such_record()
        filing = frozenset({Label(kept.domain, kept.domain, Scope.PRIVATE, "recall")})
        asker = replace(looking, behalf=None) if on_behalf(kept.viewer) == on_behalf(looking) else looking
        with self._ledger.reading(kept.customer) as reading:
            under_way().named(recall_id)
            if not self._rulebook.clearance(reading, asker, kept.customer, None, Act.READ).admits_all(filing):
                raise no_such_record()
        return kept

    def _looked(
        self,
        looking: Viewer,
        customer: str,
        as_of: AsOf | None,
        clearances: Clearances,
        kept: KeptRecall | None = None,
    ) -> View:
        """A view by the clearances of one snapshot: today's, and that of the as-of."""
        known_at = None if as_of is None else as_of.known_at
        pulse = self._ledger.pulse() if kept is None else None
        with self.visit("look", looking) as visit:
            if (view := self._by_heart(visit, pulse, customer, as_of, clearances)) is not None:
                return view
            while True:
                with self._ledger.reading(customer, pulse) as reading:
                    settled = known_at is None or known_at <= reading.state.last
                    point = as_of or AsOf(reading.present)
                    view = self._both_views(reading, clearances, point, kept) if settled else None
                if known_at is not None and not settled:
                    self._settle(known_at)
                if view is not None:
                    visit.sight, visit.view = (reading.state, reading.present), view
                    return view

    def _by_heart(
        self, visit: Visit, pulse: int | None, customer: str, as_of: AsOf | None, clearances: Clearances
    ) -> View | None:
        """The same view without the ledger, if nothing was recorded since all that it takes was read from there."""
        reading = self._ledger.by_heart(customer, pulse)
        if reading is None or reading.state.company is not None:
            return None
        if as_of is not None and as_of.known_at is not None and as_of.known_at > reading.state.last:
            return None  # it is not settled yet
        try:
            view = self._as_of(reading, clearances, as_of or AsOf(reading.present), None)
        except NotByHeart:
            return None
        visit.sight, visit.view = (reading.state, reading.present), view
        return view

    def _both_views(
        self, reading: Reading, clearances: Clearances, as_of: AsOf, kept: KeptRecall | None
    ) -> View | None:
        """What may be known of the customer, and of the company's own by the same clearances; None as in `_view`.

        INVARIANT: both are of one snapshot.
        """
        view = self._as_of(reading, clearances, as_of, kept)
        state = reading.state if kept is None else kept.state
        if view is None or state.company in (None, reading.state.customer):
            return view
        view.knowledge = self._as_of(reading.of_company(), clearances, as_of, kept)
        if view.knowledge is not None:
            view.knowledge.finder = self._finder(kept)
        return None if view.knowledge is None else view

    def _finder(self, kept: KeptRecall | None) -> Finder | None:
        """What is asked anew is asked of the index; what is asked again is told what that named then."""
        if kept is not None:
            return None if kept.named is None else Again(kept.named)
        return None if self.shelving is None else Asked(self.shelving)

    def shelved(self) -> tuple[View, str] | None:
        """All that the company knows now, for its index; and what tells this hub from others. None if it is nothing."""
        while True:
            with self._ledger.reading(COMPANY) as reading:
                if reading.state.reference is None:
                    return None
                view = self._view(reading, Everybody(), None, reading.present, None)
            if view is not None:
                return view, reading.state.reference

    def _as_of(self, reading: Reading, clearances: Clearances, as_of: AsOf, kept: KeptRecall | None) -> View | None:
        before = None if kept is None else reading.pinned(kept.state, kept.present)
        return self._view(reading, *clearances(reading, as_of.known_at), as_of.valid_at, as_of.known_at, before)

    def _view(
        self,
        reading: Reading,
        today: Reads,
        then: Reads | None,
        valid_at: Instant,
        known_at: Instant | None,
        before: Reading | None = None,
    ) -> View | None:
        """The only place where a view is made; None if the ledger moved on so far that one must look again.

        `before` is an earlier snapshot, whose rules hold, and of whose rows alone the view is made.
        """
        asked = before or reading
        rules = self._rulebook.today(asked)
        base = self._bases.base(reading, _shared(reading, today), rules.registry, rules.version.relations)
        if base is None:
            return None
        at_the_time = None if known_at is None else self._rulebook.rules(asked, known_at)
        return View(
            base,
            snapshot=asked.state.seq,
            valid_at=valid_at,
            known_at=known_at,
            registry=(at_the_time or rules).registry,
            sees=None if then is None or then.key == today.key else then.admits_all,
        )

    def _settle(self, known_at: Instant) -> None:
        """INVARIANT: an as-of is answered only when nothing can be recorded at or before it any more."""
        if known_at > self._ledger.clock.now():
            message = "`known_at` lies in the future"
            raise Incorrect("future_known_at", message, "ask for now or earlier", where="known_at")
        self._ledger.settle(known_at)

    # --- writing -------------------------------------------------------------------------------------------------

    def check_hears(self, writer: Viewer | str) -> None:
        """Raises Denied for whom the policy does not let write down what it is told, before anybody reads it."""
        writer = as_viewer(writer)
        with self.visit("admit", writer), self._ledger.reading() as reading:
            self._rulebook.check_hears(reading, writer)

    @contextmanager
    def admit(
        self, writer: Viewer | str, customer: str, purpose: str | None = None, *, act: Act = Act.READ
    ) -> Iterator[Desk]:
        """One transaction of one writer: nothing is recorded but what the desk let through, and all of it or nothing.

        `act` gives the writer sight of what it acts upon: operators name the act they are here for.
        """
        writer = as_viewer(writer)
        with self.visit("admit", writer), self._ledger.writing(customer) as writing:
            clearance = self._rulebook.clearance(writing, writer, customer, purpose, act)
            subjects = self._rulebook.subjects(writing, writer)
            desk = Desk(
                writing,
                subjects,
                act,
                writer=writer,
                purpose=purpose,
                rules=self._rulebook.today(writing),
                look=lambda reads: self._within(writing, reads),
                cut=lambda filing: Cut(clearance, self._rulebook.readers(writing), filing),
                reads=lambda kept, filing: self._reads(writing, kept, filing),
                clearance=clearance,
                new_id=self.new_id,
            )
            yield desk
        if desk.filed:
            self.recorded()

    @contextmanager
    def together(self, bases: Bases) -> Iterator[Door]:
        """A door behind which many requests are recorded one after another, each by itself, and are on the disk
        together when it closes; an error that leaves it undoes them all.

        INVARIANT: what is looked at there, which may yet be undone, is kept in `bases` and nowhere else.
        """
        with together(self._ledger) as ledger:
            inside = copy(self)
            vars(inside).update(_ledger=ledger, _bases=bases, recorded=lambda: None)
            yield inside
        self.recorded()

    def _reads(self, reading: Reading, kept: KeptRecall, filing: Filing) -> bool:
        """Whether whoever asked then may read today what is filed so."""
        return self._rulebook.reads(reading, kept.viewer, kept.customer, kept.purpose).admits_all(filing)

    def _within(self, writing: Writing, reads: Reads) -> View:
        """The present of one commit, as far as `reads` lets it through."""
        view = self._view(writing, reads, None, writing.now, None)
        assert view is not None, "the writer holds the lock, nothing moves on"
        return view

    def erase_customer(self, who: Viewer | str, customer: str) -> tuple[Erased, Instant, Author]:
        """Takes away all there is of a customer, by somebody who may erase every bit of it."""
        who = as_viewer(who)
        with self.visit("erase_customer", who), self._ledger.writing(customer) as writing:
            clearance = self._rulebook.clearance(writing, who, customer, None, Act.ERASE)
            filings = map(writing.filing, writing.changed(0))
            if not all(clearance.admits_all(filing) for filing in (*filings, frozenset({HUB}))):
                raise not_yours()
            erased, author = writing.erase_customer(), self._rulebook.subjects(writing, who)[0]
        return erased, writing.now, Author(author.agent, author.domain)


def _is_own(looking: Viewer, kept: KeptRecall) -> bool:
    return kept.viewer.agent == looking.agent and looking.may_name(kept.purpose)


def _shared(reading: Reading, today: Reads) -> Reads:
    """Of the company's own, what a clearance lets through is often what others do too."""
    if reading.state.customer is None or reading.state.customer != reading.state.company:
        return today
    return Among(today, {number: reading.filing(number) for number in reading.changed(0)})
