"""A run as one web page that needs nothing else: no script from elsewhere, no font, no picture."""

from __future__ import annotations

from functools import cache, partial
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined, Template

from hub.play.pages.markdown import BELIEVED, CONTROLS, LEAKS, MEANINGS, STORIES, TWINS, figures
from hub.play.pages.run import Loss, Run, compared, counted
from hub.play.report import State

PROOFS = {"door": "leakage", "graph": "multi_hop", "time": "temporal"}
"""The stories that prove a part of the hub."""

_ORDER = {State.FAILED: 0, State.SKIPPED: 1, State.PASSED: 2}


def html(run: Run, before: Run | None = None) -> str:
    return _template().render(
        run=run,
        figures=figures(run),
        earlier=dict(figures(before)) if before is not None else {},
        worse=compared(before, run) if before is not None else [],
        compared=before is not None,
        counted=counted,
        anchors={story.id: f"story-{number}" for number, story in enumerate(run.stories, 1)},
        meanings=MEANINGS,
        tone=partial(_tone, run),
        weight=_weight,
        leaks=[(story, leak) for story in run.stories for leak in story.leaks],
        matrix=_matrix(run),
        languages=list(run.summary.languages),
        parts=list(dict.fromkeys(loss.part for loss in run.losses)),
        losses={(loss.part, loss.category): loss for loss in run.losses},
        stories=sorted(run.stories, key=lambda story: (_ORDER[story.state], story.category, story.id)),
    )


def _matrix(run: Run) -> dict[str, dict[str, tuple[int, int]]]:
    """Category by language, and by none for all: (stories passed, stories told)."""
    found: dict[str, dict[str, tuple[int, int]]] = {name: {} for name in run.summary.categories}
    for story in run.stories:
        for lang in (story.lang, ""):
            passed, told = found[story.category].get(lang, (0, 0))
            found[story.category][lang] = (passed + (story.state is State.PASSED), told + 1)
    return found


def _tone(run: Run, name: str) -> str:
    """Whether a figure says by itself that something is wrong, or that all is well."""
    figures = run.summary
    wrong = {STORIES: figures.stories.failed, LEAKS: figures.leaks}
    for rated, rate in ((CONTROLS, figures.controls), (TWINS, figures.twins), (BELIEVED, figures.believed)):
        if rate.made:
            wrong[rated] = rate.made - rate.held
    return "" if name not in wrong else "bad" if wrong[name] else "good"


def _weight(part: str, category: str, loss: Loss | None) -> str:
    """How much a loss says: the stories that prove a part must all fail without it."""
    if loss is None or PROOFS.get(part) != category:
        return "none" if loss is None or not loss.failed else ""
    return "must" if loss.failed == loss.stories else "some"


@cache
def _template() -> Template:
    folder = FileSystemLoader(Path(__file__).parent)
    world = Environment(loader=folder, autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    return world.get_template("run.html.j2")
