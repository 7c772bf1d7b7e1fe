"""Real dialogues through the hub: what changed is superseded, what may cross crosses, and what is private never does.

    python -m bench.dialogues PATH [--json] [--limit N]

PATH is a (gzipped) JSONL file of dialogues in the form of the README: Schema-Guided Dialogue or MultiWOZ, converted to
turns and events. Every service's agent writes its facts turn by turn; ten dialogues make one customer, a month apart.
Each private value carries a canary; then every other agent is probed on every road at many points in time, once with
the shipped policy and once with a policy that lets everybody read everything, which the same probes must notice.
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
import json
import random
import re
import statistics
import sys
import time as wall
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from tempfile import TemporaryDirectory

from rich.console import Console
from rich.progress import Progress
from rich.table import Table

from bench import a_file
from hub.clock import SimulatedClock
from hub.codec import encode
from hub.errors import Missing
from hub.facts import Instant
from hub.hub import Agent, Hub, shipped
from hub.moments import DAY, MINUTE, as_datetime, instant

PER_CUSTOMER = 10
MONTH = 30 * DAY
START = instant("2024-01-01T09:00:00Z")
PRIVATE_DOMAINS = frozenset({"health", "finance", "hospital", "police", "bank"})
PRIVATE_SLOTS = frozenset(
    {"phone_number", "recipient_name", "visit_date", "alarm_time", "pickup_location", "street_address"}
)
OPEN_POLICY = "p, *, *, *, *, *, *, allow\n"
CANARY = re.compile(r"kn[0-9a-f]{12}")


@dataclass(frozen=True)
class Event:
    """One fact of a dialogue: `carried` are the (agent, service, slot) it was taken over from."""

    turn: int
    domain: str
    service: str
    slot: str
    value: str
    update: bool
    carried: tuple[tuple[str, str, str], ...]

    @property
    def relation(self) -> str:
        return relation(self.domain, self.slot)

    @property
    def private(self) -> bool:
        return private(self.domain, self.slot)


@dataclass(frozen=True)
class Dialogue:
    id: str
    turns: tuple[str, ...]
    events: tuple[Event, ...]


@dataclass(frozen=True)
class Written:
    """A private value as it lies in the hub, and how to ask for it."""

    customer: str
    domain: str
    fact_id: str
    canary: str
    query: str
    at: Instant


@dataclass
class Found:
    """What one run saw; rates are (kept, asked)."""

    claims: int = 0
    write_seconds: float = 0.0
    updates_now: list[bool] = field(default_factory=list)
    updates_before: list[bool] = field(default_factory=list)
    carried: list[bool] = field(default_factory=list)
    own: list[bool] = field(default_factory=list)
    probes: dict[str, int] = field(default_factory=dict)
    leaks: dict[str, int] = field(default_factory=dict)
    recall_ms: list[float] = field(default_factory=list)


def relation(domain: str, slot: str) -> str:
    return f"{domain}_{slot}".replace("-", "_").replace(" ", "_")


def private(domain: str, slot: str) -> bool:
    return domain in PRIVATE_DOMAINS or slot in PRIVATE_SLOTS


# --- reading -----------------------------------------------------------------------------------------------------


def dialogues(path: Path) -> Iterator[Dialogue]:
    with gzip.open(path, "rt", encoding="utf-8") if path.suffix == ".gz" else path.open(encoding="utf-8") as lines:
        for line in lines:
            read = json.loads(line)
            turns = tuple(turn if isinstance(turn, str) else turn[1] for turn in read["turns"])
            yield Dialogue(read["id"], turns, tuple(_event(e) for e in read["events"]))


def _event(read: dict[str, object]) -> Event:
    domain = _domain(str(read["agent"]))
    carried = read.get("carried_from") or []
    assert isinstance(carried, list)
    return Event(
        turn=int(str(read["turn"])),
        domain=domain,
        service=str(read.get("service") or domain),
        slot=str(read["slot"]),
        value=str(read["value"]),
        update=read["op"] == "update",
        carried=tuple(_carried(c) for c in carried),
    )


def _carried(read: dict[str, str] | list[str]) -> tuple[str, str, str]:
    if isinstance(read, dict):
        return _domain(read["agent"]), read["service"], read["slot"]
    return _domain(read[0]), _domain(read[0]), read[1]


def _domain(agent: str) -> str:
    return agent.split("/")[0]


# --- the bench's own registry and policy -------------------------------------------------------------------------


def registry(events: Iterable[Event]) -> str:
    """Everything is shared by default; health and finance, and a few slots elsewhere, are private."""
    known = {(e.domain, e.slot) for e in events} | {(d, s) for e in events for d, _, s in e.carried}
    lines = ["classes: {preference: 365d}", "relations:"]
    for domain, slot in sorted(known):
        scope = "private" if private(domain, slot) else "shared"
        lines.append(f"  {relation(domain, slot)}:")
        lines.append(f"    {{cardinality: one, arbitration: latest, owner: {domain}, scope: {scope},")
        lines.append(f"     class: preference, label: {{en: {json.dumps(slot.replace('_', ' '))}}}}}")
    return "\n".join(lines) + "\n"


def policy(domains: Iterable[str], *, door: bool) -> str:
    text = (shipped("policies") / "policy.csv").read_text(encoding="utf-8")
    granted = "".join(f"g, {d}, shared-reader, *\n" for d in sorted(domains) if f"g, {d}, shared-reader" not in text)
    return text + granted + ("" if door else OPEN_POLICY)


# --- writing -----------------------------------------------------------------------------------------------------


class Run:
    """One pass over all dialogues, with the door as shipped or wide open."""

    def __init__(self, folder: Path, talks: list[Dialogue], *, door: bool, seed: int) -> None:
        events = [e for talk in talks for e in talk.events]
        self.talks = talks
        self.domains = sorted({e.domain for e in events})
        self.clock = SimulatedClock(START)
        self.found = Found()
        self.written: list[Written] = []
        self._home: dict[str, set[str]] = {}
        self.random = random.Random(seed)
        (folder / "policy.csv").write_text(policy(self.domains, door=door), encoding="utf-8")
        (folder / "model.conf").write_text((shipped("policies") / "model.conf").read_text("utf-8"), encoding="utf-8")
        (folder / "relations.yaml").write_text(registry(events), encoding="utf-8")
        self.hub = Hub.open(folder / "memory.db", policies=folder, clock=self.clock)
        self.agents = {domain: self.hub.agent(f"{domain}-agent", domain=domain) for domain in self.domains}

    def write(self, progress: Progress) -> None:
        """A month at a time, so that the customers' dialogues interleave as they would in life."""
        task = progress.add_task("writing", total=len(self.talks))
        for month in range(PER_CUSTOMER):
            self.clock.set(max(self.clock.now(), START + month * MONTH))
            for number, talk in enumerate(self.talks):
                if number % PER_CUSTOMER == month:
                    self._talk(f"customer-{number // PER_CUSTOMER:03}", talk)
                    progress.advance(task)

    def _talk(self, customer: str, talk: Dialogue) -> None:
        held: dict[tuple[str, str], tuple[str, int]] = {}  # (service, slot) -> (value as written, turn)
        for turn, text in enumerate(talk.turns):
            self.clock.advance(MINUTE)
            events = [e for e in talk.events if e.turn == turn]
            for domain in dict.fromkeys(e.domain for e in events):
                self._turn(customer, talk, text, [e for e in events if e.domain == domain], held)

    def _turn(
        self,
        customer: str,
        talk: Dialogue,
        text: str,
        events: list[Event],
        held: dict[tuple[str, str], tuple[str, int]],
    ) -> None:
        agent = self.agents[events[0].domain]
        self._check_carried(customer, talk, agent, events, held)
        before = self.clock.now() - 1
        values = [self._value(talk, number, event) for number, event in enumerate(events)]
        facts = [_fact(talk, event, value) for event, value in zip(events, values, strict=True)]
        began = wall.perf_counter()
        answer = agent.remember(text, facts=facts, customer=customer)
        self.found.write_seconds += wall.perf_counter() - began
        self.found.claims += len(facts)
        for event, value, receipt in zip(events, values, answer.facts, strict=True):
            if event.private:
                query = f"{event.slot.replace('_', ' ')} {event.value}"
                canary = CANARY.findall(value)[0]
                self.written.append(Written(customer, event.domain, receipt.id, canary, query, self.clock.now()))
        last = {(e.service, e.slot): value for e, value in zip(events, values, strict=True)}
        for (service, slot), value in last.items():
            event = next(e for e in events if (e.service, e.slot) == (service, slot))
            if event.update and (service, slot) in held:
                self._check_update(customer, talk, agent, event, held[service, slot][0], value, before)
            held[service, slot] = (value, event.turn)

    def _value(self, talk: Dialogue, number: int, event: Event) -> str:
        if not event.private:
            return event.value
        seed = f"{talk.id} {event.turn} {number} {event.service} {event.slot} {event.value}"
        return f"{event.value} kn{hashlib.sha256(seed.encode()).hexdigest()[:12]}"

    def _check_update(
        self, customer: str, talk: Dialogue, agent: Agent, event: Event, old: str, new: str, before: Instant
    ) -> None:
        name = entity(talk, event.service)
        self.found.updates_now.append(believed(agent, customer, name, event.relation, None) == new)
        self.found.updates_before.append(believed(agent, customer, name, event.relation, before) == old)

    def _check_carried(
        self,
        customer: str,
        talk: Dialogue,
        agent: Agent,
        events: list[Event],
        held: dict[tuple[str, str], tuple[str, int]],
    ) -> None:
        for event in events:
            for domain, service, slot in event.carried:
                value, turn = held.get((service, slot), ("", event.turn))
                if domain == event.domain or private(domain, slot) or turn >= event.turn:
                    continue
                seen = believed(agent, customer, entity(talk, service), relation(domain, slot), None)
                self.found.carried.append(seen == value)

    # --- probing -------------------------------------------------------------------------------------------------

    def probe(self, progress: Progress) -> None:
        """Every private value by id and by question, and everything else there is to see, by every other agent."""
        self._home = {d: {w.canary for w in self.written if w.domain == d} for d in self.domains}
        customers = sorted({w.customer for w in self.written})
        task = progress.add_task("probing", total=len(self.written) + len(customers))
        for secret in self.written:
            for domain in self.domains:
                self._ask_for(secret, domain)
            progress.advance(task)
        for customer in customers:
            for domain in self.domains:
                for when in [None, *(self._some_time() for _ in range(11))]:
                    self._look_around(customer, domain, when)
            progress.advance(task)

    def _some_time(self) -> Instant:
        return self.random.randrange(START, self.clock.now())

    def _ask_for(self, secret: Written, domain: str) -> None:
        agent = self.agents[domain]
        for when in (None, self.random.randrange(secret.at, self.clock.now())):
            began = wall.perf_counter()
            answer = agent.recall(secret.query, customer=secret.customer, as_of=_moment(when), include_past=True)
            self.found.recall_ms.append((wall.perf_counter() - began) * 1000)
            self._judge("recall", domain, encode(answer))
            try:
                self._judge("by id", domain, encode(agent.fact(secret.fact_id, as_of=_moment(when))))
            except Missing as error:
                self._judge("by id", domain, str(error).encode())
        if domain == secret.domain:
            found = agent.recall(secret.query, customer=secret.customer, as_of=_moment(secret.at), limit=10)
            by_id = encode(agent.fact(secret.fact_id)).decode()
            self.found.own.append(secret.canary in by_id and bool(found.memories))

    def _look_around(self, customer: str, domain: str, when: Instant | None) -> None:
        agent = self.agents[domain]
        self._judge("profile", domain, encode(agent.profile(customer=customer, as_of=_moment(when), limit=1000)))
        self._judge("timeline", domain, encode(agent.timeline(customer=customer, as_of=_moment(when), limit=1000)))
        self._judge("graph", domain, encode(agent.graph(customer=customer, as_of=_moment(when))))

    def _judge(self, road: str, domain: str, answer: bytes) -> None:
        """A leak is an answer that holds any canary of another domain."""
        home = self._home[domain]
        self.found.probes[road] = self.found.probes.get(road, 0) + 1
        if any(canary not in home for canary in CANARY.findall(answer.decode())):
            self.found.leaks[road] = self.found.leaks.get(road, 0) + 1


