"""What came in, read strictly: one JSON body or one query string, checked field by field."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeAlias, TypeVar
from urllib.parse import parse_qsl

from litestar.di import NamedDependency
from litestar.handlers import BaseRouteHandler
from litestar.params import SkipValidation
from litestar.types import Receive, Scope

from hub.api.problems import AnyRequest
from hub.documents import parse_json, shortened
from hub.errors import Incorrect
from hub.requests import Limit, Moment, Name, Page, Point, Request, Said, checked

LARGEST_BODY = 1 << 20
JSON = "application/json"
ASKED = "asked"

R = TypeVar("R", bound=Request)
Asked: TypeAlias = NamedDependency[SkipValidation[R]]
"""A route that takes a parameter `asked: Asked[X]` is sent the fields of X, and no others."""


class FactLook(Point):
    """How one fact is looked at."""

    purpose: Name | None = None


class Eyes(Point):
    """Whose eyes an auditor looks through."""

    customer: Name
    agent: Name
    purpose: Name | None = None
    limit: Limit = 100


class Grounds(Request):
    """Why something is taken back."""

    reason: Said | None = None


class NewBinding(Request, strict=True):
    """`customers` and `purposes` are to be said: `customers` null means any."""

    customers: list[Name] | None
    purposes: list[Name]
    new_names: bool = False


class NewKey(Request):
    expires_at: Moment | None = None


class Existing(Request, strict=True):
    """`existing`: values already stored move too, from now on."""

    existing: bool = False


class Nothing(Request):
    """The address says it all."""


def takes(*names: str) -> dict[str, object]:
    """For routes that share the request `Page`: what else it takes besides a point in time and a purpose."""
    return {"takes": frozenset({*Point.model_fields, "purpose", *names})}


async def asked(request: AnyRequest) -> Request:
    """The request of this route, from its query and path if it is a GET, else from its body."""
    kind = kind_asked(request.route_handler)
    assert kind is not None, "provided only to routes that ask for it"
    if request.method != "GET":
        return checked(kind, await _body(request))
    known = fields_of_query(request.route_handler, kind, request.path_params)
    path = {name: value for name, value in request.path_params.items() if name in kind.model_fields}
    return checked(kind, {**_query(request.scope["query_string"], known), **path})


def kind_asked(handler: BaseRouteHandler) -> type[Request] | None:
    """What the route wants to be sent, if anything."""
    wanted = handler.parsed_fn_signature.parameters.get(ASKED)
    return wanted.annotation if wanted is not None else None


def fields_of_query(handler: BaseRouteHandler, kind: type[Request], in_path: Iterable[str]) -> frozenset[str]:
    among: Iterable[str] = handler.opt["takes"] if kind is Page else kind.model_fields
    return frozenset(among) - frozenset(in_path)


def flagged(word: str) -> dict[str, object]:
    """For routes that do what they do only if their query is this word, so that no method alone can."""
    return {"flag": word}


def no_stray_query(scope: Scope) -> None:
    """A field in the wrong place would be passed over in silence."""
    handler, query = scope["route_handler"], scope["query_string"]
    flag = handler.opt.get("flag")
    if flag is not None:
        if query not in (flag.encode(), f"{flag}=".encode()):
            raise Incorrect("flag_missing", "it is not said what is to be done", f"end the address in `?{flag}`")
        return
    if query and (scope.get("method") != "GET" or kind_asked(handler) is None):
        raise Incorrect("unknown_field", "this address takes no query", "leave out what follows the `?`", where="query")


def _query(text: bytes, known: frozenset[str]) -> dict[str, str]:
    found: dict[str, str] = {}
    for name, value in _pairs(text):
        if name not in known:
            shown = shortened(name)
            fix = "leave it out, or see `/schema`"
            raise Incorrect("unknown_field", f"there is no field `{shown}`", fix, where=shown)
        if name in found:
            raise Incorrect("bad_query", f"`{name}` is given twice", "keep one of the two", where=name)
        found[name] = value
    return found


def _pairs(text: bytes) -> list[tuple[str, str]]:
    if not text:
        return []
    try:
        return parse_qsl(
            text.decode("ascii"), keep_blank_values=True, strict_parsing=True, errors="strict", max_num_fields=50
        )
    except ValueError:
        fix = "write `name=value` pairs joined by `&`, percent-encoded as UTF-8"
        raise Incorrect("bad_query", "the query can't be read", fix, where="query") from None


async def _body(request: AnyRequest) -> object:
    """The JSON in the body; none at all stands for no fields."""
    body = await received(request, (JSON,), LARGEST_BODY)
    if not body:
        return {}
    try:
        return parse_json(body, "the body")
    except Incorrect as error:
        raise Incorrect("bad_json", error.message, error.fix, where=error.where) from None


async def received(request: AnyRequest, kinds: tuple[str, ...], largest: int) -> str:
    """The text of a body of one of these media types. Raises Incorrect for any other, and for more than `largest`
    bytes."""
    headers = dict(request.scope["headers"])
    body = await _received(request.receive, headers.get(b"content-length", b"0"), largest)
    if not body:
        return ""
    kind, packing = headers.get(b"content-type", b""), headers.get(b"content-encoding", b"identity")
    _expect(kinds, kind.decode("latin-1"), packing.decode("latin-1"))
    try:
        return body.decode("utf-8")
    except UnicodeDecodeError:
        raise Incorrect("bad_json", "the body is not UTF-8", "encode it as UTF-8") from None


async def _received(receive: Receive, announced: bytes, largest: int) -> bytes:
    """All that is sent; no more of it is taken than may come."""
    parts, size, more = [], 0, True
    too_large = Incorrect("too_large", f"the body is larger than {largest >> 20} MiB", "send less at a time")
    if not announced.isdigit() or len(announced) > 9 or int(announced) > largest:
        raise too_large
    while more:
        message = await receive()
        if message["type"] != "http.request":
            raise Incorrect("bad_request", "the connection ended before the body did", "send all of it")
        parts.append(message["body"])
        size, more = size + len(message["body"]), message.get("more_body", False)
        if size > largest:
            raise too_large
    return b"".join(parts)


def _expect(kinds: tuple[str, ...], media_type: str, encoding: str) -> None:
    kind, *parameters = (part.strip().lower() for part in media_type.split(";"))
    wrong = [part for part in parameters if part.replace('"', "") not in ("charset=utf-8", "")]
    if kind not in kinds or wrong or encoding.lower() != "identity":
        message = f"the body is not plain {kinds[0]} in UTF-8"
        raise Incorrect("unsupported_media_type", message, f"send `Content-Type: {kinds[0]}`")
