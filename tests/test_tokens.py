"""Tokens are never wider than what they came from, and a deputy sees what both may see."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from hub import Hub
from hub.clock import SimulatedClock
from hub.errors import Denied, HubError, Incorrect, Missing
from hub.hub import Agent
from hub.moments import SECOND, instant


@pytest.fixture
def clock() -> SimulatedClock:
    return SimulatedClock(instant("2026-07-01T09:00:00Z"))


@pytest.fixture
def hub(clock: SimulatedClock) -> Iterator[Hub]:
    with Hub.open(clock=clock) as opened:
        opened.agent("mia", "one").remember(facts=[{"relation": "lives_in", "value": "Hanoi"}])
        opened.agent("mia", "two").remember(facts=[{"relation": "lives_in", "value": "Hue"}])
        opened.agent("sage", "one").remember(facts=[{"relation": "allergic_to", "value": "peanuts"}])
        opened.agent("penny", "one").remember(facts=[{"relation": "income", "value": "3000 USD"}])
        yield opened


def refused(code: str) -> pytest.RaisesContext[HubError]:
    return pytest.raises(HubError, match=code)


def seen(agent: Agent, customer: str = "one", **asked: object) -> set[object]:
    profile = agent.profile(customer=customer, **asked)  # type: ignore[arg-type]
    return {memory.value for entity in profile.entities for memory in entity.beliefs}


def test_a_token_opens_one_customer_and_no_other(hub: Hub) -> None:
    token = hub.agent("atlas").token(customer="one")
    bearer = hub.authenticate(token.token)
    assert seen(bearer) == {"Hanoi"}
    assert bearer.me().customers == ("one",)
    with refused("not_bound"):
        bearer.profile(customer="two")
    with refused("not_bound"):
        bearer.remember(facts=[{"relation": "likes", "value": "tea"}], customer="two")


def test_an_id_of_another_customer_is_an_unknown_one_to_a_token(hub: Hub) -> None:
    foreign = hub.agent("atlas", "two").timeline().slots[0].intervals[0].id
    bearer = hub.authenticate(hub.agent("atlas").token(customer="one").token)
    with pytest.raises(Missing) as denied:
        bearer.fact(foreign)
    with pytest.raises(Missing) as unknown:
        bearer.fact("fact_000000000000000000000000")
    assert str(denied.value) == str(unknown.value)


def test_a_token_names_no_purpose_but_its_own(hub: Hub) -> None:
    atlas = hub.agent("atlas", "one")
    plain, meal = (hub.authenticate(atlas.token(purpose=purpose).token) for purpose in (None, "meal"))
    assert "peanuts" in seen(meal, purpose="meal")
    assert "peanuts" not in seen(meal)
    with refused("purpose_not_bound"):
        plain.profile(customer="one", purpose="meal")
    with refused("purpose_not_bound"):
        meal.profile(customer="one", purpose="booking")
    with refused("purpose_not_bound"):
        hub.agent("mia", "one").token(purpose="meal")


def test_a_token_without_a_purpose_finds_no_trace_of_what_was_asked_for_it(hub: Hub) -> None:
    atlas = hub.agent("atlas", "one")
    told = atlas.recall("allergic to peanuts?", purpose="meal")
    meal, bare = (hub.authenticate(atlas.token(purpose=purpose).token) for purpose in ("meal", None))
    assert [result.available for result in meal.recalled_before(told.recall_id).results] == [True]
    for look in (bare.recalled_before, bare.replay, bare.why):
        with refused("not_found"):
            look(told.recall_id)
    with refused("not_found"):
        bare.why_not(told.recall_id, "peanuts")
    with refused("not_found"):
        bare.feedback(told.recall_id, cited=[told.memories[0].id])


def test_a_token_of_a_token_is_no_wider(hub: Hub) -> None:
    bearer = hub.authenticate(hub.agent("atlas", "one").token(purpose="meal").token)
    with refused("not_bound"):
        bearer.token(customer="two")
    with refused("purpose_not_bound"):
        bearer.token(purpose="booking")
    assert "peanuts" in seen(hub.authenticate(bearer.token(purpose="meal").token), purpose="meal")


def test_a_token_dies_in_time(hub: Hub, clock: SimulatedClock) -> None:
    token = hub.agent("atlas", "one").token(ttl_seconds=60).token
    clock.advance(59 * SECOND)
    assert hub.authenticate(token).id == "atlas"
    clock.advance(2 * SECOND)
    with refused("bad_key"):
        hub.authenticate(token)
    with pytest.raises(Incorrect, match="ttl_seconds"):
        hub.agent("atlas", "one").token(ttl_seconds=3601)


@pytest.mark.parametrize("end", ["rotate", "revoke", "disable"])
def test_a_token_dies_with_the_key_it_came_from(hub: Hub, end: str) -> None:
    operator = hub.operator()
    bearer = hub.authenticate(operator.create_agent("concierge", "travel").key)
    token = hub.authenticate(bearer.token(customer="one").token).token(customer="one").token
    assert hub.authenticate(token).id == "concierge"
    getattr(operator, end)("concierge")
    with refused("bad_key"):
        hub.authenticate(token)


def test_a_token_narrows_with_its_agent(hub: Hub) -> None:
    token = hub.agent("atlas", "one").token(purpose="meal").token
    hub.operator().bind("atlas", customers=["one"], purposes=[])
    with refused("purpose_not_bound"):
        hub.authenticate(token).profile(customer="one", purpose="meal")
    hub.operator().bind("atlas", customers=["two"], purposes=["meal"])
    with refused("not_bound"):
        hub.authenticate(token).profile(customer="one")


def deputy(hub: Hub, bearer: str, other: str, purpose: str | None = None) -> Agent:
    return hub.agent(bearer, "one").on_behalf_of(hub.agent(other, "one").token(purpose=purpose).token)


def test_a_deputy_sees_what_both_may_see(hub: Hub) -> None:
    assert seen(hub.agent("sage", "one")) == {"Hanoi", "peanuts"}
    assert seen(hub.agent("penny", "one")) == {"Hanoi", "3000 USD"}
    assert seen(deputy(hub, "sage", "penny")) == seen(deputy(hub, "penny", "sage")) == {"Hanoi"}
    assert "peanuts" not in str(deputy(hub, "sage", "atlas").recall("allergic to peanuts?"))


def test_a_purpose_counts_only_where_both_are_bound_to_it(hub: Hub) -> None:
    assert "peanuts" in seen(deputy(hub, "atlas", "sage"), purpose="meal")
    assert "peanuts" not in seen(deputy(hub, "atlas", "penny"), purpose="meal")
    hub.agent("voyager", domain="travel", purposes=["meal"])
    assert "peanuts" in seen(deputy(hub, "voyager", "atlas", "meal"), purpose="meal")
    assert "peanuts" not in seen(deputy(hub, "voyager", "atlas"), purpose="meal")


def test_the_past_is_seen_as_both_might_have_seen_it(hub: Hub, clock: SimulatedClock) -> None:
    before = clock.now()
    clock.advance(SECOND)
    hub.agent("newcomer", domain="travel")
    assert seen(hub.agent("atlas", "one"), as_of="2026-07-01T09:00:00.5Z") == {"Hanoi"}
    assert seen(deputy(hub, "atlas", "newcomer"), as_of="2026-07-01T09:00:00.5Z") == set()
    assert before < clock.now()


def test_a_deputy_writes_in_its_own_name_what_both_may_write(hub: Hub) -> None:
    written = deputy(hub, "atlas", "mia").remember(facts=[{"relation": "likes", "value": "tea"}])
    assert hub.agent("atlas", "one").fact(written.facts[0].id).author.agent == "atlas"
    lines = hub.operator().policies().policy
    hub.operator().replace_policy(policy=lines + "p, agent:mia, *, *, likes, write, *, deny\n")
    answer = deputy(hub, "atlas", "mia").remember(facts=[{"relation": "likes", "value": "rice"}])
    assert [item.code for item in answer.refused] == ["may_not_write"]
    assert not hub.agent("atlas", "one").remember(facts=[{"relation": "likes", "value": "rice"}]).refused


def test_a_deputy_of_another_customer_sees_nothing(hub: Hub) -> None:
    other = hub.agent("atlas", "two").token().token
    with pytest.raises(Denied, match="not_bound"):
        hub.agent("sage", "one").on_behalf_of(other).profile()


def test_a_deputy_makes_no_tokens(hub: Hub) -> None:
    with refused("on_behalf"):
        deputy(hub, "atlas", "mia").token()
