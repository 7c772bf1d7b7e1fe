"""Who did what, line by line: nothing is left out, nothing is said that should not be, and no line can be mended."""

from __future__ import annotations

import json
import sqlite3
import threading
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass, field
from inspect import getmembers, isfunction
from pathlib import Path

import pytest
from sqlalchemy.exc import OperationalError

from hub.clock import SimulatedClock
from hub.errors import Denied, Fault, HubError, Incorrect
from hub.hub import Agent, Hub, Operator
from hub.hub.verbs import OF_ITSELF
from hub.ledger import Line, Wanted, scribe, sqlite, trail
from hub.moments import instant
from tests.api_world import world

START = instant("2026-03-01T09:00:00Z")
MINUTE = 60_000_000
KIM = "kim"


def lines(hub: Hub, **wanted: object) -> list[Line]:
    """What the audit holds, read without a trace."""
    hub.flush()
    with hub._ledger._readers.begin() as connection:
        return [line for line, _ in trail.found(connection, Wanted(limit=10_000, **wanted))][::-1]


@dataclass
class Stage:
    """A hub with one fact that all may read, one of health's, two names for a car, a recall, and their ids."""

    hub: Hub
    path: Path
    clock: SimulatedClock
    ids: dict[str, str] = field(default_factory=dict)

    def agent(self, name: str = "mia") -> Agent:
        return self.hub.agent(name, KIM)

    @property
    def admin(self) -> Operator:
        return self.hub.operator()

    def tell(self, name: str, relation: str, value: str) -> str:
        return self.agent(name).remember(facts=[{"relation": relation, "value": value}]).facts[0].id


@pytest.fixture
def stage(tmp_path) -> Iterator[Stage]:
    clock = SimulatedClock(START)
    with Hub.open(tmp_path / "memory.db", clock=clock) as hub:
        made = Stage(hub, tmp_path / "memory.db", clock)
        made.ids |= {"home": made.tell("mia", "lives_in", "Hanoi"), "allergy": made.tell("sage", "allergic_to", "nuts")}
        cars = [{"relation": "owns", "object": {"kind": "car", "name": name}} for name in ("Civic", "the Honda")]
        made.agent().remember(facts=cars)
        made.ids["alias"] = made.admin.same_as(KIM, "Civic", "the Honda").id
        made.ids["recall"] = made.agent().recall("where does she live?").recall_id
        hub.flush()
        yield made


# --- one line a verb -------------------------------------------------------------------------------------------------

