"""The ledger: append-only rows, one clock, one transaction a request."""

from __future__ import annotations

import secrets
import threading
from collections.abc import Iterator, MutableMapping, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from pathlib import Path

from sqlalchemy import Connection, insert, inspect
from sqlalchemy.exc import DBAPIError, OperationalError
from sqlmodel import SQLModel

from hub.errors import Fault
from hub.facts import Filing, Instant
from hub.ledger import queries, sqlite, trail
from hub.ledger.crowd import Crowd
from hub.ledger.filings import Filings
from hub.ledger.fresh import Fresh
from hub.ledger.heart import Heart
from hub.ledger.late import still_kept
from hub.ledger.rows import Entry, KeptRecall, KeyState, State, Version, fit
from hub.ledger.scribe import Scribe
from hub.ledger.sqlite import broken
from hub.ledger.tables import SCHEMA, ChainRow, Meta, Tick
from hub.ledger.trail import Line, Wanted
from hub.ledger.transactions import ByHeart, NotByHeart, Reading, Writing
from hub.ledger.unread import Left, Unread
from hub.ledger.vectors import Vectors
from hub.ledger.visits import Told, Visit, under_way, visiting
from hub.moments import Clock

__all__ = [
    "SCHEMA",
    "Entry",
    "KeptRecall",
    "KeyState",
    "Ledger",
    "Left",
    "Line",
    "NotByHeart",
    "Reading",
    "State",
    "Unread",
    "Version",
    "Visit",
    "Wanted",
    "Writing",
    "broken",
    "under_way",
]

PATIENCE = 2.0
"""Seconds that a sweep waits for readers."""


_FIX = "name another file, or a folder that exists and may be written to"


