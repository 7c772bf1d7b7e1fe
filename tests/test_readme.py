"""The README keeps its word: the commands of its tour are run as they stand."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from hub.cli.admin import policy
from hub.cli.playing import play
from hub.documents import parse
from tests.sources import ROOT

CHAPTERS = ("A tour in five minutes", "Put your agents' policies under attack in ten minutes")
_BLOCK = re.compile(r"(?ms)^```(bash|python)\n(.*?)^```")


def blocks_of(title: str) -> list[tuple[str, str]]:
    """The blocks of a chapter in order: (language, text)."""
    chapter = re.search(rf"(?ms)^## {title}\n(.*?)^## ", (ROOT / "README.md").read_text(encoding="utf-8"))
    assert chapter is not None
    return _BLOCK.findall(chapter[1])


def run(language: str, text: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """One block, with this interpreter's scripts first on the path; a failing line fails the block."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    environment = {**os.environ, "PATH": path, "PYTHONPATH": str(ROOT), "COLUMNS": "120", "NO_PROXY": "127.0.0.1"}
    leaving = "trap 'kill $(jobs -p) 2>/dev/null || true' EXIT\n"  # no server outlives its block
    shell = ["bash", "-m", "-euo", "pipefail", "-c", leaving + text]
    command = [sys.executable, "-c", text] if language == "python" else shell
    return subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, timeout=120, check=False
    )


@pytest.mark.slow
def test_every_command_of_the_tour_works_in_its_order(tmp_path: Path) -> None:
    blocks = blocks_of(CHAPTERS[0])
    assert [language for language, _ in blocks] == ["python", "bash", "python", "bash", "bash"]
    printed = []
    for language, text in blocks:
        done = run(language, text, tmp_path)
        assert done.returncode == 0, f"{text}\n{done.stdout}\n{done.stderr}"
        printed.append(done.stdout)
    asked, moved, served, attacked = printed[1:]
    assert "lives in: Hanoi" in asked
    assert "Honda Civic" in asked
    assert "superseded" in moved
    assert '"domain":"travel"' in served
    assert "lives in: Saigon" in served
    assert "peanuts" not in served
    assert "allowed" in attacked
    assert "sound" in attacked


@pytest.mark.slow
def test_every_command_of_the_attack_works_in_its_order(tmp_path: Path) -> None:
    begun, attacked = blocks_of(CHAPTERS[1])
    assert "FAILED" not in run(*begun, tmp_path).stdout
    done = run(*attacked, tmp_path)
    assert done.returncode == 0, f"{done.stdout}\n{done.stderr}"
    assert "1 passed, 0 failed" in done.stdout
    assert "salary-stays-with-finance" in (tmp_path / "run.html").read_text(encoding="utf-8")


def test_the_workflow_for_ci_is_one_and_its_commands_are_there(tmp_path: Path) -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    (written,) = re.findall(r"(?ms)^```yaml\n(name: policies\n.*?)^```", readme)
    steps = parse(written, "README.md")["jobs"]["attack"]["steps"]
    played = [step["run"] for step in steps if step.get("run", "").startswith("hub ")]
    assert len(played) == 3
    for command in played:
        words = command.split()
        found, name = (policy.commands["test"], words[3:]) if words[1] == "policy" else (play, words[2:])
        for folder in ("my-stories", "my-policies"):
            (tmp_path / folder).mkdir(exist_ok=True)
            name = [str(tmp_path / folder) if word == folder else word for word in name]
        (tmp_path / "baseline.json").touch()
        name = [str(tmp_path / word) if word == "baseline.json" else word for word in name]
        assert found.make_context(found.name, name).params, command


def test_a_failing_command_of_the_tour_would_be_noticed(tmp_path: Path) -> None:
    assert run("bash", "false\ntrue", tmp_path).returncode != 0
    assert run("python", "assert False", tmp_path).returncode != 0
