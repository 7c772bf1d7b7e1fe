"""The stories played against the hub and against other memories, side by side.

`python -m bench.stories [PATH…]` makes an environment of its own for each system below `--environments`, and plays the
stories there. What a system has nothing to do with is skipped, and counted as that.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import venv
from dataclasses import dataclass
from pathlib import Path

import click
from rich.console import Console
from rich.table import Table

from hub.codec import encode
from hub.play.pages import Run, read_run
from hub.play.pages.run import percent

ROOT = Path(__file__).parent.parent


@dataclass(frozen=True, slots=True)
class System:
    """`needs`: what is installed beside the hub; `target`: its name in `bench.targets`, None for the hub itself."""

    name: str
    needs: tuple[str, ...] = ()
    target: str | None = None


SYSTEMS = (
    System("hub"),
    System("mem0, one drawer", ("mem0ai>=2.2",), "mem0 shared"),
    System("mem0, one an agent", ("mem0ai>=2.2",), "mem0 by_agent"),
    System("LangGraph, one namespace", ("langgraph>=1.2",), "langgraph shared"),
    System("LangGraph, one an agent", ("langgraph>=1.2",), "langgraph by_agent"),
)


def python_for(system: System, environments: Path) -> Path:
    """An interpreter with the hub and the system; raises CalledProcessError if it can't be installed."""
    if not system.needs:
        return Path(sys.executable)
    place = environments / system.needs[0].split(">")[0]
    python = place / "bin" / "python"
    if not (place / "ready").exists():
        venv.create(place, clear=True, with_pip=True)
        command = [str(python), "-m", "pip", "install", "-q", "--disable-pip-version-check", *system.needs, str(ROOT)]
        subprocess.run(command, check=True, capture_output=True, text=True)
        (place / "ready").touch()
    return python


def played(system: System, python: Path, paths: tuple[Path, ...]) -> Run:
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "run.json"
        here = ["-m", "hub.cli", "play", "--no-twin", "--report", str(report)]
        there = ["-m", "bench.targets", *str(system.target).split(), str(report)]
        command = [str(python), *(here if system.target is None else there), *map(str, paths)]
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
        if not report.exists():
            raise RuntimeError(f"{system.name} did not play: {done.stderr[-2_000:]}")
        return read_run(report)


def table(runs: dict[str, Run | str]) -> Table:
    columns = ("system", "passed", "failed", "skipped", "leaks", "controls", "recall", "nothing stale")
    shown = Table(*columns, title="The same stories")
    for name, run in runs.items():
        if isinstance(run, str):
            shown.add_row(name, f"skipped: {run}")
            continue
        figures, stories = run.summary, run.summary.stories
        shown.add_row(
            name,
            *(str(count) for count in (stories.passed, stories.failed, stories.skipped)),
            f"{figures.leaks} of {figures.leak_checks}",
            f"{figures.controls.held} of {figures.controls.made}",
            percent(figures.recall),
            percent(figures.stale),
        )
    return shown


@click.command()
@click.argument("paths", nargs=-1, type=click.Path(path_type=Path, exists=True))
@click.option("--environments", type=click.Path(path_type=Path), default=Path(".environments"), show_default=True)
@click.option("--json", "as_json", is_flag=True)
def main(paths: tuple[Path, ...], environments: Path, as_json: bool) -> None:
    """Play the stories (default: the shipped ones) against the hub and its peers."""
    runs: dict[str, Run | str] = {}
    console = Console(stderr=True)
    for system in SYSTEMS:
        with console.status(system.name):
            try:
                runs[system.name] = played(system, python_for(system, environments.resolve()), paths)
            except subprocess.CalledProcessError as error:
                runs[system.name] = f"it can't be installed: {(error.stderr or '').strip()[-200:]}"
    if as_json:
        click.echo(encode({name: run if isinstance(run, str) else run.summary for name, run in runs.items()}))
    else:
        Console().print(table(runs))


if __name__ == "__main__":
    main()
