"""The same verbs over HTTP: what an agent or an operator may ask of a hub that runs elsewhere."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Mapping
from copy import copy
from dataclasses import dataclass
from functools import update_wrapper
from inspect import getdoc, signature
from types import TracebackType
from typing import Any, Concatenate, ParamSpec, Self, TypeVar

import httpx

from hub.client.agents import AgentCalls
from hub.client.calls import Call
from hub.client.operators import OperatorCalls
from hub.codec import Unreadable, decode
from hub.errors import Conflict, Denied, Fault, HubError, Incorrect, Missing
from hub.hub import Agent, Operator

__all__ = ["AsyncHubClient", "HubClient", "OperatorClient"]

P = ParamSpec("P")
T = TypeVar("T")
Heard = Callable[[Mapping[str, str]], object]

LINES = "application/x-ndjson"
"""What a body of JSON objects, a line each, is called."""

_KINDS: dict[int, type[HubError]] = {401: Denied, 403: Denied, 404: Missing, 409: Conflict, 429: Conflict}


@dataclass(frozen=True, slots=True)
class _Problem:
    """What is read of a problem detail."""

    code: str
    detail: str
    fix: str = ""


class _Client:
    """One key at one hub. `heard` is called with the headers of each answer, by their names in small letters."""

    def __init__(
        self,
        url: str,
        key: str,
        *,
        timeout: float = 30.0,
        transport: httpx.BaseTransport | None = None,
        heard: Heard | None = None,
    ) -> None:
        self._heard = heard
        self._http = httpx.Client(
            base_url=url, headers=_bearing(key), timeout=timeout, transport=transport, trust_env=False
        )
        self.behalf: str | None = None

    def send(self, call: Call[T]) -> T:
        """The answer to a call. Raises the HubError that the hub answers with; Fault if nothing of it does."""
        try:
            response = self._http.request(**_request(call, self.behalf))
        except httpx.HTTPError as error:
            raise _no_answer(error, self._http.base_url) from error
        if self._heard is not None:
            self._heard(dict(response.headers))
        return _answered(call, response)

    def close(self) -> None:
        """Lets go of the connections; so does the end of `with`."""
        self._http.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def _bearing(key: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {key}"}


def _request(call: Call[T], behalf: str | None) -> dict[str, Any]:
    """What httpx is told. Lines go out as they come, and are waited for as long as it takes."""
    asked = {"method": call.method, "url": call.path, "params": call.query or None}
    said = dict(call.headers) if behalf is None else {**call.headers, "On-Behalf-Of": behalf}
    if call.lines is None:
        return {**asked, "json": call.body, "headers": said}
    sent = (f"{line.rstrip()}\n".encode() for line in call.lines)
    return {**asked, "content": sent, "headers": {**said, "Content-Type": LINES}, "timeout": None}


def _answered(call: Call[T], response: httpx.Response) -> T:
    if response.is_success:
        return call.answer(response.content)
    raise _refusal(response)


def _no_answer(error: httpx.HTTPError, url: httpx.URL) -> Fault:
    where = f"{url.scheme}://{url.netloc.decode()}"
    return Fault("no_answer", f"no hub answered at {where}: {type(error).__name__}", "see that it runs, and where")


def _refusal(response: httpx.Response) -> HubError:
    status = response.status_code
    kind = _KINDS.get(status, Fault if status >= 500 else Incorrect)
    try:
        problem = decode(response.content, _Problem)
    except Unreadable:
        return Fault("no_hub", f"something that is no hub answered {status}", "check the address")
    return kind(problem.code, problem.detail, problem.fix)


V = TypeVar("V", bound=Callable[..., object])


def _described(asked: V, verb: Callable[..., object], inside: type) -> V:
    """Has a verb say of itself what it says in process: for `help`, and for editors."""
    update_wrapper(asked, verb)
    of = getattr(inside, verb.__name__)
    asked.__doc__ = "\n\n".join(filter(None, map(getdoc, (of, verb))))
    own = signature(verb)
    asked.__signature__ = own.replace(return_annotation=signature(of).return_annotation)  # type: ignore[attr-defined]
    return asked


# --- an agent --------------------------------------------------------------------------------------------------------


def _agents(verb: Callable[Concatenate[AgentCalls, P], Call[T]]) -> Callable[Concatenate[HubClient, P], T]:
    def asked(self: HubClient, /, *args: P.args, **kwargs: P.kwargs) -> T:
        return self.send(verb(self.calls, *args, **kwargs))

    return _described(asked, verb, Agent)


class HubClient(_Client):
    """The agent whose key this is, usually at work for one customer. `url`: where the hub is, without a path.

    The verbs are those of `Hub.agent(…)`, with the same signatures, answers and errors (`hub.errors.HubError`).
    """

    def __init__(
        self,
        url: str,
        key: str,
        customer: str | None = None,
        *,
        timeout: float = 30.0,
        transport: httpx.BaseTransport | None = None,
        heard: Heard | None = None,
    ) -> None:
        super().__init__(url, key, timeout=timeout, transport=transport, heard=heard)
        self.calls = AgentCalls(customer)

    def on_behalf_of(self, token: str) -> HubClient:
        """This agent, acting for another: what both may counts, and this one is the author. Closed along with it."""
        deputy = copy(self)
        deputy.behalf = token
        return deputy

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
    why_now = _agents(AgentCalls.why_now)
    why_not_now = _agents(AgentCalls.why_not_now)


# --- an agent, awaited -----------------------------------------------------------------------------------------------


def _awaited(
    verb: Callable[Concatenate[AgentCalls, P], Call[T]],
) -> Callable[Concatenate[AsyncHubClient, P], Coroutine[Any, Any, T]]:
    async def asked(self: AsyncHubClient, /, *args: P.args, **kwargs: P.kwargs) -> T:
        return await self.send(verb(self.calls, *args, **kwargs))

    return _described(asked, verb, Agent)


class AsyncHubClient:
    """`HubClient` for code that awaits: the same verbs, each a coroutine."""

    def __init__(
        self,
        url: str,
        key: str,
        customer: str | None = None,
        *,
        timeout: float = 30.0,
        transport: httpx.AsyncBaseTransport | None = None,
    ) -> None:
        self.calls = AgentCalls(customer)
        self._http = httpx.AsyncClient(
            base_url=url, headers=_bearing(key), timeout=timeout, transport=transport, trust_env=False
        )
        self.behalf: str | None = None

    async def send(self, call: Call[T]) -> T:
        """As `HubClient.send`."""
        try:
            response = await self._http.request(**_request(call, self.behalf))
        except httpx.HTTPError as error:
            raise _no_answer(error, self._http.base_url) from error
        return _answered(call, response)

    async def close(self) -> None:
        """Lets go of the connections; so does the end of `async with`."""
        await self._http.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    def on_behalf_of(self, token: str) -> AsyncHubClient:
        """As `HubClient.on_behalf_of`."""
        deputy = copy(self)
        deputy.behalf = token
        return deputy

    me = _awaited(AgentCalls.me)
    token = _awaited(AgentCalls.token)
    remember = _awaited(AgentCalls.remember)
    recall = _awaited(AgentCalls.recall)
    profile = _awaited(AgentCalls.profile)
    timeline = _awaited(AgentCalls.timeline)
    graph = _awaited(AgentCalls.graph)
    fact = _awaited(AgentCalls.fact)
    history = _awaited(AgentCalls.history)
    correct = _awaited(AgentCalls.correct)
    retract = _awaited(AgentCalls.retract)
    end = _awaited(AgentCalls.end)
    forget = _awaited(AgentCalls.forget)
    restore = _awaited(AgentCalls.restore)
    erase = _awaited(AgentCalls.erase)
    recalled_before = _awaited(AgentCalls.recalled_before)
    replay = _awaited(AgentCalls.replay)
    feedback = _awaited(AgentCalls.feedback)
    why = _awaited(AgentCalls.why)
    why_not = _awaited(AgentCalls.why_not)
    why_now = _awaited(AgentCalls.why_now)
    why_not_now = _awaited(AgentCalls.why_not_now)


# --- an operator or auditor ------------------------------------------------------------------------------------------


def _operators(verb: Callable[Concatenate[OperatorCalls, P], Call[T]]) -> Callable[Concatenate[OperatorClient, P], T]:
    def asked(self: OperatorClient, /, *args: P.args, **kwargs: P.kwargs) -> T:
        return self.send(verb(self.calls, *args, **kwargs))

    return _described(asked, verb, Operator)


class OperatorClient(_Client):
    """The holder of an operator's or auditor's key, or of the admin key."""

    calls = OperatorCalls()

    create_agent = _operators(OperatorCalls.create_agent)
    bind = _operators(OperatorCalls.bind)
    rotate = _operators(OperatorCalls.rotate)
    revoke = _operators(OperatorCalls.revoke)
    disable = _operators(OperatorCalls.disable)
    agents = _operators(OperatorCalls.agents)
    policies = _operators(OperatorCalls.policies)
    policy_versions = _operators(OperatorCalls.policy_versions)
    check_policy = _operators(OperatorCalls.check_policy)
    replace_policy = _operators(OperatorCalls.replace_policy)
    explain_policy = _operators(OperatorCalls.explain_policy)
    policy_diff = _operators(OperatorCalls.policy_diff)
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
    withdraw_same_as = _operators(OperatorCalls.withdraw_same_as)
    retract = _operators(OperatorCalls.retract)
    forget = _operators(OperatorCalls.forget)
    restore = _operators(OperatorCalls.restore)
    erase_fact = _operators(OperatorCalls.erase_fact)
    erase_customer = _operators(OperatorCalls.erase_customer)
    record_consent = _operators(OperatorCalls.record_consent)
    withdraw_consent = _operators(OperatorCalls.withdraw_consent)
    consents = _operators(OperatorCalls.consents)
    load = _operators(OperatorCalls.load)
    add_knowledge = _operators(OperatorCalls.add_knowledge)
    knowledge = _operators(OperatorCalls.knowledge)
    remove_knowledge = _operators(OperatorCalls.remove_knowledge)
    erase_knowledge = _operators(OperatorCalls.erase_knowledge)
    clock = _operators(OperatorCalls.clock)
    beliefs = _operators(OperatorCalls.beliefs)
    compare = _operators(OperatorCalls.compare)
    replay = _operators(OperatorCalls.replay)
    why = _operators(OperatorCalls.why)
    why_not = _operators(OperatorCalls.why_not)
    why_now = _operators(OperatorCalls.why_now)
    why_not_now = _operators(OperatorCalls.why_not_now)
    audit = _operators(OperatorCalls.audit)
    verify_audit = _operators(OperatorCalls.verify_audit)
