"""Operating a hub: agents and their keys, rules and their versions, what is promoted, and others' eyes."""

from __future__ import annotations

import base64
import sqlite3
import threading
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta

import pytest

from hub.clock import SimulatedClock
from hub.door import Act, Door
from hub.errors import HubError, Incorrect, Missing
from hub.hub import DEMO_AGENTS, Hub, shipped
from hub.moments import HOUR, as_datetime
from hub.requests import Fact
from tests.scene import CUSTOMER, MODEL, POLICY, RELATIONS, START

NINE = as_datetime(START)


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


def code_of(act, /, *args, **more):
    with pytest.raises(HubError) as refused:
        act(*args, **more)
    assert refused.value.fix
    return refused.value.code


def told(hub, agent, relation, value, **more):
    answer = hub.agent(agent, CUSTOMER).remember(facts=[{"relation": relation, "value": value, **more}])
    return answer.facts[0].id


def held(profile):
    return {memory.value for entity in profile.entities for memory in entity.beliefs}


def sees(hub, agent, **point):
    return held(hub.agent(agent, CUSTOMER).profile(**point))


def moment(hub, clock):
    """An instant after all so far, before all to come."""
    clock.tick()
    at = as_datetime(max(clock.now(), hub._door.now()))
    clock.tick()
    return at


# --- opening -----------------------------------------------------------------------------------------------------


def test_a_new_hub_knows_six_agents_and_the_shipped_rules(hub, admin):
    for agent, (domain, purposes) in DEMO_AGENTS.items():
        me = hub.agent(agent).me()
        assert (me.agent, me.domain, me.purposes, me.customers, me.policy_version) == (agent, domain, purposes, None, 1)
    assert hub.agent("admin").me().roles == ("auditor", "operator")
    assert hub.agent("mia").me().roles == ("shared-reader",)
    assert hub.ready()
    assert hub.faults() == []
    version = admin.policies()
    assert (version.model, version.policy, version.relations) == (MODEL, POLICY, RELATIONS)


def test_a_hub_in_a_file_is_there_again(tmp_path, clock):
    file = tmp_path / "memory.db"
    with Hub.open(file, clock=clock) as hub:
        told(hub, "mia", "likes", "tea")
        key = hub.operator().create_agent("iris", "travel").key
        before = hub.agent("mia", CUSTOMER).profile()
    with Hub.open(str(file), clock=clock) as hub:
        again = hub.agent("mia", CUSTOMER).profile()
        assert [e.beliefs for e in again.entities] == [e.beliefs for e in before.entities]
        assert hub.authenticate(key).id == "iris"
        assert len(hub.operator().policy_versions()) == 1


def folder(tmp_path, **texts):
    made = tmp_path / "rules"
    made.mkdir(exist_ok=True)
    files = {"model.conf": MODEL, "policy.csv": POLICY, "relations.yaml": RELATIONS, **texts}
    for name, text in files.items():
        (made / name).write_text(text, encoding="utf-8")
    return made


def test_other_rules_given_to_an_existing_hub_become_its_next_version(tmp_path, clock):
    file = tmp_path / "memory.db"
    Hub.open(file, clock=clock).close()
    strict = POLICY + "p, shared-reader, *, shared, diet, read, *, deny\n"
    rules = folder(tmp_path, **{"policy.csv": strict})
    for given in (rules, str(rules)):  # given twice, they are new once
        with Hub.open(file, policies=given, clock=clock) as hub:
            assert [v.policy for v in hub.operator().policy_versions()] == [POLICY, strict]
    with Hub.open(file, clock=clock) as hub:
        assert hub.operator().policies().policy == strict
    other = tmp_path / "relations.yaml"
    other.write_text(RELATIONS.replace("likes to be called", "answers to"), encoding="utf-8")
    with Hub.open(file, relations=other, clock=clock) as hub:
        assert (hub.operator().policies().version, hub.operator().policies().policy) == (3, strict)
        assert "answers to" in hub.operator().policies().relations
        assert len(hub.operator().policies().promotions) == 0


