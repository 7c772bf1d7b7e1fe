"""Documents as files: which ones a path means, what they are called, and what they say."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path

from hub.errors import Incorrect
from hub.requests import MAX_DOCUMENT

SUFFIXES = (".md", ".markdown", ".mdx", ".txt", ".text", ".rst")
"""What is taken from a folder; a file that is named itself may end in anything."""


def found(paths: Iterable[Path]) -> list[Path]:
    """The files themselves and the documents in the folders, however deep, by name; what is hidden stays out.

    Raises Incorrect `no_such_file` for a path that leads nowhere, and `no_documents` if nothing is found at all.
    """
    files = list(dict.fromkeys(file for path in paths for file in _of(path)))
    if not files:
        message = f"there is no document here: none ends in {', '.join(SUFFIXES)}"
        raise Incorrect("no_documents", message, "name the files themselves, or another folder")
    return files


def _of(path: Path) -> Iterator[Path]:
    if path.is_dir():
        for folder, folders, names in os.walk(path):
            folders[:] = sorted(name for name in folders if not name.startswith("."))
            fitting = (name for name in sorted(names) if name.lower().endswith(SUFFIXES) and not name.startswith("."))
            yield from (Path(folder, name) for name in fitting)
    elif path.is_file():
        yield path
    else:
        raise Incorrect("no_such_file", f"there is no `{path.name}`", "name a file or a folder that is there")


def named(file: Path) -> str:
    """What a document is called: its path as it was typed, from the folder one stands in if it lies there.

    The same file is so called the same, whether it is named itself or a folder that it lies in.
    """
    plain = Path(os.path.normpath(file))
    if plain.is_absolute() or ".." in plain.parts:
        whole, here = Path(os.path.abspath(file)), Path.cwd()
        plain = whole.relative_to(here) if whole.is_relative_to(here) else whole
    return plain.as_posix().lstrip("/")


def read(file: Path) -> str:
    """Raises Incorrect for what is no text in UTF-8, or too much of it."""
    try:
        if file.stat().st_size > 4 * MAX_DOCUMENT:
            raise Incorrect("document_too_long", f"`{file.name}` is too long", "cut it into several documents")
        return file.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        fix = "save it as text in UTF-8, or leave it out"
        raise Incorrect("unreadable_file", f"`{file.name}` can't be read", fix) from error
