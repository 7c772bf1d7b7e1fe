"""A recall that is run again is answered as it was, to the byte, or says why it can't be."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import suppress
from copy import copy
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hub.answers import Recalled
from hub.clock import SimulatedClock
from hub.codec import encode, replaced
from hub.embed import HashingEmbedder
from hub.errors import Denied, HubError, Missing
from hub.hub import Agent, Hub
from hub.ledger import KeptRecall, Reading, State
from hub.moments import instant, rendered
from hub.recall import RANKER, recall
from hub.view import Base
from tests.api_world import world

START = instant("2026-03-01T09:00:00Z")
HOUR = 3_600_000_000
KIM = "kim"
POLICY = (Path(__file__).parent.parent / "policies" / "policy.csv").read_text(encoding="utf-8")
HOME = "where does she live, and what does she like?"


@dataclass
class Stage:
    """A hub where travel and health know what personal told, and health more than that."""

    path: Path
    clock: SimulatedClock = field(default_factory=lambda: SimulatedClock(START))
    ids: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.hub = Hub.open(self.path, clock=self.clock)

    def restart(self, **more: object) -> None:
        self.hub.close()
        self.hub = Hub.open(self.path, clock=self.clock, **more)

    def agent(self, name: str = "atlas") -> Agent:
        return self.hub.agent(name, KIM)

    def tell(self, who: str, relation: str, value: object, **more: object) -> str:
        [receipt] = self.agent(who).remember(facts=[{"relation": relation, "value": value, **more}]).facts
        self.clock.advance(HOUR)
        return receipt.id

    def rule(self, *added: str, without: str = "") -> None:
        kept = [line for line in POLICY.splitlines() if not without or without not in line]
        self.hub.operator().replace_policy(policy="\n".join([*kept, *added]), reason="changed")


@pytest.fixture
def stage(tmp_path) -> Iterator[Stage]:
    made = Stage(tmp_path / "memory.db")
    made.ids["home"] = made.tell("mia", "lives_in", "Hanoi")
    made.ids["tea"] = made.tell("mia", "likes", "tea")
    made.ids["trip"] = made.tell("atlas", "sock_size", 38)
    made.ids["allergy"] = made.tell("sage", "allergic_to", "peanuts")
    yield made
    made.hub.close()


# --- the same bytes --------------------------------------------------------------------------------------------------

LATER: dict[str, Callable[[Stage], object]] = {
    "nothing": lambda s: None,
    "a restart": lambda s: s.restart(),
    "another fact": lambda s: s.tell("mia", "likes", "coffee, and lives by the lake"),
    "a turn": lambda s: s.agent("mia").remember("I live on tea and like Hanoi"),
    "a move": lambda s: s.tell("mia", "lives_in", "Hue", mode="change"),
    "a contest": lambda s: s.tell("sage", "lives_in", "Da Nang"),
    "a correction": lambda s: s.agent("mia").correct(s.ids["home"], value="Hue"),
    "a withdrawal": lambda s: s.agent("mia").retract(s.ids["tea"]),
    "an end": lambda s: s.agent("mia").end(s.ids["tea"]),
    "a forgetting": lambda s: s.agent("mia").forget(s.ids["home"]),
    "hidden writes": lambda s: [s.tell("sage", "allergic_to", f"tea of Hanoi {n}") for n in range(3)],
    "a merge": lambda s: s.hub.operator().same_as(KIM, "Civic", "Honda"),
    "a promotion": lambda s: s.hub.operator().promote("sock_size", scope="shared", existing=True),
    "a relation that is known now": lambda s: s.hub.operator().promote("sock_size", scope="private"),
    "an open policy": lambda s: s.rule("p, *, *, *, *, read, *, allow"),
    "a grant": lambda s: s.rule("p, travel, health, private, allergic_to, read, *, allow"),
    "a wider scope": lambda s: s.hub.operator().relabel(s.ids["trip"], scope="shared"),
    "an agent more": lambda s: s.hub.operator().create_agent("rex", "travel"),
    "other words for relations": lambda s: s.hub.operator().replace_policy(
        relations=s.hub.operator().policies().relations.replace("en: lives in", "en: dwells at"), reason="words"
    ),
    "many years": lambda s: s.clock.advance(10 * 365 * 24 * HOUR),
    "a consent": lambda s: s.hub.operator().record_consent(
        KIM, domain="travel", owner="health", effect="grant", reason="asked"
    ),
}
ASKED: dict[str, dict[str, object]] = {
    "as it is": {},
    "explained": {"explain": True, "include_past": True, "limit": 50},
    "with little room": {"token_budget": 60, "limit": 1},
    "of the past": {"as_of": rendered(START + HOUR + 1)},
    "of before anything was known": {"known_at": rendered(START - HOUR)},
    "of the future": {"valid_at": "2027-01-01"},
    "as known then": {"known_at": rendered(START + 2 * HOUR), "valid_at": "2026-06"},
    "for a purpose": {"purpose": "meal"},
}


@pytest.mark.parametrize("later", LATER)
def test_a_recall_is_answered_as_it_was_whatever_came_later(stage, later):
    if later == "a merge":
        things = [{"relation": "owns", "object": {"kind": "car", "name": name}} for name in ("Civic", "Honda")]
        stage.agent("mia").remember(facts=things)
    answers = {asked: stage.agent().recall(HOME, **more) for asked, more in ASKED.items()}
    LATER[later](stage)
    for asked, first in answers.items():
        again = stage.agent().replay(first.recall_id)
        assert again.since_then is None, asked
        assert encode(again) == encode(first), asked
        assert encode(stage.hub.operator().replay(first.recall_id)) == encode(first), asked
    stage.restart()
    for asked, first in answers.items():
        assert encode(stage.agent().replay(first.recall_id)) == encode(first), asked


def test_a_recall_of_somebody_nobody_knew_is_run_again_too(stage):
    first = stage.hub.agent("mia", "lee").recall(HOME, known_at=rendered(START + HOUR))
    stage.hub.agent("mia", "lee").remember(facts=[{"relation": "lives_in", "value": "Oslo"}])
    assert encode(stage.hub.agent("mia", "lee").replay(first.recall_id)) == encode(first)
    assert stage.hub.agent("mia", "lee").recalled_before(first.recall_id).customer == "lee"


def test_an_earlier_state_is_not_answered_from_what_was_folded_for_a_later_one(stage):
    """As many rows and moves have to do with the slot at one as at the other, but not the same ones."""
    mia = stage.agent("mia")
    first = mia.recall(HOME)
    stage.tell("mia", "lives_in", "Hue", mode="change")
    between = rendered(stage.clock.now())
    stage.clock.advance(HOUR)
    stage.hub.operator().relabel(stage.ids["tea"], scope="private")
    assert "Hue" in str(mia.recall(HOME, as_of=between))
    assert encode(mia.replay(first.recall_id)) == encode(first)


def test_a_replay_is_no_recall_of_its_own(stage):
    first = stage.agent().recall(HOME)
    stage.agent().replay(first.recall_id)
    stage.hub.flush()
    with stage.hub._ledger._readers.begin() as connection:
        assert connection.exec_driver_sql("select count(*) from recall").scalar() == 1


def test_the_query_is_never_a_memory(stage):
    stage.agent().recall("the wombat question")
    assert stage.agent().recall("wombat").memories == ()
    assert "wombat" not in str(stage.agent().timeline())


@pytest.fixture(scope="module")
def living(tmp_path_factory) -> Iterator[Stage]:
    """One hub in which every history is that of a customer of its own."""
    made = Stage(tmp_path_factory.mktemp("replay") / "memory.db")
    yield made
    made.hub.close()


@given(st.data())
def test_in_any_history_every_recall_is_run_again_to_the_same_bytes(living, data):
    tale = Tale(living, f"customer {next(CUSTOMERS)}", data.draw)
    asked: list[tuple[str, Recalled]] = []
    for _ in range(data.draw(st.integers(3, 9))):
        getattr(tale, data.draw(st.sampled_from(("fact", "fact", "act", "opened"))))()
        who, now = data.draw(st.sampled_from(("mia", "atlas", "sage"))), living.clock.now()
        more = data.draw(st.sampled_from([{}, {"known_at": rendered(now - 2 * HOUR)}, {"explain": True}]))
        asked.append((who, tale.agent(who).recall(HOME, include_past=True, limit=20, **more)))
        living.clock.advance(HOUR)
    with Hub.open(living.path, clock=living.clock) as cold:
        living.hub.flush()
        for hub in (living.hub, cold):
            for who, first in asked:
                assert encode(hub.agent(who).replay(first.recall_id)) == encode(first)


CUSTOMERS = count()


@dataclass
class Tale:
    """Steps that only ever add, take back and open: none of them takes anything out of anybody's past."""

    stage: Stage
    customer: str
    draw: Callable[..., object]
    facts: list[str] = field(default_factory=list)

    def agent(self, name: str) -> Agent:
        return self.stage.hub.agent(name, self.customer)

    def fact(self) -> None:
        relation = self.draw(st.sampled_from(("lives_in", "likes", "dislikes", "allergic_to", "sock_size")))
        fact = {"relation": relation, "value": self.draw(st.sampled_from(("Hanoi", "Hue", "tea")))}
        fact |= self.draw(st.sampled_from([{}, {"mode": "change"}, {"valid_from": "2026-02"}]))
        text = self.draw(st.sampled_from([None, "I live on tea in Hue"]))
        answer = self.agent(self.draw(st.sampled_from(("mia", "sage")))).remember(text, facts=[fact])
        self.facts += [receipt.id for receipt in answer.facts]

    def act(self) -> None:
        verb = self.draw(st.sampled_from(("retract", "end", "forget", "restore", "correct")))
        more = {"value": self.draw(st.sampled_from(("Hanoi", "Hue")))} if verb == "correct" else {}
        target = self.draw(st.sampled_from([*self.facts, "fact_none"]))
        with suppress(HubError):
            getattr(self.agent(self.draw(st.sampled_from(("mia", "sage")))), verb)(target, **more)

    def opened(self) -> None:
        with suppress(HubError):
            self.stage.hub.operator().relabel(self.draw(st.sampled_from([*self.facts, "fact_none"])), scope="shared")


