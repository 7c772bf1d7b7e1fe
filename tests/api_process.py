"""A hub served by a process of its own: started ahead of its turn, let go, and killed without a word."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import dataclass, field
from http.client import HTTPConnection, HTTPException
from pathlib import Path

from tests.sources import ROOT

ADMIN_KEY = "the-admin-key-of-this-process"

# Imports first, then waits for its turn: the next server gets ready while the last one still works.
_PROGRAM = """
import sys
from hub.api import serve
from hub.hub import Hub
sys.stdin.readline()
with Hub.open(sys.argv[1]) as hub:
    serve(hub, port=0, admin_key=sys.argv[2], listening=lambda port: print(port, flush=True))
"""


class Gone(Exception):
    """The server went away before it had answered."""


@dataclass
class Served:
    """`go` opens the database and returns once the server listens; `kill` is SIGKILL."""

    database: Path
    port: int = 0
    process: subprocess.Popen[str] = field(init=False)

    def __post_init__(self) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-c", _PROGRAM, str(self.database), ADMIN_KEY],
            cwd=ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def go(self) -> None:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write("go\n")
        self.process.stdin.flush()
        self.port = int(self.process.stdout.readline())

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()
        for pipe in (self.process.stdin, self.process.stdout):
            assert pipe is not None
            pipe.close()

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
