"""`hub recall`, `hub timeline`, `hub graph`: one agent's memory of one customer, in the terminal."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import click

from hub.cli import showing
from hub.cli.commands import as_json as json_flag
from hub.cli.commands import database, example
from hub.embed import Embedder
from hub.hub import Agent, Hub
from hub.hub.spelling import close_to

F = TypeVar("F", bound=Callable[..., None])


def seen_by(command: F) -> F:
    """Who looks, at whom, and when."""
    for option in (
        json_flag,
        click.option("--known-at", help="What was known then, from whenever it was true."),
        click.option("--valid-at", help="What was true then, as it is known now."),
        click.option("--as-of", help="Both times at once: RFC 3339 with offset, or a day, month or year."),
        click.option("--purpose", help="What it is asked for; one that the agent is bound to."),
        click.option("--customer", required=True, help="Whose memory it is."),
        click.option("--agent", "agent_id", required=True, help="Whose eyes to look through."),
    ):
        command = option(command)
    return database(command)


def existing(db: Path, embedder: Embedder | None = None) -> Hub:
    """The hub in a file that is there; looking never makes one."""
    if not db.is_file():
        raise click.UsageError(
            f"there is no database `{db}`; name one with --db, or begin one with `hub serve` or `hub import`"
        )
    return Hub.open(db, embedder=embedder)


def close_relation(hub: Hub, relation: str) -> str | None:
    """The known relation that was most likely meant by one that is not known."""
    names = [known.name for known in hub.operator().relations()]
    return None if relation in names else close_to(relation, names)


def _agent(hub: Hub, agent_id: str, customer: str) -> Agent:
    return hub.agent(agent_id, customer)


@click.command(
    epilog=example(
        'hub recall "Where does she live?" --agent atlas --customer kh-001',
        'hub recall "Where does she live?" --agent atlas --customer kh-001 --as-of 2026-03-01',
    )
)
@seen_by
@click.option("--limit", type=click.IntRange(1, 100), default=5, show_default=True, help="At most so many.")
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
    """Print the few memories that answer QUERY, as far as the agent may know."""
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


@click.command(epilog=example("hub timeline --agent mia --customer kh-001 --relation lives_in"))
@seen_by
@click.option("--subject", help="Of this thing alone, by name or id; `customer` is the customer.")
@click.option("--relation", help="Of this relation alone, such as lives_in.")
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
    """Print what was so from when to when, fact by fact, oldest first."""
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
        close = None if relation is None or answer.slots else close_relation(hub, relation)
    showing.show_json(answer) if as_json else showing.console().print(showing.histories(answer))
    if close is not None:
        click.echo(f"note: no relation is called `{relation}`; did you mean `{close}`?", err=True)


@click.command(epilog=example("hub graph --agent atlas --customer kh-001 --root customer --hops 1"))
@seen_by
@click.option("--root", help="Start from this thing, by name or id; `customer` is the customer.")
@click.option("--hops", type=click.IntRange(0, 6), help="So many steps from there; default: all there are.")
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
    """Print things and the facts between them."""
    with existing(db) as hub:
        answer = _agent(hub, agent_id, customer).graph(
            root=root, hops=hops, purpose=purpose, as_of=as_of, valid_at=valid_at, known_at=known_at
        )
    showing.show_json(answer) if as_json else showing.console().print(showing.network(answer))
