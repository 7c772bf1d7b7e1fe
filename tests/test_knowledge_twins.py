"""Company knowledge that a viewer may not read makes no difference to it: two worlds, one of them without, agree."""

from __future__ import annotations

import os
import random
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from hub.clock import SimulatedClock
from hub.codec import encode
from hub.door.reads import Among
from hub.embed import HashingEmbedder
from hub.errors import HubError, Missing
from hub.facts import Instant
from hub.hub import Hub, shipped
from hub.moments import MINUTE, rendered
from hub.recall import shelved
from hub.recall.weighing import Scale
from tests.scene import START
from tests.twin_roads import canonical

DEEP = os.environ.get("HYPOTHESIS_PROFILE") == "deep"
SEEDS = range(400) if DEEP else range(8)
STEPS = 14
BY_INDEX = 4
"""One history in so many is told with an index of its knowledge, which takes longer."""
WORDS = "shoes coffee laptop returned days free clerk".split()
DOCUMENTS = ("a.md", "b.md", "c.md")
OPEN, SECRET = ("help", "prices"), ("salaries", "plans")
"""Topics that travel may read, and topics that it may not, at any time."""

DENIED = "".join(f"\np, travel, company, global, {topic}, read, *, deny\n" for topic in SECRET)
VIEWER = "atlas"


@dataclass(frozen=True)
class Step:
    """`verb` says which of the fields count."""

    verb: str
    document: str = "a.md"
    topic: str = "help"
    text: str = ""
    minute: int | None = None


def drawn(seed: int) -> list[Step]:
    draw = random.Random(seed)
    text = lambda: "\n\n".join(" ".join(draw.choices(WORDS, k=4)) for _ in range(draw.choice((1, 2, 3))))  # noqa: E731
    steps = []
    for number in range(STEPS):
        verb = draw.choice(("publish",) * 5 + ("remove", "erase", "told", "ask", "ask", "ask", "again"))
        topic, minute = draw.choice(OPEN + SECRET), draw.choice((None, None, draw.randrange(number + 1)))
        steps.append(Step(verb, draw.choice(DOCUMENTS), topic, text(), minute))
    return steps


@contextmanager
def world(file: Path) -> Iterator[Hub]:
    policy = (shipped("policies") / "policy.csv").read_text(encoding="utf-8") + DENIED
    with Hub.open(file, clock=SimulatedClock(START), embedder=HashingEmbedder()) as hub:
        hub.operator().replace_policy(policy=policy)
        yield hub


def told(steps: list[Step], file: Path, *, whole: bool, by_index: bool = False) -> list[str]:
    """What the viewer is told, step by step, in the world with all that it may not read or in the one without."""
    answers: list[str] = []
    recalls: list[str] = []
    stands: dict[str, str] = {}
    with world(file) as hub:
        for number, step in enumerate(steps):
            hub._ledger.clock.set(START + (number + 1) * MINUTE)
            if step.verb in ("publish", "remove", "erase"):
                _publish(hub, step, stands, whole=whole)
                if by_index:
                    hub.shelve()
            elif step.verb == "told":
                hub.agent("mia", "kim").remember(facts=[{"relation": "likes", "value": step.text.split()[0]}])
            else:
                answers += _asked(hub, step, recalls)
    return canonical(answers)


def _publish(hub: Hub, step: Step, stands: dict[str, str], *, whole: bool) -> None:
    """In the world without, a document that becomes secret is one that is taken back."""
    admin, before = hub.operator(), stands.get(step.document)
    known = whole or before in OPEN
    try:
        if step.verb == "publish" and (whole or step.topic in OPEN):
            admin.add_knowledge(step.document, step.text, topic=step.topic)
        elif step.verb == "erase" and (whole or step.document in stands):
            admin.erase_knowledge(step.document)
        elif known:
            admin.remove_knowledge(step.document)
    except Missing:
        pass
    stands[step.document] = step.topic if step.verb == "publish" else ""


def _asked(hub: Hub, step: Step, recalls: list[str]) -> Iterator[str]:
    agent, query = hub.agent(VIEWER, "kim"), " ".join(step.text.split()[:3])
    at = {} if step.minute is None else {"as_of": _minute(step.minute)}
    if step.verb == "again":
        yield from (_text(lambda recall=recall: agent.replay(recall)) for recall in recalls[-3:])
        return
    answer = agent.recall(query, explain=True, limit=3, **at)
    recalls.append(answer.recall_id)
    yield encode(answer).decode()
    yield _text(lambda: agent.why_now(query, **at))
    yield _text(lambda: agent.why_not_now(query, step.text.split()[-1], **at))
    yield _text(lambda: hub.operator().why_now(agent=VIEWER, customer="kim", query=query, **at).memories)


def _minute(number: int) -> str:
    instant: Instant = START + number * MINUTE + MINUTE // 2
    return rendered(instant)


def _text(ask: Callable[[], object]) -> str:
    try:
        return encode(ask()).decode()
    except HubError as error:
        return f"{error.code}: {error.message}"


@pytest.fixture
def leak(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[int], bool]:
    def found(seed: int) -> bool:
        steps = drawn(seed)
        by_index = seed % BY_INDEX == 0
        monkeypatch.setattr("hub.door.shelves.FEW", 0 if by_index else 10**9)
        one = told(steps, tmp_path / f"{seed}.db", whole=True, by_index=by_index)
        other = told(steps, tmp_path / f"{seed}-twin.db", whole=False, by_index=by_index)
        return one != other

    return found


@pytest.fixture(autouse=True)
def what_hashes_mean(monkeypatch):
    monkeypatch.setattr("hub.recall.shelved._SCALES", {"hashing": Scale(0.05, 0.6)})


@pytest.mark.parametrize("seed", SEEDS)
def test_what_may_not_be_read_makes_no_difference(leak, seed):
    assert not leak(seed), drawn(seed)


class Everything(Among):
    """Admits whatever there is."""

    def __init__(self, reads, filings) -> None:
        super().__init__(reads, filings)
        self.key, self._admitted = ("all", *self.key), frozenset(filings.values())


def counted(view) -> float:
    """A floor made of all that was ever recorded."""
    return shelved.FLOOR + view._snapshot / 1_000


PLANTS = {
    "every topic is read": ("hub.door.Among", Everything),
    "the floor counts what is hidden": ("hub.recall.shelved._floor", counted),
}


@pytest.mark.parametrize(("place", "mistake"), PLANTS.values(), ids=PLANTS)
def test_a_planted_mistake_is_noticed(leak, monkeypatch, place, mistake):
    monkeypatch.setattr(place, mistake)
    assert any(leak(seed) for seed in range(12))
