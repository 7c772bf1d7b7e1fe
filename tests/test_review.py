"""The review queue: what is contested, what a human decides about it, and who comes to know of the decision."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from hub.clock import SimulatedClock
from hub.errors import HubError
from hub.hub import Hub
from tests.scene import MODEL, POLICY, START

KIM = "kim"
BLOOD, HOME = "blood_type", "lives_in"


@pytest.fixture
def clock():
    return SimulatedClock(START)


@pytest.fixture
def hub(clock):
    with Hub.open(clock=clock) as hub:
        yield hub


@pytest.fixture
def admin(hub):
    return hub.operator()


def told(hub, agent, relation, value=None, *, customer=KIM, **more):
    fact = {"relation": relation, **({} if value is None else {"value": value}), **more}
    answer = hub.agent(agent, customer).remember(facts=[fact])
    assert not answer.refused
    return answer.facts[0].id


def beliefs(hub, agent, relation, **point):
    """What is held at the point itself."""
    found = (memory for entity in hub.agent(agent, KIM).profile(**point).entities for memory in entity.beliefs)
    return [memory for memory in found if memory.relation == relation and memory.status == "current"]


def held(hub, agent, relation, **point):
    """Values and what contests each."""
    return {memory.value: set(memory.contested_by) for memory in beliefs(hub, agent, relation, **point)}


def values(contest):
    return [side.value for side in contest.sides]


def code_of(act, /, *args, **more):
    with pytest.raises(HubError) as refused:
        act(*args, **more)
    return refused.value.code


def moment(hub, clock):
    """An instant after all so far, before all to come."""
    clock.tick()
    at = datetime.fromtimestamp(hub._door.now() / 1_000_000, UTC)
    clock.tick()
    return at


# --- the queue -------------------------------------------------------------------------------------------------------


def test_what_is_contested_waits_with_its_sides_until_a_human_decides(hub, admin):
    one = told(hub, "sage", BLOOD, "A")
    assert admin.review().contests == ()
    other = told(hub, "mia", BLOOD, "B", mode="change")
    contest = admin.review().contests[0]
    assert (contest.customer, contest.subject, contest.relation, contest.arbitration) == (
        KIM,
        "customer",
        BLOOD,
        "review",
    )
    assert [(side.id, side.value, side.domain) for side in contest.sides] == [
        (other, "B", "personal"),
        (one, "A", "health"),
    ]
    assert held(hub, "sage", BLOOD) == {"A": {"B"}, "B": {"A"}}
    admin.accept(one, reason="the lab says so")
    assert held(hub, "sage", BLOOD) == {"A": set()}
    assert admin.review().contests == ()
    assert beliefs(hub, "sage", BLOOD)[0].id == one, "the belief goes on under its own name"


def test_accepting_a_change_leaves_what_was_so_before_it(hub, admin, clock):
    told(hub, "sage", BLOOD, "A", valid_from="2020-01-01")
    other = told(hub, "sage", BLOOD, "B", valid_from="2024-01-01")
    admin.accept(other)
    assert held(hub, "sage", BLOOD) == {"B": set()}
    assert held(hub, "sage", BLOOD, valid_at="2022-01-01") == {"A": set()}


def test_a_rejected_value_is_gone_from_all_of_valid_time_and_its_rival_stands(hub, admin):
    told(hub, "sage", BLOOD, "A")
    wrong = told(hub, "mia", BLOOD, "B", valid_from="2024-01-01")
    told(hub, "sage", BLOOD, "B", valid_from="2025-01-01")
    receipt = admin.reject(wrong, reason="never was")
    assert len(receipt.acts) == 2
    assert held(hub, "sage", BLOOD) == {"A": set()}
    assert held(hub, "sage", BLOOD, valid_at="2025-06-01") == {}


def test_an_edit_puts_a_third_value_in_the_place_of_a_side(hub, admin):
    told(hub, "sage", BLOOD, "A")
    other = told(hub, "mia", BLOOD, "B", valid_from="2024-01-01")
    admin.edit(other, value="AB", reason="both were typing mistakes")
    assert held(hub, "sage", BLOOD) == {"AB": set()}
    assert held(hub, "sage", BLOOD, valid_at="2025-01-01") == {"AB": set()}
    assert held(hub, "sage", BLOOD, valid_at="2023-01-01") == {}


def test_an_edit_takes_its_own_stretch(hub, admin):
    one = told(hub, "sage", BLOOD, "A", valid_from="2020-01-01")
    told(hub, "mia", BLOOD, "B", valid_from="2020-01-01")
    assert code_of(admin.edit, one, reason="no value") == "no_value"
    admin.edit(one, value="AB", valid_from="2019-01-01", valid_to="2100-01-01")
    assert held(hub, "sage", BLOOD, valid_at="2019-06-01") == {"AB": set()}
    assert held(hub, "sage", BLOOD) == {"AB": set()}
    assert beliefs(hub, "sage", BLOOD)[0].valid_to.year == 2100
    admin.undo(beliefs(hub, "sage", BLOOD)[0].id)
    admin.edit(one, value="AB", valid_to=None)
    assert beliefs(hub, "sage", BLOOD)[0].valid_to is None


def test_undoing_a_decision_opens_the_contest_again_and_each_is_in_the_history(hub, admin, clock):
    one, other = told(hub, "sage", BLOOD, "A"), told(hub, "mia", BLOOD, "B")
    before = moment(hub, clock)
    decision = admin.accept(one).acts[0]
    between = moment(hub, clock)
    undone = admin.undo(decision, reason="the lab mixed them up")
    assert undone.targets == (decision,)
    assert admin.undo(decision).acts == (), "a second time changes nothing"
    assert held(hub, "sage", BLOOD) == {"A": {"B"}, "B": {"A"}}
    assert held(hub, "sage", BLOOD, as_of=before) == {"A": {"B"}, "B": {"A"}}
    assert held(hub, "sage", BLOOD, as_of=between) == {"A": set()}
    rejected = admin.reject(other)
    assert held(hub, "sage", BLOOD) == {"A": set()}
    admin.undo(rejected.acts[0])
    assert held(hub, "sage", BLOOD) == {"A": {"B"}, "B": {"A"}}


def test_what_comes_after_a_decision_contests_it_and_is_decided_in_its_turn(hub, admin):
    told(hub, "sage", BLOOD, "A")
    admin.accept(told(hub, "mia", BLOOD, "B"))
    told(hub, "sage", BLOOD, "B")
    assert admin.review().contests == ()
    late = told(hub, "sage", BLOOD, "0", valid_from="2020-01-01")
    assert set(values(admin.review().contests[0])) == {"B", "0"}
    admin.accept(late)
    assert held(hub, "sage", BLOOD) == {"0": set()}


def test_that_there_is_nothing_can_be_the_right_side(hub, admin):
    told(hub, "mia", "name", "Kim")
    nothing = told(hub, "atlas", "name", negated=True)
    contest = admin.review().contests[0]
    assert set(values(contest)) == {"Kim", None}
    admin.accept(nothing)
    assert held(hub, "mia", "name") == {}
    assert admin.review().contests == ()


def test_a_trip_of_next_month_is_reviewed_before_it_comes(hub, admin):
    for city in ("A", "B"):
        told(hub, "sage", BLOOD, city, valid_from="2027-01-01", mode="state")
    contest = admin.review().contests[0]
    assert (contest.status, set(values(contest))) == ("upcoming", {"A", "B"})
    admin.accept(contest.sides[0].id)
    assert admin.review().contests == ()


def test_things_are_told_by_name(hub, admin):
    told(hub, "mia", HOME, object={"kind": "city", "name": "Hanoi"})
    told(hub, "atlas", HOME, object={"kind": "city", "name": "Hue"})
    contest = admin.review().contests[0]
    assert set(values(contest)) == {"Hanoi", "Hue"}
    admin.accept(contest.sides[1].id)
    assert held(hub, "nova", HOME) == {contest.sides[1].value: set()}


def test_the_queue_goes_page_by_page_over_all_customers(hub, admin):
    for customer in ("ann", "bob", "cho"):
        for relation in (BLOOD, HOME):
            told(hub, "sage", relation, "A", customer=customer)
            told(hub, "mia", relation, "B", customer=customer)
    told(hub, "mia", "likes", "tea", customer="dan")
    seen, cursor = [], None
    while True:
        page = admin.review(limit=4, cursor=cursor)
        seen += [(contest.customer, contest.relation) for contest in page.contests]
        assert page.truncated == (page.next is not None)
        if page.next is None:
            break
        cursor = page.next
    assert seen == [(customer, relation) for customer in ("ann", "bob", "cho") for relation in (BLOOD, HOME)]
    assert [c.relation for c in admin.review(customer="bob").contests] == [BLOOD, HOME]
    assert admin.review(customer="nobody").contests == ()
    assert code_of(admin.review, cursor="?") == "bad_cursor"


def test_what_is_not_contested_cannot_be_decided(hub, admin):
    fact = told(hub, "sage", BLOOD, "A")
    for act in (admin.accept, admin.reject):
        assert code_of(act, fact) == "not_contested"
        assert code_of(act, "fact_unknown") == "not_found"
    assert code_of(admin.edit, fact, value="B") == "not_contested"
    assert code_of(admin.undo, fact) == "not_found"
    hub.agent("sage", KIM).retract(fact)
    assert code_of(admin.accept, fact) == "not_found"


# --- who decides, and who comes to know ------------------------------------------------------------------------------


def test_only_whom_the_policy_lets_decide_can_review(hub, admin):
    one = told(hub, "sage", BLOOD, "A")
    told(hub, "mia", BLOOD, "B")
    agent = hub.operator("sage")
    for act in (agent.review, lambda: agent.accept(one), lambda: agent.reject(one), lambda: agent.edit(one, value="C")):
        assert code_of(act) in ("not_operator", "not_found")
    assert held(hub, "sage", BLOOD) == {"A": {"B"}, "B": {"A"}}


def test_a_reviewer_of_one_domain_sees_and_settles_only_what_it_may_decide(hub, admin):
    """Of what it may not, it hears no more than if there were nothing."""
    lines = [line for line in POLICY.splitlines() if not line.startswith("p, operator, *, *, *, decide")]
    lines += ["p, reviewer, health, private, *, decide, *, allow", "p, reviewer, company, global, *, decide, *, allow"]
    admin.create_agent("dora", "review")
    lines += ["g, agent:dora, reviewer, health", "g, agent:dora, reviewer, company"]
    admin.replace_policy(model=MODEL, policy="\n".join(lines))
    dora = hub.operator("dora")
    told(hub, "mia", HOME, "Hanoi")
    hidden = told(hub, "atlas", HOME, "Hue")
    assert dora.review().contests == ()
    assert code_of(dora.accept, hidden) == code_of(dora.accept, "fact_unknown") == "not_found"
    one = told(hub, "sage", BLOOD, "A")
    told(hub, "sage", BLOOD, "B")
    assert [contest.relation for contest in dora.review().contests] == [BLOOD]
    dora.accept(one)
    assert held(hub, "sage", BLOOD) == {"A": set()}
    assert held(hub, "nova", HOME) == {"Hanoi": {"Hue"}, "Hue": {"Hanoi"}}


def test_a_decision_is_for_those_who_may_read_both_sides(hub, admin):
    """Shopping heard one side alone: to it nothing was contested, and nothing is decided."""
    own = told(hub, "nova", BLOOD, "B")
    right = told(hub, "sage", BLOOD, "A")
    before = hub.agent("nova", KIM).timeline()
    decision = admin.accept(right).acts[0]
    assert held(hub, "sage", BLOOD) == {"A": set()}
    assert held(hub, "nova", BLOOD) == {"B": set()}
    after = hub.agent("nova", KIM).timeline()
    assert after.slots == before.slots
    assert code_of(hub.agent("nova", KIM).fact, decision) == "not_found"
    assert len(hub.agent("nova", KIM).history(own).records) == 1
    labels = hub.agent("sage", KIM).fact(decision).label
    assert {(label.owner, label.told) for label in labels} == {("health", "health"), ("health", "shopping")}


def test_a_decision_is_as_open_as_the_most_open_claims_of_its_sides(hub, admin):
    told(hub, "mia", HOME, "Hanoi")
    told(hub, "mia", HOME, "Hanoi", scope="private")
    told(hub, "atlas", HOME, "Hue")
    wanted = next(s.id for s in admin.review().contests[0].sides if s.value == "Hanoi")
    admin.accept(wanted)
    assert held(hub, "nova", HOME) == held(hub, "mia", HOME) == {"Hanoi": set()}


def test_nobody_else_makes_a_claim_that_settles(hub, admin):
    one = told(hub, "sage", BLOOD, "A")
    told(hub, "mia", BLOOD, "B")
    admin.accept(one)
    told(hub, "sage", BLOOD, "AB", mode="correct", valid_from="2020-01-01")
    assert held(hub, "sage", BLOOD) == {"A": {"AB"}, "AB": {"A"}}


def test_what_corrects_a_decision_decides_nothing_itself(hub, admin):
    """The owner domain may take back what is said of its relation, an operator's word too, and settles nothing."""
    one = told(hub, "sage", BLOOD, "A")
    told(hub, "mia", BLOOD, "B")
    decision = admin.accept(one).acts[0]
    hub.agent("sage", KIM).correct(decision, value="0")
    assert set(held(hub, "sage", BLOOD)) == {"A", "B", "0"}


def test_the_audit_names_the_decisions(hub, admin):
    one = told(hub, "sage", BLOOD, "A")
    told(hub, "mia", BLOOD, "B")
    decision = admin.accept(one, reason="asked").acts[0]
    admin.undo(decision)
    lines = {line.verb: line for line in admin.audit(agent="admin").lines}
    assert decision in lines["accept"].records
    assert {label.relation for label in lines["accept"].labels} == {BLOOD}
    assert lines["undo"].outcome == "ok"
