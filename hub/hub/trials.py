"""A policy folder tried out before any hub uses it: its assertion tables, and which line decides."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from hub.documents import parse
from hub.errors import Conflict, Incorrect
from hub.facts import Label, Scope
from hub.hub.cast import DEMO_AGENTS
from hub.hub.spelling import close_to
from hub.policy import AGENT, ROLES, Decision, Failure, Policy, Subject, check_tables, load_folder
from hub.policy import Act as Act
from hub.registry import Registry
from hub.registry.reading import RECORD_KINDS

HOMES = frozenset(domain for domain, _ in DEMO_AGENTS.values())
FILES = ("model.conf", "policy.csv", "relations.yaml")

FIRST_TABLE = """\
# What your policy must allow and deny; `hub policy test` checks every *.test.yaml beside it.
# `domain` is where the agent lives, by default its own name; `told` the domain it was said to, by default the owner;
# `act` is read unless you say write, share, forget, erase, relabel, decide, inspect or consent.

# Whoever owns a fact reads it, and so does whoever was told.
- {agent: sage, domain: health, owner: health, scope: private, relation: allergic_to, expect: allow}
- {agent: nova, domain: shopping, owner: health, told: shopping, scope: private, relation: allergic_to, expect: allow}

# Nobody else does, unless it is for the purpose that a line names.
- {agent: atlas, domain: travel, owner: health, scope: private, relation: allergic_to, expect: deny}
- {agent: atlas, domain: travel, owner: health, scope: private, relation: allergic_to, purpose: meal, expect: allow}

# A domain that no line names reads nothing. Write here what yours may.
- {agent: lex, domain: legal, owner: personal, scope: shared, relation: lives_in, expect: deny}
"""


@dataclass(frozen=True, slots=True)
class Trial:
    """What the tables of one folder said: assertions that held or failed, by file, and names that look misspelt.

    A misspelt name is denied whatever the policy says, so that its assertion can't fail; in a line of the policy it
    stands for nobody.
    """

    tables: dict[str, int]
    failures: tuple[Failure, ...]
    misspelt: tuple[str, ...]


def tried(folder: Path, words: str) -> Trial:
    """Every `*.test.yaml` of the folder against its policy; raises Incorrect if there is none."""
    policy = load_folder(folder)
    registry = Registry.read((folder / "relations.yaml").read_text(encoding="utf-8"), "relations.yaml", words)
    known = _names(policy, registry)
    tables: dict[str, int] = {}
    failures: list[Failure] = []
    misspelt = [*_misspelt_in_lines(policy, registry)]
    for file in sorted(folder.glob("*.test.yaml")):
        table = parse(file.read_text(encoding="utf-8"), file.name)
        failures += check_tables(policy, table, file.name)
        assertions = table if isinstance(table, list) else []
        for position, assertion in enumerate(assertions, 1):
            misspelt += _misspelt(assertion, known, f"{file.name}, assertion {position}")
        tables[file.name] = len(assertions)
    if not tables:
        raise Incorrect(
            "no_tables", f"`{folder.name}` holds no `*.test.yaml`", "write down what must be allowed and denied"
        )
    return Trial(tables, tuple(failures), tuple(misspelt))


def _names(policy: Policy, registry: Registry) -> dict[str, frozenset[str]]:
    """By the keys of an assertion, what a folder has names for."""
    owned, named = policy.named
    subjects = frozenset(subject for subject in policy.subjects if not subject.startswith(AGENT))
    homes = HOMES | owned | subjects | {relation.owner for relation in registry.relations.values()}
    purposes = policy.purposes | {purpose for _, bound in DEMO_AGENTS.values() for purpose in bound}
    relations = frozenset(registry.relations) | named | RECORD_KINDS
    return {"domain": homes, "owner": homes, "told": homes, "relation": relations, "purpose": purposes}


def _misspelt_in_lines(policy: Policy, registry: Registry) -> Iterator[str]:
    """Names that stand in lines of the policy alone, where a deny that is misspelt denies nothing."""
    owned, relations = policy.named
    subjects = frozenset(subject for subject in policy.subjects if not subject.startswith(AGENT))
    homes = HOMES | {relation.owner for relation in registry.relations.values()}
    strange = {"domain": (subjects | owned) - policy.roles - ROLES, "relation": relations - RECORD_KINDS}
    known = {"domain": homes, "relation": frozenset(registry.relations)}
    for kind, names in strange.items():
        for name in sorted(names - known[kind]):
            close = close_to(name, known[kind])
            if close is not None:
                yield f"policy.csv: nothing else knows the {kind} `{name}`{_meant(close)}"


def _misspelt(assertion: Mapping[str, str], known: Mapping[str, frozenset[str]], source: str) -> Iterator[str]:
    for key, names in known.items():
        name = assertion.get(key)
        close = None if name is None or name in names else close_to(name, names)
        if close is not None:
            yield f"{source}: nothing knows the {key} `{name}`{_meant(close)}"


def started(folder: Path, source: Path) -> list[str]:
    """A folder to begin one's own policies in: those of `source`, and a first table; the names of its files.

    Raises Conflict `not_empty` if there is anything in the folder already.
    """
    if folder.exists() and any(folder.iterdir()):
        raise Conflict("not_empty", f"there is something in `{folder.name}` already", "name a new folder")
    folder.mkdir(parents=True, exist_ok=True)
    for name in FILES:
        (folder / name).write_bytes((source / name).read_bytes())
    (folder / "first.test.yaml").write_text(FIRST_TABLE, encoding="utf-8")
    return [*FILES, "first.test.yaml"]


def explained(
    folder: Path, subject: tuple[str, str], label: Label, act: str = "read", purpose: str | None = None
) -> Decision:
    """Which line of a folder's policy decides about one label, for (agent, domain)."""
    return load_folder(folder).explain(Subject(*subject), label, act_named(act), purpose)


def strangers(folder: Path, label: Label, words: str) -> list[str]:
    """What of a label neither the folder's registry nor its policy has heard of, most likely misspelt."""
    registry = Registry.read((folder / "relations.yaml").read_text(encoding="utf-8"), "relations.yaml", words)
    lines = (folder / "policy.csv").read_text(encoding="utf-8").splitlines()
    named = {word.strip() for line in lines if not line.startswith("#") for word in line.split(",")}
    homes = named | {relation.owner for relation in registry.relations.values()} | HOMES
    owner, relation = close_to(label.owner, homes), close_to(label.relation, registry.relations)
    found = [f"no policy and no relation names the owner `{label.owner}`{_meant(owner)}"]
    strange = [f"the registry does not know the relation `{label.relation}`{_meant(relation)}"]
    known = registry.knows(label.relation) or label.relation in named
    return (found if label.owner not in homes else []) + ([] if known else strange)


def _meant(close: str | None) -> str:
    return "" if close is None else f"; did you mean `{close}`?"


def label_of(owner: str, told: str, scope: str, relation: str) -> Label:
    try:
        return Label(owner, told, Scope(scope), relation)
    except ValueError:
        raise Incorrect("bad_scope", f"`{scope[:40]}` is no scope", "say private, shared or global") from None


def act_named(name: str) -> Act:
    try:
        return Act(name)
    except ValueError:
        raise Incorrect("bad_act", f"`{name[:40]}` is no act", f"say one of {', '.join(Act)}") from None
