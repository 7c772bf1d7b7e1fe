"""A slow and plain evaluator of the belief algebra: every question is answered from the whole ledger.

It shares the nouns with the hub and not a line of the algebra. All the records it is given count as visible.
What does not change while one World is asked is kept by it, and nothing else.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

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
    ValueKey,
    Withdraw,
    value_key,
)
from hub.play.folding import (
    NEAR,
    NONE,
    NOTHING,
    SAME_AS,
    Answer,
    Slot,
    Verdict,
    Word,
    fold,
    held_at,
    still_open,
    undecided,
)

__all__ = ["NONE", "NOTHING", "SAME_AS", "Answer", "Slot", "World"]


@dataclass(frozen=True)
class World:
    """The records of one view as known at `known_at` (None: all of them), in ledger order.

    A relation whose owner is empty belongs to whoever writes it. `trust`: how far a domain's word counts where that has
    been said; elsewhere it is learned. `erased`: claims that keep their place, though nothing is left of them.
    """

    records: Sequence[Record]
    registry: Mapping[str, Relation]
    trust: Mapping[str, float]
    known_at: Instant | None = None
    erased: frozenset[str] = frozenset()

    def ask(self, slot: Slot, valid_at: Instant) -> Answer:
        return self.answer(slot, valid_at, self.classes(valid_at))

    def history(self, slot: Slot, valid_at: Instant) -> Iterator[Answer]:
        """Every stretch on which the slot held something, oldest first, as it was when it began."""
        classes = self.classes(valid_at)
        for start in self.bounds(slot, classes):
            answer = self.answer(slot, start, classes)
            if answer.interval is not None and answer.interval.start == start:
                yield answer

    def answer(self, slot: Slot, valid_at: Instant, classes: Mapping[str, str]) -> Answer:
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

    @cached_property
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
        return self.by_id.get(id)

    @cached_property
    def by_id(self) -> dict[str, Record]:
        return {r.id: r for r in self.known}

    @cached_property
    def acts(self) -> dict[str, list[Withdraw | Hide]]:
        """Record id to what was done to it."""
        acts = [r for r in self.known if isinstance(r, Withdraw | Hide)]
        return {target: [act for act in acts if act.target == target] for target in {act.target for act in acts}}

    def counts(self, act: Withdraw | Hide) -> bool:
        """Whether whoever acted might, and nobody has taken it back since."""
        target, root = self.record(act.target), self.root(act)
        if target is None or self.withdrawn(act):
            return False
        owner = (self.registry[root.relation].owner or root.author.domain) if isinstance(root, Claim) else None
        return act.as_operator or act.author.domain in (target.author.domain, owner)

    def withdrawn(self, record: Record) -> bool:
        return any(isinstance(act, Withdraw) and self.counts(act) for act in self.acts.get(record.id, ()))

    def hidden(self, claim: Claim) -> bool:
        acts = self.acts.get(claim.id, ())
        return claim.id in self.erased or any(isinstance(act, Hide) and self.counts(act) for act in acts)

    @cached_property
    def claims(self) -> list[Claim]:
        """Those that stand, in the order in which they were said."""
        standing = [r for r in self.known if isinstance(r, Claim) and not self.withdrawn(r)]
        return sorted(standing, key=lambda c: (c.said_at, c.seq))

    # --- which things are one ------------------------------------------------------------------------------------

    def classes(self, valid_at: Instant) -> dict[str, str]:
        """Entity id to the least id of its class; an id that is not named stands for itself."""
        named = [c for c in self.claims if c.relation == SAME_AS and c.obj is not None]
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
            for c in named
            if c.obj is not None and {c.subject.id, c.obj.id} == pair and held_at(c, valid_at)
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
        return [word for word in self.ever(slot, classes) if held_at(word.claim, valid_at)]

    def bounds(self, slot: Slot, classes: Mapping[str, str]) -> list[Instant]:
        """Every instant at which anything that is said of the slot begins or ends."""
        intervals = [word.claim.interval for word in self.ever(slot, classes)]
        return sorted({i.start for i in intervals} | {i.end for i in intervals if i.end is not None})

    def ever(self, slot: Slot, classes: Mapping[str, str]) -> list[Word]:
        """What is said of the slot about any instant."""
        heard = [
            word
            for claim in self.claims
            if classes.get(claim.subject.id, claim.subject.id) == classes.get(slot.subject, slot.subject)
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
            standing = self.trusted(standing, words, relation.name)
        if winner.key not in standing:
            latest = max(standing.values(), key=lambda said: words.index(said[-1]))
            winner, led = latest[-1], tuple(latest)
        shown = {key for key, said in standing.items() if not all(word.hidden for word in said)}
        return Verdict(winner, led, frozenset(shown - {winner.key}))

    def trusted(
        self, standing: Mapping[ValueKey, list[Word]], words: Sequence[Word], relation: str
    ) -> dict[ValueKey, list[Word]]:
        """Without what is clearly less trusted than the best; a forgotten voice weighs here as it does in the fold."""
        scores = {key: self.score(key, words, relation) for key in standing}
        best = max(scores.values())
        decided = [word.key for word in words if word.claim.settles]
        return {key: said for key, said in standing.items() if best - scores[key] < NEAR - 1e-9 or key in decided}

    def score(self, key: ValueKey, words: Sequence[Word], relation: str) -> float:
        seen = [word.claim for word in words if word.key == key and not word.denies]
        return max(self.weight(claim.author.domain, relation) for claim in seen)

    def weight(self, domain: str, relation: str) -> float:
        given = self.trust.get(domain)
        return self.learned(domain, relation) if given is None else given

    # --- how far the word of a domain counts ---------------------------------------------------------------------

    def learned(self, domain: str, relation: str) -> float:
        """The share of what it said there that others bore out, where two voices for and two against come first."""
        said = [c for c in self.known if isinstance(c, Claim) and c.relation == relation and not c.negated]
        mine = [c for c in said if c.author.domain == domain and c.id not in self.erased]
        wrong = [c for c in mine if self.refuted(c, said)]
        right = [c for c in mine if c not in wrong and not self.withdrawn(c) and any(self.later(c, said, alike=True))]
        return round((2 + len(right)) / (4 + len(right) + len(wrong)), 6)

    def refuted(self, claim: Claim, said: Sequence[Claim]) -> bool:
        """By another domain that takes it back, or corrects it for a time it speaks of."""
        acts = self.acts.get(claim.id, ())
        back = [act for act in acts if isinstance(act, Withdraw) and act.author.domain != claim.author.domain]
        others = [c for c in self.later(claim, said, alike=False) if c.mode is Mode.CORRECT]
        return any(map(self.counts, back)) or any(_meet(c, claim) for c in others)

    def later(self, claim: Claim, said: Sequence[Claim], *, alike: bool) -> Iterator[Claim]:
        """What other domains have said of the same thing since, and not taken back."""
        content = claim.value if claim.obj is None else claim.obj
        for other in said:
            about = other.seq > claim.seq and other.subject.id == claim.subject.id and other.id not in self.erased
            if about and other.author.domain != claim.author.domain and not self.withdrawn(other):
                told = other.value if other.obj is None else other.obj
                if told is not None and content is not None and alike == (value_key(told) == value_key(content)):
                    yield other

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
        bounds = self.bounds(slot, classes)
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


def _meet(one: Claim, other: Claim) -> bool:
    """Whether there is an instant for which both are said."""
    return any(held_at(one, start) and held_at(other, start) for start in (one.interval.start, other.interval.start))


def _value(verdict: Verdict | None) -> ValueKey | None:
    return None if verdict is None else verdict.value


def _began(verdict: Verdict | None, instant: Instant) -> str | None:
    """The claim that took over at the instant, unless it had been there before or is hidden."""
    if verdict is None or verdict.silent or verdict.word.claim.interval.start != instant:
        return None
    return verdict.word.claim.id
