"""`hub agent` and `hub policy`: who may come in, and what the policy says."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from hub.answers import AgentAnswer
from hub.cli import showing
from hub.cli.commands import Group, database, example
from hub.cli.commands import as_json as json_flag
from hub.cli.memory import existing
from hub.codec import plain
from hub.hub import DEMO_AGENTS, Hub, shipped, shipped_words
from hub.hub.trials import Act, explained, label_of, started, strangers, tried

FOLDER = click.Path(path_type=Path, exists=True, file_okay=False)


@click.group(cls=Group)
def agent() -> None:
    """List and hire agents, and give them keys, which are shown once."""


@agent.command("list")
@database
@json_flag
def listed(db: Path, as_json: bool) -> None:
    """List every agent at work, and where it is at home."""
    with existing(db) as hub:
        agents = hub.operator().agents()
    if as_json:
        showing.show_json({"agents": plain(agents)})
        return
    columns = ("agent", "domain", "roles", "purposes", "customers")
    lines = [(a.id, a.domain, ", ".join(a.roles), ", ".join(a.purposes), _customers(a)) for a in agents]
    showing.console().print(showing.rows("Agents", columns, lines, whole=("agent", "domain")))


def _customers(agent: AgentAnswer) -> str:
    return "any" if agent.customers is None else ", ".join(agent.customers)


@agent.command(epilog=example("hub agent add concierge --domain travel --purpose meal > concierge.key"))
@database
@click.argument("agent_id")
@click.option("--domain", required=True, help="Where it is at home, such as travel; any name will do.")
@click.option("--role", "roles", multiple=True, help="auditor, operator, or one that a line of your policy names.")
@click.option("--customer", "customers", multiple=True, help="Bind it to this customer, or these.")
@click.option("--purpose", "purposes", multiple=True, help="What it may say that it asks for, such as meal.")
@click.option("--new-names", is_flag=True, help="A domain or purpose that looks misspelt is meant as it is.")
def add(
    agent_id: str,
    domain: str,
    roles: tuple[str, ...],
    customers: tuple[str, ...],
    purposes: tuple[str, ...],
    new_names: bool,
    db: Path,
) -> None:
    """Create AGENT_ID and print its key, once."""
    with Hub.open(db) as hub:
        made = hub.operator().create_agent(
            agent_id, domain, roles=roles, customers=customers or None, purposes=purposes, new_names=new_names
        )
    click.echo(made.key)


@agent.command()
@database
@click.argument("agent_id")
def rotate(agent_id: str, db: Path) -> None:
    """Print a new key for AGENT_ID; the old ones are dead at once."""
    with existing(db) as hub:
        click.echo(hub.operator().rotate(agent_id).key)


@agent.command()
@database
@click.argument("agent_id")
def revoke(agent_id: str, db: Path) -> None:
    """Make all keys of AGENT_ID dead at once; `rotate` gives it a new one."""
    with existing(db) as hub:
        hub.operator().revoke(agent_id)


@click.group(cls=Group)
def policy() -> None:
    """Begin, try, explain and compare policies."""


@policy.command(epilog=example("hub policy test my-policies"))
@click.argument("folder", type=FOLDER, required=False)
@json_flag
def test(folder: Path | None, as_json: bool) -> None:
    """Check every *.test.yaml of FOLDER, by default of the shipped policies; exit code 1 if one fails."""
    trial = tried(folder or shipped("policies"), shipped_words())
    if as_json:
        found = {"failures": [str(f) for f in trial.failures], "misspelt": trial.misspelt}
        showing.show_json({"tables": trial.tables, **found})
    else:
        for name, assertions in trial.tables.items():
            click.echo(_held(name, assertions, sum(failure.source == name for failure in trial.failures)))
        for failure in trial.failures:
            click.echo(f"FAILED {failure}")
    for name in trial.misspelt if folder is not None else ():  # the shipped tables have such names on purpose
        click.echo(f"note: {name}", err=True)
    sys.exit(1 if trial.failures else 0)


@policy.command(epilog=example("hub policy init my-policies"))
@click.argument("folder", type=click.Path(path_type=Path, file_okay=False))
def init(folder: Path) -> None:
    """Begin your own policies in FOLDER, from the shipped ones and a first table of assertions."""
    for name in started(folder, shipped("policies")):
        click.echo(folder / name)


@policy.command(epilog=example("hub policy explain atlas --owner health --relation allergic_to --purpose meal"))
@click.argument("agent_id")
@click.option("--domain", help="Where the agent lives; the demo's agents are known.")
@click.option("--owner", required=True, help="The domain that owns the label, such as health.")
@click.option("--told", help="The domain it was told to; default: the owner.")
@click.option("--scope", default="private", show_default=True, help="private, shared or global.")
@click.option("--relation", required=True, help="Such as allergic_to.")
@click.option("--act", default="read", show_default=True, help=f"One of {', '.join(Act)}.")
@click.option("--purpose", help="What it is asked for, such as meal.")
@click.option("--folder", type=FOLDER, help="A policy folder; default: the shipped one.")
@json_flag
def explain(
    agent_id: str,
    domain: str | None,
    owner: str,
    told: str | None,
    scope: str,
    relation: str,
    act: str,
    purpose: str | None,
    folder: Path | None,
    as_json: bool,
) -> None:
    """Say which line decides whether AGENT_ID may act on a label; exit code 1 if it may not."""
    label = label_of(owner, told or owner, scope, relation)
    files = folder or shipped("policies")
    decision = explained(files, (agent_id, domain or _home(agent_id)), label, act, purpose)
    if as_json:
        showing.show_json(decision)
    else:
        click.echo(f"{'allowed' if decision.allowed else 'denied'}: {decision.why}")
        if decision.line is not None:
            click.echo(f"  {decision.line_number}: {decision.line}")
    for stranger in strangers(files, label, shipped_words()):
        click.echo(f"note: {stranger}", err=True)
    sys.exit(0 if decision.allowed else 1)


def _home(agent_id: str) -> str:
    if agent_id not in DEMO_AGENTS:
        raise click.UsageError(f"nothing says where `{agent_id}` lives: name its --domain")
    return DEMO_AGENTS[agent_id][0]


def _held(name: str, assertions: int, failed: int) -> str:
    counted = "1 assertion" if assertions == 1 else f"{assertions} assertions"
    return f"{name}: {counted}, {f'{failed} of them failed' if failed else 'and all hold'}"
