"""What a customer allows and objects to: recorded, bound in time, and no words of a conversation."""

from __future__ import annotations

from collections.abc import Sequence

from hub.door.reads import Reads
from hub.facts import Consent, ConsentEffect, Filing, Instant, Label, Scope

CONSENTED = "consented"
"""The purpose of the policy lines that a grant brings to life. INVARIANT: no key is ever bound to it."""

ANYBODY = "*"
"""In an objection: every domain but the owner of the label."""


class Consented:
    """A clearance as the customer has narrowed and widened it: an objection is a denial and overrides.

    A grant opens what `opened`, the same viewer's clearance for the purpose `consented`, admits, within its own bounds.
    """

    def __init__(self, own: Reads, opened: Reads, domain: str, consents: Sequence[Consent]) -> None:
        self.key = (*own.key, "consents", *(consent.id for consent in consents))
        self._own, self._opened, self._domain = own, opened, domain
        self._objections = [c for c in consents if c.effect is ConsentEffect.OBJECT]
        self._grants = [c for c in consents if c.effect is ConsentEffect.GRANT]

    def admits_all(self, filing: Filing) -> bool:
        return bool(filing) and all(self._admits(label) for label in filing)

    def _admits(self, label: Label) -> bool:
        one = frozenset({label})
        if label.scope is Scope.GLOBAL:  # the company's own is nothing of the customer's
            return self._own.admits_all(one)
        if any(self._concerns(objection, label) for objection in self._objections):
            return False
        granted = any(self._concerns(grant, label) for grant in self._grants)
        return self._own.admits_all(one) or (granted and self._opened.admits_all(one))

    def _concerns(self, consent: Consent, label: Label) -> bool:
        anybody = consent.domain == ANYBODY and self._domain != label.owner
        return (
            (anybody or consent.domain == self._domain)
            and consent.owner in (None, label.owner)
            and consent.relation in (None, label.relation)
        )


def active(consents: Sequence[Consent], domain: str, at: Instant) -> list[Consent]:
    """Those that concern a domain at a point in recorded time: recorded, not withdrawn, and in force then."""
    known = [consent for consent in consents if consent.recorded_at <= at]
    withdrawn = {consent.withdraws for consent in known}
    return [
        consent
        for consent in known
        if consent.withdraws is None
        and consent.id not in withdrawn
        and consent.interval.holds(at)
        and consent.domain in (domain, ANYBODY)
    ]
