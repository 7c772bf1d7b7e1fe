"""Routes to why and why not: of an agent's own recalls, of anyone's for auditors; and of what a policy would change."""

from __future__ import annotations

from litestar import get, post
from litestar.params import FromPath

from hub.api.asked import Asked, Nothing
from hub.api.callers import Calling, Operating, for_agents, for_operators
from hub.hub.changes import PolicyDiff
from hub.hub.comparing import Comparison
from hub.recall.reasons import WhyAnswer, WhyNotAnswer
from hub.requests import Compare, Recall, TryPolicy, WhyNot, WhyNotKept, WhyNotOf, WhyOf

# --- an agent's own --------------------------------------------------------------------------------------------------


@post("/recall/why", status_code=200, sync_to_thread=True)
def why_now(agent: Calling, asked: Asked[Recall]) -> WhyAnswer:
    return agent.why_of(asked)


@post("/recall/why-not", status_code=200, sync_to_thread=True)
def why_not_now(agent: Calling, asked: Asked[WhyNot]) -> WhyNotAnswer:
    return agent.why_not_of(asked)


@get("/recalls/{id:str}/why", sync_to_thread=True)
def why(agent: Calling, id: FromPath[str]) -> WhyAnswer:
    return agent.why(id)


@post("/recalls/{id:str}/why", status_code=200, sync_to_thread=True)
def ask_why(agent: Calling, id: FromPath[str], asked: Asked[Nothing]) -> WhyAnswer:
    return agent.why(id)


@get("/recalls/{id:str}/why-not", sync_to_thread=True)
def why_not(agent: Calling, id: FromPath[str], asked: Asked[WhyNotKept]) -> WhyNotAnswer:
    return agent.why_not(id, asked.text)


@post("/recalls/{id:str}/why-not", status_code=200, sync_to_thread=True)
def ask_why_not(agent: Calling, id: FromPath[str], asked: Asked[WhyNotKept]) -> WhyNotAnswer:
    return agent.why_not(id, asked.text)


# --- anyone's, for auditors ------------------------------------------------------------------------------------------


@post("/recall/why", status_code=200, sync_to_thread=True)
def admin_why_now(operator: Operating, asked: Asked[WhyOf]) -> WhyAnswer:
    return operator.why_of(asked)


@post("/recall/why-not", status_code=200, sync_to_thread=True)
def admin_why_not_now(operator: Operating, asked: Asked[WhyNotOf]) -> WhyNotAnswer:
    return operator.why_not_of(asked)


@get("/recalls/{id:str}/why", sync_to_thread=True)
def admin_why(operator: Operating, id: FromPath[str]) -> WhyAnswer:
    return operator.why(id)


@post("/recalls/{id:str}/why", status_code=200, sync_to_thread=True)
def admin_ask_why(operator: Operating, id: FromPath[str], asked: Asked[Nothing]) -> WhyAnswer:
    return operator.why(id)


@get("/recalls/{id:str}/why-not", sync_to_thread=True)
def admin_why_not(operator: Operating, id: FromPath[str], asked: Asked[WhyNotKept]) -> WhyNotAnswer:
    return operator.why_not(id, asked.text)


@post("/recalls/{id:str}/why-not", status_code=200, sync_to_thread=True)
def admin_ask_why_not(operator: Operating, id: FromPath[str], asked: Asked[WhyNotKept]) -> WhyNotAnswer:
    return operator.why_not(id, asked.text)


@get("/customers/{customer:str}/compare", sync_to_thread=True)
def compare(operator: Operating, asked: Asked[Compare]) -> Comparison:
    return operator.compared(asked)


@post("/policies/diff", status_code=200, sync_to_thread=True)
def policy_diff(operator: Operating, asked: Asked[TryPolicy]) -> PolicyDiff:
    return operator.policy_tried(asked)


ROUTES = [
    for_agents(why_now, why_not_now, why, ask_why, why_not, ask_why_not),
    for_operators(
        admin_why_now,
        admin_why_not_now,
        admin_why,
        admin_ask_why,
        admin_why_not,
        admin_ask_why_not,
        compare,
        policy_diff,
    ),
]
