"""What a newcomer reads first: every command says whole sentences, every option what it is for, at any width."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Iterator

import click
import pytest
from click.testing import CliRunner

from hub.cli import cli


def commands(group: click.Group, *names: str) -> Iterator[tuple[tuple[str, ...], click.Command]]:
    for name, command in group.commands.items():
        yield (*names, name), command
        if isinstance(command, click.Group):
            yield from commands(command, *names, name)


ALL = dict(commands(cli))


@pytest.mark.parametrize("names", ALL, ids=" ".join)
@pytest.mark.parametrize("columns", [60, 120])
def test_help_is_never_cut_off(names: tuple[str, ...], columns: int) -> None:
    done = CliRunner().invoke(cli, [*names, "--help"], terminal_width=columns)
    assert done.exit_code == 0
    assert "..." not in done.output.split("\n\n", 1)[1], "below the usage"
    flowing = " ".join(done.output.split())
    for inner in getattr(ALL[names], "commands", {}).values():
        assert inner.get_short_help_str(1_000) in flowing


@pytest.mark.parametrize("names", ALL, ids=" ".join)
def test_commands_are_described_in_sentences_and_options_all_have_a_word(names: tuple[str, ...]) -> None:
    command = ALL[names]
    first = (command.help or "").split("\n\n")[0].strip()
    assert re.match(r"[A-Z]", first), "it begins with what it does"
    assert first.endswith(".")
    for option in command.params:
        assert isinstance(option, click.Argument) or option.help, f"{option.name} has no help"


@pytest.mark.parametrize("names", [names for names in ALL if ALL[names].epilog], ids=" ".join)
def test_an_example_is_one_that_the_command_takes(names: tuple[str, ...], monkeypatch: pytest.MonkeyPatch) -> None:
    for line in (ALL[names].epilog or "").splitlines()[2:]:
        if names == ("import",):
            assert json.loads(line)["agent"]
            continue
        told = line.split(">")[0].split("HUB_ADMIN_KEY=change-me ")[-1]
        program, *given = shlex.split(told)
        assert (program, tuple(given[: len(names)])) == ("hub", names)
        monkeypatch.setattr(click.Path, "convert", lambda self, value, param, ctx: value)  # nothing need be there
        command = ALL[names]
        command.make_context(" ".join(names), given[len(names) :], resilient_parsing=False)
