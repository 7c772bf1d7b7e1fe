"""Tables in a terminal that never cut off what is to be copied from them, and that say so when they are empty."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from rich.console import Console, ConsoleOptions, RenderableType
from rich.table import Table
from rich.text import Text

NARROWEST = 12
"""A column whose cells may be folded is not made narrower than this, or than its cells are."""

_EDGES = 3
"""What the lines and the blanks around a cell take up."""


@dataclass(frozen=True, slots=True)
class Rows:
    """A table where it is wide enough for the columns in `whole`, whose cells stand in one piece; else a list.

    `styles` has a style for each line, if they differ.
    """

    title: str
    columns: tuple[str, ...]
    lines: tuple[tuple[str, ...], ...]
    whole: tuple[str, ...] = ()
    styles: tuple[str, ...] = ()

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[RenderableType]:
        if not self.lines:
            yield Text(f"{self.title}: nothing")
        elif not self.whole or self._needed() <= options.max_width:
            yield self._table()
        else:
            yield Text(self.title, style="italic")
            for line in self.lines:
                yield from self._listed(line)

    def _needed(self) -> int:
        return 1 + sum(_EDGES + self._width(name, cells) for name, cells in self._by_column())

    def _by_column(self) -> Iterator[tuple[str, tuple[str, ...]]]:
        return zip(self.columns, zip(*self.lines, strict=True), strict=True)

    def _width(self, name: str, cells: Iterable[str]) -> int:
        widest = max(Text(cell).cell_len for cell in (name, *cells))
        return widest if name in self.whole else min(widest, NARROWEST)

    def _table(self) -> Table:
        table = Table(title=Text(self.title))
        for name in self.columns:
            table.add_column(Text(name), no_wrap=name in self.whole, overflow="fold")
        for number, line in enumerate(self.lines):
            table.add_row(*map(Text, line), style=self.styles[number] if self.styles else None)
        return table

    def _listed(self, line: Iterable[str]) -> Iterator[Text]:
        for number, (name, cell) in enumerate(zip(self.columns, line, strict=True)):
            if cell:
                yield Text(f"{'    ' if number else ''}{name}: {cell}", overflow="fold", no_wrap=name in self.whole)


def rows(
    title: str,
    columns: Iterable[str],
    lines: Iterable[Iterable[str]],
    whole: Iterable[str] = (),
    styles: Iterable[str] = (),
) -> Rows:
    return Rows(title, tuple(columns), tuple(map(tuple, lines)), tuple(whole), tuple(styles))
