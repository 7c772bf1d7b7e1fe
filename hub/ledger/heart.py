"""Where the ledger stands for each customer, known by heart for as long as nothing is recorded."""

from __future__ import annotations

import threading

from hub.codec import replaced
from hub.ledger.rows import State

_MOST = 4_096

Pulse = int | None
"""Stays as it is until something is committed; None if that can't be told."""


class Heart:
    """INVARIANT: what is known by heart is what the ledger would say; any commit, of any process, has it read again.

    Most commits write down what was read, and leave everything where it stood: then what is known of others holds.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._felt: Pulse = None
        self._whole: State | None = None
        self._known: dict[str, State] = {}

    def state(self, pulse: Pulse, customer: str) -> State | None:
        """What is known by heart, while this is felt; None says nothing."""
        with self._lock:
            return self._known.get(customer) if pulse is not None and pulse == self._felt else None

    def learn(self, pulse: Pulse, customer: str, state: State) -> None:
        """Takes what was read after that pulse was felt. Customers of whom nothing is known may be called anything."""
        if pulse is None or state.customer is None:
            return
        whole = replaced(state, customer=None, reference=None)
        with self._lock:
            if whole != self._whole or len(self._known) >= _MOST:
                self._known, self._whole = {}, whole
            self._felt = pulse
            self._known[customer] = state
