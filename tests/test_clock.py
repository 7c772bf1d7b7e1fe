"""The present: a clock that runs, one that is moved by hand, and recorded times that never repeat under either."""

import sys
from concurrent.futures import ThreadPoolExecutor
from time import time_ns

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hub.clock import LONGEST_WAIT, SimulatedClock, SystemClock, next_instant
from hub.errors import Incorrect
from hub.moments import HOUR, LATEST, SECOND, instant

START = instant("2026-07-01T09:00:00Z")


class Readings:
    """A clock that shows what it is told to, and the last of it for good."""

    def __init__(self, *readings):
        self.readings = list(readings)

    def now(self):
        return self.readings.pop(0) if len(self.readings) > 1 else self.readings[0]

    def next(self, last):
        raise AssertionError("a rule of its own")

    def tick(self):
        pass


class Pauses(list):
    def __call__(self, seconds):
        self.append(seconds)


def no_pause(seconds):
    raise AssertionError(f"waited {seconds} s")


# --- recorded times ----------------------------------------------------------------------------------------------


def test_a_running_clock_is_taken_at_its_word():
    assert next_instant(Readings(START + 5), START, no_pause) == START + 5


def test_a_clock_on_the_same_tick_is_waited_for():
    pauses = Pauses()
    assert next_instant(Readings(START, START, START + 40), START, pauses) == START + 40
    assert len(pauses) == 2


def test_a_clock_that_stands_still_is_waited_for_once_and_stepped():
    pauses = Pauses()
    assert next_instant(Readings(START), START, pauses) == START + 1
    assert sum(pauses) * SECOND == LONGEST_WAIT == 1_000


@pytest.mark.parametrize("back", [1, 700, HOUR])
def test_a_clock_that_went_back_is_stepped_at_once(back):
    assert next_instant(Readings(START - back), START, no_pause) == START + 1


def test_a_clock_that_goes_back_while_waited_for_is_stepped():
    assert next_instant(Readings(START, START - HOUR), START, Pauses()) == START + 1


@given(st.lists(st.integers(START - 3, START + 3), min_size=1, max_size=50))
def test_recorded_times_grow_whatever_the_clock_does(readings):
    clock, last = Readings(*readings), START
    for _ in range(60):
        following = next_instant(clock, last, lambda _: None)
        assert following > last
        last = following


def test_a_thousand_commits_under_a_frozen_clock_have_a_thousand_recorded_times():
    clock, times = Readings(START), [START]
    for _ in range(1_000):
        times.append(next_instant(clock, times[-1], lambda _: None))
    assert times == [START + n for n in range(1_001)]


def test_an_hour_back_keeps_the_order_until_the_clock_has_caught_up():
    clock, times = Readings(START, START + 9, START + 2 * HOUR), [START + HOUR]
    for _ in range(3):
        times.append(next_instant(clock, times[-1], no_pause))
    assert times == [START + HOUR, START + HOUR + 1, START + HOUR + 2, START + 2 * HOUR]


# --- the clocks --------------------------------------------------------------------------------------------------


def test_the_system_clock_shows_the_present():
    clock = SystemClock()
    before = time_ns() // 1_000
    clock.tick()
    assert before <= clock.now() <= time_ns() // 1_000


def test_a_commit_on_the_system_clock_lies_after_the_last_one():
    clock = SystemClock()
    last = clock.now()
    for _ in range(100):
        following = clock.next(last)
        assert following > last
        last = following
    assert clock.next(LATEST) == LATEST + 1


def test_a_simulated_clock_moves_only_when_moved():
    clock = SimulatedClock(START)
    assert clock.now() == clock.now() == START
    clock.advance(HOUR)
    assert clock.now() == START + HOUR
    clock.set(START + 2 * HOUR)
    clock.set(START + 2 * HOUR)
    clock.advance(0)
    assert clock.now() == START + 2 * HOUR


@pytest.mark.parametrize(("to", "by"), [(START + 1, LATEST), (START - 1, HOUR), (START + HOUR, -HOUR - 1), (None, -1)])
def test_a_simulated_clock_that_refuses_a_move_stays_where_it_was(to, by):
    clock = SimulatedClock(START)
    with pytest.raises(Incorrect):
        clock.move(to, by)
    assert clock.now() == START
    clock.move(START + 1, HOUR)
    clock.move(None, 2)
    clock.move(None)
    assert clock.now() == START + HOUR + 3


def test_a_commit_after_which_the_simulated_clock_could_not_tick_is_refused():
    clock = SimulatedClock(LATEST - 2)
    assert clock.next(0) == LATEST - 2
    clock.tick()
    assert clock.next(LATEST - 2) == LATEST - 1
    clock.tick()
    for last in (0, LATEST - 1, LATEST):
        with pytest.raises(Incorrect) as refused:
            clock.next(last)
        assert refused.value.code == "clock_out_of_range"


def test_commits_on_a_simulated_clock_are_a_microsecond_apart():
    clock, times = SimulatedClock(START), [START - 1]
    for _ in range(10):
        times.append(clock.next(times[-1]))
        clock.tick()
    assert times[1:] == [START + n for n in range(10)]


def test_commits_on_a_simulated_clock_behind_the_last_one_are_stepped():
    clock, times = SimulatedClock(START), [START + HOUR]
    for _ in range(3):
        times.append(clock.next(times[-1]))
        clock.tick()
    assert times == [START + HOUR + n for n in range(4)]


@pytest.mark.parametrize("move", [lambda clock: clock.set(START - 1), lambda clock: clock.advance(-1)])
def test_a_simulated_clock_never_goes_back(move):
    clock = SimulatedClock(START)
    with pytest.raises(Incorrect) as refused:
        move(clock)
    assert refused.value.code == "clock_backward"
    assert clock.now() == START


@pytest.mark.parametrize("move", [lambda clock: clock.set(LATEST + 1), lambda clock: clock.advance(10**40)])
def test_a_simulated_clock_stays_within_the_calendar(move):
    clock = SimulatedClock(START)
    with pytest.raises(Incorrect) as refused:
        move(clock)
    assert refused.value.code == "clock_out_of_range"
    assert clock.now() == START
    clock.set(LATEST)


@pytest.fixture
def hasty_threads():
    usual = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(usual)


@pytest.mark.usefixtures("hasty_threads")
def test_no_tick_is_lost_between_threads():
    clock = SimulatedClock(START)
    with ThreadPoolExecutor(8) as threads:
        list(threads.map(lambda _: [clock.tick() for _ in range(2_000)], range(8)))
    assert clock.now() == START + 16_000
