"""What the company knows of a query: passages of its documents, scored like memories and put among them."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from hub.answers import AuthorAnswer, Memory
from hub.facts import Passage, Scope, Status, folded
from hub.moments import as_datetime
from hub.recall.cues import Cues, Vocabulary
from hub.recall.lexical import Matches, best
from hub.recall.ranking import MIDDLING, SURE, Candidate, asks_for
from hub.recall.weighing import CHANCE_RISE, Evidence, Merits, Scale, explained, scale_of
from hub.requests import Recall
from hub.vectors import NOTHING_NEAR, Meant, Nearness
from hub.view import Row, View
from hub.view.finding import among as seen

MOST_ROWS = 64
"""So many of the passages that match best are looked at."""

FLOOR, CHANCE_ROWS = 0.3, 25
"""How relevant a passage has to be among so few; the more there are, the better one fits by chance."""

PASSAGE = 0.9
"""What the words of a passage count for, beside a fact that matches as well."""

DOUBT = 0.5
"""What words are worth at least that a passage has by chance, for all that its meaning says."""

MERITS = Merits(recency=1.0, importance=MIDDLING, use=0.0, trust=SURE)
"""Company knowledge holds until it is replaced."""

_SCALES = {"sentence": Scale(0.16, 0.42, frozenset({"vi"}))}
"""As in `weighing`, for what a passage is longer than a fact, and less near to any query."""


@dataclass(frozen=True, slots=True)
class Shelved:
    """A passage that is relevant enough, and where it is filed."""

    row: Row
    passage: Passage
    evidence: Evidence
    score: float
    floor: float
    merits: Merits = MERITS

    @property
    def order(self) -> int:
        return self.passage.seq

    def memory(self, _view: View, explain: bool) -> Memory:
        why = explained(self.evidence, self.merits, self.score, self.floor) if explain else None
        author = self.passage.author
        return Memory(
            id=self.passage.id,
            kind="knowledge",
            text=self.passage.whole,
            subject=self.passage.document,
            relation=min(label.relation for label in self.row.filing),
            valid_from=as_datetime(self.passage.recorded_at),
            status=Status.CURRENT,
            recorded_at=as_datetime(self.passage.recorded_at),
            author=AuthorAnswer(agent=author.agent, domain=author.domain),
            scope=Scope.GLOBAL,
            confidence=SURE,
            score=self.score,
            explain=why,
        )


def asked_for(view: View, cues: Cues, vocabulary: Vocabulary, meant: Meant, request: Recall) -> list[Shelved]:
    """What a recall may answer with of what the company knows beside a customer's view."""
    if not asks_for(request, "knowledge"):
        return []
    found = shelved(view.knowledge, cues, vocabulary, meant, free=request.min_score == 0)
    return [passage for passage in found if passage.score >= (request.min_score or 0.0)]


def shelved(
    view: View | None, cues: Cues, vocabulary: Vocabulary, meant: Meant, *, free: bool = False
) -> list[Shelved]:
    """The passages that are relevant enough (or all, if `free`), best first; the same words once, wherever they stand.

    INVARIANT: `view` is what the viewer may know of the company's own, and nothing else comes into it.
    """
    if view is None or not view.base.passages:
        return []
    texts: set[str] = set()
    found: list[Shelved] = []
    matching = list(_matching(view, cues, vocabulary, meant, free=free))
    for candidate in sorted(matching, key=lambda one: (-one.score, one.order)):
        if (text := folded(candidate.passage.whole)) not in texts:
            texts.add(text)
            found.append(candidate)
    return found


def _matching(view: View, cues: Cues, vocabulary: Vocabulary, meant: Meant, *, free: bool) -> Iterator[Shelved]:
    rows, floor = view.base.rows, _floor(view)
    scale = _SCALES.get((view.base.meanings.embedder or "").split("-")[0]) or scale_of(view.base.meanings.embedder)
    scores = Matches(view, cues, vocabulary).scores
    standing = {number: strength for number, strength in scores.items() if _stands(view, rows[number])}
    hits = dict.fromkeys(number for number, _ in best(standing, MOST_ROWS))
    steps = None if cues.wordless or cues.lang in scale.blind else meant.steps
    near = NOTHING_NEAR if steps is None else _near(view, steps, hits, scale.least)
    for number in hits:
        row, cosine = rows[number], near.of(number)
        words = PASSAGE * standing.get(number, 0.0) * _doubt(cosine, scale)
        evidence = Evidence(words, scale.closeness(cosine))
        if isinstance(row.record, Passage) and (free or evidence.relevance >= floor):
            yield Shelved(row, row.record, evidence, MERITS.score(evidence.relevance, past=False), floor)


def _near(view: View, steps: bytes, hits: dict[int, None], least: float) -> Nearness:
    """How near the hits are, and those that are hits by that; few rows are compared where an index names them."""
    named = None if view.finder is None else view.finder(view, steps, MOST_ROWS, least)
    if named is not None:
        hits |= dict.fromkeys(named)
        return view.similar_among(steps, hits)
    near = view.similar(steps)
    standing = (row for row, _ in near.best(view.prefix, least) if _stands(view, view.base.rows[row]))
    hits |= dict.fromkeys(islice(standing, MOST_ROWS))
    return near


def _doubt(cosine: float | None, scale: Scale) -> float:
    """What is left of words that are all that a query and a passage have in common, if meaning has a say at all."""
    return 1.0 if cosine is None else min(1.0, max(DOUBT, cosine / scale.least))


def _floor(view: View) -> float:
    came, went = (len(seen(view, rows)) for rows in (view.base.passages, view.base.acts))
    return FLOOR + CHANCE_RISE * math.log10(max(came - went, CHANCE_ROWS) / CHANCE_ROWS)


def _stands(view: View, row: Row) -> bool:
    """What has been replaced must not take the place of what stands, however well it matches."""
    return isinstance(row.record, Passage) and view.published(row.record)


def among(
    candidates: Sequence[Candidate], passages: Sequence[Shelved], limit: int
) -> tuple[list[Candidate | Shelved], bool]:
    """Both in one order, within the limit, and whether there were more; of equals the customer's own come first."""
    return list(islice(_merged(candidates, passages), limit)), len(candidates) + len(passages) > limit


def _merged(candidates: Sequence[Candidate], passages: Sequence[Shelved]) -> Iterator[Candidate | Shelved]:
    waiting = list(reversed(passages))
    for candidate in candidates:
        while waiting and waiting[-1].score > candidate.score:
            yield waiting.pop()
        yield candidate
    yield from reversed(waiting)
