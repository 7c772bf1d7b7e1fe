"""Transactions: one snapshot to read from, or one open commit to write into, with the instant it is recorded at."""

from __future__ import annotations

import secrets
from collections import ChainMap
from collections.abc import Callable, Iterator, Mapping, MutableMapping, Sequence
from copy import copy
from dataclasses import dataclass, field
from typing import NoReturn, Protocol

from sqlalchemy import Connection, insert

from hub.codec import decode, encode, replaced
from hub.erased import Erased
from hub.facts import COMPANY, Binding, Consent, Filing, Gap, Instant, Record, Viewer
from hub.ledger import queries, sqlite, trail
from hub.ledger.erasing import erase_customer, erase_records
from hub.ledger.fresh import Fresh
from hub.ledger.rows import (
    Entry,
    KeptRecall,
    KeyState,
    State,
    Version,
    filing_text,
    key_from,
    kind_of,
    record_from,
)
from hub.ledger.tables import (
    BindingRow,
    ConsentRow,
    FilingRow,
    KeyRow,
    UnreadRow,
    VersionRow,
)
from hub.ledger.trail import Line, Wanted
from hub.ledger.unread import Unread
from hub.ledger.vectors import Vectors
from hub.ledger.visits import Visit
from hub.moments import Clock


class Book(Protocol):
    """The ledger, as far as a transaction needs it."""

    clock: Clock
    fresh: Fresh

    def filings(self, connection: Connection, upto: int, erased: int) -> MutableMapping[int, Filing]:
        """Filing number -> its labels, for every number that is committed."""


class Reading:
    """One snapshot of the ledger; nothing here filters, which is why only the door reads it."""

    def __init__(self, connection: Connection, ledger: Book, customer: str = "") -> None:
        self._connection = connection
        row = sqlite.one(connection, queries.STATE, customer=customer, company=COMPANY)
        assert row is not None, "the clock is always there"
        last, seq, erased, swept, added, version, binding, filing, consent, *whose = row
        self.state = State(last, seq, erased, swept, added, version or 0, binding or 0, consent or 0, *whose)
        self.present: Instant = max(ledger.clock.now(), last)
        self._filings = ledger.filings(connection, filing or 0, erased)
        self._fresh = ledger.fresh

    def pinned(self, state: State, present: Instant) -> Reading:
        """This reading with the rules of an earlier snapshot: versions, bindings and consents up to its numbers."""
        earlier = copy(self)
        earlier.state, earlier.present = replaced(state, customer=self.state.customer), present
        return earlier

    def of_company(self) -> Reading:
        """The same snapshot, to be asked about the company's own knowledge."""
        beside = copy(self)
        beside.state = self.state.of_company
        return beside

    def changed(self, after: int) -> list[int]:
        """The filings under which this customer has entries later than `after`."""
        if self.state.customer is None:
            return []
        if (fresh := self._fresh.changed(self.state, after)) is not None:
            return fresh
        rows = sqlite.rows(self._connection, queries.CHANGED, {"customer": self.state.customer, "after": after})
        return [filing for (filing,) in rows]

    def entries(self, filings: Sequence[int], after: int) -> Iterator[Entry]:
        """Entries of this customer under these filings, oldest first; no filings means no entries. Each is decoded as
        it is come to.

        INVARIANT: none that an open transaction has added, for it may yet be undone.
        """
        if self.state.customer is None or not filings:
            return iter(())
        if (fresh := self._fresh.entries(self.state, filings, after)) is not None:
            return iter(fresh)
        places = {f"f{n}": filing for n, filing in enumerate(filings)}
        asked = {"customer": self.state.customer, "after": after, "upto": self.state.seq, **places}
        rows = sqlite.rows(self._connection, queries.entries(len(filings)), asked)
        return (
            Entry(seq, filing, at, bool(leaves), record_from(kind, body))
            for seq, filing, at, leaves, kind, body in rows
        )

    def filing(self, number: int) -> Filing:
        return self._filings[number]

    def customer_of(self, record_id: str) -> str | None:
        """The name of the customer whose record this is."""
        return self._connection.execute(queries.CUSTOMER_OF, {"id": record_id}).scalar()

    def customers_with(self, fits: Callable[[Filing], bool]) -> list[str]:
        """The customers who have, or had, something filed in such a way, by name."""
        rows = self._connection.execute(queries.COMPARTMENTS).all()
        fitting = {number for number in {row.filing for row in rows} if fits(self._filings[number])}
        return list(dict.fromkeys(row.name for row in rows if row.filing in fitting))

    def vectors(self, embedder: str) -> Vectors:
        """What one embedder has made of whatever records."""
        return Vectors(self._connection, embedder)

    def unread(self) -> Unread:
        """Turns of whatever customers that are to be read again."""
        return Unread(self._connection)

    def versions(self, after: int = 0) -> list[Version]:
        return [Version(**row._mapping) for row in self._connection.execute(queries.VERSIONS, {"after": after})]

    def latest_version(self) -> Version | None:
        """The version in force; None in a new database."""
        return next(iter(self.versions(self.state.version - 1)), None)

    def binding(self, agent: str) -> Binding | None:
        """The latest word on where an agent is bound."""
        body = self._connection.execute(queries.BINDING, {"agent": agent}).scalar()
        return None if body is None else decode(body, Binding)

    def bindings(self, after: int = 0) -> list[tuple[int, Binding]]:
        rows = self._connection.execute(queries.BINDINGS, {"after": after})
        return [(number, decode(body, Binding)) for number, body in rows]

    def consents(self) -> list[Consent]:
        """Everything this customer has consented or objected to, and taken back, in order."""
        rows = self._connection.execute(queries.CONSENTS, {"customer": self.state.customer, "upto": self.state.consent})
        return [decode(body, Consent) for (body,) in rows]

    def key(self, digest: str) -> KeyState | None:
        """The latest word on a key."""
        row = self._connection.execute(queries.KEY, {"digest": digest}).first()
        return None if row is None else key_from(row)

    def keys_of(self, agent: str) -> list[KeyState]:
        """Every key of one agent that nobody has taken back."""
        rows = self._connection.execute(queries.KEYS_OF, {"agent": agent})
        latest = {row.digest: key_from(row) for row in rows}
        return [key for key in latest.values() if not key.revoked]

    def recall(self, recall_id: str) -> KeptRecall | None:
        row = self._connection.execute(queries.RECALL, {"id": recall_id}).first()
        return None if row is None else replaced(decode(row.body, KeptRecall), digest=row.digest)

    def trail(self, wanted: Wanted) -> list[tuple[Line, str | None]]:
        """Lines of the audit, oldest first, with the names of customers who have not been erased."""
        return trail.found(self._connection, wanted)

    def reference(self, customer: str) -> str | None:
        """What the audit calls a customer."""
        return self._connection.execute(queries.REFERENCE, {"name": customer}).scalar()

    def trail_broken(self) -> int | None:
        """The number of the first line of the audit that is not as it was written."""
        return trail.broken(self._connection)

    def trail_head(self) -> tuple[int, str]:
        return trail.head(self._connection)

    def answer(self, viewer: Viewer, key: str) -> tuple[str, str] | None:
        """What this idempotency key was answered: (request digest, body)."""
        asked = {"agent": viewer.agent, "customer": self.state.customer, "key": viewer.keyed(key)}
        found = sqlite.rows(self._connection, queries.ANSWER, asked)
        return next(((request, body) for request, body in found), None)


