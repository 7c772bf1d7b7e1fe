"""What an erased claim leaves: a slot as silent as if it had been forgotten from the first, at every point in time."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import Phase, example, given, settings
from hypothesis import strategies as st

from hub.clock import SimulatedClock
from hub.codec import encode, replaced
from hub.errors import Denied, Missing
from hub.facts import Arbitration, Claim, Gap, Hide, Mode, Scope, Viewer
from hub.ledger import Reading
from hub.policy import Act
from hub.registry import SAME_AS
from hub.remember import acts, erasing
from hub.remember.erasing import erase
from hub.timeline import believe, history
from hub.view import Row, View
from tests.scene import POLICY, START, Scene, value
from tests.views import SHIPPED, Notebook, thing

CAR, CIVIC = thing("car", "car", "ent_1"), thing("Civic", "car", "ent_2")
SECOND = 1_000_000
ONES = ["lives_in", "diet", "favourite", "income"]
BY_REVIEW = replace(
    SHIPPED, relations={**SHIPPED.relations, "diet": replace(SHIPPED.relations["diet"], arbitration=Arbitration.REVIEW)}
)

claims = st.tuples(
    st.just("told"),
    st.sampled_from(["mia", "mia", "atlas", "penny"]),
    st.sampled_from([*["lives_in"] * 4, *ONES, "likes", "dislikes"]),
    st.sampled_from(["oak", "elm", "oak", "elm", CAR, None]),
    st.one_of(st.none(), st.integers(-3, 12)),
    st.one_of(st.none(), st.none(), st.integers(13, 40)),
    st.sampled_from(list(Mode)),
    st.sampled_from([False, False, True]),
)
aliases = st.tuples(st.just("alias"), st.sampled_from(["mia", "atlas"]), st.integers(-5, 40))
undoings = st.tuples(st.sampled_from(["withdraw", "hide"]), st.sampled_from(["mia", "penny"]), st.integers(0, 30))
histories = st.lists(st.one_of(claims, claims, claims, undoings, aliases), min_size=1, max_size=14)


def written(past: list[tuple[object, ...]]) -> Notebook:
    book = Notebook(BY_REVIEW)
    for step in past:
        match step:
            case ("told", agent, relation, content, since, until, mode, negated):
                about = CIVIC if content is CAR and relation in ONES else None
                tell(book, agent, relation, content, about, since, until, mode, negated)
            case ("alias", agent, since):
                book.told(agent, SAME_AS, CIVIC, about=CAR, since=START + since * SECOND)
            case (kind, agent, target) if target < len(book.rows):
                getattr(book, kind)(agent, book.rows[target].record)
    return book


def tell(book, agent, relation, content, about, since, until, mode, negated):
    negated = negated or content is None
    if content is None and relation not in ONES:
        content = "oak"
    extra = {} if about is None else {"about": about}
    start, end = (None if at is None else START + at * SECOND for at in (since, until))
    end = end if end is None or end > (start or book.now + SECOND) else None
    book.told(agent, relation, content, since=start, until=end, mode=mode, negated=negated, **extra)


def erased(book: Notebook, gone: list[Claim]) -> Notebook:
    """The same book, with gaps where these were."""
    ids = {claim.id for claim in gone}

    def left(row: Row) -> Row:
        return replaced(row, record=erasing._gap(row.record, "gap_1")) if row.record.id in ids else row

    after = Notebook(book.registry, [left(row) for row in book.rows])
    after.now = book.now
    return after


POINTS = st.lists(st.tuples(st.integers(0, 20), st.integers(-6, 45)), max_size=6)
DENIED = [
    ("told", "mia", "lives_in", "oak", 0, None, Mode.STATE, False),
    ("told", "mia", "lives_in", "oak", 10, None, Mode.STATE, True),
    ("told", "mia", "lives_in", "elm", 5, None, Mode.STATE, False),
]
"""What was denied from the tenth second on is not succeeded by what had been so since the fifth."""


@example(DENIED, 0, [(20, 15)])
@given(histories, st.integers(0, 20), POINTS)
def test_a_gap_counts_like_a_claim_that_was_forgotten_from_the_first(past, which, points):
    counts_as_if_forgotten(past, which, points)


def counts_as_if_forgotten(past, which, points):
    book = written(past)
    told = [row.record for row in book.rows if isinstance(row.record, Claim) and row.record.relation != SAME_AS]
    if not told:
        return
    gone = erasing._alike(book.view(), told[which % len(told)])
    after, ids = erased(book, gone), frozenset(claim.id for claim in gone)
    base = after.base()
    for known, valid in [(20, 10), (20, 50), *points]:
        at = START + valid * SECOND, None if known == 20 else START + known * SECOND
        before, now = book.view(*at), after.view(*at, base=base)
        for key in before.slots():
            slot = before.slot(key)
            silenced = replace(slot, silent=slot.silent | ids)
            assert now.believe(key) == believe(silenced, at[0])
            assert now.history(key) == history(silenced, at[0])


@given(histories, st.integers(0, 20))
def test_a_gap_holds_no_word_and_nothing_leads_to_it(past, which):
    book = written(past)
    told = [row.record for row in book.rows if isinstance(row.record, Claim)]
    if not told:
        return
    gone = erasing._alike(book.view(), told[which % len(told)])
    view = erased(book, gone).view()
    gaps = [row.record for row in view.base.rows if isinstance(row.record, Gap)]
    assert {gap.id for gap in gaps} == {claim.id for claim in gone}
    for gap in gaps:
        said = encode(gap)
        assert not any(word in said for word in (b"oak", b"elm", b"Civic", b'"car"'))
        assert view.row(gap.id) is None
        assert view.claim(gap.id) is None
        assert view.erased(gap.id)
    assert not {row.record.id for row in view.all_rows()} & {gap.id for gap in gaps}
    assert not {row.record.id for row in view.held()} & {gap.id for gap in gaps}
    assert not view.erased("fact_unknown")


# --- at the desk -----------------------------------------------------------------------------------------------------


@pytest.fixture
def scene(tmp_path):
    made = Scene(tmp_path / "memory.db", clock=SimulatedClock(START))
    yield made
    made.close()


def gone(scene, record, *, by="admin", act=Act.ERASE):
    with scene.desk(by, act=act) as desk:
        return erase(desk, record)[0]


def test_of_an_erased_claim_that_had_been_taken_back_nothing_counts_and_that_is_final(scene):
    scene.told("mia", "diet", "vegan")
    second = scene.told("mia", "diet", "fish", mode="change").id
    act = scene.retract("mia", second).acts[0]
    gone(scene, second)
    assert value(scene.look("nova"), "diet") == "vegan"
    with pytest.raises(Missing):
        scene.retract("mia", act)


def test_a_forgotten_claim_that_was_erased_is_silent_whether_it_is_forgotten_or_not(scene):
    scene.told("mia", "diet", "vegan")
    second = scene.told("mia", "diet", "fish", mode="change").id
    act = scene.forget("mia", second).acts[0]
    gone(scene, second)
    assert value(scene.look("nova"), "diet") is None
    with scene.desk("mia") as desk:
        acts.retract(desk, act, None)
        assert value(desk.after, "diet") is None
    assert value(scene.look("nova"), "diet") is None


def test_acts_upon_an_erased_turn_are_nobodys_loss(scene):
    turn = scene.remember("mia", ("likes", "tea"), text="I like tea").turn.id
    act = scene.forget("mia", turn).acts[0]
    gone(scene, turn)
    assert list(scene.look("mia").turns()) == []
    scene.retract("mia", act)
    assert list(scene.look("mia").turns()) == []
    assert scene.sees("mia") == {"tea"}


def test_nobody_acts_upon_a_gap(scene):
    fact = scene.told("mia", "likes", "tea", text="I like tea").id
    other = scene.remember("mia", ("likes", "milk"), ("likes", "cocoa"), text="milk and cocoa").facts
    gone(scene, fact)
    gone(scene, other[0].id)
    for verb in (scene.retract, scene.forget, scene.end, scene.restore):
        with pytest.raises(Missing):
            verb("mia", fact)
    with pytest.raises(Missing):
        scene.correct("mia", fact, value="x")
    scene.relabel(other[1].id, Scope.PRIVATE)  # its turn is gone, and need not move along
    assert scene.sees("mia") == {"cocoa"}
    last = gone(scene, other[1].id)
    assert (last.claims, last.turns) == (1, 0)


def test_a_gap_is_left_and_never_written(scene):
    with scene.desk("mia") as desk:
        gap = Gap(id="fact_x", seq=desk.next_seq(), recorded_at=desk.now, author=desk.author)
        with pytest.raises(Denied) as denied:
            desk.file(gap, frozenset({desk.label("likes")}))
    assert denied.value.code == "may_not_write"


def test_the_desk_takes_nothing_if_one_thing_may_not_go(scene):
    own, income = scene.told("mia", "likes", "tea").id, scene.told("penny", "income", 3000)
    with scene.desk("penny") as desk, pytest.raises(Denied):
        desk.erase([erasing._gap(desk.view.claim(id_), "gap_1") for id_ in (own, income.id)])
    assert "tea" in scene.sees("mia")


def test_a_deputy_erases_only_what_both_may(tmp_path):
    lines = POLICY + "p, owner, *, *, *, erase, *, allow\n"
    scene = Scene(tmp_path / "memory.db", clock=SimulatedClock(START), policy=lines)
    fact = scene.told("mia", "likes", "tea").id
    with scene.door.admit(Viewer(agent="mia", behalf=Viewer(agent="nova")), "kim") as desk:
        assert not desk.may_erase(fact)
        with pytest.raises(Denied):
            erase(desk, fact)
    assert gone(scene, fact, by="mia", act=Act.READ).claims == 1
    scene.close()


# --- nothing is kept in memory -------------------------------------------------------------------------------------


def test_a_door_that_kept_the_fact_lets_go_of_it_at_the_next_look(scene):
    fact = scene.told("mia", "lives_in", "Hanoi")
    with scene.second_door() as other:
        assert value(other.look("nova", "kim"), "lives_in") == "Hanoi"
        [kept] = other._bases._bases.values()
        gone(scene, fact.id)
        assert kept in other._bases._bases.values()
        assert value(other.look("nova", "kim"), "lives_in") is None
        assert kept not in other._bases._bases.values()


def test_a_reading_from_before_an_erasure_shares_nothing_with_those_after(scene):
    """It may still finish what it began, by itself; also where it has to start over because of a relabel."""
    fact, other = scene.told("mia", "lives_in", "Hanoi").id, scene.told("mia", "likes", "tea").id
    with scene.second_door() as door, door._ledger.reading("kim") as before:
        reads = door._rulebook.clearance(before, Viewer(agent="mia"), "kim", None, Act.READ)
        gone(scene, fact)
        scene.relabel(other, Scope.PRIVATE)
        assert value(door.look("mia", "kim"), "lives_in") is None
        kept = dict(door._bases._bases)
        rules = door._rulebook.today(before)
        base = door._bases.base(before, reads, rules.registry, rules.version.relations)
        assert fact in base.by_id
        assert fact not in base.gaps
        assert dict(door._bases._bases) == kept
        rebuilt = door._bases._rebuilt(("key",), before, reads, rules.registry)
        assert fact in rebuilt.by_id
        assert dict(door._bases._bases) == kept


def test_a_reading_from_before_still_has_the_labels_that_a_customer_took_along(scene):
    scene.told("nova", "own_word", "x")
    with scene.second_door() as door, door._ledger.reading("kim") as before:
        scene.door.erase_customer("admin", "kim")
        assert list(door.look("nova", "kim").all_rows()) == []
        late = Reading(before._connection, door._ledger, "kim")
        relations = {label.relation for number in late.changed(0) for label in late.filing(number)}
        assert relations == {"own_word"}


def test_hides_and_withdrawals_upon_gaps_go_to_the_owner_of_what_was_there(scene):
    fact = scene.told("nova", "allergic_to", "nuts").id
    act = scene.forget("sage", fact).acts[0]
    gone(scene, fact)
    view = scene.look("sage")
    hide = view.row(act).record
    assert isinstance(hide, Hide)
    assert view.owner_of(hide) == "health"


# --- the property can fail -------------------------------------------------------------------------------------------


def tokens_apart(record, token=""):
    return LEFT(record, record.id)


def nothing_denies(record, token=""):
    gap = LEFT(record, token)
    return replaced(gap, silent=replaced(gap.silent, negated=False))


def no_start_is_known(record, token=""):
    gap = LEFT(record, token)
    return replaced(gap, silent=replaced(gap.silent, start_given=False))


def gaps_are_overlooked(_view, _place, _said):
    return iter(())


LEFT = erasing._gap
MISTAKES = {
    "gaps are overlooked": (View, "_gaps", gaps_are_overlooked),
    "a denial denies more than its own value": (erasing, "_gap", nothing_denies),
    "claims of one value no longer go together": (erasing, "_gap", tokens_apart),
    "what was known to start is not any more": (erasing, "_gap", no_start_is_known),
}


@pytest.mark.parametrize(("where", "name", "instead"), MISTAKES.values(), ids=MISTAKES)
def test_a_mistake_in_what_is_left_is_found(monkeypatch, where, name, instead):
    monkeypatch.setattr(where, name, instead)
    look = settings(max_examples=1000, phases=[Phase.explicit, Phase.generate], report_multiple_bugs=False)
    denied = example(DENIED, 0, [(20, 15)])
    with pytest.raises(AssertionError):
        look(denied(given(histories, st.integers(0, 20), POINTS)(counts_as_if_forgotten)))()
