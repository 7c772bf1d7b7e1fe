"""What each verb of a step does on the stage."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeVar

from hub.hub import Agent
from hub.moments import duration
from hub.play.stage import Stage
from hub.play.story import LAST, OPERATORS, Step, Verb
from hub.registry import SAME_AS
from hub.requests import NewConsent, NewLabel, Promote, Recall, Remember, Request, SameAs, checked

Arguments = Mapping[str, object]
R = TypeVar("R", bound=Request)


def acted(stage: Stage, step: Step, arguments: Arguments) -> object:
    """Plays one step and gives what the hub answered; HubErrors come through."""
    return _VERBS[step.verb](stage, step, stage.resolved(arguments))


def _remember(stage: Stage, step: Step, arguments: Arguments) -> object:
    key = arguments.get("idempotency_key")
    rest = {name: value for name, value in arguments.items() if name != "idempotency_key"}
    asked = _asked(Remember, stage, rest)
    return stage.agent(step.agent).remembered(asked, None if key is None else str(key))


def _recall(stage: Stage, step: Step, arguments: Arguments) -> object:
    return stage.agent(step.agent).recalled(_asked(Recall, stage, arguments))


def _page(verb: Callable[..., object]) -> Callable[[Stage, Step, Arguments], object]:
    return lambda stage, step, arguments: verb(stage.agent(step.agent), **arguments)


def _by_id(verb: Callable[..., object]) -> Callable[[Stage, Step, Arguments], object]:
    """An id says itself whose it is; `customer` is for whom the agent works."""

    def play(stage: Stage, step: Step, arguments: Arguments) -> object:
        rest = {name: value for name, value in arguments.items() if name != "customer"}
        customer = _text(arguments, "customer")
        return verb(stage.agent(step.agent, customer), _target(stage, step, customer), **rest)

    return play


def _retract(stage: Stage, step: Step, arguments: Arguments) -> object:
    if step.agent not in OPERATORS:
        return _by_id(Agent.retract)(stage, step, arguments)
    target = _target(stage, step, _text(arguments, "customer"))
    return stage.operator(step.agent).take_back(target, reason=_text(arguments, "reason"))


def _why(stage: Stage, step: Step, arguments: Arguments) -> object:
    """Why the memories of a recall were in its answer, or if there is a `text`, why what says it was not."""
    recall_id, text = stage.recall(str(arguments.get("of_recall", LAST))), _text(arguments, "text")
    asker = stage.operator(step.agent) if step.agent in OPERATORS else stage.agent(step.agent)
    return asker.why_then(recall_id) if text is None else asker.why_not_then(recall_id, text)


def _beliefs(stage: Stage, step: Step, arguments: Arguments) -> object:
    rest = {"customer": stage.story.id, **arguments}
    asked: Callable[..., object] = stage.operator(step.agent).beliefs
    return asked(**rest)


def _promote(stage: Stage, step: Step, arguments: Arguments) -> object:
    relation = str(arguments["relation"])
    asked = checked(Promote, {name: value for name, value in arguments.items() if name != "relation"})
    return stage.operator(step.agent).promote(
        relation, scope=asked.scope, arbitration=asked.arbitration, owner=asked.owner, existing=asked.existing
    )


def _relabel(stage: Stage, step: Step, arguments: Arguments) -> object:
    asked = checked(NewLabel, arguments)
    return stage.operator(step.agent).relabel(
        _target(stage, step), scope=asked.scope, owner=asked.owner, reason=asked.reason
    )


def _erase(stage: Stage, step: Step, arguments: Arguments) -> object:
    """A record, if the step says which; else a whole customer."""
    customer, reason = _text(arguments, "customer"), _text(arguments, "reason")
    if step.of is None:
        return stage.operator(step.agent).erase_customer(customer or stage.story.id, reason)
    target = _target(stage, step, customer)
    if step.agent is None or step.agent in OPERATORS:
        return stage.operator(step.agent).erase_fact(target, reason)
    return stage.agent(step.agent, customer).erase(target, reason=reason)


def _same_as(stage: Stage, step: Step, arguments: Arguments) -> object:
    """An agent claims an alias like any fact; an operator decides on one."""
    asked = _asked(SameAs, stage, arguments)
    if step.agent is None or step.agent in OPERATORS:
        return stage.operator(step.agent).same_as(asked.customer, asked.one, asked.other, reason=asked.reason)
    fact = {"subject": asked.one, "relation": SAME_AS, "object": asked.other}
    return stage.agent(step.agent).remember(facts=[fact], customer=asked.customer)


def _consent(stage: Stage, step: Step, arguments: Arguments) -> object:
    customer = _text(arguments, "customer") or stage.story.id
    asked = checked(NewConsent, {"reason": "the story", **_rest(arguments, "customer")})
    return stage.operator(step.agent).consents(customer).recorded(asked)


def _policy(stage: Stage, step: Step, arguments: Arguments) -> object:
    return stage.change_policy(
        _lines(arguments, "add"), _lines(arguments, "remove"), f"step {step.number} of the story", step.agent
    )


def _advance(stage: Stage, step: Step, arguments: Arguments) -> object:
    stage.advance(duration(str(arguments["length"])))
    return None


def _mark(stage: Stage, step: Step, arguments: Arguments) -> object:
    stage.mark(str(arguments["name"]))
    return None


def _restart(stage: Stage, step: Step, arguments: Arguments) -> object:
    stage.restart()
    return None


_VERBS: Mapping[Verb, Callable[[Stage, Step, Arguments], object]] = {
    Verb.SAY: _remember,
    Verb.REMEMBER: _remember,
    Verb.RECALL: _recall,
    Verb.TIMELINE: _page(Agent.timeline),
    Verb.PROFILE: _page(Agent.profile),
    Verb.GRAPH: _page(Agent.graph),
    Verb.BELIEFS: _beliefs,
    Verb.WHY: _why,
    Verb.FACT: _by_id(Agent.fact),
    Verb.HISTORY: _by_id(Agent.history),
    Verb.CORRECT: _by_id(Agent.correct),
    Verb.RETRACT: _retract,
    Verb.END: _by_id(Agent.end),
    Verb.FORGET: _by_id(Agent.forget),
    Verb.RESTORE: _by_id(Agent.restore),
    Verb.ERASE: _erase,
    Verb.PROMOTE: _promote,
    Verb.POLICY: _policy,
    Verb.RELABEL: _relabel,
    Verb.SAME_AS: _same_as,
    Verb.CONSENT: _consent,
    Verb.ADVANCE: _advance,
    Verb.MARK: _mark,
    Verb.RESTART: _restart,
}


def _asked(kind: type[R], stage: Stage, arguments: Arguments) -> R:
    return checked(kind, {"customer": stage.story.id, **arguments})


def _target(stage: Stage, step: Step, customer: str | None = None) -> str:
    return stage.record(step.of or "", step.agent, customer)


def _rest(arguments: Arguments, *without: str) -> dict[str, object]:
    return {name: value for name, value in arguments.items() if name not in without}


def _text(arguments: Arguments, key: str) -> str | None:
    value = arguments.get(key)
    return None if value is None else str(value)


def _lines(arguments: Arguments, key: str) -> list[str]:
    value = arguments.get(key, [])
    return [str(line) for line in value] if isinstance(value, list) else []
