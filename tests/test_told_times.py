"""When what people say is true: faults of other memories, told in sentences and looked at from later."""

from __future__ import annotations

import time

import pytest

from hub.clock import SimulatedClock
from hub.facts import Precision
from hub.hub import Hub
from hub.moments import DAY, instant, rendered

START = instant("2026-07-01T23:30:00Z")


@pytest.fixture
def clock():
    return SimulatedClock(START)


@pytest.fixture
def mia(clock):
    with Hub.open(clock=clock) as hub:
        yield hub.agent("mia", "kh-001")


@pytest.fixture
def machine_in_los_angeles(monkeypatch):
    monkeypatch.setenv("TZ", "America/Los_Angeles")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


def says(agent, text, **more):
    return [agent.fact(fact.id) for fact in agent.remember(text, **more).facts]


def current(agent, relation):
    (slot,) = agent.timeline(relation=relation).slots
    return [memory.value for memory in slot.intervals if memory.status == "current"]


def test_yesterday_is_that_of_the_customer_and_the_same_when_it_is_read_a_month_later(
    mia, clock, machine_in_los_angeles
):
    mia.remember(facts=[{"relation": "time_zone", "value": "Asia/Tokyo"}])
    (moved,) = says(mia, "I moved to Osaka yesterday", said_at="2026-07-01T23:30:00Z")
    assert rendered_start(moved) == "2026-06-30T15:00:00Z"
    clock.advance(30 * DAY)
    assert rendered_start(mia.fact(moved.id)) == "2026-06-30T15:00:00Z"


def rendered_start(fact):
    return rendered(instant(fact.valid_from))


def test_what_is_no_date_is_not_made_one(mia):
    facts = says(mia, "I moved to Hue last fortnightish")
    assert all("fortnight" not in fact.text for fact in facts)
    assert all(rendered_start(fact) >= "2026-07-01" for fact in facts)


def test_a_year_stays_a_year(mia):
    (vegan,) = says(mia, "I became vegan in 2026")
    assert (vegan.precision, rendered_start(vegan)) == (Precision.YEAR, "2026-01-01T00:00:00Z")


def test_a_move_told_late_does_not_undo_a_later_one(mia, clock):
    mia.remember("I moved to Hue in May")
    clock.advance(DAY)
    mia.remember("I moved to Saigon in March")
    assert current(mia, "lives_in") == ["Hue"]


def test_what_holds_until_2099_holds(mia, clock):
    (out,) = says(mia, "My car will be in the shop until 2099")
    clock.advance(400 * DAY)
    (held,) = [memory for entity in mia.profile().entities for memory in entity.beliefs if memory.id == out.id]
    assert (held.status, rendered(instant(held.valid_to))) == ("current", "2100-01-01T00:00:00Z")


def test_a_move_moves_nothing_else(mia, clock):
    says(mia, "My name is Linh, I live in Hue and I love jazz")
    before = {(m.relation, m.value) for entity in mia.profile().entities for m in entity.beliefs}
    clock.advance(DAY)
    says(mia, "I moved to Saigon today")
    after = {(m.relation, m.value) for entity in mia.profile().entities for m in entity.beliefs}
    assert before - after == {("lives_in", "Hue")}
    assert after - before == {("lives_in", "Saigon")}


@pytest.mark.parametrize(
    ("text", "value"),
    [("I'm flying to Tokyo next week", "Tokyo"), ("다음 주에 도쿄에 가요", "도쿄"), ("来週東京に行きます", "東京")],
)
def test_a_plan_is_true_from_when_it_is_made_and_describes_a_day_ahead(mia, clock, text, value):
    (trip,) = says(mia, text)
    assert (trip.value, rendered_start(trip)) == (value, rendered(instant(trip.said_at)))
    assert rendered(instant(trip.on)) == "2026-07-06T00:00:00Z"
    (shown,) = [m for entity in mia.profile().entities for m in entity.beliefs if m.id == trip.id]
    assert shown.status == "upcoming"
    clock.advance(7 * DAY)
    (shown,) = [m for entity in mia.profile().entities for m in entity.beliefs if m.id == trip.id]
    assert shown.status == "current"
