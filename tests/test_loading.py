"""Loading records, line by line, what the agents would have remembered, and nothing that they could not have."""

from __future__ import annotations

import json
import re
import threading

import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st

from hub.cli import cli
from hub.clock import SimulatedClock
from hub.errors import Denied, HubError, Incorrect
from hub.extract import Reading
from hub.hub import Hub, loading
from hub.requests import Remember, checked
from tests.scene import START
from tests.twin_roads import canonical, dump, text_of

AGENTS = ("mia", "atlas", "sage", "nova", "kai")
CUSTOMERS = ("kim", "bob")


@pytest.fixture
def clock():
    return SimulatedClock(START)


@pytest.fixture
def hub(tmp_path, clock):
    with Hub.open(tmp_path / "memory.db", clock=clock) as opened:
        yield opened


def line(agent: str = "mia", *values: str, customer: str = "kim", **more: object) -> str:
    facts = [{"relation": "likes", "value": value} for value in values]
    return json.dumps({"agent": agent, "customer": customer, **({"facts": facts} if facts else {}), **more})


def likes(hub: Hub, agent: str = "mia", customer: str = "kim") -> list[object]:
    profile = hub.agent(agent, customer).profile()
    return [belief.value for entity in profile.entities for belief in entity.beliefs if belief.relation == "likes"]


def audited(hub: Hub) -> list[tuple[str | None, str, str]]:
    return [(line.agent, line.verb, line.outcome) for line in hub.operator().audit(limit=100).lines]


# --- as if it had been remembered ------------------------------------------------------------------------------------


def _facts() -> st.SearchStrategy[dict[str, object]]:
    """Few values and names, so that they meet; some of which may not be written, or hold a secret."""
    spoken = st.sampled_from(["coffee", "tea", "Hanoi", "Hue", "my password is hunter2hunter2"])
    things = st.sampled_from(["Civic", {"kind": "car", "name": "Civic"}, {"name": "Camry"}])
    whole = {"relation": st.sampled_from(["likes", "lives_in", "allergic_to", "dislikes", "mood", "time_zone"])}
    more = {
        "mode": st.sampled_from(["state", "change"]),
        "valid_from": st.sampled_from(["2026-03", "2026-05-01"]),
        "scope": st.sampled_from(["private", "shared"]),
        "negated": st.booleans(),
        "subject": st.sampled_from(["Civic", "my car"]),
    }
    said = st.fixed_dictionaries({**whole, "value": spoken}, optional=more)
    owned = st.fixed_dictionaries({"relation": st.sampled_from(["owns", "same_as"]), "object": things}, optional=more)
    return said | owned


REQUESTS = st.fixed_dictionaries(
    {"agent": st.sampled_from([*AGENTS, "nobody"]), "customer": st.sampled_from(CUSTOMERS)},
    optional={
        "facts": st.lists(_facts(), min_size=1, max_size=4),
        "text": st.sampled_from(["I live in Hue now", "I like tea, card 4111 1111 1111 1111", "hello"]),
        "said_at": st.sampled_from(["2026-06-01T10:00:00Z", "2030-01-01T00:00:00Z"]),
        "purpose": st.just("meal"),
    },
)


def _all_there_is(hub: Hub) -> list[str]:
    told = []
    for customer in CUSTOMERS:
        for name in AGENTS:
            agent = hub.agent(name, customer)
            told += dump(hub._door.look(name, customer))
            asked = (agent.profile(), agent.timeline(), agent.recall("what does she like, and her car?"))
            told += map(text_of, asked)
    return canonical(told)


def _one_by_one(hub: Hub, requests: list[dict[str, object]]) -> list[str]:
    answers = []
    for asked in requests:
        fields = {name: value for name, value in asked.items() if name != "agent"}
        try:
            answers.append(text_of(hub.agent(asked["agent"]).remembered(checked(Remember, fields))))
        except HubError as error:
            answers.append(error.code)
    return answers


def _loaded(hub: Hub, requests: list[dict[str, object]]) -> list[str]:
    """The same in a file, which goes on behind every line that is refused."""
    lines = [json.dumps({**asked, "idempotency_key": f"k{number}"}) for number, asked in enumerate(requests)]
    codes, start = {}, 0
    while start < len(lines):
        try:
            hub.operator().load(lines[start:])
            break
        except HubError as error:
            start += int(re.match(r"line (\d+): ", error.message)[1])
            codes[start - 1] = error.code
    return [codes.get(number, "") for number in range(len(lines))]


