"""Mistakes planted in the hub are noticed by the twins: a few of them every day, all of them in the deep profile."""

from __future__ import annotations

import pytest

from tests.planted import CAUGHT, PLANTS, SURVIVED, Plant, grow, planted
from tests.test_twins import DEEP

DAILY = (
    "bases are kept by customer alone",
    "a question about the past skips the clearance of then",
)


@pytest.mark.parametrize("plant", PLANTS, ids=lambda plant: plant.mistake)
def test_every_plant_is_one_line_that_is_there_once(plant: Plant):
    compile(planted(plant), plant.path, "exec")


@pytest.mark.parametrize("plant", [p for p in PLANTS if DEEP or p.mistake in DAILY], ids=lambda plant: plant.mistake)
def test_a_planted_mistake_is_noticed(plant: Plant):
    done = grow(plant)
    assert done.returncode == CAUGHT, done.stdout + done.stderr
    assert done.stdout.startswith("by the ")


def test_nothing_is_noticed_where_nothing_is_planted():
    """The same as a mistake would go through, with a line that is put in the place of itself."""
    plant = PLANTS[0]
    assert grow(Plant("none", plant.path, plant.old, plant.old), most=3).returncode == SURVIVED
