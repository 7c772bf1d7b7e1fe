"""What the fields of requests are made of: texts, names, moments, numbers and values, each with its bounds."""

from __future__ import annotations

import math
import re
from typing import Annotated, Literal

from pydantic import (
    AfterValidator,
    BeforeValidator,
    Field,
    StrictBool,
    StrictFloat,
    StrictInt,
    StrictStr,
    WithJsonSchema,
)

MAX_TEXT = 100_000
MAX_DOCUMENT = 10_000_000
MAX_VALUE = 4_000
MAX_FACTS = 500
_LARGEST = 2**53
# What nobody sees, alone: spaces, controls, joiners, marks of direction and variation, fillers.
_BLANK = (
    r"\s\u0000-\u001f\u007f-\u00a0\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202f"
    r"\u205f-\u206f\u2800\u3000\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb"
)
_SEEN = re.compile(f"[^{_BLANK}\U000e0000-\U000e0fff]")


def wholesome(text: str) -> str:
    """Text that every store and encoding can carry."""
    if "\x00" in text or (not text.isascii() and any("\ud800" <= char <= "\udfff" for char in text)):
        raise ValueError("NUL and lone surrogates are no text")
    return text


def _visible(text: str) -> str:
    if not text.strip():
        raise ValueError("is empty")
    if not text.isprintable() and any(ord(char) < 32 or ord(char) == 127 for char in text):
        raise ValueError("control characters are not allowed in a name")
    return text


def _scalar(value: object) -> object:
    """A value that comes back from JSON as it went in: no number is rounded on the way."""
    match value:
        case bool():
            return value
        case int() if abs(value) > _LARGEST:
            raise ValueError("a number this large is not exact in JSON; send it as text")
        case float() if not math.isfinite(value):
            raise ValueError("must be a finite number")
        case int() | float():
            return value
        case str() if 0 < len(value) <= MAX_VALUE:
            if not _SEEN.search(wholesome(value)):
                raise ValueError("is empty: it holds nothing that can be seen")
            return value
    raise ValueError(f"must be a number, true, false, or a text of 1 to {MAX_VALUE} characters")


def whole(value: object) -> object:
    """JSON has one kind of number: `5.0` is 5."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


# Patterns are for the description of the API alone: what refuses is the validator beside them, in better words.
_WHOLESOME = {"pattern": r"^[^\u0000]*$"}
_SEEN_IN = {"pattern": f"^[^\\u0000]*[^{_BLANK}][^\\u0000]*$"}
_VISIBLE = {"pattern": r"^[^\u0000-\u001f\u007f]*[^\s\u0000-\u001f\u007f\u0085][^\u0000-\u001f\u007f]*$"}

Text = Annotated[str, Field(strict=True, max_length=MAX_TEXT, json_schema_extra=_WHOLESOME), AfterValidator(wholesome)]
Said = Annotated[
    str,
    Field(strict=True, min_length=1, max_length=MAX_VALUE, json_schema_extra=_WHOLESOME),
    AfterValidator(wholesome),
]
Name = Annotated[
    str,
    Field(strict=True, min_length=1, max_length=256, json_schema_extra=_VISIBLE),
    AfterValidator(wholesome),
    AfterValidator(_visible),
]
Moment = Annotated[str, Field(strict=True, min_length=1, max_length=40)]
Limit = Annotated[int, Field(ge=1, le=1_000)]
Share = Annotated[StrictFloat, Field(ge=0, le=1)]
Scalar = Annotated[
    StrictBool | StrictInt | StrictFloat | StrictStr,
    BeforeValidator(_scalar),
    WithJsonSchema(
        {
            "anyOf": [
                {"type": "boolean"},
                {"type": "number", "description": f"Of whole numbers, none beyond {_LARGEST} either way."},
                {"type": "string", "minLength": 1, "maxLength": MAX_VALUE, **_SEEN_IN},
            ]
        }
    ),
]


Kind = Literal["fact", "turn", "episode", "procedure", "summary", "knowledge"]
