"""Many stories at once, each on a system of its own, in as many processes as there is room for."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from multiprocessing import get_context

from hub.play.player import HERE, WHOLE, Ablation, play
from hub.play.report import Outcome, Report
from hub.play.story import Story
from hub.play.target import Target

FEW = 8
"""So few stories are played sooner than another process is there to help."""


def play_all(
    stories: Sequence[Story],
    target: Target = HERE,
    ablation: Ablation = WHOLE,
    *,
    twin: bool = False,
    beside: Target | None = None,
    jobs: int | None = None,
    done: Callable[[], object] = lambda: None,
) -> Report:
    """What became of them, in their own order; `done` is called after each. `jobs` None: one a core."""
    one = partial(play, target=target, ablation=ablation, twin=twin, beside=beside)
    workers = min(jobs or os.cpu_count() or 1, len(stories) // FEW or 1)
    if workers == 1:
        return _gathered(map(one, stories), done)
    with ProcessPoolExecutor(workers, get_context("spawn")) as pool:
        return _gathered(pool.map(one, stories), done)


def _gathered(reports: Iterable[Report], done: Callable[[], object]) -> Report:
    outcomes: list[Outcome] = []
    for report in reports:
        outcomes += report.outcomes
        done()
    return Report(tuple(outcomes))
