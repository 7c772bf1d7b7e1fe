"""A real server on a real port: what goes over the wire as it is, and when the hub refuses to serve at all."""

from __future__ import annotations

import asyncio
import json
import socket
from collections.abc import Iterator

import pytest

from hub.api import create_app, serve
from hub.api.server import is_loopback
from hub.errors import Incorrect
from hub.hub import Hub
from tests.api_process import ADMIN_KEY, Line, Nursery, Served


@pytest.fixture(scope="module")
def server(tmp_path_factory) -> Iterator[Served]:
    with Nursery() as nursery:
        served = nursery.serve(tmp_path_factory.mktemp("served") / "memory.db")
        yield served
        served.kill()


@pytest.fixture(scope="module")
def mia(server) -> Iterator[Line]:
    admin = server.line()
    line = server.line(json.loads(admin.send("POST", "/v1/admin/agents/mia/rotate")[1])["key"])
    yield line
    admin.close()
    line.close()


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("/healthz", 200),
        ("/readyz", 200),
        ("/schema", 200),
        ("/healthz?", 200),
        ("//healthz", 401),
        ("/healthz/", 401),
        ("/healthz/.", 401),
        ("/healthz/..", 401),
        ("/healthz/../v1/me", 401),
        ("//v1/me", 401),
        ("/%68ealthz", 401),
        ("/v1/../healthz", 401),
        ("http://localhost/healthz", 200),
        ("http://localhost/v1/me", 401),
        ("/healthz-secret", 401),
    ],
)
def test_only_the_open_addresses_are_open_however_they_are_written(server, path, status):
    line = server.line(None)
    assert line.send("GET", path)[0] == status
    line.close()


@pytest.mark.parametrize(
    ("segment", "customer"),
    [
        ("acme%2F..%2Fother", "acme/../other"),
        ("acme%252F", "acme%2F"),
        ("%2e%2e", ".."),
        ("..", ".."),
        ("%F0%9F%8D%9C", "🍜"),
        ("*", "*"),
        ("%22quoted%22", '"quoted"'),
        ("a%3Fb", "a?b"),
        ("a+b", "a+b"),
    ],
)
def test_a_customer_in_an_address_is_decoded_exactly_once(mia, segment, customer):
    told = {"customer": customer, "facts": [{"relation": "lives_in", "value": f"home of {customer}"}]}
    assert mia.send("POST", "/v1/remember", told)[0] == 201
    status, body = mia.send("GET", f"/v1/customers/{segment}/profile")
    assert status == 200
    values = {belief["value"] for entity in json.loads(body)["entities"] for belief in entity["beliefs"]}
    assert values == {f"home of {customer}"}


def test_dots_between_slashes_lead_nowhere(mia):
    for path in ("/v1/customers/acme/../other/profile", "/v1/admin/../me", "/v1/./me"):
        assert mia.send("GET", path)[0] == 404


@pytest.mark.parametrize(
    ("header", "value", "status", "code"),
    [
        ("Authorization", f"Bearer {ADMIN_KEY}", 401, "bad_key"),
        ("Host", "localhost", 422, "repeated_header"),
        ("Origin", "http://localhost", 422, "repeated_header"),
        ("Content-Type", "application/json", 422, "repeated_header"),
        ("Idempotency-Key", "k", 422, "repeated_header"),
    ],
)
def test_a_header_that_matters_is_sent_once(server, header, value, status, code):
    line = server.line()
    line.connection.putrequest("GET", "/v1/admin/policies", skip_host=True)
    for name, text in {"Host": "localhost", "Authorization": f"Bearer {ADMIN_KEY}", header: value}.items():
        line.connection.putheader(name, text)
    line.connection.putheader(header, value)
    line.connection.endheaders()
    answer = line.connection.getresponse()
    body = answer.read()
    assert (answer.status, json.loads(body)["code"]) == (status, code)
    line.close()


def test_a_body_too_large_is_refused_before_it_is_sent(server):
    with socket.create_connection(("127.0.0.1", server.port), timeout=30) as wire:
        wire.sendall(
            b"POST /v1/remember HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer "
            + ADMIN_KEY.encode()
            + b"\r\nContent-Type: application/json\r\nContent-Length: 99999999\r\n\r\n{"
        )
        assert wire.recv(100).startswith(b"HTTP/1.1 4")


