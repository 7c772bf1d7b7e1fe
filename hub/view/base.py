"""The rows one label set may ever read of one customer, indexed, growing by appending."""

from __future__ import annotations

import threading
from bisect import bisect_right, insort
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import cache

from hub.codec import Quick
from hub.facts import (
    CUSTOMER,
    Act,
    Claim,
    Entity,
    Feedback,
    Filing,
    Gap,
    Instant,
    Passage,
    Precision,
    Record,
    Turn,
    ValueKey,
    folded,
    value_key,
)
from hub.registry import SAME_AS, Registry
from hub.text import parts_of, tokens
from hub.view.days import marks_of
from hub.view.kept import Keeping, Place
from hub.view.meanings import Meanings

ANY_KIND = "thing"

Parts = Callable[[str], Sequence[str]] | None
"""`hub.text.parts_of`, with a memory of what it made of a word; None without."""

ROW, CLAIM, WORD, POSTING = 800, 700, 30, 200
"""Bytes that a row takes up, a claim or an act beyond that, an indexed word, and a word's list of rows, as measured."""

THE_CUSTOMER = Entity(CUSTOMER, "person", "customer")


class Row(Quick, frozen=True):
    """An entry of the ledger with its labels: from `at` on the record is filed there, or (`leaves`) no longer.

    In a base it is a record's stay under one filing, and `at` is when this label set came to hold it.
    """

    record: Record
    filing: Filing
    at: Instant
    seq: int
    leaves: bool = False


@dataclass(slots=True)
class Naming:
    """The entities under one word, each with the rows that put it there; in the order of the first of them."""

    rows: dict[str, list[int]] = field(default_factory=dict)
    entities: list[str] = field(default_factory=list)
    firsts: list[int] = field(default_factory=list)

    def add(self, entity: str, number: int) -> None:
        rows = self.rows.get(entity)
        if rows is None:
            self.rows[entity] = [number]
            self.entities.append(entity)
            self.firsts.append(number)
        elif rows[-1] != number:
            rows.append(number)


