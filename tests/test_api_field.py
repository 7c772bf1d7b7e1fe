"""Faults that users of systems like this one reported, tried over HTTP: the input, and what is right."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any
from urllib.parse import quote, urlencode

import pytest

from tests.api_world import World, fact, world

CUSTOMER = "kh-001"
UNKNOWN = "fact_000000000000000000000000"


@pytest.fixture(scope="module")
def here() -> Iterator[World]:
    with world(embedder="none") as made:
        for agent in ("mia", "atlas", "sage", "kai"):
            made.key(agent)
        yield made


def recalled(here: World, who: str, customer: str, query: str, **more: object) -> list[dict[str, Any]]:
    answer = here.post(who, "/v1/recall", {"customer": customer, "query": query, **more})
    assert answer.status_code == 200, answer.text
    return [*answer.json()["memories"], *answer.json()["upcoming"]]


def values(here: World, who: str, customer: str) -> set[object]:
    answer = here.get(who, f"/v1/customers/{quote(customer, safe='')}/profile")
    assert answer.status_code == 200, answer.text
    return {belief["value"] for entity in answer.json()["entities"] for belief in entity["beliefs"]}


# --- another owner in what is sent -----------------------------------------------------------------------------------

OWNERS: list[tuple[str, str, dict[str, object]]] = [
    ("PATCH", "/v1/facts/{id}", {"metadata": {"owner": "mallory"}}),
    ("PATCH", "/v1/facts/{id}", {"owner": "travel"}),
    ("PUT", "/v1/facts/{id}", {"label": {"owner": "travel", "scope": "shared"}}),
    ("POST", "/v1/facts/{id}", {"owner": "travel"}),
    ("POST", "/v1/facts/{id}/correct", {"value": "Hue", "metadata": {"owner": "travel"}}),
    ("POST", "/v1/facts/{id}/correct", {"value": "Hue", "label": {"owner": "travel"}}),
    ("POST", "/v1/facts/{id}/correct", {"value": "Hue", "author": {"agent": "atlas", "domain": "travel"}}),
    ("POST", "/v1/facts/{id}/end", {"author": "atlas"}),
    ("POST", "/v1/facts/{id}/retract", {"agent": "atlas"}),
    ("POST", "/v1/admin/facts/{id}/relabel", {"scope": "shared", "owner": "travel", "metadata": {}}),
]


@pytest.mark.parametrize(("method", "path", "body"), OWNERS)
def test_another_owner_in_a_request_is_refused_and_the_owner_stays(here, method, path, body):
    told = here.learn("sage", "owners", "diagnosis", f"flu {method} {path} {body}", scope="private")
    before, records = here.get("sage", f"/v1/facts/{told}").json(), here.records()
    for who in ("sage", "atlas"):
        assert here.send(who, method, path.format(id=told), body).status_code in {403, 404, 405, 422}
    assert (here.get("sage", f"/v1/facts/{told}").json(), here.records()) == (before, records)
    assert {label["owner"] for label in before["label"]} == {"health"}
    assert here.get("atlas", f"/v1/facts/{told}").status_code == 404


# --- odd names of customers and agents -------------------------------------------------------------------------------

ODD = ["*", "%", "acme/../other", '") or true or ("', "0b6c3c1e-7f3a-4a39-9d0e-2f6f8f1d9a11", "it's", "🍜", "项目甲"]
ODD += ["测试乙", "null", "None", "undefined", "agent:mia", "owner", "__proto__", "acme ", "ACME", "Acme", "acme"]


def test_an_odd_name_is_a_customer_of_its_own_in_every_field_and_address(here):
    for number, customer in enumerate(ODD):
        here.learn("mia", customer, "lives_in", f"home {number}")
    for number, customer in enumerate(ODD):
        assert values(here, "atlas", customer) == {f"home {number}"}, customer
        assert {m["value"] for m in recalled(here, "atlas", customer, "where is home?")} <= {f"home {number}"}
        seen = here.get("admin", f"/v1/admin/customers/{quote(customer, safe='')}/beliefs?agent=atlas").json()
        assert [b["value"] for e in seen["entities"] for b in e["beliefs"]] == [f"home {number}"]


@pytest.mark.parametrize("customer", ["", None, ["mia", "kh-001"], {"$ne": ""}, 7, True, "x" * 2_000, "a\x00b", "\n"])
@pytest.mark.parametrize("verb", ["remember", "recall", "tokens", "recall/why", "recall/why-not"])
def test_what_is_no_name_is_no_customer(here, verb, customer):
    body = {"customer": customer, "query": "x", "text": "x"}
    fields = {"tokens": ["customer"], "remember": ["customer", "text"], "recall/why-not": list(body)}
    asked = {name: body[name] for name in fields.get(verb, ["customer", "query"])}
    before = here.records()
    answer = here.post("mia", f"/v1/{verb}", asked)
    assert (answer.status_code, answer.json()["code"], here.records()) == (422, "bad_field", before)


@pytest.mark.parametrize("agent", [*(odd for odd in ODD if odd != "agent:mia"), "%2A", "x" * 2_000, "", "admin"])
def test_no_odd_agent_has_eyes_to_look_through(here, agent):
    here.learn("sage", CUSTOMER, "diagnosis", "flu", scope="private")
    query = urlencode({"agent": agent})
    answer = here.get("admin", f"/v1/admin/customers/{CUSTOMER}/beliefs?{query}")
    assert (answer.status_code in {404, 422}) or answer.json()["entities"] == []


@pytest.mark.parametrize("agent", [odd for odd in ODD if odd not in ("acme", "Acme", "ACME")])
@pytest.mark.parametrize("act", ["rotate", "revoke", "disable"])
def test_no_odd_name_means_an_agent_or_all_of_them(here, agent, act):
    if agent in {"null", "None", "undefined", "owner", "__proto__", "0b6c3c1e-7f3a-4a39-9d0e-2f6f8f1d9a11"}:
        assert here.post("admin", f"/v1/admin/agents/{agent}/{act}").status_code == 404
    else:
        answer = here.post("admin", f"/v1/admin/agents/{quote(agent, safe='').replace('.', '%2E')}/{act}")
        assert answer.status_code in {404, 422}
    assert here.get("mia", "/v1/me").status_code == 200


# --- ids of others ---------------------------------------------------------------------------------------------------

BY_ID = [("GET", "", None), ("GET", "/history", None), ("POST", "/correct", {"value": 1}), ("POST", "/retract", {})]
BY_ID += [("POST", "/forget", {}), ("POST", "/end", {}), ("POST", "/restore", {}), ("POST", "/erase", {})]


@pytest.mark.parametrize(("method", "tail", "body"), BY_ID)
def test_a_fact_of_another_customer_is_answered_like_one_that_never_was(here, method, tail, body):
    told = here.learn("mia", "theirs", "lives_in", f"Hanoi{tail}")
    here.keys["bound"] = here.post("mia", "/v1/tokens", {"customer": "ours"}).json()["token"]
    before = here.records()
    foreign, unknown = (here.send("bound", method, f"/v1/facts/{id}{tail}", body) for id in (told, UNKNOWN))
    assert foreign.status_code == 404
    assert (foreign.content, foreign.headers) == (unknown.content, unknown.headers)
    assert here.records() == before
    assert f"Hanoi{tail}" in values(here, "mia", "theirs") | {here.get("mia", f"/v1/facts/{told}").json()["value"]}


# --- names that begin or join alike ----------------------------------------------------------------------------------


def test_customers_whose_names_begin_alike_share_nothing(here):
    names = ["acme-1", "acme-11", "acme-", "acme-1-", "acme_1", "acme-%", "acme-1%"]
    for name in names:
        here.learn("mia", name, "lives_in", f"home of {name}")
    for name in names:
        assert values(here, "mia", name) == {f"home of {name}"}


def test_what_joins_alike_is_not_alike(here):
    """Customer and idempotency key, subject and relation, session and customer: ("a", "b_c") is not ("a_b", "c")."""
    for customer, key in (("a", "b_c"), ("a_b", "c"), ("a_b_c", "_"), ("a_", "b_c"), ("a:b", "c"), ("a", "b:c")):
        told = {"customer": customer, "facts": [fact("likes", f"{customer} and {key}")]}
        assert here.post("mia", "/v1/remember", told, Idempotency_Key=key).status_code == 201
        assert f"{customer} and {key}" in values(here, "mia", customer)
    assert values(here, "mia", "a") == {"a and b_c", "a and b:c"}

    here.learn("kai", "joined", "c", "one", subject="a_b")
    here.learn("kai", "joined", "b_c", "other", subject="a")
    page = here.get("kai", "/v1/customers/joined/timeline").json()
    assert {(slot["subject"], slot["relation"]) for slot in page["slots"]} == {("a_b", "c"), ("a", "b_c")}


# --- many that match better ------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def conditions(here) -> list[str]:
    """More than a thousand of them, which health alone may read."""
    told = [f"peanut butter, peanut butter {number}" for number in range(1_137)]
    for first in range(0, len(told), 400):
        facts = [fact("has_condition", value) for value in told[first : first + 400]]
        assert here.post("sage", "/v1/remember", {"customer": "many", "facts": facts}).status_code == 201
    here.learn("mia", "many", "likes", "a little peanut butter now and then")
    return told


def test_the_one_match_that_may_be_read_is_found_behind_a_thousand_that_may_not(here, conditions):
    for limit in (1, 5):
        found = recalled(here, "atlas", "many", "peanut butter", limit=limit)
        assert [memory["value"] for memory in found] == ["a little peanut butter now and then"]
    own = recalled(here, "sage", "many", "peanut butter", limit=3)
    assert [memory["value"] in conditions for memory in own] == [True] * 3


@pytest.mark.parametrize(
    ("verb", "items", "inner"), [("timeline", "slots", "intervals"), ("profile", "entities", "beliefs")]
)
def test_the_cursor_walks_more_than_a_thousand_and_no_list_is_cut_in_silence(here, conditions, verb, items, inner):
    seen, query = [], {"limit": "500"}
    while True:
        page = here.get("sage", f"/v1/customers/many/{verb}?{urlencode(query)}").json()
        seen += [memory["value"] for item in page[items] for memory in item[inner]]
        assert page["truncated"] is (page["next"] is not None)
        if page["next"] is None:
            break
        query["cursor"] = page["next"]
    assert sorted(seen) == sorted([*conditions, "a little peanut butter now and then"])


# --- no scope said ---------------------------------------------------------------------------------------------------


def test_without_a_scope_everybody_gets_its_own_view_on_every_road(here):
    for who, relation in (("sage", "diagnosis"), ("kai", "shoe_size")):
        here.learn(who, "views", relation, f"secret of {who}", scope="private")
    asked = {"customer": "views", "query": "secret of sage and kai"}
    roads = [("GET", f"/v1/customers/views/{verb}", None) for verb in ("profile", "timeline", "graph")]
    roads += [("POST", "/v1/recall", asked), ("POST", "/v1/recall/why", asked)]
    roads += [("POST", "/v1/recall/why-not", {**asked, "text": "secret"})]
    for (method, path, body), (who, other) in product(roads, (("sage", "kai"), ("kai", "sage"))):
        said = here.send(who, method, path, body).text
        assert f"secret of {other}" not in said, path
        assert f"secret of {who}" in said or path == "/v1/recall/why-not", path
        assert "secret of" not in here.send("atlas", method, path, body).text, path


# --- queries that are words of some other language -------------------------------------------------------------------

LITERAL = {
    "status: done": "the painting is done",
    "don't": "don't call before noon",
    "GB/s": "a link of 10 GB/s",
    "AND OR NOT": "and or not",
    "NEAR(": "near the station",
    "C++": "C++ and Rust",
    "50%": "50% off",
    "path:/etc": "path etc",
}
WORDLESS = ['"', "*", "%", "_", "'", "\\", "(", ")", "^", ":", "-", "!!!", '"""', "(((", "***", ";--"]


