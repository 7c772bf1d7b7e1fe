"""The verbs of an operator or auditor as calls, with the signatures they have in process."""

from __future__ import annotations

from collections.abc import Iterable

from hub.answers import (
    ActReceipt,
    AgentKey,
    ConsentAnswer,
    FactReceipt,
    PolicyCheck,
    PolicyVersion,
    Profile,
    Promoted,
    Recalled,
)
from hub.client.calls import Call, When, at, get, post, sent
from hub.clock import ClockAnswer
from hub.erased import Erasure
from hub.hub.governing import Rated, Ratings, Relations, RelationUses
from hub.hub.publishing import DocumentPage, DocumentsRemoved
from hub.hub.reviewing import ReviewPage
from hub.knowledge import DocumentReceipt
from hub.recall.reasons import WhyAnswer, WhyNotAnswer
from hub.requests import NewConsent


class OperatorCalls:
    """Whoever the key belongs to; which of these it may use, the policy says."""

    def create_agent(
        self,
        agent_id: str,
        domain: str,
        *,
        roles: Iterable[str] = (),
        customers: Iterable[str] | None = None,
        purposes: Iterable[str] = (),
        expires_at: When = None,
    ) -> Call[AgentKey]:
        serves = None if customers is None else list(customers)
        asked = {"id": agent_id, "domain": domain, "roles": list(roles), "customers": serves}
        return post(at("admin", "agents"), AgentKey, {**asked, "purposes": list(purposes), "expires_at": expires_at})

    def rotate(self, agent_id: str, *, expires_at: When = None) -> Call[AgentKey]:
        return post(at("admin", "agents", agent_id, "rotate"), AgentKey, {"expires_at": expires_at})

    def policies(self) -> Call[PolicyVersion]:
        return get(at("admin", "policies"), PolicyVersion)

    def check_policy(
        self, *, model: str | None = None, policy: str | None = None, relations: str | None = None
    ) -> Call[PolicyCheck]:
        body = {"model": model, "policy": policy, "relations": relations}
        return post(at("admin", "policies", "check"), PolicyCheck, body)

    def replace_policy(
        self,
        *,
        model: str | None = None,
        policy: str | None = None,
        relations: str | None = None,
        reason: str = "replaced",
    ) -> Call[PolicyVersion]:
        body = {"model": model, "policy": policy, "relations": relations, "reason": reason}
        said = {name: text for name, text in body.items() if text is not None}
        return sent("PUT", at("admin", "policies"), PolicyVersion, said)

    def promote(
        self,
        relation: str,
        *,
        scope: str,
        arbitration: str | None = None,
        owner: str | None = None,
        existing: bool = False,
    ) -> Call[Promoted]:
        body = {"scope": scope, "arbitration": arbitration, "owner": owner, "existing": existing}
        return post(at("admin", "relations", relation, "promote"), Promoted, body)

    def relations(self) -> Call[Relations]:
        return get(at("admin", "relations"), Relations)

    def provisional(self) -> Call[RelationUses]:
        return get(at("admin", "relations", "provisional"), RelationUses)

    def demote(self, relation: str, *, existing: bool = False) -> Call[Promoted]:
        return post(at("admin", "relations", relation, "demote"), Promoted, {"existing": existing})

    def merge_relation(
        self, relation: str, *, into: str, existing: bool = False, scope: str | None = None
    ) -> Call[Promoted]:
        body = {"into": into, "existing": existing, "scope": scope}
        return post(at("admin", "relations", relation, "merge"), Promoted, body)

    def reject_relation(self, relation: str, *, existing: bool = False) -> Call[Promoted]:
        return post(at("admin", "relations", relation, "reject"), Promoted, {"existing": existing})

    def ratings(self) -> Call[Ratings]:
        return get(at("admin", "trust"), Ratings)

    def rate(self, domain: str, score: float | None, *, relation: str | None = None) -> Call[Rated]:
        return sent("PUT", at("admin", "trust"), Rated, {"domain": domain, "score": score, "relation": relation})

    def review(self, *, customer: str | None = None, limit: int = 100, cursor: str | None = None) -> Call[ReviewPage]:
        return get(at("admin", "review"), ReviewPage, {"customer": customer, "limit": limit, "cursor": cursor})

    def accept(self, fact_id: str, *, reason: str | None = None) -> Call[ActReceipt]:
        return post(at("admin", "review", fact_id, "accept"), ActReceipt, {"reason": reason})

    def reject(self, fact_id: str, *, reason: str | None = None) -> Call[ActReceipt]:
        return post(at("admin", "review", fact_id, "reject"), ActReceipt, {"reason": reason})

    def edit(self, /, fact_id: str, **fields: object) -> Call[ActReceipt]:
        return sent("POST", at("admin", "review", fact_id, "edit"), ActReceipt, fields)

    def undo(self, decision_id: str, *, reason: str | None = None) -> Call[ActReceipt]:
        return post(at("admin", "review", decision_id, "undo"), ActReceipt, {"reason": reason})

    def relabel(
        self, fact_id: str, *, scope: str, owner: str | None = None, reason: str | None = None
    ) -> Call[ActReceipt]:
        body = {"scope": scope, "owner": owner, "reason": reason}
        return post(at("admin", "facts", fact_id, "relabel"), ActReceipt, body)

    def same_as(self, customer: str, one: str, other: str, *, reason: str | None = None) -> Call[FactReceipt]:
        body = {"customer": customer, "one": one, "other": other, "reason": reason}
        return post(at("admin", "entities", "same-as"), FactReceipt, body)

    def unsame(self, alias_id: str, *, reason: str | None = None) -> Call[ActReceipt]:
        return post(at("admin", "entities", "same-as", alias_id, "withdraw"), ActReceipt, {"reason": reason})

    def take_back(self, record_id: str, *, reason: str | None = None) -> Call[ActReceipt]:
        return post(at("admin", "records", record_id, "retract"), ActReceipt, {"reason": reason})

    def forget(self, fact_id: str, *, reason: str | None = None) -> Call[ActReceipt]:
        return post(at("admin", "facts", fact_id, "forget"), ActReceipt, {"reason": reason})

    def restore(self, fact_id: str, *, reason: str | None = None) -> Call[ActReceipt]:
        return post(at("admin", "facts", fact_id, "restore"), ActReceipt, {"reason": reason})

    def erase_fact(self, fact_id: str, reason: str | None = None) -> Call[Erasure]:
        return sent("DELETE", at("admin", "facts", fact_id) + "?erase", Erasure, {"reason": reason})

    def erase_customer(self, customer: str, reason: str | None = None) -> Call[Erasure]:
        return sent("DELETE", at("admin", "customers", customer), Erasure, {"reason": reason})

    def add_knowledge(
        self, document: str, text: str, *, topic: str | None = None, markdown: bool | None = None
    ) -> Call[DocumentReceipt]:
        body = {"document": document, "text": text, "topic": topic, "markdown": markdown}
        return post(at("admin", "knowledge"), DocumentReceipt, body)

    def knowledge(self, *, limit: int = 100, cursor: str | None = None) -> Call[DocumentPage]:
        return get(at("admin", "knowledge"), DocumentPage, {"limit": limit, "cursor": cursor})

    def remove_knowledge(self, document: str, *, reason: str | None = None) -> Call[DocumentsRemoved]:
        return post(at("admin", "knowledge", "remove"), DocumentsRemoved, {"document": document, "reason": reason})

    def erase_knowledge(self, document: str, *, reason: str | None = None) -> Call[Erasure]:
        return sent("DELETE", at("admin", "knowledge") + "?erase", Erasure, {"document": document, "reason": reason})

    def clock(self, *, now: When = None, advance: str | None = None) -> Call[ClockAnswer]:
        return post(at("admin", "clock"), ClockAnswer, {"now": now, "advance": advance})

    def beliefs(
        self, /, customer: str, agent: str, *, purpose: str | None = None, **point_in_time: object
    ) -> Call[Profile]:
        query = {**point_in_time, "agent": agent, "purpose": purpose}
        return get(at("admin", "customers", customer, "beliefs"), Profile, query)

    def replay(self, recall_id: str) -> Call[Recalled]:
        return post(at("admin", "recalls", recall_id, "replay"), Recalled, {})

    def why_then(self, recall_id: str) -> Call[WhyAnswer]:
        return post(at("admin", "recalls", recall_id, "why"), WhyAnswer, {})

    def why_not_then(self, recall_id: str, text: str) -> Call[WhyNotAnswer]:
        return post(at("admin", "recalls", recall_id, "why-not"), WhyNotAnswer, {"text": text})


class ConsentCalls:
    """The consents of one customer."""

    def __init__(self, customer: str) -> None:
        self.customer = customer

    def recorded(self, asked: NewConsent) -> Call[ConsentAnswer]:
        body = asked.model_dump(exclude_unset=True)
        return sent("POST", at("admin", "customers", self.customer, "consents"), ConsentAnswer, body)

    def withdrawn(self, consent_id: str, reason: str | None) -> Call[ConsentAnswer]:
        path = at("admin", "customers", self.customer, "consents", consent_id, "withdraw")
        return post(path, ConsentAnswer, {"reason": reason})
