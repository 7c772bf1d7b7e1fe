"""Words and examples for the description of the API: what a route does, what goes in, what comes back if it can't."""

from __future__ import annotations

from inspect import getdoc
from typing import Any

from litestar.handlers import HTTPRouteHandler

from hub.hub import Agent, Operator

Json = dict[str, Any]

_OTHERS = {
    "alive": "Whether the process answers at all.",
    "ready": "Whether the database answers and a policy is in force.",
}
_FACT = {"relation": "lives_in", "value": "Hanoi"}
_CONTEXT = {"customer": "kh-001", "query": "where does she live?"}

BODIES: dict[str, Json] = {
    "Act": {"reason": "the car is fixed", "at": "2026-03-04"},
    "AskPolicy": {"agent": "atlas", "owner": "health", "relation": "allergic_to", "purpose": "meal"},
    "Correct": {"value": "Hue", "reason": "misheard"},
    "Grounds": {"reason": "she asked for it"},
    "MergeRelation": {"into": "likes", "existing": True},
    "NewAgent": {"id": "concierge", "domain": "travel", "purposes": ["meal"]},
    "NewBinding": {"customers": ["kh-001"], "purposes": ["meal"]},
    "NewConsent": {
        "domain": "travel",
        "owner": "health",
        "relation": "allergic_to",
        "effect": "grant",
        "reason": "on the phone",
    },
    "NewDocument": {"document": "returns.md", "text": "# Returns\n\nWithin 30 days.", "topic": "returns"},
    "NewFeedback": {"cited": ["fact_0123456789abcdef01234567"], "outcome": "helpful"},
    "NewKey": {"expires_at": "2027-01-01T00:00:00Z"},
    "NewLabel": {"scope": "private", "reason": "she does not want it known"},
    "NewPolicy": {"policy": "p, owner, *, private, *, read, *, allow\n", "reason": "a domain reads what it owns"},
    "NewToken": {"customer": "kh-001", "ttl_seconds": 600},
    "OldDocument": {"document": "returns.md"},
    "Promote": {"scope": "shared", "owner": "health"},
    "Rate": {"domain": "travel", "score": 0.8, "relation": "lives_in"},
    "Recall": {**_CONTEXT, "as_of": "2026-03-01T09:00:00Z"},
    "Remember": {"customer": "kh-001", "text": "I live in Hanoi.", "facts": [_FACT]},
    "SameAs": {"customer": "kh-001", "one": "the Civic", "other": "Honda Civic"},
    "TryPolicy": {"policy": "p, told, *, *, *, read, *, allow\n", "customer": "kh-001", "agents": ["atlas"]},
    "WhyNot": {**_CONTEXT, "text": "Hanoi"},
    "WhyNotKept": {"text": "Hanoi"},
    "WhyNotOf": {**_CONTEXT, "agent": "atlas", "text": "Hanoi"},
    "WhyOf": {**_CONTEXT, "agent": "atlas"},
}
"""What a body of each kind may look like."""

LINE = '{"agent": "mia", "customer": "kh-001", "facts": [{"relation": "likes", "value": "tea"}]}\n'

_MOMENT = "RFC 3339 with offset, or a day, month or year, which means its start in UTC."
PARAMETERS: dict[str, tuple[str, object]] = {
    "agent": ("An agent, by its id.", "atlas"),
    "as_of": (f"What was known then of what was so then: both times at once. {_MOMENT}", "2026-03-01"),
    "cursor": ("Where the list goes on: `next` of the page before.", None),
    "customer": ("Whose memory it is.", "kh-001"),
    "Idempotency-Key": ("A request sent again under this name is recorded once.", "turn-4711"),
    "hops": ("So many steps from `root`.", 1),
    "id": ("As the hub has given it out.", None),
    "known_at": (f"What was known then. {_MOMENT}", "2026-03-01T09:00:00Z"),
    "limit": ("At most so many a page.", 20),
    "one": ("An agent, or a domain.", "atlas"),
    "other": ("Another agent, or a domain.", "kai"),
    "purpose": ("What it is asked for, one that the caller is bound to.", "meal"),
    "relation": ("A relation, by its name.", "lives_in"),
    "root": ("Where to start: a thing by name or id, or `customer`.", "Honda Civic"),
    "since": (f"From then on. {_MOMENT}", "2026-03-01"),
    "subject": ("A thing by name or id, or `customer`.", "Honda Civic"),
    "text": ("Words of what is missed, or its id.", "Hanoi"),
    "until": (f"Before then. {_MOMENT}", "2026-04-01"),
    "valid_at": (f"What was so then, as it is known now. {_MOMENT}", "2026-03-01"),
    "verb": ("What was done.", "recall"),
}

REFUSALS = {
    "401": "No key, or one that opens nothing.",
    "403": "The policy does not let this caller do that.",
    "404": "There is no such thing, as far as this caller may know.",
    "409": "It does not go with what is there already.",
    "422": "A field is missing, unknown or not what it should be.",
    "429": "Too many requests; `Retry-After` says when to ask again.",
}
"""What callers are refused with on every route behind a key; whatever else goes wrong is a problem detail, too."""


def told(handler: HTTPRouteHandler, operator: bool) -> Json:
    """What the verb says of itself: `operationId`, `summary` and `description`."""
    name = handler.handler_name.removeprefix("admin_")
    verb = name.removeprefix("ask_")
    text = _OTHERS.get(verb) or getdoc(getattr(Operator if operator else Agent, verb)) or ""
    first = " ".join(text.split("\n\n")[0].split())
    return {
        "operationId": f"admin_{name}" if operator else name,
        "summary": first.split(". ")[0].split("; ")[0].removesuffix("."),
        "description": text,
    }
