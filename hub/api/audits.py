"""Routes to what has been: an agent's own recalls, run again; for auditors anyone's, and the audit itself."""

from __future__ import annotations

from litestar import get, post
from litestar.params import FromPath

from hub.answers import FeedbackReceipt, Recalled
from hub.api.asked import Asked, Nothing
from hub.api.callers import Calling, Operating, for_agents, for_operators
from hub.hub.auditing import AuditCheck, AuditPage
from hub.hub.recalls import RecallRecord
from hub.requests import NewFeedback, Trail


@get("/recalls/{id:str}", sync_to_thread=True)
def recalled_before(agent: Calling, id: FromPath[str]) -> RecallRecord:
    return agent.recalled_before(id)


@post("/recalls/{id:str}/replay", status_code=200, sync_to_thread=True)
def replay(agent: Calling, id: FromPath[str], asked: Asked[Nothing]) -> Recalled:
    return agent.replay(id)


@post("/recalls/{id:str}/feedback", status_code=200, sync_to_thread=True)
def feedback(agent: Calling, id: FromPath[str], asked: Asked[NewFeedback]) -> FeedbackReceipt:
    return agent.fed_back(id, asked)


@get("/audit", sync_to_thread=True)
def audit(operator: Operating, asked: Asked[Trail]) -> AuditPage:
    return operator.audited(asked)


@get("/audit/verify", sync_to_thread=True)
def verify_audit(operator: Operating) -> AuditCheck:
    return operator.verify_audit()


@post("/recalls/{id:str}/replay", status_code=200, sync_to_thread=True)
def admin_replay(operator: Operating, id: FromPath[str], asked: Asked[Nothing]) -> Recalled:
    return operator.replay(id)


ROUTES = [for_agents(recalled_before, replay, feedback), for_operators(audit, verify_audit, admin_replay)]
