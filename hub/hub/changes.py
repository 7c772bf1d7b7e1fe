"""What a change of the policy would open and close: label by label, and of one customer memory by memory."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import product

from hub.answers import Memory, Ruling
from hub.door import Act, Door, Eyes, Rules
from hub.facts import AsOf, Binding, Filing, Label, Scope, Status
from hub.hub.comparing import Looker
from hub.policy import Decision, Policy, Subject
from hub.recall.beside import unread

OTHER = "(any other)"
"""A relation that no policy can name: it stands for all that none of them names."""

COMPANY = "company"

TURN = "turn"
"""What the words of a conversation are filed as, by the domain that heard them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelChange:
    """Labels that a policy would open to these agents, or (`opens` False) close: any of `told` with any of
    `relations`. `purpose` None: to those who name none; what a purpose changes just so is not said again."""

    agents: tuple[str, ...]
    domain: str
    purpose: str | None
    opens: bool
    owner: str
    told: tuple[str, ...]
    scope: Scope
    relations: tuple[str, ...]
    before: Decision
    after: Decision


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryChange:
    """A memory that a policy would open to an agent, or close; `rule` is what the new policy says of it."""

    agent: str
    domain: str
    purpose: str | None
    opens: bool
    memory_id: str
    kind: str
    text: str
    status: Status
    label: tuple[Label, ...]
    rule: Ruling | None


@dataclass(frozen=True, slots=True, kw_only=True)
class PolicyDiff:
    """Against the `version` in force. `opened` and `closed` count the memories; the list may hold fewer."""

    version: int
    labels: tuple[LabelChange, ...]
    memories: tuple[MemoryChange, ...] = ()
    opened: int = 0
    closed: int = 0
    truncated: bool = False


# --- label by label ----------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Kind:
    """Agents that neither policy can tell apart, for one purpose."""

    subject: Subject
    purpose: str | None
    agents: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Change:
    """Which of its labels change alike; everything but the relation."""

    purpose: str | None
    opens: bool
    owner: str
    told: tuple[str, ...]
    scope: Scope
    before: Decision
    after: Decision


def label_changes(
    rules: Rules, new: Policy, bindings: Iterable[Binding], domains: Sequence[str], auditor: Subject
) -> tuple[LabelChange, ...]:
    """INVARIANT: nothing is said of labels that the auditor may not inspect today."""
    bound = list(bindings)
    places = sorted(_places(rules, new, domains))
    open_to_auditor = rules.policy.clearance(auditor, Act.INSPECT)
    found: list[LabelChange] = []
    for kinds in _kinds(rules.policy, new, bound):
        plain: set[tuple[bool, Label]] = set()
        for kind in kinds:
            alike: dict[_Change, list[str]] = defaultdict(list)
            for label, told in _labels(places, kind.subject.domain, domains):
                change = _change(rules.policy, new, kind, label, told) if open_to_auditor.admits(label) else None
                if change is not None and (change.opens, label) not in plain:
                    alike[change].append(label.relation)
                    plain |= {(change.opens, label)} if kind.purpose is None else set()
            found += [_told_of(kind, change, relations) for change, relations in alike.items()]
    return tuple(found)


def _places(rules: Rules, new: Policy, domains: Sequence[str]) -> set[tuple[str, Scope, str]]:
    """Owner, scope and relation of whatever can be filed: what the registry or a line knows, and what neither does."""
    owners, relations = (a | b for a, b in zip(rules.policy.named, new.named, strict=True))
    known = {(relation.owner, name) for name, relation in rules.registry.relations.items()}
    strange = {name for name in relations if name not in rules.registry.relations} | {OTHER}
    known |= set(product({*owners, *domains, *(owner for owner, _ in known)}, strange))
    found = {(owner, scope, name) for owner, name in known for scope in (Scope.PRIVATE, Scope.SHARED)}
    return found | {(COMPANY, Scope.GLOBAL, name) for name in strange} | {(d, Scope.PRIVATE, TURN) for d in domains}


def _labels(
    places: Iterable[tuple[str, Scope, str]], home: str, domains: Sequence[str]
) -> Iterator[tuple[Label, tuple[str, ...]]]:
    """One label for all that differ only in the domain told, which matters only if it is one's own."""
    others = tuple(domain for domain in domains if domain != home)
    for owner, scope, relation in places:
        if relation == TURN:
            yield Label(owner, owner, scope, relation), (owner,)
            continue
        yield Label(owner, home, scope, relation), (home,)
        if others:
            yield Label(owner, others[0], scope, relation), others


