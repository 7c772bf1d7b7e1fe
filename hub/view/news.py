"""Rows about to be written, found by what they say: a view believes them, and nobody else knows of them yet."""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from typing import Generic, TypeVar

from hub.facts import Act, Claim, Record, ValueKey, folded
from hub.registry import SAME_AS
from hub.timeline import NONE, slot_value
from hub.view.base import Row, entities_of
from hub.view.kept import Place

K = TypeVar("K", bound=Hashable)


class _Lists(Generic[K]):
    """Under each key the numbers of the rows that have to do with it. Most of that is never asked for: rows are gone
    through when something is."""

    __slots__ = ("_keys", "_numbers", "_rows", "_upto")

    def __init__(self, rows: Sequence[Row], keys: Callable[[Record], Iterable[K]]) -> None:
        self._rows = rows
        self._keys = keys
        self._numbers: dict[K, list[int]] = defaultdict(list)
        self._upto = 0

    def all(self) -> Mapping[K, Sequence[int]]:
        for number in range(self._upto, len(self._rows)):
            for key in self._keys(self._rows[number].record):
                self._numbers[key].append(number)
        self._upto = len(self._rows)
        return self._numbers

    def under(self, key: K) -> Sequence[int]:
        return self.all().get(key, ())


class _Index:
    """Rows by number, and by all that somebody may ask for."""

    def __init__(self) -> None:
        self.rows: list[Row] = []
        self.by_id = _Lists(self.rows, lambda record: (record.id,))
        self.acts = _Lists(self.rows, lambda record: (True,) if isinstance(record, Act) else ())
        self.acts_on = _Lists(self.rows, lambda record: (record.target,) if isinstance(record, Act) else ())
        self.claims_of = _Lists(self.rows, _place)
        self.claims_saying = _Lists(self.rows, _saying)
        self.told_by = _Lists(self.rows, lambda record: (record.relation,) if isinstance(record, Claim) else ())
        self.called = _Lists(self.rows, lambda record: {folded(entity.name) for entity in entities_of(record)})
        self.mentions = _Lists(self.rows, lambda record: {entity.id for entity in entities_of(record)})


def _place(record: Record) -> Iterable[Place]:
    return ((record.subject.id, record.relation),) if isinstance(record, Claim) else ()


def _saying(record: Record) -> Iterable[tuple[Place, ValueKey]]:
    return (((record.subject.id, record.relation), said(record)),) if isinstance(record, Claim) else ()


class News:
    """So many rows of an index, which may have grown since: what came later is another's."""

    __slots__ = ("_count", "_index")

    def __init__(self, index: _Index | None = None) -> None:
        self._index = index or _Index()
        self._count = len(self._index.rows)

    def __bool__(self) -> bool:
        return self._count > 0

    def __iter__(self) -> Iterator[Row]:
        return iter(self._index.rows[: self._count])

    def plus(self, rows: Iterable[Row]) -> News:
        """With these rows after the others."""
        index, rows = self._index, list(rows)
        if rows and (not self._count or self._count < len(index.rows)):
            index, rows = _Index(), [*self, *rows]
        index.rows += rows
        return News(index) if rows else self

    def row(self, record_id: str) -> Row | None:
        return next(self._rows(self._index.by_id.under(record_id)), None)

    def acts(self) -> Iterator[Row]:
        return self._rows(self._index.acts.under(True))

    def acts_on(self, target: str) -> Iterator[Row]:
        return self._rows(self._index.acts_on.under(target))

    def acts_upon(self, target: str) -> bool:
        """Whether any of the rows acts upon a record."""
        return self._any(self._index.acts_on.under(target))

    def touches(self, place: Place) -> bool:
        """Whether any of the claims is of this subject and relation."""
        return self._any(self._index.claims_of.under(place))

    def says(self, place: Place, value: ValueKey | None) -> bool:
        """Whether any of the claims is of this subject and relation, and of this value if it is given."""
        return self._any(self._saying(place, value))

    def aliases(self) -> Iterator[Row]:
        return self._rows(self._index.told_by.under(SAME_AS))

    def told_by(self) -> dict[str, Iterator[Row]]:
        """The claims of each relation."""
        return {name: self._rows(numbers) for name, numbers in self._index.told_by.all().items() if self._any(numbers)}

    def claims(self, place: Place, value: ValueKey | None = None) -> Iterator[Claim]:
        """The claims of one subject and relation, and of one value if it is given."""
        return (row.record for row in self._rows(self._saying(place, value)) if isinstance(row.record, Claim))

    def calling(self, name: str) -> Iterator[Row]:
        """The rows in which something is called just so."""
        return self._rows(self._index.called.under(folded(name)))

    def mentioning(self, entities: Iterable[str]) -> Iterator[Row]:
        """The rows that mention any of these."""
        numbers = {number for entity in entities for number in self._index.mentions.under(entity)}
        return self._rows(sorted(numbers))

    def first_mention(self, entity: str) -> int:
        """Twice the number of the first row that mentions it, one more for an object; one of them does."""
        number = self._index.mentions.under(entity)[0]
        return 2 * number + (entities_of(self._index.rows[number].record)[0].id != entity)

    def _saying(self, place: Place, value: ValueKey | None) -> Sequence[int]:
        index = self._index
        return index.claims_of.under(place) if value is None else index.claims_saying.under((place, value))

    def _any(self, numbers: Sequence[int]) -> bool:
        return len(numbers) > 0 and numbers[0] < self._count

    def _rows(self, numbers: Sequence[int]) -> Iterator[Row]:
        return (self._index.rows[number] for number in numbers[: bisect_left(numbers, self._count)])


def said(claim: Claim) -> ValueKey:
    content = claim.value if claim.obj is None else claim.obj
    return NONE if content is None else slot_value(content)


NOTHING_NEW = News()
"""INVARIANT: it never grows; with rows after it, it is another."""