DONE: dict[str, Callable[[Stage], object]] = {
    "remember": lambda s: s.agent().remember(facts=[{"relation": "likes", "value": "tea"}]),
    "recall": lambda s: s.agent().recall("where does she live?"),
    "profile": lambda s: s.agent().profile(),
    "timeline": lambda s: s.agent().timeline(),
    "graph": lambda s: s.agent().graph(),
    "fact": lambda s: s.agent().fact(s.ids["home"]),
    "history": lambda s: s.agent().history(s.ids["home"]),
    "correct": lambda s: s.agent().correct(s.ids["home"], value="Hue"),
    "retract": lambda s: s.agent().retract(s.ids["home"]),
    "end": lambda s: s.agent().end(s.ids["home"]),
    "forget": lambda s: s.agent().forget(s.ids["home"]),
    "restore": lambda s: (s.agent().forget(s.ids["home"]), s.agent().restore(s.ids["home"])),
    "token": lambda s: s.agent().token(),
    "recalled_before": lambda s: s.agent().recalled_before(s.ids["recall"]),
    "replay": lambda s: s.agent().replay(s.ids["recall"]),
    "why": lambda s: s.agent().why_now("where does she live?"),
    "why_not": lambda s: s.agent().why_not_now("where does she live?", "Hue"),
}
OPERATED: dict[str, Callable[[Stage], object]] = {
    "create_agent": lambda s: s.admin.create_agent("rex", "travel"),
    "bind": lambda s: s.admin.bind("kai", customers=[KIM]),
    "rotate": lambda s: s.admin.rotate("kai"),
    "revoke": lambda s: s.admin.revoke("kai"),
    "disable": lambda s: s.admin.disable("kai"),
    "agents": lambda s: s.admin.agents(),
    "policies": lambda s: s.admin.policies(),
    "policy_versions": lambda s: s.admin.policy_versions(),
    "check_policy": lambda s: s.admin.check_policy(policy=""),
    "replace_policy": lambda s: s.admin.replace_policy(reason="again"),
    "explain_policy": lambda s: s.admin.explain_policy("kai", owner="health", relation="allergic_to"),
    "relations": lambda s: s.admin.relations(),
    "promote": lambda s: s.admin.promote("shoe_color", scope="shared"),
    "demote": lambda s: (s.admin.promote("shoe_color", scope="shared"), s.admin.demote("shoe_color")),
    "relabel": lambda s: s.admin.relabel(s.ids["home"], scope="private"),
    "same_as": lambda s: (s.admin.withdraw_same_as(s.ids["alias"]), s.admin.same_as(KIM, "Civic", "the Honda")),
    "withdraw_same_as": lambda s: s.admin.withdraw_same_as(s.ids["alias"]),
    "forget": lambda s: s.admin.forget(s.ids["home"]),
    "restore": lambda s: (s.admin.forget(s.ids["home"]), s.admin.restore(s.ids["home"])),
    "retract": lambda s: s.admin.retract(s.ids["home"]),
    "beliefs": lambda s: s.admin.beliefs(KIM, "kai"),
    "erase_fact": lambda s: s.admin.erase_fact(s.ids["home"]),
    "erase_customer": lambda s: s.admin.erase_customer(KIM),
    "audit": lambda s: s.admin.audit(),
    "verify_audit": lambda s: s.admin.verify_audit(),
    "replay": lambda s: s.admin.replay(s.ids["recall"]),
    "compare": lambda s: s.admin.compare(KIM, "mia", "kai"),
    "policy_diff": lambda s: s.admin.policy_diff(policy=s.admin.policies().policy),
    "why": lambda s: s.admin.why_now(agent="mia", customer=KIM, query="where does she live?"),
    "consents": lambda s: s.admin.consents(KIM),
    "record_consent": lambda s: s.admin.record_consent(
        KIM, domain="travel", owner="health", effect="grant", reason="asked"
    ),
}
ABOUT_NOBODY = frozenset(
    "create_agent bind rotate revoke disable policies policy_versions check_policy replace_policy explain_policy "
    "agents relations promote demote audit verify_audit policy_diff".split()
)
"""Verbs that do not concern one customer."""


@pytest.mark.parametrize("verb", DONE)
def test_a_verb_of_an_agent_leaves_one_line(stage, verb):
    _leaves_one_line(stage, verb, DONE[verb], ("mia", "personal"))


@pytest.mark.parametrize("verb", OPERATED)
def test_a_verb_of_an_operator_leaves_one_line(stage, verb):
    _leaves_one_line(stage, verb, OPERATED[verb], ("admin", "operations"))


def _leaves_one_line(stage: Stage, verb: str, does: Callable[[Stage], object], by: tuple[str, str]) -> None:
    with stage.hub._ledger.reading() as reading:
        reference = reading.reference(KIM)
    before = len(lines(stage.hub, verb=verb))
    at = stage.clock.now()
    does(stage)
    found = lines(stage.hub, verb=verb)
    assert len(found) == before + 1
    line = found[-1]
    assert (line.agent, line.domain, line.outcome, line.behalf) == (*by, "ok", None)
    assert line.customer == (None if verb in ABOUT_NOBODY else reference)
    assert line.at >= at
    assert line.version > 0


def test_every_public_method_of_whoever_has_verbs_is_one():
    for kind in (Agent, Operator):
        untold = {name for name, method in getmembers(kind, isfunction) if not hasattr(method, "__wrapped__")}
        assert {name for name in untold if not name.startswith("_")} <= OF_ITSELF


def test_a_line_names_the_records_and_the_labels_of_what_was_written_or_read(stage):
    stage.agent("nova").remember(
        "I'm allergic to shrimp and like jazz",
        facts=[{"relation": "allergic_to", "value": "shrimp"}, {"relation": "likes", "value": "jazz"}],
    )
    answer = stage.agent("sage").recall("what is she allergic to?")
    wrote, read = lines(stage.hub)[-2:]
    assert {label.relation for label in wrote.labels} == {"turn", "allergic_to", "likes"}
    assert len([record for record in wrote.records if record.startswith("fact")]) == 2
    assert set(read.records) >= {answer.recall_id, *(memory.id for memory in answer.memories)}
    assert ("health", "allergic_to") in {(label.owner, label.relation) for label in read.labels}