def test_a_body_in_chunks_is_counted_as_it_comes(mia):
    mia.connection.putrequest("POST", "/v1/remember")
    for name, value in {"Authorization": f"Bearer {mia.key}", "Content-Type": "application/json"}.items():
        mia.connection.putheader(name, value)
    mia.connection.putheader("Transfer-Encoding", "chunked")
    mia.connection.endheaders()
    chunk = b"10000\r\n" + b" " * 65536 + b"\r\n"
    for _ in range(17):
        mia.connection.send(chunk)
    mia.connection.send(b"0\r\n\r\n")
    answer = mia.connection.getresponse()
    assert (answer.status, json.loads(answer.read())["code"]) == (413, "too_large")


@pytest.mark.parametrize("announced", [b"x", b"-1", b"9" * 30, b"1048577", "\u0665".encode()])
def test_a_body_of_a_length_that_can_not_be_is_never_taken(announced):
    status, said, taken = asyncio.run(_sent_in_parts(announced, [b"{}"]))
    assert (status, said["code"], taken) == (413, "too_large", 0)


def test_a_body_that_grows_too_large_is_taken_no_further():
    status, said, taken = asyncio.run(_sent_in_parts(None, [b" " * 300_000] * 20))
    assert (status, said["code"], taken) == (413, "too_large", 4)


def test_a_connection_that_ends_before_the_body_does_is_no_mistake_of_ours(caplog):
    status, said, _ = asyncio.run(_sent_in_parts(b"100", [b'{"customer": "kh-001", "text": "he', None]))
    assert (status, said["code"]) == (400, "bad_request")
    assert caplog.records == []


async def _sent_in_parts(announced: bytes | None, parts: list[bytes | None]) -> tuple[int, dict[str, object], int]:
    """Status and body of the answer, and how many parts were asked for; None ends the connection."""
    with Hub.open(embedder="none") as hub:
        key = hub.operator().rotate("mia").key.encode()
        headers = [
            (b"host", b"localhost"),
            (b"authorization", b"Bearer " + key),
            (b"content-type", b"application/json"),
        ]
        headers += [] if announced is None else [(b"content-length", announced)]
        scope = {"type": "http", "method": "POST", "raw_path": b"/v1/remember", "path": "/v1/remember"}
        left, said = list(parts), []

        async def receive() -> dict[str, object]:
            part = left.pop(0)
            ends = {"type": "http.disconnect"}
            return ends if part is None else {"type": "http.request", "body": part, "more_body": bool(left)}

        async def send(message: dict[str, object]) -> None:
            said.append(message)

        await create_app(hub)({**scope, "query_string": b"", "headers": headers, "client": None}, receive, send)
    return said[0]["status"], json.loads(said[1]["body"]), len(parts) - len(left)


def test_the_server_does_not_say_what_it_is_made_of(server):
    line = server.line()
    line.connection.request("GET", "/healthz")
    answer = line.connection.getresponse()
    answer.read()
    assert {name.lower() for name, _ in answer.getheaders()}.isdisjoint({"server", "x-powered-by"})
    line.close()


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "", "192.168.1.5", "hub.example", "127.1", "localhost.example", "0"])
@pytest.mark.parametrize("key", [None, ""])
def test_a_hub_that_others_can_reach_is_not_served_without_an_admin_key(host, key):
    with Hub.open() as hub, pytest.raises(Incorrect) as refused:
        serve(hub, host, 0, key)
    assert refused.value.code == "no_admin_key"


@pytest.mark.parametrize("key", [" ", "two words", "line\n", "schlüssel", "x" * 513])
def test_an_admin_key_that_nobody_could_send_is_refused(key):
    with Hub.open() as hub, pytest.raises(Incorrect) as refused:
        serve(hub, "127.0.0.1", 0, key)
    assert refused.value.code == "bad_admin_key"


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1", "127.8.8.8", "::1", "[::1]"])
def test_this_machine_alone_may_do_without(host):
    assert is_loopback(host)
