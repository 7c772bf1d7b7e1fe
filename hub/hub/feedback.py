"""Feedback: which memories of an answer were of use, kept for the domain that says so, and for nobody else."""

from __future__ import annotations

from hub.answers import FeedbackReceipt, Use
from hub.door import Desk
from hub.errors import Incorrect
from hub.facts import Feedback
from hub.ledger import KeptRecall
from hub.requests import NewFeedback
from hub.view import View
from hub.view.finding import times_used


def fed_back(desk: Desk, kept: KeptRecall, asked: NewFeedback) -> FeedbackReceipt:
    """Raises Incorrect `not_recalled` for an id that the answer did not hold, whatever else has it.

    INVARIANT: what may be known no longer is passed over, like what was erased.
    """
    told = {memory for memory, _ in kept.results}
    cited = tuple(dict.fromkeys(asked.cited))
    for place, memory in enumerate(cited):
        if memory not in told:
            message = f"`{memory[:60]}` was not in that answer"
            raise Incorrect("not_recalled", message, "cite memories of the answer by their ids", where=f"cited.{place}")
    known = [memory for memory in cited if desk.view.row(memory) is not None]
    own = desk.own_feedback
    news = tuple(memory for memory in known if not _said_before(own, kept.id, memory))
    if news:
        record = Feedback(
            id=desk.new_id("feedback"),
            seq=desk.next_seq(),
            recorded_at=desk.now,
            author=desk.author,
            recall=kept.id,
            cited=news,
            helped=asked.outcome == "helpful",
        )
        desk.file(record, frozenset({desk.feedback_label}))
    helped = asked.outcome == "helpful"
    return FeedbackReceipt(recall_id=kept.id, uses=tuple(_use(desk.view, kept.id, one, helped) for one in known))


def _use(view: View, recall: str, memory: str, helped: bool) -> Use:
    """INVARIANT: what a deputy is told counts what it may read and says now, not what its domain keeps by itself."""
    said_now = helped and not _said_before(view, recall, memory)
    return Use(id=memory, uses=times_used(view, [memory]) + said_now)


def _said_before(view: View, recall: str, memory: str) -> bool:
    rows = view.rows(view.base.feedback.get(recall, ()))
    return any(isinstance(row.record, Feedback) and memory in row.record.cited for row in rows)
