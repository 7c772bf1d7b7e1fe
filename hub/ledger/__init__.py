"""The ledger: append-only rows, one clock, one transaction a request."""

from __future__ import annotations

import threading
from collections import ChainMap
from collections.abc import Iterator, MutableMapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from sqlalchemy import Connection, insert, inspect
from sqlalchemy.exc import DBAPIError, OperationalError
from sqlmodel import SQLModel

from hub.codec import decode, encode
from hub.errors import Fault
from hub.facts import Binding, Consent, Filing, Instant, Record
from hub.ledger import queries, sqlite
from hub.ledger.rows import (
    Entry,
    KeyState,
    State,
    Version,
    filing_from,
    filing_text,
    fit,
    key_from,
    kind_of,
    record_from,
)
from hub.ledger.tables import (
    SCHEMA,
    AnswerRow,
    BindingRow,
    ConsentRow,
    CustomerRow,
    EntryRow,
    FilingRow,
    KeyRow,
    Meta,
    RecordRow,
    Tick,
    VectorRow,
    VersionRow,
)
from hub.moments import Clock

__all__ = ["Entry", "KeyState", "Ledger", "Reading", "State", "Version", "Writing"]


class Reading:
    """One snapshot of the ledger; nothing here filters, which is why only the door reads it."""

    def __init__(self, connection: Connection, ledger: Ledger, customer: str = "") -> None:
        self._connection = connection
        row = connection.execute(queries.STATE, {"customer": customer}).one()
        last, seq, version, binding, filing, consent, number = row
        self.state = State(last, seq, version or 0, binding or 0, consent or 0, number)
        self.present: Instant = max(ledger.clock.now(), last)
        self._filings = ledger.filings(connection, filing or 0)

    def changed(self, after: int) -> list[int]:
        """The filings under which this customer has entries later than `after`."""
        if self.state.customer is None:
            return []
        rows = self._connection.execute(queries.CHANGED, {"customer": self.state.customer, "after": after})
        return [filing for (filing,) in rows]

    def entries(self, filings: Sequence[int], after: int) -> list[Entry]:
        """Entries of this customer under these filings, oldest first; no filings means no entries.

        INVARIANT: none that an open transaction has added, for it may yet be undone.
        """
        if self.state.customer is None or not filings:
            return []
        places = {f"f{n}": filing for n, filing in enumerate(filings)}
        asked = {"customer": self.state.customer, "after": after, "upto": self.state.seq, **places}
        rows = self._connection.execute(queries.entries(len(filings)), asked)
        return [
            Entry(seq=seq, filing=filing, at=at, leaves=bool(leaves), record=record_from(kind, body))
            for seq, filing, at, leaves, kind, body in rows
        ]

    def filing(self, number: int) -> Filing:
        return self._filings[number]

    def customer_of(self, record_id: str) -> str | None:
        """The name of the customer whose record this is."""
        return self._connection.execute(queries.CUSTOMER_OF, {"id": record_id}).scalar()

    def customers_under(self, labels: str) -> list[str]:
        """The customers who have, or had, something filed under labels like this SQL pattern."""
        return list(self._connection.execute(queries.CUSTOMERS_UNDER, {"labels": labels}).scalars())

    def vectors(self, embedder: str) -> dict[int, bytes]:
        """Record seq -> steps, for this customer and one embedder."""
        asked = {"customer": self.state.customer, "embedder": embedder}
        return {row.record: row.steps for row in self._connection.execute(queries.VECTORS, asked)}

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
        rows = self._connection.execute(queries.CONSENTS, {"customer": self.state.customer})
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

    def answer(self, agent: str, key: str) -> tuple[str, str] | None:
        """What this idempotency key was answered: (request digest, body)."""
        asked = {"agent": agent, "customer": self.state.customer, "key": key}
        row = self._connection.execute(queries.ANSWER, asked).first()
        return None if row is None else (row.request, row.body)


