"""Who may read which record, judged from the raw tables by the policy's second evaluator and nothing of the hub."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path

from hub.facts import Label as HubLabel
from tests.reference_policy import allows

Label = tuple[str, str, str, str]
"""(owner, told, scope, relation)"""

_RECORDS = (
    "SELECT r.id, r.kind, r.seq, r.body, c.name FROM record r JOIN customer c ON c.id = r.customer ORDER BY r.seq"
)
_ENTRIES = """
SELECT r.id, e.at, e.leaves, f.labels FROM entry e
JOIN record r ON r.seq = e.record JOIN filing f ON f.id = e.filing ORDER BY e.seq
"""


@dataclass
class Stay:
    """Filed under `labels` from `at` on, and no longer from `left` on."""

    labels: frozenset[Label]
    at: int
    left: int | None = None


@dataclass
class Recorded:
    id: str
    kind: str
    seq: int
    customer: str
    body: dict[str, object]
    stays: list[Stay] = field(default_factory=list)

    @property
    def labels(self) -> frozenset[Label]:
        """Where it is filed now."""
        return self.stays[-1].labels

    def held(self, known_at: int) -> list[Stay]:
        """Where it was filed at that moment, one after the other if that changed in it."""
        return [s for s in self.stays if s.at <= known_at and (s.left is None or s.left > known_at)]

    @property
    def target(self) -> str | None:
        return self.body.get("target")

    @property
    def things(self) -> list[str]:
        """The ids of what it mentions besides the customer."""
        mentions = [self.body.get(role) for role in ("subject", "obj")]
        return [thing["id"] for thing in mentions if thing is not None and thing["id"] != "customer"]

    @property
    def agent(self) -> str:
        return self.body["author"]["agent"]


@dataclass(frozen=True)
class Bound:
    """An agent's binding from `at` on; `customers` None means any."""

    at: int
    agent: str
    domain: str
    customers: tuple[str, ...] | None
    purposes: tuple[str, ...]


@lru_cache(maxsize=200_000)
def reads(policy: str, home: str, agent: str, label: Label, purpose: str) -> bool:
    return allows(policy, home, agent, *label, "read", purpose)


