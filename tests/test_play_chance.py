"""Stories made by chance: the same for the same seed, sound hubs hold, and a hub that leaks does not."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import settings

import hub.timeline.folding
import hub.view
from hub.facts import Interval, Scope
from hub.play import Kind, by_chance, inside, play, play_all
from hub.play.reference import Hidden, cut
from hub.play.story import Verb
from hub.policy.verdicts import Clearance
from hub.registry import Registry

SEEDS = range(2_000 if settings.get_current_profile_name() == "deep" else 5)


def test_a_seed_makes_one_story():
    assert by_chance(7) == by_chance(7)
    assert by_chance(7).steps != by_chance(8).steps


def test_between_them_the_stories_do_everything():
    verbs = {step.verb for seed in range(60) for step in by_chance(seed).steps}
    assert verbs >= set(Verb) - {Verb.SAY, Verb.SLEEP, Verb.BURST, Verb.WHY, Verb.BELIEFS, Verb.SAME_AS}


def test_a_sound_hub_answers_every_story_like_its_twin():
    report = play_all([by_chance(seed) for seed in SEEDS], twin=True)
    assert report.passed, "\n".join(line for outcome in report.outcomes for line in outcome.complaints)
    figures = report.summary()
    assert figures.twins.made > 8 * len(SEEDS)
    assert figures.believed.made > 7 * len(SEEDS)


def test_a_hub_that_lets_everything_through_is_found_out_by_chance(monkeypatch):
    monkeypatch.setattr(Clearance, "admits_all", lambda self, filing: bool(filing))
    found = [verdict for seed in range(3) for played in _steps(seed) for verdict in played.failures]
    assert {verdict.kind for verdict in found} == {Kind.TWIN, Kind.BELIEFS}


def test_an_answer_that_names_what_is_hidden_is_found_out_even_if_the_twin_says_the_same(monkeypatch):
    monkeypatch.setattr(Clearance, "admits_all", lambda self, filing: bool(filing))
    monkeypatch.setattr(inside, "cut", lambda source, target, hidden: cut(source, target, Hidden([], [], [])))
    whys = [verdict.why for seed in range(3) for played in _steps(seed) for verdict in played.failures]
    assert any(why.startswith("fact_") for why in whys)


def latest_word(sweep, candidates):
    return candidates


def closed(interval, instant):
    return interval.start <= instant and (interval.end is None or instant <= interval.end)


def private(registry, name, domain):
    return replace(KNOWN(registry, name, domain), scope=Scope.PRIVATE)


KNOWN = Registry.of
MISTAKES = {
    "arbitration that ignores the owner": (hub.timeline.folding, "_ranked", latest_word, 18, Kind.BELIEFS),
    "an end that is still part of its interval": (Interval, "holds", closed, 3, Kind.BELIEFS),
    "an opposite that affirms": (hub.view, "negation_of", lambda claim: claim, 3, Kind.BELIEFS),
    "scopes that the registry does not name": (Registry, "of", private, 0, Kind.RECORDED),
}
"""What is done wrong: where, what, how, a story in which it shows, and the check that notices."""


@pytest.mark.parametrize("what", MISTAKES)
def test_what_the_hub_makes_of_its_records_is_evaluated_twice(what, monkeypatch):
    where, name, wrong, seed, noticed = MISTAKES[what]
    assert not any(played.failures for played in _steps(seed))
    monkeypatch.setattr(where, name, wrong)
    assert noticed in {verdict.kind for played in _steps(seed) for verdict in played.failures}


def _steps(seed: int):
    return play(by_chance(seed), twin=True).outcomes[0].steps


def test_a_story_says_what_happens_in_it():
    assert "remember" in by_chance(3).description
