"""The ledger: what a file is stamped with, all or nothing, recorded times that only grow, and who waits for whom."""

from __future__ import annotations

import multiprocessing
import re
import sqlite3
import threading
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, suppress
from itertools import pairwise
from pathlib import Path

import pytest
from sqlalchemy import event, text
from sqlalchemy.exc import IntegrityError, OperationalError

from hub.clock import SimulatedClock, SystemClock
from hub.codec import replaced
from hub.errors import Conflict, Fault
from hub.facts import Author, Binding, Claim, Gap, Interval, Label, Relabel, Scope, Turn, Viewer, Withdraw
from hub.ledger import KeyState, Ledger, Version, broken, sqlite
from hub.ledger.fresh import Fresh
from hub.ledger.queries import Adding
from hub.ledger.tables import SCHEMA
from hub.ledger.together import together
from hub.moments import HOUR, SECOND
from hub.view import THE_CUSTOMER
from tests.scene import START, Scene, label

MIA = Author("mia", "personal")
SHARED = frozenset({label("personal", "personal", "shared", "likes")})
SECRET = frozenset({label("health", "health", "private", "allergic_to")})
RULES = Version(model="m", policy="p", relations="r", author="admin", reason="first")


@pytest.fixture
def path(tmp_path):
    return tmp_path / "memory.db"


@pytest.fixture
def ledger(path):
    ledger = Ledger(path, SimulatedClock(START))
    yield ledger
    ledger.close()


def claim(writing, value="tea", id=None):
    seq = writing.next_seq()
    return Claim(
        id=id or f"fact_{seq}",
        seq=seq,
        recorded_at=writing.now,
        author=MIA,
        subject=THE_CUSTOMER,
        relation="likes",
        value=value,
        interval=Interval(START),
        said_at=START,
    )


def write(ledger, value="tea", filing=SHARED, customer="kim"):
    with ledger.writing(customer) as writing:
        record = claim(writing, value)
        writing.append(record, filing)
        return record


def keep(ledger, found):
    with ledger.embedding("hashing") as vectors:
        vectors.keep(found)


def stored(ledger, customer="kim"):
    """Everything under the filings of one customer: (value, recorded at, labels)."""
    with ledger.reading(customer) as reading:
        filings = reading.changed(0)
        return [(e.record.value, e.at, reading.filing(e.filing)) for e in reading.entries(filings, 0)]


