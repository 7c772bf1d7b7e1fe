"""The verbs of an operator or auditor as calls, with the signatures they have in process."""

from __future__ import annotations

from collections.abc import Iterable
from types import NoneType

from hub.answers import (
    ActReceipt,
    AgentAnswer,
    AgentKey,
    AgentList,
    ConsentAnswer,
    ConsentList,
    FactReceipt,
    PolicyCheck,
    PolicyVersion,
    PolicyVersions,
    Profile,
    Promoted,
    Recalled,
)
from hub.client.calls import Call, When, at, get, listed, post, sent
from hub.clock import ClockAnswer
from hub.erased import Erasure
from hub.hub import Decision
from hub.hub.auditing import AuditCheck, AuditPage
from hub.hub.changes import PolicyDiff
from hub.hub.comparing import Comparison
from hub.hub.governing import Rated, Ratings, RelationAnswer, Relations, RelationUse, RelationUses
from hub.hub.loading import Loaded, Told, nobody
from hub.hub.publishing import DocumentPage, DocumentsRemoved
from hub.hub.reviewing import ReviewPage
from hub.knowledge import DocumentReceipt
from hub.recall.reasons import WhyAnswer, WhyNotAnswer


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
        new_names: bool = False,
    ) -> Call[AgentKey]:
        serves = None if customers is None else list(customers)
        asked = {"id": agent_id, "domain": domain, "roles": list(roles), "customers": serves}
        more = {"purposes": list(purposes), "expires_at": expires_at, "new_names": new_names}
        return post(at("admin", "agents"), AgentKey, {**asked, **more})

    def bind(
        self,
        agent_id: str,
        *,
        customers: Iterable[str] | None = None,
        purposes: Iterable[str] = (),
        new_names: bool = False,
    ) -> Call[None]:
        serves = None if customers is None else list(customers)
        body = {"customers": serves, "purposes": list(purposes), "new_names": new_names}
        return sent("PUT", at("admin", "agents", agent_id, "binding"), NoneType, body)

    def rotate(self, agent_id: str, *, expires_at: When = None) -> Call[AgentKey]:
        return post(at("admin", "agents", agent_id, "rotate"), AgentKey, {"expires_at": expires_at})

    def revoke(self, agent_id: str) -> Call[None]:
        return post(at("admin", "agents", agent_id, "revoke"), NoneType, {})

    def disable(self, agent_id: str) -> Call[None]:
        return post(at("admin", "agents", agent_id, "disable"), NoneType, {})

    def agents(self) -> Call[list[AgentAnswer]]:
        return listed(at("admin", "agents"), AgentList, lambda answer: answer.agents)

    # --- policy and registry -------------------------------------------------------------------------------------

    def policies(self) -> Call[PolicyVersion]:
        return get(at("admin", "policies"), PolicyVersion)

    def policy_versions(self) -> Call[list[PolicyVersion]]:
        return listed(at("admin", "policies", "versions"), PolicyVersions, lambda answer: answer.versions)

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

    def explain_policy(
        self,
        agent: str,
        *,
        owner: str,
        relation: str,
        told: str | None = None,
        scope: str = "private",
        act: str = "read",
        purpose: str | None = None,
        domain: str | None = None,
    ) -> Call[Decision]:
        label = {"owner": owner, "told": told, "scope": scope, "relation": relation}
        body = {**label, "agent": agent, "act": act, "purpose": purpose, "domain": domain}
        return post(at("admin", "policies", "explain"), Decision, body)

    def policy_diff(
        self, /, *, policy: str | None = None, model: str | None = None, **more: object
    ) -> Call[PolicyDiff]:
        return post(at("admin", "policies", "diff"), PolicyDiff, {**more, "policy": policy, "model": model})

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

    def relations(self) -> Call[list[RelationAnswer]]:
        return listed(at("admin", "relations"), Relations, lambda answer: answer.relations)

    def provisional(self) -> Call[list[RelationUse]]:
        return listed(at("admin", "relations", "provisional"), RelationUses, lambda answer: answer.relations)

    def demote(self, relation: str, *, existing: bool = False) -> Call[Promoted]:
        return post(at("admin", "relations", relation, "demote"), Promoted, {"existing": existing})

    def merge_relation(
        self, relation: str, *, into: str, existing: bool = False, scope: str | None = None
    ) -> Call[Promoted]:
        body = {"into": into, "existing": existing, "scope": scope}
        return post(at("admin", "relations", relation, "merge"), Promoted, body)

    def reject_relation(self, relation: str, *, existing: bool = False) -> Call[Promoted]:
        return post(at("admin", "relations", relation, "reject"), Promoted, {"existing": existing})

    def ratings(self) -> Call[list[Rated]]:
        return listed(at("admin", "trust"), Ratings, lambda answer: answer.ratings)

    def rate(self, domain: str, score: float | None, *, relation: str | None = None) -> Call[Rated]:
        return sent("PUT", at("admin", "trust"), Rated, {"domain": domain, "score": score, "relation": relation})

    # --- the queue -----------------------------------------------------------------------------------------------

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

    # --- records -------------------------------------------------------------------------------------------------

    def relabel(
        self, fact_id: str, *, scope: str, owner: str | None = None, reason: str | None = None
    ) -> Call[ActReceipt]:
        body = {"scope": scope, "owner": owner, "reason": reason}
        return post(at("admin", "facts", fact_id, "relabel"), ActReceipt, body)

    def same_as(self, customer: str, one: str, other: str, *, reason: str | None = None) -> Call[FactReceipt]:
        body = {"customer": customer, "one": one, "other": other, "reason": reason}
        return post(at("admin", "entities", "same-as"), FactReceipt, body)

    def withdraw_same_as(self, alias_id: str, *, reason: str | None = None) -> Call[ActReceipt]:
        return post(at("admin", "entities", "same-as", alias_id, "withdraw"), ActReceipt, {"reason": reason})

    def retract(self, record_id: str, *, reason: str | None = None) -> Call[ActReceipt]:
        return post(at("admin", "records", record_id, "retract"), ActReceipt, {"reason": reason})

    def forget(self, fact_id: str, *, reason: str | None = None) -> Call[ActReceipt]:
        return post(at("admin", "facts", fact_id, "forget"), ActReceipt, {"reason": reason})

    def restore(self, fact_id: str, *, reason: str | None = None) -> Call[ActReceipt]:
        return post(at("admin", "facts", fact_id, "restore"), ActReceipt, {"reason": reason})

    def erase_fact(self, fact_id: str, reason: str | None = None) -> Call[Erasure]:
        return sent("DELETE", at("admin", "facts", fact_id) + "?erase", Erasure, {"reason": reason})

    def erase_customer(self, customer: str, reason: str | None = None) -> Call[Erasure]:
        return sent("DELETE", at("admin", "customers", customer), Erasure, {"reason": reason})

    def record_consent(
        self,
        customer: str,
        *,
        domain: str,
        effect: str,
        reason: str,
        owner: str | None = None,
        relation: str | None = None,
        valid_from: When = None,
        valid_to: When = None,
    ) -> Call[ConsentAnswer]:
        about = {"domain": domain, "owner": owner, "relation": relation, "effect": effect, "reason": reason}
        body = {**about, "valid_from": valid_from, "valid_to": valid_to}
        return post(at("admin", "customers", customer, "consents"), ConsentAnswer, body)

    def withdraw_consent(self, customer: str, consent_id: str, *, reason: str | None = None) -> Call[ConsentAnswer]:
        path = at("admin", "customers", customer, "consents", consent_id, "withdraw")
        return post(path, ConsentAnswer, {"reason": reason})

    def consents(self, customer: str) -> Call[list[ConsentAnswer]]:
        path = at("admin", "customers", customer, "consents")
        return listed(path, ConsentList, lambda answer: answer.consents)

    def load(self, lines: Iterable[str], *, told: Told = nobody) -> Call[Loaded]:
        """`told` hears of the last line alone, when all are recorded: what comes before is between the hub and it."""

        def heard(loaded: Loaded) -> Loaded:
            told(loaded.lines)
            return loaded

        return Call("POST", at("admin", "load"), Loaded, lines=lines, of=heard)

    # --- what the company knows ----------------------------------------------------------------------------------

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

    # --- looking through others' eyes, and back ------------------------------------------------------------------

    def clock(self, *, now: When = None, advance: str | None = None) -> Call[ClockAnswer]:
        return post(at("admin", "clock"), ClockAnswer, {"now": now, "advance": advance})

    def beliefs(
        self, /, customer: str, agent: str, *, purpose: str | None = None, **point_in_time: object
    ) -> Call[Profile]:
        query = {**point_in_time, "agent": agent, "purpose": purpose}
        return get(at("admin", "customers", customer, "beliefs"), Profile, query)

    def replay(self, recall_id: str) -> Call[Recalled]:
        return post(at("admin", "recalls", recall_id, "replay"), Recalled, {})

    def why(self, recall_id: str) -> Call[WhyAnswer]:
        return post(at("admin", "recalls", recall_id, "why"), WhyAnswer, {})

    def why_not(self, recall_id: str, text: str) -> Call[WhyNotAnswer]:
        return post(at("admin", "recalls", recall_id, "why-not"), WhyNotAnswer, {"text": text})

    def why_now(self, /, query: str, *, agent: str, customer: str, **recall: object) -> Call[WhyAnswer]:
        body = {**recall, "query": query, "agent": agent, "customer": customer}
        return post(at("admin", "recall", "why"), WhyAnswer, body)

    def why_not_now(
        self, /, query: str, text: str, *, agent: str, customer: str, **recall: object
    ) -> Call[WhyNotAnswer]:
        body = {**recall, "query": query, "text": text, "agent": agent, "customer": customer}
        return post(at("admin", "recall", "why-not"), WhyNotAnswer, body)

    def compare(self, /, customer: str, one: str, other: str, **more: object) -> Call[Comparison]:
        return get(at("admin", "customers", customer, "compare"), Comparison, {**more, "one": one, "other": other})

    def audit(
        self,
        *,
        agent: str | None = None,
        customer: str | None = None,
        verb: str | None = None,
        since: When = None,
        until: When = None,
        limit: int = 100,
        cursor: str | None = None,
    ) -> Call[AuditPage]:
        asked = {"agent": agent, "customer": customer, "verb": verb, "since": since, "until": until}
        return get(at("admin", "audit"), AuditPage, {**asked, "limit": limit, "cursor": cursor})

    def verify_audit(self) -> Call[AuditCheck]:
        return get(at("admin", "audit", "verify"), AuditCheck)
