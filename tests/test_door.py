"""Reading at the door: today's rules and those of the time, for agents, purposes, customers, and others' eyes."""

from __future__ import annotations

import sys
from concurrent.futures import ThreadPoolExecutor
from threading import Event

import pytest

from hub.door import Act, Door
from hub.door.bases import MEGABYTE, SELDOM, Bases
from hub.errors import Denied, Fault, Incorrect, Missing
from hub.facts import AsOf, Scope, Viewer
from hub.ledger import Ledger
from hub.moments import HOUR, SECOND
from hub.policy import Policy, Subject
from hub.remember import acts
from tests.scene import CUSTOMER, MODEL, POLICY, RELATIONS, START, WORDS, Scene, everything, label, values

TRAVEL_READS_INCOME = "p, travel, finance, private, income, read, *, allow"
NOBODY_READS_DIET = "p, shared-reader, *, shared, diet, read, *, deny"


@pytest.fixture
def scene(tmp_path):
    scene = Scene(tmp_path / "memory.db")
    yield scene
    scene.close()


def refused(kind, look, *args, **more):
    with pytest.raises(kind) as caught:
        look(*args, **more)
    assert caught.value.fix
    return caught.value.code


# --- who may know what -------------------------------------------------------------------------------------------

TOLD = [
    # who said it, relation, value, scope asked for, and who may know it
    ("mia", "lives_in", "Hanoi", None, "mia kai atlas sage penny nova"),
    ("mia", "address", "Oak 1", None, "mia"),
    ("nova", "allergic_to", "peanuts", None, "nova sage"),
    ("atlas", "income", "5000", None, "atlas penny"),
    ("penny", "budget", "800", None, "mia kai atlas sage penny nova"),
    ("penny", "budget", "900", "private", "penny"),
    ("nova", "budget", "950", "private", "nova penny"),
    ("kai", "lucky_number", "7", None, "kai"),
    ("kai", "lucky_colour", "red", "shared", "mia kai atlas sage penny nova"),
]


@pytest.mark.parametrize(("author", "relation", "value", "scope", "readers"), TOLD)
def test_a_fact_is_known_to_whom_its_label_is_open(scene, author, relation, value, scope, readers):
    scene.told(author, relation, value, **({} if scope is None else {"scope": scope}))
    knowing = {agent for agent in ("mia", "kai", "atlas", "sage", "penny", "nova", "admin") if scene.sees(agent)}
    assert knowing == set(readers.split())


def test_facts_of_one_customer_are_not_known_of_another(scene):
    scene.told("mia", "lives_in", "Hanoi")
    scene.told("mia", "lives_in", "Hue", of="lee")
    assert (scene.sees("mia"), scene.sees("mia", customer="lee")) == ({"Hanoi"}, {"Hue"})
    assert scene.sees("mia", customer="nobody wrote about") == set()


def test_an_empty_set_of_labels_means_nothing_and_never_everything(scene):
    scene.told("mia", "lives_in", "Hanoi")
    scene.bind("lex", "legal")
    view = scene.look("lex")
    assert everything(view) == []
    assert view.row("fact_1") is None


@pytest.mark.parametrize("agent", ["ghost", "", "*", "travel", "agent:atlas", "ATLAS", "atlas "])
def test_an_agent_nobody_created_is_told_nothing(scene, agent):
    assert refused(Denied, scene.look, agent) == "unknown_agent"
    assert refused(Denied, scene.told, agent, "likes", "tea") == "unknown_agent"
    assert refused(Denied, scene.door.may, agent, Act.READ) == "unknown_agent"


def test_a_disabled_agent_is_out_at_once_at_every_door(scene):
    scene.told("mia", "lives_in", "Hanoi")
    at = scene.now()
    with scene.second_door() as door:
        assert values(door.look("atlas", CUSTOMER)) == {"Hanoi"}
        scene.bind("atlas", "travel", enabled=False)
        for look in (scene.door.look, door.look):
            assert refused(Denied, look, "atlas", CUSTOMER) == "unknown_agent"
            assert refused(Denied, look, "atlas", CUSTOMER, AsOf(at, at)) == "unknown_agent"
    scene.bind("atlas", "travel")
    assert scene.sees("atlas") == scene.sees("atlas", at) == {"Hanoi"}


