"""The description of all routes, as OpenAPI 3.1: Litestar's, with the requests and answers as they really are."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from litestar import Litestar, Request, get
from litestar.handlers import HTTPRouteHandler
from litestar.openapi import OpenAPIConfig
from litestar.openapi.spec import Components, SecurityScheme
from litestar.router import Router
from litestar.routes import BaseRoute, HTTPRoute

from hub.api.asked import fields_of_query, kind_asked
from hub.api.callers import OPEN
from hub.api.examples import BODIES, LINE, PARAMETERS, REFUSALS, told
from hub.api.problems import MEDIA_TYPE, Problem
from hub.requests import Request as Fields

Json = dict[str, Any]

_REF = "#/components/schemas/"
_ANSWERS = "#/components/responses/"
_PROBLEM = {MEDIA_TYPE: {"schema": {"$ref": f"{_REF}Problem"}}}


class _NoPages(Router):
    """Litestar would serve pages of its own beside the schema, with errors that are no problem details."""

    def register(self, value: object) -> list[BaseRoute]:
        return []


CONFIG = OpenAPIConfig(
    title="Memory Hub",
    version="1",
    description="Shared, bi-temporal memory for several agents of one customer. The key says who is calling.",
    security=[{"key": []}],
    components=Components(security_schemes={"key": SecurityScheme(type="http", scheme="bearer")}),
    use_handler_docstrings=True,
    openapi_router=_NoPages("/schema", route_handlers=[]),
)


@get("/schema", opt={OPEN: True}, include_in_schema=False, sync_to_thread=True)
def schema(request: Request[Any, Any, Any]) -> Json:
    state = request.app.state
    if "schema" not in state:
        state.schema = described(request.app)
    described_once: Json = state.schema
    return described_once


def described(app: Litestar) -> Json:
    whole: Json = _any_for_one(app.openapi_schema.to_schema())
    known: Json = whole["components"]["schemas"]
    for answer in known.values():
        _all_fields_are_there(answer)
    known["Problem"] = {
        "title": "Problem",
        "type": "object",
        "properties": {
            name: {"type": "integer" if name == "status" else "string"} for name in Problem.__dataclass_fields__
        },
        "required": list(Problem.__dataclass_fields__),
    }
    whole["components"]["responses"] = {
        status: {"description": why, "content": _PROBLEM} for status, why in REFUSALS.items()
    }
    for path, handler in _described_handlers(app):
        for method in handler.http_methods:
            _complete(whole["paths"][path][method.lower()], handler, known)
    return whole


def _described_handlers(app: Litestar) -> Iterator[tuple[str, HTTPRouteHandler]]:
    for route in app.routes:
        if isinstance(route, HTTPRoute):
            for handler, _ in route.route_handler_map.values():
                if handler.resolve_include_in_schema():
                    yield route.path_format, handler


def _complete(operation: Json, handler: HTTPRouteHandler, known: Json) -> None:
    """Adds what Litestar can't see: the fields asked for, and errors as they come."""
    behind_keys = "security" not in operation
    operation.update(told(handler, operator="operators" in operation.get("tags", [])))
    responses = operation["responses"]
    responses.pop("400", None)
    for status, answer in responses.items():
        answer["description"] = "Done." if status == "204" else "The answer."
    responses["default"] = {"description": "What was wrong, and what to do.", "content": _PROBLEM}
    responses.update({status: {"$ref": f"{_ANSWERS}{status}"} for status in (REFUSALS if behind_keys else ())})
    if flag := handler.opt.get("flag"):
        empty = {"type": "string", "maxLength": 0}
        said = {"name": flag, "in": "query", "required": True, "allowEmptyValue": True, "schema": empty}
        operation.setdefault("parameters", []).append(said)
    for parameter in operation.get("parameters", []):
        _described(parameter)
    if lines := handler.opt.get("lines"):
        body = {"schema": {"type": "string"}, "example": LINE}
        operation["requestBody"] = {"required": True, "content": {lines: body}}
    kind = kind_asked(handler)
    if kind is None:
        return
    fields = _fields(kind, known)
    if "GET" in handler.http_methods:
        in_path = [p["name"] for p in operation.get("parameters", [])]
        names = fields_of_query(handler, kind, in_path)
        operation.setdefault("parameters", []).extend(_parameter(n, fields) for n in fields["properties"] if n in names)
    else:
        _add(known, {kind.__name__: fields})
        example = {"example": BODIES[kind.__name__]} if kind.__name__ in BODIES else {}
        body = {"application/json": {"schema": {"$ref": _REF + kind.__name__}, **example}}
        operation["requestBody"] = {"required": bool(fields.get("required")), "content": body}


def _fields(kind: type[Fields], known: Json) -> Json:
    fields = kind.model_json_schema(ref_template=_REF + "{model}")
    _add(known, fields.pop("$defs", {}))
    return fields


def _add(known: Json, shapes: Json) -> None:
    """INVARIANT: one name, one shape."""
    for name, shape in shapes.items():
        assert known.setdefault(name, shape) == shape, f"two shapes are called `{name}`"


def _parameter(name: str, fields: Json) -> Json:
    required = name in fields.get("required", [])
    return _described({"name": name, "in": "query", "required": required, "schema": fields["properties"][name]})


def _described(parameter: Json) -> Json:
    description, example = PARAMETERS.get(parameter["name"], ("", None))
    said = {"description": description, "example": example}
    parameter.update({name: value for name, value in said.items() if value})
    return parameter


def _any_for_one(part: Any) -> Any:
    """Litestar's `oneOf` fails for 5, which is an integer and a number."""
    if isinstance(part, dict):
        return {"anyOf" if name == "oneOf" else name: _any_for_one(inner) for name, inner in part.items()}
    return [_any_for_one(inner) for inner in part] if isinstance(part, list) else part


def _all_fields_are_there(answer: Json) -> None:
    """Answers leave nothing out, empty or not."""
    if "properties" in answer:
        answer["required"] = list(answer["properties"])
