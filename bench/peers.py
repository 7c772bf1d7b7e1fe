"""The same texts, the same vectors, the same searches: the hub, policy and both clocks included, beside other memories.

python -m bench.peers [--full] [--only NAME…] [--environments DIR] [--json FILE] [--chart FILE]

Each of the others gets an environment of its own, made once; one that can't be installed or does not run is skipped,
and the reason is said. `--full` takes the sizes of the design's table, and much longer.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import venv
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.progress import Progress
from rich.table import Table

from bench.charts import Chart, drawn
from bench.furnish import Cheap, pour_all, pour_turns, said
from bench.rivals import RIVALS, TOP, Work, searched
from hub.hub import Hub
from hub.view import THE_CUSTOMER

ROOT = Path(__file__).parent.parent
OUT = Path("bench/out")
ROUNDS = 50
PATIENCE = 280
"""Seconds for one system and one amount of work."""
HUBS = ("hub", "hub-turns")


@dataclass(frozen=True, slots=True)
class Peer:
    """`needs` is what is installed; `most`: more texts are too many for it unless the bench runs in full."""

    name: str
    needs: tuple[str, ...]
    most: int = 1_000_000


PEERS = (
    Peer("mem0-qdrant", ("mem0ai>=2.2",), 10_000),
    Peer("mem0-chroma", ("mem0ai>=2.2", "chromadb>=1.5.9"), 10_000),
    Peer("langgraph-memory", ("langgraph>=1.2",)),
    Peer("langgraph-sqlite", ("langgraph>=1.2", "langgraph-checkpoint-sqlite", "pysqlite3-binary"), 10_000),
    Peer("graphiti-kuzu", ("graphiti-core[kuzu]", "httpx"), 1_000),
)


@dataclass(frozen=True, slots=True)
class Amount:
    users: int
    texts: int

    @property
    def name(self) -> str:
        return f"{self.texts} of one user" if self.users == 1 else f"{self.texts} over {self.users} users"


USUAL = (Amount(1, 1_000), Amount(1, 10_000), Amount(100, 10_000))
FULL = (Amount(1, 1_000), Amount(1, 10_000), Amount(1_000, 100_000))


class Given:
    """The vectors of the work, for what the hub embeds: a fact reads `likes: …`."""

    local = True
    at_once = 1_000_000

    def __init__(self, work: Work) -> None:
        self.id = f"given-{work.dimensions}"
        self._work = work

    def embed_documents(self, texts: list[str]) -> list[NDArray[np.float32]]:
        return [self.embed_query(text) for text in texts]

    def embed_query(self, text: str) -> NDArray[np.float32]:
        return self._work.row(text.removeprefix("likes: "))

    def close(self) -> None:
        pass


def prepared(folder: Path, amounts: Sequence[Amount]) -> None:
    """Texts, queries and their vectors in files: each query shares most of its words with one text."""
    embedder = Cheap()
    for number, amount in enumerate(amounts):
        users = [f"user-{n}" for n in range(amount.users)]
        texts = [(users[n % len(users)], text) for n, text in enumerate(said(amount.texts, seed=number))]
        queries = [(user, text.rsplit(" ", 1)[0]) for user, text in texts[:: max(1, len(texts) // ROUNDS)]][:ROUNDS]
        vectors = np.array([embedder.embed_query(text) for _, text in (*texts, *queries)], dtype=np.float32)
        vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
        np.save(folder / f"{number}.npy", vectors)
        (folder / f"{number}.json").write_text(json.dumps({"texts": texts, "queries": queries}), encoding="utf-8")


# --- one system ----------------------------------------------------------------------------------------------------


def hub(kind: str, folder: Path, name: str) -> dict[str, float]:
    """As the others are asked: of all threads, and the floor taken away, for they have none."""
    work = Work(folder, name)
    asker = "atlas" if kind == "hub" else "nova"
    with Hub.open(folder / f"{kind}-{name}.db", embedder=Given(work), extractor=None, view_cache=4_096) as here:
        by_user: dict[str, list[str]] = {}
        for user, text in work.texts:
            by_user.setdefault(user, []).append(text)
        if kind == "hub":
            pour_all(here, "mia", {u: [(THE_CUSTOMER, "likes", text) for text in some] for u, some in by_user.items()})
        else:
            pour_turns(here, "nova", by_user)
        here.settle()
        agents = {user: here.agent(asker, user) for user in by_user}

        def find(user: str, query: str) -> list[str]:
            return [memory.text for memory in agents[user].recall(query, limit=TOP, min_score=0.0).memories]

        for user, query in work.queries:  # as warm as the others, who keep all they have in memory
            find(user, query)
        return searched(find, work.queries, ROUNDS * 4)


def python_for(peer: Peer, environments: Path) -> Path:
    """An interpreter with the peer; raises CalledProcessError if it can't be installed."""
    place = environments / f"peers-{peer.name}"
    python = place / ("Scripts" if os.name == "nt" else "bin") / "python"
    if not (place / "ready").exists():
        venv.create(place, clear=True, with_pip=True)
        command = [str(python), "-m", "pip", "install", "-q", "--disable-pip-version-check", "numpy", *peer.needs]
        subprocess.run(command, check=True, capture_output=True, text=True)
        (place / "ready").touch()
    return python


