"""Who is calling is said by the key alone; health and schema need none, and nothing that only looks like them."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from hub.api.callers import OPEN as OPEN_ROUTE
from hub.api.gate import OPEN
from tests.api_world import ADMIN_KEY, World, fact, world

CUSTOMER = "kh-001"


@pytest.fixture(scope="module")
def here() -> Iterator[World]:
    with world() as made:
        yield made


def routes(here: World) -> dict[str, set[str]]:
    """Path -> methods, as registered."""
    return {route.path: set(route.methods) for route in here.client.app.routes}


# --- no key, no answer -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("path", sorted(OPEN))
def test_health_and_schema_need_no_key(here, path):
    assert here.get(None, path).status_code == 200


def test_everything_else_needs_one(here):
    for path, methods in routes(here).items():
        for method in methods - ({"GET"} if path in OPEN else set()):
            answer = here.send(None, method, path.replace("{", "").replace(":str}", ""))
            assert (answer.status_code, answer.headers["www-authenticate"][:6]) == (401, "Bearer"), (method, path)


def test_the_open_routes_are_those_of_the_open_addresses(here):
    marked = {
        route.path
        for route in here.client.app.routes
        for handler, _ in route.route_handler_map.values()
        if handler.opt.get(OPEN_ROUTE)
    }
    assert marked == OPEN


LOOKALIKES = [
    "/healthz-secret",
    "//healthz",
    "/healthz/",
    "/healthz%0A",
    "/healthz%2F..%2Fv1%2Fme",
    "/HEALTHZ",
    "/x/healthz",
    "/healthz;x",
    "/schema/",
    "/schema/openapi.json",
    "/schemas",
    "/readyz2",
    "/",
    "//",
]


@pytest.mark.parametrize("path", LOOKALIKES)
def test_an_address_that_looks_like_an_open_one_is_none(here, path):
    assert here.get(None, path).status_code == 401
    assert here.get("mia", path).status_code in {404, 422}


@pytest.mark.parametrize(
    "value",
    [
        "",
        "Bearer",
        "Bearer ",
        "Bearer  {key}",
        "Bearer {key} ",
        "Bearer {key},Bearer {key}",
        "Bearer {key}x",
        "Basic {key}",
        "{key}",
        "Token {key}",
        "Bearer hub_unknown",
        "Bearer " + "x" * 600,
        "Bearer *",
        "Bearer %",
    ],
)
def test_a_key_that_is_not_exactly_one_opens_nothing(here, value):
    answer = here.send(None, "GET", "/v1/me", headers={"Authorization": value.format(key=here.key("mia"))})
    assert answer.status_code == 401


def test_the_scheme_may_be_written_in_any_case(here):
    for scheme in ("bearer", "BEARER"):
        known = {"Authorization": f"{scheme} {here.key('mia')}"}
        assert here.send(None, "GET", "/v1/me", headers=known).status_code == 200


def test_revoked_keys_are_dead_on_the_next_request(here):
    here.keys["lex"] = here.post("admin", "/v1/admin/agents", {"id": "lex", "domain": "legal"}).json()["key"]
    assert here.get("lex", "/v1/me").status_code == 200
    here.hub.operator().revoke("lex")
    unknown = here.send(None, "GET", "/v1/me", headers={"Authorization": "Bearer hub_unknown"})
    dead = here.get("lex", "/v1/me")
    assert dead.status_code == 401
    assert (dead.content, dead.headers) == (unknown.content, unknown.headers)


def test_a_key_goes_out_with_time(here):
    made = {"id": "temp", "domain": "travel", "expires_at": "2026-03-01T09:00:01Z"}
    here.keys["temp"] = here.post("admin", "/v1/admin/agents", made).json()["key"]
    assert here.get("temp", "/v1/me").status_code == 200
    here.hub._ledger.clock.advance(1_000_000)
    assert here.get("temp", "/v1/me").status_code == 401


def test_the_admin_key_is_no_agents_key(here):
    for path in ("/v1/me", f"/v1/customers/{CUSTOMER}/profile"):
        answer = here.get("admin", path)
        assert (answer.status_code, answer.json()["code"]) == (403, "not_an_agent")
    for near in (ADMIN_KEY[:-1], ADMIN_KEY + "x", ADMIN_KEY.upper()):
        refused = here.send(None, "GET", "/v1/admin/policies", headers={"Authorization": f"Bearer {near}"})
        assert refused.status_code == 401


# --- nothing else names the caller -----------------------------------------------------------------------------------

NAMES = ["agent", "agent_id", "author", "domain", "tenant", "user", "owner", "told", "include_private", "recorded_at"]


@pytest.mark.parametrize("name", NAMES)
def test_no_field_of_a_body_names_the_caller_or_widens_its_sight(here, name):
    here.key("atlas")
    before = here.records()
    inner = fact("likes", "tea", **{name: "health"})
    for path, body in {
        "/v1/recall": {"customer": CUSTOMER, "query": "tea", name: "health"},
        "/v1/remember": {"customer": CUSTOMER, "facts": [inner]},
        "/v1/facts/fact_x/correct": {"value": 1, name: "health"},
        "/v1/facts/fact_x/retract": {name: "health"},
    }.items():
        answer = here.post("atlas", path, body)
        assert (answer.status_code, answer.json()["code"]) == (422, "unknown_field"), path
        assert name in answer.json()["detail"]
    assert here.records() == before


@pytest.mark.parametrize("name", [*NAMES, "customer"])
def test_no_field_of_a_query_does_either(here, name):
    for path in (f"/v1/customers/{CUSTOMER}/profile", f"/v1/customers/{CUSTOMER}/graph", "/v1/facts/fact_x", "/v1/me"):
        answer = here.get("atlas", f"{path}?{name}=health")
        assert (answer.status_code, answer.json()["code"]) == (422, "unknown_field"), path
    assert here.post("atlas", f"/v1/recall?{name}=health", {"customer": CUSTOMER, "query": "x"}).status_code == 422


@pytest.mark.parametrize("header", ["X-Agent", "X-Forwarded-User", "X-Agent-Id", "Agent", "From", "Cookie", "X-Domain"])
def test_no_header_does_either(here, header):
    answer = here.send("atlas", "GET", "/v1/me", headers={header: "sage"})
    assert answer.json()["agent"] == "atlas"


def test_who_acts_for_another_stays_who_it_is(here):
    answer = here.send("atlas", "GET", "/v1/me", headers={"On-Behalf-Of": here.key("kai")})
    assert answer.json()["agent"] == "atlas"


# --- Host and Origin -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("host", "status"),
    [
        ("localhost", 200),
        ("LOCALHOST:8080", 200),
        ("testserver.local:1", 200),
        ("evil.example", 403),
        ("localhost.evil.example", 403),
        ("localhost.", 403),
        ("evil@localhost", 403),
        ("localhost:8080:9090", 403),
        ("localhost/", 403),
        ("127.0.0.1", 403),
        ("", 403),
    ],
)
def test_only_a_name_of_its_own_reaches_the_hub(here, host, status):
    for who, path in ((None, "/healthz"), ("mia", "/v1/me")):
        assert here.send(who, "GET", path, headers={"Host": host}).status_code == status


@pytest.mark.parametrize(
    ("origin", "status"),
    [
        ("http://localhost:3000", 200),
        ("https://testserver.local", 200),
        ("https://evil.example", 403),
        ("http://localhost.evil.example", 403),
        ("http://evil.example/localhost", 403),
        ("http://evil.example#@localhost", 403),
        ("null", 403),
        ("", 403),
        ("file://localhost", 403),
        ("localhost", 403),
    ],
)
def test_pages_of_other_sites_are_refused(here, origin, status):
    answer = here.send("mia", "GET", "/v1/me", headers={"Origin": origin})
    assert answer.status_code == status
    assert not [name for name in answer.headers if name.startswith("access-control")]


def test_a_preflight_is_answered_to_nobody(here):
    asking = {"Origin": "http://localhost:3000", "Access-Control-Request-Method": "POST"}
    answer = here.send(None, "OPTIONS", "/v1/recall", headers=asking)
    assert answer.status_code == 401
    assert not [name for name in answer.headers if name.startswith("access-control")]
