"""Routes of company knowledge: documents in, listed, taken back, erased."""

from __future__ import annotations

from litestar import Router, delete, get, post

from hub.api.asked import Asked, flagged
from hub.api.callers import Operating
from hub.erased import Erasure
from hub.hub.publishing import DocumentPage, DocumentsRemoved
from hub.knowledge import DocumentReceipt
from hub.requests import NewDocument, OldDocument, Shelf


@post("", sync_to_thread=True)
def add(operator: Operating, asked: Asked[NewDocument]) -> DocumentReceipt:
    return operator.published(asked)


@get("", sync_to_thread=True)
def listed(operator: Operating, asked: Asked[Shelf]) -> DocumentPage:
    return operator.knowledge_listed(asked)


@post("/remove", status_code=200, sync_to_thread=True)
def remove(operator: Operating, asked: Asked[OldDocument]) -> DocumentsRemoved:
    return operator.remove_knowledge(asked.document, reason=asked.reason)


@delete("", opt=flagged("erase"), status_code=200, sync_to_thread=True)
def erase(operator: Operating, asked: Asked[OldDocument]) -> Erasure:
    return operator.erase_knowledge(asked.document, reason=asked.reason)


ROUTES = Router("/v1/admin/knowledge", route_handlers=[add, listed, remove, erase], tags=["operators"])
