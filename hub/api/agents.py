"""Routes of the agent verbs: what the caller remembers, recalls, looks up and takes back."""

from __future__ import annotations

from typing import Annotated, TypedDict

from litestar import get, post
from litestar.params import FromPath, HeaderParameter

from hub.answers import (
    ActReceipt,
    FactAnswer,
    FactHistory,
    FactReceipt,
    Graph,
    Me,
    Profile,
    Recalled,
    Remembered,
    Timeline,
    TokenAnswer,
)
from hub.api.asked import Asked, FactLook, Grounds, takes
from hub.api.callers import Calling, for_agents
from hub.requests import Act, Correct, NewToken, Page, Recall, Remember

IdempotencyKey = Annotated[str | None, HeaderParameter(name="Idempotency-Key", min_length=1, max_length=255)]


class When(TypedDict):
    """A point in both times and a purpose, as the verbs take them."""

    as_of: str | None
    valid_at: str | None
    known_at: str | None
    purpose: str | None


@get("/me", sync_to_thread=True)
def me(agent: Calling) -> Me:
    return agent.me()


@post("/tokens", sync_to_thread=True)
def token(agent: Calling, asked: Asked[NewToken]) -> TokenAnswer:
    return agent.token(customer=asked.customer, purpose=asked.purpose, ttl_seconds=asked.ttl_seconds)


@post("/remember", sync_to_thread=True)
def remember(agent: Calling, asked: Asked[Remember], idempotency_key: IdempotencyKey = None) -> Remembered:
    return agent.remembered(asked, idempotency_key)


@post("/recall", status_code=200, sync_to_thread=True)
def recall(agent: Calling, asked: Asked[Recall]) -> Recalled:
    return agent.recalled(asked)


@get("/customers/{customer:str}/profile", opt=takes("limit", "cursor"), sync_to_thread=True)
def profile(agent: Calling, asked: Asked[Page]) -> Profile:
    return agent.profile(customer=asked.customer, limit=asked.limit, cursor=asked.cursor, **_when(asked))


@get("/customers/{customer:str}/timeline", opt=takes("subject", "relation", "limit", "cursor"), sync_to_thread=True)
def timeline(agent: Calling, asked: Asked[Page]) -> Timeline:
    return agent.timeline(
        customer=asked.customer,
        subject=asked.subject,
        relation=asked.relation,
        limit=asked.limit,
        cursor=asked.cursor,
        **_when(asked),
    )


@get("/customers/{customer:str}/graph", opt=takes("root", "hops"), sync_to_thread=True)
def graph(agent: Calling, asked: Asked[Page]) -> Graph:
    return agent.graph(customer=asked.customer, root=asked.root, hops=asked.hops, **_when(asked))


@get("/facts/{id:str}", sync_to_thread=True)
def fact(agent: Calling, id: FromPath[str], asked: Asked[FactLook]) -> FactAnswer:
    return agent.fact(id, **_when(asked))


@get("/facts/{id:str}/history", sync_to_thread=True)
def history(agent: Calling, id: FromPath[str], asked: Asked[FactLook]) -> FactHistory:
    return agent.history(id, **_when(asked))


@post("/facts/{id:str}/correct", status_code=200, sync_to_thread=True)
def correct(agent: Calling, id: FromPath[str], asked: Asked[Correct]) -> FactReceipt:
    return agent.corrected(id, asked)


@post("/facts/{id:str}/end", status_code=200, sync_to_thread=True)
def end(agent: Calling, id: FromPath[str], asked: Asked[Act]) -> FactReceipt:
    return agent.end(id, at=asked.at, reason=asked.reason)


@post("/facts/{id:str}/retract", status_code=200, sync_to_thread=True)
def retract(agent: Calling, id: FromPath[str], asked: Asked[Grounds]) -> ActReceipt:
    return agent.retract(id, reason=asked.reason)


@post("/facts/{id:str}/forget", status_code=200, sync_to_thread=True)
def forget(agent: Calling, id: FromPath[str], asked: Asked[Grounds]) -> ActReceipt:
    return agent.forget(id, reason=asked.reason)


@post("/facts/{id:str}/restore", status_code=200, sync_to_thread=True)
def restore(agent: Calling, id: FromPath[str], asked: Asked[Grounds]) -> ActReceipt:
    return agent.restore(id, reason=asked.reason)


def _when(asked: Page | FactLook) -> When:
    return When(as_of=asked.as_of, valid_at=asked.valid_at, known_at=asked.known_at, purpose=asked.purpose)


ROUTES = for_agents(
    me,
    token,
    remember,
    recall,
    profile,
    timeline,
    graph,
    fact,
    history,
    correct,
    end,
    retract,
    forget,
    restore,
)
