"""The verbs over HTTP say what the verbs in process say, and operators get no more than their policy gives them."""

from __future__ import annotations

from collections.abc import Iterator
from urllib.parse import quote, urlencode

import pytest

from hub.codec import plain
from tests.api_world import World, canonical, fact, public, world

CUSTOMER = "kh-001"
AGENTS = ("mia", "kai", "atlas", "sage", "penny", "nova")


@pytest.fixture
def here() -> Iterator[World]:
    with world() as made:
        yield made


# --- one story, told twice -------------------------------------------------------------------------------------------

TOMORROW = "2026-03-02T09:00:00Z"
STORY: list[tuple[str, str, dict[str, object]]] = [
    ("mia", "me", {}),
    ("mia", "remember", {"text": "I'm Hanh and I live in Hanoi", "facts": [fact("lives_in", "Hanoi")], "lang": "en"}),
    ("mia", "remember", {"facts": [fact("likes", "coffee"), fact("name", "Hanh")], "idempotency_key": "once"}),
    ("mia", "remember", {"facts": [fact("likes", "coffee"), fact("name", "Hanh")], "idempotency_key": "once"}),
    ("nova", "remember", {"facts": [fact("allergic_to", "peanuts")]}),
    (
        "kai",
        "remember",
        {
            "facts": [
                fact("availability", "no car", valid_to="2026-03-04", subject={"kind": "car", "name": "Honda Civic"})
            ]
        },
    ),
    ("mia", "remember", {"facts": [{"relation": "owns", "object": {"kind": "car", "name": "Honda Civic"}}]}),
    ("penny", "remember", {"facts": [fact("budget", "3000 USD"), fact("income", 5000)]}),
    ("atlas", "remember", {"facts": [{"relation": "planned_trip", "object": {"kind": "place", "name": "Da Nang"}}]}),
    ("atlas", "remember", {"facts": [{**fact("flies_on", "VN123"), "subject": "Da Nang", "on": "2026-03-08"}]}),
    ("atlas", "remember", {"facts": [fact("lives_in", "Hue"), fact("income", 1, scope="shared")]}),
    ("mia", "remember", {"facts": [fact("lives_in", "Saigon", mode="change", valid_from="2026-02-20")]}),
    ("atlas", "recall", {"query": "where does the customer live?", "explain": True}),
    ("atlas", "recall", {"query": "where did they live?", "include_past": True, "limit": 3, "valid_at": TOMORROW}),
    ("atlas", "recall", {"query": "a meal for the flight to Da Nang", "purpose": "meal"}),
    ("atlas", "recall", {"query": "I need a taxi to the airport"}),
    ("kai", "recall", {"query": "a meal for the flight to Da Nang", "token_budget": 50, "kinds": ["fact"]}),
    ("nova", "profile", {}),
    ("nova", "profile", {"limit": 1}),
    ("sage", "profile", {"valid_at": "2026-02-01"}),
    ("atlas", "timeline", {}),
    ("atlas", "timeline", {"relation": "lives_in", "subject": "customer", "limit": 1}),
    ("atlas", "graph", {}),
    ("atlas", "graph", {"root": "Da Nang", "hops": 1}),
    ("mia", "fact", {"of": "Hanoi"}),
    ("mia", "correct", {"of": "Saigon", "value": "Thu Duc", "reason": "the district, to be exact"}),
    ("mia", "history", {"of": "Saigon"}),
    ("mia", "end", {"of": "coffee", "at": "2026-03-05", "reason": "no more"}),
    ("mia", "retract", {"of": "Hanh", "reason": "said in jest"}),
    ("nova", "forget", {"of": "peanuts", "reason": "asked to"}),
    ("sage", "recall", {"query": "any allergies?"}),
    ("sage", "restore", {"of": "peanuts"}),
    ("sage", "recall", {"query": "any allergies?"}),
    ("mia", "timeline", {"valid_at": "2026-02-25", "known_at": "2026-03-01T09:00:00.000010Z"}),
]
BODIES = {"remember", "recall"}
ACTS = {"correct", "end", "retract", "forget", "restore"}


