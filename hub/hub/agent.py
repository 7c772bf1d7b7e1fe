"""The verbs of one agent: everything it may ask of the hub, in process."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from contextlib import AbstractContextManager
from dataclasses import replace
from typing import TypeVar

from hub.answers import (
    ActReceipt,
    FactAnswer,
    FactHistory,
    FactReceipt,
    FeedbackReceipt,
    Graph,
    Me,
    Profile,
    Remembered,
    Timeline,
    TokenAnswer,
)
from hub.door import Desk, Door
from hub.erased import Erasure
from hub.errors import Denied, Incorrect, Missing, no_such_record
from hub.facts import AsOf, Viewer
from hub.graph import graph
from hub.hub import erasures, records
from hub.hub.feedback import fed_back
from hub.hub.listening import Listening
from hub.hub.meaning import Meaning
from hub.hub.points import Cursor, When, as_of_answer, cursor_from, cursor_text, moment_text, moments, point, when
from hub.hub.recalls import Recalling
from hub.hub.remembering import named_once, recorded
from hub.hub.tokens import Tokens
from hub.hub.verbs import every_verb_is_told
from hub.hub.whys import Explaining
from hub.memories import profile, timeline
from hub.policy import Subject
from hub.remember import acts
from hub.requests import Act, Correct, Fact, NewFeedback, NewToken, Page, Point, Remember, Request, checked, each
from hub.view import View

Facts = Iterable[Fact | Mapping[str, object]]
R = TypeVar("R", bound=Request)
A = TypeVar("A")


@every_verb_is_told
class Agent(Recalling, Explaining):
    """One agent at the door, usually of one customer.

    Every verb raises Incorrect for what makes no sense, Denied for what the policy forbids, and Missing for ids that
    are not there *as far as this agent may know*.
    """

    def __init__(
        self,
        door: Door,
        viewer: Viewer,
        domain: str,
        customer: str | None = None,
        *,
        tokens: Tokens,
        meaning: Meaning,
        listening: Listening,
    ) -> None:
        self.id = viewer.agent
        self.viewer = viewer
        self._tokens = tokens
        self.domain = domain
        self.customer = customer
        self._door = door
        self._listening = listening
        self._meaning = meaning

    def me(self) -> Me:
        """Who the hub takes this agent for."""
        rules, binding = self._door.rules(), self._door.binding(self.id)
        if binding is None:
            raise Denied("unknown_agent", "no such agent is at work here", "have an operator create it")
        return Me(
            agent=self.id,
            domain=binding.domain,
            roles=tuple(rules.policy.roles_of(Subject(self.id, binding.domain))),
            purposes=self.viewer.named(binding),
            customers=binding.customers if self.viewer.customer is None else (self.viewer.customer,),
            policy_version=rules.version.id,
        )

    def token(self, *, purpose: str | None = None, ttl_seconds: int = 3600, customer: str | None = None) -> TokenAnswer:
        """A narrower key for one customer, for a browser or a sub-agent; it dies with the key it came from."""
        fields = {"customer": self._customer(customer), "purpose": purpose, "ttl_seconds": ttl_seconds}
        asked = checked(NewToken, fields)
        self._door.look(self.viewer, asked.customer, None, asked.purpose)  # Denied for what it may not look at itself
        return self._tokens.made(self.viewer, asked)

    def on_behalf_of(self, token: str) -> Agent:
        """This agent, acting for another: what both may counts, and this one is the author."""
        other = self._tokens.authenticate(token)
        viewer = replace(self.viewer, behalf=other.viewer)
        return Agent(
            self._door,
            viewer,
            self.domain,
            self.customer,
            tokens=self._tokens,
            listening=self._listening,
            meaning=self._meaning,
        )

    # --- remember ------------------------------------------------------------------------------------------------

    def remember(
        self,
        text: str | None = None,
        *,
        facts: Facts = (),
        role: str = "user",
        session: str | None = None,
        said_at: When = None,
        lang: str | None = None,
        purpose: str | None = None,
        idempotency_key: str | None = None,
        customer: str | None = None,
    ) -> Remembered:
        """Records a turn, facts, or both, in one transaction; the answer says what became of every item."""
        asked = {"text": text, "role": role, "session": session, "said_at": when(said_at), "lang": lang}
        fields = {**asked, "purpose": purpose, "facts": each(facts, _plain), "customer": self._customer(customer)}
        return self.remembered(checked(Remember, fields), idempotency_key)

    def remembered(self, request: Remember, idempotency_key: str | None = None) -> Remembered:
        """`remember` for a request that has been checked."""
        key = None if idempotency_key is None else named_once(idempotency_key)
        ear = self._listening.ear(self.viewer, request, key)
        answer = recorded(self._door, self.viewer, request, ear, key)
        if answer.extraction == "failed":
            self._listening.follow()
        return answer

    def feedback(self, recall_id: str, *, cited: Iterable[str], outcome: str = "helpful") -> FeedbackReceipt:
        """Which memories of an answer of this agent were used, and whether they helped; counts for its own domain."""
        return self.fed_back(recall_id, checked(NewFeedback, {"cited": list(cited), "outcome": outcome}))

    def fed_back(self, recall_id: str, asked: NewFeedback) -> FeedbackReceipt:
        """`feedback` for a request that has been checked."""
        kept = self._own(recall_id)
        with self._admit(kept.customer, kept.purpose) as desk:
            return fed_back(desk, kept, asked)

    # --- the whole of what this agent may know -------------------------------------------------------------------

    def profile(
        self,
        *,
        as_of: When = None,
        valid_at: When = None,
        known_at: When = None,
        purpose: str | None = None,
        limit: int = 100,
        cursor: str | None = None,
        customer: str | None = None,
    ) -> Profile:
        """All that is current and upcoming, entity by entity, `limit` of them a page."""
        fields = {**moments(as_of, valid_at, known_at), "purpose": purpose, "limit": limit, "cursor": cursor}
        asked = self._page(customer, fields)
        view, after = self._turned(asked)
        entities, more = profile(view, asked.limit, after)
        following = self._following(view, after + asked.limit) if more else None
        return Profile(as_of=as_of_answer(view), entities=entities, next=following, truncated=more)

    def timeline(
        self,
        *,
        subject: str | None = None,
        relation: str | None = None,
        as_of: When = None,
        valid_at: When = None,
        known_at: When = None,
        purpose: str | None = None,
        limit: int = 100,
        cursor: str | None = None,
        customer: str | None = None,
    ) -> Timeline:
        """Every stretch of every slot, oldest first, `limit` slots a page."""
        fields = {**moments(as_of, valid_at, known_at), "purpose": purpose, "limit": limit, "cursor": cursor}
        asked = self._page(customer, {**fields, "subject": subject, "relation": relation})
        view, after = self._turned(asked)
        slots, more = timeline(view, asked.subject, asked.relation, asked.limit, after)
        following = self._following(view, after + asked.limit) if more else None
        return Timeline(as_of=as_of_answer(view), slots=slots, next=following, truncated=more)

    def graph(
        self,
        *,
        root: str | None = None,
        hops: int | None = None,
        as_of: When = None,
        valid_at: When = None,
        known_at: When = None,
        purpose: str | None = None,
        customer: str | None = None,
    ) -> Graph:
        """Entities and the facts between them, in networkx's node-link form; `root` by name or id."""
        fields = {**moments(as_of, valid_at, known_at), "purpose": purpose, "root": root, "hops": hops}
        asked = self._page(customer, fields)
        return graph(self._look(asked, asked.customer, asked.purpose), asked.root, asked.hops)

    def fact(
        self,
        fact_id: str,
        *,
        as_of: When = None,
        valid_at: When = None,
        known_at: When = None,
        purpose: str | None = None,
    ) -> FactAnswer:
        """One claim as it was recorded."""
        return records.fact(self._view_of(fact_id, {**moments(as_of, valid_at, known_at), "purpose": purpose}), fact_id)

    def history(
        self,
        fact_id: str,
        *,
        as_of: When = None,
        valid_at: When = None,
        known_at: When = None,
        purpose: str | None = None,
    ) -> FactHistory:
        """Everything recorded about a fact, as far as this agent may know."""
        asked = {**moments(as_of, valid_at, known_at), "purpose": purpose}
        return records.history(self._view_of(fact_id, asked), fact_id)

    # --- changing one's mind -------------------------------------------------------------------------------------

    def correct(self, fact_id: str, **fields: object) -> FactReceipt:
        """Puts a fact right: we were wrong. Takes `value`, `valid_from`, `valid_to` (None: open) and `reason`."""
        asked = checked(Correct, {name: moment_text(value) for name, value in fields.items()})
        return self.corrected(fact_id, asked)

    def corrected(self, fact_id: str, asked: Correct) -> FactReceipt:
        """`correct` for a request that has been checked."""
        return self._acted(fact_id, lambda desk: acts.correct(desk, fact_id, asked))

    def retract(self, fact_id: str, *, reason: str | None = None) -> ActReceipt:
        """Takes a fact back: we no longer claim it."""
        asked = checked(Act, {"reason": reason})
        return self._acted(fact_id, lambda desk: acts.retract(desk, fact_id, asked.reason))

    def end(self, fact_id: str, *, at: When = None, reason: str | None = None) -> FactReceipt:
        """Ends a fact: it stopped being so, now or `at`."""
        asked = checked(Act, {"reason": reason, "at": when(at)})
        return self._acted(fact_id, lambda desk: acts.end(desk, fact_id, asked))

    def forget(self, fact_id: str, *, reason: str | None = None) -> ActReceipt:
        """Hides a fact from recall from now on; it can be restored."""
        asked = checked(Act, {"reason": reason})
        return self._acted(fact_id, lambda desk: acts.forget(desk, fact_id, asked.reason))

    def restore(self, fact_id: str, *, reason: str | None = None) -> ActReceipt:
        """Undoes `forget`."""
        asked = checked(Act, {"reason": reason})
        return self._acted(fact_id, lambda desk: acts.restore(desk, fact_id, asked.reason))

    def erase(self, fact_id: str, *, reason: str | None = None) -> Erasure:
        """Takes a fact away for good, from the past too: for agents of the owner domain, if the policy lets them."""
        return erasures.erase_fact(self._door, self.viewer, self._customer_of(fact_id), fact_id, reason)

    # --- at the door ---------------------------------------------------------------------------------------------

    def _customer(self, given: str | None) -> str:
        customer = self.customer if given is None else given
        if customer is None:
            raise Incorrect(
                "no_customer", "it is not said which customer is meant", "send `customer`", where="customer"
            )
        return customer

    def _page(self, customer: str | None, fields: Mapping[str, object]) -> Page:
        return checked(Page, {**fields, "customer": self._customer(customer)})

    def _look(self, asked: Point, customer: str, purpose: str | None) -> View:
        present = asked.as_of is None and asked.valid_at is None and asked.known_at is None
        when = None if present else point(asked, self._door.now())
        return self._door.look(self.viewer, customer, when, purpose)

    def _turned(self, asked: Page) -> tuple[View, int]:
        """The view a page is cut from, and how much of it has been seen."""
        if asked.cursor is None:
            return self._look(asked, asked.customer, asked.purpose), 0
        cursor = cursor_from(asked.cursor, Cursor, self._door.cursor_key)
        as_of = AsOf(cursor.valid_at, cursor.known_at)
        return self._door.look(self.viewer, asked.customer, as_of, asked.purpose), cursor.after

    def _following(self, view: View, after: int) -> str:
        return cursor_text(Cursor(after, view.valid_at, view.known_at), self._door.cursor_key)

    def _view_of(self, record_id: str, fields: Mapping[str, object]) -> View:
        """INVARIANT: what is wrong with a question is said alike whether the record is there, hidden or unknown."""
        try:
            customer = self._customer_of(record_id)
        except Missing:
            customer = self.customer or self._door.served_by(self.viewer)
        asked = self._page(customer, fields)
        return self._look(asked, asked.customer, asked.purpose)

    def _admit(self, customer: str, purpose: str | None = None) -> AbstractContextManager[Desk]:
        return self._door.admit(self.viewer, customer, purpose)

    def _acted(self, record_id: str, act: Callable[[Desk], A]) -> A:
        with self._admit(self._customer_of(record_id)) as desk:
            return act(desk)

    def _customer_of(self, record_id: str) -> str:
        """Missing for a record of another customer than this agent's, if it has one."""
        customer = self._door.customer_of(self.viewer, record_id)
        if self.customer not in (None, customer):
            raise no_such_record()
        return customer


def _plain(fact: Fact | Mapping[str, object]) -> dict[str, object]:
    if isinstance(fact, Fact):
        return fact.model_dump(exclude_unset=True)
    return {name: moment_text(value) for name, value in fact.items()}
