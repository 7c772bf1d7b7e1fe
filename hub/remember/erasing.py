"""Erasing: which records go with one, and the gaps that are left in their places."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from hub.door import Desk
from hub.erased import Erased
from hub.errors import no_such_record, not_yours
from hub.facts import CUSTOMER, Claim, Entity, Gap, Instant, Label, Turn, Withdraw
from hub.registry import SAME_AS
from hub.view import View
from hub.view.base import entities_of


def erase(desk: Desk, record_id: str) -> tuple[Erased, tuple[Label, ...]]:
    """Takes a fact away for good: every claim of its value that this writer may erase, and the turns they came from.

    A turn can be named as well, and then goes alone. Says how much is gone, and under which labels it leaves gaps.
    """
    row = desk.view.row(record_id)
    if row is None or not isinstance(row.record, Claim | Turn):
        raise no_such_record()
    if not desk.may_erase(record_id):
        raise not_yours()
    if isinstance(row.record, Turn):
        gaps, turns = [_gap(row.record)], [row.record]
    else:
        claims = _claims(desk, row.record)
        aliases = [alias for alias in _aliases(desk.view, claims) if desk.may_erase(alias.id)]
        gaps, turns = list(_gaps(desk, claims, aliases)), list(_turns(desk.view, claims))
    gone = dict.fromkeys((*(gap.id for gap in gaps), *(turn.id for turn in turns)))
    labels = {label for record in gone for label in desk.filing_of(record)}
    erased = desk.erase(gaps)
    if not desk.as_operator:  # how often others asked about it is not for this agent to know
        erased = Erased(claims=len(gone) - len(turns), turns=len(turns))
    return erased, tuple(sorted(labels))


# --- what goes -------------------------------------------------------------------------------------------------------


def _claims(desk: Desk, record: Claim) -> list[Claim]:
    """Those of the record's value that may go, under whatever name the relation went."""
    claims = [claim for alike in _everywhere(desk.view, record) for claim in _erasable(desk, alike)]
    if record not in claims:
        raise not_yours()
    return claims


def _everywhere(view: View, record: Claim) -> Iterator[list[Claim]]:
    """All that says or denies the same, slot by slot: its own, and those that it was moved from, or to, by a merge."""
    seen: set[str] = set()
    waiting = [record]
    while waiting:
        claim = waiting.pop()
        if claim.id not in seen:
            alike = _alike(view, claim)
            seen |= {other.id for other in alike}
            waiting += [other for one in alike for other in _moved(view, one)]
            yield alike


def _moved(view: View, claim: Claim) -> Iterator[Claim]:
    """What says the same of the same thing under another name, one of the two recorded as the other was taken back."""
    rows = view.rows(view.base.told_of.get(claim.subject.id, ()))
    others = [row.record for row in rows if isinstance(row.record, Claim) and row.record.relation != claim.relation]
    for other in others:
        if (other.value, other.obj) == (claim.value, claim.obj) and (
            _taken_back(view, other, claim.recorded_at) or _taken_back(view, claim, other.recorded_at)
        ):
            yield other


def _taken_back(view: View, claim: Claim, at: Instant) -> bool:
    return any(isinstance(act, Withdraw) and act.recorded_at == at for act in view.acts_on(claim.id))


def _alike(view: View, claim: Claim) -> list[Claim]:
    """All that says or denies the same, also what was taken back, for that holds the value too."""
    if claim.relation == SAME_AS:
        same = [row.record for row in view.rows(view.base.same)]
        return [other for other in same if isinstance(other, Claim) and _pair(other) == _pair(claim)]
    key = view.slot_of(claim)
    slot = view.slot(key)
    return [other for other in view.told(key) if slot.key(other) == slot.key(claim)]


def _pair(alias: Claim) -> set[str]:
    return {entity.id for entity in entities_of(alias)}


def _erasable(desk: Desk, alike: Iterable[Claim]) -> list[Claim]:
    """INVARIANT: a denial stays as long as what it has ended, which would come back without it."""
    go: list[Claim] = []
    stay: list[Claim] = []
    for claim in alike:
        (go if desk.may_erase(claim.id) else stay).append(claim)
    while needed := [claim for claim in go if any(_denies(claim, other) for other in stay)]:
        stay += needed
        go = [claim for claim in go if claim not in needed]
    return go


def _denies(claim: Claim, other: Claim) -> bool:
    """Of two claims of one value, whether this one may have ended the other; those of opposite relations deny it."""
    later = (claim.said_at, claim.seq) > (other.said_at, other.seq) or claim.interval.start > other.interval.start
    return later and not other.negated and claim.negated == (claim.relation == other.relation)


def _aliases(view: View, claims: Sequence[Claim]) -> Iterator[Claim]:
    """What was recorded along with these claims only to say that a name of theirs is known under another label."""
    gone, commits = {claim.id for claim in claims}, {claim.recorded_at for claim in claims}
    for thing in dict.fromkeys(entity.id for claim in claims for entity in entities_of(claim)):
        numbers = () if thing == CUSTOMER else view.base.mentions[thing]
        others = [row.record for row in view.rows(numbers) if row.record.id not in gone]
        aliases = [other for other in others if isinstance(other, Claim) and other.relation == SAME_AS]
        if len(aliases) == len(others) and all(alias.recorded_at in commits for alias in aliases):
            gone |= {alias.id for alias in aliases}
            yield from aliases


def _turns(view: View, claims: Iterable[Claim]) -> Iterator[Turn]:
    for source in dict.fromkeys(source for claim in claims for source in claim.sources):
        row = view.row(source)
        if row is not None and isinstance(row.record, Turn):
            yield row.record


# --- what is left ----------------------------------------------------------------------------------------------------


def _gaps(desk: Desk, claims: Iterable[Claim], aliases: Iterable[Claim]) -> Iterator[Gap]:
    """INVARIANT: a token is random, and shared by the claims of one value that are erased at once, by nothing else."""
    token = desk.new_id("gap")
    yield from (_gap(claim, token) for claim in claims)
    yield from (_gap(alias, desk.new_id("gap")) for alias in aliases)


def _gap(record: Claim | Turn, token: str = "") -> Gap:
    return Gap(
        id=record.id,
        seq=record.seq,
        recorded_at=record.recorded_at,
        author=record.author,
        silent=_silent(record, token) if isinstance(record, Claim) else None,
    )


def _silent(claim: Claim, token: str) -> Claim:
    """As much of a claim as the fold needs to keep ended what it had ended: no value, no name, no words.

    A denial of the value goes on denying it; whether a claim said "nothing" or something is not told any more.
    """
    return Claim(
        id=claim.id,
        seq=claim.seq,
        recorded_at=claim.recorded_at,
        author=claim.author,
        subject=Entity(claim.subject.id, "", ""),
        relation=claim.relation,
        obj=Entity(token, "", ""),
        negated=claim.negated and (claim.value is not None or claim.obj is not None),
        interval=claim.interval,
        start_given=claim.start_given,
        mode=claim.mode,
        mode_given=claim.mode_given,
        settles=claim.settles,
        said_at=claim.said_at,
    )
