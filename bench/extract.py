"""What the rules claim of texts that nobody wrote rules for: every claim, for a human to judge, and the speed.

    python -m bench.extract PATH… [--turns N] [--all] [--json]

Each PATH is a (gzipped) JSONL file of dialogues in the form of the README; of each file the turns of N customers are
read (300; `--all`: every turn of every customer), evenly spread over the file. A claim that the text does not bear out
is false, also where the text only supposes, asks or quotes it; how many there are a human has to say.
"""

from __future__ import annotations

import argparse
import gzip
import json
import statistics
import sys
import time as wall
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from rich.console import Console

from bench import a_file
from hub.extract import Extractor, Heard
from hub.extract.rules import Rules
from hub.extract.sentences import sentences
from hub.facts import Instant
from hub.hub import shipped_words
from hub.moments import instant
from hub.registry import kind_words
from hub.requests import Fact
from hub.text import lang_of

SAID_AT = instant("2026-07-01T09:00:00Z")


@dataclass
class Figures:
    """`spent`: CPU milliseconds a sentence, one entry a turn."""

    turns: int = 0
    sentences: int = 0
    claims: list[tuple[str, Heard]] = field(default_factory=list)
    spent: list[float] = field(default_factory=list)

    def plain(self) -> dict[str, object]:
        return {
            "turns": self.turns,
            "sentences": self.sentences,
            "claims": len(self.claims),
            "claims_per_100_sentences": round(100 * len(self.claims) / max(1, self.sentences), 2),
            "ms_per_sentence": {
                "median": round(statistics.median(self.spent), 4),
                "p95": round(sorted(self.spent)[int(len(self.spent) * 0.95)], 4),
            },
        }


def customers(path: Path) -> Iterator[str]:
    """The turns of customers, in the order of the file."""
    opened = gzip.open if path.suffix == ".gz" else open
    with opened(path, "rt", encoding="utf-8") as file:
        for line in file:
            for number, turn in enumerate(json.loads(line)["turns"]):
                if isinstance(turn, str):
                    if number % 2 == 0:
                        yield turn
                elif turn[0] == "U":
                    yield turn[1]


def spread(turns: list[str], count: int) -> list[str]:
    """`count` of them, evenly spread."""
    count = min(count, len(turns))
    return [turns[number * len(turns) // count] for number in range(count)]


def measured(extractor: Extractor, turns: list[str], said_at: Instant = SAID_AT) -> Figures:
    figures = Figures()
    extractor.read("My name is Ann. Tôi tên là An.", lang="en", said_at=said_at, zone="UTC")  # compiles the packs
    for turn in turns:
        number = max(1, len(list(sentences(turn))))
        began = wall.thread_time_ns()
        reading = extractor.read(turn, lang=lang_of(turn), said_at=said_at, zone="UTC")
        figures.spent.append((wall.thread_time_ns() - began) / 1e6 / number)
        figures.turns += 1
        figures.sentences += number
        figures.claims += [(turn, heard) for heard in reading.heard]
    return figures


def written(fact: Fact) -> str:
    """A fact as plain as it can be said."""
    fields = fact.model_dump(exclude_unset=True, exclude_none=True, mode="json")
    return ", ".join(f"{name}: {value}" for name, value in fields.items())


def show(figures: Figures, console: Console) -> None:
    for turn, heard in figures.claims:
        console.print(f"[bold]{written(heard.fact)}[/bold]\n    {turn}", highlight=False, markup=True, soft_wrap=True)


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.extract", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("paths", nargs="+", type=a_file, help="dialogues as JSON, a line each")
    parser.add_argument("--turns", type=int, default=300)
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--json", action="store_true")
    chosen = parser.parse_args(arguments)
    extractor = Rules(kind_words(shipped_words()))
    for path in chosen.paths:
        turns = list(customers(path))
        figures = measured(extractor, turns if chosen.all else spread(turns, chosen.turns))
        if chosen.json:
            print(json.dumps({"path": path.name, **figures.plain()}))
        else:
            show(figures, Console(width=160))
            print(path.name, json.dumps(figures.plain()))
    return 0


if __name__ == "__main__":
    sys.exit(main())
