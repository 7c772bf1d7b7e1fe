"""The route that records what agents were told elsewhere, a request a line."""

from __future__ import annotations

from typing import TypeAlias

from litestar import post
from litestar.di import NamedDependency, Provide
from litestar.params import SkipValidation

from hub.api.asked import received
from hub.api.callers import Operating, for_operators
from hub.api.problems import AnyRequest
from hub.hub.loading import Loaded

LARGEST_LOAD = 1 << 26
LINES = ("application/x-ndjson", "application/jsonl")

Lines: TypeAlias = NamedDependency[SkipValidation[list[str]]]


async def _lines(request: AnyRequest, operator: Operating) -> list[str]:
    """All of them before the first is recorded, so that nobody who sends slowly keeps a thread from others."""
    return (await received(request, LINES, LARGEST_LOAD)).split("\n")


@post("/load", status_code=200, opt={"lines": LINES[0]}, dependencies={"lines": Provide(_lines)}, sync_to_thread=True)
def load(operator: Operating, lines: Lines) -> Loaded:
    return operator.load(lines)


ROUTES = for_operators(load)
