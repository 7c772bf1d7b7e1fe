"""Two agents side by side, and what another policy would open and close: exactly what then comes to pass."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hub.answers import Ruling
from hub.clock import SimulatedClock
from hub.door import Act
from hub.errors import Denied, Incorrect, Missing
from hub.facts import Label, Scope
from hub.hub import Hub
from hub.hub.changes import OTHER, MemoryChange, PolicyDiff
from hub.moments import HOUR, rendered
from hub.policy import Policy, Subject
from tests.scene import MODEL, POLICY
from tests.views import SHIPPED, START

AGENTS = {
    "mia": "personal",
    "kai": "repair",
    "atlas": "travel",
    "sage": "health",
    "penny": "finance",
    "nova": "shopping",
}
PURPOSES = {"atlas": ("meal", "booking")}
DOMAINS = sorted({*AGENTS.values(), "operations"})


@pytest.fixture(scope="module")
def hub():
    with Hub.open(clock=SimulatedClock(START)) as opened:
        tell(opened)
        yield opened


def tell(hub: Hub) -> None:
    """Something under most kinds of label, in facts and in words."""
    hub.agent("nova", "linh").remember(
        "No satay, I am allergic to peanuts", facts=[{"relation": "allergic_to", "value": "peanuts"}]
    )
    hub.agent("mia", "linh").remember(
        facts=[
            {"relation": "lives_in", "value": "Hanoi"},
            {"relation": "address", "value": "Oak 1"},
            {"relation": "lucky_number", "value": "7"},
        ]
    )
    penny = hub.agent("penny", "linh")
    penny.remember(facts=[{"relation": "budget", "value": "800 USD"}, {"relation": "income", "value": "3000 USD"}])
    hub.agent("kai", "linh").remember("The brakes are gone", facts=[{"relation": "budget", "value": "900 USD"}])
    hub.agent("atlas", "linh").remember(facts=[{"relation": "takes_medication", "value": "aspirin"}])


def texts(seen: Iterable[object]) -> set[str]:
    return {one.text for one in seen}


# --- side by side ------------------------------------------------------------------------------------------------


def test_what_one_sees_and_the_other_does_not_with_the_line_for_each(hub):
    found = hub.operator().compare("linh", "sage", "atlas")
    assert (found.one.domain, found.other.domain) == ("health", "travel")
    assert texts(found.only_other) == set()
    [allergy] = found.only_one
    assert allergy.text == "allergic to: peanuts"
    assert [ruling.text for ruling in allergy.opened] == ["p, owner, *, private, *, read, *, allow"]
    assert allergy.denied is not None
    assert allergy.denied.why == "no line allows it"


def test_words_stay_with_who_heard_them(hub):
    found = hub.operator().compare("linh", "nova", "sage")
    assert texts(found.only_one) == {"No satay, I am allergic to peanuts"}
    assert texts(found.only_other) == {"takes: aspirin"}


def test_a_purpose_counts_for_whom_it_is_bound_to(hub):
    found = hub.operator().compare("linh", "sage", "atlas", purpose="meal")
    assert (found.one.purpose, found.other.purpose) == (None, "meal")
    assert "allergic to: peanuts" not in texts(found.only_one)
    with pytest.raises(Incorrect) as caught:
        hub.operator().compare("linh", "sage", "nova", purpose="meal")
    assert caught.value.code == "purpose_not_bound"


def test_what_both_may_read_and_do_not_believe_alike_is_told_apart(hub):
    mia, sage = hub.agent("mia", "minh"), hub.agent("sage", "minh")
    mia.remember(facts=[{"relation": "lives_in", "value": "Hanoi"}])
    private = {"relation": "lives_in", "value": "the clinic", "mode": "change", "scope": "private"}
    sage.remember(facts=[private])
    found = hub.operator().compare("minh", "sage", "atlas")
    assert texts(found.only_one) == {"lives in: the clinic"}
    [home] = found.differently
    assert (home.text, home.one.status, home.other.status) == ("lives in: Hanoi", "past", "current")


def test_the_past_is_compared_by_the_rules_of_the_past():
    with Hub.open(clock=(clock := SimulatedClock(START))) as hub:
        tell(hub)
        clock.advance(HOUR)
        then = rendered(clock.now())
        clock.advance(HOUR)
        operator = hub.operator()
        operator.replace_policy(policy=POLICY + "p, travel, health, private, *, read, *, allow\n")
        operator = hub.operator()
        assert texts(operator.compare("linh", "health", "travel").only_one) == set()
        assert texts(operator.compare("linh", "health", "travel", as_of=then).only_one) == {"allergic to: peanuts"}


def test_a_long_list_is_cut_and_says_so(hub):
    found = hub.operator().compare("linh", "mia", "sage", limit=1)
    assert len(found.only_one) == len(found.only_other) == 1
    assert found.truncated


REFUSED = [
    (Denied, "not_operator", "atlas", ("mia", "kai"), {}),
    (Missing, "not_found", "admin", ("mia", "nobody"), {}),
    (Incorrect, "future_known_at", "admin", ("mia", "kai"), {"as_of": "2050-01-01"}),
    (Incorrect, "unknown_field", "admin", ("mia", "kai"), {"include_private": True}),
]


@pytest.mark.parametrize(("kind", "code", "who", "names", "more"), REFUSED)
def test_only_auditors_compare_and_only_what_there_is(hub, kind, code, who, names, more):
    with pytest.raises(kind) as caught:
        hub.operator(who).compare("linh", *names, **more)
    assert caught.value.code == code


# --- another policy, label by label ------------------------------------------------------------------------------

ADDED = [
    "p, travel, health, private, *, read, *, allow",
    "p, travel, *, private, *, read, booking, allow",
    "p, shared-reader, *, shared, lives_in, read, *, deny",
    "p, agent:kai, finance, *, income, read, *, allow",
    "p, *, company, global, *, read, *, deny",
    "p, told, *, private, turn, read, *, deny",
    "p, finance, *, private, lucky_number, read, *, allow",
    "p, *, travel, *, *, read, meal, deny",
    "p, owner, *, private, allergic_to, read, *, deny",
    "g, repair, finance, *",
    "g, agent:nova, owner-like, health",
    "p, owner-like, health, *, *, read, *, allow",
]
LINES = [line for line in POLICY.splitlines() if line[:2] in ("p,", "g,") and "admin" not in line]


@st.composite
def policies(draw: st.DrawFn) -> str:
    added = draw(st.lists(st.sampled_from(ADDED), max_size=3, unique=True))
    gone = draw(st.lists(st.sampled_from(LINES), max_size=2, unique=True))
    return "\n".join([line for line in POLICY.splitlines() if line not in gone] + added) + "\n"


LABELS = [
    Label(owner, told, scope, name)
    for owner, name in [
        *((SHIPPED.of(name, "").owner, name) for name in SHIPPED.relations),
        *product(DOMAINS, ("lucky_number", "never_heard_of", "income", "allergic_to")),
    ]
    for told in ("finance", "health", "travel", "operations")
    for scope in (Scope.PRIVATE, Scope.SHARED)
    if name not in SHIPPED.relations or owner == SHIPPED.of(name, "").owner
] + [Label("company", told, Scope.GLOBAL, name) for told in DOMAINS for name in ("opening_hours", "holidays")]


def foretold(diff: PolicyDiff, agent: str, purpose: str | None, label: Label, strange: set[str]) -> bool | None:
    """Whether the label opens (True), closes (False), or stays as it is (None) to the agent."""
    relation = label.relation if label.relation in SHIPPED.relations or label.relation in strange else OTHER
    for named in dict.fromkeys((purpose, None)):
        for change in diff.labels:
            if (
                agent in change.agents
                and (change.purpose, change.owner, change.scope) == (named, label.owner, label.scope)
                and label.told in change.told
                and relation in change.relations
            ):
                return change.opens
    return None


def verdicts(policies: tuple[Policy, Policy], agent: str, label: Label, purpose: str | None = None) -> list[bool]:
    return [policy.decide(Subject(agent, AGENTS[agent]), label, Act.READ, purpose) for policy in policies]


@settings(max_examples=10)
@given(policies())
def test_every_label_opens_and_closes_just_as_foretold(hub, policy):
    diff = hub.operator().policy_diff(policy=policy)
    both = Policy.parse(MODEL, POLICY), Policy.parse(MODEL, policy)
    strange = {name for one in both for name in one.named[1]}
    for agent in AGENTS:
        for purpose, label in product((None, *PURPOSES.get(agent, ())), LABELS):
            before, after = verdicts(both, agent, label, purpose)
            told = foretold(diff, agent, purpose, label, strange)
            if before != after:
                assert told is after, (agent, purpose, label)
            elif told is not None:
                assert purpose, (agent, label)
                plain = verdicts(both, agent, label)
                assert plain[0] != plain[1], "what changes for those who name no purpose need not for those who do"


# --- another policy, memory by memory ----------------------------------------------------------------------------


def sights(hub: Hub) -> dict[tuple[str, str | None], set[str]]:
    """The ids of all that each agent finds on any road, for each of its purposes."""
    found = {}
    for agent in AGENTS:
        for purpose in (None, *PURPOSES.get(agent, ())):
            view = hub._door.look(agent, "linh", None, purpose)
            found[agent, purpose] = {row.record.id for row in view.all_rows()}
    return found


def foretold_ids(memories: Iterable[MemoryChange], agent: str, purpose: str | None, *, opens: bool) -> set[str]:
    return {m.memory_id for m in memories if (m.agent, m.opens) == (agent, opens) and m.purpose in (None, purpose)}


@settings(max_examples=10)
@given(policies())
def test_memories_open_and_close_just_as_foretold(policy):
    with Hub.open(clock=SimulatedClock(START)) as hub:
        tell(hub)
        before = sights(hub)
        diff = hub.operator().policy_diff(policy=policy, customer="linh", limit=1000)
        assert sights(hub) == before, "trying out changes nothing"
        hub.operator().replace_policy(policy=policy)
        after = sights(hub)
    for (agent, purpose), ids in before.items():
        for opens, news in ((True, after[agent, purpose] - ids), (False, ids - after[agent, purpose])):
            told = foretold_ids(diff.memories, agent, purpose, opens=opens)
            plain = after[agent, None] ^ before[agent, None]
            assert news <= told
            assert told - news <= plain
    assert (diff.opened, diff.closed) == tuple(sum(m.opens is way for m in diff.memories) for way in (True, False))


def test_each_memory_comes_with_the_line_that_opens_or_closes_it(hub):
    opening, closing = (ADDED[0], ADDED[2])
    diff = hub.operator().policy_diff(policy=f"{POLICY}{opening}\n{closing}\n", customer="linh")
    told = {(m.agent, m.text): m for m in diff.memories}
    opened, closed = told["atlas", "allergic to: peanuts"], told["kai", "lives in: Hanoi"]
    assert (opened.opens, rule_of(opened).text) == (True, opening)
    assert (closed.opens, rule_of(closed).text) == (False, closing)
    assert rule_of(opened).version is None, "it is not in force"


def rule_of(change: MemoryChange) -> Ruling:
    assert change.rule is not None
    return change.rule


def test_a_policy_tried_out_on_the_past_still_needs_the_policy_of_then(hub):
    then = rendered(hub._door.now())
    diff = hub.operator().policy_diff(policy=POLICY + ADDED[0] + "\n", customer="linh", as_of=then)
    assert diff.memories == (), "what could not be read then is not opened for then"


def test_a_domain_or_an_agent_can_be_asked_about_alone(hub):
    policy = POLICY + ADDED[2] + "\n"
    whole = hub.operator().policy_diff(policy=policy, customer="linh")
    only = hub.operator().policy_diff(policy=policy, customer="linh", agents=["travel"])
    assert {m.agent for m in whole.memories} == {"kai", "atlas", "sage", "penny", "nova"}
    assert {m.agent for m in only.memories} == {"travel"}
    assert {agent for change in only.labels for agent in change.agents} == {"travel"}
    atlas = [change for change in whole.labels if "atlas" in change.agents]
    assert [(c.owner, c.told, c.relations) for c in only.labels] == [(c.owner, c.told, c.relations) for c in atlas]


def test_an_auditor_of_one_domain_is_told_of_no_other(hub):
    with Hub.open(clock=SimulatedClock(START)) as other:
        tell(other)
        other.agent("vera", domain="audit")
        grants = "g, agent:vera, auditor, company\ng, agent:vera, auditor, personal\n"
        other.operator().replace_policy(policy=POLICY + grants)
        policy = f"{POLICY}{grants}{ADDED[0]}\n{ADDED[2]}\n"
        diff = other.operator("vera").policy_diff(policy=policy, customer="linh")
        assert {change.owner for change in diff.labels} == {"personal"}
        assert texts(diff.memories) == {"lives in: Hanoi"}
        assert texts(other.operator("vera").compare("linh", "sage", "kai").only_one) == set()


BROKEN = [
    ({}, "no_policy"),
    ({"policy": "p, travel"}, "bad_policy"),
    ({"model": "[matchers]"}, "bad_policy"),
    ({"policy": POLICY, "include_private": True}, "unknown_field"),
    ({"policy": POLICY, "agents": ["nobody"]}, "not_found"),
]


@pytest.mark.parametrize(("asked", "code"), BROKEN, ids=[code for _, code in BROKEN])
def test_what_makes_no_policy_is_refused(hub, asked, code):
    with pytest.raises((Incorrect, Missing)) as caught:
        hub.operator().policy_diff(**asked)
    assert caught.value.code == code


def test_only_auditors_try_policies_out(hub):
    with pytest.raises(Denied):
        hub.operator("atlas").policy_diff(policy=POLICY)


def test_a_policy_like_the_one_in_force_changes_nothing(hub):
    assert hub.operator().policy_diff(policy=POLICY + "# a remark\n", customer="linh") == PolicyDiff(
        version=1, labels=()
    )
