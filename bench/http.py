"""What a recall costs over HTTP: a served hub on one core, recalled by several connections at once, audit and all.

python -m bench.http [--beliefs N] [--recalls N] [--connections N] [--json]
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
from hub.hub import Hub

CUSTOMER = "kh-001"
QUERIES = ("where does she live?", "book a flight to Da Nang", "what does she like?", "thing 42", "any news?")
BATCH = 200
"""Recalls between two looks at the clock."""
BUDGET = 1.0
"""CPU milliseconds a recall may take, which makes a thousand a second on one core."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Figures:
    """Medians over batches of recalls; `cpu_ms` is all the server process spends on one, the audit's thread included.

    `in_process_ms` is the same recall without HTTP, in a process of its own; `audited` counts its lines afterwards.
    """

    beliefs: int
    recalls: int
    connections: int
    cpu_ms: float
    per_second: float
    latency_ms: float
    in_process_ms: float
    audited: int


# --- the server, in a process of its own ------------------------------------------------------------------------------


def served(database: str) -> None:
    """Serves until its input ends; for each line that comes in, says how much CPU it has spent so far."""
    with Hub.open(database) as hub:
        threading.Thread(target=_telling, args=(hub,), daemon=True).start()
        serve(hub, port=0, listening=lambda port: print(port, flush=True))


def _telling(hub: Hub) -> None:
    for _ in sys.stdin:
        hub.flush()
        print(wall.process_time_ns(), flush=True)
    os._exit(0)


class Server:
    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process
        self.port = int(self._line())

    def cpu(self) -> int:
        """Nanoseconds, all that was asked so far written down."""
        assert self._process.stdin is not None
        self._process.stdin.write("\n")
        self._process.stdin.flush()
        return int(self._line())

    def _line(self) -> str:
        assert self._process.stdout is not None
        return self._process.stdout.readline()


@contextmanager
def server(database: Path) -> Iterator[Server]:
    """On the first core this process may use, which leaves that core to it if there is another."""
    cores = sorted(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else []
    program = [sys.executable, "-m", "bench.http", "--serve", str(database)]
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

    def ask(self, query: str) -> None:
        body = json.dumps({"customer": CUSTOMER, "query": query}).encode()
        self._socket.sendall(
            f"{self._head}Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n".encode() + body
        )

    def asked(self, queries: list[str]) -> None:
        for query in queries:
            self.ask(query)
            self.answer()

    def answer(self) -> bytes:
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
        list(hands.map(Wire.asked, wires, (queries[first :: len(wires)] for first in range(len(wires)))))


# --- figures ----------------------------------------------------------------------------------------------------------


def furnished(hub: Hub, beliefs: int) -> str:
    """The key of an agent that may read so many beliefs of a customer."""
    facts = [{"relation": "likes", "value": f"thing {n}"} for n in range(beliefs - 2)]
    facts += [{"relation": "lives_in", "value": "Hanoi"}, {"relation": "planned_trip", "value": "Da Nang"}]
    for start in range(0, len(facts), 250):
        hub.agent("mia", CUSTOMER).remember(facts=facts[start : start + 250])
    return hub.operator().rotate("atlas").key


def measured(beliefs: int = 100, recalls: int = 4_000, connections: int = 8) -> Figures:
    with tempfile.TemporaryDirectory() as folder:
        database = Path(folder) / "memory.db"
        with Hub.open(database) as hub:
            key = furnished(hub, beliefs)
            alone = _in_process(hub)
        with server(database) as at:
            wires = [Wire(at.port, key) for _ in range(connections)]
            asked(wires, BATCH)
            batches = range(0, recalls, BATCH)
            spent = [_batch(at, wires) for _ in track(batches, "recalling", console=Console(stderr=True))]
            single = _latency(wires[0])
            for wire in wires:
                wire.close()
        with Hub.open(database) as hub:
            lines = hub.operator().verify_audit().lines
    return Figures(
        beliefs=beliefs,
        recalls=recalls,
        connections=connections,
        cpu_ms=round(statistics.median(cpu for cpu, _ in spent), 3),
        per_second=round(statistics.median(rate for _, rate in spent), 1),
        latency_ms=round(single, 3),
        in_process_ms=round(alone, 3),
        audited=lines,
    )


def _batch(at: Server, wires: list[Wire]) -> tuple[float, float]:
    """CPU milliseconds a recall, and recalls a second."""
    before, began = at.cpu(), wall.perf_counter()
    asked(wires, BATCH)
    took = wall.perf_counter() - began
    return (at.cpu() - before) / BATCH / 1e6, BATCH / took


def _latency(wire: Wire) -> float:
    took = []
    for number in range(BATCH):
        began = wall.perf_counter()
        wire.ask(QUERIES[number % len(QUERIES)])
        wire.answer()
        took.append((wall.perf_counter() - began) * 1e3)
    return statistics.median(took)


def _in_process(hub: Hub) -> float:
    agent = hub.agent("atlas", CUSTOMER)
    spent = []
    for number in range(5 * BATCH):
        began = wall.process_time_ns()
        agent.recall(QUERIES[number % len(QUERIES)])
        spent.append((wall.process_time_ns() - began) / 1e6)
    return statistics.mean(spent[BATCH:])


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.http", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--beliefs", type=int, default=100)
    parser.add_argument("--recalls", type=int, default=4_000)
    parser.add_argument("--connections", type=int, default=8)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--serve", metavar="DATABASE", help=argparse.SUPPRESS)
    chosen = parser.parse_args(arguments)
    if chosen.serve:
        served(chosen.serve)
        return 0
    found = measured(chosen.beliefs, chosen.recalls, chosen.connections)
    if chosen.json:
        print(json.dumps(asdict(found)))
    else:
        table = Table("figure", "value", title="Recalls over HTTP")
        for name, value in asdict(found).items():
            table.add_row(name, str(value))
        Console().print(table)
    return 0 if found.cpu_ms <= BUDGET else 1


if __name__ == "__main__":
    sys.exit(main())
