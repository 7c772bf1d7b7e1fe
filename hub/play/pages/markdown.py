"""A run in Markdown, as it is put under a pull request."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from hub.play.pages.run import Run, compared, counted, percent
from hub.play.report import Rate, State, Tally

STORIES, LEAKS, CONTROLS = "stories passed", "leaks", "positive controls"
TWINS, BELIEVED = "like their twin", "as evaluated twice"

MEANINGS = {
    STORIES: "stories in which all that was expected held; a skipped one did not fail, and proves nothing",
    LEAKS: "private texts found anywhere in an answer to somebody who must not know them",
    CONTROLS: "checks by which somebody who may know was told what others must not be",
    TWINS: "questions answered, to the byte, as by the same hub without what their asker may not read",
    BELIEVED: "answers that say what a second evaluator makes of the same records",
    "recall": "texts that an answer had to hold, and held",
    "nothing stale": "texts that an answer must not hold any more, and did not",
    "conflicts flagged": "texts that had to be told as contested, and were",
    "right about the past": "checks of questions about another moment than the present",
    "recall, warm, p50": "what half of the recalls take at most, asked a second time",
    "recall, warm, p95": "what all but one recall in twenty take at most, asked a second time",
    "tokens of a prompt": "about how many tokens a recall hands to a model, on average",
}


def markdown(run: Run, before: Run | None = None) -> str:
    parts = [
        f"# Stories played against {run.target}",
        _table(("figure", "value"), figures(run)),
        _table(("category", "passed", "failed", "skipped"), _tallies(run.summary.categories)),
        _table(("language", "passed", "failed", "skipped"), _tallies(run.summary.languages)),
    ]
    if run.losses:
        lost = [(loss.part, loss.category, f"{loss.failed} of {loss.stories}") for loss in run.losses]
        parts += ["## Without a part of the hub", _table(("without", "category", "fail"), lost)]
    parts += _complaints(run)
    if before is not None:
        worse = [f"- {change}" for change in compared(before, run)]
        parts += ["## Worse than before", "\n".join(worse) or "Nothing."]
    return "\n\n".join(parts) + "\n"


def figures(run: Run) -> list[tuple[str, str]]:
    """Name and value of all that a summary counts, leaks first."""
    all_, stories = run.summary, run.summary.stories
    total = stories.passed + stories.failed + stories.skipped
    values = (
        f"{stories.passed} of {total}",
        f"{all_.leaks} in {counted(all_.leak_checks, 'check')}",
        _of(all_.controls),
        _of(all_.twins),
        _of(all_.believed),
        percent(all_.recall),
        percent(all_.stale),
        percent(all_.conflict),
        percent(all_.temporal),
        _milliseconds(all_.latency_p50),
        _milliseconds(all_.latency_p95),
        "–" if all_.prompt_tokens is None else f"{all_.prompt_tokens:.0f}",
    )
    return list(zip(MEANINGS, values, strict=True))


def _of(rate: Rate) -> str:
    return f"{rate.held} of {rate.made}" if rate.made else "–"


def _milliseconds(value: float | None) -> str:
    return "–" if value is None else f"{value:.2f} ms"


def _tallies(tallies: Mapping[str, Tally]) -> list[tuple[str, ...]]:
    return [(name, str(tally.passed), str(tally.failed), str(tally.skipped)) for name, tally in tallies.items()]


def _complaints(run: Run) -> Iterable[str]:
    for state, title in ((State.FAILED, "Failed"), (State.SKIPPED, "Skipped")):
        told = [story for story in run.stories if story.state is state]
        if told:
            lines = [f"- **{_cell(s.id)}**\n" + "\n".join(f"  - {_cell(c)}" for c in s.complaints) for s in told]
            yield f"## {title}\n\n" + "\n".join(lines)


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(map(_cell, line))} |" for line in lines)


def _cell(text: str) -> str:
    """As it stands: what stories say is no markup."""
    escaped = "".join(f"\\{sign}" if sign in "\\`*_[]<>|#" else sign for sign in text)
    return " ".join(escaped.split())
