"""A hub served by a process of its own, which can be killed without a word."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from dataclasses import dataclass, field
from http.client import HTTPConnection, HTTPException
from pathlib import Path

from tests.sources import ROOT

ADMIN_KEY = "the-admin-key-of-this-process"

# One interpreter imports everything and becomes a server again and again: a fork each, one at a time. Starting Python
# twenty times over would take longer than all that the servers do.
_PROGRAM = """
import os, sys
from hub.api import serve
from hub.hub import Hub

for line in sys.stdin:
    server = os.fork()
    if server == 0:
        with Hub.open(line.rstrip()) as hub:
            serve(hub, port=0, admin_key=sys.argv[1], listening=lambda port: print(os.getpid(), port, flush=True))
        os._exit(0)
    os.waitpid(server, 0)
    print("gone", flush=True)
"""


class Gone(Exception):
    """The server went away before it had answered."""


@dataclass
class Nursery:
    """Starts servers, each of which must have been killed before the next; ends with the block it is opened for."""

    process: subprocess.Popen[str] = field(init=False)

    def __enter__(self) -> Nursery:
        program = [sys.executable, "-c", _PROGRAM, ADMIN_KEY]
        self.process = subprocess.Popen(
            program, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, start_new_session=True
        )
        return self

    def __exit__(self, *_: object) -> None:
        os.killpg(self.process.pid, signal.SIGKILL)  # a server that a failed test has left behind, too
        self.process.communicate()

    def serve(self, database: Path) -> Served:
        """Returns once the server listens."""
        assert self.process.stdin is not None
        self.process.stdin.write(f"{database}\n")
        self.process.stdin.flush()
        said = self.line()
        assert said.count(" ") == 1, f"the server ended before it listened: {said!r}"
        pid, port = map(int, said.split())
        return Served(self, pid, port)

    def line(self) -> str:
        assert self.process.stdout is not None
        return self.process.stdout.readline()


@dataclass(frozen=True)
class Served:
    """A server at work, in a process of its own."""

    nursery: Nursery
    pid: int
    port: int

    def kill(self) -> None:
        """SIGKILL; returns once the process is gone."""
        os.kill(self.pid, signal.SIGKILL)
        assert self.nursery.line() == "gone\n"

    def line(self, key: str | None = ADMIN_KEY) -> Line:
        return Line(HTTPConnection("127.0.0.1", self.port, timeout=30), key)


@dataclass
class Line:
    """One connection with one key; paths go out as they are written here."""

    connection: HTTPConnection
    key: str | None

    def send(self, method: str, path: str, body: object = None, **headers: str) -> tuple[int, bytes]:
        known = {} if self.key is None else {"Authorization": f"Bearer {self.key}"}
        content = None if body is None else body if isinstance(body, bytes) else json.dumps(body).encode()
        known |= {} if content is None else {"Content-Type": "application/json"}
        try:
            self.connection.request(method, path, content, known | {k.replace("_", "-"): v for k, v in headers.items()})
            answer = self.connection.getresponse()
            return answer.status, answer.read()
        except (OSError, HTTPException) as error:
            raise Gone from error

    def close(self) -> None:
        self.connection.close()
