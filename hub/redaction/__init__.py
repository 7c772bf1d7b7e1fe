"""Redaction: secrets, which are never kept, and personal data, blanked out where the policy says so."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from itertools import chain

from hub.errors import Denied
from hub.redaction.cards import cards
from hub.redaction.names import names_a_secret, refuse_secret_names
from hub.redaction.phrases import RULES as PHRASES
from hub.redaction.phrases import seeds
from hub.redaction.plain import Found, Plain
from hub.redaction.rules import either
from hub.redaction.tokens import RULES as TOKENS

__all__ = [
    "PERSONAL",
    "SECRETS",
    "Redacted",
    "Screened",
    "a_secret",
    "names_a_secret",
    "refuse_secret_names",
    "refuse_secrets",
    "screened",
    "without_secrets",
]

SECRETS = ("password", "pin", "card_code", "one_time_code", "card_number", "api_key", "private_key", "seed_phrase")
"""What is never kept, whatever any policy says."""

PERSONAL = ("email", "phone", "iban", "national_id", "passport")
"""What a policy may have blanked out."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Redacted:
    """So many stretches of this kind are blank in what is kept of a text."""

    kind: str
    count: int


@dataclass(frozen=True, slots=True)
class Screened:
    """A text in which every secret is blanked out (`open`), and the same without personal data too (`kept`).

    `redacted`: what is blank in `kept`, in the order of the kinds' names.
    """

    open: str
    kept: str
    redacted: tuple[Redacted, ...] = ()

    @property
    def secrets(self) -> tuple[str, ...]:
        """The kinds of secrets that were there."""
        return tuple(part.kind for part in self.redacted if part.kind in SECRETS)


def screened(text: str, personal: Collection[str] = (), lang: str = "en") -> Screened:
    """What may be read, and what may be kept, of a text; both are the text itself where nothing is found.

    `personal`: kinds of personal data to be blanked out. INVARIANT: in what comes out nothing is found again.
    """
    plain = Plain.of(text)
    secrets = _joined(_secrets(plain))
    if not secrets and not personal:
        return Screened(text, text)
    opened = _blanked(text, plain, secrets)
    rest = Plain.of(opened)
    more = _joined(_personal(rest, personal, lang)) if personal else []
    counts = Counter(found.kind for found in (*secrets, *more))
    redacted = tuple(Redacted(kind=kind, count=count) for kind, count in sorted(counts.items()))
    return Screened(opened, _blanked(opened, rest, more), redacted)


def without_secrets(text: str) -> str:
    return text if next(iter(_secrets(Plain.of(text))), None) is None else screened(text).kept


def refuse_secrets(*texts: str | None) -> None:
    """Raises Denied `secret` if one of the texts holds one."""
    for text in filter(None, texts):
        kind = next((kind for _, _, kind in _secrets(Plain.of(text))), None)
        if kind is not None:
            raise a_secret(kind)


def a_secret(*kinds: str) -> Denied:
    """Says of which kind it was, and nothing of it."""
    named = ", ".join(kind.replace("_", " ") for kind in kinds)
    return Denied("secret", f"it holds a secret ({named}), which is never kept", "leave the secret out")


_SOME = re.compile(r"[\d@]")
_RULES = (*PHRASES, *TOKENS)
_HINTS = frozenset(hint for rule in _RULES for hint in rule.hints)
_HINT = re.compile(either(_HINTS))


def _secrets(plain: Plain) -> Iterable[Found]:
    """Most texts hold no hint at any secret, and are through at once."""
    if _HINT.search(plain.lower) is None:
        return chain(cards(plain), seeds(plain))
    hints = frozenset(filter(plain.lower.__contains__, _HINTS))
    rules = (rule for rule in _RULES if not hints.isdisjoint(rule.hints))
    return chain(*(rule.matched(plain) for rule in rules), cards(plain), seeds(plain))


def _personal(plain: Plain, kinds: Collection[str], lang: str) -> Iterable[Found]:
    if _SOME.search(plain.text) is None:
        return ()
    from hub.redaction.personal import FINDERS

    return chain.from_iterable(FINDERS[kind](plain, lang) for kind in PERSONAL if kind in kinds)


def _joined(found: Iterable[Found]) -> list[Found]:
    """In order, those that overlap as one, of the kind of the first."""
    joined: list[Found] = []
    for one in sorted(found, key=lambda it: (it.start, -it.end)):
        if joined and one.start < joined[-1].end:
            joined[-1] = joined[-1]._replace(end=max(one.end, joined[-1].end))
        else:
            joined.append(one)
    return joined


def _blanked(text: str, plain: Plain, found: list[Found]) -> str:
    if not found:
        return text
    parts, last = [], 0
    for start, end, kind in plain.places(found):
        parts += [plain.whole[last:start], f"[{kind.replace('_', ' ')}]"]
        last = end
    return "".join((*parts, plain.whole[last:]))
