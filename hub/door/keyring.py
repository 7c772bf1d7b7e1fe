"""Whom a key opens the hub to: looked up in the ledger, and known by heart for as long as nothing is recorded."""

from __future__ import annotations

import hmac
import threading
from dataclasses import dataclass

from hub.door.rules import Rulebook
from hub.facts import Binding, Instant, Viewer
from hub.ledger import KeyState, Ledger, Reading, under_way

_MOST = 4_096


@dataclass(frozen=True, slots=True)
class Bearer:
    """Who holds a key; `until`: when it, or a key it came from, goes out."""

    viewer: Viewer
    binding: Binding
    until: Instant | None


class Keyring:
    """INVARIANT: what is known by heart is what the ledger would say; any commit, of any process, wipes all of it."""

    def __init__(self, ledger: Ledger, rulebook: Rulebook) -> None:
        self._ledger = ledger
        self._rulebook = rulebook
        self._lock = threading.Lock()
        self._pulse: int | None = None
        self._known: dict[str, Bearer] = {}

    def by_heart(self, digest: str) -> Bearer | None:
        """The bearer, if that can be said without reading the ledger; None says nothing about the key."""
        pulse = self._ledger.pulse()
        with self._lock:
            known = self._known.get(digest) if pulse is not None and pulse == self._pulse else None
        return known if known is not None and _lasts(known.until, self._ledger.clock.now()) else None

    def bearer(self, digest: str) -> Bearer | None:
        """Whom a key or token opens the hub to, by its SHA-256; None if it is unknown, dead, or its agent is gone."""
        pulse = self._ledger.pulse()  # felt first: what is committed from now on wipes what is read from now on
        with self._ledger.reading() as reading:
            under_way().came_by(reading.key(digest))
            chain = _chain(reading, digest)
            binding = self._rulebook.binding(reading, chain[0].agent) if chain else None
        if not chain or binding is None or not binding.enabled:
            return None
        key, until = chain[0], min((k.expires_at for k in chain if k.expires_at is not None), default=None)
        purposes = None if key.parent is None else () if key.purpose is None else (key.purpose,)
        viewer = Viewer(agent=key.agent, customer=key.customer, purposes=purposes)
        return self._learn(pulse, digest, Bearer(viewer, binding, until))

    def _learn(self, pulse: int | None, digest: str, bearer: Bearer) -> Bearer:
        with self._lock:
            if pulse != self._pulse or len(self._known) >= _MOST:
                self._known, self._pulse = {}, pulse
            self._known[digest] = bearer
        return bearer


def _chain(reading: Reading, digest: str) -> list[KeyState]:
    """A key and those it came from; empty unless all of them are alive: a token lives no longer than its key."""
    chain: list[KeyState] = []
    wanted: str | None = digest
    while wanted:
        key = reading.key(wanted)
        if key is None or not hmac.compare_digest(key.digest, wanted) or key.revoked:
            return []
        if not _lasts(key.expires_at, reading.present):
            return []
        chain.append(key)
        wanted = key.parent
    return chain


def _lasts(until: Instant | None, now: Instant) -> bool:
    return until is None or now < until