def rows(path):
    """How many rows each table of the file has."""
    with sqlite3.connect(path) as connection:
        tables = [name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        found = {name: connection.execute(f"SELECT count(*) FROM {name}").fetchone()[0] for name in tables}
    connection.close()
    return found


# --- the file ----------------------------------------------------------------------------------------------------


def test_a_new_file_is_stamped_with_its_schema(path, ledger):
    with sqlite3.connect(path) as connection:
        assert connection.execute("SELECT value FROM meta WHERE name = 'schema'").fetchone() == (str(SCHEMA),)
    connection.close()
    assert ledger.faults() == []


@pytest.mark.parametrize("stamp", ["1", "", "one"])
def test_a_file_of_another_schema_is_refused_with_the_command_to_run(path, stamp):
    Ledger(path, SystemClock()).close()
    with sqlite3.connect(path) as connection:
        connection.execute("UPDATE meta SET value = ?", (stamp,))
    connection.close()
    with pytest.raises(Fault) as refused:
        Ledger(path, SystemClock())
    assert refused.value.code == "schema_unknown"
    assert f"`{stamp}`" in refused.value.message
    assert "`hub migrate`" in refused.value.fix


def foreign_database(path):
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE recipes (name TEXT)")
    connection.close()


def foreign_meta(path):
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE meta (album TEXT)")
    connection.close()


@pytest.mark.parametrize(
    ("make", "code"),
    [
        (foreign_database, "schema_unknown"),
        (foreign_meta, "not_a_ledger"),
        (lambda path: path.write_text("Dear diary, this is no database at all. " * 40), "not_a_ledger"),
        (Path.mkdir, "not_a_ledger"),
    ],
    ids=["somebody else's database", "somebody else's meta", "a text", "a folder"],
)
def test_what_is_no_ledger_is_refused_and_left_as_it_was(path, make, code):
    make(path)
    before = path.read_bytes() if path.is_file() else None
    with pytest.raises(Fault) as refused:
        Ledger(path, SystemClock())
    assert refused.value.code == code
    assert refused.value.fix
    assert str(path.parent) not in str(refused.value)
    assert before == (path.read_bytes() if path.is_file() else None)
    assert [p.name for p in path.parent.iterdir()] == [path.name]


def test_a_file_in_a_folder_that_is_not_there_is_refused(tmp_path):
    with pytest.raises(Fault) as refused:
        Ledger(tmp_path / "nowhere" / "memory.db", SystemClock())
    assert refused.value.code == "not_a_ledger"
    assert "a folder that exists" in refused.value.fix


def test_every_connection_has_its_pragmas_on(ledger):
    wanted = {
        "journal_mode": "wal",
        "synchronous": 2,
        "foreign_keys": 1,
        "secure_delete": 1,
        "busy_timeout": sqlite.BUSY_MILLISECONDS,
    }
    both = threading.Barrier(4)

    def pragmas(_):
        with ledger.reading() as reading:
            both.wait()  # four connections at once, none of them used twice
            return {name: reading._connection.execute(text(f"PRAGMA {name}")).scalar() for name in wanted}

    with ThreadPoolExecutor(4) as threads:
        assert list(threads.map(pragmas, range(4))) == [wanted] * 4
    with ledger.writing() as writing:
        assert {name: writing._connection.execute(text(f"PRAGMA {name}")).scalar() for name in wanted} == wanted


def test_a_row_that_points_nowhere_is_refused_by_the_file_itself(ledger):
    with pytest.raises(IntegrityError), ledger.writing("kim") as writing:
        writing._connection.exec_driver_sql("INSERT INTO vector VALUES (999, 'hashing', '', x'01')")


def test_a_reopened_ledger_is_equal(path, ledger):
    for value, filing in [("tea", SHARED), ("peanuts", SECRET), ("tea", SHARED | SECRET)]:
        write(ledger, value, filing)
    with ledger.writing() as writing:
        writing.version(RULES)
        writing.bind(Binding(agent="mia", domain="personal", customers=("kim",), recorded_at=writing.now))
    again = Ledger(path, SimulatedClock(START))
    assert stored(again) == stored(ledger)
    with again.reading("kim") as now, ledger.reading("kim") as before:
        assert now.state == before.state
        assert now.versions() == before.versions()
        assert now.bindings() == before.bindings()
    again.close()


# --- what is kept ------------------------------------------------------------------------------------------------


def test_every_kind_of_record_comes_back_as_it_went_in(ledger):
    with ledger.writing("kim") as writing:
        said = {"recorded_at": writing.now, "author": MIA}
        turn = Turn(id="turn_1", seq=writing.next_seq(), role="user", text="Xin chào 🍜", said_at=START, **said)
        told = claim(writing, 3.5)
        gone = Withdraw(id="act_1", seq=writing.next_seq(), target=told.id, reason="a slip", **said)
        moved = Relabel(
            id="act_2", seq=writing.next_seq(), target=told.id, before=tuple(SHARED), after=tuple(SECRET), **said
        )
        for record in (turn, told, gone, moved):
            writing.append(record, SHARED)
    with ledger.reading("kim") as reading:
        assert [entry.record for entry in reading.entries(reading.changed(0), 0)] == [turn, told, gone, moved]


def test_a_move_is_two_entries_and_changes_no_row(path, ledger):
    record = write(ledger)
    before = rows(path)
    with ledger.writing("kim") as writing:
        writing.move(record, SHARED, SECRET)
        moved_at = writing.now
    with ledger.reading("kim") as reading:
        entries = list(reading.entries(reading.changed(0), 0))
    assert [(reading.filing(e.filing), e.leaves, e.at) for e in entries] == [
        (SHARED, False, record.recorded_at),
        (SHARED, True, moved_at),
        (SECRET, False, moved_at),
    ]
    assert rows(path)["record"] == before["record"]
    assert rows(path)["entry"] == before["entry"] + 2


def test_no_filings_means_nothing_and_never_everything(ledger):
    write(ledger)
    with ledger.reading("kim") as reading:
        assert list(reading.entries([], 0)) == []


@pytest.mark.parametrize("customer", ["*", "%", "", "k_m", "ki", "kim ", "KIM", "kim'--", "acme/../kim", "项目甲"])
def test_a_customer_is_found_by_its_whole_name_only(ledger, customer):
    write(ledger, customer="kim")
    write(ledger, "rice", customer="킴")
    assert stored(ledger, customer) == []
    with ledger.reading(customer) as reading:
        assert reading.answer(Viewer(agent="mia"), "key") is None


@pytest.mark.parametrize(
    "pair", [("acme", "acme-corp"), ("a/b_c", "a_b/c"), ("测试乙", "项目甲"), ("*", "%"), ("é", "e")]
)
def test_customers_whose_names_are_alike_share_nothing(ledger, pair):
    one, other = pair
    write(ledger, "tea", customer=one)
    write(ledger, "rice", customer=other)
    assert [value for value, _, _ in stored(ledger, one)] == ["tea"]
    assert [value for value, _, _ in stored(ledger, other)] == ["rice"]


def test_whose_a_record_is_can_be_asked_by_its_id(ledger):
    record = write(ledger, customer="kim")
    with ledger.reading() as reading:
        assert reading.customer_of(record.id) == "kim"
        assert reading.customer_of("fact_unknown") is None


def test_customers_can_be_found_by_what_they_have_filed(ledger):
    write(ledger, customer="kim")
    write(ledger, customer="lee")
    write(ledger, "peanuts", SECRET, customer="ann")
    with ledger.reading() as reading:

        def under(relation):
            return reading.customers_with(lambda filing: any(label.relation == relation for label in filing))

        assert (under("likes"), under("income")) == (["kim", "lee"], [])


def test_vectors_are_stored_in_whole_steps_beside_their_records(ledger):
    tea, rice = write(ledger, "tea"), write(ledger, "rice", customer="lee")
    found = {(tea.seq, "like tea"): b"\x01", (tea.seq, "prefer tea"): b"\x02", (rice.seq, "like rice"): b"\x03"}
    keep(ledger, found)
    keep(ledger, {(tea.seq, "like tea"): b"\x09"})
    with ledger.reading("kim") as reading:
        assert reading.vectors("hashing").of([tea.seq]) == {p: found[p] for p in found if p[0] == tea.seq}
        assert reading.vectors("hashing").of([tea.seq, rice.seq, 999]) == found
        assert reading.vectors("another").of([tea.seq]) == reading.vectors("hashing").of([]) == {}
        assert reading.state.vectors == 2


def test_vectors_that_follow_a_write_leave_clock_and_sequence_as_they_were(ledger):
    tea = write(ledger)
    before = stored(ledger)
    with ledger.reading() as reading:
        state = reading.state
    keep(ledger, {(tea.seq, ""): b"\x01"})
    with ledger.reading() as reading:
        assert reading.state == replaced(state, vectors=1)
    assert stored(ledger) == before


def test_a_record_that_is_erased_meanwhile_gets_no_vector_any_more(ledger):
    tea = write(ledger)
    with ledger.writing("kim") as writing:
        writing.erase({tea.id: Gap(id=tea.id, seq=tea.seq, recorded_at=tea.recorded_at, author=tea.author)}, {})
    keep(ledger, {(tea.seq, ""): b"\x01", (999, ""): b"\x02"})
    with ledger.reading("kim") as reading:
        assert reading.vectors("hashing").of([tea.seq, 999]) == {}


def test_whoever_looks_for_what_has_no_vector_finds_texts_only_in_ledger_order(ledger):
    records = [write(ledger, value) for value in ("tea", "rice", "pho", "soup")]
    with ledger.writing("kim") as writing:
        act = Withdraw(
            id="act_1", seq=writing.next_seq(), recorded_at=writing.now, author=records[0].author, target=records[0].id
        )
        writing.append(act, SHARED)
    keep(ledger, {(records[1].seq, ""): b"\x01"})
    with ledger.reading() as reading:
        assert [r.id for r in reading.vectors("hashing").without(0, 9)] == [records[n].id for n in (0, 2, 3)]
        assert [r.id for r in reading.vectors("hashing").without(records[0].seq, 1)] == [records[2].id]
        assert len(reading.vectors("another").without(0, 9)) == 4


def test_keys_and_answers_are_kept_by_their_latest_word(ledger):
    with ledger.writing("kim") as writing:
        writing.keep_key(KeyState("d1", "mia"))
        writing.keep_key(KeyState("d2", "mia", expires_at=START + HOUR))
        writing.keep_key(KeyState("d1", "mia", revoked=True))
        writing.keep_answer(Viewer(agent="mia"), "k", "digest", "{}")
    with ledger.reading("kim") as reading:
        assert reading.key("d1") == KeyState("d1", "mia", revoked=True)
        assert reading.key("d3") is None
        assert reading.keys_of("mia") == [KeyState("d2", "mia", expires_at=START + HOUR)]
        assert reading.answer(Viewer(agent="mia"), "k") == ("digest", "{}")
        assert reading.answer(Viewer(agent="kai"), "k") is None


def test_versions_and_bindings_are_read_from_any_number_on(ledger):
    for reason in ("first", "second", "third"):
        with ledger.writing() as writing:
            writing.version(Version(model="m", policy="p", relations="r", author="admin", reason=reason))
            writing.bind(Binding(agent=reason, domain="d", recorded_at=writing.now))
    with ledger.reading() as reading:
        versions = reading.versions(after=1)
        assert [(v.id, v.reason, v.promotions) for v in versions] == [(2, "second", "[]"), (3, "third", "[]")]
        assert reading.versions()[0].recorded_at < versions[0].recorded_at < versions[1].recorded_at
        assert [(number, b.agent) for number, b in reading.bindings(after=2)] == [(3, "third")]
        assert (reading.state.version, reading.state.binding) == (3, 3)


# --- all or nothing ----------------------------------------------------------------------------------------------


class Halt(Exception):
    """Something breaks in the middle."""


def half_done(ledger, customer, filing):
    with ledger.writing(customer) as writing:
        writing.append(claim(writing, "half"), filing)
        writing.version(RULES)
        writing.bind(Binding(agent="x", domain="x"))
        writing.keep_key(KeyState("d", "x"))
        writing.keep_answer(Viewer(agent="x"), "k", "digest", "{}")
        raise Halt


def break_off(ledger, customer="kim", filing=SECRET):
    with pytest.raises(Halt):
        half_done(ledger, customer, filing)


def test_an_error_inside_leaves_no_row_and_moves_no_clock(path, ledger):
    write(ledger)
    before, contents, now = rows(path), stored(ledger), ledger.clock.now()
    with ledger.reading("kim") as reading:
        state = reading.state
    break_off(ledger)
    assert rows(path) == before
    assert stored(ledger) == contents
    assert ledger.clock.now() == now
    with ledger.reading("kim") as reading:
        assert reading.state == state
    with ledger.writing("kim") as writing:  # the lock is free, and the numbers go on where they were
        assert writing.next_seq() == state.seq + 1


def test_numbers_of_a_broken_off_commit_are_given_anew_and_mean_something_else(ledger):
    write(ledger)
    break_off(ledger, customer="lee", filing=SECRET)
    other = frozenset({label("repair", "repair", "private", "fault")})
    write(ledger, "clutch", other, customer="ann")
    assert [(v, f) for v, _, f in stored(ledger, "ann")] == [("clutch", other)]
    assert stored(ledger, "lee") == []
    write(ledger, "peanuts", SECRET, customer="lee")
    assert [(v, f) for v, _, f in stored(ledger, "lee")] == [("peanuts", SECRET)]


def use_twice(ledger, id):
    with ledger.writing("kim") as writing:
        writing.append(claim(writing, "rice"), SHARED)
        writing.append(claim(writing, "beans", id=id), SHARED)


def test_a_twice_used_id_takes_the_whole_commit_with_it(path, ledger):
    record = write(ledger)
    before = rows(path)
    with pytest.raises(IntegrityError):
        use_twice(ledger, record.id)
    assert rows(path) == before


def test_inside_a_commit_its_own_entries_are_not_read_back(ledger):
    write(ledger)
    with ledger.writing("kim") as writing:
        writing.append(claim(writing, "rice"), SHARED)
        writing.append(claim(writing, "peanuts"), SECRET)
        seen = writing.entries(writing.changed(0), 0)
    assert [entry.record.value for entry in seen] == ["tea"]


# --- recorded time -----------------------------------------------------------------------------------------------


class Swinging:
    """A clock that goes an hour back at every look, then two forward."""

    def __init__(self):
        self.turns = 0

    def now(self):
        self.turns += 1
        return START + (self.turns % 3) * HOUR

    def next(self, last):
        return max(self.now(), last + 1)

    def tick(self):
        pass


class Frozen(Swinging):
    def now(self):
        return START


@pytest.mark.parametrize(
    ("clock", "commits"),
    [(Frozen(), 1_000), (Swinging(), 200), (SystemClock(), 300), (SimulatedClock(START), 200)],
    ids=lambda it: type(it).__name__,
)
def test_so_many_commits_have_as_many_growing_recorded_times(path, clock, commits):
    ledger = Ledger(path, clock)
    for number in range(commits):
        with ledger.writing("kim") as writing:
            writing.append(claim(writing, number), SHARED)
    times = [at for _, at, _ in stored(ledger)]
    assert len(times) == commits
    assert all(one < other for one, other in pairwise(times))
    ledger.close()


def test_all_of_one_commit_shares_its_recorded_time_and_the_next_lies_after(ledger):
    with ledger.writing("kim") as writing:
        for value in ("tea", "rice"):
            writing.append(claim(writing, value), SHARED)
    write(ledger, "beans")
    first, second, third = [at for _, at, _ in stored(ledger)]
    assert first == second < third


def test_a_commit_of_nothing_ticks_too(ledger):
    with ledger.reading() as reading:
        before = reading.state.last
    with ledger.writing():
        pass
    with ledger.reading() as reading:
        assert reading.state.last > before


def test_a_settled_instant_lies_before_every_later_commit(ledger):
    at = ledger.clock.now() + SECOND
    ledger.settle(at)
    assert write(ledger).recorded_at == at + 1
    ledger.settle(START)  # long settled: nothing changes
    assert write(ledger).recorded_at == at + 2


def test_recorded_times_go_on_where_they_were_when_reopened_under_an_earlier_clock(path, ledger):
    last = write(ledger).recorded_at
    again = Ledger(path, SimulatedClock(START - HOUR))
    assert write(again).recorded_at == last + 1
    again.close()


# --- many at once ------------------------------------------------------------------------------------------------


def _writes(path, name, count):
    ledger = Ledger(path, SystemClock())
    for number in range(count):
        write(ledger, f"{name} {number}")
    ledger.close()


def test_two_processes_of_a_hundred_writes_make_two_hundred_records(path):
    """Neither finds the file made: the first to come makes it."""
    spawn = multiprocessing.get_context("spawn")
    writers = [spawn.Process(target=_writes, args=(path, name, 100)) for name in ("one", "other")]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join(timeout=120)
    assert [writer.exitcode for writer in writers] == [0, 0]
    ledger = Ledger(path, SystemClock())
    found = stored(ledger)
    assert Counter(value for value, _, _ in found) == Counter(
        f"{name} {number}" for name in ("one", "other") for number in range(100)
    )
    assert len({at for _, at, _ in found}) == 200
    assert [at for _, at, _ in found] == sorted(at for _, at, _ in found)
    assert ledger.faults() == []
    ledger.close()


def test_eight_writers_beside_readers_never_find_the_database_locked(path):
    ledger, other = Ledger(path, SystemClock()), Ledger(path, SystemClock())
    done = threading.Event()

    def read(_):
        seen = [0]
        while not done.is_set():
            seen.append(len(stored(other)))
        return seen

    with ThreadPoolExecutor(12) as threads:
        readers = [threads.submit(read, n) for n in range(4)]
        writers = [
            threads.submit(lambda n: [write((ledger, other)[n % 2], f"{n} {i}") for i in range(12)], n)
            for n in range(8)
        ]
        for writer in writers:
            writer.result(timeout=60)
        done.set()
        for reader in readers:
            counts = reader.result(timeout=60)
            assert counts == sorted(counts)
    assert len(stored(ledger)) == 96
    ledger.close()
    other.close()


def test_a_database_that_stays_locked_is_a_fault_that_says_so(path, monkeypatch):
    monkeypatch.setattr(sqlite, "_PRAGMAS", ("PRAGMA busy_timeout = 10",))
    ledger = Ledger(path, SystemClock())
    thief = sqlite3.connect(path, isolation_level=None)
    thief.execute("BEGIN IMMEDIATE")
    with pytest.raises(Fault) as refused, ledger.writing("kim"):
        raise AssertionError("two writers at once")
    assert refused.value.code == "busy"
    thief.execute("ROLLBACK")
    thief.close()
    assert write(ledger).id
    ledger.close()


# --- heads -------------------------------------------------------------------------------------------------------


class Reads:
    """The statements that a block sends, and how many rows of the ledger come back."""

    def __init__(self, ledger):
        self.ledger = ledger
        self.statements = []

    def __enter__(self):
        self.ledger._snapshots.close()  # which hold connections that were checked out before
        event.listen(self.ledger._readers, "checkout", self._listen)
        return self

    def __exit__(self, *_):
        event.remove(self.ledger._readers, "checkout", self._listen)

    def _listen(self, connection, *_):
        connection.set_trace_callback(self._note)

    def _note(self, statement):
        self.statements.append(re.sub("[0-9]+", "?", " ".join(statement.split())))

    def of(self, words):
        return [s for s in self.statements if words in s]


def test_hidden_writes_add_nothing_to_what_another_viewer_reads(path):
    scene = Scene(path)
    scene.told("mia", "likes", "tea")
    scene.told("sage", "allergic_to", "peanuts")
    before = scene.look("atlas")

    def looked(hidden_writes):
        for number in range(hidden_writes):
            scene.told("sage", "allergic_to", f"nut {number}")
        scene.ledger.fresh = Fresh()  # as in a process that has not written all that
        with Reads(scene.ledger) as reads:
            view = scene.look("atlas")
        assert view.base is before.base  # grown, not built anew
        assert not reads.of("FROM entry")
        return Counter(reads.statements)

    assert looked(1) == looked(40)
    with Reads(scene.ledger) as reads:
        scene.look("atlas")
    assert not reads.of("FROM entry")
    assert not reads.of("FROM head")
    scene.told("mia", "likes", "rice")
    scene.ledger.fresh = Fresh()
    with Reads(scene.ledger) as reads:
        assert scene.look("atlas").base is before.base
    assert len(reads.of("FROM entry")) == 1
    scene.close()


# --- damage ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("harm", "told"),
    [
        ("UPDATE head SET seq = 0", "1 compartments have a wrong head"),
        ("DELETE FROM head", "1 compartments have a wrong head"),
        ("UPDATE record SET body = '{}'", "can't be read"),
        ("UPDATE record SET kind = 'gossip'", "can't be read"),
        ("UPDATE entry SET filing = 99", "points nowhere"),
    ],
)
def test_damage_is_found(path, ledger, harm, told):
    write(ledger)
    assert ledger.faults() == []
    with sqlite3.connect(path) as connection:
        connection.execute(harm)
    connection.close()
    assert any(told in fault for fault in ledger.faults())


