"""Why something is not in an answer: what stopped it first, from not being known yet to a budget that was used up."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from hub.answers import Explained, Ruling
from hub.facts import Claim, Passage, Record, Turn, folded
from hub.recall.reasons import Candidate, Reason, Rules
from hub.recall.retraced import Retraced
from hub.recall.standing import standing_of, taken_back
from hub.recall.why import text_of
from hub.registry import SAME_AS
from hub.requests import Recall
from hub.text import is_stop, tokens
from hub.vectors import WORDS_ALONE, Meant
from hub.view import Row, View
from hub.view.finding import holding

MOST = 100
"""So many candidates are told of at most."""

OVER = (Reason.ENDED, Reason.SUPERSEDED)
"""What does not stop a candidate of a recall that asks for the past too."""


@dataclass(frozen=True, slots=True)
class Sights:
    """What a recall is explained by: `seen`, the view it was answered from; `held`, all that whoever asks may look
    into at that as-of; `ever`, the same as it is known today.

    INVARIANT: an agent that asks for itself has held = seen, so that nothing of its answer comes from elsewhere.
    """

    seen: View
    held: View
    ever: View

    def rows(self, record_id: str) -> Iterator[Row]:
        """Where a record lies, and lay at the as-of."""
        for view in (self.held, self.ever):
            if (row := view.known(record_id)) is not None:
                yield row


def why_not(
    sights: Sights, request: Recall, rules: Rules, text: str, meant: Meant = WORDS_ALONE
) -> tuple[tuple[Candidate, ...], bool]:
    """Candidates that say the text, or have it as their id, each with what stopped it; and whether there are more.

    What the answer holds is no candidate, unless it is in there as something still to come.
    """
    asked = Retraced(sights.seen, request, meant)
    found = _meant(sights, text)
    candidates: dict[str, Candidate] = {}
    for row in found:
        candidate = _candidate(sights, asked, row, rules)
        if candidate is not None:
            candidates.setdefault(candidate.memory_id, candidate)
    return tuple(candidates.values())[:MOST], len(candidates) > MOST


# --- who comes into question -------------------------------------------------------------------------------------


def _meant(sights: Sights, text: str) -> list[Row]:
    """Their rows, those recorded first first."""
    rows: dict[str, Row] = {}
    for view in (sights.held, sights.ever) if sights.held is not sights.ever else (sights.held,):
        named = view.known(text)
        for row in _saying_anywhere(view, text) if named is None else (named,):
            if _is_memory(row.record):
                rows.setdefault(row.record.id, row)
    return sorted(rows.values(), key=lambda row: row.record.seq)


def _saying_anywhere(view: View, text: str) -> Iterator[Row]:
    """Of the customer, and of the company's own."""
    yield from _saying(view, text)
    if view.knowledge is not None:
        yield from _saying(view.knowledge, text)


def _is_memory(record: Record) -> bool:
    """What a recall could answer with; a denial and an alias only act upon that."""
    return isinstance(record, Turn | Passage) or (
        isinstance(record, Claim) and not record.negated and record.relation != SAME_AS
    )


def _saying(view: View, text: str) -> Iterator[Row]:
    """Rows that hold all words of a text, or if there are none its letters."""
    asked = dict.fromkeys(tokens(text))
    words = [word for word in asked if not is_stop(word)] or list(asked)
    if not folded(text):
        return
    numbers = [set(holding(view, word)) for word in words]
    alike = sorted(set.intersection(*numbers)) if numbers else []
    yield from (view.base.rows[number] for number in alike)
    if not alike:
        letters = folded(text)
        yield from (row for row in view.all_rows() if letters in folded(text_of(view, row)))


# --- what stopped it ---------------------------------------------------------------------------------------------


