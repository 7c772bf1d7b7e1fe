"""Consents: recorded by those who may, bound in time, taken back, and never read out of a conversation."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from hub import Hub
from hub.answers import ConsentAnswer
from hub.clock import SimulatedClock
from hub.errors import HubError
from hub.moments import DAY, SECOND, as_datetime, instant

CUSTOMER = "one"


@pytest.fixture
def clock() -> SimulatedClock:
    return SimulatedClock(instant("2026-07-01T09:00:00Z"))


@pytest.fixture
def hub(clock: SimulatedClock) -> Iterator[Hub]:
    with Hub.open(clock=clock) as opened:
        sage = opened.agent("sage", CUSTOMER)
        sage.remember(facts=[{"relation": "allergic_to", "value": "peanuts"}])
        sage.remember(facts=[{"relation": "has_condition", "value": "asthma"}])
        opened.agent("mia", CUSTOMER).remember(facts=[{"relation": "lives_in", "value": "Hanoi"}])
        clock.advance(SECOND)
        yield opened


def consent(hub: Hub, by: str = "admin", **fields: object) -> ConsentAnswer:
    asked = {"domain": "travel", "owner": "health", "effect": "grant", "reason": "she said so on the phone", **fields}
    return hub.operator(by).record_consent(CUSTOMER, **asked)


def seen(hub: Hub, agent: str = "atlas", **asked: object) -> set[object]:
    profile = hub.agent(agent, CUSTOMER).profile(**asked)  # type: ignore[arg-type]
    return {memory.value for entity in profile.entities for memory in entity.beliefs}


@pytest.mark.parametrize(
    ("fields", "opened"),
    [
        ({"relation": "allergic_to"}, {"Hanoi", "peanuts"}),
        ({}, {"Hanoi", "peanuts", "asthma"}),
        ({"owner": None}, {"Hanoi", "peanuts", "asthma"}),
        ({"owner": "finance"}, {"Hanoi"}),
        ({"domain": "repair"}, {"Hanoi"}),
        ({"valid_from": "2026-08-01"}, {"Hanoi"}),
        ({"valid_from": "2026-06-01", "valid_to": "2026-06-30"}, {"Hanoi"}),
    ],
)
def test_a_grant_opens_what_it_names_while_it_lasts(hub: Hub, fields: dict[str, object], opened: set[object]) -> None:
    consent(hub, **fields)
    assert seen(hub) == opened


def test_a_grant_opens_nothing_that_no_line_gives_to_the_consented(hub: Hub) -> None:
    lines = hub.operator().policies().policy.replace("p, *, *, private, *, read, consented, allow\n", "")
    hub.operator().replace_policy(policy=lines)
    consent(hub)
    assert seen(hub) == {"Hanoi"}


def test_a_denial_overrides_a_grant(hub: Hub) -> None:
    consent(hub)
    lines = hub.operator().policies().policy
    hub.operator().replace_policy(policy=lines + "p, travel, health, *, allergic_to, read, *, deny\n")
    assert seen(hub) == {"Hanoi", "asthma"}


@pytest.mark.parametrize(
    ("fields", "blind", "sighted"),
    [
        ({"domain": "*"}, {"atlas", "nova"}, {"sage"}),
        ({"domain": "shopping"}, {"nova"}, {"sage", "atlas"}),
        ({"domain": "health"}, {"sage"}, {"atlas", "nova"}),
    ],
)
def test_an_objection_is_a_denial(hub: Hub, fields: dict[str, object], blind: set[str], sighted: set[str]) -> None:
    hub.agent("nova", CUSTOMER).remember(facts=[{"relation": "allergic_to", "value": "shellfish"}])
    consent(hub, effect="object", **fields)
    reads = {agent: "shellfish" in seen(hub, agent, purpose="meal" if agent == "atlas" else None) for agent in blind}
    assert reads == dict.fromkeys(blind, False)
    assert all("shellfish" in seen(hub, a, purpose="meal" if a == "atlas" else None) for a in sighted)


def test_an_objection_overrides_a_grant(hub: Hub) -> None:
    consent(hub)
    consent(hub, effect="object", relation="allergic_to")
    assert seen(hub) == {"Hanoi", "asthma"}


def test_a_consent_takes_part_in_time_travel_like_policy(hub: Hub, clock: SimulatedClock) -> None:
    before = clock.now()
    clock.advance(DAY)
    given = consent(hub)
    clock.advance(DAY)
    during = clock.now()
    clock.advance(DAY)
    assert seen(hub, as_of=as_datetime(before)) == {"Hanoi"}
    assert seen(hub, as_of=as_datetime(during)) == {"Hanoi", "peanuts", "asthma"}
    hub.operator().withdraw_consent(CUSTOMER, given.id, reason="changed her mind")
    assert seen(hub) == {"Hanoi"}
    assert seen(hub, as_of=as_datetime(during)) == {"Hanoi"}, "a revoked grant is not reopened by asking about the past"


def test_an_auditor_sees_through_an_agents_consented_eyes(hub: Hub) -> None:
    consent(hub, relation="allergic_to")
    profile = hub.operator().beliefs(CUSTOMER, "atlas")
    assert {m.value for e in profile.entities for m in e.beliefs} == {"Hanoi", "peanuts"}


def test_consents_are_of_one_customer(hub: Hub) -> None:
    consent(hub)
    hub.agent("sage", "two").remember(facts=[{"relation": "allergic_to", "value": "nuts"}])
    profile = hub.agent("atlas", "two").profile()
    assert profile.entities == ()


def test_no_write_down_counts_a_reader_by_consent(hub: Hub) -> None:
    """What travel may read by consent shapes what is filed for travel only where all its readers may read it."""
    consent(hub, relation="allergic_to")
    written = hub.agent("atlas", CUSTOMER).remember(facts=[{"relation": "likes", "value": "tea"}])
    assert written.facts[0].outcome == "accepted"


@pytest.mark.parametrize(
    ("by", "fields", "code"),
    [
        ("mia", {}, "not_yours"),
        ("sage", {"owner": None}, "not_yours"),
        ("sage", {"owner": "finance"}, "not_yours"),
        ("admin", {"domain": "*"}, "grant_to_anybody"),
        ("admin", {"valid_from": "2026-08-01", "valid_to": "2026-07-01"}, "empty_interval"),
    ],
)
def test_not_everybody_may_record_anything(hub: Hub, by: str, fields: dict[str, object], code: str) -> None:
    with pytest.raises(HubError, match=code):
        consent(hub, by, **fields)
    assert hub.operator().consents(CUSTOMER) == []


def test_the_owner_domain_records_what_is_said_about_its_own(hub: Hub) -> None:
    given = consent(hub, "sage", relation="allergic_to")
    assert seen(hub) == {"Hanoi", "peanuts"}
    assert [c.id for c in hub.operator("sage").consents(CUSTOMER)] == [given.id]
    assert hub.operator("mia").consents(CUSTOMER) == []
    with pytest.raises(HubError, match="not_yours"):
        hub.operator("mia").withdraw_consent(CUSTOMER, given.id)
    with pytest.raises(HubError, match="not_found"):
        hub.operator().withdraw_consent(CUSTOMER, "consent_unknown")


def test_taking_back_twice_changes_nothing(hub: Hub) -> None:
    given = consent(hub)
    first = hub.operator().withdraw_consent(CUSTOMER, given.id, reason="one")
    assert hub.operator().withdraw_consent(CUSTOMER, given.id, reason="two") == first
    assert first.withdrawn_at is not None


def test_an_agent_bound_to_others_takes_down_nothing(hub: Hub) -> None:
    hub.agent("nurse", domain="health", customers=["two"])
    with pytest.raises(HubError, match="not_found"):
        consent(hub, "nurse")


def test_no_key_is_bound_to_what_only_customers_give(hub: Hub) -> None:
    with pytest.raises(HubError, match="bad_name"):
        hub.agent("sneaky", domain="travel", purposes=["consented"])


def test_words_of_a_conversation_grant_nothing(hub: Hub) -> None:
    hub.agent("atlas", CUSTOMER).remember("Travel may know my allergies. Grant travel access to health.")
    assert seen(hub) == {"Hanoi"}


def test_consents_outlive_a_restart(tmp_path: object, clock: SimulatedClock) -> None:
    path = f"{tmp_path}/memory.db"
    with Hub.open(path, clock=clock) as hub:
        hub.agent("sage", CUSTOMER).remember(facts=[{"relation": "allergic_to", "value": "peanuts"}])
        consent(hub)
    with Hub.open(path, clock=clock) as hub:
        assert seen(hub) == {"peanuts"}
