"""A folder of collections beside the database: for one process at a time, and trusted only as it was left."""

from __future__ import annotations

import hashlib
import os
import shutil
import sys
from collections.abc import Callable, Iterable, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

from hub.errors import Fault
from hub.index.chroma import Collections, Shelf, Store, behind, embedded


class Folder:
    """A folder that one process has at a time, and that is trusted only if every byte of it is as it was left.

    INVARIANT: what Chroma would read is compared before it reads it. A changed byte can make its binary part answer
    wrongly, panic, or bring the process down.
    """

    def __init__(self, path: Path) -> None:
        self._path = path

    def opened(self) -> Store | None:
        try:
            self._path.mkdir(exist_ok=True)
            lock = os.open(self._path / "lock", os.O_RDWR | os.O_CREAT, 0o600)
        except OSError as error:
            raise Fault("index_failed", f"its folder can't be used ({error.strerror})", "see to it") from error
        if not _locked(lock):
            os.close(lock)
            return None
        if not self.as_it_was_left():
            shutil.rmtree(self._path / "store", ignore_errors=True)
        return self._stored(lock)

    def removed(self, names: set[str]) -> bool:
        shutil.rmtree(self._path, ignore_errors=True)
        return not self._path.exists()

    def as_it_was_left(self) -> bool:
        try:
            return (self._path / "seal").read_text(encoding="ascii") == _digest(self._path / "store")
        except (OSError, UnicodeDecodeError):
            return False

    def faults(self, shelves: Iterable[Shelf]) -> list[str]:
        try:
            lock = os.open(self._path / "lock", os.O_RDWR)
        except OSError:
            return ["there is no index of company knowledge (`hub reindex` makes one)"]
        taken = not _locked(lock)
        if taken or not self.as_it_was_left():
            os.close(lock)
            message = "the index of company knowledge is not as it was left (`hub reindex` makes it anew)"
            return [] if taken else [message]
        store = self._stored(lock)
        found = behind(store, shelves)
        store.close()
        return found

    def _stored(self, lock: int) -> Store:
        return _FolderStore(self._path, lock, Collections(embedded(self._path / "store"), shared=False))


class _FolderStore:
    """The marks are remembered, for nobody else can change them."""

    def __init__(self, path: Path, lock: int, collections: Collections) -> None:
        self._path = path
        self._lock = lock
        self._collections = collections
        self._marks = collections.marks()
        self._spoilt = False
        self._seal()  # which opening it has broken

    def alive(self) -> bool:
        try:
            return os.path.samestat(os.fstat(self._lock), os.stat(self._path / "lock"))
        except OSError:
            return False

    def mark(self, name: str) -> str | None:
        return self._marks.get(name)

    def nearest(self, name: str, vector: Sequence[int], most: int) -> list[str]:
        return self._collections.nearest(name, vector, most)

    def renew(self, shelf: Shelf, go_on: Callable[[], None]) -> None:
        self._marks.pop(shelf.name, None)
        self._unseal()
        self._collections.renew(shelf, go_on)
        self._marks[shelf.name] = shelf.mark

    def keep(self, names: set[str]) -> None:
        if self._marks.keys() - names or not (self._path / "seal").exists():
            self._unseal()
            self._marks = {name: mark for name, mark in self._marks.items() if name in names}
            self._collections.keep(names)
            self._seal()

    def spoil(self) -> None:
        self._spoilt = True
        self._unseal()

    def close(self) -> None:
        """Which writes what was held back. What is half done has no mark, and is gone on with by whoever opens it."""
        fit = self.alive() and not self._spoilt
        self._collections.close()
        if fit:
            self._seal()
        os.close(self._lock)

    def _unseal(self) -> None:
        """INVARIANT: while something changes it is not sealed, so that nobody trusts what a crash leaves."""
        (self._path / "seal").unlink(missing_ok=True)

    def _seal(self) -> None:
        (self._path / "seal").write_text(_digest(self._path / "store"), encoding="ascii")


def _digest(folder: Path) -> str:
    """Of the names and bytes of all files in a folder."""
    whole = hashlib.sha256()
    for file in sorted(file for file in folder.rglob("*") if file.is_file()):
        whole.update(f"{file.relative_to(folder).as_posix()}\0{file.stat().st_size}\0".encode())
        with file.open("rb") as opened:
            while block := opened.read(1 << 20):
                whole.update(block)
    return whole.hexdigest()


def _locked(file: int) -> bool:
    """Whether the lock is ours; it goes with the file, and with the process however that ends."""
    try:
        _claim(file)
    except OSError:
        return False
    return True


_WINDOWS = sys.platform == "win32"
_locks: Any = import_module("msvcrt") if _WINDOWS else import_module("fcntl")


def _claim(file: int) -> None:
    _locks.locking(file, _locks.LK_NBLCK, 1) if _WINDOWS else _locks.flock(file, _locks.LOCK_EX | _locks.LOCK_NB)
