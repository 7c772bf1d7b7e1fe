"""The audit and replays in the terminal: what is printed, and exit codes that a script can go by."""

from __future__ import annotations

import json
import re
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from hub import Hub
from hub.cli import cli
from hub.errors import HubError

ASKED = ("--agent", "atlas", "--customer", "kim")


def run(*arguments: str) -> Result:
    return CliRunner().invoke(cli, arguments, catch_exceptions=False)


@pytest.fixture
def db(tmp_path: Path) -> str:
    path = tmp_path / "memory.db"
    with Hub.open(path) as hub:
        hub.agent("mia", "kim").remember(facts=[{"relation": "lives_in", "value": "Hanoi"}])
        hub.agent("mia", "lee").remember(facts=[{"relation": "lives_in", "value": "Hue"}])
    return str(path)


def test_a_recall_is_printed_with_its_id_and_run_again_by_it(db):
    printed = run("recall", "where does she live?", "--db", db, *ASKED)
    recall_id = re.search(r"recall_[0-9a-f]{24}", printed.output)[0]
    for by in ((), ("--agent", "atlas")):
        again = run("replay", recall_id, "--db", db, *by)
        assert again.exit_code == 0
        assert "lives in: Hanoi" in again.output
        assert "the same, byte for byte" in again.output
    with pytest.raises(HubError):
        run("replay", recall_id, "--db", db, "--agent", "mia")


def test_the_audit_names_the_recall_that_is_to_be_explained(db):
    run("recall", "where does she live?", "--db", db, *ASKED)
    line = run("audit", "--db", db, "--verb", "recall").output
    recall_id = re.search(r"recall_[0-9a-f]{24}", line)[0]
    assert "lives in: Hanoi" in run("why", recall_id, "--db", db).output
    assert "recall_" not in run("audit", "--db", db, "--verb", "remember").output


def test_what_is_erased_leaves_nothing_to_explain_and_that_is_said(db):
    first = json.loads(run("recall", "where does she live?", "--db", db, *ASKED, "--json").output)
    recall_id, fact_id = first["recall_id"], first["memories"][0]["id"]
    for text in ("zebra", "Hanoi"):
        wanted = f"nothing that admin may know says “{text}” and is not in the answer\n"
        assert run("why-not", recall_id, text, "--db", db).output == wanted
    assert "erased: 1 claim, " in run("erase", "fact", fact_id, "--yes", "--db", db).output
    again = run("replay", recall_id, "--db", db)
    assert f"{fact_id}: erased\nnot the same: something in it has been erased" in again.output
    assert run("why", recall_id, "--db", db).output == "atlas was told nothing that admin may know now\n"
    assert run("why", recall_id, "--db", db, "--agent", "atlas").output.endswith("nothing that atlas may know now\n")
    gone = run("erase", "customer", "kim", "--yes", "--db", db).output
    assert re.search(r"1 log entry|[0-9]+ log entries", gone)


def test_the_same_answer_is_the_same_json(db):
    first = run("recall", "where does she live?", "--db", db, *ASKED, "--json")
    again = run("replay", json.loads(first.output)["recall_id"], "--db", db, "--json")
    assert again.output == first.output


def test_what_is_revoked_is_printed_with_its_line_and_fails(db):
    first = json.loads(run("recall", "where does she live?", "--db", db, *ASKED, "--json").output)
    with Hub.open(db) as hub:
        policy = hub.operator().policies().policy
        hub.operator().replace_policy(policy=f"{policy}\np, travel, *, *, lives_in, read, *, deny", reason="closed")
    again = run("replay", first["recall_id"], "--db", db)
    assert again.exit_code == 1
    assert f"{first['memories'][0]['id']}: revoked, line" in again.output
    assert "p, travel, *, *, lives_in, read, *, deny" in again.output
    assert "not the same: see above" in again.output
    again = run("replay", first["recall_id"], "--db", db, "--agent", "atlas")
    assert (again.exit_code, "no longer available" in again.output) == (1, True)
    assert "Hanoi" not in again.output


def test_lines_are_printed_one_a_line_and_filtered(db):
    run("recall", "where does she live?", "--db", db, *ASKED)
    printed = run("audit", "--db", db, "--customer", "kim").output.splitlines()
    assert [re.split(r"  +", line)[2:6] for line in printed] == [
        ["mia", "remember", "kim", "ok"],
        ["atlas", "recall", "kim", "ok"],
    ]
    assert all("personal/lives_in" in line for line in printed)
    page = json.loads(run("audit", "--db", db, "--agent", "mia", "--limit", "1", "--json").output)
    assert [line["customer"] for line in page["lines"]] == ["lee"]
    more = run("audit", "--db", db, "--agent", "mia", "--limit", "1").output
    assert f"earlier lines: --cursor {page['next']}" in more
    assert "kim" in run("audit", "--db", db, "--agent", "mia", "--cursor", page["next"]).output
    assert run("audit", "--db", db, "--verb", "recall", "--until", "2020").output == "no such line\n"


def test_a_token_bearers_line_says_for_whom(db):
    with Hub.open(db) as hub:
        token = hub.agent("atlas", "kim").token(purpose="meal").token
        hub.agent("kai", "kim").on_behalf_of(token).profile()
        hub.agent("atlas", "kim").recall("food?", purpose="meal")
    printed = run("audit", "--db", db).output
    assert "kai for atlas" in printed
    assert "for meal" in printed


def test_verify_says_whether_every_line_is_as_it_was_written(db):
    sound = run("audit", "--db", db, "--verify")
    assert (sound.exit_code, "each as it was written" in sound.output) == (0, True)
    assert json.loads(run("audit", "--db", db, "--verify", "--json").output)["ok"] is True
    with closing(sqlite3.connect(db)) as file:
        file.execute("update audit set outcome = 'ok' || outcome where id = 2")
        file.commit()
    broken = run("audit", "--db", db, "--verify")
    assert (broken.exit_code, broken.output) == (1, "line 2 is not as it was written, or not there\n")
    assert "line 2 of the audit" in run("doctor", "--db", db).output


def test_only_an_auditor_may(db):
    for command in (("audit", "--as", "kai"), ("audit", "--verify", "--as", "kai"), ("replay", "x", "--as", "kai")):
        with pytest.raises(HubError) as refused:
            run(*command, "--db", db)
        assert refused.value.code == "not_operator"
