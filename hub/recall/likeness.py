"""What is like a query in words and in meaning: the rows of a view, and turns with what was said around them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from hub.codec import Quick
from hub.facts import Claim, Turn
from hub.recall.cues import Cues, Vocabulary
from hub.recall.leads import Leads, Match
from hub.recall.lexical import Matches, best
from hub.recall.talks import in_meaning, in_words, talks
from hub.recall.weighing import TURN, TURN_DENSE, Scale, scale_of
from hub.registry import SAME_AS
from hub.vectors import NOTHING_NEAR, Meant, Nearness
from hub.view import SlotKey, View
from hub.view.finding import holding

MOST_ROWS, MOST_NEAR = 64, 32
"""So many of the rows that match best in words, and in meaning, are looked at."""

MOST_TURNS = 64
"""So many turns are leads, with what was said around them."""

STRANGE = 0.4
"""What is left of meaning where the query has a number that nobody told of, for meaning knows no numbers."""


Place = SlotKey | int | None
"""What a row takes up among those that match best: its slot, itself, or nothing if it is outdated."""


class Likeness(Quick, frozen=True):
    """How well the rows of a view match in words, and how near they are in meaning; `strange`: the query names an
    identifier that the view does not hold."""

    view: View
    matches: Matches
    near: Nearness
    scale: Scale
    strange: bool

    @property
    def sees(self) -> bool:
        """Whether meaning has a say."""
        return self.near is not NOTHING_NEAR

    def hits(self) -> dict[int, Place]:
        """The rows that match best either way, with their places."""
        in_words = self._filling(MOST_ROWS, lambda most: best(self.matches.scores, most), {})
        near = self._filling(MOST_NEAR, lambda most: self.near.best(most, self.scale.least), in_words)
        return in_words | near

    def _filling(
        self, places: int, ranked: Callable[[int], list[tuple[int, float]]], known: Mapping[int, Place]
    ) -> dict[int, Place]:
        """The best rows, until so many places are filled: rows of one slot share one, and what is outdated takes none.

        INVARIANT: what is dead keeps nothing that lives out of sight, however often it was said.
        """
        most = places
        while True:
            rows = {row: known[row] if row in known else self._place(row) for row, _ in ranked(most)}
            if len(rows) < most or len({place for place in rows.values() if place is not None}) >= places:
                return rows
            most *= 2

    def _place(self, row: int) -> Place:
        record = self.view.base.rows[row].record
        if isinstance(record, Claim):
            return self.view.slot_of(record)
        return None if self.outdated(row) else row

    def outdated(self, row: int) -> bool:
        record = self.view.base.rows[row].record
        return isinstance(record, Turn) and self.view.outdated(record)

    def matching(self, claims: Sequence[tuple[int, Claim]]) -> list[Match[Claim]]:
        """How well each of these claims matches, which are in these rows."""
        scores = self.matches.scores
        return [Match(claim, scores.get(row, 0.0), self.closeness(claim, self.near.of(row))) for row, claim in claims]

    def closeness(self, record: Claim | Turn, cosine: float | None) -> float:
        if cosine is None or record.lang in self.scale.blind:
            return 0.0
        return self.scale.closeness(cosine) * (STRANGE if self.strange else 1.0)


def likeness(view: View, cues: Cues, vocabulary: Vocabulary, meant: Meant) -> Likeness:
    scale = scale_of(view.base.meanings.embedder)
    unseen = meant.steps is None or cues.wordless or cues.lang in scale.blind
    near = NOTHING_NEAR if unseen or meant.steps is None else view.similar(meant.steps)
    strange = any(not any(holding(view, token) for token in tokens) for tokens in cues.identifiers)
    return Likeness(view, Matches(view, cues, vocabulary), near, scale, strange)


def by_likeness(alike: Likeness, leads: Leads) -> None:
    view = alike.view
    standing: list[int] = []
    outdated: list[int] = []
    places: list[SlotKey] = []
    claims: list[tuple[int, Claim]] = []
    for row, place in alike.hits().items():
        record = view.base.rows[row].record
        if isinstance(record, Turn):
            (outdated if place is None else standing).append(row)
        elif isinstance(record, Claim) and isinstance(place, tuple) and record.relation != SAME_AS:
            places.append(place)
            claims.append((row, record))
    for key in dict.fromkeys(place for place in places if place[2] is None):
        held = list(_holding(view, key))
        places += [key] * len(held)
        claims += held
    for place, match in zip(places, alike.matching(claims), strict=True):
        leads.lead(place).said.append(match)
    leads.turns += _heard(alike, standing + outdated)


def _holding(view: View, key: SlotKey) -> Iterator[tuple[int, Claim]]:
    """The claims by which a slot that holds one value holds it: others of it match, but speak for nothing."""
    for claim in (claim for belief in view.stretches(key) for claim in (belief.claim, *belief.contested)):
        yield from ((row, claim) for row in view.base.by_id.get(claim.id, ()) if view.visible(row))


def _heard(alike: Likeness, hits: Iterable[int]) -> list[Match[Turn]]:
    """The turns that match best, together with what was said around them: those outdated last, of equals the newest."""
    found: list[tuple[float, int, Match[Turn]]] = []
    for talk in talks(alike.view, hits):
        spoken = zip(talk, in_words(talk, alike.matches), in_meaning(talk, alike.near), strict=True)
        for row, lexical, cosine in spoken:
            turn = alike.view.base.rows[row].record
            assert isinstance(turn, Turn), "nothing else is in a talk"
            match = Match(turn, TURN * lexical, TURN_DENSE * alike.closeness(turn, cosine))
            if match.strength:
                found.append((match.strength, row, match))
    found.sort(key=lambda one: (alike.outdated(one[1]), -one[0], -one[1]))
    return [match for _, _, match in found[:MOST_TURNS]]
