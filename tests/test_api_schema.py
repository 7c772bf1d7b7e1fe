"""The schema describes every route as it is: what it is asked, what it answers, what may go wrong."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from hub.api.examples import REFUSALS
from tests.api_world import World, fact, world

CUSTOMER = "kh-001"
POINT = {"as_of", "valid_at", "known_at", "purpose"}


@pytest.fixture(scope="module")
def here() -> Iterator[World]:
    with world() as made:
        yield made


@pytest.fixture(scope="module")
def schema(here) -> dict[str, Any]:
    return here.get(None, "/schema").json()


def operations(schema: dict[str, Any]) -> Iterator[tuple[str, str, dict[str, Any]]]:
    for path, item in schema["paths"].items():
        for method, operation in item.items():
            yield path, method, operation


def test_every_route_is_described(here, schema):
    described = {(path, method.upper()) for path, method, _ in operations(schema)}
    routes = {
        (route.path_format, method)
        for route in here.client.app.routes
        for method in route.methods - {"OPTIONS"}
        if route.path != "/schema"
    }
    assert schema["openapi"].startswith("3.1")
    assert described == routes
    assert len({operation["operationId"] for _, _, operation in operations(schema)}) == len(routes)


def test_every_reference_leads_somewhere(schema):
    def references(part: object) -> Iterator[str]:
        if isinstance(part, dict):
            yield from ([part["$ref"]] if "$ref" in part else [])
            part = list(part.values())
        for inner in part if isinstance(part, list) else []:
            yield from references(inner)

    found = set(references(schema))
    assert found
    assert {tuple(name.split("/")[2:]) for name in found} <= {
        (kind, name) for kind in ("schemas", "responses") for name in schema["components"][kind]
    }


def test_all_but_health_is_behind_a_bearer_key(schema):
    scheme = schema["components"]["securitySchemes"]["key"]
    assert (scheme["type"], scheme["scheme"]) == ("http", "bearer")
    assert schema["security"] == [{"key": []}]
    open_paths = {path for path, _, operation in operations(schema) if operation.get("security", [{"key": []}]) == [{}]}
    assert open_paths == {"/healthz", "/readyz"}


def test_a_body_is_described_by_what_is_really_checked(schema):
    for path, method, operation in operations(schema):
        body = operation.get("requestBody")
        assert (body is not None) == (method in {"post", "put", "delete"}), path
        if path == "/v1/admin/load":
            assert set(body["content"]) == {"application/x-ndjson"}
        elif body is not None:
            name = body["content"]["application/json"]["schema"]["$ref"].rsplit("/", 1)[1]
            described = schema["components"]["schemas"][name]
            assert described["additionalProperties"] is False, name
            assert body["required"] is bool(described.get("required")), name
    assert schema["components"]["schemas"]["Recall"]["properties"]["limit"]["maximum"] == 100
    assert {"relation"} == set(schema["components"]["schemas"]["Fact"]["required"])


@pytest.mark.parametrize(
    ("path", "names"),
    [
        ("/v1/me", set()),
        ("/v1/customers/{customer}/profile", POINT | {"limit", "cursor"}),
        ("/v1/customers/{customer}/timeline", POINT | {"limit", "cursor", "subject", "relation"}),
        ("/v1/customers/{customer}/graph", POINT | {"root", "hops"}),
        ("/v1/facts/{id}", POINT),
        ("/v1/facts/{id}/history", POINT),
        ("/v1/admin/policies", set()),
        ("/v1/admin/customers/{customer}/beliefs", POINT | {"agent", "limit"}),
    ],
)
def test_a_query_is_described_field_by_field(schema, path, names):
    described = schema["paths"][path]["get"].get("parameters", [])
    assert {field["name"] for field in described if field["in"] == "query"} == names
    assert {field["name"] for field in described if field["in"] == "path"} == {
        part[1:-1] for part in path.split("/") if part.startswith("{")
    }
    assert all(field["required"] is (field["in"] == "path" or field["name"] == "agent") for field in described)


def test_every_route_may_answer_with_a_problem(schema):
    for path, _, operation in operations(schema):
        problem = operation["responses"]["default"]["content"]["application/problem+json"]["schema"]
        assert problem == {"$ref": "#/components/schemas/Problem"}, path
        assert "400" not in operation["responses"]


def test_every_route_says_what_it_does_and_how_it_refuses(schema):
    for path, _, operation in operations(schema):
        assert operation["summary"][0].isupper(), path
        assert operation["summary"] in " ".join(operation["description"].split()), path
        refused = {status for status in operation["responses"] if status[0] == "4"}
        assert refused == (set(REFUSALS) if path.startswith("/v1/") else set()), path
        for parameter in operation.get("parameters", []):
            assert parameter.get("description") or parameter.get("allowEmptyValue"), (path, parameter["name"])
        for content in operation.get("requestBody", {}).get("content", {}).values():
            name = content["schema"].get("$ref", "").rsplit("/", 1)[-1]
            assert "example" in content or not schema["components"]["schemas"][name].get("required"), (path, name)


def test_examples_are_what_the_routes_take(schema):
    with world(embedder="none") as fresh:
        for path, method, operation in sorted(
            operations(schema), key=lambda found: found[:2] == ("/v1/admin/policies", "put")
        ):
            for kind, content in operation.get("requestBody", {}).get("content", {}).items():
                if "example" in content:
                    said = content["example"]
                    sent = said.encode() if isinstance(said, str) else json.dumps(said).encode()
                    bare = path.format(customer="kh-001", relation="sleep_goal", id="x")
                    flag = "?erase" if any(p.get("allowEmptyValue") for p in operation.get("parameters", [])) else ""
                    who = "admin" if "/admin/" in path else "atlas"
                    answer = fresh.send(who, method.upper(), bare + flag, sent, {"Content-Type": kind})
                    refused = "" if answer.is_success else answer.json()["code"]
                    assert refused in {"", *ABOUT_NOTHING}, (path, answer.text)


ABOUT_NOTHING = {"not_found", "no_topic"}
"""What an example may meet where nothing of what it speaks of is there."""


def fits(value: object, shape: dict[str, Any], schema: dict[str, Any]) -> bool:
    """As much of JSON Schema as the answers use."""
    if "$ref" in shape:
        return fits(value, schema["components"]["schemas"][shape["$ref"].rsplit("/", 1)[1]], schema)
    if "anyOf" in shape:
        return any(fits(value, one, schema) for one in shape["anyOf"])
    if "enum" in shape:
        return value in shape["enum"]
    match shape.get("type"):
        case "object" if "properties" in shape:
            return isinstance(value, dict) and (
                value.keys() == shape["properties"].keys() == set(shape["required"])
                and all(fits(inner, shape["properties"][name], schema) for name, inner in value.items())
            )
        case "array":
            return isinstance(value, list) and all(fits(item, shape["items"], schema) for item in value)
        case "object":
            return isinstance(value, dict)
        case kind:
            kinds = {"string": str, "integer": int, "number": (int, float), "boolean": bool, "null": type(None)}
            return isinstance(value, kinds[kind]) and not (isinstance(value, bool) and kind != "boolean")


def test_answers_are_as_described(here, schema):
    told = {
        "customer": CUSTOMER,
        "text": "I'm flying to Da Nang",
        "facts": [
            {"relation": "planned_trip", "object": {"kind": "place", "name": "Da Nang"}},
            fact("weather", 31, subject="Da Nang", scope="shared"),
            fact("income", 1, scope="shared"),
        ],
    }
    asked = [
        ("atlas", "POST", "/v1/remember", told),
        ("atlas", "GET", "/v1/me", None),
        ("atlas", "POST", "/v1/recall", {"customer": CUSTOMER, "query": "weather of my trip", "explain": True}),
        ("atlas", "GET", f"/v1/customers/{CUSTOMER}/profile", None),
        ("atlas", "GET", f"/v1/customers/{CUSTOMER}/timeline", None),
        ("atlas", "GET", f"/v1/customers/{CUSTOMER}/graph", None),
        ("atlas", "GET", "/v1/facts/{id}", None),
        ("atlas", "POST", "/v1/facts/{id}/correct", {"value": 32}),
        ("atlas", "GET", "/v1/facts/{id}/history", None),
        ("admin", "GET", "/v1/admin/policies", None),
        ("admin", "POST", "/v1/admin/policies/check", {"policy": "p, x"}),
        ("admin", "GET", "/v1/admin/policies/versions", None),
        ("admin", "GET", "/v1/admin/relations", None),
        ("admin", "GET", f"/v1/admin/customers/{CUSTOMER}/beliefs?agent=atlas", None),
        ("admin", "POST", "/v1/admin/agents", {"id": "x1", "domain": "travel"}),
        (None, "GET", "/healthz", None),
    ]
    id = ""
    for who, method, path, body in asked:
        answer = here.send(who, method, path.format(id=id), body)
        assert answer.is_success, answer.text
        if path == "/v1/remember":
            id = answer.json()["facts"][1]["id"]
        route = path.split("?")[0].replace(CUSTOMER, "{customer}")
        [shape] = schema["paths"][route][method.lower()]["responses"][str(answer.status_code)]["content"].values()
        assert fits(answer.json(), shape["schema"], schema), (route, answer.text, shape)
    wrong = here.send("atlas", "GET", "/v1/nothing")
    assert fits(wrong.json(), {"$ref": "#/components/schemas/Problem"}, schema)
