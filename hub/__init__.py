"""Memory Hub: shared, bi-temporal memory for several agents of one customer, behind one door."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

# Before numpy is imported: the matrices of one sentence are too small to be shared, and two threads that try to take
# seven times the CPU of one. Whoever wants more threads for other work says so in the environment.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

if TYPE_CHECKING:
    from hub.hub import Hub as Hub


def __getattr__(name: str) -> Any:
    """`Hub` on first use, so that one room can be imported without the whole house."""
    if name == "Hub":
        from hub.hub import Hub

        return Hub
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
