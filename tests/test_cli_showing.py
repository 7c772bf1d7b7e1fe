"""What a terminal shows is what was stored and asked, whole, and it says so when there is nothing."""

from __future__ import annotations

import io
import sqlite3
import sys
from contextlib import closing
from pathlib import Path

import pytest

from hub import Hub
from hub.cli import main
from hub.cli.showing import refused
from hub.errors import Fault, Incorrect
from tests.test_cli import run

ODD = ":smile: [/x] [bold]b"


@pytest.fixture
def db(tmp_path: Path) -> str:
    path = tmp_path / "memory.db"
    with Hub.open(path, embedder="none") as hub:
        hub.agent("mia", "kh-001").remember(facts=[{"relation": "likes", "value": ODD}])
        for city in ("Hanoi", "Đà Nẵng"):
            hub.agent("mia", "kh-001").remember(facts=[{"relation": "lives_in", "value": city}])
    return str(path)


def asked(db: str, customer: str = "kh-001") -> tuple[str, ...]:
    return ("--db", db, "--agent", "mia", "--customer", customer)


def test_a_stored_value_is_shown_as_it_is(db: str) -> None:
    assert ODD in run("timeline", *asked(db)).output
    assert ODD in run("recall", "what does she like?", *asked(db)).output


def test_an_error_is_no_markup(capsys: pytest.CaptureFixture[str]) -> None:
    refused(Incorrect("no_embedder", "[/x] is not there", "pip install 'memory-hub[e5]'"))
    assert capsys.readouterr().err == "error: [/x] is not there (no_embedder)\npip install 'memory-hub[e5]'\n"


@pytest.mark.parametrize(
    "arguments",
    [
        ("recall", "q", "--agent", "[/x]", "--customer", "kh-001"),
        ("recall", "q", "--agent", "mia", "--customer", "kh-001", "--as-of", "[/x]"),
        ("reindex", "--embedder", "[/x]"),
    ],
)
def test_what_was_asked_is_quoted_as_it_was_asked(
    arguments: tuple[str, ...], db: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["hub", *arguments, "--db", db])
    with pytest.raises(SystemExit):
        main()
    assert "`[/x]`" in capsys.readouterr().err


def test_why_not_shows_the_text_in_its_title(db: str) -> None:
    with Hub.open(Path(db), embedder="none") as hub:
        recall_id = hub.agent("mia", "kh-001").recall("where does she live?").recall_id
    assert "“[/x]”" in run("why-not", recall_id, "[/x]", "--agent", "mia", "--db", db).output


@pytest.mark.parametrize("width", ["40", "80", "200"])
def test_ids_and_times_are_never_cut_off(db: str, width: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", width)
    with Hub.open(Path(db), embedder="none") as hub:
        hub.agent("sage", "kh-001").remember(facts=[{"relation": "born_on", "value": "1990-01-01"}])
        hub.agent("mia", "kh-001").remember(facts=[{"relation": "born_on", "value": "1991-01-01"}])
        sides = [side.id for contest in hub.operator().review().contests for side in contest.sides]
        slots = hub.agent("mia", "kh-001").timeline().slots
    reviewed, told = run("review", "list", "--db", db).output, run("timeline", *asked(db)).output
    assert sides
    assert all(side in reviewed for side in sides)
    for memory in (memory for slot in slots for memory in slot.intervals):
        assert memory.recorded_at.isoformat().replace("+00:00", "Z") in told
    assert "known since" in told


def test_an_empty_answer_says_so(db: str) -> None:
    with Hub.open(Path(db), embedder="none") as hub:
        gap = hub.agent("mia", "kh-002").recall("zebra stripes").confidence.gaps[0]
    done = run("recall", "zebra stripes", *asked(db, "kh-002")).output
    assert "nothing that this agent may know" in done
    assert f"{gap.topic}: {gap.reason}" in done
    assert run("timeline", *asked(db, "kh-002")).output == "Timeline: nothing\n"
    assert run("review", "list", "--db", db, "--customer", "kh-002").output == "To be reviewed: nothing\n"


def test_explain_shows_what_a_score_is_made_of(db: str) -> None:
    assert "lexical" in run("recall", "where does she live?", *asked(db), "--explain").output
    assert "lexical" not in run("recall", "where does she live?", *asked(db)).output


def test_a_terminal_that_knows_no_such_letter_is_told_which_it_is(db: str, monkeypatch: pytest.MonkeyPatch) -> None:
    shown = io.TextIOWrapper(io.BytesIO(), encoding="ascii")
    monkeypatch.setattr(sys, "stdout", shown)
    monkeypatch.setattr(sys, "argv", ["hub", "timeline", *asked(db)])
    with pytest.raises(SystemExit) as ended:
        main()
    shown.flush()
    assert ended.value.code == 0
    assert rb"N\u1eb5ng" in shown.buffer.getvalue()


def test_the_doctor_says_that_a_damaged_file_is_damaged_and_blames_nothing_in_it(db: str) -> None:
    with Path(db).open("r+b") as file:
        file.seek(3 * 4096)
        file.write(b"\x55" * 20 * 4096)
    with pytest.raises(Fault, match=r"damaged.*restore a backup"):
        run("doctor", "--db", db)


@pytest.mark.parametrize("command", ["recall", "timeline", "audit", "import"])
def test_whatever_comes_upon_damage_names_the_file_and_who_looks_into_it(db: str, tmp_path: Path, command: str) -> None:
    told = tmp_path / "told.jsonl"
    told.write_text('{"agent": "mia", "customer": "kh-001", "text": "I like tea"}', encoding="utf-8")
    with closing(sqlite3.connect(db)) as file:
        roots = file.execute("SELECT rootpage FROM sqlite_master WHERE name IN ('record', 'audit')").fetchall()
        [size] = file.execute("PRAGMA page_size").fetchone()
    with Path(db).open("r+b") as file:
        for (page,) in roots:
            file.seek((page - 1) * size)
            file.write(b"\x55" * size)
    given = {"recall": ["where?", *asked(db)], "timeline": asked(db), "import": [str(told), "--db", db]}
    with pytest.raises(Fault, match=r"the database `memory\.db` is damaged: .* `hub doctor --db memory\.db`"):
        run(command, *given.get(command, ["--db", db]))
