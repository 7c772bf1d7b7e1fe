"""From words that fill a frame to the facts it claims: values, things, and the times that go with them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from hub.errors import Incorrect
from hub.extract.frames import Claimed, Timing, slots_in
from hub.extract.pack import Candidate, Pack, lowered
from hub.extract.slots import Fitted, SlotType, Written, trailing
from hub.extract.things import thing
from hub.extract.when import Role, Toward, When
from hub.facts import Instant, Mode
from hub.moments import DAY
from hub.registry import checked_relation
from hub.requests import Fact, Kin, Mention, NewName, Thing

_JOINT = re.compile(r"[\s\-]+")


@dataclass(frozen=True, slots=True)
class Found:
    """A frame whose words stand in `[at, end)` of a sentence; times that go with it may come before, from `start`."""

    candidate: Candidate
    filled: Mapping[str, Fitted]
    start: int
    at: int
    end: int
    whole: bool
    """Whether all of these words are in what is claimed, but for those of the frame itself."""


@dataclass(frozen=True, slots=True)
class Spoken:
    """The sentence around it, and what “it” means there."""

    words: str
    low: str
    pack: Pack
    said_at: Instant
    whens: tuple[When, ...]
    it: Mention | None


def facts_of(found: Found, spoken: Spoken) -> tuple[list[Fact], Mention | None]:
    """The facts, and the thing that was spoken of last; no facts at all if one of them makes no sense."""
    if found.candidate.frame.needs_time and not spoken.whens:
        return [], None
    facts = [fact for claimed in found.candidate.frame.claims for fact in Filled(claimed, found, spoken).facts()]
    whole = [fact for fact in facts if fact is not None]
    if len(whole) < len(facts):
        return [], None
    things = [thing for fact in whole if (thing := _thing_of(fact)) is not None]
    return whole, things[-1] if things else None


def _thing_of(fact: Fact) -> Mention | None:
    return next((thing for thing in (fact.object, fact.subject) if isinstance(thing, Mention)), None)


class Filled:
    """One claim of a frame, with the words that stand in its slots."""

    def __init__(self, claimed: Claimed, found: Found, spoken: Spoken) -> None:
        self.claimed = claimed
        self.found = found
        self.spoken = spoken

    def facts(self) -> Iterator[Fact | None]:
        """One for every item of a list that the claim speaks of; None for what makes no sense, nothing if a slot is
        empty."""
        claimed, filled = self.claimed, self.found.filled
        parts = (claimed.relation, claimed.value, claimed.obj, claimed.kind, claimed.of, claimed.noun)
        wanted = {slot for part in parts for slot in slots_in(part)}
        if self.found.candidate.goes_on:
            wanted -= set(slots_in(claimed.of)) - filled.keys()
        wanted -= set(slots_in(claimed.noun)) - filled.keys()
        if not wanted <= filled.keys():
            return
        texts = {name: self._items(filled[name]) for name in wanted}
        for n in range(max(map(len, texts.values()), default=1)):
            yield self._fact({name: each[n % len(each)] for name, each in texts.items()})

    def _items(self, slot: Fitted) -> list[str]:
        """The words of each; “Thai and Vietnamese food” is twice food."""
        items = [self.spoken.words[start:end] for start, end in slot.spans]
        *_, noun = items[-1].split() or [""]
        shared, compared = self.spoken.pack.shared, self.spoken.pack.compared
        if len(items) == 1 or noun == items[-1] or shared.nouns.fullmatch(compared(noun)) is None:
            return items
        return [f"{one} {noun}" if shared.before.fullmatch(compared(one)) else one for one in items]

    def _fact(self, texts: Mapping[str, str]) -> Fact | None:
        claimed = self.claimed
        if self._is_ahead():
            return None
        values = {name: self._written(name, text) for name, text in texts.items()}
        fields: dict[str, object] = {"relation": claimed.relation.format_map(values)}
        if claimed.of is not None:
            fields["subject"] = self._subject(texts)
        if claimed.obj is not None:
            fields["object"] = self._object(claimed.obj, texts, values)
        elif claimed.value is not None:
            fields["value"] = claimed.value.format_map(values)
        if None in fields.values():
            return None
        fields |= {"negated": True} if claimed.negated else {}
        fields |= {"mode": Mode.CHANGE} if claimed.change else {}
        try:
            checked_relation(str(fields["relation"]))
            return Fact.model_validate(fields | self._times())
        except (Incorrect, ValueError):
            return None

    # --- words ---------------------------------------------------------------------------------------------------

    def _type(self, slot: str) -> SlotType:
        return self.spoken.pack.slots[self.found.candidate.pattern.slots[slot]]

    def _written(self, name: str, text: str) -> str:
        pack, of = self.spoken.pack, self._type(name)
        if of.write is Written.LENGTH and (length := _length(self.spoken)) is not None:
            return length
        if of.timed:
            text = _bared(text.strip(), of)
        match of.write:
            case Written.UPPER:
                return text.upper()
            case Written.NAME:
                return "_".join(pack.spelling.get(word, word) for word in _JOINT.split(lowered(text)))
            case Written.KIND:
                return pack.things.kinds.get(pack.compared(text), text)
        return " ".join(text.split())

    # --- things --------------------------------------------------------------------------------------------------

    def _thing(self, text: str) -> Mention | None:
        spoken = self.spoken
        return thing(text, spoken.pack, spoken.it, first=spoken.words.startswith(text))

    def _subject(self, texts: Mapping[str, str]) -> Mention | None:
        said = [texts[slot] for slot in slots_in(self.claimed.of) if slot in texts]
        return self._thing(said[0]) if said else self.spoken.it

    def _object(self, template: str, texts: Mapping[str, str], values: Mapping[str, str]) -> Thing | None:
        """A thing that is mentioned, if it has a name or is something that people own; or whatever is called so."""
        slots = slots_in(template)
        if len(slots) == 1 and self._type(slots[0]).write is Written.THING:
            mentioned = self._thing(texts[slots[0]])
            known = mentioned is not None and (mentioned.name or mentioned.kind in self.spoken.pack.things.goods)
            return mentioned if known else None
        kind = None if self.claimed.kind is None else self.claimed.kind.format_map(values)
        if (noun := next((values[slot] for slot in slots_in(self.claimed.noun) if slot in values), None)) is not None:
            return Kin(kind=kind, name=template.format_map(values), noun=noun, by=self.claimed.relation)
        return (NewName if self.claimed.names else Mention)(kind=kind, name=template.format_map(values))

    def _is_ahead(self) -> bool:
        """Whether it is said to be so from a day that is still to come, which makes it nothing that is so."""
        claimed, begins = self.claimed, (Role.ON, Role.AHEAD)
        tells_when = any(self._type(slot).timed for slot in slots_in(claimed.value))
        if claimed.timing is not Timing.FROM or claimed.change or claimed.negated or tells_when:
            return False
        starts = (when.start for when in self.spoken.whens if when.role in begins)
        return any(start is not None and start > self.spoken.said_at for start in starts)

    # --- times ---------------------------------------------------------------------------------------------------

    def _times(self) -> dict[str, object]:
        """What the times in the words say of the fact."""
        begun = self.claimed.change or self.found.candidate.frame.toward is Toward.PAST
        found = (bounds(self.claimed.timing, when, begun, self.spoken.said_at) for when in self.spoken.whens)
        return next(filter(None, found), {})


def _bared(text: str, of: SlotType) -> str:
    """Words of time without those that say what for: `3 days` of `for 3 days`, `3일` of `3일 동안`."""
    dropped = of.drop.match(lowered(text))
    text = text if dropped is None else text[dropped.end() :]
    return text[: trailing(lowered(text), 0, len(text), of.trail)]


def _length(spoken: Spoken) -> str | None:
    """How many days it is until a time that only ends; None for what is a length as it was said."""
    for when in spoken.whens:
        if when.role is Role.UNTIL and when.end is not None and when.end > spoken.said_at:
            days = -((spoken.said_at - when.end) // DAY)
            return spoken.pack.lengths.get(days, spoken.pack.lengths[0]).format(n=days)
    return None


def bounds(timing: Timing, when: When, begun: bool, said_at: Instant) -> dict[str, object]:
    """The moments of a fact that a time is for; `begun`: it is the one at which the fact came to be so."""
    match timing, when.role:
        case Timing.FROM, Role.SINCE:
            return {"valid_from": when.starts}
        case Timing.FROM, Role.ON | Role.AGO | Role.AHEAD if begun:
            return {"valid_from": when.starts}
        case Timing.ON, Role.ON | Role.AHEAD:
            return {"on": when.starts}
        case ((Timing.FROM | Timing.LASTS), Role.UNTIL) if when.end is not None and when.end > said_at:
            return {"valid_to": when.ends}
        case Timing.LASTS, Role.DURATION | Role.ON if when.end is not None and when.end > said_at:
            return {"valid_to": when.ends}
    return {}