@pytest.mark.parametrize(
    ("file", "text", "code"),
    [
        ("policy.csv", "", "bad_policy"),
        ("policy.csv", "p, nonsense", "bad_policy"),
        ("model.conf", "[matchers]\nm = true", "bad_policy"),
        ("relations.yaml", "relations: {}", "bad_registry"),
    ],
)
def test_rules_that_cannot_be_read_open_no_hub_and_change_none(tmp_path, clock, file, text, code):
    database = tmp_path / "memory.db"
    rules = folder(tmp_path, **{file: text})
    assert code_of(Hub.open, database, policies=rules, clock=clock) == code
    assert code_of(Hub.open, policies=rules, clock=clock) == code
    with Hub.open(database, clock=clock) as hub:
        assert hub.operator().policies().policy == POLICY
    assert code_of(Hub.open, database, policies=rules, clock=clock) == code


def test_rules_that_are_not_there_open_no_hub(tmp_path, clock):
    assert code_of(Hub.open, policies=tmp_path / "nowhere", clock=clock) == "unreadable_file"
    assert code_of(Hub.open, relations=tmp_path, clock=clock) == "unreadable_file"
    assert code_of(Hub.open, tmp_path / "nowhere" / "memory.db", clock=clock) == "not_a_ledger"


def test_two_who_open_a_new_file_at_once_make_one_hub(tmp_path):
    file, both = tmp_path / "memory.db", threading.Barrier(2)

    def opened(_):
        both.wait()
        with Hub.open(file) as hub:
            return len(hub.operator().policy_versions())

    with ThreadPoolExecutor(2) as threads:
        assert list(threads.map(opened, range(2))) == [1, 1]


def test_a_temporary_hub_leaves_nothing_behind(clock):
    hub = Hub.open(clock=clock)
    place = hub._scratch.name
    told(hub, "mia", "likes", "tea")
    hub.close()
    assert not shipped("policies").joinpath(place).exists()


def test_a_damaged_hub_says_so(tmp_path, clock):
    with Hub.open(tmp_path / "memory.db", clock=clock) as hub:
        with hub._ledger.writing() as writing:
            current = writing.latest_version()
            writing.version(type(current)(**{**current.columns(), "policy": "p, nonsense"}))
        assert any("bad_policy" in fault for fault in hub.faults())


# --- agents ------------------------------------------------------------------------------------------------------


def test_an_agent_is_created_by_saying_where_it_lives(hub):
    lex = hub.agent("lex", CUSTOMER, domain="legal", purposes=["court"], customers=[CUSTOMER])
    me = lex.me()
    assert (me.domain, me.purposes, me.customers, me.roles) == ("legal", ("court",), (CUSTOMER,), ())
    assert hub.agent("lex", domain="legal").domain == "legal"
    assert code_of(hub.agent, "lex", domain="travel") == "agent_exists"
    assert code_of(hub.agent, "nobody") == "unknown_agent"
    told(hub, "mia", "likes", "tea")
    assert sees(hub, "lex") == set()


@pytest.mark.parametrize(
    "name", ["*", "p, admin", "a\nb", "", " ", "../x", "owner\x00", "agent:mia", "Ünï", "x" * 65, "a b"]
)
def test_an_agent_or_a_home_of_an_odd_name_is_refused(hub, admin, name):
    for agent, domain in ((name, "travel"), ("fine", name)):
        assert code_of(admin.create_agent, agent, domain) in {"bad_name", "bad_field"}
    assert code_of(hub.agent, "fine") == "unknown_agent"
    assert admin.policies().version == 1


@pytest.mark.parametrize("domain", ["owner", "told", "company", "operator", "auditor", "shared-reader", "*"])
def test_nobody_lives_in_a_role(admin, domain):
    assert code_of(admin.create_agent, "fine", domain) == "bad_name"


@pytest.mark.parametrize("id", ["mia", "gone"])
def test_an_id_is_never_used_twice(hub, admin, id):
    if id == "gone":
        admin.create_agent("gone", "travel")
        admin.disable("gone")
    keys = len(admin.policy_versions())
    assert code_of(admin.create_agent, id, "travel", roles=["operator"]) == "agent_exists"
    assert len(admin.policy_versions()) == keys


