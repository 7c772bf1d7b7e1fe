"""`hub relations`: what is known, what is merely used, what becomes of it, and whose word counts how far."""

from __future__ import annotations

from pathlib import Path

import click

from hub.answers import Promoted
from hub.cli import showing
from hub.cli.commands import Group, database, example
from hub.cli.commands import as_json as json_flag
from hub.cli.memory import existing
from hub.codec import plain
from hub.errors import Incorrect

stored = click.option("--existing", "existing_too", is_flag=True, help="Values already stored too, from now on.")


@click.group(cls=Group)
def relations() -> None:
    """List relations, decide about names that only some domain uses, and rate domains."""


@relations.command("list")
@database
@click.option("--all", "everything", is_flag=True, help="Those of the registry too.")
@json_flag
def listed(everything: bool, db: Path, as_json: bool) -> None:
    """List names that no registry knows, by domain, most used first."""
    with existing(db) as hub:
        uses = hub.operator().provisional()
        known = hub.operator().relations() if everything else []
    if as_json:
        showing.show_json({"provisional": plain(uses), "relations": plain(known)})
        return
    lines = [(u.relation, u.domain, f"{u.customers}", f"{u.facts}", f"{u.standing} {u.into or ''}") for u in uses]
    showing.console().print(showing.rows("In use", ("relation", "domain", "customers", "facts", "standing"), lines))
    if known:
        rows = [(k.name, k.owner or "its writer's", k.scope, k.cardinality, k.arbitration) for k in known]
        columns = ("relation", "owner", "scope", "holds", "arbitration")
        showing.console().print(showing.rows("Known", columns, rows))


@relations.command(epilog=example("hub relations promote sleep_goal --scope shared --owner health"))
@database
@click.argument("relation")
@click.option("--scope", type=click.Choice(["private", "shared"]), required=True, help="Where facts are filed.")
@click.option(
    "--arbitration",
    type=click.Choice(["latest", "owner", "trust", "review"]),
    help="What settles a disagreement; default: the latest word.",
)
@click.option("--owner", help="The domain whose labels facts carry from now on; default: their writer's.")
@stored
def promote(
    relation: str, scope: str, arbitration: str | None, owner: str | None, existing_too: bool, db: Path
) -> None:
    """Make RELATION a known one."""
    with existing(db) as hub:
        operator = hub.operator()
        _told(operator.promote(relation, scope=scope, arbitration=arbitration, owner=owner, existing=existing_too))


@relations.command(epilog=example("hub relations merge fond_of likes --existing"))
@database
@click.argument("relation")
@click.argument("into")
@click.option(
    "--scope", type=click.Choice(["private", "shared"]), help="Let others read stored values; default: nobody."
)
@stored
def merge(relation: str, into: str, scope: str | None, existing_too: bool, db: Path) -> None:
    """Record under INTO, from now on, what is sent under RELATION."""
    with existing(db) as hub:
        _told(hub.operator().merge_relation(relation, into=into, existing=existing_too, scope=scope))


@relations.command()
@database
@click.argument("relation")
@stored
def reject(relation: str, existing_too: bool, db: Path) -> None:
    """Record nothing under RELATION from now on; with --existing, take back what is stored."""
    with existing(db) as hub:
        _told(hub.operator().reject_relation(relation, existing=existing_too))


@relations.command()
@database
@click.argument("relation")
@stored
def demote(relation: str, existing_too: bool, db: Path) -> None:
    """Take back what was decided about RELATION; with --existing, stored values are private again."""
    with existing(db) as hub:
        _told(hub.operator().demote(relation, existing=existing_too))


@relations.command(epilog=example("hub relations rate travel 0.8 --relation lives_in"))
@database
@click.argument("domain")
@click.argument("score")
@click.option("--relation", help="In this relation alone.")
def rate(domain: str, score: str, relation: str | None, db: Path) -> None:
    """Say how far DOMAIN's word counts where facts disagree: SCORE from 0 to 1, or `earned`."""
    with existing(db) as hub:
        rated = hub.operator().rate(domain, _score(score), relation=relation)
    where = "" if rated.relation is None else f" in {rated.relation}"
    how_far = "as far as it has earned" if rated.score is None else rated.score
    click.echo(f"{rated.domain}{where}: policy version {rated.policy_version}, its word counts {how_far}")


def _score(text: str) -> float | None:
    if text == "earned":
        return None
    try:
        return float(text)
    except ValueError:
        raise Incorrect("bad_field", f"`{text[:40]}` is no score", "say a number from 0 to 1, or `earned`") from None


def _told(promoted: Promoted) -> None:
    click.echo(f"{promoted.relation}: policy version {promoted.policy_version}, {promoted.moved} facts changed")
