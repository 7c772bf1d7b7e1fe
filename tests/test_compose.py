"""The compose file starts the hub by a command line that the hub understands."""

import pytest
import yaml

from tests.sources import ROOT


def test_the_container_starts_by_a_command_that_exists():
    cli = pytest.importorskip("hub.cli")
    _, verb, *arguments = yaml.safe_load((ROOT / "compose.yaml").read_text(encoding="utf-8"))["services"]["hub"][
        "command"
    ]
    with cli.main.commands[verb].make_context(verb, arguments) as context:
        assert context.params
