"""Long conversations: how many of the turns that answer a question are among the first five and ten of a recall.

    python -m bench.locomo PATH [--limit N] [--questions N] [--embedder NAME] [--floor] [--keep DIR] [--json]

PATH is the (gzipped) file of LoCoMo (snap-research, CC BY-NC 4.0: for measuring, not for shipping). Every turn is
remembered as a turn, `speaker: text`, said at the hour of its session; pictures are left out. A question finds as much
as the share of its evidence that is recalled; questions without evidence are left out. The ranker was tuned on every
second conversation from the first on; what it was not tuned on is reported beside it.
"""

from __future__ import annotations

import argparse
import gzip
import json
import re
import sys
import time as wall
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory

from rich.console import Console
from rich.progress import Progress
from rich.table import Table

from bench import a_file
from hub.hub import Agent, Hub

DEPTHS = (5, 10)
CATEGORIES = {1: "several turns", 2: "time", 3: "common sense", 4: "one turn", 5: "not so asked"}
BAR = {5: 68.0, 10: 76.0}
"""Percent over all questions, without the floor, that make the bench pass."""

_EVIDENCE = re.compile(r"D:?(\d+):(\d+)")
_HOUR = "%I:%M %p on %d %B, %Y"


# --- reading -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Said:
    id: str
    text: str
    session: str
    at: datetime


@dataclass(frozen=True)
class Question:
    text: str
    category: int
    evidence: frozenset[str]


@dataclass(frozen=True)
class Conversation:
    id: str
    turns: tuple[Said, ...]
    questions: tuple[Question, ...]


def conversations(path: Path) -> Iterator[Conversation]:
    opened = gzip.open if path.suffix == ".gz" else open
    with opened(path, "rt", encoding="utf-8") as file:
        read = json.load(file)
    for one in read:
        questions = tuple(_questions(one["qa"]))
        yield Conversation(one["sample_id"], tuple(_turns(one["conversation"])), questions)


def _turns(sessions: Mapping[str, object]) -> Iterator[Said]:
    for number in range(1, len(sessions)):
        name = f"session_{number}"
        said = sessions.get(name)
        if isinstance(said, list):
            at = datetime.strptime(str(sessions[f"{name}_date_time"]).upper(), _HOUR).replace(tzinfo=UTC)
            yield from (Said(t["dia_id"], f"{t['speaker']}: {t['text']}", name, at) for t in said)


def _questions(asked: Iterable[Mapping[str, object]]) -> Iterator[Question]:
    for one in asked:
        written = one["evidence"]
        assert isinstance(written, list), "a list of turns, however they are written"
        evidence = {f"D{session}:{int(turn)}" for part in written for session, turn in _EVIDENCE.findall(part)}
        if evidence:
            yield Question(str(one["question"]), int(str(one["category"])), frozenset(evidence))


# --- asking ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Found:
    """How much of a question's evidence was recalled, by depth."""

    conversation: str
    category: int
    shares: tuple[float, ...]
    ms: float


def remembered(agent: Agent, talk: Conversation, progress: Progress) -> dict[str, str]:
    """The hub's id of every turn -> the conversation's."""
    known: dict[str, str] = {}
    for turn in progress.track(talk.turns, description=f"{talk.id}: remembering"):
        receipt = agent.remember(turn.text, session=turn.session, said_at=turn.at)
        assert receipt.turn is not None, "a turn was sent"
        known[receipt.turn.id] = turn.id
    return known


def asked(agent: Agent, question: Question, known: Mapping[str, str], floor: float | None) -> list[float]:
    """How much of the evidence is recalled, by depth."""
    answer = agent.recall(question.text, limit=max(DEPTHS), kinds=["turn"], min_score=floor)
    found = [known[memory.id] for memory in answer.memories]
    return [len(question.evidence & set(found[:depth])) / len(question.evidence) for depth in DEPTHS]


