"""Recalls that are written down late: what has been erased since they were answered is taken from them, too."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from sqlalchemy import Connection, bindparam, text

from hub.codec import decode, encode, replaced
from hub.ledger import sqlite
from hub.ledger.rows import KeptRecall
from hub.ledger.trail import Line

_ERASED = "SELECT erased FROM clock"
# Whether anything of the customer, or of the company's own, was erased since; no row for a customer that is no more.
_SINCE = text(
    "SELECT c.erased > :erased OR EXISTS (SELECT 1 FROM customer o WHERE o.id = :company AND o.erased > :erased) "
    "FROM customer c WHERE c.id = :customer"
)
_GONE = text("SELECT id FROM record WHERE kind = 'gap' AND id IN :ids LIMIT 1").bindparams(
    bindparam("ids", expanding=True)
)


def still_kept(connection: Connection, recalls: Iterable[tuple[KeptRecall, Line]]) -> Iterator[KeptRecall]:
    """The recalls as an erasure would have left them, had they been on the disk before it; each beside its line.

    INVARIANT: nothing of an erased customer is kept, nor what was asked about somebody of whom nothing was known, for
    nobody can tell any more whether that was the one.
    """
    erased = sqlite.rows(connection, _ERASED, {})[0]
    for kept, line in recalls:
        if (kept.state.erased,) == erased:
            yield kept
            continue
        state = kept.state
        asked = {"erased": state.erased, "customer": state.customer, "company": state.company}
        since = connection.execute(_SINCE, asked).scalar()
        if since is not None:
            yield unasked(kept) if since and _told_of_it(connection, kept, line) else kept


def _told_of_it(connection: Connection, kept: KeptRecall, line: Line) -> bool:
    """Whether the answer told of a record that is gone now."""
    told = {*(record for record, _ in kept.results), *(kept.named or ()), *line.records}
    return connection.execute(_GONE, {"ids": sorted(told)}).first() is not None


def unasked(kept: KeptRecall) -> KeptRecall:
    """Without the query, the vector of it, and the digest of the answer."""
    asked = decode(kept.request, dict[str, object])
    return replaced(kept, request=encode({**asked, "query": ""}).decode(), steps=None, digest=None)