class Base:
    """Every row of one customer under one clearance, in ledger order; it only grows.

    INVARIANT: `ats` and `seqs` never decrease along the rows, so a point in recorded time is a prefix.
    INVARIANT: rows of a record that is no longer filed under this clearance are not in here at all.
    `left` maps a row to when, and by which entry, its record moved on to another filing of this clearance.
    """

    def __init__(self, registry: Registry, origin: int = 0, embedder: str | None = None) -> None:
        self.registry = registry
        self.growing = threading.Lock()
        self.origin = origin  # the sequence number it was built at
        self.after = 0  # everything up to this sequence number has been looked at
        self.asked = 0  # how often it has been asked for
        self.rows: list[Row] = []
        self.ats: list[Instant] = []
        self.seqs: list[int] = []
        self.left: dict[int, tuple[Instant, int]] = {}
        self.left_ats: list[Instant] = []  # in order
        self.left_seqs: list[int] = []  # in order
        self.by_id: dict[str, tuple[int, ...]] = {}
        self.acts_on: dict[str, list[int]] = defaultdict(list)
        self.acts_at: dict[Place, list[int]] = defaultdict(list)  # by what the claim acted upon is about
        self.loose_acts: list[int] = []  # on what is not in here
        self.acts: list[int] = []
        self.claims_of: dict[Place, list[int]] = defaultdict(list)
        self.claims_saying: dict[tuple[str, str, ValueKey], list[int]] = defaultdict(list)
        self.relations_of: dict[str, list[str]] = defaultdict(list)
        self.told_by: dict[str, list[int]] = defaultdict(list)  # claims by relation, and what erased ones left
        self.told_of: dict[str, list[int]] = defaultdict(list)  # claims by subject
        self.claims_on: dict[str, list[int]] = defaultdict(list)  # and by object
        self.claims_from: dict[str, list[int]] = defaultdict(list)
        self.gaps: set[str] = set()
        self.gaps_of: dict[Place, list[int]] = defaultdict(list)
        self.same: list[int] = []
        self.same_acts: list[int] = []
        self.turns: list[int] = []
        self.passages: list[int] = []
        self.latest: dict[Filing, tuple[int, str, int]] = {}  # of company knowledge: the last row, and so many passages
        self.documents: dict[str, list[int]] = defaultdict(list)  # passages by document
        self.uses: dict[str, list[int]] = defaultdict(list)  # feedback by what it says was of use
        self.feedback: dict[str, list[int]] = defaultdict(list)  # by recall
        self.talks: dict[str, list[int]] = defaultdict(list)  # turns by session
        self.postings: dict[str, list[int]] = defaultdict(list)
        self.lengths: list[int] = []
        self.words: list[int] = [0]  # how many there are in the rows before
        self.texts: list[int] = [0]  # how many of those have any
        self.importances: list[float] = [0.0]  # the most that a claim among the rows before matters
        self.names: dict[str, Naming] = defaultdict(Naming)  # by a token of the name
        self.kinds: dict[str, Naming] = defaultdict(Naming)  # by the kind, in the registry's word for it
        self.unregistered: dict[str, dict[str, None]] = defaultdict(dict)  # relations that no file has, by a word
        self.subjects: dict[str, Naming] = defaultdict(Naming)  # by a relation that is claimed of them
        self.called: dict[str, dict[str, list[int]]] = defaultdict(lambda: defaultdict(list))
        self.mentions: dict[str, list[int]] = defaultdict(list)
        self.meanings = Meanings(embedder)
        self.kept = Keeping()

    def take(self, entries: Iterable[Row]) -> bool:
        """Appends what has newly been filed; False if something moved, so that the base must be built anew.

        A record that left, or came in from another filing, has a past that appending can't tell.
        """
        entries = list(entries)
        if self.after and any(entry.leaves or entry.at > entry.record.recorded_at for entry in entries):
            return False
        # For these rows alone: the more there are, the more often a word comes again.
        parts = None if len(entries) == 1 else cache(parts_of)
        if not any(entry.leaves for entry in entries):
            for row in entries:
                self.append(row, parts)
            return True
        for row, left in _stays(entries):
            if left is not None:
                self.left[len(self.rows)] = left
                insort(self.left_ats, left[0])
                insort(self.left_seqs, left[1])
            self.append(row, parts)
        return True

    def append(self, row: Row, parts: Parts = None) -> None:
        number = len(self.rows)
        self._index(number, row.record, parts)
        self.by_id[row.record.id] = (*self.by_id.get(row.record.id, ()), number)
        importance, most = _importance(row.record), self.importances[-1]
        self.importances.append(max(most, importance))
        self.ats.append(row.at)
        self.seqs.append(row.seq)
        self.rows.append(row)
        if isinstance(row.record, Passage) or self.latest:
            self._follow(row)

    def _follow(self, row: Row) -> None:
        """INVARIANT: last of all, so that whoever reads it before it changes knows the rows to be as it says."""
        _, _, passages = self.latest.get(row.filing, (0, "", 0))
        self.latest[row.filing] = (row.seq, row.record.id, passages + isinstance(row.record, Passage))

    @property
    def size(self) -> int:
        """About how many bytes it takes up, with all that is kept beside it; never twice as many, nor half."""
        claims = len(self.rows) - len(self.turns)
        texts = ROW * len(self.rows) + CLAIM * claims + WORD * self.words[-1] + POSTING * len(self.postings)
        return texts + self.meanings.matrix.size + self.kept.size

    def gone(self, known_at: Instant | None, snapshot: int) -> int:
        """How many rows had moved on to another filing by then."""
        if known_at is None:
            return bisect_right(self.left_seqs, snapshot)
        return bisect_right(self.left_ats, known_at)

    def _index(self, number: int, record: Record, parts: Parts) -> None:
        match record:
            case Claim():
                self._index_claim(number, record, parts)
            case Turn():
                self.turns.append(number)
                if record.session is not None:
                    self.talks[record.session].append(number)
                self._index_day(number, record.said_at, Precision.DAY)
                self._index_text(number, record.text, parts)
                self.meanings.expect(number, record, record.text)
            case Passage():
                self.passages.append(number)
                self.documents[record.document].append(number)
                self._index_text(number, record.whole, parts)
                self.meanings.expect(number, record, record.whole)
            case Feedback():
                self._index_feedback(number, record)
                self._index_text(number, "", parts)
            case Gap():
                self._index_gap(number, record)
                self._index_text(number, "", parts)
            case _:
                self._index_act(number, record)
                self._index_text(number, "", parts)

    def _index_act(self, number: int, act: Act) -> None:
        self.acts.append(number)
        self.acts_on[act.target].append(number)
        upon: Record | None = act
        while isinstance(upon, Act):
            rows = self.by_id.get(upon.target)
            upon = self.rows[rows[0]].record if rows else None
        claim = upon.silent if isinstance(upon, Gap) else upon
        if isinstance(claim, Claim):
            self.acts_at[claim.subject.id, claim.relation].append(number)
            if claim.relation == SAME_AS:
                self.same_acts.append(number)
        elif upon is None:
            self.loose_acts.append(number)

    def _index_feedback(self, number: int, feedback: Feedback) -> None:
        self.feedback[feedback.recall].append(number)
        for cited in feedback.cited if feedback.helped else ():
            self.uses[cited].append(number)

    def _index_gap(self, number: int, gap: Gap) -> None:
        """INVARIANT: nothing leads to a gap but its place."""
        self.gaps.add(gap.id)
        if gap.silent is not None:
            self.gaps_of[gap.silent.subject.id, gap.silent.relation].append(number)
            self.told_by[gap.silent.relation].append(number)

    def _index_relation(self, relation: str) -> None:
        """Names that no file has, and so no labels for, by their words. INVARIANT: whether promoted since or not."""
        if relation not in self.registry.relations and relation != SAME_AS:
            for token in tokens(relation.replace("_", " ")):
                self.unregistered[token][relation] = None

    def _index_claim(self, number: int, claim: Claim, parts: Parts) -> None:
        place = (claim.subject.id, claim.relation)
        of_place = self.claims_of[place]
        if not of_place:
            self.relations_of[claim.subject.id].append(claim.relation)
            self._index_relation(claim.relation)
        of_place.append(number)
        self.told_by[claim.relation].append(number)
        self.told_of[claim.subject.id].append(number)
        said = claim.value if claim.obj is None else claim.obj
        if said is not None:
            self.claims_saying[(*place, value_key(said))].append(number)
        for source in claim.sources:
            self.claims_from[source].append(number)
        if claim.obj is not None:
            self.claims_on[claim.obj.id].append(number)
        if claim.relation == SAME_AS:
            self.same.append(number)
        elif claim.subject.id != CUSTOMER:
            self.subjects[claim.relation].add(claim.subject.id, number)
        for entity in entities_of(claim):
            self._index_name(number, entity, parts)
        if claim.on is not None:
            self._index_day(number, claim.on.at, claim.on.precision)
        elif claim.start_given:
            self._index_day(number, claim.interval.start, claim.precision)
        text = "" if claim.negated else self.registry.render(claim)
        self._index_text(number, text, parts)
        self.meanings.expect(number, claim, text)

    def _index_name(self, number: int, entity: Entity, parts: Parts) -> None:
        self.mentions[entity.id].append(number)
        if entity.id != CUSTOMER:
            self.called[folded(entity.name)][entity.id].append(number)
            kind = self.registry.kind_of(entity.kind) or folded(entity.kind)
            self.kinds[kind].add(entity.id, number)
            for token in tokens(entity.name, parts):
                self.names[token].add(entity.id, number)

    def _index_day(self, number: int, at: Instant, precision: Precision) -> None:
        for mark in marks_of(at, precision):
            self.postings[mark].append(number)

    def _index_text(self, number: int, text: str, parts: Parts) -> None:
        words = tokens(text, parts)
        self.lengths.append(len(words))
        self.words.append(self.words[-1] + len(words))
        self.texts.append(self.texts[-1] + bool(words))
        for token in dict.fromkeys(words):
            self.postings[token].append(number)


def _stays(entries: Iterable[Row]) -> list[tuple[Row, tuple[Instant, int] | None]]:
    """One row a stay, with when it ended; nothing of records that are filed here no longer."""
    rows: list[tuple[Row, tuple[Instant, int] | None]] = []
    open_rows: dict[str, int] = {}
    for entry in entries:
        if not entry.leaves:
            open_rows[entry.record.id] = len(rows)
            rows.append((entry, None))
        elif (number := open_rows.pop(entry.record.id, None)) is not None:
            rows[number] = (rows[number][0], (entry.at, entry.seq))
    return [(row, left) for row, left in rows if row.record.id in open_rows]


def _importance(record: Record) -> float:
    """Of a gap nobody knows."""
    if isinstance(record, Claim):
        return 1.0 if record.pinned else record.importance
    return float(isinstance(record, Gap))


def entities_of(record: Record) -> tuple[Entity, ...]:
    if not isinstance(record, Claim):
        return ()
    return (record.subject,) if record.obj is None else (record.subject, record.obj)
