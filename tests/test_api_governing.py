"""Names, trust and contested facts over HTTP: the same decisions as in process, for the same callers."""

from __future__ import annotations

import pytest

from hub.api import served
from hub.client import HubClient, OperatorClient
from hub.errors import Denied, Incorrect, Missing
from hub.hub import Hub

ADMIN_KEY = "the-admin-key-of-these-tests"
KIM = "kim"


@pytest.fixture(scope="module")
def place():
    with Hub.open() as hub, served(hub, ADMIN_KEY) as port:
        yield hub, f"http://127.0.0.1:{port}"


@pytest.fixture
def operator(place):
    with OperatorClient(place[1], ADMIN_KEY) as client:
        yield client


@pytest.fixture
def sage(place, operator):
    with HubClient(place[1], operator.rotate("sage").key, KIM) as client:
        yield client


def test_names_are_counted_promoted_merged_and_rejected(place, operator, sage):
    sage.remember(facts=[{"relation": name, "value": "x"} for name in ("mood", "fond_of", "sleep_goal")])
    uses = operator.provisional()
    assert {use.relation for use in uses} == {"mood", "fond_of", "sleep_goal"}
    assert uses == place[0].operator().provisional()
    assert operator.merge_relation("fond_of", into="likes", existing=True, scope="shared").moved == 1
    assert operator.reject_relation("mood", existing=True).moved == 1
    assert operator.promote("sleep_goal", scope="private").moved == 0
    assert operator.demote("sleep_goal").relation == "sleep_goal"
    answer = sage.remember(facts=[{"relation": "mood", "value": "calm"}, {"relation": "password", "value": "x"}])
    assert [item.code for item in answer.refused] == ["relation_rejected", "secret_name"]
    known = {relation.name: relation for relation in operator.relations()}
    seat, trip = known["seat"], known["planned_trip"]
    assert (seat.owner, seat.ttl_seconds, seat.label["ko"], seat.context) == ("travel", None, "좌석", ("trip",))
    assert (trip.ttl_seconds, trip.memory_class, trip.sensitivity) == (30 * 86_400, "plan", "normal")
    assert (known["likes"].opposite, known["parent_of"].inverse) == ("dislikes", "child_of")
    with pytest.raises(Missing) as refused:
        operator.merge_relation("mood", into="nothing_known")
    assert refused.value.code == "unknown_relation"


def test_a_text_with_a_secret_is_kept_without_it_and_says_so(sage):
    answer = sage.remember("my PIN is 4821, call me at 010-1234-5678", lang="ko")
    assert [(item.index, item.code) for item in answer.refused] == [(None, "secret")]
    assert [(part.kind, part.count) for part in answer.redacted] == [("phone", 1), ("pin", 1)]


def test_scores_are_set_and_listed(operator):
    rated = operator.rate("travel", 0.9, relation="lives_in")
    assert (rated.domain, rated.relation, rated.score) == ("travel", "lives_in", 0.9)
    assert [(r.domain, r.relation, r.score) for r in operator.ratings()] == [("travel", "lives_in", 0.9)]
    assert operator.rate("travel", None, relation="lives_in").score is None
    assert operator.ratings() == []
    for score in (1.5, "high"):
        with pytest.raises(Incorrect):
            operator.rate("travel", score)


def test_what_is_contested_is_decided_and_opened_again(operator, sage):
    one, other = (sage.remember(facts=[{"relation": "blood_type", "value": v}]).facts[0].id for v in ("A", "B"))
    contest = operator.review(customer=KIM).contests[0]
    assert {side.id for side in contest.sides} == {one, other}
    decision = operator.accept(one, reason="the lab says so").acts[0]
    assert operator.review().contests == ()
    assert operator.undo(decision).targets == (decision,)
    operator.undo(operator.reject(other).acts[0])
    operator.edit(other, value="AB", valid_from="2020-01-01", valid_to=None)
    assert operator.review(limit=1).next is None
    held = {b.value for e in sage.profile().entities for b in e.beliefs if b.relation == "blood_type"}
    assert held == {"AB"}


def test_an_agent_decides_nothing(place, operator, sage):
    fact = sage.remember(facts=[{"relation": "likes", "value": "tea"}]).facts[0].id
    with OperatorClient(place[1], operator.rotate("sage").key) as client:
        for act in (client.review, client.provisional, client.ratings, lambda: client.rate("travel", 0.1)):
            with pytest.raises(Denied) as refused:
                act()
            assert refused.value.code == "not_operator"
        with pytest.raises(Missing):
            client.accept(fact)
