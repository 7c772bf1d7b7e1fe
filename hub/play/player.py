"""Plays a story and says what became of it, whole or with a part of the hub taken away."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from time import perf_counter

from hub.answers import Profile, Recalled, Remembered, Timeline
from hub.errors import HubError
from hub.facts import Instant
from hub.moments import moment
from hub.play.acting import acted
from hub.play.canonical import difference, plainly
from hub.play.evaluating import mistakes
from hub.play.forms import UNBUILT
from hub.play.inside import Doubled, Inside
from hub.play.judging import Kind, Verdict, judged
from hub.play.recorded import misrecorded
from hub.play.reference import Asking
from hub.play.report import Outcome, Played, Report
from hub.play.stage import Stage
from hub.play.story import LAST, OPERATORS, Step, Story, Verb
from hub.play.target import Target, Unable, headers

_ASKING = frozenset(
    {Verb.RECALL, Verb.TIMELINE, Verb.PROFILE, Verb.GRAPH, Verb.FACT, Verb.HISTORY, Verb.WHY},
)
"""Verbs that an agent is answered from its own view."""

HERE = Inside()


@dataclass(frozen=True, slots=True, kw_only=True)
class Ablation:
    """What is left of the hub: without `door` everybody reads everything, without `graph` what only the walk found is
    taken away, without `as_of` every question is one about the present."""

    door: bool = True
    graph: bool = True
    as_of: bool = True


WHOLE = Ablation()


def play(
    story: Story,
    target: Target = HERE,
    ablation: Ablation = WHOLE,
    *,
    twin: bool = False,
    beside: Target | None = None,
) -> Report:
    """Plays the story on a fresh system; one second passes after every step.

    `twin`: every question of an agent is asked a second time of the same hub without what that agent may not read, and
    must be answered alike; for whole hubs whose file is at hand. `beside`: the story is played there as well, and every
    step must be answered alike.
    """
    if story.requires is not None and not isinstance(target, Inside):
        return _skipped(story, f"it needs a language model (`requires: {story.requires}`)")
    try:
        with ExitStack() as opened:
            stages = [
                Stage(story, opened.enter_context(one.opened(story)), door=ablation.door)
                for one in (target, beside)
                if one is not None
            ]
            player = _Player(stages[0], ablation, twin and ablation == WHOLE, stages[1:])
            return Report((Outcome(story=story, steps=tuple(map(player.played, story.steps))),))
    except Unable as reason:
        return _skipped(story, str(reason))


def _skipped(story: Story, reason: str) -> Report:
    return Report((Outcome(story=story, steps=tuple(Played(step=step, skipped=reason) for step in story.steps)),))


@dataclass(frozen=True, slots=True)
class _Player:
    stage: Stage
    ablation: Ablation
    twin: bool
    others: Sequence[Stage] = ()
    recalls: dict[str, Asking] = field(default_factory=dict)

    def played(self, step: Step) -> Played:
        if step.verb in UNBUILT:
            played = Played(step=step, skipped=f"`{step.verb}` is not built yet")
        else:
            try:
                played = self._judged(step)
            except Unable as reason:
                played = Played(step=step, skipped=str(reason))
        for stage in (self.stage, *self.others):
            stage.pass_a_second()
        return played

    def _judged(self, step: Step) -> Played:
        headers(self.stage.session)  # those of earlier steps
        answer, twin = self._answer(step)
        heard = headers(self.stage.session)
        beside = [difference(answer, self._asked(stage, step)) for stage in self.others]
        alike = [Verdict(Kind.BESIDE, "the same answer elsewhere", not why, why) for why in beside]
        verdicts = (*judged(step.expect, answer, self.stage.marks, heard), *twin, *alike)
        if not isinstance(answer, Recalled):
            return Played(step=step, verdicts=verdicts)
        return Played(step=step, verdicts=verdicts, milliseconds=self._warm(step), tokens=answer.prompt.tokens)

    def _warm(self, step: Step) -> float:
        """What the same question takes once more, when everything it needs is at hand."""
        begun = perf_counter()
        acted(self.stage, step, self._arguments(step))
        taken = perf_counter() - begun
        for stage in self.others:  # they have been asked as often, then
            acted(stage, step, self._arguments(step))
        return taken * 1_000

    def _answer(self, step: Step) -> tuple[object, tuple[Verdict, ...]]:
        session = self.stage.session
        if not (self.twin and isinstance(session, Doubled) and self._asks(step)):
            answer = self._asked(self.stage, step)
            return answer, tuple(self._recorded(step, answer))
        asking = self._asking(step)
        with session.twin(asking) as twin:
            theirs = self._asked(self.stage.seen_on(twin.session), step, named=False)
        mine = self._asked(self.stage, step)
        if step.verb is Verb.RECALL:
            at = asking.known_at if asking.known_at is not None else session.now()
            self.recalls.update(dict.fromkeys((*step.names, LAST), replace(asking, known_at=at)))
        why = difference(mine, theirs) or ", ".join(twin.hidden.named_in(plainly(mine)))
        alike = Verdict(Kind.TWIN, "the same answer without what is hidden", not why, why)
        if not isinstance(mine, Profile | Recalled | Timeline):
            return mine, (alike,)
        whole = not (isinstance(mine, Recalled) or mine.truncated or {"subject", "relation"} & step.arguments.keys())
        why = "; ".join(mistakes(twin.reference, asking, self._valid_at(step), mine, whole=whole))
        return mine, (alike, Verdict(Kind.BELIEFS, "what the records say", not why, why))

    def _recorded(self, step: Step, answer: object) -> Iterator[Verdict]:
        """Whether the facts that were said are recorded as they were."""
        session, facts = self.stage.session, self.stage.resolved(step.arguments).get("facts")
        home = self.stage.story.agents.get(str(step.agent))
        if not (self.twin and isinstance(session, Doubled) and isinstance(facts, list) and home is not None):
            return
        if isinstance(answer, Remembered):
            why = "; ".join(misrecorded(session.reference(), facts, answer, str(step.agent), home))
            yield Verdict(Kind.RECORDED, "as it was said", not why, why)

    def _valid_at(self, step: Step) -> Instant | None:
        """The moment that is asked about; None: the present."""
        given = self.stage.resolved(step.arguments)
        at = given.get("as_of") or given.get("valid_at")
        return None if at is None else moment(str(at), "UTC")[0]

    def _asked(self, stage: Stage, step: Step, *, named: bool = True) -> object:
        try:
            answer = acted(stage, step, self._arguments(step))
        except HubError as error:
            return error
        if named:
            stage.name(step.names, answer)
        return answer

    def _asks(self, step: Step) -> bool:
        return step.verb in _ASKING and step.agent not in OPERATORS

    def _asking(self, step: Step) -> Asking:
        """From what may be read by whom this step is to be answered."""
        given = self.stage.resolved(step.arguments)
        if step.verb is Verb.WHY:
            known = self.recalls.get(str(given.get("of_recall", LAST)))
            if known is not None:
                return replace(known, agent=str(step.agent))
        purpose, at = given.get("purpose"), given.get("as_of") or given.get("known_at")
        return Asking(
            agent=str(step.agent),
            customer=str(given.get("customer") or self.stage.story.id),
            purpose=None if purpose is None else str(purpose),
            known_at=None if at is None else moment(str(at), "UTC")[0],
        )

    def _arguments(self, step: Step) -> Mapping[str, object]:
        unwalked = {} if self.ablation.graph or step.verb is not Verb.RECALL else {"graph": False}
        left = () if self.ablation.as_of else ("as_of", "valid_at", "known_at")
        return {key: value for key, value in step.arguments.items() if key not in left} | unwalked