def test_unlike_errors_pass_through_a_commit_as_they_are(ledger):
    with pytest.raises(Conflict), ledger.writing():
        raise Conflict("taken", "it is taken", "choose another")


def test_labels_of_one_set_are_one_filing_whatever_their_order(ledger):
    one, other = Label("a", "a", Scope.SHARED, "likes"), Label("b", "b", Scope.PRIVATE, "likes")
    write(ledger, "tea", frozenset([one, other]))
    write(ledger, "rice", frozenset([other, one]))
    with ledger.reading("kim") as reading:
        assert len(reading.changed(0)) == 1


@pytest.mark.parametrize("count", [0, 1, 2, 16, 17, 256, 257, 600])
def test_however_many_rows_are_poured_in_all_of_them_are_there_in_order(path, ledger, count):
    rows = [{"word": str(number), "id": number} for number in range(count)]
    with sqlite.opened(path).begin() as connection:
        connection.exec_driver_sql("CREATE TABLE poured (id, word)")
        sqlite.pour(connection, Adding("poured (id, word)"), rows)
        found = sqlite.rows(connection, "SELECT id, word FROM poured ORDER BY rowid", {})
        with pytest.raises(AssertionError, match="taken for nothing"):
            sqlite.pour(connection, Adding("poured (id, word)"), [*rows, {"id": None, "word": "lost"}])
    assert found == [(number, str(number)) for number in range(count)]