class Teller:
    """Tells the story to one hub, and knows the ids of what was said there by the values."""

    def __init__(self, where: World) -> None:
        self.where = where
        self.ids: dict[object, str] = {}
        for agent in AGENTS:
            where.key(agent)

    def over_http(self, who: str, verb: str, fields: dict[str, object]) -> object:
        method, path, body, headers = self._asked(verb, dict(fields))
        answer = self.where.send(who, method, path, body, headers)
        said = answer.json()
        assert answer.status_code < 500, said
        self._note(fields, said)
        return said if answer.is_success else said["code"]

    def in_process(self, who: str, verb: str, fields: dict[str, object]) -> object:
        given = dict(fields)
        agent = self.where.hub.agent(who, customer=CUSTOMER)
        ids = [self.ids[given.pop("of")]] if "of" in given else []
        given |= {"query": given["query"]} if "query" in given else {}
        said = plain(getattr(agent, verb)(*ids, **given))
        self._note(fields, said)
        return said

    def _asked(self, verb: str, fields: dict[str, object]) -> tuple[str, str, object, dict[str, str]]:
        if verb == "me":
            return "GET", "/v1/me", None, {}
        if verb in BODIES:
            key = fields.pop("idempotency_key", None)
            return "POST", f"/v1/{verb}", {"customer": CUSTOMER, **fields}, {"Idempotency-Key": str(key)} if key else {}
        if "of" not in fields:
            return "GET", f"/v1/customers/{CUSTOMER}/{verb}?{urlencode(fields)}".rstrip("?"), None, {}
        path = f"/v1/facts/{self.ids[fields.pop('of')]}"
        if verb in ACTS:
            return "POST", f"{path}/{verb}", fields, {}
        return "GET", path if verb == "fact" else f"{path}/{verb}", None, {}

    def _note(self, fields: dict[str, object], said: object) -> None:
        facts = fields.get("facts")
        if isinstance(facts, list) and isinstance(said, dict):
            for told, receipt in zip(facts, said["facts"], strict=False):
                self.ids[told.get("value")] = receipt["id"]


def test_a_story_over_http_is_the_story_in_process():
    with world() as one, world() as other:
        wire, direct = Teller(one), Teller(other)
        for step in STORY:
            assert canonical(wire.over_http(*step)) == canonical(direct.in_process(*step)), step


def test_every_field_of_an_answer_is_there_even_if_it_is_empty(here):
    here.learn("mia", CUSTOMER, "lives_in", "Hanoi")
    said = here.post("atlas", "/v1/recall", {"customer": CUSTOMER, "query": "where do they live?"}).json()
    assert said["nothing_known_before"] is None
    assert {"valid_to", "superseded_by", "explain", "via", "contested_by"} <= said["memories"][0].keys()


def test_a_step_of_the_walk_begins_with_from(here):
    civic = {"kind": "car", "name": "Honda Civic"}
    out_of_use = fact("availability", '3 days, {"from_": 1}', subject=civic)
    here.post("mia", "/v1/remember", {"customer": CUSTOMER, "facts": [{"relation": "owns", "object": civic}]})
    here.post("kai", "/v1/remember", {"customer": CUSTOMER, "facts": [out_of_use]})
    said = here.post("atlas", "/v1/recall", {"customer": CUSTOMER, "query": "I need a taxi to the airport"}).json()
    steps = [step for memory in said["memories"] for step in memory["via"]]
    assert steps
    assert all(step.keys() == {"from", "relation", "to", "memory_id"} for step in steps)
    assert any(memory["value"] == '3 days, {"from_": 1}' for memory in said["memories"])


@pytest.mark.parametrize("relation", ["from_", '{"from_', 'x","from_'])
def test_a_relation_with_the_name_of_a_field_keeps_its_name(here, relation):
    here.post("atlas", "/v1/remember", {"customer": CUSTOMER, "facts": [fact(relation, "x", subject="Da Nang")]})
    direct = here.hub.agent("atlas", customer=CUSTOMER)
    assert here.get("atlas", f"/v1/customers/{CUSTOMER}/graph").json() == plain(direct.graph())


