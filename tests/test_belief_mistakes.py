"""Mistakes planted in the belief algebra: the table and the random histories each catch every one of them."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from unittest.mock import patch

import pytest
from hypothesis import Phase, given, seed, settings

import hub.timeline.folding
from hub.facts import Instant
from hub.play.beliefs import Answer, Slot, World
from tests.belief_faces import Algebra
from tests.belief_histories import History, histories
from tests.test_beliefs import CASES, misses

SOURCES = {module.__name__: Path(module.__file__).read_text("utf-8") for module in (hub.timeline.folding, hub.timeline)}
BATCH = 50
MOST_BATCHES = 80
Asked = tuple[World, Slot, Instant, Answer]

# What was done wrong -> (what the source says, what it is made to say).
MISTAKES = {
    "a later word does not win the same start": (
        "claim.interval.start >= winner.interval.start",
        "claim.interval.start > winner.interval.start",
    ),
    "an end is part of its interval": (
        "if c.interval.holds(at)])",
        "if c.interval.holds(at) or c.interval.end == at])",
    ),
    "a move told late ignores the known start": ("and claim.interval.start >= run", ""),
    "a move told late counts though it has an end": (
        "claim.change_given and claim.interval.end is None",
        "claim.change_given",
    ),
    "an implied change moves the present": ("told_late = claim.change_given", "told_late = claim.mode is Mode.CHANGE"),
    "only a start that was said counts as one": ("claim.start_given or claim.mode is Mode.CHANGE", "claim.start_given"),
    "a run begins anew with every word": ("max(run.start, _start(claim))", "_start(claim)"),
    "a correction has to come later too": ("claim.mode is Mode.CORRECT or ", ""),
    "the owner does not outrank": ("is not Arbitration.OWNER", "is not None"),
    "a decision decides nothing": ("if decision is not None:", "if False:"),
    "a decision decides about what comes later": ("c.seq >= decision.seq or", "c is decision or"),
    "a decision takes what said the same with it": (" or (sweep.key(c), c.negated) == said]", "]"),
    "a decision spares the denials of its value": ("(sweep.key(c), c.negated) == said", "sweep.key(c) == said[0]"),
    "the first decision stands": ("decision = max((", "decision = min(("),
    "a decision is outweighed by whom one trusts": (" or key in decided}", "}"),
    "a decision is outranked by the owner": ("if c.settles or c.author.domain", "if c.author.domain"),
    "a time to live enters the fold": (
        "if c.interval.holds(at)])",
        "if c.interval.holds(at) and at < c.interval.start + (slot.relation.ttl or at)])",
    ),
    "the last instant of a time to live is still in it": ("expires <= now", "expires < now"),
    "corroboration does not renew": ("max(_anchor(c) for c in support)", "_anchor(shown)"),
    "a stated end does not outlast a time to live": (" or shown.end_given", ""),
    "anybody takes anything back": ("and counts(act, target, owner) and", "and"),
    "nothing is ever undone": (" and not withdrawn(act, owner, acts_on)", ""),
    "an operator is nobody special": ("act.as_operator or ", ""),
    "the owner of a relation takes nothing back": ("(target.author.domain, owner)", "(target.author.domain,)"),
    "an opposite affirms": ("return replaced(claim, negated=True)", "return claim"),
    "a denial settles no contest": ("closed = [key] if key in standing else []", "closed = []"),
    "a plain word settles a contest": (" if claim.mode is not Mode.STATE else []", ""),
    "review settles by itself": ("if not review:", "if True:"),
    "a contest is shown where the latest word settles": (" or slot.relation.arbitration is Arbitration.LATEST", ""),
    "a difference of just the margin settles nothing": ("TRUST_MARGIN + _EPSILON", "TRUST_MARGIN - _EPSILON"),
    "trust settles nothing": ("if slot.relation.arbitration is Arbitration.TRUST and", "if False and"),
    "a forgotten winner answers": ("if winner is None or winner.id in slot.silent:", "if winner is None:"),
    "a forgotten rival contests": ("if key != NONE and run.last.id not in slot.silent]", "if key != NONE]"),
    "a forgotten end is named": (" and ender.id not in slot.silent", ""),
    "whatever holds next has ended what held": (" and ender.interval.start == end", ""),
    "a stretch begins with its winner": ("if _held(sweep, before) != value:", "if True:"),
    "a stretch ends with its winner": ("if _held(sweep, after) != value:", "if True:"),
    "a fold goes on from that of other claims": ("!= latest.candidates:", "!= latest.candidates and False:"),
    "what is said again was so all the while": ("if begin > end:", "if False:"),
    "what meets what went before leaves a gap": ("if begin > end:", "if begin >= end and begin > start:"),
    "words are ordered as they were recorded": ("(c.said_at, c.seq)", "c.seq"),
    "one name of a thing does not stand for another": (
        '("entity", canon(content.id), "")',
        '("entity", content.id, "")',
    ),
}

SUBTLE = {
    "a denial is as good as its value": ("any(c.negated for c in claims)", "False"),
    "a forgotten word is as good as any": ("not (self.slot.silent or", "not ("),
}
"""Of a way to do without the fold, which no case of the table goes."""


def mistaken(what: str) -> ModuleType:
    right, wrong = (MISTAKES | SUBTLE)[what]
    assert sum(source.count(right) for source in SOURCES.values()) == 1, f"plant `{what}` anew: the source has changed"
    with patch.dict(sys.modules):
        for name, source in SOURCES.items():
            sys.modules[name] = ModuleType(name)
            exec(compile(source.replace(right, wrong), what, "exec"), sys.modules[name].__dict__)
        return sys.modules[hub.timeline.__name__]


class Pool:
    """Questions about random histories with their answers, a batch at a time, each batch made once."""

    def __init__(self) -> None:
        self.batches: list[list[Asked]] = []

    def __iter__(self) -> Iterator[Asked]:
        for number in range(MOST_BATCHES):
            if number == len(self.batches):
                self.batches.append([asked for history in sample(number) for asked in questions(history)])
            yield from self.batches[number]


def sample(number: int) -> list[History]:
    found: list[History] = []

    @seed(number)
    @settings(max_examples=BATCH, phases=[Phase.generate], database=None, derandomize=False)
    @given(histories())
    def collect(history: History) -> None:
        found.append(history)

    collect()
    return found


def questions(history: History) -> Iterator[Asked]:
    for valid_at, known_at in history.instants:
        world = history.known(known_at)
        for slot in history.slots:
            yield world, slot, valid_at, world.ask(slot, valid_at)


@pytest.fixture(scope="module")
def pool() -> Pool:
    return Pool()


@pytest.mark.parametrize("what", MISTAKES)
def test_the_table_catches(what: str) -> None:
    timeline = mistaken(what)
    assert any(list(misses(case, lambda world: Algebra(timeline, world))) for case in CASES)


@pytest.mark.parametrize("what", MISTAKES | SUBTLE)
def test_random_histories_catch(what: str, pool: Pool) -> None:
    timeline = mistaken(what)
    assert any(answered_otherwise(Algebra(timeline, asked[0]), asked) for asked in pool)


def answered_otherwise(algebra: Algebra, asked: Asked) -> bool:
    _world, slot, valid_at, right = asked
    try:
        return algebra.ask(slot, valid_at) != right
    except ValueError:  # one mistake leaves a belief without support
        return True