def test_a_recall_also_names_what_only_the_prompt_says_or_a_contest_or_the_walk(stage):
    for name, spice in (("mia", "mild"), ("sage", "hot")):
        stage.agent(name).remember(facts=[{"relation": "diet", "value": f"{spice} food"}])
    answer = stage.agent().recall("something about the weather in Oslo?")
    read = lines(stage.hub)[-1]
    assert "Hanoi" in answer.prompt.stable
    assert stage.ids["home"] in read.records
    short = stage.agent().recall("something about the weather in Oslo?", token_budget=10)
    assert short.prompt.stable == ""
    assert stage.ids["home"] not in lines(stage.hub)[-1].records


@pytest.mark.parametrize("road", ["profile", "recall", "timeline"])
def test_what_contests_a_memory_has_been_read_with_it(stage, road):
    """The values of the others are in the answer, so they and their labels are in the line."""
    other = stage.agent("atlas").remember(facts=[{"relation": "lives_in", "value": "Da Nang"}]).facts[0]
    kai = stage.agent("kai")
    answer = kai.recall("where does she live?", limit=1) if road == "recall" else getattr(kai, road)()
    assert "Da Nang" in str(answer)
    read = lines(stage.hub)[-1]
    assert {stage.ids["home"], other.id} <= set(read.records)
    assert {label.told for label in read.labels} >= {"personal", "travel"}


def test_a_graph_names_what_its_attributes_come_from(stage):
    answer = stage.agent().graph()
    assert any(node.attributes.get("lives_in") == "Hanoi" for node in answer.nodes)
    assert stage.ids["home"] in lines(stage.hub)[-1].records


def test_items_left_out_of_a_request_are_told_by_their_codes(stage):
    facts = [{"relation": "lives_in", "value": "Hue", "scope": "shared"}, {"relation": "likes", "value": "x"}]
    facts += [{"relation": "allergic_to", "value": "dust", "scope": "shared"}]
    answer = stage.agent("nova").remember(facts=facts)
    assert answer.refused
    line = lines(stage.hub)[-1]
    assert (line.outcome, line.refused) == ("ok", tuple(refused.code for refused in answer.refused))


def test_what_is_asked_for_twice_with_one_key_is_told_as_repeated(stage):
    for _ in range(2):
        stage.agent().remember(facts=[{"relation": "likes", "value": "tea"}], idempotency_key="k")
    first, second = lines(stage.hub, verb="remember")[-2:]
    assert (first.outcome, second.outcome) == ("ok", "repeated")
    assert first.records == second.records


def test_an_act_on_behalf_of_another_names_both(stage):
    token = stage.agent("atlas").token().token
    stage.agent("kai").on_behalf_of(token).recall("where does she live?")
    line = lines(stage.hub)[-1]
    assert (line.agent, line.behalf) == ("kai", "atlas")


def test_a_look_through_other_eyes_says_what_for(stage):
    stage.admin.beliefs(KIM, "atlas", purpose="meal")
    line = lines(stage.hub)[-1]
    assert (line.agent, line.verb, line.purpose) == ("admin", "beliefs", "meal")
    stage.agent("atlas").recall("what may she eat?", purpose="meal")
    assert lines(stage.hub)[-1].purpose == "meal"


def test_a_promotion_of_values_already_stored_leaves_a_line_for_each_customer(stage):
    stage.agent("kai").remember(facts=[{"relation": "shoe_color", "value": "red"}])
    before = len(lines(stage.hub))
    stage.admin.promote("shoe_color", scope="shared", existing=True)
    published, moved = lines(stage.hub)[before:]
    assert (published.customer, published.records) == (None, ("version:2",))
    assert moved.customer is not None
    assert any(record.startswith("fact") for record in moved.records)


def test_what_happens_at_the_door_outside_any_verb_leaves_a_line_too(stage):
    stage.hub._door.look("mia", KIM)
    with stage.hub._door.admit("mia", KIM):
        pass
    with stage.hub._ledger.writing():
        pass
    assert [line.verb for line in lines(stage.hub)[-3:]] == ["admit", "write", "look"]


