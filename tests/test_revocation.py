"""Revocation over a real network: two server processes on one database, and no answer in between."""

from __future__ import annotations

import json
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from http.client import HTTPConnection
from pathlib import Path

import pytest
from hypothesis import settings

from hub.hub import Hub
from tests.api_process import ADMIN_KEY, Nursery

RECALLS = (2_000, 10_000)
"""Every day, and in the deep profile."""

READERS = 8
CUSTOMER = "kh-001"
SHUT = "p, travel, *, shared, *, read, *, deny\n"
BODY = json.dumps({"customer": CUSTOMER, "query": "where does she live, and what is her budget?"})


@dataclass(frozen=True)
class Servers:
    ports: tuple[int, int]
    key: str

    def ask(self, connection: HTTPConnection, method: str, path: str, body: str | None, key: str) -> bytes:
        headers = {"Authorization": f"Bearer {key}", "Content-Type": "application/json"}
        connection.request(method, path, body, headers)
        return connection.getresponse().read()

    def recall(self, connection: HTTPConnection) -> bytes:
        return self.ask(connection, "POST", "/v1/recall", BODY, self.key)


@pytest.fixture
def servers(tmp_path: Path) -> Iterator[Servers]:
    database = tmp_path / "memory.db"
    with Hub.open(database) as hub:
        mia = hub.agent("mia", CUSTOMER)
        mia.remember(facts=[{"relation": "lives_in", "value": "Hanoi"}, {"relation": "budget", "value": "800 USD"}])
        key = hub.operator().rotate("atlas").key
    with Nursery() as one, Nursery() as other:
        yield Servers((one.serve(database).port, other.serve(database).port), key)


def put(servers: Servers, port: int, policy: str) -> None:
    body = json.dumps({"policy": policy})
    with closing(HTTPConnection("127.0.0.1", port, timeout=60)) as connection:
        answer = json.loads(servers.ask(connection, "PUT", "/v1/admin/policies", body, ADMIN_KEY))
    assert "version" in answer, answer


def opened(servers: Servers) -> str:
    with closing(HTTPConnection("127.0.0.1", servers.ports[0], timeout=60)) as connection:
        return str(json.loads(servers.ask(connection, "GET", "/v1/admin/policies", None, ADMIN_KEY))["policy"])


def sight(answer: bytes) -> str:
    found = [word for word in (b"Hanoi", b"800 USD") if word in answer]
    return ("nothing", "a part", "everything")[len(found)]


@pytest.mark.slow
def test_a_revocation_bites_at_once_in_every_process_and_never_by_halves(servers: Servers) -> None:
    """What was asked after a change was acknowledged, and answered before the next one began, sees just that change."""
    policy = opened(servers)
    wrong: list[str] = []
    seen: Counter[str] = Counter()
    settled: list[str | None] = ["everything"]  # what must be seen; None while a change is on its way
    recalls = RECALLS[settings.get_current_profile_name() == "deep"]
    done = threading.Event()

    def read(reader: int) -> None:
        with closing(HTTPConnection("127.0.0.1", servers.ports[reader % 2], timeout=60)) as connection:
            for _ in range(recalls // READERS):
                changes, before = len(settled), settled[-1]
                what = sight(servers.recall(connection))
                seen[what] += 1
                if what == "a part" or (before and len(settled) == changes and what != before):
                    wrong.append(f"{what}, where {before} was settled")

    def change() -> None:
        number = 0
        while not done.is_set():
            number += 1
            settled.append(None)
            put(servers, servers.ports[number % 2], policy + SHUT * (number % 2))
            settled.append("nothing" if number % 2 else "everything")
            done.wait(0.05)

    readers = [threading.Thread(target=read, args=(n,)) for n in range(READERS)]
    changer = threading.Thread(target=change)
    for thread in (*readers, changer):
        thread.start()
    for thread in readers:
        thread.join()
    done.set()
    changer.join()
    assert wrong == []
    assert seen["nothing"] > 0
    assert seen["everything"] > 0
    assert sum(seen.values()) == recalls


def test_the_check_would_notice_a_half_answer() -> None:
    assert [sight(a) for a in (b"", b"Hanoi", b"Hanoi 800 USD")] == ["nothing", "a part", "everything"]
