"""The rows a view is made of, and what its acts have done to them."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence

from hub.facts import Act, Claim, Filing, Gap, Hide, Instant, Record, Withdraw
from hub.registry import Registry
from hub.timeline import hidden, withdrawn
from hub.vectors import Nearness
from hub.view.base import Base, Row
from hub.view.kept import Seen, before
from hub.view.meanings import Place as PlaceOfText
from hub.view.news import News


class Records:
    """The lowest layer of a view: which rows there are, and which of their records still stand."""

    __slots__ = ("_ground", "_near", "_snapshot", "base", "known_at", "more", "prefix", "registry", "sees", "valid_at")

    base: Base
    valid_at: Instant
    known_at: Instant | None
    registry: Registry
    sees: Callable[[Filing], bool] | None
    more: News
    prefix: int
    _snapshot: int
    _ground: int | None
    _near: dict[bytes, Nearness]

    def visible(self, number: int) -> bool:
        """Whether row `number` of the base is part of this view."""
        if number >= self.prefix:
            return False
        left = self.base.left.get(number)
        if left is not None and not (left[1] > self._snapshot if self.known_at is None else left[0] > self.known_at):
            return False
        return self.admitted(number)

    def admitted(self, number: int) -> bool:
        """Whether the clearance lets row `number` through, wherever it went later."""
        return self.sees is None or self.sees(self.base.rows[number].filing)

    def held(self) -> Iterator[Row]:
        """All that the base held at the snapshot and the clearance lets through, known at the as-of or not."""
        rows = self.base.rows[: bisect_right(self.base.seqs, self._snapshot)]
        return (row for n, row in enumerate(rows) if self.admitted(n) and not isinstance(row.record, Gap))

    def ground(self) -> int:
        """How many rows of this view may have to do with anything."""
        if self._ground is None:
            self._ground = self.base.gone(self.known_at, self._snapshot) + before(self.base.loose_acts, self.prefix)
        return self._ground

    def seen(self) -> Seen:
        """The rows that the clearance lets through, at least up to the prefix."""
        base, kept = self.base, self.base.kept.of(self.sees, self.registry)
        seen = kept.seen
        if (known := len(seen.mask)) < self.prefix:
            news = [self.admitted(number) for number in range(known, self.prefix)]
            seen = kept.seen = seen.grown(news, base.lengths[known : self.prefix])
        return seen

    def rows(self, numbers: Iterable[int]) -> Iterator[Row]:
        """The visible ones of these rows, in ledger order."""
        return (self.base.rows[n] for n in numbers if self.visible(n))

    def row(self, record_id: str) -> Row | None:
        """The row of a record by id; None if it is not visible, whatever the reason: an erased one never is."""
        found = self._row(record_id)
        return None if found is None or isinstance(found.record, Gap) else found

    def erased(self, record_id: str) -> bool:
        """Whether there is a gap where this record was."""
        return record_id in self.base.gaps and self._row(record_id) is not None

    def _row(self, record_id: str) -> Row | None:
        for number in self.base.by_id.get(record_id, ()):
            if self.visible(number):
                return self.base.rows[number]
        return self.more.row(record_id) if self.more else None

    def all_rows(self) -> Iterator[Row]:
        yield from (row for row in self.rows(range(self.prefix)) if not isinstance(row.record, Gap))
        yield from self.more

    def claim(self, record_id: str) -> Claim | None:
        row = self.row(record_id)
        return row.record if row is not None and isinstance(row.record, Claim) else None

    def acts_on(self, target: str) -> Sequence[Record]:
        numbers = self.base.acts_on.get(target)
        found = [row.record for row in self.rows(numbers)] if numbers else []
        if self.more:
            found += [row.record for row in self.more.acts_on(target)]
        return found

    def owner_of(self, record: Record) -> str:
        """The owner domain of what a record is about; of an act, of what it acts upon in the end."""
        while isinstance(record, Withdraw | Hide):
            row = self._row(record.target)
            if row is None:
                return record.author.domain
            record = _counting(row.record)
        if isinstance(record, Claim):
            return self.registry.of(record.relation, record.author.domain).owner
        return record.author.domain

    def living(self, record: Record) -> bool:
        """Whether nobody has taken the record back, as far as this view knows."""
        if not self._acted_upon_at_all(record.id):
            return True
        return not withdrawn(record, self.owner_of(record), self.acts_on)

    def forgotten(self, record: Record) -> bool:
        if not self._acted_upon_at_all(record.id):
            return False
        return hidden(record, self.owner_of(record), self.acts_on)

    def _acted_upon_at_all(self, target: str) -> bool:
        """Whether any act has to do with a record, seen or not: most are never acted upon, and cost nothing."""
        return target in self.base.acts_on or self.more.acts_upon(target)

    # --- meaning -------------------------------------------------------------------------------------------------

    def similar(self, steps: bytes) -> Nearness:
        """How near the rows are to a query's vector, each by itself; asked again, this view says the same again."""
        found = self._near.get(steps)
        if found is None:
            gone = (number for number in self.base.left if not self.visible(number))
            seen = None if self.sees is None else self.seen().mask
            found = self._near[steps] = self.base.meanings.matrix.nearness(steps, self.prefix, seen, gone)
        return found

    def similar_among(self, steps: bytes, rows: Iterable[int]) -> Nearness:
        """The same of a few rows."""
        return self.base.meanings.matrix.among(steps, (row for row in rows if self.visible(row)))

    def lacking(self) -> dict[PlaceOfText, Record]:
        """The records of this view that have something to embed and no vector yet, those recorded first first."""
        waiting = self.base.meanings.lacking().items()
        return {place: row.record for place, numbers in waiting for row in self.rows(numbers)}

    def _claim_of(self, record: Record) -> Claim | None:
        """The claim a record is, or acts upon in the end."""
        upon: Record | None = record
        while isinstance(upon, Act):
            row = self._row(upon.target)
            upon = None if row is None else _counting(row.record)
        return upon if isinstance(upon, Claim) else None


def _counting(record: Record) -> Record:
    """Of a gap, the silent claim that still counts in its slot."""
    return record.silent or record if isinstance(record, Gap) else record
