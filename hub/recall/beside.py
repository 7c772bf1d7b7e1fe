"""Two views beside each other: what one of them holds and the other does not, or holds differently."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

from hub.answers import Memory
from hub.facts import Status
from hub.memories import heard, remembered, with_sides
from hub.view import View


@dataclass(frozen=True, slots=True, kw_only=True)
class Stand:
    """How a memory stands in one view; `status` None: nothing holds, or ever held, by it."""

    status: Status | None
    valid_to: datetime | None = None
    contested_by: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Contrast:
    """A memory that both may read and do not believe alike."""

    memory_id: str
    text: str
    one: Stand
    other: Stand


def memories(view: View) -> dict[str, Memory]:
    """All that any road of a view leads to, by id: every stretch of every slot, past ones too, and the words said."""
    told = (remembered(view, belief) for key in view.slots() for belief in with_sides(view.history(key)))
    said = (heard(view, turn, past=view.outdated(turn)) for turn in view.turns())
    return {memory.id: memory for memory in (*told, *said)}


def unread(view: View, other: View) -> Iterator[Memory]:
    """The memories of a view that the other one may not read at all."""
    return (memory for memory in memories(view).values() if other.row(memory.id) is None)


def contrasts(one: View, other: View) -> Iterator[Contrast]:
    ours, theirs = memories(one), memories(other)
    for memory in ours.values():
        stand, across = _stand(memory), _stand(theirs.get(memory.id))
        if other.row(memory.id) is not None and stand != across:
            yield Contrast(memory_id=memory.id, text=memory.text, one=stand, other=across)
    for memory in theirs.values():
        if memory.id not in ours and one.row(memory.id) is not None:
            yield Contrast(memory_id=memory.id, text=memory.text, one=_stand(None), other=_stand(memory))


def _stand(memory: Memory | None) -> Stand:
    if memory is None:
        return Stand(status=None)
    return Stand(status=memory.status, valid_to=memory.valid_to, contested_by=memory.contested_by)
