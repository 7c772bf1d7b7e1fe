"""Routes of operators and auditors: agents and keys, policies, relations, filing, and others' eyes."""

from __future__ import annotations

from dataclasses import dataclass

from litestar import get, post, put
from litestar.params import FromPath

from hub.answers import (
    ActReceipt,
    AgentAnswer,
    AgentKey,
    ConsentAnswer,
    FactReceipt,
    PolicyCheck,
    PolicyVersion,
    Profile,
)
from hub.api.asked import Asked, Eyes, Grounds, NewBinding, NewKey, Nothing
from hub.api.callers import Operating, for_operators
from hub.requests import NewAgent, NewConsent, NewLabel, NewPolicy, SameAs


@dataclass(frozen=True, slots=True, kw_only=True)
class PolicyVersions:
    """All of them, oldest first: the list is never cut."""

    versions: tuple[PolicyVersion, ...]
    next: str | None = None
    truncated: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentList:
    """All that are at work, those bound first first: the list is never cut."""

    agents: tuple[AgentAnswer, ...]
    next: str | None = None
    truncated: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ConsentList:
    """All that this caller could have recorded, oldest first: the list is never cut."""

    consents: tuple[ConsentAnswer, ...]
    next: str | None = None
    truncated: bool = False


# --- agents and keys -------------------------------------------------------------------------------------------------


@get("/agents", sync_to_thread=True)
def agents(operator: Operating) -> AgentList:
    return AgentList(agents=tuple(operator.agents()))


@post("/agents", sync_to_thread=True)
def create_agent(operator: Operating, asked: Asked[NewAgent]) -> AgentKey:
    return operator.create_agent(
        asked.id,
        asked.domain,
        roles=asked.roles,
        customers=asked.customers,
        purposes=asked.purposes,
        expires_at=asked.expires_at,
    )


@post("/agents/{id:str}/rotate", status_code=200, sync_to_thread=True)
def rotate(operator: Operating, id: FromPath[str], asked: Asked[NewKey]) -> AgentKey:
    return operator.rotate(id, expires_at=asked.expires_at)


@post("/agents/{id:str}/revoke", status_code=204, sync_to_thread=True)
def revoke(operator: Operating, id: FromPath[str], asked: Asked[Nothing]) -> None:
    operator.revoke(id)


@post("/agents/{id:str}/disable", status_code=204, sync_to_thread=True)
def disable(operator: Operating, id: FromPath[str], asked: Asked[Nothing]) -> None:
    operator.disable(id)


@put("/agents/{id:str}/binding", status_code=204, sync_to_thread=True)
def bind(operator: Operating, id: FromPath[str], asked: Asked[NewBinding]) -> None:
    operator.bind(id, customers=asked.customers, purposes=asked.purposes)


# --- policies -----------------------------------------------------------------------------------------------------


@get("/policies", sync_to_thread=True)
def policies(operator: Operating) -> PolicyVersion:
    return operator.policies()


@get("/policies/versions", sync_to_thread=True)
def policy_versions(operator: Operating) -> PolicyVersions:
    return PolicyVersions(versions=tuple(operator.policy_versions()))


@post("/policies/check", status_code=200, sync_to_thread=True)
def check_policy(operator: Operating, asked: Asked[NewPolicy]) -> PolicyCheck:
    return operator.check_policy(model=asked.model, policy=asked.policy, relations=asked.relations)


@put("/policies", sync_to_thread=True)
def replace_policy(operator: Operating, asked: Asked[NewPolicy]) -> PolicyVersion:
    return operator.replace_policy(
        model=asked.model, policy=asked.policy, relations=asked.relations, reason=asked.reason
    )


# --- records ---------------------------------------------------------------------------------------------------------


@post("/facts/{id:str}/relabel", status_code=200, sync_to_thread=True)
def relabel(operator: Operating, id: FromPath[str], asked: Asked[NewLabel]) -> ActReceipt:
    return operator.relabel(id, scope=asked.scope, owner=asked.owner, reason=asked.reason)


@post("/entities/same-as", status_code=200, sync_to_thread=True)
def same_as(operator: Operating, asked: Asked[SameAs]) -> FactReceipt:
    return operator.same_as(asked.customer, asked.one, asked.other, reason=asked.reason)


@post("/entities/same-as/{id:str}/withdraw", status_code=200, sync_to_thread=True)
def withdraw_same_as(operator: Operating, id: FromPath[str], asked: Asked[Grounds]) -> ActReceipt:
    return operator.unsame(id, reason=asked.reason)


@post("/records/{id:str}/retract", status_code=200, sync_to_thread=True)
def take_back(operator: Operating, id: FromPath[str], asked: Asked[Grounds]) -> ActReceipt:
    return operator.take_back(id, reason=asked.reason)


@post("/facts/{id:str}/forget", status_code=200, sync_to_thread=True)
def forget(operator: Operating, id: FromPath[str], asked: Asked[Grounds]) -> ActReceipt:
    return operator.forget(id, reason=asked.reason)


@post("/facts/{id:str}/restore", status_code=200, sync_to_thread=True)
def restore(operator: Operating, id: FromPath[str], asked: Asked[Grounds]) -> ActReceipt:
    return operator.restore(id, reason=asked.reason)


@post("/customers/{customer:str}/consents", sync_to_thread=True)
def consent(operator: Operating, customer: FromPath[str], asked: Asked[NewConsent]) -> ConsentAnswer:
    return operator.consents(customer).recorded(asked)


@get("/customers/{customer:str}/consents", sync_to_thread=True)
def consents(operator: Operating, customer: FromPath[str]) -> ConsentList:
    return ConsentList(consents=tuple(operator.consents(customer).listed()))


@post("/customers/{customer:str}/consents/{id:str}/withdraw", status_code=200, sync_to_thread=True)
def withdraw_consent(
    operator: Operating, customer: FromPath[str], id: FromPath[str], asked: Asked[Grounds]
) -> ConsentAnswer:
    return operator.consents(customer).withdrawn(id, asked.reason)


@get("/customers/{customer:str}/beliefs", sync_to_thread=True)
def beliefs(operator: Operating, asked: Asked[Eyes]) -> Profile:
    return operator.beliefs(
        asked.customer,
        asked.agent,
        purpose=asked.purpose,
        limit=asked.limit,
        as_of=asked.as_of,
        valid_at=asked.valid_at,
        known_at=asked.known_at,
    )


ROUTES = for_operators(
    agents,
    create_agent,
    rotate,
    revoke,
    disable,
    bind,
    policies,
    policy_versions,
    check_policy,
    replace_policy,
    relabel,
    same_as,
    withdraw_same_as,
    take_back,
    forget,
    restore,
    consent,
    consents,
    withdraw_consent,
    beliefs,
)
