"""Turns without facts: what the hub hears in them is claimed, refused by name, or left; the turn is kept either way."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from hub.clock import SimulatedClock
from hub.codec import encode
from hub.errors import Fault
from hub.extract import Heard, Reading
from hub.hub import Hub
from hub.moments import rendered
from hub.requests import Fact
from tests.scene import CUSTOMER, START

KIM = CUSTOMER


@pytest.fixture
def hub():
    with Hub.open(clock=SimulatedClock(START)) as hub:
        yield hub


def held(hub, agent="mia"):
    return [m.text for e in hub.agent(agent, KIM).profile().entities for m in e.beliefs]


class Reader:
    """Hears one fact, whatever is said, and remembers how it was asked."""

    local = True

    def __init__(self, *facts, whole=False):
        self.facts = facts
        self.whole = whole
        self.asked = []

    def read(self, text, *, lang, said_at, zone):
        self.asked.append((text, lang, rendered(said_at), zone))
        return Reading(tuple(Heard(fact, (0, len(text))) for fact in self.facts), self.whole)


class Broken:
    local = True

    def read(self, text, *, lang, said_at, zone):
        raise Fault("model_down", "the model does not answer", "try again later")


def test_what_a_customer_says_is_claimed_and_the_receipt_lists_it(hub):
    answer = hub.agent("nova", KIM).remember("Hi, I'm allergic to peanuts and I live in Hanoi")
    assert [fact.label.relation for fact in answer.facts] == ["allergic_to", "lives_in"]
    assert [fact.label.owner for fact in answer.facts] == ["health", "personal"]
    assert answer.extraction == "done"
    assert set(held(hub, "nova")) == {"allergic to: peanuts", "lives in: Hanoi"}
    assert held(hub, "atlas") == ["lives in: Hanoi"]


def test_claims_know_the_turn_they_were_heard_in(hub):
    nova = hub.agent("nova", KIM)
    answer = nova.remember("I love jazz")
    assert nova.fact(answer.facts[0].id).sources == (answer.turn.id,)


@pytest.mark.parametrize(
    "said",
    [
        {"facts": [{"relation": "likes", "value": "tea"}]},
        {"role": "assistant"},
        {"role": "tool"},
    ],
)
def test_nothing_is_read_into_what_the_agent_has_read_itself_or_what_no_customer_said(hub, said):
    answer = hub.agent("mia", KIM).remember("I live in Hanoi", **said)
    assert answer.extraction is None
    assert "lives in: Hanoi" not in held(hub)


def test_a_hub_without_an_extractor_keeps_what_is_said_and_claims_nothing():
    with Hub.open(clock=SimulatedClock(START), extractor=None) as hub:
        answer = hub.agent("mia", KIM).remember("I live in Hanoi")
        assert (answer.facts, answer.extraction) == ((), None)
        assert answer.turn is not None


def test_a_text_that_could_not_be_read_is_kept_and_the_answer_says_so():
    with Hub.open(clock=SimulatedClock(START), extractor=Broken()) as hub:
        answer = hub.agent("mia", KIM).remember("I live in Hanoi")
        assert (answer.facts, answer.extraction) == ((), "failed")
        assert [m.text for m in hub.agent("mia", KIM).recall("where do I live? Hanoi?").memories] == ["I live in Hanoi"]


def test_what_makes_no_sense_is_refused_by_name_and_the_rest_is_recorded():
    senseless = Fact(relation="likes", negated=True)
    forbidden = Fact(relation="same_as", object="x", subject="x")
    with Hub.open(
        clock=SimulatedClock(START), extractor=Reader(senseless, Fact(relation="diet", value="vegan"), forbidden)
    ) as hub:
        answer = hub.agent("mia", KIM).remember("whatever")
        assert [(r.index, r.code) for r in answer.refused] == [(0, "negation_needs_value"), (2, "same_thing")]
        assert held(hub) == ["diet: vegan"]


def test_a_key_answers_a_repeated_turn_without_reading_it_again():
    reader = Reader(Fact(relation="diet", value="vegan"))
    with Hub.open(clock=SimulatedClock(START), extractor=reader) as hub:
        mia = hub.agent("mia", KIM)
        first = mia.remember("I am vegan", idempotency_key="k")
        assert encode(mia.remember("I am vegan", idempotency_key="k")) == encode(first)
        assert len(reader.asked) == 1


def test_dates_are_those_of_the_customer_when_it_was_said(hub):
    mia = hub.agent("mia", KIM)
    mia.remember(facts=[{"relation": "time_zone", "value": "Asia/Tokyo"}])
    answer = mia.remember("I moved to Saigon yesterday", said_at="2026-06-30T23:30:00Z")  # 1 July in Tokyo
    assert answer.facts[0].valid_from == datetime(2026, 6, 29, 15, tzinfo=UTC)


def test_a_private_time_zone_dates_nothing_that_others_read(hub):
    mia = hub.agent("mia", KIM)
    mia.remember(facts=[{"relation": "time_zone", "value": "Asia/Tokyo", "scope": "private"}])
    answer = mia.remember("I moved to Saigon yesterday", said_at="2026-06-30T23:30:00Z")  # which is 30 June in UTC
    assert answer.facts[0].valid_from == datetime(2026, 6, 29, tzinfo=UTC)


# --- where turns are filed ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "relations"),
    [
        ("I'm allergic to peanuts", {"allergic_to"}),
        ("Hi! I'm allergic to peanuts, and I love jazz. Thank you!", {"allergic_to", "likes"}),
        ("I'm allergic to peanuts and my cat is ill", {"allergic_to", "turn"}),
        ("I'm allergic to peanuts. Is there satay?", {"allergic_to", "turn"}),
        ("I live in Hanoi with my lover", {"lives_in", "turn"}),
        ("My budget for the rehab clinic is 800 USD", {"budget", "turn"}),
        ("I prefer tea over the wine that my doctor forbids", {"likes", "turn"}),
        ("Hello!", {"turn"}),
        ("My cat is ill", {"turn"}),
    ],
)
def test_a_turn_is_filed_with_its_claims_unless_it_says_more(hub, text, relations):
    answer = hub.agent("nova", KIM).remember(text)
    assert {label.relation for label in answer.turn.label} == relations


def test_what_a_shop_hears_of_an_allergy_is_read_by_health_word_for_word_and_by_nobody_else(hub):
    hub.agent("nova", KIM).remember("I'm allergic to peanuts")
    hub.agent("nova", KIM).remember("I'm allergic to latex, so no gloves in my order please")
    said = {
        agent: [m.text for m in hub.agent(agent, KIM).recall("allergic to peanuts, latex?", kinds=["turn"]).memories]
        for agent in ("nova", "sage", "atlas")
    }
    assert said["sage"] == ["I'm allergic to peanuts"]
    assert len(said["nova"]) == 2
    assert said["atlas"] == []


def test_a_turn_stays_where_it_was_heard_if_a_claim_of_it_is_refused_or_the_agent_read_it_itself(hub):
    told = hub.agent("nova", KIM).remember("I like tea", facts=[{"relation": "likes", "value": "tea"}])
    assert {label.relation for label in told.turn.label} == {"likes", "turn"}
    facts = (Fact(relation="diet", value="vegan"), Fact(relation="likes", negated=True))
    with Hub.open(clock=SimulatedClock(START), extractor=Reader(*facts, whole=True)) as hub:
        answer = hub.agent("nova", KIM).remember("whatever")
        assert {label.relation for label in answer.turn.label} == {"diet", "turn"}
    with Hub.open(clock=SimulatedClock(START), extractor=Reader(facts[0], whole=True)) as hub:
        answer = hub.agent("nova", KIM).remember("whatever")
        assert {label.relation for label in answer.turn.label} == {"diet"}


def test_a_turn_is_filed_as_its_readers_would_read_it(hub):
    """A date that only the writer's private time zone makes one must not decide who reads the turn."""

    class Zoned:
        local = True

        def read(self, text, *, lang, said_at, zone):
            facts = [Heard(Fact(relation="diet", value="vegan"), (0, 4))]
            if zone == "Asia/Tokyo":
                facts.append(Heard(Fact(relation="likes", value="tea"), (5, 9)))
            return Reading(tuple(facts), whole=zone == "Asia/Tokyo")

    for scope, heard in (("private", ["diet"]), ("shared", ["diet", "likes"])):
        with Hub.open(clock=SimulatedClock(START), extractor=Zoned()) as hub:
            mia = hub.agent("mia", KIM)
            mia.remember(facts=[{"relation": "time_zone", "value": "Asia/Tokyo", "scope": scope}])
            answer = mia.remember("some text")
            assert [fact.label.relation for fact in answer.facts] == heard
            assert ("turn" in {label.relation for label in answer.turn.label}) is (scope == "private")


