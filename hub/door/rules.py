"""Which rules held when: versions of policy and registry, and where agents were bound."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

from hub.codec import decode
from hub.door.consents import CONSENTED, Consented, active
from hub.door.reads import Both, Nobody, Reads
from hub.errors import Denied, Fault
from hub.facts import Binding, Consent, Instant, Label, Scope, Viewer
from hub.ledger import Reading, Version, under_way
from hub.policy import Act, Policy, Subject
from hub.registry import Registry, read_amendment

ANY_AGENT = "*"
"""What no agent can be called, and no line can name."""


def turn_label(domain: str) -> Label:
    """Where the domain that hears a turn keeps it."""
    return Label(domain, domain, Scope.PRIVATE, "turn")


@dataclass(frozen=True, slots=True)
class Rules:
    """One version of everything that decides."""

    version: Version
    policy: Policy
    registry: Registry


class Rulebook:
    """All versions and bindings up to any snapshot; only an erasure lets it shrink. Each answer is for one snapshot."""

    def __init__(self, words: str) -> None:
        self._words = words
        self._lock = threading.Lock()
        self._versions: list[Rules] = []
        self._bindings: list[tuple[int, Binding]] = []
        self._by_agent: dict[str, list[tuple[int, Binding]]] = {}
        self._consents: dict[int, tuple[int, list[Consent]]] = {}
        self._erased = 0

    def rules(self, reading: Reading, at: Instant | None = None) -> Rules | None:
        """What held at a point in recorded time; None before the first version."""
        for rules in reversed(self._known_versions(reading)):
            version = rules.version
            if version.id <= reading.state.version and (at is None or version.recorded_at <= at):
                return rules
        return None

    def today(self, reading: Reading) -> Rules:
        rules = self.rules(reading)
        if rules is None:
            raise Fault("no_policy", "the hub has no policy", "open it through `Hub.open`")
        under_way().ruled(rules.registry)
        return rules

    def binding(self, reading: Reading, agent: str, at: Instant | None = None) -> Binding | None:
        """Where an agent was bound at a point in recorded time; None before it was created."""
        for number, binding in reversed(self._known_bindings_of(reading, agent)):
            if number <= reading.state.binding and (at is None or binding.recorded_at <= at):
                return binding
        return None

    def housed(self, reading: Reading, domain: str, at: Instant | None = None) -> Binding | None:
        """What stands for any agent of a domain that no line names: bound to all that one of them is bound to."""
        known = [b for n, b in self._known_bindings(reading) if n <= reading.state.binding]
        latest = {binding.agent: binding for binding in known if at is None or binding.recorded_at <= at}
        own = [binding for binding in latest.values() if binding.domain == domain and binding.enabled]
        served = [binding.customers for binding in own]
        customers = None if None in served else tuple(dict.fromkeys(c for some in served for c in some or ()))
        purposes = tuple(dict.fromkeys(purpose for binding in own for purpose in binding.purposes))
        return Binding(agent=ANY_AGENT, domain=domain, customers=customers, purposes=purposes) if own else None

    def everybody(self, reading: Reading) -> list[Binding]:
        """Every agent at work, those bound first first."""
        known = [b for n, b in self._known_bindings(reading) if n <= reading.state.binding]
        return [binding for binding in {b.agent: b for b in known}.values() if binding.enabled]

    def at_work(self, reading: Reading, agent: str) -> Binding:
        binding = self.binding(reading, agent)
        under_way().met(agent, None if binding is None else binding.domain)
        if binding is None or not binding.enabled:
            raise Denied("unknown_agent", "no such agent is at work here", "have an operator create it")
        return binding

    def clearance(self, reading: Reading, viewer: Viewer, customer: str, purpose: str | None, act: Act) -> Reads:
        """What the viewer may see today. Raises Denied unless it is bound to the customer and the purpose."""
        binding = self.at_work(reading, viewer.agent)
        if not viewer.serves(customer, binding):
            raise Denied("not_bound", "this agent is not bound to this customer", "have an operator bind it")
        if purpose is not None and purpose not in viewer.named(binding):
            raise Denied("purpose_not_bound", "this agent is not bound to this purpose", "name one of its own, or none")
        under_way().purposed(purpose)
        own = self.opened(reading, self.today(reading).policy, binding, act, purpose, reading.present)
        if viewer.behalf is None:
            return own
        return Both(own, self.clearance(reading, viewer.behalf, customer, self._shared(reading, viewer, purpose), act))

    def clearance_then(
        self, reading: Reading, viewer: Viewer, customer: str, purpose: str | None, at: Instant | None
    ) -> Reads:
        """What the viewer might have read at `at`, by the policy, the domain and the binding of that time."""
        bound = self.binding(reading, viewer.agent, at)
        if bound is not None and purpose in viewer.named(bound):
            under_way().purposed(purpose)
        return self.reads(reading, viewer, customer, purpose, at)

    def reads(
        self, reading: Reading, viewer: Viewer, customer: str, purpose: str | None, at: Instant | None = None
    ) -> Reads:
        """The same of somebody who is not the one that asks."""
        rules = self.rules(reading, at)
        binding = self.binding(reading, viewer.agent, at)
        if rules is None or binding is None or not binding.enabled or not viewer.serves(customer, binding):
            return Nobody()
        named = purpose if purpose in viewer.named(binding) else None
        own = self.opened(reading, rules.policy, binding, Act.READ, named, reading.present if at is None else at)
        return own if viewer.behalf is None else Both(own, self.reads(reading, viewer.behalf, customer, named, at))

    def still_named(self, reading: Reading, viewer: Viewer, purpose: str | None) -> str | None:
        """The purpose, if the viewer may name it today."""
        return purpose if purpose in viewer.named(self.at_work(reading, viewer.agent)) else None

    def subjects(self, reading: Reading, viewer: Viewer) -> tuple[Subject, ...]:
        """All whom a write needs the policy's leave for: the author, and on whose behalf it writes."""
        own = Subject(viewer.agent, self.at_work(reading, viewer.agent).domain)
        return (own,) if viewer.behalf is None else (own, *self.subjects(reading, viewer.behalf))

    def check_hears(self, reading: Reading, viewer: Viewer) -> None:
        """Raises Denied for whom the policy does not let write down what it is told."""
        policy = self.today(reading).policy
        for subject in (subjects := self.subjects(reading, viewer)):
            if not policy.decide(subject, turn_label(subjects[0].domain), Act.WRITE):
                raise Denied("may_not_write", "the policy does not let this agent write `turn`", "ask an operator")

    def _shared(self, reading: Reading, viewer: Viewer, purpose: str | None) -> str | None:
        """A purpose counts for the other one only where it is bound to it too."""
        assert viewer.behalf is not None
        named = viewer.behalf.named(self.at_work(reading, viewer.behalf.agent))
        return purpose if purpose in named else None

    def readers(self, reading: Reading) -> list[Reads]:
        """Every kind of reader there is today: one clearance for those the policy cannot tell apart."""
        policy = self.today(reading).policy
        latest = {binding.agent: binding for _, binding in self._known_bindings(reading)}
        kinds = [
            self.opened(reading, policy, binding, Act.READ, purpose, reading.present)
            for binding in latest.values()
            if binding.enabled
            for purpose in (None, *binding.purposes)
        ]
        return list({kind.key: kind for kind in kinds}.values())

    def opened(
        self, reading: Reading, policy: Policy, binding: Binding, act: Act, purpose: str | None, at: Instant
    ) -> Reads:
        """What the policy opens to the agent, and what the customer, in force at `at`, makes of that."""
        subject = Subject(binding.agent, binding.domain)
        own = policy.clearance(subject, act, purpose)
        consents = active(self._known_consents(reading), binding.domain, at) if act is Act.READ else []
        if not consents:
            return own
        return Consented(own, policy.clearance(subject, Act.READ, CONSENTED), binding.domain, consents)

    def _known_consents(self, reading: Reading) -> list[Consent]:
        """Those of the reading's customer; read again whenever any customer's have changed."""
        customer, number = reading.state.customer, reading.state.consent
        if customer is None or not number:
            return []
        with self._lock:
            self._let_go(reading)
            known = self._consents.get(customer)
            if known is None or known[0] != number:
                known = self._consents[customer] = (number, reading.consents())
            return known[1]

    def _known_versions(self, reading: Reading) -> list[Rules]:
        with self._lock:
            last = self._versions[-1].version.id if self._versions else 0
            if last < reading.state.version:
                self._versions = [*self._versions, *map(self._read, reading.versions(last))]
            return self._versions

    def _known_bindings(self, reading: Reading) -> list[tuple[int, Binding]]:
        with self._lock:
            self._read_bindings(reading)
            return self._bindings

    def _known_bindings_of(self, reading: Reading, agent: str) -> list[tuple[int, Binding]]:
        with self._lock:
            self._read_bindings(reading)
            return self._by_agent.get(agent, [])

    def _read_bindings(self, reading: Reading) -> None:
        """INVARIANT: no list that has been given out ever changes."""
        self._let_go(reading)
        last = self._bindings[-1][0] if self._bindings else 0
        if last < reading.state.binding:
            news = reading.bindings(last)
            self._bindings = [*self._bindings, *news]
            for number, binding in news:
                self._by_agent[binding.agent] = [*self._by_agent.get(binding.agent, ()), (number, binding)]

    def _let_go(self, reading: Reading) -> None:
        """Bindings name customers, and one may have been erased since they were read."""
        if self._erased < reading.state.erased:
            self._bindings, self._by_agent, self._consents, self._erased = [], {}, {}, reading.state.erased

    def _read(self, version: Version) -> Rules:
        """INVARIANT: a version that cannot be read raises, and so lets nobody in."""
        registry = Registry.read(version.relations, "relations.yaml", self._words)
        amendments = map(read_amendment, decode(version.promotions, list[dict[str, str | None]]))
        return Rules(version, _policy(version.model, version.policy), registry.with_amendments(amendments))


@lru_cache(maxsize=64)
def _policy(model: str, lines: str) -> Policy:
    """A policy is a value, with the verdicts it has come to: the same text need not be judged by again."""
    return Policy.parse(model, lines)


NewId = Callable[[str], str]
"""A kind (`fact`) to a new id of that kind that says nothing else."""
