"""Vectors in whole steps: exact sums in any order, the direction kept, and a hashing embedder for tests."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hub.embed import HashingEmbedder
from hub.vectors import steps


def numbers(packed):
    return np.frombuffer(packed, dtype=np.int8)


@pytest.mark.parametrize(
    ("dimensions", "most"), [(1, 127), (64, 127), (384, 127), (512, 127), (1_040, 127), (1_041, 126), (4_096, 64)]
)
def test_the_largest_step_leaves_room_for_an_exact_sum(dimensions, most):
    packed = numbers(steps([-2.5] + [2.5] * (dimensions - 1)))
    assert (packed[0], packed[-1]) == (-most, most if dimensions > 1 else -most)
    assert dimensions * most**2 <= 2**24


@given(st.integers(0, 2**32), st.integers(0, 127))
def test_sums_of_products_are_the_same_in_any_order(seed, least):
    dice = np.random.default_rng(seed)
    pair = dice.integers(least, 127, (2, 512), endpoint=True) * dice.choice([-1, 1], (2, 512))
    one, other = pair.astype(np.float32)
    exact = int(pair[0] @ pair[1])
    order = dice.permutation(512)
    assert float(one @ other) == float(one[order] @ other[order]) == exact


@given(st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=64))
def test_a_direction_is_kept_to_half_a_step(vector):
    largest = max(map(abs, vector))
    packed = numbers(steps(vector))
    assert len(packed) == len(vector)
    for kept, given_ in zip(packed, vector, strict=True):
        assert largest == 0 or abs(kept - given_ / largest * 127) <= 0.5 + 1e-9


def test_length_does_not_matter_and_nothing_has_no_direction():
    assert steps([1.0, -2.0, 0.5]) == steps([10.0, -20.0, 5.0]) == steps([1e-300, -2e-300, 0.5e-300])
    assert steps([0.0, 0.0]) == b"\x00\x00"
    assert steps([]) == b""


def test_equal_words_hash_to_equal_vectors_whatever_their_case_and_spacing():
    embedder = HashingEmbedder(32)
    assert embedder.id == "hashing-32"
    assert embedder.embed_query("Green  TEA") == embedder.embed_query("green tea") != embedder.embed_query("black tea")
    assert len(embedder.embed_query("tea")) == 32
    assert sum(map(abs, embedder.embed_query("tea"))) == 1
    assert embedder.embed_query("") == [0.0] * 32


def test_texts_that_are_hardly_text_have_vectors_too():
    embedder = HashingEmbedder()
    for text in ("\ud800", "\x00", "🍜", "項目甲", "x" * 100_000):
        assert len(steps(embedder.embed_query(text))) == 64
