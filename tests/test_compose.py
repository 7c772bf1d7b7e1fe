"""The compose file starts the hub by a command line that the hub understands."""

import importlib

import yaml

from tests.sources import ROOT


def test_the_container_starts_by_a_command_that_exists():
    cli = importlib.import_module("hub.cli")
    _, verb, *arguments = yaml.safe_load((ROOT / "compose.yaml").read_text(encoding="utf-8"))["services"]["hub"][
        "command"
    ]
    with cli.cli.commands[verb].make_context(verb, arguments) as context:
        assert context.params
