"""An endpoint that embeds: what it is sent, and all that it can do wrong without a recall being hurt or a key seen."""

from __future__ import annotations

import json
import logging

import httpx
import pytest

from hub.embed import chosen
from hub.embed.endpoint import BATCH, LARGEST, PAUSE, SOON, TRIES, EndpointEmbedder
from hub.errors import Fault, Incorrect

KEY = "sk-wombat"
URL = "https://embed.example/v1"


class Server:
    """Answers every text with (its length, 1), unless it has something else to say first."""

    def __init__(self, *sayings):
        self.sayings = list(sayings)
        self.requests: list[httpx.Request] = []
        self.waited: list[float] = []
        self.now = 100.0

    def __call__(self, request):
        self.requests.append(request)
        saying = self.sayings.pop(0) if self.sayings else None
        if isinstance(saying, Exception):
            raise saying
        if callable(saying):
            return saying(self, request)
        return saying or self.embedded(request)

    def embedded(self, request, **more):
        texts = json.loads(request.content)["input"]
        found = [{"object": "embedding", "index": n, "embedding": [len(t), 1]} for n, t in enumerate(texts)]
        return httpx.Response(200, json={"object": "list", "data": found, "model": "m", **more})

    @property
    def sent(self):
        return [json.loads(request.content)["input"] for request in self.requests]

    def embedder(self, url=URL, model="small", key=KEY):
        transport = httpx.MockTransport(self)
        return EndpointEmbedder(url, model, key, transport=transport, wait=self.waited.append, now=lambda: self.now)


def answer(*embeddings, status=200, **more):
    return httpx.Response(status, json={"data": [{"embedding": e, **more} for e in embeddings]})


@pytest.mark.parametrize("url", [URL, f"{URL}/", f"{URL}/embeddings"])
def test_it_is_asked_as_openai_is(url):
    server = Server()
    embedder = server.embedder(url)
    assert embedder.embed_documents(["tea", "coffee"]) == [[3, 1], [6, 1]]
    assert embedder.embed_query("tea?") == [4, 1]
    [first, _] = server.requests
    assert (first.method, str(first.url)) == ("POST", f"{URL}/embeddings")
    assert first.headers["Authorization"] == f"Bearer {KEY}"
    assert json.loads(first.content) == {"model": "small", "input": ["tea", "coffee"], "encoding_format": "float"}
    assert (embedder.id, embedder.local, embedder.at_once) == ("small@embed.example", False, 0)


def test_without_a_key_none_is_sent():
    server = Server()
    server.embedder(key=None).embed_query("tea")
    assert "Authorization" not in server.requests[0].headers


def test_many_texts_go_in_batches_and_come_back_in_order():
    server = Server()
    texts = ["x" * n for n in range(2 * BATCH + 3)]
    assert server.embedder().embed_documents(texts) == [[n, 1] for n in range(2 * BATCH + 3)]
    assert [len(batch) for batch in server.sent] == [BATCH, BATCH, 3]
    assert server.embedder().embed_documents([]) == []


def test_an_answer_in_another_order_is_put_in_order_by_its_index():
    shuffled = {"data": [{"index": 1, "embedding": [2]}, {"index": 0, "embedding": [1]}]}
    assert Server(httpx.Response(200, json=shuffled)).embedder().embed_documents(["a", "b"]) == [[1], [2]]
    assert Server(answer([1], [2])).embedder().embed_documents(["a", "b"]) == [[1], [2]], "or comes as it was sent"


# --- when it does not answer -------------------------------------------------------------------------------------

BUSY = [429, 500, 502, 503, 504, 408, 529]
SILENCE = [httpx.ConnectError("refused"), httpx.ReadTimeout("slow"), httpx.RemoteProtocolError("cut off")]


@pytest.mark.parametrize("trouble", [*map(httpx.Response, BUSY), *SILENCE], ids=str)
def test_what_is_kept_is_sent_again_later_and_later(trouble):
    server = Server(trouble, httpx.Response(503), trouble)
    assert server.embedder().embed_documents(["tea"]) == [[3, 1]]
    assert len(server.requests) == 4
    assert server.waited == sorted(server.waited)
    assert 0 < min(server.waited) <= max(server.waited) <= 20


def test_it_waits_as_long_as_it_is_asked_to_but_not_for_ever():
    server = Server(*(httpx.Response(429, headers={"Retry-After": after}) for after in ("7", "9999", "tomorrow")))
    server.embedder().embed_documents(["tea"])
    assert server.waited[:2] == [7, 20]
    assert server.waited[2] < 5


def test_what_never_answers_is_given_up_after_some_tries():
    server = Server(*SILENCE, *SILENCE)
    with pytest.raises(Fault) as silent:
        server.embedder().embed_documents(["tea"])
    assert silent.value.code == "endpoint_silent"
    assert len(server.requests) == TRIES


def test_a_query_is_sent_once_and_the_next_ones_not_at_all_for_a_while():
    server = Server(httpx.ReadTimeout("slow"))
    embedder = server.embedder()
    for _ in range(3):
        with pytest.raises(Fault) as silent:
            embedder.embed_query("tea")
        assert silent.value.code == "endpoint_silent"
    assert len(server.requests) == 1
    assert server.waited == []
    assert embedder.embed_documents(["tea"]) == [[3, 1]], "what is kept goes on trying"
    server.now += PAUSE
    assert embedder.embed_query("tea") == [3, 1]


