"""`hub knowledge`: what the company knows, for all its agents: documents in, listed, taken back, erased."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import click
from rich.progress import track

from hub.cli import showing
from hub.cli.commands import Group, because, database, example, means_it
from hub.cli.commands import as_json as json_flag
from hub.cli.erasing import confirmed, show_erasure
from hub.cli.memory import existing
from hub.codec import plain
from hub.errors import Denied, Fault, Incorrect
from hub.hub import Hub
from hub.knowledge import Document, DocumentReceipt
from hub.knowledge.files import found, named, read


@click.group(cls=Group)
def knowledge() -> None:
    """Publish, list and take back what the company knows, for all its agents."""


@knowledge.command(epilog=example("hub knowledge add handbook/ --topic returns"))
@database
@click.argument("paths", nargs=-1, required=True, type=click.Path(path_type=Path, exists=True))
@click.option("--topic", help="What policies name it by; default: where the document stands already, or `knowledge`.")
@json_flag
def add(paths: tuple[Path, ...], topic: str | None, db: Path, as_json: bool) -> None:
    """Publish Markdown and text files, or folders of them.

    A file that has changed replaces what it said.
    Exit code 1 if one of them could not be taken; the others are.
    """
    receipts: list[DocumentReceipt] = []
    refused: dict[str, Denied | Incorrect] = {}
    with Hub.open(db) as hub:
        operator = hub.operator()
        for file in track(found(paths), "publishing", console=showing.console(stderr=True)):
            try:
                receipts.append(operator.add_knowledge(named(file), read(file), topic=topic))
            except (Denied, Incorrect) as reason:
                refused[named(file)] = reason
        _indexed(hub)
    if as_json:
        codes = {name: why.code for name, why in refused.items()}
        showing.show_json({"documents": plain(receipts), "refused": codes})
    else:
        lines = [(r.document, r.topic, f"{r.added}", f"{r.kept}", f"{r.removed}") for r in receipts]
        showing.console().print(showing.rows("Published", ("document", "topic", "new", "as before", "gone"), lines))
        for receipt in receipts:
            for blank in receipt.redacted:
                click.echo(f"blank in {receipt.document}: {blank.kind.replace('_', ' ')} ({blank.count})", err=True)
    for name, why in refused.items():
        click.echo(f"refused: {name}: {why}", err=True)
    sys.exit(1 if refused else 0)


def _indexed(hub: Hub) -> None:
    """What can't be indexed now is by whoever has the index; recalls are right without it."""
    with showing.console(stderr=True).status("indexing"), suppress(Fault):
        hub.shelve()


@knowledge.command("list")
@database
@json_flag
def listed(db: Path, as_json: bool) -> None:
    """List every document that stands."""
    with existing(db) as hub:
        documents = list(_pages(hub))
    if as_json:
        showing.show_json({"documents": plain(documents)})
        return
    lines = [(d.document, d.topic, f"{d.passages}", f"{d.recorded_at:%Y-%m-%d}") for d in documents]
    showing.console().print(showing.rows("Company knowledge", ("document", "topic", "passages", "since"), lines))


def _pages(hub: Hub) -> Iterator[Document]:
    cursor: str | None = ""
    while cursor is not None:
        page = hub.operator().knowledge(limit=1_000, cursor=cursor or None)
        yield from page.documents
        cursor = page.next


@knowledge.command()
@database
@click.argument("names", nargs=-1, required=True)
@because
@json_flag
def remove(names: tuple[str, ...], reason: str | None, db: Path, as_json: bool) -> None:
    """Take back documents, or all that lies in a folder, by name. Questions about the past still find them."""
    with existing(db) as hub:
        receipts = [r for name in names for r in hub.operator().remove_knowledge(name, reason=reason).documents]
    if as_json:
        showing.show_json({"documents": plain(receipts)})
        return
    for receipt in receipts:
        click.echo(
            f"taken back: {receipt.document} ({receipt.removed} {'passage' if receipt.removed == 1 else 'passages'})"
        )


@knowledge.command()
@database
@click.argument("name")
@because
@means_it
@json_flag
def erase(name: str, reason: str | None, yes: bool, db: Path, as_json: bool) -> None:
    """Erase the document NAME and all it has ever said, from the past and from the disk too."""
    confirmed(yes)
    with existing(db) as hub:
        show_erasure(hub.operator().erase_knowledge(name, reason=reason), as_json=as_json)
