"""What the company knows of a query: passages of its documents, scored like memories and put among them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from hub.answers import AuthorAnswer, Memory
from hub.facts import Passage, Scope, Status, folded
from hub.moments import as_datetime
from hub.recall.cues import Cues, Vocabulary
from hub.recall.lexical import Matches, best
from hub.recall.ranking import MIDDLING, SURE, Candidate
from hub.recall.weighing import Evidence, explained, score
from hub.view import Row, View

MOST_ROWS = 64
"""So many of the passages that match best are looked at."""

FLOOR = 0.3
"""A passage is many words, of which some fit any query: it has to be more relevant than what a customer said."""

PASSAGE = 0.9
"""What the words of a passage count for, beside a fact that matches as well."""

FRESH = 1.0
"""Company knowledge holds until it is replaced."""


@dataclass(frozen=True, slots=True)
class Shelved:
    """A passage that is relevant enough, and where it is filed."""

    row: Row
    passage: Passage
    evidence: Evidence
    score: float

    @property
    def order(self) -> int:
        return self.passage.seq

    def memory(self, _view: View, explain: bool) -> Memory:
        why = explained(self.evidence, FRESH, MIDDLING, self.score, FLOOR) if explain else None
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


def shelved(view: View | None, cues: Cues, vocabulary: Vocabulary, *, floor: float = FLOOR) -> list[Shelved]:
    """The passages that are relevant enough, best first; the same words once, of whatever documents.

    INVARIANT: `view` is what the viewer may know of the company's own, and nothing else comes into it.
    """
    if view is None:
        return []
    texts: set[str] = set()
    found: list[Shelved] = []
    for candidate in sorted(_matching(view, cues, vocabulary, floor), key=lambda one: (-one.score, one.order)):
        if (text := folded(candidate.passage.whole)) not in texts:
            texts.add(text)
            found.append(candidate)
    return found


def _matching(view: View, cues: Cues, vocabulary: Vocabulary, floor: float) -> Iterator[Shelved]:
    rows = view.base.rows
    strengths = Matches(view, cues, vocabulary).scores
    standing = {number: strength for number, strength in strengths.items() if _stands(view, rows[number])}
    for number, strength in best(standing, MOST_ROWS):
        row, evidence = rows[number], Evidence(PASSAGE * strength)
        if isinstance(row.record, Passage) and evidence.relevance >= floor:
            fused = score(evidence.relevance, FRESH, MIDDLING, SURE, past=False)
            yield Shelved(row, row.record, evidence, fused)


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
