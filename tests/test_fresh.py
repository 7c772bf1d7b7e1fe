"""What a process filed last is known to it without asking, and just as the database would tell it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext, suppress
from copy import copy
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hub.clock import SimulatedClock
from hub.codec import replaced
from hub.errors import HubError
from hub.facts import COMPANY
from hub.hub import Hub
from hub.ledger import Entry, fresh
from hub.ledger.fresh import Fresh
from hub.ledger.together import together
from tests.test_heart import ALICE, BOB, START, Two, tells, two

__all__ = ["two"]

WHOEVER = (ALICE, BOB, COMPANY, "nobody")


@contextmanager
def opened() -> Iterator[Two]:
    clock = SimulatedClock(START)
    with TemporaryDirectory() as folder:
        file = Path(folder) / "memory.db"
        with (
            Hub.open(file, clock=clock, embedder="none") as here,
            Hub.open(file, clock=clock, embedder="none") as there,
        ):
            yield Two(here, there, clock)


def known(hub: Hub, customer: str, after: int) -> list[Entry] | None:
    """What is known of all that was filed after a number; checked against what the database says."""
    with hub._ledger.reading(customer) as reading:
        beside = copy(reading)
        beside._fresh = Fresh()
        found = hub._ledger.fresh.changed(reading.state, after)
        if found is None:
            return None
        assert sorted(found) == sorted(beside.changed(after))
        assert all(map(reading.filing, found)), "its labels are known"
        for some in (found, found[1:], found[:1]):
            told = hub._ledger.fresh.entries(reading.state, some, after)
            assert told == list(beside.entries(some, after))
        return told


VERBS = "illness thing words feedback relabel retract forget same publish import erase bind".split()
STEPS = st.lists(
    st.tuples(
        st.sampled_from(["here"] * 3 + ["there"]),
        st.sampled_from(["home"] * 4 + VERBS),
        st.sampled_from((ALICE, BOB)),
        st.integers(0, 9),
    ),
    min_size=2,
    max_size=16,
)


def done(hub: Hub, verb: str, customer: str, number: int, facts: list[str]) -> None:
    agent, operator = hub.agent("sage" if verb == "illness" else "mia", customer), hub.operator()
    fact = facts[number % len(facts)] if facts else "fact_0"
    match verb:
        case "home":
            facts.append(tells(hub, customer, f"city {number}"))
        case "illness":
            agent.remember(facts=[{"relation": "has_condition", "value": f"illness {number}"}])
        case "thing":
            thing = {"kind": "car", "name": f"Civic {number % 2}"}
            facts.append(agent.remember(facts=[{"relation": "owns", "object": thing, "on": "2026-02-28"}]).facts[0].id)
        case "feedback":
            answer = agent.recall("where does she live?")
            agent.feedback(answer.recall_id, cited=[memory.id for memory in answer.memories])
        case "forget":
            agent.forget(fact, reason=f"for {number} reasons")
        case "same":
            operator.same_as(customer, "Civic 0", "Civic 1")
        case "publish":
            operator.add_knowledge("menu.md", f"Soup is served until {number}.\n\n# Tea\n\nAll day.")
        case "words":
            agent.remember(f"I moved to Hue {number} days ago.")
        case "relabel":
            operator.relabel(fact, scope="private" if number % 2 else "shared")
        case "retract":
            agent.retract(fact)
        case "import":
            facts_of = [{"relation": "likes", "value": f"dish {number} {n}"} for n in range(1 + number)]
            operator.load([json.dumps({"agent": "mia", "customer": customer, "facts": facts_of})] * 2)
        case "erase":
            operator.erase_fact(fact) if number % 2 else operator.erase_customer(customer)
        case _:
            operator.bind("mia", customers=None)


@given(steps=STEPS, most=st.sampled_from([3, 256]))
def test_whatever_is_filed_where_it_is_known_as_the_database_tells_it(steps: list[tuple], most: int) -> None:
    with opened() as two, pytest.MonkeyPatch.context() as patched:
        patched.setattr(fresh, "_MOST", most)
        facts: list[str] = []
        points = [0]
        for place, verb, customer, number in steps:
            hub = two.here if place == "here" else two.there
            with suppress(HubError):
                done(hub, verb, customer, number, facts)
            two.clock.advance(1)
            for one in (two.here, two.there):
                for whoever in WHOEVER:
                    for after in points[-4:]:
                        known(one, whoever, after)
            with two.here._ledger.reading() as reading:
                points.append(reading.state.seq)


def test_what_was_just_told_here_is_known_and_what_was_told_before_or_elsewhere_is_not(two: Two) -> None:
    before = len(known(two.here, ALICE, 0) or ())
    assert before
    assert known(two.there, ALICE, 0) is None
    tells(two.here, ALICE, "Hanoi")
    assert len(known(two.here, ALICE, 0) or ()) > before
    tells(two.there, BOB, "Hanoi")
    assert known(two.here, ALICE, 0) is None
    tells(two.here, ALICE, "Saigon")
    assert known(two.here, ALICE, 0) is None, "what the other told in between is not known here"


def test_a_snapshot_knows_nothing_that_was_filed_after_it(two: Two) -> None:
    """Not even where: labels that nobody had used before have no meaning in it."""
    with two.here._ledger.reading(ALICE) as reading:
        stood = two.here._ledger.fresh.changed(reading.state, 0)
        two.here.agent("sage", ALICE).remember(facts=[{"relation": "has_condition", "value": "asthma"}])
        assert reading.changed(0) == stood
        assert all(entry.seq <= reading.state.seq for entry in reading.entries(reading.changed(0), 0))


def test_nobody_goes_through_what_was_filed_before_and_elsewhere(two: Two, monkeypatch: pytest.MonkeyPatch) -> None:
    """However many compartments others have filled since then, and may fill again."""
    hidden = [{"relation": f"worry_{number}", "value": "yes"} for number in range(20)]
    two.here.agent("sage", ALICE).remember(facts=hidden)
    with two.here._ledger.reading() as reading:
        after = reading.state.seq
    tells(two.here, ALICE, "Hanoi")
    looked_at: list[int] = []
    between = Fresh._between

    def counted(self: Fresh, filing: int, *more: object) -> Iterator[Entry]:
        looked_at.append(filing)
        return between(self, filing, *more)

    monkeypatch.setattr(Fresh, "_between", counted)
    with two.here._ledger.reading(ALICE) as reading:
        assert two.here._ledger.fresh.changed(reading.state, after) == looked_at
    assert len(looked_at) == 1
    two.here.agent("sage", ALICE).remember(facts=hidden[:2])
    known(two.here, ALICE, after)
    assert len(looked_at) > 3, "what has been filled again is gone through again"


@pytest.mark.parametrize("place", ["here", "there"])
@pytest.mark.parametrize("whole", [False, True])
def test_nothing_is_left_of_what_was_erased(two: Two, place: str, whole: bool) -> None:
    fact = tells(two.here, ALICE, "Pleiku")
    assert "Pleiku" in repr(two.here._ledger.fresh._filed)
    operator = getattr(two, place).operator()
    operator.erase_customer(ALICE) if whole else operator.erase_fact(fact)
    if place == "there":
        two.here.agent("mia", BOB).recall("where does she live?")  # by then at the latest
    assert "Pleiku" not in repr(two.here._ledger.fresh._filed)


@pytest.mark.parametrize("whole", [False, True])
def test_what_is_undone_was_never_known(two: Two, whole: bool) -> None:
    ledger = two.here._ledger
    with ledger.reading(ALICE) as reading:
        entry = next(reading.entries(reading.changed(0), 0))
        filing = reading.filing(entry.filing)
    stood = repr(ledger.fresh._filed)
    with suppress(RuntimeError), together(ledger) if whole else nullcontext(ledger) as inside:
        with inside.writing(ALICE) as writing:
            writing.append(replaced(entry.record, id="fact_anew", seq=writing.next_seq()), filing)
            if not whole:
                raise RuntimeError
        raise RuntimeError
    assert repr(ledger.fresh._filed) == stood