# --- things that are mentioned -----------------------------------------------------------------------------------

CIVIC = {"relation": "owns", "object": {"kind": "car", "name": "Honda Civic"}}
CAMRY = {"relation": "owns", "object": {"kind": "car", "name": "Toyota Camry"}}


def out_of_use(hub, *known, said="The car will be in the shop for 3 days", by="kai"):
    """What is said to be out of use, after these facts."""
    mia = hub.agent("mia", KIM)
    if known:
        mia.remember(facts=known)
    (receipt,) = hub.agent(by, KIM).remember(said).facts
    fact = mia.fact(receipt.id)
    return fact.subject


@pytest.mark.parametrize(
    ("known", "said", "meant"),
    [
        ([CIVIC], "The car will be in the shop for 3 days", "Honda Civic"),
        ([CIVIC], "My Civic will be in the shop for 3 days", "Honda Civic"),
        ([CIVIC, CAMRY], "The Camry will be in the shop for 3 days", "Toyota Camry"),
        ([CIVIC, CAMRY], "The car will be in the shop for 3 days", "customer"),  # two cars stay two
        ([CIVIC], "My laptop will be in the shop for 3 days", "laptop"),
        ([], "The car will be in the shop for 3 days", "customer"),
        ([], "My Honda Jazz will be in the shop for 3 days", "Honda Jazz"),
        ([{**CIVIC, "negated": True}, CAMRY], "The car will be in the shop for 3 days", "Toyota Camry"),
    ],
)
def test_a_thing_is_known_by_its_kind_or_by_a_part_of_its_name(hub, known, said, meant):
    assert out_of_use(hub, *known, said=said) == meant


