"""How often anyone may ask: each agent at its own rate, strangers by their address; and nobody floods the audit."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TypeVar

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hub.api import rated
from hub.api.rates import Rate, TooMany
from hub.errors import Incorrect
from hub.ledger import Line, crowd
from tests.api_world import World, world
from tests.test_audit import lines

CUSTOMER = "kh-001"
T = TypeVar("T")
PROBLEM = {"type", "title", "status", "detail", "code", "fix"}


@dataclass
class Watch:
    """Seconds that go by when they are told to."""

    at: float = 100.0

    def __call__(self) -> int:
        return round(self.at * 1_000_000_000)


@contextmanager
def limited(agents: int | None = None, strangers: int | None = None) -> Iterator[tuple[World, Watch]]:
    """A hub whose API takes so many requests a minute."""
    watch = Watch()
    with world(rated(agents, strangers, watch), embedder="none") as here:
        yield here, watch


def statuses(ask: Callable[[], T], times: int) -> list[T]:
    return [ask() for _ in range(times)]


# --- agents ----------------------------------------------------------------------------------------------------------


def test_an_agent_that_asks_too_much_is_told_when_to_come_back() -> None:
    with limited(agents=3) as (here, watch):
        assert statuses(lambda: here.get("mia", "/v1/me").status_code, 4) == [200, 200, 200, 429]
        refused = here.get("mia", "/v1/me")
        assert refused.headers["content-type"] == "application/problem+json"
        assert refused.json().keys() == PROBLEM
        assert (refused.json()["code"], refused.headers["retry-after"]) == ("too_many_requests", "20")
        watch.at += 19
        assert here.get("mia", "/v1/me").status_code == 429
        watch.at += 1
        assert statuses(lambda: here.get("mia", "/v1/me").status_code, 2) == [200, 429]


def test_what_one_agent_asks_is_nothing_to_another() -> None:
    """To the byte: an agent of the same domain, asking about the same customer, sees nothing of the other's haste."""
    with limited(agents=3) as (quiet, _), limited(agents=3) as (busy, _):
        for here in (quiet, busy):
            here.hub.operator().create_agent("ria", "personal")
            here.key("mia"), here.key("ria")
        for _ in range(10):
            busy.post("ria", "/v1/recall", {"customer": CUSTOMER, "query": "where does she live?"})
        assert busy.get("ria", "/v1/me").status_code == 429
        for _ in range(5):
            one, other = (here.get("mia", f"/v1/customers/{CUSTOMER}/graph") for here in (quiet, busy))
            assert (one.status_code, one.content, one.headers) == (other.status_code, other.content, other.headers)


def test_a_token_is_its_agents_and_so_is_what_it_asks() -> None:
    with limited(agents=3) as (here, _):
        here.keys["token"] = here.post("mia", "/v1/tokens", {"customer": CUSTOMER}).json()["token"]
        assert statuses(lambda: here.get("token", "/v1/me").status_code, 3) == [200, 200, 429]
        assert here.get("mia", "/v1/me").status_code == 429


def test_a_new_key_brings_no_new_rate() -> None:
    with limited(agents=2) as (here, _):
        assert statuses(lambda: here.get("mia", "/v1/me").status_code, 3) == [200, 200, 429]
        here.keys.pop("mia")
        assert here.get("mia", "/v1/me").status_code == 429


def test_who_acts_for_another_asks_at_its_own_rate() -> None:
    with limited(agents=3) as (here, _):
        token = here.post("atlas", "/v1/tokens", {"customer": CUSTOMER}).json()["token"]
        headers = {"On-Behalf-Of": token}
        asked = statuses(lambda: here.send("mia", "GET", "/v1/me", headers=headers).status_code, 4)
        assert asked == [200, 200, 200, 429]
        assert here.get("atlas", "/v1/me").status_code == 200


def test_what_is_refused_was_asked_as_well() -> None:
    with limited(agents=3) as (here, _):
        answers = [here.get("mia", path).status_code for path in ("/v1/facts/x", "/v1/me?x=1", "/v1/me", "/v1/me")]
        assert answers == [404, 422, 200, 429]


def test_a_request_that_comes_too_soon_does_nothing() -> None:
    with limited(agents=1) as (here, _):
        here.get("mia", "/v1/me")
        before = here.records()
        told = {"customer": CUSTOMER, "text": "hello"}
        assert here.post("mia", "/v1/remember", told).status_code == 429
        assert here.records() == before


def test_the_operator_is_let_in_whoever_else_asks_too_much() -> None:
    with limited(agents=1, strangers=1) as (here, _):
        assert set(statuses(lambda: here.get("admin", "/v1/admin/relations").status_code, 5)) == {200}


