"""From words that fill a frame to the facts it claims: values, things, and the times that go with them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from hub.errors import Incorrect
from hub.extract.frames import Claimed, Timing, slots_in
from hub.extract.pack import Candidate, Pack, lowered
from hub.extract.slots import Fitted, SlotType, Spacing, Written, trailing
from hub.extract.when import Role, Toward, When
from hub.facts import Instant, Mode
from hub.moments import DAY
from hub.registry import checked_relation
from hub.requests import Fact, Mention

_CASELESS = re.compile("[\u3041-\u30ff\u3400-\u9fff\uac00-\ud7a3A-Z0-9]")
_JOINT = re.compile(r"[\s\-]+")


@dataclass(frozen=True, slots=True)
class Found:
    """A frame whose words stand in `[at, end)` of a sentence; times that go with it may come before, from `start`."""

    candidate: Candidate
    filled: Mapping[str, Fitted]
    start: int
    at: int
    end: int


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
    facts: list[Fact] = []
    it: Mention | None = None
    if found.candidate.frame.needs_time and not spoken.whens:
        return [], None
    for claimed in found.candidate.frame.claims:
        for texts in _filled(claimed, found, spoken):
            fact = _fact(claimed, texts, found, spoken)
            if fact is None:
                return [], None
            facts.append(fact)
            it = _thing_of(fact) or it
    return facts, it


def _thing_of(fact: Fact) -> Mention | None:
    return next((thing for thing in (fact.object, fact.subject) if isinstance(thing, Mention)), None)


def _filled(claimed: Claimed, found: Found, spoken: Spoken) -> Iterator[dict[str, str]]:
    """The words for each slot; once for every item of a list that the claim speaks of. None, if a slot is empty."""
    wanted = {
        s for part in (claimed.relation, claimed.value, claimed.obj, claimed.kind, claimed.of) for s in slots_in(part)
    }
    if not wanted <= found.filled.keys():
        return
    texts = {name: _items(found.filled[name], spoken) for name in wanted}
    rounds = max(map(len, texts.values()), default=1)
    for n in range(rounds):
        yield {name: each[n] if len(each) > 1 else each[0] for name, each in texts.items()}


def _items(slot: Fitted, spoken: Spoken) -> list[str]:
    """The words of each; “Thai and Vietnamese food” is twice food."""
    items = [spoken.words[start:end] for start, end in slot.spans]
    *_, noun = items[-1].split() or [""]
    shared, compared = spoken.pack.shared, spoken.pack.compared
    if len(items) == 1 or noun == items[-1] or shared.nouns.fullmatch(compared(noun)) is None:
        return items
    return [f"{one} {noun}" if shared.before.fullmatch(compared(one)) else one for one in items]


def _fact(claimed: Claimed, texts: Mapping[str, str], found: Found, spoken: Spoken) -> Fact | None:
    values = {name: _written(name, text, found, spoken) for name, text in texts.items()}
    subject = None
    if claimed.of is not None:
        subject = thing(texts[slots_in(claimed.of)[0]], spoken)
        if subject is None:
            return None
    fields: dict[str, object] = {"relation": _with(claimed.relation, values)}
    if claimed.obj is not None:
        fields["object"] = _object(claimed, texts, values, found, spoken)
        if fields["object"] is None:
            return None
    elif claimed.value is not None:
        fields["value"] = _with(claimed.value, values)
    if subject is not None:
        fields["subject"] = subject
    if claimed.negated:
        fields["negated"] = True
    if claimed.change:
        fields["mode"] = Mode.CHANGE
    fields |= _timed(claimed, found, spoken)
    try:
        checked_relation(str(fields["relation"]))
        return Fact.model_validate(fields)
    except (Incorrect, ValueError):
        return None


def _object(
    claimed: Claimed, texts: Mapping[str, str], values: Mapping[str, str], found: Found, spoken: Spoken
) -> Mention | None:
    """A thing that is mentioned, under its kind if it has no name of its own; or whatever is called so."""
    slots = slots_in(claimed.obj)
    if len(slots) == 1 and _type(slots[0], found, spoken).write is Written.THING:
        mentioned = thing(texts[slots[0]], spoken)
        known = mentioned is not None and (mentioned.name or mentioned.kind in spoken.pack.things.goods)
        return mentioned if known else None
    name = _with(claimed.obj or "", values)
    return Mention(name=name) if claimed.kind is None else Mention(kind=_with(claimed.kind, values), name=name)


def _type(slot: str, found: Found, spoken: Spoken) -> SlotType:
    return spoken.pack.slots[found.candidate.pattern.slots[slot]]


def _with(template: str, values: Mapping[str, str]) -> str:
    return template.format_map(values)


def _written(name: str, text: str, found: Found, spoken: Spoken) -> str:
    pack = spoken.pack
    of = _type(name, found, spoken)
    if of.write is Written.LENGTH and (length := _length(spoken)) is not None:
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
        case _:
            return " ".join(text.split())


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


# --- things ------------------------------------------------------------------------------------------------------


def thing(text: str, spoken: Spoken) -> Mention | None:
    """A mention of a thing: “it”, “my car”, “the Civic”, “my Sony WH-1000XM5 headphones”."""
    things, low = spoken.pack.things, spoken.pack.compared(text)
    if things.pronouns.fullmatch(low) is not None:
        return spoken.it
    start, end = 0, len(text)
    if (before := things.before.match(low)) is not None:
        start = before.end()
    for after in things.after.finditer(low, start):
        end = after.start() if after.end() == end else end
    return _mention(text[start:end].strip(), spoken)


def _mention(text: str, spoken: Spoken) -> Mention | None:
    kinds, compared = spoken.pack.things.kinds, spoken.pack.compared
    words = text.split() if spoken.pack.spacing is not Spacing.NONE else list(text)
    glue = " " if spoken.pack.spacing is not Spacing.NONE else ""
    for length in range(len(words), 0, -1):
        for noun, rest in ((words[-length:], words[:-length]), (words[:length], words[length:])):
            kind = kinds.get(compared(glue.join(noun)))
            if kind is not None:
                name = glue.join(rest)
                return Mention(kind=kind, name=name) if _CASELESS.search(name) else Mention(kind=kind)
    if not _CASELESS.search(text):
        return Mention(kind=lowered(text)) if text else None
    if len(words) > 1 and words[-1].isalpha() and words[-1].islower():
        return Mention(kind=words[-1], name=glue.join(words[:-1]))
    return Mention(name=text)


# --- times -------------------------------------------------------------------------------------------------------


def _timed(claimed: Claimed, found: Found, spoken: Spoken) -> dict[str, object]:
    """What the times in the words say of the fact."""
    begun = claimed.change or found.candidate.frame.toward is Toward.PAST
    for when in spoken.whens:
        fields = _bounds(claimed.timing, when, begun, spoken.said_at)
        if fields:
            return fields
    return {}


def _bounds(timing: Timing, when: When, begun: bool, said_at: Instant) -> dict[str, object]:
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