def test_a_thing_is_known_within_the_turn_that_names_it(hub):
    answer = hub.agent("kai", KIM).remember("My car is a Honda Civic. It will be in the shop for 3 days.")
    assert hub.agent("kai", KIM).fact(answer.facts[1].id).subject == "Honda Civic"


def test_a_thing_that_other_readers_know_nothing_of_is_not_meant(hub):
    """What is said of the car may be read by many, who must not learn of one that only the personal domain knows."""
    assert out_of_use(hub, {**CIVIC, "scope": "private"}, by="mia") == "customer"


UNNAMED = {"relation": "owns", "object": {"kind": "car", "name": "car"}}


@pytest.mark.parametrize(
    ("before", "said", "cars"),
    [
        ("I have a car", "My car is a Honda Civic", ["owns: Honda Civic"]),
        ("I have a car", "My car is now a Honda Civic", ["owns: car", "owns: Honda Civic"]),
        ("I have a car", "My new car is a Honda Civic", ["owns: car", "owns: Honda Civic"]),
        ("I have a car", "I bought a Honda Civic", ["owns: car", "owns: Honda Civic"]),
        ("I have a car", "My bike is a Brompton", ["owns: car", "owns: Brompton"]),
        ("My car is a Toyota Camry", "My car is a Honda Civic", ["owns: Toyota Camry", "owns: Honda Civic"]),
        ("My car is a Honda Civic", "I have a car", ["owns: Honda Civic"]),
        ("My car is a Honda Civic", "My car is a Civic", ["owns: Honda Civic"]),
    ],
)
def test_a_car_that_is_known_without_a_name_is_given_one_and_two_cars_stay_two(hub, before, said, cars):
    mia = hub.agent("mia", KIM)
    mia.remember(before)
    mia.remember(said)
    assert held(hub) == cars


@pytest.mark.parametrize(
    ("said", "name"),
    [
        ("My car is a Honda Civic", "Honda Civic"),
        ("제 차는 현대 아반떼예요", "현대 아반떼"),
        ("Xe của tôi là Honda Civic", "Honda Civic"),
        ("私の車はホンダのシビックです", "ホンダのシビック"),
    ],
)
def test_a_car_is_named_in_four_languages_and_what_was_said_of_it_goes_with_the_name(hub, said, name):
    mia = hub.agent("mia", KIM)
    mia.remember(facts=[UNNAMED, {"relation": "color", "subject": {"kind": "car", "name": "car"}, "value": "red"}])
    mia.remember(said)
    (_, car) = mia.profile().entities
    assert car.name == name
    assert len(held(hub)) == 2
    (said_of_it,) = car.beliefs
    assert said_of_it.text.startswith(f"{name} · ")
    assert mia.recall(name).memories[0].text.endswith(name)


