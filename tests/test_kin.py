"""Kin: “my wife” is whom the customer is married to, in four languages, for those who may know both."""

from __future__ import annotations

import pytest

from hub.clock import SimulatedClock
from hub.hub import Hub
from tests.scene import START
from tests.test_hearing import KIM


@pytest.fixture
def hub():
    with Hub.open(clock=SimulatedClock(START)) as hub:
        yield hub


def people(hub: Hub, agent: str = "mia") -> list[tuple[str, list[str]]]:
    told = hub.agent(agent, KIM).profile().entities
    return [(e.name, sorted(m.relation for m in e.beliefs)) for e in told if e.name != "customer"]


@pytest.mark.parametrize(
    ("told", "noun"),
    [
        (("My wife hates tea", "My wife's name is Anna", "My wife loves jazz"), "wife"),
        (("My partner hates tea", "My partner Sam loves jazz"), "partner"),
        (("아내는 커피를 싫어해요", "제 아내 이름은 안나예요", "아내는 재즈를 좋아해요"), "아내"),
        (("Vợ tôi ghét trà", "Vợ tôi tên là Lan", "Vợ tôi thích nhạc jazz"), "vợ"),
        (("妻はお茶が嫌いです", "妻の名前は花子です", "妻はジャズが好きです"), "妻"),
    ],
)
def test_who_was_spoken_of_as_a_wife_is_the_one_whose_name_is_told(hub, told, noun):
    mia = hub.agent("mia", KIM)
    receipts = [receipt for text in told for receipt in mia.remember(text).facts]
    assert people(hub) == [(noun, ["dislikes", "likes"])]
    (alias,) = (receipt for receipt in receipts if receipt.slot.endswith("/same_as"))
    assert drawn(hub) == 1
    mia.retract(alias.id)
    assert drawn(hub) == 2


def drawn(hub: Hub) -> int:
    """How many people but the customer there are in the graph."""
    return sum(node.kind == "person" and node.id != "customer" for node in hub.agent("mia", KIM).graph().nodes)


def test_a_wife_is_whom_the_customer_is_married_to_for_those_who_know_her_and_for_nobody_else(hub):
    mia, nova = hub.agent("mia", KIM), hub.agent("nova", KIM)
    mia.remember("My wife's name is Anna")
    nova.remember("My wife hates tea")
    assert people(hub, "nova") == [("wife", ["dislikes"])]
    mia.remember("My wife loves jazz")
    assert people(hub) == [("Anna", ["dislikes", "likes"])]
    assert drawn(hub) == 1
    assert people(hub, "nova") == [("wife", ["dislikes", "likes"])]
    assert "Anna" not in str(nova.recall("what does the wife of the customer hate?", include_past=True))


def test_who_is_not_married_any_more_has_no_wife_to_be_one_with(hub):
    mia = hub.agent("mia", KIM)
    anna = mia.remember(facts=[{"relation": "married_to", "object": {"kind": "person", "name": "Anna"}}]).facts[0]
    mia.end(anna.id)
    mia.remember("My wife hates tea")
    assert people(hub) == [("wife", ["dislikes"])]


def test_a_second_wife_is_not_the_first(hub):
    mia = hub.agent("mia", KIM)
    for text in ("My wife hates tea", "My wife's name is Anna", "My wife's name is Beth"):
        mia.remember(text)
    wives = [m.text for e in mia.profile().entities for m in e.beliefs if m.relation == "married_to"]
    assert (people(hub), wives) == ([("wife", ["dislikes"])], ["married to: Beth"])
    assert "tea" not in str([m.text for m in mia.recall("what about Beth?").memories if m.kind == "fact"])


SECRETS = (None, "Anna", "wife", "Beth")
TALKS = (
    ("My wife hates tea",),
    ("My wife hates tea", "My wife Beth loves jazz"),
    ("My wife Beth loves jazz", "My wife hates tea", "My wife's name is Beth"),
    ("My wife's name is Beth", "My wife is vegan", "My husband loves jazz"),
)


@pytest.mark.parametrize("talk", TALKS)
@pytest.mark.parametrize("speaker", ["mia", "nova"])
def test_a_marriage_that_others_know_nothing_of_shapes_nothing_they_see(speaker, talk):
    """Whatever the private name is, and be it the very one that is told."""
    answers = []
    for secret in SECRETS:
        with Hub.open(clock=SimulatedClock(START), embedder="none") as hub:
            mia, nova, atlas = (hub.agent(name, KIM) for name in ("mia", "nova", "atlas"))
            if secret is not None:
                mia.remember(facts=[{"relation": "married_to", "object": {"kind": "person", "name": secret}}])
            for text in talk:
                hub.agent(speaker, KIM).remember(text)
            answers.append([seen(agent) for agent in (atlas, *([] if speaker == "nova" else [nova]))])
    assert all(answer == answers[0] for answer in answers)


def seen(agent):
    asked = agent.recall("what does the wife like, hate or eat, and Anna, and Beth?", include_past=True)
    told = [(e.kind, e.name, [(m.text, m.status) for m in e.beliefs]) for e in agent.profile().entities]
    return told, [(m.text, m.score) for m in asked.memories], len(agent.graph().nodes)
