"""`hub serve`, `hub demo`, `hub play`, `hub doctor`: the hub at work."""

from __future__ import annotations

import sys
from pathlib import Path

import click
from rich.progress import track

from hub.cli import showing
from hub.cli.memory import database, existing
from hub.clock import SimulatedClock
from hub.codec import plain
from hub.demo import START, story
from hub.hub import Hub, shipped
from hub.play import Report, check, load
from hub.play import play as play_story


@click.command()
@database
@click.option("--host", default="127.0.0.1", show_default=True)
@click.option("--port", type=click.IntRange(1, 65535), default=8080, show_default=True)
@click.option("--allow-host", "hosts", multiple=True, help="Another name this hub is reached by.")
@click.option("--admin-key", envvar="HUB_ADMIN_KEY", help="Opens /v1/admin; better set HUB_ADMIN_KEY.")
@click.option("--policies", type=click.Path(path_type=Path, exists=True, file_okay=False))
def serve(db: Path, host: str, port: int, hosts: tuple[str, ...], admin_key: str | None, policies: Path | None) -> None:
    """Serve the hub over HTTP; the API describes itself at /schema."""
    from hub.api import serve as serving

    with Hub.open(db, policies=policies) as hub:
        click.echo(f"memory hub on http://{host}:{port}, database {db}", err=True)
        serving(hub, host, port, admin_key, hosts=hosts)


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Print the beats as JSON lines.")
def demo(as_json: bool) -> None:
    """Play the story of the README: three agents and more, one customer, now and in the past."""
    clock = SimulatedClock(START)
    screen = showing.console()
    with Hub.open(clock=clock) as hub:
        for happening in story(hub, clock):
            if as_json:
                showing.show_json(happening)
            else:
                showing.beat(screen, happening)


@click.command()
@database
@click.option("--json", "as_json", is_flag=True)
def doctor(db: Path, as_json: bool) -> None:
    """Check a database: the file, its heads, every record, the policy in force."""
    with existing(db) as hub:
        faults = hub.faults()
    if as_json:
        showing.show_json({"sound": not faults, "faults": faults})
    else:
        click.echo("\n".join(faults) if faults else "sound")
    sys.exit(1 if faults else 0)


@click.command()
@click.argument("paths", nargs=-1, type=click.Path(path_type=Path, exists=True))
@click.option("--policy", "policies", type=click.Path(path_type=Path, exists=True, file_okay=False))
@click.option("--no-door", is_flag=True, help="Everybody reads everything: leakage stories must fail.")
@click.option("--no-graph", is_flag=True, help="Without what only the walk finds.")
@click.option("--no-time", is_flag=True, help="Every question is one about the present.")
@click.option("--check", "only_check", is_flag=True, help="Read and check the stories, play nothing.")
@click.option("--json", "as_json", is_flag=True)
def play(
    paths: tuple[Path, ...],
    policies: Path | None,
    no_door: bool,
    no_graph: bool,
    no_time: bool,
    only_check: bool,
    as_json: bool,
) -> None:
    """Play scenarios (files or folders; default: the shipped ones), each on a hub of its own."""
    stories = [story for path in paths or (shipped("scenarios"),) for story in load(path)]
    if only_check:
        for one in stories:
            check(one)
        click.echo(f"{len(stories)} stories are fit to be played")
        return
    report = Report()
    for one in track(stories, "playing", console=showing.console(stderr=True)):
        report += play_story(one, policies=policies, door=not no_door, graph=not no_graph, as_of=not no_time)
    _show(report, as_json=as_json)
    sys.exit(1 if report.failed else 0)


def _show(report: Report, *, as_json: bool) -> None:
    summary = plain(report.summary())
    outcomes = [{"story": o.story.id, "state": o.state, "complaints": list(o.complaints)} for o in report.outcomes]
    if as_json:
        showing.show_json({"summary": summary, "stories": outcomes})
        return
    for outcome in report.outcomes:
        if outcome.state != "passed":
            click.echo(f"{outcome.state}: {outcome.story.id}")
            for complaint in outcome.complaints:
                click.echo(f"    {complaint}")
    lines = [(name, *(str(tally[state]) for state in tally)) for name, tally in summary["categories"].items()]
    columns = ("category", *next(iter(summary["categories"].values()), {}))
    showing.console().print(showing.rows("Scenarios", columns, lines))
    counted = summary["stories"]
    click.echo(", ".join(f"{count} {state}" for state, count in counted.items()))