def test_unless_it_is_said_agents_ask_as_often_as_they_like() -> None:
    with world(embedder="none") as here:
        here.key("mia")
        assert here.client.app.state.rates.agents is None
        assert set(statuses(lambda: here.get("mia", "/v1/me").status_code, 50)) == {200}


PAUSES = st.just(0.0) | st.floats(0, 5) | st.sampled_from([61.0, 600.0])
"""Seconds between two requests."""


@given(
    number=st.integers(1, 50),
    comings=st.lists(st.tuples(st.sampled_from("ab"), PAUSES), max_size=60),
)
def test_what_is_granted_is_what_it_would_be_if_nobody_else_were_there(
    number: int, comings: list[tuple[str, float]]
) -> None:
    together, alone = Watch(), Watch()
    shared, own = Rate(number, together), Rate(number, alone)
    for who, pause in comings:
        together.at, alone.at = together.at + pause, alone.at + pause
        said = [_granted(shared, who)] + ([_granted(own, who)] if who == "a" else [])
        assert len(set(said)) == 1


@given(number=st.integers(1, 50), pauses=st.lists(PAUSES, min_size=1, max_size=100))
def test_no_stretch_of_time_grants_more_than_one_burst_and_what_is_due_in_it(number: int, pauses: list[float]) -> None:
    watch = Watch()
    rate, granted = Rate(number, watch), []
    for pause in pauses:
        watch.at += pause
        if _granted(rate, "a") is None:
            granted.append(watch.at)
    for first, began in enumerate(granted):
        for last, ended in enumerate(granted[first:], 1):
            assert last <= number + number * (ended - began) / 60 + 1e-3


def _granted(rate: Rate, who: str) -> int | None:
    """None, or the seconds to wait."""
    try:
        rate.take(who)
    except TooMany as more:
        return more.seconds
    return None


@pytest.mark.parametrize("number", [1, 7, 59, 1000])
def test_who_waits_as_long_as_it_is_told_is_let_in(number: int) -> None:
    watch = Watch()
    rate = Rate(number, watch)
    assert statuses(lambda: _granted(rate, "a"), number) == [None] * number
    wait = _granted(rate, "a")
    assert wait is not None
    watch.at += wait
    assert _granted(rate, "a") is None


def test_however_long_one_was_quiet_there_is_a_minutes_worth_and_no_more() -> None:
    watch = Watch()
    rate = Rate(2, watch)
    rate.take("a")
    watch.at += 600
    assert statuses(lambda: _granted(rate, "a"), 3) == [None, None, 30]


