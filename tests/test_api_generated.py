"""Requests made out of the API's own description, fit and unfit, sent by everybody: no fault, no surprise."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

import pytest
import schemathesis
from httpx import Response
from hypothesis import HealthCheck, Phase, given, settings
from schemathesis import APIOperation, Case, GenerationMode
from schemathesis.checks import CHECKS

from tests.api_world import World, world

CUSTOMER = "kh-001"
DEEP = settings.get_current_profile_name() != "dev"
EXAMPLES = 60 if DEEP else 3
"""Requests of a kind for each route, each of them sent by all callers."""

CALLERS = (None, "mia", "atlas", "ada", "admin")
"""Nobody, two agents, an auditor, and the operator."""
EXPECTED = {200, 201, 204, 400, 401, 403, 404, 409, 413, 415, 422}
UNREADABLE = {"bad_json", "bad_query", "bad_field", "unknown_field", "bad_request", "unsupported_media_type"}
"""Codes that a request which is as described is never refused by, whatever else may be wrong with it."""
NEVER_DONE = {
    "POST /v1/facts/{id}/erase",
    *(f"POST /v1/admin/review/{{id}}/{verb}" for verb in ("accept", "reject", "edit", "undo")),
}
"""The shipped policy lets no agent erase; what waits for a human test_api_governing.py makes."""
CONFORM = ("not_a_server_error", "content_type_conformance", "response_schema_conformance", "status_code_conformance")

ANYONES = {
    "GET /v1/admin/knowledge",
    "GET /v1/admin/trust",
    "GET /v1/admin/customers/{customer}/consents",
    "POST /v1/admin/facts/{id}/forget",
    "POST /v1/admin/facts/{id}/relabel",
    "POST /v1/admin/facts/{id}/restore",
}
"""What an agent without a role may do by the operators' routes: no more than by its own."""
AUDITORS = ANYONES | {
    "GET /v1/admin/agents",
    "GET /v1/admin/audit",
    "GET /v1/admin/audit/verify",
    "GET /v1/admin/customers/{customer}/beliefs",
    "GET /v1/admin/customers/{customer}/compare",
    "GET /v1/admin/policies",
    "GET /v1/admin/policies/versions",
    "GET /v1/admin/recalls/{id}/why",
    "GET /v1/admin/recalls/{id}/why-not",
    "GET /v1/admin/relations",
    "POST /v1/admin/policies/check",
    "POST /v1/admin/policies/diff",
    "POST /v1/admin/policies/explain",
    "POST /v1/admin/recall/why",
    "POST /v1/admin/recall/why-not",
    "POST /v1/admin/recalls/{id}/replay",
    "POST /v1/admin/recalls/{id}/why",
    "POST /v1/admin/recalls/{id}/why-not",
}
MAY: dict[str, Callable[[str], bool]] = {
    "mia": lambda label: "/admin/" not in label or label in ANYONES,
    "atlas": lambda label: "/admin/" not in label or label in ANYONES,
    "ada": lambda label: "/admin/" not in label or label in AUDITORS,
    "admin": lambda label: "/admin/" in label,
}


@pytest.fixture(scope="module")
def here() -> Iterator[World]:
    with world(embedder="none") as made:
        ada = {"id": "ada", "domain": "audit", "roles": ["auditor"]}
        made.keys["ada"] = made.post("admin", "/v1/admin/agents", ada).json()["key"]
        made.hub.operator().create_agent("lex", "legal")
        made.learn("mia", CUSTOMER, "shoe_color", "red")
        for name in ("mia", "atlas"):  # cars that are called like agents, so that one name fits all routes
            made.learn("mia", CUSTOMER, "color", "red", subject={"kind": "car", "name": name}, scope="shared")
        yield made


def described(here: World, mode: GenerationMode) -> dict[str, Any]:
    """The description as it is; for fit requests, names in it are those of something there is.

    Keys are left out of it: what is made of it never brings one, and each request is sent with all of them.
    """
    plain: dict[str, Any] = here.get(None, "/schema").json()
    del plain["paths"]["/v1/admin/load"]  # what it takes is not one JSON; test_client.py sends it
    for path, operation in _operations(plain):
        operation.pop("security", None)
        if mode is GenerationMode.POSITIVE:
            for parameter in operation.get("parameters", []):
                provisional = {"relation": ["shoe_color"]} if "/relations/" in path else {}
                _meant(parameter["name"], parameter["schema"], {"id": _ids(here, path), **provisional})
    for name in {*_bodies(plain), "Fact"} if mode is GenerationMode.POSITIVE else ():
        body = plain["components"]["schemas"][name]
        body["required"] = list({*body.get("required", []), *(WORTHWHILE & body["properties"].keys())})
        for field, shape in body["properties"].items():
            _meant(field, shape, {"policy": [here.hub.operator().policies().policy], **MEANT_IN.get(name, {})})
    if mode is GenerationMode.NEGATIVE:
        _without_patterns(plain["components"]["schemas"])
    plain.pop("security")
    plain["components"].pop("securitySchemes")
    return plain


