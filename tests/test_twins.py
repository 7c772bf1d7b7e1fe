"""Whatever happens among several agents, none of them can tell that something it may not read is there at all."""

from __future__ import annotations

import pytest

from tests.twin_histories import history
from tests.twin_stories import STORIES
from tests.twins import leak, shrunk

ROUNDS, HISTORIES = 8, 20


@pytest.mark.parametrize("story", STORIES.values(), ids=STORIES)
def test_a_story_told_with_and_without_what_is_hidden_is_the_same_to_the_viewer(story):
    assert leak(story) is None


@pytest.mark.parametrize("first", range(0, ROUNDS * HISTORIES, HISTORIES))
def test_what_a_viewer_may_not_read_makes_no_difference_to_any_answer(first):
    for seed in range(first, first + HISTORIES):
        if leak(history(seed)) is not None:
            least = shrunk(history(seed), leak)
            pytest.fail(f"history {seed}: {leak(least)}\n{least!r}")


def noticed(most: int) -> tuple[int, str] | None:
    """How many of so many histories it takes until the worlds disagree, and over what."""
    for seed in range(most):
        if (found := leak(history(seed))) is not None:
            return seed + 1, str(found)
    return None
