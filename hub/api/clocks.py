"""The route that moves a simulated clock, for stories played over HTTP; a hub with real time has no such address."""

from __future__ import annotations

from litestar import post

from hub.api.asked import Asked
from hub.api.callers import Operating, for_operators
from hub.clock import ClockAnswer
from hub.requests import Moment, Request


class ClockMove(Request):
    """To an instant, or on by a length of time such as `2h`; neither only asks."""

    now: Moment | None = None
    advance: str | None = None


@post("/clock", status_code=200, sync_to_thread=True)
def clock(operator: Operating, asked: Asked[ClockMove]) -> ClockAnswer:
    return operator.clock(now=asked.now, advance=asked.advance)


ROUTES = for_operators(clock)
