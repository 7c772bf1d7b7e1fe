"""Company knowledge at the door: what there is to index, and rows that an index names, checked before they count."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from hub.facts import Filing
from hub.index import Index, Place, Shelf, name_of
from hub.ledger.rows import filing_text
from hub.view import View

FEW = 1_000
"""Fewer passages are compared one by one sooner than an index can be asked."""

AT_LEAST = 64
"""So many passages each collection is asked for: what is equally near has no order in there."""

Mark = tuple[int, str, int]
"""(number of the last entry, its record, how many passages) of a compartment: nothing else has the same."""


Look = Callable[[], tuple[View, str] | None]
"""All that the company knows now, and what tells this hub from others."""


class Everybody:
    """The clearance of the index, which gives nothing out but ids."""

    key = ("everybody",)

    def admits_all(self, filing: Filing) -> bool:
        return bool(filing)


class Shelving:
    """Company knowledge beside its index, for one embedder."""

    def __init__(self, place: Place, embedder: str, look: Look, settle: Callable[[], None]) -> None:
        """`settle` waits until what is recorded has its vector."""
        self.embedder = embedder
        self.index = Index(place, self._shelves, settle)
        self._look = look
        self._hub = ""

    def nearest(self, view: View, steps: bytes, most: int) -> list[str] | None:
        """INVARIANT: a choice of collections: none is asked that the view does not hold.

        None unless each of them holds just what the view does.
        """
        marks = list(view.base.latest.items())
        if not _is_whole(view) or len(view.base.passages) < FEW:
            return None
        if not self._hub:
            self.index.wake()
            return None
        found: list[str] = []
        for filing, mark in marks:
            named = self.index.search(self._name(filing), _text(mark), steps, max(most, AT_LEAST))
            if named is None:
                return None
            found += named
        return found

    def _shelves(self) -> Sequence[Shelf]:
        looked = self._look()
        if looked is None:
            return ()
        view, self._hub = looked
        return list(self._all(view))

    def _all(self, view: View) -> Iterator[Shelf]:
        lacking = {record.id for record in view.lacking().values()}
        standing = {passage.id for passage in view.passages()}
        rows = [(number, view.base.rows[number]) for number in view.base.passages]
        for filing, mark in list(view.base.latest.items()):
            filed = {n: row.record.id for n, row in rows if row.filing == filing and row.record.id in standing}
            vectors = view.base.meanings.matrix.vectors(filed)
            yield Shelf(
                self._name(filing),
                _text(mark),
                [filed[number] for number in vectors],
                list(vectors.values()),
                complete=lacking.isdisjoint(filed.values()),
            )

    def _name(self, filing: Filing) -> str:
        return name_of(self._hub, self.embedder, filing_text(filing))


class Asked:
    """What one view finds through the index."""

    def __init__(self, shelving: Shelving) -> None:
        self.named: tuple[str, ...] | None = None
        self._shelving = shelving

    def __call__(self, view: View, steps: bytes, most: int, least: float) -> list[int] | None:
        found = self._shelving.nearest(view, steps, most)
        if found is None:
            return None
        rows = [row for row, _ in near(view, steps, found, most, least)]
        self.named = tuple(view.base.rows[row].record.id for row in rows)
        return rows


class Again:
    """What a view found then, when the recall is run again."""

    def __init__(self, named: tuple[str, ...]) -> None:
        self.named: tuple[str, ...] | None = named

    def __call__(self, view: View, steps: bytes, most: int, least: float) -> list[int] | None:
        return [row for row, _ in near(view, steps, self.named or (), most, least)]


def _is_whole(view: View) -> bool:
    """Whether it is all that its base holds, as it is now: only that is indexed."""
    there = view.prefix == len(view.base.rows) and view.known_at is None and view.sees is None
    return there and bool(view.prefix) and view.base.ats[-1] <= view.valid_at


def near(view: View, steps: bytes, ids: Iterable[str], most: int, least: float) -> list[tuple[int, float]]:
    """INVARIANT: of what an index names only that counts which stands in the view, and as near as its own vector is."""
    rows = [number for id_ in ids for number in view.base.by_id.get(id_, ()) if view.visible(number)]
    return view.base.meanings.matrix.among(steps, rows).best(most, least)


def _text(mark: Mark) -> str:
    return ":".join(map(str, mark))
