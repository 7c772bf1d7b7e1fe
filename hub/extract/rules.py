"""Extraction by rules: frames of a language held against the clauses of a text, offline and in bounded steps."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from hub.extract import Heard, Reading
from hub.extract.claims import Found, Spoken, facts_of
from hub.extract.others import Retold
from hub.extract.pack import Candidate, Pack, lowered, shipped_pack
from hub.extract.patterns import TIMED, WILD
from hub.extract.sentences import Sentence, composed, masked, quotes_masked, sentences, straight
from hub.extract.slots import Fitted, fitted
from hub.extract.when import Toward, When, times
from hub.facts import Instant
from hub.requests import Fact, Mention
from hub.text import lang_of

MOST_FACTS = 200
"""Of one text no more is claimed."""

MOST_CLAUSES = 60
_WINDOW = 400
_SKIPPED = f" \t\n\r{TIMED}"


class Rules:
    """Reads by the packs that come with the hub; `nouns` says which word of which language names what kind of thing."""

    local = True

    def __init__(self, nouns: Mapping[str, Mapping[str, Iterable[str]]]) -> None:
        self._nouns = nouns
        self._packs: dict[tuple[str, bool], Pack | None] = {}

    def read(self, text: str, *, lang: str, said_at: Instant, zone: str) -> Reading:
        text = composed(text)
        turn = Turn(said_at, zone)
        whole = True
        for sentence in sentences(text):
            words = text[sentence.start : sentence.end]
            pack = self._pack(words, lang)
            whole &= pack is not None and _read(words, sentence, pack, turn)
            if len(turn.heard) >= MOST_FACTS:
                return Reading(tuple(turn.heard[:MOST_FACTS]))
        return Reading(tuple(turn.heard), whole=whole and bool(turn.heard))

    def _pack(self, words: str, lang: str) -> Pack | None:
        """That of the language the sentence is in, which need not be that of the text."""
        seen = lang_of(words)
        if seen == "en" and (lang == "vi" or not words.isascii()):
            seen = lang
        return self._compiled(seen, seen == "vi" and words.isascii())

    def _compiled(self, lang: str, bare: bool) -> Pack | None:
        if (lang, bare) not in self._packs:
            nouns = {noun: kind for kind, by_lang in self._nouns.items() for noun in by_lang.get(lang, ())}
            self._packs[lang, bare] = shipped_pack(lang, nouns, bare=bare)
        return self._packs[lang, bare]


def _read(words: str, sentence: Sentence, pack: Pack, turn: Turn) -> bool:
    """Whether all of a sentence was understood, as said of the customer or of somebody else."""
    before = len(turn.heard)
    understood = Clauses(words, sentence, pack, turn).read()
    if len(turn.heard) > before or sentence.asked or pack.others is None:
        return understood
    retold = pack.others.retold(words)
    return understood if retold is None else _of_another(retold, sentence, pack, turn)


def _of_another(retold: Retold, sentence: Sentence, pack: Pack, turn: Turn) -> bool:
    """All of it or nothing: in what is only half understood somebody else may have come in."""
    theirs = Turn(turn.said_at, turn.zone)
    whole = Clauses(retold.words, Sentence(0, len(retold.words), False), pack, theirs).read()
    if not whole or any(heard.fact.subject is not None for heard in theirs.heard):
        return False
    span = (sentence.start, sentence.end)
    turn.heard += [Heard(one.fact.model_copy(update={"subject": retold.who}), span) for one in theirs.heard]
    return bool(theirs.heard)


@dataclass(slots=True)
class Turn:
    """What is known while a text is read: when and where it was said, what was heard, and what “it” would mean."""

    said_at: Instant
    zone: str
    heard: list[Heard] = field(default_factory=list)
    it: Mention | None = None


class Clauses:
    """One sentence, read from clause to clause."""

    def __init__(self, words: str, sentence: Sentence, pack: Pack, turn: Turn) -> None:
        self.words = words
        self.sentence = sentence
        self.pack = pack
        self.turn = turn
        self.low = straight(pack.compared(words))
        self.cased = words != words.lower()
        self.readable = len(words)
        """Where a question begins, or what says nothing of the customer."""

    def read(self) -> bool:
        """Whether every clause said something that was heard."""
        candidates = self._candidates()
        if not candidates:
            return not self._uncovered([])
        self.low = masked(quotes_masked(self.low), [when.span for when in self.ahead])
        covered: list[tuple[int, int]] = []
        said: list[int] = []
        upto = 0
        other = once = False  # whether the clause before was not understood, or told of what is no more
        for start in self._starts():
            if start < upto:
                continue
            at = self._opened(start)
            if once and self.pack.nowadays.match(self.low, start) is None:
                continue
            if (
                other
                and not once
                and self.pack.speaker is not None
                and self.pack.speaker.match(self.low, start) is None
            ):
                continue
            other = once = False
            goes_on = bool(said) and self._follows(said[-1], start)
            found = self._found(candidates, start, at, goes_on=goes_on)
            if found is not None:
                upto = found.end
                said.append(upto)
                if found.whole:
                    covered.append((start, upto))
            elif self.pack.formerly.match(self.low, at) is not None:
                once = True
                self.readable = min(self.readable, start)
            elif not self._is_opener(start, at) and not self._speaks(start, at):
                other = True
        self._anywhere(candidates)
        return not self._uncovered(covered)

    # --- where statements may begin ------------------------------------------------------------------------------

    def _candidates(self) -> list[Candidate]:
        found = {n for anchor, numbers in self.pack.found.items() if anchor in self.low for n in numbers}
        return [self.pack.candidates[n] for n in sorted(found)]

    @cached_property
    def _breaks(self) -> dict[int, int]:
        """Where clauses end, and where the next ones begin."""
        return {found.start(): found.end() for found in self.pack.breaks.finditer(self.low)}

    def _starts(self) -> Iterator[int]:
        """The beginning of each clause that may state something: none of those after a guard, or that ask."""
        starts = [0, *self._breaks.values()][:MOST_CLAUSES]
        asked = self._asked(starts)
        for start in starts:
            if start >= asked or self.pack.guards.match(self.low, self._opened(start)) is not None:
                self.readable = start
                return
            yield start

    def _asked(self, starts: list[int]) -> int:
        """Where the question begins; after the end if there is none."""
        end = len(self.low)
        if not self.sentence.asked and self.pack.questions.search(self.low, max(0, end - 12)) is None:
            return end + 1
        if self.pack.tags.match(self.low, starts[-1]) is not None:
            return 0
        openings = [start for start in starts if self.pack.asks.match(self.low, self._opened(start)) is not None]
        if self.pack.asks.pattern == "(?!)":
            openings = starts[-1:]
        return openings[0] if openings else 0

    def _speaks(self, start: int, at: int) -> bool:
        """Whether the speaker is named before a statement, so that the clauses after it go on with the same subject."""
        speaker = self.pack.speaker
        return speaker is not None and speaker.search(self.low, start, at) is not None

    def _is_opener(self, start: int, at: int) -> bool:
        """Whether a clause is nothing but a greeting, or words of time."""
        return at >= len(self.low) or self.pack.breaks.match(self.low, at) is not None

    def _opened(self, at: int) -> int:
        """After whatever may come before a statement without changing it: greetings, “actually”, words of time."""
        for _ in range(8):
            after = len(self.low) - len(self.low[at:].lstrip(_SKIPPED))
            found = self.pack.openers.match(self.low, after)
            if found is None or found.end() == after:
                return after
            at = found.end()
        return at

    # --- statements ----------------------------------------------------------------------------------------------

    def _follows(self, end: int, start: int) -> bool:
        """Whether a clause begins just where another statement has ended."""
        return end == start or self._breaks.get(end) == start

    def _found(self, candidates: list[Candidate], start: int, at: int, *, goes_on: bool) -> Found | None:
        for candidate in candidates:
            if candidate.frame.anywhere or (candidate.goes_on and not goes_on):
                continue
            found = self._stated(candidate, start, at)
            if found is not None and self._claimed(found):
                return found
        return None

    def _stated(self, candidate: Candidate, start: int, at: int) -> Found | None:
        if candidate.pattern.timed:
            at = self._timed(start, at)
        match = candidate.pattern.regex.match(self.low, at, min(len(self.low), at + _WINDOW))
        if match is None:
            return None
        filled: dict[str, Fitted] = {}
        end, cut = match.end(), False
        for name, of in candidate.pattern.slots.items():
            if match[name] is None:
                continue
            last = match.end(name) == match.end()
            slot = fitted(self.words, self.low, match.span(name), self.pack.slots[of], last=last, cased=self.cased)
            if slot is None:
                return None
            filled[name] = slot
            if last:
                end, cut = slot.end, slot.end < match.end()
        after = self._closed(end, cut)
        if after is None and not candidate.frame.anywhere:
            return None
        whole = not candidate.frame.refuse and filled.keys() <= candidate.frame.claimed and not _is_wild(match)
        return Found(candidate, filled, self._said_from(start), at, end if after is None else after, whole)

    def _timed(self, start: int, at: int) -> int:
        """Where the words of time begin that stand right before a statement."""
        before = self.low[start:at]
        skipped = before[len(before.rstrip(_SKIPPED)) :]
        return at - len(skipped.lstrip(_SKIPPED.replace(TIMED, ""))) if TIMED in skipped else at

    def _closed(self, end: int, cut: bool) -> int | None:
        """The end of a statement with what may follow it; None if its clause goes on in another way."""
        said = end
        while True:
            at = self._skipped(said, _SKIPPED)
            found = self.pack.tails.match(self.low, at)
            if found is None or found.end() == at:
                break
            said = found.end()
        bare, close = len(self.low[:at].rstrip()), self._skipped(said, None)
        if at >= len(self.low) or at in self._breaks or at in self._breaks.values():
            return at
        if bare in self._breaks or close in self._breaks.values():  # words of time stand beside the joint
            return bare if bare in self._breaks else close
        return end if cut and self.pack.guards.match(self.low, at) is None else None

    def _skipped(self, at: int, signs: str | None) -> int:
        return len(self.low) - len(self.low[at:].lstrip(signs))

    def _said_from(self, start: int) -> int:
        """Where the words of time begin that go with a clause: before it, if nothing else stands there."""
        for earlier in (0, *self._breaks.values()):
            opened = self._opened(earlier)
            if earlier <= start and self._breaks.get(opened, opened) >= start:
                return earlier
        return start

    def _anywhere(self, candidates: list[Candidate]) -> None:
        """What is said in passing, also within clauses that say nothing else."""
        for candidate in candidates:
            if candidate.frame.anywhere:
                for match in candidate.pattern.regex.finditer(self.low, 0, self.readable):
                    found = self._stated(candidate, match.start(), match.start())
                    if found is not None:
                        self._claimed(found)

    def _claimed(self, found: Found) -> bool:
        """Whether anything came of it; a frame that refuses is understood as well."""
        if found.candidate.frame.refuse:
            return True
        spoken = Spoken(self.words, self.low, self.pack, self.turn.said_at, self._whens(found), self.turn.it)
        facts, it = facts_of(found, spoken)
        if not facts:
            return False
        self.turn.it = it or self.turn.it
        place = self.sentence.start
        span = (place + found.at, place + found.end)
        self.turn.heard += [Heard(fact, span) for fact in facts if not self._said(fact, span)]
        return True

    def _said(self, fact: Fact, span: tuple[int, int]) -> bool:
        """Whether it was claimed before, or the same words say more in another frame."""
        return any(
            heard.fact == fact or (heard.fact.relation == fact.relation and _inside(span, heard.span))
            for heard in self.turn.heard
        )

    # --- time ----------------------------------------------------------------------------------------------------

    @cached_property
    def ahead(self) -> tuple[When, ...]:
        return self._times(Toward.AHEAD)

    @cached_property
    def past(self) -> tuple[When, ...]:
        return self._times(Toward.PAST)

    def _times(self, toward: Toward) -> tuple[When, ...]:
        turn = self.turn
        found = times(self.words, lang=self.pack.lang, said_at=turn.said_at, zone=turn.zone, toward=toward)
        plain, rates = lowered(self.words), self.pack.rates
        return tuple(when for when in found if rates.fullmatch(plain, *when.span) is None)

    def _whens(self, found: Found) -> tuple[When, ...]:
        whens = self.past if found.candidate.frame.toward is Toward.PAST else self.ahead
        until = min((end for end in self._breaks if end >= found.end), default=len(self.low))
        return tuple(when for when in whens if found.start <= when.span[0] and when.span[1] <= until)

    def _uncovered(self, covered: list[tuple[int, int]]) -> bool:
        """Whether a clause is left that says more than a greeting."""
        at = 0
        for start, end in [*covered, (len(self.low), len(self.low))]:
            while at < start:
                opened = self._opened(at)
                after = self.pack.breaks.match(self.low, opened)
                if opened == at and after is None:
                    return True
                at = opened if after is None else after.end()
            at = max(at, end)
        return False


def _is_wild(match: re.Match[str]) -> bool:
    return any(said is not None for name, said in match.groupdict().items() if name.startswith(WILD))


def _inside(span: tuple[int, int], other: tuple[int, int]) -> bool:
    return span != other and other[0] <= span[0] and span[1] <= other[1]
