"""Finding what is there and saying nothing where nothing is: small memories in four languages, asked both ways.

    python -m bench.abstain [--half tune|report|both] [--embedder NAME] [--misses] [--json]

The questions of bench/abstain.yaml are answered from a few facts and turns, or can't be. Found: a right memory is among
the first five. Silent: nothing but core facts that come along. The area under the curve (ROC) is over the best score of
each answer without the floor, right or wrong. The constants of recall were chosen on one half; the other is reported,
and how far `confidence` may be believed is, for both: of the answers that say 80 percent, 80 percent should be right.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from rich.console import Console
from rich.progress import track
from rich.table import Table

from hub.answers import Memory, Recalled
from hub.documents import parse
from hub.hub import Agent, Hub

FILE = Path(__file__).with_name("abstain.yaml")
KINDS = ("answerable", "unknown", "strange")
LIMIT = 5
LEAST_FOUND, LEAST_SILENT = 85.0, 85.0
"""Percent of the answerable found, and of the strange left unanswered, on the half not tuned on, to pass."""


# --- reading -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Question:
    """`right` are the names of what answers it; none if nothing does."""

    lang: str
    half: str
    kind: str
    text: str
    right: frozenset[str]


@dataclass(frozen=True)
class Story:
    lang: str
    half: str
    facts: Mapping[str, list[object]]
    turns: Mapping[str, str]
    questions: tuple[Question, ...]


def stories(file: Path = FILE) -> Iterator[Story]:
    read = parse(file.read_text(encoding="utf-8"), file.name)
    assert isinstance(read, list), "a list of stories"
    for one in read:
        lang, half = one["lang"], one["half"]
        asked = [Question(lang, half, "answerable", text, frozenset(right)) for text, right in one["asked"].items()]
        for kind in ("unknown", "strange"):
            asked += [Question(lang, half, kind, str(text), frozenset()) for text in one[kind]]
        yield Story(lang, half, one["facts"], one["turns"], tuple(asked))


# --- asking ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Found:
    """What came of a question: whether the right memory, how many by their own merit, and the best score of any."""

    question: Question
    right: bool
    told: tuple[str, ...]
    level: str
    sure: float
    best: float


def told(story: Story, agent: Agent) -> dict[str, str]:
    """Remembers a story; the id of every memory -> its name in it."""
    names: dict[str, str] = {}
    for name, text in story.turns.items():
        turn = agent.remember(text, session="a talk", lang=story.lang).turn
        assert turn is not None, "a turn was sent"
        names[turn.id] = name
    for name, fact in story.facts.items():
        (receipt,) = agent.remember(facts=[_fact(story, fact)], lang=story.lang).facts
        names[receipt.id] = name
    return names


def _fact(story: Story, fact: list[object]) -> dict[str, object]:
    relation, content, *about = fact
    of = {"subject": story.facts[str(about[0])][1]} if about else {}
    return {"relation": relation, ("object" if isinstance(content, dict) else "value"): content, **of}


def asked(agent: Agent, question: Question, names: Mapping[str, str]) -> Found:
    answer, unfloored = (agent.recall(question.text, limit=LIMIT, min_score=least) for least in (None, 0.0))
    own = [memory for memory in _all(answer) if memory.score]
    return Found(
        question=question,
        right=any(names.get(memory.id) in question.right for memory in own),
        told=tuple(f"{memory.text} ({memory.score:.2f})" for memory in own),
        level=answer.confidence.level,
        sure=answer.confidence.score,
        best=max((memory.score for memory in _all(unfloored)), default=0.0),
    )


def _all(answer: Recalled) -> tuple[Memory, ...]:
    return (*answer.memories, *answer.upcoming)


def run(story: Story, embedder: str) -> list[Found]:
    with Hub.open(embedder=embedder, extractor=None) as hub:
        agent = hub.agent("mia", "one")
        names = told(story, agent)
        return [asked(agent, question, names) for question in story.questions]


# --- reporting ---------------------------------------------------------------------------------------------------


def figures(found: Iterable[Found]) -> dict[str, object]:
    """Percent; `roc` is the chance that an answerable question has a better score than one that is not."""
    found = list(found)
    by_kind = {kind: [one for one in found if one.question.kind == kind] for kind in KINDS}
    silent = [one for one in found if not one.told]
    mute = {kind: _percent(not one.told for one in some) for kind, some in by_kind.items()}
    return {
        "questions": len(found),
        "found": _percent(one.right for one in by_kind["answerable"]),
        "silent_on_strange": mute["strange"],
        "silent_on_unknown": mute["unknown"],
        "unsure_of_unknown": _percent(one.level in ("none", "low") for one in by_kind["unknown"]),
        "silence_precision": _percent(one.question.kind != "answerable" for one in silent),
        "roc_strange": _roc(by_kind["answerable"], by_kind["strange"]),
        "roc_unknown": _roc(by_kind["answerable"], by_kind["unknown"]),
    }


def _percent(kept: Iterable[bool]) -> float:
    kept = list(kept)
    return round(100 * sum(kept) / max(1, len(kept)), 1)


def _roc(yes: Iterable[Found], no: Iterable[Found]) -> float:
    against = [one.best for one in no]
    wins = [sum((1.0 if one.best > other else 0.5) for other in against if one.best >= other) for one in yes]
    return round(sum(wins) / max(1, len(wins) * len(against)), 3)


def report(found: Iterable[Found]) -> dict[str, dict[str, object]]:
    found = list(found)
    parts = {half: [one for one in found if one.question.half == half] for half in ("tune", "report")}
    parts |= {
        f"report, {lang}": [one for one in parts["report"] if one.question.lang == lang]
        for lang in dict.fromkeys(one.question.lang for one in found)
    }
    return {name: figures(part) for name, part in parts.items() if part}


LEVELS = ("high", "medium", "low")
_BINS = (0.0, 0.45, 0.6, 0.75, 0.9, 0.95, 1.0)


def reliability(found: Iterable[Found]) -> dict[str, dict[str, object]]:
    """What answers of each level, and of each stretch of `confidence.score`, said of themselves, and what was right."""
    told = [one for one in found if one.told]
    parts = {level: [one for one in told if one.level == level] for level in LEVELS}
    parts |= {
        f"{low:.2f} to {high:.2f}": [one for one in told if low < one.sure <= high] for low, high in pairwise(_BINS)
    }
    return {name: _held(part) for name, part in parts.items()}


def _held(answers: Sequence[Found]) -> dict[str, object]:
    said = sum(one.sure for one in answers) / max(1, len(answers))
    return {"answers": len(answers), "said": round(100 * said, 1), "right": _percent(one.right for one in answers)}


def misses(found: Iterable[Found]) -> Iterator[str]:
    for one in found:
        wrong = not one.right if one.question.right else bool(one.told)
        if wrong:
            yield f"{one.question.half} {one.question.kind}: {one.question.text} -> {'; '.join(one.told) or 'nothing'}"


def reached(figures_: Mapping[str, Mapping[str, object]]) -> bool:
    held_out = figures_.get("report", {})
    kept = (("found", LEAST_FOUND), ("silent_on_strange", LEAST_SILENT))
    return all(float(str(held_out.get(name, 0.0))) >= least for name, least in kept)


def _reliability_table(parts: Mapping[str, Mapping[str, Mapping[str, object]]]) -> Table:
    columns = [f"{half}: {name}" for half in parts for name in ("answers", "said", "right")]
    table = Table("confidence", *columns, title="What answers say of themselves, and what is right, in percent")
    for name in next(iter(parts.values())):
        table.add_row(name, *(str(figure) for half in parts.values() for figure in half[name].values()))
    return table


def _table(figures_: Mapping[str, Mapping[str, object]], embedder: str) -> Table:
    names = next(iter(figures_.values()))
    title = f"What is found, and where nothing is ({embedder})"
    table = Table("", *(name.replace("_", " ") for name in names), title=title)
    for name, part in figures_.items():
        table.add_row(name, *(str(figure) for figure in part.values()))
    return table


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.abstain", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--half", choices=("tune", "report", "both"), default="both")
    parser.add_argument("--embedder", default="sentence", help="sentence (default), e5, hashing or none")
    parser.add_argument("--misses", action="store_true", help="name every question that went wrong")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args(arguments)
    wanted = [story for story in stories() if options.half in ("both", story.half)]
    shown = track(wanted, "asking", console=Console(stderr=True))
    found = [one for story in shown for one in run(story, options.embedder)]
    if options.misses:
        print("\n".join(misses(found)))
    measured, halves = report(found), dict.fromkeys(one.question.half for one in found)
    held = {half: reliability(one for one in found if one.question.half == half) for half in halves}
    if options.json:
        print(json.dumps({**measured, "reliability": held}, indent=2))
    else:
        Console().print(_table(measured, options.embedder), _reliability_table(held))
    return 0 if options.half == "tune" or reached(measured) else 1


if __name__ == "__main__":
    sys.exit(main())