WORTHWHILE = {"policy", "text"}
"""Without these, a request that is as described would often have nothing to say."""
MEANT_IN: dict[str, dict[str, list[object]]] = {
    "MergeRelation": {"into": ["likes"]},
    "AskPolicy": {"owner": ["health"], "told": [None, "shopping"]},
    "Promote": {"scope": ["shared"], "owner": ["shopping"]},
    "NewLabel": {"scope": ["private", "shared"], "owner": [None]},
}
PAST: list[object] = [None, "2026-02", "2026-02-25", "2026-03-01T08:59:59+00:00"]
WORDS: list[object] = ["where does she live?", '"OR NEAR(* 🍜', "0"]
FUTURE: list[object] = [None, "2027", "2027-01-01T00:00:00+07:00"]
KNOWN: dict[str, list[object]] = {
    "as_of": [None, "2026-02-25"],
    **dict.fromkeys(("valid_at", "known_at", "valid_from", "since", "until", "said_at"), PAST),
    **dict.fromkeys(("at", "expires_at", "on", "valid_to"), FUTURE),
    "customer": [CUSTOMER],
    "agent": ["mia", "atlas"],
    "agents": [["mia", "travel"], None],
    "one": ["mia"],
    "other": ["atlas"],
    "text": ["I like tea", "Hue"],
    **({} if DEEP else dict.fromkeys(("query", "reason"), WORDS)),
    "relation": ["likes", "lives_in"],
    "owner": ["health", None],
    "domain": ["travel", "legal"],
    "purpose": [None],
    "cursor": [None],
    "document": ["faq"],
    "supersedes": [None],
    "derived_from": [[]],
    "model": [None],
    "relations": [None],
}


def _without_patterns(part: Any) -> None:
    """What breaks a pattern takes seconds to make up, and is refused elsewhere."""
    if isinstance(part, dict):
        part.pop("pattern", None)
    for inner in part.values() if isinstance(part, dict) else part if isinstance(part, list) else ():
        _without_patterns(inner)


def _meant(name: str, shape: dict[str, Any], known: Mapping[str, Sequence[object]]) -> None:
    """The field or parameter of that name holds one of the things there are, if there are any of its kind."""
    values = known.get(name) or KNOWN.get(name)
    if values is not None:
        shape.clear()
        shape["enum"] = values


def _ids(here: World, path: str) -> list[str]:
    """What is found under the addresses of this kind: enough of each that some are left when others are gone."""
    if "/facts/" in path or "/records/" in path:
        return [here.learn("mia", CUSTOMER, "likes", f"tea at {path}, {number}") for number in range(EXAMPLES)]
    if "/recalls/" in path:
        asked = {"customer": CUSTOMER, "query": "which tea?"}
        return [str(here.post("mia", "/v1/recall", asked).json()["recall_id"])]
    if "/same-as/" in path:
        return [_one_thing(here, f"car {number}", f"auto {number}") for number in range(EXAMPLES)]
    if "/consents/" in path:
        asked = {"domain": "travel", "owner": "health", "effect": "grant", "reason": "asked"}
        made = [here.post("admin", f"/v1/admin/customers/{CUSTOMER}/consents", asked) for _ in range(EXAMPLES)]
        return [str(answer.json()["id"]) for answer in made]
    return ["lex"]


def _one_thing(here: World, *names: str) -> str:
    facts = [{"relation": "owns", "object": {"kind": "car", "name": name}} for name in names]
    here.post("mia", "/v1/remember", {"customer": CUSTOMER, "facts": facts})
    return here.hub.operator().same_as(CUSTOMER, *names).id