def test_an_agent_may_be_given_roles_and_they_are_lines_of_the_policy(hub, admin):
    admin.create_agent("ada", "operations", roles=["auditor"])
    assert hub.agent("ada").me().roles == ("auditor",)
    assert admin.policies().policy.endswith("g, agent:ada, auditor, *\n")
    assert admin.policies().reason == "roles of ada"
    told(hub, "mia", "likes", "tea")
    assert held(hub.operator("ada").beliefs(CUSTOMER, "atlas")) == {"tea"}
    assert code_of(hub.operator("ada").disable, "mia") == "not_operator"


@pytest.mark.parametrize("role", ["owner", "told", "operator, *", "agent:mia", "a b", "*", "operator\ng, agent:x"])
def test_a_role_that_is_none_creates_no_agent(hub, admin, role):
    assert code_of(admin.create_agent, "ada", "operations", roles=[role]) in {"unknown_role", "bad_field"}
    assert code_of(hub.agent, "ada") == "unknown_agent"
    assert admin.policies().version == 1


def test_an_agent_serves_whom_it_is_bound_to_and_names_its_own_purposes(hub, admin):
    told(hub, "nova", "allergic_to", "peanuts")
    admin.bind("kai", customers=["lee"], purposes=["meal"])
    assert hub.agent("kai").me().customers == ("lee",)
    assert code_of(sees, hub, "kai") == "not_bound"
    admin.bind("kai")
    assert (hub.agent("kai").me().customers, hub.agent("kai").me().purposes) == (None, ())
    assert sees(hub, "kai") == set()
    admin.disable("kai")
    admin.bind("kai", customers=None)
    assert code_of(sees, hub, "kai") == "unknown_agent"  # to be bound is not to be back


def test_only_operators_operate(hub):
    mia = hub.operator("mia")
    for act in (
        lambda: mia.create_agent("x", "travel"),
        lambda: mia.bind("kai", customers=[]),
        lambda: mia.rotate("kai"),
        lambda: mia.revoke("kai"),
        lambda: mia.disable("kai"),
        mia.policies,
        mia.policy_versions,
        mia.relations,
        lambda: mia.check_policy(policy=POLICY),
        lambda: mia.replace_policy(policy=POLICY),
        lambda: mia.explain_policy("kai", owner="repair", relation="fault"),
        lambda: mia.promote("shoe_color", scope="shared"),
        lambda: mia.demote("shoe_color"),
        lambda: mia.beliefs(CUSTOMER, "kai"),
    ):
        assert code_of(act) == "not_operator"
    assert code_of(hub.operator("ghost").policies) == "unknown_agent"
    assert code_of(mia.same_as, CUSTOMER, "a", "b") == "not_found"


@pytest.mark.parametrize("verb", ["rotate", "revoke", "disable", "bind"])
@pytest.mark.parametrize("name", ["ghost", "\ud800", "*"])
def test_what_is_done_to_an_agent_that_is_none_is_said_so(admin, verb, name):
    assert code_of(getattr(admin, verb), name) == "not_found"


# --- keys --------------------------------------------------------------------------------------------------------


def test_a_key_opens_the_hub_to_its_agent_until_it_is_revoked(hub, admin):
    made = admin.create_agent("iris", "travel", customers=[CUSTOMER])
    agent = hub.authenticate(made.key)
    assert (agent.id, agent.domain, agent.customer) == ("iris", "travel", None)
    admin.revoke("iris")
    assert code_of(hub.authenticate, made.key) == "bad_key"


def test_a_rotated_key_dies_as_the_new_one_is_born_at_every_door(tmp_path, clock):
    with Hub.open(tmp_path / "memory.db", clock=clock) as hub, Hub.open(tmp_path / "memory.db", clock=clock) as other:
        first = hub.operator().create_agent("iris", "travel").key
        assert other.authenticate(first).id == "iris"
        second = hub.operator().rotate("iris").key
        assert code_of(other.authenticate, first) == "bad_key"
        assert other.authenticate(second).id == "iris"
        other.operator().disable("iris")
        assert code_of(hub.authenticate, second) == "bad_key"
        assert hub.operator().rotate("iris").key  # a key for one who may not come in
        assert code_of(hub.authenticate, second) == "bad_key"


