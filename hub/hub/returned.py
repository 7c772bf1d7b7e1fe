"""What an answer gave away: the ids of the records it holds, and where they are filed; nothing of what they say."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain

from hub.answers import Graph, Memory, Recalled, Step
from hub.codec import fields_of
from hub.facts import Filing, Gap, Label
from hub.recall import profiled
from hub.view import View

_RECORD = re.compile(r"(?:fact|turn|passage|act|consent)_\w+")
_TOLD = frozenset({"id", "memory_id", "superseded_by", "by", "target"})
"""Fields that hold the id of what is told; other ids only point somewhere."""


def returned(answer: object, view: object) -> tuple[list[str], set[Filing]]:
    """`view` is the last one that was looked into for this answer; where nobody looked, no memory came of it."""
    if not isinstance(view, View):
        return [], set()
    if isinstance(answer, Recalled):
        ids, filings = list(dict.fromkeys(_of_recall(answer, view))), set()
    else:
        found = list(dict.fromkeys(_of(answer, view)))
        ids = [one for one in found if isinstance(one, str)]
        filings = {one for one in found if not isinstance(one, str)}
    return ids, filings | _filings(view, ids) | (set() if view.knowledge is None else _filings(view.knowledge, ids))


def _filings(view: View, ids: Sequence[str]) -> set[Filing]:
    known, rows = view.base.by_id, view.base.rows
    found = (rows[number] for record in ids for number in known.get(record, ()) if view.visible(number))
    return {row.filing for row in found if not isinstance(row.record, Gap)}


def _of_recall(answer: Recalled, view: View) -> list[str]:
    ids = [answer.recall_id]
    for memory in (*answer.memories, *answer.upcoming):
        ids += (memory.id,) if not memory.via and not memory.contested_by else _of_memory(memory, view)
    if answer.prompt.stable:
        ids += profiled(view)[: answer.prompt.stable.count("\n- ")]
    return ids


def _of(part: object, view: View, named: str = "") -> Iterator[str | Filing]:
    match part:
        case Memory():
            yield from _of_memory(part, view)
        case Graph():
            yield from _of_graph(part, view)
        case Step():
            yield part.memory_id
        case Label():
            yield frozenset({part})
        case str() if named in _TOLD and _RECORD.fullmatch(part):
            yield part
        case tuple() | list():
            yield from chain.from_iterable(_of(inner, view, named) for inner in part)
        case _:
            yield from chain.from_iterable(_of(getattr(part, name), view, name) for name in fields_of(part))


def _of_memory(memory: Memory, view: View) -> Iterator[str]:
    """Itself, the walk that led to it, and those whose other values it names."""
    yield memory.id
    yield from (step.memory_id for step in memory.via)
    claim = view.claim(memory.id) if memory.contested_by else None
    if claim is not None:
        key = view.slot_of(claim)
        beliefs = [view.believe(key), *view.history(key)]
        yield from (other.id for belief in beliefs if belief is not None for other in belief.contested)


def _of_graph(graph: Graph, view: View) -> Iterable[str]:
    beliefs = [view.believe((node.id, relation, None)) for node in graph.nodes for relation in node.attributes]
    return chain((edge.memory_id for edge in graph.edges), (b.claim.id for b in beliefs if b is not None))
