"""Where one writer hands in records: what may be written, and what it is computed from."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from hub.codec import replaced
from hub.door.cuts import Known
from hub.door.reads import Only, Reads
from hub.door.rules import NewId, Rules, turn_label
from hub.erased import Erased
from hub.errors import Denied, no_such_record, not_yours
from hub.facts import (
    Arbitration,
    Author,
    Claim,
    Feedback,
    Filing,
    Gap,
    Hide,
    Instant,
    Label,
    Passage,
    Record,
    Relabel,
    Scope,
    Turn,
    Viewer,
    Withdraw,
)
from hub.ledger import KeptRecall, Left, Writing
from hub.policy import Act, Subject
from hub.redaction import refuse_secrets
from hub.registry import SAME_AS
from hub.timeline import counts
from hub.view import THE_CUSTOMER, Row, View
from hub.view.base import entities_of

_WIDTH = {Scope.PRIVATE: 0, Scope.SHARED: 1, Scope.GLOBAL: 2}


def company_label(topic: str) -> Label:
    """Where company knowledge on one topic is filed."""
    return Label(owner="company", told="company", scope=Scope.GLOBAL, relation=topic)


class Desk:
    """Where one writer hands in records, inside one open transaction.

    `view` is all the writer may know, `cut(filing)` what may shape something filed there; `now` is the instant at
    which everything handed in will be recorded.
    """

    def __init__(
        self,
        writing: Writing,
        subjects: tuple[Subject, ...],
        act: Act,
        *,
        writer: Viewer,
        purpose: str | None,
        rules: Rules,
        look: Callable[[Reads], View],
        cut: Callable[[Filing], Reads],
        reads: Callable[[KeptRecall, Filing], bool],
        clearance: Reads,
        new_id: NewId,
    ) -> None:
        self.now = writing.now
        self.author = Author(subjects[0].agent, subjects[0].domain)
        self.as_operator = act is not Act.READ
        self._act = act
        self._writer = writer
        self._purpose = purpose
        self.registry = rules.registry
        self.new_id = new_id
        self.next_seq = writing.next_seq
        self.filed: list[Row] = []
        self.view = look(clearance)
        self._after = self.view
        self._labels: set[Label] = set()
        self._filings: dict[tuple[str, Scope | None], Filing] = {}
        self._cuts: dict[Filing, Known] = {}
        self._moved: dict[str, Filing] = {}
        self._opened: set[tuple[str, Filing]] = set()
        self._writing = writing
        self._rules = rules
        self._look = look
        self._cut = cut
        self._reads = reads
        self._clearance = clearance
        self._subjects = subjects

    @property
    def after(self) -> View:
        """The writer's view as it will be once everything handed in is recorded."""
        return self._after

    def cut(self, filing: Filing) -> View:
        """INVARIANT no write-down: of the writer's view, only what all readers of `filing` may read."""
        known = self._cuts.get(filing)
        if known is None:
            reads = self._cut(filing)
            known = self._cuts[filing] = Known(reads, self._look(reads))
        return known.with_all(self.filed, self._after)

    def label(self, relation: str, scope: Scope | None = None) -> Label:
        """The label of a new claim by this writer: the registry's, or the scope asked for."""
        rule = self.registry.of(relation, self.author.domain)
        return Label(rule.owner, self.author.domain, scope or rule.scope, relation)

    def filing(self, relation: str, scope: Scope | None = None) -> Filing:
        """Where a new claim by this writer is filed, if it is made of nothing else: made once for all that are."""
        if (relation, scope) not in self._filings:
            self._filings[relation, scope] = frozenset({self.label(relation, scope)})
        return self._filings[relation, scope]

    @property
    def turn_label(self) -> Label:
        return turn_label(self.author.domain)

    @property
    def feedback_label(self) -> Label:
        """Where a domain keeps what was of use to it."""
        return Label(self.author.domain, self.author.domain, Scope.PRIVATE, "feedback")

    @property
    def own_feedback(self) -> View:
        """What the author's domain has said was of use, whoever it acts for. INVARIANT: for what is recorded alone;
        no answer to somebody acting for another may say what the two cannot both read."""
        if self._clearance.admits_all(frozenset({self.feedback_label})):
            return self.view
        return self._look(Only(self.feedback_label))

    def filing_of(self, record_id: str) -> Filing:
        """Where a record is filed now; Missing unless the writer may see it."""
        row = self._seen(record_id)
        return self._moved.get(record_id, row.filing)

    def file(self, record: Record, filing: Filing) -> None:
        """Hands in one record. Raises Denied (or Missing for what the writer may not see), and then takes nothing."""
        self._check(record, filing)
        self._append(record, filing)
        relabel, after = self._outcome(record)
        if relabel is not None:
            self._move(relabel.target, after)

    def rename(self, old: Claim, relation: str, filing: Filing) -> Claim:
        """Hands in a claim once more, under another relation's name; the turns it came from carry its labels.

        INVARIANT: it does not say what it was called before, which may be for fewer to know. Raises Denied unless the
        policy lets this operator move things from where it is to `filing`.
        """
        if not self.as_operator:
            raise not_yours()
        self._check_labels_moved(self.filing_of(old.id) | filing)
        claim = replaced(
            old,
            id=self.new_id("fact"),
            seq=self.next_seq(),
            recorded_at=self.now,
            relation=relation,
            settles=False,
            reason=None,
        )
        self._append(claim, filing)
        self._carry(claim, filing)
        return claim

    def _append(self, record: Record, filing: Filing) -> None:
        self._writing.append(record, filing)
        self.filed.append(Row(record, filing, self.now, record.seq))
        self._labels |= filing
        self._after = self._after.plus(self.filed[-1:])

    def leave_unread(self, turn_id: str, pause: Instant) -> None:
        """A turn handed in here is to be read again for this writer, after so many microseconds."""
        self._writing.leave_unread(self._seen(turn_id).seq, self._writer, self._purpose, self.now + pause)

    def over(self, taken: Left) -> bool:
        """A turn is read; False if somebody else has taken it up since."""
        return self._writing.unread().over(taken)

    def carry(self, turn_id: str, filing: Filing) -> None:
        """A turn carries the labels of a claim that was made of it later."""
        turn = self.after.row(turn_id)
        if turn is not None and not filing <= (held := self.filing_of(turn_id)):
            self._refile(turn.record, held | filing)
            self._follow(turn_id, held, held | filing)

    def answered(self, key: str) -> tuple[str, str] | None:
        """(digest of the request, answer) that this writer's idempotency key stands for."""
        return self._writing.answer(self._writer, key)

    def keep_answer(self, key: str, request: str, body: str) -> None:
        self._writing.keep_answer(self._writer, key, request, body)

    def may_erase(self, record_id: str) -> bool:
        """Whether the policy lets this writer take a record's bytes away: an agent only its own domain's."""
        row = self._seen(record_id)
        owner = self.view.owner_of(row.record)
        if not self.as_operator and any(subject.domain != owner for subject in self._subjects):
            return False
        decide = self._rules.policy.decide
        return all(decide(subject, label, Act.ERASE) for subject in self._subjects for label in row.filing)

    def erase(self, gaps: Iterable[Gap]) -> Erased:
        """Takes records away for good, with whatever quotes them; `view` is stale from here on.

        Raises Denied, and takes nothing, if there is one that this writer may not erase.
        """
        left = {gap.id: gap for gap in gaps}
        if not all(map(self.may_erase, left)):
            raise not_yours()
        return self._writing.erase(left, self._reads)

    def _seen(self, record_id: str) -> Row:
        row = self.after.row(record_id)
        if row is None:
            raise no_such_record()
        return row

    # --- what may be handed in -----------------------------------------------------------------------------------

    def _check(self, record: Record, filing: Filing) -> None:
        """INVARIANT: no secret is recorded, whatever road it comes by."""
        refuse_secrets(*_words(record))
        match record:
            case Claim(settles=True):
                self._check_decision(filing)
            case Claim(relation=relation) if relation == SAME_AS:
                self._check_labels(filing, self._own(record, filing))
            case Claim() if (ended := self._ended(record, filing)) is not None:
                self._check_end(record, ended)
            case Claim():
                if (record.relation, filing) not in self._opened:  # a policy does not change within a transaction
                    self._check_labels(filing, self._own(record, filing), needed=True)
                    self._opened.add((record.relation, filing))
            case Turn():
                self._check_turn(record, filing)
            case Passage():
                self._check_published(filing)
            case Feedback():
                self._check_labels(filing, filing & {self.feedback_label}, needed=True)
            case Withdraw() | Hide():
                self._check_taking_back(record, filing)
            case Relabel():
                self._check_move(record, filing)
            case _:
                raise Denied("may_not_write", "a gap is left, not written", "erase a record")

    def _own(self, claim: Claim, filing: Filing) -> Filing:
        """The labels a claim of this writer may stand under by itself."""
        rule = self.registry.of(claim.relation, self.author.domain)
        return frozenset(
            label
            for label in filing
            if (label.owner, label.told, label.relation) == (rule.owner, self.author.domain, claim.relation)
        )

    def _check_labels(self, filing: Filing, own: Filing, *, needed: bool = False) -> None:
        """Its own labels the policy must let it write; others may only join them, and only if it can read them."""
        for label in own:
            self._check_own(label)
        strange = [x for x in filing - own - self._labels if not self._clearance.admits_all(frozenset({x}))]
        if strange or not filing or (needed and not own):
            raise Denied("may_not_write", "the policy does not let this agent write under that label", "leave it out")

    def _check_turn(self, turn: Turn, filing: Filing) -> None:
        """A turn is kept by the domain that heard it, or goes where everything goes that was claimed of it."""
        claims = (row for row in self.filed if isinstance(row.record, Claim) and turn.id in row.record.sources)
        said = frozenset(label for row in claims for label in row.filing)
        own = frozenset({self.turn_label})
        self._check_labels(filing, filing & own, needed=filing != said)
        self._check_labels(own, own)

    def _check_published(self, filing: Filing) -> None:
        """INVARIANT: what is filed as the company's own is filed under one label, and is no customer's."""
        label = next(iter(filing), None)
        if label is None or filing != {company_label(label.relation)} or not self._may(Act.WRITE, label):
            message = "the policy does not let this agent publish company knowledge there"
            raise Denied("may_not_write", message, "ask an operator")

    def _may(self, act: Act, label: Label) -> bool:
        """The policy must allow it to the author, and to everyone on whose behalf it writes."""
        return all(self._rules.policy.decide(subject, label, act) for subject in self._subjects)

    def may_open(self, label: Label) -> bool:
        """Whether a claim may be filed as widely as this: wider than the registry says only by leave of the policy."""
        usual = self.registry.of(label.relation, self.author.domain).scope
        return _WIDTH[label.scope] <= _WIDTH[usual] or self._may(Act.SHARE, label)

    def _check_own(self, label: Label) -> None:
        if label not in (self.turn_label, self.feedback_label) and not self.may_open(label):
            raise Denied(
                "scope_widened",
                f"`{label.relation}` is not this agent's to open so far",
                "leave `scope` out, or ask the owner domain or an operator",
            )
        if not self._may(Act.WRITE, label):
            raise Denied(
                "may_not_write", f"the policy does not let this agent write `{label.relation}`", "leave it out"
            )

    def _ended(self, claim: Claim, filing: Filing) -> Claim | None:
        """The claim that a negation under somebody else's label ends."""
        if not claim.negated or self._own(claim, filing) == filing:
            return None
        same = (
            row.record
            for row in self.view.rows(self.view.base.claims_of.get((claim.subject.id, claim.relation), ()))
            if row.filing <= filing and isinstance(row.record, Claim) and not row.record.negated
        )
        return next(same, None)

    def _check_end(self, claim: Claim, ended: Claim) -> None:
        rule = self.registry.of(claim.relation, ended.author.domain)
        if rule.arbitration is Arbitration.OWNER and self.author.domain not in (rule.owner, ended.author.domain):
            raise not_yours()

    def _check_taking_back(self, record: Withdraw | Hide, filing: Filing) -> None:
        target, filed = self._seen(record.target).record, self.filing_of(record.target)
        if not filed <= filing:
            raise Denied("may_not_write", "an act is filed under its target's label, or a stricter one", "keep it")
        if record.as_operator and not self._operates(filed):
            raise not_yours()
        if not counts(record, target, self.after.owner_of(target)):
            raise not_yours()
        relabel, after = self._outcome(record)
        if relabel is not None:
            self._check_labels_moved(self.filing_of(relabel.target) | after)

    def _check_decision(self, filing: Filing) -> None:
        """What settles a contest comes from somebody here to decide, who may decide about every side of it."""
        if self._act is not Act.DECIDE or not self._operates(filing):
            raise not_yours()

    def _operates(self, filing: Filing) -> bool:
        return self.as_operator and self._clearance.admits_all(filing)

    def _check_move(self, record: Relabel, filing: Filing) -> None:
        before, after = self.filing_of(record.target), frozenset(record.after)
        if before != frozenset(record.before) or not before | after <= filing or not after:
            raise not_yours()
        self._check_labels_moved(before | after)

    def _check_labels_moved(self, labels: Filing) -> None:
        if not all(self._may(Act.RELABEL, label) for label in labels):
            raise not_yours()

    # --- what moves ----------------------------------------------------------------------------------------------

    def _outcome(self, record: Record) -> tuple[Relabel | None, Filing]:
        """The relabel that this record carries out or undoes, and where the claim is filed from then on."""
        undone = False
        while isinstance(record, Withdraw):
            undone, record = not undone, self._seen(record.target).record
        if not isinstance(record, Relabel):
            return None, frozenset()
        return record, frozenset(record.before if undone else record.after)

    def _move(self, target: str, after: Filing) -> None:
        """A claim takes along what was done to it, and the turns it came from: they carry the labels of all claims."""
        claim, before = self._seen(target).record, self.filing_of(target)
        self._refile(claim, after)
        self._follow(target, before, after)
        self._carry(claim, after)

    def _carry(self, claim: Record, after: Filing) -> None:
        for source in claim.sources if isinstance(claim, Claim) else ():
            self.carry(source, after)

    def _follow(self, target: str, before: Filing, after: Filing) -> None:
        """INVARIANT: whoever reads a record reads whether it was withdrawn or forgotten."""
        for act in self.after.acts_on(target):
            if isinstance(act, Withdraw | Hide):
                self._refile(act, (self.filing_of(act.id) - before) | after)
                self._follow(act.id, before, after)

    def _refile(self, record: Record, after: Filing) -> None:
        before = self.filing_of(record.id)
        if before != after:
            self._writing.move(record, before, after)
            self._moved[record.id] = after


def _words(record: Record) -> Iterator[str | None]:
    """All of a record that somebody has put in words."""
    match record:
        case Claim():
            yield None if record.value is None else str(record.value)
            yield from (entity.name for entity in entities_of(record) if entity != THE_CUSTOMER)
            yield record.reason
        case Turn():
            yield from (record.text, record.session)
        case Passage():
            yield from (record.document, record.heading, record.text)
        case Withdraw() | Hide() | Relabel():
            yield record.reason
