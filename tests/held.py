"""What keeps a fault shut: a story or test by its name, and whether it is there."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from functools import cache

from hub.play import load
from hub.play.checking import controls
from tests.sources import ROOT


@dataclass(frozen=True)
class Story:
    """A scenario by its id. Its control: somebody who may know is told just what others must not be."""

    id: str


@dataclass(frozen=True)
class Twin:
    """A story of the twins by its name. Its control: somebody reads what the viewer never may."""

    name: str


@dataclass(frozen=True)
class ByTest:
    """A test. Its control, if one is due: a line of it, or another test of the file, by which what is right goes on."""

    path: str
    name: str
    control: str = ""


@dataclass(frozen=True)
class Planted:
    """A property over random histories, and a planted mistake that it has been seen to fail on."""

    mistake: str


Held = Story | Twin | ByTest | Planted

SCENARIOS = {story.id: story for story in load(ROOT / "scenarios")}


def shown_to_somebody(id: str) -> bool:
    """Each hidden text to another agent; where nothing is hidden but wrong, what is right."""
    story = SCENARIOS[id]
    hidden = [wanted for step in story.steps for wanted in step.expect.private]
    return any(controls(story, wanted) for wanted in hidden) or any(step.expect.shown for step in story.steps)


@cache
def function(path: str, name: str) -> str | None:
    text = (ROOT / "tests" / path).read_text(encoding="utf-8")
    found = [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.FunctionDef) and node.name == name]
    return ast.get_source_segment(text, found[0]) if found else None
