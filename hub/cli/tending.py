"""`hub doctor`, `hub reindex`: what a hub needs from time to time."""

from __future__ import annotations

import sys
from pathlib import Path

import click
from rich.progress import Progress

from hub.cli import showing
from hub.cli.commands import as_json as json_flag
from hub.cli.commands import database, example
from hub.cli.memory import existing
from hub.codec import plain
from hub.embed import chosen
from hub.errors import Fault, Incorrect
from hub.hub.checkup import Checkup, broken


@click.command(epilog=example("hub doctor --db memory.db"))
@database
@json_flag
def doctor(db: Path, as_json: bool) -> None:
    """Check a database: file, records, audit, policy, vectors; exit code 1 if something is wrong."""
    refuse_broken(db)
    with existing(db) as hub:
        found = hub.checkup()
    if as_json:
        showing.show_json(found)
    else:
        click.echo("\n".join(_told(found)))
    sys.exit(0 if found.sound else 1)


def refuse_broken(db: Path) -> None:
    """Before anything is read: what a damaged file says may be wrong in whatever way."""
    wrong = broken(db) if db.is_file() else None
    if wrong is not None:
        raise Fault("damaged", f"the database `{db.name}` is damaged: {wrong}", "restore a backup of the file")


def _told(found: Checkup) -> list[str]:
    lines = [*found.faults] if found.faults else ["sound"]
    lines.append(f"schema {found.schema}, {found.audit_lines:,} lines of audit")
    if found.vectors is not None:
        there, texts = found.vectors.texts - found.vectors.missing, found.vectors.texts
        lines.append(f"{found.embedder}: {there:,} of {texts:,} texts embedded")
        if found.vectors.stale:
            lines.append(f"{found.embedder}: {found.vectors.stale:,} vectors of texts that read differently by now")
        lines += [f"{other}: {many:,} vectors left" for other, many in found.vectors.others.items()]
    if found.unread or found.given_up:
        lines.append(f"{found.unread:,} turns to be read again by the model, {found.given_up:,} given up")
    return lines + [f"advice: {advice}" for advice in found.advice]


@click.command()
@database
@click.option("--embedder", help="Another than HUB_EMBEDDER says: sentence, e5, hashing, or a URL of /embeddings.")
@click.option("--embedder-model", help="Of a URL; its key is in HUB_EMBEDDER_KEY.")
@json_flag
def reindex(db: Path, embedder: str | None, embedder_model: str | None, as_json: bool) -> None:
    """Embed all memories anew, by the embedder of today.

    A hub that is being served goes on answering.

    Interrupted, it goes on where it was when it is run again.
    """
    known = chosen(embedder, embedder_model)
    if known is None:
        raise Incorrect("no_embedder", "there is no embedder to embed with", "name one with `--embedder`")
    with existing(db, known) as hub, Progress(console=showing.console(stderr=True), transient=True) as bar:
        task = bar.add_task("embedding", total=None)
        done = hub.reindex(lambda looked_at, total: bar.update(task, completed=looked_at, total=total))
    known.close()
    if as_json:
        showing.show_json(plain(done))
    elif done is not None:
        told = f"{done.embedder}: {done.embedded:,} texts embedded, {done.let_go:,} vectors let go of"
        click.echo(told + (f", {done.refused:,} texts refused" if done.refused else ""))