class Ledger:
    """One database. `clock` says what now is; the ledger keeps recorded time from ever running backward."""

    def __init__(self, path: Path, clock: Clock, *, strict: bool = False) -> None:
        """`strict`: a reader waits until its line of the audit is on the disk."""
        self.clock = clock
        self._scribe = Scribe(self._write_down, strict=strict)
        self._crowd = Crowd(clock.now)
        self._readers = sqlite.opened(path)
        self._snapshots = sqlite.Snapshots(self._readers)
        self._pulse = sqlite.Pulse(self._readers)
        self._heart = Heart()
        self.fresh = Fresh()
        self._writer = self._readers.execution_options(writes=True)
        self._lock = threading.Lock()
        self._filings = Filings()
        try:
            self._check_or_create()
            sqlite.keep_log(self._readers)
            self.sweep()
        except DBAPIError as error:
            self.close()
            message = f"`{path.name}` can't be opened as a hub database: {error.orig}"
            raise Fault("not_a_ledger", message, _FIX) from error
        except Fault:
            self.close()
            raise

    @contextmanager
    def reading(self, customer: str = "", pulse: int | None = None) -> Iterator[Reading]:
        """One snapshot. With a `pulse` that was felt before, where the ledger stands is known by heart from then on."""
        with self._snapshots.opened() as connection:
            reading = Reading(connection, self, customer)
            under_way().saw(reading.state, reading.present)
            self._heart.learn(pulse, customer, reading.state)
            yield reading

    def by_heart(self, customer: str, pulse: int | None) -> Reading | None:
        """Where the ledger stands, if that was read while the pulse was this. Raises NotByHeart if asked for more."""
        state = self._heart.state(pulse, customer)
        if state is None:
            return None
        reading = ByHeart(state, self)
        under_way().saw(state, reading.present)
        return reading

    @contextmanager
    def writing(self, customer: str = "") -> Iterator[Writing]:
        """All or nothing: an error inside leaves nothing behind, and the clock where it was."""
        with self.visit(Visit(verb="write")) as visit:  # begun before the lock is taken, over after it is given back
            with self._lock:
                with self._opened() as connection:
                    writing = Writing(connection, self, customer)
                    visit.saw(writing.state, writing.present)
                    yield writing
                    writing.sign(visit)
                    writing.close(writing.now)
                writing.committed()
            visit.committed()
            self.clock.tick()
            if writing.state.erased > writing.state.swept:  # somebody was in the way of an earlier sweep
                self.sweep(patience=0)

    @contextmanager
    def transaction(self) -> Iterator[Connection]:
        """The one open transaction that writes, for whoever records many things together."""
        with self._lock, self._opened() as connection:
            yield connection

    def visit(self, visit: Visit, *, quiet: bool = False) -> AbstractContextManager[Visit]:
        """One verb, from beginning to end; see `visiting`."""
        return visiting(visit, self.note, quiet=quiet)

    def note(self, visit: Visit, *, wait: bool = True) -> None:
        """Has a visit that is over written down; see `Scribe.hand_in`."""
        visit.at = visit.at or self.clock.now()
        if self._crowd.stands_out(visit):
            self._scribe.hand_in(visit.told(), wait=wait)
        for one in self._crowd.over():
            self._scribe.hand_in(one.told(), wait=False)

    def pulse(self) -> int | None:
        """A number that stays as it is until something is committed, by whichever process; None if unknown.

        INVARIANT: what was read after it was felt, and while it is felt the same, is what would be read now.
        """
        return self._pulse.felt()

    def flush(self) -> None:
        """Waits for what has been read to be in the audit."""
        self._tell_of_the_crowd()
        self._scribe.flush()

    def _tell_of_the_crowd(self) -> None:
        for one in self._crowd.rest():
            self._scribe.hand_in(one.told(), wait=False)

    def _write_down(self, told: Sequence[Told], lost: int) -> None:
        """INVARIANT: the clock, the sequence, heads and snapshots are as if nobody had read anything."""
        lines = [line for line, _ in told]
        recalls = [(kept, line) for line, kept in told if kept is not None]
        if lost:
            lines.insert(0, Line(at=self.clock.now(), verb="audit", outcome=f"lost_{lost}"))
        with self._lock, self._opened() as connection:
            trail.append(connection, lines)
            kept = [one.columns() for one in still_kept(connection, recalls)] if recalls else []
            sqlite.pour(connection, queries.KEEP_RECALL, kept)

    @contextmanager
    def embedding(self, embedder: str) -> Iterator[Vectors]:
        """One commit of an embedder's vectors. Raises Fault `vectors_failed`, and changes nothing, if that fails.

        INVARIANT: as with the audit, the clock, the sequence, heads and snapshots are as if there were none.
        """
        try:
            with self._lock, self._opened() as connection:
                yield Vectors(connection, embedder)
        except DBAPIError as error:
            message = f"vectors can't be stored ({type(error).__name__})"
            raise Fault("vectors_failed", message, "see `hub doctor`, and try again") from error

    @contextmanager
    def taking_up(self) -> Iterator[Unread]:
        """One commit of who reads again what could not be read.

        INVARIANT: as with the audit, the clock, the sequence, heads and snapshots are as if there were none.
        """
        with self._lock, self._opened() as connection:
            yield Unread(connection)

    def settle(self, known_at: Instant) -> None:
        """Makes an as-of final: waits for open writes, and lets no later one be recorded at or before it."""
        with self._lock, self._opened() as connection:
            writing = Writing(connection, self)
            writing.close(max(writing.state.last, known_at))

    def sweep(self, patience: float = PATIENCE) -> bool:
        """Writes over what erasures took away; False while a reader of an older state is in the way.

        INVARIANT: until it is done, every write and every opening tries again.
        """
        with self._lock:
            with self.reading() as reading:
                erased, swept = reading.state.erased, reading.state.swept
            if erased <= swept:
                return True
            if not sqlite.sweep(self._readers, patience):
                return False
            with suppress(Fault), self._opened() as connection:  # it is done, if it cannot be said now
                connection.execute(queries.SWEPT, {"seq": erased})
            return True

    def faults(self) -> list[str]:
        """What is wrong with the database; empty if it is sound. Reads every record once."""
        with self._readers.begin() as connection:
            found = sqlite.damage(connection)
            lost = connection.execute(queries.LOST_HEADS).scalar()
            found += [f"{lost} compartments have a wrong head"] if lost else []
            unswept = connection.execute(queries.UNSWEPT).scalar()
            found += ["bytes of an erasure are not written over yet: a reader is in the way"] if unswept else []
            found += _faults_of_the_trail(connection, self._scribe.failure)
            rows = connection.execute(queries.BODIES)
            return found + [f"record {id_} can't be read" for id_, kind, body in rows if not fit(kind, body)]

    def close(self) -> None:
        self._tell_of_the_crowd()
        self._scribe.close()
        self._pulse.close()
        self._snapshots.close()
        self._readers.dispose()

    def filings(self, connection: Connection, upto: int, erased: int) -> MutableMapping[int, Filing]:
        """Filing number -> its labels, for every number that is committed in this snapshot."""
        return self._filings.known(connection, upto, erased)

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
                self.cursor_key = _cursor_key(connection)
                connection.execute(insert(Tick), {"id": 1, "last": 0, "seq": 0, "erased": 0, "swept": 0, "vectors": 0})
                connection.execute(insert(ChainRow), {"id": 1, "number": 0, "hash": ""})
                return
            found = connection.execute(queries.SCHEMA).scalar() if "meta" in names else None
            if found == str(SCHEMA):
                self.cursor_key = _cursor_key(connection)
        if found != str(SCHEMA):
            raise Fault(
                "schema_unknown",
                f"the database has schema `{found}`, this hub knows `{SCHEMA}`",
                "run `hub migrate`, or open it with the hub that wrote it",
            )


def _cursor_key(connection: Connection) -> bytes:
    """What seals the cursors of this database; made when it is first asked for."""
    found: str | None = connection.execute(queries.CURSOR_KEY).scalar()
    if found is None:
        found = secrets.token_hex(32)
        connection.execute(insert(Meta), {"name": "cursor_key", "value": found})
    return bytes.fromhex(found)


def _faults_of_the_trail(connection: Connection, failure: str | None) -> list[str]:
    found = [] if failure is None else [f"the audit can't be written ({failure})"]
    number = trail.broken(connection)
    return found + ([] if number is None else [f"line {number} of the audit is not as it was written"])