# --- refusals --------------------------------------------------------------------------------------------------------

REFUSED: dict[str, tuple[Callable[[Stage], object], str, str | None]] = {
    "an unknown id": (lambda s: s.agent().fact("fact_unknown"), "not_found", None),
    "a hidden one": (lambda s: s.agent("kai").fact(s.ids["allergy"]), "not_found", "allergy"),
    "an id no store need be asked about": (lambda s: s.agent().fact("\x00é"), "not_found", None),
    "another's act": (lambda s: s.agent("kai").retract(s.ids["home"]), "not_yours", "home"),
    "a purpose of somebody else": (lambda s: s.agent("kai").profile(purpose="meal"), "purpose_not_bound", None),
    "the future": (lambda s: s.agent().recall("x", known_at="2031"), "future_known_at", None),
    "an operator's verb": (lambda s: s.hub.operator("kai").policies(), "not_operator", None),
    "a stranger's": (lambda s: s.hub.operator("who?").policies(), "unknown_agent", None),
    "the audit": (lambda s: s.hub.operator("kai").audit(), "not_operator", None),
    "a key that opens nothing": (lambda s: s.hub.authenticate("hub_none"), "bad_key", None),
    "another's recall": (lambda s: s.agent("kai").replay(s.ids["recall"]), "not_found", None),
    "an unfit policy": (lambda s: s.admin.replace_policy(policy="x"), "bad_policy", None),
}


@pytest.mark.parametrize("what", REFUSED)
def test_a_refusal_leaves_one_line(stage, what):
    does, code, named = REFUSED[what]
    before = len(lines(stage.hub))
    with pytest.raises(HubError) as refused:
        does(stage)
    assert refused.value.code == code
    [line] = lines(stage.hub)[before:]
    assert line.outcome == code
    assert line.records == (() if named is None else (stage.ids[named],))
    assert line.agent in ("mia", "kai", "admin", None)
    assert (line.agent is None) == (what in ("a stranger's", "a key that opens nothing"))


def test_a_refusal_after_a_first_look_is_one_line(stage):
    """A relabel that may be read but not done is looked at twice."""
    before = len(lines(stage.hub))
    with pytest.raises(Denied):
        stage.hub.operator("kai").relabel(stage.ids["home"], scope="private")
    assert [line.outcome for line in lines(stage.hub)[before:]] == ["not_yours"]


