"""A key that has been looked up is known by heart, and forgotten with whatever anybody records anywhere."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from hub.clock import SimulatedClock
from hub.door import keyring
from hub.errors import Denied
from hub.hub import Hub
from hub.moments import instant
from tests.api_world import world

START = instant("2026-03-01T09:00:00Z")
MINUTE = 60_000_000


@dataclass
class Two:
    """Two hubs on one file, as two processes are; `key` opens both to kai."""

    here: Hub
    there: Hub
    clock: SimulatedClock
    key: str

    def known(self) -> bool:
        """Whether the hub here knows the key by heart."""
        return self.here.recognise(self.key) is not None


@pytest.fixture
def two(tmp_path: Path) -> Iterator[Two]:
    clock = SimulatedClock(START)
    file = tmp_path / "memory.db"
    with (
        Hub.open(file, clock=clock, embedder="none") as here,
        Hub.open(file, clock=clock, embedder="none") as there,
    ):
        yield Two(here, there, clock, here.operator().rotate("kai").key)


def learned(two: Two, key: str) -> None:
    two.here.authenticate(key)
    assert two.here.recognise(key) is not None


def test_a_key_is_known_once_it_was_looked_up(two: Two) -> None:
    assert not two.known()
    agent = two.here.authenticate(two.key)
    known = two.here.recognise(two.key)
    assert known is not None
    assert (known.id, known.domain, known.viewer) == (agent.id, agent.domain, agent.viewer)
    assert two.here.recognise(two.key[:-1]) is None


ENDS: dict[str, Callable[[Hub], object]] = {
    "revoked": lambda hub: hub.operator().revoke("kai"),
    "rotated": lambda hub: hub.operator().rotate("kai"),
    "disabled": lambda hub: hub.operator().disable("kai"),
}


@pytest.mark.parametrize("end", ENDS)
@pytest.mark.parametrize("where", ["here", "there"])
def test_a_key_that_dies_in_any_process_is_known_no_longer(two: Two, end: str, where: str) -> None:
    learned(two, two.key)
    ENDS[end](getattr(two, where))
    assert not two.known()
    with pytest.raises(Denied):
        two.here.authenticate(two.key)


def test_a_new_binding_is_the_one_that_counts(two: Two) -> None:
    learned(two, two.key)
    two.there.operator().bind("kai", customers=["kh-001"])
    assert two.here.recognise(two.key) is None
    assert two.here.authenticate(two.key).me().customers == ("kh-001",)


def test_a_key_goes_out_in_time_though_nothing_is_recorded(two: Two) -> None:
    short = two.here.operator().rotate("kai", expires_at="2026-03-01T09:01:00Z").key
    learned(two, short)
    two.clock.advance(MINUTE)
    assert two.here.recognise(short) is None


def test_a_token_goes_out_with_the_key_it_came_from(two: Two) -> None:
    short = two.here.operator().rotate("kai", expires_at="2026-03-01T09:01:00Z").key
    token = two.here.authenticate(short).token(customer="kh-001", ttl_seconds=3600).token
    learned(two, token)
    two.clock.advance(MINUTE)
    assert two.here.recognise(token) is None
    with pytest.raises(Denied):
        two.here.authenticate(token)


def test_what_dies_while_it_is_looked_up_is_not_known_afterwards(two: Two, monkeypatch: pytest.MonkeyPatch) -> None:
    """The key is read, then revoked elsewhere, and only then known: the next request must not find it."""
    chain = keyring._chain

    def slowly(*asked: object) -> object:
        found = chain(*asked)
        two.there.operator().revoke("kai")
        return found

    monkeypatch.setattr(keyring, "_chain", slowly)
    two.here.authenticate(two.key)
    assert not two.known()


def test_where_nobody_can_tell_whether_anything_was_recorded_nothing_is_known(
    two: Two, monkeypatch: pytest.MonkeyPatch
) -> None:
    learned(two, two.key)
    monkeypatch.setattr(two.here._ledger, "pulse", lambda: None)
    assert not two.known()
    two.here.authenticate(two.key)
    assert not two.known()


def test_a_database_that_does_not_answer_tells_nothing(two: Two) -> None:
    pulse = two.here._ledger._pulse
    assert pulse.felt() is not None
    pulse.close()
    assert pulse.felt() is None


def test_there_is_no_end_of_keys_to_be_known(two: Two, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(keyring, "_MOST", 2)
    keys = [two.here.operator().rotate(agent).key for agent in ("mia", "atlas", "sage")]
    for key in keys:
        two.here.authenticate(key)
    assert [two.here.recognise(key) is not None for key in keys] == [False, False, True]


def test_over_http_a_key_known_by_heart_is_dead_on_the_next_request() -> None:
    with world(embedder="none") as here:
        assert here.get("kai", "/v1/me").status_code == 200
        assert here.hub.recognise(here.key("kai")) is not None
        assert here.get("kai", "/v1/me").status_code == 200
        here.hub.operator().revoke("kai")
        assert here.get("kai", "/v1/me").status_code == 401
