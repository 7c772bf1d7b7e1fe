"""Errors as problem details (RFC 9457): what is wrong, under which code, and what to do."""

from __future__ import annotations

import logging
import traceback
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from litestar import Request, Response
from litestar.exceptions import HTTPException, ValidationException

from hub.api.rates import TooMany
from hub.codec import encode
from hub.errors import Conflict, Denied, Fault, HubError, Incorrect, Missing

MEDIA_TYPE = "application/problem+json"

_STATUS_BY_CODE = {
    "bad_key": 401,
    "bad_json": 400,
    "bad_request": 400,
    "method_not_allowed": 405,
    "too_large": 413,
    "too_many_requests": 429,
    "unsupported_media_type": 415,
    "internal": 500,
}
_STATUS: tuple[tuple[type[HubError], int], ...] = (
    (Incorrect, 422),
    (Denied, 403),
    (Missing, 404),
    (Conflict, 409),
    (Fault, 503),
)
_HEADERS = {401: {"WWW-Authenticate": 'Bearer realm="memory-hub"'}, 503: {"Retry-After": "1"}}

_log = logging.getLogger("hub.api")

AnyRequest = Request[Any, Any, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """`code` is stable and for programs, the rest is for people."""

    type: str
    title: str
    status: int
    detail: str
    code: str
    fix: str


def status_of(error: HubError) -> int:
    by_kind = next((status for kind, status in _STATUS if isinstance(error, kind)), 500)
    return _STATUS_BY_CODE.get(error.code, by_kind)


def problem(error: HubError, headers: Mapping[str, str] | None = None) -> Response[bytes]:
    """The answer to a request that failed; it says nothing that `error` does not say."""
    status = status_of(error)
    body = Problem(
        type=f"urn:memory-hub:problem:{error.code}",
        title=error.code.replace("_", " ").capitalize(),
        status=status,
        detail=error.message,
        code=error.code,
        fix=error.fix,
    )
    again = {"Retry-After": str(error.seconds)} if isinstance(error, TooMany) else {}
    known = {**_HEADERS.get(status, {}), **again, **(headers or {})}
    return Response(encode(body), media_type=MEDIA_TYPE, status_code=status, headers=known)


def of_the_hub(request: AnyRequest, error: HubError) -> Response[bytes]:
    caller = request.scope.get("user")
    request.app.state.hub.note_refusal(error, getattr(caller, "id", None))
    return problem(error)


def of_the_framework(request: AnyRequest, error: HTTPException) -> Response[bytes]:
    """What Litestar itself refuses; its own words are for its developers and stay here."""
    if error.status_code >= 500:
        return unforeseen(request, error)
    said = _in_our_words(error)
    if request.scope.get("user") is None:  # an address that is none: nobody has looked at the key
        said = request.app.state.rates.refusal(request.scope, said)
    return problem(said, {name: value for name, value in (error.headers or {}).items() if name == "allow"})


def unforeseen(_: AnyRequest, error: Exception) -> Response[bytes]:
    """A mistake of ours. The log names its kind and place; its message could quote what somebody sent."""
    frames = traceback.extract_tb(error.__traceback__)[-5:]
    places = " < ".join(f"{frame.filename}:{frame.lineno}" for frame in reversed(frames))
    _log.error("unforeseen %s at %s", type(error).__name__, places)
    return problem(Fault("internal", "the hub made a mistake", "try again; if it stays, report when it happened"))


def _in_our_words(error: HTTPException) -> HubError:
    match error.status_code:
        case 404:
            return Missing("no_such_route", "there is nothing at this address", "see /schema for what there is")
        case 405:
            return Incorrect("method_not_allowed", "this address does not take that method", "see the header `Allow`")
        case 413:
            return Incorrect("too_large", "the body is larger than 1 MiB", "send less at a time")
    if isinstance(error, ValidationException) and isinstance(error.extra, list) and error.extra:
        field = str(error.extra[0].get("key", "request"))[:100]
        return Incorrect("bad_field", f"`{field}` is not what it should be", "send it as `/schema` says", where=field)
    return Incorrect("bad_request", "the request can't be read", "see /schema for what is expected")
