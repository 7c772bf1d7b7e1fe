"""Erasure: all that goes with a record, or with a customer, in one transaction; no row is left that quotes it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from itertools import chain

from sqlalchemy import Connection, TextClause, text

from hub.answers import Remembered
from hub.codec import decode, encode, replaced
from hub.erased import Erased
from hub.facts import Act, Binding, Claim, Feedback, Filing, Gap, Passage, Record, Turn, Withdraw
from hub.ledger.late import unasked
from hub.ledger.quoting import Quotable
from hub.ledger.rows import KeptRecall, kind_of, record_from
from hub.registry import plainly

_NOTE = text("UPDATE customer SET erased = (SELECT erased FROM clock) WHERE id = :customer")
_RECORDS = text("SELECT kind, body FROM record WHERE customer = :customer")
_REWRITE = text("UPDATE record SET kind = :kind, body = :body WHERE seq = :seq")
_VECTORS_OF = text("DELETE FROM vector WHERE record = :seq")
_UNREAD_OF = text("DELETE FROM unread WHERE record = :seq")
_FILED = text("SELECT filing FROM entry WHERE record = :seq AND NOT leaves ORDER BY seq LIMIT 1")
_FILING = text("SELECT filing FROM entry WHERE record = :seq AND NOT leaves ORDER BY seq DESC LIMIT 1")
_ANSWERS = text("SELECT agent, key, body FROM answer WHERE customer = :customer")
_ANSWER_OF = text("DELETE FROM answer WHERE customer = :customer AND agent = :agent AND key = :key")
# What was asked before anything was known of the customer is kept under the name.
_RECALLS = text(
    "SELECT id, body FROM recall "
    "WHERE :anybody OR customer = :customer OR name = (SELECT name FROM customer WHERE id = :customer)"
)
_UNRECALL = text("UPDATE recall SET body = :body, digest = NULL WHERE id = :id")
_TOLD = text(
    "SELECT records FROM audit WHERE verb = 'recall' "
    "AND (:anybody OR customer = (SELECT reference FROM customer WHERE id = :customer))"
)

_KINDS = text("SELECT kind, count(*) AS many FROM record WHERE customer = :customer GROUP BY kind")
_FILINGS = text("SELECT DISTINCT filing FROM entry WHERE customer = :customer")
# Numbers are never given twice, so an unused filing keeps its row, but none of its labels.
_UNNAME = text("UPDATE filing SET labels = 'erased ' || id WHERE id = :filing AND id NOT IN (SELECT filing FROM entry)")
_BINDINGS = text("SELECT id, body FROM binding")
_REBIND = text("UPDATE binding SET body = :body WHERE id = :id")

# What a customer has, in an order in which nothing points to what is gone.
_OF_CUSTOMER: Mapping[str, TextClause] = {
    "vectors": text("DELETE FROM vector WHERE record IN (SELECT seq FROM record WHERE customer = :customer)"),
    "answers": text("DELETE FROM answer WHERE customer = :customer"),
    "recalls": text("DELETE FROM recall WHERE customer = :customer OR name = :name"),
    "consents": text("DELETE FROM consent WHERE customer = :customer"),
    "tokens": text("DELETE FROM key WHERE customer = :name"),
    "heads": text("DELETE FROM head WHERE customer = :customer"),
    "entries": text("DELETE FROM entry WHERE customer = :customer"),
}
_ITSELF = (
    text("DELETE FROM unread WHERE customer = :customer"),
    text("DELETE FROM record WHERE customer = :customer"),
    text("DELETE FROM customer WHERE id = :customer"),
)


# --- of a record -----------------------------------------------------------------------------------------------------


def erase_records(
    connection: Connection,
    customer: int,
    gaps: Mapping[str, Gap],
    filings: Mapping[int, Filing],
    reads: Callable[[KeptRecall, Filing], bool],
) -> tuple[Erased, dict[str, Filing]]:
    """Puts gaps where records were, and where the turns were that they came from, whoever heard those; says where.

    `filings` is what the numbers of filings mean, `reads` says whether whoever made a recall may read what is filed so.
    INVARIANT: what goes beside them has quoted them; a viewer who could not see them finds nothing changed.
    """
    records = {record.id: record for record in _records(connection, customer)}
    left = {**gaps, **{gap.id: gap for gap in _turns(records, gaps)}}
    connection.execute(_NOTE, {"customer": customer})
    for gap in left.values():
        _rewrite(connection, gap)
    _unsay(connection, records, left.keys())
    _run(connection, _UNREAD_OF, [{"seq": gap.seq} for gap in left.values()])
    erased = {id_: records[id_] for id_ in left}
    filed = {gap.id: filings[connection.execute(_FILING, {"seq": gap.seq}).scalar_one()] for gap in left.values()}
    known = partial(_known, filed, reads)
    gone = Erased(
        claims=sum(isinstance(record, Claim) for record in erased.values()),
        turns=sum(isinstance(record, Turn) for record in erased.values()),
        passages=sum(isinstance(record, Passage) for record in erased.values()),
        vectors=_run(connection, _VECTORS_OF, [{"seq": gap.seq} for gap in left.values()]),
        answers=_run(connection, _ANSWER_OF, list(_answers(connection, customer, records, left.keys()))),
        recalls=_run(connection, _UNRECALL, list(_recalls(connection, customer, erased, known))),
    )
    return gone, filed


def _records(connection: Connection, customer: int) -> Iterator[Record]:
    for kind, body in connection.execute(_RECORDS, {"customer": customer}):
        yield record_from(kind, body)


def _turns(records: Mapping[str, Record], erased: Iterable[str]) -> Iterator[Gap]:
    claims = (records[id_] for id_ in erased)
    for source in chain.from_iterable(claim.sources for claim in claims if isinstance(claim, Claim)):
        turn = records.get(source)
        if isinstance(turn, Turn):
            yield Gap(id=turn.id, seq=turn.seq, recorded_at=turn.recorded_at, author=turn.author)


def _rewrite(connection: Connection, record: Record) -> None:
    row = {"seq": record.seq, "kind": kind_of(record), "body": encode(record).decode()}
    connection.execute(_REWRITE, row)


def _unsay(connection: Connection, records: Mapping[str, Record], erased: Collection[str]) -> None:
    """Why something was done may quote it: no reason is left of acts upon these, and on either side of a correction.

    INVARIANT: a withdrawal says why something was put in the place of a record only where both are filed alike; others
    of the same commit have nothing to do with it.
    """
    acts = _acts_upon(records, erased)
    made, acted = ({records[id_].recorded_at for id_ in ids} for ids in (erased, acts))
    places = {(records[id_].recorded_at, _filed(connection, records[id_])) for id_ in erased}
    for record in records.values():
        if record.id in erased or isinstance(record, Turn | Passage | Feedback | Gap) or record.reason is None:
            continue
        put_back = isinstance(record, Withdraw) and record.recorded_at in made
        told = put_back and (record.recorded_at, _filed(connection, record)) in places
        put_in_place = isinstance(record, Claim) and record.recorded_at in acted
        if told or put_in_place or record.id in acts:
            _rewrite(connection, replaced(record, reason=None))


def _filed(connection: Connection, record: Record) -> int:
    """The number of where a record was filed first."""
    number: int = connection.execute(_FILED, {"seq": record.seq}).scalar_one()
    return number


def _acts_upon(records: Mapping[str, Record], targets: Collection[str]) -> set[str]:
    """The acts upon these records, and those upon these acts; an act comes after what it acts upon."""
    found: set[str] = set()
    for record in sorted(records.values(), key=lambda record: record.seq):
        if isinstance(record, Act) and (record.target in targets or record.target in found):
            found.add(record.id)
    return found


# --- what quotes it --------------------------------------------------------------------------------------------------


def _answers(
    connection: Connection, customer: int, records: Mapping[str, Record], erased: Collection[str]
) -> Iterator[Mapping[str, object]]:
    """The answers that were given when these were written, or that named their values and no other claim's."""
    values = {id_: (claim.relation, _said(claim)) for id_, claim in records.items() if isinstance(claim, Claim)}
    gone = {value for id_, value in values.items() if id_ in erased}
    gone -= {value for id_, value in values.items() if id_ not in erased}
    for agent, key, body in connection.execute(_ANSWERS, {"customer": customer}):
        answer = decode(body, Remembered)
        written = {fact.id for fact in answer.facts} | ({answer.turn.id} if answer.turn is not None else set())
        named = {(fact.label.relation, value) for fact in answer.facts for value in fact.contested_by}
        if not written.isdisjoint(erased) or not named.isdisjoint(gone):
            yield {"customer": customer, "agent": agent, "key": key}