def test_a_key_expires(hub, admin, clock):
    until = NINE + timedelta(hours=1)
    made = admin.create_agent("iris", "travel", expires_at=until)
    assert made.expires_at == until
    assert hub.authenticate(made.key).id == "iris"
    clock.set(START + HOUR)
    assert code_of(hub.authenticate, made.key) == "bad_key"
    again = admin.rotate("iris", expires_at="2026-07-01T11:00:00Z")
    assert hub.authenticate(again.key).id == "iris"
    assert code_of(admin.rotate, "iris", expires_at="2026-07-01") == "bad_instant"
    assert hub.authenticate(again.key).id == "iris"


def test_an_agent_whose_expiry_is_none_is_not_created(hub, admin):
    assert code_of(admin.create_agent, "iris", "travel", expires_at="2026-07-01T11:00:00") == "naive_instant"
    assert code_of(hub.agent, "iris") == "unknown_agent"


@pytest.mark.parametrize("key", ["", "hub_", "x" * 10_000, "\ud800", "a\x00", "' OR 1=1 --"])
def test_any_other_key_opens_nothing(hub, key):
    assert code_of(hub.authenticate, key) == "bad_key"


def test_no_key_is_in_the_file(tmp_path, clock):
    with Hub.open(tmp_path / "memory.db", clock=clock) as hub:
        key = hub.operator().create_agent("iris", "travel").key
        assert len(key) > 40
    assert not any(key.encode() in file.read_bytes() for file in tmp_path.iterdir())


# --- rules -------------------------------------------------------------------------------------------------------

UNFIT = [
    ({"policy": ""}, "bad_policy"),
    ({"policy": "p, owner, *, private, *, read, *, Allow"}, "bad_policy"),
    ({"policy": "p, owner"}, "bad_policy"),
    ({"policy": POLICY + "g, a, b, *\ng, b, a, *"}, "bad_policy"),
    ({"policy": POLICY + "g, travel, travel, *"}, "bad_policy"),
    ({"model": MODEL + "\n[more]"}, "bad_policy"),
    ({"relations": "relations: [1]"}, "bad_registry"),
    ({"relations": "a: 1\na: 2"}, "bad_document"),
    ({"policy": POLICY, "relations": ":"}, "bad_document"),
    ({"policy": "\x00"}, "bad_field"),
]


@pytest.mark.parametrize(("texts", "code"), UNFIT, ids=lambda it: str(it)[:50])
def test_unfit_rules_are_refused_whole_and_the_old_ones_stay(hub, admin, texts, code):
    check = admin.check_policy(**texts)
    assert (check.fit, check.code) == (False, code)
    assert check.detail
    assert check.fix
    assert code_of(admin.replace_policy, **texts) == code
    assert admin.policies().version == 1
    told(hub, "mia", "likes", "tea")
    assert sees(hub, "atlas") == {"tea"}


def test_a_new_policy_is_in_force_at_once_and_the_old_ones_are_kept(hub, admin):
    told(hub, "mia", "diet", "vegan")
    strict = POLICY + "p, shared-reader, *, shared, diet, read, *, deny"
    assert admin.check_policy(policy=strict).fit
    assert admin.policies().version == 1  # to check is not to change
    version = admin.replace_policy(policy=strict, reason="diet is private")
    assert (version.version, version.author, version.reason) == (2, "admin", "diet is private")
    assert sees(hub, "atlas") == set()
    assert hub.agent("atlas").me().policy_version == 2
    assert [(v.version, v.policy == POLICY) for v in admin.policy_versions()] == [(1, True), (2, False)]
    assert admin.policy_versions()[0].recorded_at < version.recorded_at


def test_a_policy_says_which_line_decides(admin):
    allowed = admin.explain_policy("atlas", owner="personal", told="personal", relation="diet", scope="shared")
    assert (allowed.allowed, allowed.line) == (True, "p, shared-reader, *, shared, *, read, *, allow")
    meal = admin.explain_policy("atlas", owner="health", told="shopping", relation="allergic_to", purpose="meal")
    assert (meal.allowed, "allergic_to" in meal.line) == (True, True)
    assert not admin.explain_policy("kai", owner="health", relation="allergic_to").allowed
    assert admin.explain_policy("ghost", owner="travel", relation="seat", domain="travel").allowed
    assert code_of(admin.explain_policy, "ghost", owner="travel", told="travel", relation="seat") == "not_found"
    assert code_of(admin.explain_policy, "kai", owner="a", relation="b", scope="everything") == "bad_scope"
    assert code_of(admin.explain_policy, "kai", owner="a", relation="b", act="peek") == "bad_act"


