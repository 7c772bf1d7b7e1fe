"""Company knowledge over HTTP and in the terminal: published, listed, taken back, erased, and recalled."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from hub.cli import cli, main
from hub.client.operators import OperatorCalls
from tests.api_world import World, world

RETURNS = {"document": "returns.md", "text": "# Returns\n\nShoes may be returned within 30 days."}


@pytest.fixture
def here() -> Iterator[World]:
    with world() as made:
        yield made


def recalled(here: World, who: str = "nova") -> list[str]:
    answer = here.post(who, "/v1/recall", {"customer": "kim", "query": "How long may shoes be returned?"})
    return [f"{memory['kind']}: {memory['text']}" for memory in answer.json()["memories"]]


def test_an_operator_publishes_and_agents_recall(here):
    added = here.post("admin", "/v1/admin/knowledge", RETURNS)
    assert added.status_code == 201, added.text
    assert {**added.json(), "recorded_at": ""} == {
        "document": "returns.md",
        "topic": "knowledge",
        "added": 1,
        "kept": 0,
        "removed": 0,
        "recorded_at": "",
        "redacted": [],
    }
    assert recalled(here) == ["knowledge: Returns\nShoes may be returned within 30 days."]
    listed = here.get("admin", "/v1/admin/knowledge?limit=5").json()
    assert [(d["document"], d["topic"], d["passages"]) for d in listed["documents"]] == [("returns.md", "knowledge", 1)]
    assert (listed["next"], listed["truncated"]) == (None, False)
    removed = here.post("admin", "/v1/admin/knowledge/remove", {"document": "returns.md", "reason": "old"})
    assert [(d["document"], d["removed"]) for d in removed.json()["documents"]] == [("returns.md", 1)]
    assert recalled(here) == []


def test_it_is_erased_only_if_the_address_says_so(here):
    here.post("admin", "/v1/admin/knowledge", RETURNS)
    refused = here.send("admin", "DELETE", "/v1/admin/knowledge", {"document": "returns.md"})
    assert (refused.status_code, refused.json()["code"]) == (422, "flag_missing")
    erased = here.send("admin", "DELETE", "/v1/admin/knowledge?erase", {"document": "returns.md"})
    assert (erased.status_code, erased.json()["erased"]["passages"]) == (200, 1)
    again = here.send("admin", "DELETE", "/v1/admin/knowledge?erase", {"document": "returns.md"})
    assert (again.status_code, again.json()["code"]) == (404, "not_found")


@pytest.mark.parametrize("who", ["nova", None])
def test_agents_and_strangers_publish_nothing(here, who):
    assert here.post(who, "/v1/admin/knowledge", RETURNS).status_code in (401, 403)
    assert here.post(who, "/v1/admin/knowledge/remove", {"document": "returns.md"}).status_code in (401, 403, 404)
    assert here.get("admin", "/v1/admin/knowledge").json()["documents"] == []


BAD = {
    "unknown_field": {**RETURNS, "owner": "me"},
    "bad_field": {"document": "returns.md"},
    "empty_document": {**RETURNS, "text": " "},
    "bad_topic": {**RETURNS, "topic": "hub"},
}


@pytest.mark.parametrize(("code", "body"), BAD.items(), ids=BAD)
def test_a_bad_document_is_refused_by_name(here, code, body):
    refused = here.post("admin", "/v1/admin/knowledge", body)
    assert (refused.status_code, refused.json()["code"]) == (422, code)


def test_the_client_asks_for_the_same(here):
    calls = OperatorCalls()
    asked = (
        calls.add_knowledge("returns.md", RETURNS["text"], topic="returns"),
        calls.knowledge(limit=2),
        calls.remove_knowledge("returns.md"),
        calls.erase_knowledge("returns.md"),
    )
    for call in asked:
        query = "?limit=2" if call.query else ""
        answer = here.send("admin", call.method, call.path + query, call.body)
        assert answer.is_success, answer.text


# --- in the terminal ---------------------------------------------------------------------------------------------


def run(*arguments: str) -> Result:
    return CliRunner().invoke(cli, arguments, catch_exceptions=False)


@pytest.fixture
def handbook(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "handbook"
    (folder / "deep").mkdir(parents=True)
    (folder / "returns.md").write_text(RETURNS["text"], encoding="utf-8")
    (folder / "deep" / "hours.txt").write_text("Shops open at nine.\n", encoding="utf-8")
    (folder / "logo.png").write_bytes(b"\x89PNG")
    (folder / ".hidden.md").write_text("hidden", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return folder


def test_a_folder_is_published_and_recalled(handbook):
    done = json.loads(run("knowledge", "add", "handbook", "--json").stdout)
    names = [(d["document"], d["added"]) for d in done["documents"]]
    assert names == [("handbook/returns.md", 1), ("handbook/deep/hours.txt", 1)]
    assert done["refused"] == {}
    found = run("recall", "When do shops open?", "--agent", "nova", "--customer", "kim")
    assert "Shops open at nine." in found.output
    (handbook / "returns.md").write_text("Nothing may be returned.", encoding="utf-8")
    for typed in ("handbook/../handbook/returns.md", str(handbook / "returns.md")):
        done = json.loads(run("knowledge", "add", typed, "--json").stdout)
        assert [d["document"] for d in done["documents"]] == ["handbook/returns.md"]
    listed = json.loads(run("knowledge", "list", "--json").stdout)
    assert [d["document"] for d in listed["documents"]] == ["handbook/deep/hours.txt", "handbook/returns.md"]
    assert "handbook/returns.md" in run("knowledge", "list").output
    assert "taken back: handbook/deep/hours.txt (1 passage)" in run("knowledge", "remove", "handbook/deep").output
    assert run("knowledge", "erase", "handbook/returns.md").exit_code == 2
    assert "2 passages" in run("knowledge", "erase", "handbook/returns.md", "--yes").output


def test_what_cannot_be_taken_is_named_and_the_rest_is_taken(handbook):
    (handbook / "empty.md").write_text("\n", encoding="utf-8")
    (handbook / "latin.txt").write_bytes("Größe".encode("latin-1"))
    done = run("knowledge", "add", "handbook", "--topic", "help")
    assert done.exit_code == 1
    assert "handbook/returns.md" in done.output
    assert "refused: handbook/empty.md" in done.stderr
    assert "refused: handbook/latin.txt" in done.stderr
    listed = json.loads(run("knowledge", "list", "--json").stdout)["documents"]
    assert [(d["document"], d["topic"]) for d in listed] == [
        ("handbook/deep/hours.txt", "help"),
        ("handbook/returns.md", "help"),
    ]


def test_a_folder_without_documents_is_refused(tmp_path, monkeypatch, capsys):
    (tmp_path / "logo.png").write_bytes(b"")
    monkeypatch.setattr("sys.argv", ["hub", "knowledge", "add", str(tmp_path), "--db", str(tmp_path / "memory.db")])
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 1
    assert "no_documents" in capsys.readouterr().err
