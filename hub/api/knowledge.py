"""Routes of company knowledge: documents in, listed, taken back, erased."""

from __future__ import annotations

from litestar import delete, get, post

from hub.api.asked import Asked, flagged
from hub.api.callers import Operating, for_operators
from hub.erased import Erasure
from hub.hub.publishing import DocumentPage, DocumentsRemoved
from hub.knowledge import DocumentReceipt
from hub.requests import NewDocument, OldDocument, Shelf


@post("/knowledge", sync_to_thread=True)
def add_knowledge(operator: Operating, asked: Asked[NewDocument]) -> DocumentReceipt:
    return operator.published(asked)


@get("/knowledge", sync_to_thread=True)
def knowledge(operator: Operating, asked: Asked[Shelf]) -> DocumentPage:
    return operator.knowledge_listed(asked)


@post("/knowledge/remove", status_code=200, sync_to_thread=True)
def remove_knowledge(operator: Operating, asked: Asked[OldDocument]) -> DocumentsRemoved:
    return operator.remove_knowledge(asked.document, reason=asked.reason)


@delete("/knowledge", opt=flagged("erase"), status_code=200, sync_to_thread=True)
def erase_knowledge(operator: Operating, asked: Asked[OldDocument]) -> Erasure:
    return operator.erase_knowledge(asked.document, reason=asked.reason)


ROUTES = for_operators(add_knowledge, knowledge, remove_knowledge, erase_knowledge)
