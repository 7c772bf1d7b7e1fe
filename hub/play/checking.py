"""Stories that could not prove anything, found before they are played."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import chain

from hub.errors import Incorrect
from hub.moments import moment
from hub.play.codes import CODES, meant_by
from hub.play.story import LAST, Category, Step, Story, Verb, Wanted

_MOMENTS = ("as_of", "valid_at", "known_at", "said_at", "at", "on", "valid_from", "valid_to")
_TELLING = frozenset({Verb.SAY, Verb.REMEMBER, Verb.CORRECT})
_SILENT = frozenset({"relation", "scope", "mode", "role", "session", "lang", "purpose", "customer", *_MOMENTS})
"""Arguments that say nothing about the customer; a relation is read apart."""
_WORD = re.compile(r"\w+")


def check(story: Story, *, controls: bool = True) -> None:
    """Raises Incorrect `bad_story`, naming file and step, for a mark or name that nothing set before, an `error` that
    no hub has, a `private` text that no step says, and (`controls`) a leakage story that nobody could fail or in which
    nobody is told."""
    known = _Known()
    for step in story.steps:
        _check_moments(step, known)
        _check_of(step, known)
        _check_recall(step, known)
        _check_error(step)
        known.learn(step)
    for step in story.steps:
        _check_private(step, known)
    if controls and story.category is Category.LEAKAGE:
        _check_controls(story)


@dataclass(slots=True)
class _Known:
    """What the steps so far have said, marked and named."""

    said: list[str] = field(default_factory=list)
    marks: set[str] = field(default_factory=set)
    names: set[str] = field(default_factory=set)

    def learn(self, step: Step) -> None:
        self.names.update(step.names)
        if step.verb is Verb.RECALL:
            self.names.add(LAST)
        if step.verb is Verb.MARK:
            self.marks.add(str(step.arguments["name"]))
        if step.verb in _TELLING:
            self.said += _said(step.arguments)

    def heard(self, wanted: Wanted) -> bool:
        return wanted.is_in_any(self.said)

    def words(self) -> set[str]:
        return {word for text in self.said for word in _WORD.findall(text.casefold())}


def _said(arguments: Mapping[str, object]) -> Iterator[str]:
    """Every text and number told, and each fact as `relation: value` as well."""
    for key, value in arguments.items():
        if key == "relation":
            plain = str(value).replace("_", " ")
            yield from (plain, *(f"{plain}: {told}" for told in _values(arguments)))
        elif key not in _SILENT:
            yield from _leaves(value)


def _values(fact: Mapping[str, object]) -> Iterator[str]:
    return chain.from_iterable(_leaves(fact.get(key)) for key in ("value", "object"))


def _leaves(value: object) -> Iterator[str]:
    match value:
        case dict():
            yield from _said(value)
        case list():
            yield from chain.from_iterable(map(_leaves, value))
        case str() | int() | float() if not isinstance(value, bool):
            yield str(value)


# --- marks and names ---------------------------------------------------------------------------------------------


def _check_moments(step: Step, known: _Known) -> None:
    for key, value in _moments(step):
        if value is None or value in known.marks or _is_moment(value):
            continue
        raise _bad(
            step,
            f"has `{key}: {value}`, which is no mark set before it and no moment",
            "set it with `mark:` in an earlier step, or write an instant with its offset",
        )


def _moments(step: Step) -> Iterator[tuple[str, str | None]]:
    facts = step.arguments.get("facts")
    for given in (step.arguments, *(facts if isinstance(facts, list) else ())):
        yield from ((key, given[key]) for key in _MOMENTS if isinstance(given.get(key), str))
    yield from (("valid_from", value) for _, value in step.expect.valid_from)
    yield from (("valid_to", value) for _, value in step.expect.valid_to)


def dated(story: Story) -> bool:
    """Whether it names any moment by its date, so that it can only be played from its start on."""
    marks = {str(step.arguments["name"]) for step in story.steps if step.verb is Verb.MARK}
    return any(value is not None and value not in marks for step in story.steps for _, value in _moments(step))


def _is_moment(text: str) -> bool:
    try:
        moment(text, "UTC")
    except Incorrect:
        return False
    return True


def _check_of(step: Step, known: _Known) -> None:
    if step.of is None or step.of in known.names:
        return
    wanted = Wanted.read(step.of)
    heard = known.heard(wanted) or not known.words().isdisjoint(_WORD.findall(step.of.casefold()))
    if not heard:
        raise _bad(
            step,
            f"acts upon `{step.of}`, which no earlier step names or says",
            "give the record a name with `as:` where it is made",
        )


def _check_recall(step: Step, known: _Known) -> None:
    of = str(step.arguments.get("of_recall", LAST))
    if step.verb is Verb.WHY and of not in known.names:
        raise _bad(
            step,
            f"asks about the recall `{of}`, which no earlier step made",
            "give the recall a name with `as:`, or write `of_recall: last`",
        )


def _check_error(step: Step) -> None:
    code = step.expect.error
    if code is None or code in CODES:
        return
    close = meant_by(code)
    meant = "" if close is None else f"; did you mean `{close}`?"
    fix = "expect the code that stands in brackets in what the hub says of a refusal"
    raise _bad(step, f"expects the error `{code}`, which no hub answers with{meant}", fix)


# --- what is private ---------------------------------------------------------------------------------------------


def _check_private(step: Step, known: _Known) -> None:
    for wanted in step.expect.private:
        needed = next((shown for shown in step.expect.shown if wanted.is_in(shown.text)), None)
        if needed is not None:
            raise _bad(
                step,
                f"keeps `{wanted}` private, and expects `{needed}` in the same answer",
                "expect one or the other: somebody else has to be told",
            )
        if not known.heard(wanted):
            raise _bad(
                step,
                f"keeps `{wanted}` private, but no step ever says it",
                "let somebody say it, or mend the text: else the check can never fail",
            )


def _check_controls(story: Story) -> None:
    """INVARIANT: whoever says that nobody heard must also show that somebody could have."""
    hidden = [(step, wanted) for step in story.steps for wanted in step.expect.private]
    if not hidden:
        raise _bad(story.steps[-1], "ends a leakage story without a `private` check", "say who must not get what")
    for step, wanted in hidden:
        if not controls(story, wanted):
            raise _bad(
                step,
                f"keeps `{wanted}` private, but no step shows that somebody who may know gets it",
                "add a positive control: another agent's step with `expect: {remembers: […]}`",
            )


def controls(story: Story, hidden: Wanted) -> list[tuple[Step, Wanted]]:
    """The checks that need the hidden text in an answer."""
    return [(step, shown) for step in story.steps for shown in step.expect.shown if alike(hidden, shown)]


def alike(hidden: Wanted, shown: Wanted) -> bool:
    return hidden.is_in(shown.text) or shown.is_in(hidden.text)


def _bad(step: Step, what: str, fix: str) -> Incorrect:
    return Incorrect("bad_story", f"{step.where} {what}", fix, where=step.where)
