"""What each verb of a step does on the stage."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from hub.moments import duration
from hub.play.stage import Stage
from hub.play.story import LAST, OPERATORS, Step, Verb
from hub.play.target import called, verb
from hub.registry import SAME_AS
from hub.requests import NewConsent, NewLabel, Promote, SameAs, checked

Arguments = Mapping[str, object]
Play = Callable[[Stage, Step, Arguments], object]


def acted(stage: Stage, step: Step, arguments: Arguments) -> object:
    """Plays one step and gives what the system answered; HubErrors come through, and Unable."""
    return _VERBS[step.verb](stage, step, stage.resolved(arguments))


def _ask(name: str) -> Play:
    """A verb that an agent is asked for by its arguments."""

    def play(stage: Stage, step: Step, arguments: Arguments) -> object:
        return verb(_agent(stage, step, arguments), name)(**_rest(arguments, "customer"))

    return play


def _by_id(name: str) -> Play:
    """An id says itself whose it is; `customer` is for whom the agent works."""

    def play(stage: Stage, step: Step, arguments: Arguments) -> object:
        target = _target(stage, step, _text(arguments, "customer"))
        return verb(_agent(stage, step, arguments), name)(target, **_rest(arguments, "customer"))

    return play


def _retract(stage: Stage, step: Step, arguments: Arguments) -> object:
    if step.agent not in OPERATORS:
        return _by_id("retract")(stage, step, arguments)
    target = _target(stage, step, _text(arguments, "customer"))
    return verb(stage.operator(step.agent), "retract")(target, reason=_text(arguments, "reason"))


def _why(stage: Stage, step: Step, arguments: Arguments) -> object:
    """Why the memories of a recall were in its answer, or if there is a `text`, why what says it was not."""
    recall_id, text = stage.recall(str(arguments.get("of_recall", LAST))), _text(arguments, "text")
    asker = stage.operator(step.agent) if step.agent in OPERATORS else stage.agent(step.agent)
    if text is None:
        return verb(asker, "why")(recall_id)
    return verb(asker, "why_not")(recall_id, text)


def _beliefs(stage: Stage, step: Step, arguments: Arguments) -> object:
    agent = called(stage.session, str(arguments["agent"]))
    asked = _rest(arguments, "customer", "agent")
    return verb(stage.operator(step.agent), "beliefs")(_customer(stage, arguments), agent, **asked)


def _promote(stage: Stage, step: Step, arguments: Arguments) -> object:
    relation = str(arguments["relation"])
    asked = checked(Promote, _rest(arguments, "relation"))
    return verb(stage.operator(step.agent), "promote")(
        relation, scope=asked.scope, arbitration=asked.arbitration, owner=asked.owner, existing=asked.existing
    )


def _relabel(stage: Stage, step: Step, arguments: Arguments) -> object:
    asked = checked(NewLabel, arguments)
    return verb(stage.operator(step.agent), "relabel")(
        _target(stage, step), scope=asked.scope, owner=asked.owner, reason=asked.reason
    )


def _erase(stage: Stage, step: Step, arguments: Arguments) -> object:
    """A record, if the step says which; else a whole customer."""
    reason = _text(arguments, "reason")
    if step.of is None:
        return verb(stage.operator(step.agent), "erase_customer")(_customer(stage, arguments), reason)
    target = _target(stage, step, _text(arguments, "customer"))
    if step.agent is None or step.agent in OPERATORS:
        return verb(stage.operator(step.agent), "erase_fact")(target, reason)
    return verb(_agent(stage, step, arguments), "erase")(target, reason=reason)


def _same_as(stage: Stage, step: Step, arguments: Arguments) -> object:
    """An agent claims an alias like any fact; an operator decides on one."""
    customer = _customer(stage, arguments)
    asked = checked(SameAs, {**arguments, "customer": customer})
    if step.agent is None or step.agent in OPERATORS:
        decide = verb(stage.operator(step.agent), "same_as")
        return decide(customer, asked.one, asked.other, reason=asked.reason)
    fact = {"subject": asked.one, "relation": SAME_AS, "object": asked.other}
    return verb(_agent(stage, step, arguments), "remember")(facts=[fact])


def _consent(stage: Stage, step: Step, arguments: Arguments) -> object:
    asked = checked(NewConsent, {"reason": "the story", **_rest(arguments, "customer")})
    record = verb(stage.operator(step.agent), "record_consent")
    return record(_customer(stage, arguments), **asked.model_dump(exclude_unset=True))


def _policy(stage: Stage, step: Step, arguments: Arguments) -> object:
    return stage.change_policy(
        _lines(arguments, "add"), _lines(arguments, "remove"), f"step {step.number} of the story", step.agent
    )


def _advance(stage: Stage, step: Step, arguments: Arguments) -> object:
    stage.session.advance(duration(str(arguments["length"])))
    return None


def _mark(stage: Stage, step: Step, arguments: Arguments) -> object:
    stage.mark(str(arguments["name"]))
    return None


def _restart(stage: Stage, step: Step, arguments: Arguments) -> object:
    stage.session.restart()
    return None


_VERBS: Mapping[Verb, Play] = {
    Verb.SAY: _ask("remember"),
    Verb.REMEMBER: _ask("remember"),
    Verb.RECALL: _ask("recall"),
    Verb.TIMELINE: _ask("timeline"),
    Verb.PROFILE: _ask("profile"),
    Verb.GRAPH: _ask("graph"),
    Verb.BELIEFS: _beliefs,
    Verb.WHY: _why,
    Verb.FACT: _by_id("fact"),
    Verb.HISTORY: _by_id("history"),
    Verb.CORRECT: _by_id("correct"),
    Verb.RETRACT: _retract,
    Verb.END: _by_id("end"),
    Verb.FORGET: _by_id("forget"),
    Verb.RESTORE: _by_id("restore"),
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


def _agent(stage: Stage, step: Step, arguments: Arguments) -> object:
    return stage.agent(step.agent, _text(arguments, "customer"))


def _customer(stage: Stage, arguments: Arguments) -> str:
    return stage.session.customer(_text(arguments, "customer") or stage.story.id)


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
