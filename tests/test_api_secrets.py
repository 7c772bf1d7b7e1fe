"""Keys are shown once, to whom they are made for, and never again: in no answer, no log, no file and no repr."""

from __future__ import annotations

import hashlib
import hmac
import json
import logging
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner
from litestar.testing import TestClient

from hub.api import callers, create_app
from hub.cli import cli
from hub.codec import encode
from hub.door import keyring
from hub.hub import Hub
from tests.api_world import ADMIN_KEY, HOST, World, world

CUSTOMER = "kh-001"


@pytest.fixture
def here() -> Iterator[World]:
    with world(embedder="none") as made:
        for agent in ("mia", "atlas"):
            made.key(agent)
        yield made


def secrets_of(here: World) -> list[str]:
    """Every key that anybody holds, and what the hub keeps of each."""
    return [known for key in here.keys.values() for known in (key, hashlib.sha256(key.encode()).hexdigest())]


def test_a_key_or_token_is_in_the_answer_it_is_made_in_and_in_none_after(here):
    here.keys["token"] = here.post("mia", "/v1/tokens", {"customer": CUSTOMER}).json()["token"]
    recall = here.post("mia", "/v1/recall", {"customer": CUSTOMER, "query": here.key("mia")}).json()["recall_id"]
    roads = [("mia", "/v1/me"), ("token", "/v1/me"), ("admin", "/v1/admin/audit?limit=1000"), (None, "/schema")]
    roads += [("admin", f"/v1/admin/{part}") for part in ("policies", "policies/versions", "relations", "audit/verify")]
    roads += [("mia", f"/v1/customers/{CUSTOMER}/{verb}") for verb in ("profile", "timeline", "graph")]
    roads += [("mia", "/v1/nothing"), (None, "/v1/me"), ("atlas", f"/v1/recalls/{recall}")]
    for who, path in roads:
        answer = here.get(who, path)
        said = answer.text + str(answer.headers)
        assert not [secret for secret in secrets_of(here) if secret in said], path


def test_what_is_sent_as_a_key_is_not_said_again(here):
    wrong = "hub_" + "z" * 43
    for headers in ({"Authorization": f"Bearer {wrong}"}, {"Authorization": f"Basic {wrong}"}):
        assert wrong not in here.send(None, "GET", "/v1/me", headers=headers).text
    headers = {"On-Behalf-Of": wrong}
    assert wrong not in here.send("mia", "GET", "/v1/me", headers=headers).text


def test_no_key_reaches_the_log_whatever_becomes_of_the_request(here, caplog, capfd, monkeypatch):
    with caplog.at_level(logging.DEBUG):
        here.keys["token"] = here.post("mia", "/v1/tokens", {"customer": CUSTOMER}).json()["token"]
        headers = {"On-Behalf-Of": here.keys["token"]}
        for who in ("mia", "token", "admin"):
            here.get(who, "/v1/me")
            here.get(who, "/v1/me?x=1")
            here.send(who, "GET", "/v1/me", headers=headers)
        here.post("admin", "/v1/admin/agents/atlas/rotate")
        here.get("atlas", "/v1/me")
        monkeypatch.setattr("hub.hub.recalls.recall", lambda *_: 1 / 0)
        assert here.post("mia", "/v1/recall", {"customer": CUSTOMER, "query": "x"}).status_code == 500
    logged = "\n".join([record.getMessage() for record in caplog.records if record.name != "httpx"])
    logged += "".join(capfd.readouterr())
    assert "ZeroDivisionError" in logged
    assert not [secret for secret in secrets_of(here) if secret in logged]


def test_no_key_is_in_what_an_object_says_of_itself(here):
    made = here.hub.operator().rotate("mia")
    token = here.hub.authenticate(made.key).token(customer=CUSTOMER)
    agent = here.hub.authenticate(token.token)
    for secret, *things in ((made.key, made), (token.token, token), (made.key, agent, here.hub, here.client.app)):
        for thing in things:
            assert secret not in f"{thing!r} {thing}"
    assert made.key in encode(made).decode()
    assert token.token in encode(token).decode()


def test_the_hub_keeps_no_key_that_could_be_used(tmp_path: Path):
    with Hub.open(tmp_path / "memory.db", embedder="none") as hub:
        key = hub.operator().rotate("mia").key
        token = hub.authenticate(key).token(customer=CUSTOMER).token
        hub.authenticate(token).recall("where does she live?")
        hub.flush()
        kept = b"".join(file.read_bytes() for file in tmp_path.iterdir())
    assert hashlib.sha256(key.encode()).hexdigest().encode() in kept
    assert not [secret for secret in (key, token) if secret.encode() in kept]


def test_the_command_line_shows_no_key_that_it_is_given(monkeypatch):
    monkeypatch.setenv("HUB_ADMIN_KEY", ADMIN_KEY)
    for arguments in (["serve", "--help"], ["serve", "--port", "none"], ["serve", "--db", "/", "--port", "1"]):
        said = CliRunner().invoke(cli, arguments)
        assert ADMIN_KEY not in said.output + str(said.exception)


def test_keys_are_compared_in_constant_time(monkeypatch):
    """Whole, by the function that is made for it: the digest kept beside the digest of what came."""
    compared: list[tuple[object, object]] = []

    def noted(one: object, other: object) -> bool:
        compared.append((one, other))
        return hmac.compare_digest(one, other)  # type: ignore[type-var]

    class Noted:
        compare_digest = staticmethod(noted)

    with Hub.open(embedder="none") as hub:
        key = hub.operator().rotate("mia").key
        with TestClient(create_app(hub, admin_key=ADMIN_KEY, hosts=[HOST])) as client:
            for module in (callers, keyring):
                monkeypatch.setattr(module, "hmac", Noted)
            for sent in (key, ADMIN_KEY, ADMIN_KEY[:-1]):
                client.get("/v1/me", headers={"Authorization": f"Bearer {sent}"})
    admin, mine = hashlib.sha256(ADMIN_KEY.encode()).digest(), hashlib.sha256(key.encode())
    assert [pair for pair in compared if pair == (admin, admin)]
    assert [pair for pair in compared if pair == (hashlib.sha256(ADMIN_KEY[:-1].encode()).digest(), admin)]
    assert (mine.hexdigest(), mine.hexdigest()) in compared
    assert {len(text) for pair in compared for text in pair if isinstance(text, bytes)} == {32}


def test_the_description_names_no_example_of_a_key(here):
    plain = here.get(None, "/schema").text
    assert "hub_" not in plain
    assert "example" not in json.dumps(json.loads(plain)["components"]["securitySchemes"])
