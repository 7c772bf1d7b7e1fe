"""All that is SQLite's own: where the file lies, its pragmas, how its transactions begin."""

from __future__ import annotations

import sqlite3
import threading
from bisect import bisect_left
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from functools import cache
from itertools import chain, repeat
from operator import itemgetter
from pathlib import Path
from time import sleep
from typing import Any, cast

from sqlalchemy import Connection, Engine, ExceptionContext, create_engine, event
from sqlalchemy.engine.interfaces import DBAPIConnection, DBAPICursor
from sqlalchemy.exc import DBAPIError, IntegrityError, OperationalError

from hub.errors import Fault
from hub.ledger.queries import Adding

BUSY_MILLISECONDS = 30_000
_PAUSE_MILLISECONDS = 10

_LOG = "PRAGMA journal_mode = WAL"

_PRAGMAS = (
    f"PRAGMA busy_timeout = {BUSY_MILLISECONDS}",
    "PRAGMA synchronous = FULL",
    "PRAGMA foreign_keys = ON",
    "PRAGMA secure_delete = ON",
    "PRAGMA temp_store = MEMORY",
)


def opened(path: Path) -> Engine:
    """One file; every connection gets the pragmas, every transaction says whether it writes."""
    made = create_engine(f"sqlite:///{path}", connect_args={"check_same_thread": False}, pool_size=16, max_overflow=64)
    event.listen(made, "connect", _prepare)
    event.listen(made, "begin", _begin)
    event.listen(made, "handle_error", _seen_through)
    return made


def _seen_through(context: ExceptionContext) -> None:
    """Raises Fault `damaged` in the place of what SQLite says of a file that has been damaged."""
    _refuse_damage(context.original_exception, str(context.engine and context.engine.url.database))


def _refuse_damage(error: BaseException, path: str) -> None:
    if getattr(error, "sqlite_errorcode", 0) & 0xFF == sqlite3.SQLITE_CORRUPT:
        name = Path(path).name
        fix = f"`hub doctor --db {name}` says what is wrong; restore a backup of the file"
        raise Fault("damaged", f"the database `{name}` is damaged: {error}", fix) from error


def keep_log(database: Engine, pause: Callable[[float], None] = sleep) -> None:
    """Writes go to a log from now on, so that nobody waits for a reader. The file itself remembers this, which is why
    it is not done to a file that may be somebody else's.

    Whoever else is opening the file is waited for here (`pause`, so many seconds), for SQLite itself does not.
    """
    with closing(database.raw_connection()) as connection:
        waited = 0
        while (error := _failure(connection.cursor(), _LOG)) is not None:
            _refuse_damage(error, database.url.database or "")
            if error.sqlite_errorcode != sqlite3.SQLITE_BUSY or waited >= BUSY_MILLISECONDS:
                raise _translated(_LOG, error) from error
            pause(_PAUSE_MILLISECONDS / 1_000)
            waited += _PAUSE_MILLISECONDS


def _failure(cursor: DBAPICursor, statement: str) -> sqlite3.Error | None:
    try:
        cursor.execute(statement)
    except sqlite3.Error as error:
        return error
    return None


def sweep(database: Engine, patience: float) -> bool:
    """Writes the whole file anew from the rows that are left, and empties its log; nothing else is in either then.

    `secure_delete` is not enough: where pages were split and joined, copies of rows stay behind in the free space of
    pages, and no later removal of the row finds them. False if a reader of an older state, or a full disk, is in the
    way for longer than `patience` seconds.
    """
    path = database.url.database or ""
    with closing(sqlite3.connect(path, timeout=patience, isolation_level=None)) as connection:
        try:
            if not _emptied(connection):  # what is written now would only lengthen the log
                return False
            connection.execute("VACUUM")
            return _emptied(connection)
        except sqlite3.DatabaseError:
            return False


def _emptied(connection: sqlite3.Connection) -> bool:
    busy, _, _ = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
    return not busy


def _prepare(connection: DBAPIConnection, _record: Any) -> None:
    connection.isolation_level = None  # the driver must not begin transactions by itself
    cursor = connection.cursor()
    for pragma in _PRAGMAS:
        cursor.execute(pragma)
    cursor.close()


def _begin(connection: Connection) -> None:
    if connection.get_execution_options().get("writes", False):
        connection.exec_driver_sql("BEGIN IMMEDIATE")
    elif not _driver(connection).in_transaction:
        one(connection, "BEGIN")


class Snapshots:
    """Transactions that read, each on a connection that others have read from before: to fetch one from SQLAlchemy's
    pool, and to give it back, costs more than what most of them ask."""

    def __init__(self, database: Engine) -> None:
        self._database = database
        self._idle: list[Connection] = []

    @contextmanager
    def opened(self) -> Iterator[Connection]:
        connection = self._taken()
        try:
            one(connection, "BEGIN")
            yield connection
        finally:
            if connection.in_transaction():
                connection.rollback()
            else:
                _driver(connection).rollback()
            self._idle.append(connection)

    def _taken(self) -> Connection:
        try:
            return self._idle.pop()
        except IndexError:
            return self._database.connect()

    def close(self) -> None:
        while self._idle:
            self._idle.pop().close()


