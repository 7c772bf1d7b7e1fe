"""Values and things as claims hold them, and when two of them are equal."""

from __future__ import annotations

import re
import unicodedata
from decimal import Decimal

from hub.codec import Quick

Value = str | int | float | bool
"""A JSON scalar, as it was said."""


class Entity(Quick, frozen=True):
    """A thing as one claim mentions it; two mentions with one id are one thing."""

    id: str
    kind: str
    name: str


ValueKey = tuple[str, str, str]

_NUMBER = re.compile(r"([+-]?)((?:0|[1-9]\d{0,2}(?:,\d{3})+|[1-9]\d*)(?:\.\d+)?)\s*([^\W\d_]*|[%$€£¥₩₫])")


def folded(text: str) -> str:
    """NFKC, case-folded, white space squeezed: equal words become equal strings."""
    plain = text.lower() if text.isascii() else unicodedata.normalize("NFKC", text).casefold()
    return " ".join(plain.split())


def value_key(value: Value | Entity) -> ValueKey:
    """A key equal for equal values: `3,000 USD` and `3000 usd` are one, `1` and `true` are not.

    A numeral with a leading zero is an identifier, not a number.
    """
    if isinstance(value, Entity):
        return ("entity", value.id, "")
    if isinstance(value, bool):
        return ("bool", str(value), "")
    if isinstance(value, int | float):
        return ("number", _plain(Decimal(str(value))), "")
    match = _NUMBER.fullmatch(text := folded(value))
    if match is None:
        return ("text", text, "")
    sign, digits, unit = match.groups()
    return ("number", _plain(Decimal(sign + digits.replace(",", ""))), unit)


def _plain(number: Decimal) -> str:
    """In full, however many digits: rounded, two account numbers could become one."""
    text = format(number, "f")
    text = text.rstrip("0").rstrip(".") if "." in text else text
    return "0" if number == 0 else text