class Writing(Reading):
    """One open transaction, holding the write lock, with the instant at which all of it is recorded."""

    def __init__(self, connection: Connection, ledger: Ledger, customer: str = "") -> None:
        super().__init__(connection, ledger, customer)
        self.now: Instant = ledger.clock.next(self.state.last)
        self._seq = self.state.seq
        self._customer_name = customer
        self._filings = ChainMap({}, self._filings)  # numbers given here may be given again after a rollback

    def next_seq(self) -> int:
        self._seq += 1
        return self._seq

    def append(self, record: Record, filing: Filing) -> None:
        """Adds a record, and its first entry."""
        row = {"seq": record.seq, "id": record.id, "customer": self._customer(), "kind": kind_of(record)}
        self._connection.execute(insert(RecordRow), row | {"body": encode(record).decode()})
        self._enter(record.seq, filing, leaves=False)

    def move(self, record: Record, before: Filing, after: Filing) -> None:
        """From now on the record is filed elsewhere."""
        self._enter(record.seq, before, leaves=True)
        self._enter(record.seq, after, leaves=False)

    def embed(self, record: Record, embedder: str, steps: bytes) -> None:
        self._connection.execute(insert(VectorRow), {"record": record.seq, "embedder": embedder, "steps": steps})

    def version(self, version: Version) -> None:
        values = {k: v for k, v in version.columns().items() if k != "id"}
        self._connection.execute(insert(VersionRow), values | {"recorded_at": self.now})

    def bind(self, binding: Binding) -> None:
        self._connection.execute(insert(BindingRow), {"agent": binding.agent, "body": encode(binding).decode()})

    def consent(self, consent: Consent) -> None:
        row = {"id": self.next_seq(), "customer": self._customer(), "body": encode(consent).decode()}
        self._connection.execute(insert(ConsentRow), row)

    def keep_key(self, key: KeyState) -> None:
        self._connection.execute(insert(KeyRow), key.columns() | {"recorded_at": self.now})

    def keep_answer(self, agent: str, key: str, request: str, body: str) -> None:
        row = {"agent": agent, "customer": self._customer(), "key": key, "request": request, "body": body}
        self._connection.execute(insert(AnswerRow), row)

    def close(self, last: Instant) -> None:
        self._connection.execute(queries.TICK, {"last": last, "seq": self._seq})

    def _customer(self) -> int:
        if self.state.customer is None:
            self.state = self.state.of_customer(
                self._added(CustomerRow, {"id": self.next_seq(), "name": self._customer_name})
            )
        assert self.state.customer is not None
        return self.state.customer

    def _filing_number(self, filing: Filing) -> int:
        labels = filing_text(filing)
        number = self._connection.execute(queries.FILING, {"labels": labels}).scalar()
        if number is None:
            number = self._added(FilingRow, {"labels": labels})
            self._filings[number] = filing
        return int(number)

    def _enter(self, record: int, filing: Filing, *, leaves: bool) -> None:
        place = {"customer": self._customer(), "filing": self._filing_number(filing), "seq": self.next_seq()}
        self._connection.execute(insert(EntryRow), place | {"record": record, "at": self.now, "leaves": leaves})
        self._connection.execute(queries.MOVE_HEAD, place)

    def _added(self, table: type[SQLModel], row: dict[str, str | int]) -> int:
        key = self._connection.execute(insert(table), row).inserted_primary_key
        assert key is not None
        return int(key[0])


class Ledger:
    """One database. `clock` says what now is; the ledger keeps recorded time from ever running backward."""

    def __init__(self, path: Path, clock: Clock) -> None:
        self.clock = clock
        self._readers = sqlite.opened(path)
        self._writer = self._readers.execution_options(writes=True)
        self._lock = threading.Lock()
        self._filings: dict[int, Filing] = {}
        self._filings_upto = 0
        try:
            self._check_or_create()
            sqlite.keep_log(self._readers)
        except DBAPIError as error:
            self.close()
            message = f"`{path.name}` can't be opened as a hub database"
            raise Fault("not_a_ledger", message, "name another file, or a folder that exists") from error
        except Fault:
            self.close()
            raise

    @contextmanager
    def reading(self, customer: str = "") -> Iterator[Reading]:
        with self._readers.begin() as connection:
            yield Reading(connection, self, customer)

    @contextmanager
    def writing(self, customer: str = "") -> Iterator[Writing]:
        """All or nothing: an error inside leaves nothing behind, and the clock where it was."""
        with self._lock, self._opened() as connection:
            writing = Writing(connection, self, customer)
            yield writing
            writing.close(writing.now)
        self.clock.tick()

    def settle(self, known_at: Instant) -> None:
        """Makes an as-of final: waits for open writes, and lets no later one be recorded at or before it."""
        with self._lock, self._opened() as connection:
            writing = Writing(connection, self)
            writing.close(max(writing.state.last, known_at))

    def faults(self) -> list[str]:
        """What is wrong with the database; empty if it is sound. Reads every record once."""
        with self._readers.begin() as connection:
            found = sqlite.damage(connection)
            lost = connection.execute(queries.LOST_HEADS).scalar()
            found += [f"{lost} compartments have a wrong head"] if lost else []
            rows = connection.execute(queries.BODIES)
            return found + [f"record {id_} can't be read" for id_, kind, body in rows if not fit(kind, body)]

    def close(self) -> None:
        self._readers.dispose()

    def filings(self, connection: Connection, upto: int) -> MutableMapping[int, Filing]:
        """Filing number -> its labels, for every number that is committed."""
        if self._filings_upto < upto:
            rows = connection.execute(queries.FILINGS, {"after": self._filings_upto})
            self._filings |= {number: filing_from(labels) for number, labels in rows}
            self._filings_upto = max(self._filings_upto, upto)
        return self._filings

    @contextmanager
    def _opened(self) -> Iterator[Connection]:
        with self._writer.connect() as connection:
            try:
                transaction = connection.begin()
            except OperationalError as error:
                raise Fault("busy", "the database is busy", "try again in a moment") from error
            with transaction:
                yield connection

    def _check_or_create(self) -> None:
        with self._opened() as connection:
            names = inspect(connection).get_table_names()
            if not names:
                SQLModel.metadata.create_all(connection)
                connection.execute(insert(Meta), {"name": "schema", "value": str(SCHEMA)})
                connection.execute(insert(Tick), {"id": 1, "last": 0, "seq": 0})
                return
            found = connection.execute(queries.SCHEMA).scalar() if "meta" in names else None
        if found != str(SCHEMA):
            raise Fault(
                "schema_unknown",
                f"the database has schema `{found}`, this hub knows `{SCHEMA}`",
                "run `hub migrate`, or open it with the hub that wrote it",
            )
