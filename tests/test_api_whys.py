"""Why, why not and policy diffs over HTTP and in the terminal: the same answers, to the same people, as in process."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from hub import Hub
from hub.cli import cli
from tests.api_world import World, fact, world
from tests.scene import MODEL, POLICY

CUSTOMER = "kh-001"
OPENED = POLICY + "p, travel, health, private, *, read, *, allow\n"
RECALL = {"customer": CUSTOMER, "query": "any peanuts where she lives?"}


@pytest.fixture
def here() -> Iterator[World]:
    with world() as opened:
        opened.learn("mia", CUSTOMER, "lives_in", "Hanoi")
        opened.learn("nova", CUSTOMER, "allergic_to", "peanuts")
        yield opened


def kept(here: World) -> str:
    return str(here.post("atlas", "/v1/recall", RECALL).json()["recall_id"])


def reasons(answer: object) -> list[tuple[str, str]]:
    assert answer.status_code == 200, answer.text
    return [(candidate["text"], candidate["reason"]) for candidate in answer.json()["candidates"]]


def test_an_agent_asks_about_its_own_recalls(here):
    recall_id = kept(here)
    fresh = here.post("atlas", "/v1/recall/why", RECALL).json()
    got, posted = here.get("atlas", f"/v1/recalls/{recall_id}/why"), here.post("atlas", f"/v1/recalls/{recall_id}/why")
    assert got.json() == posted.json()
    assert [m["text"] for m in got.json()["memories"]] == [m["text"] for m in fresh["memories"]] == ["lives in: Hanoi"]
    for text in ("peanuts", "0"):
        assert reasons(here.post("atlas", "/v1/recall/why-not", {**RECALL, "text": text})) == []
        assert reasons(here.get("atlas", f"/v1/recalls/{recall_id}/why-not?text={text}")) == []
    assert reasons(here.post("nova", "/v1/recall/why-not", {**RECALL, "query": "taxes", "text": "peanuts"})) == [
        ("allergic to: peanuts", "below_floor")
    ]


def test_an_auditor_asks_about_anyones(here):
    recall_id = kept(here)
    fresh = here.post("admin", "/v1/admin/recall/why-not", {**RECALL, "agent": "atlas", "text": "peanuts"})
    got = here.get("admin", f"/v1/admin/recalls/{recall_id}/why-not?text=peanuts")
    posted = here.post("admin", f"/v1/admin/recalls/{recall_id}/why-not", {"text": "peanuts"})
    assert got.json() == posted.json()
    assert reasons(fresh) == reasons(got) == [("allergic to: peanuts", "denied")]
    [candidate] = got.json()["candidates"]
    assert {"memory_id", "text", "reason", "rule", "by"} <= candidate.keys()
    assert (candidate["rule"]["line"], candidate["rule"]["why"]) == (None, "no line allows it")
    told = here.get("admin", f"/v1/admin/recalls/{recall_id}/why").json()
    assert told == here.post("admin", f"/v1/admin/recalls/{recall_id}/why").json()
    assert told["memories"][0]["rules"][0]["text"] == "p, shared-reader, *, shared, *, read, *, allow"
    assert here.post("admin", "/v1/admin/recall/why", {**RECALL, "agent": "travel"}).status_code == 200


def test_two_agents_are_compared_and_a_policy_is_tried_out(here):
    sides = here.get("admin", f"/v1/admin/customers/{CUSTOMER}/compare?one=health&other=atlas&limit=5")
    assert [seen["text"] for seen in sides.json()["only_one"]] == ["allergic to: peanuts"]
    tried = here.post("admin", "/v1/admin/policies/diff", {"policy": OPENED, "customer": CUSTOMER}).json()
    assert [(m["agent"], m["text"], m["opens"]) for m in tried["memories"]] == [("atlas", "allergic to: peanuts", True)]
    assert {change["owner"] for change in tried["labels"]} == {"health"}
    assert here.post("admin", "/v1/recall/why", RECALL).status_code == 403, "the admin key is no agent's"


AUDITORS_ONLY = [
    ("POST", "/v1/admin/recall/why", {**RECALL, "agent": "nova"}),
    ("POST", "/v1/admin/recall/why-not", {**RECALL, "agent": "nova", "text": "peanuts"}),
    ("GET", "/v1/admin/recalls/{recall}/why", None),
    ("POST", "/v1/admin/recalls/{recall}/why", None),
    ("GET", "/v1/admin/recalls/{recall}/why-not?text=peanuts", None),
    ("POST", "/v1/admin/recalls/{recall}/why-not", {"text": "peanuts"}),
    ("GET", f"/v1/admin/customers/{CUSTOMER}/compare?one=mia&other=nova", None),
    ("POST", "/v1/admin/policies/diff", {"policy": OPENED, "customer": CUSTOMER}),
]


@pytest.mark.parametrize(("method", "path", "body"), AUDITORS_ONLY, ids=lambda part: part if "/" in str(part) else None)
def test_an_agent_without_the_role_is_told_nothing(here, method, path, body):
    answer = here.send("atlas", method, path.format(recall=kept(here)), body)
    assert (answer.status_code, answer.json()["code"]) == (403, "not_operator")
    assert "peanuts" not in answer.text


@pytest.mark.parametrize("field", ["agent", "viewer", "include_private", "known"])
def test_no_field_names_the_caller_or_widens_a_view(here, field):
    for path in ("/v1/recall/why", "/v1/recall/why-not"):
        answer = here.post("atlas", path, {**RECALL, "text": "peanuts", field: "nova"})
        assert (answer.status_code, answer.json()["code"]) == (422, "unknown_field")


def test_the_recall_of_another_is_answered_like_one_that_never_was(here):
    recall_id = str(here.post("nova", "/v1/recall", RECALL).json()["recall_id"])
    for tail in ("why", "why-not?text=peanuts"):
        answers = {here.get("atlas", f"/v1/recalls/{one}/{tail}").content for one in (recall_id, "recall_" + "0" * 24)}
        assert len(answers) == 1


def test_explaining_is_in_the_audit(here):
    recall_id = kept(here)
    here.get("admin", f"/v1/admin/recalls/{recall_id}/why-not?text=peanuts")
    lines = here.hub.operator().audit(verb="why_not").lines
    assert [(line.agent, line.customer, line.outcome) for line in lines] == [("admin", CUSTOMER, "ok")]
    assert recall_id in lines[0].records
    assert "peanuts" not in str(lines)


# --- in the terminal ---------------------------------------------------------------------------------------------


@pytest.fixture
def db(tmp_path: Path) -> tuple[str, str]:
    path = tmp_path / "memory.db"
    with Hub.open(path) as hub:
        hub.agent("mia", CUSTOMER).remember("I live there", facts=[fact("lives_in", "Hanoi")])
        hub.agent("nova", CUSTOMER).remember(facts=[fact("allergic_to", "peanuts")])
        recall_id = hub.agent("atlas", CUSTOMER).recall("where does she live?").recall_id
    return str(path), recall_id


def run(*arguments: str) -> Result:
    return CliRunner(env={"COLUMNS": "200"}).invoke(cli, arguments, catch_exceptions=False)


def test_why_and_why_not_are_told_in_words_and_as_json(db):
    path, recall_id = db
    told = run("why", recall_id, "--db", path)
    assert "lives in: Hanoi" in told.output
    assert "p, shared-reader, *, shared, *, read, *, allow" in told.output
    stopped = run("why-not", recall_id, "peanuts", "--db", path)
    assert "denied" in stopped.output
    assert "no line allows it" in stopped.output
    own = json.loads(run("why-not", recall_id, "peanuts", "--db", path, "--agent", "atlas", "--json").output)
    assert own["candidates"] == []
    assert json.loads(run("why", recall_id, "--db", path, "--json").output)["agent"] == "atlas"


def test_policy_diff_compares_agents_and_policies(db, tmp_path):
    path, _ = db
    asked = ("policy", "diff", "--db", path, "--customer", CUSTOMER)
    assert "allergic to: peanuts" in run(*asked, "travel", "health").output
    (tmp_path / "policy.csv").write_text(OPENED, encoding="utf-8")
    (tmp_path / "model.conf").write_text(MODEL, encoding="utf-8")
    for given in (tmp_path, tmp_path / "policy.csv"):
        done = run(*asked, "--policy", str(given))
        assert "1 opened, 0 closed" in done.output
    assert "opens" in run("policy", "diff", "--db", path, "--policy", str(tmp_path), "travel").output
    sides = json.loads(run(*asked, "travel", "health", "--json").output)
    assert [seen["text"] for seen in sides["only_other"]] == ["allergic to: peanuts"]


@pytest.mark.parametrize("names", [(), ("travel",), ("travel", "health", "repair")])
def test_policy_diff_needs_two_names_or_a_policy(db, names):
    path, _ = db
    assert run("policy", "diff", "--db", path, "--customer", CUSTOMER, *names).exit_code == 2
