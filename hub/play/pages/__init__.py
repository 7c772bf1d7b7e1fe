"""A run of stories as others read it: a web page, Markdown, JSON, JUnit; and two runs side by side."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

from hub.codec import encode
from hub.errors import Incorrect
from hub.play.pages.html import html
from hub.play.pages.junit import junit
from hub.play.pages.markdown import markdown
from hub.play.pages.run import Change, Run, compared, read_run, run_of

__all__ = ["Change", "Run", "compared", "read_run", "run_of", "writable", "write"]

_FORMS: dict[str, Callable[[Run, Run | None], str]] = {
    ".html": html,
    ".md": markdown,
    ".json": lambda run, before: encode(run).decode(),
    ".xml": lambda run, before: junit(run),
}


def writable(path: Path) -> None:
    """Raises Incorrect `bad_report` where `write` could not: for an ending that stands for no form, or a folder that
    is not there or can't be written to."""
    _form(path)
    place = path if path.exists() else path.parent
    if not path.parent.is_dir() or path.is_dir() or not os.access(place, os.W_OK):
        raise Incorrect("bad_report", f"`{path}` can't be written", "name a file in a folder of yours that is there")


def write(path: Path, run: Run, before: Run | None = None) -> None:
    """Into a file whose ending says in which form; `before` is a run to compare with.

    Raises Incorrect `bad_report` for an ending that stands for none, and if the file can't be written.
    """
    text = _form(path)(run, before)
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        message = f"`{path}` can't be written: {error.strerror}"
        raise Incorrect("bad_report", message, "name a file in a folder of yours that is there") from error


def _form(path: Path) -> Callable[[Run, Run | None], str]:
    form = _FORMS.get(path.suffix)
    if form is None:
        raise Incorrect("bad_report", f"`{path.name}` says no form", f"let it end in {', '.join(_FORMS)}")
    return form
