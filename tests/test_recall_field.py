"""Faults seen in the field, asked of the hub: other scripts, signs that mean something elsewhere, and nonsense."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from hub.hub import Agent, Hub

KEPT = {
    "exchange": "外币汇率换算在机场柜台办理",
    "city": "Meeting point: München Hauptbahnhof, platform 12",
    "coffee": "Sáng nào cũng ghé quán cà phê đầu ngõ",
    "drink": "오후에는 커피를 안 마셔요",
    "driver": "Водителя зовут Сергей",
    "noodles": "Friday is 🍜 night",
    "done": "The claim has status: done since Monday",
    "speed": "The link runs at 10 GB/s",
    "wont": "Packages don't go to the neighbour",
    "quote": 'He calls the van "Bertha"',
    "repair": "My car is being repaired until Thursday",
    "fear": "She is afraid of heights",
    "parking": "Either the garage OR the street is fine",
}


@pytest.fixture(scope="module")
def kim() -> Iterator[Agent]:
    with Hub.open(embedder="sentence", extractor=None) as hub:
        agent = hub.agent("mia", "kim")
        for text in KEPT.values():
            agent.remember(text)
        hub.settle()
        yield agent


def first(agent: Agent, query: str) -> str | None:
    found = [memory for memory in agent.recall(query).memories if memory.score]
    return found[0].text if found else None


SCRIPTS = [
    ("外币汇率换算", "exchange"),
    ("汇率", "exchange"),
    ("München", "city"),
    ("munchen", "city"),
    ("MÜNCHEN", "city"),
    ("Mu\u0308nchen", "city"),
    ("cà phê", "coffee"),
    ("ca phe", "coffee"),
    ("커피", "drink"),
    ("커피를", "drink"),
    ("커피는?", "drink"),
    ("Сергей", "driver"),
    ("СЕРГЕЙ", "driver"),
    ("🍜", "noodles"),
]


@pytest.mark.parametrize(("query", "name"), SCRIPTS, ids=ascii)
def test_a_word_of_any_script_finds_what_it_stands_in_however_it_is_written(kim: Agent, query: str, name: str):
    assert first(kim, query) == KEPT[name]


@pytest.mark.parametrize("query", ["?!", "...", "。、！？", '"', "'", "*", "( )", "—", "%", "_", "\\"])
def test_signs_alone_ask_for_nothing_and_get_nothing_not_even_what_is_newest(kim: Agent, query: str):
    answer = kim.recall(query)
    assert (answer.memories, answer.upcoming, answer.confidence.level) == ((), (), "none")


LITERAL = [
    ("status: done", "done"),
    ("don't", "wont"),
    ("GB/s", "speed"),
    ('"Bertha"', "quote"),
    ('"Bertha', "quote"),
    ("garage OR street", "parking"),
    ("NEAR(bertha van, 3)", "quote"),
    ("text:Bertha", "quote"),
    ("-Bertha +van", "quote"),
    ("^Bertha", "quote"),
    ("Bertha'; --", "quote"),
]


@pytest.mark.parametrize(("query", "name"), LITERAL, ids=ascii)
def test_what_is_an_operator_elsewhere_is_read_as_it_stands(kim: Agent, query: str, name: str):
    assert first(kim, query) == KEPT[name]


@pytest.mark.parametrize("query", ["OR", "AND NOT", "NEAR(", "NEAR(a b, 2)", '""', "* *", "col:", "a^2", "%s%n"])
def test_no_operator_of_another_search_is_an_error_or_asks_for_everything(kim: Agent, query: str):
    answer = kim.recall(query, limit=100)
    assert len([memory for memory in answer.memories if memory.score]) <= 1


NONSENSE = ["zxqv blorp fnord", "qwertz uiop", "ㅋㅋㅋㅎㅎ", "뷁쉛", "あwせdrftg", "asdfghjkl"]


@pytest.mark.parametrize("query", NONSENSE, ids=range(len(NONSENSE)))
def test_nonsense_comes_back_empty_and_says_so(kim: Agent, query: str):
    answer = kim.recall(query)
    assert [memory for memory in (*answer.memories, *answer.upcoming) if memory.score] == []
    assert answer.confidence.level == "none"
    assert ("the query", "nothing above the floor") in [(gap.topic, gap.reason) for gap in answer.confidence.gaps]


PARAPHRASED = [
    ("What did she call her vehicle?", "quote"),
    ("When will the vehicle be fixed?", "repair"),
    ("Is she scared of high places?", "fear"),
]


@pytest.mark.parametrize(("query", "name"), PARAPHRASED, ids=range(len(PARAPHRASED)))
def test_other_words_of_one_meaning_still_find_it(kim: Agent, query: str, name: str):
    assert first(kim, query) == KEPT[name]


def test_what_is_near_by_chance_is_no_answer_by_an_embedder_to_which_everything_is_near():
    """To e5 any two texts have a cosine of 0.7 and more."""
    with Hub.open(embedder="e5", extractor=None) as hub:
        agent = hub.agent("mia", "kim")
        for text in ("Con trai tôi sợ chó", "Chìa khóa dự phòng ở tiệm bánh", "The van is called Bertha"):
            agent.remember(text)
        (found,) = agent.recall("Bé nhà anh hoảng khi gặp chó à?", explain=True).memories
        assert (found.text, found.explain.dense > 0.2) == ("Con trai tôi sợ chó", True)
        assert first(agent, "Who won the chess match?") is None
        assert first(agent, "Thủ đô của Mông Cổ là gì?") is None
