"""What may shape something filed under one filing, while more and more is handed in."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from hub.door.reads import Reads
from hub.facts import Filing
from hub.view import Row, View


@dataclass(slots=True)
class Known:
    """What all readers of a filing know, with so many of the rows handed in; `whole`: with all of them."""

    reads: Reads
    view: View
    seen: int = 0
    whole: bool = True
    admitted: dict[Filing, bool] = field(default_factory=dict)

    def with_all(self, filed: Sequence[Row], after: View) -> View:
        """`after`: the writer's view, with all of them."""
        if self.seen < len(filed):
            news = [row for row in filed[self.seen :] if self._admits(row.filing)]
            self.whole = self.whole and len(news) == len(filed) - self.seen
            self.seen = len(filed)
            if news:
                self.view = self.view.beside(after) if self.whole else self.view.plus(news)
        return self.view

    def _admits(self, filing: Filing) -> bool:
        if filing not in self.admitted:
            self.admitted[filing] = self.reads.admits_all(filing)
        return self.admitted[filing]