def test_an_answer_that_trickles_in_is_given_up():
    def trickle(server, request):
        def parts():
            for byte in b'{"data": [{"embedding": [1]}]}':
                server.now += 1
                yield bytes([byte])

        return httpx.Response(200, content=parts())

    server = Server(trickle)
    start = server.now
    with pytest.raises(Fault) as silent:
        server.embedder().embed_query("tea")
    assert silent.value.code == "endpoint_silent"
    assert server.now - start <= SOON + 1


def test_an_answer_without_end_is_given_up():
    endless = httpx.Response(200, content=(b" " * 2**20 for _ in iter(int, 1)))
    with pytest.raises(Fault, match="too long") as bad:
        Server(endless).embedder().embed_documents(["tea"])
    assert bad.value.code == "bad_vector"
    assert LARGEST < 2**27


# --- when it answers something else ------------------------------------------------------------------------------

NONSENSE = {
    "no JSON": httpx.Response(200, content=b"<html>"),
    "cut off": httpx.Response(200, content=b'{"data": [{"embedding": [1, 2'),
    "nothing": httpx.Response(200, content=b""),
    "another form": httpx.Response(200, json={"embeddings": [[1]]}),
    "a list": httpx.Response(200, json=[[1]]),
    "texts": answer(["one"]),
    "base64": answer("AACAPw=="),
    "null": answer([None]),
    "NaN": httpx.Response(200, content=b'{"data": [{"embedding": [NaN]}]}'),
    "deep": httpx.Response(200, content=b"[" * 100_000),
    "too few": answer(),
    "too many": answer([1], [2]),
    "another's index": answer([1], index=7),
}


@pytest.mark.parametrize("nonsense", NONSENSE)
def test_nonsense_is_refused_and_not_asked_for_again(nonsense):
    server = Server(NONSENSE[nonsense])
    with pytest.raises(Fault) as bad:
        server.embedder().embed_documents(["tea"])
    assert bad.value.code == "bad_vector"
    assert len(server.requests) == 1


@pytest.mark.parametrize(
    ("status", "code"),
    [
        *((status, "endpoint_refused") for status in (301, 401, 403, 404)),
        *((s, "text_refused") for s in (400, 413, 422)),
    ],
)
def test_a_refusal_is_final_and_says_what_to_see_to(status, code):
    server = Server(httpx.Response(status, headers={"Location": "https://elsewhere.example"}, text=f"bad {KEY}"))
    with pytest.raises(Fault) as refused:
        server.embedder().embed_documents(["tea"])
    assert refused.value.code == code
    assert str(status) in refused.value.message
    assert len(server.requests) == 1


def test_a_query_that_is_refused_for_its_text_does_not_shut_out_others():
    embedder = Server(httpx.Response(400)).embedder()
    with pytest.raises(Fault):
        embedder.embed_query("tea")
    assert embedder.embed_query("tea") == [3, 1]


def test_neither_key_nor_text_nor_answer_is_ever_said(caplog):
    caplog.set_level(logging.DEBUG, logger="hub")
    troubles = [*NONSENSE.values(), *SILENCE, *(httpx.Response(s, text=KEY) for s in (400, 401, 500, 500, 500, 500))]
    for trouble in troubles:
        embedder = Server(*[trouble] * TRIES).embedder()
        for verb in ("embed_query", "embed_documents"):
            try:
                getattr(embedder, verb)("canary" if verb == "embed_query" else ["canary"])
            except Fault as error:
                said = f"{error} {error!r} {error.__cause__!r} {error.__context__!r}"
                assert KEY not in said
                assert "canary" not in said
    assert KEY not in caplog.text
    assert "canary" not in caplog.text


# --- how it is chosen --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "url", ["https://", "http://user:pass@host/v1", "https://host/v1?key=1", "https://host/v1#x", "http://[::", "x"]
)
def test_a_url_that_is_none_or_holds_a_secret_is_refused(url):
    with pytest.raises(Incorrect) as refused:
        EndpointEmbedder(url, "small")
    assert refused.value.code == "bad_url"
    assert "pass" not in f"{refused.value}"


def test_a_model_has_to_be_named():
    with pytest.raises(Incorrect) as refused:
        chosen(URL)
    assert refused.value.code == "no_model"


def test_an_endpoint_is_chosen_by_its_url_with_the_key_from_the_environment(monkeypatch):
    monkeypatch.setenv("HUB_EMBEDDER_MODEL", "large")
    monkeypatch.setenv("HUB_EMBEDDER_KEY", KEY)
    by_name, by_environment = chosen(URL, "small"), chosen("http://127.0.0.1:8080")
    assert (by_name.id, by_environment.id) == ("small@embed.example", "large@127.0.0.1:8080")
    assert by_name._client.headers["Authorization"] == f"Bearer {KEY}"
    monkeypatch.setenv("HUB_EMBEDDER", f"{URL}/embeddings")
    again = chosen()
    assert again.id == "large@embed.example"
    for embedder in (by_name, by_environment, again):
        embedder.close()