class NotByHeart(Exception):
    """It has to be read."""


class ByHeart(Reading):
    """A reading of nothing but where the ledger stands. Raises NotByHeart where more is asked for."""

    def __init__(self, state: State, ledger: Book) -> None:
        self.state = state
        self.present = max(ledger.clock.now(), state.last)

    def __getattr__(self, name: str) -> NoReturn:
        raise NotByHeart


@dataclass(slots=True)
class Waiting:
    """Rows that are written together; of the heads of each compartment only the last."""

    records: list[dict[str, object]] = field(default_factory=list)
    entries: list[dict[str, int]] = field(default_factory=list)
    heads: dict[int, dict[str, int]] = field(default_factory=dict)
    unread: list[dict[str, object]] = field(default_factory=list)


class Writing(Reading):
    """One open transaction, holding the write lock, with the instant at which all of it is recorded."""

    def __init__(self, connection: Connection, ledger: Book, customer: str = "") -> None:
        super().__init__(connection, ledger, customer)
        self.now: Instant = ledger.clock.next(self.state.last)
        self._seq = self.state.seq
        self._filed: list[tuple[int, Entry]] = []
        self._erases = False
        self._customer_name = customer
        self._touched: dict[str, Filing] = {}
        self._waiting = Waiting()
        self._numbers: dict[Filing, int] = {}
        self._filings = ChainMap({}, self._filings)  # numbers given here may be given again after a rollback

    def next_seq(self) -> int:
        self._seq += 1
        return self._seq

    def append(self, record: Record, filing: Filing) -> None:
        """Adds a record, and its first entry."""
        body = encode(record).decode()
        row = {"seq": record.seq, "id": record.id, "customer": self._customer(), "kind": kind_of(record), "body": body}
        self._waiting.records.append(row)
        self._touched[record.id] = filing
        self._enter(record, filing, leaves=False)

    def move(self, record: Record, before: Filing, after: Filing) -> None:
        """From now on the record is filed elsewhere."""
        self._touched[record.id] = before | after
        self._enter(record, before, leaves=True)
        self._enter(record, after, leaves=False)

    def leave_unread(self, record: int, viewer: Viewer, purpose: str | None, due: Instant) -> None:
        """A turn that was appended here is to be read again."""
        whose = {"record": record, "customer": self._customer(), "viewer": encode(viewer).decode(), "purpose": purpose}
        self._waiting.unread.append(whose | {"tries": 0, "due": due})

    def version(self, version: Version) -> None:
        values = {k: v for k, v in version.columns().items() if k != "id"}
        self._connection.execute(insert(VersionRow), values | {"recorded_at": self.now})
        self._touched[f"version:{self.state.version + 1}"] = frozenset()

    def bind(self, binding: Binding) -> None:
        self._connection.execute(insert(BindingRow), {"agent": binding.agent, "body": encode(binding).decode()})
        self._touched[f"agent:{binding.agent}"] = frozenset()

    def consent(self, consent: Consent) -> None:
        row = {"id": self.next_seq(), "customer": self._customer(), "body": encode(consent).decode()}
        self._connection.execute(insert(ConsentRow), row)
        self._touched[consent.id] = frozenset()

    def keep_key(self, key: KeyState) -> None:
        self._connection.execute(insert(KeyRow), key.columns() | {"recorded_at": self.now})
        self._touched[f"agent:{key.agent}"] = frozenset()

    def keep_answer(self, viewer: Viewer, key: str, request: str, body: str) -> None:
        whose = {"agent": viewer.agent, "customer": self._customer(), "key": viewer.keyed(key)}
        sqlite.run(self._connection, queries.ADD_ANSWER, whose | {"request": request, "body": body})

    def erase(self, gaps: Mapping[str, Gap], reads: Callable[[KeptRecall, Filing], bool]) -> Erased:
        """Puts gaps where records of this customer were.

        `reads`: whether whoever made a recall may read what is filed so.
        """
        self._write()
        self._erases = True
        self._connection.execute(queries.ERASED, {"seq": self.next_seq()})
        erased, filed = erase_records(self._connection, self._customer(), gaps, self._filings, reads)
        self._touched |= filed
        return erased

    def erase_customer(self) -> Erased:
        """Takes away every row of this customer."""
        self._erases = True
        self._connection.execute(queries.ERASED, {"seq": self.next_seq()})
        return erase_customer(self._connection, self.state.customer, self._customer_name)

    def _write(self) -> None:
        """What was appended so far, many rows at once; nothing of this transaction reads them before."""
        waiting, self._waiting = self._waiting, Waiting()
        sqlite.pour(self._connection, queries.ADD_RECORDS, waiting.records)
        sqlite.pour(self._connection, queries.ADD_ENTRIES, waiting.entries)
        sqlite.run(self._connection, queries.MOVE_HEAD, *waiting.heads.values())
        if waiting.unread:
            self._connection.execute(insert(UnreadRow), waiting.unread)

    def close(self, last: Instant) -> None:
        sqlite.run(self._connection, queries.TICK, {"last": last, "seq": self._seq})

    def committed(self) -> None:
        """It is on the disk: from now on it is known here, or nothing is of what was, if something was erased."""
        since, filed = (self._seq, ()) if self._erases else (self.state.seq, self._filed)
        self._fresh.add(since, self._seq, filed)

    def sign(self, visit: Visit) -> None:
        """INVARIANT: what is written and the line that says so are on the disk together or not at all."""
        self._write()
        line = visit.signature(self.now, self.state.reference, self._touched)
        visit.hash = trail.append(self._connection, [line])

    def _customer(self) -> int:
        if self.state.customer is None:
            number, reference = self.next_seq(), secrets.token_urlsafe(12)
            named = {"id": number, "name": self._customer_name, "reference": reference}
            sqlite.run(self._connection, queries.ADD_CUSTOMER, named)
            self.state = self.state.of_customer(number, reference)
        assert self.state.customer is not None
        return self.state.customer

    def _filing_number(self, filing: Filing) -> int:
        number = self._numbers.get(filing)
        if number is None:
            labels = filing_text(filing)
            known = sqlite.one(self._connection, queries.FILING, labels=labels)
            number = None if known is None else known[0]
            if number is None:
                key = self._connection.execute(insert(FilingRow), {"labels": labels}).inserted_primary_key
                assert key is not None
                number = int(key[0])
                self._filings[number] = filing
            self._numbers[filing] = number
        return number

    def _enter(self, record: Record, filing: Filing, *, leaves: bool) -> None:
        place = {"customer": self._customer(), "filing": self._filing_number(filing), "seq": self.next_seq()}
        self._waiting.entries.append(place | {"record": record.seq, "at": self.now, "leaves": leaves})
        self._waiting.heads[place["filing"]] = place
        self._filed.append((place["customer"], Entry(place["seq"], place["filing"], self.now, leaves, record)))
