"""What is kept of views has an end, and is never the source of another answer."""

from __future__ import annotations

import gc
import re
import tempfile
import tracemalloc
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hub.clock import SimulatedClock
from hub.codec import encode
from hub.door.bases import Bases
from hub.embed import HashingEmbedder
from hub.errors import HubError, Incorrect
from hub.hub import Hub, Operator
from hub.ledger.heart import Heart
from hub.moments import rendered
from tests.scene import START, Scene
from tests.twins import SCRATCH

SECOND = 1_000_000
HOMES = {"mia": "personal", "atlas": "travel", "sage": "health"}
AGENTS = tuple(HOMES)
CUSTOMERS = ("kim", "lee")
QUERIES = ("green tea", "where does she live", "what about the civic", "soup")

writes = st.tuples(
    st.just("told"),
    st.sampled_from(AGENTS),
    st.sampled_from(CUSTOMERS),
    st.sampled_from([("likes", "green tea"), ("likes", "soup"), ("lives_in", "Hue"), ("lives_in", "Hanoi")]),
    st.sampled_from([None, "I drink green tea", "soup again"]),
)
cars = st.tuples(st.just("car"), st.sampled_from(AGENTS), st.sampled_from(CUSTOMERS), st.sampled_from(["civic", "red"]))
acts = st.tuples(
    st.sampled_from(["retract", "forget", "private", "shared", "erase"]), st.sampled_from(AGENTS), st.integers(0, 9)
)
questions = st.tuples(
    st.just("ask"),
    st.sampled_from(AGENTS),
    st.sampled_from(CUSTOMERS),
    st.sampled_from(QUERIES),
    st.one_of(st.none(), st.integers(0, 20)),
)
rulings = st.tuples(
    st.just("rule"),
    st.sampled_from(["serve kim", "serve all", "object", "grant", "erase", "same", "publish"]),
    st.sampled_from(list(HOMES)),
    st.integers(1, 9),
)
steps = st.one_of(writes, cars, acts, rulings, st.just(("wait",)), questions, questions, questions)
histories = st.lists(steps, min_size=6, max_size=24)


class Library:
    """A hub that keeps what it has looked at, one that keeps the last of it only, and one that keeps nothing.

    Agents write at the first, and operators rule at the second, as at that of another process.
    """

    def __init__(self, folder: Path, stack: ExitStack) -> None:
        self.clock = SimulatedClock(START)
        self.path = folder / "memory.db"
        self.warm = stack.enter_context(self.opened())
        self.cold = stack.enter_context(self.opened())
        self.tight = stack.enter_context(self.opened(view_cache=0))
        self.facts: list[str] = []
        self.moments = [START]

    def opened(self, **more: int) -> Hub:
        return Hub.open(self.path, clock=self.clock, embedder=HashingEmbedder(), **more)

    def write(self, step: tuple) -> None:
        with suppress(HubError):  # what may not be done leaves nothing behind
            if step[0] == "rule":
                self._ruled(self.tight.operator(), *step[1:])
            elif step[0] != "wait":
                self.facts += self._written(*step)
        self.clock.advance(SECOND)
        self.moments.append(self.clock.now())
        self.clock.advance(SECOND)

    def _written(self, verb: str, agent: str, *rest) -> Iterator[str]:
        operator = self.warm.operator()
        if verb == "told":
            customer, (relation, value), text = rest
            told = self.warm.agent(agent, customer).remember(text, facts=[{"relation": relation, "value": value}])
            return [fact.id for fact in told.facts]
        if verb == "car":
            customer, name = rest
            told = self.warm.agent(agent, customer).remember(facts=[{"relation": "owns", "object": thing(name)}])
            return [fact.id for fact in told.facts]
        fact = self.facts[rest[0] % len(self.facts)] if self.facts else "fact_0"
        if verb == "erase":
            operator.erase_fact(fact)
        elif verb in ("private", "shared"):
            operator.relabel(fact, scope=verb)
        else:
            getattr(self.warm.agent(agent), verb)(fact)
        return []

    def _ruled(self, operator: Operator, what: str, agent: str, lasts: int) -> None:
        match what:
            case "serve kim" | "serve all":
                operator.bind(agent, customers=["kim"] if what == "serve kim" else None)
            case "object" | "grant":
                until = rendered(self.clock.now() + lasts * SECOND)
                operator.record_consent("kim", domain=HOMES[agent], effect=what, reason="she said so", valid_to=until)
            case "erase":
                operator.erase_customer("lee")
            case "same":
                operator.same_as("kim", "civic", "red")
            case "publish":
                operator.add_knowledge("menu.md", f"Green tea and soup are served until {lasts}.")

    def ask(self, agent: str, customer: str, query: str, back: int | None) -> None:
        point = {} if back is None else {"as_of": rendered(self.moments[back % len(self.moments)])}
        self.warm.settle()
        self.cold._door._bases = Bases(HashingEmbedder().id)
        self.cold._ledger._heart = Heart()
        hubs = (self.warm, self.tight, self.cold, self.warm)
        answers = [told(hub, agent, customer, query, point) for hub in hubs]
        assert answers[0] == answers[1] == answers[2] == answers[3]


