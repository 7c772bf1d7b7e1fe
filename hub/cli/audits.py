"""`hub audit` and `hub replay`: who did what, and a recall run again."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from hub.cli import showing
from hub.cli.commands import as_json as json_flag
from hub.cli.commands import auditing, database, example
from hub.cli.memory import existing
from hub.hub.auditing import AuditCheck, AuditPage, LineAnswer

_CHANGED = {
    "memory": "something beside the answer changed it",
    "vectors": "some memories had no vector yet",
    "digest": "something in it has been erased, so that the rest can't be compared",
}
"""What `SinceThen.changed` names, in a reader's words; else it is another ranker or embedder."""


@click.command(epilog=example("hub audit --customer kh-001 --verb recall --since 2026-03-01", "hub audit --verify"))
@database
@click.option("--agent", "agent_id", help="Of this agent alone.")
@click.option("--customer", help="About this customer alone.")
@click.option("--verb", help="Of this verb alone: recall, remember, forget, replace_policy …")
@click.option("--since", help="From this moment on: RFC 3339 with offset, or a day, month or year.")
@click.option("--until", help="Before this moment.")
@click.option("--limit", type=click.IntRange(1, 1000), default=100, show_default=True, help="The last so many.")
@click.option("--cursor", help="The lines before those of the last page, which printed it.")
@click.option("--verify", is_flag=True, help="Check every line; exit code 1 if one is not as it was written.")
@auditing
@json_flag
def audit(
    agent_id: str | None,
    customer: str | None,
    verb: str | None,
    since: str | None,
    until: str | None,
    limit: int,
    cursor: str | None,
    verify: bool,
    auditor: str,
    db: Path,
    as_json: bool,
) -> None:
    """Print who read, wrote and was refused what: the last lines, newest at the end.

    --cursor leads to the lines before them, whatever comes in meanwhile.
    """
    with existing(db) as hub:
        operator = hub.operator(auditor)
        if not verify:
            page = operator.audit(
                agent=agent_id, customer=customer, verb=verb, since=since, until=until, limit=limit, cursor=cursor
            )
            _show_page(page, as_json=as_json)
            return
        check = operator.verify_audit()
    _show_check(check, as_json=as_json)
    sys.exit(0 if check.ok else 1)


@click.command(epilog=example("hub replay recall_0123456789abcdef01234567"))
@database
@click.option("--agent", "agent_id", help="As this agent, of its own recalls; default: as an auditor, of anybody's.")
@auditing
@json_flag
@click.argument("recall_id")
def replay(recall_id: str, agent_id: str | None, auditor: str, db: Path, as_json: bool) -> None:
    """Run the recall RECALL_ID again; exit code 1 if it is not answered as it was."""
    with existing(db) as hub:
        answer = (hub.operator(auditor) if agent_id is None else hub.agent(agent_id)).replay(recall_id)
    if as_json:
        showing.show_json(answer)
    else:
        showing.console().print(showing.recalled(answer))
        since = answer.since_then
        for memory in () if since is None else since.unavailable:
            rule = f", line {memory.rule.line}: {memory.rule.text}" if memory.rule is not None else ""
            click.echo(f"{memory.id}: {memory.reason}{rule}")
        changed = () if since is None else [_CHANGED.get(what, f"another {what}") for what in since.changed]
        click.echo("the same, byte for byte" if since is None else f"not the same: {', '.join(changed) or 'see above'}")
    sys.exit(0 if answer.since_then is None else 1)


def _show_check(check: AuditCheck, *, as_json: bool) -> None:
    if as_json:
        showing.show_json(check)
    elif check.ok:
        click.echo(f"{check.lines} lines, each as it was written; the last one's hash is {check.head}")
    else:
        click.echo(f"line {check.broken} is not as it was written, or not there")


def _show_page(page: AuditPage, *, as_json: bool) -> None:
    if as_json:
        showing.show_json(page)
        return
    for line in page.lines:
        click.echo("  ".join(filter(None, _cells(line))))
    if not page.lines:
        click.echo("no such line")
    if page.next is not None:
        click.echo(f"earlier lines: --cursor {page.next}", err=True)


def _cells(line: LineAnswer) -> tuple[str, ...]:
    """A recall's own id is the first of its records: what `replay`, `why` and `why-not` take."""
    agent = line.agent or ""
    labels = dict.fromkeys(f"{label.owner}/{label.relation}" for label in line.labels)
    return (
        str(line.number),
        f"{line.at:%Y-%m-%dT%H:%M:%S.%fZ}",
        agent if line.on_behalf_of is None else f"{agent} for {line.on_behalf_of}",
        line.verb,
        line.customer or line.reference or "",
        "" if line.purpose is None else f"for {line.purpose}",
        ", ".join([line.outcome, *line.refused]),
        *(record for record in line.records[:1] if record.startswith("recall_")),
        ", ".join(labels),
    )