def _operations(plain: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    return ((path, operation) for path, item in plain["paths"].items() for operation in item.values())


def _bodies(plain: dict[str, Any]) -> Iterator[str]:
    for _, operation in _operations(plain):
        for content in operation.get("requestBody", {}).get("content", {}).values():
            yield content["schema"]["$ref"].rsplit("/", 1)[1]


def sent(here: World, case: Case, who: str | None) -> Response:
    made = case.as_transport_kwargs(base_url="http://testserver.local")
    headers = {name: text for name, text in made["headers"].items() if name.lower() != "user-agent"}
    headers |= {} if who is None else {"Authorization": f"Bearer {here.key(who)}"}
    body = (
        {"content": made["data"]} if made.get("data") is not None else {"json": made["json"]} if "json" in made else {}
    )
    return here.client.request(made["method"], made["url"], params=made.get("params"), headers=headers, **body)


def judged(here: World, case: Case, who: str | None, answer: Response, *, fit: bool) -> None:
    """Raises what schemathesis finds wrong with the answer, or says what we do."""
    label, status = case.operation.label, answer.status_code
    assert status in EXPECTED, (label, who, status, answer.text)
    assert not any(key in answer.text for key in here.keys.values()), label
    checks = [*CONFORM] if fit or who is None or status == 413 else [*CONFORM, "negative_data_rejection"]
    case.validate_response(answer, checks=[CHECKS.get_one(name) for name in checks])
    if who is None:
        assert (status == 401) is (label not in {"GET /healthz", "GET /readyz"}), (label, status)
    else:
        assert status != 401, label
        assert not answer.is_success or MAY[who](label) or "/v1/" not in label, (label, who, answer.text)
        assert not (fit and not answer.is_success and answer.json()["code"] in UNREADABLE), (label, who, answer.text)


def test_what_is_sent_as_described_is_done_for_whom_it_may_concern_and_answered_as_described(here: World) -> None:
    operations = _operations_of(here, GenerationMode.POSITIVE)
    done = {operation.label for operation in operations if _tried(here, operation, GenerationMode.POSITIVE)}
    left = {operation.label for operation in operations} - done
    assert left == NEVER_DONE, "something that there is must be among KNOWN, for these to be done at all"


def test_what_is_sent_otherwise_is_refused_as_described(here: World) -> None:
    for operation in _operations_of(here, GenerationMode.NEGATIVE):
        if any((operation.query, operation.headers, operation.body)):  # there is no unfit id
            _tried(here, operation, GenerationMode.NEGATIVE)


def _operations_of(here: World, mode: GenerationMode) -> list[APIOperation]:
    """What takes away comes last."""
    found = [found.ok() for found in schemathesis.openapi.from_dict(described(here, mode)).get_all_operations()]
    return sorted(found, key=lambda operation: operation.method == "delete")


def _concerned(operation: APIOperation, mode: GenerationMode) -> Iterable[str | None]:
    """Those of the callers to whom it makes a difference."""
    if mode is GenerationMode.NEGATIVE:
        return (None, "admin" if "/admin/" in operation.label else "mia")
    return ("mia", "ada", "admin") if "/admin/" in operation.label else ("mia", "atlas")


def _tried(here: World, operation: APIOperation, mode: GenerationMode) -> bool:
    """Whether anybody was served."""
    served = []

    @settings(max_examples=EXAMPLES, database=None, suppress_health_check=list(HealthCheck), phases=[Phase.generate])
    @given(operation.as_strategy(generation_mode=mode))
    def tried(case: Case) -> None:
        for who in CALLERS if DEEP else _concerned(operation, mode):
            answer = sent(here, case, who)
            judged(here, case, who, answer, fit=mode is GenerationMode.POSITIVE)
            served.append(answer.is_success)

    tried()
    return any(served)


def test_no_route_passes_over_a_field_it_does_not_know(here: World) -> None:
    for path, item in here.get(None, "/schema").json()["paths"].items():
        for method, operation in item.items():
            who, bare = "admin" if "/admin/" in path else "mia", path.replace("{", "").replace("}", "")
            flags = [field["name"] for field in operation.get("parameters", []) if field.get("allowEmptyValue")]
            asked = [(f"{bare}?{'&'.join([*flags, 'no_such=1'])}", None)]
            takes_json = "application/json" in operation.get("requestBody", {}).get("content", {})
            asked += [("?".join([bare, *flags]), {"no_such": 1})] if takes_json else []
            for address, body in asked:
                answer = here.send(who, method.upper(), address, body)
                refused = answer.status_code == 422 and answer.json()["code"] in {"unknown_field", "flag_missing"}
                assert refused or path in {"/healthz", "/readyz"}, (method, address, answer.text)
                assert body is None or "no_such" in answer.json()["detail"], (method, address, answer.text)
