"""Recalls: asked, kept with all that decided about them, shown to whoever asked, and run again."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial

from hub.answers import AsOfAnswer, Recalled, SinceThen, Unavailable
from hub.codec import encode, replaced
from hub.door import Door
from hub.errors import no_such_record
from hub.facts import Instant, Viewer
from hub.hub.meaning import NOT_YET, Meaning
from hub.hub.points import When, as_of_answer, moments
from hub.ledger import KeptRecall, State, under_way
from hub.moments import as_datetime
from hub.recall import RANKER, recall
from hub.redaction import without_secrets
from hub.requests import Point, Recall, checked
from hub.vectors import Meant
from hub.view import View

GONE = "no longer available"


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """What was asked, as it was sent."""

    query: str
    as_of: str | None
    valid_at: str | None
    known_at: str | None
    session: str | None
    limit: int
    token_budget: int | None
    include_past: bool
    min_score: float | None
    kinds: tuple[str, ...] | None
    explain: bool
    graph: bool
    lang: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """A memory of the answer; `available`: this viewer may know it today."""

    id: str
    score: float
    available: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class RecallRecord:
    """A recall as it is kept; `digest` is the SHA-256 of the answer, None if something in it has been erased since."""

    recall_id: str
    agent: str
    domain: str
    on_behalf_of: str | None
    customer: str
    purpose: str | None
    recorded_at: datetime
    as_of: AsOfAnswer
    policy_version: int
    embedder: str | None
    ranker: str
    request: Question
    results: tuple[Result, ...]
    digest: str | None


class Recalling:
    """What an agent asks its memory, and asks again."""

    viewer: Viewer
    domain: str
    customer: str | None
    _door: Door
    _meaning: Meaning

    def recall(
        self,
        query: str,
        *,
        as_of: When = None,
        valid_at: When = None,
        known_at: When = None,
        purpose: str | None = None,
        session: str | None = None,
        limit: int = 5,
        token_budget: int | None = None,
        include_past: bool = False,
        min_score: float | None = None,
        kinds: Iterable[str] | None = None,
        explain: bool = False,
        graph: bool = True,
        lang: str | None = None,
        customer: str | None = None,
    ) -> Recalled:
        """The few memories that answer a question, now or at a point in either time.

        Without the `graph`, none that only facts between things lead to.
        """
        fields = {
            **moments(as_of, valid_at, known_at),
            "customer": self._customer(customer),
            "query": query,
            "purpose": purpose,
            "session": session,
            "limit": limit,
            "token_budget": token_budget,
            "include_past": include_past,
            "min_score": min_score,
            "kinds": None if kinds is None else list(kinds),
            "explain": explain,
            "graph": graph,
            "lang": lang,
        }
        return self._recalled(checked(Recall, fields))

    def recalled(self, request: Recall) -> Recalled:
        """`recall` for a request that has been checked; its record is kept, and is this agent's own."""
        return self._recalled(request)

    def _recalled(self, request: Recall) -> Recalled:
        query = without_secrets(request.query)
        request = request if query == request.query else request.model_copy(update={"query": query})
        view = self._look(request, request.customer, request.purpose)
        meant = self._meaning.of(view, request.query)
        answer = recall(view, request, self._door.new_id("recall"), meant)
        pinned = under_way().sight
        assert pinned is not None, "there is no view without a look"
        by = (self.viewer, self.domain, self._meaning.id)
        under_way().recall = partial(_kept, by, pinned, view, request, meant, answer)
        return answer

    def recalled_before(self, recall_id: str) -> RecallRecord:
        """What this agent asked then, and which of the memories in the answer it may still know."""
        kept = self._own(recall_id)
        return record(kept, self._door.look_again(self.viewer, kept))

    def replay(self, recall_id: str) -> Recalled:
        """The same answer again, byte for byte; `since_then` says so if it can't be."""
        kept = self._own(recall_id)
        view = self._door.look_again(self.viewer, kept)
        gone = [Unavailable(id=id_, reason=GONE) for id_, _ in kept.results if view.known(id_) is None]
        return replayed(view, kept, gone, self._meaning)

    def _own(self, recall_id: str) -> KeptRecall:
        kept = self._door.kept_recall(self.viewer, recall_id)
        if self.customer not in (None, kept.customer):
            raise no_such_record()
        return kept

    def _customer(self, given: str | None) -> str:
        raise NotImplementedError

    def _look(self, asked: Point, customer: str, purpose: str | None) -> View:
        raise NotImplementedError


def replayed(view: View, kept: KeptRecall, gone: Sequence[Unavailable], meaning: Meaning) -> Recalled:
    """INVARIANT: an answer without `since_then` is the answer of then, to the byte."""
    answer = recall(view, checked_again(kept), kept.id, meaning.again(view, kept))
    same = kept.digest is not None and digest(answer) == kept.digest
    since = SinceThen(unavailable=tuple(gone), changed=() if same else tuple(_changed(kept, gone, meaning.id)))
    return answer if since == SinceThen() else replaced(answer, since_then=since)


def _changed(kept: KeptRecall, gone: Sequence[Unavailable], embedder: str | None) -> Iterable[str]:
    if kept.ranker != RANKER:
        yield "ranker"
    came_later = kept.missing == NOT_YET
    if kept.embedder != embedder:
        yield "embedder"
    elif came_later:
        yield "vectors"
    if kept.digest is None:
        yield "digest"
    elif kept.ranker == RANKER and not gone and not came_later:
        yield "memory"


def record(kept: KeptRecall, view: View) -> RecallRecord:
    asked = checked_again(kept).model_dump(exclude={"customer", "purpose"})
    behalf = kept.viewer.behalf
    return RecallRecord(
        recall_id=kept.id,
        agent=kept.viewer.agent,
        domain=kept.domain,
        on_behalf_of=None if behalf is None else behalf.agent,
        customer=kept.customer,
        purpose=kept.purpose,
        recorded_at=as_datetime(kept.present),
        as_of=as_of_answer(view),
        policy_version=kept.state.version,
        embedder=kept.embedder,
        ranker=kept.ranker,
        request=Question(**asked),
        results=tuple(Result(id=i, score=score, available=view.known(i) is not None) for i, score in kept.results),
        digest=kept.digest,
    )


def checked_again(kept: KeptRecall) -> Recall:
    return Recall.model_validate_json(kept.request)


def digest(answer: Recalled) -> str:
    return hashlib.sha256(encode(answer)).hexdigest()


def _kept(
    by: tuple[Viewer, str, str | None],
    pinned: tuple[State, Instant],
    view: View,
    request: Recall,
    meant: Meant,
    answer: Recalled,
) -> KeptRecall:
    (viewer, domain, embedder), (state, present) = by, pinned
    return KeptRecall(
        id=answer.recall_id,
        viewer=viewer,
        domain=domain,
        customer=request.customer,
        purpose=request.purpose,
        present=present,
        state=state,
        valid_at=view.valid_at,
        known_at=view.known_at,
        embedder=embedder,
        ranker=RANKER,
        request=encode(vars(request)).decode(),
        results=tuple((memory.id, memory.score) for memory in (*answer.memories, *answer.upcoming)),
        digest=digest(answer),
        steps=meant.steps,
        missing=meant.missing,
        named=None if view.knowledge is None or view.knowledge.finder is None else view.knowledge.finder.named,
    )
