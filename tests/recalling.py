"""Asks a view a question, as the hub would."""

from __future__ import annotations

from hub.answers import Recalled
from hub.recall import recall
from hub.requests import Recall
from hub.vectors import WORDS_ALONE, Meant
from hub.view import View


def asked(view: View, query: str, meant: Meant = WORDS_ALONE, **fields: object) -> Recalled:
    return recall(view, Recall.model_validate({"customer": "linh", "query": query, **fields}), "recall_1", meant)


def texts(answer: Recalled) -> list[str]:
    """Of everything recalled, what is upcoming last."""
    return [memory.text for memory in (*answer.memories, *answer.upcoming)]


def relevant(answer: Recalled) -> list[str]:
    """Without the core facts that merely come along."""
    return [memory.text for memory in (*answer.memories, *answer.upcoming) if memory.score]
