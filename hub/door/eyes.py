"""Looking through somebody's eyes: whose, when, by which policy, and which line lets through what they see."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from hub.answers import Ruling
from hub.door.consents import CONSENTED
from hub.door.reads import Both, Nobody, Reads
from hub.door.rules import Rulebook
from hub.facts import Binding, Filing, Instant, Label, Viewer
from hub.ledger import Reading
from hub.policy import Act, Policy, Subject

Rulings = Callable[[Filing], tuple[Ruling, ...]]
"""What every policy that has a say says of each label of a filing, today's first."""

_NOT_THERE = "it was not at work here then, or not bound to this customer"


@dataclass(frozen=True, slots=True, kw_only=True)
class Eyes:
    """Of an agent, or of any agent of a domain (`viewer.agent` names either).

    `asked_at` None: they look now. `policy` stands in for the one in force now.
    INVARIANT: a policy that is not in force opens nothing, it is only ever added to what an auditor may inspect.
    """

    viewer: Viewer
    purpose: str | None = None
    asked_at: Instant | None = None
    policy: Policy | None = None


@dataclass(frozen=True, slots=True)
class Sitting:
    """One policy's say in what somebody may read; `subject` None: nobody was there to read anything."""

    reads: Reads
    subject: Subject | None = None
    policy: Policy | None = None
    version: int | None = None
    purpose: str | None = None

    def ruling(self, label: Label) -> Ruling:
        """INVARIANT: `allowed` is what the clearance says, which the door goes by; the line only explains it."""
        allowed = self.reads.admits_all(frozenset({label}))
        if self.policy is None or self.subject is None:
            return Ruling(label=label, allowed=allowed, line=None, text=None, why=_NOT_THERE, version=self.version)
        found = self.policy.explain(self.subject, label, Act.READ, self.purpose)
        if found.allowed and not allowed:
            why = "the customer objects"
            return Ruling(label=label, allowed=False, line=None, text=None, why=why, version=self.version)
        why = found.why
        if allowed and not found.allowed:
            found = self.policy.explain(self.subject, label, Act.READ, CONSENTED)
            why = f"{found.why}, by the customer's grant"
        return Ruling(
            label=label, allowed=allowed, line=found.line_number, text=found.line, why=why, version=self.version
        )


def clearances(
    rulebook: Rulebook, reading: Reading, eyes: Eyes, customer: str, at: Instant | None
) -> tuple[Reads, ...]:
    """(what these eyes let through when they looked, and at the as-of), joined with nobody else's."""
    return tuple(
        _all_of([sitting.reads for sitting in _sittings(rulebook, reading, eyes, customer, moment)])
        for moment in (eyes.asked_at, at)
    )


def rulings(rulebook: Rulebook, reading: Reading, eyes: Eyes, customer: str, at: Instant | None) -> Rulings:
    moments = dict.fromkeys((eyes.asked_at, at))
    sittings = [s for moment in moments for s in _sittings(rulebook, reading, eyes, customer, moment)]

    def ruled(filing: Filing) -> tuple[Ruling, ...]:
        return tuple(dict.fromkeys(sitting.ruling(label) for sitting in sittings for label in sorted(filing)))

    return ruled


def _all_of(reads: list[Reads]) -> Reads:
    first, *rest = reads
    for other in rest:
        first = Both(first, other)
    return first


def _sittings(rulebook: Rulebook, reading: Reading, eyes: Eyes, customer: str, at: Instant | None) -> Iterator[Sitting]:
    """One for the viewer, and one for each on whose behalf it looks."""
    viewer: Viewer | None = eyes.viewer
    while viewer is not None:
        yield _sitting(rulebook, reading, eyes, viewer, customer, at)
        viewer = viewer.behalf


def _sitting(
    rulebook: Rulebook, reading: Reading, eyes: Eyes, viewer: Viewer, customer: str, at: Instant | None
) -> Sitting:
    rules = rulebook.rules(reading, at)
    binding = whose(rulebook, reading, viewer.agent, at)
    if rules is None or binding is None or not binding.enabled or not viewer.serves(customer, binding):
        return Sitting(Nobody())
    imagined = eyes.policy if at is None else None
    named = eyes.purpose if eyes.purpose in viewer.named(binding) else None
    moment = reading.present if at is None else at
    policy = imagined or rules.policy
    return Sitting(
        rulebook.opened(reading, policy, binding, Act.READ, named, moment),
        Subject(binding.agent, binding.domain),
        policy,
        rules.version.id if imagined is None else None,
        named,
    )


def whose(rulebook: Rulebook, reading: Reading, name: str, at: Instant | None) -> Binding | None:
    """The binding of the agent of that name, or else what stands for any agent of the domain of that name."""
    return rulebook.binding(reading, name, at) or rulebook.housed(reading, name, at)
