"""A run of stories as others read it: a web page, Markdown, JSON, JUnit; and two runs side by side."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from hub.codec import encode
from hub.errors import Incorrect
from hub.play.pages.html import html
from hub.play.pages.junit import junit
from hub.play.pages.markdown import markdown
from hub.play.pages.run import Change, Run, compared, read_run, run_of

__all__ = ["Change", "Run", "compared", "read_run", "run_of", "write"]

_FORMS: dict[str, Callable[[Run, Run | None], str]] = {
    ".html": html,
    ".md": markdown,
    ".json": lambda run, before: encode(run).decode(),
    ".xml": lambda run, before: junit(run),
}


def write(path: Path, run: Run, before: Run | None = None) -> None:
    """Into a file whose ending says in which form; `before` is a run to compare with.

    Raises Incorrect `bad_report` for an ending that stands for none.
    """
    form = _FORMS.get(path.suffix)
    if form is None:
        raise Incorrect("bad_report", f"`{path.name}` says no form", f"let it end in {', '.join(_FORMS)}")
    path.write_text(form(run, before), encoding="utf-8")