def test_a_hub_without_rules_lets_nobody_in(tmp_path):
    ledger = Ledger(tmp_path / "memory.db", Scene(tmp_path / "other.db").clock)
    door = Door(ledger, WORDS, str)
    assert refused(Fault, door.rules) == "no_policy"
    assert refused(Denied, door.look, "mia", CUSTOMER) == "unknown_agent"
    ledger.close()


def test_rules_that_cannot_be_read_let_nobody_in(scene):
    scene.told("mia", "likes", "tea")
    scene.rule(policy="p, nonsense")
    assert refused(Incorrect, scene.look, "mia") == "bad_policy"
    assert refused(Incorrect, scene.told, "mia", "likes", "rice") == "bad_policy"


# --- points in time ----------------------------------------------------------------------------------------------


def test_an_as_of_still_to_come_is_refused(scene):
    ahead = scene.clock.now() + SECOND
    assert refused(Incorrect, scene.look, "mia", ahead) == "future_known_at"
    view = scene.door.look("mia", CUSTOMER, AsOf(ahead + 9 * HOUR))  # what will be, as known now, may be asked
    assert view.known_at is None


def test_an_answered_as_of_is_final(scene):
    scene.told("mia", "lives_in", "Hanoi")
    scene.clock.advance(SECOND)
    at = scene.clock.now()
    before = everything(scene.look("atlas", at))
    receipt = scene.told("mia", "lives_in", "Hue")  # the clock has not moved since
    assert scene.look("atlas").claim(receipt.id).recorded_at > at
    assert everything(scene.look("atlas", at)) == before


def test_what_was_recorded_later_is_not_known_before(scene):
    scene.told("mia", "lives_in", "Hanoi")
    hanoi = scene.now()
    scene.told("mia", "lives_in", "Hue", valid_from="2020")
    assert scene.sees("mia", hanoi) == {"Hanoi"}
    assert scene.sees("mia", START - HOUR) == set()
    assert values(scene.door.look("mia", CUSTOMER, AsOf(scene.now(), hanoi))) == {"Hanoi"}


def test_an_agent_created_today_knows_nothing_of_yesterday(scene):
    scene.told("mia", "lives_in", "Hanoi")
    yesterday = scene.now()
    scene.bind("iris", "travel")
    today = scene.now()
    assert scene.sees("iris") == scene.sees("iris", today) == {"Hanoi"}
    assert scene.sees("iris", yesterday) == set()
    assert scene.sees("atlas", yesterday) == {"Hanoi"}


def test_before_there_were_rules_nobody_knew_anything(scene):
    scene.told("mia", "likes", "tea")
    assert scene.sees("mia", START - HOUR) == set()
    assert scene.cold("mia", START - HOUR) == []


def test_where_an_agent_lived_then_counts_beside_where_it_lives_now(scene):
    scene.told("sage", "allergic_to", "peanuts")
    scene.told("mia", "lives_in", "Hanoi")
    at_health = scene.now()
    scene.bind("sage", "repair")
    assert scene.sees("sage", at_health) == {"Hanoi"}  # today repair may not know it
    scene.bind("kai", "health")
    assert scene.sees("kai") == {"peanuts", "Hanoi"}
    assert scene.sees("kai", at_health) == {"Hanoi"}  # then it lived in repair


def test_a_customer_given_today_was_not_served_yesterday(scene):
    scene.told("mia", "lives_in", "Hanoi")
    scene.bind("atlas", "travel", customers=("lee",))
    assert refused(Denied, scene.look, "atlas") == "not_bound"
    assert refused(Denied, scene.told, "atlas", "likes", "tea") == "not_bound"
    apart = scene.now()
    scene.bind("atlas", "travel", customers=("lee", CUSTOMER))
    assert scene.sees("atlas") == {"Hanoi"}
    assert scene.sees("atlas", apart) == set()
    before = START + 1
    scene.bind("atlas", "travel", customers=())
    assert refused(Denied, scene.look, "atlas", before) == "not_bound"
    assert refused(Denied, scene.look, "atlas", customer="lee") == "not_bound"


