"""Random small histories for the belief algebra, made so that claims, acts and names collide."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from hypothesis import strategies as st

from hub.codec import replaced
from hub.facts import (
    Act,
    Arbitration,
    Author,
    Cardinality,
    Claim,
    Described,
    Entity,
    Hide,
    Instant,
    Interval,
    Mode,
    Precision,
    Record,
    Relation,
    Value,
    Withdraw,
)
from hub.play.beliefs import SAME_AS, Slot, World

RELATION, OPPOSITE = "holds", "holds_not"
OWNER = "home"
DOMAINS = (OWNER, "travel", "repair")
THINGS = tuple(Entity(name, "thing", name) for name in ("car", "civic", "honda"))
CUSTOMER = Entity("customer", "person", "customer")
LAST_DAY = 7

# Hypothesis looks every strategy over once: made anew for each draw, that would take longer than drawing.
pick = lru_cache(maxsize=None)(st.sampled_from)
between = lru_cache(maxsize=None)(st.integers)
days = between(0, LAST_DAY)


@dataclass(frozen=True)
class History:
    """A ledger with its rules, and the slots and points in both times worth asking about."""

    records: Sequence[Record]
    registry: Mapping[str, Relation]
    trust: Mapping[str, float]
    slots: Sequence[Slot]
    instants: Sequence[tuple[Instant, Instant | None]]
    """(valid_at, known_at)"""

    def __repr__(self) -> str:
        rules = [r for r in self.registry.values() if r.name != SAME_AS]
        return "\n".join(
            [
                *(f"{r.recorded_at}: {_told(r)}" for r in self.records),
                *(f"{r.name}: {r.cardinality} {r.arbitration} ttl={r.ttl} opposite={r.opposite}" for r in rules),
                f"trust {dict(self.trust)}",
            ]
        )

    def known(self, known_at: Instant | None) -> World:
        return World(self.records, self.registry, self.trust, known_at)


def _told(record: Record) -> str:
    """What of a record the algebra looks at."""
    if not isinstance(record, Claim):
        return f"{record.id} {type(record).__name__} {getattr(record, 'target', '')} by {record.author.domain}"
    content = record.value if record.obj is None else record.obj.id
    bounds = f"[{record.interval.start}, {record.interval.end})"
    given = [name for name in ("negated", "start_given", "end_given", "mode_given", "settles") if getattr(record, name)]
    words = [record.id, record.author.domain, record.subject.id, record.relation, repr(content), bounds, record.mode]
    return " ".join([*words, *given, f"said {record.said_at}", f"about {record.on.at}" if record.on else ""])


@dataclass(frozen=True)
class Shape:
    """How a claim is put: what is said of its kind and of its bounds."""

    mode: Mode = Mode.STATE
    mode_given: bool = False
    settles: bool = False
    start: bool = True
    end: bool = False
    left_open: bool = False


NOTICED = Shape(start=False)
STATED = Shape()
STAYED = Shape(end=True)
FOR_GOOD = Shape(left_open=True)
MOVED = Shape(Mode.CHANGE, mode_given=True)
MOVED_UNDATED = Shape(Mode.CHANGE, mode_given=True, start=False)
MOVED_FOR_A_WHILE = Shape(Mode.CHANGE, mode_given=True, end=True)
SINCE = Shape(Mode.CHANGE)
CORRECTED = Shape(Mode.CORRECT, mode_given=True)
DECIDED = Shape(Mode.CORRECT, mode_given=True, settles=True)
DECIDED_A_STRETCH = Shape(Mode.CORRECT, mode_given=True, settles=True, end=True)
CORRECTED_A_STRETCH = Shape(Mode.CORRECT, mode_given=True, end=True)


@dataclass(frozen=True)
class Theme:
    """What one history is about: the fewer words and names there are, the more of its claims meet."""

    subjects: Sequence[Entity]
    contents: Sequence[Value | Entity]
    domains: Sequence[str]
    kinds: Sequence[str]
    shapes: Sequence[Shape]
    in_order: bool
    """Recorded in the order it was said."""
    opposite: bool

    def author(self, draw: st.DrawFn) -> Author:
        domain = draw(pick(self.domains))
        return Author(f"{domain}_agent", domain)


KINDS = (
    ("says",),
    ("says", "says", "denies"),
    ("says", "says", "nothing"),
    ("says", "says", "withdraw"),
    ("says", "says", "hide"),
    ("says", "says", "denies", "nothing", "withdraw", "hide"),
)
CONTENTS: tuple[tuple[Value | Entity, ...], ...] = (
    ("oak",),
    ("Oak", "elm"),
    ("elm", "Oak", "oak"),
    (1, True),
    (*THINGS[:2], "elm"),
)
SHAPES = (
    (NOTICED, STATED, STAYED, FOR_GOOD),
    (NOTICED, MOVED, MOVED_UNDATED),
    (NOTICED, MOVED, MOVED_UNDATED, STATED),
    (NOTICED, MOVED, MOVED_FOR_A_WHILE, SINCE),
    (STATED, STAYED, MOVED, CORRECTED, CORRECTED_A_STRETCH),
    (STATED, MOVED, DECIDED, DECIDED_A_STRETCH),
)


@st.composite
def themes(draw: st.DrawFn) -> Theme:
    contents = draw(pick(CONTENTS))
    things = isinstance(contents[0], Entity)
    opposite = draw(between(0, 2)) == 0
    return Theme(
        subjects=(CUSTOMER, CUSTOMER, *THINGS[:2]) if things else (CUSTOMER,),
        contents=contents,
        domains=DOMAINS[: draw(between(1, 3))],
        kinds=draw(pick(KINDS)) + ("opposite",) * opposite + ("same",) * things,
        shapes=draw(pick(SHAPES)),
        in_order=draw(st.booleans()),
        opposite=opposite,
    )


@st.composite
def claims(draw: st.DrawFn, theme: Theme, kind: str) -> Claim:
    """`seq`, `id` and `recorded_at` are set by the history."""
    pair = kind == "same"
    content = None if kind == "nothing" else draw(pick(THINGS if pair else theme.contents))
    start, shape = draw(days), draw(pick(theme.shapes))
    return Claim(
        id="",
        seq=0,
        recorded_at=0,
        author=theme.author(draw),
        subject=draw(pick(THINGS if pair else theme.subjects)),
        relation={"same": SAME_AS, "opposite": OPPOSITE}.get(kind, RELATION),
        value=None if isinstance(content, Entity) else content,
        obj=content if isinstance(content, Entity) else None,
        negated=kind in ("denies", "nothing") or (kind != "says" and draw(between(0, 3)) == 0),
        interval=Interval(start, start + draw(between(1, LAST_DAY)) if shape.end else None),
        start_given=shape.start,
        end_given=shape.end or shape.left_open,
        mode=shape.mode,
        mode_given=shape.mode_given,
        settles=shape.settles,
        on=Described(draw(days), Precision.DAY) if draw(between(0, 3)) == 0 else None,
        said_at=draw(days),
    )


@st.composite
def acts(draw: st.DrawFn, theme: Theme, kind: str, before: Sequence[Record]) -> Act:
    """Takes back or forgets a record told before, most often the one told last."""
    act = Hide if kind == "hide" else Withdraw
    target = before[-1 if draw(st.booleans()) else draw(between(0, len(before) - 1))]
    operator = draw(between(0, 3)) == 0
    return act(id="", seq=0, recorded_at=0, author=theme.author(draw), target=target.id, as_operator=operator)


@st.composite
def ledgers(draw: st.DrawFn, theme: Theme) -> list[Record]:
    """Records in ledger order; some share a commit."""
    records: list[Record] = []
    recorded_at = 0
    for number in range(draw(between(3, 9))):
        recorded_at += draw(between(0, 3)) > 0
        kind = draw(pick(theme.kinds))
        acted = bool(records) and kind in ("withdraw", "hide")
        record = draw(acts(theme, kind, records) if acted else claims(theme, "says" if kind == "hide" else kind))
        if isinstance(record, Claim) and theme.in_order:
            record = _said(record, number)
        records.append(replaced(record, id=f"r{number}", seq=number, recorded_at=recorded_at))
    return records


def _said(claim: Claim, day: Instant) -> Claim:
    """An observation holds from the day it is made."""
    interval = claim.interval
    if not claim.start_given:
        interval = Interval(day, None if interval.end is None else max(interval.end, day + 1))
    return replaced(claim, said_at=day, interval=interval)


@st.composite
def registries(draw: st.DrawFn, opposite: bool) -> dict[str, Relation]:
    relation = Relation(
        RELATION,
        OWNER,
        cardinality=draw(pick((*[Cardinality.ONE] * 3, Cardinality.MANY))),
        arbitration=draw(pick((*Arbitration, Arbitration.TRUST, Arbitration.TRUST))),
        ttl=draw(between(1, 5)) if draw(st.booleans()) else None,
        opposite=OPPOSITE if opposite else None,
    )
    other = replace(relation, name=OPPOSITE, owner=DOMAINS[1], opposite=RELATION if opposite else None)
    return {r.name: r for r in (relation, other, Relation(SAME_AS, "nobody"))}


@st.composite
def histories(draw: st.DrawFn) -> History:
    theme = draw(themes())
    scores = {domain: draw(pick((0.45, 0.6, 0.75))) for domain in DOMAINS}
    records, registry = draw(ledgers(theme)), draw(registries(theme.opposite))
    known = [None, draw(between(0, records[-1].recorded_at))]
    return History(
        records,
        registry,
        scores,
        slots=list(_slots(theme, registry)),
        instants=[(valid_at, known_at) for valid_at in range(-1, LAST_DAY + 3) for known_at in known],
    )


def _slots(theme: Theme, registry: Mapping[str, Relation]) -> Iterator[Slot]:
    for name in (RELATION, OPPOSITE) if theme.opposite else (RELATION,):
        many = registry[name].cardinality is Cardinality.MANY
        for subject in dict.fromkeys(theme.subjects):
            for value in dict.fromkeys(theme.contents) if many else (None,):
                yield Slot(subject.id, name, value)