def test_a_verb_that_fails_by_a_mistake_of_ours_is_told(stage, monkeypatch):
    monkeypatch.setattr("hub.hub.recalls.recall", lambda *_: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        stage.agent().recall("x")
    assert lines(stage.hub)[-1].outcome == "internal"


def test_whose_key_it_was_is_told_of_one_that_was_revoked(stage):
    key = stage.admin.rotate("kai").key
    stage.hub.authenticate(key)
    stage.admin.revoke("kai")
    before = len(lines(stage.hub))
    with pytest.raises(Denied):
        stage.hub.authenticate(key)
    [line] = lines(stage.hub)[before:]
    assert (line.verb, line.agent, line.outcome) == ("authenticate", "kai", "bad_key")


OVER_HTTP = {
    "no key": (None, "GET", "/v1/me", {}, "bad_key"),
    "a wrong key": (None, "GET", "/v1/me", {"Authorization": "Bearer x"}, "bad_key"),
    "a wrong token": ("mia", "GET", "/v1/me", {"On-Behalf-Of": "x"}, "bad_key"),
    "an operator for an agent": ("admin", "GET", "/v1/me", {}, "not_an_agent"),
    "an agent for an operator": ("mia", "GET", "/v1/admin/audit", {}, "not_operator"),
    "a foreign page": ("mia", "GET", "/v1/me", {"Origin": "https://evil.example"}, "foreign_origin"),
    "a hidden fact": ("mia", "GET", "/v1/facts/fact_none", {}, "not_found"),
}


@pytest.mark.parametrize("what", OVER_HTTP)
def test_a_refusal_over_http_leaves_one_line_whoever_it_was(what):
    who, method, path, headers, code = OVER_HTTP[what]
    with world() as hubs:
        hubs.key("mia")
        before = len(lines(hubs.hub))
        assert hubs.send(who, method, path, headers=headers).json()["code"] == code
        assert [line.outcome for line in lines(hubs.hub)[before:]] == [code]


def test_what_is_merely_malformed_never_came_to_the_door():
    with world() as hubs:
        before = len(lines(hubs.hub))
        assert hubs.post("admin", "/v1/admin/agents", {"who": 1}).status_code == 422
        assert lines(hubs.hub)[before:] == []


# --- no content ------------------------------------------------------------------------------------------------------

CANARY = "kanarienvogel"


def test_nothing_that_anybody_said_is_in_the_audit(stage):
    """Names of relations are labels, and there; values, texts, queries, sessions, reasons and made-up names are not."""
    mia, admin = stage.agent(), stage.admin
    kim = stage.hub.agent("mia", f"{CANARY}-customer")
    told = kim.remember(
        f"{CANARY} text",
        facts=[{"relation": "likes", "value": f"{CANARY} value"}],
        session=f"{CANARY}-session",
        idempotency_key=f"{CANARY}-key",
    )
    kim.recall(f"{CANARY} query", session=f"{CANARY}-session")
    kim.correct(told.facts[0].id, value=f"{CANARY} new", reason=f"{CANARY} reason")
    stage.hub.agent("mia", f"{CANARY}-nobody").recall(f"{CANARY} query")
    for refused in (
        lambda: mia.fact(f"fact_{CANARY}"),
        lambda: mia.recall("x", purpose=CANARY),
        lambda: mia.profile(purpose=CANARY, as_of=CANARY),
        lambda: admin.beliefs(KIM, CANARY),
        lambda: admin.rotate(CANARY),
        lambda: stage.hub.operator(CANARY).policies(),
        lambda: admin.withdraw_consent(KIM, CANARY, reason=CANARY),
        lambda: stage.hub.authenticate(CANARY),
        lambda: mia.replay(CANARY),
    ):
        with pytest.raises(HubError):
            refused()
    admin.beliefs(KIM, "atlas", purpose=CANARY)
    admin.audit(customer=CANARY, agent=CANARY, verb=CANARY)
    admin.replace_policy(reason=CANARY)
    stage.hub.flush()
    with closing(sqlite3.connect(stage.path)) as file:
        rows = file.execute("select * from audit").fetchall()
    assert len(rows) > 20
    assert CANARY not in json.dumps(rows)


def test_a_customer_who_is_erased_leaves_a_reference_that_leads_nowhere(stage):
    [known] = {(line.customer, line.reference) for line in stage.admin.audit(customer=KIM).lines}
    assert known[0] == KIM
    stage.admin.erase_customer(KIM)
    assert stage.admin.audit(customer=KIM).lines == ()
    left = [line for line in stage.admin.audit().lines if line.reference == known[1]]
    assert {line.customer for line in left} == {None}
    assert left[-1].verb == "erase_customer"
    assert stage.admin.verify_audit().ok
    stage.agent().remember(facts=[{"relation": "likes", "value": "tea"}])
    assert stage.admin.audit(customer=KIM).lines[0].reference != known[1], "whoever has the name now is somebody new"


# --- the chain -------------------------------------------------------------------------------------------------------

COLUMNS = (
    "id + 100",
    "at",
    "agent",
    "domain",
    "behalf",
    "verb",
    "customer",
    "purpose",
    "version",
    "labels",
    "records",
    "outcome",
    "refused",
    "hash",
)
TAMPERED = {
    "another agent": ("update audit set agent = 'kai' where id = 3", 3),
    "another instant": ("update audit set at = at + 1 where id = 2", 2),
    "another outcome": ("update audit set outcome = 'ok!' where id = 1", 1),
    "another customer": ("update audit set customer = 'x' where id = 2", 2),
    "fewer labels": ("update audit set labels = '[]' where id = 2", 2),
    "fewer records": ("update audit set records = '[]' where id = 2", 2),
    "another hash": ("update audit set hash = 'x' where id = 4", 4),
    "the first cut off": ("delete from audit where id = 1", 1),
    "one cut out": ("delete from audit where id = 3", 3),
    "the last cut off": ("delete from audit where id = (select max(id) from audit)", None),
    "all cut off": ("delete from audit", 1),
    "two exchanged": ("update audit set id = case id when 2 then -3 when 3 then -2 else id end", 1),
    "one slipped in": (f"insert into audit select {', '.join(COLUMNS)} from audit where id = 2", None),
    "the end moved back": ("update chain set number = number - 1", None),
    "the end taken away": ("delete from chain", None),
}


@pytest.mark.parametrize("how", TAMPERED)
def test_a_line_that_is_tampered_with_is_found(stage, how):
    sql, number = TAMPERED[how]
    count = len(lines(stage.hub))
    stage.hub.close()
    with closing(sqlite3.connect(stage.path)) as file:
        assert file.execute(sql).rowcount > 0
        file.commit()
    expected = number or (count if "last" in how else count + 1)
    with Hub.open(stage.path, clock=stage.clock) as again, again._ledger.reading() as reading:
        assert reading.trail_broken() == expected
        assert any("audit" in fault for fault in again.faults())


def test_an_untouched_trail_is_sound(stage):
    check = stage.admin.verify_audit()
    assert (check.ok, check.broken, check.lines) == (True, None, len(lines(stage.hub)) - 1)
    assert stage.hub.faults() == []
    head = check.head
    assert stage.admin.verify_audit().head != head, "the check itself was a line"


def test_two_processes_at_once_keep_one_chain(stage):
    with Hub.open(stage.path, clock=stage.clock) as other:

        def busy(hub: Hub) -> None:
            for n in range(20):
                hub.agent("mia", KIM).recall("where?")
                hub.agent("mia", KIM).remember(facts=[{"relation": "likes", "value": f"{n} {id(hub)}"}])

        threads = [threading.Thread(target=busy, args=(hub,)) for hub in (stage.hub, other) for _ in range(2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        other.flush()
        assert stage.admin.verify_audit().ok
        assert len(lines(stage.hub, verb="recall")) == 81


def test_a_write_and_its_line_are_on_the_disk_together_or_not_at_all(stage, monkeypatch):
    before, state = lines(stage.hub), _state(stage)
    with monkeypatch.context() as broken:
        broken.setattr("hub.ledger.trail.append", lambda *_: (_ for _ in ()).throw(_disk_full()))
        broken.setattr(scribe, "AGAIN", 0.01)
        with pytest.raises(OperationalError):
            stage.agent().remember(facts=[{"relation": "likes", "value": "tea"}])
        assert _state(stage) == state
    told = lines(stage.hub)[len(before) :]
    assert [line.outcome for line in told] == ["internal"]


# --- as if nobody had read -------------------------------------------------------------------------------------------


def test_reading_leaves_the_clock_the_sequence_and_every_compartment_as_they_were(stage):
    before = _state(stage)
    for _ in range(3):
        stage.agent("atlas").recall("where does she live?")
        stage.agent("sage").profile()
        stage.hub.agent("kai", "never heard of").recall("who is it?")
        with pytest.raises(HubError):
            stage.agent("kai").fact(stage.ids["allergy"])
    assert _state(stage) == before


def _state(stage: Stage) -> object:
    stage.hub.flush()
    with closing(sqlite3.connect(stage.path)) as file:
        tables = ("clock", "head", "customer", "entry", "record", "version", "binding")
        return stage.clock.now(), [file.execute(f"select * from {table}").fetchall() for table in tables]


# --- waiting for the disk, or not ------------------------------------------------------------------------------------


def _disk_full() -> OperationalError:
    return OperationalError("insert", {}, sqlite3.OperationalError("database or disk is full"))


def _failing(monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise _disk_full()

    monkeypatch.setattr("hub.ledger.trail.append", full)


def test_a_strict_hub_answers_nothing_that_it_can_not_note(tmp_path, monkeypatch):
    with Hub.open(tmp_path / "strict.db", audit="strict") as hub:
        mia = hub.agent("mia", KIM)
        mia.remember(facts=[{"relation": "lives_in", "value": "Hanoi"}])
        answer = mia.recall("where does she live?")
        with closing(sqlite3.connect(tmp_path / "strict.db")) as file:
            assert file.execute("select id from recall").fetchall() == [(answer.recall_id,)]
        with monkeypatch.context() as broken:
            _failing(broken)
            with pytest.raises(Fault) as failed:
                mia.recall("where does she live?")
            assert failed.value.code == "audit_failed"
            with pytest.raises(Fault):
                mia.fact("fact_none")
            assert any("can't be written" in fault for fault in hub.faults())
        assert mia.recall("where does she live?").memories
        assert hub.faults() == []
        assert [line.outcome for line in lines(hub) if line.verb == "audit"] == ["lost_2"]


def test_a_grouped_hub_answers_and_raises_the_alarm_and_catches_up(stage, monkeypatch):
    before = len(lines(stage.hub))
    monkeypatch.setattr(scribe, "AGAIN", 0.01)
    with monkeypatch.context() as broken:
        _failing(broken)
        assert stage.agent().recall("where does she live?").memories
        stage.hub.flush()
        assert any("can't be written" in fault for fault in stage.hub.faults())
    assert [line.verb for line in _eventually(stage, before + 1)[before:]] == ["recall"]
    assert stage.hub.faults() == []


def _eventually(stage: Stage, count: int) -> list[Line]:
    while len(found := lines(stage.hub)) < count:
        continue
    return found


def test_lines_for_which_there_is_no_room_are_counted_and_told(stage, monkeypatch):
    lines(stage.hub)
    monkeypatch.setattr(scribe, "AGAIN", 0.01)
    monkeypatch.setattr(scribe, "PATIENCE", 0.01)
    monkeypatch.setattr(scribe, "MOST", 2)
    with stage.hub._ledger._lock:  # whoever writes is in the way
        for _ in range(8):
            stage.agent().recall("where does she live?")
    found = [line for line in lines(stage.hub) if line.verb == "audit"]
    stage.agent().recall("where does she live?")
    found = [line for line in lines(stage.hub) if line.verb == "audit"]
    lost = sum(int(line.outcome.removeprefix("lost_")) for line in found)
    assert len(lines(stage.hub, verb="recall")) + lost == 10
    assert lost >= 4
    assert stage.admin.verify_audit().ok


def test_lines_that_are_written_together_are_all_there_in_the_order_in_which_they_came(stage):
    with stage.hub._ledger._lock:  # until then they wait
        asked = [stage.agent().recall("where does she live?").recall_id for _ in range(151)]
    found = lines(stage.hub, verb="recall")[-151:]
    assert [next(one for one in line.records if one.startswith("recall_")) for line in found] == asked
    assert stage.admin.verify_audit().ok
    assert [stage.agent().recalled_before(one).recall_id for one in asked] == asked


def test_what_was_half_written_when_that_failed_is_there_once_when_it_is_tried_again(stage, monkeypatch):
    monkeypatch.setattr(scribe, "AGAIN", 0.01)
    before, run, failed = len(lines(stage.hub)), sqlite.run, []

    def run_and_fail_once(connection, statement, *values):
        run(connection, statement, *values)
        if "INTO recall" in statement and not failed:
            failed.append(statement)
            raise _disk_full()

    monkeypatch.setattr(sqlite, "run", run_and_fail_once)
    with stage.hub._ledger._lock:
        asked = [stage.agent().recall("where does she live?").recall_id for _ in range(70)]
    _eventually(stage, before + 70)
    found = lines(stage.hub)[before:]
    assert [next(one for one in line.records if one.startswith("recall_")) for line in found] == asked
    assert failed
    assert stage.admin.verify_audit().ok
    assert stage.agent().recalled_before(asked[0]).recall_id == asked[0]


def test_lines_that_can_not_be_written_at_the_end_are_logged_by_their_number(stage, monkeypatch, caplog):
    lines(stage.hub)
    with monkeypatch.context() as broken:
        _failing(broken)
        stage.agent().recall(CANARY)
        stage.hub.close()
    assert "1 lines of the audit could not be written: OperationalError" in caplog.text
    assert CANARY not in caplog.text


def test_a_mistake_in_saying_what_was_answered_is_one_of_the_verb_and_has_its_line(stage, monkeypatch):
    with monkeypatch.context() as broken:
        broken.setattr("hub.hub.verbs.returned", lambda *_: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            stage.agent().recall("where does she live?")
    stage.agent().profile()
    assert [(line.verb, line.outcome) for line in lines(stage.hub)][-2:] == [("recall", "internal"), ("profile", "ok")]


def test_a_mistake_in_writing_a_line_stops_neither_the_hub_nor_whoever_waits(tmp_path, monkeypatch):
    """However long the thread that made the mistake takes to end."""
    over = threading.Event()
    monkeypatch.setattr(threading, "excepthook", lambda _: over.wait(20))
    with Hub.open(tmp_path / "strict.db", audit="strict") as hub:
        with monkeypatch.context() as broken:
            broken.setattr(trail, "append", lambda *_: 1 / 0)
            with pytest.raises(Fault):
                hub.agent("mia", KIM).profile()
        assert hub.agent("mia", KIM).profile().entities == ()
        over.set()
        assert [line.verb for line in lines(hub)][-2:] == ["audit", "profile"]


def test_a_look_inside_a_write_is_part_of_it_and_waits_for_nobody(tmp_path):
    with Hub.open(tmp_path / "strict.db", audit="strict") as hub:
        before = len(lines(hub))
        with hub._ledger.writing():
            assert hub._door.look("mia", KIM).turns
        assert [line.verb for line in lines(hub)[before:]] == ["write"]


def test_how_the_audit_is_kept_is_said_when_opening_or_by_the_surroundings(tmp_path, monkeypatch):
    monkeypatch.setenv("HUB_AUDIT", "strict")
    with Hub.open() as hub:
        assert hub._ledger._scribe._strict
    with Hub.open(audit="grouped") as hub:
        assert not hub._ledger._scribe._strict
    with pytest.raises(Incorrect):
        Hub.open(tmp_path / "x.db", audit="sometimes")


# --- reading it ------------------------------------------------------------------------------------------------------


def test_lines_are_found_by_agent_customer_verb_and_time(stage):
    mia, sage = stage.agent(), stage.hub.agent("sage", "lee")
    sage.remember(facts=[{"relation": "allergic_to", "value": "dust"}])
    stage.clock.advance(MINUTE)
    middle = "2026-03-01T09:01:00Z"
    mia.recall("x")
    sage.recall("x")
    admin = stage.admin
    assert {line.agent for line in admin.audit(agent="sage").lines} == {"sage"}
    assert {line.customer for line in admin.audit(customer="lee").lines} == {"lee"}
    assert {line.verb for line in admin.audit(verb="recall").lines} == {"recall"}
    assert [line.agent for line in admin.audit(verb="recall", since=middle).lines] == ["mia", "sage"]
    assert [line.agent for line in admin.audit(verb="recall", until=middle).lines] == ["mia"]
    assert admin.audit(customer="nobody").lines == ()
    with pytest.raises(Incorrect, match="did you mean `recall`"):
        admin.audit(verb="recal")
    assert admin.audit(verb="dance").lines == ()
    one = admin.audit(agent="sage", customer="lee", verb="recall", since=middle).lines
    assert [line.outcome for line in one] == ["ok"]


def test_the_audit_begins_with_its_last_lines_and_the_cursor_walks_back_over_all_of_them_once(stage):
    for _ in range(7):
        stage.agent().recall("x")
    numbers, cursor = [], None
    while True:
        page = stage.admin.audit(verb="recall", limit=3, cursor=cursor)
        numbers = [line.number for line in page.lines] + numbers
        cursor = page.next
        stage.agent().recall("what comes in meanwhile is on no page before")
        assert page.truncated == (cursor is not None)
        if cursor is None:
            break
    assert len(numbers) == len(set(numbers)) == 8
    assert numbers == sorted(numbers)


def test_the_audit_is_read_over_http_by_auditors():
    with world() as hubs:
        hubs.learn("mia", KIM, "lives_in", "Hanoi")
        hubs.post("mia", "/v1/recall", {"customer": KIM, "query": "where?"})
        page = hubs.get("admin", f"/v1/admin/audit?customer={KIM}&limit=1").json()
        assert [line["verb"] for line in page["lines"]] == ["recall"]
        page = hubs.get("admin", f"/v1/admin/audit?customer={KIM}&limit=1&cursor={page['next']}").json()
        assert [line["verb"] for line in page["lines"]] == ["remember"]
        assert hubs.get("admin", "/v1/admin/audit/verify").json()["ok"] is True
        assert hubs.get("mia", "/v1/admin/audit").json()["code"] == "not_operator"
        assert hubs.get("mia", "/v1/admin/audit/verify").json()["code"] == "not_operator"
        verbs = [line.verb for line in lines(hubs.hub)]
        assert verbs[-3:] == ["verify_audit", "audit", "verify_audit"]
