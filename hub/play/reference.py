"""Who may read which record, judged once more: from the raw tables, by no code of the policy's or the door's."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Mapping
from contextlib import closing
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from hub.facts import Instant

RESERVED = frozenset({"*", "owner", "told", "shared-reader", "auditor", "operator"})
CONSENTED = "consented"

_RECORDS = (
    "SELECT r.id, r.seq, c.name, r.kind, r.body FROM record r JOIN customer c ON c.id = r.customer ORDER BY r.seq"
)
_VERSIONS = "SELECT recorded_at, policy, relations, promotions FROM version ORDER BY id"
_ENTRIES = """
SELECT r.id, e.seq, e.at, e.leaves, f.labels FROM entry e
JOIN record r ON r.seq = e.record JOIN filing f ON f.id = e.filing ORDER BY e.seq
"""
_CONSENTS = "SELECT c.name, o.body FROM consent o JOIN customer c ON c.id = o.customer ORDER BY o.id"


class Label(NamedTuple):
    owner: str
    told: str
    scope: str
    relation: str


@lru_cache(maxsize=100_000)
def allows(lines: str, home: str, agent: str, label: Label, act: str, purpose: str) -> bool:
    """Whether policy `lines`, already known to be sound, let an agent of `home` act on what has a label."""
    if "" in (home, agent, label.owner, label.told, label.relation) or home in RESERVED or home.startswith("agent:"):
        return False
    rows = [[cell.strip() for cell in line.split(",")] for line in lines.splitlines()]
    wanted = (label.owner, label.scope, label.relation, act, purpose)
    effects = {
        row[-1]
        for row in rows
        if row[0] == "p"
        and all(want in ("*", it) for want, it in zip(row[2:-1], wanted, strict=True))
        and _touches(rows, row[1], home, agent, label)
    }
    return effects == {"allow"}


def _touches(rows: list[list[str]], role: str, home: str, agent: str, label: Label) -> bool:
    match role:
        case "*":
            return True
        case "owner":
            return home == label.owner
        case "told":
            return home == label.told
        case "shared-reader":
            return home != label.owner and _has(rows, role, home, agent, label.owner)
    return _has(rows, role, home, agent, label.owner)


def _has(rows: list[list[str]], role: str, home: str, agent: str, owner: str) -> bool:
    """By name, or handed on by one that has it."""
    if role in (home, f"agent:{agent}"):
        return True
    givers = (row[1] for row in rows if row[0] == "g" and row[2] == role and row[3] in ("*", owner))
    return any(_has(rows, giver, home, agent, owner) for giver in givers)


# --- what is in the tables -------------------------------------------------------------------------------------------


@dataclass(slots=True)
class Stay:
    """Filed under `labels` from `at` on, and no longer from `left` on; `entries` are the rows that say so."""

    labels: frozenset[Label]
    at: Instant
    left: Instant | None = None
    entries: list[int] = field(default_factory=list)

    def holds(self, at: Instant | None) -> bool:
        return self.left is None if at is None else self.at <= at and (self.left is None or self.left > at)


@dataclass(slots=True)
class Recorded:
    """`body` is the record as it is stored, in JSON."""

    id: str
    seq: int
    customer: str
    kind: str
    body: str
    stays: list[Stay] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Asking:
    """Who asks about whom, for what, and of which moment (None: now)."""

    agent: str
    customer: str
    purpose: str | None
    known_at: Instant | None


class Hidden(NamedTuple):
    """Rows of the tables `record` and `entry`, by number, and the ids of those records."""

    records: list[int]
    entries: list[int]
    ids: list[str]

    def named_in(self, answer: bytes) -> list[str]:
        """Those of the hidden that an answer names."""
        return [id_ for id_ in self.ids if id_.encode() in answer]


class Version(NamedTuple):
    """The texts of all that decided from `recorded_at` on."""

    recorded_at: Instant
    policy: str
    relations: str
    promotions: str


class Reference:
    """One database file as it stands at `now`, read behind the hub's back."""

    def __init__(self, path: Path, now: Instant) -> None:
        self.now = now
        with closing(sqlite3.connect(path)) as file:
            self.versions = [Version(*row) for row in file.execute(_VERSIONS)]
            self.bindings = [json.loads(body) for (body,) in file.execute("SELECT body FROM binding ORDER BY id")]
            self.consents = [(name, json.loads(body)) for name, body in file.execute(_CONSENTS)]
            self.records = {row[0]: Recorded(*row) for row in file.execute(_RECORDS)}
            for record, seq, at, leaves, labels in file.execute(_ENTRIES):
                self._enter(self.records[record], seq, at, bool(leaves), _labels(labels))

    def _enter(self, record: Recorded, seq: int, at: Instant, leaves: bool, labels: frozenset[Label]) -> None:
        if not leaves:
            record.stays.append(Stay(labels, at, entries=[seq]))
            return
        stay = next(s for s in reversed(record.stays) if s.labels == labels and s.left is None)
        stay.left = at
        stay.entries.append(seq)

    def hidden(self, asking: Asking) -> Hidden:
        """What the agent may not read: of other customers too, for it asks about one."""
        found = Hidden([], [], [])
        for record in self.records.values():
            kept = self._kept(asking, record)
            found.entries.extend(entry for stay in record.stays if stay not in kept for entry in stay.entries)
            if not kept:
                found.records.append(record.seq)
                found.ids.append(record.id)
        return found

    def visible(self, asking: Asking) -> list[Recorded]:
        """What the answer has to be made of, oldest first."""
        return [
            record
            for record in self.records.values()
            if any(stay.holds(asking.known_at) for stay in self._kept(asking, record))
        ]

    def version(self, at: Instant | None) -> Version | None:
        """The rules in force at a moment, by default now; None before there were any."""
        return next((one for one in reversed(self.versions) if at is None or one.recorded_at <= at), None)

    def _kept(self, asking: Asking, record: Recorded) -> list[Stay]:
        """INVARIANT: by where it is filed today and was filed then, under today's rules and those of then.

        Where it came later, or had been before, is judged by today alone: no answer about that moment is made of it.
        """
        if record.customer != asking.customer or not self._reads(asking, record.stays[-1].labels, None):
            return []
        return [
            stay
            for stay in record.stays
            if self._reads(asking, stay.labels, None)
            and (not stay.holds(asking.known_at) or self._reads(asking, stay.labels, asking.known_at))
        ]

    def _reads(self, asking: Asking, labels: Iterable[Label], at: Instant | None) -> bool:
        binding = self._binding(asking.agent, at)
        version = self.version(at)
        if binding is None or version is None or not binding["enabled"]:
            return False
        served = binding["customers"]
        if served is not None and asking.customer not in served:
            return False
        purpose = asking.purpose if asking.purpose in binding["purposes"] else None
        return all(self._reads_one(version.policy, binding, asking, label, purpose or "", at) for label in labels)

    def _reads_one(
        self,
        policy: str,
        binding: Mapping[str, Any],
        asking: Asking,
        label: Label,
        purpose: str,
        at: Instant | None,
    ) -> bool:
        home = binding["domain"]
        said = {consent["effect"] for consent in self._consents(asking.customer, home, label, at)}
        if "object" in said:
            return False
        if "grant" in said and allows(policy, home, asking.agent, label, "read", CONSENTED):
            return True
        return allows(policy, home, asking.agent, label, "read", purpose)

    def _consents(self, customer: str, home: str, label: Label, at: Instant | None) -> list[dict[str, Any]]:
        moment = self.now if at is None else at
        known = [c for name, c in self.consents if name == customer and c["recorded_at"] <= moment]
        withdrawn = {c["withdraws"] for c in known}
        return [c for c in known if c["id"] not in withdrawn and _concerns(c, home, label, moment)]

    def _binding(self, agent: str, at: Instant | None) -> dict[str, Any] | None:
        known = (b for b in reversed(self.bindings) if b["agent"] == agent)
        return next((b for b in known if at is None or b["recorded_at"] <= at), None)


