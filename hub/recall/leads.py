"""Leads: what a query might mean, slot by slot and turn by turn, with what speaks for it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from hub.answers import Step
from hub.codec import Quick
from hub.facts import Claim, Turn
from hub.recall.weighing import WORDS_ONLY, Floors, likeness
from hub.view import SlotKey
from hub.view.kept import Place

R = TypeVar("R", Claim, Turn)
Matching = dict[Place, list[SlotKey]]


class Match(Quick, Generic[R], frozen=True):
    """A record that matches in words, in meaning, or in both: how well, 0..1."""

    record: R
    lexical: float
    dense: float

    @property
    def strength(self) -> float:
        return likeness(self.lexical, self.dense)


def most_alike(matches: Sequence[Match[Claim]]) -> tuple[float, float]:
    """How well the best of these match in words, and in meaning."""
    if len(matches) == 1:
        return matches[0].lexical, matches[0].dense
    return max((match.lexical for match in matches), default=0.0), max((match.dense for match in matches), default=0.0)


@dataclass(slots=True)
class Lead:
    """What speaks for one slot so far; `said` are its claims that match."""

    entity: float = 0.0
    graph: float = 0.0
    path: tuple[Step, ...] = ()
    said: list[Match[Claim]] = field(default_factory=list)
    why: tuple[str, ...] = ()

    def hint(self, strength: float, via: tuple[Step, ...], *why: str) -> None:
        """Of several ways to a slot the strongest counts."""
        if strength > self.graph:
            self.graph, self.path = strength, via
        self.why += why

    @property
    def because(self) -> tuple[str, ...]:
        """Why there is this lead, in words, each said once."""
        return tuple(dict.fromkeys(self.why)) if len(self.why) > 1 else self.why

    @property
    def via(self) -> tuple[Step, ...]:
        """What the query names itself needs no path."""
        return () if self.entity else self.path


@dataclass(slots=True)
class Leads:
    """`unheld` are relations that the query calls by their labels, and of which nothing is held."""

    slots: dict[SlotKey, Lead] = field(default_factory=dict)
    turns: list[Match[Turn]] = field(default_factory=list)
    floors: Floors = WORDS_ONLY
    unheld: tuple[str, ...] = ()

    def lead(self, key: SlotKey) -> Lead:
        found = self.slots.get(key)
        if found is None:
            found = self.slots[key] = Lead()
        return found

    def matching(self) -> Matching:
        """The slots with claims that match, best first, by their place."""
        matching: Matching = {}
        said = [(key, max([one.strength for one in lead.said])) for key, lead in self.slots.items() if lead.said]
        for key, _ in sorted(said, key=lambda pair: -pair[1]):
            matching.setdefault(key[:2], []).append(key)
        return matching
