"""`hub erase`: a fact or a customer, for good."""

from __future__ import annotations

from pathlib import Path

import click

from hub.cli import showing
from hub.cli.commands import Group, because, database, example, means_it
from hub.cli.commands import as_json as json_flag
from hub.cli.memory import existing
from hub.codec import plain
from hub.erased import Erasure


@click.group(cls=Group)
def erase() -> None:
    """Take a fact or a customer away for good, from the past and from the disk too."""


@erase.command(epilog=example("hub erase fact fact_0123456789abcdef01234567 --yes"))
@database
@click.argument("fact_id")
@because
@means_it
@json_flag
def fact(fact_id: str, reason: str | None, yes: bool, db: Path, as_json: bool) -> None:
    """Erase FACT_ID, all that says or denies the same, and the turns it was said in."""
    confirmed(yes)
    with existing(db) as hub:
        show_erasure(hub.operator().erase_fact(fact_id, reason), as_json=as_json)


@erase.command(epilog=example("hub erase customer kh-001 --yes"))
@database
@click.argument("customer")
@because
@means_it
@json_flag
def customer(customer: str, reason: str | None, yes: bool, db: Path, as_json: bool) -> None:
    """Erase all there is of CUSTOMER."""
    confirmed(yes)
    with existing(db) as hub:
        show_erasure(hub.operator().erase_customer(customer, reason), as_json=as_json)


def confirmed(yes: bool) -> None:
    if not yes:
        raise click.UsageError("nobody can undo this; say --yes if it is meant")


_NAMED = {"entries": "log entries", "heads": "log heads", "answers": "kept answers"}
"""Kinds of what is erased that nobody would know by their name in the answer."""


def _counted(count: int, kind: str) -> str:
    named = _NAMED.get(kind, kind)
    return f"{count} {named if count != 1 else f'{named[:-3]}y' if named.endswith('ies') else named[:-1]}"


def show_erasure(erasure: Erasure, *, as_json: bool) -> None:
    if as_json:
        showing.show_json(erasure)
        return
    gone = [_counted(count, kind) for kind, count in plain(erasure.erased).items() if count]
    click.echo(f"erased: {', '.join(gone) or 'nothing was there'}")
    click.echo(f"receipt {erasure.receipt.id}, {erasure.receipt.at:%Y-%m-%dT%H:%M:%SZ}")
    if not erasure.receipt.swept:
        click.echo("a reader is in the way: the bytes are written over by the next write or opening of the hub")
