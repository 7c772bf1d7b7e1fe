"""Verbs: every public method of an agent or an operator is one, and leaves its line in the audit."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial, wraps
from inspect import getmembers, isfunction
from typing import Any, TypeVar

from hub.hub.returned import returned

OF_ITSELF = frozenset({"me", "on_behalf_of"})
"""What says no more than what the caller knows of itself, or of whom it asks."""

_NAMES = {
    "audited": "audit",
    "compared": "compare",
    "corrected": "correct",
    "fed_back": "feedback",
    "policy_tried": "policy_diff",
    "recalled": "recall",
    "remembered": "remember",
    "why_not_now": "why_not",
    "why_not_of": "why_not",
    "why_now": "why",
    "why_of": "why",
    "knowledge_listed": "knowledge",
    "reviewed": "review",
    "edited": "edit",
    "published": "add_knowledge",
    "consent_recorded": "record_consent",
}
"""Methods that are called otherwise than the verb they carry out."""

VERBS = {"audit", "authenticate", "call", "open", "reread", "write"}
"""What lines of the audit say was done: verbs, and what is done beside them."""

K = TypeVar("K", bound=type)


def every_verb_is_told(kind: K) -> K:
    """INVARIANT: a verb that is added to this class, or to one it is made of, leaves its line like all the others."""
    for name, method in getmembers(kind, isfunction):
        if not name.startswith("_") and name not in OF_ITSELF:
            verb = _NAMES.get(name, name)
            VERBS.add(verb)
            setattr(kind, name, _told(verb, method))
    return kind


def _told(verb: str, method: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(method)
    def told(self: Any, *args: Any, **kwargs: Any) -> Any:
        with self._door.visit(verb, getattr(self, "viewer", self.id)) as visit:
            answer = method(self, *args, **kwargs)
            visit.returned = partial(returned, answer, visit.view)
            return answer

    return told
