"""Clearances put together: nobody's, a cut to all readers, what two may both read."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from hub.facts import Filing, Label


class Reads(Protocol):
    """Whatever decides which filings may be read."""

    @property
    def key(self) -> tuple[str, ...]:
        """INVARIANT: equal keys decide alike."""

    def admits_all(self, filing: Filing) -> bool:
        """Whether every label of it may be read."""


class Nobody:
    """The clearance of an agent that was not there, or might not have come in."""

    key = ("nobody",)

    def admits_all(self, _filing: Filing) -> bool:
        return False


class Only:
    """What is filed under this one label, and nothing else: for a writer that looks whether it has said so before."""

    def __init__(self, label: Label) -> None:
        self.key = ("only", repr(label))
        self._filing = frozenset({label})

    def admits_all(self, filing: Filing) -> bool:
        return filing == self._filing


class Cut:
    """What may shape something filed under `filing`: of what its writer may read, what all its readers may read.

    Its key names them all, for who the readers are changes with every agent that comes or goes.
    """

    def __init__(self, writer: Reads, readers: list[Reads], filing: Filing) -> None:
        all_of = {reader.key: reader for reader in (writer, *readers) if reader is writer or reader.admits_all(filing)}
        self.key = ("cut", *sorted(map(repr, all_of)))
        self._all = list(all_of.values())

    def admits_all(self, filing: Filing) -> bool:
        return all(reader.admits_all(filing) for reader in self._all)


class Among:
    """Of so many filings, those that somebody may read.

    INVARIANT: its key is the filings themselves, so that all who may read the same of them share what is made of it.
    """

    def __init__(self, reads: Reads, filings: Mapping[int, Filing]) -> None:
        admitted = {number: filing for number, filing in filings.items() if reads.admits_all(filing)}
        self.key = ("among", *map(str, sorted(admitted)))
        self._admitted = frozenset(admitted.values())

    def admits_all(self, filing: Filing) -> bool:
        return filing in self._admitted


class Both:
    """What two viewers may both read."""

    def __init__(self, one: Reads, other: Reads) -> None:
        self.key = ("both", *one.key, *other.key)
        self._one, self._other = one, other

    def admits_all(self, filing: Filing) -> bool:
        return self._one.admits_all(filing) and self._other.admits_all(filing)
