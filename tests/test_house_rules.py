"""Sizes, names, broad excepts and stray machine paths; each rule is also seen to catch a planted mistake."""

from __future__ import annotations

import ast
import re
import statistics
import subprocess
from collections.abc import Iterable, Iterator
from pathlib import Path
from textwrap import indent
from typing import NamedTuple

import pytest

from tests.sources import ROOT, House, Source, caption_line, last_name, read_house

LONGEST_FUNCTION, LONG_FUNCTION, TYPICAL_FUNCTION = 60, 25, 8
LONGEST_FILE = 400
UNUSED_WORDS = set("manager helper util utils service engine data info process handle delete".split())
BARE = UNUSED_WORDS - {"engine"} | {"time"}  # an engine in a variable is SQLAlchemy's word for its own thing
WORD = re.compile(r"[A-Z]?[a-z0-9]+|[A-Z]+(?![a-z])")
STRAY = {
    "a path of one machine": re.compile(r"(?<![\w.])/(?:work|farm|opt|root|home|tmp)/\w"),
    "a path out of the repository": re.compile(r"[.][.]/shared"),
    "a package index": re.compile(r"index[-]url|find[-]links|py[p]i\.org|python[h]osted|np[m]js\.|deb[i]an\."),
    "an issue's number": re.compile(r"\b[iI]ssue #?\d"),
}

Function = ast.FunctionDef | ast.AsyncFunctionDef


def functions_are_short(house: House) -> Iterator[str]:
    """None over 60 lines, nine of ten within 25, half within 8; the signature and the docstring count."""
    sizes = {f"{s.at(f)} {f.name}": _lines(f) for s in house.sources for f in _functions(s)}
    for place, size in sizes.items():
        if size > LONGEST_FUNCTION:
            yield f"{place} has {size} lines, {LONGEST_FUNCTION} at most"
    long = sorted((place for place in sizes if sizes[place] > LONG_FUNCTION), key=lambda place: -sizes[place])
    if len(long) * 10 > len(sizes):
        yield f"{len(long)} of {len(sizes)} functions are over {LONG_FUNCTION} lines: {'; '.join(long)}"
    if sizes and (middle := statistics.median(sizes.values())) > TYPICAL_FUNCTION:
        yield f"the median function has {middle:g} lines, {TYPICAL_FUNCTION} at most"


def files_are_short(house: House) -> Iterator[str]:
    """A room that outgrows one file becomes a folder of the same name."""
    for source in house.sources:
        if (size := len(source.text.splitlines())) > LONGEST_FILE:
            yield f"hub/{source.path} has {size} lines, {LONGEST_FILE} at most"


def files_open_with_a_sentence(house: House) -> Iterator[str]:
    """The caption is one line, ends with a dot and stands alone."""
    for source in house.sources:
        if not re.fullmatch(r"\S.*[^.]\.", caption_line(source.tree)):
            yield f"hub/{source.path} does not open with one sentence"


def errors_are_caught_by_name(house: House) -> Iterator[str]:
    """No bare except, no `Exception`, not in a tuple and not by `suppress` either."""
    for source in house.sources:
        for node in ast.walk(source.tree):
            if _catches_all(node):
                yield f"{source.at(node)} catches everything"


def names_say_what_they_mean(house: House) -> Iterator[str]:
    """Modules, classes and functions hold none of the unused words; variables and fields are none of them."""
    for source in house.sources:
        for part in re.split(r"[/.]", source.path.removesuffix(".py")):
            if worn := _worn(part):
                yield f"hub/{source.path} is named `{worn}`"
        for node in ast.walk(source.tree):
            if worn := _worn_name(node):
                yield f"{source.at(node)} uses the name `{worn}`"


RULES = (
    functions_are_short,
    files_are_short,
    files_open_with_a_sentence,
    errors_are_caught_by_name,
    names_say_what_they_mean,
)


def _functions(source: Source) -> Iterator[Function]:
    return (node for node in ast.walk(source.tree) if isinstance(node, Function))


def _lines(function: Function) -> int:
    return (function.end_lineno or function.lineno) - function.lineno + 1


def _catches_all(node: ast.AST) -> bool:
    match node:
        case ast.ExceptHandler(type=None):
            return True
        case ast.ExceptHandler(type=ast.Tuple(elts=caught)):
            return any(map(_is_everything, caught))
        case ast.ExceptHandler(type=ast.expr() as caught):
            return _is_everything(caught)
        case ast.Call(func=function, args=caught) if last_name(function) == "suppress":
            return any(map(_is_everything, caught))
    return False


def _is_everything(caught: ast.expr) -> bool:
    return last_name(caught) in {"Exception", "BaseException"}


def _worn(name: str) -> str | None:
    words = {word.lower() for part in name.split("_") for word in WORD.findall(part)}
    singular = {word.removesuffix("s") for word in words}
    return name if (words | singular) & UNUSED_WORDS or name == "time" else None


def _worn_name(node: ast.AST) -> str | None:
    match node:
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
            return _worn(name)
        case ast.arg(arg=name) | ast.Name(id=name, ctx=ast.Store()) | ast.Attribute(attr=name, ctx=ast.Store()):
            return name if name in BARE else None
        case ast.alias(asname=str(name)):
            return name if name in BARE else None
    return None


