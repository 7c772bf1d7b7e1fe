"""What stories are played against: a hub here and its twin, one behind a port, one at an address, other systems."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from textwrap import dedent, indent

import pytest

from hub.answers import Remembered
from hub.api import served
from hub.client import OperatorClient
from hub.clock import SimulatedClock
from hub.erased import Erased
from hub.errors import Denied, Fault
from hub.facts import Instant
from hub.hub import ADMIN, DEMO_AGENTS, Hub
from hub.moments import as_datetime, instant
from hub.play import (
    WHOLE,
    Ablation,
    Kind,
    Report,
    State,
    Story,
    Verb,
    acting,
    load,
    over_http,
    play,
    play_all,
    read_story,
)
from hub.play.canonical import difference
from hub.play.inside import Inside
from hub.play.over_http import Remote, RemoteSession, Served
from hub.play.target import Unable
from hub.policy.verdicts import Clearance
from tests.sources import ROOT

ADMIN_KEY = "the-admin-key-of-these-tests"
STORIES = load(ROOT / "scenarios")
TRAVELLED = [
    "leakage-promoted-today",
    "erase-customer-starts-anew",
    "cross-agent-two-customers-one-name",
    "temporal-filing-undone",
    "consent-until-august",
    "leakage-after-a-restart",
    "leakage-asking-why-not",
]
"""Stories that between them use every verb."""


def story(steps: str, category: str = "temporal") -> Story:
    return read_story(f"id: tale\ncategory: {category}\nsteps:\n" + indent(dedent(steps), "  "), "tale.yaml")


def named(name: str) -> Story:
    return next(story for story in STORIES if story.id == name)


def complaints(report: Report) -> list[str]:
    return [line for outcome in report.outcomes for line in outcome.complaints]


# --- twins -------------------------------------------------------------------------------------------------------

PRIVATE = """
- {agent: sage, remember: {facts: [{relation: takes_medication, value: warfarin}]}}
- {agent: mia, remember: {facts: [{relation: lives_in, value: Hanoi}]}}
- {agent: atlas, profile: true}
- {agent: atlas, recall: "where is home?"}
"""


def test_a_sound_hub_answers_like_its_twin():
    report = play(story(PRIVATE), twin=True)
    assert report.passed, complaints(report)
    assert report.summary().twins.made == 2


def test_a_hub_that_lets_everything_through_is_told_from_its_twin(monkeypatch):
    monkeypatch.setattr(Clearance, "admits_all", lambda self, filing: bool(filing))
    report = play(story(PRIVATE), twin=True)
    found = [verdict for played in report.outcomes[0].steps for verdict in played.failures]
    assert {verdict.kind for verdict in found} == {Kind.TWIN, Kind.BELIEFS}
    assert any("warfarin" in verdict.why for verdict in found)


def test_the_twin_is_asked_with_the_purpose_and_the_past_of_the_question():
    steps = """
    - {agent: sage, remember: {facts: [{relation: allergic_to, value: peanuts}]}}
    - {mark: then}
    - {policy: {add: ["p, agent:atlas, health, private, allergic_to, read, *, allow"]}}
    - {agent: atlas, recall: "any allergies?", as_of: then, expect: {private: [peanuts]}}
    - {agent: atlas, recall: "any allergies?", as_of: then, purpose: meal, expect: {remembers: [peanuts]}}
    - {agent: atlas, recall: "any allergies?", expect: {remembers: [peanuts]}}
    - {agent: atlas, why: true, expect: {remembers: [peanuts]}}
    """
    report = play(story(steps), twin=True)
    assert report.passed, complaints(report)


# --- over HTTP ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", TRAVELLED)
def test_a_story_over_http_is_answered_as_in_process(name):
    report = play(named(name), Served(), beside=Inside())
    assert report.passed, complaints(report)


def test_private_texts_are_looked_for_in_headers_too(monkeypatch):
    steps = story("- {agent: mia, profile: true, expect: {private: ['/:[0-9]{2} GMT/', application/json]}}")
    found = [played.failures for played in play(steps, Served()).outcomes[0].steps]
    assert [(leak.wanted, leak.road) for leak in found[0]] == [("application/json", "headers.content-type")]
    monkeypatch.setattr(over_http, "_MEASURED", frozenset())
    found = [played.failures for played in play(steps, Served()).outcomes[0].steps]
    assert [leak.road for leak in found[0]] == ["headers.date", "headers.content-type"]


def test_a_hub_over_http_has_a_twin_too(monkeypatch):
    report = play(story(PRIVATE), Served(), twin=True, beside=Inside())
    assert report.passed, complaints(report)
    assert report.summary().twins.made == 2
    monkeypatch.setattr(Clearance, "admits_all", lambda self, filing: bool(filing))
    found = [
        verdict for played in play(story(PRIVATE), Served(), twin=True).outcomes[0].steps for verdict in played.failures
    ]
    assert {verdict.kind for verdict in found} == {Kind.TWIN, Kind.BELIEFS}


def test_an_answer_that_differs_elsewhere_is_told(tmp_path):
    (tmp_path / "model.conf").write_text((ROOT / "policies/model.conf").read_text("utf-8"), "utf-8")
    (tmp_path / "relations.yaml").write_text((ROOT / "policies/relations.yaml").read_text("utf-8"), "utf-8")
    policy = (ROOT / "policies/policy.csv").read_text("utf-8") + "\np, travel, *, shared, *, read, *, deny\n"
    (tmp_path / "policy.csv").write_text(policy, "utf-8")
    report = play(story(PRIVATE), beside=Inside(tmp_path))
    assert any("beside" in line and "Hanoi" in line for line in complaints(report))


@contextmanager
def a_hub_elsewhere(**how: object) -> Iterator[Remote]:
    with Hub.open(**how) as hub, served(hub, ADMIN_KEY) as port:
        yield Remote(f"http://127.0.0.1:{port}", ADMIN_KEY)


def test_stories_are_played_at_an_address_one_after_another():
    told = [named("leakage-meal-purpose"), named("leakage-income-and-budget"), named("temporal-upcoming-plan")]
    with a_hub_elsewhere(clock=SimulatedClock(instant("2026-06-01T00:00:00Z"))) as target:
        report = play_all(told, target)
        again = play_all(told[:2], target)
    assert [outcome.state for outcome in report.outcomes] == [State.PASSED, State.PASSED, State.SKIPPED]
    assert "names dates" in complaints(report)[0]
    assert again.passed, "what an earlier run left behind is another customer's"


def test_a_hub_with_real_time_is_asked_about_the_present_alone():
    with a_hub_elsewhere() as target:
        assert play(story(PRIVATE), target).passed
        report = play(story("- {mark: then}\n- {agent: mia, recall: hi, as_of: then}"), target)
    assert report.outcomes[0].steps[0].state is State.SKIPPED
    assert "clock cannot be set" in complaints(report)[0]


RULED = """
- {agent: mia, remember: {facts: [{relation: pet, value: a cat}]}}
- {promote: {relation: pet, scope: shared, existing: true}}
- {agent: atlas, profile: true, expect: {remembers: [a cat]}}
- {policy: {add: ["p, travel, *, *, *, read, *, deny"]}}
- {agent: atlas, profile: true, expect: {private: [a cat]}}
"""


def test_a_hub_with_real_time_keeps_running_under_its_own_rules():
    with a_hub_elsewhere() as target:
        report = play(story(RULED), target)
        assert play(replace(story(RULED), policy=ROOT / "policies"), target).outcomes[0].state is State.SKIPPED
    (outcome,) = report.outcomes
    assert [line.split(", ", 3)[2:] for line in complaints(report)] == [
        [f"step {n}: skipped", "it would change the rules for everybody at this hub"] for n in (2, 4)
    ]
    assert outcome.state is State.SKIPPED, "what a rule was to keep back is no leak where the rule did not come"
    assert report.summary().leak_checks == 0


PURPOSE_OF_ITS_OWN = """
id: tale
category: policy
agents: {lex: {domain: legal, purposes: [collections]}, rex: legal}
steps:
  - {policy: {add: ["p, legal, finance, private, debt, read, collections, allow"]}}
  - {agent: penny, remember: {facts: [{relation: debt, value: 900 EUR}]}}
  - {agent: lex, profile: true, expect: {private: [900 EUR]}}
  - {agent: lex, profile: true, purpose: collections, expect: {remembers: [900 EUR]}}
  - {agent: rex, profile: true, purpose: collections, expect: {error: purpose_not_bound}}
