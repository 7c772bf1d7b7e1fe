"""Cosines over rows in whole steps: exact, byte-stable whatever else there is, and only of what is asked about."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hub.errors import Fault
from hub.vectors import FEW, LONGEST, NOTHING_NEAR, Matrix, fit, mark, steps


def packed(dice, count, dimensions=64):
    return [bytes(row) for row in dice.integers(-127, 127, (count, dimensions), endpoint=True).astype(np.int8)]


def matrix(rows, order=None):
    found = Matrix()
    for number in order if order is not None else range(len(rows)):
        found.put([number], [rows[number]])
    return found


def exact(one, other):
    """The square of the cosine, with its sign, as a fraction."""
    a, b = (np.frombuffer(some, dtype=np.int8).astype(object) for some in (one, other))
    dot = int(a @ b)
    return Fraction(dot * abs(dot), int(a @ a) * int(b @ b))


@given(st.integers(0, 2**32), st.integers(2, 40))
def test_a_cosine_is_the_same_bits_in_every_subset_and_every_order(seed, count):
    dice = np.random.default_rng(seed)
    rows, query = packed(dice, count), packed(dice, 1)[0]
    whole = matrix(rows).nearness(query, count)
    shuffled = matrix(rows, dice.permutation(count)).nearness(query, count)
    some = sorted(dice.permutation(count)[: count // 2])
    subset = matrix([rows[n] for n in some]).nearness(query, len(some))
    for number in range(count):
        assert whole.of(number) == shuffled.of(number) == matrix([rows[number]]).nearness(query, 1).of(0)
    assert [whole.of(number) for number in some] == [subset.of(place) for place in range(len(some))]


@given(st.integers(0, 2**32), st.sampled_from([1, 3, 64, 512, 1_500]))
def test_a_cosine_is_as_near_to_the_true_one_as_a_float_can_be(seed, dimensions):
    dice = np.random.default_rng(seed)
    vectors = [steps(list(dice.normal(size=dimensions))) for _ in range(4)]
    near = matrix(vectors).nearness(vectors[0], 4)
    assert near.of(0) == 1.0
    for number, vector in enumerate(vectors):
        true = exact(vectors[0], vector)
        assert near.of(number) == pytest.approx(math.copysign(math.sqrt(abs(true)), true), rel=1e-15, abs=0)


def test_rows_beyond_the_prefix_hidden_ones_and_those_that_left_have_no_cosine():
    dice = np.random.default_rng(1)
    rows = packed(dice, 6)
    near = matrix(rows).nearness(rows[0], 5, bytes([1, 0, 1, 1, 1, 1]), [3, 9])
    assert [near.of(n) is not None for n in range(8)] == [True, False, True, False, True, False, False, False]
    assert {number for number, _ in near.best(9)} == {0, 2, 4}


def test_a_row_that_has_no_vector_or_one_without_direction_is_near_to_nothing():
    table = Matrix()
    table.put([2, 4], [steps([1.0, 0.0]), steps([0.0, 0.0])])
    near = table.nearness(steps([1.0, 0.0]), 5)
    assert [near.of(n) for n in range(5)] == [None, None, 1.0, None, None]
    assert table.nearness(steps([0.0, 0.0]), 5).best(9) == []
    assert table.nearness(steps([1.0]), 5).best(9) == [], "of another length"
    assert Matrix().nearness(steps([1.0]), 5) is table.nearness(steps([1.0, 0.0]), 0) is NOTHING_NEAR


def test_the_nearest_come_first_and_of_equals_the_newest():
    same, far, away = steps([1.0, 1.0]), steps([1.0, 0.0]), steps([-1.0, -1.0])
    near = matrix([same, far, same, away, same, far]).nearness(same, 6)
    assert [number for number, _ in near.best(9)] == [4, 2, 0, 5, 1, 3]
    assert [number for number, _ in near.best(2)] == [4, 2]
    assert [number for number, _ in near.best(4)] == [4, 2, 0, 5]
    assert [number for number, _ in near.best(9, 0.5)] == [4, 2, 0, 5, 1]
    assert near.best(1) == [(4, 1.0)]
    assert near.best(0) == []


def test_what_many_rows_say_is_what_few_said():
    texts = [steps([row % 7 - 3.0, row % 11 - 5.0, 0.5]) for row in range(FEW + 1)]
    few, many = matrix(texts[:FEW]), matrix(texts)
    assert many.size > 2 * few.size
    assert few.nearness(texts[9], FEW).best(FEW) == many.nearness(texts[9], FEW).best(FEW)
    near = many.nearness(texts[9], FEW)
    assert near.best(3) == near.best(FEW)[:3]
    assert few.among(texts[9], [3, 4]).best(2) == many.among(texts[9], [3, 4]).best(2)
    at_once = Matrix()
    at_once.put(range(len(texts)), texts)
    assert at_once.nearness(texts[9], FEW).best(FEW) == near.best(FEW)
    assert [list(few.vectors([5])[5])] == [list(many.vectors([5])[5])]


def test_a_matrix_grows_by_doubling_and_says_how_big_it_is():
    table, row = Matrix(), steps([1.0] * 8)
    assert (table.size, table.dimensions) == (0, 0)
    sizes = set()
    for number in range(100):
        table.put([number], [row])
        sizes.add(table.size)
    assert sizes == {rooms * (8 * 1 + 8) for rooms in (16, 32, 64, 128)}
    assert table.dimensions == 8


def test_whoever_compares_while_a_row_is_being_set_does_not_see_it_yet():
    seen = []

    class Watched(np.ndarray):
        def __setitem__(self, rows, news):
            seen.append(table.nearness(row, 2).of(1))
            super().__setitem__(rows, news)

    table, row = Matrix(), steps([1.0] * 8)
    table.put([0], [row])
    vectors, squares = table._held
    table._held = (vectors.view(Watched), squares)
    table.put([1], [row])
    assert seen == [None]
    assert table.nearness(row, 2).of(1) == 1.0


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf])
def test_what_is_no_finite_number_is_refused(bad):
    with pytest.raises(Fault) as refused:
        steps([1.0, bad])
    assert refused.value.code == "bad_vector"


def test_what_is_embedded_of_a_text_has_an_end_and_nothing_that_models_choke_on():
    assert fit("I like tea") == "I like tea"
    assert fit("a\x00b\ud800c\udfff") == "a\ufffdb\ufffdc\ufffd"
    assert fit("") == fit("  \n\t") == ""
    assert len(fit("x" * 100_000)) == LONGEST
    assert fit("🍜 項目甲") == "🍜 項目甲"


def test_a_mark_stands_for_its_text():
    assert mark("likes: tea") == mark("likes: tea") != mark("likes: Tea")
    assert len(mark("")) == len(mark("🍜" * 1000)) == 16
