"""Reads the table of belief cases into records and questions; a field it does not know is refused."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from hub.facts import (
    Arbitration,
    Author,
    Cardinality,
    Claim,
    Described,
    Entity,
    Hide,
    Interval,
    Mode,
    Precision,
    Record,
    Relation,
    Value,
    ValueKey,
    Withdraw,
    value_key,
)
from hub.play.beliefs import NONE, SAME_AS, Slot

TABLE = Path(__file__).parent / "cases" / "beliefs.yaml"
RELATION, OPPOSITE = "holds", "holds_not"
CUSTOMER = "customer"
NOTHING = "nothing"

CASE = set("id many arbitration owner trust ttl entries asks".split())
ACTED = set("by label operator".split())
SAID = set("from to open settles mode implied noticed told by label about of opposite".split())
ENTRY = {
    "says": {"says"} | SAID,
    "denies": {"denies"} | SAID,
    "same": {"same", "denied"} | SAID,
    "withdraw": {"withdraw"} | ACTED,
    "hide": {"hide"} | ACTED,
    "correct": {"correct", "says", "by", "label"},
}
ASK = set("at known sees of holds contested expired from to named then all".split())


@dataclass(frozen=True)
class Filed:
    record: Record
    label: str


@dataclass(frozen=True)
class Case:
    id: str
    filed: Sequence[Filed]
    registry: Mapping[str, Relation]
    trust: Mapping[str, float]
    asks: Sequence[Mapping[str, Any]]

    def seen(self, ask: Mapping[str, Any]) -> list[Record]:
        return [f.record for f in self.filed if "sees" not in ask or f.label in ask["sees"]]

    def slot(self, ask: Mapping[str, Any], value: Value | Entity | None = None) -> Slot:
        return Slot(ask.get("of", CUSTOMER), RELATION, value)

    def values(self) -> list[Value | Entity]:
        """Every value anybody speaks of, once."""
        claims = [f.record for f in self.filed if isinstance(f.record, Claim) and f.record.relation != SAME_AS]
        spoken = [c.obj or c.value for c in claims]
        return list({value_key(v): v for v in spoken if v is not None}.values())


def read_cases() -> list[Case]:
    return [_case(raw) for raw in yaml.safe_load(TABLE.read_text("utf-8"))]


def key(raw: object) -> ValueKey:
    """The key of a value as the table writes it."""
    value = meant(raw)
    return NONE if value is None else value_key(value)


def meant(raw: object) -> Value | Entity | None:
    if raw == NOTHING:
        return None
    if isinstance(raw, dict):
        return _thing(raw["thing"])
    assert isinstance(raw, str | int | float)
    return raw


def _case(raw: dict[str, Any]) -> Case:
    _known(raw, CASE, raw["id"])
    for ask in raw["asks"]:
        _known(ask, ASK, raw["id"])
    owner = raw.get("owner", "home")
    relation = Relation(
        RELATION,
        owner,
        cardinality=Cardinality.MANY if raw.get("many") else Cardinality.ONE,
        arbitration=Arbitration(raw.get("arbitration", "latest")),
        ttl=raw.get("ttl"),
        opposite=OPPOSITE,
    )
    registry = [relation, Relation(OPPOSITE, owner, opposite=RELATION), Relation(SAME_AS, "nobody")]
    filed: list[Filed] = []
    for number, entry in enumerate(raw["entries"], 1):
        filed += _filed(entry, number, filed)
    trust = dict.fromkeys(["home", "travel", "bank", "repair", "desk"], 0.5) | raw.get("trust", {})
    return Case(raw["id"], filed, {r.name: r for r in registry}, trust, raw["asks"])


def _known(raw: Mapping[str, Any], fields: set[str], where: str) -> None:
    assert not raw.keys() - fields, f"unknown in `{where}`: {raw.keys() - fields}"


def _filed(entry: dict[str, Any], number: int, before: Sequence[Filed]) -> list[Filed]:
    kind = next(k for k in ("correct", "withdraw", "hide", "same", "denies", "says") if k in entry)
    _known(entry, ENTRY[kind], str(entry))
    if kind == "correct":
        records = _correction(entry, number, before)
    elif kind in ("withdraw", "hide"):
        records = [_act(entry, number, Withdraw if kind == "withdraw" else Hide, entry[kind])]
    else:
        records = [_claim(entry, number)]
    return [Filed(record, entry.get("label", "common")) for record in records]


def _author(entry: Mapping[str, Any]) -> Author:
    domain = entry.get("by", "home")
    return Author(f"{domain}_agent", domain)


def _id(number: int) -> str:
    return f"entry_{number}"


def _act(entry: Mapping[str, Any], number: int, kind: type[Withdraw] | type[Hide], target: int) -> Withdraw | Hide:
    return kind(
        id=_id(number),
        seq=number * 2,
        recorded_at=number,
        author=_author(entry),
        target=_id(target),
        as_operator=entry.get("operator", False),
    )


def _correction(entry: Mapping[str, Any], number: int, before: Sequence[Filed]) -> list[Record]:
    wrong = next(f.record for f in before if f.record.id == _id(entry["correct"]))
    assert isinstance(wrong, Claim)
    right = Claim(
        id=_id(number),
        seq=number * 2 + 1,
        recorded_at=number,
        author=_author(entry),
        subject=wrong.subject,
        relation=wrong.relation,
        value=entry["says"],
        interval=wrong.interval,
        start_given=wrong.start_given,
        end_given=wrong.end_given,
        mode=wrong.mode,
        mode_given=wrong.mode_given,
        said_at=wrong.said_at,
    )
    withdrawal = Withdraw(id=f"w{number}", seq=number * 2, recorded_at=number, author=right.author, target=wrong.id)
    return [withdrawal, right]


def _thing(name: str) -> Entity:
    return Entity(name, "thing", name)


def _claim(entry: Mapping[str, Any], number: int) -> Claim:
    subject, relation, said = _told(entry)
    day = entry.get("about")
    return Claim(
        id=_id(number),
        seq=number * 2,
        recorded_at=number,
        author=_author(entry),
        subject=_thing(subject),
        relation=relation,
        value=None if isinstance(said, Entity) else said,
        obj=said if isinstance(said, Entity) else None,
        negated="denies" in entry or said is None or entry.get("denied", False),
        interval=Interval(entry.get("from", 0), entry.get("to")),
        start_given=not entry.get("noticed", False),
        end_given="to" in entry or entry.get("open", False),
        mode=Mode(entry.get("mode", "state")),
        mode_given="mode" in entry and not entry.get("implied", False),
        settles=entry.get("settles", False),
        on=None if day is None else Described(day, Precision.DAY),
        said_at=entry.get("told", number),
    )


def _told(entry: Mapping[str, Any]) -> tuple[str, str, Value | Entity | None]:
    if "same" in entry:
        one, other = entry["same"]
        return one, SAME_AS, _thing(other)
    relation = OPPOSITE if entry.get("opposite") else RELATION
    return entry.get("of", CUSTOMER), relation, meant(entry["denies"] if "denies" in entry else entry["says"])
