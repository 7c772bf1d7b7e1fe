"""A recall gone through again, with everything that came into question on the way."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain

from hub.answers import Memory, Recalled
from hub.facts import Turn, folded
from hub.recall import recall
from hub.recall.cues import Vocabulary, vocabulary
from hub.recall.gathering import gathered
from hub.recall.leads import Leads
from hub.recall.names import things
from hub.recall.ranking import Candidate, Fact, Word, carried, facts, sifted, words
from hub.recall.retelling import Retellings
from hub.recall.shelved import Shelved, asked_for, shelved
from hub.requests import Recall
from hub.text import tokens
from hub.vectors import Meant
from hub.view import View


class Retraced:
    """`facts`, `words` and `passages` are all that anything spoke for, those under the floor included, by id."""

    def __init__(self, view: View, request: Recall, meant: Meant) -> None:
        known, past = vocabulary(view.registry), request.include_past
        self.view = view
        self.request = request
        self.cues = known.read(request.query)
        leads = gathered(view, self.cues, known, meant, walking=request.graph)
        self.said = {key: [match.record for match in lead.said] for key, lead in leads.slots.items()}
        told = sorted(facts(view, leads, past=past, free=True), key=lambda fact: fact.score)
        self.facts: dict[str, Fact] = {fact.belief.claim.id: fact for fact in told}
        self.words: dict[str, Word] = {word.turn.id: word for word in words(view, leads, past=past, free=True)}
        passages = shelved(view.knowledge, self.cues, known, meant, free=True)
        self.passages: dict[str, Shelved] = {passage.passage.id: passage for passage in passages}
        self._up = {(type(candidate), candidate.order) for candidate in self._came_up(leads, known, meant)}
        self.named = list(things(view, self.cues)[0])
        self.answer: Recalled = recall(view, request, "", meant)

    def _came_up(self, leads: Leads, known: Vocabulary, meant: Meant) -> Iterator[Candidate | Shelved]:
        told, said = sifted(self.view, leads, self.request)
        return chain(told, said, asked_for(self.view, self.cues, known, meant, self.request))

    @property
    def memories(self) -> tuple[Memory, ...]:
        return (*self.answer.memories, *self.answer.upcoming)

    def came_up(self, candidate: Candidate | Shelved) -> bool:
        """Whether nothing but the limit or the budget could keep it out of the answer."""
        return (type(candidate), candidate.order) in self._up

    def told_anyway(self, turn: Turn) -> bool:
        """Whether the answer says what the turn says, in facts or in the words of another turn."""
        said = carried(self.view, turn)
        claims = (self.view.claim(memory.id) for memory in self.memories)
        told = {self.view.slot_of(claim) for claim in claims if claim is not None}
        return self._retold(turn) or (bool(said) and said <= told)

    def _retold(self, turn: Turn) -> bool:
        heard = Retellings(self.view)
        for memory in self.memories:
            row = self.view.row(memory.id)
            if row is not None and isinstance(row.record, Turn):
                heard.retold(row.record)
        return heard.retold(turn) is not None

    def in_words(self, kind: str, text: str) -> bool:
        """Whether a memory of this kind in the answer has the same words."""
        return folded(text) in {folded(memory.text) for memory in self.memories if memory.kind == kind}

    def heard_in(self, texts: list[str]) -> tuple[str, ...]:
        """The words of the query that one of these texts holds; of a pair of CJK signs, one sign may do."""
        held = {token for text in texts for token in tokens(text)}
        return tuple(word for word in self.cues.words if word in held or (not word.isascii() and held & set(word)))
