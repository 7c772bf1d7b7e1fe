"""Recall: from a query to the few memories of a view that answer it, and to nothing if none does."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from hub.answers import AsOfAnswer, Confidence, Gap, Memory, Prompt, Recalled
from hub.facts import Status
from hub.memories import remembered
from hub.moments import as_datetime
from hub.recall.choosing import chosen
from hub.recall.company import company
from hub.recall.cues import Cues, Vocabulary, vocabulary
from hub.recall.gathering import gathered
from hub.recall.leads import Leads
from hub.recall.prompt import dynamic, stable
from hub.recall.ranking import asks_for, sifted
from hub.recall.shelved import among, asked_for
from hub.recall.sureness import confidence
from hub.requests import Recall
from hub.text import estimate_tokens
from hub.vectors import WORDS_ALONE, Meant
from hub.view import View

__all__ = ["RANKER", "profiled", "recall"]

RANKER = "9"
"""INVARIANT: another one wherever the same view and request would be answered in other bytes."""


def recall(view: View, request: Recall, recall_id: str, meant: Meant = WORDS_ALONE) -> Recalled:
    """The memories of the view that the query is about; `meant` is what an embedder makes of the query.

    Dates, statuses and scores are those of the view's as-of; an empty answer is better than a wrong one.
    """
    known = vocabulary(view.registry)
    cues = known.read(request.query)
    leads = gathered(view, cues, known, meant, walking=request.graph)
    relevant, more = _relevant(view, request, cues, known, meant, leads)
    found = relevant + _company(view, request, cues, known, relevant)
    prompt, kept = _told(view, request.token_budget, known, found)
    ahead = [memory for memory in kept if memory.status is Status.UPCOMING]
    return Recalled(
        recall_id=recall_id,
        as_of=AsOfAnswer(
            valid_at=as_datetime(view.valid_at),
            known_at=None if view.known_at is None else as_datetime(view.known_at),
        ),
        memories=tuple([memory for memory in kept if memory.status is not Status.UPCOMING] if ahead else kept),
        upcoming=tuple(ahead),
        confidence=_confidence(cues, leads, meant, relevant, [memory for memory in kept if memory.score]),
        prompt=prompt,
        truncated=more or len(kept) < len(found),
        nothing_known_before=_first_known(view),
    )


def profiled(view: View) -> Sequence[str]:
    """The claims behind the lines of the profile in a prompt, line by line."""
    return company(view, vocabulary(view.registry)).told


def _relevant(
    view: View, request: Recall, cues: Cues, known: Vocabulary, meant: Meant, leads: Leads
) -> tuple[list[Memory], bool]:
    """What the query is about, best first; and whether the limit left some of it out."""
    told, said = sifted(view, leads, request, request.limit + 1)
    candidates, more = chosen(view, told, said, request.limit)
    best, more_then = among(candidates, asked_for(view, cues, known, meant, request), request.limit)
    return [candidate.memory(view, request.explain) for candidate in best], more or more_then


def _company(view: View, request: Recall, cues: Cues, known: Vocabulary, relevant: Sequence[Memory]) -> list[Memory]:
    """The core facts there is room for, if the query is language at all."""
    room = request.limit - len(relevant)
    if not room or not cues.sociable or request.min_score or not asks_for(request, "fact"):
        return []
    taken = {memory.id for memory in relevant}
    beliefs = [belief for belief in company(view, known).core if belief.claim.id not in taken]
    return [remembered(view, belief) for belief in beliefs[:room]]


def _told(view: View, budget: int | None, known: Vocabulary, found: Sequence[Memory]) -> tuple[Prompt, list[Memory]]:
    """The prompt, within the budget, and the memories that it has room for."""
    beside = company(view, known)
    standing = beside.text if budget is None else stable(beside.profile, budget // 2)
    taken = beside.tokens if budget is None else estimate_tokens(standing)
    moving, kept = dynamic(found, None if budget is None else budget - taken)
    return Prompt(stable=standing, dynamic=moving, tokens=taken + estimate_tokens(moving)), kept


def _confidence(
    cues: Cues, leads: Leads, meant: Meant, relevant: Sequence[Memory], kept: Sequence[Memory]
) -> Confidence:
    """INVARIANT: the query is not said again; what was asked is named by its kind at most."""
    topic = ", ".join(cues.contexts) or "the query"
    blind = () if meant.missing is None else (Gap(topic="meaning", reason=meant.missing),)
    if not relevant:
        unheld = tuple(Gap(topic=relation, reason="nothing is known of it") for relation in leads.unheld)
        return confidence(0.0, (Gap(topic=topic, reason="nothing above the floor"), *unheld, *blind))
    if not kept:
        return confidence(0.0, (Gap(topic=topic, reason="over the token budget"), *blind))
    contested = dict.fromkeys(memory.relation for memory in kept if memory.contested_by)
    gaps = tuple(Gap(topic=relation, reason="contested") for relation in contested if relation is not None)
    return confidence(max(memory.score for memory in kept), gaps + blind)


def _first_known(view: View) -> datetime | None:
    """When the view came to hold its first record, if the as-of lies before that.

    INVARIANT: what neither today's clearance nor that of the as-of lets through has no say in it.
    """
    if view.known_at is None or next(view.all_rows(), None) is not None:
        return None
    first = next((row.at for row in view.held()), None)
    return None if first is None else as_datetime(first)
