"""A customer full of canaries, every road on which one could sing, and a search through every byte of a folder."""

from __future__ import annotations

import sqlite3
import subprocess
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from hub.clock import SimulatedClock
from hub.codec import encode
from hub.embed import HashingEmbedder
from hub.errors import HubError
from hub.facts import Instant
from hub.hub import DEMO_AGENTS, Hub
from hub.moments import instant, rendered

CANARY = "canaryqx"
"""Every planted text holds it, and a word of its own behind it."""

START = instant("2026-07-01T09:00:00Z")
SECRET = "canaryqx-kim@example.org"
"""A customer whose very name is one."""

OTHER = "lee"


@dataclass
class Aviary:
    """A hub in a folder of its own. `at` are the instants at which something was recorded."""

    folder: Path
    clock: SimulatedClock = field(default_factory=lambda: SimulatedClock(START))
    facts: dict[str, str] = field(default_factory=dict)
    at: list[Instant] = field(default_factory=list)
    hub: Hub = field(init=False)

    def __post_init__(self) -> None:
        self.folder.mkdir(exist_ok=True)
        self.hub = self.opened()

    @property
    def file(self) -> Path:
        return self.folder / "memory.db"

    def opened(self) -> Hub:
        return Hub.open(self.file, clock=self.clock, embedder=HashingEmbedder())

    def restart(self) -> None:
        self.hub.close()
        self.hub = self.opened()

    def tell(self, agent: str, relation: str, value: object = None, *, name: str = "", **more: object) -> str:
        """One fact; `customer`, `text`, `session` and `key` are the request's, the rest is the fact's."""
        self.hub.settle()  # whoever still reads what there is to embed would be in the way of a sweep
        request = {key: more.pop(key) for key in ("customer", "text", "session") if key in more}
        key = more.pop("key", None)
        fact = {"relation": relation, **({} if value is None else {"value": value}), **more}
        told = self.hub.agent(agent).remember(
            **{"customer": SECRET, **request}, facts=[fact], idempotency_key=None if key is None else str(key)
        )
        assert not told.refused, told.refused
        self.facts[name or relation] = told.facts[0].id
        self.pass_on()
        return told.facts[0].id

    def pass_on(self) -> None:
        self.at.append(self.clock.now())
        self.clock.advance(1_000_000)

    # --- what anybody can still get ------------------------------------------------------------------------------

    def songs(self, words: Iterable[str], customer: str = SECRET, *, ids: Iterable[str] = ()) -> list[str]:
        """Every answer of any road, at any of the instants, in which one of the words is heard."""
        heard = []
        for who, road, answer in self.answers(customer, ids):
            heard += [f"{who} {road}: {word}" for word in words if word.encode() in answer.lower()]
        return heard

    def answers(self, customer: str = SECRET, ids: Iterable[str] = ()) -> Iterator[tuple[str, str, bytes]]:
        points: list[dict[str, str]] = [{}]
        for at in self.at:
            points += [{"as_of": rendered(at)}]
        points += [{"known_at": rendered(self.at[-1])}, {"valid_at": rendered(self.at[len(self.at) // 2])}]
        for who in DEMO_AGENTS:
            agent = self.hub.agent(who, customer)
            for point in points:
                roads = {
                    "recall": lambda agent=agent, point=point: agent.recall(
                        "what does the customer like, live, own, about the car?", include_past=True, limit=100, **point
                    ),
                    "profile": lambda agent=agent, point=point: agent.profile(**point),
                    "timeline": lambda agent=agent, point=point: agent.timeline(**point),
                    "graph": lambda agent=agent, point=point: agent.graph(**point),
                }
                for id_ in ids:
                    roads[f"fact {id_}"] = lambda agent=agent, point=point, id_=id_: agent.fact(id_, **point)
                    roads[f"history {id_}"] = lambda agent=agent, point=point, id_=id_: agent.history(id_, **point)
                for road, ask in roads.items():
                    yield who, f"{road} {point}", _answer(ask)

    # --- every byte ------------------------------------------------------------------------------------------------

    def bytes_left(self, needles: Iterable[str | bytes] = (CANARY,)) -> dict[str, list[str]]:
        """In which files of the folder which of these are found."""
        self.hub._ledger.flush()
        return searched(self.folder, needles)

    @contextmanager
    def rows(self) -> Iterator[sqlite3.Connection]:
        with closing(sqlite3.connect(self.file)) as connection:
            yield connection

    def hashes(self, ids: Iterable[str]) -> list[str | bytes]:
        """Digests of what was asked and answered about these records, vectors and marks of what was said in them."""
        self.hub._ledger.flush()
        self.hub.settle()
        marks = (CANARY, *ids)
        with self.rows() as file:
            found = [*file.execute("select request, key || body from answer")]
            found += file.execute("select digest, body from recall")
            found += file.execute("select steps, body from vector join record on record = seq")
            found += file.execute("select mark, body from vector join record on record = seq")
        return [hashed for hashed, body in found if any(mark in body.lower() for mark in marks)]


def searched(folder: Path, needles: Iterable[str | bytes] = (CANARY,)) -> dict[str, list[str]]:
    """File -> which of these are in it, read by another process: to close a file is to lose the locks upon it."""
    found: dict[str, list[str]] = {}
    with tempfile.TemporaryDirectory() as copies:
        subprocess.run(["cp", "-r", str(folder), copies], check=True)
        for file in sorted(file for file in Path(copies).rglob("*") if file.is_file()):
            content = file.read_bytes()
            for needle in needles:
                wanted = needle if isinstance(needle, bytes) else needle.encode()
                if wanted in content or wanted in content.lower():
                    found.setdefault(file.name, []).append(repr(needle))
    return found


def _answer(ask: object) -> bytes:
    try:
        return encode(ask())  # type: ignore[operator]
    except HubError as error:
        return f"{error.code} {error.message} {error.fix}".encode()


# --- planting --------------------------------------------------------------------------------------------------------


def plant_customer(aviary: Aviary) -> None:
    """A canary in every field that takes a text of a customer or about one."""
    hub, tell = aviary.hub, aviary.tell
    hub.agent("mia", SECRET).recall(f"{CANARY}-before-anything")
    tell(
        "mia",
        "likes",
        f"{CANARY}-value",
        text=f"I like {CANARY}-text",
        session=f"{CANARY}-session",
        key=f"{CANARY}-key",
    )
    tell("mia", "owns", object={"kind": f"{CANARY} kind", "name": f"{CANARY} car"})
    tell("kai", "availability", "3 days", subject=f"{CANARY} car", scope="private")
    tell("nova", f"{CANARY}_relation", f"{CANARY}-provisional")
    tell("sage", "allergic_to", f"{CANARY}-allergy")
    mia = hub.agent("mia", SECRET)
    home = tell("mia", "lives_in", f"{CANARY}-old-home", text=f"{CANARY}-home")
    changed = mia.correct(home, value=f"{CANARY}-home", reason=f"{CANARY}-why-corrected").id
    mia.end(changed, reason=f"{CANARY}-why-ended")
    mia.forget(aviary.facts["likes"], reason=f"{CANARY}-why-forgotten")
    mia.restore(aviary.facts["likes"], reason=f"{CANARY}-why-restored")
    taken_back = tell("mia", "budget", f"{CANARY}-budget")
    mia.retract(taken_back, reason=f"{CANARY}-why-retracted")
    operator = hub.operator()
    operator.relabel(aviary.facts["likes"], scope="private", reason=f"{CANARY}-why-moved")
    tell("mia", "owns", object=f"{CANARY} bike", name="bike")
    operator.same_as(SECRET, f"{CANARY} car", f"{CANARY} bike", reason=f"{CANARY}-why-one")
    asked = {"domain": "travel", "owner": "health", "relation": "allergic_to", "effect": "grant"}
    consent(aviary, **asked, reason=f"{CANARY}-why-consented")
    operator.create_agent("desk", "travel", customers=[SECRET, OTHER])
    operator.create_agent("only", "travel", customers=[SECRET])
    mia.token(ttl_seconds=600)
    mia.recall(f"what about {CANARY}-query", session=f"{CANARY}-asking")
    mia.recall("what do I like?")
    aviary.pass_on()


def consent(aviary: Aviary, **asked: object) -> None:
    aviary.hub.operator().record_consent(SECRET, **asked)


def plant_other(aviary: Aviary) -> None:
    """Another customer, with the same words in its memory as far as they are nobody's secret."""
    tell = aviary.tell
    tell("mia", "lives_in", "Hanoi", customer=OTHER, text="I live in Hanoi", key="lee-1", name="lee home")
    tell("mia", "owns", object={"kind": "car", "name": "Civic"}, customer=OTHER, name="lee car")
    tell("sage", "allergic_to", "peanuts", customer=OTHER, name="lee allergy")
    tell("nova", "favourite_shop", "corner", customer=OTHER, name="lee shop")
    aviary.hub.agent("mia", OTHER).recall("where do I live?")


def rows_of(aviary: Aviary, customer: str) -> dict[str, list[tuple[object, ...]]]:
    """All that the file holds of one customer, table by table."""
    aviary.hub._ledger.flush()
    aviary.hub.settle()
    with aviary.rows() as file:
        [number] = file.execute("select id from customer where name = ?", (customer,)).fetchone() or [-1]
        found = {
            table: file.execute(f"select * from {table} where customer = ? order by 1, 2, 3", (number,)).fetchall()
            for table in ("record", "entry", "head", "answer", "consent")
        }
        found["recall"] = file.execute("select id, body, digest from recall where customer = ?", (number,)).fetchall()
        vectors = "select v.* from vector v join record r on r.seq = v.record where r.customer = ? order by 1, 2"
        found["vector"] = file.execute(vectors, (number,)).fetchall()
    return found
