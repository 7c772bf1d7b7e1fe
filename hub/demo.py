"""The story of the README: a customer, her agents, and what each of them may know, now and then."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from hub.answers import Memory, Recalled, Remembered
from hub.clock import SimulatedClock
from hub.facts import Instant, Label
from hub.hub import DEMO_AGENTS, Decision, Hub
from hub.moments import DAY, HOUR, as_datetime, instant

CUSTOMER = "linh"
START = instant("2026-07-01T09:00:00Z")

Fields = dict[str, object]


@dataclass(frozen=True, slots=True)
class Said:
    """Somebody told an agent something, and this is what became of it."""

    agent: str
    text: str
    answer: Remembered
    facts: tuple[str, ...]


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


Beat = Said | Asked | WhoSees | str
"""What happens next; a string is a heading."""

CAR: Fields = {"kind": "car", "name": "Honda Civic"}


def story(hub: Hub, clock: SimulatedClock) -> Iterator[Beat]:
    """Plays the story on a fresh hub whose clock is this one, beat by beat."""
    telling = _Telling(hub, clock)
    yield "Six agents serve Linh. She tells each of them what concerns it."
    yield from telling.morning()
    booked = clock.now()
    yield "A minute later: what one agent learned, the others can use, with the path that led there."
    yield from telling.questions()
    yield "What is private stays where it belongs, on every road."
    yield from telling.attempts()
    yield telling.who_sees()
    yield "Ten days later Linh mentions that she had moved house, weeks ago."
    clock.advance(10 * DAY)
    yield from telling.late_news(booked)


class _Telling:
    def __init__(self, hub: Hub, clock: SimulatedClock) -> None:
        self._hub = hub
        self._clock = clock
        self._told: list[tuple[str, Label]] = []

    def morning(self) -> Iterator[Beat]:
        trip = as_datetime(START + 7 * DAY).date().isoformat()
        fixed = as_datetime(START + 3 * DAY + HOUR)
        yield self._say(
            "mia",
            "I'm Linh, I live in Hanoi and I'm vegetarian. I drive a Honda Civic.",
            {"relation": "name", "value": "Linh"},
            {"relation": "lives_in", "value": "Hanoi"},
            {"relation": "diet", "value": "vegetarian"},
            {"relation": "owns", "object": CAR},
        )
        yield self._say(
            "kai",
            "The Civic's gearbox is broken. They keep it for 3 days.",
            {"subject": CAR, "relation": "availability", "value": "3 days", "valid_to": fixed},
            {"subject": CAR, "relation": "fault", "value": "broken gearbox"},
        )
        yield self._say(
            "nova",
            "I'm allergic to peanuts, so no satay please.",
            {"relation": "allergic_to", "value": "peanuts"},
        )
        yield self._say(
            "penny",
            "I earn 3000 USD a month, and my budget for the trip is 800 USD.",
            {"relation": "income", "value": "3000 USD"},
            {"relation": "budget", "value": "800 USD"},
        )
        yield self._say(
            "atlas",
            "I'm flying to Da Nang next week.",
            {"relation": "planned_trip", "value": "Da Nang", "on": trip},
        )

    def questions(self) -> Iterator[Beat]:
        yield self._ask("atlas", "How will she get to the airport for the flight?", "learned by the repair agent")
        yield self._ask("nova", "What should I buy before Da Nang?", "the budget was told to finance")
        yield self._ask("penny", "Should I set money aside for the Civic?", "the name leads to the car")

    def attempts(self) -> Iterator[Beat]:
        yield self._ask("atlas", "Any allergy to peanuts? How much is her income?", "health and finance keep these")
        yield self._ask("sage", "Is she allergic to peanuts?", "told to shopping, owned by health")
        note = "a policy line opens allergies to travel for this purpose, and nothing else"
        yield self._ask("atlas", "Is she allergic to peanuts?", note, purpose="meal")

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
            )
        )

    def late_news(self, booked: Instant) -> Iterator[Beat]:
        yield self._say(
            "mia",
            "By the way, I moved to Saigon in the middle of June.",
            {"relation": "lives_in", "value": "Saigon", "mode": "change", "valid_from": "2026-06-15"},
        )
        question = "Where does she live? The taxi picks her up at home."
        yield self._ask("atlas", question, "today")
        yield self._ask("atlas", question, "what travel believed when it booked", as_of=booked)

    def _say(self, agent: str, text: str, *facts: Fields) -> Said:
        self._clock.advance(HOUR // 12)
        answer = self._hub.agent(agent, CUSTOMER).remember(text, facts=facts)
        recorded = [self._hub.agent(agent, CUSTOMER).fact(fact.id) for fact in answer.facts]
        self._told += [(fact.text, fact.label[0]) for fact in recorded]
        return Said(agent, text, answer, tuple(fact.text for fact in recorded))

    def _ask(
        self, agent: str, question: str, note: str, *, purpose: str | None = None, as_of: Instant | None = None
    ) -> Asked:
        self._clock.advance(HOUR // 60)
        when = None if as_of is None else as_datetime(as_of)
        answer = self._hub.agent(agent, CUSTOMER).recall(question, purpose=purpose, as_of=when)
        return Asked(agent, question, answer, note, purpose, as_of)


def path(memory: Memory) -> str:
    """How the walk came to a memory: `customer → owns → Honda Civic`."""
    if not memory.via:
        return ""
    return memory.via[0].from_ + "".join(f" → {step.relation} → {step.to}" for step in memory.via)