def test_a_purpose_opens_what_it_names_and_nothing_else(scene):
    scene.told("nova", "allergic_to", "peanuts")
    scene.told("nova", "has_condition", "asthma")
    assert scene.sees("atlas") == set()
    assert scene.sees("atlas", purpose="meal") == {"peanuts"}
    assert scene.sees("atlas", purpose="booking") == set()


@pytest.mark.parametrize(("agent", "purpose"), [("kai", "meal"), ("atlas", "audit"), ("atlas", "*"), ("atlas", "")])
def test_a_request_names_a_purpose_of_its_own_or_none(scene, agent, purpose):
    assert refused(Denied, scene.look, agent, purpose=purpose) == "purpose_not_bound"
    assert refused(Denied, scene.remember, agent, ("likes", "tea"), purpose=purpose or "x") == "purpose_not_bound"
    assert scene.sees("mia") == set()


def test_a_purpose_given_today_opened_nothing_yesterday(scene):
    scene.bind("iris", "travel")
    scene.told("nova", "allergic_to", "peanuts")
    yesterday = scene.now()
    scene.bind("iris", "travel", purposes=("meal",))
    assert scene.sees("iris", purpose="meal") == {"peanuts"}
    assert scene.sees("iris", yesterday, purpose="meal") == set()
    scene.bind("iris", "travel")
    today = scene.now()
    assert refused(Denied, scene.look, "iris", today, purpose="meal") == "purpose_not_bound"


# --- policy then and now -----------------------------------------------------------------------------------------


def test_a_revoked_grant_bites_on_the_next_look_at_every_door_and_the_past_does_not_reopen_it(scene):
    scene.told("mia", "lives_in", "Hanoi")
    scene.told("nova", "diet", "vegan")
    granted = scene.now()
    with scene.second_door() as door:
        assert values(door.look("atlas", CUSTOMER)) == {"Hanoi", "vegan"}
        scene.rule(NOBODY_READS_DIET)
        revoked = scene.now()
        for look in (scene.door.look, door.look):
            assert values(look("atlas", CUSTOMER)) == {"Hanoi"}
            assert values(look("atlas", CUSTOMER, AsOf(granted, granted))) == {"Hanoi"}
        assert values(door.look("mia", CUSTOMER)) == {"Hanoi", "vegan"}  # its owner is no reader of what is shared
        scene.rule()
        for look in (scene.door.look, door.look):
            assert values(look("atlas", CUSTOMER)) == {"Hanoi", "vegan"}
            assert values(look("atlas", CUSTOMER, AsOf(granted, granted))) == {"Hanoi", "vegan"}
            assert values(look("atlas", CUSTOMER, AsOf(revoked, revoked))) == {"Hanoi"}
    assert everything(scene.look("atlas")) == scene.cold("atlas")


def test_a_grant_given_today_does_not_show_what_could_not_be_seen_yesterday(scene):
    scene.told("penny", "income", "5000")
    scene.told("mia", "lives_in", "Hanoi")
    yesterday = scene.now()
    scene.rule(TRAVEL_READS_INCOME)
    today = scene.now()
    assert scene.sees("atlas") == scene.sees("atlas", today) == {"5000", "Hanoi"}
    assert scene.sees("atlas", yesterday) == {"Hanoi"}
    assert everything(scene.look("atlas", yesterday)) == scene.cold("atlas", yesterday)


def test_a_policy_that_names_an_agent_means_that_agent(scene):
    scene.bind("iris", "travel")
    scene.told("mia", "diet", "vegan")
    scene.rule("p, agent:iris, *, shared, diet, read, *, deny")
    assert (scene.sees("iris"), scene.sees("atlas")) == (set(), {"vegan"})


