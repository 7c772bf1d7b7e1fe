"""What a recall costs as memory grows: beliefs, customers, hidden records; cold, after a write, in the past, explained.

python -m bench.scale [--quick] [--no-http] [--json FILE] [--chart FILE]
"""

from __future__ import annotations

import argparse
import gc
import json
import math
import os
import statistics
import sys
import tempfile
import time as wall
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import cycle, islice, permutations
from pathlib import Path

from rich.console import Console
from rich.progress import Progress
from rich.table import Table

from bench.charts import Chart, drawn
from bench.furnish import Cheap, hidden, pour, pour_all, said, shared, words
from hub.door.bases import Bases
from hub.door.rules import Rulebook
from hub.hub import Agent, Hub
from hub.moments import as_datetime
from hub.vectors import Matrix, steps

ROUNDS = 200
"""Recalls of each kind; half as many where each costs milliseconds."""
AT_A_TIME = 20
OUT = Path("bench/out")

KEN, BESIDE = "kh-001", "kh-002"
COMMON, RARE = words()[:4], words()[900:1000]


@dataclass(frozen=True, slots=True)
class Sizes:
    beliefs: tuple[int, ...] = (100, 1_000, 10_000)
    customers: tuple[int, ...] = (1, 100, 1_000, 10_000)
    hidden: tuple[int, ...] = (0, 1_000, 10_000, 100_000)
    vectors: tuple[int, ...] = (1_000, 10_000, 100_000)
    crowd: int = 1_000
    """Customers of a hundred beliefs each."""
    writes: int = 300
    rounds_in_bulk: int = 7
    recalls_over_http: int = 2_000


QUICK = Sizes(
    (100, 1_000), (1, 100), (0, 1_000), (1_000,), crowd=50, writes=30, rounds_in_bulk=1, recalls_over_http=400
)
"""To see that it runs."""


@dataclass(slots=True)
class Timing:
    """Milliseconds; `cpu` of the thread that asks, `all_cpu` with what the audit costs beside, on average."""

    cpu: list[float] = field(default_factory=list)
    wall: list[float] = field(default_factory=list)

    def add(self, other: Timing) -> None:
        self.cpu += other.cpu
        self.wall += other.wall

    @property
    def median(self) -> float:
        return statistics.median(self.cpu)

    @property
    def p95(self) -> float:
        return statistics.quantiles(self.cpu, n=20)[-1]

    def plain(self) -> dict[str, float]:
        return {
            "cpu_p50": round(self.median, 4),
            "cpu_p95": round(self.p95, 4),
            "wall_p50": round(statistics.median(self.wall), 4),
        }


@dataclass(slots=True)
class Budget:
    name: str
    measured: float
    most: float | None = None
    least: float | None = None

    @property
    def kept(self) -> bool:
        return (self.most is None or self.measured <= self.most) and (self.least is None or self.measured >= self.least)


def queries() -> Iterator[str]:
    """Words of one rank or another, a name, a kind, and something that nobody knows."""
    number = 0
    while True:
        rare, common = RARE[number % len(RARE)], COMMON[number % len(COMMON)]
        yield (
            f"what about {rare} and {common}?",
            f"{rare} {RARE[(number * 7) % len(RARE)]} {number % 97}",
            "where does she live?",
            f"which model is the {rare}?",
            "the capital of Mongolia",
        )[number % 5]
        number += 1


