"""What is said of one slot, folded into what holds: the rules of the belief algebra, written down a second time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf

from hub.facts import Arbitration, Claim, Entity, Instant, Interval, Mode, Value, ValueKey

NONE: ValueKey = ("none", "", "")
"""What a negation without a value says: there is nothing in this slot."""

SAME_AS = "same_as"
NEAR = 0.15


@dataclass(frozen=True)
class Slot:
    """`value` is given for a many-valued relation only."""

    subject: str
    relation: str
    value: Value | Entity | None = None


@dataclass(frozen=True)
class Answer:
    """`value` None is no belief; of an expired one the stretch is given all the same."""

    value: ValueKey | None = None
    winner: str | None = None
    contested: frozenset[ValueKey] = frozenset()
    expired: bool = False
    interval: Interval | None = None
    superseded_by: str | None = None
    first: str | None = None


NOTHING = Answer()


@dataclass(frozen=True)
class Word:
    """One claim as one slot hears it: `key` is there (`denies` false) or is not there (`denies` true)."""

    claim: Claim
    key: ValueKey
    denies: bool
    hidden: bool

    @property
    def started(self) -> float:
        given = self.claim.start_given or self.claim.mode is Mode.CHANGE
        return self.claim.interval.start if given else -inf


@dataclass(frozen=True)
class Verdict:
    """The word that holds at one instant, what was said like it without a break, and what contests it."""

    word: Word
    led: tuple[Word, ...]
    contested: frozenset[ValueKey] = frozenset()

    @property
    def silent(self) -> bool:
        return self.word.hidden

    @property
    def value(self) -> ValueKey | None:
        absent = self.silent or self.word.denies or self.word.key == NONE
        return None if absent else self.word.key


def held_at(claim: Claim, instant: Instant) -> bool:
    """From its start on, and up to its end, not at it."""
    start, end = claim.interval.start, claim.interval.end
    return start <= instant and not (end is not None and end <= instant)


def beats(claim: Claim, winner: Claim, run: float) -> bool:
    """The order of two claims of one slot: corrections first, then the world's order, then a move told late."""
    start = claim.interval.start
    if claim.mode is Mode.CORRECT or start >= winner.interval.start:
        return True
    move_told_late = claim.mode is Mode.CHANGE and claim.mode_given and claim.interval.end is None
    mere_observation = winner.mode is Mode.STATE and not winner.start_given
    return move_told_late and mere_observation and start >= run


def run_of(words: Sequence[Word]) -> float:
    return max((word.started for word in words), default=-inf)


def fold(words: Sequence[Word]) -> tuple[Word, tuple[Word, ...]] | None:
    """The winner, and what was said like it, without a break, up to it and after it.

    A value's run goes on when the value is denied: both speak of one stay, and its known starts still count.
    """
    winner: Word | None = None
    run: list[Word] = []
    led: list[Word] = []
    for word in words:
        stronger = winner is None or beats(word.claim, winner.claim, run_of(run))
        if winner is None or winner.key != word.key:
            if stronger and not word.denies:
                winner, run, led = word, [word], [word]
            continue
        run.append(word)
        if winner.denies == word.denies:
            led.append(word)
        elif stronger:
            led = [word]
        if stronger:
            winner = word
    return None if winner is None else (winner, tuple(led))


def still_open(words: Sequence[Word], arbitration: Arbitration) -> dict[ValueKey, list[Word]]:
    """The values nobody has displaced, each with its words, in the order of their last words."""
    standing: dict[ValueKey, list[Word]] = {}

    def displaced(by: Word, key: ValueKey) -> bool:
        return beats(by.claim, standing[key][-1].claim, run_of(standing[key]))

    for word in words:
        if arbitration is Arbitration.REVIEW:
            touched: list[ValueKey] = []
        elif word.denies:
            touched = [key for key in standing if key == word.key]
        else:
            moves = word.claim.mode is not Mode.STATE
            touched = [key for key in standing if moves and key != word.key]
        for key in [key for key in touched if displaced(word, key)]:
            del standing[key]
        if not word.denies:
            standing[word.key] = [*standing.pop(word.key, []), word]
    return standing


def undecided(words: Sequence[Word]) -> list[Word]:
    """Without what was recorded before a decision, unless it had said just that."""
    left = list(words)
    for decision in sorted((word for word in words if word.claim.settles), key=lambda word: word.claim.seq):
        older = [word for word in left if word.claim.seq < decision.claim.seq]
        other = [word for word in older if (word.key, word.claim.negated) != (decision.key, decision.claim.negated)]
        left = [word for word in left if word not in other]
    return left
