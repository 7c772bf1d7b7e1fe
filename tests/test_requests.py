"""What an agent may send: every field read strictly, everything else refused by name, nothing changed on the way."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hub import Hub
from hub.errors import Incorrect
from hub.facts import Mode, Scope
from hub.requests import (
    MAX_FACTS,
    MAX_TEXT,
    MAX_VALUE,
    Act,
    Correct,
    Fact,
    NewAgent,
    NewConsent,
    NewLabel,
    NewPolicy,
    Once,
    Page,
    Point,
    Promote,
    Recall,
    Remember,
    SameAs,
    Thing,
    checked,
)

KINDS = [Act, Correct, Fact, NewAgent, NewLabel, NewPolicy, Once, Page, Point, Promote, Recall, Remember, SameAs, Thing]
FACT = {"relation": "likes", "value": "tea"}


def remembering(**fact):
    return {"customer": "kim", "facts": [{**FACT, **fact}]}


def refusal(kind, fields):
    with pytest.raises(Incorrect) as refused:
        checked(kind, fields)
    assert refused.value.fix
    return refused.value


def test_what_is_left_out_has_its_default():
    request = checked(Remember, remembering())
    fact = request.facts[0]
    assert (request.customer, request.role, request.text, request.said_at) == ("kim", "user", None, None)
    assert (fact.subject, fact.object, fact.negated, fact.mode, fact.scope) == (None, None, False, None, None)
    assert (fact.confidence, fact.importance, fact.pinned, fact.derived_from) == (0.8, 0.5, False, ())


def test_an_explicit_null_is_told_apart_from_silence():
    assert "valid_to" in checked(Fact, {**FACT, "valid_to": None}).model_fields_set
    assert "valid_to" not in checked(Fact, FACT).model_fields_set


def test_words_become_what_they_name():
    fact = checked(Fact, {**FACT, "mode": "correct", "scope": "shared", "subject": {"kind": "car", "name": "Civic"}})
    assert (fact.mode, fact.scope) == (Mode.CORRECT, Scope.SHARED)
    assert fact.subject == Thing(kind="car", name="Civic")


@pytest.mark.parametrize(
    "value",
    [
        True,
        False,
        0,
        1,
        -7,
        2**53,
        -(2**53),
        0.5,
        -0.0,
        1e308,
        "tea",
        "*",
        "p, admin",
        "項目甲 🍜",
        " ❤️ ",
        "x" * MAX_VALUE,
    ],
)
def test_a_value_comes_back_as_it_went_in(value):
    kept = checked(Fact, {**FACT, "value": value}).value
    assert kept == value
    assert type(kept) is type(value)


@given(st.integers() | st.floats() | st.booleans() | st.text(max_size=20))
def test_a_value_is_kept_to_the_last_bit_or_refused(value):
    """A number too large for JSON would come back as another one."""
    try:
        kept = checked(Fact, {**FACT, "value": value}).value
    except Incorrect:
        return
    assert (type(kept), repr(kept)) == (type(value), repr(value))


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (2**53 + 1, "not exact"),
        (-(10**400), "not exact"),
        (math.nan, "finite"),
        (math.inf, "finite"),
        (-math.inf, "finite"),
        ("", "1 to"),
        ("x" * (MAX_VALUE + 1), "1 to"),
        (" \t\n\u3000", "seen"),
        ("\u200b", "seen"),
        ("\u200d \ufe0f\u2066", "seen"),
        ("\u3164\U000e0041", "seen"),
        ("nul\x00", "nul"),
        ("half \ud83c", "surrogates"),
        ([], "must be"),
        ({"a": 1}, "must be"),
        (b"tea", "must be"),
    ],
    ids=lambda it: repr(it)[:20],
)
def test_what_is_no_value_is_refused_with_the_reason(value, said):
    refused = refusal(Remember, remembering(value=value))
    assert (refused.code, refused.where) == ("bad_field", "facts.0.value")
    assert said in refused.message


@pytest.mark.parametrize(
    ("fields", "where"),
    [
        ({}, "customer"),
        ({"customer": None}, "customer"),
        ({"customer": ""}, "customer"),
        ({"customer": "   "}, "customer"),
        ({"customer": 5}, "customer"),
        ({"customer": ["kim"]}, "customer"),
        ({"customer": "x" * 257}, "customer"),
        ({"customer": "a\nb"}, "customer"),
        ({"customer": "a\x7fb"}, "customer"),
        ({"customer": "a\x00b"}, "customer"),
        ({"customer": "a\ud800"}, "customer"),
        ({"customer": "kim", "text": "\x00"}, "text"),
        ({"customer": "kim", "text": "\udfff"}, "text"),
        ({"customer": "kim", "role": "admin"}, "role"),
        ({"customer": "kim", "lang": "xx"}, "lang"),
        ({"customer": "kim", "said_at": 1_700_000_000}, "said_at"),
        ({"customer": "kim", "facts": [FACT] * (MAX_FACTS + 1)}, "facts"),
        ({"customer": "kim", "facts": "likes tea"}, "facts"),
        ({"customer": "kim", "facts": [None]}, "facts.0"),
        ({"customer": "kim", "facts": [FACT, {"value": "tea"}]}, "facts.1.relation"),
        (remembering(negated="true"), "facts.0.negated"),
        (remembering(negated=1), "facts.0.negated"),
        (remembering(pinned="yes"), "facts.0.pinned"),
        (remembering(mode="change "), "facts.0.mode"),
        (remembering(scope="*"), "facts.0.scope"),
        (remembering(confidence=1.01), "facts.0.confidence"),
        (remembering(confidence=-0.01), "facts.0.confidence"),
        (remembering(confidence=math.nan), "facts.0.confidence"),
        (remembering(confidence="0.9"), "facts.0.confidence"),
        (remembering(importance=True), "facts.0.importance"),
        (remembering(valid_from=""), "facts.0.valid_from"),
        (remembering(valid_from="2026-07-01T09:00:00.000000000000000000000000Z"), "facts.0.valid_from"),
        (remembering(subject=7), "facts.0.subject"),
        (remembering(subject=""), "facts.0.subject"),
        (remembering(subject={"name": "a\tb"}), "facts.0.subject"),
        (remembering(derived_from=["f"] * 51), "facts.0.derived_from"),
        (None, "body"),
        ([], "body"),
        ("kim", "body"),
        ({"\ud800": 1, "customer": "kim"}, "body"),
    ],
    ids=lambda it: repr(it)[:60],
)
def test_a_malformed_field_is_refused_by_its_place(fields, where):
    refused = refusal(Remember, fields)
    assert refused.code == "bad_field"
    assert refused.where is not None
    assert refused.where.startswith(where)
    assert len(str(refused)) < 300


@pytest.mark.parametrize("length", [MAX_TEXT + 1, 1_000_000])
def test_a_text_too_long_is_refused_as_such_and_a_name_too_long_is_none(length):
    refused = refusal(Remember, {"customer": "kim", "text": "x" * length})
    assert (refused.code, refused.where) == ("too_large", "text")
    assert len(str(refused)) < 300
    assert refusal(Remember, {"customer": "x" * length}).code == "bad_field"
    assert checked(Remember, {"customer": "kim", "text": "x" * MAX_TEXT}).text == "x" * MAX_TEXT


@pytest.mark.parametrize(("sent", "limit"), [(5, 5), (5.0, 5), (100.0, 100)])
def test_json_has_one_kind_of_number(sent, limit):
    assert checked(Recall, {"customer": "kim", "query": "x", "limit": sent}).model_dump_json() == (
        checked(Recall, {"customer": "kim", "query": "x", "limit": limit}).model_dump_json()
    )


@pytest.mark.parametrize("sent", [5.5, 0.0, 101.0, "5", True, 1e300])
def test_what_is_no_whole_number_is_none(sent):
    assert refusal(Recall, {"customer": "kim", "query": "x", "limit": sent}).where == "limit"


@pytest.mark.parametrize(
    ("fields", "where"),
    [
        ({"customer": "kim", "include_private": True}, "include_private"),
        ({"customer": "kim", "agent": "admin"}, "agent"),
        ({"customer": "kim", "recorded_at": "2020-01-01T00:00:00Z"}, "recorded_at"),
        ({"customer": "kim", "Thing": 1}, "Thing"),
        ({"customer": 5, "owner": "travel"}, "owner"),
        (remembering(owner="travel"), "facts.0.owner"),
        (remembering(label={"owner": "travel"}), "facts.0.label"),
        (remembering(subject={"name": "Civic", "owner": "x"}), "facts.0.subject.owner"),
        (remembering(object={"customer": "lee"}), "facts.0.object.customer"),
        ({"customer": "kim", "x" * 1_000: 1}, "x" * 100),
    ],
    ids=lambda it: repr(it)[:60],
)
def test_an_unknown_field_is_refused_by_its_name(fields, where):
    refused = refusal(Remember, fields)
    assert (refused.code, refused.where) == ("unknown_field", where)
    assert f"`{where}`" in refused.message


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_no_request_takes_fields_it_does_not_know_nor_changes_later(kind):
    assert refusal(kind, {"sudo": True}).code == "unknown_field"
    with pytest.raises(ValueError, match="frozen"):
        checked(Point, {}).as_of = "now"


@pytest.mark.parametrize(
    ("kind", "fields", "where"),
    [
        (Recall, {"customer": "kim", "query": "q", "limit": 0}, "limit"),
        (Recall, {"customer": "kim", "query": "q", "limit": 101}, "limit"),
        (Recall, {"customer": "kim", "query": "q", "limit": "5"}, "limit"),
        (Recall, {"customer": "kim", "query": "q", "limit": True}, "limit"),
        (Recall, {"customer": "kim", "query": "q", "token_budget": 0}, "token_budget"),
        (Recall, {"customer": "kim", "query": "q", "min_score": 2.0}, "min_score"),
        (Recall, {"customer": "kim", "query": "q", "kinds": ["secret"]}, "kinds.0"),
        (Recall, {"customer": "kim", "query": "\x00"}, "query"),
        (Page, {"customer": "kim", "limit": "many"}, "limit"),
        (Page, {"customer": "kim", "hops": 7}, "hops"),
        (Page, {"customer": "kim", "cursor": "x" * 4_001}, "cursor"),
        (Correct, {"value": None, "reason": ""}, "reason"),
        (NewAgent, {"id": "x", "domain": "y", "roles": ["r"] * 21}, "roles"),
        (Promote, {"scope": "public"}, "scope"),
        (Promote, {"scope": "shared", "arbitration": "coin"}, "arbitration"),
        (Once, {"idempotency_key": ""}, "idempotency_key"),
        (Once, {"idempotency_key": "a\ud800"}, "idempotency_key"),
        (Once, {"idempotency_key": "x" * 257}, "idempotency_key"),
    ],
    ids=lambda it: it if isinstance(it, str) else repr(it)[:50],
)
def test_every_kind_of_request_is_read_as_strictly(kind, fields, where):
    refused = refusal(kind, fields)
    assert (refused.code, refused.where) == ("bad_field", where)


@pytest.mark.parametrize(
    "name",
    ["*", "%", "acme/../other", '") or true or ("', "5b3c6d2e-8f0a-4b1c-9d3e-2f4a6b8c0d1e", "項目甲", "🍜", "O'Brien"],
)
def test_an_odd_name_is_just_a_name(name):
    assert checked(Remember, {"customer": name}).customer == name


def test_queries_of_a_page_may_come_as_text():
    assert checked(Page, {"customer": "kim", "limit": "7", "hops": "2"}).limit == 7


@pytest.mark.parametrize(
    "facts",
    [
        {"relation": "lives_in", "value": "Hue"},
        "lives in Hue",
        ["lives in Hue"],
        7,
        Fact(relation="likes", value="tea"),
    ],
)
def test_facts_that_are_no_list_of_facts_are_refused_by_name(facts):
    with Hub.open(embedder="none") as hub, pytest.raises(Incorrect, match="facts"):
        hub.agent("mia", "kh-001").remember("x", facts=facts)


def test_a_request_made_by_hand_is_refused_like_one_that_came_in():
    with pytest.raises(Incorrect, match="`effect`"):
        NewConsent(domain="travel", effect="allow", reason="she said so")
    with pytest.raises(Incorrect, match="unknown_field"):
        Fact(relation="likes", value="tea", mood="good")