def test_changes_made_at_once_do_not_undo_each_other(tmp_path, clock):
    """A promotion beside a revocation: whichever comes second keeps what the first one did."""
    deny = "p, shared-reader, *, shared, diet, read, *, deny"
    with Hub.open(tmp_path / "memory.db", clock=clock) as hub:
        admin, both = hub.operator(), threading.Barrier(2)

        def promote():
            both.wait()
            for number in range(10):
                admin.promote(f"colour_{chr(97 + number)}", scope="shared")

        def revoke():
            both.wait()
            admin.replace_policy(policy=POLICY + deny)

        with ThreadPoolExecutor(2) as threads:
            for done in [threads.submit(promote), threads.submit(revoke)]:
                done.result(timeout=60)
        now = admin.policies()
        assert now.policy.endswith(deny)
        assert len(now.promotions) == 10


def test_an_agent_disabled_while_it_is_bound_stays_disabled(tmp_path, clock):
    with Hub.open(tmp_path / "memory.db", clock=clock) as hub:
        admin, both = hub.operator(), threading.Barrier(2)

        def bind():
            both.wait()
            for number in range(10):
                admin.bind("kai", customers=[str(number)])

        def disable():
            both.wait()
            admin.disable("kai")

        with ThreadPoolExecutor(2) as threads:
            for done in [threads.submit(bind), threads.submit(disable)]:
                done.result(timeout=60)
        assert code_of(sees, hub, "kai") == "unknown_agent"


# --- promotion ---------------------------------------------------------------------------------------------------


def test_a_promoted_relation_is_shared_from_then_on(hub, admin, clock):
    told(hub, "kai", "shoe_color", "red")
    promoted = admin.promote("shoe_color", scope="shared")
    assert (promoted.relation, promoted.policy_version, promoted.moved) == ("shoe_color", 2, 0)
    assert sees(hub, "atlas") == set()
    told(hub, "kai", "shoe_color", "blue", mode="change")
    assert sees(hub, "atlas") == {"blue"}
    known = {relation.name: relation for relation in admin.relations()}
    assert (known["shoe_color"].promoted, known["shoe_color"].scope) == (True, "shared")
    assert known["likes"].promoted is False
    assert hub.agent("kai", CUSTOMER).remember(facts=[Fact(relation="shoe_color", value="blue")]).facts[0].outcome == (
        "corroborated"
    )


def test_values_already_stored_move_too_if_it_is_asked_for(hub, admin, clock):
    for customer in (CUSTOMER, "lee"):
        hub.agent("kai", customer).remember(facts=[{"relation": "shoe_color", "value": f"{customer}'s"}])
    hub.agent("mia", CUSTOMER).remember(facts=[{"relation": "shoe_colour", "value": "another relation"}])
    gone = told(hub, "kai", "shoe_color", "withdrawn")
    hub.agent("kai").retract(gone)
    hidden = told(hub, "kai", "shoe_color", "forgotten")
    hub.agent("kai").forget(hidden)
    before = moment(hub, clock)
    promoted = admin.promote("shoe_color", scope="shared", existing=True)
    assert promoted.moved == 3
    assert held(hub.agent("atlas", "lee").profile()) == {"lee's"}
    assert sees(hub, "atlas", as_of=before) == set()
    assert sees(hub, "kai", as_of=before) == sees(hub, "kai")
    assert code_of(hub.agent("atlas", CUSTOMER).fact, hidden) == "not_found"
    demoted = admin.demote("shoe_color", existing=True)
    assert demoted.moved == 3
    assert held(hub.agent("atlas", "lee").profile()) == set()
    assert held(hub.agent("kai", "lee").profile()) == {"lee's"}


def test_a_demoted_relation_is_provisional_again(hub, admin):
    admin.promote("shoe_color", scope="shared", arbitration="trust", owner="shopping")
    known = {relation.name: relation for relation in admin.relations()}["shoe_color"]
    assert (known.owner, known.arbitration) == ("shopping", "trust")
    admin.demote("shoe_color")
    assert "shoe_color" not in {relation.name for relation in admin.relations()}
    told(hub, "kai", "shoe_color", "red")
    assert sees(hub, "atlas") == set()
    assert admin.policies().reason == "demote shoe_color"


