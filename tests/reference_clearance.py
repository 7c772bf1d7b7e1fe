"""Who may read which record, judged from the raw tables by the policy's second evaluator and nothing of the hub."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from pathlib import Path

from hub.facts import Label as HubLabel
from hub.play.reference import Label, allows

_RECORDS = (
    "SELECT r.id, r.kind, r.seq, r.body, c.name FROM record r JOIN customer c ON c.id = r.customer ORDER BY r.seq"
)
_CONSENTS = "SELECT c.name, k.body FROM consent k JOIN customer c ON c.id = k.customer ORDER BY k.id"
_NAMED = " UNION ".join(f"SELECT customer FROM {table}" for table in ("record", "answer", "consent"))
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
        return [thing["id"] for thing in self._mentions]

    @property
    def names(self) -> set[str]:
        """What it calls these, whatever the case."""
        return {thing["name"].casefold() for thing in self._mentions}

    @property
    def _mentions(self) -> list[dict[str, str]]:
        mentions = [self.body.get(role) for role in ("subject", "obj")]
        return [thing for thing in mentions if thing is not None and thing["id"] != "customer"]

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
    enabled: bool


@dataclass(frozen=True)
class Consented:
    """What a customer grants or (`objects`) forbids, from `start` to `end`; told at `at`, taken back at `back`."""

    at: int
    customer: str
    objects: bool
    domain: str
    owner: str | None
    relation: str | None
    start: int
    end: int | None
    back: int | None

    def holds(self, at: int) -> bool:
        told = self.at <= at and (self.back is None or at < self.back)
        return told and self.start <= at and (self.end is None or at < self.end)

    def concerns(self, home: str, label: Label) -> bool:
        owner, _, _, relation = label
        whom = self.domain == home or (self.domain == "*" and home != owner)
        return whom and self.owner in (None, owner) and self.relation in (None, relation)


class Sight:
    """One database file as it stands at a moment, read behind the hub's back.

    `before`: records as they were before they were erased; they stay where they were filed. `asked`: labels under which
    something would have been filed, had it not been refused.
    """

    def __init__(self, path: Path, now: int, before: Mapping[str, Recorded], asked: Iterable[Label] = ()) -> None:
        self._asked = set(asked)
        with closing(sqlite3.connect(path)) as file:
            self.now = max(now, file.execute("SELECT last FROM clock").fetchone()[0])
            self.policies = [
                (at, text) for at, text in file.execute("SELECT recorded_at, policy FROM version ORDER BY id")
            ]
            self.bindings = [
                _bound(json.loads(body)) for (body,) in file.execute("SELECT body FROM binding ORDER BY id")
            ]
            self.consents = _consents([(name, json.loads(body)) for name, body in file.execute(_CONSENTS)])
            rows = file.execute(_RECORDS)
            self.records = {
                i: Recorded(i, kind, seq, customer, json.loads(body)) for i, kind, seq, body, customer in rows
            }
            self.gaps = {i: _token(record) for i, record in self.records.items() if record.kind == "gap"}
            for record in self.gaps.keys() & before.keys():
                self.records[record] = replace(before[record], stays=[])
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
        stay = stay_at(record, known_at)
        if stay is None or not self.opens(agent, record.customer, purpose, known_at, stay.labels):
            return None
        both = (record.labels, stay.labels)
        return stay if all(self.opens(agent, record.customer, purpose, None, labels) for labels in both) else None

    def through(
        self, auditor: str, agent: str | None, customer: str, known_at: int | None
    ) -> list[tuple[Recorded, Stay]]:
        """What an auditor may inspect today of what was recorded by then, and this agent might have read then."""
        mine = [record for record in self.records.values() if record.customer == customer]
        stays = [(record, stay) for record in mine if (stay := stay_at(record, known_at)) is not None]
        return [
            (record, stay)
            for record, stay in stays
            if all(self.opens(auditor, customer, None, None, x, "inspect") for x in (record.labels, stay.labels))
            and (agent is None or self.opens(agent, customer, None, known_at, stay.labels))
        ]

    def opens(
        self, agent: str, customer: str, purpose: str | None, at: int | None, labels: Iterable[Label], act: str = "read"
    ) -> bool:
        """Whether the rules of a moment, by default of now, let the agent act on what is filed so."""
        bound, policy = self._bound(agent, at), self._policy(at)
        if bound is None or policy is None or not bound.enabled or not self._serves(bound, customer):
            return False
        named = purpose if at is None or purpose in bound.purposes else None
        consents = self._active(customer, self.now if at is None else at) if act == "read" else []
        return all(self._admits(bound, policy, label, named, consents, act) for label in labels)

    def lets_ask(self, agent: str, customer: str, purpose: str | None) -> bool:
        """Whether the agent is at work, and bound to the customer and to the purpose, today."""
        bound = self._bound(agent, None)
        return (
            bound is not None and bound.enabled and self._serves(bound, customer) and purpose in (None, *bound.purposes)
        )

    def _admits(
        self,
        bound: Bound,
        policy: str,
        label: Label,
        purpose: str | None,
        consents: Iterable[Consented],
        act: str = "read",
    ) -> bool:
        """By the policy; what the customer grants opens lines of a purpose of their own, an objection closes all."""
        concerned = [consent for consent in consents if consent.concerns(bound.domain, label)]
        if any(consent.objects for consent in concerned):
            return False
        purposes = (purpose or "", *(["consented"] if concerned else []))
        return any(allows(policy, bound.domain, bound.agent, label, act, named) for named in purposes)

    def _active(self, customer: str, at: int) -> list[Consented]:
        return [consent for consent in self.consents if consent.customer == customer and consent.holds(at)]

    def _serves(self, bound: Bound, customer: str) -> bool:
        return bound.customers is None or customer in bound.customers

    def _bound(self, agent: str, at: int | None) -> Bound | None:
        return next((b for b in reversed(self.bindings) if b.agent == agent and (at is None or b.at <= at)), None)

    def _policy(self, at: int | None) -> str | None:
        return next((text for since, text in reversed(self.policies) if at is None or since <= at), None)

    def changed(self, since: int, customer: str) -> bool:
        """Whether any rule that decides about a customer is another since then, or some consent began or ended."""
        turns = [at for at, _ in self.policies] + [bound.at for bound in self.bindings]
        for consent in self.consents:
            if consent.customer == customer:
                turns += [at for at in (consent.at, consent.start, consent.end, consent.back) if at is not None]
        return any(since < at <= self.now for at in turns)

    # --- at any moment -------------------------------------------------------------------------------------------

    def ever(self, agent: str, customer: str) -> frozenset[Label]:
        """Every label the agent may have read at any moment so far, for any purpose it ever had."""
        bound = [b for b in self.bindings if b.agent == agent and self._serves(b, customer)]
        purposes = {None, *(purpose for b in bound for purpose in b.purposes)}
        grants = [c for c in self.consents if c.customer == customer and not c.objects]
        return frozenset(
            label
            for label in self._labels(customer)
            if any(
                self._admits(b, text, label, p, grants) for b in bound for _, text in self.policies for p in purposes
            )
        )

    def ever_reads(self, agent: str, labels: frozenset[Label], customer: str) -> list[bool]:
        """Whether the agent reads what is filed so, by each policy, with each purpose and the consents of each time."""
        bound = [b for b in self.bindings if b.agent == agent]
        purposes = (None, *sorted({purpose for b in bound for purpose in b.purposes}))
        moments = {0, *(at for c in self.consents for at in (c.at, c.start, c.end, c.back) if at is not None)}
        return [
            all(self._admits(bound[-1], text, label, p, self._active(customer, at)) for label in labels)
            for _, text in self.policies
            for p in purposes
            for at in sorted(moments)
        ]

    def read_by(self, agent: str, stay: Stay, customer: str) -> bool:
        """Whether the agent could read, for some purpose, what was filed so when it was filed."""
        kinds = [kind for kind in self._kinds(stay.at) if kind[0].agent == agent and self._serves(kind[0], customer)]
        return any(self._reads(bound, p, customer, stay.at, stay.labels) for bound, p in kinds)

    def behind(self, stay: Stay, customer: str) -> frozenset[Label]:
        """Every label that may have shaped what was filed so: those that all who could read it then could read too."""
        readers = [kind for kind in self._kinds(stay.at) if self._reads(*kind, customer, stay.at, stay.labels)]
        return frozenset(
            label
            for label in self._labels(customer)
            if all(self._reads(*kind, customer, stay.at, [label]) for kind in readers)
        )

    def _kinds(self, at: int) -> list[tuple[Bound, str | None]]:
        """Every agent at work at a moment, once for each purpose it could name, and for none."""
        latest = {bound.agent: bound for bound in self.bindings if bound.at <= at}
        return [(bound, p) for bound in latest.values() if bound.enabled for p in (None, *bound.purposes)]

    def _reads(self, bound: Bound, purpose: str | None, customer: str, at: int, labels: Iterable[Label]) -> bool:
        policy, consents = self._policy(at), self._active(customer, at)
        return policy is not None and all(self._admits(bound, policy, x, purpose, consents) for x in labels)

    def _labels(self, customer: str) -> set[Label]:
        mine = [record for record in self.records.values() if record.customer == customer]
        return {label for record in mine for stay in record.stays for label in stay.labels} | self._asked


def _token(gap: Recorded) -> str | None:
    """What the claims of one value share that were erased at once; nothing for a turn."""
    silent = gap.body["silent"]
    return None if silent is None else silent["obj"]["id"]


def stay_at(record: Recorded, known_at: int | None) -> Stay | None:
    if known_at is None:
        return record.stays[-1]
    held = record.held(known_at)
    return held[-1] if held else None


def labels_of(filing: Iterable[HubLabel]) -> frozenset[Label]:
    return frozenset(Label(x.owner, x.told, x.scope.value, x.relation) for x in filing)


def _labels(text: str) -> frozenset[Label]:
    return frozenset(Label(x["owner"], x["told"], x["scope"], x["relation"]) for x in json.loads(text))


def _bound(body: dict[str, object]) -> Bound:
    customers = None if body["customers"] is None else tuple(body["customers"])
    return Bound(
        body["recorded_at"], body["agent"], body["domain"], customers, tuple(body["purposes"]), body["enabled"]
    )


def _consents(rows: Iterable[tuple[str, dict[str, object]]]) -> list[Consented]:
    rows = list(rows)
    back = {body["withdraws"]: body["recorded_at"] for _, body in reversed(rows) if body["withdraws"] is not None}
    return [
        Consented(
            body["recorded_at"],
            customer,
            body["effect"] == "object",
            body["domain"],
            body["owner"],
            body["relation"],
            body["interval"]["start"],
            body["interval"]["end"],
            back.get(body["id"]),
        )
        for customer, body in rows
        if body["withdraws"] is None
    ]


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
        new.execute(f"DELETE FROM customer WHERE id NOT IN ({_NAMED})")
        new.commit()
