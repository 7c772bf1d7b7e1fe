"""Facts as they were recorded, and everything recorded about them."""

from __future__ import annotations

from hub.answers import AuthorAnswer, FactAnswer, FactHistory, Recorded
from hub.errors import no_such_record
from hub.facts import Claim, Hide, Record, Relabel, Withdraw
from hub.moments import as_datetime
from hub.view import Row, View

_KINDS: dict[type[Record], str] = {Claim: "claim", Withdraw: "withdraw", Hide: "hide", Relabel: "relabel"}


def fact(view: View, fact_id: str) -> FactAnswer:
    """Raises Missing for whatever this view does not hold, forgotten facts included."""
    row = view.row(fact_id)
    if row is None or not isinstance(row.record, Claim) or view.forgotten(row.record):
        raise no_such_record()
    return _fact(view, row, row.record)


def history(view: View, fact_id: str) -> FactHistory:
    """The fact and every act upon it, oldest first, undoings included."""
    row = view.row(fact_id)
    if row is None or not isinstance(row.record, Claim):
        raise no_such_record()
    records = sorted(_about(view, row.record), key=lambda record: record.seq)
    return FactHistory(id=fact_id, records=tuple(_recorded(view, record) for record in records))


def _about(view: View, record: Record) -> list[Record]:
    """A record, the acts upon it, and the acts upon those."""
    return [record, *(deeper for act in view.acts_on(record.id) for deeper in _about(view, act))]


def _recorded(view: View, record: Record) -> Recorded:
    row = view.row(record.id)
    claim = record if isinstance(record, Claim) and row is not None else None
    return Recorded(
        id=record.id,
        kind=_KINDS[type(record)],
        target=record.target if isinstance(record, Withdraw | Hide | Relabel) else None,
        fact=_fact(view, row, claim) if claim is not None and row is not None else None,
        author=AuthorAnswer(agent=record.author.agent, domain=record.author.domain),
        recorded_at=as_datetime(record.recorded_at),
        reason=None if claim is not None else getattr(record, "reason", None),
    )


def _fact(view: View, row: Row, claim: Claim) -> FactAnswer:
    subject = view.entity(claim.subject.id)
    return FactAnswer(
        id=claim.id,
        subject=subject.name,
        subject_id=subject.id,
        relation=claim.relation,
        value=claim.value if claim.obj is None else claim.obj.name,
        object_id=None if claim.obj is None else view.canon(claim.obj.id),
        negated=claim.negated,
        text=view.registry.render(claim),
        mode=claim.mode,
        valid_from=as_datetime(claim.interval.start),
        valid_to=None if claim.interval.end is None else as_datetime(claim.interval.end),
        precision=claim.precision,
        on=None if claim.on is None else as_datetime(claim.on.at),
        said_at=as_datetime(claim.said_at),
        recorded_at=as_datetime(claim.recorded_at),
        author=AuthorAnswer(agent=claim.author.agent, domain=claim.author.domain),
        label=tuple(sorted(row.filing)),
        confidence=claim.confidence,
        importance=claim.importance,
        sources=claim.sources,
        reason=claim.reason,
    )
