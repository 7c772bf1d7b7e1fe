"""The client: the verbs of an agent and of an operator over HTTP are those in process, word for word."""

from __future__ import annotations

import asyncio
import inspect

import httpx
import pytest

from hub.api import served
from hub.client import AsyncHubClient, HubClient, OperatorClient
from hub.errors import Conflict, Denied, Fault, HubError, Incorrect, Missing
from hub.hub import Agent, Hub, Operator
from hub.play.canonical import canonical

ADMIN_KEY = "the-admin-key-of-these-tests"
CHECKED = {
    *"remembered recalled corrected fed_back why_of why_not_of".split(),
    *"audited compared consent_recorded edited knowledge_listed policy_tried published reviewed".split(),
}
"""Verbs in process for requests that have been checked; over HTTP nothing has."""
OF_THE_WIRE = {"send", "close"}


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


ROADS = [(Agent, HubClient), (Agent, AsyncHubClient), (Operator, OperatorClient)]


@pytest.mark.parametrize(("inside", "outside"), ROADS, ids=["an agent", "an agent, awaited", "an operator"])
def test_whoever_asks_over_http_has_the_verbs_of_process_called_alike_and_answered_alike(inside, outside):
    assert verbs(inside) - CHECKED == verbs(outside) - OF_THE_WIRE
    for name in verbs(inside) - CHECKED:
        here, there = getattr(inside, name), getattr(outside, name)
        assert parameters(there) == parameters(here), name
        if name != "on_behalf_of":  # what it answers has the verbs of whoever asks
            assert there.__annotations__["return"] == f"Call[{here.__annotations__['return']}]", name