def _said(claim: Claim) -> str:
    return plainly(claim.value) if claim.obj is None else claim.obj.name


Known = Callable[[KeptRecall, Collection[str]], bool]


def _recalls(
    connection: Connection, customer: int, erased: Mapping[str, Record], known: Known
) -> Iterator[Mapping[str, object]]:
    """Without digest and query, the recalls that told one of these, and those whose query quotes one.

    INVARIANT: what the company knew may have been told in a recall of any customer.
    """
    quotable = {id_: Quotable.of([_said(record)]) for id_, record in erased.items() if isinstance(record, Claim)}
    whose = {"customer": customer, "anybody": any(isinstance(record, Passage) for record in erased.values())}
    told: dict[str, set[str]] = {}
    for line in connection.execute(_TOLD, whose).scalars():
        if _names(line, erased):
            ids = decode(line, list[str])
            told |= {recall: told.get(recall, set()).union(ids) for recall in ids}
    for id_, body in connection.execute(_RECALLS, whose):
        if id_ not in told and not quotable and not _names(body, erased):
            continue
        kept = decode(body, KeptRecall)
        told_by_it = told.get(id_, set()).union(record for record, _ in kept.results)
        if not told_by_it.isdisjoint(erased) or known(kept, _quoted(kept, quotable, erased)):
            yield {"id": id_, "body": encode(unasked(kept)).decode()}