def test_a_database_that_fails_to_answer_fails_alike_on_every_way(path, ledger):
    with sqlite3.connect(path) as connection:
        connection.execute("ALTER TABLE clock RENAME TO sundial")
    connection.close()
    with pytest.raises(OperationalError), ledger.reading():
        pass


def test_a_file_that_somebody_else_is_opening_is_waited_for_before_it_gets_its_log(path):
    database, other = sqlite.opened(path), sqlite3.connect(path, isolation_level=None)
    waited: list[float] = []

    def pause(seconds: float) -> None:
        waited.append(seconds)
        if len(waited) == 3:
            other.execute("COMMIT")

    other.execute("CREATE TABLE theirs (id INTEGER)")
    other.execute("BEGIN IMMEDIATE")
    sqlite.keep_log(database, pause)
    assert len(waited) == 3
    other.close()
    with closing(sqlite3.connect(path)) as third:
        assert third.execute("PRAGMA journal_mode").fetchone() == ("wal",)
    database.dispose()


def test_who_never_lets_go_of_the_file_is_not_waited_for_for_ever(path):
    database, other = sqlite.opened(path), sqlite3.connect(path, isolation_level=None)
    other.execute("CREATE TABLE theirs (id INTEGER)")
    other.execute("BEGIN IMMEDIATE")
    waited: list[float] = []
    with pytest.raises(OperationalError, match="locked"):
        sqlite.keep_log(database, waited.append)
    assert round(sum(waited) * 1000) == sqlite.BUSY_MILLISECONDS
    other.close()
    database.dispose()