# --- what can't be the same ------------------------------------------------------------------------------------------


def test_what_was_revoked_is_no_longer_available_and_the_auditor_is_told_by_which_line(stage):
    first = stage.agent().recall(HOME)
    assert {memory.id for memory in first.memories} == {stage.ids["home"], stage.ids["tea"]}
    stage.rule("p, travel, *, *, lives_in, read, *, deny")
    again = stage.agent().replay(first.recall_id)
    assert [memory.id for memory in again.memories] == [stage.ids["tea"]]
    assert "Hanoi" not in str(again)
    assert [(gone.id, gone.reason, gone.rule) for gone in again.since_then.unavailable] == [
        (stage.ids["home"], "no longer available", None)
    ]
    seen = stage.hub.operator().replay(first.recall_id)
    assert seen.memories == first.memories, "auditors may inspect it all"
    [gone] = seen.since_then.unavailable
    assert (gone.id, gone.reason) == (stage.ids["home"], "revoked")
    assert gone.rule.text == "p, travel, *, *, lives_in, read, *, deny"
    assert seen.since_then.changed == ()


def test_what_was_filed_away_is_no_longer_available(stage):
    first = stage.agent().recall(HOME)
    stage.hub.operator().relabel(stage.ids["home"], scope="private")
    again = stage.agent().replay(first.recall_id)
    assert [gone.reason for gone in again.since_then.unavailable] == ["no longer available"]
    [gone] = stage.hub.operator().replay(first.recall_id).since_then.unavailable
    assert (gone.reason, gone.rule.why) == ("revoked", "no line allows it")
    assert encode(stage.agent("mia").replay(stage.agent("mia").recall(HOME).recall_id))


