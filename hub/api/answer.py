"""Answers as JSON: every field is there, under the name the contract gives it."""

from __future__ import annotations

from typing import Any

from litestar import Response

from hub.codec import encode


class Answer(Response[Any]):
    """The answer of every route that says anything."""

    def render(self, content: Any, media_type: str, enc_hook: object = None) -> bytes:
        return b"" if content is None else encode(content)
