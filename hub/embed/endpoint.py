"""Any OpenAI-compatible `/embeddings` URL: patiently and in batches for what is kept, at once or never for a query."""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from dataclasses import dataclass

import httpx

from hub.codec import Named, decode
from hub.embed.port import REFUSED
from hub.errors import Fault, Incorrect
from hub.vectors import Vector

SOON, PATIENCE = 2.0, 30.0
"""Seconds that a query waits, and a batch."""
PAUSE = 5.0
"""Seconds during which queries are not sent at all, after one that was not answered."""
TRIES, BACKOFF, LONGEST_BACKOFF = 4, 0.5, 20.0
"""How often a batch is sent, and the seconds before it is sent again; each time twice as many."""
BATCH = 64
LARGEST = 64 * 1024 * 1024
"""Bytes of an answer."""

_AGAIN = {408, 425, 429, 500, 502, 503, 504, 529}
_NOT_THIS_TEXT = {400, 413, 422}


@dataclass(frozen=True, slots=True)
class _Embedding:
    embedding: list[float]
    index: int | None = None


class _Answer(Named, frozen=True):
    data_: list[_Embedding]


class _Busy(Fault):
    """Not answered, or asked to come again; `after` so many seconds, if it says so."""

    after = 0.0


class EndpointEmbedder:
    """INVARIANT: neither the key nor a text nor anything the endpoint says comes into a message or a log."""

    local = False
    at_once = 0

    def __init__(
        self,
        url: str,
        model: str,
        key: str | None = None,
        *,
        transport: httpx.BaseTransport | None = None,
        wait: Callable[[float], object] = time.sleep,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        """`url` is that of the API (`https://host/v1`) or of its `/embeddings`."""
        self._url = _url(url)
        if not model:
            message = "it is not said which model the endpoint embeds with"
            raise Incorrect("no_model", message, "say --embedder-model, or set HUB_EMBEDDER_MODEL")
        self.id = f"{model}@{self._url.netloc.decode()}"
        self._model = model
        headers = {} if key is None else {"Authorization": f"Bearer {key}"}
        self._client = httpx.Client(transport=transport, headers=headers)
        self._wait, self._now = wait, now
        self._shut_until = 0.0

    def embed_documents(self, texts: list[str]) -> list[Vector]:
        found: list[Vector] = []
        for start in range(0, len(texts), BATCH):
            found += self._patiently(texts[start : start + BATCH])
        return found

    def embed_query(self, text: str) -> Vector:
        """Raises Fault, at once if the endpoint has failed to answer a moment ago."""
        if self._now() < self._shut_until:
            raise _silent("has not answered a moment ago")
        try:
            return self._sent([text], SOON)[0]
        except Fault as error:
            if error.code != REFUSED:
                self._shut_until = self._now() + PAUSE
            raise

    def close(self) -> None:
        self._client.close()

    def _patiently(self, texts: list[str]) -> list[Vector]:
        tried = 0
        while True:
            tried += 1
            try:
                return self._sent(texts, PATIENCE)
            except _Busy as busy:
                if tried == TRIES:
                    raise
                self._wait(min(max(busy.after, BACKOFF * 2**tried * random.uniform(0.5, 1)), LONGEST_BACKOFF))

    def _sent(self, texts: list[str], seconds: float) -> list[Vector]:
        asked = {"model": self._model, "input": texts, "encoding_format": "float"}
        until = self._now() + seconds
        try:
            with self._client.stream("POST", self._url, json=asked, timeout=seconds) as response:
                _check(response)
                body = self._read(response, until)
        except httpx.HTTPError as error:
            raise _silent(f"does not answer ({type(error).__name__})") from error
        return _vectors(body, len(texts))

    def _read(self, response: httpx.Response, until: float) -> bytes:
        """An answer that trickles in is as good as none."""
        body = bytearray()
        for part in response.iter_bytes():
            body += part
            if len(body) > LARGEST:
                raise _bad("is too long")
            if self._now() > until:
                raise _silent("takes too long to answer")
        return bytes(body)


def _url(text: str) -> httpx.URL:
    """Of the endpoint itself. Raises Incorrect for one that no request can be sent to, or that holds a password."""
    try:
        url = httpx.URL(text.rstrip("/"))
    except httpx.InvalidURL:
        url = httpx.URL("")
    if not url.host or url.userinfo or url.query or url.fragment:
        message = "that is not the URL of an endpoint that embeds"
        raise Incorrect("bad_url", message, "say https://host/v1, and put the key into HUB_EMBEDDER_KEY")
    return url if url.path.endswith("/embeddings") else url.copy_with(path=f"{url.path.rstrip('/')}/embeddings")


def _check(response: httpx.Response) -> None:
    status = response.status_code
    if status in _AGAIN:
        busy = _silent(f"is busy ({status})")
        busy.after = _seconds(response.headers.get("Retry-After", ""))
        raise busy
    if status in _NOT_THIS_TEXT:
        fix = "see whether the model is the right one; a text it will not take is found by its words"
        raise Fault(REFUSED, f"the endpoint refuses what it was sent ({status})", fix)
    if status != 200:
        fix = "see to its URL, the model's name and HUB_EMBEDDER_KEY"
        raise Fault("endpoint_refused", f"the endpoint refuses ({status})", fix)


def _vectors(body: bytes, count: int) -> list[Vector]:
    try:
        found = decode(body, _Answer).data_
    except (ValueError, RecursionError):
        raise _bad("is not what `/embeddings` answers") from None
    order = [n if one.index is None else one.index for n, one in enumerate(found)]
    if sorted(order) != list(range(count)):
        raise _bad(f"holds {len(found)} vectors for {count} texts, or not one for each")
    return [found[place].embedding for place in sorted(range(count), key=order.__getitem__)]


def _seconds(text: str) -> float:
    return float(text) if text.isascii() and text.isdigit() else 0.0


def _silent(what: str) -> _Busy:
    return _Busy("endpoint_silent", f"the endpoint {what}", "see whether it is up; until then words have to do")


def _bad(what: str) -> Fault:
    return Fault("bad_vector", f"the answer of the endpoint {what}", "see whether it is compatible with OpenAI's")
