"""A policy folder tried out before any hub uses it: its assertion tables, and which line decides."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from hub.documents import parse
from hub.errors import Incorrect
from hub.facts import Label, Scope
from hub.policy import Act, Decision, Failure, Subject, check_tables, load_folder
from hub.registry import Registry


@dataclass(frozen=True, slots=True)
class Trial:
    """What the tables of one folder said: assertions that held or failed, by file."""

    tables: dict[str, int]
    failures: tuple[Failure, ...]


def tried(folder: Path, words: str) -> Trial:
    """Every `*.test.yaml` of the folder against its policy; raises Incorrect if there is none."""
    policy = load_folder(folder)
    Registry.read((folder / "relations.yaml").read_text(encoding="utf-8"), "relations.yaml", words)
    tables: dict[str, int] = {}
    failures: list[Failure] = []
    for file in sorted(folder.glob("*.test.yaml")):
        table = parse(file.read_text(encoding="utf-8"), file.name)
        failures += check_tables(policy, table, file.name)
        tables[file.name] = len(table) if isinstance(table, list) else 0
    if not tables:
        raise Incorrect(
            "no_tables", f"`{folder.name}` holds no `*.test.yaml`", "write down what must be allowed and denied"
        )
    return Trial(tables, tuple(failures))


def explained(
    folder: Path, subject: tuple[str, str], label: Label, act: str = "read", purpose: str | None = None
) -> Decision:
    """Which line of a folder's policy decides about one label, for (agent, domain)."""
    return load_folder(folder).explain(Subject(*subject), label, act_named(act), purpose)


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