def test_a_query_means_what_it_says(here):
    for value in LITERAL.values():
        here.learn("mia", "words", "likes", value)
    for query, value in LITERAL.items():
        assert value in [memory["value"] for memory in recalled(here, "atlas", "words", query)], query


@pytest.mark.parametrize("query", [*WORDLESS, *(f"{mark} OR {mark}" for mark in "\"*'("), "NEAR(", "zzz*", "''=''"])
def test_a_query_of_marks_alone_finds_nothing_and_breaks_nothing(here, query):
    here.learn("mia", "marks", "likes", "tea")
    answer = here.post("atlas", "/v1/recall", {"customer": "marks", "query": query})
    assert (answer.status_code, answer.json()["memories"]) == (200, [])


# --- much at once ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("length", [100_001, 1_000_000, 3_000_000])
def test_a_text_of_a_megabyte_is_too_large_and_the_short_ones_beside_it_are_stored(here, length):
    customer = f"large {length}"
    answers = [here.post("mia", "/v1/remember", {"customer": customer, "text": f"short {n}"}) for n in range(9)]
    answers.insert(4, here.post("mia", "/v1/remember", {"customer": customer, "text": "x" * length}))
    assert [answer.status_code for answer in answers] == [201] * 4 + [413] + [201] * 5
    assert answers[4].json()["code"] == "too_large"
    found = recalled(here, "mia", customer, "short", kinds=["turn"], limit=100)
    assert sorted(memory["text"] for memory in found) == [f"short {n}" for n in range(9)]


def test_a_query_of_two_hundred_words_still_finds(here):
    here.learn("mia", "long", "likes", "jasmine tea")
    words = [f"word{n}" for n in range(200)]
    for place in (0, 100, 200):
        query = " ".join([*words[:place], "jasmine tea", *words[place:]])
        assert "jasmine tea" in [memory["value"] for memory in recalled(here, "atlas", "long", query)], place