@pytest.mark.parametrize(
    ("relation", "fields", "code"),
    [
        ("likes", {"scope": "shared"}, "already_known"),
        ("shoe_color", {"scope": "global"}, "bad_registry"),
        ("shoe_color", {"scope": "open"}, "bad_field"),
        ("shoe_color", {"scope": "shared", "arbitration": "owner"}, "owner_needed"),
        ("shoe_color", {"scope": "shared", "owner": "p, admin"}, "bad_registry"),
        ("shoe_color", {"scope": "shared", "existing": "yes"}, "bad_field"),
        ("Shoe Color", {"scope": "shared"}, "bad_relation"),
        ("%", {"scope": "shared"}, "bad_relation"),
    ],
)
def test_a_promotion_that_makes_no_sense_changes_nothing(admin, relation, fields, code):
    assert code_of(admin.promote, relation, **fields) == code
    assert admin.policies().version == 1


def test_what_was_never_promoted_cannot_be_demoted(admin):
    assert code_of(admin.demote, "shoe_color") == "not_promoted"
    assert code_of(admin.demote, "likes") == "not_promoted"


# --- records -----------------------------------------------------------------------------------------------------


def test_a_fact_is_filed_elsewhere_and_its_history_says_so(hub, admin):
    fact = told(hub, "mia", "address", "Oak 1")
    admin.relabel(fact, scope="shared", reason="she asked")
    assert sees(hub, "atlas") == {"Oak 1"}
    records = hub.agent("mia").history(fact).records
    assert [(r.kind, r.reason) for r in records] == [("claim", None), ("relabel", "she asked")]
    assert [r.kind for r in hub.agent("atlas").history(fact).records] == ["claim"]
    admin.retract(records[1].id)
    assert sees(hub, "atlas") == set()


def test_two_names_are_one_until_that_is_taken_back(hub, admin):
    mia, kai = hub.agent("mia", CUSTOMER), hub.agent("kai", CUSTOMER)
    mia.remember(facts=[{"relation": "owns", "object": "Civic"}])
    kai.remember(facts=[{"relation": "warranty_until", "value": "2027", "subject": "the Honda"}])

    def names():
        return {node.name for node in hub.agent("atlas", CUSTOMER).graph().nodes}

    assert names() == {"customer", "Civic", "the Honda"}
    receipt = admin.same_as(CUSTOMER, "the Honda", "Civic", reason="one car")
    assert receipt.outcome == "accepted"
    assert names() == {"customer", "Civic"}
    assert code_of(hub.agent("mia").retract, receipt.id) == "not_yours"
    assert code_of(admin.withdraw_same_as, told(hub, "mia", "likes", "tea")) == "not_found"
    admin.withdraw_same_as(receipt.id, reason="two after all")
    assert names() == {"customer", "Civic", "the Honda"}


def test_names_can_be_joined_that_only_an_alias_mentions(hub, admin):
    mia = hub.agent("mia", CUSTOMER)
    mia.remember(
        facts=[
            {"relation": "owns", "object": "Civic"},
            {"relation": "same_as", "subject": "Blitz", "object": "Civic"},
            {"relation": "size", "value": "L", "subject": "the Honda"},
        ]
    )
    assert admin.same_as(CUSTOMER, "Blitz", "the Honda").outcome == "accepted"
    assert {node.name for node in mia.graph().nodes} == {"customer", "Civic"}


@pytest.mark.parametrize(
    ("one", "other"), [("Civic", "nobody said"), ("nobody said", "Civic"), ("customer", "Civic"), ("a", "b")]
)
def test_names_nobody_has_mentioned_are_joined_to_nothing(hub, admin, one, other):
    hub.agent("mia", CUSTOMER).remember(facts=[{"relation": "owns", "object": "Civic"}])
    assert code_of(admin.same_as, CUSTOMER, one, other) == "not_found"


def test_an_operator_forgets_and_restores_for_a_customer_who_asks(hub, admin):
    fact = told(hub, "sage", "has_condition", "asthma")
    admin.forget(fact, reason="asked to")
    assert sees(hub, "sage") == set()
    assert code_of(hub.operator("kai").forget, fact) == "not_found"
    admin.restore(fact)
    assert sees(hub, "sage") == {"asthma"}


