"""How sure an answer says it is: a constant map from its best score, whose levels mean what they are said to mean."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from bench.abstain import reliability, run, stories
from hub.recall.sureness import HIGH, MEDIUM, SURE, confidence, sure

SCORES = st.floats(0.0, 1.0)


@given(SCORES, SCORES)
def test_a_better_score_never_makes_an_answer_less_sure(one, other):
    low, high = sorted((one, other))
    assert 0.0 <= sure(low) <= sure(high) < 1.0


def test_the_map_goes_up_from_nothing_to_almost_certain_and_is_hit_where_it_is_measured():
    assert all(before < after and low < high for (before, low), (after, high) in pairwise(SURE))
    assert [sure(score) for score, _ in SURE] == [chance for _, chance in SURE]
    assert (SURE[0], SURE[-1][0]) == ((0.0, 0.0), 1.0)


@given(SCORES)
def test_a_level_is_named_after_the_chance_and_none_is_for_an_answer_without_memories(score):
    answer = confidence(score, ())
    bounds = {"none": (0.0, 0.0), "low": (0.0, MEDIUM), "medium": (MEDIUM, HIGH), "high": (HIGH, 1.0)}
    low, high = bounds[answer.level]
    assert low <= answer.score <= high
    assert (answer.level == "none") is (score == 0.0)
    assert answer.score == sure(score)


def test_what_the_levels_promise_is_kept_on_questions_that_the_map_was_not_made_on():
    found = [one for story in stories() if story.half == "report" for one in run(story, "sentence")]
    held = {level: part for level, part in reliability(found).items() if " " not in level}
    assert {level: part["answers"] >= 20 for level, part in held.items()} == dict.fromkeys(held, True)
    assert held["high"]["right"] >= 100 * HIGH
    assert held["medium"]["right"] >= 100 * MEDIUM
    assert held["low"]["right"] < held["medium"]["right"] < held["high"]["right"]
