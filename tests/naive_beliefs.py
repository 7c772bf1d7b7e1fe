"""A slow and plain evaluator of the belief algebra: every question is answered from the whole ledger, nothing is kept.

It shares the nouns with the hub and not a line of the algebra. All the records it is given count as visible.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import inf

from hub.facts import (
    Arbitration,
    Cardinality,
    Claim,
    Entity,
    Hide,
    Instant,
    Interval,
    Mode,
    Record,
    Relation,
    Value,
    ValueKey,
    Withdraw,
    value_key,
)

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


@dataclass(frozen=True)
class World:
    """The records of one view as known at `known_at` (None: all of them), in ledger order."""

    records: Sequence[Record]
    registry: Mapping[str, Relation]
    trust: Mapping[str, float]
    known_at: Instant | None = None

    def ask(self, slot: Slot, valid_at: Instant) -> Answer:
        classes = self.classes(valid_at)
        verdict = self.verdict(slot, valid_at, classes)
        if verdict is None or verdict.silent:
            return NOTHING
        if verdict.value is None:
            return Answer(contested=verdict.contested)
        whole = self.stretch(slot, valid_at, classes, verdict.value)
        expired = self.expired(slot, valid_at, classes, verdict)
        return replace(
            whole,
            value=None if expired else verdict.value,
            winner=verdict.word.claim.id,
            contested=verdict.contested,
            expired=expired,
        )

    # --- which records count -------------------------------------------------------------------------------------

    def known(self) -> list[Record]:
        return [r for r in self.records if self.known_at is None or r.recorded_at <= self.known_at]

    def root(self, record: Record) -> Record:
        """The claim at the bottom of a chain of acts."""
        while isinstance(record, Withdraw | Hide):
            below = self.record(record.target)
            if below is None:
                return record
            record = below
        return record

    def record(self, id: str) -> Record | None:
        return next((r for r in self.known() if r.id == id), None)

    def counts(self, act: Withdraw | Hide) -> bool:
        """Whether whoever acted might, and nobody has taken it back since."""
        target, root = self.record(act.target), self.root(act)
        if target is None or self.withdrawn(act):
            return False
        owner = self.registry[root.relation].owner if isinstance(root, Claim) else None
        return act.as_operator or act.author.domain in (target.author.domain, owner)

    def withdrawn(self, record: Record) -> bool:
        acts = [r for r in self.known() if isinstance(r, Withdraw) and r.target == record.id]
        return any(self.counts(act) for act in acts)

    def hidden(self, claim: Claim) -> bool:
        acts = [r for r in self.known() if isinstance(r, Hide) and r.target == claim.id]
        return any(self.counts(act) for act in acts)

    def claims(self) -> list[Claim]:
        return [r for r in self.known() if isinstance(r, Claim) and not self.withdrawn(r)]

    # --- which things are one ------------------------------------------------------------------------------------

    def classes(self, valid_at: Instant) -> dict[str, str]:
        """Entity id to the least id of its class; an id that is not named stands for itself."""
        named = [c for c in self.claims() if c.relation == SAME_AS and c.obj is not None]
        pairs = sorted({tuple(sorted((c.subject.id, c.obj.id))) for c in named if c.obj is not None})
        classes: dict[str, str] = {}
        for pair in pairs:
            if self.joined(frozenset(pair), named, valid_at):
                one, other = (classes.get(id, id) for id in pair)
                least = min(one, other)
                members = [id for id, of in classes.items() if of in (one, other)]
                classes |= dict.fromkeys([*members, *pair], least)
        return classes

    def joined(self, pair: frozenset[str], named: Sequence[Claim], valid_at: Instant) -> bool:
        key: ValueKey = ("pair", " ".join(sorted(pair)), "")
        words = [
            Word(c, key, c.negated, self.hidden(c))
            for c in sorted(named, key=lambda c: (c.said_at, c.seq))
            if c.obj is not None and {c.subject.id, c.obj.id} == pair and c.interval.holds(valid_at)
        ]
        folded = fold(self.ranked(words, self.registry[SAME_AS]))
        return folded is not None and not folded[0].denies and not folded[0].hidden

    # --- one slot at one instant ---------------------------------------------------------------------------------

    def key_of(self, claim: Claim, classes: Mapping[str, str]) -> ValueKey:
        if claim.obj is not None:
            return ("entity", classes.get(claim.obj.id, claim.obj.id), "")
        return NONE if claim.value is None else value_key(claim.value)

    def words(self, slot: Slot, valid_at: Instant, classes: Mapping[str, str]) -> list[Word]:
        """What is said of the slot at the instant, in the order it was said."""
        heard = [
            word
            for claim in sorted(self.claims(), key=lambda c: (c.said_at, c.seq))
            if classes.get(claim.subject.id, claim.subject.id) == classes.get(slot.subject, slot.subject)
            if claim.interval.holds(valid_at)
            for word in self.heard(claim, self.registry[slot.relation], classes)
        ]
        if self.registry[slot.relation].cardinality is Cardinality.ONE:
            return heard
        asked = self.asked_key(slot, classes)
        return [word for word in heard if word.key == asked]

    def asked_key(self, slot: Slot, classes: Mapping[str, str]) -> ValueKey:
        if isinstance(slot.value, Entity):
            return ("entity", classes.get(slot.value.id, slot.value.id), "")
        assert slot.value is not None, "a slot of a many-valued relation has a value"
        return value_key(slot.value)

    def heard(self, claim: Claim, relation: Relation, classes: Mapping[str, str]) -> Iterator[Word]:
        key, hidden = self.key_of(claim, classes), self.hidden(claim)
        if claim.relation == relation.name:
            yield Word(claim, key, claim.negated and key != NONE, hidden)
        elif claim.relation == relation.opposite and not claim.negated:
            yield Word(claim, key, True, hidden)

    def ranked(self, words: Sequence[Word], relation: Relation) -> list[Word]:
        if relation.arbitration is Arbitration.LATEST:
            return list(words)
        left = undecided(words)
        first = [word for word in left if word.claim.settles or word.claim.author.domain == relation.owner]
        return first if first and relation.arbitration is Arbitration.OWNER else left

    def verdict(self, slot: Slot, valid_at: Instant, classes: Mapping[str, str]) -> Verdict | None:
        relation = self.registry[slot.relation]
        words = self.ranked(self.words(slot, valid_at, classes), relation)
        folded = fold(words)
        if folded is None:
            return None
        winner, led = folded
        if relation.arbitration is Arbitration.LATEST or winner.denies:
            return Verdict(winner, led)
        standing = {winner.key: list(led)} | still_open(words, relation.arbitration)
        if relation.arbitration is Arbitration.TRUST and len(standing) > 1:
            standing = self.trusted(standing, words)
        if winner.key not in standing:
            latest = max(standing.values(), key=lambda said: words.index(said[-1]))
            winner, led = latest[-1], tuple(latest)
        shown = {key for key, said in standing.items() if not all(word.hidden for word in said)}
        return Verdict(winner, led, frozenset(shown - {winner.key}))

    def trusted(self, standing: Mapping[ValueKey, list[Word]], words: Sequence[Word]) -> dict[ValueKey, list[Word]]:
        """Without what is clearly less trusted than the best; a forgotten voice weighs here as it does in the fold."""
        scores = {key: self.score(key, words) for key in standing}
        best = max(scores.values())
        decided = [word.key for word in words if word.claim.settles]
        return {key: said for key, said in standing.items() if best - scores[key] < NEAR - 1e-9 or key in decided}

    def score(self, key: ValueKey, words: Sequence[Word]) -> float:
        seen = [word for word in words if word.key == key and not word.denies]
        return max(self.trust[word.claim.author.domain] for word in seen)

    # --- the stretch around an instant ---------------------------------------------------------------------------

    def expired(self, slot: Slot, valid_at: Instant, classes: Mapping[str, str], verdict: Verdict) -> bool:
        relation = self.registry[slot.relation]
        if relation.ttl is None or verdict.word.claim.end_given:
            return False
        anchors = [
            max(
                word.claim.interval.start, word.claim.said_at, word.claim.on.at if word.claim.on else word.claim.said_at
            )
            for word in self.ranked(self.words(slot, valid_at, classes), relation)
            if word.key == verdict.word.key and not word.denies and not word.hidden
        ]
        return valid_at >= max(anchors) + relation.ttl

    def stretch(self, slot: Slot, valid_at: Instant, classes: Mapping[str, str], value: ValueKey) -> Answer:
        """Asks at every instant at which anything begins or ends, and walks out from the one asked about."""
        claims = self.claims()
        bounds = sorted(
            {c.interval.start for c in claims} | {c.interval.end for c in claims if c.interval.end is not None}
        )
        verdicts = [self.verdict(slot, bound, classes) for bound in bounds]
        low = high = max(i for i, bound in enumerate(bounds) if bound <= valid_at)
        while low > 0 and _value(verdicts[low - 1]) == value:
            low -= 1
        while high + 1 < len(bounds) and _value(verdicts[high + 1]) == value:
            high += 1
        after = high + 1
        opening = verdicts[low]
        assert opening is not None
        return Answer(
            interval=Interval(bounds[low], bounds[after] if after < len(bounds) else None),
            superseded_by=_began(verdicts[after], bounds[after]) if after < len(bounds) else None,
            first=next(word.claim.id for word in opening.led if not word.hidden),
        )


def _value(verdict: Verdict | None) -> ValueKey | None:
    return None if verdict is None else verdict.value


def _began(verdict: Verdict | None, instant: Instant) -> str | None:
    """The claim that took over at the instant, unless it had been there before or is hidden."""
    if verdict is None or verdict.silent or verdict.word.claim.interval.start != instant:
        return None
    return verdict.word.claim.id
