"""What is believed: every case of the table, and random histories against a slow and plain evaluator."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import hub.timeline
from hub.codec import replaced
from hub.errors import Incorrect
from hub.facts import Belief, Claim, Interval, Record, ValueKey, Withdraw
from hub.play.beliefs import Answer, World
from tests.belief_faces import Algebra, Viewed
from tests.belief_histories import LAST_DAY, History, histories
from tests.belief_table import Case, key, read_cases

CASES = read_cases()
Face = Callable[[World], Any]
FACES: dict[str, Face] = {
    "naive": lambda world: world,
    "algebra": lambda world: Algebra(hub.timeline, world),
    "view": Viewed,
}


def misses(case: Case, face: Face) -> Iterator[str]:
    """Every question of the case that is answered otherwise than the table says."""
    for ask in case.asks:
        world = World(case.seen(ask), case.registry, case.trust, ask.get("known"))
        told = told_all(case, ask, face(world)) if "all" in ask else told_one(case, ask, world, face(world))
        for field, (wanted, got) in told.items():
            if wanted != got:
                yield f"{ask}: `{field}` should be {wanted}, is {got}"


def told_all(case: Case, ask: Mapping[str, Any], asked: Any) -> dict[str, tuple[object, object]]:
    held = {key(v) for v in case.values() if asked.ask(case.slot(ask, v), ask["at"]).value is not None}
    return {"all": ({key(v) for v in ask["all"]}, held)}


def told_one(case: Case, ask: Mapping[str, Any], world: World, asked: Any) -> dict[str, tuple[object, object]]:
    got: Answer = asked.ask(case.slot(ask), ask["at"])
    classes = world.classes(ask["at"])

    def canonical(raw: object) -> ValueKey:
        kind, text, unit = key(raw)
        return (kind, classes.get(text, text) if kind == "entity" else text, unit)

    def entry(number: int | None) -> str | None:
        return None if number is None else f"entry_{number}"

    told: dict[str, tuple[object, object]] = {
        "holds": (None if ask["holds"] is None else canonical(ask["holds"]), got.value),
        "contested": ({canonical(v) for v in ask.get("contested", [])}, set(got.contested)),
        "expired": (ask.get("expired", False), got.expired),
    }
    stretch = {
        "from": (ask.get("from"), got.interval and got.interval.start),
        "to": (ask.get("to"), got.interval and got.interval.end),
        "named": (entry(ask.get("named")), got.first),
        "then": (entry(ask.get("then")), got.superseded_by),
    }
    return told | {field: pair for field, pair in stretch.items() if field in ask}


@pytest.mark.parametrize("face", FACES)
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_the_table(case: Case, face: str) -> None:
    assert not list(misses(case, FACES[face]))


@given(histories())
def test_the_hub_believes_what_the_naive_evaluator_believes(history: History) -> None:
    base = Viewed(history.known(None)).base
    for valid_at, known_at in history.instants:
        world = history.known(known_at)
        algebra, viewed = Algebra(hub.timeline, world), Viewed(world, base)
        for slot in history.slots:
            slow = world.ask(slot, valid_at)
            asked = f"{history}\n{slot} at {valid_at}, known at {known_at}"
            assert algebra.ask(slot, valid_at) == slow, asked
            assert viewed.ask(slot, valid_at) == slow, asked


# --- laws --------------------------------------------------------------------------------------------------------


def told_anew(history: History, records: Sequence[Record]) -> History:
    """The same questions about other records, numbered in the order they are given."""
    numbered = [replaced(record, seq=seq, recorded_at=seq) for seq, record in enumerate(records)]
    return replace(history, records=numbered)


def answers(history: History) -> list[Answer]:
    world = Algebra(hub.timeline, history.known(None))
    instants = dict.fromkeys(valid_at for valid_at, _ in history.instants)
    return [world.ask(slot, valid_at) for slot in history.slots for valid_at in instants]


def claims_of(history: History) -> list[Claim]:
    return [record for record in history.records if isinstance(record, Claim)]


@given(histories(), st.randoms(use_true_random=False))
def test_beliefs_follow_what_was_said_when_and_not_the_order_of_recording(history: History, random: Random) -> None:
    """But for decisions, which are about what had been recorded."""
    said = [replaced(claim, said_at=at, settles=False) for at, claim in enumerate(claims_of(history))]
    shuffled = list(said)
    random.shuffle(shuffled)
    assert answers(told_anew(history, said)) == answers(told_anew(history, shuffled))


@given(histories(), st.data())
def test_what_is_taken_back_and_put_back_might_as_well_have_been_left(history: History, data: st.DataObject) -> None:
    target = data.draw(st.sampled_from(history.records))
    back = Withdraw(id="back", seq=0, recorded_at=0, author=target.author, target=target.id)
    forth = replaced(back, id="forth", target="back")
    assert answers(told_anew(history, [*history.records, back, forth])) == answers(told_anew(history, history.records))


@given(histories())
def test_a_withdrawn_claim_might_as_well_not_have_been_made(history: History) -> None:
    *before, last = claims_of(history)
    back = Withdraw(id="back", seq=0, recorded_at=0, author=last.author, target=last.id)
    assert answers(told_anew(history, [*before, last, back])) == answers(told_anew(history, before))


@given(histories())
def test_a_history_is_what_is_believed_from_one_instant_to_the_next(history: History) -> None:
    algebra = Algebra(hub.timeline, history.known(None))
    for slot in history.slots:
        ground = algebra.slot(slot, LAST_DAY)
        stretches = hub.timeline.history(ground, LAST_DAY)
        for day in range(-1, LAST_DAY + 3):
            here = [belief for belief in stretches if belief.interval.holds(day)]
            belief = hub.timeline.believe(ground, day)
            assert [named(b) for b in here] == ([] if belief is None else [named(belief)])
            assert day != LAST_DAY or here == ([] if belief is None else [belief])


def named(belief: Belief) -> tuple[str, Interval, str | None]:
    return belief.claim.id, belief.interval, belief.superseded_by


@given(histories())
def test_stretches_come_in_order_and_never_overlap_or_repeat_their_neighbour(history: History) -> None:
    algebra = Algebra(hub.timeline, history.known(None))
    for slot in history.slots:
        ground = algebra.slot(slot, LAST_DAY)
        for one, other in pairwise(hub.timeline.history(ground, LAST_DAY)):
            assert one.interval.end is not None
            assert one.interval.end <= other.interval.start
            same = ground.key(one.claim) == ground.key(other.claim) and one.winner.negated == other.winner.negated
            assert not (same and one.interval.end == other.interval.start)


@given(histories())
def test_both_sides_of_a_contest_are_returned_each_flagged_with_the_others(history: History) -> None:
    algebra = Algebra(hub.timeline, history.known(None))
    for slot in history.slots:
        belief = hub.timeline.believe(algebra.slot(slot, LAST_DAY), LAST_DAY)
        if belief is not None:
            sides = hub.timeline.sides(belief)
            everyone = {belief.claim.id, *(c.id for c in belief.contested)}
            assert sides[0] is belief
            assert [{side.claim.id, *(c.id for c in side.contested)} for side in sides] == [everyone] * len(everyone)


@pytest.mark.parametrize("end", [10, 9, -10])
def test_an_empty_interval_is_refused(end: int) -> None:
    with pytest.raises(Incorrect) as refused:
        Interval(10, end)
    assert (refused.value.code, refused.value.where) == ("empty_interval", "valid_to")


def test_a_stretch_is_past_current_upcoming_or_expired_as_seen_from_the_instant_asked_about() -> None:
    case = next(case for case in CASES if case.id == "a belief lives until after the day it is about")
    ground = Algebra(hub.timeline, World(case.seen({}), case.registry, case.trust)).slot(case.slot({}), 0)
    seen = {at: [belief.status.value for belief in hub.timeline.history(ground, at)] for at in (-1, 29, 30, 39, 40)}
    assert seen == {-1: ["upcoming"], 29: ["upcoming"], 30: ["current"], 39: ["current"], 40: ["expired"]}
