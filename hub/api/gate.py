"""Before any route: whom the request is for, whether it brings a key, and one reading of its address."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from typing import cast

from litestar import Request
from litestar.enums import ScopeType
from litestar.types import ASGIApp, HTTPScope, Message, Receive, Scope, Send

from hub.api.problems import problem
from hub.api.rates import Rates
from hub.errors import Denied, HubError, Incorrect

LOOPBACK = ("localhost", "127.0.0.1", "::1")
OPEN = frozenset({"/healthz", "/readyz", "/schema"})
"""What anyone may ask, compared whole: a longer or shorter address is another address."""

_ONCE = frozenset({b"host", b"origin", b"authorization", b"content-type", b"content-encoding", b"idempotency-key"})
_AUTHORITY = re.compile(rb"(?:\[([0-9a-f:.]+)\]|([a-z0-9._-]+))(?::[0-9]{1,5})?")
_ORIGIN = re.compile(rb"https?://(.+)")
_KEY = r"[\x21-\x7e]{1,512}"
_BEARER = re.compile(rf"bearer ({_KEY})".encode())
_KEPT_OUT = [(b"cache-control", b"no-store"), (b"x-content-type-options", b"nosniff")]


class Gate:
    """Wraps the whole application, so that unknown addresses are behind the keys as well."""

    def __init__(self, app: ASGIApp, hosts: Iterable[str], rates: Rates, note: Callable[[HubError], None]) -> None:
        self._app = app
        self._rates = rates
        self._note = note
        self._hosts = frozenset(host.lower().encode() for host in hosts)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == ScopeType.WEBSOCKET:
            await self._app(scope, receive, send)
            return

        async def answer(message: Message) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [*message["headers"], *_KEPT_OUT]
            await send(message)

        try:
            inner = self._admitted(scope)
        except HubError as error:
            said = self._rates.refusal(scope, error)
            self._note(said)
            refusal = problem(said).to_asgi_response(app=None, request=Request(scope))
            await refusal(scope, receive, answer)
        else:
            await self._app(inner, receive, answer)

    def _admitted(self, scope: HTTPScope) -> HTTPScope:
        """The request as the routes see it: `path` still percent-encoded, so that `%2F` parts no segments."""
        path = raw_path(scope)
        if path not in OPEN:
            bearer(scope["headers"])
        headers = _single(scope["headers"])
        self._expect_our_name(headers)
        if "//" in path or (path.endswith("/") and path != "/"):
            raise Incorrect("bad_path", "a part of the address is empty", "leave out the extra `/`", where="path")
        return cast(HTTPScope, {**scope, "path": path})

    def _expect_our_name(self, headers: Mapping[bytes, bytes]) -> None:
        """A web page that made a name of its own point at this machine names itself in `Host` or `Origin`."""
        origin = headers.get(b"origin")
        page = None if origin is None else _ORIGIN.fullmatch(origin.lower())
        if _named(headers.get(b"host", b"").lower()) not in self._hosts:
            raise Denied("foreign_host", "the hub is not known by this name", "use the name it was started with")
        if origin is not None and (page is None or _named(page[1]) not in self._hosts):
            raise Denied("foreign_origin", "pages of other sites may not call the hub", "call it from a server")


def raw_path(scope: HTTPScope) -> str:
    return scope["raw_path"].split(b"?", 1)[0].decode("latin-1")


def bearer(headers: Iterable[tuple[bytes, bytes]]) -> str:
    """The key a request brings. Raises Denied `bad_key` if there is none, or more than one."""
    given = [value for name, value in headers if name == b"authorization"]
    found = _BEARER.fullmatch(given[0][:7].lower() + given[0][7:]) if len(given) == 1 else None
    if found is None:
        raise Denied("bad_key", "the request brings no key", "send one as `Authorization: Bearer …`")
    return found[1].decode("ascii")


def deputed(headers: Iterable[tuple[bytes, bytes]]) -> str | None:
    """The token of the agent on whose behalf the bearer acts, if it says so."""
    given = [value for name, value in headers if name == b"on-behalf-of"]
    if not given:
        return None
    if len(given) > 1 or not usable(token := given[0].decode("latin-1")):
        raise Denied("bad_key", "that token opens nothing", "send one as `On-Behalf-Of: …`")
    return token


def usable(key: str) -> bool:
    """Whether a request could bring this key at all: visible ASCII, no spaces."""
    return re.fullmatch(_KEY, key) is not None


def _single(headers: Iterable[tuple[bytes, bytes]]) -> dict[bytes, bytes]:
    """Of a header that is sent twice, two readers may each believe another one."""
    found: dict[bytes, bytes] = {}
    for name, value in headers:
        if name in found and name in _ONCE:
            shown = name.decode("ascii")
            raise Incorrect("repeated_header", f"the header `{shown}` is sent twice", "send it once", where=shown)
        found[name] = value
    return found


def _named(authority: bytes) -> bytes | None:
    found = _AUTHORITY.fullmatch(authority)
    return found and (found[1] or found[2])
