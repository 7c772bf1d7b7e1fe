"""The command line: a command for everything that is done with a hub, from `serve` to `doctor`."""

from __future__ import annotations

import sys
from io import TextIOWrapper

import click

from hub.cli.admin import agent, policy
from hub.cli.audits import audit, replay
from hub.cli.commands import Group, example
from hub.cli.erasing import erase
from hub.cli.knowledge import knowledge
from hub.cli.loading import load
from hub.cli.memory import graph, recall, timeline
from hub.cli.playing import play
from hub.cli.relations import relations
from hub.cli.reviewing import review
from hub.cli.running import demo, serve
from hub.cli.showing import refused
from hub.cli.tending import doctor, reindex
from hub.cli.whys import diff, why, why_not
from hub.errors import HubError


@click.group(
    cls=Group,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog=example("hub demo", "hub COMMAND --help"),
)
@click.version_option(package_name="memory-hub", prog_name="hub")
def cli() -> None:
    """Shared memory for the agents of one customer, behind one door."""


policy.add_command(diff)
for command in (
    serve,
    demo,
    recall,
    timeline,
    graph,
    replay,
    why,
    why_not,
    audit,
    load,
    erase,
    policy,
    agent,
    knowledge,
    relations,
    review,
    play,
    doctor,
    reindex,
):
    cli.add_command(command)


def main() -> None:
    """Exit codes: 0 ok, 1 a check failed or the hub refused, 2 usage."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):  # not where a test has put something else in its place
            stream.reconfigure(errors="backslashreplace")  # a terminal that can't show a letter is told which it is
    try:
        cli()
    except HubError as error:
        refused(error)
        sys.exit(1)