def _answers_kept(hub: Hub, requests: list[dict[str, object]], codes: list[str]) -> list[str]:
    """What an agent hears that sends a line again, under the same key."""
    answers = []
    for number, (asked, code) in enumerate(zip(requests, codes, strict=True)):
        fields = {name: value for name, value in asked.items() if name != "agent"}
        agent = hub.agent("mia" if code else asked["agent"])
        answers.append(code or text_of(agent.remembered(checked(Remember, fields), f"k{number}")))
    return answers


@settings(max_examples=settings.default.max_examples // 4)
@given(st.lists(REQUESTS, min_size=1, max_size=8))
def test_a_loaded_file_leaves_what_the_same_requests_leave_one_by_one(requests):
    with Hub.open(clock=SimulatedClock(START)) as told, Hub.open(clock=SimulatedClock(START)) as filled:
        answers = _one_by_one(told, requests)
        codes = _loaded(filled, requests)
        assert _all_there_is(filled) == _all_there_is(told)
        assert canonical(_answers_kept(filled, requests, codes)) == canonical(answers)
        assert filled.faults() == []


def test_many_batches_leave_what_one_does(hub, monkeypatch, tmp_path):
    lines = [line("mia", f"tea {n}", customer=CUSTOMERS[n % 2]) for n in range(9)]
    told: list[int] = []
    monkeypatch.setattr(loading, "AT_ONCE", 4)
    assert hub.operator().load(lines, told=told.append).recorded == 9
    assert told == [2, 4, 6, 8, 9]
    with Hub.open(tmp_path / "other.db", clock=SimulatedClock(START)) as other:
        monkeypatch.undo()
        other.operator().load(lines)
        assert _all_there_is(hub) == _all_there_is(other)


# --- whose it is ------------------------------------------------------------------------------------------------------


def test_a_line_is_its_agents_and_the_audit_says_so_of_every_one(hub):
    loaded = hub.operator().load([line("mia", "tea"), line("sage", text="she sleeps badly"), line("kai", "rain")])
    assert (loaded.lines, loaded.recorded, loaded.facts, loaded.refused) == (3, 3, 2, ())
    assert audited(hub)[-4:] == [
        ("mia", "remember", "ok"),
        ("sage", "remember", "ok"),
        ("kai", "remember", "ok"),
        ("admin", "load", "ok"),
    ]
    assert hub.operator().verify_audit().ok
    assert likes(hub, "sage") == ["tea", "rain"]


def test_what_the_agent_may_not_write_is_left_out_and_named_by_its_line(hub):
    opened = {"relation": "income", "value": "3000 USD", "scope": "shared"}
    secret = {"relation": "likes", "value": "my password is hunter2hunter2"}
    loaded = hub.operator().load(
        ["", line("mia", "tea"), line("nova", facts=[opened, secret, {"relation": "likes", "value": "silk"}])]
    )
    assert [(left.line, left.item.index, left.item.code) for left in loaded.refused] == [
        (3, 0, "scope_widened"),
        (3, 1, "secret"),
    ]
    assert (loaded.recorded, loaded.facts, loaded.refused_items) == (2, 2, 2)
    assert likes(hub) == ["tea", "silk"]


def test_only_an_operator_may_load_and_no_line_may_say_when_it_was_recorded(hub):
    with pytest.raises(Denied, match="role"):
        hub.operator("mia").load([line("mia", "tea")])
    with pytest.raises(Incorrect, match="line 1: there is no field `recorded_at`"):
        hub.operator().load([line("mia", "tea", recorded_at="2020-01-01")])
    assert likes(hub) == []
    assert audited(hub)[-2:] == [("admin", "load", "unknown_field"), ("mia", "profile", "ok")]


# --- lines that are wrong --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("wrong", "code", "said"),
    [
        ("{", "bad_document", "this is not JSON"),
        ("[]", "bad_document", "is not a mapping"),
        ('{"customer": "kim", "text": "hello"}', "bad_field", "needs a text as `agent`"),
        (line("nobody", "tea"), "unknown_agent", "no such agent"),
        (line("mia", "tea", idempotency_key=7), "bad_field", "idempotency_key"),
        (
            line("mia", facts=[{"relation": "likes", "value": "x"}, {"relation": "likes"}]),
            "no_value",
            "needs a `value`",
        ),
        (line("mia", "tea", said_at="2040-01-01T00:00:00Z"), "said_in_future", "lies in the future"),
    ],
)
def test_the_first_line_that_makes_no_sense_is_named_and_nothing_of_it_is_recorded(hub, wrong, code, said):
    with pytest.raises(HubError, match=re.escape(said)) as caught:
        hub.operator().load([line("mia", "jazz"), "  ", wrong, line("mia", "never")])
    assert caught.value.code == code
    assert caught.value.message.startswith("line 3: ")
    assert caught.value.where.startswith("line 3")
    assert likes(hub) == ["jazz"]
    assert hub.faults() == []


