"""What a recall costs over HTTP: a served hub on one core, recalled by several connections at once, audit and all.

python -m bench.http [--beliefs N] [--recalls N] [--connections N] [--embedder given|default|none] [--json]
"""

from __future__ import annotations

import argparse
import json
import os
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time as wall
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path

from rich.console import Console
from rich.progress import track
from rich.table import Table

from hub.api import serve
from hub.embed import Embedder, SentenceEmbedder
from hub.hub import Hub
from hub.vectors import Vector

CUSTOMER = "kh-001"
QUERIES = ("where does she live?", "book a flight to Da Nang", "what does she like?", "thing 42", "any news?")
BATCH = 200
"""Recalls between two looks at the clock."""
BUDGET = {"given": 1.0, "default": 4.0, "none": 1.0}
"""CPU milliseconds a recall may take: a thousand a second on one core, or two hundred and fifty."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Figures:
    """Medians over batches of recalls; `cpu_ms` is all the server process spends on one, the audit's thread included.

    `in_process_ms` is what the same process spends on the same recalls without HTTP, between the batches; `share` is
    that part of `cpu_ms`. `latency_ms` is that of one connection alone; `audited` counts both in the audit.
    """

    embedder: str
    beliefs: int
    recalls: int
    connections: int
    cpu_ms: float
    in_process_ms: float
    share: float
    per_second: float
    latency_ms: float
    audited: int


# --- the server, in a process of its own ------------------------------------------------------------------------------


class Given:
    """The embedder that comes with the hub, which knows what is asked before it is."""

    def __init__(self) -> None:
        self._made = SentenceEmbedder()
        self.id, self.local, self.at_once = self._made.id, self._made.local, self._made.at_once
        self._known: dict[str, Vector] = {}

    def embed_documents(self, texts: list[str]) -> list[Vector]:
        return list(self._made.embed_documents(texts))

    def embed_query(self, text: str) -> Vector:
        if text not in self._known:
            self._known[text] = self._made.embed_query(text)
        return self._known[text]

    def close(self) -> None:
        self._made.close()


def embedder_called(name: str) -> Embedder | str:
    return Given() if name == "given" else "sentence" if name == "default" else name


def served(database: str, embedder: str) -> None:
    """Serves until its input ends; each line that comes in asks for a figure."""
    with Hub.open(database, embedder=embedder_called(embedder)) as hub:
        hub.settle()
        threading.Thread(target=_telling, args=(hub,), daemon=True).start()
        serve(hub, port=0, listening=lambda port: print(port, flush=True))


def _telling(hub: Hub) -> None:
    """`cpu`: nanoseconds spent so far. `alone`: nanoseconds that one recall takes without HTTP."""
    agent = hub.agent("atlas", CUSTOMER)
    for line in sys.stdin:
        hub.flush()
        before = wall.process_time_ns()
        if line.strip() == "alone":
            for number in range(BATCH):
                agent.recall(QUERIES[number % len(QUERIES)])
            hub.flush()
            print((wall.process_time_ns() - before) // BATCH, flush=True)
        else:
            print(before, flush=True)
    hub.flush()
    os._exit(0)


class Server:
    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process
        self.port = int(self._line())

    def told(self, figure: str) -> int:
        assert self._process.stdin is not None
        self._process.stdin.write(f"{figure}\n")
        self._process.stdin.flush()
        return int(self._line())

    def _line(self) -> str:
        assert self._process.stdout is not None
        return self._process.stdout.readline()


@contextmanager
def server(database: Path, embedder: str) -> Iterator[Server]:
    """On the first core this process may use, which leaves that core to it if there is another."""
    cores = sorted(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else []
    program = [sys.executable, "-m", "bench.http", "--serve", str(database), "--embedder", embedder]
    with subprocess.Popen(program, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        if len(cores) > 1:
            os.sched_setaffinity(process.pid, cores[:1])
            os.sched_setaffinity(0, cores[1:])
        try:
            yield Server(process)
        finally:
            process.communicate()
            if len(cores) > 1:
                os.sched_setaffinity(0, cores)


# --- the client -------------------------------------------------------------------------------------------------------


class Wire:
    """One connection with one key, which writes and reads no more HTTP than it must."""

    def __init__(self, port: int, key: str) -> None:
        self._socket = socket.create_connection(("127.0.0.1", port), timeout=60)
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._answers = self._socket.makefile("rb")
        self._head = f"POST /v1/recall HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {key}\r\n"

    def ask(self, query: str) -> bytes:
        body = json.dumps({"customer": CUSTOMER, "query": query}).encode()
        head = f"{self._head}Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
        self._socket.sendall(head.encode() + body)
        return self._answer()

    def ask_all(self, queries: list[str]) -> None:
        for query in queries:
            self.ask(query)

    def _answer(self) -> bytes:
        status = self._answers.readline()
        headers = dict(line.lower().split(b": ") for line in iter(lambda: self._answers.readline().strip(), b""))
        body = self._answers.read(int(headers[b"content-length"]))
        assert b" 200 " in status, body
        return body

    def close(self) -> None:
        self._answers.close()
        self._socket.close()


def asked(wires: list[Wire], count: int) -> None:
    """So many recalls, shared among the connections; each asks again as soon as it has its answer."""
    queries = [QUERIES[number % len(QUERIES)] for number in range(count)]
    with ThreadPoolExecutor(len(wires)) as hands:
        list(hands.map(Wire.ask_all, wires, (queries[first :: len(wires)] for first in range(len(wires)))))


# --- figures ----------------------------------------------------------------------------------------------------------


def furnished(hub: Hub, beliefs: int) -> str:
    """The key of an agent that may read so many beliefs of a customer."""
    facts: list[dict[str, object]] = [{"relation": "likes", "value": f"thing {n}"} for n in range(beliefs - 2)]
    facts += [{"relation": "lives_in", "value": "Hanoi"}, {"relation": "planned_trip", "value": "Da Nang"}]
    for start in range(0, len(facts), 250):
        hub.agent("mia", CUSTOMER).remember(facts=facts[start : start + 250])
    hub.settle()
    return hub.operator().rotate("atlas").key


def measured(embedder: str = "given", beliefs: int = 100, recalls: int = 4_000, connections: int = 8) -> Figures:
    """Recalls of one customer with so many beliefs, by one agent, over as many connections as said."""
    with tempfile.TemporaryDirectory() as folder:
        database = Path(folder) / "memory.db"
        with Hub.open(database, embedder=embedder_called(embedder)) as hub:
            key = furnished(hub, beliefs)
            before = hub.operator().verify_audit().lines
        with server(database, embedder) as at:
            wires = [Wire(at.port, key) for _ in range(connections)]
            asked(wires, BATCH)
            at.told("alone")
            rounds = track(range(0, recalls, BATCH), f"recalling ({embedder})", console=Console(stderr=True))
            spent = [(*_batch(at, wires), at.told("alone") / 1e6) for _ in rounds]
            latency = _latency(wires[0])
            for wire in wires:
                wire.close()
        with Hub.open(database, embedder="none") as hub:
            audited = hub.operator().verify_audit().lines - before
    cpu, rate, alone = (statistics.median(figures) for figures in zip(*spent, strict=True))
    return Figures(
        embedder=embedder,
        beliefs=beliefs,
        recalls=recalls,
        connections=connections,
        cpu_ms=round(cpu, 3),
        in_process_ms=round(alone, 3),
        share=round(statistics.median(alone / cpu for cpu, _, alone in spent), 3),
        per_second=round(rate, 1),
        latency_ms=round(latency, 3),
        audited=audited,
    )


def _batch(at: Server, wires: list[Wire]) -> tuple[float, float]:
    """CPU milliseconds a recall, and recalls a second."""
    before, began = at.told("cpu"), wall.perf_counter()
    asked(wires, BATCH)
    took = wall.perf_counter() - began
    return (at.told("cpu") - before) / BATCH / 1e6, BATCH / took


def _latency(wire: Wire) -> float:
    took = []
    for number in range(BATCH):
        began = wall.perf_counter()
        wire.ask(QUERIES[number % len(QUERIES)])
        took.append((wall.perf_counter() - began) * 1e3)
    return statistics.median(took)


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.http", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--beliefs", type=int, default=100)
    parser.add_argument("--recalls", type=int, default=4_000)
    parser.add_argument("--connections", type=int, default=8)
    parser.add_argument("--embedder", choices=sorted(BUDGET), help="default: given, and the one that comes with it")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--serve", metavar="DATABASE", help=argparse.SUPPRESS)
    chosen = parser.parse_args(arguments)
    if chosen.serve:
        served(chosen.serve, chosen.embedder)
        return 0
    names = [chosen.embedder] if chosen.embedder else ["given", "default"]
    found = [measured(name, chosen.beliefs, chosen.recalls, chosen.connections) for name in names]
    if chosen.json:
        print(json.dumps([asdict(figures) for figures in found]))
    else:
        table = Table("figure", *names, title="A recall over HTTP, on one core")
        for row in zip(*(asdict(figures).items() for figures in found), strict=True):
            table.add_row(row[0][0], *(str(value) for _, value in row))
        Console().print(table)
    return 0 if all(figures.cpu_ms <= BUDGET[figures.embedder] for figures in found) else 1


if __name__ == "__main__":
    sys.exit(main())
