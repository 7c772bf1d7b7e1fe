"""A run in Markdown, as it is put under a pull request."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from hub.play.pages.run import Run, compared, counted, percent
from hub.play.report import State, Tally


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
    return [
        ("stories passed", f"{stories.passed} of {total}"),
        ("leaks", f"{all_.leaks} in {counted(all_.leak_checks, 'check')}"),
        ("positive controls", f"{all_.controls.held} of {all_.controls.made}"),
        ("like their twin", f"{all_.twins.held} of {all_.twins.made}"),
        ("as evaluated twice", f"{all_.believed.held} of {all_.believed.made}"),
        ("recall", percent(all_.recall)),
        ("nothing stale", percent(all_.stale)),
        ("conflicts flagged", percent(all_.conflict)),
        ("right about the past", percent(all_.temporal)),
        ("recall, warm, p50 / p95", f"{_milliseconds(all_.latency_p50)} / {_milliseconds(all_.latency_p95)}"),
        ("tokens of a prompt", "–" if all_.prompt_tokens is None else f"{all_.prompt_tokens:.0f}"),
    ]


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