def test_a_promotion_opens_from_then_on_and_not_before(scene):
    scene.told("kai", "shoe_color", "red")
    private = scene.now()
    scene.rule(promotions='[{"relation":"shoe_color","scope":"shared","arbitration":"latest","owner":null}]')
    scene.told("kai", "shoe_color", "blue")
    assert scene.sees("atlas") == {"blue"}
    assert scene.sees("atlas", private) == set()
    assert scene.look("atlas", private).registry.knows("shoe_color") is False
    assert scene.look("atlas").registry.knows("shoe_color") is True


# --- what is filed elsewhere -------------------------------------------------------------------------------------


def test_what_is_filed_wider_today_was_not_known_yesterday(scene):
    fact = scene.told("mia", "address", "Oak 1")
    scene.look("atlas")
    yesterday = scene.now()
    scene.relabel(fact.id, Scope.SHARED)
    today = scene.now()
    assert scene.sees("atlas") == scene.sees("atlas", today) == {"Oak 1"}
    assert scene.sees("atlas", yesterday) == set()
    assert scene.sees("mia", yesterday) == {"Oak 1"}
    assert everything(scene.look("atlas", today)) == scene.cold("atlas", today)


def test_what_is_filed_narrower_today_is_hidden_in_the_past_too(scene):
    fact = scene.told("mia", "lives_in", "Hanoi")
    open_to_all = scene.now()
    assert scene.sees("atlas") == {"Hanoi"}
    scene.relabel(fact.id, Scope.PRIVATE)
    assert scene.sees("atlas") == scene.sees("atlas", open_to_all) == set()
    assert everything(scene.look("atlas")) == []
    assert scene.sees("mia") == scene.sees("mia", open_to_all) == {"Hanoi"}


def test_a_record_that_left_and_came_back_is_known_but_for_the_time_between(scene):
    fact = scene.told("mia", "lives_in", "Hanoi")
    points = [scene.now()]
    for scope in (Scope.PRIVATE, Scope.SHARED, Scope.PRIVATE, Scope.SHARED):
        scene.sees("atlas")  # a base that is kept must notice
        scene.relabel(fact.id, scope)
        points.append(scene.now())
    known = [scene.sees("atlas", point) for point in points]
    assert known == [{"Hanoi"}, set(), {"Hanoi"}, set(), {"Hanoi"}]
    assert all(scene.sees("mia", point) == {"Hanoi"} for point in points)
    for agent in ("atlas", "mia"):
        assert everything(scene.look(agent)) == scene.cold(agent)
        for point in points:
            assert everything(scene.look(agent, point)) == scene.cold(agent, point)


def test_a_view_that_was_given_out_stays_as_it_is(scene):
    fact = scene.told("mia", "lives_in", "Hanoi")
    view = scene.look("atlas")
    scene.told("mia", "likes", "tea")
    scene.relabel(fact.id, Scope.PRIVATE)
    scene.look("atlas")
    assert values(view) == {"Hanoi"}


def test_a_filing_moved_by_its_owner_moves_for_all(scene):
    fact = scene.told("mia", "lives_in", "Hanoi")
    scene.relabel(fact.id, Scope.PRIVATE, owner="health")
    assert (scene.sees("sage"), scene.sees("mia"), scene.sees("atlas")) == ({"Hanoi"}, {"Hanoi"}, set())


# --- another's eyes ----------------------------------------------------------------------------------------------


def eyes(scene, through, known_at=None, by="admin", **more):
    return values(scene.look(by, known_at, through=through, **more))


def test_an_auditor_sees_what_the_agent_sees_and_not_with_its_own_eyes(scene):
    scene.told("nova", "allergic_to", "peanuts")
    scene.told("mia", "lives_in", "Hanoi")
    assert eyes(scene, "sage") == {"peanuts", "Hanoi"}
    assert eyes(scene, "atlas") == {"Hanoi"}
    assert eyes(scene, "atlas", purpose="meal") == {"peanuts", "Hanoi"}
    assert eyes(scene, "kai", purpose="meal") == {"Hanoi"}  # kai has no such purpose
    assert scene.sees("admin") == set()


