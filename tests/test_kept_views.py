"""What one view has folded serves the next one, and never shows."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hub.facts import Entity, Mode
from hub.memories import remembered, timeline
from hub.recall import cues
from hub.recall.company import company
from hub.recall.cues import vocabulary
from hub.registry import SAME_AS
from hub.timeline import sides
from hub.view import kept
from tests.recalling import asked
from tests.views import SHIPPED, START, Notebook, thing

CAR, CIVIC = thing("car", "car"), thing("Civic", "car")
BLUE_ONE = Entity(CAR.id, "car", "the blue one")
SECOND = 1_000_000
HOME = ("customer", "lives_in", None)

claims = st.tuples(
    st.just("told"),
    st.sampled_from(["mia", "atlas", "penny"]),
    st.sampled_from(["lives_in", "likes", "dislikes", "budget", "availability", SAME_AS, "owns"]),
    st.sampled_from(["oak", "elm", CAR, CIVIC, BLUE_ONE]),
    st.sampled_from([None, CAR, CIVIC, BLUE_ONE]),
    st.integers(-5, 40),
    st.one_of(st.none(), st.integers(41, 60)),
    st.sampled_from(list(Mode)),
    st.booleans(),
)
acts = st.tuples(st.sampled_from(["withdraw", "hide"]), st.sampled_from(["mia", "atlas"]), st.integers(0, 30))
histories = st.lists(st.one_of(claims, claims, acts), min_size=1, max_size=14)


def written(history: list[tuple[object, ...]]) -> Notebook:
    book = Notebook()
    for step in history:
        if step[0] == "told":
            tell(book, *step[1:])
        elif step[2] < len(book.rows):
            getattr(book, step[0])(step[1], book.rows[step[2]].record)
    return book


def tell(book, agent, relation, content, about, since, until, mode, negated):
    if relation == SAME_AS:
        content, about = CIVIC, CAR
    if relation in {"likes", "owns"} or content is None:
        negated = negated and content is not None
    extra = {} if about is None else {"about": about}
    start = START + since * SECOND
    end = None if until is None else START + until * SECOND
    book.told(agent, relation, content, since=start, until=end, mode=mode, negated=negated, **extra)


def beliefs(view):
    keys = view.slots()
    held = [view.believe(key) for key in keys]
    return keys, held, [view.history(key) for key in keys], written_out(view, held)


def written_out(view, held):
    """What is believed as it is told, in memories and in the profile's lines."""
    told = [remembered(view, side) for belief in held if belief is not None for side in sides(belief)]
    past, _ = timeline(view, None, None, 100, 0)
    return told, past, company(view, vocabulary(view.registry))


@given(histories, st.lists(st.tuples(st.integers(0, 20), st.integers(-6, 70)), min_size=1, max_size=8))
def test_a_view_over_a_base_much_looked_at_believes_what_a_fresh_one_does(history, points):
    book = written(history)
    base = book.base()
    for known, valid in points:
        at = START + known * SECOND, START + valid * SECOND
        known_at = None if known == 20 else at[0]
        assert beliefs(book.view(at[1], known_at, base=base)) == beliefs(book.view(at[1], known_at))


@given(histories, histories)
def test_a_base_that_grew_between_two_looks_believes_what_a_fresh_one_does(early, late):
    book = written(early)
    base = book.base()
    beliefs(book.view(base=base))
    grown = written(early + late)
    grown.base(base)
    assert beliefs(grown.view(base=base)) == beliefs(grown.view())


@given(histories, histories)
def test_a_view_of_what_is_about_to_be_written_believes_what_will_be_believed_and_leaves_no_trace(early, late):
    book, later = written(early), written(early + late)
    base = book.base()
    before = beliefs(book.view(later.now, base=base))
    ahead, then = book.view(later.now, base=base).plus(later.rows[len(book.rows) :]), later.view()
    assert [ahead.believe(key) for key in then.slots()] == [then.believe(key) for key in then.slots()]
    assert beliefs(book.view(later.now, base=base)) == before


@given(histories, st.sampled_from(["personal", "travel", "finance"]))
def test_what_was_folded_for_one_clearance_of_the_past_serves_no_other(history, hidden):
    book = written(history)
    base = book.base()

    def sees(filing):
        return all(label.told != hidden for label in filing)

    beliefs(book.view(base=base))
    assert beliefs(book.view(sees=sees, base=base)) == beliefs(book.view(sees=sees))


