"""From what an agent sends to records: resolve, date, label, claim, and say what became of it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from hub.answers import FactReceipt, Refused, Remembered, TurnReceipt
from hub.door import Desk
from hub.errors import Denied, HubError, Incorrect, Missing
from hub.extract import Extractor
from hub.facts import (
    Cardinality,
    Claim,
    Described,
    Entity,
    Filing,
    Instant,
    Interval,
    Mode,
    Precision,
    Relation,
    Scope,
    Turn,
    folded,
)
from hub.moments import SECOND, as_datetime, instant, moment
from hub.redaction import PERSONAL, a_secret, screened
from hub.registry import SAME_AS
from hub.remember.hearing import Hearing, check_zone, zone_of
from hub.remember.lookalikes import check_named
from hub.remember.naming import Names
from hub.remember.receipts import receipt
from hub.remember.schema import admitted
from hub.requests import Another, Fact, Kin, NewName, Remember
from hub.text import lang_of
from hub.view import THE_CUSTOMER, View

AHEAD = 5 * 60 * 1_000_000
"""How far a sender's clock may run ahead of the hub's, in microseconds."""


FIRST_PAUSE = 60 * SECOND
"""After which a turn that could not be read is read again."""


def is_read(request: Remember) -> bool:
    """Whether what is said is for the hub to read: a customer's words, and no facts that somebody has read in them."""
    return bool(request.text and request.text.strip()) and not request.facts and request.role == "user"


def remember(desk: Desk, request: Remember, *, extractor: Extractor | None, failed: bool = False) -> Remembered:
    """Records a turn and facts; malformed items refuse the whole request, denied ones are named and left out.

    A customer's turn without facts is read by the extractor; of what it finds nothing refuses the request. `failed`: it
    reads in the place of another that could not.
    """
    text = request.text if request.text is not None and request.text.strip() else None
    said_at = said(request.said_at, desk.now)
    lang = request.lang or lang_of(text or _words(request.facts))
    screen = screened(text or "", desk.registry.redacted(desk.author.domain), lang)
    reads = extractor if is_read(request) else None
    hearing = None if reads is None else Hearing(desk, reads, _told(reads, screen.open, lang), lang, said_at)
    facts = request.facts if hearing is None else hearing.facts()
    if text is None and not facts:
        raise Incorrect("nothing_to_remember", "there is neither a text nor a fact", "send `text`, `facts` or both")
    turn_id = desk.new_id("turn")
    maker = Maker(desk, said_at, lang, () if text is None else (turn_id,))
    filed = Filed(refused=[_refused(None, a_secret(*screen.secrets))] if screen.secrets else [])
    for index, fact in enumerate(facts or ()):
        take(maker, fact, index, filed, forgiving=hearing is not None)
    turn = None if text is None else maker.turn(request, turn_id, screen.kept, _filing_of_turn(desk, filed, hearing))
    unread = hearing is not None and (failed or facts is None)
    if unread:
        desk.leave_unread(turn_id, FIRST_PAUSE)
    return Remembered(
        turn=turn,
        facts=tuple(filed.receipts),
        refused=tuple(filed.refused),
        extraction=None if hearing is None else "failed" if unread else "done",
        recorded_at=as_datetime(desk.now),
        redacted=screen.redacted,
    )


def _told(reads: Extractor, text: str, lang: str) -> str:
    """What an extractor is given to read: nothing personal, if it does not run here."""
    return text if reads.local else screened(text, PERSONAL, lang).kept


@dataclass(slots=True)
class Filed:
    """What became of the facts of one request."""

    receipts: list[FactReceipt] = field(default_factory=list)
    refused: list[Refused] = field(default_factory=list)
    filings: set[Filing] = field(default_factory=set)


def take(maker: Maker, fact: Fact, index: int, filed: Filed, *, forgiving: bool) -> None:
    """`forgiving`: nobody sent the fact, so that there is nobody to tell that it makes no sense."""
    try:
        claim, filing = maker.made(fact)
        seen = maker.desk.cut(filing) if _names_things(fact) else None
        filed.receipts.append(_filed(maker.desk, claim, filing, apart=isinstance(fact.subject, Another)))
        if seen is not None:
            filed.receipts += _linked(maker.desk, fact, claim, filing, seen)
        filed.filings.add(filing)
    except Incorrect as error:
        if not forgiving:
            raise _placed(error, index) from None
        filed.refused.append(_refused(index, error))
    except (Denied, Missing) as error:
        filed.refused.append(_refused(index, error))