def test_a_mended_file_is_loaded_again_and_nothing_in_it_is_recorded_twice(hub):
    lines = [line("mia", "tea"), line("mia", "tea"), line("mia", "rain"), "{"]
    with pytest.raises(Incorrect):
        hub.operator().load(lines)
    loaded = hub.operator().load([*lines[:3], line("mia", "jazz")])
    assert (loaded.repeated, loaded.recorded, loaded.facts) == (3, 1, 1)
    memories = {memory.text: memory.corroboration for memory in hub.agent("mia", "kim").recall("likes?").memories}
    assert memories == {"likes: tea": 2, "likes: rain": 1, "likes: jazz": 1}
    with pytest.raises(HubError, match="line 2: this idempotency key was used"):
        hub.operator().load([line("mia", "tea", idempotency_key="k"), line("mia", "sun", idempotency_key="k")])


def test_what_breaks_in_the_middle_leaves_nothing_of_its_batch(tmp_path, clock):
    class Broken:
        local = True

        def read(self, text: str, **_more: object) -> Reading:
            raise ZeroDivisionError

    with Hub.open(tmp_path / "memory.db", clock=clock, extractor=Broken()) as hub:
        with pytest.raises(ZeroDivisionError):
            hub.operator().load([line("mia", "tea"), line("mia", text="I live in Hue")])
        assert likes(hub) == []
        hub.operator().load([line("mia", "rain", customer="bob"), line("sage", "jazz")])
        assert (likes(hub), likes(hub, customer="bob"), hub.faults()) == (["jazz"], ["rain"], [])


def test_nobody_knows_of_a_line_before_it_is_on_the_disk(tmp_path, clock):
    seen = []

    class Nosy:
        local = True

        def read(self, text: str, **_more: object) -> Reading:
            asking = threading.Thread(target=lambda: seen.append(likes(hub)))
            asking.start()
            asking.join()
            return Reading()

    with Hub.open(tmp_path / "memory.db", clock=clock, extractor=Nosy()) as hub:
        hub.operator().load([line("mia", "tea"), line("mia", text="what now?"), line("mia", "rain")])
        assert (seen, likes(hub)) == ([[]], ["tea", "rain"])


def test_a_refusal_under_a_strict_audit_is_told_and_stops_nobody(tmp_path, clock):
    with Hub.open(tmp_path / "memory.db", clock=clock, audit="strict") as hub:
        with pytest.raises(Denied, match="line 2"):
            hub.operator().load([line("mia", "tea"), line("nobody", "rain")])
        assert (None, "remember", "unknown_agent") in audited(hub)


# --- from the command line ------------------------------------------------------------------------------------------


def imported(*arguments: str):
    return CliRunner().invoke(cli, ["import", *arguments])


def test_hub_import_reads_a_file_and_says_what_came_of_it(tmp_path):
    file, db = tmp_path / "told.jsonl", str(tmp_path / "memory.db")
    file.write_text("\ufeff" + line("mia", "phở") + "\n" + line("mia", "my password is hunter2hunter2"), "utf-8")
    done = imported(str(file), "--db", db)
    assert (done.exit_code, "refused: line 2, fact 0" in done.output) == (1, True)
    again = imported(str(file), "--db", db, "--json")
    assert json.loads(again.output[again.output.index("{") :])["repeated"] == 2
    file.write_bytes(b'{"agent": "mia", "customer": "kim", "text": "\xff"}')
    assert isinstance(imported(str(file), "--db", db).exception, Incorrect)
    with Hub.open(db) as hub:
        assert likes(hub) == ["phở"]
