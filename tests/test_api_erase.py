"""Erasure over HTTP: it has to be asked for in so many words, by somebody who may."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.api_world import World, canonical, world

CUSTOMER = "kim@example.org"


@pytest.fixture
def here() -> Iterator[World]:
    with world() as made:
        yield made


def test_a_fact_is_erased_by_the_operator_and_nobody_has_it_any_more(here):
    fact = here.learn("mia", CUSTOMER, "lives_in", "Hanoi")
    answer = here.send("admin", "DELETE", f"/v1/admin/facts/{fact}?erase", {"reason": "asked to"})
    assert answer.status_code == 200
    told = answer.json()
    assert told["erased"] | {"recalls": 0} == {
        **dict.fromkeys(told["erased"], 0),
        "claims": 1,
    }
    receipt = told["receipt"]
    assert (receipt["actor"], receipt["swept"]) == ({"agent": "admin", "domain": "operations"}, True)
    assert receipt["id"].startswith("erase_")
    assert receipt["reason"] == "asked to"
    assert len(receipt["audit"]) == 64
    assert [label["relation"] for label in receipt["labels"]] == ["lives_in"]
    for who in ("mia", "atlas"):
        gone, unknown = here.get(who, f"/v1/facts/{fact}"), here.get(who, f"/v1/facts/fact_{'0' * 24}")
        assert (gone.status_code, gone.json()) == (404, unknown.json())
        assert here.get(who, f"/v1/customers/{CUSTOMER}/timeline").json()["slots"] == []
    again = here.send("admin", "DELETE", f"/v1/admin/facts/{fact}?erase")
    assert (again.status_code, again.json()["code"]) == (404, "not_found")


@pytest.mark.parametrize("query", ["", "?", "?erase=no", "?erase&erase", "?forget", "?erase=true", "?ERASE"])
def test_a_fact_goes_only_if_the_address_says_erase(here, query):
    fact = here.learn("mia", CUSTOMER, "lives_in", "Hanoi")
    refused = here.send("admin", "DELETE", f"/v1/admin/facts/{fact}{query}")
    assert (refused.status_code, refused.json()["code"]) == (422, "flag_missing")
    assert here.get("mia", f"/v1/facts/{fact}").status_code == 200


def test_the_flag_may_be_written_with_an_empty_value(here):
    fact = here.learn("mia", CUSTOMER, "lives_in", "Hanoi")
    assert here.send("admin", "DELETE", f"/v1/admin/facts/{fact}?erase=").status_code == 200


def test_a_customer_is_erased_with_an_account_of_what_went(here):
    here.learn("mia", CUSTOMER, "lives_in", "Hanoi")
    kept = here.learn("mia", "lee", "lives_in", "Hue")
    answer = here.send("admin", "DELETE", f"/v1/admin/customers/{CUSTOMER}")
    assert answer.status_code == 200
    assert answer.json()["erased"]["claims"] == 1
    assert here.get("mia", f"/v1/customers/{CUSTOMER}/profile").json()["entities"] == []
    assert here.get("mia", f"/v1/facts/{kept}").status_code == 200
    stray = here.send("admin", "DELETE", "/v1/admin/customers/lee?erase")
    assert (stray.status_code, stray.json()["code"]) == (422, "unknown_field")
    odd = here.send("admin", "DELETE", "/v1/admin/customers/lee", {"yes": True})
    assert (odd.status_code, odd.json()["code"]) == (422, "unknown_field")


def test_agents_erase_what_the_policy_gives_them(here):
    fact = here.learn("nova", CUSTOMER, "allergic_to", "nuts")
    for who, path in (
        ("sage", f"/v1/facts/{fact}/erase"),
        ("nova", f"/v1/facts/{fact}/erase"),
    ):
        assert (here.post(who, path).status_code, here.post(who, path).json()["code"]) == (403, "not_yours")
    assert here.send("sage", "DELETE", f"/v1/admin/facts/{fact}?erase").json()["code"] == "not_yours"
    assert here.send("sage", "DELETE", f"/v1/admin/customers/{CUSTOMER}").json()["code"] == "not_yours"
    hidden, unknown = (here.post("kai", f"/v1/facts/{id_}/erase") for id_ in (fact, f"fact_{'0' * 24}"))
    assert (hidden.status_code, canonical(hidden.json())) == (404, canonical(unknown.json()))
    operator = here.hub.operator()
    operator.replace_policy(policy=operator.policies().policy + "p, owner, *, *, *, erase, *, allow\n")
    done = here.post("sage", f"/v1/facts/{fact}/erase", {"reason": "asked to"})
    assert (done.status_code, done.json()["erased"]["claims"], done.json()["receipt"]["audit"]) == (200, 1, None)
    assert here.post("admin", f"/v1/facts/{fact}/erase").status_code == 403, "the admin key is no agent's"


def test_the_description_says_which_word_is_needed(here):
    described = here.get(None, "/schema").json()["paths"]["/v1/admin/facts/{id}"]["delete"]
    [flag] = [parameter for parameter in described["parameters"] if parameter["in"] == "query"]
    assert (flag["name"], flag["required"], flag["allowEmptyValue"]) == ("erase", True, True)
