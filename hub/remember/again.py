"""A turn that could not be read when it was heard, read after all: what it claims is recorded now, as said then."""

from __future__ import annotations

from hub.door import Desk
from hub.errors import Fault, no_such_record
from hub.extract import Extractor
from hub.facts import CUSTOMER, Claim, Turn, folded
from hub.registry import plainly
from hub.remember import Filed, Maker, take
from hub.remember.hearing import Hearing
from hub.requests import Fact

Said = tuple[str, str, bool]
"""Relation, value or name, and whether it is denied."""


def reread(desk: Desk, turn: Turn, extractor: Extractor) -> int:
    """Files what the turn claims beyond what was claimed of it before; how much that is.

    Raises Missing if the writer may not read the turn any more, and Fault if it can't be read again.
    """
    if desk.view.row(turn.id) is None or desk.view.forgotten(turn):
        raise no_such_record()
    hearing = Hearing(desk, extractor, turn.text, turn.lang, turn.said_at)
    facts = hearing.facts()
    if facts is None:
        raise Fault("not_read", "the turn can't be read", "see to the extractor")
    maker, filed, known = Maker(desk, turn.said_at, turn.lang, (turn.id,)), Filed(), _known(desk, turn)
    for index, fact in enumerate(facts):
        if _said(fact) not in known:
            take(maker, fact, index, filed, forgiving=True)
    for filing in filed.filings:
        desk.carry(turn.id, filing)
    return len(filed.receipts)


def _known(desk: Desk, turn: Turn) -> set[Said]:
    rows = desk.view.rows(desk.view.base.claims_from.get(turn.id, ()))
    return {_claimed(row.record) for row in rows if isinstance(row.record, Claim)}


def _claimed(claim: Claim) -> Said:
    held = plainly(claim.value) if claim.obj is None else claim.obj.name
    return claim.relation, folded(held), claim.negated


def _said(fact: Fact) -> Said:
    named = fact.object if isinstance(fact.object, str) or fact.object is None else fact.object.name
    held = plainly(fact.value) if fact.object is None else named or CUSTOMER
    return fact.relation, folded(held), fact.negated
