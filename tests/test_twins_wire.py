"""What a server says to an agent, headers and errors included, is the same with and without what is hidden from it."""

from __future__ import annotations

import re

import pytest

from hub.api import create_app
from hub.hub import Hub
from tests import twin_wire
from tests.test_twins import DEEP
from tests.twin_histories import ALICE, history
from tests.twin_steps import GHOST, question
from tests.twin_stories import STORIES
from tests.twin_wire import ADMIN_KEY, ROUTES
from tests.twins import leak

SEEDS = range(400 if DEEP else 5)
TOLD = "a colleague's word of what was of use tells nothing of what it alone may read"
WRITES = {
    *(f"/v1/facts/{{id}}/{verb}" for verb in ("correct", "end", "retract", "forget", "restore", "erase")),
    *("/v1/remember", "/v1/tokens", "/v1/recalls/{id}/feedback"),
}
"""Routes by which agents record something: done in the histories, in process."""


@pytest.mark.parametrize("seed", SEEDS)
def test_a_server_answers_a_viewer_like_that_of_its_twin(seed):
    assert leak(history(seed), wire=True) is None


def test_a_header_that_counts_what_is_hidden_is_noticed(monkeypatch):
    def counting(hub):
        client = opened(hub)
        with hub._ledger.reading() as reading:
            client.event_hooks["response"] = [
                lambda response: response.headers.update({"X-So-Far": str(reading.state.seq)})
            ]
        return client

    opened = twin_wire._client
    assert leak(STORIES[TOLD], wire=True) is None
    monkeypatch.setattr(twin_wire, "_client", counting)
    assert "so-far" in str(leak(STORIES[TOLD], wire=True))


def test_every_route_by_which_an_agent_reads_is_asked():
    with Hub.open() as hub:
        paths = create_app(hub, admin_key=ADMIN_KEY).openapi_schema.paths
    reading = {path for path in paths if path.startswith("/v1/") and "/admin/" not in path} - WRITES
    args = {**question("atlas", "recall", {}).args, "customer": ALICE, "id": GHOST}
    asked = {made(args)[1] for routes in ROUTES.values() for made in routes}
    patterns = {path: re.sub(r"\\\{\w+\\\}", "[^/]+", re.escape(path)) for path in reading}
    assert [path for path, pattern in patterns.items() if not any(re.fullmatch(pattern, one) for one in asked)] == []
