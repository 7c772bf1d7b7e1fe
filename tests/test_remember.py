"""Remembering: what becomes of a fact, when it holds, which thing a name means, and what is refused whole."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from hub.clock import SimulatedClock
from hub.codec import encode
from hub.errors import Denied, HubError, Incorrect
from hub.facts import AsOf, Entity, Mode, Precision, Scope
from hub.hub import Hub
from hub.moments import DAY, HOUR, MINUTE, SECOND, rendered
from tests.scene import CUSTOMER, START, Scene, everything, said, value, values


@pytest.fixture
def scene(tmp_path):
    scene = Scene(tmp_path / "memory.db")
    yield scene
    scene.close()


def day(text):
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


def claim(scene, agent, receipt, customer=CUSTOMER):
    return scene.look(agent, customer=customer).claim(receipt.id)


def refused(scene, *facts, agent="mia", **more):
    """The error, after which nothing must be there that was not there before."""
    before = scene.cold("mia"), scene.cold("nova")
    with pytest.raises(HubError) as caught:
        scene.remember(agent, *facts, **more)
    assert (scene.cold("mia"), scene.cold("nova")) == before
    assert caught.value.fix
    return caught.value


# --- outcomes ----------------------------------------------------------------------------------------------------

CITY = {"relation": "lives_in"}
OUTCOMES = [
    # what was told, then (who, what) is told, what becomes of it, what stands against it
    ([], ("mia", ("likes", "tea")), "accepted", ()),
    ([("mia", ("likes", "tea"))], ("mia", ("likes", "rice")), "accepted", ()),
    ([("mia", ("likes", "tea"))], ("nova", ("likes", "  TEA ")), "corroborated", ()),
    ([("mia", ("budget", "3,000 USD"))], ("nova", ("budget", "3000 usd")), "corroborated", ()),
    ([("mia", ("budget", "3000"))], ("nova", ("budget", 3000)), "corroborated", ()),
    ([("mia", ("diet", True))], ("nova", ("diet", 1)), "superseded", ()),
    ([("mia", ("budget", "800"))], ("mia", ("budget", "900")), "superseded", ()),
    ([("mia", ("lives_in", "Paris"))], ("mia", {**CITY, "value": "Rome", "mode": "change"}), "superseded", ()),
    ([("mia", ("lives_in", "Paris"))], ("mia", ("lives_in", "Rome")), "contested", ("Paris",)),
    ([("mia", ("lives_in", "Paris"))], ("atlas", ("lives_in", "Rome")), "contested", ("Paris",)),
    (
        [("mia", ("lives_in", "Paris"))],
        ("mia", {**CITY, "value": "Rome", "mode": "correct", "valid_from": "2026-01"}),
        "corrected",
        (),
    ),
    (
        [("mia", {"relation": "diet", "value": "vegan", "valid_from": "2026-05"})],
        ("mia", {"relation": "diet", "value": "any", "valid_from": "2026-03"}),
        "outranked",
        (),
    ),
    ([("penny", ("income", "5000"))], ("penny", ("income", "6000")), "contested", ("5000",)),
    (
        [("penny", ("income", "5000"))],
        ("penny", {"relation": "income", "value": "6", "mode": "change"}),
        "superseded",
        (),
    ),
    ([("mia", ("likes", "tea"))], ("mia", {"relation": "likes", "value": "tea", "negated": True}), "superseded", ()),
    ([], ("mia", {"relation": "likes", "value": "tea", "negated": True}), "accepted", ()),
    ([("mia", ("diet", "vegan"))], ("mia", {"relation": "diet", "negated": True}), "superseded", ()),
    ([("mia", ("likes", "tea"))], ("mia", ("dislikes", "tea")), "accepted", ()),
    ([], ("kai", ("lucky_number", 7)), "provisional", ()),
    ([("kai", ("lucky_number", 7))], ("kai", ("lucky_number", 8)), "provisional", ()),
]


@pytest.mark.parametrize(("before", "told", "outcome", "against"), OUTCOMES)
def test_the_answer_says_what_became_of_a_fact(scene, before, told, outcome, against):
    for agent, fact in before:
        scene.remember(agent, fact)
    agent, fact = told
    (receipt,) = scene.remember(agent, fact).facts
    assert (receipt.outcome, receipt.contested_by) == (outcome, against)
    assert receipt.slot.startswith("customer/")
    assert scene.look(agent).claim(receipt.id) is not None


def test_what_is_outranked_is_hers_by_word_of_finance(tmp_path):
    scene = Scene(tmp_path / "memory.db")
    scene.told("penny", "income", "5000")
    hidden = scene.told("nova", "income", "6000")  # nova can't see what finance holds
    assert hidden.outcome == "accepted"
    assert value(scene.look("penny"), "income") == "5000"
    scene.close()


def test_a_contest_with_nothing_is_named_so(scene):
    scene.told("mia", "lives_in", "Paris")
    receipt = scene.told("atlas", "lives_in", negated=True)
    assert receipt.outcome == "accepted"
    again = scene.told("mia", "lives_in", "Paris", mode="state")
    assert (again.outcome, again.contested_by) == ("contested", ("none",))


def test_three_tellings_are_one_memory_and_surer(scene):
    for agent in ("mia", "nova", "mia"):
        scene.told(agent, "likes", "tea")
    (belief,) = scene.look("mia").beliefs()
    assert len(belief.support) == 3


def test_what_was_loved_and_is_hated_is_only_hated(scene):
    scene.told("mia", "likes", "coffee", valid_from="2026-01")
    scene.told("mia", "dislikes", "coffee")
    view = scene.look("mia")
    assert [(b.claim.relation, said(b.claim)) for b in view.beliefs()] == [("dislikes", "coffee")]
    past = scene.door.look("mia", CUSTOMER, AsOf(START - DAY))
    assert [(b.claim.relation, said(b.claim)) for b in past.beliefs()] == [("likes", "coffee")]


def test_long_numbers_that_differ_in_their_last_digit_are_two_values(scene):
    scene.told("penny", "bank", "123456789012345678901234567890")
    other = scene.told("penny", "bank", "123456789012345678901234567891")
    assert other.outcome == "accepted"
    assert len(scene.look("penny").beliefs()) == 2


def test_a_backdated_fact_does_not_move_the_present(scene):
    scene.told("mia", "lives_in", "Hue", valid_from="2026-05")
    late = scene.told("mia", "lives_in", "Saigon", valid_from="2026-03")
    assert (late.outcome, value(scene.look("mia"), "lives_in")) == ("contested", "Hue")
    april = scene.door.look("mia", CUSTOMER, AsOf(START - 80 * DAY))
    assert value(april, "lives_in") == "Saigon"


def test_two_stints_of_one_value_are_two(scene):
    scene.told("mia", "works_at", object="Acme", valid_from="2019", valid_to="2020")
    scene.told("mia", "works_at", object="Acme", valid_from="2024")
    view = scene.look("mia")
    assert [b.interval.end is None for b in view.history(view.slots("customer")[0])] == [False, True]


# --- moments -----------------------------------------------------------------------------------------------------

STARTS = [
    # zone, valid_from, when it starts, precision
    (None, "2026-03-01", "2026-03-01T00:00:00", Precision.DAY),
    ("Asia/Ho_Chi_Minh", "2026-03-01", "2026-02-28T17:00:00", Precision.DAY),
    ("Asia/Tokyo", "2026-03", "2026-02-28T15:00:00", Precision.MONTH),
    ("America/New_York", "2026", "2026-01-01T05:00:00", Precision.YEAR),
    ("Asia/Tokyo", "2026-03-01T09:00:00+07:00", "2026-03-01T02:00:00", Precision.INSTANT),
    ("Asia/Tokyo", "2026-03-01T09:00:00Z", "2026-03-01T09:00:00", Precision.INSTANT),
]


@pytest.mark.parametrize(("zone", "given", "starts", "precision"), STARTS)
def test_a_date_keeps_its_precision_and_starts_where_the_customer_is(scene, zone, given, starts, precision):
    if zone is not None:
        scene.told("mia", "time_zone", zone)
    receipt = scene.told("nova", "likes", "tea", valid_from=given, on=given)
    told = claim(scene, "nova", receipt)
    assert receipt.valid_from == day(starts)
    assert (told.precision, told.on.precision, told.on.at) == (precision, precision, told.interval.start)
    assert (told.mode, told.mode_given, told.start_given) == (Mode.CHANGE, False, True)


@pytest.mark.parametrize("zone", ["Mars/Phobos", "GMT+7", "somewhere", 7])
def test_a_time_zone_that_there_is_none_of_is_refused_where_it_is_given(scene, zone):
    tokyo = scene.told("mia", "time_zone", "Asia/Tokyo").id
    for given in (
        lambda: scene.remember("mia", ("likes", "tea"), ("time_zone", zone)),
        lambda: scene.correct("mia", tokyo, value=zone),
    ):
        with pytest.raises(Incorrect) as refused:
            given()
        assert refused.value.code == "unknown_zone"
    assert values(scene.look("mia")) == {"Asia/Tokyo"}
    scene.told("mia", "time_zone", "Mars/Phobos", negated=True)  # which nobody can deny


def test_what_has_no_date_holds_from_when_it_was_said(scene):
    said_at = rendered(START - HOUR)
    told = claim(scene, "mia", scene.told("mia", "likes", "tea", said_at=said_at))
    assert (told.interval.start, told.said_at, told.start_given) == (START - HOUR, START - HOUR, False)
    assert (told.mode, told.end_given, told.on) == (Mode.STATE, False, None)


def test_an_end_left_open_in_so_many_words_is_an_end_given(scene):
    silent = claim(scene, "mia", scene.told("mia", "availability", "3 days"))
    spoken = scene.remember("mia", {"relation": "availability", "value": "3 days", "valid_to": None}).facts[0]
    assert (silent.end_given, claim(scene, "mia", spoken).end_given) == (False, True)
    late = AsOf(START + 30 * DAY)
    assert [b.status for b in scene.door.look("mia", CUSTOMER, late).beliefs()] == ["current"]


def test_a_fact_may_end_in_the_far_future_and_is_current(scene):
    receipt = scene.told("mia", "diet", "vegan", valid_from="2020", valid_to="2099")
    assert receipt.valid_to == day("2099-01-01")
    assert value(scene.look("mia"), "diet") == "vegan"


SAID = [
    # how far ahead of now, when it counts as said
    (-365 * DAY, -365 * DAY),
    (0, 0),
    (4 * MINUTE, 0),
    (5 * MINUTE, 0),
    (5 * MINUTE + SECOND, None),
    (DAY, None),
]


@pytest.mark.parametrize(("ahead", "counts"), SAID)
def test_a_senders_clock_may_run_five_minutes_ahead_and_no_more(scene, ahead, counts):
    now = scene.clock.now()
    if counts is None:
        error = refused(scene, ("likes", "tea"), said_at=rendered(now + ahead))
        assert (error.code, error.where) == ("said_in_future", "said_at")
    else:
        told = claim(scene, "mia", scene.told("mia", "likes", "tea", said_at=rendered(now + ahead)))
        assert told.said_at == told.interval.start == now + counts
        assert told.recorded_at == now


def test_what_was_said_long_ago_was_not_known_before_it_was_recorded(scene):
    scene.told("mia", "lives_in", "Hanoi", said_at="2021-01-01T00:00:00Z")
    assert scene.sees("mia", START - HOUR) == set()
    assert values(scene.door.look("mia", CUSTOMER, AsOf(START - 1000 * DAY))) == {"Hanoi"}


# --- refused whole -----------------------------------------------------------------------------------------------

MALFORMED = [
    ({"relation": "likes"}, "no_value", "facts.1.value"),
    ({"relation": "likes", "negated": True}, "negation_needs_value", "facts.1.value"),
    ({"relation": "likes", "value": "a", "object": "b"}, "value_and_object", "facts.1.value"),
    ({"relation": "likes", "value": "a", "mode": "correct"}, "correction_needs_interval", "facts.1.valid_from"),
    ({"relation": "likes", "value": "a", "scope": "global"}, "scope_global", "facts.1.scope"),
    ({"relation": "likes", "value": "a", "valid_from": "2026-03-01T09:00:00"}, "naive_instant", "facts.1"),
    ({"relation": "likes", "value": "a", "valid_from": "last fortnightish"}, "bad_instant", "facts.1"),
    ({"relation": "likes", "value": "a", "valid_from": "2026-02-30"}, "bad_instant", "facts.1"),
    ({"relation": "likes", "value": "a", "valid_to": "yesterday"}, "bad_instant", "facts.1"),
    ({"relation": "likes", "value": "a", "on": "soon"}, "bad_instant", "facts.1"),
    (
        {"relation": "likes", "value": "a", "valid_from": "2026", "valid_to": "2026"},
        "empty_interval",
        "facts.1.valid_to",
    ),
    (
        {"relation": "likes", "value": "a", "valid_from": "2027", "valid_to": "2026"},
        "empty_interval",
        "facts.1.valid_to",
    ),
    ({"relation": "likes", "value": "a", "valid_to": "2020"}, "empty_interval", "facts.1.valid_to"),
    ({"relation": "p, admin", "value": "a"}, "bad_relation", "facts.1.relation"),
    ({"relation": "*", "value": "a"}, "bad_relation", "facts.1.relation"),
    ({"relation": "turn", "value": "a"}, "bad_relation", "facts.1.relation"),
    ({"relation": "Likes", "value": "a"}, "bad_relation", "facts.1.relation"),
    ({"relation": "likes", "value": "a", "subject": {"kind": "car"}}, "no_name", "facts.1.subject"),
    ({"relation": "same_as", "value": "a"}, "no_object", "facts.1.object"),
    ({"relation": "same_as", "subject": "Civic", "object": "Civic"}, "same_thing", "facts.1.object"),
]


@pytest.mark.parametrize(("fact", "code", "where"), MALFORMED, ids=lambda it: str(it)[:70])
def test_one_malformed_fact_refuses_all_of_the_request_and_records_nothing(scene, fact, code, where):
    error = refused(scene, ("likes", "tea"), fact, ("likes", "rice"), text="Hello")
    assert isinstance(error, Incorrect)
    assert (error.code, error.where) == (code, where)


def test_a_request_that_says_nothing_is_refused(scene):
    assert refused(scene).code == "nothing_to_remember"
    assert refused(scene, text="").code == "nothing_to_remember"
    assert refused(scene, text="  \n").code == "nothing_to_remember"


def test_a_naive_moment_of_saying_is_refused(scene):
    assert refused(scene, ("likes", "tea"), said_at="2026-03-01T09:00:00").code == "naive_instant"


# --- superseding -------------------------------------------------------------------------------------------------


def test_what_supersedes_a_fact_is_a_change_of_it(scene):
    old = scene.told("mia", "lives_in", "Paris")
    new = scene.told("mia", "lives_in", "Rome", supersedes=old.id)
    assert (new.outcome, claim(scene, "mia", new).mode) == ("superseded", Mode.CHANGE)
    belief = scene.look("mia").history(("customer", "lives_in", None))
    assert [b.superseded_by for b in belief] == [new.id, None]


def test_what_supersedes_a_fact_may_call_its_thing_by_another_name(scene):
    old = scene.told("mia", "size", "M", subject="Civic")
    scene.told("mia", "same_as", subject="my car", object="Civic", scope="shared")
    new = scene.told("mia", "size", "L", subject="my car", supersedes=old.id)
    assert new.outcome == "superseded"


def test_what_supersedes_a_fact_about_something_else_is_refused(scene):
    tea = scene.told("mia", "likes", "tea")
    civic = scene.told("mia", "size", "M", subject="Civic")
    for fact in (
        {"relation": "lives_in", "value": "Rome", "supersedes": tea.id},
        {"relation": "size", "value": "L", "supersedes": civic.id},
    ):
        error = refused(scene, fact)
        assert (error.code, error.where) == ("other_slot", "facts.0.supersedes")


@pytest.mark.parametrize("known", ["hidden", "of another customer", "never was", "a turn"])
def test_what_supersedes_a_fact_one_may_not_see_is_left_out_and_named(scene, known):
    ids = {
        "hidden": scene.told("sage", "has_condition", "asthma").id,
        "of another customer": scene.told("mia", "lives_in", "Rome", of="lee").id,
        "never was": "fact_none",
        "a turn": scene.remember("mia", text="Hello").turn.id,
    }
    answer = scene.remember("mia", {"relation": "lives_in", "value": "Hue", "supersedes": ids[known]}, ("likes", "tea"))
    assert [(r.index, r.code, r.detail) for r in answer.refused] == [(0, "not_found", "there is no such record")]
    assert scene.sees("mia") == {"tea"}


# --- things and their names --------------------------------------------------------------------------------------


def test_a_name_means_the_thing_that_bears_it(scene):
    scene.told("mia", "owns", object="Honda Civic")
    scene.told("kai", "warranty_until", "2027", subject="honda  CIVIC")
    scene.told("kai", "size", "L", subject={"kind": "car", "name": "Honda Civic"})
    scene.told("nova", "size", "XL", subject={"id": scene.look("nova").entities()[1].id})
    entities = scene.look("nova").entities()
    assert [(e.kind, e.name) for e in entities] == [("person", "customer"), ("car", "Honda Civic")]
    assert values(scene.look("nova")) == {"Honda Civic", "2027", "XL"}


@pytest.mark.parametrize("kind", ["car", "xe", "차", "車", "CAR", "ô tô", "자동차"])
def test_a_kind_may_be_named_in_four_languages(scene, kind):
    scene.told("mia", "owns", object={"kind": "car", "name": "Civic"})
    scene.told("kai", "size", "L", subject={"kind": kind, "name": "Civic"})
    assert [e.kind for e in scene.look("mia").entities()] == ["person", "car"]


def test_things_of_two_kinds_are_two_though_they_share_a_name(scene):
    scene.told("mia", "likes", "red ones", subject={"kind": "fruit", "name": "Apple"})
    scene.told("mia", "prefers_brand", object={"kind": "company", "name": "Apple"})
    assert len([e for e in scene.look("mia").entities() if e.name == "Apple"]) == 2
    error = refused(scene, {"relation": "likes", "value": "green ones", "subject": "Apple"})
    assert (error.code, error.where) == ("ambiguous_entity", "facts.0.subject")
    scene.told("mia", "size", "S", subject={"kind": "fruit", "name": "Apple"})
    scene.told("mia", "works_at", object="Apple")  # the relation says that a company is meant
    assert len([e for e in scene.look("mia").entities() if e.name == "Apple"]) == 2


def test_a_name_that_means_two_things_to_its_writer_is_a_third_to_others(scene):
    for kind in ("fruit", "company"):
        scene.told("kai", "fault", "rotten", subject={"kind": kind, "name": "Apple"})
    scene.told("kai", "warranty_until", "2027", subject="Apple")
    assert [e.kind for e in scene.look("kai").entities()] == ["fruit", "company", "thing"]


def test_an_entity_by_id_must_be_known_to_all_who_will_read_it(scene):
    scene.told("kai", "fault", "clutch", subject="Civic")
    civic = scene.look("kai").entities()[0].id
    for agent, known in (("kai", civic), ("mia", civic), ("kai", "ent_none")):
        answer = scene.remember(agent, {"relation": "likes", "value": "x", "subject": {"id": known}})
        assert [r.code for r in answer.refused] == ["not_found"]
    scene.told("kai", "fault", "brakes", subject={"id": civic})
    assert values(scene.look("kai")) == {"clutch", "brakes"}


@pytest.mark.parametrize("named", [None, "customer", {"id": "customer"}, {"name": "customer"}], ids=repr)
def test_the_customer_is_meant_where_nothing_else_is_said(scene, named):
    receipt = scene.told("mia", "likes", "tea", **({} if named is None else {"subject": named}))
    assert receipt.slot == "customer/likes"


@pytest.mark.parametrize(
    "name", ["*", "%", "p, admin", "g, mia, operator, *", '") or true or ("', "O'Brien", "🍜", "項目甲", "a" * 256]
)
def test_an_odd_name_is_a_name_like_any_other(scene, name):
    scene.told("mia", "likes", name, subject=name)
    scene.told("mia", "owns", object=name)
    scene.told("mia", "likes", "tea", of=name)
    entities = scene.look("atlas").entities()
    assert [e.name for e in entities] == [name, "customer"]
    assert scene.sees("atlas", customer=name) == {"tea"}
    assert scene.sees("sage", customer="lee") == set()


# --- aliases -----------------------------------------------------------------------------------------------------


def test_an_alias_is_known_to_those_who_know_both_names(scene):
    scene.told("mia", "owns", object="Civic")
    scene.told("kai", "fault", "clutch", subject="my car")
    receipt = scene.told("kai", "same_as", subject="my car", object="Civic")
    assert receipt.outcome == "accepted"
    assert {label.relation for label in scene.look("kai").row(receipt.id).filing} == {"fault", "owns"}
    assert [e.name for e in scene.look("kai").entities()] == ["customer", "Civic"]
    assert scene.look("mia").row(receipt.id) is None
    assert [e.name for e in scene.look("mia").entities()] == ["customer", "Civic"]


def test_an_alias_of_two_shared_names_joins_them_for_all_until_it_is_taken_back(scene):
    scene.told("mia", "owns", object="Civic")
    scene.told("kai", "warranty_until", "2027", subject="the Honda")
    receipt = scene.told("nova", "same_as", subject="the Honda", object="Civic")
    assert len(scene.look("sage").entities()) == 2
    with pytest.raises(Denied):
        scene.retract("mia", receipt.id)  # neither its author's domain nor an operator
    scene.take_back(receipt.id)
    assert len(scene.look("sage").entities()) == 3


def test_an_alias_for_a_name_nobody_has_used_is_its_writers_own(scene):
    scene.told("mia", "owns", object="Civic")
    receipt = scene.told("kai", "same_as", subject="Rosinante", object="Civic")
    assert receipt.label.relation == "same_as"
    assert scene.look("mia").row(receipt.id) is None
    scene.told("kai", "fault", "clutch", subject="Rosinante")
    assert [e.name for e in scene.look("kai").entities()] == ["customer", "Civic"]
    opened = scene.told("mia", "same_as", subject="Blitz", object="Civic", scope="shared")
    assert scene.look("atlas").row(opened.id) is not None


def test_an_alias_may_name_what_the_same_request_tells_of(scene):
    scene.remember(
        "mia",
        {"relation": "owns", "object": {"kind": "car", "name": "Civic"}},
        {"relation": "same_as", "subject": "my car", "object": "Civic"},
        {"relation": "size", "value": "L", "subject": "my car"},
    )
    assert [e.name for e in scene.look("mia").entities()] == ["customer", "Civic"]


# --- turns -------------------------------------------------------------------------------------------------------


def test_a_turn_is_kept_verbatim_with_its_claims_pointing_at_it(scene):
    text = "  Tôi dị ứng với đậu phộng 🍜\n\tvâng  "
    answer = scene.remember("nova", ("allergic_to", "đậu phộng"), text=text, session="s1", role="user")
    turn = next(scene.look("nova").turns())
    assert (turn.id, turn.text, turn.session, turn.role, turn.lang) == (answer.turn.id, text, "s1", "user", "vi")
    assert claim(scene, "nova", answer.facts[0]).sources == (turn.id,)
    assert claim(scene, "nova", answer.facts[0]).lang == "vi"
    assert answer.recorded_at.timestamp() * 1_000_000 == turn.recorded_at


@pytest.mark.parametrize(
    ("facts", "text", "lang", "kept"),
    [
        ((), "안녕하세요, 저는 하노이에 살아요", None, "ko"),
        ((), "hello there", "ja", "ja"),
        ((("likes", "寿司が好き"),), None, None, "ja"),
        ((("likes", 7),), None, None, "en"),
    ],
)
def test_the_language_is_the_one_given_or_the_one_it_looks_like(scene, facts, text, lang, kept):
    answer = scene.remember("mia", *facts, text=text, lang=lang)
    rows = scene.look("mia").base.rows
    assert {row.record.lang for row in rows} == {kept}
    assert answer.turn is None or answer.turn.label


def test_a_turn_said_before_the_present_is_not_ahead_of_it(scene):
    scene.remember("mia", text="Hello", said_at=rendered(START - DAY))
    assert [t.text for t in scene.door.look("mia", CUSTOMER, AsOf(START - HOUR)).turns()] == ["Hello"]
    assert list(scene.door.look("mia", CUSTOMER, AsOf(START - 2 * DAY)).turns()) == []


# --- once --------------------------------------------------------------------------------------------------------


@pytest.fixture
def hub():
    with Hub.open(clock=SimulatedClock(START)) as hub:
        yield hub


def memories(hub, agent="mia"):
    return [m.text for e in hub.agent(agent, CUSTOMER).profile().entities for m in e.beliefs]


def test_a_request_repeated_under_its_key_is_answered_alike_and_recorded_once(hub):
    mia = hub.agent("mia", CUSTOMER)
    first = mia.remember("I like tea", facts=[{"relation": "likes", "value": "tea"}], idempotency_key="k")
    again = mia.remember("I like tea", facts=[{"relation": "likes", "value": "tea"}], idempotency_key="k")
    assert encode(first) == encode(again)
    assert first == again
    assert len(mia.history(first.facts[0].id).records) == 1
    assert memories(hub) == ["likes: tea"]


@pytest.mark.parametrize(
    "other",
    [
        {"text": "I like Tea"},
        {"facts": [{"relation": "likes", "value": "rice"}]},
        {"facts": [{"relation": "likes", "value": "tea", "valid_to": None}]},
        {"facts": []},
        {"session": "s"},
        {"purpose": None, "role": "assistant"},
    ],
    ids=repr,
)
def test_another_request_under_the_same_key_is_a_conflict(hub, other):
    atlas = hub.agent("atlas", CUSTOMER)
    body = {"text": "I like tea", "facts": [{"relation": "likes", "value": "tea"}]}
    atlas.remember(**body, idempotency_key="k")
    before = memories(hub)
    with pytest.raises(HubError) as refused:
        atlas.remember(**{**body, **other}, idempotency_key="k")
    assert refused.value.code == "idempotency_key_reused"
    assert memories(hub) == before


def test_a_key_is_one_agents_for_one_customer(hub):
    fact = {"facts": [{"relation": "likes", "value": "tea"}], "idempotency_key": "k"}
    ids = {
        hub.agent(agent, customer).remember(**fact).facts[0].id
        for agent in ("mia", "nova")
        for customer in (CUSTOMER, "lee")
    }
    assert len(ids) == 4


def test_a_refused_request_leaves_its_key_free(hub):
    mia = hub.agent("mia", CUSTOMER)
    with pytest.raises(Incorrect):
        mia.remember(facts=[{"relation": "likes"}], idempotency_key="k")
    mia.remember(facts=[{"relation": "likes", "value": "tea"}], idempotency_key="k")
    assert memories(hub) == ["likes: tea"]


@pytest.mark.parametrize("key", ["", " ", "a\x00", "\ud800", "x" * 257, 7, ["k"]])
def test_a_key_that_is_no_name_is_refused(hub, key):
    with pytest.raises(Incorrect) as refused:
        hub.agent("mia", CUSTOMER).remember("Hello", idempotency_key=key)
    assert (refused.value.code, refused.value.where) == ("bad_field", "idempotency_key")
    assert memories(hub) == []


@pytest.mark.parametrize(
    ("text", "code"),
    [("\x00", "bad_field"), ("half \ud83c", "bad_field"), ("x" * 1_000_000, "too_large")],
    ids=["nul", "surrogate", "a megabyte"],
)
def test_a_text_that_is_no_text_or_too_long_is_refused_beside_nine_short_ones(hub, text, code):
    mia = hub.agent("mia", CUSTOMER)
    for number in range(9):
        mia.remember(f"note {number}")
    with pytest.raises(Incorrect) as refused:
        mia.remember(text)
    assert (refused.value.code, refused.value.where) == (code, "text")
    assert len(refused.value.message) < 200


def test_a_longest_request_is_taken_whole(scene):
    facts = [("likes", f"dish {number}") for number in range(500)]
    answer = scene.remember("mia", *facts, text="x" * 100_000)
    assert len(answer.facts) == 500
    assert {receipt.outcome for receipt in answer.facts} == {"accepted"}
    assert len(scene.look("atlas").beliefs()) == 500


def test_a_thing_can_be_said_privately_and_shared_and_each_has_its_label(scene):
    private = scene.told("mia", "lives_in", "Hue", scope="private")
    shared = scene.told("mia", "lives_in", "Hanoi", mode="change")
    assert (private.label.scope, shared.label.scope) == (Scope.PRIVATE, Scope.SHARED)
    assert value(scene.look("mia"), "lives_in") == value(scene.look("atlas"), "lives_in") == "Hanoi"


def test_a_request_sees_what_it_said_before_in_itself(scene):
    answer = scene.remember("mia", ("likes", "tea"), ("likes", "TEA"), ("budget", "1"), ("budget", "2"))
    assert [r.outcome for r in answer.facts] == ["accepted", "corroborated", "accepted", "superseded"]
    assert everything(scene.look("mia")) == scene.cold("mia")


def test_an_object_gets_the_kind_its_relation_suggests(scene):
    scene.told("mia", "planned_trip", object="Da Nang")
    assert scene.look("mia").entities()[1] == Entity(scene.look("mia").entities()[1].id, "city", "Da Nang")


def test_an_alias_says_whether_the_two_were_one_before(scene):
    scene.told("mia", "owns", object="Civic")
    scene.told("mia", "size", "L", subject="the Honda")
    alias = {"relation": "same_as", "subject": "the Honda", "object": "Civic"}
    denied = {**alias, "negated": True}
    told = [scene.remember("mia", fact).facts[0].outcome for fact in (denied, alias, alias, denied, denied)]
    assert told == ["accepted", "accepted", "corroborated", "superseded", "accepted"]
