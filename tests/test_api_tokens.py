"""Tokens and deputies over HTTP: a header may only narrow what the bearer sees."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.api_world import World, world


@pytest.fixture
def here() -> Iterator[World]:
    with world() as made:
        made.learn("mia", "one", "lives_in", "Hanoi")
        made.learn("sage", "one", "allergic_to", "peanuts")
        yield made


def token(here: World, agent: str, **asked: object) -> str:
    answer = here.post(agent, "/v1/tokens", {"customer": "one", **asked})
    assert answer.status_code == 201, answer.text
    here.keys[name := f"token-{len(here.keys)}"] = answer.json()["token"]
    return name


def test_a_token_reads_its_customer_and_operates_nothing(here: World) -> None:
    bearer = token(here, "atlas")
    assert "Hanoi" in here.get(bearer, "/v1/customers/one/profile").text
    assert here.get(bearer, "/v1/customers/two/profile").json()["code"] == "not_bound"
    here.hub.operator().replace_policy(
        policy=here.hub.operator().policies().policy + "g, agent:atlas, operator, *\ng, agent:atlas, auditor, *\n"
    )
    assert here.get("atlas", "/v1/admin/policies").status_code == 200
    assert here.get(bearer, "/v1/admin/policies").json()["code"] == "not_operator"


def test_acting_for_another_shows_what_both_may_see(here: World) -> None:
    alone = here.get("sage", "/v1/customers/one/profile").text
    other = here.keys[token(here, "atlas")]
    both = here.send("sage", "GET", "/v1/customers/one/profile", headers={"On-Behalf-Of": other}).text
    assert "peanuts" in alone
    assert "peanuts" not in both
    assert "Hanoi" in both


@pytest.mark.parametrize("given", ["nonsense", "", "two words"])
def test_a_token_that_opens_nothing_opens_nothing(here: World, given: str) -> None:
    answer = here.send("sage", "GET", "/v1/me", headers={"On-Behalf-Of": given})
    assert (answer.status_code, answer.json()["code"]) == (401, "bad_key")


def test_the_admin_key_acts_for_nobody_else(here: World) -> None:
    headers = {"On-Behalf-Of": here.keys[token(here, "atlas")]}
    assert here.send("admin", "GET", "/v1/admin/policies", headers=headers).json()["code"] == "not_an_agent"


@pytest.mark.parametrize(
    "asked", [{"ttl_seconds": 3601}, {"ttl_seconds": 0}, {"ttl_seconds": "60"}, {"agent": "sage"}, {"customer": ""}]
)
def test_a_request_for_a_token_says_no_more_than_it_may(here: World, asked: dict[str, object]) -> None:
    assert here.post("atlas", "/v1/tokens", {"customer": "one", **asked}).status_code == 422