def _fact(talk: Dialogue, event: Event, value: str) -> dict[str, object]:
    subject = {"kind": event.service.split("_")[0].lower(), "name": entity(talk, event.service)}
    fact: dict[str, object] = {"subject": subject, "relation": event.relation, "value": value}
    return fact | ({"mode": "change"} if event.update else {})


def entity(talk: Dialogue, service: str) -> str:
    return f"{service} {talk.id}"


def believed(agent: Agent, customer: str, name: str, relation_name: str, when: Instant | None) -> object:
    """What the agent holds current in one slot, now or as of then."""
    answer = agent.timeline(customer=customer, subject=name, relation=relation_name, as_of=_moment(when))
    current = [m.value for slot in answer.slots for m in slot.intervals if m.status == "current"]
    return current[0] if len(current) == 1 else None


def _moment(when: Instant | None) -> datetime | None:
    return None if when is None else as_datetime(when)


# --- reporting ---------------------------------------------------------------------------------------------------


def run(talks: list[Dialogue], *, door: bool, seed: int, progress: Progress) -> Found:
    with TemporaryDirectory(prefix="bench-") as folder:
        passing = Run(Path(folder), talks, door=door, seed=seed)
        with passing.hub:
            passing.write(progress)
            passing.probe(progress)
        return passing.found


