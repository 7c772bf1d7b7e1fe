"""A request sent again under its key: answered as before, and with nothing the sender may not know by now."""

from __future__ import annotations

import json

import pytest

from hub.clock import SimulatedClock
from hub.hub import Hub
from hub.requests import Remember, checked
from tests.api_world import world
from tests.scene import START

KIM = "kim"


@pytest.fixture
def hub():
    with Hub.open(clock=SimulatedClock(START), embedder="none") as hub:
        yield hub


def told(agent, relation, value, key=None):
    return agent.remember(facts=[{"relation": relation, "value": value}], idempotency_key=key).facts[0]


def test_an_answer_of_before_is_not_told_to_the_same_agent_acting_for_one_who_may_know_less(hub):
    sage, nova = hub.agent("sage", KIM), hub.agent("nova", KIM)
    told(sage, "blood_type", "AB")
    alone = told(sage, "blood_type", "O", "k")
    deputy = sage.on_behalf_of(nova.token().token)
    both = told(deputy, "blood_type", "O", "k")
    assert alone.contested_by == ("AB",)
    assert (both.contested_by, both.id == alone.id) == ((), False)
    assert told(deputy, "blood_type", "O", "k") == both
    assert told(sage, "blood_type", "O", "k") == alone


def test_a_key_is_another_for_each_on_whose_behalf_it_is_sent(hub):
    sage = hub.agent("sage", KIM)
    deputies = [sage.on_behalf_of(hub.agent(name, KIM).token().token) for name in ("nova", "mia", "atlas")]
    assert len({told(agent, "likes", "tea", "k").id for agent in (sage, *deputies)}) == 4


def test_a_rival_that_became_private_is_not_told_again(hub):
    mia, nova = hub.agent("mia", KIM), hub.agent("nova", KIM)
    home = told(mia, "lives_in", "Hanoi").id
    first = told(nova, "lives_in", "Hue", "k")
    assert (first.outcome, first.contested_by) == ("contested", ("Hanoi",))
    assert told(nova, "lives_in", "Hue", "k") == first
    hub.operator().relabel(home, scope="private")
    again = told(nova, "lives_in", "Hue", "k")
    assert (again.id, again.outcome, again.contested_by) == (first.id, "accepted", ())


def test_a_rival_is_told_again_as_long_as_it_is_there(hub):
    mia, nova = hub.agent("mia", KIM), hub.agent("nova", KIM)
    told(mia, "lives_in", "Hanoi")
    first = told(nova, "lives_in", "Hue", "k")
    hub.operator().erase_fact(told(mia, "likes", "tea").id)  # which has nothing to do with it
    assert told(nova, "lives_in", "Hue", "k") == first


def test_that_nothing_is_so_stands_against_it_again(hub):
    mia, nova = hub.agent("mia", KIM), hub.agent("nova", KIM)
    mia.remember(facts=[{"relation": "lives_in", "negated": True, "mode": "state"}])
    first = told(nova, "lives_in", "Hue", "k")
    assert first.contested_by == ("none",)
    assert told(nova, "lives_in", "Hue", "k") == first


def test_a_loaded_line_tells_the_agent_nothing_it_may_not_know_either(hub):
    mia, nova = hub.agent("mia", KIM), hub.agent("nova", KIM)
    home = told(mia, "lives_in", "Hanoi").id
    request = {"customer": KIM, "facts": [{"relation": "lives_in", "value": "Hue"}]}
    hub.operator().load([json.dumps({**request, "agent": "nova", "idempotency_key": "k"})])
    sent = checked(Remember, request)
    assert nova.remembered(sent, "k").facts[0].contested_by == ("Hanoi",)
    hub.operator().relabel(home, scope="private")
    assert nova.remembered(sent, "k").facts[0].contested_by == ()


def test_over_http_a_key_sent_on_behalf_of_another_is_another():
    with world() as here:
        here.learn("sage", "one", "blood_type", "AB")
        request = {"customer": "one", "facts": [{"relation": "blood_type", "value": "O"}]}
        alone = here.post("sage", "/v1/remember", request, Idempotency_Key="k").json()["facts"][0]
        token = here.post("nova", "/v1/tokens", {"customer": "one"}).json()["token"]
        both = here.post("sage", "/v1/remember", request, Idempotency_Key="k", On_Behalf_Of=token)
        assert (alone["contested_by"], both.status_code) == (["AB"], 201)
        assert "AB" not in both.text
