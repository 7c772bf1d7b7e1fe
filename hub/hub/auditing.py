"""The audit as auditors read it: page by page, checked line against line, and recalls run again."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from hub.answers import Recalled, Unavailable
from hub.door import Act, Door, Eyes
from hub.errors import no_such_record
from hub.facts import COMPANY, Label
from hub.hub.meaning import Meaning
from hub.hub.points import Before, When, cursor_from, cursor_text, when
from hub.hub.recalls import replayed
from hub.hub.spelling import refuse_misspelt
from hub.hub.verbs import VERBS
from hub.ledger import KeptRecall, Ledger, Line, Wanted, under_way
from hub.moments import as_datetime, moment
from hub.requests import Trail, checked
from hub.view import View


@dataclass(frozen=True, slots=True, kw_only=True)
class LineAnswer:
    """One line: `customer` is None where the customer has been erased, nobody had written about it, or there is none.

    `reference` is what the line itself says in place of the name; `outcome` is `ok`, `repeated` or the code of an
    error, `refused` are the codes of items left out of a request that was otherwise granted.
    """

    number: int
    at: datetime
    agent: str | None
    domain: str | None
    on_behalf_of: str | None
    verb: str
    customer: str | None
    reference: str | None
    purpose: str | None
    policy_version: int
    labels: tuple[Label, ...]
    records: tuple[str, ...]
    outcome: str
    refused: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditPage:
    """Lines as they follow each other; `next` leads to those before them."""

    lines: tuple[LineAnswer, ...]
    next: str | None = None
    truncated: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditCheck:
    """`broken` is the first line that is not as it was written; `head` the hash of the last, to be noted elsewhere."""

    ok: bool
    lines: int
    head: str
    broken: int | None = None


class Auditing:
    """What auditors may do beside looking: read the audit, and have recalls run again."""

    id: str
    _door: Door
    _ledger: Ledger
    _meaning: Meaning

    def audit(
        self,
        *,
        agent: str | None = None,
        customer: str | None = None,
        verb: str | None = None,
        since: When = None,
        until: When = None,
        limit: int = 100,
        cursor: str | None = None,
    ) -> AuditPage:
        """The last lines there are, `limit` a page, the newest at its end; `next` leads to the page before it.

        From `since` on and before `until`. Raises Incorrect `misspelt` for a verb that is almost one there is.
        """
        fields = {"agent": agent, "customer": customer, "verb": verb, "limit": limit, "cursor": cursor}
        return self.audited(checked(Trail, {**fields, "since": when(since), "until": when(until)}))

    def audited(self, asked: Trail) -> AuditPage:
        """`audit` for a request that has been checked."""
        self._must(Act.INSPECT)
        refuse_misspelt("verb", asked.verb, VERBS)
        self._ledger.flush()
        with self._ledger.reading() as reading:
            customer = None if asked.customer is None else reading.reference(asked.customer)
            unknown = asked.customer is not None and customer is None
            found = [] if unknown else reading.trail(_wanted(asked, customer, self._door.cursor_key))
        lines, more = found[: asked.limit][::-1], len(found) > asked.limit
        following = cursor_text(Before(lines[0][0].number), self._door.cursor_key) if more else None
        return AuditPage(lines=tuple(_line(*line) for line in lines), next=following, truncated=more)

    def verify_audit(self) -> AuditCheck:
        """Whether every line is as it was written, and none is missing."""
        self._must(Act.INSPECT)
        self._ledger.flush()
        with self._ledger.reading() as reading:
            broken, (lines, head) = reading.trail_broken(), reading.trail_head()
        return AuditCheck(ok=broken is None, lines=lines, head=head, broken=broken)

    def replay(self, recall_id: str) -> Recalled:
        """A recall of whomever, as far as this auditor may inspect what it drew on.

        `since_then` names what its agent would no longer be told, whether it was erased or by which line revoked.
        """
        self._must(Act.INSPECT)
        self._ledger.flush()
        with self._ledger.reading() as reading:
            kept = reading.recall(recall_id)
        if kept is None:
            raise no_such_record()
        under_way().named(kept.id)
        gone = self._gone(kept)
        return replayed(self._door.look_again(self.id, kept, inspecting=True), kept, gone, self._meaning)

    def _gone(self, kept: KeptRecall) -> list[Unavailable]:
        now = self._door.inspect(self.id, kept.customer)
        rulings = self._door.rulings(Eyes(viewer=kept.viewer, purpose=kept.purpose), kept.customer)
        gone = []
        for id_, _ in kept.results:
            row = now.known(id_)
            rule = None if row is None else next((r for r in rulings(row.filing) if not r.allowed), None)
            if row is None:
                gone.append(Unavailable(id=id_, reason="erased" if _erased(now, id_) else "not yours to inspect"))
            elif rule is not None:
                gone.append(Unavailable(id=id_, reason="revoked", rule=rule))
        return gone

    def _must(self, act: Act) -> None:
        raise NotImplementedError


def _erased(view: View, record_id: str) -> bool:
    return view.erased(record_id) or (view.knowledge is not None and view.knowledge.erased(record_id))


def _wanted(asked: Trail, customer: str | None, key: bytes) -> Wanted:
    return Wanted(
        agent=asked.agent,
        customer=customer,
        verb=asked.verb,
        since=None if asked.since is None else moment(asked.since, "UTC")[0],
        until=None if asked.until is None else moment(asked.until, "UTC")[0],
        before=None if asked.cursor is None else cursor_from(asked.cursor, Before, key).number,
        limit=asked.limit + 1,
    )


def _line(line: Line, customer: str | None) -> LineAnswer:
    return LineAnswer(
        number=line.number,
        at=as_datetime(line.at),
        agent=line.agent,
        domain=line.domain,
        on_behalf_of=line.behalf,
        verb=line.verb,
        customer=None if customer == COMPANY else customer,
        reference=line.customer,
        purpose=line.purpose,
        policy_version=line.version,
        labels=line.labels,
        records=line.records,
        outcome=line.outcome,
        refused=line.refused,
    )
