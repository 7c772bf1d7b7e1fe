"""Tokens: short-lived keys for one customer, never wider than what they came from."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from hub.answers import TokenAnswer
from hub.errors import Denied
from hub.facts import Viewer
from hub.hub.keys import key_digest
from hub.ledger import KeyState, Ledger
from hub.moments import SECOND, as_datetime
from hub.requests import NewToken

if TYPE_CHECKING:
    from hub.hub.agent import Agent


@dataclass(frozen=True, slots=True)
class Tokens:
    """Where one agent's tokens are made and read; `parent` is the digest of the key it came in by, or empty."""

    ledger: Ledger
    authenticate: Callable[[str], Agent]
    parent: str

    def made(self, viewer: Viewer, asked: NewToken) -> TokenAnswer:
        """A token for a viewer that the door has let through for this customer and purpose."""
        if viewer.behalf is not None:
            raise Denied("on_behalf", "a token is made in one's own name", "ask without `On-Behalf-Of`")
        token = f"hubt_{secrets.token_urlsafe(32)}"
        with self.ledger.writing() as writing:
            expires_at = writing.now + asked.ttl_seconds * SECOND
            writing.keep_key(
                KeyState(
                    digest=key_digest(token),
                    agent=viewer.agent,
                    expires_at=expires_at,
                    parent=self.parent,
                    customer=asked.customer,
                    purpose=asked.purpose,
                )
            )
        return TokenAnswer(
            token=token, customer=asked.customer, purpose=asked.purpose, expires_at=as_datetime(expires_at)
        )
