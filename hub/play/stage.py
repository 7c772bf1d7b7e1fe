"""Where one story is played: a fresh hub, a simulated clock, the story's agents, marks and names."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType

from hub.answers import ActReceipt, FactReceipt, Memory, Profile, Recalled, Remembered, Timeline
from hub.clock import SimulatedClock
from hub.errors import Incorrect, no_such_record
from hub.facts import Instant
from hub.hub import ADMIN, Agent, Hub, Operator
from hub.moments import SECOND, rendered
from hub.play.story import LAST, OPERATORS, Story, Wanted

OPEN_DOOR = "p, *, *, *, *, *, *, allow"
"""The policy under which everybody may do everything."""

_MOMENTS = frozenset({"as_of", "valid_at", "known_at", "said_at", "at", "on", "valid_from", "valid_to"})
_RECORDS = frozenset({"id", "supersedes", "derived_from"})


class Stage:
    """Made for one story and gone after it. `door` False lets everybody read everything."""

    def __init__(self, story: Story, policies: Path | None = None, *, door: bool = True) -> None:
        self.story = story
        self.marks: dict[str, Instant] = {}
        self._names: dict[str, str] = {}
        self._clock = SimulatedClock(story.start)
        self._door = door
        self._left = ExitStack()
        self._file = Path(self._left.enter_context(tempfile.TemporaryDirectory(prefix="play-"))) / "memory.db"
        self._hub = Hub.open(self._file, policies=story.policy or policies, clock=self._clock)
        self._left.callback(self._close)
        self._prepare()

    def __enter__(self) -> Stage:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._left.close()

    def _close(self) -> None:
        self._hub.close()

    def _prepare(self) -> None:
        for name, domain in self.story.agents.items():
            self._hub.agent(name, domain=domain)
        if not self._door:
            self.change_policy((), (), "the door is off")

    # --- who acts ------------------------------------------------------------------------------------------------

    def agent(self, name: str | None, customer: str | None = None) -> Agent:
        """At work for the customer, by default the story's own."""
        return self._hub.agent(_role(name), customer or self.story.id)

    def operator(self, name: str | None) -> Operator:
        """Any agent may try; the policy says whether it is one. Nobody named: the holder of the admin key."""
        return self._hub.operator(_role(name))

    # --- the clock and the hub itself ----------------------------------------------------------------------------

    def pass_a_second(self) -> None:
        self._clock.advance(SECOND)

    def advance(self, microseconds: int) -> None:
        self._clock.advance(microseconds)

    def mark(self, name: str) -> None:
        self.marks[name] = self._clock.now()

    def restart(self) -> None:
        """Closes the hub and opens it again on what it left behind."""
        self._hub.close()
        self._hub = Hub.open(self._file, clock=self._clock)

    def change_policy(self, add: Sequence[str], remove: Sequence[str], reason: str, by: str | None = None) -> object:
        """Adds and removes lines of the policy in force; without the door, whatever results stays open to all."""
        operator = self.operator(by)
        lines = _without(operator.policies().policy.splitlines(), remove) + list(add)
        if not self._door:
            lines = [line for line in lines if _cells(line)[-1] != "deny" and line != OPEN_DOOR] + [OPEN_DOOR]
        return operator.replace_policy(policy="\n".join(lines) + "\n", reason=reason)

    # --- names ---------------------------------------------------------------------------------------------------

    def name(self, names: Sequence[str], answer: object) -> None:
        """Gives the names to what the answer says was recorded."""
        self._names.update(zip(names, _recorded(answer), strict=False))
        if isinstance(answer, Recalled):
            self._names[LAST] = answer.recall_id

    def resolved(self, arguments: Mapping[str, object]) -> dict[str, object]:
        """The arguments with marks as instants and names as ids, also within facts."""
        return {key: self._meant(key, value) for key, value in arguments.items()}

    def record(self, of: str, actor: str | None, customer: str | None = None) -> str:
        """The id of the record meant: one with that name, or the only memory the actor sees that holds the text.

        Raises Missing if there is none and Incorrect `ambiguous_of` if there are several.
        """
        if of in self._names:
            return self._names[of]
        ids = self._seen(Wanted.read(of), actor, customer)
        if len(ids) > 1:
            raise Incorrect("ambiguous_of", f"{len(ids)} memories hold `{of}`", "name the one that is meant with `as`")
        if not ids:
            raise no_such_record()
        return ids[0]

    def recall(self, of: str) -> str:
        """The id of a recall, by the name given to it or as the last one; Missing if there is none."""
        if of not in self._names:
            raise no_such_record()
        return self._names[of]

    def _meant(self, key: str, value: object) -> object:
        match value:
            case dict():
                return self.resolved(value)
            case list():
                return [self._meant(key, item) for item in value]
            case str() if key in _MOMENTS and value in self.marks:
                return rendered(self.marks[value])
            case str() if key in _RECORDS:
                return self._names.get(value, value)
        return value

    def _seen(self, wanted: Wanted, actor: str | None, customer: str | None) -> list[str]:
        """Operators see no memory: what they mean is what some agent of the story sees."""
        for ask in (Agent.profile, Agent.timeline):
            answers = [ask(self.agent(name, customer), limit=1_000) for name in self._lookers(actor)]
            held = [one.id for answer in answers for one in _memories(answer) if wanted.is_in(one.text)]
            if held:
                return list(dict.fromkeys(held))
        return []

    def _lookers(self, actor: str | None) -> Iterable[str]:
        return self.story.agents if actor is None or actor in OPERATORS else (actor,)


def _role(name: str | None) -> str:
    return ADMIN if name is None or name in OPERATORS else name


def _memories(answer: Profile | Timeline) -> Iterator[Memory]:
    groups = (
        [entity.beliefs for entity in answer.entities]
        if isinstance(answer, Profile)
        else [slot.intervals for slot in answer.slots]
    )
    for group in groups:
        yield from group


def _recorded(answer: object) -> tuple[str, ...]:
    match answer:
        case Remembered(facts=(), turn=turn) if turn is not None:
            return (turn.id,)
        case Remembered(facts=facts):
            return tuple(fact.id for fact in facts)
        case FactReceipt(id=id):
            return (id,)
        case ActReceipt(acts=acts):
            return acts
        case Recalled(recall_id=recall_id):
            return (recall_id,)
    return ()


# --- policy lines ------------------------------------------------------------------------------------------------


def _without(lines: list[str], removed: Iterable[str]) -> list[str]:
    kept = lines
    for line in removed:
        before, kept = kept, [other for other in kept if _cells(other) != _cells(line)]
        if len(before) == len(kept):
            raise Incorrect("no_such_line", f"the policy has no line `{line}`", "write it as it stands in the policy")
    return kept


def _cells(line: str) -> tuple[str, ...]:
    return tuple(cell.strip() for cell in line.split(","))