def thing(name: str) -> dict[str, str]:
    return {"kind": "car", "name": name}


def told(hub: Hub, agent: str, customer: str, query: str, point: dict[str, str]) -> list[bytes]:
    """All that somebody hears who asks on every road, or why not; a recall's own id is another each time."""
    try:
        return heard(hub, agent, customer, query, point)
    except HubError as error:
        return [error.code.encode()]


def heard(hub: Hub, agent: str, customer: str, query: str, point: dict[str, str]) -> list[bytes]:
    asking = hub.agent(agent, customer)
    view = hub._door.look(agent, customer)
    near = view.similar(bytes(range(64))).best(100)
    return [
        re.sub(rb"recall_[0-9a-f]{24}", b"", encode(asking.recall(query, explain=True, include_past=True, **point))),
        encode(asking.profile(**point)),
        encode(asking.timeline(**point)),
        encode(asking.graph(**point)),
        encode([(view.base.rows[number].record.id, cosine) for number, cosine in near]),
    ]


@contextmanager
def library() -> Iterator[Library]:
    with tempfile.TemporaryDirectory(prefix="views-", dir=SCRATCH) as folder, ExitStack() as stack:
        yield Library(Path(folder), stack)


@given(histories)
@settings(max_examples=max(16, settings().max_examples // 12))
def test_an_answer_is_the_same_from_a_kept_view_a_narrow_cache_and_a_cold_hub(history):
    with library() as books, ExitStack() as stack:
        for step in history:
            books.ask(*step[1:]) if step[0] == "ask" else books.write(step)
        books.cold = stack.enter_context(books.opened())  # by another process, as it were
        books.ask("mia", "kim", "green tea", None)
        books.ask("atlas", "kim", "green tea", len(history) // 2)


def test_a_kept_view_that_misses_a_row_is_noticed(monkeypatch):
    """The mistake: a base that has been looked at is never brought up to date."""
    base = Bases.base

    def stale(self, reading, clearance, registry, relations):
        found = self._bases.get((reading.state.customer, relations, clearance.key))
        return found or base(self, reading, clearance, registry, relations)

    monkeypatch.setattr(Bases, "base", stale)
    with library() as books:
        books.ask("mia", "kim", "green tea", None)
        books.write(("told", "mia", "kim", ("likes", "green tea"), None))
        books.ask("mia", "kim", "green tea", None)
        books.write(("told", "mia", "kim", ("likes", "soup"), None))
        with pytest.raises(AssertionError):
            books.ask("mia", "kim", "soup", None)


# --- how much is kept --------------------------------------------------------------------------------------------


def test_a_base_knows_about_how_much_memory_it_takes_up(tmp_path):
    scene = Scene(tmp_path / "memory.db")
    facts = [{"relation": "likes", "value": f"dish number {n}"} for n in range(150)]
    scene.remember("mia", *facts)
    for n in range(50):
        scene.remember("mia", text=f"today we talked at some length about dish number {n} and how it is made")
    scene.close()
    scene = Scene(tmp_path / "memory.db")  # which has to read all of it
    tracemalloc.start()
    try:
        view = scene.look("mia")
        view.base.meanings.matrix.put([199], [bytes(range(256)) * 2])
        gc.collect()
        cold = tracemalloc.get_traced_memory()[0]
        assert 0.5 * cold < view.base.size < 2 * cold
        assert len(view.beliefs()) == 150
        gc.collect()
        warm = tracemalloc.get_traced_memory()[0]
        assert 0.5 * warm < view.base.size < 2 * warm
    finally:
        tracemalloc.stop()
        scene.close()


@pytest.mark.parametrize("told", ["-1", "many", "1.5", "٣"])
def test_a_number_of_megabytes_that_is_none_is_refused(monkeypatch, told):
    monkeypatch.setenv("HUB_VIEW_CACHE", told)
    with pytest.raises(Incorrect) as refused:
        Hub.open()
    assert refused.value.code == "bad_view_cache"