def test_a_customer_nobody_wrote_about_reads_as_empty(here):
    for verb, empty in {"profile": "entities", "timeline": "slots", "graph": "edges"}.items():
        answer = here.get("mia", f"/v1/customers/nobody/{verb}")
        assert (answer.status_code, answer.json()[empty]) == (200, [])
    recalled = here.post("mia", "/v1/recall", {"customer": "nobody", "query": "where do they live?"})
    assert (recalled.status_code, recalled.json()["memories"]) == (200, [])


def test_an_idempotency_key_records_once_and_takes_no_other_request(here):
    request = {"customer": CUSTOMER, "text": "hello", "facts": [fact("likes", "tea")]}
    first = here.post("mia", "/v1/remember", request, Idempotency_Key="k")
    before = here.records()
    again = here.post("mia", "/v1/remember", request, Idempotency_Key="k")
    assert (first.status_code, again.status_code, again.json()) == (201, 201, first.json())
    assert here.records() == before
    other = here.post("mia", "/v1/remember", {**request, "text": "goodbye"}, Idempotency_Key="k")
    assert (other.status_code, other.json()["code"]) == (409, "idempotency_key_reused")
    assert here.records() == before


def test_the_cursor_walks_all_pages(here):
    facts = [fact("likes", f"thing {number}") for number in range(137)]
    assert here.post("mia", "/v1/remember", {"customer": CUSTOMER, "facts": facts}).status_code == 201
    seen, query = [], {"limit": "20"}
    while True:
        page = here.get("atlas", f"/v1/customers/{CUSTOMER}/timeline?{urlencode(query)}").json()
        seen += [slot["value"] for slot in page["slots"]]
        assert page["truncated"] is (page["next"] is not None)
        if page["next"] is None:
            break
        query["cursor"] = page["next"]
    assert sorted(seen) == sorted(told["value"] for told in facts)


# --- operators and auditors ------------------------------------------------------------------------------------------


def test_an_agent_is_created_used_rotated_bound_revoked_and_disabled(here):
    made = here.post("admin", "/v1/admin/agents", {"id": "lex", "domain": "legal", "customers": ["a", "b"]})
    assert made.status_code == 201
    assert made.json().keys() == {"agent", "key", "expires_at"}
    here.keys["lex"] = made.json()["key"]
    assert here.get("lex", "/v1/me").json()["customers"] == ["a", "b"]
    assert here.get("lex", "/v1/customers/c/profile").status_code == 403

    here.keys["old"] = here.keys["lex"]
    here.keys["lex"] = here.post("admin", "/v1/admin/agents/lex/rotate").json()["key"]
    assert [here.get(who, "/v1/me").status_code for who in ("old", "lex")] == [401, 200]

    binding = {"customers": None, "purposes": ["contract"]}
    assert here.send("admin", "PUT", "/v1/admin/agents/lex/binding", binding).status_code == 204
    assert here.get("lex", "/v1/customers/c/profile?purpose=contract").status_code == 200
    assert here.get("lex", "/v1/customers/c/profile?purpose=meal").status_code == 403

    assert here.post("admin", "/v1/admin/agents/lex/revoke").status_code == 204
    assert here.get("lex", "/v1/me").status_code == 401
    here.keys["lex"] = here.post("admin", "/v1/admin/agents/lex/rotate", {}).json()["key"]
    assert here.post("admin", "/v1/admin/agents/lex/disable").status_code == 204
    assert here.get("lex", "/v1/me").status_code == 401
    again = here.post("admin", "/v1/admin/agents", {"id": "lex", "domain": "legal"})
    assert (again.status_code, again.json()["code"]) == (409, "agent_exists")