def test_a_car_with_a_name_gives_it_to_no_other(hub):
    mia = hub.agent("mia", KIM)
    mia.remember("My car is a Honda Civic")
    mia.remember(facts=[UNNAMED])
    mia.remember("My car is a Honda Civic")
    assert held(hub) == ["owns: Honda Civic", "owns: car"]


def test_a_name_can_be_taken_back_and_was_none_before(hub):
    mia = hub.agent("mia", KIM)
    before = mia.remember("I have a car").recorded_at
    _, alias = mia.remember("My car is a Honda Civic").facts
    assert mia.fact(alias.id).relation == "same_as"
    assert held(hub) == ["owns: Honda Civic"]
    assert [m.text for e in mia.profile(as_of=before).entities for m in e.beliefs] == ["owns: car"]
    mia.retract(alias.id)
    assert sorted(held(hub)) == ["owns: Honda Civic", "owns: car"]


def test_a_car_that_other_readers_know_nothing_of_is_not_named(hub):
    """Who may read the name must not learn of a car that only the personal domain knows."""
    mia = hub.agent("mia", KIM)
    mia.remember(facts=[{**UNNAMED, "scope": "private"}])
    mia.remember("My car is a Honda Civic")
    assert len(held(hub)) == 2
    assert held(hub, "atlas") == ["owns: Honda Civic"]


def test_what_is_said_of_others_is_theirs_and_filed_by_what_it_says(hub):
    nova = hub.agent("nova", KIM)
    (told,) = nova.remember("My wife is allergic to nuts").facts
    assert (told.label.owner, told.label.relation) == ("health", "allergic_to")
    assert held(hub, "sage") == ["wife · allergic to: nuts"]
    assert held(hub, "atlas") == []
    (wife,) = hub.agent("sage", KIM).profile().entities
    assert (wife.kind, wife.name) == ("person", "wife")
    assert not [m for m in nova.recall("hello there").memories if m.core]


def test_of_a_wife_there_is_one_and_of_friends_there_may_be_several(hub):
    mia = hub.agent("mia", KIM)
    for said in ("My wife lives in Hue", "My wife hates tea", "My friend hates tea", "My friend loves tea"):
        mia.remember(said)
    people = [(e.name, sorted(m.text for m in e.beliefs)) for e in mia.profile().entities]
    assert people == [
        ("wife", ["wife · dislikes: tea", "wife · lives in: Hue"]),
        ("friend", ["friend · dislikes: tea"]),
        ("friend", ["friend · likes: tea"]),
    ]
    assert mia.remember("My friend hates tea").facts[0].outcome == "corroborated"
    assert len(mia.profile().entities) == 3


def test_a_friend_with_a_name_is_one_person(hub):
    mia = hub.agent("mia", KIM)
    mia.remember("My friend Linh lives in Hue")
    mia.remember("My friend Linh drives a Honda Civic")
    (linh,) = mia.profile().entities
    assert (linh.kind, linh.name, len(linh.beliefs)) == ("person", "Linh", 2)


def test_friends_that_others_know_nothing_of_are_not_told_apart_for_them(hub):
    """What is filed for many is the same whether there is a friend whom only the personal domain knows, or not."""
    for secret in (False, True):
        with Hub.open(clock=SimulatedClock(START)) as hub:
            mia = hub.agent("mia", KIM)
            if secret:
                who = {"kind": "person", "name": "friend"}
                mia.remember(facts=[{"relation": "lives_in", "subject": who, "value": "Hue", "scope": "private"}])
            mia.remember("My friend lives in Hue")
            assert held(hub, "atlas") == ["friend · lives in: Hue"]


def test_what_is_mended_is_no_longer_out_of_use(hub):
    kai = hub.agent("kai", KIM)
    hub.agent("mia", KIM).remember("My car is a Honda Civic")
    kai.remember("The car will be in the shop for 3 days")
    assert any("no car for 3 days" in text for text in held(hub, "atlas"))
    kai.remember("The car is fixed")
    assert not any("no car" in text for text in held(hub, "atlas"))


def test_a_taste_that_is_gone_is_the_opposite_taste_from_then_on(hub):
    mia = hub.agent("mia", KIM)
    mia.remember("I love spicy food")
    mia.remember("I don't like spicy food anymore")
    assert held(hub) == ["dislikes: spicy food"]
