"""The tables: rows are added, never changed; only heads, the clock and erasure touch what is there."""

from __future__ import annotations

from sqlalchemy import BigInteger, Column, Index, LargeBinary, Text
from sqlmodel import Field, SQLModel

SCHEMA = 2


class Meta(SQLModel, table=True):
    """What the file says of itself: its schema version, and the key that seals its cursors."""

    name: str = Field(primary_key=True)
    value: str


class Tick(SQLModel, table=True):
    """The hub clock: the latest instant any commit was recorded at, and the latest sequence number (one row).

    `erased` is the sequence number of the latest erasure, `swept` of the latest whose bytes have been written over.
    `vectors` counts the commits of vectors, which follow the records they belong to and touch nothing else here.
    """

    __tablename__ = "clock"

    id: int = Field(default=1, primary_key=True)
    last: int = Field(sa_column=Column(BigInteger, nullable=False))
    seq: int = Field(sa_column=Column(BigInteger, nullable=False))
    erased: int = Field(default=0, sa_column=Column(BigInteger, nullable=False))
    swept: int = Field(default=0, sa_column=Column(BigInteger, nullable=False))
    vectors: int = Field(default=0, sa_column=Column(BigInteger, nullable=False))


class CustomerRow(SQLModel, table=True):
    """Numbers come from the ledger's own sequence, so that none is given twice, not even after an erasure."""

    __tablename__ = "customer"

    id: int | None = Field(default=None, primary_key=True)
    name: str = Field(unique=True)
    reference: str = Field(unique=True)
    """Random, and what the audit says instead of the name: without this row it leads nowhere."""
    erased: int = Field(default=0, sa_column=Column(BigInteger, nullable=False))
    """The sequence number of the latest erasure of a fact of this customer."""


class FilingRow(SQLModel, table=True):
    """A set of labels, as sorted JSON, or a mark of what nobody files under since an erasure: numbers stay taken."""

    __tablename__ = "filing"

    id: int | None = Field(default=None, primary_key=True)
    labels: str = Field(sa_column=Column(Text, unique=True, nullable=False))


class RecordRow(SQLModel, table=True):
    """One claim, turn or act; `body` is the frozen noun as JSON."""

    __tablename__ = "record"

    seq: int = Field(sa_column=Column(BigInteger, primary_key=True, autoincrement=False))
    id: str = Field(unique=True)
    customer: int = Field(foreign_key="customer.id")
    kind: str
    body: str = Field(sa_column=Column(Text, nullable=False))


class EntryRow(SQLModel, table=True):
    """From `at` on the record is filed under `filing`, or (`leaves`) no longer is."""

    __tablename__ = "entry"
    __table_args__ = (Index("entry_by_filing", "customer", "filing", "seq"), Index("entry_by_record", "record"))

    seq: int = Field(sa_column=Column(BigInteger, primary_key=True, autoincrement=False))
    customer: int = Field(foreign_key="customer.id")
    filing: int = Field(foreign_key="filing.id")
    record: int = Field(foreign_key="record.seq", sa_type=BigInteger)
    at: int = Field(sa_column=Column(BigInteger, nullable=False))
    leaves: bool = False


class HeadRow(SQLModel, table=True):
    """The latest entry of one customer under one filing: what a viewer compares before reading anything."""

    __tablename__ = "head"

    customer: int = Field(foreign_key="customer.id", primary_key=True)
    filing: int = Field(foreign_key="filing.id", primary_key=True)
    seq: int = Field(sa_column=Column(BigInteger, nullable=False))


class VectorRow(SQLModel, table=True):
    """The embedding of a record's text in whole steps, one signed byte a dimension; `mark` stands for the text.

    A claim reads differently once the registry's words for it change, and then has another.
    """

    __tablename__ = "vector"

    record: int = Field(foreign_key="record.seq", primary_key=True, sa_type=BigInteger)
    embedder: str = Field(primary_key=True)
    mark: str = Field(primary_key=True)
    steps: bytes = Field(sa_column=Column(LargeBinary, nullable=False))


