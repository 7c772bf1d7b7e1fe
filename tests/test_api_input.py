"""What comes in wrong gets a clear 4xx with a code and a fix, and leaves nothing behind."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator
from urllib.parse import quote

import pytest

from hub.api import asked
from tests.api_world import World, canonical, fact, world

CUSTOMER = "kh-001"
PROBLEM = {"type", "title", "status", "detail", "code", "fix"}
NAIVE = "2026-03-01T09:00:00"


@pytest.fixture(scope="module")
def here() -> Iterator[World]:
    with world() as made:
        for agent in ("mia", "atlas", "sage"):
            made.key(agent)
        yield made


def refused(here: World, method: str, path: str, body: object = None, **headers: str) -> tuple[int, str]:
    """Sends it as mia; checks that the answer is a problem and that nothing was recorded."""
    before = here.records()
    answer = here.send("mia", method, path, body, {name.replace("_", "-"): text for name, text in headers.items()})
    assert here.records() == before, answer.text
    assert answer.headers["content-type"] == "application/problem+json", answer.text
    said = answer.json()
    assert said.keys() == PROBLEM
    assert all(said.values())
    assert (said["status"], said["type"]) == (answer.status_code, f"urn:memory-hub:problem:{said['code']}")
    return answer.status_code, said["code"]


# --- bodies ----------------------------------------------------------------------------------------------------------

RECALL = {"customer": CUSTOMER, "query": "tea"}
TOLD = {"customer": CUSTOMER, "facts": [fact("likes", "tea")]}


def raw(text: str) -> bytes:
    return text.encode()


UNREADABLE = {
    "nothing but a bracket": b"{",
    "two values": b"{} {}",
    "text": b"hello",
    "a key twice": b'{"customer": "a", "customer": "b", "query": "x"}',
    "a key twice, deep": b'{"customer": "a", "facts": [{"relation": "x", "value": 1, "value": 2}]}',
    "a key twice, one escaped": b'{"customer": "a", "cust\\u006fmer": "b", "query": "x"}',
    "not a number": b'{"customer": "a", "query": "x", "min_score": NaN}',
    "infinity": b'{"customer": "a", "query": "x", "min_score": Infinity}',
    "a number past all floats": b'{"customer": "a", "query": "x", "min_score": 1e999}',
    "a number of a million digits": b'{"customer": "a", "query": "x", "limit": ' + b"9" * 1_000_000 + b"}",
    "half a pair": b'{"customer": "a", "query": "\\ud800"}',
    "not UTF-8": b'{"customer": "a", "query": "\xff"}',
    "UTF-16": '{"customer": "a", "query": "x"}'.encode("utf-16"),
    "a hundred thousand lists": b"[" * 100_000,
    "a hundred thousand mappings": b'{"a":' * 100_000,
    "65 levels": b'{"customer": "a", "query": ' + b"[" * 64 + b"]" * 64 + b"}",
    "a raw NUL": b'{"customer": "a\x00", "query": "x"}',
    "single quotes": b"{'customer': 'a'}",
    "a comment": b'{"customer": "a" /* b */}',
}


@pytest.mark.parametrize("body", UNREADABLE.values(), ids=UNREADABLE)
@pytest.mark.parametrize("path", ["/v1/recall", "/v1/remember", "/v1/facts/fact_x/retract"])
def test_a_body_that_is_no_clean_json_is_refused(here, path, body):
    assert refused(here, "POST", path, body, Content_Type="application/json") == (400, "bad_json")


@pytest.mark.parametrize(
    "media_type",
    [
        "",
        "text/plain",
        "application/x-www-form-urlencoded",
        "multipart/form-data; boundary=x",
        "application/msgpack",
        "application/json; charset=latin-1",
        "application/problem+json",
        "application/jsonx",
        "json",
        "*/*",
    ],
)
def test_a_body_of_another_type_is_refused(here, media_type):
    answer = refused(here, "POST", "/v1/recall", raw(json.dumps(RECALL)), Content_Type=media_type)
    assert answer == (415, "unsupported_media_type")


@pytest.mark.parametrize("media_type", ["application/json", "Application/JSON", 'application/json; charset="UTF-8"'])
def test_json_by_any_of_its_spellings_is_taken(here, media_type):
    headers = {"Content-Type": media_type}
    assert here.send("mia", "POST", "/v1/recall", raw(json.dumps(RECALL)), headers).status_code == 200


def test_a_packed_body_is_refused(here):
    headers = {"Content_Type": "application/json", "Content_Encoding": "gzip"}
    assert refused(here, "POST", "/v1/recall", b"x", **headers) == (415, "unsupported_media_type")


@pytest.mark.parametrize("size", [asked.LARGEST_BODY + 1, 5 * asked.LARGEST_BODY])
def test_a_body_over_a_mebibyte_is_refused(here, size):
    body = b'{"customer": "a", "text": "' + b"x" * size + b'"}'
    assert refused(here, "POST", "/v1/remember", body, Content_Type="application/json") == (413, "too_large")


def test_a_text_of_a_mebibyte_is_refused_and_the_short_ones_are_kept(here):
    long = {"customer": "sizes", "text": "x" * (asked.LARGEST_BODY - 100)}
    assert refused(here, "POST", "/v1/remember", long) == (413, "too_large")
    for number in range(9):
        assert here.post("mia", "/v1/remember", {"customer": "sizes", "text": f"short {number}"}).status_code == 201


def with_fact(**fields: object) -> dict[str, object]:
    return {"customer": CUSTOMER, "facts": [{"relation": "likes", "value": "tea", **fields}]}


WRONG = {
    "nothing": ("recall", {}, "bad_field"),
    "a list": ("recall", [RECALL], "bad_field"),
    "null": ("recall", None, "bad_field"),
    "a customer that is none": ("recall", {**RECALL, "customer": ""}, "bad_field"),
    "blank": ("recall", {**RECALL, "customer": "  "}, "bad_field"),
    "null for a customer": ("recall", {**RECALL, "customer": None}, "bad_field"),
    "a list of customers": ("recall", {**RECALL, "customer": ["a", "b"]}, "bad_field"),
    "a mapping": ("recall", {**RECALL, "customer": {"$ne": ""}}, "bad_field"),
    "a number": ("recall", {**RECALL, "customer": 1}, "bad_field"),
    "2,000 characters": ("recall", {**RECALL, "customer": "x" * 2000}, "bad_field"),
    "NUL in a name": ("recall", {**RECALL, "customer": "a\x00b"}, "bad_field"),
    "a line break in a name": ("recall", {**RECALL, "customer": "a\np, admin"}, "bad_field"),
    "NUL in a query": ("recall", {**RECALL, "query": "a\x00b"}, "bad_field"),
    "a limit in quotes": ("recall", {**RECALL, "limit": "5"}, "bad_field"),
    "a limit of none": ("recall", {**RECALL, "limit": 0}, "bad_field"),
    "a limit of too many": ("recall", {**RECALL, "limit": 101}, "bad_field"),
    "yes for true": ("recall", {**RECALL, "explain": "yes"}, "bad_field"),
    "1 for true": ("recall", {**RECALL, "include_past": 1}, "bad_field"),
    "an unknown kind": ("recall", {**RECALL, "kinds": ["secret"]}, "bad_field"),
    "an unknown field": ("recall", {**RECALL, "qeury": "x"}, "unknown_field"),
    "both as-ofs": ("recall", {**RECALL, "as_of": "2026-01-01", "known_at": "2026-01-01"}, "two_as_ofs"),
    "a naive as-of": ("recall", {**RECALL, "as_of": NAIVE}, "naive_instant"),
    "a naive valid_at": ("recall", {**RECALL, "valid_at": NAIVE}, "naive_instant"),
    "a naive known_at": ("recall", {**RECALL, "known_at": NAIVE}, "naive_instant"),
    "last fortnightish": ("recall", {**RECALL, "as_of": "last fortnightish"}, "bad_instant"),
    "the 30th of February": ("recall", {**RECALL, "as_of": "2026-02-30"}, "bad_instant"),
    "a fact of a naive start": ("remember", with_fact(valid_from=NAIVE), "naive_instant"),
    "a fact of a naive end": ("remember", with_fact(valid_to=NAIVE), "naive_instant"),
    "said at a naive moment": ("remember", {**TOLD, "said_at": NAIVE}, "naive_instant"),
    "an empty interval": ("remember", with_fact(valid_from="2026-03-01", valid_to="2026-03-01"), "empty_interval"),
    "a turned interval": ("remember", with_fact(valid_from="2026-03-02", valid_to="2026-03-01"), "empty_interval"),
    "value and object": ("remember", with_fact(object="Honda Civic"), None),
    "neither value nor object": ("remember", with_fact(value=None), None),
    "a value that is a list": ("remember", with_fact(value=["tea"]), "bad_field"),
    "a value too large for JSON": ("remember", with_fact(value=2**60), "bad_field"),
    "confidence over 1": ("remember", with_fact(confidence=1.5), "bad_field"),
    "recorded_at of one's own": ("remember", with_fact(recorded_at="2020-01-01"), "unknown_field"),
    "an unknown mode": ("remember", with_fact(mode="maybe"), "bad_field"),
    "an unknown scope": ("remember", with_fact(scope="everyone"), "bad_field"),
    "501 facts": ("remember", {"customer": CUSTOMER, "facts": [fact("likes", "x")] * 501}, "bad_field"),
    "an unknown role": ("remember", {**TOLD, "role": "root"}, "bad_field"),
}


@pytest.mark.parametrize(("verb", "body", "code"), WRONG.values(), ids=WRONG)
def test_a_request_that_makes_no_sense_is_refused(here, verb, body, code):
    content = raw(json.dumps(body))
    status, said = refused(here, "POST", f"/v1/{verb}", content, Content_Type="application/json")
    assert (status, said) == (422, code or said)


ACTS_AND_FIELDS = [("correct", "at"), ("retract", "at"), ("forget", "at"), ("restore", "at"), ("end", "value")]


@pytest.mark.parametrize(("act", "field"), ACTS_AND_FIELDS)
def test_an_act_takes_no_field_of_another(here, act, field):
    told = here.learn("mia", "acts", "likes", f"tea, {act}")
    assert refused(here, "POST", f"/v1/facts/{told}/{act}", {field: "2026-03-01"}) == (422, "unknown_field")


def test_a_binding_is_widened_only_by_saying_so(here):
    here.key("atlas")
    for body in ({}, {"purposes": []}, {"customers": None}, {"customers": "*", "purposes": []}):
        before = here.records()
        answer = here.send("admin", "PUT", "/v1/admin/agents/atlas/binding", body)
        assert (answer.status_code, here.records()) == (422, before)


@pytest.mark.parametrize("existing", ["yes", "true", 1, None])
def test_values_already_stored_move_only_for_a_plain_true(here, existing):
    for act, body in (("promote", {"scope": "shared", "existing": existing}), ("demote", {"existing": existing})):
        answer = here.post("admin", f"/v1/admin/relations/shoe_color/{act}", body)
        assert (answer.status_code, answer.json()["code"]) == (422, "bad_field")


@pytest.mark.parametrize(
    "name", ["*", "p, admin", "a,b", "a\nb", "", "x" * 300, "agent:mia", "owner", "Ünï", "a b", '"']
)
def test_an_agent_or_domain_of_a_telling_name_is_refused(here, name):
    for body in ({"id": name, "domain": "travel"}, {"id": "fine", "domain": name}):
        before = here.records()
        answer = here.post("admin", "/v1/admin/agents", body)
        if name == "owner" and body["id"] == name:
            assert answer.status_code in {201, 422}
        else:
            assert (answer.status_code, here.records()) == (422, before), answer.text


@pytest.mark.parametrize("key", ["", "x" * 256])
def test_an_idempotency_key_has_a_length(here, key):
    assert refused(here, "POST", "/v1/remember", TOLD, Idempotency_Key=key) == (422, "bad_field")


# --- queries ---------------------------------------------------------------------------------------------------------

QUERIES = {
    "unknown": ("profile?limti=1", "unknown_field"),
    "of another verb": ("profile?root=x", "unknown_field"),
    "of yet another": ("graph?limit=5", "unknown_field"),
    "twice": ("profile?limit=1&limit=2", "bad_query"),
    "twice, encoded": ("profile?limit=1&%6cimit=2", "bad_query"),
    "no value": ("profile?limit", "bad_query"),
    "an empty value": ("profile?limit=", "bad_field"),
    "a limit of none": ("profile?limit=0", "bad_field"),
    "a limit below": ("profile?limit=-1", "bad_field"),
    "a limit of too many": ("timeline?limit=1001", "bad_field"),
    "no number": ("timeline?limit=many", "bad_field"),
    "too many hops": ("graph?hops=7", "bad_field"),
    "an unknown cursor": ("timeline?cursor=abc", "bad_cursor"),
    "not UTF-8": ("timeline?subject=%FF", "bad_query"),
    "NUL": ("timeline?subject=a%00b", "bad_field"),
    "both as-ofs": ("profile?as_of=2026-01-01&valid_at=2026-01-01", "two_as_ofs"),
    "a naive as-of": (f"timeline?as_of={NAIVE}", "naive_instant"),
    "a naive valid_at": (f"graph?valid_at={NAIVE}", "naive_instant"),
    "a naive known_at": (f"profile?known_at={NAIVE}", "naive_instant"),
    "a plus that was not encoded": ("profile?as_of=2026-01-01T00:00:00+07:00", "bad_instant"),
    "an empty as-of": ("profile?as_of=", "bad_field"),
    "fifty-one fields": ("profile?" + "&".join(f"a{number}=1" for number in range(51)), "bad_query"),
}


def test_whoever_misspells_a_field_is_sent_to_where_they_are_all_named(here):
    for answer in (
        here.post("mia", "/v1/recall", {**RECALL, "qeury": "x"}),
        here.post("mia", "/v1/recall", {"customer": "kh-001"}),
        here.get("mia", "/v1/customers/kh-001/profile?limti=1"),
    ):
        assert (answer.status_code, "/schema" in answer.json()["fix"]) == (422, True), answer.text


@pytest.mark.parametrize(("query", "code"), QUERIES.values(), ids=QUERIES)
def test_a_query_that_makes_no_sense_is_refused(here, query, code):
    assert refused(here, "GET", f"/v1/customers/{CUSTOMER}/{query}") == (422, code)


@pytest.mark.parametrize("path", ["/v1/me?x=1", "/v1/me?as_of=2026-01-01", "/v1/remember?x=1", "/v1/recall?as_of=2026"])
def test_a_query_where_none_is_taken_is_refused(here, path):
    method, body = ("GET", None) if path.startswith("/v1/me") else ("POST", RECALL)
    assert refused(here, method, path, body) == (422, "unknown_field")


# --- addresses -------------------------------------------------------------------------------------------------------

IDS = [
    "*",
    "%",
    "%25",
    "..",
    ".",
    "acme/../other",
    "acme%2F..%2Fother",
    "/",
    "//",
    '") or true or ("',
    "' OR 1=1 --",
    "0b6c3c1e-7f3a-4a39-9d0e-2f6f8f1d9a11",
    "it's",
    '"quoted"',
    "🍜",
    "项目甲",
    "测试乙",
    "acme",
    "acme-corp",
    "a_b",
    "null",
    "profile",
    "admin",
    "a?b",
    "a#b",
    "a;b=c",
    "a+b",
    "a b",
    "e\u0301",
    "é",
]


def test_each_odd_customer_is_a_customer_of_its_own(here):
    for number, customer in enumerate(IDS):
        told = {"customer": customer, "facts": [fact("lives_in", f"city {number}")]}
        assert here.post("mia", "/v1/remember", told).status_code == 201, customer
    for number, customer in enumerate(IDS):
        for verb in ("profile", "timeline", "graph"):
            # Left alone, the client would take `..` for a way up; a server must not.
            segment = quote(customer, safe="").replace(".", "%2E")
            answer = here.get("mia", f"/v1/customers/{segment}/{verb}")
            assert answer.status_code == 200, (customer, answer.text)
            if verb == "timeline":
                values = [memory["value"] for slot in answer.json()["slots"] for memory in slot["intervals"]]
                assert values == [f"city {number}"], customer
        recalled = here.post("mia", "/v1/recall", {"customer": customer, "query": "which city do they live in?"})
        assert {memory["value"] for memory in recalled.json()["memories"]} <= {f"city {number}"}


@pytest.mark.parametrize("segment", ["%00", "%FF", "%ED%A0%80", "%0A", "x" * 300, "%20"])
def test_a_customer_that_can_be_none_is_refused(here, segment):
    assert refused(here, "GET", f"/v1/customers/{segment}/profile")[0] == 422


@pytest.mark.parametrize("path", ["/v1/customers//profile", "/v1/me/", "/v1//me"])
def test_an_address_with_an_empty_part_is_refused(here, path):
    assert refused(here, "GET", path) == (422, "bad_path")


@pytest.mark.parametrize("path", ["/v1", "/v2/me", "/v1/me/x", "/v1/customers", "/v1/customers/a", "/metrics", "/mcp"])
def test_an_unknown_address_is_a_problem_like_any_other(here, path):
    assert refused(here, "GET", path) == (404, "no_such_route")


@pytest.mark.parametrize(("method", "path"), [("DELETE", "/v1/me"), ("PATCH", "/v1/facts/x"), ("GET", "/v1/recall")])
def test_a_method_that_is_not_taken_is_a_problem_that_names_those_that_are(here, method, path):
    assert refused(here, method, path) == (405, "method_not_allowed")
    assert "OPTIONS" in here.send("mia", method, path).headers["allow"]


# --- ids that are not yours ------------------------------------------------------------------------------------------

FACT_ROUTES = [("GET", ""), ("GET", "/history"), *(("POST", f"/{act}") for act in ("correct", "retract", "end"))]
FACT_ROUTES += [("POST", "/forget"), ("POST", "/restore")]


@pytest.mark.parametrize(("method", "tail"), FACT_ROUTES)
def test_denied_unknown_foreign_and_odd_ids_get_one_answer_to_the_byte(here, method, tail):
    here.hub.operator().bind("atlas", customers=["atlas-only"])
    turn = here.post("sage", "/v1/remember", {"customer": "atlas-only", "text": f"a turn{tail}"})
    ids = {
        "denied": here.learn("sage", "atlas-only", "diagnosis", f"flu{tail}", scope="private"),
        "another customer's": here.learn("mia", "elsewhere", "lives_in", f"Hanoi{tail}"),
        "unknown": "fact_000000000000000000000000",
        "odd": quote("') or true or ('", safe=""),
        "a star": "*",
        "a percent sign": "%25",
        "NUL": "a%00b",
        "a long one": "x" * 3000,
        "a turn's": turn.json()["turn"]["id"],
    }
    before = here.records()
    body = {"value": 1} if tail == "/correct" else {} if method == "POST" else None
    answers = {name: here.send("atlas", method, f"/v1/facts/{id}{tail}", body) for name, id in ids.items()}
    assert here.records() == before
    assert {name: answer.status_code for name, answer in answers.items()} == dict.fromkeys(ids, 404)
    assert len({(answer.content, tuple(answer.headers.items())) for answer in answers.values()}) == 1
    assert canonical(answers["denied"].json())["code"] == "not_found"


# --- mistakes of ours ------------------------------------------------------------------------------------------------


def test_a_mistake_of_ours_is_a_problem_that_says_nothing_of_the_inside(here, monkeypatch, caplog):
    secret = "canary-7f3a"

    def broken(*_: object) -> None:
        raise RuntimeError(f"SELECT * FROM record WHERE text = '{secret}'")

    monkeypatch.setattr("hub.hub.recalls.recall", broken)
    with caplog.at_level(logging.DEBUG):
        assert refused(here, "POST", "/v1/recall", {**RECALL, "query": secret}) == (500, "internal")
        answer = here.post("mia", "/v1/recall", {**RECALL, "query": secret})
    assert "RuntimeError" not in answer.text
    assert secret not in answer.text + caplog.text
    assert "RuntimeError" in caplog.text


def test_a_busy_database_is_a_503_that_says_when_to_come_back(here, monkeypatch):
    from hub.errors import Fault

    def busy(*_: object) -> None:
        raise Fault("busy", "the database is busy", "try again in a moment")

    monkeypatch.setattr("hub.hub.recalls.recall", busy)
    assert refused(here, "POST", "/v1/recall", RECALL) == (503, "busy")
    assert here.post("mia", "/v1/recall", RECALL).headers["retry-after"] == "1"


def test_a_hub_that_is_not_ready_says_so(here, monkeypatch):
    monkeypatch.setattr(type(here.hub), "ready", lambda _: False)
    answer = here.get(None, "/readyz")
    assert (answer.status_code, answer.json()["code"]) == (503, "not_ready")
    assert here.get(None, "/healthz").json() == {"status": "alive"}


def test_nothing_that_is_sent_or_asked_reaches_the_log(here, caplog, capfd):
    secret = "canary-90b1"
    with caplog.at_level(logging.DEBUG):
        logging.getLogger("casbin").info("still quiet")
        here.learn("sage", secret, "diagnosis", secret)
        here.post("sage", "/v1/recall", {"customer": secret, "query": secret})
        here.get("sage", f"/v1/customers/{secret}/profile?purpose={secret}")
        here.get("sage", f"/v1/{secret}")
        here.post("sage", "/v1/recall", {"customer": secret, "query": secret, secret: 1})
    # httpx is the other end of the wire.
    ours = [record.getMessage() for record in caplog.records if record.name != "httpx"]
    logged = "\n".join([*ours, *capfd.readouterr()])
    assert secret not in logged
    assert here.key("sage") not in logged


def test_no_answer_is_kept_by_anyone_on_the_way(here):
    for who, path in ((None, "/healthz"), ("mia", "/v1/me"), (None, "/v1/me"), ("mia", "/nothing")):
        headers = here.get(who, path).headers
        assert (headers["cache-control"], headers["x-content-type-options"]) == ("no-store", "nosniff")
