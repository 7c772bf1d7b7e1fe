"""One request to remember, recorded; and once only, however often it is sent under the same name."""

from __future__ import annotations

import hashlib
from collections.abc import Callable

from hub.answers import Remembered
from hub.codec import decode, encode
from hub.door import Desk, Door
from hub.errors import Conflict
from hub.facts import Viewer
from hub.hub.listening import Ear
from hub.ledger import under_way
from hub.remember import remember
from hub.remember.receipts import still_told
from hub.requests import Once, Remember, checked


def named_once(key: str) -> str:
    """An idempotency key. Raises Incorrect for what can't be one."""
    return checked(Once, {"idempotency_key": key}).idempotency_key


def recorded(door: Door, viewer: Viewer, request: Remember, ear: Ear, key: str | None) -> Remembered:
    """In one commit. Raises what the door and the desk do, and then records nothing."""
    with door.admit(viewer, request.customer, request.purpose) as desk:
        if key is None:
            return _remembered(desk, request, ear)
        return _once(desk, key, request, lambda: _remembered(desk, request, ear))


def _remembered(desk: Desk, request: Remember, ear: Ear) -> Remembered:
    answer = remember(desk, request, extractor=ear.extractor, failed=ear.failed)
    under_way().refused = tuple(refused.code for refused in answer.refused)
    return answer


def _once(desk: Desk, key: str, request: Remember, record: Callable[[], Remembered]) -> Remembered:
    """The first answer to an idempotency key, however often it is asked; another request under it is refused.

    INVARIANT: of what stood against it, no more than may be known today.
    """
    digest = hashlib.sha256(request.model_dump_json(exclude_unset=True).encode()).hexdigest()
    before = desk.answered(key)
    if before is None:
        answer = record()
        desk.keep_answer(key, digest, encode(answer).decode())
        return answer
    if before[0] != digest:
        message = "this idempotency key was used for another request"
        raise Conflict("idempotency_key_reused", message, "use a new key for a new request", where="Idempotency-Key")
    answer = still_told(desk.view, decode(before[1], Remembered))
    under_way().repeated(receipt.id for receipt in (answer.turn, *answer.facts) if receipt is not None)
    return answer
