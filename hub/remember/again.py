"""A turn that could not be read when it was heard, read after all: what it claims is recorded now, as said then."""

from __future__ import annotations

from hub.door import Desk
from hub.errors import Fault, no_such_record
from hub.extract import Extractor
from hub.extract.standing import content, said_of, same_words
from hub.facts import CUSTOMER, Claim, Turn
from hub.registry import Registry, plainly
from hub.remember import Filed, Maker, take
from hub.remember.hearing import Hearing
from hub.requests import Fact

Said = tuple[str, frozenset[str], bool, bool]
"""Relation, the words of value or name, whether it is denied, and whether it is said of the customer."""


def reread(desk: Desk, turn: Turn, extractor: Extractor) -> int:
    """Files what the turn claims beyond what was claimed of it before; how much that is.

    Raises Missing if the writer may not read the turn any more, and Fault if it can't be read again.
    """
    if desk.view.row(turn.id) is None or desk.view.forgotten(turn):
        raise no_such_record()
    hearing = Hearing(desk, extractor, turn.text, turn.lang, turn.said_at)
    facts = hearing.facts()
    if facts is None:
        raise Fault("not_read", "the turn can't be read", "see to the extractor")
    maker, filed, known = Maker(desk, turn.said_at, turn.lang, (turn.id,)), Filed(), _known(desk, turn)
    for index, fact in enumerate(facts):
        if not _is_known(_said(fact, desk.registry), known):
            take(maker, fact, index, filed, forgiving=True)
    for filing in filed.filings:
        desk.carry(turn.id, filing)
    return len(filed.receipts)


def _known(desk: Desk, turn: Turn) -> set[Said]:
    return {_claimed(claim, desk.registry) for claim in desk.view.claims_of(turn)}


def _is_known(said: Said, known: set[Said]) -> bool:
    """In the same words, or with fewer or more of them: what has been mended since is not filed as it was before."""
    relation, words, *rest = said
    return any(one[0] == relation and [*one[2:]] == rest and same_words(words, one[1]) for one in known)


def _claimed(claim: Claim, registry: Registry) -> Said:
    held = plainly(claim.value) if claim.obj is None else claim.obj.name
    of_customer = claim.subject.id == CUSTOMER or registry.of(claim.relation, "").subject_kind is not None
    return claim.relation, content(held), claim.negated, of_customer


def _said(fact: Fact, registry: Registry) -> Said:
    of_customer = not said_of(fact) or registry.of(fact.relation, "").subject_kind is not None
    return fact.relation, content(_held(fact)), fact.negated, of_customer


def _held(fact: Fact) -> str:
    if fact.object is None:
        return plainly(fact.value)
    return (fact.object if isinstance(fact.object, str) else fact.object.name) or CUSTOMER
