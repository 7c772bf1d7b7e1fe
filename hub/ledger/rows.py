"""What the ledger gives out, and how nouns become rows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

from sqlalchemy import Row

from hub.codec import Quick, decode, decoding, encode, replaced
from hub.facts import (
    Claim,
    Feedback,
    Filing,
    Gap,
    Hide,
    Instant,
    Label,
    Passage,
    Record,
    Relabel,
    Turn,
    Viewer,
    Withdraw,
)

_KINDS: dict[str, type[Record]] = {
    "claim": Claim,
    "turn": Turn,
    "passage": Passage,
    "feedback": Feedback,
    "withdraw": Withdraw,
    "hide": Hide,
    "relabel": Relabel,
    "gap": Gap,
}
_NAMES = {kind: name for name, kind in _KINDS.items()}
_READ: dict[str, Callable[[str], Record]] = {name: decoding(kind) for name, kind in _KINDS.items()}


class State(Quick, frozen=True):
    """Where the ledger stands in one snapshot: the latest recorded instant and numbers of each growing table.

    `customer` is the number of the customer asked about, None if nobody wrote about it; `reference` is what the audit
    calls it. `company` is the number under which company knowledge is, None if there has never been any. `erased` is
    the sequence number of the latest erasure, `swept` that of the latest whose bytes have been written over, `vectors`
    how often vectors have been added.
    """

    last: Instant
    seq: int
    erased: int
    swept: int
    vectors: int
    version: int
    binding: int
    consent: int
    customer: int | None
    reference: str | None
    company: int | None = None

    def of_customer(self, number: int, reference: str) -> State:
        return replaced(self, customer=number, reference=reference)

    @property
    def of_company(self) -> State:
        """The same snapshot, asked about the company's own knowledge."""
        return replaced(self, customer=self.company)


class Entry(Quick, frozen=True):
    """From `at` on the record is filed under filing number `filing`, or (`leaves`) no longer is."""

    seq: int
    filing: int
    at: Instant
    leaves: bool
    record: Record


class KeptRecall(Quick, frozen=True, kw_only=True):
    """One recall: who asked what at which point in both times, of which snapshot, and what came of it.

    `present` and `state` pin everything that decided; `request` is JSON, `results` are (id, score), `digest` is the
    SHA-256 of the answer, None where something it was made of has been erased. `steps` and `missing` are what the
    query meant to the embedder, and `named` what the index of company knowledge named: neither need be there when the
    recall runs again.
    """

    id: str
    viewer: Viewer
    domain: str
    customer: str
    purpose: str | None
    present: Instant
    state: State
    valid_at: Instant
    known_at: Instant | None
    embedder: str | None
    ranker: str
    request: str
    results: tuple[tuple[str, float], ...]
    digest: str | None = None
    steps: bytes | None = None
    missing: str | None = None
    named: tuple[str, ...] | None = None

    def columns(self) -> dict[str, str | int | None]:
        known = self.state.customer
        return {
            "id": self.id,
            "customer": known,
            "name": self.customer if known is None else None,
            "body": encode(replaced(self, digest=None)).decode(),
            "digest": self.digest,
        }


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
    return _READ[kind](body)


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
