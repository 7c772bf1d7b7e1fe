"""How far each domain's word counts in a relation: as operators say, or as a view's own records have borne it out."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from hub.facts import Claim, Mode, ValueKey, Withdraw
from hub.registry import DEFAULT_TRUST, Registry
from hub.salience import earned
from hub.timeline import counts, slot_value
from hub.view.records import Records


@dataclass(frozen=True, slots=True)
class Trust:
    """The scores of one relation, 0..1."""

    registry: Registry
    relation: str
    learned: dict[str, float]

    def __call__(self, domain: str) -> float:
        rated = self.registry.trust_of(domain, self.relation)
        return self.learned.get(domain, DEFAULT_TRUST) if rated is None else rated


def trust(records: Records, relation: str) -> Trust:
    """INVARIANT: nothing is learned but from records of this relation that these records hold, and acts upon them.

    A claim is confirmed once another domain says the same later; it is refuted once another domain takes it back,
    corrects it, or decides otherwise. Who mends its own mistakes loses nothing, and who repeats itself gains nothing.
    """
    claims = [claim for claim in _claims(records, relation) if not claim.negated]
    owner = records.registry.of(relation, "").owner
    confirmed, refuted = Counter[str](), Counter[str]()
    later = _Later()
    for claim in reversed(claims):
        said = _said(claim)
        if later.corrects(claim, said) or _taken_back(records, claim, owner):
            refuted[claim.author.domain] += 1
        elif records.living(claim) and later.repeats(claim, said):
            confirmed[claim.author.domain] += 1
        if records.living(claim):
            later.add(claim, said)
    learned = {domain: earned(confirmed[domain], refuted[domain]) for domain in confirmed | refuted}
    return Trust(records.registry, relation, learned)


def _claims(records: Records, relation: str) -> Iterator[Claim]:
    rows = (*records.rows(records.base.told_by.get(relation, ())), *records.more)
    return (row.record for row in rows if isinstance(row.record, Claim) and row.record.relation == relation)


def _said(claim: Claim) -> ValueKey:
    """INVARIANT: without regard to aliases, which would make the score change with the point in valid time."""
    content = claim.value if claim.obj is None else claim.obj
    assert content is not None, "what is no negation says something"
    return slot_value(content)


def _taken_back(records: Records, claim: Claim, owner: str) -> bool:
    """By another domain than its own, by leave, and not undone."""
    acts: Iterable[object] = records.acts_on(claim.id)
    others = (act for act in acts if isinstance(act, Withdraw) and act.author.domain != claim.author.domain)
    return any(counts(act, claim, owner) and records.living(act) for act in others)


class _Later:
    """What has been said after the claims that are still to be looked at."""

    def __init__(self) -> None:
        self._repeating: dict[tuple[str, ValueKey], set[str]] = defaultdict(set)
        self._correcting: dict[str, list[tuple[Claim, ValueKey]]] = defaultdict(list)

    def add(self, claim: Claim, said: ValueKey) -> None:
        self._repeating[claim.subject.id, said].add(claim.author.domain)
        if claim.mode is Mode.CORRECT:
            self._correcting[claim.subject.id].append((claim, said))

    def repeats(self, claim: Claim, said: ValueKey) -> bool:
        return bool(self._repeating[claim.subject.id, said] - {claim.author.domain})

    def corrects(self, claim: Claim, said: ValueKey) -> bool:
        return any(
            value != said and by.author.domain != claim.author.domain and _meet(by, claim)
            for by, value in self._correcting[claim.subject.id]
        )


def _meet(one: Claim, other: Claim) -> bool:
    """Whether their intervals have an instant in common."""
    first, second = sorted((one.interval, other.interval), key=lambda interval: interval.start)
    return first.holds(second.start)
