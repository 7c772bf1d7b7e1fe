"""Routes that take something away for good: a fact by an operator or its owner's agent, a customer by an operator."""

from __future__ import annotations

from litestar import delete, post
from litestar.params import FromPath

from hub.api.asked import Asked, Grounds, flagged
from hub.api.callers import Calling, Operating, for_agents, for_operators
from hub.erased import Erasure


@delete("/facts/{id:str}", opt=flagged("erase"), status_code=200, sync_to_thread=True)
def erase_fact(operator: Operating, id: FromPath[str], asked: Asked[Grounds]) -> Erasure:
    return operator.erase_fact(id, asked.reason)


@delete("/customers/{customer:str}", status_code=200, sync_to_thread=True)
def erase_customer(operator: Operating, customer: FromPath[str], asked: Asked[Grounds]) -> Erasure:
    return operator.erase_customer(customer, asked.reason)


@post("/facts/{id:str}/erase", status_code=200, sync_to_thread=True)
def erase(agent: Calling, id: FromPath[str], asked: Asked[Grounds]) -> Erasure:
    return agent.erase(id, reason=asked.reason)


ROUTES = [for_agents(erase), for_operators(erase_fact, erase_customer)]