def _kinds(old: Policy, new: Policy, bindings: Iterable[Binding]) -> Iterator[list[_Kind]]:
    """By what the policies can tell apart, without a purpose first and then for each."""
    groups: dict[tuple[object, ...], list[Binding]] = defaultdict(list)
    for binding in bindings:
        subject = Subject(binding.agent, binding.domain)
        keys = tuple(policy.clearance(subject, Act.READ).key for policy in (old, new))
        groups[*keys, binding.purposes].append(binding)
    for alike in groups.values():
        first = alike[0]
        subject, agents = Subject(first.agent, first.domain), tuple(binding.agent for binding in alike)
        yield [_Kind(subject, purpose, agents) for purpose in (None, *first.purposes)]


def _change(old: Policy, new: Policy, kind: _Kind, label: Label, told: tuple[str, ...]) -> _Change | None:
    """INVARIANT: what is compared are the verdicts that would be enforced, not our reading of the lines."""
    before, after = (policy.decide(kind.subject, label, Act.READ, kind.purpose) for policy in (old, new))
    if before == after:
        return None
    lines = [policy.explain(kind.subject, label, Act.READ, kind.purpose) for policy in (old, new)]
    return _Change(kind.purpose, after, label.owner, told, label.scope, *lines)


def _told_of(kind: _Kind, change: _Change, relations: list[str]) -> LabelChange:
    return LabelChange(
        agents=kind.agents,
        domain=kind.subject.domain,
        purpose=change.purpose,
        opens=change.opens,
        owner=change.owner,
        told=change.told,
        scope=change.scope,
        relations=tuple(relations),
        before=change.before,
        after=change.after,
    )


# --- memory by memory --------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Trial:
    """A policy tried out on one customer's memory, as far as an auditor may look into it."""

    door: Door
    auditor: str
    customer: str
    as_of: AsOf | None
    policy: Policy

    def changes(self, bindings: Iterable[Binding]) -> list[MemoryChange]:
        """Only of what is there already when it begins: what is written meanwhile is no change of the policy's."""
        held = self.door.inspect(self.auditor, self.customer, self.as_of)
        there = {row.record.id for row in held.all_rows()}
        return [change for binding in bindings for change in self._of(binding) if change.memory_id in there]

    def _of(self, binding: Binding) -> Iterator[MemoryChange]:
        plain: set[tuple[bool, str]] = set()
        for purpose in (None, *binding.purposes):
            for change in self._for(Looker(agent=binding.agent, domain=binding.domain, purpose=purpose)):
                if (change.opens, change.memory_id) not in plain:
                    plain |= {(change.opens, change.memory_id)} if purpose is None else set()
                    yield change

    def _for(self, looker: Looker) -> Iterator[MemoryChange]:
        now = looker.eyes()
        then = replace(now, policy=self.policy)
        before, after = (self.door.inspect(self.auditor, self.customer, self.as_of, eyes) for eyes in (now, then))
        for opens, one, other in ((True, after, before), (False, before, after)):
            for memory in unread(one, other):
                row = one.row(memory.id)
                assert row is not None, "the view has just told of it"
                yield _changed(looker, memory, row.filing, opens, self._rule(now, then, row.filing, opens))

    def _rule(self, now: Eyes, then: Eyes, filing: Filing, opens: bool) -> Ruling | None:
        """Of several labels, what the new policy says of one that mattered."""
        old, new = (self.door.rulings(eyes, self.customer, self.as_of)(filing) for eyes in (now, then))
        denied = {ruling.label for ruling in old if not ruling.allowed}
        return next((r for r in new if (r.label in denied if opens else not r.allowed)), None)


def _changed(looker: Looker, memory: Memory, filing: Filing, opens: bool, rule: Ruling | None) -> MemoryChange:
    return MemoryChange(
        agent=looker.agent,
        domain=looker.domain,
        purpose=looker.purpose,
        opens=opens,
        memory_id=memory.id,
        kind=memory.kind,
        text=memory.text,
        status=memory.status,
        label=tuple(sorted(filing)),
        rule=rule,
    )
