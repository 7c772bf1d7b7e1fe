"""Routes of the review queue: what is contested, and what somebody who may decide does about it."""

from __future__ import annotations

from litestar import get, post
from litestar.params import FromPath

from hub.answers import ActReceipt
from hub.api.asked import Asked, Grounds
from hub.api.callers import Operating, for_operators
from hub.hub.reviewing import ReviewPage
from hub.requests import Correct, Queue


@get("/review", sync_to_thread=True)
def review(operator: Operating, asked: Asked[Queue]) -> ReviewPage:
    return operator.reviewed(asked)


@post("/review/{id:str}/accept", status_code=200, sync_to_thread=True)
def accept(operator: Operating, id: FromPath[str], asked: Asked[Grounds]) -> ActReceipt:
    return operator.accept(id, reason=asked.reason)


@post("/review/{id:str}/reject", status_code=200, sync_to_thread=True)
def reject(operator: Operating, id: FromPath[str], asked: Asked[Grounds]) -> ActReceipt:
    return operator.reject(id, reason=asked.reason)


@post("/review/{id:str}/edit", status_code=200, sync_to_thread=True)
def edit(operator: Operating, id: FromPath[str], asked: Asked[Correct]) -> ActReceipt:
    return operator.edited(id, asked)


@post("/review/{id:str}/undo", status_code=200, sync_to_thread=True)
def undo(operator: Operating, id: FromPath[str], asked: Asked[Grounds]) -> ActReceipt:
    return operator.undo(id, reason=asked.reason)


ROUTES = for_operators(review, accept, reject, edit, undo)
