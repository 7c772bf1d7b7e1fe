"""The extraction port: what a text says, as facts to be claimed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from hub.requests import Fact


class Extractor(Protocol):
    """Reads one turn; what it cannot read it leaves out, and the turn is kept either way."""

    def read(self, text: str, *, lang: str, said_at: str) -> Sequence[Fact]:
        """The facts in a text said at an RFC 3339 instant; relative dates count from there."""