# --- others' eyes ------------------------------------------------------------------------------------------------


def test_an_auditor_sees_what_an_agent_believed(hub, admin, clock):
    told(hub, "mia", "lives_in", "Hanoi")
    told(hub, "penny", "income", "5000")
    told(hub, "nova", "allergic_to", "peanuts")
    before = moment(hub, clock)
    told(hub, "mia", "lives_in", "Hue", mode="change")
    assert held(admin.beliefs(CUSTOMER, "atlas")) == {"Hue"}
    for point in (before, before.isoformat()):
        assert held(admin.beliefs(CUSTOMER, "atlas", as_of=point)) == {"Hanoi"}
    assert held(admin.beliefs(CUSTOMER, "atlas", purpose="meal")) == {"Hue", "peanuts"}
    assert held(admin.beliefs(CUSTOMER, "penny")) == {"Hue", "5000"}
    admin.disable("penny")
    assert held(admin.beliefs(CUSTOMER, "penny")) == set()
    assert held(admin.beliefs(CUSTOMER, "penny", known_at=before)) == {"Hanoi", "5000"}
    assert code_of(admin.beliefs, CUSTOMER, "ghost") == "not_found"
    assert code_of(admin.beliefs, CUSTOMER, "atlas", as_of=before, known_at=before) == "two_as_ofs"
    assert code_of(admin.beliefs, CUSTOMER, "atlas", eyes="all") == "unknown_field"


def test_a_page_of_beliefs_says_that_there_are_more(hub, admin):
    for name in "abc":
        told(hub, "mia", "likes", "tea", subject=name)
    page = admin.beliefs(CUSTOMER, "atlas", limit=2)
    assert (len(page.entities), page.truncated) == (2, True)


# --- one agent, one customer -------------------------------------------------------------------------------------


@pytest.mark.parametrize("verb", ["fact", "history", "correct", "retract", "end", "forget", "restore"])
def test_an_id_of_another_customer_is_as_unknown_as_any(hub, verb):
    fact = told(hub, "mia", "likes", "tea")
    other = hub.agent("mia", "lee")
    answers = []
    for asked in (fact, "fact_unknown", "", "\ud800", "x" * 9_999):
        with pytest.raises(Missing) as missing:
            getattr(other, verb)(asked)
        answers.append((missing.value.code, missing.value.message, missing.value.fix, missing.value.where))
    assert answers == [answers[0]] * 5
    assert sees(hub, "mia") == {"tea"}
    getattr(hub.agent("mia"), verb)(fact)  # one who serves any customer finds it


def test_an_agent_without_a_customer_must_say_which(hub):
    assert code_of(hub.agent("mia").remember, "Hello") == "no_customer"
    assert code_of(hub.agent("mia").profile) == "no_customer"
    assert hub.agent("mia").profile(customer=CUSTOMER).entities == ()


def test_an_agent_that_was_disabled_is_nobody(hub, admin):
    mia = hub.agent("mia", CUSTOMER)
    told(hub, "mia", "likes", "tea")
    admin.disable("mia")
    for act in (mia.profile, lambda: mia.remember("Hello"), lambda: mia.recall("tea"), mia.timeline, mia.graph):
        assert code_of(act) == "unknown_agent"


def test_facts_and_moments_may_be_given_as_values_of_python(hub):
    mia = hub.agent("mia", CUSTOMER)
    since = datetime(2026, 3, 1, 7, tzinfo=UTC)
    fact = Fact(relation="likes", value="tea", valid_to=None)
    answer = mia.remember(
        facts=[fact, {"relation": "lives_in", "value": "Hanoi", "valid_from": since}], said_at=NINE - timedelta(days=1)
    )
    assert [r.valid_from for r in answer.facts] == [NINE - timedelta(days=1), since]
    corrected = mia.correct(answer.facts[1].id, valid_from=since + timedelta(days=1), valid_to=None)
    assert (corrected.valid_from, corrected.valid_to) == (since + timedelta(days=1), None)
    ended = mia.end(answer.facts[0].id, at=NINE)
    assert ended.valid_from == NINE
    with pytest.raises(Incorrect):
        mia.end(corrected.id, at=NINE.replace(tzinfo=None))
    with pytest.raises(Incorrect):
        mia.correct(corrected.id, owner="travel")


