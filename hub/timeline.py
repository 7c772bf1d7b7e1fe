"""The belief algebra: what a slot holds at a point in valid time, folded from its claims."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from hub.facts import (
    Arbitration,
    Belief,
    Claim,
    Entity,
    Hide,
    Instant,
    Interval,
    Mode,
    Record,
    Relation,
    Status,
    Value,
    ValueKey,
    Withdraw,
    value_key,
)

NONE: ValueKey = ("none", "", "")
"""The key of "nothing", which a negation without a value claims."""

TRUST_MARGIN = 0.15
_EPSILON = 1e-9
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
    return replace(claim, negated=True)


def classes(pairs: Iterable[tuple[str, str]], order: Callable[[str], int]) -> dict[str, str]:
    """Entity id -> the id that stands for its `same_as` class: the one mentioned first."""
    stands: dict[str, str] = {}

    def root(entity: str) -> str:
        while (above := stands.get(entity, entity)) != entity:
            entity = above
        return entity

    for one, other in pairs:
        first, second = sorted((root(one), root(other)), key=order)
        stands[second] = first
    return {entity: root(entity) for entity in stands}


# --- one slot ----------------------------------------------------------------------------------------------------


def _itself(entity: str) -> str:
    return entity


@dataclass(frozen=True, slots=True)
class Slot:
    """The living claims of one slot, and the rules they are folded by.

    `claims` must come from `folding_order`. `silent` are the ids of forgotten claims: they keep their place in the
    fold but never answer. `canon` maps an entity to the one that stands for its class.
    """

    claims: tuple[Claim, ...]
    relation: Relation
    trust: Callable[[str], float]
    silent: frozenset[str] = frozenset()
    canon: Callable[[str], str] = _itself

    def key(self, claim: Claim) -> ValueKey:
        content = claim.value if claim.obj is None else claim.obj
        if content is None:
            return NONE
        return slot_value(content, self.canon)


def slot_value(content: Value | Entity, canon: Callable[[str], str] = _itself) -> ValueKey:
    if isinstance(content, Entity):
        return ("entity", canon(content.id), "")
    return value_key(content)


def folding_order(claims: Iterable[Claim]) -> tuple[Claim, ...]:
    return tuple(sorted(claims, key=lambda c: (c.said_at, c.seq)))


def believe(slot: Slot, at: Instant) -> Belief | None:
    """The belief at one instant of valid time; None where the slot holds nothing."""
    return _believed(slot, at, at)


def history(slot: Slot, at: Instant) -> list[Belief]:
    """Every stretch on which the slot held something, oldest first; statuses are relative to `at`.

    The one around `at` is what is believed there, any other is as it began.
    """
    beliefs: list[Belief] = []
    reached: Instant = _NEVER
    for start, _end in _segments(slot.claims):
        if start >= reached and (belief := _believed(slot, start, at)) is not None:
            here = believe(slot, at) if belief.interval.holds(at) else None
            beliefs.append(here or belief)
            reached = _ALWAYS if belief.interval.end is None else belief.interval.end
    return beliefs


def _believed(slot: Slot, at: Instant, now: Instant) -> Belief | None:
    outcome = _outcome(slot, at)
    return None if _shown(slot, outcome) is None else _belief(slot, at, outcome, now)


def sides(belief: Belief) -> list[Belief]:
    """A contested belief is returned once for each side, every one flagged with the others."""
    if not belief.contested:
        return [belief]
    claims = (belief.claim, *belief.contested)
    return [belief, *(_side(belief, c, claims) for c in belief.contested)]


def _side(belief: Belief, claim: Claim, claims: Sequence[Claim]) -> Belief:
    others = tuple(c for c in claims if c is not claim)
    return replace(belief, claim=claim, winner=claim, interval=claim.interval, contested=others, support=(claim,))


# --- the fold ----------------------------------------------------------------------------------------------------


@dataclass(slots=True)
class _Run:
    """Claims that speak of one value without a break: one that stands for them, and their latest known start.

    `first` and `last` are those of its claims that may answer; a forgotten one is kept only until there is another.
    """

    key: ValueKey
    claim: Claim
    start: Instant
    first: Claim
    last: Claim

    @property
    def denies(self) -> bool:
        return self.claim.negated and self.key != NONE


@dataclass(frozen=True, slots=True)
class _Outcome:
    lead: _Run | None  # its claim is the winner
    candidates: Sequence[Claim]
    open: dict[ValueKey, _Run]  # undisplaced values besides the winner's, in the order they were last claimed

    @property
    def winner(self) -> Claim | None:
        return None if self.lead is None else self.lead.claim


def _outcome(slot: Slot, at: Instant) -> _Outcome:
    candidates = _ranked(slot, [c for c in slot.claims if c.interval.holds(at)])
    if len(candidates) == 1:
        only = _opened(candidates[0], slot.key(candidates[0]))
        return _Outcome(None if only.denies else only, candidates, {})
    lead, standing = _fold(slot, candidates)
    if lead is None or lead.denies or slot.relation.arbitration is Arbitration.LATEST:
        return _Outcome(lead, candidates, {})
    standing.setdefault(lead.key, lead)
    if slot.relation.arbitration is Arbitration.TRUST and len(standing) > 1:
        standing = _trusted(slot, candidates, standing)
    if lead.key not in standing:
        lead = next(reversed(standing.values()))
    return _Outcome(lead, candidates, {key: run for key, run in standing.items() if key != lead.key})


def _ranked(slot: Slot, candidates: list[Claim]) -> list[Claim]:
    """Those that count: since the last decision, and what said the same before it; then the owner's alone."""
    if slot.relation.arbitration is Arbitration.LATEST:
        return candidates
    decision = max((c for c in candidates if c.settles), key=lambda c: c.seq, default=None)
    if decision is not None:
        said = (slot.key(decision), decision.negated)
        candidates = [c for c in candidates if c.seq >= decision.seq or (slot.key(c), c.negated) == said]
    if slot.relation.arbitration is not Arbitration.OWNER:
        return candidates
    return [c for c in candidates if c.settles or c.author.domain == slot.relation.owner] or candidates


