"""Who is calling: the key decides, and nothing else in the request can."""

from __future__ import annotations

import hashlib
import hmac
from typing import Any, TypeAlias
from urllib.parse import unquote_to_bytes

from litestar.concurrency import sync_to_thread
from litestar.connection import ASGIConnection
from litestar.di import NamedDependency, Provide
from litestar.handlers import HTTPRouteHandler
from litestar.middleware import AbstractAuthenticationMiddleware, AuthenticationResult
from litestar.params import SkipValidation
from litestar.router import Router
from litestar.types import ASGIApp, Receive, Scope, Send

from hub.api.asked import asked, no_stray_query
from hub.api.gate import bearer, deputed
from hub.api.problems import AnyRequest
from hub.api.rates import Rates
from hub.errors import Denied, Incorrect
from hub.hub import Agent, Hub, Operator
from hub.requests import Request as Fields

OPEN = "open"
"""The option of a route that needs no key."""

Calling: TypeAlias = NamedDependency[SkipValidation[Agent]]
Operating: TypeAlias = NamedDependency[SkipValidation[Operator]]


class Keys(AbstractAuthenticationMiddleware):
    """Turns the key into its agent, anew for each request: a revoked one is dead on the next.

    The admin key stands for the operator `admin`, whose roles the policy says like anyone's.
    """

    def __init__(self, app: ASGIApp, hub: Hub, admin_key: str | None, rates: Rates) -> None:
        super().__init__(app, exclude_from_auth_key=OPEN, exclude_http_methods=())
        self._hub = hub
        self._admin = None if admin_key is None else _digest(admin_key)
        self._rates = rates

    async def authenticate_request(self, connection: ASGIConnection[Any, Any, Any, Any]) -> AuthenticationResult:
        scope, headers = connection.scope, connection.scope["headers"]
        try:
            user = await self._caller(bearer(headers), deputed(headers))
        except Denied as error:
            raise (self._rates.refusal(scope, error) if error.code == "bad_key" else error) from None
        if isinstance(user, Agent):  # the admin key is what is needed where everybody else asks too much
            scope["user"] = user
            self._rates.agent(user.id)
        return AuthenticationResult(user=user, auth=None)

    async def _caller(self, key: str, other: str | None) -> Agent | Operator:
        known = self._hub.recognise(key) if other is None else None
        return await sync_to_thread(self._looked_up, key, other) if known is None else known

    def _looked_up(self, key: str, other: str | None) -> Agent | Operator:
        if self._admin is not None and hmac.compare_digest(_digest(key), self._admin):
            if other is not None:
                raise Denied("not_an_agent", "the admin key acts for itself alone", "use the key of an agent")
            return self._hub.operator()
        caller = self._hub.authenticate(key)
        return caller if other is None else caller.on_behalf_of(other)


def _digest(key: str) -> bytes:
    """Of one length, whatever is compared."""
    return hashlib.sha256(key.encode()).digest()


def for_agents(*handlers: HTTPRouteHandler) -> Router:
    """Routes of the agent verbs.

    INVARIANT: here and in `for_operators`, who calls is settled before what it sent is looked at.
    """
    known = {"agent": Provide(_agent, sync_to_thread=False), "asked": Provide(_asked_by_agent)}
    return Router("/v1", route_handlers=handlers, dependencies=known, tags=["agents"])


def for_operators(*handlers: HTTPRouteHandler) -> Router:
    """Routes of the verbs of operators and auditors: whoever calls has them, and the policy says which it may use."""
    known = {"operator": Provide(_operator, sync_to_thread=False), "asked": Provide(_asked_by_operator)}
    return Router("/v1/admin", route_handlers=handlers, dependencies=known, tags=["operators"])


def _agent(request: AnyRequest) -> Agent:
    caller = request.user
    if not isinstance(caller, Agent):
        raise Denied("not_an_agent", "the admin key is no agent's", "use the key of an agent")
    return caller


def _operator(request: AnyRequest) -> Operator:
    caller, hub = request.user, request.app.state.hub
    if isinstance(caller, Operator):
        return caller
    if caller.viewer.narrowed:
        raise Denied("not_operator", "a token, or a deputy, operates nothing", "use a key of your own")
    operator: Operator = hub.operator(caller.id)
    return operator


# A dependency of a dependency: Litestar makes one after the other then, and needs no group of tasks for the two.
async def _asked_by_agent(request: AnyRequest, agent: Calling) -> Fields:
    return await asked(request)


async def _asked_by_operator(request: AnyRequest, operator: Operating) -> Fields:
    return await asked(request)


def addressed(app: ASGIApp) -> ASGIApp:
    """Path parameters come percent-encoded; `%252F` names something with `%2F` in it, not with a slash."""

    async def middleware(scope: Scope, receive: Receive, send: Send) -> None:
        scope["path_params"] = {name: _decoded(text) for name, text in scope["path_params"].items()}
        no_stray_query(scope)
        await app(scope, receive, send)

    return middleware


def _decoded(text: str) -> str:
    try:
        return unquote_to_bytes(text).decode("utf-8")
    except UnicodeDecodeError:
        fix = "percent-encode it as UTF-8"
        raise Incorrect("bad_path", "a part of the address is not UTF-8", fix, where="path") from None