def timed(asks: Mapping[str, Callable[[str], object]], rounds: int) -> dict[str, Timing]:
    """All are asked the same in turn, a few queries at a time: the moods of the machine fall on all of them, and each
    has its own in the caches of the processor, as if it was alone."""
    found = {name: Timing() for name in asks}
    asked = queries()
    gc.collect()
    gc.freeze()
    for turn in range(rounds // AT_A_TIME):
        some = [next(asked) for _ in range(AT_A_TIME)]
        first = turn % len(asks)
        for name, ask in islice(cycle(asks.items()), first, first + len(asks)):
            for warming in some[: AT_A_TIME // 4]:
                ask(warming)
            for query in some:
                cpu, began = wall.thread_time_ns(), wall.perf_counter_ns()
                ask(query)
                spent, took = wall.thread_time_ns() - cpu, wall.perf_counter_ns() - began
                found[name].cpu.append(spent / 1e6)
                found[name].wall.append(took / 1e6)
    gc.unfreeze()
    return found


def exponent(points: Iterable[tuple[float, float]]) -> float:
    """How fast it grows: the slope of the least squares line through the logarithms."""
    logs = [(math.log(x), math.log(y)) for x, y in points if x > 0 and y > 0]
    if len(logs) < 2:
        return float("nan")
    return statistics.linear_regression(*zip(*logs, strict=True)).slope


def rss() -> float:
    """Megabytes this process has in memory."""
    try:
        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    except OSError:
        return float("nan")
    return pages * os.sysconf("SC_PAGE_SIZE") / 2**20


@contextmanager
def opened(name: str, folder: Path) -> Iterator[Hub]:
    with Hub.open(folder / f"{name}.db", embedder=Cheap(), extractor=None) as hub:
        yield hub


def cold(hub: Hub) -> None:
    """Nothing is kept of any view; what the policy has decided is."""
    hub._door._bases = Bases(Cheap.id)


# --- what is measured --------------------------------------------------------------------------------------------


def by_beliefs(folder: Path, sizes: Sizes) -> dict[str, object]:
    """Of one customer: warm, cold, in the past, explained, right after a write; and the policy's share."""
    before = rss()
    hubs = [Hub.open(folder / f"beliefs-{count}.db", embedder=Cheap(), extractor=None) for count in sizes.beliefs]
    agents: dict[int, Agent] = {}
    for hub, count in zip(hubs, sizes.beliefs, strict=True):
        pour(hub, "mia", KEN, shared(count))
        pour(hub, "mia", BESIDE, shared(100))
        hub.settle()
        agents[count] = hub.agent("atlas", KEN)
    past = {count: as_datetime(hub._door.now()) for hub, count in zip(hubs, sizes.beliefs, strict=True)}
    warm = timed({str(count): agent.recall for count, agent in agents.items()}, ROUNDS)
    found: dict[str, object] = {"warm": {name: timing.plain() for name, timing in warm.items()}}
    found["rss_mb"] = round(rss() - before, 1)
    found["all_cpu"] = {str(count): round(_all_cpu(agent), 4) for count, agent in agents.items()}
    kinds = {}
    for count, hub in zip(sizes.beliefs, hubs, strict=True):
        agent = agents[count]
        rounds = ROUNDS if count <= 1_000 else ROUNDS // 2
        asked = {
            "present": agent.recall,
            "as_of": lambda query, agent=agent, at=past[count]: agent.recall(query, as_of=at),
            "explain": lambda query, agent=agent: agent.recall(query, explain=True),
        }
        timings = timed(asked, rounds)
        ratios = {name: round(timings[name].median / timings["present"].median, 3) for name in ("as_of", "explain")}
        kinds[str(count)] = {
            **ratios,
            "after_a_write": round(_after_a_write(hub, agent, count), 3),
            "policy_share": round(_policy_share(agent), 4),
            "cold_ms": round(_cold(hub, agent, 5 if count > 1_000 else 15), 3),
        }
    found["kinds"] = kinds
    for hub in hubs:
        hub.close()
    return found


def _all_cpu(agent: Agent) -> float:
    """Milliseconds of a recall with all that the process does beside it, on average."""
    asked, began = queries(), wall.process_time_ns()
    for _ in range(ROUNDS // 2):
        agent.recall(next(asked))
    return (wall.process_time_ns() - began) / 1e6 / (ROUNDS // 2)


def _after_a_write(hub: Hub, agent: Agent, count: int) -> float:
    """A recall right after something was recorded, divided by one that follows it: of a question asked before, by a
    processor that was awake, for whatever else is made once, or waited for, is not the write's doing."""
    asked, first, second = queries(), [], []
    mia, other = hub.agent("mia", KEN), hub.agent("atlas", BESIDE)
    for number, text in enumerate(said(60, seed=count)):
        query = next(asked)
        agent.recall(query)
        mia.remember(facts=[{"relation": "likes", "value": f"{text} anew"}])
        hub.settle()
        other.recall(query)
        for spent in (first, second):
            began = wall.thread_time_ns()
            agent.recall(query)
            spent.append(wall.thread_time_ns() - began)
        if number == 4:
            first.clear()
            second.clear()
    return statistics.median(first) / statistics.median(second)


def _policy_share(agent: Agent) -> float:
    """What clearances take of a warm recall."""
    spent = 0

    def counted(method: Callable[..., object]) -> Callable[..., object]:
        def counting(*args: object) -> object:
            nonlocal spent
            began = wall.thread_time_ns()
            try:
                return method(*args)
            finally:
                spent += wall.thread_time_ns() - began

        return counting

    originals = {name: getattr(Rulebook, name) for name in ("clearance", "clearance_then")}
    asked, whole = queries(), 0
    for name, method in originals.items():
        setattr(Rulebook, name, counted(method))
    try:
        for _ in range(ROUNDS // 2):
            began = wall.thread_time_ns()
            agent.recall(next(asked))
            whole += wall.thread_time_ns() - began
    finally:
        for name, method in originals.items():
            setattr(Rulebook, name, method)
    return spent / whole


def _cold(hub: Hub, agent: Agent, rounds: int) -> float:
    asked, spent = queries(), []
    for _ in range(rounds):
        cold(hub)
        began = wall.thread_time_ns()
        agent.recall(next(asked))
        spent.append((wall.thread_time_ns() - began) / 1e6)
    return statistics.median(spent)


def by_customers(folder: Path, sizes: Sizes) -> dict[str, object]:
    """One of a hundred beliefs beside others of ten; then all of a crowd of a hundred beliefs each, in turn."""
    found: dict[str, object] = {}
    with opened("customers", folder) as hub:
        pour(hub, "mia", KEN, shared(100))
        agent, there, beside = hub.agent("atlas", KEN), 1, {}
        for count in sizes.customers:
            pour_all(hub, "mia", {f"other-{n}": list(shared(10, seed=n)) for n in range(there, count)})
            there = max(there, count)
            hub.settle()
            beside[str(count)] = timed({"one": agent.recall}, ROUNDS)["one"].plain()
        found["beside"] = beside
    with opened("crowd", folder) as hub:
        pour_all(hub, "mia", {f"kh-{number}": list(shared(100, seed=number)) for number in range(sizes.crowd)})
        hub.settle()
        agents = [hub.agent("atlas", f"kh-{number}") for number in range(sizes.crowd)]
        for agent in agents:
            agent.recall("warm up")
        asked = {"one": agents[0].recall, "fifty": in_turn(agents[:50]), "crowd": in_turn(agents)}
        timings = timed(asked, max(ROUNDS, sizes.crowd))
        found["mix"] = {name: timing.plain() for name, timing in timings.items()}
        found["crowd"] = sizes.crowd
    return found


def in_turn(agents: Sequence[Agent]) -> Callable[[str], object]:
    turns = cycle(agents)

    def ask(query: str) -> object:
        return next(turns).recall(query)

    return ask


def by_hidden(folder: Path, sizes: Sizes) -> dict[str, object]:
    """A hundred beliefs that travel may read, beside more and more that it may not."""
    hubs = [Hub.open(folder / f"hidden-{count}.db", embedder=Cheap(), extractor=None) for count in sizes.hidden]
    asks: dict[str, Callable[[str], object]] = {}
    for hub, count in zip(hubs, sizes.hidden, strict=True):
        pour(hub, "mia", KEN, shared(100))
        pour(hub, "sage", KEN, hidden(count))
        hub.settle()
        asks[str(count)] = hub.agent("atlas", KEN).recall
    timings = {name: Timing() for name in asks}
    for order in permutations(asks):  # who comes when is worth some percent, and where in memory a view comes to lie
        for hub in hubs:
            cold(hub)
        for name, timing in timed({name: asks[name] for name in order}, AT_A_TIME * len(asks)).items():
            timings[name].add(timing)
    for hub in hubs:
        hub.close()
    return {name: timing.plain() for name, timing in timings.items()}


def writes(folder: Path, sizes: Sizes) -> dict[str, float]:
    """A second: remembers of one fact each, committed before the answer; records poured past the desk; claims in bulk.
    Per second of wall time, and of CPU time without waiting for the disk."""
    found: dict[str, float] = {}
    with opened("writes", folder) as hub:
        texts = said(sizes.writes + 1)
        mia = hub.agent("mia", KEN)
        mia.remember(facts=[{"relation": "likes", "value": next(texts)}])
        cpu, began = wall.thread_time(), wall.perf_counter()
        for text in texts:
            mia.remember(facts=[{"relation": "likes", "value": text}])
        found["remember_per_second"] = round(sizes.writes / (wall.perf_counter() - began), 1)
        found["remember_per_cpu_second"] = round(sizes.writes / (wall.thread_time() - cpu), 1)
        cpu = wall.thread_time()
        pour(hub, "mia", "poured", shared(sizes.writes * 10))
        found["poured_per_cpu_second"] = round(sizes.writes * 10 / (wall.thread_time() - cpu), 1)
        began = wall.perf_counter()
        hub.settle()
        found["vectors_followed_after_s"] = round(wall.perf_counter() - began, 2)
    return found | in_bulk(folder, sizes)


def in_bulk(folder: Path, sizes: Sizes) -> dict[str, float]:
    """Claims a second, a hundred in a request, without vectors: sent one after another, and imported from lines; the
    medians of rounds in turn."""
    rounds: dict[str, list[tuple[float, float]]] = {"hundred": [], "import": []}
    with Hub.open(folder / "bulk.db", embedder="none", extractor=None) as hub:
        for turn in range(sizes.rounds_in_bulk + 1):
            for name, act in (("hundred", _sent), ("import", _imported)):
                facts = [{"relation": "likes", "value": text} for text in said(sizes.writes * 10, seed=turn)]
                requests = {f"{name}-{turn}-{n}": facts[n : n + 100] for n in range(0, len(facts), 100)}
                cpu, began = wall.thread_time(), wall.perf_counter()
                act(hub, requests)
                spent, took = wall.thread_time() - cpu, wall.perf_counter() - began
                rounds[name] += [(len(facts) / took, len(facts) / spent)] if turn else []
    found = {}
    for name, figures in rounds.items():
        per_second, per_cpu_second = (statistics.median(some) for some in zip(*figures, strict=True))
        found |= {f"{name}_per_second": round(per_second, 1), f"{name}_per_cpu_second": round(per_cpu_second, 1)}
    return found


def _sent(hub: Hub, requests: Mapping[str, list[dict[str, str]]]) -> None:
    for customer, facts in requests.items():
        hub.agent("mia", customer).remember(facts=facts)


def _imported(hub: Hub, requests: Mapping[str, list[dict[str, str]]]) -> None:
    asked = ({"agent": "mia", "customer": customer, "facts": facts} for customer, facts in requests.items())
    hub.operator().load(map(json.dumps, asked))


def vectors(sizes: Sizes) -> dict[str, float]:
    """Milliseconds to compare a query with every vector of a view, exactly."""
    found = {}
    embedder = Cheap()
    query = steps(embedder.embed_query("what about it"))
    for count in sizes.vectors:
        matrix = Matrix()
        for start in range(0, count, 10_000):
            some = [steps(embedder.embed_query(text)) for text in said(min(10_000, count - start), seed=start)]
            matrix.put(range(start, start + len(some)), some)
        spent = []
        for _ in range(9):
            began = wall.thread_time_ns()
            matrix.nearness(query, count).best(64)
            spent.append((wall.thread_time_ns() - began) / 1e6)
        found[str(count)] = round(statistics.median(spent), 3)
    return found


def embedding() -> float:
    """Milliseconds that the default embedder takes for a query: this is measured apart from all recalls here."""
    from hub.embed import SentenceEmbedder

    embedder, spent = SentenceEmbedder(), []
    for query in (
        "warm up",
        "Where does she live?",
        "book a flight to Da Nang",
        "여행 가요?",
        "any news?",
    ) * 4:
        began = wall.thread_time_ns()
        embedder.embed_query(query)
        spent.append((wall.thread_time_ns() - began) / 1e6)
    embedder.close()
    return round(statistics.median(spent[5:]), 3)


def over_http(sizes: Sizes) -> dict[str, object]:
    """CPU milliseconds of the server for a recall at a hundred beliefs, the query's vector given or made."""
    from bench.http import measured

    found: dict[str, object] = {}
    for embedder in ("given", "default"):
        figures = measured(embedder, recalls=sizes.recalls_over_http)
        found |= {f"{embedder}_cpu_ms": figures.cpu_ms, f"{embedder}_in_process_ms": figures.in_process_ms}
        found |= {f"{embedder}_latency_ms": figures.latency_ms}
    return found


# --- what is made of it ------------------------------------------------------------------------------------------


def curve(figures: Mapping[str, Mapping[str, float]]) -> list[tuple[float, float]]:
    return [(float(size), figure["cpu_p50"]) for size, figure in figures.items()]


def exponents(figures: Mapping[str, object]) -> dict[str, float]:
    beliefs = figures["beliefs"]
    curves = {
        "recall_by_beliefs": curve(beliefs["warm"]),
        "cold_by_beliefs": [(float(n), kind["cold_ms"]) for n, kind in beliefs["kinds"].items()],
        "recall_by_customers": curve(figures["customers"]["beside"]),
        "recall_by_hidden": [(n + 1, ms) for n, ms in curve(figures["hidden"])],
        "nearness_by_vectors": [(float(n), ms) for n, ms in figures["vectors"].items()],
    }
    return {name: round(exponent(points), 3) for name, points in curves.items()}


def budgets(figures: Mapping[str, object]) -> list[Budget]:
    warm, kinds = figures["beliefs"]["warm"], figures["beliefs"]["kinds"]
    mix, beside = figures["customers"]["mix"], list(curve(figures["customers"]["beside"]))
    concealed = [ms for _, ms in curve(figures["hidden"])]
    found = [Budget(f"recall at {n}, CPU ms", warm[n]["cpu_p50"], most=ms) for n, ms in _RECALL.items() if n in warm]
    found += [Budget(f"p95 ÷ p50 at {n}", figure["cpu_p95"] / figure["cpu_p50"], most=4) for n, figure in warm.items()]
    for n, kind in kinds.items():
        found += [
            Budget(f"as-of ÷ present at {n}", kind["as_of"], most=1.5),
            Budget(f"explain ÷ plain at {n}", kind["explain"], most=1.2),
            Budget(f"after a write ÷ warm at {n}", kind["after_a_write"], most=2),
            Budget(f"policy's share at {n}", kind["policy_share"], most=0.05),
        ]
    if "1000" in kinds:
        found.append(Budget("cold view at 1000, CPU ms", kinds["1000"]["cold_ms"], most=25))
    found += [
        Budget("hidden records, most ÷ none", max(concealed) / concealed[0], most=1.05),
        Budget("customers, most ÷ one", max(ms for _, ms in beside) / beside[0][1], most=1.5),
        Budget("fifty customers in turn ÷ one", mix["fifty"]["cpu_p50"] / mix["one"]["cpu_p50"], most=1.5),
        Budget("a crowd in turn ÷ one", mix["crowd"]["cpu_p50"] / mix["one"]["cpu_p50"], most=1.5),
        Budget("remembers a second", figures["writes"]["remember_per_second"], least=500),
        Budget("claims a second in bulk", figures["writes"]["import_per_second"], least=10_000),
    ]
    if "100000" in figures["vectors"]:
        found.append(Budget("100000 vectors compared, CPU ms", figures["vectors"]["100000"], most=25))
    if figures.get("http"):
        found += [
            Budget("recalls a second over HTTP, vector given", 1e3 / figures["http"]["given_cpu_ms"], least=1_000),
            Budget("recalls a second over HTTP", 1e3 / figures["http"]["default_cpu_ms"], least=250),
        ]
    return found


_RECALL = {"100": 0.5, "1000": 1.5, "10000": 10.0}


def charts(figures: Mapping[str, object]) -> list[Chart]:
    beliefs, customers = figures["beliefs"], figures["customers"]
    cold_curve = [(float(n), kind["cold_ms"]) for n, kind in beliefs["kinds"].items()]
    return [
        Chart(
            "beliefs of one customer",
            "beliefs",
            "CPU ms a recall",
            {"warm": curve(beliefs["warm"]), "cold": cold_curve},
            [(float(n), ms) for n, ms in _RECALL.items()],
        ),
        Chart(
            "what else the hub holds (a hundred beliefs)",
            "others",
            "CPU ms a recall",
            {"hidden records": curve(figures["hidden"]), "customers": curve(customers["beside"])},
        ),
        Chart(
            "exact comparison of vectors",
            "vectors",
            "CPU ms a query",
            {"512 dimensions": [(float(n), ms) for n, ms in figures["vectors"].items()]},
            [(100_000, 25.0)],
        ),
    ]


def shown(figures: Mapping[str, object], kept: Sequence[Budget]) -> Iterator[Table]:
    warm = Table("beliefs", "CPU p50", "CPU p95", "wall p50", "cold", "as-of", "explain", "after a write", "policy")
    for n, figure in figures["beliefs"]["warm"].items():
        kind = figures["beliefs"]["kinds"][n]
        ratios = (f"× {kind['as_of']:.2f}", f"× {kind['explain']:.2f}", f"× {kind['after_a_write']:.2f}")
        times = (f"{figure[name]:.3f}" for name in ("cpu_p50", "cpu_p95", "wall_p50"))
        warm.add_row(n, *times, f"{kind['cold_ms']:.1f}", *ratios, f"{kind['policy_share']:.1%}")
    warm.title = "One customer, milliseconds a recall"
    yield warm
    others = Table("beside", "how many", "CPU p50", title="A hundred beliefs, milliseconds a recall")
    for name, part in (("hidden records", figures["hidden"]), ("customers", figures["customers"]["beside"])):
        for n, figure in part.items():
            others.add_row(name, n, f"{figure['cpu_p50']:.3f}")
    for name, figure in figures["customers"]["mix"].items():
        others.add_row("asked in turn", name, f"{figure['cpu_p50']:.3f}")
    yield others
    rest = Table("figure", "value", title="Writes, vectors, and how fast it grows")
    for part in ("writes", "vectors", "exponents", "http"):
        for name, value in (figures.get(part) or {}).items():
            rest.add_row(f"{part}: {name}", str(value))
    for name in ("embedding_ms", "rss_mb", "seconds"):
        rest.add_row(name, str(figures[name]))
    yield rest
    table = Table("budget", "measured", "limit", "", title="Budgets")
    for budget in kept:
        limit = f"≤ {budget.most:g}" if budget.most is not None else f"≥ {budget.least:g}"
        table.add_row(budget.name, f"{budget.measured:.3f}", limit, "" if budget.kept else "[red]missed")
    yield table


def measured(sizes: Sizes, *, http: bool) -> dict[str, object]:
    before = rss()
    parts: dict[str, Callable[[Path], object]] = {
        "beliefs": lambda folder: by_beliefs(folder, sizes),
        "customers": lambda folder: by_customers(folder, sizes),
        "hidden": lambda folder: by_hidden(folder, sizes),
        "writes": lambda folder: writes(folder, sizes),
        "vectors": lambda _: vectors(sizes),
        "embedding_ms": lambda _: embedding(),
        "http": lambda _: over_http(sizes) if http else None,
    }
    figures: dict[str, object] = {}
    seconds: dict[str, float] = {}
    with Progress(console=Console(stderr=True)) as progress:
        task = progress.add_task("measuring", total=len(parts))
        for name, measure in parts.items():
            progress.update(task, description=name)
            began = wall.perf_counter()
            with tempfile.TemporaryDirectory(prefix="scale-") as folder:
                figures[name] = measure(Path(folder))
            seconds[name] = round(wall.perf_counter() - began, 1)
            progress.advance(task)
    figures["exponents"] = exponents(figures)
    figures["rss_mb"] = {"idle": round(before, 1), "views": figures["beliefs"]["rss_mb"], "end": round(rss(), 1)}
    figures["seconds"] = {**seconds, "all": round(sum(seconds.values()), 1)}
    return figures


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.scale", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--quick", action="store_true", help="small sizes, to see that it runs")
    parser.add_argument("--no-http", action="store_true")
    parser.add_argument("--json", type=Path, default=OUT / "scale.json", metavar="FILE")
    parser.add_argument("--chart", type=Path, default=OUT / "scale.svg", metavar="FILE")
    chosen = parser.parse_args(arguments)
    figures = measured(QUICK if chosen.quick else Sizes(), http=not chosen.no_http)
    kept = budgets(figures)
    figures["budgets"] = {b.name: {"measured": round(b.measured, 4), "kept": b.kept} for b in kept}
    chosen.json.parent.mkdir(parents=True, exist_ok=True)
    chosen.json.write_text(json.dumps(figures, indent=1) + "\n", encoding="utf-8")
    console = Console()
    for table in shown(figures, kept):
        console.print(table)
    missing = drawn(charts(figures), chosen.chart)
    console.print(f"figures in {chosen.json}, chart in {chosen.chart}" if missing is None else f"no chart: {missing}")
    return 0 if all(budget.kept for budget in kept) else 1


if __name__ == "__main__":
    sys.exit(main())
