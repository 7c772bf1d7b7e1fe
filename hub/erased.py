"""What the hub says of an erasure: how much is gone, and a receipt that holds none of it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from hub.facts import Author, Label


@dataclass(frozen=True, slots=True, kw_only=True)
class Erased:
    """How much is gone, kind by kind. An agent hears of the claims and turns it could see, and of nothing else."""

    claims: int = 0
    turns: int = 0
    passages: int = 0
    acts: int = 0
    entries: int = 0
    heads: int = 0
    vectors: int = 0
    answers: int = 0
    recalls: int = 0
    consents: int = 0
    tokens: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class EraseReceipt:
    """That it was done, when and by whom; `labels` are those under which a fact leaves its gap.

    `reason` is said back to whoever gave it, and kept nowhere. `audit` is the hash of the audit's line, for operators.
    `swept`: the bytes have been written over, in the file and its log. If not, another process still reads an older
    state; then they are as soon as it has let go, by the next write or the next opening of the hub.
    """

    id: str
    at: datetime
    actor: Author
    labels: tuple[Label, ...] = ()
    reason: str | None = None
    audit: str | None = None
    swept: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Erasure:
    erased: Erased
    receipt: EraseReceipt
