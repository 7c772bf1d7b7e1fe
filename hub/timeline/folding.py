"""The fold: the living claims of one slot, in order, and what wins among them at an instant of valid time."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from hub.facts import Arbitration, Claim, Entity, Instant, Mode, Relation, Value, ValueKey, value_key

NONE: ValueKey = ("none", "", "")
"""The key of "nothing", which a negation without a value claims."""

TRUST_MARGIN = 0.15
_EPSILON = 1e-9
_NEVER = -(1 << 80)  # before every instant
_REMEMBERED = 4


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


# --- the fold ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Run:
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


Standing = Mapping[ValueKey, Run]
"""Values that no later change has displaced, in the order they were last claimed."""


@dataclass(frozen=True, slots=True)
class Fold:
    """Where the fold of these candidates ends: at the winner's run, and the values that stand."""

    candidates: Sequence[Claim] = ()
    lead: Run | None = None
    standing: Standing = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Outcome:
    lead: Run | None  # its claim is the winner
    candidates: Sequence[Claim]
    open: Standing  # besides the winner's

    @property
    def winner(self) -> Claim | None:
        return None if self.lead is None else self.lead.claim


class Sweep:
    """The outcomes of one slot along valid time. A fold goes on from the latest one if that is how it begins.

    `starts` are those of the elementary stretches between all bounds, on each of which the candidates are the same.
    """

    def __init__(self, slot: Slot) -> None:
        ends = {c.interval.end for c in slot.claims if c.interval.end is not None}
        self.slot = slot
        self.starts = sorted({c.interval.start for c in slot.claims} | ends)
        self._keys: dict[str, ValueKey] = {}
        self._latest = Fold()
        self._known: dict[int, Outcome] = {}

    def key(self, claim: Claim) -> ValueKey:
        key = self._keys.get(claim.id)
        if key is None:
            key = self._keys[claim.id] = self.slot.key(claim)
        return key

    def place(self, at: Instant) -> int:
        """The number of the stretch around an instant; -1 before the first."""
        return bisect_right(self.starts, at) - 1

    def outcome(self, at: Instant) -> Outcome:
        place = self.place(at)
        found = self._known.get(place)
        if found is None:
            while len(self._known) >= _REMEMBERED:
                self._known.pop(next(iter(self._known)))
            found = self._known[place] = _outcome(self, at)
        return found

    def unanimous(self) -> bool:
        """Whether every claim says the same, and may answer."""
        claims = self.slot.claims
        return not (self.slot.silent or any(c.negated for c in claims)) and len(set(map(self.key, claims))) == 1

    def folded(self, candidates: Sequence[Claim]) -> Fold:
        latest = self._latest
        if candidates[: len(latest.candidates)] != latest.candidates:
            latest = Fold()
        self._latest = _fold(self, candidates, latest)
        return self._latest


def _outcome(sweep: Sweep, at: Instant) -> Outcome:
    slot = sweep.slot
    candidates = _ranked(sweep, [c for c in slot.claims if c.interval.holds(at)])
    if len(candidates) == 1:
        only = _opened(candidates[0], sweep.key(candidates[0]))
        return Outcome(None if only.denies else only, candidates, {})
    fold = sweep.folded(candidates)
    lead = fold.lead
    if lead is None or lead.denies or slot.relation.arbitration is Arbitration.LATEST:
        return Outcome(lead, candidates, {})
    standing = {**fold.standing, lead.key: fold.standing.get(lead.key, lead)}
    if slot.relation.arbitration is Arbitration.TRUST and len(standing) > 1:
        standing = _trusted(sweep, candidates, standing)
    if lead.key not in standing:
        lead = next(reversed(standing.values()))
    return Outcome(lead, candidates, {key: run for key, run in standing.items() if key != lead.key})


