"""How a claim stands in a view: part of which memory, and what keeps that from being current."""

from __future__ import annotations

from dataclasses import dataclass

from hub.facts import Belief, Claim, Hide, Record, Status, Withdraw
from hub.recall.reasons import Reason
from hub.timeline import Slot, believe, counts, sides
from hub.view import SlotKey, View


@dataclass(frozen=True, slots=True)
class Standing:
    """The memory that a claim is part of, and what keeps that from being current; None: it is, or is contested."""

    memory_id: str
    reason: Reason | None = None
    by: str | None = None


def standing_of(view: View, claim: Claim) -> Standing:
    """Of a claim that the view holds and that denies nothing."""
    taken = taken_back(view, claim)
    if taken is not None:
        return Standing(claim.id, *taken)
    key = view.slot_of(claim)
    slot = view.slot(key)
    belief = view.believe(key)
    side = None if belief is None else _same_value(slot, sides(belief), claim)
    if belief is not None and side is not None:
        expired = belief.status is Status.EXPIRED
        return Standing(side.claim.id, Reason.EXPIRED if expired else None)
    if claim.interval.start > view.valid_at:
        return Standing(claim.id, Reason.NOT_YET_VALID)
    return _over(view, key, slot, claim)


def _same_value(slot: Slot, beliefs: list[Belief], claim: Claim) -> Belief | None:
    value = slot.key(claim)
    return next((belief for belief in beliefs if slot.key(belief.claim) == value), None)


def _over(view: View, key: SlotKey, slot: Slot, claim: Claim) -> Standing:
    """Of a claim whose value the slot no longer holds, or never did."""
    past = [belief for belief in view.history(key) if belief.interval.start <= view.valid_at]
    last = _same_value(slot, past[::-1], claim)
    if last is None:
        return Standing(claim.id, *_outdone(view, slot, claim))
    if last.superseded_by is not None:
        return Standing(last.claim.id, _way_out(view, last.superseded_by), last.superseded_by)
    value, end = slot.key(claim), last.interval.end
    by_itself = any(slot.key(c) == value and not c.negated and c.interval.end == end for c in slot.claims)
    return Standing(last.claim.id, Reason.ENDED if by_itself else Reason.SUPERSEDED)


def _outdone(view: View, slot: Slot, claim: Claim) -> tuple[Reason, str | None]:
    """What holds, or held, in place of a claim that never came to."""
    at = view.valid_at if claim.interval.holds(view.valid_at) else claim.interval.start
    belief = believe(slot, at)
    if belief is not None:
        return Reason.SUPERSEDED, belief.claim.id
    denials = [c for c in slot.claims if c.negated and c.interval.holds(at) and c.id not in slot.silent]
    return (_way_out(view, denials[-1].id), denials[-1].id) if denials else (Reason.SUPERSEDED, None)


def _way_out(view: View, ender: str) -> Reason:
    """A denial ends; another value, and a claim of the opposite relation, supersedes."""
    claim = view.claim(ender)
    return Reason.ENDED if claim is not None and claim.negated else Reason.SUPERSEDED


def taken_back(view: View, record: Record) -> tuple[Reason, str | None] | None:
    if not view.living(record):
        return Reason.WITHDRAWN, _struck_by(view, record, Withdraw)
    if view.forgotten(record):
        return Reason.HIDDEN, _struck_by(view, record, Hide)
    return None


def _struck_by(view: View, record: Record, kind: type[Withdraw] | type[Hide]) -> str | None:
    owner = view.owner_of(record)
    acts = [act for act in view.acts_on(record.id) if isinstance(act, kind) and counts(act, record, owner)]
    return next((act.id for act in acts if view.living(act)), None)
