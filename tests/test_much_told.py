"""Of one thing much may be told: what another fact costs, and a page of them, does not grow beyond measure."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from hub import Hub
from hub.hub import Agent
from hub.view.records import Records

Counting = Callable[[str, Callable[[], object]], int]


@pytest.fixture
def mia() -> Iterator[Agent]:
    with Hub.open(embedder="none") as opened:
        yield opened.agent("mia", "kim")


@pytest.fixture
def counted(monkeypatch: pytest.MonkeyPatch) -> Counting:
    """How often views are asked something about a row while this is done."""

    def count(verb: str, do: Callable[[], object]) -> int:
        plain, times = getattr(Records, verb), [0]

        def counting(self: Records, about: object) -> object:
            times[0] += 1
            return plain(self, about)

        with monkeypatch.context() as patched:
            patched.setattr(Records, verb, counting)
            do()
        return times[0]

    return count


def tell(mia: Agent, first: int, last: int) -> None:
    mia.remember(facts=[{"relation": "fault", "value": f"noise {n}", "subject": "Civic"} for n in range(first, last)])


def test_another_fact_about_a_thing_costs_what_the_first_ones_did(mia: Agent, counted: Counting) -> None:
    tell(mia, 0, 20)
    early = counted("visible", lambda: tell(mia, 20, 22))
    tell(mia, 22, 300)
    assert 0 < counted("visible", lambda: tell(mia, 300, 302)) <= early + 10


def test_a_page_about_a_thing_finds_out_once_how_it_is_called(mia: Agent, counted: Counting) -> None:
    tell(mia, 0, 50)
    few = counted("visible", lambda: (mia.timeline(limit=1000), mia.profile(limit=1000)))
    tell(mia, 50, 200)
    many = counted("visible", lambda: (mia.timeline(limit=1000), mia.profile(limit=1000)))
    assert few < many < 6 * few


def test_what_nobody_took_back_is_not_asked_for_acts_while_more_is_told(mia: Agent, counted: Counting) -> None:
    coffee = {"relation": "likes", "value": "coffee"}
    told = mia.remember(facts=[coffee] * 50)
    assert counted("acts_on", lambda: mia.remember(facts=[coffee])) == 0
    mia.retract(told.facts[0].id)
    assert counted("acts_on", lambda: mia.remember(facts=[coffee])) < 10


def test_another_alias_puts_no_older_ones_together_anew(mia: Agent, counted: Counting) -> None:
    def alias(first: int, last: int) -> None:
        names = [(f"name {n}", f"name {n + 1}") for n in range(first, last)]
        mia.remember(facts=[{"relation": "same_as", "subject": one, "object": other} for one, other in names])

    alias(0, 100)
    assert counted("living", lambda: alias(100, 101)) < 130
    assert counted("living", lambda: alias(101, 111)) < 330  # each of them once for itself and those beside it
