"""Erasing as operators and owners' agents ask for it: done in one transaction, swept from the disk, receipted."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from hub import knowledge
from hub.door import Act, Desk, Door
from hub.erased import Erased, EraseReceipt, Erasure
from hub.facts import COMPANY, Label, Viewer
from hub.ledger import under_way
from hub.moments import as_datetime
from hub.remember.erasing import erase
from hub.requests import Act as Asked
from hub.requests import checked

Taking = Callable[[Desk], tuple[Erased, tuple[Label, ...]]]
"""What takes records away at a desk: how much, and under which labels."""


def erase_fact(
    door: Door, who: Viewer | str, customer: str, record_id: str, reason: str | None, act: Act = Act.READ
) -> Erasure:
    """Raises Missing for what `who` may not see, Denied for what it may not erase."""
    asked = checked(Asked, {"reason": reason})
    return _erased(door, who, customer, asked.reason, act, lambda desk: erase(desk, record_id))


def erase_document(door: Door, who: str, document: str, reason: str | None) -> Erasure:
    """Raises Missing if there has never been one of that name, Denied for what `who` may not erase."""
    erasure = _erased(door, who, COMPANY, reason, Act.ERASE, lambda desk: knowledge.erase(desk, document))
    scrapped = door.shelving is None or door.shelving.index.scrap()
    return replace(erasure, receipt=replace(erasure.receipt, swept=erasure.receipt.swept and scrapped))


def _erased(door: Door, who: Viewer | str, customer: str, reason: str | None, act: Act, take: Taking) -> Erasure:
    door.flush()
    with door.admit(who, customer, act=act) as desk:
        erased, labels = take(desk)
    receipt = EraseReceipt(
        id=door.new_id("erase"),
        at=as_datetime(desk.now),
        actor=desk.author,
        labels=labels,
        reason=reason,
        audit=under_way().hash if desk.as_operator else None,
        swept=door.sweep(),
    )
    return Erasure(erased=erased, receipt=receipt)


def erase_customer(door: Door, who: str, customer: str, reason: str | None) -> Erasure:
    """Raises Denied, and takes nothing, unless `who` may erase all that there is of the customer."""
    asked = checked(Asked, {"reason": reason})
    door.flush()
    erased, at, actor = door.erase_customer(who, customer)
    receipt = EraseReceipt(
        id=door.new_id("erase"),
        at=as_datetime(at),
        actor=actor,
        reason=asked.reason,
        audit=under_way().hash,
        swept=door.sweep(),
    )
    return Erasure(erased=erased, receipt=receipt)