def test_what_was_erased_is_no_longer_available_and_the_auditor_is_told_so(stage):
    first = stage.agent().recall(HOME)
    stage.hub.flush()
    stage.hub.operator().erase_fact(stage.ids["home"])
    again = stage.agent().replay(first.recall_id)
    assert [gone.reason for gone in again.since_then.unavailable] == ["no longer available"]
    assert "Hanoi" not in str(again)
    seen = stage.hub.operator().replay(first.recall_id)
    assert [gone.reason for gone in seen.since_then.unavailable] == ["erased"]
    assert seen.since_then.changed == ("digest",)
    stage.hub.operator().erase_customer(KIM)
    with pytest.raises(Missing):
        stage.agent().replay(first.recall_id)
    with pytest.raises(Missing):
        stage.hub.operator().replay(first.recall_id)


def test_an_objection_closes_what_was_told_before(stage):
    first = stage.agent().recall(HOME)
    asked = {"domain": "travel", "owner": "personal", "relation": "likes", "effect": "object", "reason": "no"}
    stage.hub.operator().record_consent(KIM, **asked)
    assert [gone.id for gone in stage.agent().replay(first.recall_id).since_then.unavailable] == [stage.ids["tea"]]
    [gone] = stage.hub.operator().replay(first.recall_id).since_then.unavailable
    assert (gone.reason, gone.rule.why) == ("revoked", "the customer objects")


