"""Policies tried and stories written at the command line: what is missing, unknown or misspelt is called so."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from litestar.testing import TestClient

from hub import Hub
from hub.api import create_app
from hub.errors import Incorrect
from hub.play import read_story
from tests.test_cli import run

ALLERGIES = ("--owner", "health", "--relation", "allergic_to")


def test_an_agent_of_the_demo_is_at_home_where_the_demo_says() -> None:
    travel = ("--owner", "travel", "--relation", "allergic_to")
    assert run("policy", "explain", "atlas", *travel).output.startswith("allowed")
    assert run("policy", "explain", "atlas", *ALLERGIES, "--purpose", "meal").exit_code == 0


def test_nobody_is_explained_who_is_at_home_nowhere() -> None:
    done = run("policy", "explain", "lex", *ALLERGIES)
    assert done.exit_code == 2
    assert "--domain" in done.output
    assert run("policy", "explain", "lex", "--domain", "legal", *ALLERGIES).output.startswith("denied")


def test_what_nobody_has_heard_of_is_named_beside_the_answer() -> None:
    done = run("policy", "explain", "atlas", "--owner", "helth", "--relation", "alergic_to")
    assert "`helth`" in done.output
    assert "`alergic_to`" in done.output
    assert "note" not in run("policy", "explain", "atlas", *ALLERGIES).output
    assert "note" not in run("policy", "explain", "atlas", "--owner", "travel", "--relation", "allergic_to").output


def test_a_table_that_holds_is_said_to_hold(tmp_path: Path) -> None:
    assert "assertions, and all hold" in run("policy", "test").output
    assert run("policy", "init", str(tmp_path)).exit_code == 0
    one = "- {agent: sage, domain: health, owner: health, scope: private, relation: allergic_to, expect: deny}\n"
    (tmp_path / "first.test.yaml").write_text(one, encoding="utf-8")
    assert "first.test.yaml: 1 assertion, 1 of them failed" in run("policy", "test", str(tmp_path)).output


@pytest.mark.parametrize(
    ("key", "name", "meant"),
    [
        ("relation", "allergic_too", "allergic_to"),
        ("owner", "helth", "health"),
        ("told", "shoping", "shopping"),
        ("domain", "travell", "travel"),
        ("purpose", "meals", "meal"),
    ],
)
def test_an_assertion_that_holds_because_of_a_slip_is_noted(tmp_path: Path, key: str, name: str, meant: str) -> None:
    run("policy", "init", str(tmp_path))
    label = {"owner": "health", "told": "shopping", "scope": "private", "relation": "allergic_to"}
    assertion = {"agent": "atlas", "domain": "travel", **label, "expect": "deny", key: name}
    (tmp_path / "second.test.yaml").write_text(json.dumps([assertion]), encoding="utf-8")
    done = run("policy", "test", str(tmp_path))
    assert (done.exit_code, "second.test.yaml: 1 assertion, and all hold" in done.output) == (0, True)
    assert (
        f"note: second.test.yaml, assertion 1: nothing knows the {key} `{name}`; did you mean `{meant}`?" in done.output
    )
    assert name in run("policy", "test", str(tmp_path), "--json").output


@pytest.mark.parametrize(
    ("line", "slip"),
    [
        ("p, travel, helth, private, *, read, *, deny", "domain `helth`; did you mean `health`?"),
        ("p, travell, health, private, *, read, *, deny", "domain `travell`; did you mean `travel`?"),
        ("g, shoping, shared-reader, *", "domain `shoping`; did you mean `shopping`?"),
        ("g, travel, shared-reader, finence", "domain `finence`; did you mean `finance`?"),
        ("p, travel, health, private, alergic_to, read, *, deny", "relation `alergic_to`; did you mean `allergic_to`?"),
        ("p, travel, legal, private, *, read, *, deny", ""),
        ("p, warehouse, health, private, passage, read, *, deny", ""),
    ],
)
def test_a_line_of_the_policy_that_means_nobody_because_of_a_slip_is_noted(
    tmp_path: Path, line: str, slip: str
) -> None:
    run("policy", "init", str(tmp_path))
    with (tmp_path / "policy.csv").open("a", encoding="utf-8") as lines:
        lines.write(f"{line}\n")
    done = run("policy", "test", str(tmp_path))
    noted = f"note: policy.csv: nothing else knows the {slip}\n" if slip else ""
    assert [part for part in done.output.splitlines(keepends=True) if part.startswith("note")] == [noted][: bool(slip)]


def test_names_that_are_known_or_like_no_other_are_not_noted(tmp_path: Path) -> None:
    run("policy", "init", str(tmp_path))
    assert "note" not in run("policy", "test", str(tmp_path)).output
    assert "note" not in run("policy", "test").output, "the shipped tables have such names on purpose"


@pytest.mark.parametrize(("key", "noted"), [((), True), (("--admin-key", "change-me"), False)])
def test_a_hub_that_no_admin_key_opens_says_so(monkeypatch, tmp_path: Path, key: tuple[str, ...], noted: bool) -> None:
    monkeypatch.setattr("hub.api.serve", lambda *_, **__: None)
    monkeypatch.delenv("HUB_ADMIN_KEY", raising=False)
    done = run("serve", "--db", str(tmp_path / "memory.db"), "--embedder", "none", *key)
    assert (done.exit_code, "no admin key: HUB_ADMIN_KEY" in done.output) == (0, noted)


@pytest.mark.parametrize(
    ("step", "allowed"),
    [
        ("{agent: mia, recall: hello, expects: {}}", "`query`.*`agent`, `as`, `expect`"),
        ("{agent: mia, fact: true, of: it, expects: {}}", "`as_of`.*`agent`, `of`, `expect`"),
    ],
)
def test_an_unknown_key_of_a_step_is_answered_with_all_that_may_stand_there(step: str, allowed: str) -> None:
    with pytest.raises(Incorrect, match=rf"unknown key `expects`.*{allowed}$"):
        read_story(f"id: tale\ncategory: temporal\nsteps:\n  - {step}\n", "tale.yaml")


def test_a_key_that_is_missing_is_called_missing() -> None:
    with pytest.raises(Incorrect, match=r"has no `category`.*write `category"):
        read_story("id: tale\nsteps: []\n", "tale.yaml")


def test_agents_are_listed_with_where_they_live_and_what_they_may_name(tmp_path: Path) -> None:
    db = str(tmp_path / "memory.db")
    bound = ("--domain", "legal", "--role", "auditor", "--customer", "kh-001", "--purpose", "claim")
    assert run("agent", "add", "lex", *bound, "--db", db).exit_code == 0
    told = {one["id"]: one for one in json.loads(run("agent", "list", "--db", db, "--json").output)["agents"]}
    assert told["atlas"]["customers"] is None
    assert told["lex"] == {
        "id": "lex",
        "domain": "legal",
        "roles": ["auditor"],
        "purposes": ["claim"],
        "customers": ["kh-001"],
    }
    shown = run("agent", "list", "--db", db).output
    assert all(word in shown for word in ("lex", "legal", "auditor", "claim", "kh-001", "atlas", "any"))


def test_agents_are_listed_over_http_to_whoever_may_inspect() -> None:
    with (
        Hub.open(embedder="none") as hub,
        TestClient(create_app(hub, admin_key="the-admin-key", hosts=["testserver.local"])) as client,
    ):
        answer = client.get("/v1/admin/agents", headers={"Authorization": "Bearer the-admin-key"})
        assert [agent["id"] for agent in answer.json()["agents"]][:2] == ["mia", "kai"]
        key = hub.operator().create_agent("lex", "legal").key
        assert client.get("/v1/admin/agents", headers={"Authorization": f"Bearer {key}"}).status_code == 403