def _linked(desk: Desk, fact: Fact, claim: Claim, filing: Filing, seen: View) -> Iterator[FactReceipt]:
    """A new name is that of the one thing of its kind, somebody spoken of as kin the one that a relation holds. `seen`:
    what its readers knew before."""
    if isinstance(fact.object, NewName) and (alias := Names(desk, seen).naming(claim)) is not None:
        yield _filed(desk, alias, filing)
    for named, entity in ((fact.object, claim.obj), (fact.subject, claim.subject)):
        if not isinstance(named, Kin) or entity is None or claim.negated:
            continue
        if not named.is_named:
            Names(desk, desk.after).join_kin(claim, filing, named)
        elif (alias := Names(desk, seen).namesake(claim, entity, named)) is not None:
            yield _filed(desk, alias, filing)


def said(given: str | None, now: Instant) -> Instant:
    """When it was said: never later than now, but for a clock that runs a little ahead."""
    if given is None:
        return now
    at = instant(given)
    if at > now + AHEAD:
        raise Incorrect("said_in_future", "`said_at` lies in the future", "send when it was said", where="said_at")
    return min(at, now)


@dataclass(frozen=True, slots=True)
class Maker:
    """Makes claims of facts that were said together."""

    desk: Desk
    said_at: Instant
    lang: str
    sources: tuple[str, ...] = ()

    def made(self, fact: Fact) -> tuple[Claim, Filing]:
        """The claim, and where it is filed. Raises Incorrect for what makes no sense, Denied or Missing else."""
        fact = admitted(self.desk, fact)
        rule = self.desk.registry.of(fact.relation, self.desk.author.domain)
        _check(fact, rule)
        for where, named in (("subject", fact.subject), ("object", fact.object)):
            check_named(named, where)
        if fact.relation == SAME_AS:
            return self._same(fact)
        filing = self._filing(fact)
        subject, obj = self._things(fact, rule, filing) if _names_things(fact) else (THE_CUSTOMER, None)
        self._check_superseded(fact, subject)
        return self._claim(fact, subject, obj, filing), filing

    def turn(self, request: Remember, turn_id: str, text: str, filing: Filing) -> TurnReceipt:
        """Files what was said."""
        turn = Turn(
            id=turn_id,
            seq=self.desk.next_seq(),
            recorded_at=self.desk.now,
            author=self.desk.author,
            role=request.role,
            text=text,
            session=request.session,
            lang=self.lang,
            said_at=self.said_at,
        )
        self.desk.file(turn, filing)
        return TurnReceipt(id=turn.id, label=tuple(sorted(filing)))

    def _same(self, fact: Fact) -> tuple[Claim, Filing]:
        """An alias is filed under the join of the labels of both names, as its writer sees them."""
        names = Names(self.desk, self.desk.after)
        own = self.desk.filing(SAME_AS, fact.scope)
        subject, under = names.placed(fact.subject)
        obj, over = names.placed(fact.object)
        if subject.id == obj.id or (under is over is None and folded(subject.name) == folded(obj.name)):
            raise Incorrect("same_thing", "a thing is the same as itself", "name two things", where="object")
        filing = (under or own) | (over or own) | (own if fact.scope is not None else frozenset())
        return self._claim(fact, subject, obj, filing), filing

    def _filing(self, fact: Fact) -> Filing:
        filing = self.desk.filing(fact.relation, fact.scope)
        for source in fact.derived_from:
            filing |= self.desk.filing_of(source)
        return filing

    def _things(self, fact: Fact, rule: Relation, filing: Filing) -> tuple[Entity, Entity | None]:
        """What the fact is about, and what its object is."""
        names = Names(self.desk, self.desk.cut(filing), self.lang)
        if isinstance(fact.subject, Another):
            subject = names.another(fact.subject, fact)
        else:
            subject = names.resolved(fact.subject, subject=rule)
        return subject, None if fact.object is None else names.resolved(fact.object, rule.object_kind)

    def _claim(self, fact: Fact, subject: Entity, obj: Entity | None, filing: Filing) -> Claim:
        dated = fact.valid_from is not None or fact.valid_to is not None or fact.on is not None
        zone = zone_of(self.desk.cut(filing)) if dated else ""
        start, precision = (self.said_at, Precision.INSTANT)
        if fact.valid_from is not None:
            start, precision = moment(fact.valid_from, zone)
        end = None if fact.valid_to is None else moment(fact.valid_to, zone)[0]
        implied = Mode.STATE if fact.valid_from is None and fact.supersedes is None else Mode.CHANGE
        return Claim(
            id=self.desk.new_id("fact"),
            seq=self.desk.next_seq(),
            recorded_at=self.desk.now,
            author=self.desk.author,
            subject=subject,
            relation=fact.relation,
            value=fact.value,
            obj=obj,
            negated=fact.negated,
            interval=Interval(start, end),
            start_given=fact.valid_from is not None,
            end_given="valid_to" in fact.model_fields_set,
            precision=precision,
            mode=fact.mode or implied,
            mode_given=fact.mode is not None,
            on=None if fact.on is None else Described(*moment(fact.on, zone)),
            confidence=fact.confidence,
            importance=fact.importance,
            pinned=fact.pinned,
            sources=self.sources,
            lang=self.lang,
            said_at=self.said_at,
        )

    def _check_superseded(self, fact: Fact, subject: Entity) -> None:
        if fact.supersedes is None:
            return
        view = self.desk.after
        old = view.claim(fact.supersedes)
        if old is None:
            raise Missing("not_found", "there is no such record", "check `supersedes`", where="supersedes")
        if (view.canon(old.subject.id), old.relation) != (view.canon(subject.id), fact.relation):
            message = "`supersedes` names a fact about something else"
            raise Incorrect("other_slot", message, "name a fact of this subject and relation", where="supersedes")


