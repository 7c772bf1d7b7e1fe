"""The verbs of an agent as calls, with the signatures they have in process."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from hub.answers import (
    ActReceipt,
    FactAnswer,
    FactHistory,
    FactReceipt,
    FeedbackReceipt,
    Graph,
    Me,
    Profile,
    Recalled,
    Remembered,
    Timeline,
    TokenAnswer,
)
from hub.client.calls import Call, When, at, get, post, sent
from hub.erased import Erasure
from hub.errors import Incorrect
from hub.hub.recalls import RecallRecord
from hub.recall.reasons import WhyAnswer, WhyNotAnswer
from hub.requests import Fact, each

Facts = Iterable[Fact | Mapping[str, object]]


class AgentCalls:
    """One agent, usually of one customer."""

    def __init__(self, customer: str | None = None) -> None:
        self.customer = customer

    def me(self) -> Call[Me]:
        return get(at("me"), Me)

    def token(
        self, *, purpose: str | None = None, ttl_seconds: int = 3600, customer: str | None = None
    ) -> Call[TokenAnswer]:
        body = {"customer": self._customer(customer), "purpose": purpose, "ttl_seconds": ttl_seconds}
        return post(at("tokens"), TokenAnswer, body)

    def remember(
        self,
        text: str | None = None,
        *,
        facts: Facts = (),
        role: str = "user",
        session: str | None = None,
        said_at: When = None,
        lang: str | None = None,
        purpose: str | None = None,
        idempotency_key: str | None = None,
        customer: str | None = None,
    ) -> Call[Remembered]:
        body = {
            "customer": self._customer(customer),
            "text": text,
            "facts": each(facts, _plain),
            "role": role,
            "session": session,
            "said_at": said_at,
            "lang": lang,
            "purpose": purpose,
        }
        return post(at("remember"), Remembered, body, key=idempotency_key)

    def recall(
        self,
        query: str,
        *,
        as_of: When = None,
        valid_at: When = None,
        known_at: When = None,
        purpose: str | None = None,
        session: str | None = None,
        limit: int = 5,
        token_budget: int | None = None,
        include_past: bool = False,
        min_score: float | None = None,
        kinds: Iterable[str] | None = None,
        explain: bool = False,
        graph: bool = True,
        lang: str | None = None,
        customer: str | None = None,
    ) -> Call[Recalled]:
        body = {
            "customer": self._customer(customer),
            "query": query,
            "as_of": as_of,
            "valid_at": valid_at,
            "known_at": known_at,
            "purpose": purpose,
            "session": session,
            "limit": limit,
            "token_budget": token_budget,
            "include_past": include_past,
            "min_score": min_score,
            "kinds": None if kinds is None else list(kinds),
            "explain": explain,
            "graph": graph,
            "lang": lang,
        }
        return post(at("recall"), Recalled, body)

    # --- the whole of what this agent may know -------------------------------------------------------------------

    def profile(
        self,
        *,
        as_of: When = None,
        valid_at: When = None,
        known_at: When = None,
        purpose: str | None = None,
        limit: int = 100,
        cursor: str | None = None,
        customer: str | None = None,
    ) -> Call[Profile]:
        query = {"purpose": purpose, "limit": limit, "cursor": cursor}
        return get(self._of(customer, "profile"), Profile, {**query, **_point(as_of, valid_at, known_at)})

    def timeline(
        self,
        *,
        subject: str | None = None,
        relation: str | None = None,
        as_of: When = None,
        valid_at: When = None,
        known_at: When = None,
        purpose: str | None = None,
        limit: int = 100,
        cursor: str | None = None,
        customer: str | None = None,
    ) -> Call[Timeline]:
        query = {"subject": subject, "relation": relation, "purpose": purpose, "limit": limit, "cursor": cursor}
        return get(self._of(customer, "timeline"), Timeline, {**query, **_point(as_of, valid_at, known_at)})

    def graph(
        self,
        *,
        root: str | None = None,
        hops: int | None = None,
        as_of: When = None,
        valid_at: When = None,
        known_at: When = None,
        purpose: str | None = None,
        customer: str | None = None,
    ) -> Call[Graph]:
        query = {"root": root, "hops": hops, "purpose": purpose}
        return get(self._of(customer, "graph"), Graph, {**query, **_point(as_of, valid_at, known_at)})

    def fact(
        self,
        fact_id: str,
        *,
        as_of: When = None,
        valid_at: When = None,
        known_at: When = None,
        purpose: str | None = None,
    ) -> Call[FactAnswer]:
        query = {"purpose": purpose, **_point(as_of, valid_at, known_at)}
        return get(at("facts", fact_id), FactAnswer, query)

    def history(
        self,
        fact_id: str,
        *,
        as_of: When = None,
        valid_at: When = None,
        known_at: When = None,
        purpose: str | None = None,
    ) -> Call[FactHistory]:
        query = {"purpose": purpose, **_point(as_of, valid_at, known_at)}
        return get(at("facts", fact_id, "history"), FactHistory, query)

    # --- changing one's mind -------------------------------------------------------------------------------------

    def correct(self, /, fact_id: str, **fields: object) -> Call[FactReceipt]:
        return sent("POST", at("facts", fact_id, "correct"), FactReceipt, fields)

    def retract(self, fact_id: str, *, reason: str | None = None) -> Call[ActReceipt]:
        return post(at("facts", fact_id, "retract"), ActReceipt, {"reason": reason})

    def end(self, fact_id: str, *, at: When = None, reason: str | None = None) -> Call[FactReceipt]:
        return post(_fact(fact_id, "end"), FactReceipt, {"at": at, "reason": reason})

    def forget(self, fact_id: str, *, reason: str | None = None) -> Call[ActReceipt]:
        return post(at("facts", fact_id, "forget"), ActReceipt, {"reason": reason})

    def restore(self, fact_id: str, *, reason: str | None = None) -> Call[ActReceipt]:
        return post(at("facts", fact_id, "restore"), ActReceipt, {"reason": reason})

    def erase(self, fact_id: str, *, reason: str | None = None) -> Call[Erasure]:
        return post(at("facts", fact_id, "erase"), Erasure, {"reason": reason})

    # --- recalls of before ---------------------------------------------------------------------------------------

    def recalled_before(self, recall_id: str) -> Call[RecallRecord]:
        return get(at("recalls", recall_id), RecallRecord)

    def replay(self, recall_id: str) -> Call[Recalled]:
        return post(at("recalls", recall_id, "replay"), Recalled, {})

    def feedback(self, recall_id: str, *, cited: Iterable[str], outcome: str = "helpful") -> Call[FeedbackReceipt]:
        body = {"cited": list(cited), "outcome": outcome}
        return post(at("recalls", recall_id, "feedback"), FeedbackReceipt, body)

    def why_now(self, /, query: str, *, customer: str | None = None, **recall: object) -> Call[WhyAnswer]:
        return post(at("recall", "why"), WhyAnswer, {**recall, "query": query, "customer": self._customer(customer)})

    def why_not_now(
        self, /, query: str, text: str, *, customer: str | None = None, **recall: object
    ) -> Call[WhyNotAnswer]:
        body = {**recall, "query": query, "text": text, "customer": self._customer(customer)}
        return post(at("recall", "why-not"), WhyNotAnswer, body)

    def why(self, recall_id: str) -> Call[WhyAnswer]:
        return post(at("recalls", recall_id, "why"), WhyAnswer, {})

    def why_not(self, recall_id: str, text: str) -> Call[WhyNotAnswer]:
        return post(at("recalls", recall_id, "why-not"), WhyNotAnswer, {"text": text})

    # -------------------------------------------------------------------------------------------------------------

    def _customer(self, given: str | None) -> str:
        customer = self.customer if given is None else given
        if customer is None:
            raise Incorrect(
                "no_customer", "it is not said which customer is meant", "send `customer`", where="customer"
            )
        return customer

    def _of(self, customer: str | None, what: str) -> str:
        return at("customers", self._customer(customer), what)


def _fact(fact_id: str, act: str) -> str:
    return at("facts", fact_id, act)


def _point(as_of: When, valid_at: When, known_at: When) -> dict[str, object]:
    return {"as_of": as_of, "valid_at": valid_at, "known_at": known_at}


def _plain(fact: Fact | Mapping[str, object]) -> Mapping[str, object]:
    return fact.model_dump(exclude_unset=True) if isinstance(fact, Fact) else fact
