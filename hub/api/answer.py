"""Answers as JSON: every field is there, under the name the contract gives it."""

from __future__ import annotations

from dataclasses import Field
from typing import Any

from litestar import Response

from hub.answers import Graph
from hub.codec import encode


class Answer(Response[Any]):
    """The answer of every route that says anything."""

    def render(self, content: Any, media_type: str, enc_hook: object = None) -> bytes:
        return b"" if content is None else encoded(content)


def encoded(answer: object) -> bytes:
    """INVARIANT: nothing but the key of a step is renamed.

    Quotes inside a value are escaped, so these bytes begin an object; and the only answers with keys that somebody
    else chose, graphs and the schema, hold no steps.
    """
    body = encode(answer)
    return body if isinstance(answer, Graph | dict) else body.replace(b'{"from_":', b'{"from":')


def public_name(field: Field[Any]) -> str:
    """A field called by a word that Python keeps for itself says so in its metadata."""
    return str(field.metadata.get("name", field.name))