def stray_words(files: Iterable[tuple[str, str]]) -> Iterator[str]:
    """What belongs to one machine or one person's desk has no place in the repository."""
    for name, text in files:
        for number, line in enumerate(text.splitlines(), 1):
            for what, pattern in STRAY.items():
                if found := pattern.search(line):
                    yield f"{name}:{number} names {what}: `{found[0]}`"


def repository_files() -> Iterator[tuple[str, str]]:
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        check=True,
        encoding="utf-8",
    )
    for name in filter(None, listed.stdout.split("\0")):
        if (ROOT / name).is_file():
            yield name, (ROOT / name).read_text(encoding="utf-8", errors="replace")


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.__name__)
def test_this_source_keeps(rule):
    broken = list(rule(read_house()))
    assert not broken, "\n".join(broken)


@pytest.mark.skipif(not (ROOT / ".git").exists(), reason="not a checkout")
def test_no_file_of_the_repository_names_a_machine():
    broken = list(stray_words(repository_files()))
    assert not broken, "\n".join(broken)


# --- planted mistakes --------------------------------------------------------------------------------------------


class Plant(NamedTuple):
    mistake: str
    rule: object
    path: str
    code: str
    seen: str


def function(lines: int, name: str = "f") -> str:
    return f"def {name}():\n" + "    pass\n" * (lines - 1)


SHORT, SMALL, CAPTION, EXCEPT, NAMES = RULES
OPEN = '"""Planted."""\n'
SOUND = OPEN + "try:\n    valid_time = metadata = 1\nexcept (KeyError, OSError):\n    pass\n" + function(8)
PLANTS = [
    Plant("a function of 61 lines", SHORT, "a.py", OPEN + function(61), "a.py:2 f has 61 lines"),
    Plant("a long method", SHORT, "a.py", OPEN + "class A:\n" + indent(function(61), " "), "f has 61 lines"),
    Plant("too many of 26", SHORT, "a.py", OPEN + function(3) * 8 + function(26), "1 of 9 functions are over 25"),
    Plant("too few small ones", SHORT, "a.py", OPEN + function(9) * 3, "the median function has 9 lines"),
    Plant("a file of 401 lines", SMALL, "ledger/a.py", OPEN + "1\n" * 400, "hub/ledger/a.py has 401 lines"),
    Plant("no caption", CAPTION, "a.py", "import ast\n", "hub/a.py does not open with one sentence"),
    Plant("a caption over two lines", CAPTION, "a.py", '"""This is\nwide."""\n', "does not open with one sentence"),
    Plant("a bare except", EXCEPT, "a.py", "try: 1\nexcept: 2\n", "a.py:2 catches everything"),
    Plant("except Exception", EXCEPT, "a.py", "try: 1\nexcept Exception as e: raise\n", "a.py:2 catches everything"),
    Plant("in a tuple", EXCEPT, "a.py", "try: 1\nexcept (KeyError, builtins.BaseException): 2\n", "catches everything"),
    Plant("in a group", EXCEPT, "a.py", "try: 1\nexcept* Exception: 2\n", "catches everything"),
    Plant("suppressed", EXCEPT, "a.py", "with contextlib.suppress(Exception): 1\n", "catches everything"),
    Plant("a module", NAMES, "api/helpers.py", OPEN, "hub/api/helpers.py is named `helpers`"),
    Plant("a folder", NAMES, "utils/__init__.py", OPEN, "is named `utils`"),
    Plant("a class", NAMES, "a.py", "class ViewManager: ...\n", "`ViewManager`"),
    Plant("a function", NAMES, "a.py", "def delete_fact(): ...\n", "`delete_fact`"),
    Plant("a method", NAMES, "a.py", "class A:\n    async def processInfo(self): ...\n", "`processInfo`"),
    Plant("a field", NAMES, "a.py", "class A:\n    time: int\n", "a.py:2 uses the name `time`"),
    Plant("an argument", NAMES, "a.py", "def f(*, data): ...\n", "`data`"),
    Plant("an attribute", NAMES, "a.py", "a.service = 1\n", "`service`"),
    Plant("an alias", NAMES, "a.py", "from a import b as handle\n", "`handle`"),
]


def planted(path: str, code: str) -> House:
    return House((), (Source(path, code, ast.parse(code)),))


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.__name__)
def test_a_sound_file_breaks_no_rule(rule):
    assert list(rule(planted("sound.py", SOUND))) == []


@pytest.mark.parametrize("plant", PLANTS, ids=lambda plant: plant.mistake)
def test_a_planted_mistake_is_caught(plant):
    assert plant.seen in "\n".join(plant.rule(planted(plant.path, plant.code)))


# Put together here, so that this file passes its own rule.
STRAYS = [f"/{'work'}/main/x", f"'/{'tmp'}/x'", f"cd ..{'/'}shared", f"--index{'-'}url", f"issue {2}"]


@pytest.mark.parametrize("stray", STRAYS)
def test_a_stray_word_is_caught(stray):
    assert [found.split(" ")[0] for found in stray_words([("notes.md", f"fine\nsee {stray}")])] == ["notes.md:2"]


def test_what_looks_like_a_stray_word_but_is_none_is_let_be():
    assert not list(stray_words([("a.md", "GET /v1/me, https://example.org/home/x, an issue, ./work/out, shared/")]))


@pytest.mark.skipif(not (ROOT / ".git").exists(), reason="not a checkout")
def test_the_repository_is_read_whole():
    assert {"README.md", "hub/errors.py", f"tests/{Path(__file__).name}"} <= {name for name, _ in repository_files()}
