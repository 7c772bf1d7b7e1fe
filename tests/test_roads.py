"""Every verb is a road of the twins, an act in their histories, or it is said why it is neither."""

from __future__ import annotations

from inspect import getmembers, isfunction

import pytest

from hub.hub import Agent, Operator
from tests.twin_roads import ROADS

ACTED = "done in the histories"
RULES = "says what the rules are, to those whom the rules let ask"
LISTS = "tells operators what there is and what they have decided; see test_review and test_open_schema"
COMPANY = "about what the company knows, which every agent reads and only operators write"
"""Beside customers; what a recall makes of it is part of the road `recall`."""

SAME = {
    "consent_recorded": "record_consent",
    "corrected": "correct",
    "recalled": "recall",
    "remembered": "remember",
    "why_of": "why_now",
    "why_not_of": "why_not_now",
    "audited": "audit",
    "compared": "compare",
    "edited": "edit",
    "fed_back": "feedback",
    "knowledge_listed": "knowledge",
    "policy_tried": "policy_diff",
    "published": "add_knowledge",
    "reviewed": "review",
}
"""Verbs by another name, for requests that have been checked."""

AGENTS_VERBS = {
    **dict.fromkeys(("recall", "profile", "timeline", "graph", "fact", "history", "token"), ""),
    **dict.fromkeys(("remember", "correct", "retract", "end", "forget", "restore", "erase", "feedback"), ACTED),
    "me": "token",
    "on_behalf_of": "deputy",
    "recalled_before": "again",
    "replay": "again",
    "why": "again",
    "why_not": "again",
    "why_now": "why",
    "why_not_now": "why_not",
}
"""Verb -> the road it is asked on (none: the one of its name), or why there is none."""

OPERATORS_VERBS = {
    "beliefs": "looks",
    "why_now": "looks",
    "why_not_now": "audits",
    "compare": "audits",
    "policy_diff": "audits",
    "replay": "reruns",
    "why": "reruns",
    "why_not": "reruns",
    "audit": "tries",
    "policies": "tries",
    "consents": "consents",
    **dict.fromkeys(
        ("bind", "demote", "disable", "erase_fact", "forget", "promote", "relabel", "replace_policy"), ACTED
    ),
    **dict.fromkeys(("restore", "retract", "same_as", "withdraw_same_as", "record_consent", "withdraw_consent"), ACTED),
    **dict.fromkeys(("check_policy", "explain_policy", "policy_versions", "relations", "verify_audit"), RULES),
    **dict.fromkeys(("add_knowledge", "erase_knowledge", "knowledge", "remove_knowledge"), COMPANY),
    **dict.fromkeys(("agents", "create_agent", "revoke", "rotate"), "agents and their keys: reads no memory"),
    **dict.fromkeys(("merge_relation", "rate", "reject_relation"), ACTED),
    **dict.fromkeys(("provisional", "ratings"), LISTS),
    "review": "what operators have to decide, of all there is; what agents see of it is done in the histories",
    "load": "records what agents would have remembered, and says what they would have heard; see test_loading",
    "clock": "moves a simulated clock, which the histories move themselves",
    **dict.fromkeys(("accept", "edit", "reject", "undo"), ACTED),
    "erase_customer": "leaves nobody anything to compare; see test_erase",
}


@pytest.mark.parametrize(("kind", "known"), [(Agent, AGENTS_VERBS), (Operator, OPERATORS_VERBS)])
def test_every_verb_is_a_road_of_the_twins_or_it_is_said_why_not(kind, known):
    public = {name for name, _ in getmembers(kind, isfunction) if not name.startswith("_")}
    assert {SAME.get(name, name) for name in public} == known.keys()
    asked = {name: road or name for name, road in known.items() if " " not in road}
    assert set(asked.values()) <= ROADS.keys()
