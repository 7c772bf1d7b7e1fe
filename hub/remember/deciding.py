"""What is contested, side by side, and what somebody who may decide does about it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

from hub.answers import ActReceipt
from hub.codec import replaced
from hub.door import Desk
from hub.errors import Conflict, Incorrect, no_such_record
from hub.facts import (
    Arbitration,
    Belief,
    Claim,
    Filing,
    Instant,
    Interval,
    Label,
    Mode,
    Scope,
    Status,
    Value,
    ValueKey,
    Withdraw,
)
from hub.moments import as_datetime, moment
from hub.remember.acts import done, retract, withdrawal
from hub.remember.hearing import check_zone, zone_of
from hub.requests import Correct
from hub.timeline import NONE, Slot
from hub.view import SlotKey, View

# --- what is contested -----------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class SideAnswer:
    """One of the values; None says that there is nothing. `trust`: how far its best author's word counts, 0..1."""

    id: str
    value: Value | None
    text: str
    author: str
    domain: str
    trust: float
    claims: int
    valid_from: datetime
    valid_to: datetime | None
    said_at: datetime
    recorded_at: datetime
    label: tuple[Label, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Contest:
    """What nobody has settled yet, about one thing and relation; `since` is when the latest side was first recorded."""

    customer: str
    subject: str
    subject_id: str
    relation: str
    arbitration: Arbitration
    status: Status
    since: datetime
    sides: tuple[SideAnswer, ...]


@dataclass(frozen=True, slots=True)
class _Side:
    """The claims that say one value at the instant, oldest first; `claim` is the one that speaks for them."""

    key: ValueKey
    claim: Claim
    claims: tuple[Claim, ...]


@dataclass(frozen=True, slots=True)
class _Contested:
    slot: SlotKey
    belief: Belief
    at: Instant
    sides: tuple[_Side, ...]

    def side(self, key: ValueKey) -> _Side | None:
        return next((side for side in self.sides if side.key == key), None)


def contests(view: View, customer: str) -> list[Contest]:
    """All that is contested now or in a future the view knows of, by first claim."""
    return [_answer(view, customer, contested) for contested in _contested(view, view.slots())]


def _contested(view: View, slots: Sequence[SlotKey]) -> Iterator[_Contested]:
    for key in slots:
        for belief in view.stretches(key):
            if belief.contested or belief.against_none:
                at = max(view.valid_at, belief.interval.start)
                yield _Contested(key, belief, at, tuple(_sides(view, key, belief, at)))


def _sides(view: View, key: SlotKey, belief: Belief, at: Instant) -> Iterator[_Side]:
    slot = view.slot(key)
    keys = dict.fromkeys(slot.key(claim) for claim in (belief.winner, belief.claim, *belief.contested))
    for value in dict.fromkeys((*keys, *((NONE,) if belief.against_none else ()))):
        yield _side_of(slot, value, at)


def _side_of(slot: Slot, value: ValueKey, at: Instant) -> _Side:
    said = [c for c in slot.claims if slot.key(c) == value and (value == NONE or not c.negated)]
    voices = tuple(c for c in said if c.interval.holds(at) and c.id not in slot.silent)
    return _Side(value, voices[-1], voices)


def _answer(view: View, customer: str, contested: _Contested) -> Contest:
    subject = view.entity(contested.slot[0])
    return Contest(
        customer=customer,
        subject=subject.name,
        subject_id=subject.id,
        relation=contested.slot[1],
        arbitration=view.relation(contested.slot[1]).arbitration,
        status=contested.belief.status,
        since=as_datetime(max(min(c.recorded_at for c in side.claims) for side in contested.sides)),
        sides=tuple(_side(view, contested.slot[1], side) for side in contested.sides),
    )


def _side(view: View, relation: str, side: _Side) -> SideAnswer:
    claim, score = side.claim, view.trust(relation)
    row = view.row(claim.id)
    return SideAnswer(
        id=claim.id,
        value=claim.value if claim.obj is None else claim.obj.name,
        text=view.registry.render(claim),
        author=claim.author.agent,
        domain=claim.author.domain,
        trust=max(score(c.author.domain) for c in side.claims),
        claims=len(side.claims),
        valid_from=as_datetime(claim.interval.start),
        valid_to=None if claim.interval.end is None else as_datetime(claim.interval.end),
        said_at=as_datetime(claim.said_at),
        recorded_at=as_datetime(claim.recorded_at),
        label=() if row is None else tuple(sorted(row.filing)),
    )


# --- decisions -------------------------------------------------------------------------------------------------------


def accept(desk: Desk, fact_id: str, reason: str | None) -> ActReceipt:
    """This value stands, from when it was first claimed; what else was recorded so far has no say in it any more."""
    contested, side = _found(desk, fact_id)
    return _decided(desk, contested, _claimed(desk, contested, side, reason))


def edit(desk: Desk, fact_id: str, asked: Correct) -> ActReceipt:
    """Another value stands in the place of this side's."""
    contested, side = _found(desk, fact_id)
    if asked.value is None:
        raise Incorrect("no_value", "an edit needs the value that is right", "send `value`, or accept", where="value")
    return _decided(desk, contested, _edited(desk, contested, _claimed(desk, contested, side, asked.reason), asked))


def reject(desk: Desk, fact_id: str, reason: str | None) -> ActReceipt:
    """This value is wrong, whenever it was claimed for: every claim of it is taken back."""
    contested, side = _found(desk, fact_id)
    filings = _filings(desk, contested)
    others = frozenset[Label]().union(*(filing for key, filing in filings.items() if key != side.key))
    slot = desk.view.slot(contested.slot)
    wrong = [c for c in slot.claims if slot.key(c) == side.key and c.negated == side.claim.negated]
    return done(desk, [withdrawal(desk, claim, reason, desk.filing_of(claim.id) | others) for claim in wrong])


def undo(desk: Desk, decision_id: str, reason: str | None) -> ActReceipt:
    """Takes a decision back, with all that was recorded along with it."""
    row = desk.view.row(decision_id)
    if row is None or not _is_decision(row.record):
        raise no_such_record()
    together = [other.record for other in desk.view.all_rows() if other.record.recorded_at == row.record.recorded_at]
    receipts = [retract(desk, record.id, reason) for record in together if _is_decision(record)]
    return ActReceipt(
        acts=tuple(act for receipt in receipts for act in receipt.acts),
        targets=tuple(target for receipt in receipts for target in receipt.targets),
        recorded_at=as_datetime(desk.now),
    )


def _is_decision(record: object) -> bool:
    return (isinstance(record, Claim) and record.settles) or (isinstance(record, Withdraw) and record.as_operator)


def _found(desk: Desk, fact_id: str) -> tuple[_Contested, _Side]:
    """The contest that a claim has a side in. Raises Missing for what is not there, Conflict for what is settled."""
    claim = desk.view.claim(fact_id)
    if claim is None or not desk.view.living(claim):
        raise no_such_record()
    key = desk.view.slot_of(claim)
    said = desk.view.slot(key).key(claim)
    for contested in _contested(desk.view, [key]):
        side = contested.side(said)
        if side is not None:
            return contested, side
    raise Conflict("not_contested", "nothing contests this fact, or it is settled", "list what is to be reviewed")


def _claimed(desk: Desk, contested: _Contested, side: _Side, reason: str | None) -> Claim:
    """What the side says, as somebody who decides says it: over all the time for which it was claimed.

    INVARIANT no write-down: as far as all know of it who may read the decision.
    """
    widest = _widest(desk, side)
    cut = desk.cut(_join(desk, contested))
    slot = cut.slot(cut.slot_of(widest))
    side = _side_of(slot, slot.key(widest), contested.at)
    first = min(side.claims, key=lambda c: c.interval.start)
    ends = [c.interval.end for c in side.claims]
    end = None if None in ends else max(end for end in ends if end is not None)
    return replaced(
        side.claim,
        id=desk.new_id("fact"),
        seq=desk.next_seq(),
        recorded_at=desk.now,
        author=desk.author,
        interval=Interval(first.interval.start, end),
        start_given=first.start_given,
        precision=first.precision,
        end_given=any(c.end_given for c in side.claims),
        mode=Mode.CORRECT,
        mode_given=True,
        settles=True,
        said_at=desk.now,
        sources=(),
        reason=reason,
    )


def _edited(desk: Desk, contested: _Contested, claim: Claim, asked: Correct) -> Claim:
    check_zone(claim.relation, asked.value)
    zone = zone_of(desk.cut(_join(desk, contested)))
    start, precision, end = claim.interval.start, claim.precision, claim.interval.end
    if asked.valid_from is not None:
        start, precision = moment(asked.valid_from, zone)
    if "valid_to" in asked.model_fields_set:
        end = None if asked.valid_to is None else moment(asked.valid_to, zone)[0]
    return replaced(
        claim,
        value=asked.value,
        obj=None,
        negated=False,
        interval=Interval(start, end),
        start_given=claim.start_given or asked.valid_from is not None,
        end_given=claim.end_given or "valid_to" in asked.model_fields_set,
        precision=precision,
    )


def _decided(desk: Desk, contested: _Contested, claim: Claim) -> ActReceipt:
    desk.file(claim, _join(desk, contested))
    targets = tuple(side.claim.id for side in contested.sides)
    return ActReceipt(acts=(claim.id,), targets=targets, recorded_at=as_datetime(desk.now))


def _join(desk: Desk, contested: _Contested) -> Filing:
    return frozenset[Label]().union(*_filings(desk, contested).values())


def _filings(desk: Desk, contested: _Contested) -> dict[ValueKey, Filing]:
    """Where each side is filed.

    INVARIANT: a decision is for those who may read a claim of every side, and to whom these are at odds; for as many of
    them as there are.
    """
    widest = {side.key: _widest(desk, side) for side in contested.sides}
    filings = {key: desk.filing_of(claim.id) for key, claim in widest.items()}
    cut = desk.cut(frozenset[Label]().union(*filings.values()))
    if _at_odds(cut, list(widest.values())):
        return filings
    return {s.key: frozenset[Label]().union(*(desk.filing_of(c.id) for c in s.claims)) for s in contested.sides}


def _at_odds(view: View, claims: Sequence[Claim]) -> bool:
    key = view.slot_of(claims[0])
    said = {view.slot(key).key(claim) for claim in claims}
    return any(said <= {side.key for side in contested.sides} for contested in _contested(view, [key]))


def _widest(desk: Desk, side: _Side) -> Claim:
    return min(side.claims, key=lambda claim: _narrowness(desk.filing_of(claim.id)))


def _narrowness(filing: Filing) -> int:
    return sum(label.scope is Scope.PRIVATE for label in filing)
