"""What each verb sends: a request of the HTTP API and the kind of its answer, before anything goes over the wire."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Generic, TypeVar
from urllib.parse import quote

from hub.codec import decode
from hub.moments import from_datetime, rendered

T = TypeVar("T")
K = TypeVar("K")

When = str | datetime | None
"""RFC 3339 with offset, an aware datetime, or (as text) a day, month or year."""


@dataclass(frozen=True, slots=True)
class Call(Generic[T]):
    """`body` None is sent as no body, `lines` as they come; `kind` is what a 2xx answer is read as, NoneType for none.

    `of` makes of that what the verb answers.
    """

    method: str
    path: str
    kind: type[Any]
    body: Mapping[str, object] | None = None
    query: Mapping[str, str] = field(default_factory=dict)
    headers: Mapping[str, str] = field(default_factory=dict)
    lines: Iterable[str] | None = None
    of: Callable[[Any], T] = lambda answer: answer

    def answer(self, content: bytes) -> T:
        return self.of(decode(content or b"null", self.kind))


def get(path: str, kind: type[T], query: Mapping[str, object] | None = None) -> Call[T]:
    return Call("GET", path, kind, query={name: str(value) for name, value in given(query or {}).items()})


def listed(path: str, kind: type[K], of: Callable[[K], Iterable[T]]) -> Call[list[T]]:
    """A list that is never cut."""
    return Call("GET", path, kind, of=lambda answer: list(of(answer)))


def post(path: str, kind: type[T], body: Mapping[str, object], *, key: str | None = None) -> Call[T]:
    """Fields that are None are left out: they mean what they mean when unsaid."""
    return sent("POST", path, kind, given(body), key=key)


def sent(method: str, path: str, kind: type[T], body: Mapping[str, object], *, key: str | None = None) -> Call[T]:
    headers = {} if key is None else {"Idempotency-Key": key}
    return Call(method, path, kind, body={name: plain(value) for name, value in body.items()}, headers=headers)


def given(fields: Mapping[str, object]) -> dict[str, object]:
    return {name: plain(value) for name, value in fields.items() if value is not None}


def plain(value: object) -> object:
    """As JSON takes it; aware datetimes as RFC 3339."""
    match value:
        case datetime():
            return rendered(from_datetime(value))
        case Mapping():
            return {name: plain(inner) for name, inner in value.items()}
        case str() | int() | float() | bool() | None:
            return value
        case Iterable():
            return [plain(inner) for inner in value]
    return value


def at(*parts: str) -> str:
    """An address below /v1, each part percent-encoded whole."""
    return "/v1/" + "/".join(quote(part, safe="") for part in parts)
