"""Routes of operators and auditors: agents and keys, policies, relations, filing, and others' eyes."""

from __future__ import annotations

from litestar import get, post, put
from litestar.params import FromPath

from hub.answers import (
    ActReceipt,
    AgentKey,
    AgentList,
    ConsentAnswer,
    ConsentList,
    FactReceipt,
    PolicyCheck,
    PolicyVersion,
    PolicyVersions,
    Profile,
)
from hub.api.asked import Asked, Eyes, Grounds, NewBinding, NewKey, Nothing
from hub.api.callers import Operating, for_operators
from hub.hub import Decision
from hub.requests import AskPolicy, NewAgent, NewConsent, NewLabel, NewPolicy, SameAs

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
        new_names=asked.new_names,
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
    operator.bind(id, customers=asked.customers, purposes=asked.purposes, new_names=asked.new_names)


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


@post("/policies/explain", status_code=200, sync_to_thread=True)
def explain_policy(operator: Operating, asked: Asked[AskPolicy]) -> Decision:
    return operator.explain_policy(
        asked.agent,
        owner=asked.owner,
        relation=asked.relation,
        told=asked.told,
        scope=asked.scope,
        act=asked.act,
        purpose=asked.purpose,
        domain=asked.domain,
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
    return operator.withdraw_same_as(id, reason=asked.reason)


@post("/records/{id:str}/retract", status_code=200, sync_to_thread=True)
def retract(operator: Operating, id: FromPath[str], asked: Asked[Grounds]) -> ActReceipt:
    return operator.retract(id, reason=asked.reason)


@post("/facts/{id:str}/forget", status_code=200, sync_to_thread=True)
def forget(operator: Operating, id: FromPath[str], asked: Asked[Grounds]) -> ActReceipt:
    return operator.forget(id, reason=asked.reason)


@post("/facts/{id:str}/restore", status_code=200, sync_to_thread=True)
def restore(operator: Operating, id: FromPath[str], asked: Asked[Grounds]) -> ActReceipt:
    return operator.restore(id, reason=asked.reason)


@post("/customers/{customer:str}/consents", sync_to_thread=True)
def record_consent(operator: Operating, customer: FromPath[str], asked: Asked[NewConsent]) -> ConsentAnswer:
    return operator.consent_recorded(customer, asked)


@get("/customers/{customer:str}/consents", sync_to_thread=True)
def consents(operator: Operating, customer: FromPath[str]) -> ConsentList:
    return ConsentList(consents=tuple(operator.consents(customer)))


@post("/customers/{customer:str}/consents/{id:str}/withdraw", status_code=200, sync_to_thread=True)
def withdraw_consent(
    operator: Operating, customer: FromPath[str], id: FromPath[str], asked: Asked[Grounds]
) -> ConsentAnswer:
    return operator.withdraw_consent(customer, id, reason=asked.reason)


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
    explain_policy,
    relabel,
    same_as,
    withdraw_same_as,
    retract,
    forget,
    restore,
    record_consent,
    consents,
    withdraw_consent,
    beliefs,
)
