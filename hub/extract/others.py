"""What is said of other people: in the words in which they would say it of themselves, read by the same frames."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from hub.documents import Fields
from hub.requests import Another, Kin, Thing

PERSON = "person"

_KEYS = ("before", "after", "one", "some", "kin", "as", "verbs", "adverbs", "mine")
_NAME = r"(?P<name>(?:[ ][A-Z][\w'’-]+){1,2})?"


@dataclass(frozen=True, slots=True)
class Retold:
    """What somebody else would say, and who that is."""

    words: str
    who: Thing


@dataclass(frozen=True, slots=True, kw_only=True)
class Others:
    """How a language speaks of people by what they are to the speaker: “my wife …”, “제 아내는 …”.

    Of those called `sole` one has but one at a time; any other “my friend” may be somebody else. `kin` are those that a
    relation holds. `first` stands for “I”, `verbs` are the forms that change with it in ways of their own, none in a
    language whose verbs know no persons.
    `mine`: the speaker is named.
    """

    opening: re.Pattern[str]
    sole: frozenset[str]
    kin: Mapping[str, str]
    first: str
    verbs: Mapping[str, str]
    adverbs: frozenset[str]
    mine: re.Pattern[str]
    compared: Callable[[str], str]

    def retold(self, words: str) -> Retold | None:
        """None for a sentence that begins with nobody, or in which the speaker has a part too."""
        low = self.compared(words)
        found = self.opening.match(low)
        if found is None:
            return None
        role, end = found["role"], found.end()
        named = re.match(_NAME, words[end - 1 :]) if self.verbs else None
        name = (named["name"] or "").strip() if named is not None else ""
        if name:
            end += len(name) + 1
        rest = self._conjugated(words[end:].split())
        if rest is None or self.mine.search(self.compared(rest)) is not None:
            return None
        return Retold(f"{self.first}{rest}", self._who(role, name))

    def _who(self, role: str, name: str) -> Thing:
        if role in self.kin:
            return Kin(kind=PERSON, name=name or role, noun=role, by=self.kin[role])
        return (Thing if role in self.sole or name else Another)(kind=PERSON, name=name or role)

    def _conjugated(self, words: list[str]) -> str | None:
        """As the speaker would say it of himself; None if it begins with no verb, in a language that has to."""
        if not self.verbs:
            return " ".join(words)
        at = next((n for n, word in enumerate(words[:3]) if word not in self.adverbs), None)
        verb = None if at is None else self._first_person(words[at])
        return None if verb is None or at is None else " ".join((*words[:at], verb, *words[at + 1 :]))

    def _first_person(self, verb: str) -> str | None:
        if verb in self.verbs:
            return self.verbs[verb]
        if not verb.endswith("s") or verb.endswith("ss") or not verb.islower() or not verb.isalpha():
            return None
        if verb.endswith("ies") and len(verb) > len("dies"):
            return verb[:-3] + "y"
        return verb[: -2 if verb.endswith(("ches", "shes", "sses", "xes", "oes")) else -1]


def read_others(top: Fields, compared: Callable[[str], str], spaced: bool) -> Others | None:
    """What stands under `others`; None for a language that has nothing there."""
    part = top.part("others", _KEYS)
    if not part.values:
        return None
    sole, some = (tuple(map(compared, part.texts(key))) for key in ("one", "some"))
    gap = r"\s+" if spaced else r"\s*"
    before, after = (_one_of(map(compared, part.texts(key))) if part.has(key) else "" for key in ("before", "after"))
    opening = f"(?:{before}{gap})?" if before and after else f"{before}{gap}" if before else ""
    role = f"(?P<role>{_one_of((*sole, *some))})"
    verbs, kin = part.part("verbs"), part.part("kin")
    return Others(
        opening=re.compile(f"{opening}{role}{_closing(after, spaced)}"),
        sole=frozenset(sole),
        kin={compared(word): relation for relation in kin.values for word in kin.texts(relation)},
        first=part.text("as") + " " if part.has("as") else "",
        verbs={form: verbs.text(form) for form in verbs.values},
        adverbs=frozenset(part.texts("adverbs")) if part.has("adverbs") else frozenset(),
        mine=re.compile(rf"(?<!\w){_one_of(map(compared, part.texts('mine')))}" + (r"(?!\w)" if spaced else "")),
        compared=compared,
    )


def _closing(after: str, spaced: bool) -> str:
    """What stands between the person and what is said."""
    if not after:
        return r"\s+"
    return rf"\s+{after}\s+" if spaced else rf"{after}\s*"


def _one_of(words: Iterable[str]) -> str:
    return f"(?:{'|'.join(map(re.escape, sorted(words, key=len, reverse=True)))})"
