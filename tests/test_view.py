"""A view: which records, things and beliefs one viewer has at one point in time, however often it was asked before."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hub.codec import replaced
from hub.errors import HubError
from hub.facts import AsOf, Mode, Scope, Status
from hub.moments import DAY, HOUR, rendered
from hub.view import Base, Row
from hub.view.base import entities_of
from hub.view.finding import named, newest_claims
from tests.scene import CUSTOMER, START, Scene, everything, said, value, values
from tests.views import SHIPPED, Notebook, thing

CIVIC, CAMRY, HONDA = thing("Civic", "car"), thing("Camry", "car"), thing("the Honda")


@pytest.fixture
def scene(tmp_path):
    scene = Scene(tmp_path / "memory.db")
    yield scene
    scene.close()


def names(view):
    return [entity.name for entity in view.entities()]


def at(scene, agent, valid_at):
    return scene.door.look(agent, CUSTOMER, AsOf(valid_at))


# --- records -----------------------------------------------------------------------------------------------------


def test_a_record_is_found_by_its_id_only_where_it_is_visible(scene):
    told = scene.told("sage", "has_condition", "asthma", text="I have asthma")
    turn = next(scene.look("sage").turns())
    view = scene.look("sage")
    assert view.row(told.id).record == view.claim(told.id)
    assert view.claim(turn.id) is None
    assert view.claim("fact_none") is view.row("fact_none") is None
    assert scene.look("mia").row(told.id) is scene.look("mia").claim(told.id) is None


def test_all_rows_are_in_the_order_of_the_ledger(scene):
    for number in range(5):
        scene.told("mia", "likes", str(number))
        scene.told("sage", "has_condition", str(number))
    rows = list(scene.look("sage").all_rows())
    assert [row.record.value for row in rows] == [str(n) for number in range(5) for n in (number, number)]
    assert [row.seq for row in rows] == sorted(row.seq for row in rows)
    assert [row.at for row in rows] == sorted(row.at for row in rows)


def test_what_is_about_to_be_written_is_believed_and_shown_by_its_id():
    book = Notebook()
    told = book.told("mia", "lives_in", "Hanoi")
    other = Notebook(rows=book.rows)
    other.now = book.now
    moved = other.told("mia", "lives_in", "Hue", mode=Mode.CHANGE)
    hidden = other.hide("mia", moved)
    view = book.view(valid_at=other.now)
    after = view.plus(other.rows[1:2])
    assert value(after, "lives_in") == "Hue"
    assert after.row(moved.id).record is moved
    assert value(after.plus(other.rows[2:]), "lives_in") is None
    assert after.plus(other.rows[2:]).acts_on(moved.id) == [hidden]
    assert value(view, "lives_in") == value(after.at(told.interval.start), "lives_in") == "Hanoi"
    assert list(after.all_rows()) == other.rows[:2]


def test_an_act_upon_what_one_may_not_see_counts_for_its_own_domain(scene):
    told = scene.told("mia", "likes", "tea")
    (act,) = scene.retract("mia", told.id).acts
    view = scene.look("mia")
    assert view.owner_of(view.claim(told.id)) == view.owner_of(view.row(act).record) == "personal"
    unseen = Row(replaced(view.row(act).record, target="fact_none"), frozenset(), 0, 0)
    assert view.owner_of(unseen.record) == "personal"


# --- turns -------------------------------------------------------------------------------------------------------


def test_turns_stand_until_they_are_taken_back_or_forgotten_and_not_before_they_are_said(scene):
    ids = [
        scene.remember("mia", text=text, said_at=rendered(START - n * DAY)).turn.id
        for n, text in ((9, "a"), (5, "b"), (1, "c"))
    ]
    assert [turn.text for turn in scene.look("mia").turns()] == ["a", "b", "c"]
    assert [turn.text for turn in at(scene, "mia", START - 3 * DAY).turns()] == ["a", "b"]
    scene.retract("mia", ids[0])
    scene.forget("mia", ids[1])
    assert [turn.text for turn in scene.look("mia").turns()] == ["c"]


OLD_WORDS = [
    # what became of what a turn said, whether it is out of date
    (lambda scene, told: None, False),
    (lambda scene, told: scene.told("mia", "lives_in", "Hue", mode="change"), True),
    (lambda scene, told: scene.told("mia", "lives_in", "Hue"), True),
    (lambda scene, told: scene.retract("mia", told.id), True),
    (lambda scene, told: scene.forget("nova", told.id), True),
    (lambda scene, told: scene.end("mia", told.id, at=rendered(START + 2 * HOUR)), False),
    (lambda scene, told: scene.told("nova", "lives_in", "  HANOI "), False),
    (lambda scene, told: scene.told("mia", "likes", "tea"), False),
]


@pytest.mark.parametrize(("happened", "outdated"), OLD_WORDS)
def test_old_words_do_not_answer_for_a_new_value(scene, happened, outdated):
    told = scene.told("nova", "lives_in", "Hanoi", text="I live in Hanoi")
    scene.clock.advance(HOUR)
    happened(scene, told)
    view = scene.look("nova")
    (row,) = view.rows(view.base.turns)
    assert view.outdated(row.record) is outdated


def test_a_turn_that_says_nothing_is_never_out_of_date_and_one_that_denies_is_so_when_it_is_wrong(scene):
    scene.remember("mia", text="Hello")
    scene.remember("mia", {"relation": "likes", "value": "tea", "negated": True}, text="No tea")
    view = scene.look("mia")
    assert [view.outdated(turn) for turn in view.turns()] == [False, False]
    scene.told("mia", "likes", "tea")
    view = scene.look("mia")
    assert [view.outdated(turn) for turn in view.turns()] == [False, True]


def test_a_turn_whose_value_has_expired_is_out_of_date(scene):
    scene.told("kai", "availability", "3 days", text="No car for 3 days")
    view, later = scene.look("kai"), at(scene, "kai", START + 9 * DAY)
    assert [view.outdated(turn) for turn in view.turns()] == [False]
    assert [later.outdated(turn) for turn in later.turns()] == [True]
    assert [belief.status for belief in later.beliefs()] == [Status.EXPIRED]


# --- things ------------------------------------------------------------------------------------------------------


def test_things_come_in_the_order_in_which_they_were_mentioned():
    book = Notebook()
    book.told("mia", "owns", CIVIC)
    book.told("mia", "size", "L", about=HONDA)
    book.told("mia", "likes", "tea")
    book.told("mia", "owns", CAMRY)
    assert names(book.view()) == ["customer", "Civic", "the Honda", "Camry"]
    assert [e.kind for e in book.view().entities()] == ["person", "car", "thing", "car"]
    assert [e.name for e in book.view().mentioned()][:3] == ["customer", "Civic", "the Honda"]


def test_a_thing_has_the_first_kind_that_says_anything():
    book = Notebook()
    book.told("mia", "size", "L", about=thing("Civic", "thing", "ent_1"))
    book.told("mia", "seat", "aisle", about=thing("Civic", "car", "ent_1"))
    assert book.view().entity("ent_1").kind == "car"


def test_one_thing_of_two_names_has_the_first_and_all_that_is_said_of_both():
    book = Notebook()
    book.told("mia", "size", "L", about=HONDA)
    book.told("mia", "owns", CIVIC)
    book.told("mia", "warranty_until", "2027", about=CIVIC)
    same = book.told("mia", "same_as", HONDA, about=CIVIC)
    view = book.view()
    assert names(view) == ["the Honda", "customer"]
    assert view.canon(CIVIC.id) == view.canon(HONDA.id) == HONDA.id
    assert set(view.members(CIVIC.id)) == {HONDA.id, CIVIC.id}
    assert {said(b.claim) for b in view.beliefs(CIVIC.id)} == {"L", "2027"}
    assert [key[1] for key in view.about(HONDA.id)] == ["owns"]
    assert view.entity(CIVIC.id).name == "the Honda"
    assert view.named("civic") == view.named("honda") == [HONDA.id]
    book.withdraw("mia", same)
    assert names(book.view()) == ["the Honda", "customer", "Civic"]


def test_a_likeness_may_be_said_either_way_and_denied_either_way():
    book = Notebook()
    book.told("mia", "owns", CIVIC)
    book.told("mia", "owns", HONDA)
    book.told("mia", "same_as", HONDA, about=CIVIC)
    assert names(book.view()) == ["customer", "Civic"]
    book.told("mia", "same_as", CIVIC, about=HONDA, negated=True)
    assert names(book.view()) == ["customer", "Civic", "the Honda"]


def test_a_likeness_holds_while_it_is_said_to_hold():
    book = Notebook()
    book.told("mia", "owns", CIVIC)
    book.told("mia", "owns", HONDA)
    since = book.now + DAY
    book.told("mia", "same_as", HONDA, about=CIVIC, since=since, until=since + DAY)
    points = [since - 1, since, since + DAY - 1, since + DAY]
    assert [len(book.view(valid_at=point).entities()) for point in points] == [3, 2, 2, 3]


def test_a_denied_thing_without_a_likeness_stays_alone():
    book = Notebook()
    book.told("mia", "owns", CIVIC)
    book.told("mia", "same_as", about=CIVIC, negated=True)
    assert names(book.view()) == ["customer", "Civic"]


def test_a_thing_may_stand_for_the_customer():
    book = Notebook()
    anna = thing("Anna", "person")
    book.told("mia", "likes", "tea", about=anna)
    book.told("mia", "diet", "vegan")
    book.told("mia", "same_as", anna)
    view = book.view()
    assert {said(b.claim) for b in view.beliefs("customer")} == {"tea", "vegan"}
    assert len(view.entities()) == 1


def test_a_private_alias_changes_nothing_for_others(scene):
    scene.told("mia", "owns", object="Civic")
    scene.told("kai", "warranty_until", "2027", subject="my car")
    before = everything(scene.look("mia"))
    scene.told("kai", "fault", "clutch", subject="Blitz")
    scene.told("kai", "same_as", subject="Blitz", object="my car")
    scene.told("kai", "fault", "brakes", subject="Civic")
    assert everything(scene.look("mia")) == before
    assert len(scene.look("kai").entities()) == 3


def test_a_private_mention_changes_no_order_and_no_name_for_others(scene):
    with_it, without = [], []
    for told, world in ((True, with_it), (False, without)):
        place = TemporaryDirectory()
        other = Scene(Path(place.name) / "memory.db")
        if told:
            other.told("kai", "fault", "clutch", subject="the Honda")
        else:
            other.clock.tick()
        other.told("mia", "owns", object="Civic")
        other.told("mia", "owns", object="the Honda")
        other.told("mia", "same_as", subject="the Honda", object="Civic")
        view = other.look("atlas")
        world += [names(view), [view.entity(view.named(word)[0]).name for word in ("honda", "civic")]]
        other.close()
        place.cleanup()
    assert with_it == without == [["customer", "Civic"], ["Civic", "Civic"]]


def test_a_name_is_looked_up_whole_or_by_its_words():
    book = Notebook()
    book.told("mia", "owns", thing("Honda Civic", "car"))
    book.told("kai", "fault", "clutch", about=thing("Honda Jazz", "car"))
    view = book.seen_by("personal").view()
    everyone = book.view()
    assert [row.record.obj.name for row in view.called("honda CIVIC")] == ["Honda Civic"]
    assert view.called("Honda") == []
    assert len(view.named("honda")) == 1
    assert len(everyone.named("honda")) == 2
    assert everyone.named("toyota") == []


# --- beliefs -----------------------------------------------------------------------------------------------------


def test_a_slot_is_about_one_relation_or_one_value_of_many(scene):
    scene.told("mia", "likes", "tea")
    scene.told("mia", "likes", "TEA")
    scene.told("mia", "likes", "rice")
    scene.told("mia", "diet", "any")
    scene.told("mia", "diet", "vegan")
    view = scene.look("mia")
    assert view.slots("customer") == [
        ("customer", "likes", ("text", "tea", "")),
        ("customer", "likes", ("text", "rice", "")),
        ("customer", "diet", None),
    ]
    assert view.slots() == view.slots("customer")
    assert values(view) == {"tea", "rice", "vegan"}
    assert view.relation("diet").name == "diet"


def test_what_is_ahead_is_told_apart_from_what_is(scene):
    scene.told("mia", "lives_in", "Hanoi")
    scene.told("mia", "lives_in", "Hue", valid_from=rendered(START + DAY))
    scene.told("mia", "availability", "3 days")
    view = scene.look("mia")
    city = ("customer", "lives_in", None)
    assert [(said(b.claim), b.status) for b in view.stretches(city)] == [("Hanoi", "current"), ("Hue", "upcoming")]
    assert [(said(b.claim), b.status) for b in view.history(city)] == [("Hanoi", "current"), ("Hue", "upcoming")]
    later = at(scene, "mia", START + 9 * DAY)
    assert [(said(b.claim), b.status) for b in later.stretches(city)] == [("Hue", "current")]
    assert [(said(b.claim), b.status) for b in later.history(city)] == [("Hanoi", "past"), ("Hue", "current")]
    assert later.stretches(("customer", "availability", None)) == []
    assert view.stretches(("customer", "seat", None)) == []


def test_what_comes_back_when_something_ends_is_ahead_too(scene):
    scene.told("mia", "diet", "vegan")
    back = rendered(START + 9 * DAY)
    scene.told("mia", "diet", "keto", valid_from=rendered(START + HOUR), valid_to=back)
    diet = ("customer", "diet", None)
    keto, vegan = at(scene, "mia", START + 2 * HOUR).stretches(diet)
    assert (said(keto.claim), keto.status) == ("keto", "current")
    assert (said(vegan.claim), vegan.status, rendered(vegan.interval.start)) == ("vegan", "upcoming", back)


def test_one_may_like_and_dislike_in_turn_but_not_both(scene):
    days = [START - n * DAY for n in (9, 6, 3)]
    for relation, moment in zip(("likes", "dislikes", "likes"), days, strict=True):
        scene.told("mia", relation, "tea", valid_from=rendered(moment))
    told = [[(b.claim.relation) for b in at(scene, "mia", day + HOUR).beliefs()] for day in days]
    assert told == [["likes"], ["dislikes"], ["likes"]]
    scene.remember("mia", {"relation": "dislikes", "value": "tea", "negated": True})
    assert [b.claim.relation for b in scene.look("mia").beliefs()] == ["likes"]


# --- as if nothing were kept --------------------------------------------------------------------------------------

AGENTS = ("mia", "kai", "atlas", "sage")
THINGS = st.sampled_from(["Civic", "the Honda", "my car"])
facts = st.one_of(
    st.fixed_dictionaries(
        {
            "relation": st.sampled_from(["lives_in", "address", "diet", "income", "shoe_color"]),
            "value": st.sampled_from(["a", "b"]),
        },
        optional={
            "valid_from": st.sampled_from(["2026-01", "2026-06"]),
            "mode": st.sampled_from(["change", "correct"]),
        },
    ),
    st.fixed_dictionaries(
        {"relation": st.sampled_from(["likes", "dislikes", "fault"]), "value": st.sampled_from(["a", "b"])},
        optional={"negated": st.booleans(), "subject": THINGS, "scope": st.sampled_from(["private", "shared"])},
    ),
    st.fixed_dictionaries({"relation": st.just("same_as"), "subject": THINGS, "object": THINGS}),
    st.fixed_dictionaries({"relation": st.just("owns"), "object": THINGS}),
)
steps = st.lists(
    st.one_of(
        st.tuples(st.just("tell"), st.sampled_from(AGENTS), st.lists(facts, min_size=1, max_size=3), st.booleans()),
        st.tuples(st.sampled_from(["retract", "forget", "restore"]), st.sampled_from(AGENTS), st.integers(0, 9)),
        st.tuples(st.just("relabel"), st.sampled_from(list(Scope)[:2]), st.integers(0, 9)),
        st.tuples(st.just("take_back"), st.integers(0, 9)),
        st.tuples(st.just("rule"), st.sampled_from(["diet", "lives_in", "nothing"])),
        st.tuples(st.just("look"), st.sampled_from(AGENTS)),
    ),
    min_size=2,
    max_size=12,
)


def step(scene: Scene, records: list[str], what: str, *how: object) -> None:
    def picked(number: int) -> str:
        return records[-1 - number % len(records)] if records else "fact_none"

    match what, *how:
        case "tell", agent, told, spoken:
            answer = scene.remember(agent, *told, text="so I say" if spoken else None)
            records += [fact.id for fact in answer.facts]
        case (("retract" | "forget" | "restore"), agent, number):
            records += getattr(scene, what)(agent, picked(number)).acts
        case "relabel", scope, number:
            records += scene.relabel(picked(number), scope).acts
        case "take_back", number:
            records += scene.take_back(picked(number)).acts
        case "rule", relation:
            scene.rule(f"p, shared-reader, *, shared, {relation}, read, *, deny")
        case "look", agent:
            everything(scene.look(agent))


def played(scene: Scene, story: Sequence[tuple[object, ...]]) -> list[int]:
    """Does what can be done; the points in time between the steps."""
    records: list[str] = []
    points = []
    for what, *how in story:
        with suppress(HubError):
            step(scene, records, str(what), *how)
        points.append(scene.now())
    return points


@given(steps)
def test_whatever_was_looked_at_before_a_view_is_as_one_of_a_hub_just_opened(story):
    with TemporaryDirectory() as place:
        scene = Scene(Path(place) / "memory.db")
        points = played(scene, story)
        point = points[len(points) // 2]
        with scene.second_door() as cold:
            for agent in (*AGENTS, "admin"):
                assert everything(scene.look(agent)) == everything(cold.look(agent, CUSTOMER))
                then = AsOf(point, point)
                assert everything(scene.look(agent, point)) == everything(cold.look(agent, CUSTOMER, then))
        scene.close()


# --- at the edges ------------------------------------------------------------------------------------------------


def test_an_act_upon_what_is_not_here_changes_nothing_until_it_is():
    book = Notebook()
    told = book.told("mia", "likes", "tea")
    gone = book.withdraw("mia", told)
    alone = Notebook(rows=book.rows[1:])
    alone.now = book.now
    assert values(alone.view()) == set()
    assert alone.view().acts_on(told.id) == [gone]
    alone.told("mia", "likes", "rice")
    assert values(alone.view()) == {"rice"}


def test_a_record_that_leaves_before_it_came_was_never_here():
    book = Notebook()
    told = book.told("mia", "likes", "tea")
    (row,) = book.rows
    base = book.base(Base(SHIPPED))
    other = Base(SHIPPED)
    assert other.take([Row(told, row.filing, row.at, row.seq, leaves=True)])
    assert (len(base.rows), other.rows) == (1, [])


def test_acts_and_turns_mention_nothing():
    book, other = Notebook(), Notebook()
    told = book.told("mia", "likes", "tea", about=CIVIC)
    act = book.hide("mia", told)
    turn = other.said("mia", "Civic")
    view = book.view().plus([*book.rows[1:], *other.rows])
    assert [row.record for row in view.called("Civic")] == [told]
    assert entities_of(act) == entities_of(turn) == ()
    assert list(newest_claims(view, list(range(view.prefix)))) == [told]


def test_a_thing_that_only_what_is_about_to_be_written_mentions_has_its_name():
    book, other = Notebook(), Notebook()
    book.told("mia", "likes", "tea")
    other.told("mia", "color", "red", about=CIVIC)
    assert book.view().plus(other.rows).entity(CIVIC.id) == CIVIC


def test_what_is_made_of_beliefs_is_made_anew_for_what_is_about_to_be_written():
    book = Notebook()
    book.told("mia", "diet", "vegan")
    made = []
    view = book.view(base=book.base())
    key = ("customer", "diet", None)

    def make():
        made.append(1)
        return len(made), view.held_now([key])[1]

    first, stretch = view.noted("n", ["diet"], make)
    assert (first, view.noted("n", ["diet"], make)) == (1, (1, stretch))
    assert stretch[0] <= view.valid_at < stretch[1]
    after = view.plus(book.rows)
    assert [after.noted("n", ["diet"], make)[0], after.noted("n", ["diet"], make)[0]] == [2, 3]


def test_little_room_to_keep_things_changes_no_answer(scene, monkeypatch):
    for name in ("_MOST_CLAIMS", "_MOST_SLOTS", "_MOST_NOTES", "_MOST_KEPT", "_MOST_POINTS"):
        monkeypatch.setattr(f"hub.view.kept.{name}", 1)
    points = []
    for number in range(4):
        scene.told("mia", "lives_in", str(number), mode="change")
        scene.told("mia", "likes", str(number))
        scene.told("mia", "same_as", subject=f"car {number}", object="Civic")
        points.append(scene.now())
    view = scene.look("mia")
    noted = [view.noted(name, ["likes"], lambda: (1, view.held_now(view.slots())[1]))[0] for name in "aba"]
    assert noted == [1, 1, 1]
    for agent in ("mia", "atlas"):
        for point in (None, *points):
            assert everything(scene.look(agent, point)) == scene.cold(agent, point)
            assert values(scene.look(agent, point)) == values(scene.look(agent, point))
    assert "3" in scene.sees("atlas")


def test_a_thing_is_found_by_a_word_of_its_name_after_what_names_it_moved(scene):
    told = [scene.told("mia", "address", "x", subject=name) for name in ("Civic 1", "Civic 2", "Civic 3")]
    scene.relabel(told[0].id, Scope.SHARED)
    scene.relabel(told[1].id, Scope.SHARED)
    scene.relabel(told[1].id, Scope.PRIVATE)
    for agent, wanted in (("mia", {"Civic 1", "Civic 2", "Civic 3"}), ("atlas", {"Civic 1"})):
        view = scene.look(agent)
        found = named(view, view.base.names.get("civic"), 9)
        assert {view.entity(entity).name for entity in found} == wanted
        assert named(view, view.base.names.get("civic"), 1) == found[:1]
        assert named(view, view.base.names.get("camry"), 9) == []
