"""The verbs of auditors: why and why not, two agents side by side, and what another policy would open and close."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from hub.door import HUB, Act, Door, Eyes
from hub.errors import Denied, Incorrect, no_such_record
from hub.facts import AsOf, Binding, Instant, Viewer
from hub.hub.changes import PolicyDiff, Trial, label_changes
from hub.hub.comparing import Comparison, Looker, compared
from hub.hub.meaning import Meaning
from hub.hub.points import moment_text, point
from hub.hub.spelling import no_agent
from hub.hub.whys import Told, anothers, anothers_kept
from hub.ledger import KeptRecall, Ledger, under_way
from hub.policy import Policy, Subject
from hub.recall.reasons import WhyAnswer, WhyNotAnswer
from hub.requests import Compare, TryPolicy, WhyNotKept, WhyNotOf, WhyOf, checked


class Inspecting:
    """What an auditor may ask: all of it needs the act `inspect`, and shows nothing that the policy keeps from that."""

    id: str
    _door: Door
    _ledger: Ledger
    _meaning: Meaning

    def why(self, recall_id: str) -> WhyAnswer:
        """Why an agent was answered what it was."""
        return anothers_kept(self._door, self.id, self._kept(recall_id), self._meaning).why()

    def why_now(self, query: str, *, agent: str, customer: str, **recall: object) -> WhyAnswer:
        """Why an agent, or any agent of a domain, would be answered what it would be; takes what `recall` takes."""
        return self.why_of(checked(WhyOf, {**_plain(recall), "query": query, "agent": agent, "customer": customer}))

    def why_of(self, asked: WhyOf) -> WhyAnswer:
        """`why_now` for a request that has been checked."""
        return self._anothers(asked).why()

    def why_not_now(self, query: str, text: str, *, agent: str, customer: str, **recall: object) -> WhyNotAnswer:
        """Why an agent, or any agent of a domain, would not be answered with something. As with `why_now`."""
        about = {"query": query, "text": text, "agent": agent, "customer": customer}
        return self.why_not_of(checked(WhyNotOf, {**_plain(recall), **about}))

    def why_not_of(self, asked: WhyNotOf) -> WhyNotAnswer:
        """`why_not_now` for a request that has been checked."""
        return self._anothers(asked).why_not(asked.text)

    def why_not(self, recall_id: str, text: str) -> WhyNotAnswer:
        """Why an agent was not answered with something, by its words or its id."""
        asked = checked(WhyNotKept, {"text": text})
        return anothers_kept(self._door, self.id, self._kept(recall_id), self._meaning).why_not(asked.text)

    def compare(self, customer: str, one: str, other: str, **more: object) -> Comparison:
        """What one agent (or any agent of a domain) sees or saw of a customer, and another does not.

        Takes a point in time, a `purpose` (it counts for whom it is bound to) and a `limit` for each list.
        """
        return self.compared(checked(Compare, {"customer": customer, "one": one, "other": other, **_plain(more)}))

    def compared(self, asked: Compare) -> Comparison:
        """`compare` for a request that has been checked."""
        self._must(Act.INSPECT)
        now = self._door.now()
        as_of = point(asked, now) or AsOf(now)
        as_of = as_of if as_of.known_at is not None else AsOf(as_of.valid_at, now)
        one, other = (self._looker(name, asked.purpose, as_of.known_at) for name in (asked.one, asked.other))
        if asked.purpose is not None and {one.purpose, other.purpose} == {None}:
            raise _not_bound()
        return compared(self._door, self.id, asked.customer, one, other, as_of, asked.limit)

    def policy_diff(self, *, policy: str | None = None, model: str | None = None, **more: object) -> PolicyDiff:
        """Which labels these texts would open or close, and of a `customer` which memories; nothing changes.

        `agents` are ids or domains, by default all agents at work. Also takes a point in time, and a `limit` for the
        memories.
        """
        return self.policy_tried(checked(TryPolicy, {"policy": policy, "model": model, **_plain(more)}))

    def policy_tried(self, asked: TryPolicy) -> PolicyDiff:
        """`policy_diff` for a request that has been checked."""
        self._must(Act.INSPECT)
        rules, bindings = self._door.rules(), self._bindings(asked.agents)
        if asked.policy is None and asked.model is None:
            raise Incorrect("no_policy", "there is no policy to compare with", "send `policy`, `model` or both")
        new = Policy.parse(asked.model or rules.version.model, asked.policy or rules.version.policy)
        domains = sorted({binding.domain for binding in self._door.bindings()})
        labels = label_changes(rules, new, bindings, domains, Subject(self.id, self._looker(self.id).domain))
        if asked.customer is None:
            return PolicyDiff(version=rules.version.id, labels=labels)
        trial = Trial(self._door, self.id, asked.customer, point(asked, self._door.now()), new)
        found = trial.changes(bindings)
        return PolicyDiff(
            version=rules.version.id,
            labels=labels,
            memories=tuple(found[: asked.limit]),
            opened=sum(change.opens for change in found),
            closed=sum(not change.opens for change in found),
            truncated=len(found) > asked.limit,
        )

    def _must(self, act: Act) -> None:
        if not self._door.may(self.id, act, HUB):
            raise Denied("not_operator", "the policy does not give this agent the role for that", "ask an operator")

    def _anothers(self, asked: WhyOf) -> Told:
        self._must(Act.INSPECT)
        if asked.purpose != self._looker(asked.agent, asked.purpose).purpose:
            raise _not_bound()
        eyes = Eyes(viewer=Viewer(agent=asked.agent), purpose=asked.purpose)
        return anothers(self._door, self.id, eyes, asked, self._meaning)

    def _kept(self, recall_id: str) -> KeptRecall:
        """Whoever's it is; Missing if there is none."""
        self._must(Act.INSPECT)
        self._ledger.flush()
        with self._ledger.reading() as reading:
            kept = reading.recall(recall_id)
        if kept is None:
            raise no_such_record()
        under_way().named(kept.id)
        return kept

    def _looker(self, name: str, purpose: str | None = None, at: Instant | None = None) -> Looker:
        """With the purpose if it is, or was then, bound to it."""
        binding = self._whose(name)
        bound = binding if at is None else self._door.whose(name, at)
        named = bound is not None and purpose in bound.purposes
        return Looker(agent=name, domain=binding.domain, purpose=purpose if named else None)

    def _whose(self, name: str) -> Binding:
        binding = self._door.whose(name)
        if binding is None:
            raise no_agent(name, self._door, "agent or domain")
        return binding

    def _bindings(self, names: Iterable[str] | None) -> list[Binding]:
        """Those named, each under the name it is called by; of all the agents at work if none is."""
        if names is None:
            return self._door.bindings()
        return [replace(self._whose(name), agent=name) for name in names]


def _plain(fields: dict[str, object]) -> dict[str, object]:
    return {name: moment_text(given) for name, given in fields.items()}


def _not_bound() -> Incorrect:
    fix = "name one of the agent's own, or none"
    return Incorrect("purpose_not_bound", "nobody named here is bound to this purpose", fix, where="purpose")
