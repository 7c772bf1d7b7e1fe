"""The source tree as the guards read it: the floor list, the files, and what each of them imports."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
ENTRANCE = "__init__"
"""The room that `import hub` itself lands in."""

_FLOOR_BLOCK = re.compile(r"(?ims)^#+ [^\n]*floor list[^\n]*\n.*?^```\w*\n(.*?)^```")
_FLOOR_LINE = re.compile(r"\s*(\d+)\s+(\S+)\s+(\S.*?)\s*")
_DEFERRED = re.compile(r"hub\.[\w.]+:\w+")


@dataclass(frozen=True)
class Room:
    """A line of the floor list: a file or folder directly below `hub/`."""

    floor: int
    path: str
    caption: str

    @property
    def name(self) -> str:
        return room_name(self.path)


@dataclass(frozen=True)
class Import:
    """`target` is dotted and absolute; None when only running the code would tell."""

    line: int
    target: str | None


@dataclass(frozen=True)
class Source:
    """One file; `path` is relative to `hub/`."""

    path: str
    text: str
    tree: ast.Module

    @property
    def room(self) -> str:
        return room_name(self.path.split("/")[0])

    @property
    def caption(self) -> str:
        """The first line of the docstring, without the last dot."""
        return caption_line(self.tree).removesuffix(".")

    def at(self, node: ast.AST | int) -> str:
        line = node if isinstance(node, int) else getattr(node, "lineno", 0)
        return f"hub/{self.path}:{line}"


@dataclass(frozen=True)
class House:
    """The floor list and every file below `hub/`."""

    rooms: tuple[Room, ...]
    sources: tuple[Source, ...]

    @property
    def floors(self) -> dict[str, int]:
        return {room.name: room.floor for room in self.rooms}

    def room_of(self, target: str) -> str | None:
        """The room an import lands in, or None for a library; `from hub import Name` lands in the entrance."""
        first, *rest = target.split(".")
        if first != "hub":
            return None
        built = {source.room for source in self.sources}
        if rest and rest[0] in built:
            return rest[0]
        return ENTRANCE if len(rest) < 2 else None


def room_name(path: str) -> str:
    return path.removesuffix("/").removesuffix(".py")


def caption_line(tree: ast.Module) -> str:
    return (ast.get_docstring(tree) or "").split("\n")[0]


def read_house(root: Path = ROOT) -> House:
    readme = (root / "README.md").read_text(encoding="utf-8")
    return House(floor_list(readme), tuple(_read_sources(root / "hub")))


def _read_sources(hub: Path) -> Iterator[Source]:
    for file in sorted(hub.rglob("*.py")):
        text = file.read_text(encoding="utf-8")
        yield Source(file.relative_to(hub).as_posix(), text, ast.parse(text))


def floor_list(readme: str) -> tuple[Room, ...]:
    block = _FLOOR_BLOCK.search(readme)
    if block is None:
        raise ValueError("README.md has no fenced block under a heading with the words `floor list`")
    return tuple(_room(line) for line in block[1].splitlines() if line.strip())


def _room(line: str) -> Room:
    found = _FLOOR_LINE.fullmatch(line)
    if found is None:
        raise ValueError(f"README.md, floor list: `{line}` is not `<floor> <path> <caption>`")
    return Room(int(found[1]), found[2], found[3])


def imports(source: Source) -> Iterator[Import]:
    """Everything the file imports, wherever in it: lazily, for the type checker only, by name, or deferred."""
    loaders = {"import_module", "__import__"}
    for node in ast.walk(source.tree):
        match node:
            case ast.Import(names=names):
                yield from (Import(node.lineno, alias.name) for alias in names)
            case ast.ImportFrom(names=names):
                loaders |= {alias.asname for alias in names if alias.name in loaders and alias.asname}
                start = _absolute(source, node.level, node.module or "")
                yield from (Import(node.lineno, f"{start}.{alias.name}") for alias in names)
            case ast.Call() if last_name(node.func) in loaders:
                yield Import(node.lineno, _loaded(source, node))
            case ast.Constant(value=str(text)) if _DEFERRED.fullmatch(text):
                yield Import(node.lineno, text.replace(":", "."))


def _loaded(source: Source, call: ast.Call) -> str | None:
    match call.args:
        case [ast.Constant(value=str(name)), *_]:
            level = len(name) - len(name.lstrip("."))
            return _absolute(source, level, name[level:])
    return None


def _absolute(source: Source, level: int, module: str) -> str:
    if level == 0:
        return module
    package = ["hub", *source.path.split("/")[:-1]]
    return ".".join([*package[: len(package) - level + 1], *filter(None, [module])])


def last_name(node: ast.expr) -> str | None:
    match node:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name
    return None
