"""Loading: what agents were told elsewhere, a request a line, recorded as each of them would have remembered it."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextvars import Context
from dataclasses import dataclass, field

from hub.answers import Refused, Remembered
from hub.documents import Fields, parse_json
from hub.door import Act, Bases, Door
from hub.errors import HubError, Incorrect
from hub.facts import Viewer
from hub.hub.listening import Ear, Listening
from hub.hub.remembering import named_once, recorded
from hub.requests import Remember, checked

AT_ONCE = 1_000
"""Facts and turns in one transaction, or a few more."""
ROOM = 64
"""Megabytes for what is looked at on the way."""
MOST_REFUSED = 1_000

Told = Callable[[int], None]
"""Hears the number of the last line that is on the disk."""


def nobody(line: int) -> None:
    """Hears nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LineRefused:
    """An item of a line that was left out, as `remember` would have said; the rest of the line is recorded."""

    line: int
    item: Refused


@dataclass(frozen=True, slots=True, kw_only=True)
class Loaded:
    """What came of so many lines; `repeated` ones had been recorded before. No more than a thousand items are named."""

    lines: int
    recorded: int
    repeated: int
    facts: int
    refused_items: int
    refused: tuple[LineRefused, ...]


@dataclass(frozen=True, slots=True)
class _Line:
    number: int
    viewer: Viewer
    request: Remember
    key: str
    ear: Ear

    @property
    def size(self) -> int:
        return 1 + len(self.request.facts)

    def remembered(self, door: Door) -> tuple[Remembered, bool]:
        """The answer, and whether it had been given before: a verb of the agent, with its own line in the audit."""
        with door.visit("remember", self.viewer) as visit:
            answer = recorded(door, self.viewer, self.request, self.ear, self.key)
            return answer, visit.success == "repeated"


@dataclass(slots=True)
class _Count:
    lines: int = 0
    recorded: int = 0
    repeated: int = 0
    facts: int = 0
    refused_items: int = 0
    refused: list[LineRefused] = field(default_factory=list)

    def add(self, line: _Line, answer: Remembered, repeated: bool) -> None:
        self.lines = line.number
        self.repeated += repeated
        self.recorded += not repeated
        self.facts += 0 if repeated else len(answer.facts)
        self.refused_items += len(answer.refused)
        room = MOST_REFUSED - len(self.refused)
        self.refused += [LineRefused(line=line.number, item=item) for item in answer.refused[:room]]

    def loaded(self) -> Loaded:
        return Loaded(
            lines=self.lines,
            recorded=self.recorded,
            repeated=self.repeated,
            facts=self.facts,
            refused_items=self.refused_items,
            refused=tuple(self.refused),
        )


class Loading:
    """What an operator may do with requests from elsewhere: each is made by the agent it names, and by nobody else."""

    id: str
    _door: Door
    _listening: Listening

    def load(self, lines: Iterable[str], *, told: Told = nobody) -> Loaded:
        """Records requests to remember, a JSON object a line: the fields of `remember`, and the `agent`.

        INVARIANT: line by line the same is recorded, refused and audited as if these agents had sent them, now.
        The first line that makes no sense, or whose agent may not, raises what `remember` would, with the number of
        the line: those before it are recorded, it and those after are not. A line that has been recorded before is
        not recorded again, however often the file is loaded: `idempotency_key` says which lines are the same, or else
        all that they say, and how many lines before in the file say it too.
        """
        self._must(Act.WRITE)
        count, bases, reading = _Count(), Bases(room=ROOM), _Reading(self._listening, iter(lines))
        while batch := reading.some():
            failed = self._recorded(batch, bases, count)
            self._listening.follow()
            told(count.lines)
            if failed is not None:
                raise failed
        if reading.failed is not None:
            raise reading.failed
        return count.loaded()

    def _recorded(self, batch: list[_Line], bases: Bases, count: _Count) -> HubError | None:
        """The error of the first line that could not be recorded; those before it are on the disk then."""
        answers: list[tuple[_Line, Remembered, bool]] = []
        failed = None
        with self._door.together(bases) as door:
            for line in batch:
                try:
                    answers.append((line, *Context().run(line.remembered, door)))
                except HubError as error:
                    failed = _placed(error, line.number)
                    break
        for answer in answers:
            count.add(*answer)
        return failed

    def _must(self, act: Act) -> None:
        raise NotImplementedError


class _Reading:
    """Lines read, so many at a time; `failed` is what is wrong with the one after the last."""

    def __init__(self, listening: Listening, lines: Iterator[str]) -> None:
        self.failed: HubError | None = None
        self._listening = listening
        self._lines = enumerate(lines, 1)
        self._alike: Counter[bytes] = Counter()

    def some(self) -> list[_Line]:
        batch: list[_Line] = []
        size = 0
        while size < AT_ONCE and self.failed is None and (line := self._next()) is not None:
            batch.append(line)
            size += line.size
        return batch

    def _next(self) -> _Line | None:
        for number, text in self._lines:
            if text.strip():
                try:
                    return self._read(number, text.strip())
                except HubError as error:
                    self.failed = _placed(error, number)
                    return None
        return None

    def _read(self, number: int, text: str) -> _Line:
        fields = dict(Fields.of(_json(text), "it", "bad_document").values)
        agent = Fields(fields, "it", "bad_field").text("agent")
        given = fields.pop("idempotency_key", None)
        del fields["agent"]
        request = checked(Remember, fields)
        viewer = Viewer(agent=agent)
        key = self._key(text) if given is None else named_once(given)  # type: ignore[arg-type]
        return _Line(number, viewer, request, key, self._listening.ear(viewer, request, key))

    def _key(self, text: str) -> str:
        said = hashlib.sha256(text.encode()).digest()
        self._alike[said] += 1
        return f"line-{said.hex()[:40]}-{self._alike[said]}"


def _json(text: str) -> object:
    try:
        return parse_json(text, "it")
    except Incorrect as error:  # each line has but one, and its number is that of the file
        what = error.message.removeprefix("it, line 1: ").removeprefix("it: ")
        raise Incorrect(error.code, what, "a line is a JSON object: what `remember` takes, and the `agent`") from None


def _placed(error: HubError, number: int) -> HubError:
    where = f"line {number}" if error.where is None else f"line {number}: {error.where}"
    placed = type(error)(error.code, f"line {number}: {error.message}", error.fix, where=where)
    placed.noted = error.noted
    return placed