class Sight:
    """One database file as it stands, read behind the hub's back."""

    def __init__(self, path: Path) -> None:
        with closing(sqlite3.connect(path)) as file:
            self.last = file.execute("SELECT last FROM clock").fetchone()[0]
            self.policies = [
                (at, text) for at, text in file.execute("SELECT recorded_at, policy FROM version ORDER BY id")
            ]
            self.bindings = [
                _bound(json.loads(body)) for (body,) in file.execute("SELECT body FROM binding ORDER BY id")
            ]
            rows = file.execute(_RECORDS)
            self.records = {
                i: Recorded(i, kind, seq, customer, json.loads(body)) for i, kind, seq, body, customer in rows
            }
            for record, at, leaves, labels in file.execute(_ENTRIES):
                self._enter(self.records[record], at, bool(leaves), _labels(labels))

    def _enter(self, record: Recorded, at: int, leaves: bool, labels: frozenset[Label]) -> None:
        if not leaves:
            record.stays.append(Stay(labels, at))
            return
        stay = next(s for s in reversed(record.stays) if s.labels == labels and s.left is None)
        stay.left = at

    # --- at one moment -------------------------------------------------------------------------------------------

    def visible(
        self, agent: str, customer: str, purpose: str | None, known_at: int | None
    ) -> list[tuple[Recorded, Stay]]:
        """What the agent may read today of what was recorded by then, and might have read then, oldest first."""
        mine = [record for record in self.records.values() if record.customer == customer]
        stays = [(record, self.admitted(agent, record, purpose, known_at)) for record in mine]
        return [(record, stay) for record, stay in stays if stay is not None]

    def admitted(self, agent: str, record: Recorded, purpose: str | None, known_at: int | None) -> Stay | None:
        """INVARIANT: by where it is filed today and was filed then, under today's rules and those of then."""
        today = (self._bound(agent, None), self._policy(None))
        then = (self._bound(agent, known_at), self._policy(known_at))
        stay = _stay(record, known_at)
        if stay is None or None in (*today, *then):
            return None
        named = purpose if purpose in then[0].purposes else None
        admitted = (
            self._serves(today[0], record.customer)
            and self._serves(then[0], record.customer)
            and self._all(today, agent, record.labels, purpose)
            and self._all(today, agent, stay.labels, purpose)
            and self._all(then, agent, stay.labels, named)
        )
        return stay if admitted else None

    def lets_ask(self, agent: str, customer: str, purpose: str | None) -> bool:
        """Whether the agent is bound to the customer, and to the purpose, today."""
        bound = self._bound(agent, None)
        return bound is not None and self._serves(bound, customer) and purpose in (None, *bound.purposes)

    def _all(self, rules: tuple[Bound, str], agent: str, labels: Iterable[Label], purpose: str | None) -> bool:
        bound, policy = rules
        return all(reads(policy, bound.domain, agent, label, purpose or "") for label in labels)

    def _serves(self, bound: Bound, customer: str) -> bool:
        return bound.customers is None or customer in bound.customers

    def _bound(self, agent: str, at: int | None) -> Bound | None:
        return next((b for b in reversed(self.bindings) if b.agent == agent and (at is None or b.at <= at)), None)

    def _policy(self, at: int | None) -> str | None:
        return next((text for since, text in reversed(self.policies) if at is None or since <= at), None)

    # --- at any moment -------------------------------------------------------------------------------------------

    def ever(self, agent: str, customer: str) -> frozenset[Label]:
        """Every label the agent may have read at any moment so far, for any purpose it ever had."""
        bound = [b for b in self.bindings if b.agent == agent and self._serves(b, customer)]
        purposes = {None, *(purpose for b in bound for purpose in b.purposes)}
        return frozenset(
            label
            for label in self._labels(customer)
            if any(
                self._all((b, text), agent, [label], p) for b in bound for _, text in self.policies for p in purposes
            )
        )

    def ever_reads(self, agent: str, labels: frozenset[Label]) -> list[bool]:
        """Whether the agent reads what is filed so, by each policy and with each purpose so far."""
        bound = [b for b in self.bindings if b.agent == agent]
        purposes = (None, *sorted({purpose for b in bound for purpose in b.purposes}))
        return [self._all((bound[-1], text), agent, labels, p) for _, text in self.policies for p in purposes]

    def read_by(self, agent: str, stay: Stay, customer: str) -> bool:
        """Whether the agent could read, for some purpose, what was filed so when it was filed."""
        kinds = [kind for kind in self._kinds(stay.at) if kind[0].agent == agent]
        return any(self._serves(bound, customer) and self._reads(bound, p, stay.at, stay.labels) for bound, p in kinds)

    def behind(self, stay: Stay, customer: str) -> frozenset[Label]:
        """Every label that may have shaped what was filed so: those that all who could read it then could read too."""
        readers = [(bound, p) for bound, p in self._kinds(stay.at) if self._reads(bound, p, stay.at, stay.labels)]
        return frozenset(
            label
            for label in self._labels(customer)
            if all(self._reads(bound, purpose, stay.at, [label]) for bound, purpose in readers)
        )

    def _kinds(self, at: int) -> list[tuple[Bound, str | None]]:
        """Every agent of a moment, once for each purpose it could name, and for none."""
        latest = {bound.agent: bound for bound in self.bindings if bound.at <= at}
        return [(bound, purpose) for bound in latest.values() for purpose in (None, *bound.purposes)]

    def _reads(self, bound: Bound, purpose: str | None, at: int, labels: Iterable[Label]) -> bool:
        policy = self._policy(at)
        return policy is not None and self._all((bound, policy), bound.agent, labels, purpose)

    def _labels(self, customer: str) -> set[Label]:
        mine = [record for record in self.records.values() if record.customer == customer]
        return {label for record in mine for stay in record.stays for label in stay.labels}


def _stay(record: Recorded, known_at: int | None) -> Stay | None:
    if known_at is None:
        return record.stays[-1]
    held = record.held(known_at)
    return held[-1] if held else None


def labels_of(filing: Iterable[HubLabel]) -> frozenset[Label]:
    return frozenset((x.owner, x.told, x.scope.value, x.relation) for x in filing)


def _labels(text: str) -> frozenset[Label]:
    return frozenset((x["owner"], x["told"], x["scope"], x["relation"]) for x in json.loads(text))


def _bound(body: dict[str, object]) -> Bound:
    customers = None if body["customers"] is None else tuple(body["customers"])
    return Bound(body["recorded_at"], body["agent"], body["domain"], customers, tuple(body["purposes"]))


# --- the same ledger without what somebody may not read --------------------------------------------------------------


def cut(source: Path, target: Path, gone: Sequence[Recorded]) -> None:
    """A copy of a database in which these records never were, though the clock ticked for them."""
    with closing(sqlite3.connect(source)) as old, closing(sqlite3.connect(target)) as new:
        old.backup(new)
        numbers = [(record.seq,) for record in gone]
        new.executemany("DELETE FROM vector WHERE record = ?", numbers)
        new.executemany("DELETE FROM entry WHERE record = ?", numbers)
        new.executemany("DELETE FROM record WHERE seq = ?", numbers)
        new.execute("DELETE FROM head")
        new.execute("INSERT INTO head SELECT customer, filing, max(seq) FROM entry GROUP BY customer, filing")
        new.execute("DELETE FROM filing WHERE id NOT IN (SELECT filing FROM entry)")
        new.execute(
            "DELETE FROM customer WHERE id NOT IN (SELECT customer FROM record UNION SELECT customer FROM answer)"
        )
        new.commit()
