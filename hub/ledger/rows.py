"""What the ledger gives out, and how nouns become rows."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from typing import Any

from sqlalchemy import Row

from hub.codec import decode, encode
from hub.facts import Claim, Filing, Hide, Instant, Label, Record, Relabel, Turn, Withdraw

_KINDS: dict[str, type[Record]] = {
    "claim": Claim,
    "turn": Turn,
    "withdraw": Withdraw,
    "hide": Hide,
    "relabel": Relabel,
}
_NAMES = {kind: name for name, kind in _KINDS.items()}


@dataclass(frozen=True, slots=True)
class State:
    """Where the ledger stands in one snapshot: the latest recorded instant and numbers of each growing table.

    `customer` is the number of the customer asked about, None if nobody wrote about it.
    """

    last: Instant
    seq: int
    version: int
    binding: int
    consent: int
    customer: int | None

    def of_customer(self, number: int) -> State:
        return replace(self, customer=number)


@dataclass(frozen=True, slots=True)
class Entry:
    """From `at` on the record is filed under filing number `filing`, or (`leaves`) no longer is."""

    seq: int
    filing: int
    at: Instant
    leaves: bool
    record: Record


@dataclass(frozen=True, slots=True)
class KeyState:
    """The latest word on one key; `digest` is the SHA-256 of the key in hex, `parent` that of the key it came from.

    `parent` is empty for a token that an agent in process made for itself, None for a key.
    """

    digest: str
    agent: str
    expires_at: Instant | None = None
    revoked: bool = False
    parent: str | None = None
    customer: str | None = None
    purpose: str | None = None

    def columns(self) -> dict[str, str | int | bool | None]:
        return asdict(self)


@dataclass(frozen=True, slots=True, kw_only=True)
class Version:
    """Everything that decides, from `recorded_at` on; `promotions` is JSON."""

    model: str
    policy: str
    relations: str
    promotions: str = "[]"
    author: str
    reason: str
    recorded_at: Instant = 0
    id: int = 0

    def columns(self) -> dict[str, str | int]:
        return asdict(self)


def kind_of(record: Record) -> str:
    return _NAMES[type(record)]


def record_from(kind: str, body: str) -> Record:
    return decode(body, _KINDS[kind])


def fit(kind: str, body: str) -> bool:
    """Whether a row's body still reads as its kind."""
    try:
        return kind in _KINDS and bool(record_from(kind, body).id)
    except ValueError:
        return False


def filing_text(filing: Filing) -> str:
    return encode(sorted(filing)).decode()


def filing_from(labels: str) -> Filing:
    return frozenset(decode(labels, list[Label]))


def key_from(row: Row[Any]) -> KeyState:
    values = dict(row._mapping)
    return KeyState(**{**values, "revoked": bool(values["revoked"])})