# --- what every request asks, by the driver itself: SQLAlchemy's care costs more than the answer -------------------

Values = Mapping[str, object]

_AT_ONCE = tuple(1 << n for n in range(9))
"""So many rows are added in one step, at the most: few statements, each of which SQLite keeps with the values that it
was given last. It takes so many in a statement since version 3.32."""


def one(connection: Connection, query: str, **values: str) -> tuple[Any, ...] | None:
    """The first row of a query."""
    return next(iter(rows(connection, query, values)), None)


def rows(connection: Connection, query: str, values: Values | Sequence[object]) -> list[tuple[Any, ...]]:
    """Every row of a query, whose values are named or in their places.

    Raises SQLAlchemy's errors in the place of the driver's.
    """
    try:
        return _driver(connection).execute(query, values).fetchall()
    except sqlite3.Error as error:
        _refuse_damage(error, connection.engine.url.database or "")
        raise _translated(query, error) from error


def run(connection: Connection, statement: str, *values: Values | Sequence[object]) -> None:
    """Runs a statement once for each of these."""
    try:
        _driver(connection).executemany(statement, values)
    except sqlite3.Error as error:
        _refuse_damage(error, connection.engine.url.database or "")
        raise _translated(statement, error) from error


def pour(connection: Connection, adding: Adding, rows: Sequence[Values]) -> None:
    """Adds rows, many in one step. The driver lets other threads go on during each, and waits for them after it, who
    are stopped and woken again and again meanwhile: that costs more than all the rows.

    Steps are filled up with rows of nothing.
    """
    values, nothing = itemgetter(*adding.columns), (None,) * len(adding.columns)
    for at in range(0, len(rows), _AT_ONCE[-1]):
        some = [values(row) for row in rows[at : at + _AT_ONCE[-1]]]
        assert all(row[0] is not None for row in some), "it would be taken for nothing"
        many = _AT_ONCE[bisect_left(_AT_ONCE, len(some))]
        run(connection, _adding(adding, many), tuple(chain(*some, *repeat(nothing, many - len(some)))))


@cache
def _adding(adding: Adding, many: int) -> str:
    """The statement that adds so many rows, but for those of nothing."""
    row = f"({', '.join('?' * len(adding.columns))})"
    return f"INSERT INTO {adding.table} SELECT * FROM (VALUES {', '.join([row] * many)}) WHERE column1 IS NOT NULL"


@contextmanager
def within(connection: Connection) -> Iterator[None]:
    """A part of a transaction: an error that leaves it undoes that part alone."""
    one(connection, "SAVEPOINT part")
    done = False
    try:
        yield
        done = True
    finally:
        if not done:
            one(connection, "ROLLBACK TO part")
        one(connection, "RELEASE part")


def _translated(statement: str, error: sqlite3.Error) -> DBAPIError:
    kind = IntegrityError if isinstance(error, sqlite3.IntegrityError) else OperationalError
    return kind(statement, None, error)


def _driver(connection: Connection) -> sqlite3.Connection:
    return cast(sqlite3.Connection, connection.connection.dbapi_connection)


class Pulse:
    """Tells whether anything was committed, by whichever process, since it was felt before."""

    def __init__(self, database: Engine) -> None:
        self._lock = threading.Lock()
        self._path = database.url.database or ""
        self._connection: sqlite3.Connection | None = None

    def felt(self) -> int | None:
        """A number that stays as it is for as long as the database does; None if that can't be told now."""
        try:
            with self._lock:
                ((version,),) = self._connected().execute("PRAGMA data_version").fetchall()
        except sqlite3.Error:
            return None
        return int(version)

    def _connected(self) -> sqlite3.Connection:
        """One connection all along: another would count from elsewhere."""
        if self._connection is None:
            self._connection = sqlite3.connect(self._path, timeout=0, isolation_level=None, check_same_thread=False)
        return self._connection

    def close(self) -> None:
        with self._lock:
            if self._connection is not None:
                self._connection.close()


def broken(path: Path) -> str | None:
    """What is wrong with a file that SQLite can't read as it was written; None if it can, or if nobody can tell now."""
    try:
        with closing(sqlite3.connect(path)) as connection:
            found = [str(row[0]) for row in connection.execute("PRAGMA quick_check(1)")]
    except sqlite3.OperationalError:
        return None
    except sqlite3.DatabaseError as error:
        return str(error)
    return None if found == ["ok"] else "; ".join(found)


def damage(connection: Connection) -> list[str]:
    """What SQLite itself finds wrong with the file."""
    found = [str(row[0]) for row in connection.exec_driver_sql("PRAGMA integrity_check(20)")]
    found += [f"a row of `{row[0]}` points nowhere" for row in connection.exec_driver_sql("PRAGMA foreign_key_check")]
    return [line for line in found if line != "ok"]
