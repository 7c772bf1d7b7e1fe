"""Names that no registry knows: how many a domain may make, and what operators make of them, from then on only."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from hub.clock import SimulatedClock
from hub.errors import HubError
from hub.hub import Hub
from hub.registry import Registry
from hub.remember.schema import MOST_NAMES
from tests.scene import POLICY, START

KIM = "kim"


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


def told(hub, agent, relation, value=None, *, customer=KIM, text=None, **more):
    fact = {"relation": relation, **({} if value is None else {"value": value}), **more}
    answer = hub.agent(agent, customer).remember(text, facts=[fact])
    assert not answer.refused, answer.refused
    return answer.facts[0]


def refused(hub, agent, relation, value="x", **more):
    answer = hub.agent(agent, KIM).remember(facts=[{"relation": relation, "value": value, **more}])
    return [item.code for item in answer.refused]


def held(hub, agent, **point):
    profile = hub.agent(agent, KIM).profile(**point)
    return {(memory.relation, memory.value) for entity in profile.entities for memory in entity.beliefs}


def code_of(act, /, *args, **more):
    with pytest.raises(HubError) as error:
        act(*args, **more)
    assert error.value.fix
    return error.value.code


def moment(hub, clock):
    clock.tick()
    at = datetime.fromtimestamp(hub._door.now() / 1_000_000, UTC)
    clock.tick()
    return at


# --- how many, and which ---------------------------------------------------------------------------------------------


def test_a_domain_gives_so_many_names_of_its_own_and_the_rest_is_refused_by_name(hub):
    kai = hub.agent("kai", KIM)
    names = [f"trait_{number}" for number in range(MOST_NAMES + 2)]
    answer = kai.remember(facts=[{"relation": name, "value": "x"} for name in names[:-1]])
    assert len(answer.facts) == MOST_NAMES
    assert [(item.index, item.code) for item in answer.refused] == [(MOST_NAMES, "too_many_relations")]
    assert refused(hub, "kai", names[-1]) == ["too_many_relations"]
    assert refused(hub, "kai", names[0], "another value of a name it has") == []
    assert refused(hub, "kai", "likes", "tea") == [], "what the registry knows is not counted"
    assert refused(hub, "atlas", names[-1]) == [], "another domain has its own"
    assert kai.remember(facts=[{"relation": names[-1], "value": "x"}], customer="lee").refused == ()


def test_what_a_writer_may_not_see_does_not_count_against_it(hub, admin):
    """The same writes, once beside names of its domain that the policy hides from it, and once without."""
    hidden = [f"secret_trait_{number}" for number in range(MOST_NAMES)]
    lines = [f"p, agent:kai, repair, private, {name}, read, *, deny" for name in hidden[:3]]
    admin.create_agent("kit", "repair")
    hub.agent("kit", KIM).remember(facts=[{"relation": name, "value": "x"} for name in hidden])
    assert refused(hub, "kai", "one_more") == ["too_many_relations"]
    admin.replace_policy(policy=POLICY + "\n" + "\n".join(lines) + "\n")
    assert [refused(hub, "kai", f"more_{number}") for number in range(4)] == [[], [], [], ["too_many_relations"]]


def test_what_was_opened_by_its_writer_counts_as_its_own(hub):
    names = [f"trait_{number}" for number in range(MOST_NAMES)]
    for scope in ("shared", "private"):
        facts = [{"relation": name, "value": "x", "scope": scope} for name in names[::2]]
        hub.agent("kai", KIM).remember(facts=facts)
    hub.agent("kai", KIM).remember(facts=[{"relation": name, "value": "x"} for name in names[1::2]])
    assert refused(hub, "kai", "one_more") == ["too_many_relations"]


@pytest.mark.parametrize(
    "name", ["password", "api_key", "cvv", "pin", "비밀번호", "mật_khẩu", "暗証番号", "wifi_password"]
)
def test_a_name_for_a_secret_is_refused_and_the_rest_is_recorded(hub, name):
    facts = [{"relation": name, "value": "1234"}, {"relation": "likes", "value": "tea"}]
    answer = hub.agent("mia", KIM).remember(facts=facts)
    assert [(item.index, item.code) for item in answer.refused] == [(0, "secret_name")]
    assert held(hub, "mia") == {("likes", "tea")}


# --- counted -----------------------------------------------------------------------------------------------------


def test_operators_see_how_much_each_name_is_used_and_by_which_domain(hub, admin):
    for customer in ("ann", "bob"):
        told(hub, "kai", "loyalty_tier", "gold", customer=customer)
    told(hub, "kai", "loyalty_tier", "silver", customer="ann")
    told(hub, "atlas", "loyalty_tier", "platinum", customer="ann")
    told(hub, "mia", "lucky_number", 7, customer="cho")
    told(hub, "mia", "likes", "tea", customer="cho")
    hub.agent("mia", "cho").retract(told(hub, "mia", "lucky_day", "monday", customer="cho").id)
    uses = [(use.relation, use.domain, use.customers, use.facts, use.standing) for use in admin.provisional()]
    assert uses == [
        ("loyalty_tier", "repair", 2, 3, "provisional"),
        ("loyalty_tier", "travel", 1, 1, "provisional"),
        ("lucky_number", "personal", 1, 1, "provisional"),
    ]
    assert admin.provisional()[2].last_used.year == 2026


def test_an_operator_of_one_domain_counts_that_domain_alone(hub, admin):
    """Nor does it learn of a customer of whom only others know anything."""
    admin.create_agent("dora", "review")
    grants = "p, sharer, repair, private, *, share, *, allow\np, sharer, company, global, *, share, *, allow\n"
    grants += "g, agent:dora, sharer, repair\ng, agent:dora, sharer, company\n"
    admin.replace_policy(policy=POLICY + "\n" + grants)
    dora = hub.operator("dora")
    told(hub, "atlas", "loyalty_tier", "platinum")
    assert dora.provisional() == []
    told(hub, "kai", "loyalty_tier", "gold")
    assert [(use.domain, use.customers) for use in dora.provisional()] == [("repair", 1)]
    assert code_of(hub.operator("sage").provisional) == "not_operator"


def test_an_operator_bound_to_some_customers_counts_those(hub, admin):
    admin.create_agent("ops", "operations", roles=["operator"], customers=["ann"])
    for customer in ("ann", "bob"):
        told(hub, "kai", "loyalty_tier", "gold", customer=customer)
    assert [use.customers for use in hub.operator("ops").provisional()] == [1]


# --- merged --------------------------------------------------------------------------------------------------------


def test_a_merged_name_means_the_known_one_from_now_on(hub, admin, clock):
    told(hub, "kai", "fond_of", "jazz")
    before = moment(hub, clock)
    merged = admin.merge_relation("fond_of", into="likes")
    assert (merged.relation, merged.moved) == ("fond_of", 0)
    receipt = told(hub, "kai", "fond_of", "tea")
    assert (receipt.slot, receipt.label.owner, receipt.label.relation) == ("customer/likes", "personal", "likes")
    assert ("likes", "tea") in held(hub, "atlas")
    assert ("fond_of", "jazz") in held(hub, "kai"), "what was stored stays as it was"
    assert "jazz" not in {value for _, value in held(hub, "mia")}
    assert held(hub, "kai", as_of=before) == {("fond_of", "jazz")}
    assert [(use.standing, use.into) for use in admin.provisional()] == [("merged", "likes")]


def test_what_is_stored_moves_with_a_merge_and_stays_with_its_writer(hub, admin, clock):
    fact = told(hub, "kai", "fond_of", "jazz", text="I love jazz")
    told(hub, "kai", "fond_of", "noise", negated=True)
    told(hub, "kai", "fond_of", "rain", valid_from="2020-01-01")
    before = moment(hub, clock)
    assert admin.merge_relation("fond_of", into="likes", existing=True).moved == 1, "what jazz has ended stays ended"
    assert held(hub, "kai") == {("likes", "jazz")}
    for agent in ("mia", "atlas", "nova"):
        assert held(hub, agent) == set(), agent
    assert held(hub, "kai", as_of=before) == {("fond_of", "jazz")}
    assert [record.kind for record in hub.agent("kai", KIM).history(fact.id).records] == ["claim", "withdraw"]
    assert admin.provisional() == []
    assert [m.text for m in hub.agent("kai", KIM).recall("jazz", kinds=["turn"]).memories] == ["I love jazz"]


def test_what_has_moved_with_a_merge_stays_with_its_writer_when_it_is_corrected(hub, admin):
    """However often, and whatever else about it is mended: the owner of the known relation was never told."""
    told(hub, "kai", "fond_of", "jazz")
    admin.merge_relation("fond_of", into="likes", existing=True)
    kai = hub.agent("kai", KIM)
    for mended in ({"valid_from": "2020-01-01"}, {"valid_from": "2021-01-01"}, {"value": "cool jazz"}):
        (belief,) = (belief for entity in kai.profile().entities for belief in entity.beliefs)
        kai.correct(belief.id, **mended)
        for agent in ("mia", "atlas", "nova"):
            assert held(hub, agent) == set(), (agent, mended)
    assert held(hub, "kai") == {("likes", "cool jazz")}


def test_what_has_moved_with_a_merge_is_erased_under_both_names_and_nothing_else_of_the_merge_is(hub, admin, clock):
    jazz, tea = told(hub, "kai", "fond_of", "jazz"), told(hub, "nova", "fond_of", "tea")
    before = moment(hub, clock)
    admin.merge_relation("fond_of", into="likes", existing=True)
    kai, nova = hub.agent("kai", KIM), hub.agent("nova", KIM)
    (moved,) = (belief for entity in kai.profile().entities for belief in entity.beliefs)
    reasons = [record.reason for record in nova.history(tea.id).records]
    assert admin.erase_fact(moved.id).erased.claims == 2
    assert held(hub, "kai") == held(hub, "kai", as_of=before) == set()
    assert code_of(kai.fact, jazz.id) == "not_found"
    assert held(hub, "nova") == {("likes", "tea")}
    assert [record.reason for record in nova.history(tea.id).records] == reasons, "why tea was moved is told as before"
    assert reasons[-1] is not None


def test_with_a_scope_what_is_stored_is_filed_where_the_known_relation_files_it(hub, admin, clock):
    told(hub, "kai", "fond_of", "jazz", text="I love jazz")
    before = moment(hub, clock)
    admin.merge_relation("fond_of", into="likes", existing=True, scope="shared")
    assert held(hub, "mia") == held(hub, "atlas") == held(hub, "kai") == {("likes", "jazz")}
    assert held(hub, "mia", as_of=before) == set(), "not even the past of those who read it now"
    for agent in ("mia", "atlas"):
        assert hub.agent(agent, KIM).recall("jazz", kinds=["turn"]).memories == (), (
            "the words stay where they were heard"
        )


def test_what_was_forgotten_does_not_come_back_under_another_name(hub, admin):
    hub.agent("kai", KIM).forget(told(hub, "kai", "fond_of", "jazz").id)
    assert admin.merge_relation("fond_of", into="likes", existing=True).moved == 0
    assert held(hub, "kai") == set()


def test_where_one_value_holds_a_merge_moves_them_all_in_their_order(hub, admin):
    for city in ("Hanoi", "Hue"):
        told(hub, "mia", "home_town", city, mode="change")
    told(hub, "mia", "home_town", "Dalat", negated=True)
    assert admin.merge_relation("home_town", into="lives_in", existing=True).moved == 3
    assert held(hub, "mia") == {("lives_in", "Hue")}


def test_a_name_is_merged_into_a_known_one_only_and_what_is_known_is_not_merged(hub, admin):
    assert code_of(admin.merge_relation, "fond_of", into="keen_on") == "unknown_relation"
    assert code_of(admin.merge_relation, "fond_of", into="fond_of") == "unknown_relation"
    assert code_of(admin.merge_relation, "likes", into="hobby") == "already_known"
    assert code_of(admin.merge_relation, "no name", into="likes") == "bad_relation"
    admin.promote("keen_on", scope="shared")
    admin.merge_relation("fond_of", into="keen_on")
    assert told(hub, "kai", "fond_of", "jazz").slot == "customer/keen_on"
    admin.demote("keen_on")
    assert told(hub, "kai", "fond_of", "tea").slot == "customer/fond_of", "what it meant is unknown again"


# --- rejected ------------------------------------------------------------------------------------------------------


def test_a_rejected_name_takes_nothing_more_and_what_is_stored_fades_as_before(hub, admin):
    told(hub, "kai", "mood", "grumpy")
    admin.reject_relation("mood")
    assert refused(hub, "kai", "mood", "cheerful") == ["relation_rejected"]
    assert held(hub, "kai") == {("mood", "grumpy")}
    assert [use.standing for use in admin.provisional()] == ["rejected"]
    admin.demote("mood")
    assert refused(hub, "kai", "mood", "cheerful") == []


def test_what_is_stored_under_a_rejected_name_is_taken_back_from_now_on(hub, admin, clock):
    told(hub, "kai", "mood", "grumpy")
    told(hub, "atlas", "mood", "calm", customer="lee")
    before = moment(hub, clock)
    assert admin.reject_relation("mood", existing=True).moved == 2
    assert held(hub, "kai") == set()
    assert held(hub, "kai", as_of=before) == {("mood", "grumpy")}


def test_the_last_decision_about_a_name_stands(hub, admin):
    admin.reject_relation("mood")
    admin.merge_relation("mood", into="likes")
    assert told(hub, "kai", "mood", "tea").slot == "customer/likes"
    admin.promote("mood", scope="shared")
    assert told(hub, "kai", "mood", "calm").slot == "customer/mood"
    assert admin.policies().promotions == ("mood",)
    admin.demote("mood")
    assert code_of(admin.demote, "mood") == "not_promoted"


def test_nobody_but_an_operator_decides_about_names(hub):
    sage = hub.operator("sage")
    for act in (
        lambda: sage.merge_relation("mood", into="likes"),
        lambda: sage.reject_relation("mood"),
        lambda: sage.rate("travel", 0.9),
        sage.provisional,
    ):
        assert code_of(act) == "not_operator"


def test_a_decision_survives_a_restart_and_is_a_version_of_the_policy(tmp_path, clock):
    with Hub.open(tmp_path / "hub.db", clock=clock) as hub:
        hub.operator().merge_relation("fond_of", into="likes")
        hub.operator().reject_relation("mood")
        hub.operator().rate("travel", 0.9, relation="lives_in")
        reasons = [version.reason for version in hub.operator().policy_versions()]
    assert reasons[1:] == ["merge fond_of into likes", "reject mood", "rate travel"]
    with Hub.open(tmp_path / "hub.db", clock=clock) as hub:
        registry = hub._door.rules().registry
        assert isinstance(registry, Registry)
        assert (registry.meant("fond_of"), registry.rejects("mood")) == ("likes", True)
        assert (registry.trust_of("travel", "lives_in"), registry.trust_of("travel")) == (0.9, None)
