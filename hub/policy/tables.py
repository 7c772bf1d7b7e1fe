"""Assertion tables: what a policy must allow and deny, checked one by one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from hub.documents import Fields, parse
from hub.errors import Incorrect
from hub.facts import Label, Scope
from hub.policy.rules import Act, Subject
from hub.policy.verdicts import Decision, Policy

_KEYS = ("agent", "domain", "owner", "told", "scope", "relation", "act", "purpose", "expect")


class Effect(StrEnum):
    ALLOW = "allow"
    DENY = "deny"


@dataclass(frozen=True, slots=True)
class Failure:
    """An assertion that does not hold; `position` counts from 1 within its table."""

    source: str
    position: int
    assertion: str
    expected: Effect
    decision: Decision

    def __str__(self) -> str:
        line = f": `{self.decision.line}`" if self.decision.line else ""
        wanted = f"expected {self.expected}, but {self.decision.why}{line}"
        return f"{self.source}, assertion {self.position} ({self.assertion}): {wanted}"


@dataclass(frozen=True, slots=True)
class _Assertion:
    text: str
    subject: Subject
    label: Label
    act: Act
    purpose: str | None
    expect: Effect


def check_tables(policy: Policy, table: object, source: str = "table") -> list[Failure]:
    """The assertions of a table that do not hold; `table` is its YAML text, or the list read from it.

    `domain` is the agent's own name unless given, `told` the owner, `act` read, and no purpose.
    Raises Incorrect `bad_table`, or `bad_document` for text that is no YAML.
    """
    items = parse(table, source) if isinstance(table, str) else table
    if not isinstance(items, list) or not items:
        fix = "write a list of `{agent, domain, owner, told, scope, relation, act, purpose, expect}`"
        raise Incorrect("bad_table", f"{source} holds no list of assertions", fix, where=source)
    asserted = [_assertion(item, f"{source}, assertion {number}") for number, item in enumerate(items, 1)]
    return [
        Failure(source, position, it.text, it.expect, policy.explain(it.subject, it.label, it.act, it.purpose))
        for position, it in enumerate(asserted, 1)
        if policy.decide(it.subject, it.label, it.act, it.purpose) != (it.expect is Effect.ALLOW)
    ]


def _assertion(item: object, name: str) -> _Assertion:
    fields = Fields.of(item, name, "bad_table", _KEYS)
    agent, owner = fields.text("agent"), fields.text("owner")
    domain = fields.text("domain") if fields.has("domain") else agent
    told = fields.text("told") if fields.has("told") else owner
    return _Assertion(
        _words(fields.values),
        Subject(agent, domain),
        Label(owner, told, fields.choice("scope", Scope), fields.text("relation")),
        fields.choice("act", Act) if fields.has("act") else Act.READ,
        fields.text("purpose") if fields.has("purpose") else None,
        fields.choice("expect", Effect),
    )


def _words(item: Mapping[str, object]) -> str:
    return ", ".join(f"{key}: {item[key]}" for key in _KEYS if key in item and key != "expect")
