"""`hub import`: what agents were told elsewhere, from a file, a request a line."""

from __future__ import annotations

import sys
from pathlib import Path

import click
from rich import progress

from hub.cli import showing
from hub.cli.commands import as_json as json_flag
from hub.cli.commands import database, example
from hub.codec import plain
from hub.errors import Incorrect
from hub.hub import Hub
from hub.hub.loading import Loaded


@click.command(
    "import",
    epilog=example(
        '{"agent": "mia", "customer": "kh-001", "text": "I live in Hanoi."}',
        '{"agent": "mia", "customer": "kh-001", "facts": [{"relation": "likes", "value": "tea"}]}',
    ),
)
@database
@click.argument("file", type=click.Path(path_type=Path, exists=True, dir_okay=False))
@json_flag
def load(file: Path, db: Path, as_json: bool) -> None:
    """Record what agents were told elsewhere.

    FILE holds a JSON object a line: what `remember` takes, and the `agent`.

    A line that makes no sense ends it, with its number: what stands before is recorded. Mend it and import the file
    again: what has been recorded is not recorded twice. Exit code 1 if a line or an item could not be taken.
    """
    with Hub.open(db) as hub:
        loaded = _loaded(hub, file)
    for left in loaded.refused:
        item = "text" if left.item.index is None else f"fact {left.item.index}"
        click.echo(f"refused: line {left.line}, {item}: {left.item.detail} ({left.item.code})", err=True)
    if as_json:
        showing.show_json(plain(loaded))
    else:
        titles = ("lines recorded", "facts", "recorded before", "items refused")
        numbers = (loaded.recorded, loaded.facts, loaded.repeated, loaded.refused_items)
        showing.console().print(showing.rows("Imported", titles, [tuple(f"{number:,}" for number in numbers)]))
    sys.exit(1 if loaded.refused_items else 0)


def _loaded(hub: Hub, file: Path) -> Loaded:
    told = showing.console(stderr=True)
    try:
        with progress.open(file, "r", encoding="utf-8-sig", description="importing", console=told) as lines:
            return hub.operator().load(lines)
    except UnicodeDecodeError as error:
        message = f"`{file.name}` is not UTF-8"
        raise Incorrect("bad_document", message, "save it as UTF-8, and import it again") from error
