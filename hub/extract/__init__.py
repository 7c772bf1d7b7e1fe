"""The extraction port: what a text says, as facts to be claimed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from hub.facts import Instant
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
    """Reads one turn; what it cannot read it leaves out, and the turn is kept either way.

    `local`: what it is given to read stays in this process. Any other is given no personal data.
    """

    local: bool

    def read(self, text: str, *, lang: str, said_at: Instant, zone: str) -> Reading:
        """The facts in a text in `en`, `ko`, `vi` or `ja`; relative dates count from `said_at` in the IANA `zone`.

        Raises Fault if the text could not be read, which is something else than nothing being said in it.
        """
