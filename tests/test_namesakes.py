"""A name that one fact alone gave to a thing goes with that fact, and comes back with it."""

from __future__ import annotations

import pytest

from hub.clock import SimulatedClock
from hub.hub import Hub
from tests.scene import START

KIM = "kim"


@pytest.fixture
def hub():
    with Hub.open(clock=SimulatedClock(START), embedder="none") as hub:
        hub.agent("kai", KIM).remember("I have a car")
        hub.agent("kai", KIM).remember("The car is broken")
        yield hub


def seen(hub):
    return {
        m.text for who in ("mia", "kai", "atlas") for e in hub.agent(who, KIM).profile().entities for m in e.beliefs
    }


def named(hub):
    fact, _alias = hub.agent("mia", KIM).remember("My car is a Zorblax Civic").facts
    assert seen(hub) == {"owns: Zorblax Civic", "Zorblax Civic · fault: broken"}
    return fact.id


@pytest.mark.parametrize(
    ("verb", "fields", "left"),
    [
        ("retract", {}, {"owns: car", "car · fault: broken"}),
        ("forget", {}, {"car · fault: broken"}),
        ("correct", {"value": "bike"}, {"owns: car", "owns: bike", "car · fault: broken"}),
    ],
)
def test_a_name_goes_with_what_gave_it(hub, verb, fields, left):
    getattr(hub.agent("mia", KIM), verb)(named(hub), **fields)
    assert seen(hub) == left


def test_a_name_that_was_forgotten_comes_back_with_what_gave_it(hub):
    before = named(hub)
    forgotten = hub.agent("mia", KIM).forget(before)
    restored = hub.agent("mia", KIM).restore(before)
    assert sorted(restored.targets) == sorted(forgotten.acts)
    assert seen(hub) == {"owns: Zorblax Civic", "Zorblax Civic · fault: broken"}
    assert hub.agent("mia", KIM).restore(before).acts == ()


def test_a_second_time_changes_nothing(hub):
    fact, mia = named(hub), hub.agent("mia", KIM)
    assert [len(mia.retract(fact).acts) for _ in range(2)] == [2, 0]


def test_a_name_stays_where_only_the_time_is_corrected(hub):
    hub.agent("mia", KIM).correct(named(hub), valid_from="2020-01-01")
    assert seen(hub) == {"owns: Zorblax Civic", "Zorblax Civic · fault: broken"}


def test_a_name_that_others_say_too_stays(hub):
    fact = named(hub)
    hub.agent("mia", KIM).remember(facts=[{"relation": "likes", "subject": "Zorblax Civic", "value": "diesel"}])
    hub.agent("mia", KIM).retract(fact)
    assert "Zorblax Civic · fault: broken" in seen(hub)


def test_whoever_may_not_take_the_name_back_takes_back_its_own_alone(hub):
    """The alias is of mia's commit; what kai says of the car by its name is no reason for it."""
    named(hub)
    told = hub.agent("kai", KIM).remember(facts=[{"relation": "fault", "subject": "Zorblax Civic", "value": "rust"}])
    assert len(hub.agent("kai", KIM).retract(told.facts[0].id).acts) == 1
    assert "owns: Zorblax Civic" in seen(hub)


def test_a_name_stays_with_those_who_know_nothing_of_where_it_came_from(hub):
    """Once the fact is for few, those who know the name alone are told by nothing that the fact is gone."""
    fact = named(hub)
    hub.operator().relabel(fact, scope="private")
    before = [m.text for e in hub.agent("kai", KIM).profile().entities for m in e.beliefs]
    hub.agent("mia", KIM).retract(fact)
    assert [m.text for e in hub.agent("kai", KIM).profile().entities for m in e.beliefs] == before
