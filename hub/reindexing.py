"""Embedding anew: all that is remembered, by the embedder of today, while the hub goes on answering."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from hub.door.texts import Texts
from hub.embed import Embedder, directions_of_those_taken
from hub.vectors import steps

AT_ONCE = 64

Told = Callable[[int, int], None]
"""How many records have been looked at, and how many there are."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reindexed:
    """What was done: texts embedded, texts that the embedder refused, vectors let go of."""

    embedder: str
    embedded: int
    refused: int
    let_go: int


def reindexed(texts: Texts, embedder: Embedder, told: Told = lambda done, all_of_them: None) -> Reindexed:
    """Until all has been embedded what others made stays where it is. Interrupted, it goes on where it was.

    Raises Fault if the embedder fails, and `vectors_failed` if the disk does.
    """
    length = len(steps(embedder.embed_query("good morning")))  # before anything else: does it answer at all?
    total, after, done, embedded, refused, let_go = texts.many(embedder.id), 0, 0, 0, 0, 0
    while (page := texts.page(embedder.id, length, after, AT_ONCE)) is not None:
        made = directions_of_those_taken(embedder, list(page.texts.values()))
        found = {place: one for place, one in zip(page.texts, made, strict=True) if one is not None}
        if found or page.stale:
            texts.renew(embedder.id, page.stale, found)
        after, done = page.upto, done + page.records
        embedded, refused = embedded + len(found), refused + len(page.texts) - len(found)
        let_go += len(page.stale)
        told(done, max(total, done))
    let_go += texts.let_go_of_others(embedder.id)
    return Reindexed(embedder=embedder.id, embedded=embedded, refused=refused, let_go=let_go)