def test_a_purpose_that_was_taken_away_opens_nothing_again(stage):
    first = stage.agent().recall("is she allergic to anything?", purpose="meal")
    assert [memory.value for memory in first.memories][:1] == ["peanuts"]
    stage.hub.operator().bind("atlas", purposes=["booking"])
    again = stage.agent().replay(first.recall_id)
    assert "peanuts" not in str(again)
    assert stage.ids["allergy"] in [gone.id for gone in again.since_then.unavailable]


def test_something_beside_the_results_that_is_gone_is_said_to_have_changed_the_answer(stage):
    """The prompt says the whole profile, of which the results are only a part."""
    first = stage.agent().recall("what does she like?", limit=1)
    assert "Hanoi" in first.prompt.stable
    stage.rule("p, travel, *, *, lives_in, read, *, deny")
    again = stage.agent().replay(first.recall_id)
    assert (again.since_then.unavailable, again.since_then.changed) == ((), ("memory",))


def test_another_ranker_and_another_embedder_are_said(stage, monkeypatch):
    first = stage.agent().recall(HOME)
    stage.hub.flush()
    monkeypatch.setattr("hub.hub.recalls.RANKER", "another")
    monkeypatch.setattr("hub.recall.ranking.TURN_CLASS", "preference")
    assert stage.agent().replay(first.recall_id).since_then is None, "as long as the bytes are the same"
    monkeypatch.setattr("hub.recall.prompt._STABLE", "Known:")
    stage.restart(embedder=HashingEmbedder())
    for again in (stage.agent().replay(first.recall_id), stage.hub.operator().replay(first.recall_id)):
        assert again.since_then.changed == ("ranker", "embedder")


# --- whose it is -----------------------------------------------------------------------------------------------------


