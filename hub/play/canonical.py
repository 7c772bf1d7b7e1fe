"""Two answers to one question, compared to the byte once what is random in them has been named alike."""

from __future__ import annotations

import re
from collections.abc import Iterator

from hub.codec import encode
from hub.errors import HubError

_ID = re.compile(rb"\b(?:fact|turn|ent|act|recall|consent|erase)_[0-9a-f]{24}\b|\b[0-9a-f]{64}\b")
_FRACTION = re.compile(rb"(T\d\d:\d\d:\d\d)\.\d+(?=Z|[+-]\d\d:\d\d)")
_VECTORS = re.compile(rb'"vectors":\d+(?=,"answers":)')  # that an erasure took: they follow the write, sooner or later
_CURSOR = re.compile(rb'"next":"[^"]*"')


def canonical(answer: object) -> bytes:
    """Ids and hashes are numbered as they appear. Instants count to the second: commits tick in microseconds."""
    seen: dict[bytes, bytes] = {}
    named = _ID.sub(lambda match: seen.setdefault(match[0], b"<%d>" % (len(seen) + 1)), plainly(answer))
    timeless = _VECTORS.sub(b'"vectors":"<some>"', _FRACTION.sub(rb"\1", named))
    return _CURSOR.sub(b'"next":"<cursor>"', timeless)


def plainly(answer: object) -> bytes:
    """As it goes over the wire."""
    return encode([answer.code, answer.message, answer.fix] if isinstance(answer, HubError) else answer)


def difference(one: object, other: object) -> str:
    """Where two answers part, with a little of what stands around; empty if they do not."""
    first, second = canonical(one), canonical(other)
    if first == second:
        return ""
    at = next(_parting(first, second))
    return f"`{_around(first, at)}` and `{_around(second, at)}`"


def _parting(one: bytes, other: bytes) -> Iterator[int]:
    yield from (n for n, (mine, theirs) in enumerate(zip(one, other, strict=False)) if mine != theirs)
    yield min(len(one), len(other))


def _around(text: bytes, at: int) -> str:
    return text[max(0, at - 40) : at + 60].decode("utf-8", "replace")
