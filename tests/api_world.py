"""A hub behind its API, in process: one client, a key for everybody, and ids told apart by the order they come in."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from httpx import Response
from litestar.testing import TestClient

from hub.api import create_app
from hub.api.rates import Rates
from hub.clock import SimulatedClock
from hub.codec import plain
from hub.hub import Hub
from hub.moments import instant

ADMIN_KEY = "the-admin-key-of-these-tests"
START = "2026-03-01T09:00:00Z"
HOST = "testserver.local"

_ID = re.compile(r"\b(fact|turn|passage|act|ent|recall)_[0-9a-f]{24}\b")


@dataclass
class World:
    """`send` speaks for an agent by name, for `admin`, or for nobody."""

    hub: Hub
    client: TestClient[Any]
    keys: dict[str, str] = field(default_factory=lambda: {"admin": ADMIN_KEY})

    def key(self, name: str) -> str:
        if name not in self.keys:
            self.keys[name] = self.hub.operator().rotate(name).key
        return self.keys[name]

    def send(
        self, who: str | None, method: str, path: str, body: object = None, headers: dict[str, str] | None = None
    ) -> Response:
        known = {} if who is None else {"Authorization": f"Bearer {self.key(who)}"}
        sent: dict[str, Any] = {"content": body} if isinstance(body, bytes) else {} if body is None else {"json": body}
        return self.client.request(method, path, headers={**known, **(headers or {})}, **sent)

    def get(self, who: str | None, path: str) -> Response:
        return self.send(who, "GET", path)

    def post(self, who: str | None, path: str, body: object = None, **headers: str) -> Response:
        return self.send(who, "POST", path, body, {name.replace("_", "-"): value for name, value in headers.items()})

    def learn(self, who: str, customer: str, relation: str, value: object, **more: object) -> str:
        """The id of the one fact that is told."""
        answer = self.post(who, "/v1/remember", {"customer": customer, "facts": [fact(relation, value, **more)]})
        assert answer.status_code == 201, answer.text
        [receipt] = answer.json()["facts"]
        return str(receipt["id"])

    def records(self) -> int:
        """How much has been recorded so far, by anyone."""
        with self.hub._ledger.reading() as reading:
            return int(reading.state.seq)


def fact(relation: str, value: object, **more: object) -> dict[str, object]:
    return {"relation": relation, "value": value, **more}


@contextmanager
def world(rates: Rates | None = None, embedder: str | None = None) -> Iterator[World]:
    with Hub.open(clock=SimulatedClock(instant(START)), embedder=embedder) as hub:
        app = create_app(hub, admin_key=ADMIN_KEY, hosts=(HOST, "localhost"), rates=rates)
        with TestClient(app, raise_server_exceptions=False) as client:
            yield World(hub, client)


def canonical(answer: object) -> Any:
    """The answer with `fact_1`, `turn_2` … for the random ids, in the order they appear."""
    seen: dict[str, str] = {}

    def named(match: re.Match[str]) -> str:
        return seen.setdefault(match[0], f"{match[1]}_{len(seen) + 1}")

    def walked(value: Any) -> Any:
        if isinstance(value, dict):
            sealed = {"next": "a cursor"} if value.get("next") else {}  # each database seals its own
            return {public(name): walked(inner) for name, inner in (value | sealed).items()}
        if isinstance(value, list):
            return [walked(item) for item in value]
        return _ID.sub(named, value) if isinstance(value, str) else value

    return walked(answer if isinstance(answer, dict | list) else plain(answer))


def public(name: str) -> str:
    return "from" if name == "from_" else name
