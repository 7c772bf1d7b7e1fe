"""A server killed in the middle of anything, again and again: what it acknowledged is there, nothing is half done."""

from __future__ import annotations

import json
import random
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from threading import Event, Thread

import pytest

from hub.hub import Hub
from tests.api_process import Gone, Line, Nursery, Served

KILLS = 20
WRITERS = ("mia", "atlas", "nova")
CUSTOMERS = 5
LONGEST_ROUND = 0.25
"""Seconds from the first answer of a server to its end."""


@dataclass
class Book:
    """What was begun and what was acknowledged; what is only begun may be there or not, but whole."""

    begun: dict[str, tuple[str, dict[str, object]]] = field(default_factory=dict)
    answered: dict[str, bytes] = field(default_factory=dict)
    corrections: set[str] = field(default_factory=set)
    corrected: dict[str, str] = field(default_factory=dict)
    """Key -> id of the fact that took the first one's place."""
    odd: list[str] = field(default_factory=list)

    def in_doubt(self) -> set[str]:
        return self.begun.keys() - self.answered.keys()


def write_until_killed(line: Line, book: Book, who: str, round_: int, heard: Event) -> None:
    """A turn with its fact, every third time corrected at once, until nobody answers any more."""
    with closing(line):
        for number in range(1_000_000):
            key = f"{round_}-{who}-{number}"
            fact = {"relation": "likes", "value": key}
            customer = f"c{(round_ + number) % CUSTOMERS}"
            book.begun[key] = (who, {"customer": customer, "text": f"I like {key}", "facts": [fact]})
            try:
                if not remembered(line, book, key):
                    return
                heard.set()
                if number % 3 == 0:
                    correct(line, book, key)
            except Gone:
                return


def remembered(line: Line, book: Book, key: str) -> bool:
    status, body = line.send("POST", "/v1/remember", book.begun[key][1], Idempotency_Key=key)
    if status != 201:
        book.odd.append(f"{key}: {status} {body!r}")
    elif book.answered.setdefault(key, body) != body:
        book.odd.append(f"{key}: answered {body!r}, then {book.answered[key]!r}")
    return status == 201


def correct(line: Line, book: Book, key: str) -> None:
    book.corrections.add(key)
    [told] = json.loads(book.answered[key])["facts"]
    status, body = line.send("POST", f"/v1/facts/{told['id']}/correct", {"value": f"{key}, really"})
    if status == 200:
        book.corrected[key] = json.loads(body)["id"]
    else:
        book.odd.append(f"{key} corrected: {status} {body!r}")


# --- the file, read past the hub -----------------------------------------------------------------------------------


@contextmanager
def opened(database: Path) -> Iterator[sqlite3.Connection]:
    with closing(sqlite3.connect(database)) as connection:
        yield connection


def half_done(database: Path) -> Iterator[str]:
    """Whatever belongs together and is not there together."""
    with opened(database) as file:
        records = {id: (kind, json.loads(body)) for id, kind, body in file.execute("select id, kind, body from record")}
        answers = [json.loads(body) for (body,) in file.execute("select body from answer")]
        numbered = (("record", "seq"), ("entry", "seq"), ("customer", "id"))
        sequences = [n for table, column in numbered for (n,) in file.execute(f"select {column} from {table}")]
        [(last, seq)] = file.execute("select last, seq from clock")
        named = {id for (ids,) in file.execute("select records from audit") for id in json.loads(ids)}
        unchained = file.execute("select number, hash from chain except select id, hash from audit").fetchall()
        [(health,)] = file.execute("pragma integrity_check")
        unfiled = file.execute("select id from record where seq not in (select record from entry)").fetchall()
        heads = "select customer, filing, max(seq) from entry group by customer, filing"
        wrong_heads = file.execute(f"{heads} except select customer, filing, seq from head").fetchall()
    claims = [body for kind, body in records.values() if kind == "claim"]
    turns = {id for id, (kind, _) in records.items() if kind == "turn"}
    if turns != {source for claim in claims for source in claim["sources"]}:
        yield "a turn without its fact, or a fact without its turn"
    if turns != {answer["turn"]["id"] for answer in answers}:
        yield "a turn without the answer to its key, or an answer without its turn"
    if not {fact["id"] for answer in answers for fact in answer["facts"]} <= records.keys():
        yield "an answer that names a fact which is not there"
    corrected = {body["recorded_at"] for kind, body in records.values() if kind == "withdraw"}
    if corrected != {claim["recorded_at"] for claim in claims if not claim["sources"]}:
        yield "a correction that withdrew without a new claim, or the other way round"
    if sorted(sequences) != list(range(1, seq + 1)) or any(body["recorded_at"] > last for _, body in records.values()):
        yield "rows the clock knows nothing of, or gaps"
    if not records.keys() <= named or unchained:
        yield "a write without its line in the audit, or a line that is no part of the chain"
    if health != "ok" or unfiled or wrong_heads:
        yield f"a file out of order: {health} {unfiled} {wrong_heads}"


def lost(database: Path, book: Book) -> Iterator[str]:
    """Whatever was acknowledged and is gone."""
    with opened(database) as file:
        there = {id for (id,) in file.execute("select id from record")}
    for key, body in book.answered.items():
        answer = json.loads(body)
        if not {answer["turn"]["id"], *(fact["id"] for fact in answer["facts"])} <= there:
            yield key
    yield from (f"{key}, corrected" for key, id in book.corrected.items() if id not in there)


