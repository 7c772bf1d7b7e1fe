"""The command line does what it says, in words and in exit codes."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from hub import Hub
from hub.cli import cli, main
from hub.errors import Conflict, Incorrect
from tests.sources import ROOT


def run(*arguments: str) -> Result:
    return CliRunner().invoke(cli, arguments, catch_exceptions=False)


@pytest.fixture
def db(tmp_path: Path) -> str:
    path = tmp_path / "memory.db"
    with Hub.open(path) as hub:
        mia = hub.agent("mia", "kh-001")
        mia.remember(facts=[{"relation": "lives_in", "value": "Hanoi"}])
        mia.remember(facts=[{"relation": "owns", "object": {"kind": "car", "name": "Honda Civic"}}])
        hub.agent("penny", "kh-001").remember(facts=[{"relation": "income", "value": "3000 USD"}])
    return str(path)


def asked(db: str, agent: str = "atlas") -> tuple[str, ...]:
    return ("--db", db, "--agent", agent, "--customer", "kh-001")


def test_recall_prints_what_the_agent_may_know(db: str) -> None:
    done = run("recall", "Where does she live, and what does she earn?", *asked(db))
    assert done.exit_code == 0
    assert "lives in: Hanoi" in done.output
    assert "3000" not in done.output


def test_every_reading_command_speaks_json(db: str) -> None:
    recalled = json.loads(run("recall", "where does she live?", *asked(db), "--json").output)
    assert [memory["value"] for memory in recalled["memories"]][:1] == ["Hanoi"]
    slots = json.loads(run("timeline", *asked(db), "--relation", "lives_in", "--json").output)["slots"]
    assert [slot["intervals"][0]["value"] for slot in slots] == ["Hanoi"]
    network = json.loads(run("graph", *asked(db), "--json").output)
    assert {node["name"] for node in network["nodes"]} == {"customer", "Honda Civic"}


def test_timeline_and_graph_draw_tables(db: str) -> None:
    assert "Hanoi" in run("timeline", *asked(db)).output
    assert "Honda Civic" in run("graph", *asked(db)).output


def test_looking_never_makes_a_database(tmp_path: Path) -> None:
    missing = tmp_path / "nothing.db"
    done = run("recall", "anything", *asked(str(missing)))
    assert done.exit_code == 2
    assert not missing.exists()


def test_the_shipped_policy_passes_its_tables() -> None:
    done = run("policy", "test")
    assert done.exit_code == 0
    assert "assertions" in done.output


def test_a_policy_that_lets_too_much_through_fails_its_table(tmp_path: Path) -> None:
    for file in (ROOT / "policies").iterdir():
        (tmp_path / file.name).write_bytes(file.read_bytes())
    with (tmp_path / "policy.csv").open("a") as lines:
        lines.write("p, travel, health, private, *, read, *, allow\n")
    done = run("policy", "test", str(tmp_path))
    assert done.exit_code == 1
    assert "FAILED shipped.test.yaml" in done.output


@pytest.mark.parametrize(
    ("purpose", "exit_code", "word"), [((), 1, "denied"), (("--purpose", "meal"), 0, "allowed by line")]
)
def test_policy_explain_names_the_line(purpose: tuple[str, ...], exit_code: int, word: str) -> None:
    label = ("--domain", "travel", "--owner", "health", "--relation", "allergic_to")
    done = run("policy", "explain", "atlas", *label, *purpose)
    assert (done.exit_code, word in done.output) == (exit_code, True)


def test_keys_are_printed_once_and_die_when_rotated(db: str) -> None:
    first = run("agent", "add", "concierge", "--domain", "travel", "--purpose", "meal", "--db", db).output.strip()
    second = run("agent", "rotate", "concierge", "--db", db).output.strip()
    with Hub.open(Path(db)) as hub:
        assert hub.authenticate(second).id == "concierge"
        with pytest.raises(Exception, match="bad_key"):
            hub.authenticate(first)
    assert run("agent", "revoke", "concierge", "--db", db).exit_code == 0
    with Hub.open(Path(db)) as hub, pytest.raises(Exception, match="bad_key"):
        hub.authenticate(second)


def test_the_doctor_finds_a_sound_database_sound_and_a_broken_one_broken(db: str) -> None:
    assert run("doctor", "--db", db).output.splitlines()[0] == "sound"
    with sqlite3.connect(db) as connection:
        connection.execute("UPDATE head SET seq = seq - 1")
        connection.execute("UPDATE record SET body = '{' WHERE kind = 'claim'")
    connection.close()
    done = run("doctor", "--db", db, "--json")
    assert done.exit_code == 1
    faults = json.loads(done.output)["faults"]
    assert any("wrong head" in fault for fault in faults)
    assert any("can't be read" in fault for fault in faults)


def test_the_demo_tells_the_story_to_its_end() -> None:
    beats = [json.loads(line) for line in run("demo", "--json").output.splitlines()]
    answers = {
        (beat["question"], beat["note"]): beat for beat in beats if isinstance(beat, dict) and "question" in beat
    }

    def texts(words: str) -> str:
        beat = next(beat for (question, note), beat in answers.items() if words in f"{question} {note}")
        return " | ".join(m["text"] for m in beat["answer"]["memories"] + beat["answer"]["upcoming"])

    assert "no car for 3 days" in texts("airport")
    assert "800 USD" in texts("buy before Da Nang")
    assert "no car for 3 days" in texts("set money aside for the Civic")
    assert "peanuts" not in texts("How much is her income")
    assert "3000" not in texts("How much is her income")
    assert "peanuts" in texts("told to shopping, owned by health")
    assert "peanuts" in texts("opens allergies to travel")
    assert "Saigon" in texts("picks her up at home. today")
    assert "Hanoi" in texts("what travel believed when it booked")
    assert "Saigon" not in texts("what travel believed when it booked")


HEARD = {
    "ko": "이름: 린|사는 곳: 하노이|혼다 시빅 · 차 사용 불가 (3일)|알레르기: 땅콩|예산: 80만 원|여행지: 다낭",
    "vi": "tên: Linh|sống ở: Hà Nội|Honda Civic · không có xe 3 ngày|dị ứng với: đậu phộng|chuyến đi đến: Đà Nẵng",
    "ja": "名前: リン|住まい: ハノイ|ホンダのシビック · 車が故障中（3日間）|アレルギー: ピーナッツ|旅行先: ダナン",
}


@pytest.mark.parametrize("lang", HEARD)
def test_the_demo_is_told_in_other_languages_from_what_the_customer_says(lang: str) -> None:
    beats = [json.loads(line) for line in run("demo", "--lang", lang, "--json").output.splitlines()]
    heard = [fact for beat in beats if "facts" in beat for fact in beat["facts"]]
    assert set(HEARD[lang].split("|")) <= set(heard)
    *_, today, then = (beat["answer"]["memories"] for beat in beats if "question" in beat)
    assert (today[0]["text"], then[0]["text"]) == (heard[-1], heard[1])


def test_the_demo_draws_who_may_read_what() -> None:
    drawn = run("demo").output
    assert "Who may read what" in drawn
    assert "income: 3000 USD" in drawn
    assert "superseded" not in drawn
    assert "lives in: Saigon  in the place of Hanoi" in " ".join(drawn.split(" "))


def test_play_counts_and_fails_with_the_door_off() -> None:
    story = str(ROOT / "scenarios" / "leakage" / "allergy-told-to-shop.yaml")
    assert run("play", story).exit_code == 0
    assert run("play", story, "--no-door").exit_code == 1
    assert json.loads(run("play", story, "--json").stdout)["summary"]["leaks"] == 0
    assert "fit to be played" in run("play", "--check").output
    kept = json.loads(run("play", story, "--category", "leakage", "--category", "erase", "--json").stdout)
    assert [one["story"] for one in kept["stories"]] == ["leakage-allergy-told-to-shop"]
    assert run("play", story, "--category", "erase", "--json").exit_code == 2


def test_a_leakage_story_without_a_positive_control_is_played_but_is_not_fit_to_be_shipped(tmp_path: Path) -> None:
    story = tmp_path / "told.yaml"
    steps = "[{agent: sage, say: I have asthma}, {agent: kai, recall: asthma?, expect: {private: [asthma]}}]"
    story.write_text(f"{{id: told, category: leakage, description: of another, steps: {steps}}}", encoding="utf-8")
    assert run("play", str(story)).exit_code == 0
    done = run("play", "--check", str(story))
    assert done.exit_code == 1
    assert "bad_story" in done.output


def test_a_run_is_held_against_an_earlier_one(tmp_path: Path) -> None:
    story = str(ROOT / "scenarios" / "leakage" / "allergy-told-to-shop.yaml")
    kept = str(tmp_path / "run.json")
    assert run("play", story, "--report", kept, "--report", str(tmp_path / "run.html")).exit_code == 0
    assert run("play", story, "--gate", kept).exit_code == 0
    worse = run("play", story, "--no-door", "--compare", kept)
    assert "worse: leaks" in worse.output
    other = str(ROOT / "scenarios" / "leakage" / "meal-purpose.yaml")
    gated = run("play", other, "--gate", kept)
    assert gated.exit_code == 1
    assert "gone" in gated.output


def test_ablations_say_what_fails_without_a_part() -> None:
    story = str(ROOT / "scenarios" / "leakage" / "allergy-told-to-shop.yaml")
    done = run("play", story, "--ablations", "--jobs", "1")
    assert done.exit_code == 0
    assert "1 of 1" in done.output


@pytest.mark.parametrize(
    "options",
    [
        ("--random", "2", "scenarios"),
        ("--url", "http://127.0.0.1:1"),
        ("--url", "http://127.0.0.1:1", "--http", "--admin-key", "k"),
    ],
    ids=["paths beside chance", "no key for the address", "two places"],
)
def test_what_makes_no_sense_together_is_a_mistake_of_usage(options: tuple[str, ...], monkeypatch) -> None:
    monkeypatch.delenv("HUB_ADMIN_KEY", raising=False)
    assert run("play", *(str(ROOT / o) if o == "scenarios" else o for o in options)).exit_code == 2


def test_a_simulated_clock_is_for_a_new_database(db: str) -> None:
    with pytest.raises(Incorrect, match="there already"):
        run("serve", "--db", db, "--simulated-clock", "2026-07-01T00:00:00Z")


def test_own_policies_begin_with_the_shipped_ones(tmp_path: Path) -> None:
    folder = tmp_path / "mine"
    assert run("policy", "init", str(folder)).exit_code == 0
    assert run("policy", "test", str(folder)).exit_code == 0
    with pytest.raises(Conflict):  # nothing is written over
        run("policy", "init", str(folder))


def test_a_refusal_is_one_fact_one_fix_and_exit_code_one(
    db: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.argv", ["hub", "recall", "anything", *asked(db, agent="nobody")])
    with pytest.raises(SystemExit) as exit_:
        main()
    assert exit_.value.code == 1
    assert "unknown_agent" in capsys.readouterr().err
