"""The stories that come with the hub: all of them hold, and each one about leaks fails once the door is off."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from hub.play import Ablation, Category, Kind, Lang, Step, Story, check, load, play
from hub.play.forms import UNBUILT
from hub.text import is_stop, tokens
from tests.sources import ROOT

STORIES = load(ROOT / "scenarios")
PEERS = os.environ.get("HUB_PEER_SCENARIOS")


def of(category: Category) -> list[Story]:
    return [story for story in STORIES if story.category is category]


each_story = pytest.mark.parametrize("story", STORIES, ids=lambda story: story.id)


@each_story
def test_a_story_can_prove_something(story: Story):
    check(story)


@each_story
def test_a_story_holds(story: Story):
    report = play(story, twin=True)
    assert report.passed, "\n".join(line for outcome in report.outcomes for line in outcome.complaints)


@pytest.mark.parametrize("story", of(Category.LEAKAGE), ids=lambda story: story.id)
def test_a_leakage_story_fails_with_the_door_off(story: Story):
    steps = [played for outcome in play(story, ablation=Ablation(door=False)).outcomes for played in outcome.steps]
    hidden = {str(wanted) for step in story.steps for wanted in step.expect.private}
    leaked = {verdict.wanted for played in steps for verdict in played.failures if verdict.kind is Kind.PRIVATE}
    assert leaked == hidden, "nobody gets the rest even then, so that keeping it proves nothing"


@each_story
def test_a_story_lies_in_the_folder_of_its_kind(story: Story):
    assert Path(story.source).parent.name == story.category
    assert story.description


@pytest.mark.parametrize("story", of(Category.TEMPORAL), ids=lambda story: story.id)
def test_a_temporal_story_fails_where_the_past_can_not_be_asked(story: Story):
    assert play(story, ablation=Ablation(as_of=False)).failed


@pytest.mark.parametrize("story", of(Category.MULTI_HOP), ids=lambda story: story.id)
def test_a_story_of_several_hops_fails_where_the_graph_is_not_walked(story: Story):
    assert play(story, ablation=Ablation(graph=False)).failed


def test_the_answer_to_many_a_question_of_several_hops_has_no_word_of_it():
    """Of all that a step expects, for else the words alone could have found it."""
    hard = [story.id for story in of(Category.MULTI_HOP) if any(map(answered_in_other_words, story.steps))]
    assert len(hard) >= 15


def answered_in_other_words(step: Step) -> bool:
    asked = {word for word in tokens(str(step.arguments.get("query", ""))) if not is_stop(word)}
    told = {word for wanted in step.expect.shown for word in tokens(wanted.text)}
    return bool(step.expect.shown) and asked.isdisjoint(told)


def test_the_pack_is_large_and_in_four_languages():
    assert len(STORIES) >= 120
    assert {story.category for story in STORIES} == set(Category) - {Category.BURST}
    assert all(sum(story.lang is lang for story in STORIES) >= 10 for lang in Lang)
    assert all(len(Path(story.source).read_text(encoding="utf-8").splitlines()) <= 40 for story in STORIES)


@pytest.mark.parametrize("category", sorted(set(Category) - {Category.BURST}))
def test_every_category_has_stories_in_every_language(category: Category):
    assert {story.lang for story in of(category)} == set(Lang)


def test_no_story_needs_a_part_that_is_missing():
    assert not [step.where for story in STORIES for step in story.steps if step.verb in UNBUILT]


@pytest.mark.skipif(PEERS is None, reason="HUB_PEER_SCENARIOS names no folder")
def test_the_stories_of_another_player_load_as_they_are():
    stories = load(Path(PEERS or ""))
    assert len(stories) == len([*Path(PEERS or "").glob("*.json")]) == 47
    assert {story.requires for story in stories} == {None, "llm"}
    promoted = next(story for story in stories if story.id == "open-schema-promoted-relation")
    assert promoted.steps[1].arguments["existing"] is True
