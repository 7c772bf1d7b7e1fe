"""The verbs of operators and auditors: agents and keys, policy and registry, filing, and others' eyes."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace

from hub.answers import (
    ActReceipt,
    AgentAnswer,
    AgentKey,
    FactReceipt,
    PolicyCheck,
    PolicyVersion,
    Profile,
)
from hub.clock import ClockAnswer, SimulatedClock
from hub.codec import decode, replaced
from hub.door import Act, Door
from hub.erased import Erasure
from hub.errors import Conflict, HubError, Missing, no_such_record, not_yours
from hub.facts import Binding
from hub.hub import erasures
from hub.hub.auditing import Auditing
from hub.hub.consents import Consenting
from hub.hub.governing import Governing
from hub.hub.inspecting import Inspecting
from hub.hub.keys import instant_or_none, issue, new_agent, revoke_keys
from hub.hub.listening import Listening
from hub.hub.loading import Loading
from hub.hub.meaning import Meaning
from hub.hub.points import When, as_of_answer, moment_text, point, when
from hub.hub.publishing import Publishing
from hub.hub.reviewing import Reviewing
from hub.hub.spelling import NEW_NAMES, in_use, no_agent, refuse_misspelt, refuse_unknown_roles
from hub.hub.trials import act_named, label_of
from hub.hub.verbs import every_verb_is_told
from hub.ledger import Ledger, Version, Writing
from hub.memories import profile
from hub.moments import as_datetime, duration, instant
from hub.policy import Decision, Policy, Subject
from hub.redaction import refuse_secrets
from hub.registry import SAME_AS, Promotion, Registry, read_amendment
from hub.remember import Maker, acts
from hub.remember.naming import Names
from hub.remember.receipts import receipt
from hub.requests import Fact, NewAgent, NewLabel, NewPolicy, Page, SameAs, checked


@every_verb_is_told
class Operator(Inspecting, Auditing, Governing, Publishing, Reviewing, Loading, Consenting):
    """One operator or auditor; what it may do, the policy says of its roles. There is no back door."""

    def __init__(
        self, door: Door, ledger: Ledger, agent_id: str, words: str, meaning: Meaning, listening: Listening
    ) -> None:
        self.id = agent_id
        self._door = door
        self._ledger = ledger
        self._words = words
        self._meaning = meaning
        self._listening = listening

    # --- agents and keys -----------------------------------------------------------------------------------------

    def create_agent(
        self,
        agent_id: str,
        domain: str,
        *,
        roles: Iterable[str] = (),
        customers: Iterable[str] | None = None,
        purposes: Iterable[str] = (),
        expires_at: When = None,
        new_names: bool = False,
    ) -> AgentKey:
        """A new agent and its key, shown once. An id is never used twice: a new agent inherits nobody's memory.

        Raises Incorrect `unknown_role`, and `misspelt` for a domain or purpose that nobody has heard of and that is
        almost one that is in use, unless `new_names` says that it is meant.
        """
        self._must(Act.WRITE)
        asked = new_agent(agent_id, domain, roles, customers, purposes)
        self._expect_names(asked, new_names)
        until = instant_or_none(expires_at)
        with self._ledger.writing() as writing:
            if writing.binding(asked.id) is not None:
                message = f"there is, or was, an agent `{asked.id}`"
                raise Conflict("agent_exists", message, "choose another id", where="id")
            if asked.roles:
                self._amend(writing, lambda version: self._granting(version, asked))
            binding = Binding(agent=asked.id, domain=asked.domain, customers=asked.customers, purposes=asked.purposes)
            writing.bind(replace(binding, recorded_at=writing.now))
            return issue(writing, asked.id, until)

    def bind(
        self,
        agent_id: str,
        *,
        customers: Iterable[str] | None = None,
        purposes: Iterable[str] = (),
        new_names: bool = False,
    ) -> None:
        """From now on the agent serves these customers (None: any) and may name these purposes."""
        self._must(Act.WRITE)
        asked = new_agent(agent_id, self._known(agent_id).domain, (), customers, purposes)
        self._expect_names(asked, new_names)
        with self._ledger.writing() as writing:
            _rebind(writing, agent_id, lambda b: replace(b, customers=asked.customers, purposes=asked.purposes))

    def rotate(self, agent_id: str, *, expires_at: When = None) -> AgentKey:
        """A new key for an agent; all its older ones are dead at once."""
        self._must(Act.WRITE)
        self._known(agent_id)
        until = instant_or_none(expires_at)
        with self._ledger.writing() as writing:
            revoke_keys(writing, agent_id)
            return issue(writing, agent_id, until)

    def revoke(self, agent_id: str) -> None:
        """All keys of the agent are dead at once."""
        self._must(Act.WRITE)
        self._known(agent_id)
        with self._ledger.writing() as writing:
            revoke_keys(writing, agent_id)

    def disable(self, agent_id: str) -> None:
        """The agent may do nothing from now on, in process or by any key."""
        self._must(Act.WRITE)
        self._known(agent_id)
        with self._ledger.writing() as writing:
            _rebind(writing, agent_id, lambda binding: replace(binding, enabled=False))
            revoke_keys(writing, agent_id)

    def agents(self) -> list[AgentAnswer]:
        """Every agent at work today, in the order in which they were first bound."""
        self._must(Act.INSPECT)
        policy = self._door.rules().policy
        return [
            AgentAnswer(
                id=bound.agent,
                domain=bound.domain,
                roles=tuple(policy.roles_of(Subject(bound.agent, bound.domain))),
                purposes=bound.purposes,
                customers=bound.customers,
            )
            for bound in self._door.bindings()
        ]

    # --- policy and registry -------------------------------------------------------------------------------------

    def policies(self) -> PolicyVersion:
        """The version in force."""
        self._must(Act.INSPECT)
        return _version(self._door.rules().version)

    def policy_versions(self) -> list[PolicyVersion]:
        """Every version there has been, oldest first."""
        self._must(Act.INSPECT)
        with self._ledger.reading() as reading:
            return [_version(version) for version in reading.versions()]

    def check_policy(
        self, *, model: str | None = None, policy: str | None = None, relations: str | None = None
    ) -> PolicyCheck:
        """Whether these texts would be accepted; nothing changes."""
        self._must(Act.INSPECT)
        try:
            asked = checked(NewPolicy, {"model": model, "policy": policy, "relations": relations})
            self._replaced(self._door.rules().version, asked)
        except HubError as error:
            return PolicyCheck(fit=False, code=error.code, detail=error.message, fix=error.fix)
        return PolicyCheck(fit=True)

    def replace_policy(
        self,
        *,
        model: str | None = None,
        policy: str | None = None,
        relations: str | None = None,
        reason: str = "replaced",
    ) -> PolicyVersion:
        """Puts new texts in force, all or none; the old version stays for questions about the past."""
        self._must(Act.WRITE)
        asked = checked(NewPolicy, {"model": model, "policy": policy, "relations": relations, "reason": reason})
        return self._publish(lambda version: self._replaced(version, asked))

    def explain_policy(
        self,
        agent: str,
        *,
        owner: str,
        relation: str,
        told: str | None = None,
        scope: str = "private",
        act: str = "read",
        purpose: str | None = None,
        domain: str | None = None,
    ) -> Decision:
        """Which line decides about one label (`told` None: to its owner), for an agent, or for any agent of a domain.

        For one that nobody has created, `domain` says where it would live. Raises Missing without, and Incorrect
        `misspelt` for an owner or relation that is almost a known one.
        """
        self._must(Act.INSPECT)
        known = in_use(self._door)
        refuse_misspelt("owner", owner, known.domains)
        refuse_misspelt("relation", relation, known.relations)
        home = domain or self._whose(agent).domain
        label = label_of(owner, told or owner, scope, relation)
        return self._door.rules().policy.explain(Subject(agent, home), label, act_named(act), purpose)

    # --- records -------------------------------------------------------------------------------------------------

    def relabel(self, fact_id: str, *, scope: str, owner: str | None = None, reason: str | None = None) -> ActReceipt:
        """Files one fact elsewhere from now on."""
        asked = checked(NewLabel, {"scope": scope, "owner": owner, "reason": reason})
        refuse_misspelt("owner", asked.owner, in_use(self._door).domains)
        customer = self._customer_of(fact_id)
        try:
            with self._door.admit(self.id, customer, act=Act.RELABEL) as desk:
                return acts.relabel(desk, fact_id, asked.scope, asked.owner, asked.reason)
        except Missing:
            if self._door.look(self.id, customer).row(fact_id) is not None:
                raise not_yours() from None  # it may be read, which is not the same
            raise

    def same_as(self, customer: str, one: str, other: str, *, reason: str | None = None) -> FactReceipt:
        """Says that two names mean one thing, for all who may read both."""
        asked = checked(SameAs, {"customer": customer, "one": one, "other": other, "reason": reason})
        with self._door.admit(self.id, asked.customer, act=Act.DECIDE) as desk:
            names = Names(desk, desk.view)
            if any(names.placed(name)[1] is None for name in (asked.one, asked.other)):
                raise Missing("not_found", "there is no such entity", "use names that some fact mentions")
            fact = Fact(subject=asked.one, relation=SAME_AS, object=asked.other)
            claim, filing = Maker(desk, desk.now, "en").made(fact)
            before = desk.after
            desk.file(replaced(claim, reason=asked.reason), filing)
            return receipt(before, desk.after, claim, filing)

    def withdraw_same_as(self, alias_id: str, *, reason: str | None = None) -> ActReceipt:
        """Takes a merge back, and nothing else."""
        with self._door.admit(self.id, self._customer_of(alias_id), act=Act.DECIDE) as desk:
            alias = desk.view.claim(alias_id)
            if alias is None or alias.relation != SAME_AS:
                raise no_such_record()
            return acts.retract(desk, alias_id, reason)

    def forget(self, fact_id: str, *, reason: str | None = None) -> ActReceipt:
        """Hides a fact of whatever domain, as the customer may ask."""
        with self._door.admit(self.id, self._customer_of(fact_id), act=Act.FORGET) as desk:
            return acts.forget(desk, fact_id, reason)

    def restore(self, fact_id: str, *, reason: str | None = None) -> ActReceipt:
        """Undoes `forget`."""
        with self._door.admit(self.id, self._customer_of(fact_id), act=Act.FORGET) as desk:
            return acts.restore(desk, fact_id, reason)

    def erase_fact(self, fact_id: str, reason: str | None = None) -> Erasure:
        """Takes a fact away for good, from the past too, with all that says or denies the same and what carried it."""
        customer = self._customer_of(fact_id)
        try:
            return erasures.erase_fact(self._door, self.id, customer, fact_id, reason, Act.ERASE)
        except Missing:
            if self._door.look(self.id, customer).row(fact_id) is not None:
                raise not_yours() from None  # it may be read, which is not the same
            raise

    def erase_customer(self, customer: str, reason: str | None = None) -> Erasure:
        """Takes a customer away for good; whoever comes under this name again is somebody new."""
        return erasures.erase_customer(self._door, self.id, checked(Page, {"customer": customer}).customer, reason)

    def retract(self, record_id: str, *, reason: str | None = None) -> ActReceipt:
        """Withdraws any record as an operator: a merge, a relabel, a fact."""
        with self._door.admit(self.id, self._customer_of(record_id), act=Act.DECIDE) as desk:
            return acts.retract(desk, record_id, reason)

    def beliefs(self, customer: str, agent: str, *, purpose: str | None = None, **point_in_time: object) -> Profile:
        """What an agent believes, or believed, as far as this auditor may inspect."""
        self._must(Act.INSPECT)
        if self._door.binding(agent) is None:
            raise no_agent(agent, self._door)
        moments = {name: moment_text(given) for name, given in point_in_time.items()}
        asked = checked(Page, {"customer": customer, "purpose": purpose, **moments})
        view = self._door.look(self.id, asked.customer, point(asked, self._door.now()), asked.purpose, through=agent)
        found, more = profile(view, asked.limit, 0)
        return Profile(as_of=as_of_answer(view), entities=found, truncated=more)

    def clock(self, *, now: When = None, advance: str | None = None) -> ClockAnswer:
        """Sets a simulated clock, or moves it on by a length of time such as `2h`; neither only asks."""
        self._must(Act.WRITE)
        clock = self._ledger.clock
        if not isinstance(clock, SimulatedClock):
            raise Missing("no_such_route", "this hub's clock goes by itself", "serve it with `--simulated-clock`")
        clock.move(
            None if now is None else instant(str(when(now))),
            0 if advance is None else duration(advance),
        )
        return ClockAnswer(as_datetime(clock.now()))

    # --- how it is done ------------------------------------------------------------------------------------------

    def _customer_of(self, record_id: str) -> str:
        return self._door.customer_of(self.id, record_id)

    def _known(self, agent_id: str) -> Binding:
        binding = self._door.binding(agent_id)
        if binding is None:
            raise no_agent(agent_id, self._door)
        return binding

    def _expect_names(self, asked: NewAgent, new_names: bool) -> None:
        known = in_use(self._door)
        refuse_unknown_roles(asked.roles, known.roles)
        if not new_names:
            refuse_misspelt("domain", asked.domain, known.domains, NEW_NAMES)
            for purpose in asked.purposes:
                refuse_misspelt("purpose", purpose, known.purposes, NEW_NAMES)

    def _publish(self, change: Callable[[Version], Version]) -> PolicyVersion:
        with self._ledger.writing() as writing:
            self._amend(writing, change)
        return _version(self._door.rules().version)

    def _amend(self, writing: Writing, change: Callable[[Version], Version]) -> None:
        """INVARIANT: a change is made of the version in force when it is recorded, so that no two undo each other."""
        current = writing.latest_version()
        assert current is not None, "a hub that is open has rules"
        writing.version(replace(change(current), author=self.id))

    def _granting(self, version: Version, asked: NewAgent) -> Version:
        grants = "".join(f"g, agent:{asked.id}, {role}, *\n" for role in asked.roles)
        policy = version.policy.rstrip("\n") + "\n" + grants
        granted = checked(NewPolicy, {"policy": policy, "reason": f"roles of {asked.id}"})
        return self._replaced(version, granted)

    def _replaced(self, version: Version, asked: NewPolicy) -> Version:
        """The version these texts make of another; raises Incorrect for what can't be read."""
        refuse_secrets(asked.reason)
        wanted = replace(
            version,
            model=version.model if asked.model is None else asked.model,
            policy=version.policy if asked.policy is None else asked.policy,
            relations=version.relations if asked.relations is None else asked.relations,
            reason=asked.reason,
        )
        Policy.parse(wanted.model, wanted.policy)
        Registry.read(wanted.relations, "relations.yaml", self._words)
        return wanted


def _rebind(writing: Writing, agent_id: str, change: Callable[[Binding], Binding]) -> None:
    binding = writing.binding(agent_id)
    assert binding is not None, "agents never go"
    writing.bind(replace(change(binding), recorded_at=writing.now))


def _version(version: Version) -> PolicyVersion:
    amendments = map(read_amendment, decode(version.promotions, list[dict[str, str | None]]))
    return PolicyVersion(
        version=version.id,
        recorded_at=as_datetime(version.recorded_at),
        author=version.author,
        reason=version.reason,
        model=version.model,
        policy=version.policy,
        relations=version.relations,
        promotions=tuple(amendment.relation for amendment in amendments if isinstance(amendment, Promotion)),
    )
