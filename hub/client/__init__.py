"""The same verbs over HTTP: what an agent or an operator may ask of a hub that runs elsewhere."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import update_wrapper
from types import TracebackType
from typing import Concatenate, ParamSpec, Self, TypeVar

import httpx

from hub.answers import ConsentAnswer
from hub.client.agents import AgentCalls
from hub.client.calls import Call
from hub.client.operators import ConsentCalls, OperatorCalls
from hub.codec import Unreadable, decode
from hub.errors import Conflict, Denied, Fault, HubError, Incorrect, Missing
from hub.requests import NewConsent

__all__ = ["HubClient", "OperatorClient"]

P = ParamSpec("P")
T = TypeVar("T")

_KINDS: dict[int, type[HubError]] = {401: Denied, 403: Denied, 404: Missing, 409: Conflict, 429: Conflict}


@dataclass(frozen=True, slots=True)
class _Problem:
    """What is read of a problem detail."""

    code: str
    detail: str
    fix: str = ""


class _Client:
    """One key at one hub."""

    def __init__(
        self, url: str, key: str, *, timeout: float = 30.0, transport: httpx.BaseTransport | None = None
    ) -> None:
        headers = {"Authorization": f"Bearer {key}"}
        self._http = httpx.Client(base_url=url, headers=headers, timeout=timeout, transport=transport, trust_env=False)

    def send(self, call: Call[T]) -> T:
        """The answer to a call. Raises the HubError that the hub answers with; Fault if nothing of it does."""
        try:
            response = self._http.request(
                call.method, call.path, json=call.body, headers=call.headers, params=call.query or None
            )
        except httpx.HTTPError as error:
            raise Fault("no_answer", f"the hub did not answer: {type(error).__name__}", "see that it runs") from error
        if response.is_success:
            return decode(response.content or b"null", call.kind)
        raise _refusal(response)

    def close(self) -> None:
        self._http.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def _refusal(response: httpx.Response) -> HubError:
    status = response.status_code
    kind = _KINDS.get(status, Fault if status >= 500 else Incorrect)
    try:
        problem = decode(response.content, _Problem)
    except Unreadable:
        return Fault("no_hub", f"something that is no hub answered {status}", "check the address")
    return kind(problem.code, problem.detail, problem.fix)


# --- an agent --------------------------------------------------------------------------------------------------------


def _agents(verb: Callable[Concatenate[AgentCalls, P], Call[T]]) -> Callable[Concatenate[HubClient, P], T]:
    def asked(self: HubClient, /, *args: P.args, **kwargs: P.kwargs) -> T:
        return self.send(verb(self.calls, *args, **kwargs))

    update_wrapper(asked, verb)
    return asked


class HubClient(_Client):
    """The agent whose key this is, usually at work for one customer. `url`: where the hub is, without a path.

    The verbs are those of `Hub.agent(…)`, with the same signatures, answers and errors.
    """

    def __init__(
        self,
        url: str,
        key: str,
        customer: str | None = None,
        *,
        timeout: float = 30.0,
        transport: httpx.BaseTransport | None = None,
    ) -> None:
        super().__init__(url, key, timeout=timeout, transport=transport)
        self.calls = AgentCalls(customer)

    me = _agents(AgentCalls.me)
    token = _agents(AgentCalls.token)
    remember = _agents(AgentCalls.remember)
    recall = _agents(AgentCalls.recall)
    profile = _agents(AgentCalls.profile)
    timeline = _agents(AgentCalls.timeline)
    graph = _agents(AgentCalls.graph)
    fact = _agents(AgentCalls.fact)
    history = _agents(AgentCalls.history)
    correct = _agents(AgentCalls.correct)
    retract = _agents(AgentCalls.retract)
    end = _agents(AgentCalls.end)
    forget = _agents(AgentCalls.forget)
    restore = _agents(AgentCalls.restore)
    erase = _agents(AgentCalls.erase)
    recalled_before = _agents(AgentCalls.recalled_before)
    replay = _agents(AgentCalls.replay)
    feedback = _agents(AgentCalls.feedback)
    why = _agents(AgentCalls.why)
    why_not = _agents(AgentCalls.why_not)
    why_then = _agents(AgentCalls.why_then)
    why_not_then = _agents(AgentCalls.why_not_then)


# --- an operator or auditor ------------------------------------------------------------------------------------------


def _operators(verb: Callable[Concatenate[OperatorCalls, P], Call[T]]) -> Callable[Concatenate[OperatorClient, P], T]:
    def asked(self: OperatorClient, /, *args: P.args, **kwargs: P.kwargs) -> T:
        return self.send(verb(self.calls, *args, **kwargs))

    update_wrapper(asked, verb)
    return asked


class OperatorClient(_Client):
    """The holder of an operator's or auditor's key, or of the admin key."""

    calls = OperatorCalls()

    create_agent = _operators(OperatorCalls.create_agent)
    rotate = _operators(OperatorCalls.rotate)
    policies = _operators(OperatorCalls.policies)
    check_policy = _operators(OperatorCalls.check_policy)
    replace_policy = _operators(OperatorCalls.replace_policy)
    relations = _operators(OperatorCalls.relations)
    provisional = _operators(OperatorCalls.provisional)
    promote = _operators(OperatorCalls.promote)
    demote = _operators(OperatorCalls.demote)
    merge_relation = _operators(OperatorCalls.merge_relation)
    reject_relation = _operators(OperatorCalls.reject_relation)
    ratings = _operators(OperatorCalls.ratings)
    rate = _operators(OperatorCalls.rate)
    review = _operators(OperatorCalls.review)
    accept = _operators(OperatorCalls.accept)
    reject = _operators(OperatorCalls.reject)
    edit = _operators(OperatorCalls.edit)
    undo = _operators(OperatorCalls.undo)
    relabel = _operators(OperatorCalls.relabel)
    same_as = _operators(OperatorCalls.same_as)
    unsame = _operators(OperatorCalls.unsame)
    take_back = _operators(OperatorCalls.take_back)
    forget = _operators(OperatorCalls.forget)
    restore = _operators(OperatorCalls.restore)
    erase_fact = _operators(OperatorCalls.erase_fact)
    erase_customer = _operators(OperatorCalls.erase_customer)
    add_knowledge = _operators(OperatorCalls.add_knowledge)
    knowledge = _operators(OperatorCalls.knowledge)
    remove_knowledge = _operators(OperatorCalls.remove_knowledge)
    erase_knowledge = _operators(OperatorCalls.erase_knowledge)
    clock = _operators(OperatorCalls.clock)
    beliefs = _operators(OperatorCalls.beliefs)
    replay = _operators(OperatorCalls.replay)
    why_then = _operators(OperatorCalls.why_then)
    why_not_then = _operators(OperatorCalls.why_not_then)

    def consents(self, customer: str) -> ConsentsClient:
        """What this customer allows and objects to."""
        return ConsentsClient(self, customer)


class ConsentsClient:
    """The consents of one customer."""

    def __init__(self, client: OperatorClient, customer: str) -> None:
        self._client = client
        self._calls = ConsentCalls(customer)

    def recorded(self, asked: NewConsent) -> ConsentAnswer:
        return self._client.send(self._calls.recorded(asked))

    def withdrawn(self, consent_id: str, reason: str | None) -> ConsentAnswer:
        return self._client.send(self._calls.withdrawn(consent_id, reason))