def test_eyes_of_the_past_see_by_the_rules_of_the_past(scene):
    scene.told("nova", "diet", "vegan")
    scene.told("penny", "income", "5000")
    before = scene.now()
    scene.rule(NOBODY_READS_DIET, TRAVEL_READS_INCOME)
    after = scene.now()
    assert eyes(scene, "atlas", before) == {"vegan"}
    assert eyes(scene, "atlas", after) == {"5000"}
    scene.bind("atlas", "travel", enabled=False)
    assert eyes(scene, "atlas", after) == {"5000"}
    assert eyes(scene, "atlas") == set()


def test_an_auditor_sees_no_more_than_it_may_inspect_today(scene):
    scene.told("nova", "allergic_to", "peanuts")
    scene.told("mia", "lives_in", "Hanoi")
    before = scene.now()
    scene.rule("p, auditor, health, *, *, inspect, *, deny")
    assert eyes(scene, "sage") == eyes(scene, "sage", before) == {"Hanoi"}
    assert eyes(scene, "sage", by="mia") == set()  # no auditor at all
    scene.bind("admin", "operations", customers=("lee",))
    assert refused(Denied, scene.look, "admin", through="sage") == "not_bound"


def test_eyes_of_an_agent_that_served_another_customer_see_nothing(scene):
    scene.told("mia", "lives_in", "Hanoi")
    scene.bind("atlas", "travel", customers=("lee",))
    assert eyes(scene, "atlas") == set()
    assert eyes(scene, "nobody") == set()


# --- ids ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "record", ["fact_unknown", "", "*", "%", "\ud800", "a\x00b", "項目", "x" * 10_000, "fact_1' OR '1'='1"]
)
def test_an_id_of_another_customer_is_answered_like_one_that_never_was(scene, record):
    fact = scene.told("mia", "lives_in", "Hanoi")
    scene.bind("atlas", "travel", customers=("lee",))
    assert scene.door.customer_of("mia", fact.id) == CUSTOMER
    answers = []
    for asked in (fact.id, record):
        with pytest.raises(Missing) as missing:
            scene.door.customer_of("atlas", asked)
        answers.append((missing.value.code, missing.value.message, missing.value.fix, missing.value.where))
    assert answers[0] == answers[1]
    assert scene.look("atlas", customer="lee").row(fact.id) is None


def test_an_agent_that_serves_nobody_is_answered_as_if_there_were_no_record(scene):
    assert scene.door.served_by("kai") == "nobody"
    scene.bind("kai", "repair", customers=("lee", CUSTOMER))
    assert scene.door.served_by("kai") == "lee"
    scene.bind("kai", "repair", customers=())
    assert refused(Missing, scene.door.served_by, "kai") == "not_found"


# --- many at once ------------------------------------------------------------------------------------------------


def test_a_look_that_began_before_a_base_was_built_does_not_read_it_half(scene):
    """Of two facts that change places in one commit exactly one is open, whichever snapshot is asked."""
    open_one = scene.told("mia", "lives_in", "Hanoi")
    closed = scene.told("mia", "address", "Oak 1")
    door, bases = scene.door, Bases()
    rules = door.rules()
    with scene.ledger.reading(CUSTOMER) as early:
        clearance = door._rulebook.clearance(early, Viewer(agent="atlas"), CUSTOMER, None, Act.READ)
        with scene.ledger.reading(CUSTOMER) as same:
            assert len(Bases().base(same, clearance, rules.registry, RELATIONS).rows) == 1
        swap(scene, open_one.id, closed.id)
        with scene.ledger.reading(CUSTOMER) as late:
            base = bases.base(late, clearance, rules.registry, RELATIONS)
            assert [row.record.id for row in base.rows] == [closed.id]
        assert bases.base(early, clearance, rules.registry, RELATIONS) is None


def swap(scene, open_one, closed):
    with scene.desk("admin", act=Act.RELABEL) as desk:
        acts.relabel(desk, open_one, Scope.PRIVATE, None, None)
        acts.relabel(desk, closed, Scope.SHARED, None, None)


