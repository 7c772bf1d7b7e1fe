"""Stories made by chance, so that what is hidden collides with what is seen; the same seed makes the same story."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from random import Random
from typing import TypeVar

from hub.play.reading import CAST, read_story
from hub.play.story import Expect, Step, Story

T = TypeVar("T")
Written = dict[str, object]

LONGEST = 18
AGENTS = {**CAST, "iris": "travel", "zed": "garden"}
"""Two of one domain, and one at home in a domain that nothing is granted to."""

_CITIES = ("Hanoi", "Hue", "Da Nang")
_VALUES: dict[str, tuple[str, ...]] = {
    "lives_in": _CITIES,
    "planned_trip": _CITIES,
    "likes": ("tea", "coffee"),
    "dislikes": ("tea", "coffee"),
    "diet": ("vegan", "keto"),
    "income": ("3000 USD", "4000 USD"),
    "budget": ("800 USD", "900 USD"),
    "allergic_to": ("peanuts", "tea"),
    "has_condition": ("asthma", "vegan"),
    "favourite_spot": ("Hue", "the lake"),
}
"""Few, and the same ones under several labels: a private `tea` is to be taken for a shared one if anything can."""

_DISPUTED = (("income", "penny"), ("lives_in", "mia"))
"""One of them is spoken of in every story, and by its owner: there it counts who said what, not who spoke last."""

_TOPICS = (
    ("likes", "dislikes"),
    ("allergic_to", "has_condition"),
    ("budget", "planned_trip"),
    ("diet", "favourite_spot"),
    ("favourite_spot", "planned_trip"),
)
"""What is spoken of beside it."""

_DAYS = ("2026-05-01", "2026-06-15", "2026-08-01")
_THINGS = ("Civic", "my car")
_QUERIES = (
    "where does the customer live?",
    "what about tea and coffee?",
    "plan a trip and order a meal",
    "what is the budget, what the income?",
    "tell me about the Civic",
    "any allergies or conditions?",
    "what is the favourite spot?",
)
_LINES = (
    "p, travel, personal, shared, lives_in, read, *, deny",
    "p, agent:atlas, personal, shared, likes, read, *, deny",
    "p, agent:iris, *, private, *, read, *, allow",
    "p, travel, finance, private, income, read, booking, allow",
    "p, personal, health, private, *, read, *, allow",
    "p, garden, personal, shared, *, read, *, allow",
    "g, garden, shared-reader, *",
    "p, *, *, *, favourite_spot, read, *, deny",
)


def by_chance(seed: int) -> Story:
    """A story whose steps may be refused; what it proves is that every question is answered as in its twin world."""
    written = _Writer(Random(seed)).written()
    story = read_story(json.dumps({"id": f"chance-{seed}", "category": "leakage", **written}), f"seed {seed}")
    return replace(story, steps=tuple(map(_free, story.steps)), description=_listing(story.steps))


def _free(step: Step) -> Step:
    return replace(step, expect=Expect(anything=True))


def _listing(steps: tuple[Step, ...]) -> str:
    told = (f"{s.agent or 'the hub'} {s.verb} {json.dumps(dict(s.arguments), ensure_ascii=False)}" for s in steps)
    return "; ".join(told)


class _Writer:
    """One story in the making: what there is so far to point back at."""

    def __init__(self, random: Random) -> None:
        self._random = random
        disputed, owner = self._pick(_DISPUTED)
        self._cast = list(dict.fromkeys([owner, *random.sample(sorted(AGENTS), random.randint(2, 3))]))
        topics = random.sample(_TOPICS, random.randint(1, 2))
        self._relations = [disputed, *(relation for topic in topics for relation in topic)]
        self._told: list[Written] = []
        self._names: list[str] = []
        self._marks: list[str] = []
        self._lines: list[str] = []

    def written(self) -> Written:
        steps = [step for _ in range(self._random.randint(LONGEST // 2, LONGEST)) for step in self._step()]
        lookers = [step for agent in self._cast for step in self._looks(agent)]
        return {"agents": {"iris": "travel", "zed": "garden"}, "steps": [self._says(), *steps, *lookers]}

    def _step(self) -> Iterator[Written]:
        kinds: tuple[tuple[int, Callable[[], Written | None]], ...] = (
            (9, self._says),
            (2, self._agrees),
            (4, self._changes_its_mind),
            (6, self._asks),
            (2, self._rules),
            (1, self._consents),
            (1, self._operates),
            (2, self._lets_time_pass),
        )
        weights, makers = zip(*kinds, strict=True)
        made = self._random.choices(makers, weights)[0]()
        if made is not None:
            yield made

    def _looks(self, agent: str) -> Iterator[Written]:
        """What everybody asks in the end: of now, and of one moment before."""
        for point in ({}, self._point()):
            yield {"agent": agent, "profile": True, **point}
            yield {"agent": agent, "recall": self._pick(_QUERIES), "explain": True, **point}

    # --- what agents say -----------------------------------------------------------------------------------------

    def _says(self) -> Written:
        facts = [self._fact() for _ in range(self._random.choice((1, 1, 2)))]
        self._told += facts
        return self._remembers(facts)

    def _agrees(self) -> Written | None:
        """What somebody has said, said once more, by whomever: so a domain's word comes to count for more."""
        return self._remembers([self._pick(self._told)]) if self._told else None

    def _remembers(self, facts: list[Written]) -> Written:
        names = [f"fact{len(self._names) + n}" for n in range(len(facts))]
        self._names += names
        return {"agent": self._pick(self._cast), "remember": {"facts": facts}, "as": names}

    def _fact(self) -> Written:
        if self._chance(0.15):
            return {"subject": self._pick(_THINGS), "relation": "fault", "value": self._pick(("brakes", "tea stains"))}
        if self._chance(0.1):
            return {"subject": "Civic", "relation": "same_as", "object": "my car"}
        relation = self._pick(self._relations)
        fact: Written = {"relation": relation, "value": self._pick(_VALUES[relation])}
        if self._chance(0.25):
            fact["scope"] = self._pick(("private", "shared"))
        if self._chance(0.2):
            fact["negated"] = True
        if self._chance(0.25):
            fact["valid_from"] = self._pick(_DAYS)
            if fact["valid_from"] != _DAYS[-1] and self._chance(0.4):
                fact["valid_to"] = _DAYS[_DAYS.index(str(fact["valid_from"])) + 1]
        if self._chance(0.15):
            fact["mode"] = "correct" if "valid_from" in fact and self._chance(0.4) else "change"
        return fact

    def _changes_its_mind(self) -> Written | None:
        if not self._names:
            return None
        verb = self._pick(("correct", "retract", "end", "forget", "restore"))
        arguments: Written = {"value": self._pick(_CITIES)} if verb == "correct" else {"reason": "asked to"}
        return {"agent": self._pick(self._cast), verb: arguments, "of": self._pick(self._names)}

    # --- what agents ask -----------------------------------------------------------------------------------------

    def _asks(self) -> Written:
        agent, point = self._pick(self._cast), self._point()
        ask = self._pick(("recall", "recall", "timeline", "graph", "fact", "history"))
        if ask == "recall":
            more: Written = {"include_past": True} if self._chance(0.3) else {}
            return {"agent": agent, "recall": self._pick(_QUERIES), **more, **point, **self._purpose(agent)}
        if ask in ("fact", "history") and self._names:
            return {"agent": agent, ask: {}, "of": self._pick(self._names), **point}
        return {"agent": agent, ask if ask in ("timeline", "graph") else "profile": True, **point}

    def _point(self) -> Written:
        """Now as a rule, often enough a moment before, and sometimes the very moment at which something may begin."""
        if self._chance(0.1):
            return {"valid_at": self._pick(_DAYS)}
        if not self._marks or self._chance(0.5):
            return {}
        return {self._pick(("as_of", "known_at", "valid_at")): self._pick(self._marks)}

    def _purpose(self, agent: str) -> Written:
        return {"purpose": self._pick(("meal", "booking"))} if agent == "atlas" and self._chance(0.4) else {}

    # --- what changes around them --------------------------------------------------------------------------------

    def _rules(self) -> Written:
        if self._lines and self._chance(0.5):
            return {"policy": {"remove": [self._lines.pop(self._random.randrange(len(self._lines)))]}}
        line = self._pick([line for line in _LINES if line not in self._lines] or list(_LINES))
        if line in self._lines:
            return {"advance": "1h"}
        self._lines.append(line)
        return {"policy": {"add": [line]}}

    def _consents(self) -> Written:
        consent = {"domain": self._pick(("travel", "shopping")), "owner": "health", "relation": "allergic_to"}
        return {"consent": {**consent, "effect": self._pick(("grant", "object"))}}

    def _operates(self) -> Written | None:
        if not self._names:
            return None
        act = self._pick(("relabel", "relabel", "promote", "erase"))
        if act == "promote":
            existing = self._chance(0.5)
            return {"promote": {"relation": "favourite_spot", "scope": "shared", "existing": existing}}
        scope = self._pick(("private", "shared"))
        arguments: Written = {"scope": scope} if act == "relabel" else {"reason": "asked to"}
        return {act: arguments, "of": self._pick(self._names)}

    def _lets_time_pass(self) -> Written:
        if self._chance(0.5):
            self._marks.append(f"mark{len(self._marks)}")
            return {"mark": self._marks[-1]}
        return {"restart": True} if self._chance(0.2) else {"advance": self._pick(("1h", "2d", "40d"))}

    # -------------------------------------------------------------------------------------------------------------

    def _pick(self, among: Sequence[T]) -> T:
        return self._random.choice(among)

    def _chance(self, share: float) -> bool:
        return self._random.random() < share