def _beats(claim: Claim, winner: Claim, run: Instant) -> bool:
    """The world's order decides; a move told late also beats an observation that knew no earlier start."""
    if claim.mode is Mode.CORRECT or claim.interval.start >= winner.interval.start:
        return True
    told_late = claim.change_given and claim.interval.end is None and claim.interval.start >= run
    return told_late and winner.mode is Mode.STATE and not winner.start_given


def _start(claim: Claim) -> Instant:
    return claim.interval.start if claim.start_given or claim.mode is Mode.CHANGE else _NEVER


def _fold(slot: Slot, candidates: Sequence[Claim]) -> tuple[_Run | None, dict[ValueKey, _Run]]:
    """The winner's run, and the values no later change has displaced.

    A run goes on when its value is denied: what was known to start still did.
    """
    review = slot.relation.arbitration is Arbitration.REVIEW
    lead: _Run | None = None
    standing: dict[ValueKey, _Run] = {}
    for claim in candidates:
        key = slot.key(claim)
        denies = claim.negated and key != NONE
        if not review:
            _displace(standing, claim, key)
        if not denies:
            run = standing.pop(key, None) or _opened(claim, key)
            standing[key] = _follow(slot, run, claim, stronger=True)
        stronger = lead is None or _beats(claim, lead.claim, lead.start)
        if lead is not None and lead.key == key:
            _follow(slot, lead, claim, stronger)
        elif stronger and not denies:
            lead = _opened(claim, key)
    return lead, standing


def _opened(claim: Claim, key: ValueKey) -> _Run:
    return _Run(key, claim, _start(claim), claim, claim)


def _follow(slot: Slot, run: _Run, claim: Claim, stronger: bool) -> _Run:
    """Takes one more claim of its value into a run; a stronger one stands for it from here on."""
    run.start = max(run.start, _start(claim))
    if run.claim.negated == claim.negated:
        run.first = claim if run.first.id in slot.silent else run.first
        run.last = run.last if claim.id in slot.silent else claim
    elif stronger:
        run.first = run.last = claim
    if stronger:
        run.claim = claim
    return run