def test_a_record_says_who_asked_what_of_which_state_and_what_came_of_it(stage):
    first = stage.agent().recall(HOME, limit=2, kinds=["fact"], session="s", as_of=rendered(START + 2 * HOUR))
    record = stage.agent().recalled_before(first.recall_id)
    assert (record.agent, record.domain, record.customer, record.purpose) == ("atlas", "travel", KIM, None)
    assert (record.request.query, record.request.limit, record.request.kinds) == (HOME, 2, ("fact",))
    assert (record.request.session, record.request.as_of) == ("s", rendered(START + 2 * HOUR))
    assert record.as_of == first.as_of
    assert (record.policy_version, record.ranker, record.embedder, record.on_behalf_of) == (1, RANKER, None, None)
    assert [(r.id, r.score, r.available) for r in record.results] == [(m.id, m.score, True) for m in first.memories]
    stage.rule("p, travel, *, *, lives_in, read, *, deny")
    left = stage.agent().recalled_before(first.recall_id).results
    assert [result.available for result in left if result.id == stage.ids["home"]] == [False]


def test_anothers_recall_is_as_unknown_as_none(stage):
    first = stage.agent().recall(HOME)
    other = stage.hub.agent("atlas", "lee")
    stage.hub.agent("iris", domain="travel")
    for who, recall_id in (
        (stage.agent("mia"), first.recall_id),
        (stage.agent("iris"), first.recall_id),
        (other, first.recall_id),
        (stage.agent(), "recall_none"),
        (stage.agent(), "\x00 é"),
        (stage.agent(), stage.ids["home"]),
    ):
        for verb in ("replay", "recalled_before"):
            with pytest.raises(Missing) as refused:
                getattr(who, verb)(recall_id)
            assert refused.value.args == ("there is no such record",)


def test_an_agent_that_may_not_come_in_any_more_has_no_recalls(stage):
    first = stage.agent().recall(HOME)
    stage.hub.operator().bind("atlas", customers=["lee"], purposes=["meal"])
    with pytest.raises(Missing):
        stage.agent().replay(first.recall_id)
    stage.hub.operator().bind("atlas", customers=None)
    stage.rule("p, travel, travel, private, recall, read, *, deny")
    with pytest.raises(Missing):
        stage.agent().replay(first.recall_id)
    stage.rule()
    assert stage.agent().replay(first.recall_id) == first
    stage.hub.operator().disable("atlas")
    with pytest.raises(Denied):
        stage.agent().replay(first.recall_id)
    assert stage.hub.operator().replay(first.recall_id).since_then.unavailable, "a disabled agent is told nothing"


def test_who_asked_on_behalf_of_another_is_answered_by_what_both_may_know_again(stage):
    token = stage.agent("atlas").token().token
    sage = stage.agent("sage")
    first = sage.on_behalf_of(token).recall(HOME, limit=20)
    assert "peanuts" not in str(first)
    assert encode(sage.replay(first.recall_id)) == encode(first), "alone it may know more, but did not ask alone"
    assert sage.recalled_before(first.recall_id).on_behalf_of == "atlas"
    assert encode(sage.on_behalf_of(token).replay(first.recall_id)) == encode(first)
    own = sage.recall("is she allergic to anything?")
    assert "peanuts" in str(own)
    with pytest.raises(Missing):
        sage.on_behalf_of(token).replay(own.recall_id)


def test_only_an_auditor_runs_what_others_asked(stage):
    first = stage.agent().recall(HOME)
    with pytest.raises(Denied) as refused:
        stage.hub.operator("kai").replay(first.recall_id)
    assert refused.value.code == "not_operator"
    with pytest.raises(Missing):
        stage.hub.operator().replay("recall_none")


def test_an_auditor_sees_no_more_of_a_recall_than_it_may_inspect(stage):
    first = stage.agent().recall(HOME)
    stage.hub.operator().create_agent("lex", "law")
    stage.rule("p, law, company, *, hub, inspect, *, allow", "p, law, personal, *, likes, inspect, *, allow")
    seen = stage.hub.operator("lex").replay(first.recall_id)
    assert [memory.value for memory in seen.memories] == ["tea"]
    assert [gone.reason for gone in seen.since_then.unavailable] == ["not yours to inspect"]


# --- over HTTP -------------------------------------------------------------------------------------------------------