PLANTED = {
    "a line of the audit": "update audit set records = '[]' where verb = 'correct'",
    "the end of the audit": "update chain set number = number - 1",
    "a turn": "delete from record where kind = 'turn' and seq = (select max(seq) from record where kind = 'turn')",
    "a fact": "delete from record where kind = 'claim' and body like '%really%'",
    "a withdrawal": "delete from record where kind = 'withdraw'",
    "an answer": "delete from answer where key = 'k2'",
    "an entry": "delete from entry where seq = (select max(seq) from entry)",
    "a head": "update head set seq = seq - 1",
    "the clock": "update clock set seq = seq - 1",
    "recorded time": "update clock set last = last - 60000000",
}


@pytest.fixture(scope="module")
def sound(tmp_path_factory) -> Path:
    database = tmp_path_factory.mktemp("sound") / "memory.db"
    with Hub.open(database) as hub:
        mia = hub.agent("mia", customer="c1")
        for key in ("k1", "k2"):
            told = mia.remember(f"I like {key}", facts=[{"relation": "likes", "value": key}], idempotency_key=key)
            mia.correct(told.facts[0].id, value=f"{key}, really")
    return database


@pytest.mark.parametrize("sql", PLANTED.values(), ids=PLANTED)
def test_half_a_write_would_be_seen(sound, tmp_path, sql):
    broken = tmp_path / "broken.db"
    broken.write_bytes(sound.read_bytes())
    assert list(half_done(broken)) == []
    with opened(broken) as file:
        assert file.execute(sql).rowcount > 0
        file.commit()
    assert list(half_done(broken)) != []


def test_a_lost_write_would_be_seen(sound, tmp_path):
    broken = tmp_path / "broken.db"
    broken.write_bytes(sound.read_bytes())
    with opened(broken) as file:
        book = Book(answered={key: body.encode() for key, body in file.execute("select key, body from answer")})
        assert list(lost(broken, book)) == []
        file.execute("delete from record where kind = 'turn' and seq = (select max(seq) from record)")
        file.execute("delete from record where body like '%\"likes\"%' and body like '%k2%'")
        file.commit()
    assert list(lost(broken, book)) == ["k2"]


# --- twenty times --------------------------------------------------------------------------------------------------


def lines(server: Served, keys: dict[str, str]) -> dict[str, Line]:
    return {who: server.line(key) for who, key in keys.items()}


def one_life(server: Served, keys: dict[str, str], book: Book, round_: int, chance: random.Random) -> None:
    heard, never = Event(), Event()
    writers = [
        Thread(target=write_until_killed, args=(line, book, who, round_, heard))
        for who, line in lines(server, keys).items()
    ]
    for writer in writers:
        writer.start()
    assert heard.wait(timeout=30), "the server does not answer"
    never.wait(timeout=chance.uniform(0, LONGEST_ROUND))
    server.kill()
    for writer in writers:
        writer.join()


def ask_again(server: Served, keys: dict[str, str], book: Book, asked: set[str]) -> None:
    """The same requests under the same keys: answered as before, or done now if they had not been."""
    for who, line in lines(server, keys).items():
        with closing(line):
            for key in sorted(asked):
                if book.begun[key][0] == who:
                    remembered(line, book, key)


def likes(server: Served, key: str) -> list[str]:
    """All that any customer likes, as the customers' timelines have it."""
    found: list[str] = []
    with closing(server.line(key)) as line:
        for number in range(CUSTOMERS):
            status, body = line.send("GET", f"/v1/customers/c{number}/timeline?relation=likes&limit=1000")
            answer = json.loads(body)
            assert (status, answer["truncated"]) == (200, False)
            found += [memory["value"] for slot in answer["slots"] for memory in slot["intervals"]]
    return found


@pytest.fixture
def nursery() -> Iterator[Nursery]:
    with Nursery() as opened:
        yield opened


def test_a_server_killed_twenty_times_keeps_its_word(nursery, tmp_path):
    database, book, chance = tmp_path / "memory.db", Book(), random.Random(9)
    server = nursery.serve(database)
    with closing(server.line()) as admin:
        rotated = [admin.send("POST", f"/v1/admin/agents/{who}/rotate") for who in WRITERS]
    keys = {who: str(json.loads(body)["key"]) for who, (_, body) in zip(WRITERS, rotated, strict=True)}

    for round_ in range(KILLS):
        one_life(server, keys, book, round_, chance)
        assert list(half_done(database)) == []
        assert list(lost(database, book)) == []
        server = nursery.serve(database)
        ask_again(server, keys, book, {key for key in book.begun if key.startswith(f"{round_}-")})
        assert book.odd == []
        assert book.in_doubt() == set()

    found = likes(server, keys["mia"])
    certain = set(book.corrected)
    expected = [f"{key}, really" if key in certain else key for key in book.begun]
    for key in book.corrections - certain:
        assert (key in found) is not (f"{key}, really" in found), f"{key} is half corrected"
        expected[expected.index(key)] = key if key in found else f"{key}, really"
    assert sorted(found) == sorted(expected)
    assert len(book.answered) > 5 * KILLS
    server.kill()
    assert list(half_done(database)) == []
