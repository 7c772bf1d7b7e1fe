"""How often anyone may ask: a rate for each agent, and one for each address that brings no good key."""

from __future__ import annotations

import time as wall
from collections.abc import Callable
from dataclasses import dataclass
from ipaddress import IPv6Address, ip_address, ip_network

from litestar.types import Scope

from hub.errors import Denied, HubError, Incorrect

STRANGERS = 600
"""Refusals a minute of one address, if nothing else is said."""
_SECOND = 1_000_000_000
_MINUTE = 60 * _SECOND
_MOST = 65_536

Nanoseconds = Callable[[], int]
"""A clock that only goes forward."""


class TooMany(Denied):
    """More than is taken in a minute; `seconds` until the next one is."""

    __slots__ = ("seconds",)

    def __init__(self, seconds: int) -> None:
        super().__init__("too_many_requests", "these are more requests than are taken", f"wait {seconds} s")
        self.seconds = seconds


class Rate:
    """So many requests a minute of each; whoever was quiet for a minute may send as many at once.

    The generic cell rate algorithm (ITU-T I.371): of each, the moment at which all it was granted would have been
    spread evenly. INVARIANT: what one is granted depends on its own requests, and on no other's.
    """

    def __init__(self, a_minute: int, now: Nanoseconds) -> None:
        if a_minute < 1:
            raise Incorrect("bad_rate", f"{a_minute} requests a minute let nobody in", "allow one at least, or any")
        self._a_minute = a_minute
        self._now = now
        self._spread: dict[str, int] = {}  # in nanoseconds times the rate, so that nothing is ever rounded

    def take(self, who: str) -> None:
        """Raises TooMany if there is nothing left for them now."""
        now = self._now() * self._a_minute
        spread = max(self._spread.get(who, now), now) + _MINUTE
        ahead = spread - now - _MINUTE * self._a_minute
        if ahead > 0:
            raise TooMany(-(-ahead // (self._a_minute * _SECOND)))
        if len(self._spread) >= _MOST:  # those who have been quiet are as if they had never come
            self._spread = {known: until for known, until in self._spread.items() if until > now}
        self._spread[who] = spread


@dataclass(frozen=True, slots=True)
class Rates:
    """None: as often as they like. Each process counts for itself."""

    agents: Rate | None
    strangers: Rate | None

    def agent(self, agent: str) -> None:
        """Raises TooMany. A token, and whoever acts for another, counts as the agent it belongs to."""
        if self.agents is not None:
            self.agents.take(agent)

    def refusal(self, scope: Scope, error: HubError) -> HubError:
        """What somebody without a good key is told: this, or that there have been too many of them."""
        try:
            if self.strangers is not None:
                self.strangers.take(_address(scope))
        except TooMany as more:
            return more
        return error


def rated(agents: int | None = None, strangers: int | None = STRANGERS, now: Nanoseconds = wall.monotonic_ns) -> Rates:
    """Requests a minute of one agent, and refusals a minute of one address; None: any number."""
    return Rates(*(None if number is None else Rate(number, now) for number in (agents, strangers)))


def _address(scope: Scope) -> str:
    """Where a request comes from; whoever has one IPv6 address has the 64 bits of them that it ends in."""
    client = scope.get("client")
    try:
        address = ip_address(client[0]) if client else None
    except ValueError:
        return str(client and client[0])
    return str(ip_network((address, 64), strict=False) if isinstance(address, IPv6Address) else address)
