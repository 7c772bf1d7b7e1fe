"""`hub recall`, `hub timeline`, `hub graph`: one agent's memory of one customer, in the terminal."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import click

from hub.cli import showing
from hub.embed import Embedder
from hub.hub import Agent, Hub

F = TypeVar("F", bound=Callable[..., None])


def database(command: F) -> F:
    """`--db`, for every command that opens one."""
    option = click.option(
        "--db", type=click.Path(path_type=Path, dir_okay=False), default=Path("memory.db"), show_default=True
    )
    return option(command)


def seen_by(command: F) -> F:
    """Who looks, at whom, and when."""
    for option in (
        click.option("--json", "as_json", is_flag=True, help="Print the answer as JSON."),
        click.option("--known-at", help="What was known then."),
        click.option("--valid-at", help="What was true then."),
        click.option("--as-of", help="Both times at once: RFC 3339 with offset, or a day, month or year."),
        click.option("--purpose"),
        click.option("--customer", required=True),
        click.option("--agent", "agent_id", required=True, help="Whose eyes to look through."),
    ):
        command = option(command)
    return database(command)


def existing(db: Path, embedder: Embedder | None = None) -> Hub:
    """The hub in a file that is there; looking never makes one."""
    if not db.is_file():
        raise click.UsageError(f"there is no database `{db}`; name one with --db")
    return Hub.open(db, embedder=embedder)


def _agent(hub: Hub, agent_id: str, customer: str) -> Agent:
    return hub.agent(agent_id, customer)


@click.command()
@seen_by
@click.option("--limit", type=click.IntRange(1, 100), default=5, show_default=True)
@click.option("--past", is_flag=True, help="Also what is no longer so.")
@click.option("--explain", is_flag=True, help="What each score is made of.")
@click.option("--no-graph", is_flag=True, help="Without what only facts between things lead to.")
@click.argument("query")
def recall(
    query: str,
    limit: int,
    past: bool,
    explain: bool,
    no_graph: bool,
    db: Path,
    agent_id: str,
    customer: str,
    purpose: str | None,
    as_of: str | None,
    valid_at: str | None,
    known_at: str | None,
    as_json: bool,
) -> None:
    """The few memories that answer QUERY."""
    with existing(db) as hub:
        answer = _agent(hub, agent_id, customer).recall(
            query,
            limit=limit,
            include_past=past,
            explain=explain,
            graph=not no_graph,
            purpose=purpose,
            as_of=as_of,
            valid_at=valid_at,
            known_at=known_at,
        )
    showing.show_json(answer) if as_json else showing.console().print(showing.recalled(answer))


@click.command()
@seen_by
@click.option("--subject")
@click.option("--relation")
def timeline(
    subject: str | None,
    relation: str | None,
    db: Path,
    agent_id: str,
    customer: str,
    purpose: str | None,
    as_of: str | None,
    valid_at: str | None,
    known_at: str | None,
    as_json: bool,
) -> None:
    """Every stretch of every slot, oldest first."""
    with existing(db) as hub:
        answer = _agent(hub, agent_id, customer).timeline(
            subject=subject,
            relation=relation,
            purpose=purpose,
            as_of=as_of,
            valid_at=valid_at,
            known_at=known_at,
            limit=1000,
        )
    showing.show_json(answer) if as_json else showing.console().print(showing.histories(answer))


@click.command()
@seen_by
@click.option("--root", help="Start from this entity, by name or id.")
@click.option("--hops", type=click.IntRange(0, 6))
def graph(
    root: str | None,
    hops: int | None,
    db: Path,
    agent_id: str,
    customer: str,
    purpose: str | None,
    as_of: str | None,
    valid_at: str | None,
    known_at: str | None,
    as_json: bool,
) -> None:
    """Entities and the facts between them."""
    with existing(db) as hub:
        answer = _agent(hub, agent_id, customer).graph(
            root=root, hops=hops, purpose=purpose, as_of=as_of, valid_at=valid_at, known_at=known_at
        )
    showing.show_json(answer) if as_json else showing.console().print(showing.network(answer))
