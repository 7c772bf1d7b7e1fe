"""The dialogue bench keeps its own promises on two small dialogues: it passes, and it can fail."""

from __future__ import annotations

import gzip
import json
from importlib import import_module
from pathlib import Path

import pytest

from bench import dialogues as bench


def event(turn: int, agent: str, service: str, slot: str, value: str, **more: object) -> dict[str, object]:
    return {"turn": turn, "agent": agent, "service": service, "slot": slot, "value": value, "op": "set", **more}


TALK = {
    "id": "t1",
    "services": ["Hotels_1", "Doctors_1"],
    "turns": [["U", "a hotel in Oslo"], ["S", "ok"], ["U", "Bergen instead, and a dentist there"], ["U", "thanks"]],
    "events": [
        event(0, "travel", "Hotels_1", "city", "Oslo"),
        event(2, "travel", "Hotels_1", "city", "Bergen", op="update", prev="Oslo"),
        event(2, "health", "Doctors_1", "type", "dentist"),
        event(
            3,
            "health",
            "Doctors_1",
            "city",
            "Bergen",
            carried_from=[{"service": "Hotels_1", "slot": "city", "agent": "travel"}],
        ),
    ],
}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    file = tmp_path / "talks.jsonl.gz"
    with gzip.open(file, "wt") as lines:
        lines.writelines(json.dumps({**TALK, "id": f"t{n}"}) + "\n" for n in range(3))
    return file


def test_small_dialogues_reach_every_figure(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert bench.main([str(path), "--json"]) == 0
    figures = json.loads(capsys.readouterr().out)
    assert figures["claims"] == 12
    assert figures["updates_current"] == figures["updates_as_of_before"] == "3/3"
    assert figures["carried_readable"] == "3/3"
    assert set(figures["leaks"].values()) == {0}
    assert all(found > 0 for found in figures["leaks_with_the_door_open"].values())


def test_a_leak_fails_the_bench(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kept = bench.policy
    monkeypatch.setattr(bench, "policy", lambda domains, *, door: kept(domains, door=False))
    assert bench.main([str(path), "--json"]) == 1


@pytest.mark.parametrize("name", ["dialogues", "locomo", "extract"])
def test_a_file_that_is_not_there_is_named_and_what_it_should_hold_said_to_be_in_the_readme(name, capsys):
    with pytest.raises(SystemExit) as ended:
        import_module(f"bench.{name}").main(["nowhere.json"])
    assert ended.value.code == 2
    assert "there is no file `nowhere.json`; README.md says" in capsys.readouterr().err
