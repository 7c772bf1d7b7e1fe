"""What agents do to what is there: correct, retract, end, forget, restore, relabel."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial

from hub.answers import ActReceipt, FactReceipt
from hub.codec import replaced
from hub.door import Desk
from hub.errors import Denied, Incorrect, no_such_record
from hub.facts import Claim, Filing, Hide, Instant, Interval, Label, Mode, Precision, Record, Relabel, Scope, Withdraw
from hub.moments import as_datetime, moment
from hub.registry import SAME_AS
from hub.remember.hearing import check_zone, zone_of
from hub.remember.namesakes import as_far_as_allowed, hidden_in, named_by
from hub.remember.receipts import receipt
from hub.requests import Act, Correct
from hub.view import View
from hub.view.base import entities_of


def retract(desk: Desk, record_id: str, reason: str | None) -> ActReceipt:
    """We no longer claim it, nor the name that it gave; a second time changes nothing."""
    record = _seen(desk, record_id)
    names = named_by(desk, [record])
    acts = [withdrawal(desk, record, reason)] if _for_some(desk, record, _keeps) else []
    return done(desk, [*acts, *_unnamed(desk, names)])


def _unnamed(desk: Desk, names: Iterable[Claim]) -> list[Withdraw]:
    living = [name for name in names if _for_some(desk, name, _keeps)]
    return as_far_as_allowed(partial(withdrawal, desk, name, None) for name in living)


def correct(desk: Desk, record_id: str, asked: Correct) -> FactReceipt:
    """We were wrong: the old claim is withdrawn and the new one stands, with its interval, mode and saying, at once."""
    old = _claim(desk, record_id)
    new = _corrected(desk, old, asked)
    filing = _new_filing(desk, old)
    same = filing == desk.filing_of(record_id)
    names = [] if asked.value is None or old.obj is None else named_by(desk, [old], [old.obj.id])
    withdrawal(desk, old, asked.reason if same else None)  # it may speak of the new value
    _unnamed(desk, names)
    before = desk.after
    desk.file(new, filing)
    return replaced(receipt(before, desk.after, new, filing), outcome="corrected")


def end(desk: Desk, record_id: str, asked: Act) -> FactReceipt:
    """It stopped being so: a negation from then on, filed where the fact is."""
    old = _claim(desk, record_id)
    at, precision = desk.now, Precision.INSTANT
    if asked.at is not None:
        at, precision = moment(asked.at, zone_of(desk.cut(desk.filing_of(record_id))))
    if at <= old.interval.start:
        raise Incorrect("ends_before_start", "it would end before it began", "retract it instead", where="at")
    ending = _ending(desk, old, at, precision, asked)
    before, filing = desk.after, desk.filing_of(record_id)
    desk.file(ending, filing)
    return receipt(before, desk.after, ending, filing)


def forget(desk: Desk, record_id: str, reason: str | None) -> ActReceipt:
    """Hides every claim of the same value, and the turns that carry them, as far as this agent may."""
    record = _seen(desk, record_id)
    carriers = _carriers(desk, record)
    acts = [_hide(desk, record, reason)] if _for_some(desk, record, _remembers) else []
    for other in carriers:
        if other.id != record.id and _for_some(desk, other, _remembers):
            acts += _if_allowed(desk, other, reason)
    hidden = {act.target for act in acts}
    names = named_by(desk, [other for other in [record, *carriers] if other.id in hidden])
    untold = [name for name in names if _for_some(desk, name, _remembers)]
    return done(desk, [*acts, *as_far_as_allowed(partial(_hide, desk, name, None) for name in untold)])


def restore(desk: Desk, record_id: str, reason: str | None) -> ActReceipt:
    """Undoes the forgetting of a record, and of whatever was forgotten in the same breath, names first."""
    record = _seen(desk, record_id)
    commits = {hide.recorded_at for hide in _hides(desk.view, record)}
    names = as_far_as_allowed(partial(withdrawal, desk, hide, None) for hide in hidden_in(desk.view, commits))
    acts: list[Withdraw] = []
    for other in [record, *_carriers(desk, record)]:
        hides = [h for h in _hides(desk.view, other) if h.recorded_at in commits and desk.after.living(h)]
        acts += [withdrawal(desk, hide, reason) for hide in hides]
    return done(desk, [*acts, *names])


def relabel(desk: Desk, record_id: str, scope: Scope, owner: str | None, reason: str | None) -> ActReceipt:
    """Files a claim elsewhere from now on; the past of those who could not see it stays as it was."""
    if scope is Scope.GLOBAL:
        message = "`global` holds company knowledge, nothing about a customer"
        raise Incorrect("scope_global", message, "send `private` or `shared`", where="scope")
    return refile(desk, _claim(desk, record_id), scope, owner, reason)


def refile(desk: Desk, claim: Claim, scope: Scope, owner: str | None, reason: str | None) -> ActReceipt:
    """The same of a claim that not all who read it know to be taken back."""
    before = desk.filing_of(claim.id)
    after = frozenset(
        Label(owner or label.owner, label.told, scope, label.relation) if label.relation == claim.relation else label
        for label in before
    )
    if after == before:
        return done(desk, [])
    act = Relabel(
        id=desk.new_id("act"),
        seq=desk.next_seq(),
        recorded_at=desk.now,
        author=desk.author,
        target=claim.id,
        before=tuple(sorted(before)),
        after=tuple(sorted(after)),
        as_operator=desk.as_operator,
        reason=reason,
    )
    desk.file(act, before | after)  # where it went from is for those to know who see where it went
    return done(desk, [act])


def _seen(desk: Desk, record_id: str) -> Record:
    row = desk.view.row(record_id)
    if row is None:
        raise no_such_record()
    return row.record


def _claim(desk: Desk, record_id: str) -> Claim:
    record = _seen(desk, record_id)
    if not isinstance(record, Claim) or not _for_some(desk, record, _keeps):
        raise no_such_record()
    return record


def _keeps(view: View, record: Record) -> bool:
    return view.living(record)


def _remembers(view: View, record: Record) -> bool:
    return not view.forgotten(record)


def _for_some(desk: Desk, record: Record, holds: Callable[[View, Record], bool]) -> bool:
    """INVARIANT: what some alone know to be taken back, or hidden, can be so for all who read it."""
    return holds(desk.view, record) or holds(desk.cut(desk.filing_of(record.id)), record)


def done(desk: Desk, acts: Sequence[Withdraw | Hide | Relabel]) -> ActReceipt:
    return ActReceipt(
        acts=tuple(act.id for act in acts),
        targets=tuple(act.target for act in acts),
        recorded_at=as_datetime(desk.now),
    )


def withdrawal(desk: Desk, record: Record, reason: str | None, filing: Filing | None = None) -> Withdraw:
    """Hands in that a record is taken back, filed where it is, or for fewer."""
    act = Withdraw(
        id=desk.new_id("act"),
        seq=desk.next_seq(),
        recorded_at=desk.now,
        author=desk.author,
        target=record.id,
        as_operator=desk.as_operator,
        reason=reason,
    )
    desk.file(act, desk.filing_of(record.id) if filing is None else filing)
    return act


def _hide(desk: Desk, record: Record, reason: str | None) -> Hide:
    act = Hide(
        id=desk.new_id("act"),
        seq=desk.next_seq(),
        recorded_at=desk.now,
        author=desk.author,
        target=record.id,
        as_operator=desk.as_operator,
        reason=reason,
    )
    desk.file(act, desk.filing_of(record.id))
    return act


def _if_allowed(desk: Desk, record: Record, reason: str | None) -> list[Hide]:
    try:
        return [_hide(desk, record, reason)]
    except Denied:
        return []


def _hides(view: View, record: Record) -> list[Hide]:
    return [act for act in view.acts_on(record.id) if isinstance(act, Hide) and view.living(act)]


def _carriers(desk: Desk, record: Record) -> list[Record]:
    """All that says the same: the claims of the value in the record's slot, and the turns they came from."""
    if not isinstance(record, Claim):
        return []
    if record.negated:
        return _turns(desk.view, [record])
    place = desk.after.slot_of(record)
    slot = desk.after.slot(place)
    told = [c for c in desk.after.told(place) if c.relation == record.relation and not c.negated]
    alike = (claim for claim in told if slot.key(claim) == slot.key(record) and _for_some(desk, claim, _keeps))
    claims = [claim for claim in alike if _same_to_its_readers(desk, claim, record)]
    return [*claims, *_turns(desk.view, claims)]