class VersionRow(SQLModel, table=True):
    """One version of everything that decides: model, policy lines, registry and its promotions."""

    __tablename__ = "version"

    id: int | None = Field(default=None, primary_key=True)
    recorded_at: int = Field(sa_column=Column(BigInteger, nullable=False))
    author: str
    reason: str
    model: str = Field(sa_column=Column(Text, nullable=False))
    policy: str = Field(sa_column=Column(Text, nullable=False))
    relations: str = Field(sa_column=Column(Text, nullable=False))
    promotions: str = Field(sa_column=Column(Text, nullable=False))


class BindingRow(SQLModel, table=True):
    """An agent's binding from `recorded_at` on, as JSON."""

    __tablename__ = "binding"

    id: int | None = Field(default=None, primary_key=True)
    agent: str = Field(index=True)
    body: str = Field(sa_column=Column(Text, nullable=False))


class ConsentRow(SQLModel, table=True):
    """A customer's consent or its withdrawal, as JSON; numbered like customers."""

    __tablename__ = "consent"

    id: int | None = Field(default=None, primary_key=True)
    customer: int = Field(foreign_key="customer.id", index=True)
    body: str = Field(sa_column=Column(Text, nullable=False))


class KeyRow(SQLModel, table=True):
    """A key given out or (`revoked`) taken back; only its SHA-256 is kept.

    A token is a key with a `parent`, for one customer and at most one purpose.
    """

    __tablename__ = "key"

    id: int | None = Field(default=None, primary_key=True)
    digest: str = Field(index=True)
    agent: str
    recorded_at: int = Field(sa_column=Column(BigInteger, nullable=False))
    expires_at: int | None = Field(default=None, sa_column=Column(BigInteger, nullable=True))
    revoked: bool = False
    parent: str | None = None
    customer: str | None = Field(default=None, index=True)
    purpose: str | None = None


class AnswerRow(SQLModel, table=True):
    """What an idempotency key was answered, with the digest of the request it stood for."""

    __tablename__ = "answer"

    agent: str = Field(primary_key=True)
    customer: int = Field(foreign_key="customer.id", primary_key=True)
    key: str = Field(primary_key=True)
    request: str
    body: str = Field(sa_column=Column(Text, nullable=False))


class UnreadRow(SQLModel, table=True):
    """A turn that could not be read, to be read again from `due` on for whoever heard it (`viewer`, as JSON).

    `tries` counts the attempts so far, and tells apart two that are under way; `due` None: there are to be no more.
    """

    __tablename__ = "unread"

    record: int = Field(foreign_key="record.seq", primary_key=True, sa_type=BigInteger)
    customer: int = Field(foreign_key="customer.id", index=True)
    viewer: str
    purpose: str | None = None
    tries: int = 0
    due: int | None = Field(default=None, sa_column=Column(BigInteger, nullable=True))


class AuditRow(SQLModel, table=True):
    """One line of the audit: who did what, and nothing of what was said. See `trail` for the columns.

    INVARIANT: `hash` is made of the line and of the hash before it.
    """

    __tablename__ = "audit"
    __table_args__ = (Index("audit_by_agent", "agent", "id"), Index("audit_by_customer", "customer", "id"))

    id: int = Field(sa_column=Column(BigInteger, primary_key=True, autoincrement=False))
    at: int = Field(sa_column=Column(BigInteger, nullable=False))
    agent: str | None = None
    domain: str | None = None
    behalf: str | None = None
    verb: str
    customer: str | None = None
    purpose: str | None = None
    version: int
    labels: str = Field(sa_column=Column(Text, nullable=False))
    records: str = Field(sa_column=Column(Text, nullable=False))
    outcome: str
    refused: str
    hash: str


class ChainRow(SQLModel, table=True):
    """The number and the hash of the last line of the audit (one row): a line cut off at the end is missed too."""

    __tablename__ = "chain"

    id: int = Field(default=1, primary_key=True)
    number: int = Field(sa_column=Column(BigInteger, nullable=False))
    hash: str


class RecallRow(SQLModel, table=True):
    """One recall as it was asked and answered; `digest` is the SHA-256 of the answer, while all of it may be known.

    `name` stands in for the number of a customer nobody had written about.
    """

    __tablename__ = "recall"

    id: str = Field(primary_key=True)
    customer: int | None = Field(default=None, foreign_key="customer.id", index=True)
    name: str | None = Field(default=None, index=True)
    body: str = Field(sa_column=Column(Text, nullable=False))
    digest: str | None = None
