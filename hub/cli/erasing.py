"""`hub erase`: a fact or a customer, for good."""

from __future__ import annotations

from pathlib import Path

import click

from hub.cli import showing
from hub.cli.memory import database, existing
from hub.codec import plain
from hub.erased import Erasure


@click.group()
def erase() -> None:
    """Take a fact or a customer away for good, from the past and from the disk too."""


@erase.command()
@database
@click.argument("fact_id")
@click.option("--reason")
@click.option("--yes", is_flag=True, help="Needed: nobody can undo this.")
@click.option("--json", "as_json", is_flag=True)
def fact(fact_id: str, reason: str | None, yes: bool, db: Path, as_json: bool) -> None:
    """Erase FACT_ID, all that says or denies the same, and the turns it was said in."""
    confirmed(yes)
    with existing(db) as hub:
        show_erasure(hub.operator().erase_fact(fact_id, reason), as_json=as_json)


@erase.command()
@database
@click.argument("customer")
@click.option("--reason")
@click.option("--yes", is_flag=True, help="Needed: nobody can undo this.")
@click.option("--json", "as_json", is_flag=True)
def customer(customer: str, reason: str | None, yes: bool, db: Path, as_json: bool) -> None:
    """Erase all there is of CUSTOMER."""
    confirmed(yes)
    with existing(db) as hub:
        show_erasure(hub.operator().erase_customer(customer, reason), as_json=as_json)


def confirmed(yes: bool) -> None:
    if not yes:
        raise click.UsageError("nobody can undo this; say --yes if it is meant")


def show_erasure(erasure: Erasure, *, as_json: bool) -> None:
    if as_json:
        showing.show_json(erasure)
        return
    gone = [f"{count} {kind}" for kind, count in plain(erasure.erased).items() if count]
    click.echo(f"erased: {', '.join(gone) or 'nothing was there'}")
    click.echo(f"receipt {erasure.receipt.id}, {erasure.receipt.at:%Y-%m-%dT%H:%M:%SZ}")
    if not erasure.receipt.swept:
        click.echo("a reader is in the way: the bytes are written over by the next write or opening of the hub")
