"""Every query the ledger asks, by name; plain SQL that SQLite and PostgreSQL read alike."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

from sqlalchemy import TextClause, text


class Adding:
    """Rows that are added many at once, their values in the order of the `columns`; the first is never NULL."""

    def __init__(self, table: str) -> None:
        """`table`: its name, and the columns in parentheses."""
        self.table = table
        self.columns = tuple(table[table.index("(") + 1 : -1].split(", "))


# Where everything stands, in one row.
STATE = (
    "SELECT c.last, c.seq, c.erased, c.swept, c.vectors, (SELECT max(id) FROM version), (SELECT max(id) FROM binding), "
    "(SELECT max(id) FROM filing), (SELECT max(id) FROM consent), "
    "m.id, m.reference, (SELECT id FROM customer WHERE name = :company) "
    "FROM clock c LEFT JOIN customer m ON m.name = :customer"
)
SCHEMA = text("SELECT value FROM meta WHERE name = 'schema'")
CURSOR_KEY = text("SELECT value FROM meta WHERE name = 'cursor_key'")
CUSTOMER_OF = text("SELECT c.name FROM record r JOIN customer c ON c.id = r.customer WHERE r.id = :id")

# The labels behind the numbers; numbers are never given twice.
FILINGS = text("SELECT id, labels FROM filing WHERE id > :after AND labels LIKE '[%' ORDER BY id")
FILING = "SELECT id FROM filing WHERE labels = :labels"

# Which of a customer's compartments have grown: one row a filing, however much was written.
CHANGED = "SELECT filing FROM head WHERE customer = :customer AND seq > :after"
MOVE_HEAD = (
    "INSERT INTO head (customer, filing, seq) VALUES (:customer, :filing, :seq) "
    "ON CONFLICT (customer, filing) DO UPDATE SET seq = excluded.seq"
)

ADD_CUSTOMER = "INSERT INTO customer (id, name, reference, erased) VALUES (:id, :name, :reference, 0)"
ADD_RECORDS = Adding("record (seq, id, customer, kind, body)")
ADD_ENTRIES = Adding("entry (seq, customer, filing, record, at, leaves)")

# Every compartment of every customer.
COMPARTMENTS = text(
    "SELECT c.name, h.filing FROM head h JOIN customer c ON c.id = h.customer ORDER BY c.name, h.filing"
)

# Heads that do not name the latest entry of their compartment.
LOST_HEADS = text(
    "SELECT count(*) FROM (SELECT customer, filing, max(seq) AS seq FROM entry GROUP BY customer, filing) e "
    "LEFT JOIN head h ON h.customer = e.customer AND h.filing = e.filing WHERE h.seq IS NULL OR h.seq <> e.seq"
)
BODIES = text("SELECT id, kind, body FROM record ORDER BY seq")

VERSIONS = text(
    "SELECT id, recorded_at, author, reason, model, policy, relations, promotions FROM version "
    "WHERE id > :after ORDER BY id"
)
BINDING = text("SELECT body FROM binding WHERE agent = :agent ORDER BY id DESC LIMIT 1")
CONSENTS = text("SELECT body FROM consent WHERE customer = :customer AND id <= :upto ORDER BY id")
BINDINGS = text("SELECT id, body FROM binding WHERE id > :after ORDER BY id")

_KEY = "digest, agent, expires_at, revoked, parent, customer, purpose"

# The latest word on a key, and every word on the keys of one agent.
KEY = text(f"SELECT {_KEY} FROM key WHERE digest = :digest ORDER BY id DESC LIMIT 1")
KEYS_OF = text(f"SELECT {_KEY} FROM key WHERE agent = :agent ORDER BY id")

ANSWER = "SELECT request, body FROM answer WHERE agent = :agent AND customer = :customer AND key = :key"
ADD_ANSWER = (
    "INSERT INTO answer (agent, customer, key, request, body) VALUES (:agent, :customer, :key, :request, :body)"
)
# The audit, and where its chain ends.
AUDIT = text(
    "SELECT id, at, agent, domain, behalf, verb, customer, purpose, version, labels, records, outcome, refused, hash "
    "FROM audit ORDER BY id"
)
ADD_LINES = Adding(
    "audit (id, at, agent, domain, behalf, verb, customer, purpose, version, labels, records, outcome, refused, hash)"
)
CHAIN = "SELECT number, hash FROM chain"
MOVE_CHAIN = "UPDATE chain SET number = :number, hash = :hash"
REFERENCE = text("SELECT reference FROM customer WHERE name = :name")

KEEP_RECALL = Adding("recall (id, customer, name, body, digest)")
RECALL = text("SELECT body, digest FROM recall WHERE id = :id")

TICK = "UPDATE clock SET last = :last, seq = :seq"

# That something was erased, and that its bytes were written over.
ERASED = text("UPDATE clock SET erased = :seq")
UNSWEPT = text("SELECT erased > swept FROM clock")
SWEPT = text("UPDATE clock SET swept = :seq WHERE swept < :seq")


@lru_cache
def entries(filings: int) -> str:
    """What was filed since `after`, up to `upto`, under any of so many filings (`f0`, `f1`, …), in ledger order."""
    places = ", ".join(f":f{n}" for n in range(filings))
    return (
        "SELECT e.seq, e.filing, e.at, e.leaves, r.kind, r.body FROM entry e JOIN record r ON r.seq = e.record "
        f"WHERE e.customer = :customer AND e.seq > :after AND e.seq <= :upto AND e.filing IN ({places}) ORDER BY e.seq"
    )


_CONDITIONS = {
    "agent": "a.agent = :agent",
    "customer": "a.customer = :customer",
    "verb": "a.verb = :verb",
    "since": "a.at >= :since",
    "until": "a.at < :until",
    "before": "a.id < :before",
}


def audit(asked: Iterable[str]) -> TextClause:
    """The last lines, at most `limit`, under the conditions asked for, newest first, with customers' names."""
    conditions = [_CONDITIONS[name] for name in asked if name in _CONDITIONS]
    return text(
        "SELECT a.id, a.at, a.agent, a.domain, a.behalf, a.verb, a.customer, a.purpose, a.version, a.labels, "
        "a.records, a.outcome, a.refused, c.name FROM audit a LEFT JOIN customer c ON c.reference = a.customer "
        f"{'WHERE ' if conditions else ''}{' AND '.join(conditions)} ORDER BY a.id DESC LIMIT :limit"
    )
