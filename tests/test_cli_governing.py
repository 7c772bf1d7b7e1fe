"""What operators decide about names and contested facts, from the command line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from hub import Hub
from hub.cli import cli, main

KIM = "kim"


def run(*arguments: str) -> Result:
    return CliRunner().invoke(cli, arguments, catch_exceptions=False)


@pytest.fixture
def db(tmp_path: Path) -> str:
    path = tmp_path / "memory.db"
    with Hub.open(path) as hub:
        hub.agent("kai", KIM).remember(facts=[{"relation": "loyalty_tier", "value": "gold"}])
        hub.agent("kai", KIM).remember(facts=[{"relation": "fond_of", "value": "jazz"}])
        hub.agent("sage", KIM).remember(facts=[{"relation": "blood_type", "value": "A"}])
        hub.agent("sage", KIM).remember(facts=[{"relation": "blood_type", "value": "B"}])
    return str(path)


def held(db: str, agent: str) -> set[object]:
    with Hub.open(Path(db)) as hub:
        return {belief.value for entity in hub.agent(agent, KIM).profile().entities for belief in entity.beliefs}


def test_names_in_use_are_listed_and_made_into_something(db: str) -> None:
    listed = run("relations", "list", "--db", db)
    assert "loyalty_tier" in listed.output
    assert "lives_in" not in listed.output
    known = json.loads(run("relations", "list", "--all", "--db", db, "--json").output)
    assert [use["relation"] for use in known["provisional"]] == ["fond_of", "loyalty_tier"]
    assert {"lives_in", "likes"} < {relation["name"] for relation in known["relations"]}
    assert "likes" in run("relations", "list", "--all", "--db", db).output
    promoted = run("relations", "promote", "loyalty_tier", "--scope", "shared", "--existing", "--db", db)
    assert promoted.output == "loyalty_tier: policy version 2, 1 facts changed\n"
    assert "gold" in held(db, "atlas")
    run("relations", "merge", "fond_of", "likes", "--existing", "--scope", "shared", "--db", db)
    assert "jazz" in held(db, "atlas")
    run("relations", "reject", "mood", "--db", db)
    with Hub.open(Path(db)) as hub:
        refused = hub.agent("kai", KIM).remember(facts=[{"relation": "mood", "value": "calm"}]).refused
    assert [item.code for item in refused] == ["relation_rejected"]
    assert "mood" in run("relations", "demote", "mood", "--db", db).output


def test_a_domain_is_rated_and_earns_its_score_again(db: str, monkeypatch: pytest.MonkeyPatch) -> None:
    rated = run("relations", "rate", "travel", "0.8", "--relation", "lives_in", "--db", db).output
    assert rated == "travel in lives_in: policy version 2, its word counts 0.8\n"
    earned = run("relations", "rate", "travel", "earned", "--db", db).output
    assert earned == "travel: policy version 3, its word counts as far as it has earned\n"
    monkeypatch.setattr("sys.argv", ["hub", "relations", "rate", "travel", "high", "--db", db])
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 1


def test_contested_facts_are_listed_and_decided(db: str) -> None:
    shown = run("review", "list", "--db", db)
    assert "blood_type" in shown.output
    contests = json.loads(run("review", "list", "--customer", KIM, "--db", db, "--json").output)["contests"]
    one, other = (side["id"] for side in contests[0]["sides"])
    accepted = run("review", "accept", one, "--reason", "the lab says so", "--db", db)
    decision = accepted.output.removeprefix("recorded: ").strip()
    assert json.loads(run("review", "list", "--db", db, "--json").output)["contests"] == []
    assert decision in run("audit", "--db", db, "--json").output
    assert run("review", "undo", decision, "--db", db).output.startswith("recorded: act_")
    assert run("review", "undo", decision, "--db", db).output == "recorded: nothing\n"
    run("review", "edit", other, "AB", "--from", "2020-01-01", "--reason", "neither", "--db", db)
    assert held(db, "sage") >= {"AB"}
    rest = json.loads(run("review", "list", "--db", db, "--json").output)["contests"]
    assert rest == []


def test_a_rejected_value_is_gone(db: str) -> None:
    contests = json.loads(run("review", "list", "--db", db, "--json").output)["contests"]
    wrong = next(side["id"] for side in contests[0]["sides"] if side["value"] == "B")
    run("review", "reject", wrong, "--db", db)
    assert {"A", "B"} & held(db, "sage") == {"A"}