def test_whoever_has_been_quiet_for_long_is_forgotten_and_nobody_notices(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hub.api.rates._MOST", 3)
    watch = Watch()
    rate = Rate(1, watch)
    for who in "abc":
        rate.take(who)
    watch.at += 30
    rate.take("d")
    assert [_granted(rate, who) for who in "abcd"] == [30, 30, 30, 60]
    watch.at += 30
    rate.take("e")
    assert len(rate._spread) == 2


@pytest.mark.parametrize("number", [0, -1])
def test_a_rate_that_lets_nobody_in_is_none(number: int) -> None:
    with pytest.raises(Incorrect) as refused:
        rated(number)
    assert refused.value.code == "bad_rate"


# --- strangers -------------------------------------------------------------------------------------------------------


def refused_of(here: World, key: str | None, path: str = "/v1/me") -> int:
    headers = {} if key is None else {"Authorization": f"Bearer {key}"}
    return here.client.get(path, headers=headers).status_code


@pytest.mark.parametrize("key", [None, "hub_unknown"])
def test_an_address_without_a_good_key_is_soon_asked_to_wait(key: str | None) -> None:
    with limited(strangers=3) as (here, watch):
        assert statuses(lambda: refused_of(here, key), 5) == [401, 401, 401, 429, 429]
        watch.at += 20
        assert statuses(lambda: refused_of(here, key), 2) == [401, 429]


def test_addresses_that_are_none_count_as_well() -> None:
    with limited(strangers=2) as (here, _):
        assert [refused_of(here, "hub_unknown", path) for path in ("/nothing", "/v1/me/x", "/v1/x")] == [404, 404, 429]
        assert here.get("mia", "/nothing").status_code == 429


def test_foreign_pages_count_as_well() -> None:
    with limited(strangers=2) as (here, _):
        foreign = {"Origin": "https://evil.example"}
        asked = statuses(lambda: here.send("mia", "GET", "/v1/me", headers=foreign).status_code, 3)
        assert asked == [403, 403, 429]


def test_a_good_key_is_served_from_an_address_that_is_not() -> None:
    """Known by heart, and not known yet: behind one address there may be many."""
    with limited(strangers=1) as (here, _):
        key = here.key("mia")
        assert statuses(lambda: refused_of(here, "hub_unknown"), 3) == [401, 429, 429]
        assert here.hub.recognise(key) is None
        assert statuses(lambda: here.get("mia", "/v1/me").status_code, 2) == [200, 200]
        assert refused_of(here, None) == 429


def test_whoever_watches_the_hub_is_never_asked_to_wait() -> None:
    with limited(agents=1, strangers=1) as (here, _):
        statuses(lambda: refused_of(here, None), 5)
        for path in ("/healthz", "/readyz", "/schema"):
            assert set(statuses(lambda path=path: here.get(None, path).status_code, 5)) == {200}


def test_one_end_of_an_ipv6_network_is_the_whole_of_it() -> None:
    refused = rated(strangers=1, now=Watch()).refusal
    error = Incorrect("x", "x", "x")
    comers = ["2001:db8::1", "2001:db8::2:3", "2001:db8:0:1::1", "10.0.0.1", "10.0.0.2", "/run/hub.sock", None]
    said = [refused({"client": (who, 1) if who else None}, error).code for who in (*comers, "/run/hub.sock", None)]
    assert said == ["x", "too_many_requests", "x", "x", "x", "x", "x", "too_many_requests", "too_many_requests"]


# --- what the audit says of them -------------------------------------------------------------------------------------


def told(here: World, *outcomes: str) -> list[Line]:
    return [line for line in lines(here.hub) if line.outcome.startswith(outcomes)]


def times(line: Line) -> int:
    return int(line.outcome.rpartition("_times_")[2]) if "_times_" in line.outcome else 1


@pytest.mark.parametrize("key", [None, "hub_unknown"])
def test_refused_strangers_do_not_flood_the_audit_and_all_of_them_are_in_it(key: str | None) -> None:
    with limited() as (here, _):
        statuses(lambda: refused_of(here, key), 100)
        found = told(here, "bad_key")
        assert len(found) == crowd.APART + 1
        assert sum(map(times, found)) == 100
        assert sum(map(times, told(here, "bad_key"))) == 100
        assert here.hub.operator().verify_audit().ok


def test_each_window_has_lines_of_its_own_and_the_sum_of_the_one_before() -> None:
    with limited() as (here, _):
        for _ in range(3):
            statuses(lambda: refused_of(here, None), 30)
            here.hub._ledger.clock.advance(crowd.WINDOW)
        refused_of(here, None)
        kept = [line.outcome for line in lines(here.hub) if line.verb == "call"]
        window = ["bad_key"] * crowd.APART
        assert kept == [*window, *(["bad_key", "bad_key_times_10", *window[1:]] * 2), "bad_key", "bad_key_times_10"]


def test_an_agent_that_asks_too_much_is_named_and_counted_apart_from_others() -> None:
    with limited(agents=1) as (here, _):
        for who, asks in (("mia", 30), ("kai", 3)):
            statuses(lambda who=who: here.get(who, "/v1/me").status_code, asks)
        found = told(here, "too_many_requests")
        assert {who: sum(times(line) for line in found if line.agent == who) for who in ("mia", "kai")} == {
            "mia": 29,
            "kai": 2,
        }


def test_a_key_that_was_revoked_does_not_flood_the_audit_either() -> None:
    with limited() as (here, _):
        here.get("mia", "/v1/me")
        here.hub.operator().revoke("mia")
        statuses(lambda: here.get("mia", "/v1/me").status_code, 50)
        found = told(here, "bad_key")
        assert {line.agent for line in found} == {"mia"}
        assert (len(found), sum(map(times, found))) == (crowd.APART + 1, 50)


def test_what_an_agent_is_refused_by_the_policy_has_its_line_each_time() -> None:
    with limited() as (here, _):
        statuses(lambda: here.get("mia", "/v1/facts/fact_x").status_code, 50)
        assert len(told(here, "not_found")) == 50


def test_what_was_counted_is_told_when_the_hub_is_closed(tmp_path) -> None:
    from hub.errors import Denied
    from hub.hub import Hub

    with Hub.open(tmp_path / "memory.db") as hub:
        for _ in range(50):
            with pytest.raises(Denied):
                hub.authenticate("hub_unknown")
    with Hub.open(tmp_path / "memory.db") as hub:
        assert sum(times(line) for line in lines(hub, verb="authenticate")) == 50
