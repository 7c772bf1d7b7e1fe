"""Names that go with what gave them: the alias by which one claim alone named a thing."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TypeVar

from hub.door import Desk
from hub.errors import Denied
from hub.facts import CUSTOMER, Claim, Hide, Record
from hub.registry import SAME_AS
from hub.view import View
from hub.view.base import entities_of

A = TypeVar("A")


def named_by(desk: Desk, gone: Sequence[Record], things: Iterable[str] | None = None) -> list[Claim]:
    """The aliases recorded along with claims that are to go, of names that nothing else says; `things`: of these alone.

    INVARIANT: whether an alias goes follows from what all who read it know, and where nobody knows what it came with,
    it stays.
    """
    claims = [record for record in gone if isinstance(record, Claim) and record.relation != SAME_AS]
    named = things if things is not None else [entity.id for claim in claims for entity in entities_of(claim)]
    found = [alias for thing in named if thing != CUSTOMER for alias in _aliases(desk.view, thing)]
    return [alias for alias in dict.fromkeys(found) if _goes(desk.cut(desk.filing_of(alias.id)), alias, claims)]


def _aliases(view: View, thing: str) -> Iterator[Claim]:
    for row in view.rows(view.base.mentions.get(thing, ())):
        if isinstance(row.record, Claim) and row.record.relation == SAME_AS and row.record.subject.id == thing:
            yield row.record


def _goes(seen: View, alias: Claim, claims: Sequence[Claim]) -> bool:
    gone = {claim.id for claim in claims if seen.row(claim.id) is not None}
    if not any(claim.id in gone and claim.recorded_at == alias.recorded_at for claim in claims):
        return False
    others = (row.record for row in seen.rows(seen.base.mentions.get(alias.subject.id, ())))
    return not any(
        isinstance(other, Claim) and other.relation != SAME_AS and other.id not in gone and seen.living(other)
        for other in others
    )


def hidden_in(view: View, commits: Iterable[int]) -> list[Hide]:
    """What was done in these commits to hide names, and still holds."""
    within = set(commits)
    hides = (row.record for row in view.rows(view.base.acts))
    return [
        hide
        for hide in hides
        if isinstance(hide, Hide) and hide.recorded_at in within and view.living(hide) and _is_name(view, hide.target)
    ]


def _is_name(view: View, target: str) -> bool:
    claim = view.claim(target)
    return claim is not None and claim.relation == SAME_AS


def as_far_as_allowed(acts: Iterable[Callable[[], A]]) -> list[A]:
    """What comes of those that the desk lets through."""
    done: list[A] = []
    for act in acts:
        try:
            done.append(act())
        except Denied:
            continue
    return done
