"""Whether the hub is alive and fit for work, for whoever watches it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from litestar import Request, get

from hub.api.callers import OPEN
from hub.errors import Fault
from hub.hub import Hub


@dataclass(frozen=True, slots=True, kw_only=True)
class Health:
    status: str


@get("/healthz", opt={OPEN: True}, security=[{}], sync_to_thread=False)
def alive() -> Health:
    return Health(status="alive")


@get("/readyz", opt={OPEN: True}, security=[{}], sync_to_thread=True)
def ready(request: Request[Any, Any, Any]) -> Health:
    """The database answers and a policy is in force."""
    hub: Hub = request.app.state.hub
    if not hub.ready():
        raise Fault("not_ready", "no policy is in force", "open the hub with a policy")
    return Health(status="ready")
