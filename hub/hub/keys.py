"""Keys and the names of those who hold them."""

from __future__ import annotations

import hashlib
import re
import secrets
from collections.abc import Iterable
from dataclasses import replace

from hub.answers import AgentKey
from hub.door import CONSENTED
from hub.errors import Incorrect
from hub.facts import Instant
from hub.hub.points import When, when
from hub.ledger import KeyState, Writing
from hub.moments import as_datetime, instant
from hub.policy import Subject
from hub.requests import NewAgent, checked

RESERVED = frozenset({"owner", "told", "company"})
"""Names that mean something to the policy and can be nobody's home."""
_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,63}")


def key_digest(key: str) -> str:
    return hashlib.sha256(key.encode("utf-8", "surrogatepass")).hexdigest()


def new_agent(
    agent_id: str,
    domain: str,
    roles: Iterable[str],
    customers: Iterable[str] | None,
    purposes: Iterable[str],
) -> NewAgent:
    fields = {
        "id": agent_id,
        "domain": domain,
        "roles": list(roles),
        "customers": None if customers is None else list(customers),
        "purposes": list(purposes),
    }
    asked = checked(NewAgent, fields)
    fit = _NAME.fullmatch(asked.id) and _NAME.fullmatch(asked.domain) and Subject(asked.id, asked.domain).is_fit
    if not fit or asked.domain in RESERVED:
        message = (
            "an agent and its domain are called by the letters a to z, digits, `_`, `-`, `.`, and by no role's name"
        )
        raise Incorrect("bad_name", message, "choose another id or domain", where="id")
    if CONSENTED in asked.purposes:
        message = f"the purpose `{CONSENTED}` comes from customers, not from keys"
        raise Incorrect("bad_name", message, "record a consent instead", where="purposes")
    return asked


def instant_or_none(given: When) -> Instant | None:
    text = when(given)
    return None if text is None else instant(text)


def issue(writing: Writing, agent_id: str, expires_at: Instant | None) -> AgentKey:
    key = f"hub_{secrets.token_urlsafe(32)}"
    writing.keep_key(KeyState(key_digest(key), agent_id, expires_at))
    return AgentKey(agent=agent_id, key=key, expires_at=None if expires_at is None else as_datetime(expires_at))


def revoke_keys(writing: Writing, agent_id: str) -> None:
    for key in writing.keys_of(agent_id):
        writing.keep_key(replace(key, revoked=True))