"""


def test_an_agent_of_the_story_may_name_the_purposes_that_the_story_gives_it():
    told = read_story(PURPOSE_OF_ITS_OWN, "tale.yaml")
    with a_hub_elsewhere(clock=SimulatedClock(instant("2026-06-01T00:00:00Z"))) as target:
        for hub in (Inside(), Served(), target):
            report = play(told, hub)
            assert report.passed, complaints(report)


def test_agents_go_by_other_names_elsewhere_and_rules_and_auditors_mean_them():
    steps = """
    - {agent: mia, remember: {facts: [{relation: diet, value: halal}]}}
    - {policy: {add: ["p, agent:atlas, personal, shared, diet, read, *, deny"]}}
    - {agent: atlas, profile: true, expect: {private: [halal]}}
    - {agent: auditor, beliefs: atlas, expect: {private: [halal]}}
    - {agent: auditor, beliefs: nova, expect: {remembers: [halal]}}
    - {policy: {remove: ["p, agent:atlas, personal, shared, diet, read, *, deny"]}}
    - {agent: auditor, beliefs: atlas, expect: {remembers: [halal]}}
    """
    with a_hub_elsewhere(clock=SimulatedClock(instant("2026-06-01T00:00:00Z"))) as target:
        report = play(story(steps), target)
    assert report.passed, complaints(report)


@pytest.mark.parametrize("left", [WHOLE, Ablation(door=False)], ids=["whole", "without the door"])
def test_a_hub_to_be_tried_out_has_its_rules_back_after_a_story(left, tmp_path):
    with (
        Hub.open(clock=SimulatedClock(instant("2026-06-01T00:00:00Z"))) as hub,
        served(hub, ADMIN_KEY) as port,
    ):
        target = Remote(f"http://127.0.0.1:{port}", ADMIN_KEY)
        before = hub.operator().policies()
        assert play(story(RULED), target, left).passed is left.door
        after = hub.operator().policies()
        assert (after.policy, after.promotions, target.left) == (before.policy, (), [])
        assert after.version > before.version
        assert play(replace(story(PRIVATE), policy=ROOT / "policies"), target).passed
        assert play(story("- {restart: true}"), target).outcomes[0].state is State.SKIPPED


@dataclass(frozen=True)
class Kept:
    """A hub elsewhere that is not tidied up."""

    target: Remote

    @contextmanager
    def opened(self, story: Story) -> Iterator[RemoteSession]:
        session = RemoteSession(self.target, "kept")
        session.hire(story.agents, story.purposes)
        yield session
        session.hang_up()


def names(file: Path) -> tuple[list[str], list[str]]:
    """Customers that a database knows, and agents at work in it beside those that come with a hub."""
    with closing(sqlite3.connect(file)) as raw:
        customers = [name for (name,) in raw.execute("SELECT name FROM customer")]
        bindings = [json.loads(body) for (body,) in raw.execute("SELECT body FROM binding ORDER BY id")]
    latest = {binding["agent"]: binding["enabled"] for binding in bindings}
    return customers, [agent for agent, enabled in latest.items() if enabled and agent not in (ADMIN, *DEMO_AGENTS)]


TWO_CUSTOMERS = """
- {agent: sage, remember: {facts: [{relation: takes_medication, value: warfarin}]}}
- {agent: mia, customer: somebody-else, remember: {facts: [{relation: lives_in, value: Hanoi}]}}
- {agent: mia, customer: somebody-else, profile: true, expect: {remembers: [Hanoi]}}
"""


def test_nothing_of_a_story_stays_at_the_hub_it_was_played_against(tmp_path):
    file = tmp_path / "memory.db"
    with a_hub_elsewhere(path=file) as target:
        play(story("- {agent: mia, remember: {facts: [{relation: lives_in, value: Hanoi}]}}"), Kept(target))
        assert [len(found) for found in names(file)] == [1, 6]
        assert play(story(TWO_CUSTOMERS), target).passed
        assert [len(found) for found in names(file)] == [1, 6], "what was there before stays"
        assert target.left == []


def test_nothing_stays_when_a_story_is_broken_off(tmp_path, monkeypatch):
    steps = story(TWO_CUSTOMERS + "- {agent: mia, timeline: true}")
    broken = {Verb.TIMELINE: lambda *_: (_ for _ in ()).throw(KeyboardInterrupt)}
    monkeypatch.setattr(acting, "_VERBS", {**acting._VERBS, **broken})
    with a_hub_elsewhere(path=tmp_path / "memory.db") as target:
        with pytest.raises(KeyboardInterrupt):
            play(steps, target)
        assert names(tmp_path / "memory.db") == ([], [])


def test_what_can_not_be_taken_away_is_named(monkeypatch):
    def refused(*_: object) -> None:
        raise Denied("not_allowed", "no operator may erase here", "ask for it")

    with a_hub_elsewhere() as target:
        monkeypatch.setattr(OperatorClient, "erase_customer", refused)
        assert play(story(TWO_CUSTOMERS), target).passed
        assert [name.split("-")[0] for name in target.left] == ["the customer tale", "the customer somebody"]
        assert "no operator may erase here" in target.left[0]


def test_what_was_told_to_a_hub_that_is_gone_is_named():
    with a_hub_elsewhere() as target, target.opened(story(TWO_CUSTOMERS)) as session:
        session.customer("tale")
        session.url = "http://127.0.0.1:1"
        session.hang_up()
    assert len(target.left) == 7
    assert target.left[-1].startswith("the customer tale-")


def test_nobody_is_said_to_be_left_where_nobody_came():
    target = Remote("http://127.0.0.1:1", ADMIN_KEY)
    with pytest.raises(Fault, match="no hub answered"):
        play(story(PRIVATE), target)
    assert [name.split("-")[0] for name in target.left] == ["the agent mia"], "whoever was asked for without an answer"


# --- other systems -----------------------------------------------------------------------------------------------


class Notebook:
    """A system that keeps every sentence and knows neither agents nor time."""

    def __init__(self) -> None:
        self.lines: list[str] = []

    @contextmanager
    def opened(self, story: Story) -> Iterator[Notebook]:
        yield self

    def agent(self, name: str, customer: str) -> Notebook:
        return self

    operator = agent

    def customer(self, name: str) -> str:
        return name

    def now(self) -> Instant:
        raise Unable("a notebook has no clock")

    def advance(self, microseconds: int) -> None:
        raise Unable("a notebook has no clock")

    def restart(self) -> None:
        raise Unable("a notebook is not restarted")

    def remember(self, text: str | None = None, **_: object) -> Remembered:
        self.lines.append(str(text))
        return Remembered(turn=None, facts=(), refused=(), recorded_at=as_datetime(0))


def test_what_a_system_cannot_do_is_skipped_and_not_failed():
    report = play(story("- {agent: mia, say: hello}\n- {agent: mia, recall: hi}\n- {mark: then}"), Notebook())
    assert [played.state for played in report.outcomes[0].steps] == [State.PASSED, State.SKIPPED, State.SKIPPED]
    assert report.outcomes[0].state is State.SKIPPED
    assert "there is no `recall`" in complaints(report)[0]


def test_many_stories_are_played_in_several_processes_and_told_in_order():
    some = STORIES[:16]
    done: list[int] = []
    report = play_all(some, jobs=2, done=lambda: done.append(1))
    assert [outcome.story.id for outcome in report.outcomes] == [one.id for one in some]
    assert report.passed
    assert len(done) == 16


def test_how_many_vectors_had_followed_an_erased_fact_makes_no_other_answer():
    """They follow the write in a thread of their own; all else that is gone is counted alike."""
    assert difference(Erased(claims=1, vectors=0), Erased(claims=1, vectors=1)) == ""
    assert difference(Erased(claims=1), Erased(claims=2)) != ""
