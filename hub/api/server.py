"""The server process: one port, one application, nothing told to the log."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from ipaddress import ip_address
from queue import Queue
from socket import socket
from threading import Thread

import uvicorn
from litestar import Litestar

from hub.api.app import create_app
from hub.api.gate import LOOPBACK
from hub.api.rates import Rates
from hub.errors import Conflict, Incorrect
from hub.hub import Hub

MADE = 20_000
"""So many more objects than were let go of are made before garbage is looked for: an answer leaves next to none."""

Listening = Callable[[int], object]
"""Called once with the port, as soon as requests are taken."""


def serve(
    hub: Hub,
    host: str = "127.0.0.1",
    port: int = 8080,
    admin_key: str | None = None,
    *,
    hosts: Sequence[str] = (),
    rates: Rates | None = None,
    listening: Listening = lambda port: None,
) -> None:
    """Serves until a signal ends it. Port 0 takes a free one; `hosts` are further names the hub is reached by.

    Raises Incorrect `no_admin_key` if others than this machine could reach a hub without one.
    """
    if not admin_key and not is_loopback(host):
        message = f"`{host}` can be reached from other machines, and there is no admin key"
        raise Incorrect("no_admin_key", message, "set HUB_ADMIN_KEY, or bind to 127.0.0.1")
    app = create_app(hub, admin_key=admin_key or None, hosts=(*LOOPBACK, host, *hosts), rates=rates)
    _collect_less()
    _Server(_config(app, host, port), listening).run()


@contextmanager
def served(hub: Hub, admin_key: str) -> Iterator[int]:
    """The port of this machine at which a thread of this process serves the hub, until the block ends."""
    ports: Queue[int] = Queue()
    server = _Server(_config(create_app(hub, admin_key=admin_key), "127.0.0.1", 0), ports.put)
    thread = Thread(target=server.run, name="serving")
    thread.start()
    try:
        yield ports.get(timeout=60)
    finally:
        server.should_exit = True
        thread.join()


def _collect_less() -> None:
    """A process that does nothing but serve need not look for garbage at every third answer, nor in its own code."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(MADE, *gc.get_threshold()[1:])


def _config(app: Litestar, host: str, port: int) -> uvicorn.Config:
    # No access log: addresses name customers and queries.
    return uvicorn.Config(
        app,
        host=host,
        port=port,
        http="httptools",
        lifespan="off",
        ws="none",
        access_log=False,
        log_level="warning",
        server_header=False,
        proxy_headers=False,
    )


class _Server(uvicorn.Server):
    """A server that says when it listens."""

    def __init__(self, config: uvicorn.Config, listening: Listening) -> None:
        super().__init__(config)
        self._listening = listening

    async def startup(self, sockets: list[socket] | None = None) -> None:
        try:
            await super().startup(sockets)
        except SystemExit:  # uvicorn has logged why
            message = f"the hub can't listen on {self.config.host}, port {self.config.port}"
            raise Conflict("port_in_use", message, "name another with `--port`, or end what listens there") from None
        if self.started:
            self._listening(self.servers[0].sockets[0].getsockname()[1])


def is_loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False
