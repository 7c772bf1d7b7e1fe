"""The verbs of those who publish company knowledge: documents in, replaced, listed, taken back, erased."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice

from hub.door import Act, Door
from hub.erased import Erasure
from hub.facts import COMPANY
from hub.hub import erasures
from hub.hub.points import Behind, cursor_from, cursor_text
from hub.knowledge import Document, DocumentReceipt, documents, publish, screened_pieces, take_back
from hub.requests import NewDocument, OldDocument, Shelf, checked


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentPage:
    documents: tuple[Document, ...]
    next: str | None = None
    truncated: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentsRemoved:
    """Every document that was taken back, by name: the list is never cut."""

    documents: tuple[DocumentReceipt, ...]
    next: str | None = None
    truncated: bool = False


class Publishing:
    """What an operator may do about what the company knows; agents read it in their recalls."""

    id: str
    _door: Door

    def add_knowledge(
        self, document: str, text: str, *, topic: str | None = None, markdown: bool | None = None
    ) -> DocumentReceipt:
        """Publishes a text of Markdown (what its name says, if `markdown` does not) or plain paragraphs.

        A document of that name is replaced: what it still says stays as it was recorded, the rest is taken back.
        Policies tell documents apart by their `topic`.
        """
        fields = {"document": document, "text": text, "topic": topic, "markdown": markdown}
        return self.published(checked(NewDocument, fields))

    def published(self, asked: NewDocument) -> DocumentReceipt:
        """`add_knowledge` for a request that has been checked."""
        pieces = screened_pieces(asked)
        with self._door.admit(self.id, COMPANY, act=Act.WRITE) as desk:
            receipt = publish(desk, asked, pieces)
        if self._door.shelving is not None:
            self._door.shelving.index.wake()
        return receipt

    def knowledge(self, *, limit: int = 100, cursor: str | None = None) -> DocumentPage:
        """The documents that stand, by name, `limit` a page."""
        return self.knowledge_listed(checked(Shelf, {"limit": limit, "cursor": cursor}))

    def knowledge_listed(self, asked: Shelf) -> DocumentPage:
        """`knowledge` for a request that has been checked."""
        after = "" if asked.cursor is None else cursor_from(asked.cursor, Behind, self._door.cursor_key).name
        view = self._door.look(self.id, COMPANY)
        found = list(islice((one for one in documents(view) if one.document > after), asked.limit + 1))
        more = len(found) > asked.limit
        page = tuple(found[: asked.limit])
        following = cursor_text(Behind(page[-1].document), self._door.cursor_key) if more else None
        return DocumentPage(documents=page, next=following, truncated=more)

    def remove_knowledge(self, document: str, *, reason: str | None = None) -> DocumentsRemoved:
        """Takes back a document, or all in a folder; questions about the past still find them."""
        asked = checked(OldDocument, {"document": document, "reason": reason})
        with self._door.admit(self.id, COMPANY, act=Act.WRITE) as desk:
            return DocumentsRemoved(documents=tuple(take_back(desk, asked.document, asked.reason)))

    def erase_knowledge(self, document: str, *, reason: str | None = None) -> Erasure:
        """Takes a document away for good, from the past too, with all it has ever said."""
        asked = checked(OldDocument, {"document": document, "reason": reason})
        return erasures.erase_document(self._door, self.id, asked.document, asked.reason)
