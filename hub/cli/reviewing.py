"""`hub review`: what is contested, and what becomes of it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import click

from hub.answers import ActReceipt
from hub.cli import showing
from hub.cli.commands import Group, because, database, example
from hub.cli.commands import as_json as json_flag
from hub.cli.memory import existing
from hub.codec import plain
from hub.hub import Hub
from hub.remember.deciding import Contest


@click.group(cls=Group)
def review() -> None:
    """List facts that contradict each other, and decide which stand."""


@review.command("list")
@database
@click.option("--customer", help="Of this one alone.")
@json_flag
def listed(customer: str | None, db: Path, as_json: bool) -> None:
    """List all that is contested, side by side, with the ids that the decisions take."""
    with existing(db) as hub:
        contests = list(_pages(hub, customer))
    if as_json:
        showing.show_json({"contests": plain(contests)})
        return
    lines = [line for contest in contests for line in _lines(contest)]
    columns = ("customer", "about", "says", "who", "trust", "fact")
    showing.console().print(showing.rows("To be reviewed", columns, lines, whole=("fact",)))


def _pages(hub: Hub, customer: str | None) -> Iterator[Contest]:
    cursor: str | None = ""
    while cursor is not None:
        page = hub.operator().review(customer=customer, limit=1_000, cursor=cursor or None)
        yield from page.contests
        cursor = page.next


def _lines(contest: Contest) -> Iterator[tuple[str, ...]]:
    for number, side in enumerate(contest.sides):
        about = (contest.customer, f"{contest.subject} · {contest.relation}") if number == 0 else ("", "")
        yield (*about, side.text, f"{side.author} ({side.domain})", f"{side.trust:.2f}", side.id)


@review.command()
@database
@click.argument("fact_id")
@because
def accept(fact_id: str, reason: str | None, db: Path) -> None:
    """Let the value of FACT_ID stand; what else was recorded so far has no say in it any more."""
    with existing(db) as hub:
        _told(hub.operator().accept(fact_id, reason=reason))


@review.command()
@database
@click.argument("fact_id")
@because
def reject(fact_id: str, reason: str | None, db: Path) -> None:
    """Take back every claim of the value of FACT_ID, for it is wrong."""
    with existing(db) as hub:
        _told(hub.operator().reject(fact_id, reason=reason))


@review.command(epilog=example('hub review edit fact_0123456789abcdef01234567 "Hue" --from 2026-03-01'))
@database
@click.argument("fact_id")
@click.argument("value")
@click.option("--from", "valid_from", help="Since when; default: since the fact was first claimed.")
@click.option("--to", "valid_to", help="Until when.")
@because
def edit(fact_id: str, value: str, valid_from: str | None, valid_to: str | None, reason: str | None, db: Path) -> None:
    """Let VALUE stand in the place of what FACT_ID says."""
    given = {"valid_from": valid_from, "valid_to": valid_to, "reason": reason}
    with existing(db) as hub:
        _told(hub.operator().edit(fact_id, value=value, **{k: v for k, v in given.items() if v is not None}))


@review.command()
@database
@click.argument("decision_id")
@because
def undo(decision_id: str, reason: str | None, db: Path) -> None:
    """Take the decision DECISION_ID back: what it settled is contested again."""
    with existing(db) as hub:
        _told(hub.operator().undo(decision_id, reason=reason))


def _told(receipt: ActReceipt) -> None:
    click.echo(f"recorded: {', '.join(receipt.acts) or 'nothing'}")