def _same_to_its_readers(desk: Desk, claim: Claim, record: Claim) -> bool:
    """INVARIANT no write-down: an alias that the claim's readers may not know of does not make it say the same."""
    if [e.id for e in entities_of(claim)] == [e.id for e in entities_of(record)]:
        return True
    seen = desk.cut(desk.filing_of(claim.id))
    return [seen.canon(e.id) for e in entities_of(claim)] == [seen.canon(e.id) for e in entities_of(record)]


def _turns(view: View, claims: Iterable[Claim]) -> list[Record]:
    sources = dict.fromkeys(source for claim in claims for source in claim.sources)
    return [row.record for source in sources if (row := view.row(source)) is not None]


def _new_filing(desk: Desk, old: Claim) -> Filing:
    """A new value is filed under its author, no wider than the old one was: what that was derived from stays in, and
    whoever owned it before the relation was another's.

    INVARIANT: an alias stays where both its names are.
    """
    before = desk.filing_of(old.id)
    if old.relation == SAME_AS:
        return before
    own = frozenset(x for x in before if (x.told, x.relation) == (old.author.domain, old.relation)) or before
    private = any(label.scope is Scope.PRIVATE for label in own)
    as_wide = desk.label(old.relation, Scope.PRIVATE if private else Scope.SHARED)
    new = as_wide if desk.may_open(as_wide) else desk.label(old.relation)
    return frozenset({new}) | (before - {label for label in own if label.owner == new.owner})


