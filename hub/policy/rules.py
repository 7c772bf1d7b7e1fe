"""The text of a policy, read strictly: rules and grants, or every line at fault."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

from hub.errors import Incorrect
from hub.facts import Scope

MAX_RULES = 200
MAX_LINES = 2_000
MAX_NAME = 100
AGENT = "agent:"
"""How a policy names one agent."""
HELD_BY_THEMSELVES = frozenset({"owner", "told"})
ROLES = HELD_BY_THEMSELVES | {"shared-reader", "auditor", "operator"}
"""The roles with a meaning of their own; no domain may bear such a name."""

_NAME = re.compile(r"\w[\w.:/-]*")
_HIDDEN = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
"""Categories of characters that do not show, or end a line for some readers and not for others."""


class Act(StrEnum):
    READ = "read"
    WRITE = "write"
    SHARE = "share"
    FORGET = "forget"
    ERASE = "erase"
    RELABEL = "relabel"
    DECIDE = "decide"
    INSPECT = "inspect"
    CONSENT = "consent"


@dataclass(frozen=True, slots=True)
class Subject:
    """Who asks: an agent and its home domain, both as the hub knows them, never as a request names them."""

    agent: str
    domain: str

    @property
    def is_fit(self) -> bool:
        """A home called like a role, or like an agent, would hold what is granted to those."""
        return bool(self.agent and self.domain) and _domain_fault(self.domain) is None


class Rule(NamedTuple):
    number: int
    text: str
    role: str
    owner: str
    scope: str
    relation: str
    act: str
    purpose: str
    eft: str

    @property
    def cells(self) -> tuple[str, ...]:
        return (self.role, self.owner, self.scope, self.relation, self.act, self.purpose, self.eft)


class Grant(NamedTuple):
    number: int
    text: str
    subject: str
    role: str
    owner: str

    @property
    def cells(self) -> tuple[str, ...]:
        return (self.subject, self.role, self.owner)


class _Row(NamedTuple):
    number: int
    text: str
    cells: tuple[str, ...]


Fault = tuple[int, str]
"""A line's number, and what is wrong with it."""


def read(text: str) -> tuple[tuple[Rule, ...], tuple[Grant, ...]]:
    """Raises Incorrect `bad_policy`, naming every line at fault."""
    lines = text.split("\n")
    if len(lines) > MAX_LINES:
        raise bad_policy(f"it has {len(lines)} lines, {MAX_LINES} are allowed")
    rows = list(_rows(lines))
    faults = [*_hidden_characters(lines), *(f for row in rows for f in _row_faults(row)), *_repetitions(rows)]
    if not faults:
        faults = list(_cycles([Grant(row.number, row.text, *row.cells[1:]) for row in rows if row.cells[0] == "g"]))
    if faults:
        raise bad_policy("; ".join(f"line {number}: {why}" for number, why in sorted(faults)), f"line {min(faults)[0]}")
    rules = tuple(Rule(row.number, row.text, *row.cells[1:]) for row in rows if row.cells[0] == "p")
    grants = tuple(Grant(row.number, row.text, *row.cells[1:]) for row in rows if row.cells[0] == "g")
    if not rules:
        raise bad_policy("it holds no `p` line, so that nobody could do anything")
    if len(rows) > MAX_RULES:
        raise bad_policy(f"it holds {len(rows)} rules and grants, {MAX_RULES} are allowed")
    return rules, grants


def bad_policy(why: str, where: str | None = None) -> Incorrect:
    return Incorrect(
        "bad_policy",
        f"the policy cannot be used: {why}",
        "mend it and hand it in again; the policy in force stays as it is",
        where=where,
    )


def _rows(lines: Iterable[str]) -> Iterator[_Row]:
    for number, line in enumerate(lines, 1):
        text = line.removesuffix("\r").strip(" \t")
        if text and not text.startswith("#"):
            yield _Row(number, text, tuple(cell.strip(" \t") for cell in text.split(",")))


def _hidden_characters(lines: Iterable[str]) -> Iterator[Fault]:
    for number, line in enumerate(lines, 1):
        for character in sorted(set(line.removesuffix("\r")) - {"\t"}):
            if unicodedata.category(character) in _HIDDEN:
                yield number, f"the character U+{ord(character):04X} is not allowed, in comments neither"