def test_over_http_a_replay_is_the_same_body():
    with world() as hubs:
        hubs.learn("mia", KIM, "lives_in", "Hanoi")
        first = hubs.post("atlas", "/v1/recall", {"customer": KIM, "query": HOME})
        recall_id = first.json()["recall_id"]
        hubs.learn("mia", KIM, "lives_in", "Hue", mode="change")
        again = hubs.post("atlas", f"/v1/recalls/{recall_id}/replay")
        assert (again.status_code, again.content) == (200, first.content)
        assert hubs.post("admin", f"/v1/admin/recalls/{recall_id}/replay").content == first.content
        record = hubs.get("atlas", f"/v1/recalls/{recall_id}").json()
        assert (record["request"]["query"], record["results"][0]["available"]) == (HOME, True)
        unknown = hubs.get("atlas", "/v1/recalls/recall_none")
        for who, path in (("mia", f"/v1/recalls/{recall_id}"), ("atlas", "/v1/recalls/%00")):
            assert hubs.get(who, path).content == unknown.content
        assert hubs.post("mia", f"/v1/recalls/{recall_id}/replay").status_code == 404
        assert hubs.post("mia", f"/v1/admin/recalls/{recall_id}/replay").status_code == 403
        assert json.loads(first.content)["since_then"] is None


# --- planted mistakes ------------------------------------------------------------------------------------------------


def _unpinned(reading: Reading, state: State, present: int) -> Reading:
    return reading


def _rows_of_today(reading: Reading, state: State, present: int) -> Reading:
    earlier = copy(reading)
    earlier.state, earlier.present = replaced(state, seq=reading.state.seq, customer=reading.state.customer), present
    return earlier


def _rules_of_today(reading: Reading, state: State, present: int) -> Reading:
    earlier = copy(reading)
    earlier.state = replaced(reading.state, seq=state.seq)
    return earlier


PLANTED: dict[str, tuple[str, object, str]] = {
    "the ledger of today": ("hub.ledger.Reading.pinned", _unpinned, "another fact"),
    "the rows of today": ("hub.ledger.Reading.pinned", _rows_of_today, "a move"),
    "the rules of today": ("hub.ledger.Reading.pinned", _rules_of_today, "a grant"),
    "the words of today": ("hub.ledger.Reading.pinned", _rules_of_today, "other words for relations"),
    "the consents of today": ("hub.ledger.Reading.pinned", _rules_of_today, "a consent"),
    "all that was ever held": ("hub.view.View.held", lambda view: iter(view.base.rows), "an only fact"),
    "another id": (
        "hub.hub.recalls.recall",
        lambda v, asked, _, meant: recall(v, asked, "recall_0", meant),
        "nothing",
    ),
    "the present": ("hub.hub.recalls.KeptRecall", lambda **kept: KeptRecall(**kept | {"valid_at": 0}), "nothing"),
}


@pytest.mark.parametrize("mistake", PLANTED)
def test_a_mistake_in_running_again_is_seen(stage, monkeypatch, mistake):
    where, planted, later = PLANTED[mistake]
    who = stage.hub.agent("atlas", "lee") if later == "an only fact" else stage.agent()
    answers = [who.recall(HOME, **more) for more in ASKED.values()] if mistake != "the present" else []
    monkeypatch.setattr(where, planted)
    answers = answers or [who.recall(HOME)]
    if later == "an only fact":
        stage.hub.agent("mia", "lee").remember(facts=[{"relation": "likes", "value": "tea"}])
    else:
        LATER[later](stage)
    assert any(who.replay(first.recall_id) != first for first in answers)


def test_counting_all_that_ever_moved_is_seen(stage, monkeypatch):
    counted = Base.gone
    always = 1 << 62
    monkeypatch.setattr(Base, "gone", lambda base, known_at, _: counted(base, known_at, always))
    with pytest.raises(AssertionError):
        test_an_earlier_state_is_not_answered_from_what_was_folded_for_a_later_one(stage)