def _quoted(kept: KeptRecall, quotable: Mapping[str, Quotable], erased: Collection[str]) -> list[str]:
    query = str(decode(kept.request, dict[str, object])["query"])
    return [id_ for id_, value in quotable.items() if value.in_(query)] + [i for i in kept.named or () if i in erased]


def _known(
    filed: Mapping[str, Filing], reads: Callable[[KeptRecall, Filing], bool], kept: KeptRecall, quoted: Collection[str]
) -> bool:
    """INVARIANT: a query tells nothing of what its asker could not read by what becomes of it."""
    return any(reads(kept, filed[id_]) for id_ in quoted)


def _names(text: str, ids: Iterable[str]) -> bool:
    """Far quicker than reading it, and ids are nothing but ids."""
    return any(id_ in text for id_ in ids)


# --- of a customer ---------------------------------------------------------------------------------------------------


def erase_customer(connection: Connection, customer: int | None, name: str) -> Erased:
    """Takes away every row of a customer, its own included; `customer` is None if nobody wrote about it."""
    asked = {"customer": customer, "name": name}
    kinds: dict[str, int] = {row.kind: row.many for row in connection.execute(_KINDS, asked)}
    filings = [{"filing": filing} for filing in connection.execute(_FILINGS, asked).scalars()]
    taken = {of: connection.execute(statement, asked).rowcount for of, statement in _OF_CUSTOMER.items()}
    for statement in _ITSELF:
        connection.execute(statement, asked)
    _run(connection, _UNNAME, filings)
    _unbind(connection, name)
    acts = sum(kinds.get(kind, 0) for kind in ("withdraw", "hide", "relabel"))
    return Erased(claims=kinds.get("claim", 0), turns=kinds.get("turn", 0), acts=acts, **taken)


def _unbind(connection: Connection, name: str) -> None:
    """Whoever was bound to this customer is bound to one less; to none, never to any."""
    for id_, body in connection.execute(_BINDINGS).all():
        binding = decode(body, Binding)
        if binding.customers is not None and name in binding.customers:
            left = replace(binding, customers=tuple(other for other in binding.customers if other != name))
            connection.execute(_REBIND, {"id": id_, "body": encode(left).decode()})


def _run(connection: Connection, statement: TextClause, rows: Collection[Mapping[str, object]]) -> int:
    """The statement for each of these rows; how many it touched."""
    return sum(connection.execute(statement, row).rowcount for row in rows)
