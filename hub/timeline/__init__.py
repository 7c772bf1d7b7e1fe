"""The belief algebra: what a slot holds at a point in valid time, folded from its claims."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from hub.codec import replaced
from hub.facts import Belief, Claim, Hide, Instant, Interval, Record, Relation, Status, ValueKey, Withdraw
from hub.timeline.folding import NONE, Outcome, Run, Slot, Sweep, folding_order, slot_value

__all__ = [
    "NONE",
    "Slot",
    "believe",
    "counts",
    "folding_order",
    "hidden",
    "history",
    "negation_of",
    "sides",
    "slot_value",
    "withdrawn",
]

_NEVER = -(1 << 80)  # before every instant
_ALWAYS = 1 << 80  # after every instant

ActsOn = Callable[[str], Sequence[Record]]
"""record id -> the acts upon it that the view holds, oldest first."""


# --- what acts do to records -------------------------------------------------------------------------------------


def counts(act: Withdraw | Hide, target: Record, owner: str) -> bool:
    """Only the target's own domain, the relation's owner domain or an operator may take a record back."""
    return act.as_operator or act.author.domain in (target.author.domain, owner)


def withdrawn(target: Record, owner: str, acts_on: ActsOn) -> bool:
    return _struck(target, owner, acts_on, Withdraw)


def hidden(target: Record, owner: str, acts_on: ActsOn) -> bool:
    return _struck(target, owner, acts_on, Hide)


def _struck(target: Record, owner: str, acts_on: ActsOn, kind: type[Withdraw] | type[Hide]) -> bool:
    return any(
        isinstance(act, kind) and counts(act, target, owner) and not withdrawn(act, owner, acts_on)
        for act in acts_on(target.id)
    )


def negation_of(claim: Claim) -> Claim:
    """What a claim of the opposite relation says here: that this slot does not have the value."""
    return replaced(claim, negated=True)


# --- one slot ----------------------------------------------------------------------------------------------------


def believe(slot: Slot, at: Instant) -> Belief | None:
    """The belief at one instant of valid time; None where the slot holds nothing."""
    return _alone(slot, at) if len(slot.claims) == 1 else _believed(Sweep(slot), at, at)


def _alone(slot: Slot, at: Instant) -> Belief | None:
    """What most slots hold: one claim, that no other has a say in."""
    (claim,) = slot.claims
    if claim.negated or claim.id in slot.silent or not claim.interval.holds(at):
        return None
    expires = _expiry(slot.relation, claim, slot.claims)
    status = _status(claim.interval, claim, expires, at)
    return Belief(claim, claim, claim.interval, status, expires=expires, support=slot.claims)


def history(slot: Slot, at: Instant) -> list[Belief]:
    """Every stretch on which the slot held something, oldest first; statuses are relative to `at`.

    The one around `at` is what is believed there, any other is as it began.
    """
    beliefs: list[Belief] = []
    reached: Instant = _NEVER
    sweep = Sweep(slot)
    for start in sweep.starts:
        if start >= reached and (belief := _believed(sweep, start, at)) is not None:
            here = believe(slot, at) if belief.interval.holds(at) else None
            beliefs.append(here or belief)
            reached = _ALWAYS if belief.interval.end is None else belief.interval.end
    return beliefs


def _believed(sweep: Sweep, at: Instant, now: Instant) -> Belief | None:
    outcome = sweep.outcome(at)
    return None if _shown(sweep.slot, outcome) is None else _belief(sweep, at, outcome, now)


def sides(belief: Belief) -> list[Belief]:
    """A contested belief is returned once for each side, every one flagged with the others."""
    if not belief.contested:
        return [belief]
    claims = (belief.claim, *belief.contested)
    return [belief, *(_side(belief, c, claims) for c in belief.contested)]


def _side(belief: Belief, claim: Claim, claims: Sequence[Claim]) -> Belief:
    others = tuple(c for c in claims if c is not claim)
    return replace(belief, claim=claim, winner=claim, interval=claim.interval, contested=others, support=(claim,))


# --- from outcome to belief --------------------------------------------------------------------------------------


def _shown(slot: Slot, outcome: Outcome) -> Claim | None:
    """The claim that answers: the winner, or the last value that a mere "nothing" contests."""
    winner = outcome.winner
    if winner is None or winner.id in slot.silent:
        return None
    if not winner.negated:
        return winner
    return next((run.last for run in reversed(_open_values(slot, outcome))), None)


def _open_values(slot: Slot, outcome: Outcome) -> list[Run]:
    return [run for key, run in outcome.open.items() if key != NONE and run.last.id not in slot.silent]


def _first(slot: Slot, outcome: Outcome) -> Claim:
    """The claim that names what is shown: the first that said so without a break."""
    assert outcome.lead is not None
    return _open_values(slot, outcome)[-1].first if outcome.lead.claim.negated else outcome.lead.first


def _belief(sweep: Sweep, at: Instant, outcome: Outcome, now: Instant) -> Belief:
    slot, shown = sweep.slot, _shown(sweep.slot, outcome)
    assert shown is not None and outcome.winner is not None
    first, interval, ended_by = _stretch(sweep, at, outcome, shown)
    key = sweep.key(shown)
    support = tuple(c for c in outcome.candidates if not c.negated and sweep.key(c) == key and c.id not in slot.silent)
    expires = _expiry(slot.relation, shown, support)
    nothing = outcome.open.get(NONE)
    against_none = outcome.winner.negated or (nothing is not None and nothing.last.id not in slot.silent)
    return Belief(
        claim=first,
        winner=outcome.winner,
        interval=interval,
        status=_status(interval, shown, expires, now),
        superseded_by=ended_by,
        contested=tuple(run.last for run in _open_values(slot, outcome) if run.last is not shown),
        against_none=against_none,
        expires=expires,
        support=support,
    )


def _stretch(sweep: Sweep, at: Instant, outcome: Outcome, shown: Claim) -> tuple[Claim, Interval, str | None]:
    """The first claim, bounds and ender of the gapless stretch around `at` on which the slot has this value."""
    slot, starts = sweep.slot, sweep.starts
    if len(slot.claims) == 1:
        return shown, shown.interval, None
    if sweep.unanimous():
        covered = _covered(slot.claims, at)
        return _first(slot, sweep.outcome(covered.start)), covered, None
    here, value = sweep.place(at), _held(sweep, outcome)
    opening, start = outcome, starts[here]
    for begin in reversed(starts[:here]):
        before = sweep.outcome(begin)
        if _held(sweep, before) != value:
            break
        opening, start = before, begin
    end, after = _reach(sweep, starts[here + 1 :], value)
    ender = None if after is None else after.winner
    named = ender is not None and ender.interval.start == end and ender.id not in slot.silent
    return _first(slot, opening), Interval(start, end), ender.id if ender is not None and named else None


def _covered(claims: Iterable[Claim], at: Instant) -> Interval:
    """The gapless stretch around an instant on which some claim holds."""
    bounds = sorted((c.interval.start, _ALWAYS if c.interval.end is None else c.interval.end) for c in claims)
    start, end = bounds[0]
    for begin, until in bounds:
        if begin > end:
            if end > at:
                break
            start = begin
        end = max(end, until)
    return Interval(start, None if end == _ALWAYS else end)


def _reach(
    sweep: Sweep, starts: Sequence[Instant], value: tuple[ValueKey, bool] | None
) -> tuple[Instant | None, Outcome | None]:
    for begin in starts:
        after = sweep.outcome(begin)
        if _held(sweep, after) != value:
            return begin, after
    return None, None


def _held(sweep: Sweep, outcome: Outcome) -> tuple[ValueKey, bool] | None:
    shown = _shown(sweep.slot, outcome)
    return None if shown is None else (sweep.key(shown), shown is outcome.winner)


def _expiry(relation: Relation, shown: Claim, support: Iterable[Claim]) -> Instant | None:
    """A time to live counts from the latest word on the value; a stated end, even an open one, overrides it."""
    if relation.ttl is None or shown.end_given:
        return None
    return max(_anchor(c) for c in support) + relation.ttl


def _anchor(claim: Claim) -> Instant:
    described = claim.interval.start if claim.on is None else claim.on.at
    return max(claim.interval.start, claim.said_at, described)


def _status(interval: Interval, shown: Claim, expires: Instant | None, now: Instant) -> Status:
    if interval.end is not None and interval.end <= now:
        return Status.PAST
    if interval.start > now or (shown.on is not None and shown.on.at > now):
        return Status.UPCOMING
    if expires is not None and expires <= now:
        return Status.EXPIRED
    return Status.CURRENT
