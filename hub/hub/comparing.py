"""What two agents see, side by side: the memories one may read and the other may not, and the lines that say so."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from hub.answers import AsOfAnswer, Memory, Ruling
from hub.door import Door, Eyes, Rulings
from hub.facts import AsOf, Label, Status, Viewer
from hub.hub.points import as_of_answer
from hub.recall.beside import Contrast, contrasts, unread
from hub.view import View


@dataclass(frozen=True, slots=True, kw_only=True)
class Looker:
    """Whose eyes: an agent, or (`agent` is the domain's name) any agent of a domain."""

    agent: str
    domain: str
    purpose: str | None = None

    def eyes(self, as_of: AsOf | None = None) -> Eyes:
        """As they were at the as-of."""
        asked_at = None if as_of is None else as_of.known_at
        return Eyes(viewer=Viewer(agent=self.agent), purpose=self.purpose, asked_at=asked_at)


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """A memory that one may read by the lines of `opened`; `denied` keeps it from the other."""

    memory_id: str
    kind: str
    text: str
    status: Status
    label: tuple[Label, ...]
    opened: tuple[Ruling, ...]
    denied: Ruling | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """`differently` are memories that both may read and do not believe alike; `truncated`: a list was cut."""

    as_of: AsOfAnswer
    one: Looker
    other: Looker
    only_one: tuple[Seen, ...]
    only_other: tuple[Seen, ...]
    differently: tuple[Contrast, ...]
    truncated: bool = False


@dataclass(frozen=True, slots=True)
class _Side:
    looker: Looker
    view: View
    rulings: Rulings


def compared(
    door: Door, auditor: str, customer: str, one: Looker, other: Looker, as_of: AsOf, limit: int
) -> Comparison:
    """INVARIANT: both looks are at one moment, and neither shows what the auditor may not inspect today."""
    left, right = (_side(door, auditor, customer, looker, as_of) for looker in (one, other))
    ours, theirs = (list(islice(only, limit + 1)) for only in (_only(left, right), _only(right, left)))
    apart = list(islice(contrasts(left.view, right.view), limit + 1))
    return Comparison(
        as_of=as_of_answer(left.view),
        one=one,
        other=other,
        only_one=tuple(ours[:limit]),
        only_other=tuple(theirs[:limit]),
        differently=tuple(apart[:limit]),
        truncated=max(len(ours), len(theirs), len(apart)) > limit,
    )


def _side(door: Door, auditor: str, customer: str, looker: Looker, as_of: AsOf) -> _Side:
    eyes = looker.eyes(as_of)
    view = door.inspect(auditor, customer, as_of, eyes)
    return _Side(looker, view, door.rulings(eyes, customer, as_of))


def _only(side: _Side, across: _Side) -> Iterator[Seen]:
    for memory in unread(side.view, across.view):
        row = side.view.row(memory.id)
        assert row is not None, "the view has just told of it"
        yield seen(memory, tuple(sorted(row.filing)), side.rulings(row.filing), across.rulings(row.filing))


def seen(memory: Memory, label: tuple[Label, ...], opened: tuple[Ruling, ...], others: tuple[Ruling, ...]) -> Seen:
    return Seen(
        memory_id=memory.id,
        kind=memory.kind,
        text=memory.text,
        status=memory.status,
        label=label,
        opened=opened,
        denied=next((ruling for ruling in others if not ruling.allowed), None),
    )
