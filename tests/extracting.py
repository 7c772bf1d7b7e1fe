"""Sentences and what they claim, as the tables under tests/extraction note it, and how well a reader reads them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import lru_cache

import pytest

from hub.documents import parse
from hub.extract import Reading
from hub.extract.rules import Rules
from hub.facts import folded
from hub.hub import shipped_words
from hub.moments import instant
from hub.registry import kind_words
from hub.requests import Fact
from tests.sources import ROOT

TABLES = ROOT / "tests" / "extraction"
SAID_AT = instant("2026-07-01T09:00:00Z")
_NOTE = re.compile(r"(?P<not>not )?(?P<relation>[^\s=|]+)(?: = (?P<value>[^|]*?))?(?: \| (?P<more>.*))?")
_PART = re.compile(r"(change)\b|(of|kind|from|to|on) (.*?)(?= (?:change|of|kind|from|to|on)\b|$)")
_MOMENTS = {"from": "valid_from", "to": "valid_to", "on": "on"}


@lru_cache
def reader() -> Rules:
    return Rules(kind_words(shipped_words()))


def read(text: str, lang: str = "en", zone: str = "UTC") -> Reading:
    return reader().read(text, lang=lang, said_at=SAID_AT, zone=zone)


def noted(fact: Fact) -> str:
    """A fact in the notation of the tables, with all there is to say of it."""
    obj, of = fact.object, fact.subject
    value = fact.value if obj is None else obj.name or obj.kind
    more = [
        *([] if of is None else [f"of {of.name or of.kind}"]),
        *([] if obj is None or obj.kind is None else [f"kind {obj.kind}"]),
        *(["change"] if fact.mode == "change" else []),
        *(f"{word} {said}" for word, name in _MOMENTS.items() if (said := getattr(fact, name)) is not None),
    ]
    said = f"{'not ' if fact.negated else ''}{fact.relation}{'' if value is None else f' = {value}'}"
    return f"{said} | {' '.join(more)}" if more else said


def fits(note: str, fact: Fact) -> bool:
    """Whether a fact is the one noted: relation, polarity, value, of what it is said, and whatever else is noted."""
    wanted, found = _parts(note), _parts(noted(fact))
    for name in ("not", "relation", "value", "of"):
        if folded(wanted.get(name, "")) != folded(found.get(name, "")):
            return False
    moments = all(found.get(word, "").startswith(wanted[word]) for word in _MOMENTS if word in wanted)
    return moments and all(found.get(name) == wanted[name] for name in ("kind", "change") if name in wanted)


def _parts(note: str) -> dict[str, str]:
    match = _NOTE.fullmatch(note)
    assert match is not None, f"`{note}` is no note of a fact"
    more = {name or "change": said or "change" for change, name, said in _PART.findall(match["more"] or "")}
    return {name: said for name, said in match.groupdict().items() if said and name != "more"} | more


@dataclass
class Score:
    """How much of what is claimed is right, and how much of what is right is claimed."""

    right: int = 0
    false: list[str] = field(default_factory=list)
    missed: list[str] = field(default_factory=list)

    @property
    def precision(self) -> float:
        return self.right / max(1, self.right + len(self.false))

    @property
    def recall(self) -> float:
        return self.right / max(1, self.right + len(self.missed))

    def __str__(self) -> str:
        return f"precision {self.precision:.3f}, recall {self.recall:.3f} ({self.right} right)"

    def add(self, sentence: str, notes: Iterable[str], facts: list[Fact]) -> None:
        left = list(facts)
        for note in notes:
            found = next((fact for fact in left if fits(note, fact)), None)
            if found is None:
                self.missed.append(f"{sentence}: {note}")
            else:
                left.remove(found)
                self.right += 1
        self.false += [f"{sentence}: {noted(fact)}" for fact in left]


def scored(sentences: Iterable[tuple[str, list[str]]], lang: str) -> Score:
    score = Score()
    for sentence, notes in sentences:
        score.add(sentence, notes, [heard.fact for heard in read(sentence, lang).heard])
    return score


def table(name: str) -> list[tuple[str, list[str]]]:
    """The sentences of `tests/extraction/{name}.yaml`, each with the facts it claims."""
    path = TABLES / f"{name}.yaml"
    if not path.is_file():
        pytest.skip(f"there is no table `{name}` yet")
    return list(_pairs(parse(path.read_text(encoding="utf-8"), path.name)))


def _pairs(document: object) -> Iterator[tuple[str, list[str]]]:
    assert isinstance(document, list)
    for item in document:
        ((sentence, notes),) = item.items()
        yield sentence, notes
