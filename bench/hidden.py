"""What hidden records cost those who may not read them: the same recalls beside none and beside many, as a ratio.

python -m bench.hidden [--hidden N] [--json]
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import time as wall
from collections.abc import Iterator

from rich.console import Console
from rich.progress import track
from rich.table import Table

from hub.hub import Agent, Hub

VISIBLE = 100
ROUNDS = 400
BATCH = 250
QUERIES = ("where does she live?", "book a flight to Da Nang", "what does she like?", "thing 42", "any news?")
MOST = 1.2
"""How much longer a recall may take."""


def facts(relation: str, first: int, count: int) -> list[dict[str, object]]:
    return [{"relation": relation, "value": f"thing {n}"} for n in range(first, first + count)]


def furnished(hub: Hub, hidden: int) -> Agent:
    """A customer with some facts that travel may read, and many that only health may."""
    hub.agent("mia", "kh-001").remember(facts=facts("likes", 0, VISIBLE))
    sage = hub.agent("sage", "kh-001")
    for first in track(range(0, hidden, BATCH), "hiding", console=Console(stderr=True)):
        sage.remember(facts=facts("has_condition", first, min(BATCH, hidden - first)))
    return hub.agent("atlas", "kh-001")


def asked(agents: dict[str, Agent]) -> dict[str, list[float]]:
    """CPU milliseconds of each recall; the hubs take turns, so that the machine's moods fall on both."""
    spent: dict[str, list[float]] = {name: [] for name in agents}
    for query in _rounds():
        for name, agent in agents.items():
            began = wall.thread_time_ns()
            agent.recall(query)
            spent[name].append((wall.thread_time_ns() - began) / 1e6)
    return spent


def _rounds() -> Iterator[str]:
    for number in range(ROUNDS):
        yield QUERIES[number % len(QUERIES)]


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.hidden", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--hidden", type=int, default=10_000)
    parser.add_argument("--json", action="store_true")
    chosen = parser.parse_args(arguments)
    with Hub.open() as alone, Hub.open() as crowded:
        agents = {"alone": furnished(alone, 0), "crowded": furnished(crowded, chosen.hidden)}
        spent = {name: times[ROUNDS // 10 :] for name, times in asked(agents).items()}
    medians = {name: statistics.median(times) for name, times in spent.items()}
    ratio = medians["crowded"] / medians["alone"]
    figures = {"hidden": chosen.hidden, "ratio": round(ratio, 3), "ms": {n: round(m, 3) for n, m in medians.items()}}
    if chosen.json:
        print(json.dumps(figures))
    else:
        table = Table("beside", "recall, CPU median", title=f"{chosen.hidden} hidden records: × {ratio:.2f}")
        for name, median in medians.items():
            table.add_row(name, f"{median:.3f} ms")
        Console().print(table)
    return 0 if ratio <= MOST else 1


if __name__ == "__main__":
    sys.exit(main())
