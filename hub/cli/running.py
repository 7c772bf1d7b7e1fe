"""`hub serve`, `hub demo`: the hub at work."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

import click

from hub.cli import showing
from hub.cli.commands import as_json as json_flag
from hub.cli.commands import database, example
from hub.clock import SimulatedClock
from hub.demo import LANGUAGES, START, story
from hub.embed import chosen
from hub.errors import Incorrect
from hub.hub import Hub
from hub.moments import instant

_RATE = click.IntRange(min=0, max=10_000_000)


@click.command(epilog=example("HUB_ADMIN_KEY=change-me hub serve --port 8731"))
@database
@click.option("--host", default="127.0.0.1", show_default=True, help="Beyond this machine, it needs an admin key.")
@click.option("--port", type=click.IntRange(1, 65535), default=8080, show_default=True, help="Where it listens.")
@click.option("--allow-host", "hosts", multiple=True, help="Another name this hub is reached by.")
@click.option("--admin-key", envvar="HUB_ADMIN_KEY", help="Opens /v1/admin; better set HUB_ADMIN_KEY.")
@click.option(
    "--policies",
    type=click.Path(path_type=Path, exists=True, file_okay=False),
    help="A folder of policies to put in force; default: those the database has, or the shipped ones.",
)
@click.option(
    "--embedder", envvar="HUB_EMBEDDER", help="sentence (default), e5, hashing, none, or a URL of /embeddings."
)
@click.option("--embedder-model", envvar="HUB_EMBEDDER_MODEL", help="Of a URL; its key is in HUB_EMBEDDER_KEY.")
@click.option("--rate", type=_RATE, envvar="HUB_RATE", help="Requests a minute of each agent. [default: any number]")
@click.option(
    "--refusals",
    type=_RATE,
    default=600,
    envvar="HUB_REFUSALS",
    help="Refusals a minute of each address; 0: any number.",
)
@click.option(
    "--view-cache",
    envvar="HUB_VIEW_CACHE",
    type=click.IntRange(0),
    help="Megabytes for views. [default: 384]",
)
@click.option("--simulated-clock", "start", metavar="INSTANT", help="Time stands still but for /v1/admin/clock.")
def serve(
    db: Path,
    host: str,
    port: int,
    hosts: tuple[str, ...],
    admin_key: str | None,
    policies: Path | None,
    embedder: str | None,
    embedder_model: str | None,
    rate: int | None,
    refusals: int,
    view_cache: int | None,
    start: str | None,
) -> None:
    """Serve the hub over HTTP; the API describes itself at /schema."""
    from hub.api import rated
    from hub.api import serve as serving

    clock = None if start is None else _simulated(db, start)
    known = chosen(embedder, embedder_model) or "none"
    with Hub.open(db, policies=policies, clock=clock, embedder=known, view_cache=view_cache) as hub:
        hub.warm()
        click.echo(f"memory hub on http://{host}:{port}, database {db}", err=True)
        if admin_key is None:
            click.echo("no admin key: HUB_ADMIN_KEY sets the one that opens /v1/admin", err=True)
        with suppress(KeyboardInterrupt):  # it has been ended as it should be
            serving(hub, host, port, admin_key, hosts=hosts, rates=rated(rate or None, refusals or None))


def _simulated(db: Path, start: str) -> SimulatedClock:
    """INVARIANT: a clock that can be set at will never says when something real was recorded."""
    if db.exists():
        message, fix = f"`{db.name}` is there already", "name a new file with `--db`; stories are all it is good for"
        raise Incorrect("not_empty", message, fix, where="--simulated-clock")
    return SimulatedClock(instant(start))


@click.command(epilog=example("hub demo", "hub demo --lang ko"))
@click.option("--lang", type=click.Choice(LANGUAGES), default="en", show_default=True, help="What the customer speaks.")
@json_flag
def demo(lang: str, as_json: bool) -> None:
    """Tell a story: six agents, one customer, who may know what, now and in the past."""
    clock = SimulatedClock(START)
    screen = showing.console()
    with Hub.open(clock=clock, extractor="rules") as hub:
        for happening in story(hub, clock, lang):
            if as_json:
                showing.show_json(happening)
            else:
                showing.beat(screen, happening)