def watched(scene, change, rounds=12):
    """What looks at a warm door and at cold ones see while rules and filings change beneath them."""
    done = Event()

    def warm(_):
        seen = set()
        while not done.is_set():
            seen.add(frozenset(scene.sees("atlas")))
        return seen

    def cold(_):
        seen = set()
        while not done.is_set():
            door = Door(scene.ledger, WORDS, str)
            seen.add(frozenset(values(door.look("atlas", CUSTOMER))))
        return seen

    with ThreadPoolExecutor(4) as threads:
        looks = [threads.submit(look, n) for n, look in enumerate((warm, warm, cold, cold))]
        for number in range(rounds):
            change(number)
        done.set()
        return set().union(*(look.result(timeout=60) for look in looks))


def test_looks_during_relabels_are_wholly_before_or_after(scene):
    pair = [scene.told("mia", "lives_in", "Hanoi").id, scene.told("mia", "address", "Oak 1").id]
    seen = watched(scene, lambda n: swap(scene, pair[n % 2], pair[1 - n % 2]))
    assert seen <= {frozenset({"Hanoi"}), frozenset({"Oak 1"})}


def test_looks_during_policy_swaps_are_wholly_before_or_after(scene):
    scene.told("mia", "lives_in", "Hanoi")
    scene.told("nova", "diet", "vegan")
    lines = [NOBODY_READS_DIET, "p, shared-reader, *, shared, lives_in, read, *, deny"]
    scene.rule(lines[1])
    seen = watched(scene, lambda n: scene.rule(lines[n % 2]))
    assert seen <= {frozenset({"Hanoi"}), frozenset({"vegan"})}


@pytest.fixture
def threads_that_take_turns():
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    yield
    sys.setswitchinterval(before)


@pytest.mark.usefixtures("threads_that_take_turns")
def test_versions_of_the_policy_that_are_asked_at_once_do_not_get_in_each_others_way():
    def refused_of(number):
        policy = Policy.parse(MODEL, f"{POLICY}\np, travel, other_{number}, *, nothing, read, *, allow")
        labels = [label("personal", "personal", "shared", f"relation_{n}") for n in range(60)]
        decided = []
        for shared in labels:
            policy._asked.clear()  # so that each is a question of its own
            decided.append(policy.decide(Subject("atlas", "travel"), shared, Act.READ))
        return decided.count(False)

    with ThreadPoolExecutor(4) as threads:
        assert list(threads.map(refused_of, range(4))) == [0] * 4


def test_what_is_folded_over_a_base_counts_for_each_of_those_that_are_asked_for_in_turn(scene, monkeypatch):
    """However many there are: one in so many looks may be always at the same of them."""
    monkeypatch.setattr("hub.view.kept.SPOT", MEGABYTE)
    customers = [f"customer {number}" for number in range(SELDOM)]
    for customer in customers:
        scene.told("mia", "lives_in", "Hue", of=customer)
    scene.door._bases = bases = Bases(room=100)
    for customer in customers * (SELDOM + 2):
        assert scene.sees("atlas", customer=customer) == {"Hue"}
    assert len(bases._bases) == len(customers)
    assert bases._taken >= len(customers) * MEGABYTE


def test_the_least_used_bases_are_let_go_and_built_again(scene, monkeypatch):
    monkeypatch.setattr("hub.view.base.ROW", MEGABYTE)
    scene.door._bases = bases = Bases(room=3)
    for customer in ("ann", "ben", "cho"):
        scene.told("mia", "lives_in", f"{customer}'s town", of=customer)
    for _ in range(2):
        for customer in ("ann", "ben", "cho"):
            assert scene.sees("atlas", customer=customer) == {f"{customer}'s town"}
        assert len(bases._bases) == 2, "a row each, and more"
    assert bases._taken == sum(bases._sizes.values())
    assert 2 * MEGABYTE < bases._taken < 3 * MEGABYTE
    assert bases._sizes.keys() == bases._bases.keys()
    scene.door._bases = alone = Bases(room=0)
    for customer in ("ann", "ben", "cho"):
        assert scene.sees("atlas", customer=customer) == {f"{customer}'s town"}
        assert len(alone._bases) == 1, "what is asked for just now"
