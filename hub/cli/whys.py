"""`hub why`, `hub why-not` and `hub policy diff`: what explains an answer, and what another policy would change."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import click

from hub.answers import Ruling
from hub.cli import showing
from hub.cli.commands import as_json as json_flag
from hub.cli.commands import auditing, database, example
from hub.cli.memory import existing
from hub.hub.changes import LabelChange, MemoryChange, PolicyDiff
from hub.hub.comparing import Comparison, Seen
from hub.recall.reasons import Candidate, Ranking, Why

_LABEL_COLUMNS = ("", "agents", "purpose", "filed under", "relations", "told to", "by")
_MEMORY_COLUMNS = ("", "agent", "purpose", "memory", "status", "by")

F = TypeVar("F", bound=Callable[..., None])


def by_whom(command: F) -> F:
    """Whose recall, and who asks about it."""
    for option in (
        json_flag,
        auditing,
        click.option("--agent", "agent_id", help="As this agent, of its own recalls; default: as an auditor."),
    ):
        command = option(command)
    return database(command)


@click.command(epilog=example("hub why recall_0123456789abcdef01234567"))
@by_whom
@click.argument("recall_id")
def why(recall_id: str, agent_id: str | None, auditor: str, db: Path, as_json: bool) -> None:
    """Say why each memory is in the answer to the recall RECALL_ID, which `hub recall` and `hub audit` print."""
    with existing(db) as hub:
        answer = (hub.operator(auditor) if agent_id is None else hub.agent(agent_id)).why(recall_id)
    if as_json:
        showing.show_json(answer)
        return
    for memory in answer.memories:
        for line in _explained(memory):
            click.echo(line)
    if not answer.memories:
        click.echo(f"{answer.agent} was told nothing that {agent_id or auditor} may know now")


@click.command(name="why-not", epilog=example('hub why-not recall_0123456789abcdef01234567 "peanuts"'))
@by_whom
@click.argument("recall_id")
@click.argument("text")
def why_not(recall_id: str, text: str, agent_id: str | None, auditor: str, db: Path, as_json: bool) -> None:
    """Say why what says TEXT, or has it as its id, is not in the answer to the recall RECALL_ID."""
    with existing(db) as hub:
        answer = (hub.operator(auditor) if agent_id is None else hub.agent(agent_id)).why_not(recall_id, text)
    if as_json:
        showing.show_json(answer)
        return
    if not answer.candidates:
        click.echo(f"nothing that {agent_id or auditor} may know says “{text}” and is not in the answer")
        return
    lines = [_stopped(candidate) for candidate in answer.candidates]
    showing.console().print(showing.rows(f"Why not “{text}”", ("memory", "reason", "by", "line"), lines))


def _explained(memory: Why) -> list[str]:
    told, matched = memory.told, memory.matched
    lines = [
        memory.text,
        f"    told by {told.author.agent} ({told.author.domain}) on {told.said_at:%Y-%m-%d %H:%M}Z, {told.id}",
        f"    read by {_lines(memory.rules)}",
        f"    matched by {', '.join((*matched.words, *matched.names, *matched.because)) or 'nothing'}",
    ]
    lines += (
        [f"    by way of {', '.join(f'{s.from_} {s.relation} {s.to}' for s in matched.via)}"] if matched.via else []
    )
    lines += [f"    ranked {_ranked(memory.ranked)}"] if memory.ranked is not None else []
    lines += [f"    said in: {turn.text}" for turn in memory.turns]
    return lines + [f"    in place of: {earlier.text} ({earlier.id})" for earlier in memory.superseded]


def _ranked(rank: Ranking) -> str:
    parts = [f"{part.name} {part.value:.2f}·{part.weight}" for part in (*rank.grounds, *rank.shares) if part.value]
    return f"{rank.score:.3f}, relevance {rank.relevance:.3f} over a floor of {rank.floor}: {', '.join(parts)}"


def _lines(rules: tuple[Ruling, ...]) -> str:
    return "; ".join(dict.fromkeys(map(_line, rules))) or "nobody"


def _line(rule: Ruling) -> str:
    version = "a policy not in force" if rule.version is None else f"policy {rule.version}"
    return f"{rule.why} ({version})" if rule.line is None else f"line {rule.line} of {version}: {rule.text}"


def _stopped(candidate: Candidate) -> tuple[str, str, str, str]:
    rule = "" if candidate.rule is None else _line(candidate.rule)
    return candidate.text, candidate.reason, candidate.by or "", rule


# --- policies --------------------------------------------------------------------------------------------------------


@click.command(epilog=example("hub policy diff atlas kai --customer kh-001", "hub policy diff --policy my-policies"))
@database
@click.option("--customer", help="Also say which of this customer's memories.")
@click.option("--as-of", help="At this point in both times: RFC 3339 with offset, or a day, month or year.")
@click.option("--purpose", help="Counts for whom it is bound to.")
@click.option("--policy", "path", type=click.Path(path_type=Path, exists=True), help="A policy folder, or a .csv file.")
@click.option("--limit", type=click.IntRange(1, 1000), default=100, show_default=True, help="Of each list.")
@auditing
@json_flag
@click.argument("names", nargs=-1)
def diff(
    names: tuple[str, ...],
    customer: str | None,
    as_of: str | None,
    purpose: str | None,
    path: Path | None,
    limit: int,
    auditor: str,
    db: Path,
    as_json: bool,
) -> None:
    """Show what one agent sees and another does not, or what another policy would change.

    NAMES: two of them, or with --policy those whose sight would change (default: all).
    """
    if path is None and (len(names) != 2 or customer is None):
        raise click.UsageError("name two agents or domains and a --customer, or a --policy")
    if path is not None and purpose is not None:
        raise click.UsageError("--purpose is for two names: a policy is tried for every purpose")
    with existing(db) as hub:
        operator = hub.operator(auditor)
        if path is None and customer is not None:
            found = operator.compare(customer, names[0], names[1], purpose=purpose, as_of=as_of, limit=limit)
            _show_sides(found, as_json=as_json)
        elif path is not None:
            texts = _texts(path)
            tried = operator.policy_diff(**texts, customer=customer, agents=names or None, as_of=as_of, limit=limit)
            _show_changes(tried, customer, as_json=as_json)


def _texts(path: Path) -> dict[str, str]:
    """Model and lines of a folder, or the lines alone."""
    files = {"model": path / "model.conf", "policy": path / "policy.csv"} if path.is_dir() else {"policy": path}
    try:
        return {name: file.read_text(encoding="utf-8") for name, file in files.items()}
    except (OSError, UnicodeDecodeError) as error:
        raise click.UsageError(f"`{path}` is no policy: {error}") from None


def _show_sides(found: Comparison, *, as_json: bool) -> None:
    if as_json:
        showing.show_json(found)
        return
    for looker, other, only in (
        (found.one, found.other, found.only_one),
        (found.other, found.one, found.only_other),
    ):
        lines = [_seen(one) for one in only]
        title = f"What {looker.agent} sees and {other.agent} does not"
        showing.console().print(showing.rows(title, ("memory", "status", "read by", "denied by"), lines))
    for contrast in found.differently:
        stands = f"{contrast.one.status or 'nothing'} for {found.one.agent}"
        click.echo(f"{contrast.text}: {stands}, {contrast.other.status or 'nothing'} for {found.other.agent}")
    if found.truncated:
        click.echo("and more; see --limit")


def _seen(one: Seen) -> tuple[str, str, str, str]:
    return one.text, one.status, _lines(one.opened), "" if one.denied is None else _line(one.denied)


def _show_changes(tried: PolicyDiff, customer: str | None, *, as_json: bool) -> None:
    if as_json:
        showing.show_json(tried)
        return
    title = f"Labels, against policy {tried.version}"
    showing.console().print(showing.rows(title, _LABEL_COLUMNS, map(_label_row, tried.labels)))
    if customer is None:
        return
    showing.console().print(showing.rows(f"Memories of {customer}", _MEMORY_COLUMNS, map(_memory_row, tried.memories)))
    click.echo(f"{tried.opened} opened, {tried.closed} closed{' (and more; see --limit)' if tried.truncated else ''}")


def _label_row(change: LabelChange) -> tuple[str, ...]:
    return (
        _way(change.opens),
        ", ".join(change.agents),
        change.purpose or "",
        f"{change.owner}, {change.scope}",
        ", ".join(change.relations),
        ", ".join(change.told),
        change.after.line or change.after.why,
    )


def _memory_row(change: MemoryChange) -> tuple[str, ...]:
    by = "" if change.rule is None else _line(change.rule)
    return _way(change.opens), change.agent, change.purpose or "", change.text, change.status, by


def _way(opens: bool) -> str:
    return "opens" if opens else "closes"
