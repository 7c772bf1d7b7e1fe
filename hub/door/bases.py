"""The bases in memory: one a customer and label set, grown by appending, the least used let go."""

from __future__ import annotations

import threading
from collections import OrderedDict

from hub.door.reads import Reads
from hub.ledger import Reading
from hub.registry import Registry
from hub.view import Base
from hub.view.base import Stay

_MOST = 512


class Bases:
    """INVARIANT: what a base holds is decided by its key alone: customer, registry, clearance.

    INVARIANT: no base is kept from before the latest erasure that a reading has seen.
    """

    def __init__(self, embedder: str | None = None) -> None:
        self._embedder = embedder
        self._lock = threading.Lock()
        self._erased = 0
        self._bases: OrderedDict[tuple[int, str, tuple[str, ...]], Base] = OrderedDict()

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
                if not base.take(_stays(reading, clearance, base.after)):
                    return self._rebuilt(key, reading, clearance, registry)
                base.after = reading.state.seq
            _learn(base, reading)
        return base if base.origin <= reading.state.seq else None

    def _kept(self, key: tuple[int, str, tuple[str, ...]], registry: Registry, erased: int) -> Base:
        with self._lock:
            if self._erased < erased:
                self._bases.clear()
                self._erased = erased
            if erased < self._erased:  # a reading that began before: what it sees is for nobody else
                return self._new(registry)
            base = self._bases.setdefault(key, self._new(registry))
            self._bases.move_to_end(key)
            while len(self._bases) > _MOST:
                self._bases.popitem(last=False)
            return base

    def _rebuilt(
        self, key: tuple[int, str, tuple[str, ...]], reading: Reading, clearance: Reads, registry: Registry
    ) -> Base:
        base = self._new(registry, origin=reading.state.seq)
        base.take(_stays(reading, clearance, 0))
        base.after = reading.state.seq
        _learn(base, reading)
        with self._lock:
            if reading.state.erased == self._erased:
                self._bases[key] = base
        return base

    def _new(self, registry: Registry, origin: int = 0) -> Base:
        return Base(registry, origin, self._embedder)


def _learn(base: Base, reading: Reading) -> None:
    """Takes the vectors that have come since the ledger was last asked. INVARIANT: of rows of the base alone."""
    meanings, added = base.meanings, reading.state.vectors
    if meanings.embedder is None or meanings.looked == added:
        return
    meanings.take(reading.vectors(meanings.embedder, {record for record, _ in meanings.lacking()}))
    meanings.looked = added


def _stays(reading: Reading, clearance: Reads, after: int) -> list[Stay]:
    """INVARIANT: the filter comes first. Rows of a filing that the clearance does not admit are never asked for."""
    admitted = [number for number in reading.changed(after) if clearance.admits_all(reading.filing(number))]
    return [
        Stay(entry.record, reading.filing(entry.filing), entry.at, entry.seq, entry.leaves)
        for entry in reading.entries(admitted, after)
    ]