def found(agent: Agent, talk: str, question: Question, known: Mapping[str, str], floor: float | None) -> Found:
    began = wall.perf_counter()
    shares = asked(agent, question, known, floor)
    return Found(talk, question.category, tuple(shares), (wall.perf_counter() - began) * 1000)


def run(talk: Conversation, folder: Path, options: argparse.Namespace, progress: Progress) -> list[Found]:
    file, ids = folder / f"{talk.id}.db", folder / f"{talk.id}.json"
    with Hub.open(file, embedder=options.embedder, extractor=None) as hub:
        agent = hub.agent("mia", talk.id)
        if not ids.exists():
            ids.write_text(json.dumps(remembered(agent, talk, progress)), encoding="utf-8")
        known = json.loads(ids.read_text(encoding="utf-8"))
        hub.settle()
        questions = progress.track(talk.questions[: options.questions], description=f"{talk.id}: asking")
        floor = None if options.floor else 0.0
        return [found(agent, talk.id, question, known, floor) for question in questions]


# --- reporting ---------------------------------------------------------------------------------------------------


def report(talks: Iterable[Conversation], asked_: Iterable[Found], embedder: str) -> dict[str, object]:
    found = list(asked_)
    tuned = {talk.id for number, talk in enumerate(talks) if number % 2 == 0}
    return {
        "embedder": embedder,
        "all": _figures(found),
        "tuned on": _figures(one for one in found if one.conversation in tuned),
        "held out": _figures(one for one in found if one.conversation not in tuned),
        **{name: _figures(f for f in found if f.category == number) for number, name in CATEGORIES.items()},
        "recall_ms_p50": round(sorted(one.ms for one in found)[len(found) // 2], 2),
    }


def _figures(asked_: Iterable[Found]) -> dict[str, float]:
    found = list(asked_)
    shares = {f"@{depth}": [one.shares[place] for one in found] for place, depth in enumerate(DEPTHS)}
    return {"questions": len(found)} | {
        name: round(100 * sum(all_) / max(1, len(all_)), 1) for name, all_ in shares.items()
    }


def reached(figures: dict[str, object]) -> bool:
    whole = figures["all"]
    assert isinstance(whole, dict), "figures are"
    return all(whole[f"@{depth}"] >= bar for depth, bar in BAR.items())


def _table(figures: dict[str, object]) -> Table:
    title = f"LoCoMo, evidence recalled in percent ({figures['embedder']}; {figures['recall_ms_p50']} ms a recall)"
    table = Table("", "questions", *(f"@{depth}" for depth in DEPTHS), title=title)
    for name, part in figures.items():
        if isinstance(part, dict):
            table.add_row(name, str(part["questions"]), *(str(part[f"@{depth}"]) for depth in DEPTHS))
    return table


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.locomo", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("path", type=a_file, help="locomo10.json")
    parser.add_argument("--limit", type=int, help="only so many conversations")
    parser.add_argument("--questions", type=int, help="only so many questions of each")
    parser.add_argument("--embedder", default="sentence", help="sentence (default), e5, hashing or none")
    parser.add_argument("--floor", action="store_true", help="with the relevance floor, as agents are answered")
    parser.add_argument("--keep", type=Path, help="keep what is remembered in this folder, for the next run")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args(arguments)
    talks = list(conversations(options.path))[: options.limit]
    with ExitStack() as open_, Progress(console=Console(stderr=True)) as progress:
        folder = options.keep or Path(open_.enter_context(TemporaryDirectory(prefix="bench-")))
        folder.mkdir(parents=True, exist_ok=True)
        answers = [one for talk in progress.track(talks) for one in run(talk, folder, options, progress)]
    figures = report(talks, answers, options.embedder)
    print(json.dumps(figures, indent=2)) if options.json else Console().print(_table(figures))
    return 0 if reached(figures) else 1


if __name__ == "__main__":
    sys.exit(main())