def _concerns(consent: Mapping[str, Any], home: str, label: Label, at: Instant) -> bool:
    interval = consent["interval"]
    everybody = consent["domain"] == "*" and home != label.owner
    return (
        consent["withdraws"] is None
        and interval["start"] <= at
        and (interval["end"] is None or at < interval["end"])
        and (everybody or consent["domain"] == home)
        and consent["owner"] in (None, label.owner)
        and consent["relation"] in (None, label.relation)
    )


def _labels(text: str) -> frozenset[Label]:
    return frozenset(Label(x["owner"], x["told"], x["scope"], x["relation"]) for x in json.loads(text))


# --- the same ledger without it --------------------------------------------------------------------------------------


def cut(source: Path, target: Path, hidden: Hidden) -> None:
    """A copy of a database in which what is hidden never was, though the clock ticked for it."""
    with closing(sqlite3.connect(source)) as old, closing(sqlite3.connect(target)) as new:
        old.backup(new)
        new.executemany("DELETE FROM entry WHERE seq = ?", ((seq,) for seq in hidden.entries))
        new.executemany("DELETE FROM vector WHERE record = ?", ((seq,) for seq in hidden.records))
        new.executemany("DELETE FROM record WHERE seq = ?", ((seq,) for seq in hidden.records))
        new.execute("DELETE FROM head")
        new.execute("INSERT INTO head SELECT customer, filing, max(seq) FROM entry GROUP BY customer, filing")
        new.execute("DELETE FROM filing WHERE id NOT IN (SELECT filing FROM entry)")
        new.commit()
