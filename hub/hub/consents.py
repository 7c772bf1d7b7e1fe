"""Consents as operators and permitted agents record, list and take them back."""

from __future__ import annotations

from dataclasses import replace

from hub.answers import AuthorAnswer, ConsentAnswer
from hub.door import Act, Door
from hub.door.consents import ANYBODY
from hub.errors import Incorrect, Missing, no_such_record, not_yours
from hub.facts import Author, Consent, ConsentEffect, Interval, Label, Scope
from hub.hub.points import When, when
from hub.hub.spelling import in_use, refuse_misspelt
from hub.ledger import Ledger
from hub.moments import as_datetime, moment
from hub.redaction import refuse_secrets
from hub.requests import NewConsent, checked


class Consenting:
    """What customers allow and object to, as one operator or agent may act on it."""

    id: str
    _door: Door
    _ledger: Ledger

    def record_consent(
        self,
        customer: str,
        *,
        domain: str,
        effect: str,
        reason: str,
        owner: str | None = None,
        relation: str | None = None,
        valid_from: When = None,
        valid_to: When = None,
    ) -> ConsentAnswer:
        """A customer lets a domain read (`grant`), or keeps it from reading (`object`), what `owner` keeps of
        `relation`; None: of anything. In an objection `domain` may be `*`, everybody but the owner.

        Raises Denied `not_yours` unless the policy lets this agent take down consents about these labels.
        """
        about = {"domain": domain, "owner": owner, "relation": relation, "effect": effect, "reason": reason}
        asked = checked(NewConsent, {**about, "valid_from": when(valid_from), "valid_to": when(valid_to)})
        return self.consent_recorded(customer, asked)

    def consent_recorded(self, customer: str, asked: NewConsent) -> ConsentAnswer:
        """`record_consent` for a request that has been checked."""
        if asked.domain == ANYBODY and asked.effect != "object":
            message = "a grant names the domain it is given to"
            raise Incorrect("grant_to_anybody", message, "send the domain's name", where="domain")
        author = self._permitted(customer, asked.owner, asked.relation)
        known = in_use(self._door)
        for kind, name in (("domain", asked.domain), ("owner", asked.owner)):
            refuse_misspelt(kind, name, known.domains | {ANYBODY})
        refuse_misspelt("relation", asked.relation, known.relations)
        refuse_secrets(asked.reason)
        with self._ledger.writing(customer) as writing:
            start = writing.now if asked.valid_from is None else moment(asked.valid_from, "UTC")[0]
            end = None if asked.valid_to is None else moment(asked.valid_to, "UTC")[0]
            consent = Consent(
                id=self._door.new_id("consent"),
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

    def withdraw_consent(self, customer: str, consent_id: str, *, reason: str | None = None) -> ConsentAnswer:
        """From now on it is as if it had not been given; what was seen by it then stays seen then."""
        known = self._consents(customer)
        found = next((c for c in known if c.id == consent_id and c.withdraws is None), None)
        if found is None:
            raise no_such_record()
        author = self._permitted(customer, found.owner, found.relation)
        refuse_secrets(reason)
        with self._ledger.writing(customer) as writing:
            if all(c.withdraws != consent_id for c in writing.consents()):
                new_id = self._door.new_id("consent")
                act = replace(found, id=new_id, recorded_at=writing.now, author=author, reason=reason)
                writing.consent(replace(act, withdraws=consent_id))
        return next(answer for answer in self._listed(customer) if answer.id == consent_id)

    def consents(self, customer: str) -> list[ConsentAnswer]:
        """Every consent this agent could have recorded, oldest first, those taken back included."""
        return self._listed(customer)

    def _listed(self, customer: str) -> list[ConsentAnswer]:
        known = self._consents(customer)
        ends = {c.withdraws: c for c in reversed(known) if c.withdraws is not None}
        own = [c for c in known if c.withdraws is None and self._may_take_down(c.owner, c.relation)]
        return [_answer(c, ends.get(c.id)) for c in own]

    def _consents(self, customer: str) -> list[Consent]:
        with self._ledger.reading(customer) as reading:
            return reading.consents()

    def _may_take_down(self, owner: str | None, relation: str | None) -> bool:
        """A consent about any owner's labels is the company's to record."""
        label = Label(owner or "company", owner or "company", Scope.PRIVATE, relation or "consent")
        return self._door.may(self.id, Act.CONSENT, label)

    def _permitted(self, customer: str, owner: str | None, relation: str | None) -> Author:
        if not self._may_take_down(owner, relation):
            raise not_yours()
        binding = self._door.binding(self.id)
        if binding is None or (binding.customers is not None and customer not in binding.customers):
            raise Missing("not_found", "there is no such customer", "name a customer this agent serves")
        return Author(self.id, binding.domain)


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
