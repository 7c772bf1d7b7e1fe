"""Rows about to be written, found by what they say: a view believes them, and nobody else knows of them yet."""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence

from hub.facts import Act, Claim, ValueKey, folded
from hub.registry import SAME_AS
from hub.timeline import NONE, slot_value
from hub.view.base import Row, entities_of
from hub.view.kept import Place


class _Index:
    """Rows by number, and under each word the numbers of the rows that have to do with it."""

    def __init__(self) -> None:
        self.rows: list[Row] = []
        self.by_id: dict[str, list[int]] = defaultdict(list)
        self.acts: list[int] = []
        self.acts_on: dict[str, list[int]] = defaultdict(list)
        self.claims_of: dict[Place, list[int]] = defaultdict(list)
        self.claims_saying: dict[tuple[Place, ValueKey], list[int]] = defaultdict(list)
        self.told_by: dict[str, list[int]] = defaultdict(list)
        self.called: dict[str, list[int]] = defaultdict(list)
        self.mentions: dict[str, list[int]] = defaultdict(list)

    def add(self, row: Row) -> None:
        number, record = len(self.rows), row.record
        self.rows.append(row)
        self.by_id[record.id].append(number)
        if isinstance(record, Act):
            self.acts.append(number)
            self.acts_on[record.target].append(number)
        elif isinstance(record, Claim):
            self._add_claim(number, record)

    def _add_claim(self, number: int, claim: Claim) -> None:
        place = (claim.subject.id, claim.relation)
        self.claims_of[place].append(number)
        self.claims_saying[place, said(claim)].append(number)
        self.told_by[claim.relation].append(number)
        entities = entities_of(claim)
        for name in dict.fromkeys(folded(entity.name) for entity in entities):
            self.called[name].append(number)
        for entity in dict.fromkeys(entity.id for entity in entities):
            self.mentions[entity].append(number)


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
        for row in rows:
            index.add(row)
        return News(index) if rows else self

    def row(self, record_id: str) -> Row | None:
        return next(self._rows(self._index.by_id.get(record_id, ())), None)

    def acts(self) -> Iterator[Row]:
        return self._rows(self._index.acts)

    def acts_on(self, target: str) -> Iterator[Row]:
        return self._rows(self._index.acts_on.get(target, ()))

    def acts_upon(self, target: str) -> bool:
        """Whether any of the rows acts upon a record."""
        return self._any(self._index.acts_on.get(target, ()))

    def touches(self, place: Place) -> bool:
        """Whether any of the claims is of this subject and relation."""
        return self._any(self._index.claims_of.get(place, ()))

    def says(self, place: Place, value: ValueKey | None) -> bool:
        """Whether any of the claims is of this subject and relation, and of this value if it is given."""
        index = self._index
        return self._any(
            index.claims_of.get(place, ()) if value is None else index.claims_saying.get((place, value), ())
        )

    def aliases(self) -> Iterator[Row]:
        return self._rows(self._index.told_by.get(SAME_AS, ()))

    def told_by(self) -> dict[str, Iterator[Row]]:
        """The claims of each relation."""
        return {name: self._rows(numbers) for name, numbers in self._index.told_by.items() if self._any(numbers)}

    def claims(self, place: Place, value: ValueKey | None = None) -> Iterator[Claim]:
        """The claims of one subject and relation, and of one value if it is given."""
        index = self._index
        numbers = index.claims_of.get(place, ()) if value is None else index.claims_saying.get((place, value), ())
        return (row.record for row in self._rows(numbers) if isinstance(row.record, Claim))

    def calling(self, name: str) -> Iterator[Row]:
        """The rows in which something is called just so."""
        return self._rows(self._index.called.get(folded(name), ()))

    def mentioning(self, entities: Iterable[str]) -> Iterator[Row]:
        """The rows that mention any of these."""
        numbers = {number for entity in entities for number in self._index.mentions.get(entity, ())}
        return self._rows(sorted(numbers))

    def first_mention(self, entity: str) -> int:
        """Twice the number of the first row that mentions it, one more for an object; one of them does."""
        number = self._index.mentions[entity][0]
        return 2 * number + (entities_of(self._index.rows[number].record)[0].id != entity)

    def _any(self, numbers: Sequence[int]) -> bool:
        return len(numbers) > 0 and numbers[0] < self._count

    def _rows(self, numbers: Sequence[int]) -> Iterator[Row]:
        return (self._index.rows[number] for number in numbers[: bisect_left(numbers, self._count)])


def said(claim: Claim) -> ValueKey:
    content = claim.value if claim.obj is None else claim.obj
    return NONE if content is None else slot_value(content)


NOTHING_NEW = News()
"""INVARIANT: it never grows; with rows after it, it is another."""
