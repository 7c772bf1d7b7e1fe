"""Extraction by a model: what the rules have not understood is asked of it, and nothing it says is taken on trust."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from hub.errors import Incorrect
from hub.extract import Extractor, Heard, Reading
from hub.extract.claims import bounds
from hub.extract.frames import Timing
from hub.extract.quoted import Quotable, tells_an_end, within
from hub.extract.standing import bare, once, standing
from hub.extract.stated import Answer, Named, Stated, instructions
from hub.extract.when import Toward, times
from hub.facts import Cardinality, Instant, Mode
from hub.model import Model
from hub.redaction import PERSONAL, screened
from hub.registry import SAME_AS, Registry, checked_relation
from hub.requests import Fact, Mention

MOST = 50
"""Of one text no more of what a model says is taken."""
LONGEST_QUOTE = 1_000
"""Characters of a text that one fact is said in."""

AS_VALUES = frozenset({"home_airport", "lives_in", "order"})
"""Of a thing, but held as its name: so do the rules claim them, and the same is to be the same."""

_TIMINGS = {"start": Timing.FROM, "end": Timing.FROM, "day": Timing.ON, "length": Timing.LASTS, None: Timing.NONE}


@dataclass(frozen=True, slots=True)
class ByModel:
    """Asks `model` about what `rules` leave over, and reads by rules alone where it does not answer."""

    model: Model
    rules: Extractor

    def ask(self, text: str, *, lang: str, said_at: Instant, registry: Registry) -> Extractor:
        """What reads this text from now on, here. Raises Fault if the model gives no answer.

        INVARIANT: what leaves holds no secret and no personal data, nor anything but the text itself. A text whose
        every clause the rules understand does not leave at all.
        """
        if self.rules.read(text, lang=lang, said_at=said_at, zone="UTC").whole:
            return self.rules
        told = screened(text, PERSONAL, lang).kept
        return Answered(self.model.answer(instructions(registry), told, Answer), self.rules, registry)

    def close(self) -> None:
        self.model.close()


@dataclass(frozen=True, slots=True)
class Answered:
    """Reads the one text that a model was asked about: what the rules find, and of what it said whatever holds."""

    answer: Answer
    rules: Extractor
    registry: Registry
    local: bool = True

    def read(self, text: str, *, lang: str, said_at: Instant, zone: str) -> Reading:
        ruled = self.rules.read(text, lang=lang, said_at=said_at, zone=zone)
        words = Words(Quotable(text), lang, said_at, zone)
        told = once(heard for one in self.answer.stated[:MOST] if (heard := self._heard(one, words)) is not None)
        fit = standing(ruled.heard, told, words.said.text, self.registry)
        return Reading(tuple(sorted((*ruled.heard, *fit), key=lambda heard: heard.span)))

    # --- whether it holds ----------------------------------------------------------------------------------------

    def _heard(self, one: Stated, words: Words) -> Heard | None:
        """None for what is not said in these words, has no name for a relation, or makes no fact."""
        one, span = _bare(one), words.found(one.quote)
        if span is None or not self._may_be_claimed(one, words.said.text[slice(*span)]):
            return None
        try:
            return Heard(self._fact(one, words), span)
        except (ValueError, Incorrect):
            return None

    def _may_be_claimed(self, one: Stated, quote: str) -> bool:
        """INVARIANT: every word of a value, and of a name, is in the quote; and so is some word of what ends, if no
        value says what does."""
        if one.relation == SAME_AS or not self._is_relation(one.relation):
            return False
        rule = self.registry.of(one.relation, "")
        if one.value is None and one.thing is None:
            ends = one.ended and rule.cardinality is Cardinality.ONE
            return ends and tells_an_end(one.relation, quote, self.registry) and self._are_named(one, quote)
        return (one.value is None or within(one.value, quote) is not None) and self._are_named(one, quote)

    def _is_relation(self, name: str) -> bool:
        try:
            checked_relation(name)
        except Incorrect:
            return False
        return self.registry.knows(name) or not self.registry.rejects(name)

    def _are_named(self, one: Stated, quote: str) -> bool:
        """A thing has a name, or is of a kind that there is a word for, or that is named."""
        things = [named for named in (one.thing, one.about) if named is not None]
        named = all(thing.name is None or within(thing.name, quote) is not None for thing in things)
        return named and all(thing.name or (thing.kind and self._kind(thing.kind, quote)) for thing in things)

    def _kind(self, noun: str, quote: str) -> str | None:
        return self.registry.kind_of(noun) or (noun.lower() if within(noun, quote) is not None else None)

    # --- what it claims ------------------------------------------------------------------------------------------

    def _fact(self, one: Stated, words: Words) -> Fact:
        """Raises ValueError or Incorrect for what makes no fact."""
        fields = {"relation": one.relation, "negated": one.ended, **self._held(one)}
        if one.about is not None:
            fields["subject"] = self._mention(one.about, one.quote)
        if one.changed:
            fields["mode"] = Mode.CHANGE
        return Fact.model_validate(fields | words.bounds(one))

    def _held(self, one: Stated) -> dict[str, object]:
        """A thing where the relation holds things, else a value."""
        kind = self.registry.of(one.relation, "").object_kind
        name = one.value or (one.thing.name if one.thing is not None else None)
        if one.relation in AS_VALUES or (one.thing is None and kind is None):
            return {} if name is None else {"value": name}
        if one.thing is not None:
            return {"object": self._mention(one.thing, one.quote)}
        return {} if name is None else {"object": Mention(kind=kind, name=name)}

    def _mention(self, named: Named, quote: str) -> Mention:
        return Mention(kind=None if named.kind is None else self._kind(named.kind, quote), name=named.name)


@dataclass(frozen=True, slots=True)
class Words:
    """A text, and when and where it was said."""

    said: Quotable
    lang: str
    said_at: Instant
    zone: str

    def found(self, quote: str) -> tuple[int, int] | None:
        return None if len(quote) > LONGEST_QUOTE else self.said.found(quote)

    def bounds(self, one: Stated) -> dict[str, object]:
        """What is said of when; nothing if it can't be read, for that is not to be guessed."""
        if one.when is None or within(one.when, one.quote) is None:
            return {}
        toward = Toward.PAST if one.changed or one.when_is == "start" else Toward.AHEAD
        return next(self._bounds(one, toward), {})

    def _bounds(self, one: Stated, toward: Toward) -> Iterator[dict[str, object]]:
        timing, begun = _TIMINGS[one.when_is], toward is Toward.PAST
        for when in times(one.when or "", lang=self.lang, said_at=self.said_at, zone=self.zone, toward=toward):
            if found := bounds(timing, when, begun, self.said_at):
                yield found


def _bare(one: Stated) -> Stated:
    """Without the signs at the edges of what is held and of names, which a model copies along with the words."""
    named = {
        field: thing.model_copy(update={"name": bare(thing.name)})
        for field in ("thing", "about")
        if (thing := getattr(one, field)) is not None and thing.name is not None
    }
    value = None if one.value is None else bare(one.value)
    return one.model_copy(update={"value": value, **named})
