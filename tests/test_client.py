"""The client: the verbs of an agent and of an operator over HTTP are those in process, word for word."""

from __future__ import annotations

import inspect

import httpx
import pytest

from hub.api import served
from hub.client import HubClient, OperatorClient
from hub.errors import Conflict, Denied, Fault, Incorrect, Missing
from hub.hub import Agent, Hub, Operator
from hub.play.canonical import canonical
from hub.requests import NewConsent

ADMIN_KEY = "the-admin-key-of-these-tests"
CHECKED = {"remembered", "recalled", "corrected", "fed_back", "why_of", "why_not_of"}
"""Verbs in process for requests that have been checked; over HTTP nothing has."""
HERE_ONLY = {"on_behalf_of"}


@pytest.fixture(scope="module")
def place():
    with Hub.open() as hub, served(hub, ADMIN_KEY) as port:
        yield hub, f"http://127.0.0.1:{port}"


@pytest.fixture
def operator(place):
    with OperatorClient(place[1], ADMIN_KEY) as client:
        yield client


@pytest.fixture
def mia(place, operator):
    with HubClient(place[1], operator.rotate("mia").key, "kh-001") as client:
        yield client


def verbs(kind: type) -> set[str]:
    return {name for name, _ in inspect.getmembers(kind, inspect.isfunction) if not name.startswith("_")}


def parameters(verb: object) -> list[tuple[str, object, object, object]]:
    own = list(inspect.signature(verb).parameters.values())[1:]
    return [(p.name, p.kind, p.default, p.annotation) for p in own]


def test_an_agent_has_the_same_verbs_over_http():
    assert verbs(Agent) - CHECKED - HERE_ONLY == verbs(HubClient) - {"send", "close"}


@pytest.mark.parametrize("name", sorted(verbs(Agent) - CHECKED - HERE_ONLY))
def test_a_verb_of_an_agent_is_called_alike(name):
    assert parameters(getattr(HubClient, name)) == parameters(getattr(Agent, name))


@pytest.mark.parametrize("name", sorted(verbs(OperatorClient) - {"send", "close", "consents"}))
def test_a_verb_of_an_operator_is_called_alike(name):
    assert parameters(getattr(OperatorClient, name)) == parameters(getattr(Operator, name))


def test_what_is_told_over_http_is_known_in_process(place, mia):
    home = mia.remember("I live in Hanoi", facts=[{"relation": "lives_in", "value": "Hanoi"}], idempotency_key="k")
    assert (
        mia.remember("I live in Hanoi", facts=[{"relation": "lives_in", "value": "Hanoi"}], idempotency_key="k") == home
    )
    inside = place[0].agent("mia", "kh-001")
    fact = home.facts[0].id
    asked = {
        "recall": (("where does she live?",), {"limit": 3, "explain": True}),
        "profile": ((), {}),
        "timeline": ((), {"relation": "lives_in"}),
        "graph": ((), {"hops": 1}),
        "fact": ((fact,), {}),
        "history": ((fact,), {"valid_at": "2100"}),
        "why": (("where does she live?",), {}),
        "why_not": (("where does she live?", "Hanoi"), {}),
        "me": ((), {}),
    }
    for verb, (given, named) in asked.items():
        assert canonical(getattr(mia, verb)(*given, **named)) == canonical(getattr(inside, verb)(*given, **named)), verb


def test_minds_are_changed_over_http(mia):
    tea = mia.remember(facts=[{"relation": "likes", "value": "tea", "valid_from": "2020"}]).facts[0].id
    green = mia.correct(tea, value="green tea", reason="said it wrong").id
    mia.end(green, at="2026-01-01")
    oolong = mia.remember(facts=[{"relation": "likes", "value": "oolong"}]).facts[0].id
    assert mia.forget(oolong).acts
    assert mia.restore(oolong).acts
    assert mia.retract(oolong, reason="in jest").targets == (oolong,)
    recalled = mia.recall("what does she like?")
    assert canonical(mia.replay(recalled.recall_id)) == canonical(recalled)
    assert mia.feedback(recalled.recall_id, cited=[]).uses == ()
    assert mia.recalled_before(recalled.recall_id).agent == "mia"
    assert mia.why_then(recalled.recall_id).memories == ()
    assert mia.why_not_then(recalled.recall_id, "oolong").candidates


def test_a_token_is_narrower_than_its_key(place, mia):
    with HubClient(place[1], mia.token().token, "kh-002") as narrowed, pytest.raises(Denied) as refused:
        narrowed.profile()
    assert refused.value.code == "not_bound"


def test_an_operator_files_decides_and_erases_over_http(operator, mia):
    diet = mia.remember(facts=[{"relation": "diet", "value": "keto"}]).facts[0].id
    act = operator.relabel(diet, scope="private", reason="asked to").acts[0]
    assert operator.take_back(act).targets == (act,)
    assert operator.forget(diet).targets == (diet,)
    assert operator.restore(diet).acts
    grant = NewConsent(domain="travel", owner="health", effect="grant", reason="asked to")
    consent = operator.consents("kh-001").recorded(grant)
    assert operator.consents("kh-001").withdrawn(consent.id, None).withdrawn_at is not None
    assert operator.check_policy(policy="p, nonsense").fit is False
    assert operator.beliefs("kh-001", "mia").entities
    assert operator.erase_fact(diet).erased.claims == 1
    assert operator.erase_customer("kh-001").erased.claims > 0


@pytest.mark.parametrize(
    ("ask", "kind", "code"),
    [
        (lambda mia: mia.fact("fact_nowhere"), Missing, "not_found"),
        (lambda mia: mia.recall("hi", limit=0), Incorrect, "bad_field"),
        (lambda mia: mia.recall("hi", purpose="meal"), Denied, "purpose_not_bound"),
        (lambda mia: HubClient("http://127.0.0.1:1", "key").me(), Fault, "no_answer"),
        (lambda mia: mia.recall("hi", customer="*" * 3_000), Incorrect, "bad_field"),
    ],
    ids=["an unknown id", "a bad field", "another's purpose", "a hub that is not there", "a customer too long"],
)
def test_a_refusal_over_http_is_the_one_in_process(mia, ask, kind, code):
    with pytest.raises(kind) as refused:
        ask(mia)
    assert refused.value.code == code
    assert refused.value.fix


def test_a_reused_idempotency_key_is_a_conflict(mia):
    mia.remember("one", idempotency_key="again")
    with pytest.raises(Conflict) as refused:
        mia.remember("two", idempotency_key="again")
    assert refused.value.code == "idempotency_key_reused"


def test_whoever_forgets_the_customer_is_told_before_anything_is_sent(place):
    client = HubClient("http://127.0.0.1:1", "key")
    with pytest.raises(Incorrect) as refused:
        client.profile()
    assert refused.value.code == "no_customer"


def test_something_else_at_the_address_is_no_hub():
    page = httpx.MockTransport(lambda request: httpx.Response(502, text="<html>gateway</html>"))
    with HubClient("http://hub.example", "key", transport=page) as client, pytest.raises(Fault) as refused:
        client.me()
    assert refused.value.code == "no_hub"


def test_odd_names_stay_one_part_of_an_address(mia):
    for name in ("acme/../other", "a b", "%2F", "项目", "🍜", "a?b#c"):
        mia.remember(facts=[{"relation": "lives_in", "value": f"home of {name}"}], customer=name)
        assert [e.beliefs[0].value for e in mia.profile(customer=name).entities] == [f"home of {name}"]
