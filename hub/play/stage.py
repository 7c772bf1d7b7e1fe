"""Where one story is played: a system, and the story's agents, marks and names."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from copy import copy
from itertools import chain

from hub.answers import (
    ActReceipt,
    FactReceipt,
    Memory,
    PolicyVersion,
    Profile,
    Recalled,
    Remembered,
    Timeline,
)
from hub.errors import Incorrect, no_such_record
from hub.facts import Instant
from hub.hub import ADMIN
from hub.moments import SECOND, rendered
from hub.play.story import LAST, OPERATORS, Story, Wanted
from hub.play.target import Session, Unable, called, verb

OPEN_DOOR = "p, *, *, *, *, *, *, allow"
"""The policy under which everybody may do everything."""

_MOMENTS = frozenset({"as_of", "valid_at", "known_at", "said_at", "at", "on", "valid_from", "valid_to"})
_RECORDS = frozenset({"id", "supersedes", "derived_from"})


class Stage:
    """One story on one system. `door` False lets everybody read everything."""

    def __init__(self, story: Story, session: Session, *, door: bool = True) -> None:
        self.story = story
        self.session = session
        self.marks: dict[str, Instant] = {}
        self._names: dict[str, str] = {}
        self._door = door
        if not door:
            self.change_policy((), (), "the door is off")

    def seen_on(self, session: Session) -> Stage:
        """The same story, marks and names on another system that holds the same records."""
        other = copy(self)
        other.session = session
        return other

    # --- who acts ------------------------------------------------------------------------------------------------

    def agent(self, name: str | None, customer: str | None = None) -> object:
        """At work for the customer, by default the story's own."""
        return self.session.agent(name or ADMIN, customer or self.story.id)

    def operator(self, name: str | None) -> object:
        """Any agent may try; the policy says whether it is one. Nobody named: the holder of the admin key."""
        return self.session.operator(name or ADMIN)

    # --- the clock and the system itself -------------------------------------------------------------------------

    def pass_a_second(self) -> None:
        with suppress(Unable):
            self.session.advance(SECOND)

    def mark(self, name: str) -> None:
        self.marks[name] = self.session.now()

    def change_policy(self, add: Sequence[str], remove: Sequence[str], reason: str, by: str | None = None) -> object:
        """Adds and removes lines of the policy in force; without the door, whatever results stays open to all."""
        operator = self.operator(by)
        current = verb(operator, "policies")()
        assert isinstance(current, PolicyVersion), "what `policies` answers"
        lines = _without(current.policy.splitlines(), map(self._called, remove)) + list(map(self._called, add))
        if not self._door:
            lines = [line for line in lines if _cells(line)[-1] != "deny" and line != OPEN_DOOR] + [OPEN_DOOR]
        return verb(operator, "replace_policy")(policy="\n".join(lines) + "\n", reason=reason)

    def _called(self, line: str) -> str:
        """With the agents it names as this system calls them."""
        agents = {f"agent:{name}": f"agent:{called(self.session, name)}" for name in self.story.agents}
        return line if agents.keys().isdisjoint(_cells(line)) else ", ".join(agents.get(c, c) for c in _cells(line))

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
        for ask in ("profile", "timeline"):
            answers = [verb(self.agent(name, customer), ask)(limit=1_000) for name in self._lookers(actor)]
            held = [one.id for answer in answers for one in _memories(answer) if wanted.is_in(one.text)]
            if held:
                return list(dict.fromkeys(held))
        return []

    def _lookers(self, actor: str | None) -> Iterable[str]:
        return self.story.agents if actor is None or actor in OPERATORS else (actor,)


def _memories(answer: object) -> Iterator[Memory]:
    match answer:
        case Profile(entities=entities):
            yield from chain.from_iterable(entity.beliefs for entity in entities)
        case Timeline(slots=slots):
            yield from chain.from_iterable(slot.intervals for slot in slots)


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
