"""Whatever happens among several agents, none of them can tell that something it may not read is there at all."""

from __future__ import annotations

import os
import random
import re

import pytest

from tests.twin_histories import history
from tests.twin_stories import STORIES
from tests.twins import leak, main, shrunk

DEEP = os.environ.get("HYPOTHESIS_PROFILE") == "deep"
HISTORIES = 12
FIRST = random.Random().randrange(2**40) if DEEP else 0
ROUNDS = [FIRST + HISTORIES * number for number in range(200 if DEEP else 8)]


@pytest.mark.parametrize("story", STORIES.values(), ids=STORIES)
def test_a_story_told_with_and_without_what_is_hidden_is_the_same_to_the_viewer(story):
    assert leak(story) is None


@pytest.mark.parametrize("first", ROUNDS, ids=range(len(ROUNDS)))
def test_what_a_viewer_may_not_read_makes_no_difference_to_any_answer(first):
    for seed in range(first, first + HISTORIES):
        if leak(history(seed)) is not None:
            least = shrunk(history(seed), leak)
            pytest.fail(f"history {seed}: {leak(least)}\n{least!r}")


@pytest.mark.parametrize("seed", range(3))
def test_a_history_is_drawn_from_its_seed_alone_and_written_as_it_can_be_pasted(seed):
    from tests import twin_histories

    assert eval(repr(history(seed)), vars(twin_histories).copy()) == history(seed)


def test_histories_can_be_told_for_as_long_as_one_likes(capsys):
    assert main(["--minutes", "0.001", "--first", "7"]) == 0
    assert re.match(r"\d+ histories, from number 7 on: no leak\n", capsys.readouterr().out)
