"""The agents that every new hub begins with."""

from __future__ import annotations

DEMO_AGENTS: dict[str, tuple[str, tuple[str, ...]]] = {
    "mia": ("personal", ()),
    "kai": ("repair", ()),
    "atlas": ("travel", ("meal", "booking")),
    "sage": ("health", ()),
    "penny": ("finance", ()),
    "nova": ("shopping", ()),
}
"""The agents every new hub knows: id -> (domain, purposes)."""
