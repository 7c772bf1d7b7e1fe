"""One run as it is kept: plain enough to be written as JSON, read again, and compared with another."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from hub.codec import Unreadable, decode
from hub.errors import Incorrect
from hub.play.judging import Kind
from hub.play.report import Outcome, Rate, Report, State, Summary

FORMAT = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Leak:
    """A private text in an answer: which, by whom it was got at which step, the text around it, and the road there."""

    wanted: str
    agent: str
    step: int
    text: str
    road: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """One story as it was played; `controls`: checks by which somebody got what others must not."""

    id: str
    category: str
    lang: str
    description: str
    state: State
    complaints: tuple[str, ...]
    leaks: tuple[Leak, ...]
    steps: int
    checks: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Loss:
    """What became of the stories of a kind when a part of the hub was taken away."""

    part: str
    category: str
    stories: int
    failed: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """`target` says what was played against; `losses` are those of the ablations, if there were any."""

    format: int = FORMAT
    target: str
    summary: Summary
    stories: tuple[Told, ...]
    losses: tuple[Loss, ...] = ()

    @property
    def failed(self) -> bool:
        return any(story.state is State.FAILED for story in self.stories)


def run_of(report: Report, target: str, ablated: Mapping[str, Report] | None = None) -> Run:
    """`ablated`: the same stories without a part, by its name."""
    losses = tuple(loss for part, without in (ablated or {}).items() for loss in _losses(part, without))
    stories = tuple(map(_told, report.outcomes))
    return Run(target=target, summary=report.summary(), stories=stories, losses=losses)


def read_run(path: Path) -> Run:
    """A run written as JSON. Raises Incorrect `bad_run` for anything else."""
    try:
        run = decode(path.read_bytes(), Run)
    except (OSError, Unreadable) as error:
        fix = "name a file written by `hub play --report FILE.json`"
        raise Incorrect("bad_run", f"`{path.name}` is no run: {error}", fix) from None
    if run.format != FORMAT:
        raise Incorrect("bad_run", f"`{path.name}` was written by another version", "play the stories again")
    return run


def _told(outcome: Outcome) -> Told:
    story = outcome.story
    return Told(
        id=story.id,
        category=story.category.value,
        lang=story.lang.value,
        description=story.description,
        state=outcome.state,
        complaints=tuple(line.replace(story.source, Path(story.source).name) for line in outcome.complaints),
        leaks=tuple(_leaks(outcome)),
        steps=len(story.steps),
        checks=sum(len(played.verdicts) for played in outcome.proving),
    )


def _leaks(outcome: Outcome) -> Iterator[Leak]:
    for played in outcome.proving:
        for verdict in played.failures:
            if verdict.kind is Kind.PRIVATE:
                step = played.step
                agent, text = step.agent or "", verdict.why
                yield Leak(wanted=verdict.wanted, agent=agent, step=step.number, text=text, road=verdict.road)


def _losses(part: str, without: Report) -> Iterator[Loss]:
    for category in sorted({outcome.story.category for outcome in without.outcomes}):
        states = [outcome.state for outcome in without.outcomes if outcome.story.category is category]
        failed = states.count(State.FAILED)
        yield Loss(part=part, category=category.value, stories=len(states), failed=failed)


# --- two runs --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Change:
    """Something that got worse from one run to the next."""

    what: str
    before: str
    now: str

    def __str__(self) -> str:
        return f"{self.what}: {self.before} before, {self.now} now"


_RATES = ("recall", "controls", "stale", "conflict", "temporal", "twins", "believed")


def compared(before: Run, now: Run) -> list[Change]:
    """What a gate does not let through: stories that no longer pass or are gone, leaks, and rates that fell."""
    return [*_stories(before, now), *_figures(before.summary, now.summary)]


def _stories(before: Run, now: Run) -> Iterator[Change]:
    states = {story.id: story.state for story in now.stories}
    for story in before.stories:
        state = states.get(story.id)
        if story.state is State.PASSED and state is not State.PASSED:
            yield Change(story.id, story.state, "gone" if state is None else state)


def _figures(before: Summary, now: Summary) -> Iterable[Change]:
    if now.leaks > before.leaks:
        yield Change("leaks", str(before.leaks), str(now.leaks))
    for name in _RATES:
        was, rate = getattr(before, name), getattr(now, name)
        if was.share is not None and (rate.share is None or rate.share < was.share):
            yield Change(name, percent(was), percent(rate))


def counted(number: int, noun: str, many: str | None = None) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {many or noun + 's'}"


def percent(rate: Rate) -> str:
    return "–" if rate.share is None else f"{rate.share:.1%}"