def test_what_is_written_together_is_read_there_and_by_others_when_all_of_it_is_on_the_disk(ledger):
    with together(ledger) as inside:
        for agent in ("mia", "kai"):
            with inside.writing() as writing:
                writing.bind(Binding(agent=agent, domain="personal", recorded_at=writing.now))
        with suppress(ZeroDivisionError), inside.writing() as writing:
            writing.bind(Binding(agent="nova", domain="shopping", recorded_at=writing.now))
            raise ZeroDivisionError
        with inside.reading() as reading:
            assert [binding.agent for _, binding in reading.bindings()] == ["mia", "kai"]
        with ledger.reading() as reading:
            assert reading.bindings() == []
    with ledger.reading() as reading:
        first, second = (binding.recorded_at for _, binding in reading.bindings())
        assert first < second


def test_a_damaged_file_is_said_to_be_broken_and_a_sound_one_is_not(tmp_path):
    path = tmp_path / "memory.db"
    Ledger(path, SystemClock()).close()
    assert broken(path) is None
    assert broken(tmp_path) is None  # it can't be opened: nothing is known of what it says
    size = path.stat().st_size
    with path.open("r+b") as file:
        file.seek(4096)
        file.write(b"\x55" * (size - 4096))
    assert broken(path)
    path.write_text("Dear diary, this is no database at all. " * 40)
    assert broken(path) == "file is not a database"
