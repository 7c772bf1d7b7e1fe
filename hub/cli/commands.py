"""What all commands have in common: groups whose list is never cut off, examples, the database, answers as JSON."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import click

F = TypeVar("F", bound=Callable[..., None])

as_json = click.option("--json", "as_json", is_flag=True, help="Print the answer as JSON.")
because = click.option("--reason", help="Kept with what is done.")
auditing = click.option(
    "--as", "auditor", default="admin", show_default=True, help="Whose role counts, by the name of an agent."
)
means_it = click.option("--yes", is_flag=True, help="Needed: nobody can undo this.")


class Group(click.Group):
    """Lists its commands with their first sentences whole."""

    group_class = type

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        found = [(name, self.get_command(ctx, name)) for name in self.list_commands(ctx)]
        with formatter.section("Commands"):
            formatter.write_dl([(name, one.get_short_help_str(limit=1_000)) for name, one in found if one is not None])


def example(*lines: str) -> str:
    """What stands below a command's help, to be copied."""
    return "\b\nFor example:\n" + "\n".join(f"  {line}" for line in lines)


def database(command: F) -> F:
    """`--db`, for every command that opens one."""
    option = click.option(
        "--db",
        type=click.Path(path_type=Path, dir_okay=False),
        default=Path("memory.db"),
        show_default=True,
        help="The database.",
    )
    return option(command)