def test_a_policy_is_checked_replaced_whole_and_kept_in_versions(here):
    now = here.get("admin", "/v1/admin/policies").json()
    broken = {"policy": now["policy"] + "\np, travel, health\n"}
    assert here.post("admin", "/v1/admin/policies/check", broken).json()["fit"] is False
    refused = here.send("admin", "PUT", "/v1/admin/policies", broken)
    assert refused.status_code == 422
    assert here.get("admin", "/v1/admin/policies").json() == now

    tighter = {"policy": now["policy"].replace("g, travel, shared-reader, *\n", ""), "reason": "travel left"}
    assert here.post("admin", "/v1/admin/policies/check", tighter).json() == {
        "fit": True,
        "code": None,
        "detail": None,
        "fix": None,
    }
    here.learn("mia", CUSTOMER, "lives_in", "Hanoi")
    assert here.get("atlas", f"/v1/customers/{CUSTOMER}/profile").json()["entities"]
    assert here.send("admin", "PUT", "/v1/admin/policies", tighter).json()["version"] == now["version"] + 1
    assert here.get("atlas", f"/v1/customers/{CUSTOMER}/profile").json()["entities"] == []
    versions = here.get("admin", "/v1/admin/policies/versions").json()
    assert [version["reason"] for version in versions["versions"]][-1] == "travel left"
    assert (versions["next"], versions["truncated"]) == (None, False)


def test_a_provisional_relation_is_promoted_and_demoted(here):
    known = {relation["name"] for relation in here.get("admin", "/v1/admin/relations").json()["relations"]}
    assert "lives_in" in known
    assert "shoe_color" not in known
    here.learn("nova", CUSTOMER, "shoe_color", "red")
    assert here.get("mia", f"/v1/customers/{CUSTOMER}/profile").json()["entities"] == []
    promoted = here.post("admin", "/v1/admin/relations/shoe_color/promote", {"scope": "shared", "existing": True})
    assert (promoted.status_code, promoted.json()["moved"]) == (200, 1)
    assert here.get("mia", f"/v1/customers/{CUSTOMER}/profile").json()["entities"]
    demoted = here.post("admin", "/v1/admin/relations/shoe_color/demote", {"existing": True})
    assert (demoted.status_code, demoted.json()["moved"]) == (200, 1)
    assert here.get("mia", f"/v1/customers/{CUSTOMER}/profile").json()["entities"] == []


def test_a_fact_is_filed_elsewhere(here):
    told = here.learn("penny", CUSTOMER, "income", 5000)
    assert here.get("atlas", f"/v1/facts/{told}").status_code == 404
    moved = here.post("admin", f"/v1/admin/facts/{told}/relabel", {"scope": "shared", "reason": "asked to"})
    assert (moved.status_code, moved.json()["targets"]) == (200, [told])
    assert here.get("atlas", f"/v1/facts/{told}").json()["value"] == 5000


def test_two_names_are_made_one_and_two_again(here):
    for name, relation in {"Honda Civic": "color", "the Civic": "plate"}.items():
        here.learn("kai", CUSTOMER, relation, "x", subject=name, scope="shared")
    names = {"customer": CUSTOMER, "one": "the Civic", "other": "Honda Civic", "reason": "one car"}
    same = here.post("admin", "/v1/admin/entities/same-as", names)
    assert same.status_code == 200, same.text
    assert len(here.get("kai", f"/v1/customers/{CUSTOMER}/profile").json()["entities"]) == 1
    undone = here.post("admin", f"/v1/admin/entities/same-as/{same.json()['id']}/withdraw", {"reason": "two cars"})
    assert undone.status_code == 200, undone.text
    assert len(here.get("kai", f"/v1/customers/{CUSTOMER}/profile").json()["entities"]) == 2