def _row_faults(row: _Row) -> Iterator[Fault]:
    kind, *cells = row.cells
    columns = _COLUMNS.get(kind)
    if columns is None:
        yield row.number, f"a line starts with `p` or `g`, not with {_shown(kind)}"
    elif len(cells) != len(columns):
        yield row.number, f"`{kind}` takes {len(columns)} fields ({', '.join(columns)}), here are {len(cells)}"
    else:
        for (column, fault_of), cell in zip(columns.items(), cells, strict=True):
            if fault := fault_of(cell):
                yield row.number, f"{column} {_shown(cell)} {fault}"
        if kind == "g" and cells[0] == cells[1]:
            yield row.number, f"{_shown(cells[0])} is granted to itself"


def _repetitions(rows: Iterable[_Row]) -> Iterator[Fault]:
    first: dict[tuple[str, ...], int] = {}
    for row in rows:
        if first.setdefault(row.cells, row.number) != row.number:
            yield row.number, f"says the same as line {first[row.cells]}"


def _cycles(grants: list[Grant]) -> Iterator[Fault]:
    """Grants that lead back to where they start, within what is granted over one owner."""
    caught = set[int]()
    for owner in {grant.owner for grant in grants}:
        held = within(grants, owner)
        caught |= {grant.number for grant in held if grant.subject in reached({grant.role}, held)}
    for grant in grants:
        if grant.number in caught:
            yield grant.number, f"{_shown(grant.role)} comes back to {_shown(grant.subject)} through other grants"


def within(grants: Iterable[Grant], owner: str) -> list[Grant]:
    """The grants that hold over one owner's labels."""
    return [grant for grant in grants if grant.owner in ("*", owner)]


def reached(names: Iterable[str], grants: Iterable[Grant]) -> set[str]:
    """The names, and every role they hold through any number of grants."""
    found, ahead = set[str](), list(names)
    while ahead:
        found.add(name := ahead.pop())
        ahead += [grant.role for grant in grants if grant.subject == name and grant.role not in found]
    return found


def _shown(text: str) -> str:
    """Safe to print: what a policy's author typed may be anything."""
    short = text if len(text) <= 40 else f"{text[:40]}…"
    return "`" + "".join(c if c.isprintable() else f"\\u{ord(c):04x}" for c in short) + "`"


# --- what may stand in a column: None, or what is wrong -------------------------------------------------------------

_Check = Callable[[str], str | None]


def _name_fault(name: str) -> str | None:
    if not name:
        return "is empty"
    if len(name) > MAX_NAME:
        return f"is longer than {MAX_NAME} characters"
    if not _NAME.fullmatch(name) or name == AGENT:
        return "is no name: a letter, digit or `_`, then also `- . : /`"
    if unicodedata.normalize("NFKC", name) != name:
        return "is not in Unicode's form NFKC, so it would match nothing"
    return None


def _domain_fault(name: str) -> str | None:
    if name == "*" or name in ROLES:
        return "is a role, not a domain"
    return "is an agent, not a domain" if name.startswith(AGENT) else None


def _owner_fault(name: str) -> str | None:
    return _name_fault(name) or _domain_fault(name)


def _subject_fault(name: str) -> str | None:
    if name in HELD_BY_THEMSELVES:
        return "passes nothing on; write a `p` line for it"
    return _name_fault(name)


def _granted_fault(name: str) -> str | None:
    if name in HELD_BY_THEMSELVES:
        return "holds by itself, nobody can be granted it"
    return "is an agent, not a role" if name.startswith(AGENT) else _name_fault(name)


def _one_of(*words: str) -> _Check:
    return lambda cell: None if cell in words else f"is none of {', '.join(words)}"


def _or_any(check: _Check) -> _Check:
    return lambda cell: None if cell == "*" else check(cell)


_COLUMNS: dict[str, dict[str, _Check]] = {
    "p": {
        "role": _or_any(_name_fault),
        "owner": _or_any(_owner_fault),
        "scope": _or_any(_one_of(*Scope)),
        "relation": _or_any(_name_fault),
        "act": _or_any(_one_of(*Act)),
        "purpose": _or_any(_name_fault),
        "eft": _one_of("allow", "deny"),
    },
    "g": {"subject": _subject_fault, "role": _granted_fault, "owner": _or_any(_owner_fault)},
}
