"""The server process: one port, one application, nothing told to the log."""

from __future__ import annotations

from collections.abc import Sequence
from ipaddress import ip_address

import uvicorn

from hub.api.app import create_app
from hub.api.gate import LOOPBACK
from hub.errors import Incorrect
from hub.hub import Hub


def serve(
    hub: Hub, host: str = "127.0.0.1", port: int = 8080, admin_key: str | None = None, *, hosts: Sequence[str] = ()
) -> None:
    """Serves until a signal ends it. `hosts` are further names the hub is reached by.

    Raises Incorrect `no_admin_key` if others than this machine could reach a hub without one.
    """
    if not admin_key and not is_loopback(host):
        message = f"`{host}` can be reached from other machines, and there is no admin key"
        raise Incorrect("no_admin_key", message, "set HUB_ADMIN_KEY, or bind to 127.0.0.1")
    app = create_app(hub, admin_key=admin_key or None, hosts=(*LOOPBACK, host, *hosts))
    # No access log: addresses name customers and queries.
    config = uvicorn.Config(
        app,
        host=host,
        port=port,
        lifespan="off",
        ws="none",
        access_log=False,
        log_level="warning",
        server_header=False,
        proxy_headers=False,
    )
    uvicorn.Server(config).run()


def is_loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False
