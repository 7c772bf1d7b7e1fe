"""`hub play`: stories against a hub, with a report, a comparison and a gate."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import click
from rich.progress import Progress

from hub.cli import showing
from hub.cli.commands import as_json as json_flag
from hub.cli.commands import example
from hub.errors import HubError
from hub.hub import shipped
from hub.play import WHOLE, Ablation, Category, Inside, Report, Story, by_chance, check, files_of, load, play_all
from hub.play.over_http import Remote, Served
from hub.play.pages import Run, compared, read_run, run_of, writable, write
from hub.play.pages.markdown import figures
from hub.play.target import Target

PARTS = {
    "door": replace(WHOLE, door=False),
    "graph": replace(WHOLE, graph=False),
    "time": replace(WHOLE, as_of=False),
}
"""What can be taken away: each leaves stories that must fail then."""

a_file = click.Path(path_type=Path, dir_okay=False)
a_run = click.Path(path_type=Path, dir_okay=False, exists=True)
a_category = click.Choice([category.value for category in Category])
a_folder = click.Path(path_type=Path, exists=True, file_okay=False)


@click.command(
    epilog=example("hub play --category leakage", "hub play my-stories --policy my-policies --report run.html")
)
@click.argument("paths", nargs=-1, type=click.Path(path_type=Path, exists=True))
@click.option(
    "--category",
    "categories",
    multiple=True,
    type=a_category,
    metavar="NAME",
    help=f"Of these, the stories of a category: {', '.join(Category)}.",
)
@click.option("--policy", "policies", type=a_folder, help="Your own policies, for stories that name none.")
@click.option(
    "--http",
    is_flag=True,
    help="Against hubs served on a port here, and in process: the answers must be equal.",
)
@click.option("--url", help="Against a hub that runs elsewhere; what it can't do is skipped.")
@click.option("--admin-key", envvar="HUB_ADMIN_KEY", help="Of the hub at --url; better set HUB_ADMIN_KEY.")
@click.option("--no-door", is_flag=True, help="Everybody reads everything: leakage stories must fail.")
@click.option("--no-graph", is_flag=True, help="Without what only the walk finds.")
@click.option("--no-time", is_flag=True, help="Every question is one about the present.")
@click.option("--no-twin", is_flag=True, help="Ask no question again without what is hidden.")
@click.option("--ablations", is_flag=True, help="Play once more without each part, for the report.")
@click.option("--jobs", type=click.IntRange(1), help="Processes; by default one a core.")
@click.option("--random", "by_chance_", type=click.IntRange(1), help="Play so many stories made by chance instead.")
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True, help="Of the first of them.")
@click.option("--check", "only_check", is_flag=True, help="Read and check the stories, play nothing.")
@click.option("--report", "reports", multiple=True, type=a_file, help="FILE.html, .md, .json or .xml (JUnit).")
@click.option("--compare", type=a_run, help="A run written as JSON, to be shown beside this one.")
@click.option("--gate", type=a_run, help="As --compare; whatever is worse now is a failure.")
@json_flag
def play(
    paths: tuple[Path, ...],
    categories: tuple[str, ...],
    policies: Path | None,
    http: bool,
    url: str | None,
    admin_key: str | None,
    no_door: bool,
    no_graph: bool,
    no_time: bool,
    no_twin: bool,
    ablations: bool,
    jobs: int | None,
    by_chance_: int | None,
    seed: int,
    only_check: bool,
    reports: tuple[Path, ...],
    compare: Path | None,
    gate: Path | None,
    as_json: bool,
) -> None:
    """Play scenarios, each on a hub of its own; exit code 1 if something did not hold.

    PATHS are files or folders; default: the shipped ones.
    """
    if only_check and not _fit(paths or (shipped("scenarios"),)):
        sys.exit(1)
    stories = _stories(paths, by_chance_, seed, controls=only_check)
    stories = [story for story in stories if not categories or story.category in categories]
    if not stories:
        raise click.UsageError(f"there is no story of the category {' or '.join(categories)} among these")
    if only_check:
        click.echo(
            "1 story is fit to be played" if len(stories) == 1 else f"{len(stories)} stories are fit to be played"
        )
        return
    for file in reports:
        writable(file)
    before = None if (gate or compare) is None else read_run(gate or compare or Path())
    target, called = _target(policies, http, url, admin_key)
    left = Ablation(door=not no_door, graph=not no_graph, as_of=not no_time)
    beside = Inside(policies) if http else None
    report = _played("playing", stories, target, left, twin=not no_twin, beside=beside, jobs=jobs)
    parts = PARTS if ablations else {}
    without = {part: _played(f"no {part}", stories, target, less, jobs=jobs) for part, less in parts.items()}
    run = run_of(report, called, without)
    for file in reports:
        write(file, run, before)
    worse = [] if before is None else compared(before, run)
    _show(report, run, [str(change) for change in worse], as_json=as_json)
    if all(outcome.state == "skipped" for outcome in report.outcomes):
        raise click.UsageError("nothing was played: every story was skipped")
    sys.exit(1 if run.failed or (gate is not None and worse) else 0)


def _stories(paths: Sequence[Path], number: int | None, seed: int, *, controls: bool) -> list[Story]:
    """`controls`: a leakage story has to show that somebody could have heard; stories of others may not."""
    if number is not None:
        if paths:
            raise click.UsageError("stories made by chance are in no file: leave out the paths, or --random")
        return [by_chance(seed + one) for one in range(number)]
    stories = [story for path in paths or (shipped("scenarios"),) for story in load(path)]
    for story in stories:
        check(story, controls=controls)
    return stories


def _fit(paths: Sequence[Path]) -> bool:
    """Says what is wrong with every file, not with the first alone."""
    fit = True
    for file in (file for path in paths for file in files_of(path)):
        try:
            for story in load(file):
                check(story)
        except HubError as error:
            showing.refused(error)
            fit = False
    return fit


def _target(policies: Path | None, http: bool, url: str | None, admin_key: str | None) -> tuple[Target, str]:
    """What is played against, and what a report calls it."""
    if url is not None:
        if http or policies is not None:
            raise click.UsageError("a hub at --url has policies of its own, and is served already")
        if admin_key is None:
            raise click.UsageError("a hub at --url needs its admin key: set HUB_ADMIN_KEY")
        if not url.startswith(("http://", "https://")):
            raise click.UsageError(f"`{url}` is no address of a hub: write it as http://127.0.0.1:8080")
        return Remote(url, admin_key), "a hub at an address"
    if http:
        return Served(policies), "a hub over HTTP"
    return Inside(policies), "a hub in process"


def _played(
    name: str,
    stories: Sequence[Story],
    target: Target,
    left: Ablation,
    *,
    twin: bool = False,
    beside: Target | None = None,
    jobs: int | None,
) -> Report:
    with Progress(console=showing.console(stderr=True), transient=True) as progress:
        task = progress.add_task(name, total=len(stories))
        done = lambda: progress.advance(task)  # noqa: E731
        if isinstance(target, Remote):
            with _told_what_is_left(target):
                return play_all(stories, target, left, jobs=1, done=done)
        return play_all(stories, target, left, twin=twin, beside=beside, jobs=jobs, done=done)


@contextmanager
def _told_what_is_left(target: Remote) -> Iterator[None]:
    """However the stories end, Ctrl-C included."""
    try:
        yield
    finally:
        for name in target.left:
            click.echo(f"may be left at {target.url}: {name}", err=True)
        target.left.clear()


def _show(report: Report, run: Run, worse: Sequence[str], *, as_json: bool) -> None:
    if as_json:
        stories = [{"story": s.id, "state": s.state, "complaints": s.complaints} for s in run.stories]
        showing.show_json({"summary": run.summary, "stories": stories, "worse": worse})
        return
    for outcome in report.outcomes:
        if outcome.state != "passed":
            click.echo(f"{outcome.state}: {outcome.story.id}")
            for complaint in outcome.complaints:
                click.echo(f"    {complaint}")
    tallies = run.summary.categories.items()
    lines = [(name, str(tally.passed), str(tally.failed), str(tally.skipped)) for name, tally in tallies]
    console = showing.console()
    console.print(showing.rows("Scenarios", ("category", "passed", "failed", "skipped"), lines))
    console.print(showing.rows("Figures", ("figure", "value"), figures(run)))
    if run.losses:
        lost = [(loss.part, loss.category, f"{loss.failed} of {loss.stories}") for loss in run.losses]
        console.print(showing.rows("Without a part of the hub", ("without", "category", "fail"), lost))
    for change in worse:
        click.echo(f"worse: {change}")
    counted = run.summary.stories
    click.echo(f"{counted.passed} passed, {counted.failed} failed, {counted.skipped} skipped")