def _corrected(desk: Desk, old: Claim, asked: Correct) -> Claim:
    if old.relation == SAME_AS and asked.value is not None:
        message = "an alias joins two things, and a value is none"
        raise Incorrect("no_object", message, "retract it, and say what is the same", where="value")
    check_zone(old.relation, asked.value)
    zone = zone_of(desk.cut(_new_filing(desk, old)))
    start, precision = old.interval.start, old.precision
    if asked.valid_from is not None:
        start, precision = moment(asked.valid_from, zone)
    end = old.interval.end
    if "valid_to" in asked.model_fields_set:
        end = None if asked.valid_to is None else moment(asked.valid_to, zone)[0]
    return replaced(
        old,
        id=desk.new_id("fact"),
        seq=desk.next_seq(),
        recorded_at=desk.now,
        author=desk.author,
        value=old.value if asked.value is None else asked.value,
        obj=old.obj if asked.value is None else None,
        interval=Interval(start, end),
        start_given=old.start_given or asked.valid_from is not None,
        end_given=old.end_given or "valid_to" in asked.model_fields_set,
        precision=precision,
        settles=False,
        sources=old.sources if asked.value is None else (),  # the turn said the old value
        reason=asked.reason,
    )


def _ending(desk: Desk, old: Claim, at: Instant, precision: Precision, asked: Act) -> Claim:
    return replaced(
        old,
        id=desk.new_id("fact"),
        seq=desk.next_seq(),
        recorded_at=desk.now,
        author=desk.author,
        negated=True,
        interval=Interval(at),
        start_given=asked.at is not None,
        end_given=False,
        precision=precision,
        mode=Mode.CHANGE,
        mode_given=True,
        settles=False,
        on=None,
        said_at=desk.now,
        sources=(),
        reason=asked.reason,
    )