@pytest.mark.parametrize(
    "cursor",
    [
        "",
        "x",
        "AAAA",
        "e30=",
        "eyJhZnRlciI6LTEsInZhbGlkX2F0IjowLCJrbm93bl9hdCI6bnVsbH0=",
        "項目",
        "\ud800",
        "x" * 5_000,
    ],
)
def test_a_cursor_that_is_none_of_the_hubs_is_refused(hub, cursor):
    assert code_of(hub.agent("mia", CUSTOMER).profile, cursor=cursor) in {"bad_cursor", "bad_field"}


def test_the_hub_label_is_what_operators_are_judged_by(hub):
    door: Door = hub._door
    assert [agent for agent in (*DEMO_AGENTS, "admin") if door.may(agent, Act.WRITE)] == ["admin"]


def test_a_cursor_goes_on_in_every_process_of_its_database_and_nowhere_else(tmp_path, clock):
    file = tmp_path / "memory.db"
    with Hub.open(file, clock=clock) as hub, Hub.open(file, clock=clock) as beside, Hub.open(clock=clock) as other:
        told(hub, "mia", "likes", "tea")
        told(hub, "mia", "likes", "jazz")
        following = hub.agent("mia", CUSTOMER).profile(limit=1).next
        assert held(beside.agent("mia", CUSTOMER).profile(limit=1, cursor=following)) == {"jazz"}
        assert code_of(other.agent("mia", CUSTOMER).profile, cursor=following) == "bad_cursor"
    with Hub.open(file, clock=clock) as again:
        assert held(again.agent("mia", CUSTOMER).profile(limit=1, cursor=following)) == {"jazz"}


def test_a_forged_cursor_is_refused_wherever_it_would_lead(hub, admin):
    mia = hub.agent("mia", CUSTOMER)
    told(hub, "mia", "likes", "tea")
    told(hub, "mia", "likes", "jazz")
    given = base64.urlsafe_b64decode(mia.profile(limit=1).next)
    forged = [given[:16] + given[16:].replace(b'"after":1', b'"after":0'), given[16:]]
    forged += [given[:16] + b'{"after":9223372036854775807,"valid_at":0,"known_at":null}', given[:16], b""]
    for body in forged:
        cursor = base64.urlsafe_b64encode(body).decode()
        for page in (mia.profile, mia.timeline, admin.audit, admin.review, admin.knowledge):
            assert code_of(page, cursor=cursor) == "bad_cursor"
    for page in (admin.audit, admin.review, admin.knowledge):
        assert code_of(page, cursor=mia.profile(limit=1).next) == "bad_cursor", "it is of another list"


def test_a_database_from_before_cursors_were_sealed_gets_a_key_when_it_is_opened(tmp_path, clock):
    file = tmp_path / "memory.db"
    Hub.open(file, clock=clock).close()
    with sqlite3.connect(file) as connection:
        connection.execute("DELETE FROM meta WHERE name = 'cursor_key'")
    connection.close()
    with Hub.open(file, clock=clock) as hub:
        told(hub, "mia", "likes", "tea")
        told(hub, "mia", "likes", "jazz")
        following = hub.agent("mia", CUSTOMER).profile(limit=1).next
    with Hub.open(file, clock=clock) as hub:
        assert held(hub.agent("mia", CUSTOMER).profile(cursor=following)) == {"jazz"}


def test_a_clock_is_moved_as_a_whole_or_not_at_all(hub, clock):
    before = clock.now()
    for advance in ("bad", "9000w", "99999999999999w"):
        with pytest.raises(Incorrect):
            hub.operator().clock(now="9990-01-01T00:00:00Z", advance=advance)
        assert clock.now() == before
    assert hub.operator().clock(now="2030-01-01T00:00:00Z", advance="2h").now.isoformat() == "2030-01-01T02:00:00+00:00"


def test_at_the_end_of_the_calendar_nothing_is_recorded_that_is_answered_by_an_error(hub):
    mia = hub.agent("mia", "kim")
    hub.operator().clock(now="9999-12-31T23:59:59.999999Z")
    with pytest.raises(Incorrect) as refused:
        mia.remember(facts=[{"relation": "likes", "value": "tea"}])
    assert refused.value.code == "clock_out_of_range"
    assert mia.profile().entities == ()