def _displace(standing: dict[ValueKey, _Run], claim: Claim, key: ValueKey) -> None:
    if claim.negated and key != NONE:
        closed = [key] if key in standing else []
    else:
        closed = [other for other in standing if other != key] if claim.mode is not Mode.STATE else []
    for other in closed:
        if _beats(claim, standing[other].claim, standing[other].start):
            standing.pop(other)


def _trusted(slot: Slot, candidates: Sequence[Claim], standing: dict[ValueKey, _Run]) -> dict[ValueKey, _Run]:
    """Among contesting values only those near the best score stay; a single one has won."""
    scores = {
        key: max(
            slot.trust(c.author.domain) for c in candidates if slot.key(c) == key and (key == NONE or not c.negated)
        )
        for key in standing
    }
    near = max(scores.values()) - TRUST_MARGIN + _EPSILON
    decided = {slot.key(c) for c in candidates if c.settles}  # which nobody's word outweighs
    return {key: run for key, run in standing.items() if scores[key] > near or key in decided}


# --- from outcome to belief --------------------------------------------------------------------------------------


def _shown(slot: Slot, outcome: _Outcome) -> Claim | None:
    """The claim that answers: the winner, or the last value that a mere "nothing" contests."""
    winner = outcome.winner
    if winner is None or winner.id in slot.silent:
        return None
    if not winner.negated:
        return winner
    return next((run.last for run in reversed(_open_values(slot, outcome))), None)


def _open_values(slot: Slot, outcome: _Outcome) -> list[_Run]:
    return [run for key, run in outcome.open.items() if key != NONE and run.last.id not in slot.silent]


def _first(slot: Slot, outcome: _Outcome) -> Claim:
    """The claim that names what is shown: the first that said so without a break."""
    assert outcome.lead is not None
    return _open_values(slot, outcome)[-1].first if outcome.lead.claim.negated else outcome.lead.first


def _segments(claims: Sequence[Claim]) -> list[tuple[Instant, Instant]]:
    """The elementary stretches between all bounds, on each of which the candidates are the same."""
    bounds = {c.interval.start for c in claims} | {c.interval.end for c in claims if c.interval.end is not None}
    return list(pairwise([*sorted(bounds), _ALWAYS]))


def _belief(slot: Slot, at: Instant, outcome: _Outcome, now: Instant) -> Belief:
    shown = _shown(slot, outcome)
    assert shown is not None and outcome.winner is not None
    first, interval, ended_by = _stretch(slot, at, outcome, shown)
    key = slot.key(shown)
    support = tuple(c for c in outcome.candidates if not c.negated and slot.key(c) == key and c.id not in slot.silent)
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


def _stretch(slot: Slot, at: Instant, outcome: _Outcome, shown: Claim) -> tuple[Claim, Interval, str | None]:
    """The first claim, bounds and ender of the gapless stretch around `at` on which the slot has this value."""
    if len(slot.claims) == 1:
        return shown, shown.interval, None
    segments = _segments(slot.claims)
    here = next(i for i, (start, end) in enumerate(segments) if start <= at < end)
    value = _held(slot, outcome)
    opening, start = outcome, segments[here][0]
    for begin, _ in reversed(segments[:here]):
        before = _outcome(slot, begin)
        if _held(slot, before) != value:
            break
        opening, start = before, begin
    end, after = _reach(slot, segments[here:], value)
    ender = None if after is None else after.winner
    named = ender is not None and ender.interval.start == end and ender.id not in slot.silent
    return _first(slot, opening), Interval(start, end), ender.id if ender is not None and named else None


def _reach(
    slot: Slot, segments: Sequence[tuple[Instant, Instant]], value: tuple[ValueKey, bool] | None
) -> tuple[Instant | None, _Outcome | None]:
    for begin, _ in segments[1:]:
        after = _outcome(slot, begin)
        if _held(slot, after) != value:
            return begin, after
    return None, None


def _held(slot: Slot, outcome: _Outcome) -> tuple[ValueKey, bool] | None:
    shown = _shown(slot, outcome)
    return None if shown is None else (slot.key(shown), shown is outcome.winner)


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
