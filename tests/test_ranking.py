"""What can't be among the best is not weighed, and nobody can tell by the answer."""

from __future__ import annotations

import random

import pytest

from hub.clock import SimulatedClock
from hub.embed import HashingEmbedder
from hub.hub import Hub
from tests.scene import START

DAY = 86_400_000_000
WORDS = "green black tea coffee jazz noodles beach hotel yoga soup".split()


@pytest.fixture(scope="module")
def reader(tmp_path_factory):
    """Somebody who reads much that is alike, but not as old, as important, as sure and as useful."""
    draw, clock = random.Random(7), SimulatedClock(START)
    with Hub.open(tmp_path_factory.mktemp("alike") / "memory.db", clock=clock, embedder=HashingEmbedder()) as hub:
        mia = hub.agent("mia", "kim")
        for number in range(60):
            fact = {"relation": "likes", "value": f"{draw.choice(WORDS)} {draw.choice(WORDS)} {number % 40}"}
            fact |= {"importance": draw.random(), "confidence": draw.choice([0.1, 0.5, 0.9]), "pinned": number % 9 == 0}
            mia.remember(facts=[fact])
            clock.advance(draw.choice([1, 30, 300]) * DAY)
        mia.remember(facts=[{"relation": "lives_in", "value": city} for city in ("Hue", "Hanoi")])
        for word in WORDS[:4]:
            told = mia.recall(word)
            mia.feedback(told.recall_id, cited=[told.memories[-1].id])
        yield mia


@pytest.mark.parametrize("query", ["green tea", "coffee", "what does she like?", "where does she live?", "yoga 7"])
@pytest.mark.parametrize("floor", [None, 0.0, 0.5])
def test_a_shorter_answer_is_the_beginning_of_a_longer_one(reader, query, floor):
    everything = reader.recall(query, limit=50, min_score=floor, explain=True)
    ranked = [memory for memory in everything.memories if memory.score]
    for limit in range(1, 12):
        answer = reader.recall(query, limit=limit, min_score=floor, explain=True)
        assert [memory for memory in answer.memories if memory.score] == ranked[:limit]
        assert answer.truncated is (len(ranked) > limit or everything.truncated)
