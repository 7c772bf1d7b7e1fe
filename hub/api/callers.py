"""Who is calling: the key decides, and nothing else in the request can."""

from __future__ import annotations

import hmac
from typing import Any, TypeAlias
from urllib.parse import unquote_to_bytes

from litestar.concurrency import sync_to_thread
from litestar.connection import ASGIConnection
from litestar.di import NamedDependency
from litestar.middleware import AbstractAuthenticationMiddleware, AuthenticationResult
from litestar.params import SkipValidation
from litestar.types import ASGIApp, Receive, Scope, Send

from hub.api.gate import bearer, deputed
from hub.api.problems import AnyRequest
from hub.errors import Denied, Incorrect
from hub.hub import Agent, Hub, Operator

OPEN = "open"
"""The option of a route that needs no key."""

Calling: TypeAlias = NamedDependency[SkipValidation[Agent]]
Operating: TypeAlias = NamedDependency[SkipValidation[Operator]]


class Keys(AbstractAuthenticationMiddleware):
    """Turns the key into its agent, anew for each request: a revoked one is dead on the next.

    The admin key stands for the operator `admin`, whose roles the policy says like anyone's.
    """

    def __init__(self, app: ASGIApp, hub: Hub, admin_key: str | None) -> None:
        super().__init__(app, exclude_from_auth_key=OPEN, exclude_http_methods=())
        self._hub = hub
        self._admin_key = None if admin_key is None else admin_key.encode()

    async def authenticate_request(self, connection: ASGIConnection[Any, Any, Any, Any]) -> AuthenticationResult:
        headers = connection.scope["headers"]
        user = await sync_to_thread(self._caller, bearer(headers), deputed(headers))
        return AuthenticationResult(user=user, auth=None)

    def _caller(self, key: str, other: str | None) -> Agent | Operator:
        if self._admin_key is not None and hmac.compare_digest(key.encode(), self._admin_key):
            if other is not None:
                raise Denied("not_an_agent", "the admin key acts for itself alone", "use the key of an agent")
            return self._hub.operator()
        caller = self._hub.authenticate(key)
        return caller if other is None else caller.on_behalf_of(other)


class Operators:
    """Provides the operator verbs to whoever calls; which of them it may use, the policy says."""

    def __init__(self, hub: Hub) -> None:
        self._hub = hub

    def provide(self, request: AnyRequest) -> Operator:
        caller = request.user
        if isinstance(caller, Operator):
            return caller
        if caller.viewer.narrowed:
            raise Denied("not_operator", "a token, or a deputy, operates nothing", "use a key of your own")
        return self._hub.operator(caller.id)


def calling_agent(request: AnyRequest) -> Agent:
    caller = request.user
    if not isinstance(caller, Agent):
        raise Denied("not_an_agent", "the admin key is no agent's", "use the key of an agent")
    return caller


def decoded_once(app: ASGIApp) -> ASGIApp:
    """Path parameters come percent-encoded; `%252F` names something with `%2F` in it, not with a slash."""

    async def middleware(scope: Scope, receive: Receive, send: Send) -> None:
        scope["path_params"] = {name: _decoded(text) for name, text in scope["path_params"].items()}
        await app(scope, receive, send)

    return middleware


def _decoded(text: str) -> str:
    try:
        return unquote_to_bytes(text).decode("utf-8")
    except UnicodeDecodeError:
        fix = "percent-encode it as UTF-8"
        raise Incorrect("bad_path", "a part of the address is not UTF-8", fix, where="path") from None
