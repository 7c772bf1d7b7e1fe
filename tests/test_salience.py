"""Confidence grows with every independent claim and never with their order; freshness halves and never grows back."""

import random
from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hub.moments import DAY
from hub.salience import SUREST, corroborated, recency

CONFIDENCES = st.lists(st.floats(0, 1), max_size=30)
AGES = st.integers(-(10**18), 10**18)


@pytest.mark.parametrize(
    ("said", "together"),
    [
        ([], 0.0),
        ([0.0], 0.0),
        ([0.3], 0.3),
        ([0.8], 0.8),
        ([0.1, 0.2], 0.28),
        ([0.8, 0.8], 0.96),
        ([0.8, 0.8, 0.8], SUREST),
        ([1.0], SUREST),
        ([1.0, 0.0], SUREST),
        ([0.5] * 1_000, SUREST),
    ],
)
def test_claims_of_one_value_add_up_without_reaching_certainty(said, together):
    assert corroborated(said) == together


@given(CONFIDENCES, st.randoms(use_true_random=False))
def test_the_order_of_telling_does_not_show_in_the_last_bit(said, shuffler: random.Random):
    other = list(said)
    shuffler.shuffle(other)
    assert corroborated(other).hex() == corroborated(said).hex()


def test_products_that_round_to_either_side_come_out_the_same():
    assert len({corroborated(order) for order in permutations([0.346, 0.775, 0.09])}) == 1


@given(CONFIDENCES, st.floats(0, 1))
def test_one_more_claim_never_makes_less_sure(said, one_more):
    assert corroborated([*said, one_more]) >= corroborated(said)


@given(CONFIDENCES.filter(bool))
def test_together_they_are_as_sure_as_the_surest(said):
    assert min(SUREST, round(max(said), 6)) <= corroborated(said) <= SUREST


@pytest.mark.parametrize(
    ("age", "half_life", "left"),
    [
        (0, 30 * DAY, 1.0),
        (30 * DAY, 30 * DAY, 0.5),
        (60 * DAY, 30 * DAY, 0.25),
        (15 * DAY, 30 * DAY, 2**-0.5),
        (-1, 30 * DAY, 1.0),
        (10**18, 1, 0.0),
        (10**18, None, 1.0),
        (1, 0, 0.0),
        (0, 0, 1.0),
    ],
)
def test_half_is_left_after_a_half_life(age, half_life, left):
    assert recency(age, half_life) == left


@given(AGES, AGES, st.none() | st.integers(0, 10**18))
def test_what_is_older_is_never_fresher(age, other, half_life):
    younger, older = sorted((age, other))
    assert 0 <= recency(older, half_life) <= recency(younger, half_life) <= 1
