"""Where the ledger stands is known by heart, until anybody records anything anywhere."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import pytest

from hub.clock import SimulatedClock
from hub.codec import replaced
from hub.errors import Denied
from hub.facts import CUSTOMER
from hub.hub import Hub
from hub.ledger import NotByHeart, Reading, State, heart
from hub.ledger.heart import Heart
from hub.moments import as_datetime, instant

START = instant("2026-03-01T09:00:00Z")
SECOND = 1_000_000
ALICE, BOB = "alice", "bob"


@dataclass
class Two:
    """Two hubs on one file, as two processes are."""

    here: Hub
    there: Hub
    clock: SimulatedClock

    def found(self, customer: str = ALICE) -> Reading | None:
        ledger = self.here._ledger
        return ledger.by_heart(customer, ledger.pulse())

    def known(self, customer: str = ALICE) -> bool:
        return self.found(customer) is not None

    def homes(self) -> list[str]:
        return [memory.text for memory in self.here.agent("mia", ALICE).recall("where does she live?").memories]


def tells(hub: Hub, customer: str, city: str) -> str:
    receipt = hub.agent("mia", customer).remember(facts=[{"relation": "lives_in", "value": city}])
    return receipt.facts[0].id


@pytest.fixture
def two(tmp_path: Path) -> Iterator[Two]:
    file, clock = tmp_path / "memory.db", SimulatedClock(START)
    with (
        Hub.open(file, clock=clock, embedder="none") as here,
        Hub.open(file, clock=clock, embedder="none") as there,
    ):
        for customer in (ALICE, BOB):
            tells(here, customer, "Hue")
        here.flush()
        yield Two(here, there, clock)


def test_it_is_known_once_somebody_looked_and_as_the_ledger_would_say(two: Two) -> None:
    assert not two.known()
    two.homes()
    found = two.found()
    assert found is not None
    with two.here._ledger.reading(ALICE) as reading:
        assert (found.state, found.present) == (reading.state, reading.present)


def test_what_anybody_records_has_it_read_again(two: Two) -> None:
    for hub, city in ((two.here, "Hanoi"), (two.there, "Saigon")):
        two.homes()
        tells(hub, BOB, city)
        assert not two.known()
    tells(two.there, ALICE, "Da Nang")
    assert "lives in: Da Nang" in two.homes()


WHOSE = ("customer", "reference")
DECIDING = tuple(field for field in State.__struct_fields__ if field not in WHOSE)


@pytest.mark.parametrize("field", DECIDING)
def test_whatever_moves_the_ledger_has_all_customers_read_again(field: str) -> None:
    """Also those of whom somebody looked before, and nobody since."""
    stood = State(*range(1, len(State.__struct_fields__) + 1))
    moved = replaced(stood, **{field: 99})
    known = Heart()
    known.learn(1, ALICE, stood)
    known.learn(2, BOB, replaced(moved, customer=7, reference="another"))
    assert known.state(2, ALICE) is None
    assert known.state(2, BOB) is not None


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
def test_two_who_read_at_once_may_learn_in_any_order(order: tuple[int, int]) -> None:
    """One had felt the pulse before a commit, and read after it; the other both before."""
    before = State(*range(1, len(State.__struct_fields__) + 1))
    after = replaced(before, seq=before.seq + 1)
    known = Heart()
    for pulse, state in ([(1, before), (1, after)][number] for number in order):
        known.learn(pulse, ALICE, state)
    assert known.state(2, ALICE) is None, "who looks now feels another"
    known.learn(2, ALICE, after)
    known.learn(1, ALICE, before)
    assert known.state(2, ALICE) is None


def test_nobody_looks_at_less_than_was_committed_before_that(two: Two) -> None:
    """Whatever others look at, and write down, meanwhile."""
    done, behind = [0], []

    def write() -> None:
        mia = two.there.agent("mia", ALICE)
        try:
            for number in range(1, 31):
                mia.remember(facts=[{"relation": "budget", "value": number, "mode": "change"}])
                done.append(number)
        finally:
            done.append(30)  # nobody waits for more

    def look(customer: str) -> None:
        while done[-1] < 30:
            least = done[-1]
            beliefs = two.here._door.look("mia", customer).of(CUSTOMER, "budget")
            held = max((int(belief.claim.value) for belief in beliefs), default=0)
            if customer == ALICE and held < least:
                behind.append((held, least))

    with ThreadPoolExecutor(4) as threads:
        for running in [threads.submit(look, of) for of in (ALICE, ALICE, BOB)] + [threads.submit(write)]:
            running.result()
    assert behind == []


def test_what_is_ruled_elsewhere_holds_for_the_next_look(two: Two) -> None:
    assert two.homes()
    two.there.operator().disable("mia")
    with pytest.raises(Denied, match="no such agent is at work"):
        two.homes()


def test_what_was_only_read_leaves_the_others_known(two: Two) -> None:
    for customer in (ALICE, BOB):
        two.here.agent("mia", customer).recall("where does she live?")
    two.here.flush()  # writes down who looked
    assert not two.known()
    two.homes()
    assert two.known()
    assert two.known(BOB)


def test_who_is_erased_or_never_was_is_not_known(two: Two) -> None:
    two.homes()
    two.there.operator().erase_customer(ALICE)
    assert two.homes() == []
    assert not two.known()
    assert not two.known("nobody")


def test_a_pulse_that_cannot_be_felt_says_nothing(two: Two, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(two.here._ledger, "pulse", lambda: None)
    assert two.homes() == ["lives in: Hue"]
    assert not two.known()


def test_what_is_not_known_has_to_be_read(two: Two) -> None:
    two.homes()
    found = two.found()
    assert found is not None
    for question in (found.bindings, lambda: found.changed(0), lambda: found.filing(1)):
        with pytest.raises(NotByHeart):
            question()
    assert two.here.agent("atlas", ALICE).recall("where does she live?").memories  # of whom no view is kept yet


def test_there_is_room_for_so_many(two: Two, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(heart, "_MOST", 1)
    two.homes()
    two.here.agent("mia", BOB).recall("where does she live?")
    assert (two.known(), two.known(BOB)) == (False, True)


def test_in_the_middle_of_many_things_recorded_together_nothing_is_known_by_heart(two: Two) -> None:
    two.homes()
    with two.here._door.together(two.here._door._bases) as inside:
        assert inside._ledger.by_heart(ALICE, inside._ledger.pulse()) is None


def test_the_past_is_looked_at_by_heart_once_nothing_more_can_be_recorded_there(two: Two) -> None:
    agent = two.here.agent("mia", ALICE)
    for at, known in ((as_datetime(START), []), (None, ["lives in: Hue"])):
        answers = [agent.recall("where does she live?", as_of=at) for _ in range(3)]
        assert [[memory.text for memory in answer.memories] for answer in answers] == [known] * 3
    two.clock.advance(SECOND)
    now = two.clock.now()
    assert two.known()
    assert agent.recall("where does she live?", as_of=as_datetime(now)).memories
    tells(two.there, ALICE, "Hanoi")
    with two.there._ledger.reading(ALICE) as reading:
        assert reading.state.last > now  # nothing is recorded at that instant any more