def _ranked(sweep: Sweep, candidates: list[Claim]) -> list[Claim]:
    """Those that count: since the last decision, and what said the same before it; then the owner's alone."""
    if sweep.slot.relation.arbitration is Arbitration.LATEST:
        return candidates
    decision = max((c for c in candidates if c.settles), key=lambda c: c.seq, default=None)
    if decision is not None:
        said = (sweep.key(decision), decision.negated)
        candidates = [c for c in candidates if c.seq >= decision.seq or (sweep.key(c), c.negated) == said]
    if sweep.slot.relation.arbitration is not Arbitration.OWNER:
        return candidates
    return [c for c in candidates if c.settles or c.author.domain == sweep.slot.relation.owner] or candidates


def _beats(claim: Claim, winner: Claim, run: Instant) -> bool:
    """The world's order decides; a move told late also beats an observation that knew no earlier start."""
    if claim.mode is Mode.CORRECT or claim.interval.start >= winner.interval.start:
        return True
    told_late = claim.change_given and claim.interval.end is None and claim.interval.start >= run
    return told_late and winner.mode is Mode.STATE and not winner.start_given


def _start(claim: Claim) -> Instant:
    return claim.interval.start if claim.start_given or claim.mode is Mode.CHANGE else _NEVER


def _fold(sweep: Sweep, candidates: Sequence[Claim], before: Fold) -> Fold:
    """The fold of the candidates, gone on from that of the first of them.

    A run goes on when its value is denied: what was known to start still did.
    """
    slot, lead, standing = sweep.slot, before.lead, dict(before.standing)
    review = slot.relation.arbitration is Arbitration.REVIEW
    for claim in candidates[len(before.candidates) :]:
        key = sweep.key(claim)
        denies = claim.negated and key != NONE
        if not review:
            _displace(standing, claim, key)
        if not denies:
            run = standing.pop(key, None) or _opened(claim, key)
            standing[key] = _follow(slot, run, claim, stronger=True)
        stronger = lead is None or _beats(claim, lead.claim, lead.start)
        if lead is not None and lead.key == key:
            lead = _follow(slot, lead, claim, stronger)
        elif stronger and not denies:
            lead = _opened(claim, key)
    return Fold(candidates, lead, standing)


def _opened(claim: Claim, key: ValueKey) -> Run:
    return Run(key, claim, _start(claim), claim, claim)


def _follow(slot: Slot, run: Run, claim: Claim, stronger: bool) -> Run:
    """A run with one more claim of its value; a stronger one stands for it from here on."""
    first, last = run.first, run.last
    if run.claim.negated == claim.negated:
        first = claim if first.id in slot.silent else first
        last = last if claim.id in slot.silent else claim
    elif stronger:
        first = last = claim
    return Run(run.key, claim if stronger else run.claim, max(run.start, _start(claim)), first, last)


def _displace(standing: dict[ValueKey, Run], claim: Claim, key: ValueKey) -> None:
    if claim.negated and key != NONE:
        closed = [key] if key in standing else []
    else:
        closed = [other for other in standing if other != key] if claim.mode is not Mode.STATE else []
    for other in closed:
        if _beats(claim, standing[other].claim, standing[other].start):
            standing.pop(other)


def _trusted(sweep: Sweep, candidates: Sequence[Claim], standing: Standing) -> dict[ValueKey, Run]:
    """Among contesting values only those near the best score stay; a single one has won."""
    voices: dict[ValueKey, set[str]] = {key: set() for key in standing}
    for claim in candidates:
        key = sweep.key(claim)
        if key in voices and (key == NONE or not claim.negated):
            voices[key].add(claim.author.domain)
    score = {domain: sweep.slot.trust(domain) for domain in set().union(*voices.values())}
    scores = {key: max(map(score.__getitem__, domains)) for key, domains in voices.items()}
    near = max(scores.values()) - TRUST_MARGIN + _EPSILON
    decided = {sweep.key(c) for c in candidates if c.settles}  # which nobody's word outweighs
    return {key: run for key, run in standing.items() if scores[key] > near or key in decided}
