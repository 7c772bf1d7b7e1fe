"""A run in JUnit's XML, which every CI reads."""

from __future__ import annotations

from xml.etree.ElementTree import Element, SubElement, indent, tostring

from hub.play.pages.run import Run, Told, counted
from hub.play.report import State

_UNFIT = {code: " " for code in range(32) if code not in (9, 10, 13)}
"""Signs that XML has no way to write."""


def junit(run: Run) -> str:
    stories = run.summary.stories
    total = stories.passed + stories.failed + stories.skipped
    counts = {"tests": str(total), "failures": str(stories.failed), "errors": "0", "skipped": str(stories.skipped)}
    suite = Element("testsuite", {"name": f"hub play: {run.target}", **counts})
    for story in run.stories:
        _case(suite, story)
    root = Element("testsuites")
    root.append(suite)
    indent(root)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + tostring(root, encoding="unicode") + "\n"


def _case(suite: Element, story: Told) -> None:
    case = SubElement(suite, "testcase", classname=story.category, name=story.id)
    told = "\n".join(story.complaints).translate(_UNFIT)
    if story.state is State.FAILED:
        SubElement(case, "failure", message=f"{counted(len(story.complaints), 'check')} failed").text = told
    elif story.state is State.SKIPPED:
        SubElement(case, "skipped", message=told[:200])
