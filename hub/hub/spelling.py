"""Names that operators give, held against those in use: one that nobody has heard of, but almost, is misspelt."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from difflib import get_close_matches

from hub.door import Door
from hub.errors import Incorrect, Missing
from hub.hub.cast import DEMO_AGENTS
from hub.policy import AGENT, HELD_BY_THEMSELVES, ROLES

AGENTS = "`hub agent list` says who there is (`GET /v1/admin/agents`)"
"""What to do about an agent that is not there."""

NEW_NAMES = "mend it, or say `new_names` (`--new-names`) if it is meant as it is spelt"

_LIKENESS = 0.8
"""From here on, of difflib's ratio, two names are one with a slip in it, if they begin alike."""


@dataclass(frozen=True, slots=True)
class InUse:
    """What the policy in force, the registry and the agents at work have names for."""

    domains: frozenset[str]
    roles: frozenset[str]
    purposes: frozenset[str]
    relations: frozenset[str]


def in_use(door: Door) -> InUse:
    rules, bound = door.rules(), door.bindings()
    policy, registry = rules.policy, rules.registry
    subjects = {subject for subject in policy.subjects if not subject.startswith(AGENT)}
    owners = {relation.owner for relation in registry.relations.values()} | {p.owner for p in registry.promotions}
    homes = {binding.domain for binding in bound} | {domain for domain, _ in DEMO_AGENTS.values()}
    owned, named = policy.named
    return InUse(
        domains=frozenset(filter(None, subjects | owners | homes | owned)) - ROLES,
        roles=frozenset(subjects | policy.roles | ROLES) - HELD_BY_THEMSELVES,
        purposes=policy.purposes | {purpose for binding in bound for purpose in binding.purposes},
        relations=frozenset(registry.relations) | {p.relation for p in registry.promotions} | named,
    )


def close_to(name: str, known: Iterable[str]) -> str | None:
    """The one that was most likely meant, if any was."""
    alike = [other for other in known if other[:1] == name[:1]]
    return next(iter(get_close_matches(name, alike, 1, _LIKENESS)), None)


def no_agent(name: str, door: Door, kind: str = "agent") -> Missing:
    """There is none of that name, and who is close to it."""
    bound = door.bindings()
    close = close_to(name, {binding.agent for binding in bound} | {binding.domain for binding in bound})
    meant = "" if close is None else f"; did you mean `{close}`?"
    return Missing("not_found", f"there is no {kind} `{name[:60]}`{meant}", AGENTS)


def refuse_misspelt(kind: str, name: str | None, known: Collection[str], fix: str | None = None) -> None:
    """Raises Incorrect `misspelt` for a name that is not known, if one like it is."""
    close = None if name is None or name in known else close_to(name, known)
    if close is not None:
        message = f"no {kind} is called `{name}`; did you mean `{close}`?"
        raise Incorrect("misspelt", message, fix or f"say `{close}`", where=kind)


def refuse_unknown_roles(roles: Iterable[str], known: Collection[str]) -> None:
    """Raises Incorrect `unknown_role` for one that no line of the policy gives any meaning to."""
    for role in roles:
        if role not in known:
            close = close_to(role, known)
            meant = "" if close is None else f"; did you mean `{close}`?"
            fix = "say auditor, operator, or a role that a line of the policy names"
            raise Incorrect("unknown_role", f"no policy line knows the role `{role[:60]}`{meant}", fix, where="roles")
