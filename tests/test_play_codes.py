"""The codes that stories may expect are those that the hub has, all of them and no others."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from hub.play.codes import CODES
from tests.sources import Source, last_name, read_house

ERRORS = {"HubError", "Incorrect", "Denied", "Missing", "Conflict", "Fault", "TooMany"}
SOURCES = [source for source in read_house().sources if source.path != "play/codes.py"]


def test_every_error_the_hub_raises_has_a_code_that_stories_may_expect():
    raised = {code for source in SOURCES for code in codes_of(source)}
    assert len(raised) > 100
    assert raised - CODES == set()


def test_no_story_may_expect_a_code_that_is_nowhere():
    written = {text for source in SOURCES for node in ast.walk(source.tree) for text in constant(node)}
    assert CODES - written == set()


def codes_of(source: Source) -> Iterator[str]:
    """First arguments of errors, and whatever says `code=`; a name stands for the constants of that name."""
    for call in ast.walk(source.tree):
        if isinstance(call, ast.Call):
            named = [word.value for word in call.keywords if word.arg == "code"]
            first = call.args[:1] if is_error(call.func) else []
            for node in (*named, *first):
                yield from constant(node)
                yield from NAMED.get(last_name(node) or "", ())


def is_error(called: ast.expr) -> bool:
    """Or what an error hands to the error it is a kind of."""
    return last_name(called) in ERRORS or ast.unparse(called) == "super().__init__"


def constant(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield node.value


def constants() -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for source in SOURCES:
        for node in source.tree.body:
            if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
                found.setdefault(node.targets[0].id, set()).update(constant(node.value))
    return found


NAMED = constants()