def report(shut: Found, opened: Found) -> dict[str, object]:
    recalls = sorted(shut.recall_ms)
    return {
        "claims": shut.claims,
        "claims_per_second": round(shut.claims / shut.write_seconds, 1),
        "recall_ms_p50": round(statistics.median(recalls), 3),
        "recall_ms_p95": round(recalls[int(len(recalls) * 0.95)], 3),
        "updates_current": _rate(shut.updates_now),
        "updates_as_of_before": _rate(shut.updates_before),
        "carried_readable": _rate(shut.carried),
        "private_found_by_its_own_domain": _rate(shut.own),
        "probes": {**shut.probes, "all": sum(shut.probes.values())},
        "leaks": {road: shut.leaks.get(road, 0) for road in shut.probes},
        "leaks_with_the_door_open": {road: opened.leaks.get(road, 0) for road in opened.probes},
    }


def _rate(kept: list[bool]) -> str:
    return f"{sum(kept)}/{len(kept)}"


def reached(shut: Found, opened: Found) -> bool:
    """Whether every promise was kept, and the same probes noticed the open door on every road."""
    rates = [shut.updates_now, shut.updates_before, shut.carried, shut.own]
    noticed = all(opened.leaks.get(road, 0) > 0 for road in shut.probes)
    return all(all(rate) and rate for rate in rates) and not shut.leaks and noticed


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.dialogues", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("path", type=a_file, help="dialogues as JSON, a line each")
    parser.add_argument("--limit", type=int, default=None, help="only so many dialogues")
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--json", action="store_true")
    asked = parser.parse_args(arguments)
    talks = list(dialogues(asked.path))[: asked.limit]
    console = Console(stderr=True)
    with Progress(console=console) as progress:
        shut = run(talks, door=True, seed=asked.seed, progress=progress)
        opened = run(talks, door=False, seed=asked.seed, progress=progress)
    figures = report(shut, opened)
    if asked.json:
        print(json.dumps(figures, indent=2))
    else:
        Console().print(_table(figures))
    return 0 if reached(shut, opened) else 1


def _table(figures: dict[str, object]) -> Table:
    table = Table("figure", "value", title="Real dialogues")
    for name, value in figures.items():
        rows = value.items() if isinstance(value, dict) else [("", value)]
        for part, figure in rows:
            table.add_row(f"{name.replace('_', ' ')} {part}".strip(), str(figure))
    return table


if __name__ == "__main__":
    sys.exit(main())
