"""What facts may be called: names merged or rejected, names of secrets, and how many names a domain may make."""

from __future__ import annotations

from hub.door import Desk
from hub.errors import Denied
from hub.facts import Cardinality, Claim, Label, Scope, Withdraw
from hub.redaction import refuse_secret_names
from hub.remember import acts
from hub.requests import Fact
from hub.view import View

MOST_NAMES = 200
"""So many names of its own may a domain give to facts about one customer."""


def admitted(desk: Desk, fact: Fact) -> Fact:
    """The fact under the name it is recorded under. Raises Denied for a name nothing may be recorded under."""
    registry = desk.registry
    name = registry.meant(fact.relation)
    if registry.rejects(name):
        message = f"an operator has rejected the relation `{name}`"
        raise Denied("relation_rejected", message, "use a known relation, or ask an operator")
    refuse_secret_names(fact.relation, name)
    if registry.is_provisional(name):
        _check_count(desk, name, fact.scope)
    return fact if name == fact.relation else fact.model_copy(update={"relation": name})


def _check_count(desk: Desk, name: str, scope: Scope | None) -> None:
    """INVARIANT: only the writer's own domain's names are counted, as far as all readers of the new one know them."""
    known = _names(desk.cut(desk.filing(name, scope)), desk.author.domain)
    if name not in known and len(known) >= MOST_NAMES:
        message = f"this domain has given facts {MOST_NAMES} names of its own already"
        raise Denied("too_many_relations", message, "use a known relation, or have an operator promote some")


def _names(view: View, domain: str) -> set[str]:
    rows = (name for name in [*view.base.told_by] if view.registry.is_provisional(name))
    known = {name for name in rows if any(_by(row.record, domain) for row in view.rows(view.base.told_by[name]))}
    news = {name: told for name, told in view.more.told_by().items() if view.registry.is_provisional(name)}
    return known | {name for name, told in news.items() if any(_by(row.record, domain) for row in told)}


def _by(record: object, domain: str) -> bool:
    return isinstance(record, Claim) and record.author.domain == domain


# --- what is stored already ------------------------------------------------------------------------------------------


def renamed(desk: Desk, claim: Claim, seen: View, into: str, scope: Scope | None, reason: str) -> bool:
    """Claims under another relation's name what a claim says; False for what would come back under that name.

    Where values stand beside each other, a later one ends no earlier one: only what is believed (in `seen`) is said
    there. For those who know that it was taken back, it is so under the new name too.
    """
    filed = desk.filing_of(claim.id)
    rule = desk.registry.of(into, claim.author.domain)
    if rule.cardinality is Cardinality.MANY and (claim.negated or not seen.believed(claim)):
        return False
    filing = frozenset(
        _moved(label, into, rule.owner, scope) if label.relation == claim.relation else label for label in filed
    )
    new = desk.rename(claim, into, filing)
    for back in desk.view.acts_on(claim.id):
        if isinstance(back, Withdraw) and desk.view.living(back):
            acts.withdrawal(desk, new, reason, filing | desk.filing_of(back.id))
    return True


def _moved(label: Label, into: str, owner: str, scope: Scope | None) -> Label:
    """INVARIANT: without a scope that an operator has named, nobody comes to read what was private to its writer."""
    if scope is None:
        return Label(label.owner, label.told, label.scope, into)
    return Label(owner, label.told, scope, into)
