"""Other memories as what stories are played against: shared ones leak, divided ones share nothing."""

from __future__ import annotations

from collections.abc import Sequence
from textwrap import dedent, indent

import pytest

from bench.stories import table
from bench.targets import Elsewhere, Hit
from hub.play import Report, State, play, read_story
from hub.play.pages import run_of


class Words:
    """Finds every text that has a word of the query."""

    def __init__(self) -> None:
        self.kept: dict[str, tuple[str, str, str]] = {}

    def keep(self, customer: str, drawer: str, text: str) -> str:
        self.kept[str(len(self.kept))] = (customer, drawer, text)
        return str(len(self.kept) - 1)

    def find(self, customer: str, drawer: str, query: str, limit: int) -> Sequence[Hit]:
        words = set(query.lower().split())
        own = [(i, t) for i, (c, d, t) in self.kept.items() if (c, d) == (customer, drawer)]
        return [Hit(i, t, 0.5) for i, t in own if words & set(t.lower().split())][:limit]

    def drop(self, memory_id: str) -> None:
        del self.kept[memory_id]

    def close(self) -> None:
        self.kept.clear()


SHARED, BY_AGENT = Elsewhere(Words, shared=True), Elsewhere(Words, shared=False)

STORY = """
- {agent: sage, remember: {facts: [{relation: allergic_to, value: lupin}]}, as: it}
- {advance: 1h}
- {agent: sage, recall: "allergic to what?", expect: {remembers: [lupin]}}
- {agent: atlas, recall: "allergic to what?", expect: {private: [lupin]}}
"""


def told(steps: str, target: Elsewhere) -> Report:
    return play(read_story("id: tale\ncategory: leakage\nsteps:\n" + indent(dedent(steps), "  "), "tale.yaml"), target)


def test_one_drawer_for_all_leaks():
    report = told(STORY, SHARED)
    assert report.outcomes[0].state is State.FAILED
    assert report.summary().leaks == 1
    assert report.summary().controls.held == 1


def test_a_drawer_for_each_keeps_secrets_and_shares_nothing():
    assert told(STORY, BY_AGENT).passed
    shared = "- {agent: mia, remember: {facts: [{relation: diet, value: vegan}]}}\n"
    asked = '- {agent: atlas, recall: "diet: ?", expect: {remembers: [vegan]}}'
    assert told(shared + asked, BY_AGENT).failed
    assert told(shared + asked, SHARED).passed


def test_what_is_dropped_is_not_found():
    dropped = '- {agent: sage, forget: {}, of: it}\n- {agent: sage, recall: "allergic?", expect: {absent: [lupin]}}'
    assert told(STORY + dropped, BY_AGENT).passed


@pytest.mark.parametrize(
    "step",
    [
        "{agent: mia, recall: hi, valid_at: 2026-01-01}",
        "{agent: mia, recall: hi, purpose: meal}",
        "{agent: mia, remember: {facts: [{relation: a, value: b, valid_from: 2026-01-01}]}}",
        "{agent: mia, remember: {facts: [{relation: a, value: b, scope: private}]}}",
        "{agent: mia, timeline: true}",
        "{policy: {add: ['p, a, b, c, d, read, *, deny']}}",
        "{restart: true}",
    ],
)
def test_what_it_has_nothing_for_is_skipped(step):
    assert told(f"- {step}", SHARED).outcomes[0].state is State.SKIPPED


def test_the_runs_stand_side_by_side():
    runs = {"one": run_of(told(STORY, SHARED), "one"), "other": "it can't be installed: no such package"}
    assert table(runs).row_count == 2
