"""A door on a ledger of its own: the shipped rules, the six demo agents, and a clock that only commits move."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from itertools import count
from pathlib import Path

from hub.answers import ActReceipt, FactReceipt, Remembered
from hub.clock import SimulatedClock
from hub.codec import decode
from hub.door import Act, Desk, Door, Rules
from hub.facts import AsOf, Binding, Claim, Entity, Instant, Label, Scope, Value
from hub.ledger import Ledger, Version
from hub.moments import instant
from hub.policy import Policy
from hub.registry import Registry, read_amendment
from hub.remember import acts, remember
from hub.requests import Act as Asked
from hub.requests import Correct, Remember, checked
from hub.view import View

POLICIES = Path(__file__).parent.parent / "policies"
MODEL = (POLICIES / "model.conf").read_text(encoding="utf-8")
POLICY = (POLICIES / "policy.csv").read_text(encoding="utf-8")
RELATIONS = (POLICIES / "relations.yaml").read_text(encoding="utf-8")
WORDS = (POLICIES / "words.yaml").read_text(encoding="utf-8")
START = instant("2026-07-01T09:00:00Z")
CUSTOMER = "kim"
AGENTS = {
    "mia": ("personal", ()),
    "kai": ("repair", ()),
    "atlas": ("travel", ("meal", "booking")),
    "sage": ("health", ()),
    "penny": ("finance", ()),
    "nova": ("shopping", ()),
    "admin": ("operations", ()),
}


@lru_cache
def _parsed(model: str, policy: str, relations: str, promotions: str) -> tuple[Policy, Registry]:
    registry = Registry.read(relations, "relations.yaml", WORDS)
    known = map(read_amendment, decode(promotions, list[dict[str, str | None]]))
    return Policy.parse(model, policy), registry.with_amendments(known)


def read_once(version: Version) -> Rules:
    """As a door reads a version, but the same texts only once for all scenes."""
    return Rules(version, *_parsed(version.model, version.policy, version.relations, version.promotions))


class Scene:
    """One hub's floors up to remembering, without the hub: who says what at the door, and who can see it."""

    def __init__(self, path: Path, *, policy: str = POLICY, relations: str = RELATIONS, clock: object = None) -> None:
        self.clock = clock or SimulatedClock(START)
        self.path = path
        self.ledger = Ledger(path, self.clock)
        self._numbers = count(1)
        self.door = self._door(self.ledger)
        self.version = Version(model=MODEL, policy=policy, relations=relations, author="hub", reason="shipped")
        with self.ledger.writing() as writing:
            if writing.state.version == 0:
                writing.version(self.version)
                for agent, (domain, purposes) in AGENTS.items():
                    writing.bind(Binding(agent=agent, domain=domain, purposes=purposes, recorded_at=writing.now))

    def _door(self, ledger: Ledger) -> Door:
        door = Door(ledger, WORDS, self._new_id)
        door._rulebook._read = read_once
        return door

    def _new_id(self, kind: str) -> str:
        return f"{kind}_{next(self._numbers)}"

    def close(self) -> None:
        self.ledger.close()

    @contextmanager
    def second_door(self) -> Iterator[Door]:
        """What another process would look through: nothing kept, the same file."""
        ledger = Ledger(self.path, self.clock)
        yield self._door(ledger)
        ledger.close()

    def cold(self, agent: str, known_at: Instant | None = None, **more: str) -> list[tuple[object, ...]]:
        """All that a door that has kept nothing gives away."""
        as_of = None if known_at is None else AsOf(known_at, known_at)
        with self.second_door() as door:
            return everything(door.look(agent, CUSTOMER, as_of, **more))

    # --- rules ---------------------------------------------------------------------------------------------------

    def bind(self, agent: str, domain: str, **more: object) -> None:
        with self.ledger.writing() as writing:
            writing.bind(Binding(agent=agent, domain=domain, recorded_at=writing.now, **more))

    def rule(self, *added: str, without: str = "", policy: str | None = None, promotions: str = "[]") -> None:
        """A new version of the policy: lines added, those with a word left out."""
        lines = [*(policy or POLICY).splitlines(), *added]
        kept = [line for line in lines if not without or without not in line]
        with self.ledger.writing() as writing:
            writing.version(
                Version(
                    model=MODEL,
                    policy="\n".join(kept),
                    relations=self.version.relations,
                    promotions=promotions,
                    author="admin",
                    reason="changed",
                )
            )

    # --- what agents do ------------------------------------------------------------------------------------------

    def remember(
        self, agent: str, *facts: object, text: str | None = None, customer: str = CUSTOMER, **more: object
    ) -> Remembered:
        """Facts are mappings, or (relation, value)."""
        plain = [{"relation": f[0], "value": f[1]} if isinstance(f, tuple) else f for f in facts]
        request = checked(Remember, {"customer": customer, "text": text, "facts": plain, **more})
        with self.door.admit(agent, customer, request.purpose) as desk:
            return remember(
                desk,
                request,
                extractor=None,
            )

    def told(self, agent: str, relation: str, value: object = None, **more: object) -> FactReceipt:
        """One fact that must have been taken; `of` is another customer, `text` the turn it came from."""
        customer, text = str(more.pop("of", CUSTOMER)), more.pop("text", None)
        said = {name: more.pop(name) for name in ("said_at",) if name in more}
        fact = {"relation": relation, **({} if value is None else {"value": value}), **more}
        answer = self.remember(agent, fact, text=text, customer=customer, **said)
        assert not answer.refused, answer.refused
        return answer.facts[0]

    def retract(self, agent: str, record: str, reason: str | None = None) -> ActReceipt:
        with self.desk(agent) as desk:
            return acts.retract(desk, record, reason)

    def correct(self, agent: str, record: str, **fields: object) -> FactReceipt:
        with self.desk(agent) as desk:
            return acts.correct(desk, record, checked(Correct, fields))

    def end(self, agent: str, record: str, at: str | None = None) -> FactReceipt:
        with self.desk(agent) as desk:
            return acts.end(desk, record, checked(Asked, {"at": at}))

    def forget(self, agent: str, record: str) -> ActReceipt:
        with self.desk(agent) as desk:
            return acts.forget(desk, record, None)

    def restore(self, agent: str, record: str) -> ActReceipt:
        with self.desk(agent) as desk:
            return acts.restore(desk, record, None)

    def relabel(self, record: str, scope: Scope, owner: str | None = None, *, by: str = "admin") -> ActReceipt:
        with self.desk(by, act=Act.RELABEL) as desk:
            return acts.relabel(desk, record, scope, owner, None)

    def take_back(self, record: str, *, by: str = "admin") -> ActReceipt:
        with self.desk(by, act=Act.DECIDE) as desk:
            return acts.retract(desk, record, None)

    @contextmanager
    def desk(self, agent: str, customer: str = CUSTOMER, *, act: Act = Act.READ) -> Iterator[Desk]:
        with self.door.admit(agent, customer, act=act) as desk:
            yield desk

    # --- what agents see -----------------------------------------------------------------------------------------

    def look(self, agent: str, known_at: Instant | None = None, *, customer: str = CUSTOMER, **more: str) -> View:
        as_of = None if known_at is None else AsOf(known_at, known_at)
        return self.door.look(agent, customer, as_of, **more)

    def sees(self, agent: str, known_at: Instant | None = None, **more: str) -> set[Value]:
        """The values of every belief of every entity."""
        return values(self.look(agent, known_at, **more))

    def now(self) -> Instant:
        """An instant after everything so far and before everything to come."""
        self.clock.tick()
        at = self.door.now()
        self.clock.tick()
        return at


def said(content: Claim) -> Value:
    return content.obj.name if isinstance(content.obj, Entity) else content.value


def values(view: View) -> set[Value]:
    return {said(belief.claim) for belief in view.beliefs()}


def value(view: View, relation: str, subject: str = "customer") -> Value | None:
    """What a one-valued slot holds."""
    belief = view.believe((subject, relation, None))
    return None if belief is None else said(belief.claim)


def everything(view: View) -> list[tuple[object, ...]]:
    """All a view gives away, in order."""
    return [
        *((row.record, sorted(row.filing)) for row in view.all_rows()),
        *(("belief", belief) for belief in view.beliefs()),
        *(("entity", entity) for entity in view.entities()),
        *(("turn", turn) for turn in view.turns()),
    ]


def label(owner: str, told: str, scope: str, relation: str) -> Label:
    return Label(owner, told, Scope(scope), relation)
