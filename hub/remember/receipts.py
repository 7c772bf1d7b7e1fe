"""What became of a claim, as its writer's own view has it: a hidden fact never shows in an outcome."""

from __future__ import annotations

from dataclasses import replace

from hub.answers import FactReceipt, Remembered
from hub.codec import replaced
from hub.facts import Belief, Claim, Filing, Mode
from hub.moments import as_datetime
from hub.registry import SAME_AS, plainly
from hub.timeline import Slot
from hub.view import View


def receipt(before: View, after: View, claim: Claim, filing: Filing) -> FactReceipt:
    """`before` and `after` are the writer's views on either side of the claim."""
    at = after.valid_at if claim.interval.holds(after.valid_at) else claim.interval.start
    then, now = before.at(at), after.at(at)
    key = now.slot_of(claim)
    against: tuple[str, ...] = ()
    if claim.relation == SAME_AS:
        outcome = _joined(claim, _are_one(then, claim), _are_one(now, claim))
    elif then.untold(key):  # of most facts of many: nothing is to be folded
        outcome = "provisional" if _is_provisional(now, claim) else "accepted"
    else:
        belief, slot = now.believe(key), now.slot(key)
        outcome = _outcome(now, claim, then.believe(key), belief, slot)
        against = _others(belief, claim, slot) if belief is not None and outcome == "contested" else ()
    return FactReceipt(
        id=claim.id,
        slot=f"{key[0]}/{claim.relation}",
        outcome=outcome,
        label=min(filing, key=lambda label: (label.relation != claim.relation, label)),
        valid_from=as_datetime(claim.interval.start),
        valid_to=None if claim.interval.end is None else as_datetime(claim.interval.end),
        contested_by=against,
    )


def still_told(view: View, answer: Remembered) -> Remembered:
    """An answer of before, for whoever has this view now: without rivals that are not there for it any more."""
    return replace(answer, facts=tuple(_still_told(view, fact) for fact in answer.facts))


def _still_told(view: View, fact: FactReceipt) -> FactReceipt:
    if fact.outcome != "contested":
        return fact
    claim = view.claim(fact.id)
    sides = () if claim is None else view.slot(view.slot_of(claim)).claims
    there = {_side(side) for side in sides}
    left = tuple(value for value in fact.contested_by if value in there)
    return replaced(fact, outcome="contested" if left else "accepted", contested_by=left)


def _side(claim: Claim) -> str:
    return "none" if claim.negated else said_value(claim)


def _is_provisional(view: View, claim: Claim) -> bool:
    return view.registry.of(claim.relation, claim.author.domain).provisional


def said_value(claim: Claim) -> str:
    return plainly(claim.value) if claim.obj is None else claim.obj.name


def _others(belief: Belief, claim: Claim, slot: Slot) -> tuple[str, ...]:
    """The values that stand against this claim's."""
    sides = (belief.claim, *belief.contested)
    values = tuple(said_value(side) for side in sides if slot.key(side) != slot.key(claim))
    return (*values, "none") if belief.against_none else values


def _are_one(view: View, alias: Claim) -> bool:
    return alias.obj is not None and view.canon(alias.subject.id) == view.canon(alias.obj.id)


def _joined(alias: Claim, before: bool, after: bool) -> str:
    if alias.negated:
        return "superseded" if before and not after else "accepted"
    return "corroborated" if before else "accepted"


def _outcome(view: View, claim: Claim, before: Belief | None, after: Belief | None, slot: Slot) -> str:
    if _is_provisional(view, claim):
        return "provisional"
    if claim.negated:
        return "superseded" if before is not None and after is None else "accepted"
    key = slot.key(claim)
    sides = {slot.key(side) for side in (after.claim, *after.contested)} if after is not None else set()
    if key not in sides:
        return "outranked" if after is not None and after.winner.id != claim.id else "accepted"
    if after is not None and len(sides) + after.against_none > 1:
        return "contested"
    if before is None:
        return "accepted"
    if slot.key(before.claim) == key:
        return "corroborated"
    return "corrected" if claim.mode is Mode.CORRECT else "superseded"
