"""Consents as operators and permitted agents record, list and take them back."""

from __future__ import annotations

from dataclasses import dataclass, replace

from hub.answers import AuthorAnswer, ConsentAnswer
from hub.door import Act, Door
from hub.door.consents import ANYBODY
from hub.errors import Incorrect, Missing, no_such_record, not_yours
from hub.facts import Author, Consent, ConsentEffect, Interval, Label, Scope
from hub.hub.verbs import every_verb_is_told
from hub.ledger import Ledger
from hub.moments import as_datetime, moment
from hub.redaction import refuse_secrets
from hub.requests import NewConsent


@every_verb_is_told
@dataclass(frozen=True)
class Consents:
    """The consents of one customer, as one operator or agent may act on them."""

    door: Door
    ledger: Ledger
    agent: str
    customer: str

    @property
    def id(self) -> str:
        return self.agent

    @property
    def _door(self) -> Door:
        return self.door

    def recorded(self, asked: NewConsent) -> ConsentAnswer:
        """Raises Denied `not_yours` unless the policy lets this agent take down consents about these labels."""
        if asked.domain == ANYBODY and asked.effect != "object":
            message = "a grant names the domain it is given to"
            raise Incorrect("grant_to_anybody", message, "send the domain's name", where="domain")
        author = self._permitted(asked.owner, asked.relation)
        refuse_secrets(asked.reason)
        with self.ledger.writing(self.customer) as writing:
            start = writing.now if asked.valid_from is None else moment(asked.valid_from, "UTC")[0]
            end = None if asked.valid_to is None else moment(asked.valid_to, "UTC")[0]
            consent = Consent(
                id=self.door.new_id("consent"),
                recorded_at=writing.now,
                author=author,
                domain=asked.domain,
                owner=asked.owner,
                relation=asked.relation,
                effect=ConsentEffect(asked.effect),
                interval=Interval(start, end),
                reason=asked.reason,
            )
            writing.consent(consent)
        return _answer(consent, None)

    def withdrawn(self, consent_id: str, reason: str | None) -> ConsentAnswer:
        """From now on it is as if it had not been given; what was seen by it then stays seen then."""
        found = next((c for c in self._all() if c.id == consent_id and c.withdraws is None), None)
        if found is None:
            raise no_such_record()
        author = self._permitted(found.owner, found.relation)
        refuse_secrets(reason)
        with self.ledger.writing(self.customer) as writing:
            if all(c.withdraws != consent_id for c in writing.consents()):
                new_id = self.door.new_id("consent")
                act = replace(found, id=new_id, recorded_at=writing.now, author=author, reason=reason)
                writing.consent(replace(act, withdraws=consent_id))
        return next(answer for answer in self.listed() if answer.id == consent_id)

    def listed(self) -> list[ConsentAnswer]:
        """Every consent this agent could have recorded, oldest first, those taken back included."""
        known = self._all()
        ends = {c.withdraws: c for c in reversed(known) if c.withdraws is not None}
        own = [c for c in known if c.withdraws is None and self._may(c.owner, c.relation)]
        return [_answer(c, ends.get(c.id)) for c in own]

    def _all(self) -> list[Consent]:
        with self.ledger.reading(self.customer) as reading:
            return reading.consents()

    def _may(self, owner: str | None, relation: str | None) -> bool:
        """A consent about any owner's labels is the company's to record."""
        label = Label(owner or "company", owner or "company", Scope.PRIVATE, relation or "consent")
        return self.door.may(self.agent, Act.CONSENT, label)

    def _permitted(self, owner: str | None, relation: str | None) -> Author:
        if not self._may(owner, relation):
            raise not_yours()
        binding = self.door.binding(self.agent)
        if binding is None or (binding.customers is not None and self.customer not in binding.customers):
            raise Missing("not_found", "there is no such customer", "name a customer this agent serves")
        return Author(self.agent, binding.domain)


def _answer(consent: Consent, end: Consent | None) -> ConsentAnswer:
    until = consent.interval.end
    return ConsentAnswer(
        id=consent.id,
        domain=consent.domain,
        owner=consent.owner,
        relation=consent.relation,
        effect=consent.effect,
        valid_from=as_datetime(consent.interval.start),
        valid_to=None if until is None else as_datetime(until),
        reason=consent.reason,
        author=AuthorAnswer(agent=consent.author.agent, domain=consent.author.domain),
        recorded_at=as_datetime(consent.recorded_at),
        withdrawn_at=None if end is None else as_datetime(end.recorded_at),
    )
