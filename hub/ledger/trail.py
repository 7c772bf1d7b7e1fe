"""The audit: lines that name who did what and nothing of what was said, each chained to the one before."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from sqlalchemy import Connection, Row

from hub.codec import Quick, decode, encode
from hub.facts import Instant, Label, Scope
from hub.ledger import queries, sqlite

OK = "ok"


class Line(Quick, frozen=True, kw_only=True):
    """What one verb did, or was refused for.

    `customer` is a reference that means something only while the customer's row is there; `labels` and `records` are
    those of what was returned or written, and of records named in vain; `refused` are the codes of items left out of
    what was otherwise done. INVARIANT: names, numbers and codes, never a query, a value or a text.
    """

    number: int = 0
    at: Instant
    agent: str | None = None
    domain: str | None = None
    behalf: str | None = None
    verb: str
    customer: str | None = None
    purpose: str | None = None
    version: int = 0
    labels: tuple[Label, ...] = ()
    records: tuple[str, ...] = ()
    outcome: str = OK
    refused: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """Which lines are asked for; None: any. `since` and `until` (not included) are instants, `before` a number."""

    agent: str | None = None
    customer: str | None = None
    verb: str | None = None
    since: Instant | None = None
    until: Instant | None = None
    before: int | None = None
    limit: int


Columns = dict[str, str | int | None]


def append(connection: Connection, lines: Sequence[Line]) -> str:
    """Adds lines to the end of the chain, and says the last one's hash; the transaction must hold the write lock."""
    number, last = head(connection)
    rows: list[Columns] = []
    for line in lines:
        number += 1
        columns = _columns(line, number)
        last = _link(last, columns)
        rows.append(columns | {"hash": last})
    sqlite.pour(connection, queries.ADD_LINES, rows)
    sqlite.run(connection, queries.MOVE_CHAIN, {"number": number, "hash": last})
    return str(last)


def found(connection: Connection, wanted: Wanted) -> list[tuple[Line, str | None]]:
    """The last of those wanted, newest first, each with the customer's name if there is still one to the reference."""
    asked = {name: value for name, value in asdict(wanted).items() if value is not None}
    rows = connection.execute(queries.audit(asked.keys()), asked)
    return [(_line(row), row.name) for row in rows]


def head(connection: Connection) -> tuple[int, str]:
    """The number of the last line, and its hash: whoever wrote it down elsewhere can tell a chain made anew."""
    number, told = sqlite.one(connection, queries.CHAIN) or (0, "")
    return number, told


def broken(connection: Connection) -> int | None:
    """The number of the first line that is not as it was written, or not there; None if all are."""
    number, last = 0, ""
    for number, row in enumerate(connection.execute(queries.AUDIT), 1):
        columns: Columns = dict(row._mapping)
        told = columns.pop("hash")
        last = _link(last, columns)
        if (columns["id"], told) != (number, last):
            return number
    return None if head(connection) == (number, last) else number + 1


def _link(last: str, columns: Columns) -> str:
    """SHA-256, in hex, over the hash before and the columns as a JSON array."""
    return hashlib.sha256(last.encode() + encode(list(columns.values()))).hexdigest()


def _columns(line: Line, number: int) -> Columns:
    return {
        "id": number,
        "at": line.at,
        "agent": line.agent,
        "domain": line.domain,
        "behalf": line.behalf,
        "verb": line.verb,
        "customer": line.customer,
        "purpose": line.purpose,
        "version": line.version,
        "labels": encode([(x.owner, x.told, x.scope, x.relation) for x in line.labels]).decode(),
        "records": encode(line.records).decode(),
        "outcome": line.outcome,
        "refused": encode(line.refused).decode(),
    }


def _line(row: Row[Any]) -> Line:
    labels = decode(row.labels, list[tuple[str, str, Scope, str]])
    return Line(
        number=row.id,
        at=row.at,
        agent=row.agent,
        domain=row.domain,
        behalf=row.behalf,
        verb=row.verb,
        customer=row.customer,
        purpose=row.purpose,
        version=row.version,
        labels=tuple(Label(*label) for label in labels),
        records=tuple(decode(row.records, list[str])),
        outcome=row.outcome,
        refused=tuple(decode(row.refused, list[str])),
    )
