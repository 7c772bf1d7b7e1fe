"""Erasure among several processes: one that reads, one that remembers, one that is killed in the middle of it."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from threading import Event, Thread
from time import perf_counter

import pytest

from hub import ledger
from hub.cli import cli
from hub.errors import Fault
from hub.hub import Hub
from hub.ledger import Ledger, sqlite
from tests.api_process import Gone, Nursery
from tests.erasing import CANARY, Aviary, searched

KIM = "kim"


@pytest.fixture
def aviary(tmp_path):
    made = Aviary(tmp_path / "hub")
    yield made
    made.hub.close()


@pytest.fixture
def impatient(monkeypatch):
    monkeypatch.setattr(ledger, "PATIENCE", 0.05)


# --- a reader of an older state ------------------------------------------------------------------------------------


READER = """
import sqlite3, sys
rows = sqlite3.connect(sys.argv[1], isolation_level=None)
rows.execute("begin")
count = "select count(*) from record where body like ?"
print(*rows.execute(count, (f"%{sys.argv[2]}%",)).fetchone(), flush=True)
sys.stdin.readline()
print(*rows.execute(count, (f"%{sys.argv[2]}%",)).fetchone(), flush=True)
"""


@contextmanager
def reader_elsewhere(file: Path) -> Iterator[Callable[[], str]]:
    """Another process that holds a snapshot of the file until it is let go; it says then how much it still saw."""
    program = [sys.executable, "-c", READER, str(file), CANARY]
    with subprocess.Popen(program, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as reader:
        assert reader.stdout is not None
        assert reader.stdout.readline() != ""

        def let_go() -> str:
            said, _ = reader.communicate("go\n", timeout=30)
            return said.strip()

        yield let_go
        reader.kill()


def test_a_reader_elsewhere_is_told_of_and_its_snapshot_swept_by_the_next_write(aviary, impatient):
    fact = aviary.tell("mia", "likes", f"{CANARY} cocoa", customer=KIM)
    with reader_elsewhere(aviary.file) as let_go:
        receipt = aviary.hub.operator().erase_fact(fact).receipt
        assert not receipt.swept
        assert aviary.songs([CANARY], KIM) == [], "nobody hears of it who looks anew"
        assert aviary.bytes_left() != {}, "but the reader still has it"
        assert aviary.hub.faults() == ["bytes of an erasure are not written over yet: a reader is in the way"]
        aviary.tell("mia", "likes", "milk", customer=KIM)
        assert aviary.bytes_left() != {}
        assert let_go() == "1"
    aviary.tell("mia", "likes", "bread", customer=KIM)
    assert aviary.bytes_left() == {}
    assert aviary.hub.faults() == []


def test_a_reader_elsewhere_that_stays_longer_than_the_hub_is_swept_up_when_it_opens_next(aviary, impatient):
    fact = aviary.tell("mia", "likes", f"{CANARY} cocoa", customer=KIM)
    with reader_elsewhere(aviary.file) as let_go:
        assert not aviary.hub.operator().erase_fact(fact).receipt.swept
        aviary.hub.close()
        aviary.hub = aviary.opened()
        let_go()
    aviary.restart()
    assert aviary.bytes_left() == {}


def test_a_file_that_cannot_be_written_anew_is_tried_again(aviary, monkeypatch):
    """A full disk, for one; what is erased stays erased."""
    fact = aviary.tell("mia", "likes", f"{CANARY} cocoa", customer=KIM)
    with monkeypatch.context() as full:
        full.setattr(sqlite, "_emptied", lambda connection: connection.execute("no such statement"))
        assert not aviary.hub.operator().erase_fact(fact).receipt.swept
    aviary.tell("mia", "likes", "milk", customer=KIM)
    assert aviary.bytes_left() == {}


def test_a_reader_that_comes_while_the_file_is_written_anew_is_in_the_way_too(aviary, monkeypatch):
    fact = aviary.tell("mia", "likes", f"{CANARY} cocoa", customer=KIM)
    answers = iter([True, False])
    with monkeypatch.context() as busy:
        busy.setattr(sqlite, "_emptied", lambda connection: next(answers))
        assert not aviary.hub.operator().erase_fact(fact).receipt.swept
    aviary.restart()
    assert aviary.bytes_left() == {}


def test_a_sweep_that_cannot_be_noted_is_done_all_the_same(aviary, monkeypatch):
    fact = aviary.tell("mia", "likes", f"{CANARY} cocoa", customer=KIM)
    real = sqlite.sweep

    def swept_while_another_writes(database, patience):
        done = real(database, patience)
        monkeypatch.setattr(Ledger, "_opened", busy)
        return done

    @contextmanager
    def busy(self):
        monkeypatch.undo()
        raise Fault("busy", "the database is busy", "try again in a moment")
        yield

    monkeypatch.setattr(sqlite, "sweep", swept_while_another_writes)
    assert aviary.hub.operator().erase_fact(fact).receipt.swept
    assert aviary.bytes_left() == {}
    assert len(aviary.hub.faults()) == 1
    aviary.tell("mia", "likes", "milk", customer=KIM)
    assert aviary.hub.faults() == []


# --- two hubs on one file ------------------------------------------------------------------------------------------


def test_a_hub_that_has_it_in_memory_lets_go_of_it_at_its_next_look(aviary):
    fact = aviary.tell("mia", "likes", f"{CANARY} cocoa", customer=KIM)
    aviary.hub.operator().create_agent("desk", "travel", customers=[KIM])
    with aviary.opened() as other:
        assert CANARY in str(other.agent("nova", KIM).recall("what do I like?"))
        assert other.agent("desk").me().customers == (KIM,)
        aviary.hub.operator().erase_fact(fact)
        assert CANARY not in str(other.agent("nova", KIM).recall("what do I like?"))
        assert CANARY not in str(in_memory(other))
        assert other.agent("nova", KIM).timeline().slots == ()
        aviary.hub.operator().erase_customer(KIM)
        assert other.agent("desk").me().customers == ()
        aviary.tell("mia", "likes", "milk", customer=KIM)
        assert [slot.value for slot in other.agent("nova", KIM).timeline().slots] == ["milk"]


def in_memory(hub: Hub) -> list[object]:
    return [row for base in hub._door._bases._bases.values() for row in base.rows]


# --- killed in the middle --------------------------------------------------------------------------------------------

KILLS = 12
OTHERS = 900


def filled(database: Path) -> str:
    with Hub.open(database) as hub:
        mia = hub.agent("mia", KIM)
        told = mia.remember(
            f"I love {CANARY} cocoa", facts=[{"relation": "likes", "value": f"{CANARY} cocoa"}], idempotency_key="k"
        )
        mia.recall(f"{CANARY} cocoa?")
        for start in range(0, OTHERS, 300):
            mia.remember(facts=[{"relation": "likes", "value": f"thing {n}"} for n in range(start, start + 300)])
    return told.facts[0].id


def erase_until_killed(line, fact: str, begun: Event) -> None:
    with closing(line):
        try:
            begun.set()
            line.send("DELETE", f"/v1/admin/facts/{fact}?erase")
        except Gone:
            return


def test_a_hub_killed_while_it_erases_has_done_so_or_not_and_nothing_by_halves(tmp_path):
    """Once it is let finish; then it is killed closer and closer to the moment at which it is done."""
    fact = filled(tmp_path / "filled.db")
    whole = (tmp_path / "filled.db").read_bytes()
    with Nursery() as nursery:
        outcome, late = erased_and_killed(nursery, tmp_path / "whole", whole, fact, 30)
        assert outcome == "erased"
        early = 0.0
        for number in range(KILLS):
            moment = (early + late) / 2 if number else 0.0
            outcome, _ = erased_and_killed(nursery, tmp_path / str(number), whole, fact, moment)
            early, late = (moment, late) if outcome == "untouched" else (early, moment)


def erased_and_killed(nursery: Nursery, folder: Path, whole: bytes, fact: str, patience: float) -> tuple[str, float]:
    """What is there afterwards, and how many seconds it went on."""
    folder.mkdir()
    (folder / "memory.db").write_bytes(whole)
    server = nursery.serve(folder / "memory.db")
    begun = Event()
    eraser = Thread(target=erase_until_killed, args=(server.line(), fact, begun))
    eraser.start()
    assert begun.wait(30)
    since = perf_counter()
    eraser.join(timeout=patience)
    took = perf_counter() - since
    server.kill()
    eraser.join()
    return what_is_there(folder, fact), took


def what_is_there(folder: Path, fact: str) -> str:
    """After the hub was opened again: all of the fact, or not a byte of it."""
    with Hub.open(folder / "memory.db") as hub:
        assert hub.faults() == []
        mia = hub.agent("mia", KIM)
        said = [m.value for slot in mia.timeline(limit=1000).slots for m in slot.intervals]
        known = CANARY in str(said)
        assert len(said) == OTHERS + known
        if not known:
            assert searched(folder) == {}
            return "erased"
        with sqlite3.connect(folder / "memory.db") as rows:
            counted = [
                rows.execute(f"select count(*) from {table} where {text} like ?", (f"%{CANARY}%",)).fetchone()[0]
                for table, text in (("record", "body"), ("recall", "body"))
            ]
            kept = rows.execute("select count(*) from answer where body like ?", (f"%{fact}%",)).fetchone()[0]
        rows.close()
        assert (*counted, kept) == (2, 1, 1)
        return "untouched"


# --- the terminal ----------------------------------------------------------------------------------------------------


def run(*arguments: str):
    from click.testing import CliRunner

    return CliRunner().invoke(cli, [*arguments])


def test_the_terminal_erases_only_if_it_is_told_that_it_is_meant(aviary, impatient):
    fact = aviary.tell("mia", "likes", f"{CANARY} cocoa", customer=KIM)
    aviary.tell("mia", "likes", "milk", customer=KIM)
    db = ("--db", str(aviary.file))
    aviary.hub.close()
    for what in (("fact", fact), ("customer", KIM)):
        refused = run("erase", *what, *db)
        assert (refused.exit_code, "--yes" in refused.output) == (2, True)
    done = run("erase", "fact", fact, "--yes", "--reason", "asked to", *db)
    assert done.exit_code == 0
    assert done.output.startswith("erased: 1 claim")
    assert "receipt erase_" in done.output
    with reader_elsewhere(aviary.file):
        held = run("erase", "customer", KIM, "--yes", *db)
        assert "a reader is in the way" in held.output
    again = run("erase", "customer", KIM, "--yes", "--json", *db)
    assert '"claims":0' in again.output
    assert "nothing was there" in run("erase", "customer", KIM, "--yes", *db).output
    aviary.hub = aviary.opened()
    assert aviary.bytes_left() == {}