def test_what_is_told_over_http_is_known_in_process(place, mia):
    home = mia.remember("I live in Hanoi", facts=[{"relation": "lives_in", "value": "Hanoi"}], idempotency_key="k")
    assert (
        mia.remember("I live in Hanoi", facts=[{"relation": "lives_in", "value": "Hanoi"}], idempotency_key="k") == home
    )
    inside = place[0].agent("mia", "kh-001")
    fact = home.facts[0].id
    then = {"as_of": home.recorded_at}
    asked = {
        "recall": (("where does she live?",), {"limit": 3, "explain": True, **then}),
        "profile": ((), then),
        "timeline": ((), {"relation": "lives_in", **then}),
        "graph": ((), {"hops": 1, **then}),
        "fact": ((fact,), then),
        "history": ((fact,), {"valid_at": "2100"}),
        "why_now": (("where does she live?",), then),
        "why_not_now": (("where does she live?", "Hanoi"), then),
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
    assert mia.why(recalled.recall_id).memories == ()
    assert mia.why_not(recalled.recall_id, "oolong").candidates


def test_agents_and_those_who_act_for_them_can_be_awaited(place, operator, mia):
    mia.remember(facts=[{"relation": "lives_in", "value": "Hue"}], customer="kh-007")
    token = mia.token(customer="kh-007").token

    async def asked() -> tuple[object, object]:
        async with AsyncHubClient(place[1], operator.rotate("kai").key, "kh-007") as kai:
            return await kai.profile(), await kai.on_behalf_of(token).me()

    profile, deputy = asyncio.run(asked())
    assert canonical(profile) == canonical(place[0].agent("kai", "kh-007").profile())
    assert deputy.agent == "kai"


def test_who_acts_for_another_sees_over_http_what_both_may(place, operator, mia):
    with HubClient(place[1], operator.rotate("sage").key, "kh-006") as sage:
        sage.remember(facts=[{"relation": "allergic_to", "value": "nuts"}, {"relation": "diet", "value": "vegan"}])
        seen = {
            m.value for e in sage.on_behalf_of(mia.token(customer="kh-006").token).profile().entities for m in e.beliefs
        }
        assert seen == {"vegan"}
        assert {m.value for e in sage.profile().entities for m in e.beliefs} == {"nuts", "vegan"}


@pytest.mark.parametrize(
    ("client", "inside"), [(HubClient, Agent), (AsyncHubClient, Agent), (OperatorClient, Operator)]
)
def test_a_verb_says_of_itself_what_it_says_in_process(client, inside):
    verbs = {verb for verb in vars(client) if not verb.startswith("_") and hasattr(inside, verb)} - {"on_behalf_of"}
    assert {"why", "replay"} <= verbs
    for verb in verbs:
        said, wanted = getattr(client, verb), getattr(inside, verb)
        assert inspect.getdoc(said).startswith(inspect.getdoc(wanted)), verb
        assert inspect.signature(said).return_annotation == inspect.signature(wanted).return_annotation, verb


def test_an_operator_looks_around_over_http_as_in_process(place, operator, mia):
    inside = place[0].operator()
    kept = mia.recall("where does she live?").recall_id
    label = {"owner": "health", "relation": "allergic_to"}
    asked = {
        "agents": ((), {}),
        "policy_versions": ((), {}),
        "relations": ((), {}),
        "provisional": ((), {}),
        "ratings": ((), {}),
        "consents": (("kh-001",), {}),
        "explain_policy": (("atlas",), {**label, "purpose": "meal"}),
        "compare": (("kh-001", "mia", "kai"), {"limit": 3}),
        "policy_diff": (
            (),
            {"policy": inside.policies().policy + "p, travel, *, *, diet, read, *, deny", "agents": ["atlas"]},
        ),
        "why": ((kept,), {}),
        "why_not": ((kept, "Hanoi"), {}),
        "why_now": (("where does she live?",), {"agent": "atlas", "customer": "kh-001"}),
        "why_not_now": (("where does she live?", "nuts"), {"agent": "atlas", "customer": "kh-001"}),
        "audit": ((), {"until": "2020"}),
    }
    for verb, (given, named) in asked.items():
        assert canonical(getattr(operator, verb)(*given, **named)) == canonical(
            getattr(inside, verb)(*given, **named)
        ), verb
    assert operator.verify_audit().ok


def test_an_operator_hires_binds_and_lets_go_over_http(place, operator):
    with HubClient(place[1], operator.create_agent("rex", "travel").key, "kh-001") as rex:
        assert rex.me().customers is None
        operator.bind("rex", customers=["kh-009"], purposes=["meal"])
        assert (rex.me().customers, rex.me().purposes) == (("kh-009",), ("meal",))
        operator.revoke("rex")
        assert code_of(rex.me) == "bad_key"
    operator.disable("rex")
    assert "rex" not in {agent.id for agent in operator.agents()}


LINE = '{"agent": "mia", "customer": "kh-005", "facts": [{"relation": "likes", "value": "%s"}]}'


def test_what_was_told_elsewhere_is_loaded_over_http(operator):
    heard = []
    loaded = operator.load((LINE % value for value in ("tea", "silk", "tea")), told=heard.append)
    assert (loaded.lines, loaded.recorded, loaded.repeated, loaded.facts) == (3, 3, 0, 3)
    assert heard == [3]
    again = operator.load([LINE % "tea", LINE % "jazz"])
    assert (again.recorded, again.repeated) == (1, 1)


def test_a_line_that_makes_no_sense_is_named_over_http_as_in_process(place, operator):
    lines = [LINE % "chess", '{"agent": "mia"}', LINE % "go"]
    refused = []
    for whose in (operator, place[0].operator()):
        with pytest.raises(Incorrect) as caught:
            whose.load(lines)
        refused.append((caught.value.code, caught.value.message))
    assert refused[0] == refused[1]
    assert refused[0][1].startswith("line 2: ")
    likes = [m.value for e in operator.beliefs("kh-005", "mia").entities for m in e.beliefs]
    assert "chess" in likes
    assert "go" not in likes


def test_a_token_is_narrower_than_its_key(place, mia):
    with HubClient(place[1], mia.token().token, "kh-002") as narrowed, pytest.raises(Denied) as refused:
        narrowed.profile()
    assert refused.value.code == "not_bound"


def test_an_operator_files_decides_and_erases_over_http(operator, mia):
    diet = mia.remember(facts=[{"relation": "diet", "value": "keto"}]).facts[0].id
    act = operator.relabel(diet, scope="private", reason="asked to").acts[0]
    assert operator.retract(act).targets == (act,)
    assert operator.forget(diet).targets == (diet,)
    assert operator.restore(diet).acts
    consent = operator.record_consent("kh-001", domain="travel", owner="health", effect="grant", reason="asked to")
    assert operator.withdraw_consent("kh-001", consent.id).withdrawn_at is not None
    assert [known.id for known in operator.consents("kh-001")] == [consent.id]
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


def test_where_nobody_answers_the_address_is_named():
    with pytest.raises(Fault, match=r"no hub answered at http://127\.0\.0\.1:1: "):
        HubClient("http://somebody:secret@127.0.0.1:1", "key").me()


def code_of(act) -> str:
    with pytest.raises(HubError) as refused:
        act()
    return refused.value.code


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