def asked(command: list[str]) -> dict[str, float] | str:
    """The figures, or why there are none."""
    environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "PYTHONWARNINGS": "ignore"}
    try:
        done = subprocess.run(
            command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=PATIENCE, check=False
        )
    except subprocess.TimeoutExpired:
        return f"it takes longer than {PATIENCE} seconds"
    last = done.stdout.strip().split("\n")[-1]
    if done.returncode or not last.startswith("{"):
        return (done.stderr.strip().split("\n") or ["?"])[-1][:160]
    return dict(json.loads(last))


def measured(peer: Peer | str, amount: Amount, number: int, folder: Path, chosen: argparse.Namespace) -> object:
    if isinstance(peer, str):
        return asked([sys.executable, "-m", "bench.peers", "--hub", peer, str(folder), str(number)])
    if amount.texts > peer.most and not chosen.full:
        return "takes too long to fill; see --full"
    try:
        python = python_for(peer, chosen.environments.resolve())
    except subprocess.CalledProcessError as error:
        return f"it can't be installed: {(error.stderr or '').strip()[-160:]}"
    script = str(ROOT / "bench" / "rivals.py")
    return asked([str(python), "-P", script, peer.name, str(folder), str(number), str(ROUNDS)])


# --- all of them -----------------------------------------------------------------------------------------------------


def compared(chosen: argparse.Namespace) -> dict[str, dict[str, object]]:
    """By amount and system: figures, and how many times the CPU of the hub; or why it was skipped."""
    amounts = FULL if chosen.full else USUAL
    peers = [peer for peer in PEERS if not chosen.only or peer.name in chosen.only]
    found: dict[str, dict[str, object]] = {}
    with tempfile.TemporaryDirectory(prefix="peers-") as name, Progress(console=Console(stderr=True)) as progress:
        folder = Path(name)
        task = progress.add_task("preparing", total=len(amounts) * (len(peers) + len(HUBS)))
        prepared(folder, amounts)
        for number, amount in enumerate(amounts):
            row = found[amount.name] = {}
            for peer in (*HUBS, *peers):
                called = peer if isinstance(peer, str) else peer.name
                progress.update(task, description=f"{called}: {amount.name}")
                row[called] = measured(peer, amount, number, folder, chosen)
                progress.advance(task)
            rated(row)
    return found


def rated(row: dict[str, object]) -> None:
    base = row["hub"]
    for figures in row.values():
        if isinstance(figures, dict) and isinstance(base, dict):
            figures["times_the_hub"] = round(figures["cpu_ms"] / base["cpu_ms"], 2)


def tables(found: dict[str, dict[str, object]]) -> Iterator[Table]:
    for amount, row in found.items():
        table = Table("memory", "CPU ms", "wall ms", "found", "× hub", title=f"{TOP} of {amount}")
        for name, figures in row.items():
            if isinstance(figures, dict):
                cells = (f"{figures[key]:.2f}" for key in ("cpu_ms", "wall_ms", "found"))
                table.add_row(name, *cells, f"{figures.get('times_the_hub', 0):.1f}")
            else:
                table.add_row(name, f"skipped: {figures}")
        yield table


def charts(found: dict[str, dict[str, object]]) -> list[Chart]:
    """CPU a search over the texts of one user."""
    lines: dict[str, list[tuple[float, float]]] = {}
    for amount, row in found.items():
        if amount.endswith("of one user"):
            for name, figures in row.items():
                if isinstance(figures, dict):
                    lines.setdefault(name, []).append((float(amount.split()[0]), figures["cpu_ms"]))
    return [Chart("the same searches", "texts of one user", "CPU ms a search", lines)]


def behind(found: dict[str, dict[str, object]]) -> list[str]:
    """Where the hub is not ahead."""
    return [
        f"{name} at {amount}"
        for amount, row in found.items()
        for name, figures in row.items()
        if name not in HUBS and isinstance(figures, dict) and figures.get("times_the_hub", 2) < 1
    ]


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.peers", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--full", action="store_true", help="100,000 texts over 1,000 users, and nobody left out")
    parser.add_argument("--only", nargs="*", choices=sorted(RIVALS), default=[], metavar="NAME")
    parser.add_argument("--environments", type=Path, default=Path(".environments"))
    parser.add_argument("--json", type=Path, default=OUT / "peers.json", metavar="FILE")
    parser.add_argument("--chart", type=Path, default=OUT / "peers.svg", metavar="FILE")
    parser.add_argument("--hub", nargs=3, help=argparse.SUPPRESS)
    chosen = parser.parse_args(arguments)
    if chosen.hub:
        print(json.dumps(hub(chosen.hub[0], Path(chosen.hub[1]), chosen.hub[2])))
        return 0
    found = compared(chosen)
    chosen.json.parent.mkdir(parents=True, exist_ok=True)
    chosen.json.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    console = Console()
    for table in tables(found):
        console.print(table)
    missing = drawn(charts(found), chosen.chart)
    console.print(f"figures in {chosen.json}, chart in {chosen.chart}" if missing is None else f"no chart: {missing}")
    late = behind(found)
    console.print(f"the hub is not ahead of {'; '.join(late)}" if late else "the hub is ahead everywhere")
    return 1 if late else 0


if __name__ == "__main__":
    sys.exit(main())
