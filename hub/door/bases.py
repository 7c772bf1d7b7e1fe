"""The bases in memory: one a customer and label set, grown by appending, those unused longest let go."""

from __future__ import annotations

import threading
from collections import OrderedDict

from hub.door.reads import Reads
from hub.ledger import Reading
from hub.registry import Registry
from hub.view import Base, Row

MEGABYTE = 1024 * 1024

ROOM = 384
"""Megabytes of bases that are kept, if nobody says otherwise."""

SELDOM = 8
"""What a base has grown by, and what has been folded over it, is weighed once in so many looks at it; at first more
often, for the first looks fold the most."""

Key = tuple[int, str, tuple[str, ...]]
"""Customer, registry, clearance."""


class Bases:
    """INVARIANT: what a base holds is decided by its key alone: customer, registry, clearance.

    INVARIANT: no base is kept from before the latest erasure that a reading has seen.
    INVARIANT: an answer is the same whether its base was kept or is built for it; they share `room` megabytes, and the
    one asked for last may be larger than that.
    """

    def __init__(self, embedder: str | None = None, room: int = ROOM) -> None:
        self._embedder = embedder
        self._room = room * MEGABYTE
        self._taken = 0
        self._sizes: dict[Key, int] = {}
        self._lock = threading.Lock()
        self._erased = 0
        self._bases: OrderedDict[Key, Base] = OrderedDict()

    def base(self, reading: Reading, clearance: Reads, registry: Registry, relations: str) -> Base | None:
        """The base brought up to the reading's snapshot, or None if it was rebuilt from a later one meanwhile."""
        if reading.state.customer is None:
            return self._new(registry)
        key = (reading.state.customer, relations, clearance.key)
        base = self._kept(key, registry, reading.state.erased)
        with base.growing:
            if base.after == 0:
                base.origin = reading.state.seq
            if base.after < reading.state.seq:
                if not base.take(_rows(reading, clearance, base.after)):
                    return self._rebuilt(key, reading, clearance, registry)
                base.after = reading.state.seq
            _learn(base, reading)
            base.asked += 1
            looks = base.asked
        if SELDOM % looks == 0 or looks % SELDOM == 0:
            self._weigh(key, base)
        return base if base.origin <= reading.state.seq else None

    def _kept(self, key: Key, registry: Registry, erased: int) -> Base:
        with self._lock:
            if self._erased < erased:
                self._bases.clear()
                self._sizes.clear()
                self._taken, self._erased = 0, erased
            if erased < self._erased:  # a reading that began before: what it sees is for nobody else
                return self._new(registry)
            base = self._bases.get(key)
            if base is None:
                base = self._bases[key] = self._new(registry)
            self._bases.move_to_end(key)
            return base

    def _weigh(self, key: Key, base: Base) -> None:
        """Lets go of those unused longest until the rest has room; what has been folded over a base counts too."""
        with self._lock:
            if self._bases.get(key) is not base:
                return
            size = base.size
            self._taken += size - self._sizes.get(key, 0)
            self._sizes[key] = size
            while len(self._bases) > 1 and self._taken > self._room:
                self._taken -= self._sizes.pop(self._bases.popitem(last=False)[0], 0)

    def _rebuilt(self, key: Key, reading: Reading, clearance: Reads, registry: Registry) -> Base:
        base = self._new(registry, origin=reading.state.seq)
        base.take(_rows(reading, clearance, 0))
        base.after = reading.state.seq
        _learn(base, reading)
        with self._lock:
            if reading.state.erased == self._erased:
                self._bases[key] = base
        self._weigh(key, base)
        return base

    def _new(self, registry: Registry, origin: int = 0) -> Base:
        return Base(registry, origin, self._embedder)


def _learn(base: Base, reading: Reading) -> None:
    """Takes the vectors that have come since the ledger was last asked. INVARIANT: of rows of the base alone."""
    meanings, added = base.meanings, reading.state.vectors
    if meanings.embedder is None or meanings.looked == added:
        return
    meanings.take(reading.vectors(meanings.embedder).of({record for record, _ in meanings.lacking()}))
    meanings.looked = added


def _rows(reading: Reading, clearance: Reads, after: int) -> list[Row]:
    """INVARIANT: the filter comes first. Rows of a filing that the clearance does not admit are never asked for."""
    admitted = [number for number in reading.changed(after) if clearance.admits_all(reading.filing(number))]
    filings = {number: reading.filing(number) for number in admitted}
    return [
        Row(entry.record, filings[entry.filing], entry.at, entry.seq, entry.leaves)
        for entry in reading.entries(admitted, after)
    ]
