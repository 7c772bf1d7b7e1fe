"""A run as one web page that needs nothing else: no script from elsewhere, no font, no picture."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined, Template

from hub.play.pages.markdown import figures
from hub.play.pages.run import Run, compared, counted
from hub.play.report import State

_ORDER = {State.FAILED: 0, State.SKIPPED: 1, State.PASSED: 2}


def html(run: Run, before: Run | None = None) -> str:
    return _template().render(
        run=run,
        figures=figures(run),
        earlier=dict(figures(before)) if before is not None else {},
        worse=compared(before, run) if before is not None else [],
        compared=before is not None,
        counted=counted,
        leaks=[(story, leak) for story in run.stories for leak in story.leaks],
        matrix=_matrix(run),
        languages=list(run.summary.languages),
        parts=list(dict.fromkeys(loss.part for loss in run.losses)),
        losses={(loss.part, loss.category): loss for loss in run.losses},
        stories=sorted(run.stories, key=lambda story: (_ORDER[story.state], story.category, story.id)),
    )


def _matrix(run: Run) -> dict[str, dict[str, tuple[int, int]]]:
    """Category by language: (stories passed, stories told)."""
    found: dict[str, dict[str, tuple[int, int]]] = {name: {} for name in run.summary.categories}
    for story in run.stories:
        passed, told = found[story.category].get(story.lang, (0, 0))
        found[story.category][story.lang] = (passed + (story.state is State.PASSED), told + 1)
    return found


@cache
def _template() -> Template:
    folder = FileSystemLoader(Path(__file__).parent)
    world = Environment(loader=folder, autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    return world.get_template("run.html.j2")
