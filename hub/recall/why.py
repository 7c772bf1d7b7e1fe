"""Why each memory of an answer is in it: matched by what, ranked how, told by whom, and read by which line."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from hub.answers import AuthorAnswer, Memory
from hub.facts import Belief, Claim, Passage, Status, Turn
from hub.moments import as_datetime
from hub.recall.ranking import Fact, Word
from hub.recall.reasons import Matched, Part, Ranking, Rules, Telling, Why
from hub.recall.retraced import Retraced
from hub.recall.shelved import Shelved
from hub.recall.standing import standing_of
from hub.recall.weighing import (
    DENSE,
    DIGITS,
    ENTITY,
    GRAPH,
    IMPORTANCE,
    LEXICAL,
    PAST,
    RECENCY,
    RELEVANCE,
    TRUST,
    USE,
)
from hub.requests import Recall
from hub.vectors import WORDS_ALONE, Meant
from hub.view import Row, View

_KINDS: Mapping[type, str] = {Turn: "turn", Passage: "knowledge"}
_COMPANY = "a core fact, which comes along with an answer that has room"


def why(view: View, request: Recall, rules: Rules, meant: Meant = WORDS_ALONE) -> tuple[Why, ...]:
    """Of every memory that this view answers the request with; what is upcoming comes last."""
    asked = Retraced(view, request, meant)
    return tuple(_why(asked, memory, rules) for memory in asked.memories)


def _why(asked: Retraced, memory: Memory, rules: Rules) -> Why:
    row = asked.view.known(memory.id)
    assert row is not None, "the view has just answered with it"
    if isinstance(row.record, Passage):
        matched = Matched(words=asked.heard_in([memory.text]))
        return _whole(memory, matched, _ranking(asked.passages[memory.id], past=False), row, rules)
    if isinstance(row.record, Turn):
        word = asked.words[memory.id]
        matched = Matched(words=asked.heard_in([memory.text]))
        return _whole(memory, matched, _ranking(word, past=word.past), row, rules)
    fact = asked.facts.get(memory.id) if memory.score else None
    belief = _belief(asked.view, row) if fact is None else fact.belief
    matched = Matched(because=(_COMPANY,)) if fact is None else _matched(asked, memory, fact)
    ranked = None if fact is None else _ranking(fact, past=fact.belief.status is Status.PAST)
    return _whole(memory, matched, ranked, row, rules, _grounded(asked.view, belief))


def _whole(
    memory: Memory,
    matched: Matched,
    ranked: Ranking | None,
    row: Row,
    rules: Rules,
    grounds: tuple[tuple[Telling, ...], tuple[Telling, ...], tuple[Telling, ...]] = ((), (), ()),
) -> Why:
    support, turns, superseded = grounds
    return Why(
        memory_id=memory.id,
        kind=memory.kind,
        text=memory.text,
        status=memory.status,
        matched=matched,
        ranked=ranked,
        told=telling(row, memory.text),
        support=support,
        turns=turns,
        superseded=superseded,
        rules=rules(row.filing),
    )


# --- matched by what ---------------------------------------------------------------------------------------------


def _matched(asked: Retraced, memory: Memory, fact: Fact) -> Matched:
    view = asked.view
    texts = [memory.text, *(view.registry.render(claim) for claim in asked.said.get(fact.key, ()))]
    ends = {memory.subject_id, memory.object_id}
    passed = {name for step in fact.via for name in (step.from_, step.to)}
    called = [view.entity(entity) for entity in asked.named]
    return Matched(
        words=asked.heard_in(texts) if fact.evidence.lexical else (),
        names=tuple(entity.name for entity in called if entity.id in ends or entity.name in passed),
        because=fact.evidence.why,
        via=fact.via,
    )


# --- ranked how --------------------------------------------------------------------------------------------------


def _ranking(candidate: Fact | Word | Shelved, *, past: bool) -> Ranking:
    evidence, merits = candidate.evidence, candidate.merits
    return Ranking(
        score=candidate.score,
        relevance=round(evidence.relevance, DIGITS),
        floor=candidate.floor,
        grounds=(
            Part(name="lexical", value=round(evidence.lexical, DIGITS), weight=LEXICAL),
            Part(name="dense", value=round(evidence.dense, DIGITS), weight=DENSE),
            Part(name="entity", value=round(evidence.entity, DIGITS), weight=ENTITY),
            Part(name="graph", value=round(evidence.graph, DIGITS), weight=GRAPH),
        ),
        shares=(
            Part(name="relevance", value=1.0, weight=RELEVANCE),
            Part(name="recency", value=round(merits.recency, DIGITS), weight=RECENCY),
            Part(name="importance", value=merits.importance, weight=IMPORTANCE),
            Part(name="use", value=round(merits.use, DIGITS), weight=USE),
            Part(name="trust", value=merits.trust, weight=TRUST),
        ),
        factor=PAST if past else 1.0,
    )


# --- told by whom ------------------------------------------------------------------------------------------------


def _belief(view: View, row: Row) -> Belief | None:
    return view.believe(view.slot_of(row.record)) if isinstance(row.record, Claim) else None


def _grounded(
    view: View, belief: Belief | None
) -> tuple[tuple[Telling, ...], tuple[Telling, ...], tuple[Telling, ...]]:
    """Who else says so, the words they said, and what it took the place of."""
    if belief is None:
        return ((), (), ())
    others = [claim.id for claim in belief.support if claim.id != belief.claim.id]
    sources = dict.fromkeys(source for claim in (belief.claim, *belief.support) for source in claim.sources)
    return _tellings(view, others), _tellings(view, sources), _tellings(view, _superseded(view, belief))


def _superseded(view: View, belief: Belief) -> dict[str, None]:
    """The memories whose place the claims of this belief took, in its slot or in that of the opposite relation."""
    subject, relation, value = view.slot_of(belief.claim)
    opposite = view.relation(relation).opposite
    own = {belief.claim.id, *(claim.id for claim in belief.support)}
    slots = [view.slot((subject, name, value)) for name in (relation, opposite) if name is not None]
    earlier = (claim for slot in slots for claim in slot.claims if not claim.negated and claim.id not in own)
    standings = (standing_of(view, claim) for claim in earlier)
    return {standing.memory_id: None for standing in standings if standing.by in own}


def _tellings(view: View, ids: Iterable[str]) -> tuple[Telling, ...]:
    """Of those that the view holds and that nobody took back or forgot."""
    rows = [row for record_id in ids if (row := view.row(record_id)) is not None]
    return tuple(
        telling(row, text_of(view, row)) for row in rows if view.living(row.record) and not view.forgotten(row.record)
    )


def text_of(view: View, row: Row) -> str:
    match row.record:
        case Claim() as claim:
            return view.registry.render(claim)
        case Turn(text=text) | Passage(whole=text):
            return text
    return ""


def telling(row: Row, text: str) -> Telling:
    record = row.record
    said_at = record.said_at if isinstance(record, Claim | Turn) else record.recorded_at
    return Telling(
        id=record.id,
        kind=_KINDS.get(type(record), "fact"),
        text=text,
        author=AuthorAnswer(agent=record.author.agent, domain=record.author.domain),
        said_at=as_datetime(said_at),
        recorded_at=as_datetime(record.recorded_at),
        label=tuple(sorted(row.filing)),
    )