def _names_things(fact: Fact) -> bool:
    """Whether it is more than a value of the customer's: then what is known decides what it says."""
    return fact.subject is not None or fact.object is not None


def _check(fact: Fact, rule: Relation) -> None:
    if fact.value is not None and fact.object is not None:
        raise Incorrect("value_and_object", "a fact has a `value` or an `object`, not both", "send one", where="value")
    if fact.relation == SAME_AS and fact.object is None:
        raise Incorrect("no_object", "it is not said what it is the same as", "send an `object`", where="object")
    if not fact.negated:
        check_zone(fact.relation, fact.value)
    empty = fact.value is None and fact.object is None
    if empty and not fact.negated:
        raise Incorrect("no_value", "a fact needs a `value` or an `object`", "send one of them", where="value")
    if empty and rule.cardinality is Cardinality.MANY:
        message = f"`{fact.relation}` holds many values: which one is no longer so?"
        raise Incorrect("negation_needs_value", message, "send the `value` that ends", where="value")
    if fact.mode is Mode.CORRECT and fact.valid_from is None:
        message = "a correction without an id needs the stretch it corrects"
        raise Incorrect("correction_needs_interval", message, "send `valid_from`, or correct by id", where="valid_from")
    if fact.scope is Scope.GLOBAL:
        message = "`global` holds company knowledge, nothing about a customer"
        raise Incorrect("scope_global", message, "send `private` or `shared`", where="scope")


def _filed(desk: Desk, claim: Claim, filing: Filing, *, apart: bool = False) -> FactReceipt:
    """`apart`: that it is said of somebody who is called like others makes them no one person."""
    before = desk.after
    desk.file(claim, filing)
    if not apart:
        Names(desk, before).join_twins(claim, filing)
    return receipt(before, desk.after, claim, filing)


def _filing_of_turn(desk: Desk, filed: Filed, hearing: Hearing | None) -> Filing:
    """Labels follow content: a turn carries those of its claims; what says more is kept by the domain that heard it."""
    filing = frozenset({desk.turn_label}).union(*filed.filings)
    said = filing - {desk.turn_label}
    return said if said and hearing is not None and not filed.refused and hearing.whole(said) else filing


def _refused(index: int | None, error: HubError) -> Refused:
    return Refused(index=index, code=error.code, detail=error.message, fix=error.fix)


def _words(facts: Iterable[Fact]) -> str:
    return " ".join(str(fact.value) for fact in facts if isinstance(fact.value, str))


def _placed(error: HubError, index: int) -> Incorrect:
    where = f"facts.{index}" + (f".{error.where}" if error.where else "")
    return Incorrect(error.code, error.message, error.fix, where=where)
