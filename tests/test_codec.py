"""Nouns to bytes and back: nothing lost on the way, and equal values are equal bytes."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given

from hub.answers import AuthorAnswer, Memory, Remembered, Step, TurnReceipt
from hub.codec import decode, encode, fields_of, plain
from hub.errors import Incorrect
from hub.facts import Author, Claim, Hide, Interval, Label, Record, Scope, Status, Withdraw
from hub.view import THE_CUSTOMER
from tests.belief_histories import histories

NINE = datetime(2026, 7, 1, 9, 0, 0, 1, tzinfo=UTC)
ANSWER = Remembered(
    turn=TurnReceipt(id="turn_1", label=(Label("a", "b", Scope.PRIVATE, "turn"),)),
    facts=(),
    refused=(),
    recorded_at=NINE,
)


@given(histories())
def test_every_record_comes_back_equal(history):
    for record in history.records:
        body = encode(record)
        assert decode(body, type(record)) == record
        assert encode(decode(body.decode(), type(record))) == body


@pytest.mark.parametrize(
    ("kind", "value"),
    [(Label, Label("*", "p, admin", Scope.SHARED, "項目甲")), (Remembered, ANSWER), (list[int], [1, 2]), (str, "🍜")],
)
def test_any_noun_comes_back_equal(kind, value):
    assert decode(encode(value), kind) == value


@pytest.mark.parametrize("value", [True, False, 1, 0, 2**53, 0.5, 1e308, "true", "1", ""])
def test_a_value_keeps_its_type(value):
    kept = decode(encode(value), bool | int | float | str)
    assert (type(kept), kept) == (type(value), value)


def test_fields_come_in_their_declared_order_and_moments_with_their_offset():
    assert encode(ANSWER) == (
        b'{"turn":{"id":"turn_1","label":[{"owner":"a","told":"b","scope":"private","relation":"turn"}]},'
        b'"facts":[],"refused":[],"recorded_at":"2026-07-01T09:00:00.000001Z","redacted":[],"extraction":null}'
    )


def test_whatever_looks_through_an_answer_sees_the_fields_of_every_kind_of_noun():
    assert fields_of(Step(from_="Mia", relation="owns", to="Honda Civic", memory_id="fact_1"))[:3] == (
        "from_",
        "relation",
        "to",
    )
    assert fields_of(AuthorAnswer(agent="mia", domain="personal")) == ("agent", "domain")
    assert {"text", "via", "contested_by"} <= set(Memory.__struct_fields__)
    assert fields_of("Honda Civic") == fields_of(Step) == ()


def test_a_value_can_be_had_in_plain_containers():
    memory = Memory(
        id="m",
        kind="fact",
        text="likes: tea",
        valid_from=NINE,
        status=Status.CURRENT,
        recorded_at=NINE,
        author=AuthorAnswer(agent="mia", domain="personal"),
        scope=Scope.SHARED,
        confidence=0.8,
        via=(Step(from_="kim", relation="likes", to="tea", memory_id="m"),),
    )
    told = plain(memory)
    assert (told["status"], told["scope"], told["author"]) == (
        "current",
        "shared",
        {"agent": "mia", "domain": "personal"},
    )
    assert told["via"][0]["memory_id"] == "m"
    assert told["valid_from"] == "2026-07-01T09:00:00.000001Z"


@pytest.mark.parametrize("body", ["", "{", "[]", '{"id": 5}', "null", '{"id":"x","seq":"y"}'])
@pytest.mark.parametrize("kind", [Claim, Withdraw, Hide])
def test_what_is_no_record_is_not_taken_for_one(kind: type[Record], body):
    with pytest.raises(ValueError):
        decode(body, kind)


@pytest.mark.parametrize(
    ("said", "code"),
    [({"value": "tea", "obj": THE_CUSTOMER}, "value_and_object"), ({}, "no_value")],
    ids=["both", "none"],
)
def test_a_claim_of_both_a_value_and_a_thing_or_of_neither_cannot_be_made(said, code):
    common = {"id": "f", "seq": 1, "recorded_at": 0, "author": Author("mia", "personal"), "subject": THE_CUSTOMER}
    with pytest.raises(Incorrect) as refused:
        Claim(**common, relation="likes", interval=Interval(0), said_at=0, **said)
    assert refused.value.code == code
