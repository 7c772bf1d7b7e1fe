"""What has been folded over a base, kept so that the next view need not fold it again."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterator, Mapping, Sequence

from hub.facts import Belief, Filing, Instant, ValueKey
from hub.registry import Registry
from hub.timeline import Slot, believe

SlotKey = tuple[str, str, ValueKey | None]
"""(the subject's class, relation, value if the relation holds many)."""

_EVER_SINCE = -(1 << 80)
_FOR_EVER = 1 << 80
_MOST_POINTS = 16
_MOST_SLOTS = 50_000
_MOST_KEPT = 16


def before(numbers: Sequence[int] | None, prefix: int) -> int:
    """How many of these row numbers, which go up, lie before the prefix."""
    if not numbers:
        return 0
    return len(numbers) if numbers[-1] < prefix else bisect_left(numbers, prefix)


class Held:
    """One slot, as it is between two rows that have to do with it, with the beliefs asked for so far."""

    __slots__ = ("_known", "latest_start", "slot")

    def __init__(self, slot: Slot) -> None:
        self.slot = slot
        self.latest_start = max((c.interval.start for c in slot.claims), default=_EVER_SINCE)
        self._known: list[tuple[Instant, Instant, Belief | None]] = []

    def at(self, valid_at: Instant) -> Belief | None:
        for start, end, belief in self._known:
            if start <= valid_at < end:
                return belief
        belief = believe(self.slot, valid_at)
        self._known = [*self._known[-_MOST_POINTS:], (*self._unchanging(valid_at, belief), belief)]
        return belief

    def _unchanging(self, valid_at: Instant, belief: Belief | None) -> tuple[Instant, Instant]:
        """The stretch of valid time around an instant on which the belief, its status included, stays as it is."""
        turns = list(self._turns())
        if belief is not None and belief.expires is not None:
            turns.append(belief.expires)
        start = max((at for at in turns if at <= valid_at), default=_EVER_SINCE)
        return start, min((at for at in turns if at > valid_at), default=_FOR_EVER)

    def _turns(self) -> Iterator[Instant]:
        for claim in self.slot.claims:
            yield claim.interval.start
            if claim.interval.end is not None:
                yield claim.interval.end
            if claim.on is not None:
                yield claim.on.at


class Kept:
    """The slots folded so far, by key and by how many rows had to do with them."""

    __slots__ = ("slots", "stands")

    def __init__(self, stands: Mapping[str, str]) -> None:
        self.stands = stands
        self.slots: dict[tuple[SlotKey, int], Held] = {}

    def canon(self, entity: str) -> str:
        return self.stands.get(entity, entity)

    def keep(self, key: tuple[SlotKey, int], held: Held) -> Held:
        if len(self.slots) >= _MOST_SLOTS:
            self.slots.clear()
        self.slots[key] = held
        return held


class Keeping:
    """What is kept over one base, apart for each clearance of the past, registry and grouping of entities."""

    def __init__(self) -> None:
        self._kept: dict[tuple[object, ...], tuple[Kept, Registry]] = {}

    def of(self, sees: Callable[[Filing], bool] | None, registry: Registry, stands: Mapping[str, str]) -> Kept:
        key = (sees, id(registry), *stands.items())  # the registry is kept beside it, so that its id stays its own
        found = self._kept.get(key)
        if found is None:
            while len(self._kept) >= _MOST_KEPT:
                self._kept.pop(next(iter(self._kept)), None)
            found = self._kept[key] = (Kept(stands), registry)
        return found[0]
