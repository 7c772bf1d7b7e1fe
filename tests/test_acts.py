"""Changing one's mind: retract, correct, end, forget, restore, file elsewhere, and the undoing of each."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from hub.door import Act
from hub.errors import HubError, Incorrect, Missing
from hub.facts import AsOf, Hide, Mode, Precision, Relabel, Scope, Withdraw
from hub.moments import DAY, HOUR, rendered
from hub.remember import acts
from tests.scene import CUSTOMER, START, Scene, everything, label, value, values

LATER = rendered(START + 10 * DAY)


@pytest.fixture
def scene(tmp_path):
    scene = Scene(tmp_path / "memory.db")
    yield scene
    scene.close()


def code_of(act, *args, **more):
    with pytest.raises(HubError) as refused:
        act(*args, **more)
    assert refused.value.fix
    return refused.value.code


def day(text):
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


def claim(scene, record, agent="mia"):
    return scene.look(agent).claim(record)


def at(scene, agent, valid_at):
    return values(scene.door.look(agent, CUSTOMER, AsOf(valid_at)))


def turns(scene, agent):
    return [turn.text for turn in scene.look(agent).turns()]


# --- retract -----------------------------------------------------------------------------------------------------


def test_what_is_retracted_is_no_longer_claimed_but_was(scene):
    told = scene.told("mia", "lives_in", "Hanoi")
    before = scene.now()
    done = scene.retract("mia", told.id, "said in jest")
    assert done.targets == (told.id,)
    assert scene.sees("mia") == scene.sees("atlas") == set()
    assert scene.sees("atlas", before) == {"Hanoi"}
    withdrawal = scene.look("atlas").row(done.acts[0])
    assert withdrawal.record.reason == "said in jest"
    assert withdrawal.filing == scene.look("atlas").row(told.id).filing


def test_a_second_retraction_changes_nothing(scene):
    told = scene.told("mia", "lives_in", "Hanoi")
    scene.retract("mia", told.id)
    before = scene.cold("mia")
    assert scene.retract("mia", told.id).acts == ()
    assert scene.cold("mia") == before


def test_what_was_ended_comes_back_when_what_ended_it_is_retracted(scene):
    scene.told("mia", "lives_in", "Hanoi", valid_from="2020")
    moved = scene.told("mia", "lives_in", "Hue", mode="change")
    assert value(scene.look("mia"), "lives_in") == "Hue"
    scene.retract("mia", moved.id)
    assert value(scene.look("mia"), "lives_in") == "Hanoi"


def test_an_undone_retraction_is_none_and_its_undoing_can_be_undone(scene):
    told = scene.told("mia", "lives_in", "Hanoi")
    (first,) = scene.retract("mia", told.id).acts
    (second,) = scene.retract("mia", first).acts
    assert scene.sees("mia") == {"Hanoi"}
    scene.retract("mia", second)
    assert scene.sees("mia") == scene.sees("atlas") == set()


def test_a_retracted_turn_is_said_no_more(scene):
    turn = scene.remember("nova", ("likes", "tea"), text="I like tea").turn
    scene.retract("nova", turn.id)
    assert turns(scene, "nova") == []
    assert scene.sees("nova") == {"tea"}


# --- correct -----------------------------------------------------------------------------------------------------


def test_a_correction_keeps_all_that_it_does_not_correct(scene):
    told = scene.told(
        "mia", "lives_in", "Hanoy", valid_from="2026-01", valid_to="2027", said_at="2026-02-01T00:00:00Z",
        mode="change", confidence=0.6, importance=0.9, on="2026-05-05", pinned=True, text="I live in Hanoy",
    )  # fmt: skip
    old = claim(scene, told.id)
    scene.clock.advance(HOUR)
    receipt = scene.correct("mia", told.id, value="Hanoi", reason="a slip")
    new = claim(scene, receipt.id)
    kept = (
        "interval precision mode mode_given start_given end_given said_at confidence importance on pinned subject lang"
    )
    assert [getattr(new, name) for name in kept.split()] == [getattr(old, name) for name in kept.split()]
    assert (receipt.outcome, new.value, new.reason) == ("corrected", "Hanoi", "a slip")
    assert new.recorded_at > old.recorded_at
    assert new.sources == ()  # the turn said something else
    assert value(scene.look("atlas"), "lives_in") == "Hanoi"


def test_before_a_correction_nobody_saw_it(scene):
    told = scene.told("mia", "lives_in", "Hanoy", valid_from="2026-01")
    before = scene.now()
    scene.correct("mia", told.id, value="Hanoi")
    assert scene.sees("atlas", before) == {"Hanoy"}
    assert at(scene, "atlas", START - 90 * DAY) == {"Hanoi"}


def test_the_old_and_the_new_change_places_in_one_instant(scene):
    told = scene.told("mia", "lives_in", "Hanoy")
    receipt = scene.correct("mia", told.id, value="Hanoi")
    view = scene.look("mia")
    (withdrawal,) = view.acts_on(told.id)
    assert withdrawal.recorded_at == view.claim(receipt.id).recorded_at


CORRECTED = [
    # what is corrected, from when to when it holds then, its precision
    ({"valid_from": "2025"}, "2025-01-01", "2027-01-01", Precision.YEAR),
    ({"valid_from": "2026-03-01"}, "2026-03-01", "2027-01-01", Precision.DAY),
    ({"valid_to": "2026-12"}, "2026-01-01", "2026-12-01", Precision.MONTH),
    ({"valid_to": None}, "2026-01-01", None, Precision.MONTH),
    ({"valid_from": "2025", "valid_to": "2026"}, "2025-01-01", "2026-01-01", Precision.YEAR),
    ({"value": "Hue"}, "2026-01-01", "2027-01-01", Precision.MONTH),
    ({}, "2026-01-01", "2027-01-01", Precision.MONTH),
]


@pytest.mark.parametrize(("fields", "start", "end", "precision"), CORRECTED)
def test_an_interval_is_corrected_where_it_is_given(scene, fields, start, end, precision):
    told = scene.told("mia", "lives_in", "Hanoi", valid_from="2026-01", valid_to="2027", text="I live in Hanoi")
    receipt = scene.correct("mia", told.id, **fields)
    new = claim(scene, receipt.id)
    assert (receipt.valid_from, receipt.valid_to) == (day(start), None if end is None else day(end))
    assert (new.precision, new.end_given, new.start_given) == (precision, True, True)
    assert bool(new.sources) == ("value" not in fields)


def test_a_corrected_date_is_read_in_the_customers_time_zone(scene):
    scene.told("mia", "time_zone", "Asia/Tokyo")
    told = scene.told("mia", "lives_in", "Hanoi")
    assert scene.correct("mia", told.id, valid_from="2026-03-01").valid_from == datetime(2026, 2, 28, 15, tzinfo=UTC)


@pytest.mark.parametrize(
    ("fields", "code"),
    [
        ({"valid_from": "2028"}, "empty_interval"),
        ({"valid_to": "2020"}, "empty_interval"),
        ({"valid_from": "2026-03-01T00:00"}, "naive_instant"),
        ({"valid_to": "some day"}, "bad_instant"),
    ],
)
def test_a_correction_that_makes_no_sense_leaves_everything_as_it_was(scene, fields, code):
    told = scene.told("mia", "lives_in", "Hanoi", valid_from="2026-01", valid_to="2027")
    before = scene.cold("mia")
    assert code_of(scene.correct, "mia", told.id, **fields) == code
    assert scene.cold("mia") == before


def test_only_a_fact_that_stands_can_be_corrected_or_ended(scene):
    told = scene.told("mia", "lives_in", "Hanoi", text="I live in Hanoi")
    turn = next(scene.look("mia").turns()).id
    (withdrawal,) = scene.retract("mia", told.id).acts
    for record in (told.id, turn, withdrawal):
        assert code_of(scene.correct, "mia", record, value="Hue") == "not_found"
        assert code_of(scene.end, "mia", record) == "not_found"


def test_a_corrected_thing_becomes_the_value_that_was_sent(scene):
    told = scene.told("mia", "planned_trip", object="Da Nang")
    new = claim(scene, scene.correct("mia", told.id, value="Hue").id)
    assert (new.obj, new.value) == (None, "Hue")


def test_a_new_value_is_filed_under_its_author_and_no_wider(scene):
    told = scene.told("nova", "allergic_to", "nuts")
    receipt = scene.correct("sage", told.id, value="peanuts")
    assert receipt.label == label("health", "health", "private", "allergic_to")
    narrow = scene.told("nova", "likes", "tea", scope="private")
    assert scene.correct("mia", narrow.id, value="rice").label == label("personal", "personal", "private", "likes")
    opened = scene.told("nova", "lucky_number", 7, scope="shared")
    assert scene.correct("nova", opened.id, value=8).label.scope is Scope.SHARED  # hers to open, and open it was
    address = scene.told("nova", "address", "Oak 1")
    scene.relabel(address.id, Scope.SHARED)
    assert scene.correct("nova", address.id, value="Oak 2").label.scope is Scope.PRIVATE  # never hers to open


def test_what_was_derived_from_a_secret_stays_so_when_it_is_corrected(scene):
    income = scene.told("penny", "income", "5000")
    derived = scene.told("penny", "likes", "thrift", derived_from=[income.id])
    receipt = scene.correct("penny", derived.id, value="saving")
    assert scene.look("penny").row(receipt.id).filing == {
        label("personal", "finance", "shared", "likes"),
        label("finance", "finance", "private", "income"),
    }
    assert scene.sees("atlas") == set()


def test_a_correction_stays_with_those_to_whom_an_operator_has_moved_what_it_corrects(scene):
    told = scene.told("atlas", "likes", "aspirin")
    scene.relabel(told.id, Scope.PRIVATE, owner="health")
    receipt = scene.correct("atlas", told.id, value="ibuprofen")
    assert scene.look("atlas").row(receipt.id).filing == {
        label("personal", "travel", "private", "likes"),
        label("health", "travel", "private", "likes"),
    }
    assert scene.sees("atlas") == {"ibuprofen"}
    assert scene.sees("mia") == scene.sees("penny") == set()


def test_a_corrected_alias_stays_where_its_names_are(scene):
    """Whoever knows both names goes on knowing that they are one."""
    for name in ("Civic", "the Honda"):
        scene.told("mia", "seat", "aisle", subject=name)
    old = scene.told("mia", "same_as", subject="Civic", object="the Honda")
    before = scene.look("mia").row(old.id).filing
    new = scene.correct("mia", old.id, valid_from="2026-02-01")
    assert scene.look("mia").row(new.id).filing == before


# --- end ---------------------------------------------------------------------------------------------------------


def test_what_has_ended_is_past_from_then_on(scene):
    told = scene.told("mia", "lives_in", "Hanoi", valid_from="2026-01")
    before = scene.now()
    receipt = scene.end("mia", told.id, at="2026-06-01")
    assert (receipt.outcome, receipt.valid_from) == ("superseded", day("2026-06-01"))
    assert scene.sees("atlas") == set()
    assert at(scene, "atlas", START - 60 * DAY) == {"Hanoi"}
    assert scene.sees("atlas", before) == {"Hanoi"}
    (stretch,) = scene.look("mia").history(("customer", "lives_in", None))
    assert (stretch.interval.end, stretch.superseded_by) == (claim(scene, receipt.id).interval.start, receipt.id)


def test_an_end_without_a_moment_is_now_and_one_ahead_is_ahead(scene):
    told = scene.told("mia", "lives_in", "Hanoi")
    scene.clock.advance(HOUR)
    other = scene.told("mia", "diet", "vegan")
    scene.end("mia", told.id)
    assert scene.sees("mia") == {"vegan"}
    scene.end("mia", other.id, at=LATER)
    assert scene.sees("mia") == {"vegan"}
    assert at(scene, "mia", START + 11 * DAY) == set()


def test_an_end_is_read_in_the_zone_that_all_its_readers_know(scene):
    scene.told("mia", "time_zone", "Asia/Tokyo")
    told = scene.told("mia", "lives_in", "Hanoi", valid_from="2026-01")
    receipt = scene.end("atlas", told.id, at="2026-06-01")
    assert receipt.valid_from == datetime(2026, 5, 31, 15, tzinfo=UTC)
    assert claim(scene, receipt.id).precision is Precision.DAY
    assert receipt.label == label("personal", "personal", "shared", "lives_in")  # the fact's, not atlas's own


@pytest.mark.parametrize("moment", ["2025", "2026-01-01T00:00:00Z", "2026-01"])
def test_nothing_ends_before_it_began(scene, moment):
    told = scene.told("mia", "lives_in", "Hanoi", valid_from="2026-01")
    before = scene.cold("mia")
    assert code_of(scene.end, "mia", told.id, at=moment) == "ends_before_start"
    assert scene.cold("mia") == before


def test_an_end_ends_one_value_of_many_and_no_other(scene):
    tea = scene.told("mia", "likes", "tea")
    scene.told("mia", "likes", "rice")
    scene.told("mia", "lives_in", "Hanoi")
    scene.clock.advance(HOUR)
    scene.end("mia", tea.id)
    assert scene.sees("mia") == {"rice", "Hanoi"}


def test_an_end_can_be_retracted(scene):
    told = scene.told("mia", "lives_in", "Hanoi")
    scene.clock.advance(HOUR)
    ended = scene.end("mia", told.id)
    assert (claim(scene, ended.id).mode, claim(scene, ended.id).negated) == (Mode.CHANGE, True)
    scene.retract("mia", ended.id)
    assert scene.sees("atlas") == {"Hanoi"}


# --- forget and restore ------------------------------------------------------------------------------------------


def test_what_is_forgotten_is_gone_with_all_that_says_the_same(scene):
    told = scene.told("mia", "likes", "tea", text="I like tea")
    scene.told("mia", "likes", "TEA", text="Tea, as I said")
    scene.told("mia", "likes", "rice", text="And rice")
    before = scene.now()
    done = scene.forget("mia", told.id)
    assert len(done.acts) == len(set(done.targets)) == 4
    assert scene.sees("mia") == scene.sees("atlas") == {"rice"}
    assert turns(scene, "mia") == ["And rice"]
    assert scene.sees("atlas", before) == {"tea", "rice"}


def test_what_a_forgotten_value_had_ended_does_not_come_back(scene):
    scene.told("mia", "lives_in", "Hanoi", valid_from="2020")
    moved = scene.told("mia", "lives_in", "Hue", mode="change")
    scene.forget("mia", moved.id)
    assert scene.sees("mia") == scene.sees("atlas") == set()


def test_to_forget_that_something_ended_is_not_to_forget_that_it_was(scene):
    scene.told("mia", "likes", "tea", valid_from="2026-01")
    (denied,) = scene.remember("mia", {"relation": "likes", "value": "tea", "negated": True}, text="No more tea").facts
    assert len(scene.forget("mia", denied.id).acts) == 2
    assert (turns(scene, "mia"), scene.sees("mia")) == ([], set())
    assert at(scene, "mia", START - 90 * DAY) == {"tea"}
    scene.restore("mia", denied.id)
    assert turns(scene, "mia") == ["No more tea"]


@pytest.mark.parametrize(("scope", "also"), [("private", False), ("shared", True)])
def test_what_is_said_of_a_thing_by_another_name_is_forgotten_too_if_all_know_that_name(scene, scope, also):
    scene.told("mia", "owns", object="Civic")
    scene.told("mia", "owns", object="the Honda")
    told = scene.told("mia", "seat", "aisle", subject="Civic")
    other = scene.told("mia", "seat", "aisle", subject="the Honda")
    scene.told("mia", "same_as", subject="Civic", object="the Honda", scope=scope)
    scene.forget("mia", told.id)
    view = scene.look("mia")
    assert view.forgotten(claim(scene, other.id)) is also
    assert ("aisle" in scene.sees("atlas")) is not also


def test_what_only_some_know_to_be_taken_back_is_forgotten_for_all_who_read_it(scene):
    told = scene.told("mia", "likes", "tea")
    other = scene.told("mia", "likes", "tea")
    with scene.desk("admin", act=Act.DECIDE) as desk:
        acts.withdrawal(
            desk,
            claim(scene, other.id),
            None,
            desk.filing_of(other.id) | {label("personal", "personal", "private", "seat")},
        )
    assert not scene.look("mia").living(claim(scene, other.id))
    assert scene.look("atlas").living(claim(scene, other.id, "atlas"))
    assert set(scene.forget("mia", told.id).targets) == {told.id, other.id}
    assert scene.sees("atlas") == set()


def test_what_others_heard_of_it_is_theirs_to_forget(scene):
    told = scene.told("mia", "likes", "tea", text="I like tea")
    other = scene.told("nova", "likes", "tea", text="Tea please")
    done = scene.forget("nova", other.id)
    assert done.targets == (other.id, claim(scene, other.id, "nova").sources[0])
    assert (turns(scene, "mia"), turns(scene, "nova")) == (["I like tea"], [])
    assert not scene.look("mia").forgotten(claim(scene, told.id))
    assert set(scene.forget("mia", other.id).targets) == {told.id, claim(scene, told.id).sources[0]}
    assert (turns(scene, "mia"), scene.sees("atlas")) == ([], set())


def test_a_second_forgetting_changes_nothing_and_so_does_a_needless_restoring(scene):
    told = scene.told("mia", "likes", "tea")
    assert scene.restore("mia", told.id).acts == ()
    scene.forget("mia", told.id)
    assert scene.forget("mia", told.id).acts == ()
    scene.restore("mia", told.id)
    assert scene.restore("mia", told.id).acts == ()
    assert scene.sees("mia") == {"tea"}


def test_restoring_brings_back_what_was_forgotten_in_the_same_breath(scene):
    told = scene.told("mia", "likes", "tea", text="I like tea")
    again = scene.told("mia", "likes", "tea", text="Tea, as I said")
    scene.forget("mia", told.id)
    (restored, *others) = scene.restore("mia", again.id).targets
    assert scene.look("mia").row(restored).record.target == again.id
    assert len(others) == 3
    assert scene.sees("atlas") == {"tea"}
    assert turns(scene, "mia") == ["I like tea", "Tea, as I said"]


def test_a_turn_can_be_forgotten_by_itself_and_restored(scene):
    turn = scene.remember("nova", ("likes", "tea"), text="I like tea").turn.id
    scene.forget("nova", turn)
    assert (turns(scene, "nova"), scene.sees("nova")) == ([], {"tea"})
    scene.restore("nova", turn)
    assert turns(scene, "nova") == ["I like tea"]


def test_what_another_domain_forgot_only_that_domain_or_the_owner_restores(scene):
    told = scene.told("nova", "likes", "tea")
    scene.forget("nova", told.id)
    assert code_of(scene.restore, "atlas", told.id) == "not_yours"
    scene.restore("mia", told.id)
    assert scene.sees("atlas") == {"tea"}


# --- filing elsewhere --------------------------------------------------------------------------------------------


def test_filing_where_it_is_already_changes_nothing(scene):
    told = scene.told("mia", "likes", "tea")
    before = scene.cold("mia")
    assert scene.relabel(told.id, Scope.SHARED).acts == ()
    assert scene.cold("mia") == before


def test_nothing_of_a_customer_becomes_company_knowledge(scene):
    told = scene.told("mia", "likes", "tea")
    assert code_of(scene.relabel, told.id, Scope.GLOBAL, "company") == "scope_global"


def test_a_fact_takes_the_turn_it_came_from_along(scene):
    answer = scene.remember("mia", ("likes", "tea"), ("diet", "vegan"), text="I like tea and I am vegan")
    tea = answer.facts[0].id
    scene.relabel(tea, Scope.PRIVATE, owner="health")
    assert turns(scene, "mia") == ["I like tea and I am vegan"]
    with scene.desk("admin", act=Act.RELABEL) as desk:
        assert desk.filing_of(answer.turn.id) == {
            label("personal", "personal", "private", "turn"),
            label("personal", "personal", "shared", "likes"),
            label("personal", "personal", "shared", "diet"),
            label("health", "personal", "private", "likes"),
        }


def test_two_facts_of_one_turn_filed_elsewhere_at_once_both_bind_it(scene):
    answer = scene.remember("mia", ("likes", "tea"), ("diet", "vegan"), text="I like tea and I am vegan")
    with scene.desk("admin", act=Act.RELABEL) as desk:
        for fact, owner in zip(answer.facts, ("health", "finance"), strict=True):
            acts.relabel(desk, fact.id, Scope.PRIVATE, owner, None)
    with scene.desk("admin", act=Act.RELABEL) as desk:
        assert desk.filing_of(answer.turn.id) >= {
            label("health", "personal", "private", "likes"),
            label("finance", "personal", "private", "diet"),
        }
    assert scene.cold("admin", through="mia") == everything(scene.look("admin", through="mia"))


def test_what_was_forgotten_stays_so_for_those_who_are_let_in_later(scene):
    told = scene.told("mia", "address", "Oak 1")
    scene.forget("mia", told.id)
    scene.relabel(told.id, Scope.SHARED)
    assert scene.sees("atlas") == scene.sees("mia") == set()
    assert scene.look("atlas").forgotten(scene.look("atlas").claim(told.id))
    scene.restore("mia", told.id)
    assert scene.sees("atlas") == scene.sees("mia") == {"Oak 1"}


def test_what_was_taken_back_and_back_again_goes_along_too(scene):
    told = scene.told("mia", "address", "Oak 1")
    (withdrawal,) = scene.retract("mia", told.id).acts
    scene.retract("mia", withdrawal)
    scene.relabel(told.id, Scope.SHARED)
    assert scene.sees("atlas") == {"Oak 1"}
    kinds = [type(row.record) for row in scene.look("atlas").all_rows()]
    assert kinds.count(Withdraw) == 2
    for agent in ("mia", "atlas"):
        assert everything(scene.look(agent)) == scene.cold(agent)


def test_acts_upon_a_turn_go_along_with_it(scene):
    answer = scene.remember("mia", ("likes", "tea"), text="I like tea")
    scene.forget("mia", answer.turn.id)
    (fact,) = answer.facts
    scene.relabel(fact.id, Scope.PRIVATE)
    assert turns(scene, "mia") == []
    with scene.desk("admin", act=Act.RELABEL) as desk:
        (hide,) = (row for row in desk.view.all_rows() if isinstance(row.record, Hide))
        assert desk.filing_of(answer.turn.id) == hide.filing


def test_where_a_fact_came_from_is_for_those_who_see_where_it_went(scene):
    told = scene.told("mia", "address", "Oak 1")
    (act,) = scene.relabel(told.id, Scope.SHARED).acts
    assert isinstance(scene.look("mia").row(act).record, Relabel)
    assert scene.look("atlas").row(act) is None
    shared = scene.told("mia", "likes", "tea")
    (act,) = scene.relabel(shared.id, Scope.PRIVATE).acts
    assert scene.look("atlas").row(act) is None
    assert scene.sees("atlas") == {"Oak 1"}


def test_a_move_can_be_undone_and_its_undoing_too(scene):
    told = scene.told("mia", "address", "Oak 1")
    points = [scene.now()]
    (moved,) = scene.relabel(told.id, Scope.SHARED).acts
    points.append(scene.now())
    (undone,) = scene.take_back(moved).acts
    points.append(scene.now())
    assert scene.sees("atlas") == set()
    scene.take_back(undone)
    points.append(scene.now())
    assert [scene.sees("atlas", point) for point in points] == [set(), {"Oak 1"}, set(), {"Oak 1"}]
    assert [scene.sees("mia", point) for point in points] == [{"Oak 1"}] * 4
    assert everything(scene.look("atlas")) == scene.cold("atlas")


def test_undoing_a_move_that_was_moved_back_since_moves_nothing(scene):
    told = scene.told("mia", "address", "Oak 1")
    (first,) = scene.relabel(told.id, Scope.SHARED).acts
    scene.relabel(told.id, Scope.PRIVATE)
    scene.take_back(first)
    assert (scene.sees("mia"), scene.sees("atlas")) == ({"Oak 1"}, set())


def test_a_move_is_undone_by_those_who_may_move(scene):
    told = scene.told("mia", "address", "Oak 1")
    (own,) = scene.relabel(told.id, Scope.SHARED, by="mia").acts
    scene.rule("p, owner, personal, *, address, relabel, *, deny")
    assert code_of(scene.retract, "mia", own) == "not_yours"
    assert scene.sees("atlas") == {"Oak 1"}
    scene.rule()
    scene.retract("mia", own)
    assert scene.sees("atlas") == set()


def test_a_withdrawn_fact_is_filed_nowhere_else(scene):
    told = scene.told("mia", "address", "Oak 1")
    scene.retract("mia", told.id)
    with pytest.raises(Missing):
        scene.relabel(told.id, Scope.SHARED)


def test_an_operator_takes_back_what_anybody_said(scene):
    told = scene.told("sage", "has_condition", "asthma")
    done = scene.take_back(told.id)
    assert scene.sees("sage") == set()
    assert scene.look("sage").row(done.acts[0]).record.as_operator is True
    assert code_of(scene.take_back, told.id, by="mia") == "not_found"


@pytest.mark.parametrize("verb", ["retract", "forget", "restore"])
def test_acts_upon_acts_that_are_none_of_ones_own_are_refused(scene, verb):
    told = scene.told("mia", "likes", "tea")
    (act,) = scene.forget("mia", told.id).acts
    before = scene.cold("atlas")
    call = getattr(scene, verb)
    if verb == "restore":
        assert call("atlas", act).acts == ()
    else:
        assert code_of(call, "atlas", act) == "not_yours"
    assert scene.cold("atlas") == before


def test_a_moment_that_is_none_is_refused(scene):
    told = scene.told("mia", "likes", "tea")
    with pytest.raises(Incorrect):
        scene.end("mia", told.id, at="2026-07-02T00:00:00")
    assert scene.sees("mia") == {"tea"}


def test_a_turn_that_its_mover_may_not_see_stays_where_it_was_heard(scene):
    answer = scene.remember("nova", ("allergic_to", "nuts"), text="No nuts please")
    scene.relabel(answer.facts[0].id, Scope.SHARED, by="sage")
    assert scene.sees("atlas") == {"nuts"}
    assert (turns(scene, "nova"), turns(scene, "sage"), turns(scene, "atlas")) == (["No nuts please"], [], [])
    scene.relabel(answer.facts[0].id, Scope.PRIVATE)
    assert (turns(scene, "nova"), turns(scene, "sage")) == (["No nuts please"], [])
