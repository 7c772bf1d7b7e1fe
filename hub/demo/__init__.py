"""The story of the README: a customer, her agents, and what each of them may know, now and then."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

from hub.answers import Memory, Recalled, Remembered
from hub.clock import SimulatedClock
from hub.documents import Fields, parse
from hub.facts import Instant, Label
from hub.hub import DEMO_AGENTS, Decision, Hub
from hub.moments import DAY, HOUR, as_datetime, instant

CUSTOMER = "linh"
START = instant("2026-07-01T09:00:00Z")
REPLACING = ("superseded", "corrected")
LANGUAGES = ("en", "ko", "vi", "ja")


@dataclass(frozen=True, slots=True)
class Said:
    """Somebody told an agent something, and this is what became of it; `replaced` is what each fact took the place of,
    empty for nothing."""

    agent: str
    text: str
    answer: Remembered
    facts: tuple[str, ...]
    replaced: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Asked:
    """An agent asked; `note` says what to look at."""

    agent: str
    question: str
    answer: Recalled
    note: str
    purpose: str | None = None
    as_of: Instant | None = None


@dataclass(frozen=True, slots=True)
class Sight:
    """One fact, and for every agent whether and by which policy line it may be read."""

    text: str
    label: Label
    decisions: dict[str, Decision]


@dataclass(frozen=True, slots=True)
class WhoSees:
    sights: tuple[Sight, ...]
    title: str


Beat = Said | Asked | WhoSees | str
"""What happens next; a string is a heading."""


@dataclass(frozen=True, slots=True)
class Lines:
    """What is said in one language: headings by name, sentences by name, and questions with their notes."""

    lang: str
    headings: dict[str, str]
    said: dict[str, str]
    asked: dict[str, tuple[str, str]]


def lines(lang: str) -> Lines:
    """The story in one of `LANGUAGES`."""
    file = Path(__file__).with_name("told.yaml")
    told = Fields.of(parse(file.read_text(encoding="utf-8"), file.name), file.name, "bad_story", LANGUAGES).part(lang)
    headings, said, asked = (told.part(key) for key in ("headings", "said", "asked"))
    pairs = {name: asked.texts(name) for name in asked.values}
    return Lines(
        lang,
        {name: headings.text(name) for name in headings.values},
        {name: said.text(name) for name in said.values},
        {name: (question, ", ".join(note)) for name, (question, *note) in pairs.items()},
    )


def story(hub: Hub, clock: SimulatedClock, lang: str = "en") -> Iterator[Beat]:
    """Plays the story on a fresh hub whose clock is this one, beat by beat: what is claimed, the hub hears itself."""
    told = lines(lang)
    telling = _Telling(hub, clock, told)
    yield told.headings["morning"]
    yield from telling.morning()
    booked = clock.now()
    yield told.headings["shared"]
    yield from telling.questions()
    yield told.headings["private"]
    yield from telling.attempts()
    yield telling.who_sees()
    yield told.headings["late"]
    clock.advance(10 * DAY)
    yield from telling.late_news(booked)


class _Telling:
    def __init__(self, hub: Hub, clock: SimulatedClock, lines: Lines) -> None:
        self._hub = hub
        self._clock = clock
        self._lines = lines
        self._told: list[tuple[str, Label]] = []

    def morning(self) -> Iterator[Beat]:
        for agent, line in (
            ("mia", "home"),
            ("kai", "car"),
            ("nova", "allergy"),
            ("penny", "money"),
            ("atlas", "trip"),
        ):
            yield self._say(agent, line)

    def questions(self) -> Iterator[Beat]:
        yield self._ask("atlas", "airport")
        yield self._ask("nova", "shopping")
        yield self._ask("penny", "savings")

    def attempts(self) -> Iterator[Beat]:
        yield self._ask("atlas", "secrets")
        yield self._ask("sage", "health")
        yield self._ask("atlas", "meal", purpose="meal")

    def who_sees(self) -> WhoSees:
        operator = self._hub.operator()
        return WhoSees(
            tuple(
                Sight(
                    text,
                    label,
                    {
                        agent: operator.explain_policy(
                            agent, owner=label.owner, told=label.told, scope=label.scope, relation=label.relation
                        )
                        for agent in DEMO_AGENTS
                    },
                )
                for text, label in self._told
            ),
            self._lines.headings["table"],
        )

    def late_news(self, booked: Instant) -> Iterator[Beat]:
        yield self._say("mia", "moved")
        yield self._ask("atlas", "home")
        yield self._ask("atlas", "then", as_of=booked)

    def _say(self, agent: str, line: str) -> Said:
        self._clock.advance(HOUR // 12)
        text, before = self._lines.said[line], self._held(agent)
        answer = self._hub.agent(agent, CUSTOMER).remember(text, lang=self._lines.lang)
        recorded = [self._hub.agent(agent, CUSTOMER).fact(fact.id) for fact in answer.facts]
        self._told += [(fact.text, fact.label[0]) for fact in recorded]
        replaced = tuple(before.get(fact.slot, "") if fact.outcome in REPLACING else "" for fact in answer.facts)
        return Said(agent, text, answer, tuple(fact.text for fact in recorded), replaced)

    def _held(self, agent: str) -> dict[str, str]:
        """What each slot holds, as this agent sees it."""
        beliefs = chain.from_iterable(entity.beliefs for entity in self._hub.agent(agent, CUSTOMER).profile().entities)
        return {f"{memory.subject}/{memory.relation}": str(memory.value) for memory in beliefs}

    def _ask(self, agent: str, line: str, *, purpose: str | None = None, as_of: Instant | None = None) -> Asked:
        self._clock.advance(HOUR // 60)
        question, note = self._lines.asked[line]
        when = None if as_of is None else as_datetime(as_of)
        asking = self._hub.agent(agent, CUSTOMER)
        answer = asking.recall(question, purpose=purpose, as_of=when, lang=self._lines.lang)
        return Asked(agent, question, answer, note, purpose, as_of)


def path(memory: Memory) -> str:
    """How the walk came to a memory: `customer → owns → Honda Civic`."""
    if not memory.via:
        return ""
    return memory.via[0].from_ + "".join(f" → {step.relation} → {step.to}" for step in memory.via)
