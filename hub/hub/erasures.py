"""Erasing as operators and owners' agents ask for it: done in one transaction, swept from the disk, receipted."""

from __future__ import annotations

from hub.door import Act, Door
from hub.erased import EraseReceipt, Erasure
from hub.facts import Viewer
from hub.ledger import under_way
from hub.moments import as_datetime
from hub.remember.erasing import erase
from hub.requests import Act as Asked
from hub.requests import checked


def erase_fact(
    door: Door, who: Viewer | str, customer: str, record_id: str, reason: str | None, act: Act = Act.READ
) -> Erasure:
    """Raises Missing for what `who` may not see, Denied for what it may not erase."""
    asked = checked(Asked, {"reason": reason})
    door.flush()
    with door.admit(who, customer, act=act) as desk:
        erased, labels = erase(desk, record_id)
    receipt = EraseReceipt(
        id=door.new_id("erase"),
        at=as_datetime(desk.now),
        actor=desk.author,
        labels=labels,
        reason=asked.reason,
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