@pytest.mark.parametrize("most", ["_MOST_SLOTS", "_MOST_CLAIMS", "_MOST_POINTS", "_MOST_KEPT", "_MOST_NOTES"])
def test_what_is_kept_has_an_end_and_goes_unmissed(monkeypatch, most):
    monkeypatch.setattr(kept, most, 1)
    book = Notebook()
    for number, city in enumerate(("Hanoi", "Hue", "Hanoi")):
        book.told("mia", "lives_in", city, mode=Mode.CHANGE, until=START + (100 + number) * SECOND)
        book.told("mia", "likes", city)
    book.told("mia", SAME_AS, CIVIC, about=CAR, until=START + 100 * SECOND)
    base = book.base()
    for at in (5, 3, 150, 5, 7, 3, 150):
        for sees in (None, bool, None):
            again, fresh = (book.view(START + at * SECOND, START + at * SECOND, sees, b) for b in (base, None))
            assert beliefs(again) == beliefs(fresh)
            assert asked(again, "Where does she live?") == asked(fresh, "Where does she live?")


class Shared(OrderedDict):
    """What other threads put things into: who walks through it may find it another."""

    def __iter__(self):
        raise RuntimeError("OrderedDict mutated during iteration")


def test_what_is_kept_too_long_is_let_go_whoever_keeps_something_else_meanwhile(monkeypatch):
    keeping = kept.Keeping()
    keeping._kept = Shared()
    for _ in range(40):
        keeping.of(object(), SHIPPED)
    assert len(keeping._kept) == 16
    monkeypatch.setattr(cues, "_vocabularies", shared := Shared())
    made = [cues.vocabulary(replace(SHIPPED)) for _ in range(9)]
    assert list(shared.values()) == made[1:]


def test_a_note_on_what_is_about_to_be_written_is_not_kept():
    book = Notebook()
    told = book.told("mia", "lives_in", "Hanoi")
    view = book.view(base=Notebook().base())

    def make():
        return view.held_now([HOME])

    assert view.noted("home", ["lives_in"], make) == ([None], (kept.EVER_SINCE, kept.FOR_EVER))
    view = view.plus(book.rows)
    assert view.noted("home", ["lives_in"], make)[0][0].claim is told


def test_a_withdrawn_withdrawal_lets_the_fact_speak_again():
    book = Notebook()
    home = book.told("mia", "lives_in", "Hanoi")
    base = book.base()
    act = book.withdraw("mia", home)
    assert [b.claim.id for b in book.view(base=book.base(base)).beliefs()] == []
    book.withdraw("mia", act)
    assert [b.claim.id for b in book.view(base=book.base(base)).beliefs()] == [home.id]


def test_a_plan_becomes_current_when_its_day_has_come():
    book = Notebook()
    book.told("mia", "lives_in", "Hanoi", until=START + 100 * SECOND)
    book.told("mia", "lives_in", "Hue", since=START + 100 * SECOND)
    base = book.base()
    views = [book.view(START + at * SECOND, base=base) for at in (50, 100, 50)]
    stretches = [[(b.claim.value, b.status.value) for b in view.stretches(HOME)] for view in views]
    assert stretches[0] == stretches[2] == [("Hanoi", "current"), ("Hue", "upcoming")]
    assert stretches[1] == [("Hue", "current")]


def test_entities_that_became_one_share_their_slots_from_then_on():
    book = Notebook()
    book.told("kai", "availability", "3 days", about=CAR)
    base = book.base()
    assert book.view(base=base).believe((CIVIC.id, "availability", None)) is None
    book.told("mia", SAME_AS, Entity(CIVIC.id, "car", "Civic"), about=CAR)
    view = book.view(base=book.base(base))
    assert view.believe((view.canon(CIVIC.id), "availability", None)).claim.value == "3 days"


def test_two_homes_stop_clashing_once_they_are_one_and_clash_again_before_that():
    book = Notebook()
    saigon, hcmc = thing("Saigon", "city"), thing("Ho Chi Minh City", "city")
    book.told("mia", "lives_in", saigon)
    book.told("atlas", "lives_in", hcmc)
    book.told("mia", SAME_AS, hcmc, about=saigon, since=START + 100 * SECOND)
    base = book.base()
    views = [book.view(START + at * SECOND, base=base) for at in (50, 150, 50)]
    assert [len(view.believe(HOME).contested) for view in views] == [1, 0, 1]


@pytest.mark.parametrize("order", [(0, 1, 0), (1, 0, 1)])
def test_whatever_was_told_at_one_moment_is_told_anew_at_another(order):
    """Once nobody disagreed, and the car had no name."""
    book = Notebook()
    book.told("mia", "lives_in", "Hanoi")
    book.told("mia", "owns", CAR)
    quiet = book.now
    book.told("atlas", "lives_in", "Hue")
    book.told("kai", "availability", "3 days", about=BLUE_ONE)
    base = book.base()
    asked_for = [(quiet, "lives in: Hanoi", "owns: car"), (book.now, "others say: Hanoi", "owns: the blue one")]
    for at, home, car in (asked_for[moment] for moment in order):
        held, fresh = (written_out(view, view.beliefs()) for view in (book.as_of(at, base=base), book.as_of(at)))
        assert held == fresh
        assert home in held[2].text
        assert car in [memory.text for memory in held[0]]
