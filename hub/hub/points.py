"""Points in time and places in a list, as callers write them."""

from __future__ import annotations

import base64
import binascii
import hmac
from dataclasses import dataclass
from datetime import datetime
from typing import TypeVar

from hub.answers import AsOfAnswer
from hub.codec import decode, encode
from hub.errors import Incorrect
from hub.facts import AsOf, Instant
from hub.moments import as_datetime, from_datetime, moment, rendered
from hub.requests import Point
from hub.view import View

P = TypeVar("P", bound="Cursor | Place | Behind | Before")
_SEAL = 16

When = str | datetime | None
"""RFC 3339 with offset, an aware datetime, or (as text) a day, month or year."""


def point(asked: Point, now: Instant) -> AsOf | None:
    """The as-of asked for; None for the present. A day, month or year means its start, in UTC.

    Raises Incorrect `two_as_ofs` if it is given twice.
    """
    if asked.as_of is not None:
        if asked.valid_at is not None or asked.known_at is not None:
            message = "`as_of` sets both times; `valid_at` and `known_at` set them apart"
            raise Incorrect("two_as_ofs", message, "send one form", where="as_of")
        return AsOf(_start(asked.as_of), _start(asked.as_of))
    if asked.valid_at is None and asked.known_at is None:
        return None
    known_at = None if asked.known_at is None else _start(asked.known_at)
    return AsOf(now if asked.valid_at is None else _start(asked.valid_at), known_at)


def _start(given: str) -> Instant:
    return moment(given, "UTC")[0]


def as_of_answer(view: View) -> AsOfAnswer:
    return AsOfAnswer(
        valid_at=as_datetime(view.valid_at), known_at=None if view.known_at is None else as_datetime(view.known_at)
    )


@dataclass(frozen=True, slots=True)
class Cursor:
    """Where a list goes on: how many of the caller's own rows it has seen, and the point in time it began with."""

    after: int
    valid_at: Instant
    known_at: Instant | None


@dataclass(frozen=True, slots=True)
class Place:
    """Where a list over customers goes on: with this entry of this customer."""

    customer: str
    number: int


@dataclass(frozen=True, slots=True)
class Behind:
    """Where a list by name goes on: behind the last of the caller's own."""

    name: str


@dataclass(frozen=True, slots=True)
class Before:
    """Where the audit goes on, which is read backward: before the line of this number."""

    number: int


def cursor_text(place: Cursor | Place | Behind | Before, key: bytes) -> str:
    """Sealed by the key of the database, which all its processes have."""
    body = encode(place)
    return base64.urlsafe_b64encode(_seal(body, type(place), key) + body).decode()


def cursor_from(text: str, kind: type[P], key: bytes) -> P:
    """Raises Incorrect `bad_cursor` for anything but a cursor of this kind that this database's hub has given out."""
    try:
        sealed = base64.urlsafe_b64decode(text)
    except (binascii.Error, ValueError) as error:
        raise _no_cursor() from error
    seal, body = sealed[:_SEAL], sealed[_SEAL:]
    if not hmac.compare_digest(seal, _seal(body, kind, key)):
        raise _no_cursor()
    return decode(body, kind)


def _seal(body: bytes, kind: type, key: bytes) -> bytes:
    return hmac.digest(key, kind.__name__.encode() + b" " + body, "sha256")[:_SEAL]


def _no_cursor() -> Incorrect:
    return Incorrect("bad_cursor", "that is no cursor of this hub", "start from the first page", where="cursor")


def when(given: When) -> str | None:
    """The moment as the requests take it."""
    return rendered(from_datetime(given)) if isinstance(given, datetime) else given


def moments(as_of: When, valid_at: When, known_at: When) -> dict[str, object]:
    return {"as_of": when(as_of), "valid_at": when(valid_at), "known_at": when(known_at)}


def moment_text(given: object) -> object:
    """A field as the requests take it."""
    return when(given) if isinstance(given, datetime) else given
