"""What can't come to anything is refused before it is begun, with a word about how to mend it."""

from __future__ import annotations

import socket
from pathlib import Path

import pytest

from hub.cli import playing
from hub.errors import Conflict, Incorrect
from hub.play.over_http import Remote
from tests.sources import ROOT
from tests.test_cli import run

STORY = str(ROOT / "scenarios" / "leakage" / "allergy-told-to-shop.yaml")
NEEDS_A_MODEL = """
id: needs-a-model
category: exact_match
requires: llm
steps:
  - {agent: mia, remember: {facts: [{relation: lives_in, value: Hanoi}]}}
  - {agent: mia, recall: "where is home?", expect: {remembers: [Hanoi]}}
"""


@pytest.mark.parametrize("name", ["missing/run.html", "run.pdf"])
def test_a_report_that_can_t_be_written_is_refused_before_anything_is_played(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(playing, "play_all", lambda *_, **__: pytest.fail("it was played"))
    with pytest.raises(Incorrect, match="bad_report"):
        run("play", STORY, "--report", str(tmp_path / name))


def test_a_run_that_plays_nothing_is_not_green(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    done = run("play", STORY, "--category", "temporal")
    assert done.exit_code == 2
    assert "no story of the category temporal" in done.output
    monkeypatch.delenv("HUB_MODEL", raising=False)
    (tmp_path / "story.yaml").write_text(NEEDS_A_MODEL, encoding="utf-8")
    done = run("play", str(tmp_path))
    assert done.exit_code == 2
    assert "every story was skipped" in done.output


def test_one_story_is_one_story() -> None:
    assert run("play", STORY, "--check").output == "1 story is fit to be played\n"


def test_an_address_that_is_none_is_said_to_be_none() -> None:
    done = run("play", STORY, "--url", "junk", "--admin-key", "key")
    assert done.exit_code == 2
    assert "http://127.0.0.1:8080" in done.output


def test_a_port_in_use_is_named_with_a_way_out(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        with pytest.raises(Conflict, match="--port"):
            run("serve", "--db", str(tmp_path / "memory.db"), "--port", port, "--embedder", "none")


def test_what_is_left_behind_at_another_hub_is_told_even_after_ctrl_c(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken_off(stories: object, target: Remote, *_: object, **__: object) -> None:
        target.left.append("the customer tale-1")
        raise KeyboardInterrupt

    monkeypatch.setattr(playing, "play_all", broken_off)
    done = run("play", STORY, "--url", "http://127.0.0.1:1", "--admin-key", "key")
    assert done.exit_code == 1
    assert "left behind at http://127.0.0.1:1: the customer tale-1" in done.output
