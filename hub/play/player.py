"""Plays a story in process and says what became of it, whole or with a part of the hub taken away."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from time import perf_counter

from hub.answers import Recalled
from hub.errors import HubError
from hub.play.acting import acted
from hub.play.forms import UNBUILT
from hub.play.judging import judged
from hub.play.report import Outcome, Played, Report
from hub.play.stage import Stage
from hub.play.story import Step, Story


def play(
    story: Story, *, policies: Path | None = None, door: bool = True, graph: bool = True, as_of: bool = True
) -> Report:
    """Plays the story on a fresh hub with a simulated clock; one second passes after every step.

    `policies` is the folder for stories that name none, by default the shipped one. Ablations: `door` False lets
    everybody read everything, `graph` False takes away what only the walk found, `as_of` False makes every question
    one about the present.
    """
    if story.requires is not None:
        skipped = f"it needs a language model (`requires: {story.requires}`)"
        return Report((Outcome(story=story, steps=tuple(Played(step=step, skipped=skipped) for step in story.steps)),))
    with Stage(story, policies, door=door) as stage:
        player = _Player(stage, graph=graph, as_of=as_of)
        return Report((Outcome(story=story, steps=tuple(map(player.played, story.steps))),))


@dataclass(frozen=True, slots=True)
class _Player:
    stage: Stage
    graph: bool
    as_of: bool

    def played(self, step: Step) -> Played:
        if step.verb in UNBUILT:
            played = Played(step=step, skipped=f"`{step.verb}` is not built yet")
        else:
            played = self._judged(step)
        self.stage.pass_a_second()
        return played

    def _judged(self, step: Step) -> Played:
        answer = self._answer(step)
        verdicts = judged(step.expect, answer, self.stage.marks)
        if not isinstance(answer, Recalled):
            return Played(step=step, verdicts=verdicts)
        return Played(step=step, verdicts=verdicts, milliseconds=self._warm(step), tokens=answer.prompt.tokens)

    def _warm(self, step: Step) -> float:
        """What the same question takes once more, when everything it needs is at hand."""
        begun = perf_counter()
        acted(self.stage, step, self._arguments(step))
        return (perf_counter() - begun) * 1_000

    def _answer(self, step: Step) -> object:
        try:
            answer = acted(self.stage, step, self._arguments(step))
        except HubError as error:
            return error
        self.stage.name(step.names, answer)
        return answer if self.graph or not isinstance(answer, Recalled) else _unwalked(answer)

    def _arguments(self, step: Step) -> Mapping[str, object]:
        if self.as_of:
            return step.arguments
        return {key: value for key, value in step.arguments.items() if key not in ("as_of", "valid_at", "known_at")}


def _unwalked(answer: Recalled) -> Recalled:
    return replace(
        answer,
        memories=tuple(memory for memory in answer.memories if not memory.via),
        upcoming=tuple(memory for memory in answer.upcoming if not memory.via),
    )
