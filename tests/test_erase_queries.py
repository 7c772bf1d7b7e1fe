"""What is left of questions that quote what is erased: nothing, whatever the value is built into."""

from __future__ import annotations

import pytest

from hub.clock import SimulatedClock
from hub.hub import Hub
from hub.ledger.quoting import Quotable
from tests.scene import START

KIM = "kim"


@pytest.fixture
def hub():
    with Hub.open(clock=SimulatedClock(START), embedder="none") as hub:
        yield hub


def kept_queries(hub, value, queries, *, relation="likes", writer="mia", asker="nova"):
    """What is on record of questions that were asked before the value was told, once it is erased."""
    agent = hub.agent(asker, KIM)
    hub.agent(writer, KIM).remember("Hello")
    asked = [agent.recall(query).recall_id for query in queries]
    fact = hub.agent(writer, KIM).remember(facts=[{"relation": relation, "value": value}]).facts[0].id
    hub.operator().erase_fact(fact)
    return [agent.recalled_before(id_).request.query for id_ in asked]


@pytest.mark.parametrize(
    ("value", "query"),
    [
        ("zorblax", "is anything here zorblaxfrei?"),
        ("Zórblax tea", "unZORBLAXed"),
        (9317, "locker 93175"),
        ("Will", "will it rain?"),
        ("The Who", "anything by the  WHO?"),
        ("C++", "a job in c++17"),
        ("☕", "☕☕ anywhere"),
        ("茶", "緑茶は"),
        ("하노이", "하노이에서"),
        ("AB", "group ab?"),
    ],
)
def test_a_question_that_quotes_what_is_erased_is_not_kept(hub, value, query):
    assert kept_queries(hub, value, [query, "12 oclock"]) == ["", "12 oclock"]


@pytest.mark.parametrize("hidden", [True, False])
def test_what_becomes_of_a_question_does_not_say_whether_anybody_was_told_anything_before(hub, hidden):
    """It is kept under the customer's name if nobody was."""
    if hidden:
        hub.agent("sage", KIM).remember(facts=[{"relation": "has_condition", "value": "asthma"}])
    nova, queries = hub.agent("nova", KIM), ("zorblaxfrei", "12 oclock")
    asked = [nova.recall(query).recall_id for query in queries]
    fact = hub.agent("mia", KIM).remember(facts=[{"relation": "likes", "value": "zorblax"}]).facts[0].id
    hub.operator().erase_fact(fact)
    assert [nova.recalled_before(id_).request.query for id_ in asked] == ["", "12 oclock"]


def test_a_question_that_was_told_what_is_erased_is_not_kept_whatever_its_words(hub):
    fact = hub.agent("mia", KIM).remember(facts=[{"relation": "likes", "value": "tea"}]).facts[0].id
    nova = hub.agent("nova", KIM)
    asked = nova.recall("what do I like?")
    assert [memory.id for memory in asked.memories] == [fact]
    hub.operator().erase_fact(fact)
    assert nova.recalled_before(asked.recall_id).request.query == ""


def test_a_question_of_somebody_who_could_not_read_what_it_quotes_is_kept(hub):
    told = {"relation": "has_condition", "writer": "sage"}
    assert kept_queries(hub, "zorblax", ["zorblaxfrei"], asker="nova", **told) == ["zorblaxfrei"]
    assert kept_queries(hub, "zorblax", ["zorblaxfrei"], asker="sage", **told) == [""]


@pytest.mark.parametrize(
    ("value", "query"),
    [("O", "no onions"), ("AB", "about cabs"), ("the tea", "is the bus late?"), ("tea of 12", "what is on at 120?")],
)
def test_a_question_that_only_looks_a_little_like_it_quotes_nothing(value, query):
    assert not Quotable.of([value]).in_(query)