def _candidate(sights: Sights, asked: Retraced, row: Row, rules: Rules) -> Candidate | None:
    record, text = row.record, text_of(sights.held, row)
    if sights.held.known(record.id) is None:
        return Candidate(memory_id=record.id, text=text, reason=Reason.NOT_YET_KNOWN)
    if sights.seen.known(record.id) is None:
        rule = _denial(sights, record.id, rules)
        return Candidate(memory_id=record.id, text=text, reason=Reason.DENIED, rule=rule)
    if isinstance(record, Turn):
        return _of_turn(asked, record)
    if isinstance(record, Passage):
        return _of_passage(asked, record)
    assert isinstance(record, Claim), "nothing else is a memory"
    return _of_claim(asked, record, text)


def _denial(sights: Sights, record_id: str, rules: Rules) -> Ruling | None:
    rulings = (ruling for row in sights.rows(record_id) for ruling in rules(row.filing))
    return next((ruling for ruling in rulings if not ruling.allowed), None)


def _of_claim(asked: Retraced, claim: Claim, text: str) -> Candidate | None:
    standing = standing_of(asked.view, claim)
    fact = asked.facts.get(standing.memory_id)
    told = {memory.id for memory in asked.memories}
    stopped = standing.reason is not None and not (asked.request.include_past and standing.reason in OVER and fact)
    if stopped:
        assert standing.reason is not None, "or nothing stopped it"
        return Candidate(memory_id=standing.memory_id, text=text, reason=standing.reason, by=standing.by)
    if standing.memory_id in told:
        return None
    reason = Reason.OVER_BUDGET if fact is not None and asked.came_up(fact) else Reason.BELOW_FLOOR
    explain = None if fact is None else fact.memory(asked.view, True).explain
    return Candidate(memory_id=standing.memory_id, text=text, reason=reason, explain=explain)


def _of_turn(asked: Retraced, turn: Turn) -> Candidate | None:
    view = asked.view
    reason, by = _stopped_turn(view, turn)
    if reason is not None and not (asked.request.include_past and view.standing(turn)):
        return Candidate(memory_id=turn.id, text=turn.text, reason=reason, by=by)
    if asked.told_anyway(turn):
        return None
    word = asked.words.get(turn.id)
    explain: Explained | None = None if word is None else word.memory(view, True).explain
    reason = Reason.OVER_BUDGET if word is not None and asked.came_up(word) else Reason.BELOW_FLOOR
    return Candidate(memory_id=turn.id, text=turn.text, reason=reason, explain=explain)


def _of_passage(asked: Retraced, passage: Passage) -> Candidate | None:
    shelf = asked.view.knowledge
    assert shelf is not None, "it has just been found there"
    if (taken := taken_back(shelf, passage)) is not None:
        return Candidate(memory_id=passage.id, text=passage.whole, reason=taken[0], by=taken[1])
    if not shelf.published(passage):
        return Candidate(memory_id=passage.id, text=passage.whole, reason=Reason.NOT_YET_VALID)
    if asked.in_words("knowledge", passage.whole):
        return None
    found = asked.passages.get(passage.id)
    explain = None if found is None else found.memory(asked.view, True).explain
    reason = Reason.OVER_BUDGET if found is not None and asked.came_up(found) else Reason.BELOW_FLOOR
    return Candidate(memory_id=passage.id, text=passage.whole, reason=reason, explain=explain)


def _stopped_turn(view: View, turn: Turn) -> tuple[Reason | None, str | None]:
    """A turn goes with what it said: once none of that is believed, it is over for the reason of the last of it."""
    taken = taken_back(view, turn)
    if taken is not None:
        return taken
    if turn.said_at > view.valid_at:
        return Reason.NOT_YET_VALID, None
    if not view.outdated(turn):
        return None, None
    standings = [standing_of(view, claim) for claim in view.claims_of(turn) if not claim.negated]
    over = [standing for standing in standings if standing.reason is not None]
    return (over[-1].reason, over[-1].by) if over else (Reason.SUPERSEDED, None)
