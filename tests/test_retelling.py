"""Retellings: what was told several times is told once, with how often; what only sounds alike stays apart."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from hub.clock import SimulatedClock
from hub.hub import Agent, Hub
from hub.moments import instant

START = instant("2026-07-01T09:00:00Z")
VEGETARIAN = [{"relation": "diet", "value": "vegetarian"}]


@pytest.fixture
def hub() -> Iterator[Hub]:
    with Hub.open(clock=SimulatedClock(START), embedder="none", extractor=None) as opened:
        yield opened


def told(agent: Agent, query: str, **asked: object) -> list[tuple[str, int]]:
    answer = agent.recall(query, kinds=["turn"], **asked)
    return [(memory.text, memory.corroboration) for memory in answer.memories]


def test_the_same_words_are_told_once_and_counted_whatever_case_and_signs(hub: Hub) -> None:
    mia = hub.agent("mia", "kim")
    for text in ("The blue suitcase is packed", "the blue suitcase is packed!", "The blue   suitcase: is packed."):
        mia.remember(text)
    assert told(mia, "blue suitcase") == [("The blue suitcase is packed", 3)]


def test_sentences_are_the_same_whatever_ends_them_and_stands_around_them(hub: Hub) -> None:
    mia = hub.agent("mia", "kim")
    for text in (
        "Packed: the suitcase. Don't wait, go!",
        "packed the  suitcase, don’t wait… go",
        "«Packed the suitcase; Don't wait. Go.»",
    ):
        mia.remember(text)
    for text in ("가방을 쌌어요！「네」", "가방을 쌌어요。네。", "Cafe\u0301 suitcase", "CAFÉ suitcase."):
        mia.remember(text)
    assert sorted(count for _, count in told(mia, "suitcase packed café 가방을")) == [2, 2, 3]


ALIKE = [
    ("Anna called Tom about the dinner", "Tom called Anna about the dinner"),
    ("She is allergic to nuts", "He is allergic to nuts"),
    ("I like the spicy dinner", "I don't like the spicy dinner"),
    ("The dinner is at 7", "The dinner is at 8"),
    ("저는 커피를 좋아해요", "저는 커피를 싫어해요"),
    ("It was -5 in the morning there", "It was 5 in the morning there"),
    ("It was .5 in the morning there", "It was 5 in the morning there"),
    ("$500 for the dinner then", "€500 for the dinner then"),
    ("Tom writes C++ at dinner", "Tom writes C# at dinner"),
    ("The dinner was 🍜", "The dinner was 🍣"),
    ("कि यह बात dinner है", "के यह बात dinner है"),
    ("dinner ฉันดีใจ", "dinner ฉันดูใจ"),
    ("Version 1.12 broke the dinner", "Version 1 12 broke the dinner"),
    ("Dinner １，２", "Dinner １２"),
    ("Is he coming for dinner?", "Is he coming for dinner!"),
    ("No, nuts are for dinner", "No nuts are for dinner"),
    ("We're here for dinner", "Were here for dinner"),
    ("The dinner table is 5' long", 'The dinner table is 5" long'),
    ("Bà ấy nấu dinner", "Ba ấy nấu dinner"),
]


@pytest.mark.parametrize(("one", "other"), ALIKE, ids=range(len(ALIKE)))
def test_what_sounds_alike_and_says_something_else_stays_apart(hub: Hub, one: str, other: str) -> None:
    mia = hub.agent("mia", "kim")
    for text in (one, other):
        mia.remember(text)
    assert sorted(told(mia, one)) == sorted([(one, 1), (other, 1)])


AT_ODDS = [
    ("Dinner must be vegetarian for Tom", "Dinner must not be vegetarian for Tom"),
    ("Nuts at the vegetarian dinner", "No nuts at the vegetarian dinner"),
    ("Anna told Tom dinner is vegetarian", "Tom told Anna dinner is vegetarian"),
    ("He is vegetarian; she is not", "She is vegetarian; he is not"),
    ("A vegetarian dinner for 2", "A vegetarian dinner for 12"),
    ("A vegetarian dinner", "Hardly a vegetarian dinner"),
    ("A vegetarian dinner", "A vegetarian dinner on the terrace"),
]


@pytest.mark.parametrize("first", [0, 1])
@pytest.mark.parametrize("pair", AT_ODDS, ids=range(len(AT_ODDS)))
def test_what_claims_the_same_in_other_words_stays_apart(hub: Hub, pair: tuple[str, str], first: int) -> None:
    mia = hub.agent("mia", "kim")
    for text in (pair[first], pair[1 - first]):
        mia.remember(text, facts=VEGETARIAN)
    assert sorted(told(mia, pair[first])) == sorted((text, 1) for text in pair)


OTHERWISE = [
    {"relation": "diet", "value": "vegan"},
    {"relation": "hobby", "value": "vegetarian"},
    {"relation": "diet", "value": "vegetarian", "negated": True},
    {"relation": "diet", "value": "vegetarian", "on": "2026-07-09"},
    {"relation": "diet", "value": "vegetarian", "valid_from": "2026-06-01"},
    {"relation": "diet", "value": "vegetarian", "subject": {"kind": "person", "name": "Tom"}},
]


@pytest.mark.parametrize("fact", OTHERWISE, ids=range(len(OTHERWISE)))
def test_the_same_words_that_claim_something_else_are_no_retelling(hub: Hub, fact: dict[str, object]) -> None:
    mia = hub.agent("mia", "kim")
    mia.remember("It is all about the diet", facts=VEGETARIAN)
    mia.remember("It is all about the diet", facts=[fact])
    assert told(mia, "all about the diet", include_past=True) == [("It is all about the diet", 1)] * 2


def test_a_retelling_takes_nobodys_place(hub: Hub) -> None:
    mia = hub.agent("mia", "kim")
    for number in range(8):
        mia.remember("The blue suitcase is packed" + "!" * number)
    mia.remember("The lock of the blue suitcase is broken, which nobody has mended")
    assert [count for _, count in told(mia, "blue suitcase", limit=2)] == [8, 1]


def test_a_fact_is_corroborated_by_as_many_as_its_reader_may_know(hub: Hub) -> None:
    mia, sage, atlas = (hub.agent(name, "kim") for name in ("mia", "sage", "atlas"))
    coffee = {"relation": "likes", "value": "coffee"}
    first = mia.remember(facts=[coffee])
    mia.remember(facts=[coffee])
    sage.remember(facts=[{**coffee, "scope": "private"}])
    assert [agent.recall("coffee").memories[0].corroboration for agent in (mia, atlas)] == [3, 2]
    assert mia.recall("coffee", known_at=first.recorded_at).memories[0].corroboration == 1
    assert atlas.profile().entities[0].beliefs[0].corroboration == 2


def test_what_is_told_by_another_turn_of_the_answer_is_not_missing_from_it(hub: Hub) -> None:
    mia = hub.agent("mia", "kim")
    for text in ("The blue suitcase is packed", "The blue suitcase is packed!"):
        mia.remember(text)
    assert mia.why_not_now("blue suitcase", "blue suitcase is packed!").candidates == ()
