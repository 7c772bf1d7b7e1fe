"""What became of stories: passed, failed or skipped, and the figures over many of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from enum import StrEnum
from math import ceil
from statistics import fmean

from hub.play.checking import alike
from hub.play.judging import Kind, Verdict
from hub.play.story import Category, Step, Story, Verb, Wanted

_DECIDING = frozenset(
    {Verb.POLICY, Verb.CONSENT, Verb.PROMOTE, Verb.RELABEL, Verb.SAME_AS, Verb.ERASE}
    | {Verb.FORGET, Verb.RETRACT, Verb.CORRECT, Verb.END, Verb.RESTORE}
)
"""Verbs after which another may know something else; where one was skipped, it was no leak to go on as before."""


class State(StrEnum):
    PASSED = "passed"
    FAILED = "failed"
    SKIPPED = "skipped"


@dataclass(frozen=True, slots=True, kw_only=True)
class Played:
    """One step: its verdicts; for a recall also what it takes when warm, and the tokens of its prompt."""

    step: Step
    verdicts: tuple[Verdict, ...] = ()
    skipped: str | None = None
    milliseconds: float | None = None
    tokens: int | None = None

    @property
    def failures(self) -> tuple[Verdict, ...]:
        return tuple(verdict for verdict in self.verdicts if not verdict.held)

    @property
    def state(self) -> State:
        if self.skipped is not None:
            return State.SKIPPED
        return State.FAILED if self.failures else State.PASSED


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """One story as it was played."""

    story: Story
    steps: tuple[Played, ...]

    @property
    def proving(self) -> tuple[Played, ...]:
        """The steps with the verdicts that count: after a skipped one, only whether something leaked; and where it was
        one that says who may know what from then on, none."""
        return tuple(_proving(self.steps))

    @property
    def state(self) -> State:
        """A leak weighs more than what was skipped."""
        states = {played.state for played in self.proving}
        return next(state for state in (State.FAILED, State.SKIPPED, State.PASSED) if state in states)

    @property
    def complaints(self) -> tuple[str, ...]:
        """Why it failed or was skipped, one line each."""
        reasons = {played.skipped for played in self.steps}
        if len(reasons) == 1 and None not in reasons:
            return (f"{self.story.source}: skipped, {self.steps[0].skipped}",)
        return tuple(line for played in self.proving for line in _complaints(played))


def _proving(steps: Iterable[Played]) -> Iterator[Played]:
    counted: Iterable[Kind] = Kind
    for played in steps:
        yield replace(played, verdicts=tuple(verdict for verdict in played.verdicts if verdict.kind in counted))
        if played.skipped is not None:
            counted = () if played.step.verb in _DECIDING else set(counted) & {Kind.PRIVATE}


def _complaints(played: Played) -> Iterable[str]:
    if played.skipped is not None:
        return [f"{played.step.where}: skipped, {played.skipped}"]
    return [f"{played.step.where}: {verdict.kind} `{verdict.wanted}`, but {verdict.why}" for verdict in played.failures]


@dataclass(frozen=True, slots=True)
class Tally:
    passed: int
    failed: int
    skipped: int


@dataclass(frozen=True, slots=True)
class Rate:
    """So many of the checks made held; `share` is None if none was made."""

    held: int
    made: int

    @property
    def share(self) -> float | None:
        return self.held / self.made if self.made else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Summary:
    """The figures over all stories played. Latencies are of warm recalls, in milliseconds.

    `leaks` counts `private` checks that failed out of `leak_checks`; it says little unless `controls` hold. `twins`
    are questions asked once more of a hub without what the asker may not read, and answered alike; `believed` are
    answers that were held against a second evaluator.
    """

    stories: Tally
    categories: dict[str, Tally]
    languages: dict[str, Tally]
    recall: Rate
    leaks: int
    leak_checks: int
    controls: Rate
    stale: Rate
    conflict: Rate
    temporal: Rate
    twins: Rate
    believed: Rate = Rate(0, 0)
    latency_p50: float | None
    latency_p95: float | None
    prompt_tokens: float | None


@dataclass(frozen=True, slots=True)
class Report:
    """The outcomes of the stories played; reports add up."""

    outcomes: tuple[Outcome, ...] = ()

    def __add__(self, other: Report) -> Report:
        return Report(self.outcomes + other.outcomes)

    @property
    def passed(self) -> bool:
        """Whether every story was played to its end and held; skipped ones did not fail, but prove nothing."""
        return all(outcome.state is State.PASSED for outcome in self.outcomes)

    @property
    def failed(self) -> bool:
        return any(outcome.state is State.FAILED for outcome in self.outcomes)

    def summary(self) -> Summary:
        steps = [played for outcome in self.outcomes for played in outcome.proving if played.skipped is None]
        private = _rate(steps, Kind.PRIVATE)
        latencies = sorted(played.milliseconds for played in steps if played.milliseconds is not None)
        tokens = [played.tokens for played in steps if played.tokens is not None]
        return Summary(
            stories=_tally(self.outcomes),
            categories=self._by(lambda story: story.category.value),
            languages=self._by(lambda story: story.lang.value),
            recall=_rate(steps, Kind.REMEMBERS),
            leaks=private.made - private.held,
            leak_checks=private.made,
            controls=_counted(verdict for outcome in self.outcomes for verdict in _controls(outcome)),
            stale=_rate(steps, Kind.ABSENT),
            conflict=_rate(steps, Kind.CONFLICT),
            temporal=_counted(v for played in steps if played.step.travels for v in played.verdicts),
            twins=_rate(steps, Kind.TWIN),
            believed=_rate(steps, Kind.BELIEFS),
            latency_p50=_percentile(latencies, 0.50),
            latency_p95=_percentile(latencies, 0.95),
            prompt_tokens=fmean(tokens) if tokens else None,
        )

    def _by(self, name: Callable[[Story], str]) -> dict[str, Tally]:
        names = sorted({name(outcome.story) for outcome in self.outcomes})
        return {one: _tally(o for o in self.outcomes if name(o.story) == one) for one in names}


def _tally(outcomes: Iterable[Outcome]) -> Tally:
    states = [outcome.state for outcome in outcomes]
    return Tally(*(states.count(state) for state in (State.PASSED, State.FAILED, State.SKIPPED)))


def _rate(steps: Iterable[Played], kind: Kind) -> Rate:
    return _counted(verdict for played in steps for verdict in played.verdicts if verdict.kind is kind)


def _counted(verdicts: Iterable[Verdict]) -> Rate:
    held = [verdict.held for verdict in verdicts]
    return Rate(sum(held), len(held))


def _controls(outcome: Outcome) -> Iterable[Verdict]:
    """The checks of a leakage story by which somebody has to get what others must not."""
    if outcome.story.category is not Category.LEAKAGE:
        return ()
    hidden = [wanted for step in outcome.story.steps for wanted in step.expect.private]
    return (
        verdict
        for played in outcome.proving
        for verdict in played.verdicts
        if verdict.kind is Kind.REMEMBERS and any(alike(one, Wanted.read(verdict.wanted)) for one in hidden)
    )


def _percentile(ordered: list[float], share: float) -> float | None:
    """The smallest latency that so large a share of all is at most."""
    return ordered[ceil(share * len(ordered)) - 1] if ordered else None
