"""Every query the ledger asks, by name; plain SQL that SQLite and PostgreSQL read alike."""

from __future__ import annotations

from sqlalchemy import TextClause, text

# Where everything stands, in one row.
STATE = text(
    "SELECT c.last, c.seq, (SELECT max(id) FROM version), (SELECT max(id) FROM binding), "
    "(SELECT max(id) FROM filing), (SELECT max(id) FROM consent), "
    "(SELECT id FROM customer WHERE name = :customer) FROM clock c"
)
SCHEMA = text("SELECT value FROM meta WHERE name = 'schema'")
CUSTOMER_OF = text("SELECT c.name FROM record r JOIN customer c ON c.id = r.customer WHERE r.id = :id")

# The labels behind the numbers; numbers are never given twice.
FILINGS = text("SELECT id, labels FROM filing WHERE id > :after ORDER BY id")
FILING = text("SELECT id FROM filing WHERE labels = :labels")

# Which of a customer's compartments have grown: one row a filing, however much was written.
CHANGED = text("SELECT filing FROM head WHERE customer = :customer AND seq > :after")
MOVE_HEAD = text(
    "INSERT INTO head (customer, filing, seq) VALUES (:customer, :filing, :seq) "
    "ON CONFLICT (customer, filing) DO UPDATE SET seq = excluded.seq"
)

CUSTOMERS_UNDER = text(
    "SELECT DISTINCT c.name FROM head h JOIN customer c ON c.id = h.customer JOIN filing f ON f.id = h.filing "
    "WHERE f.labels LIKE :labels ORDER BY c.name"
)

# Heads that do not name the latest entry of their compartment.
LOST_HEADS = text(
    "SELECT count(*) FROM (SELECT customer, filing, max(seq) AS seq FROM entry GROUP BY customer, filing) e "
    "LEFT JOIN head h ON h.customer = e.customer AND h.filing = e.filing WHERE h.seq IS NULL OR h.seq <> e.seq"
)
BODIES = text("SELECT id, kind, body FROM record ORDER BY seq")

VECTORS = text(
    "SELECT v.record, v.steps FROM vector v JOIN record r ON r.seq = v.record "
    "WHERE r.customer = :customer AND v.embedder = :embedder"
)
VERSIONS = text(
    "SELECT id, recorded_at, author, reason, model, policy, relations, promotions FROM version "
    "WHERE id > :after ORDER BY id"
)
BINDING = text("SELECT body FROM binding WHERE agent = :agent ORDER BY id DESC LIMIT 1")
CONSENTS = text("SELECT body FROM consent WHERE customer = :customer ORDER BY id")
BINDINGS = text("SELECT id, body FROM binding WHERE id > :after ORDER BY id")

_KEY = "digest, agent, expires_at, revoked, parent, customer, purpose"

# The latest word on a key, and every word on the keys of one agent.
KEY = text(f"SELECT {_KEY} FROM key WHERE digest = :digest ORDER BY id DESC LIMIT 1")
KEYS_OF = text(f"SELECT {_KEY} FROM key WHERE agent = :agent ORDER BY id")

ANSWER = text("SELECT request, body FROM answer WHERE agent = :agent AND customer = :customer AND key = :key")
TICK = text("UPDATE clock SET last = :last, seq = :seq")


def entries(filings: int) -> TextClause:
    """What was filed since `after`, up to `upto`, under any of so many filings (`f0`, `f1`, …), in ledger order."""
    places = ", ".join(f":f{n}" for n in range(filings))
    return text(
        "SELECT e.seq, e.filing, e.at, e.leaves, r.kind, r.body FROM entry e JOIN record r ON r.seq = e.record "
        f"WHERE e.customer = :customer AND e.seq > :after AND e.seq <= :upto AND e.filing IN ({places}) ORDER BY e.seq"
    )
