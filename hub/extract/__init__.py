"""The extraction port: what a text says, as facts to be claimed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from hub.facts import Instant
from hub.registry import Registry
from hub.requests import Fact


@dataclass(frozen=True, slots=True)
class Heard:
    """A fact, and the words that say it: `text[span[0]:span[1]]`."""

    fact: Fact
    span: tuple[int, int]


@dataclass(frozen=True, slots=True)
class Reading:
    """What was read in a text, in its order. `whole`: every clause of the text says something that was read."""

    heard: tuple[Heard, ...] = ()
    whole: bool = False


class Extractor(Protocol):
    """Reads one turn; what it cannot read it leaves out, and the turn is kept either way."""

    @property
    def local(self) -> bool:
        """Whether what it is given to read stays in this process. Any other is given no personal data."""

    def read(self, text: str, *, lang: str, said_at: Instant, zone: str) -> Reading:
        """The facts in a text in `en`, `ko`, `vi` or `ja`; relative dates count from `said_at` in the IANA `zone`.

        Raises Fault if the text could not be read, which is something else than nothing being said in it.
        """


@runtime_checkable
class Asker(Protocol):
    """Has texts read elsewhere, which takes time: it is asked before anything is written, and once for each turn."""

    @property
    def rules(self) -> Extractor:
        """What reads instead where nobody answers."""

    def ask(self, text: str, *, lang: str, said_at: Instant, registry: Registry) -> Extractor:
        """What reads this one text, here and at once. Raises Fault if there is no answer."""

    def close(self) -> None:
        """Whoever waits for an answer hears that there is none."""