def test_an_auditor_sees_through_an_agents_eyes(here):
    here.learn("penny", CUSTOMER, "income", 5000)
    here.learn("mia", CUSTOMER, "lives_in", "Hanoi")
    for agent in ("atlas", "penny"):
        own = here.get(agent, f"/v1/customers/{CUSTOMER}/profile").json()["entities"]
        seen = here.get("admin", f"/v1/admin/customers/{CUSTOMER}/beliefs?agent={agent}").json()["entities"]
        assert canonical(seen) == canonical(own)
        then = here.get("admin", f"/v1/admin/customers/{CUSTOMER}/beliefs?agent={agent}&as_of=2026-02-01")
        assert (then.status_code, then.json()["entities"]) == (200, [])
    assert here.get("admin", f"/v1/admin/customers/{CUSTOMER}/beliefs?agent=nobody").status_code == 404
    for query, status in {"": 422, "?agent=atlas&limit=0": 422, "?agent=atlas&limit=1000": 200}.items():
        assert here.get("admin", f"/v1/admin/customers/{CUSTOMER}/beliefs{query}").status_code == status


ADMIN_ROUTES = [
    ("POST", "/v1/admin/agents", {"id": "x1", "domain": "travel"}),
    ("POST", "/v1/admin/agents/mia/rotate", None),
    ("POST", "/v1/admin/agents/mia/revoke", None),
    ("POST", "/v1/admin/agents/mia/disable", None),
    ("PUT", "/v1/admin/agents/mia/binding", {"customers": None, "purposes": ["meal"]}),
    ("GET", "/v1/admin/policies", None),
    ("GET", "/v1/admin/policies/versions", None),
    ("POST", "/v1/admin/policies/check", {}),
    ("PUT", "/v1/admin/policies", {}),
    ("GET", "/v1/admin/relations", None),
    ("POST", "/v1/admin/relations/shoe_color/promote", {"scope": "shared"}),
    ("POST", "/v1/admin/relations/shoe_color/demote", {}),
    ("POST", "/v1/admin/facts/{fact}/relabel", {"scope": "shared"}),
    ("POST", "/v1/admin/entities/same-as", {"customer": CUSTOMER, "one": "customer", "other": "Honda Civic"}),
    ("POST", "/v1/admin/entities/same-as/{fact}/withdraw", None),
    ("GET", f"/v1/admin/customers/{CUSTOMER}/beliefs?agent=mia", None),
]


@pytest.mark.parametrize(("method", "path", "body"), ADMIN_ROUTES, ids=lambda part: part if "/" in str(part) else None)
def test_an_agent_without_a_role_gets_nothing_of_an_operators(here, method, path, body):
    told = here.learn("mia", CUSTOMER, "lives_in", "Hanoi")
    here.key("atlas")
    before = here.records()
    answer = here.send("atlas", method, path.format(fact=told), body)
    assert answer.status_code in {403, 404}, answer.text
    assert here.records() == before


def test_an_agent_with_a_role_uses_the_routes_of_that_role(here):
    made = here.post("admin", "/v1/admin/agents", {"id": "ada", "domain": "audit", "roles": ["auditor"]})
    here.keys["ada"] = made.json()["key"]
    assert here.get("ada", f"/v1/admin/customers/{CUSTOMER}/beliefs?agent=mia").status_code == 200
    assert here.post("ada", "/v1/admin/agents", {"id": "x1", "domain": "travel"}).status_code == 403


def test_nobody_becomes_the_operator_by_its_name(here):
    taken = here.post("admin", "/v1/admin/agents", {"id": "admin", "domain": "travel"})
    assert (taken.status_code, taken.json()["code"]) == (409, "agent_exists")


def test_without_an_admin_key_there_is_no_admin(here):
    from litestar.testing import TestClient

    from hub.api import create_app

    with TestClient(create_app(here.hub, hosts=["testserver.local"])) as client:
        for key in ("", "None", "null", "admin"):
            assert client.get("/v1/admin/policies", headers={"Authorization": f"Bearer {key}"}).status_code == 401


def test_names_of_agents_and_relations_in_an_address_are_decoded_once(here):
    odd = quote("shoe/color %2F", safe="")
    refused = here.post("admin", f"/v1/admin/relations/{odd}/promote", {"scope": "shared"})
    assert refused.status_code in {404, 422}
    assert here.post("admin", f"/v1/admin/agents/{odd}/rotate").status_code == 404
    assert public("from_") == "from"
