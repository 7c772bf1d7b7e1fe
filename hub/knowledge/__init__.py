"""Company knowledge: documents cut into passages, published, replaced and taken back, each of it on record."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import datetime

from hub.answers import AuthorAnswer
from hub.door import HUB, Desk, company_label
from hub.erased import Erased
from hub.errors import Incorrect, Missing
from hub.facts import Filing, Gap, Label, Passage, Withdraw
from hub.knowledge.pieces import Piece, cut
from hub.moments import as_datetime
from hub.redaction import Redacted, refuse_secrets, screened
from hub.registry import checked_relation
from hub.requests import NewDocument
from hub.view import View

__all__ = ["GENERAL", "Document", "DocumentReceipt", "documents", "erase", "publish", "take_back"]

GENERAL = "knowledge"
"""The topic of a document of which nobody says another."""

_MARKDOWN = (".md", ".markdown", ".mdx")


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """A document as it stands: `topic` is what policies name it by; `recorded_at` is when its latest passage came."""

    document: str
    topic: str
    passages: int
    author: AuthorAnswer
    recorded_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentReceipt:
    """What became of a document, in passages: those that are new, that stand as they did, and that no longer do.

    `redacted`: the secrets that are blank in what is kept of it.
    """

    document: str
    topic: str
    added: int = 0
    kept: int = 0
    removed: int = 0
    recorded_at: datetime
    redacted: tuple[Redacted, ...] = ()


# --- what stands -------------------------------------------------------------------------------------------------


def documents(view: View, under: str | None = None) -> Iterator[Document]:
    """Those that stand in a view of the company's own, by name; `under`: of that name, or in the folder of it."""
    for name in sorted(view.base.documents):
        standing = _standing(view, name) if under is None or _lies(name, under) else []
        if standing:
            latest, filing = standing[-1]
            yield Document(
                document=name,
                topic=_topic(filing),
                passages=len(standing),
                author=AuthorAnswer(agent=latest.author.agent, domain=latest.author.domain),
                recorded_at=as_datetime(max(passage.recorded_at for passage, _ in standing)),
            )


def _lies(name: str, under: str) -> bool:
    return name == under or name.startswith(under.rstrip("/") + "/")


def _standing(view: View, document: str) -> list[tuple[Passage, Filing]]:
    """What the view holds of a document, in the order it came, and where it is filed."""
    rows = [(row.record, row.filing) for row in view.rows(view.base.documents.get(document, ()))]
    return [(record, filing) for record, filing in rows if isinstance(record, Passage) and view.published(record)]


def _topic(filing: Filing) -> str:
    return min(label.relation for label in filing)


# --- what is published -------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Pieces:
    """A document, cut, and what is blank in it."""

    wanted: list[Piece]
    redacted: tuple[Redacted, ...]


def screened_pieces(asked: NewDocument) -> Pieces:
    """What may be kept of a document, which takes seconds for megabytes: it is done before anything else has to wait.

    Raises Incorrect for one that says nothing, Denied for a secret in its name.
    """
    refuse_secrets(asked.document)
    return Pieces(*_screened(asked))


def publish(desk: Desk, asked: NewDocument, pieces: Pieces) -> DocumentReceipt:
    """Files a document, or what is new of it; what it no longer says is taken back. `pieces`: `screened_pieces` of it.

    INVARIANT: a document stands under one topic. One that has stood somewhere stays there unless another is named, so
    that nothing confidential is opened by publishing it again.
    """
    standing = _standing(desk.view, asked.document)
    topic = _checked(asked.topic) if asked.topic else _topic(standing[-1][1]) if standing else GENERAL
    label = company_label(topic)
    wanted, redacted = pieces.wanted, pieces.redacted
    fit = {Piece(passage.heading, passage.text): passage for passage, filing in standing if filing == {label}}
    news = [piece for piece in wanted if piece not in fit]
    staying = {fit[piece].id for piece in wanted if piece in fit}
    over = [(passage, filing) for passage, filing in standing if passage.id not in staying]
    _take_back(desk, over, "published anew")
    for piece in news:
        desk.file(_passage(desk, asked.document, piece), frozenset({label}))
    receipt = _receipt(desk, asked.document, topic, added=len(news), kept=len(staying), removed=len(over))
    return replace(receipt, redacted=redacted)


def _checked(topic: str) -> str:
    """A topic is called as a relation is, for policies name both alike; the hub's own label is none."""
    try:
        named = topic if topic == GENERAL else checked_relation(topic)
    except Incorrect as error:
        raise Incorrect("bad_topic", f"`{topic[:60]}` is no name for a topic", error.fix, where="topic") from None
    if named == HUB.relation:
        raise Incorrect("bad_topic", f"`{named}` is the hub's own name", "choose another", where="topic")
    return named


def _screened(asked: NewDocument) -> tuple[list[Piece], tuple[Redacted, ...]]:
    """The pieces without secrets, and what is blank in them.

    INVARIANT: no secret is kept, whether it shows in the whole or only where the whole is cut.
    """
    whole = screened(asked.text)
    blank = Counter({part.kind: part.count for part in whole.redacted})
    pieces: dict[Piece, None] = {}
    for piece in _pieces(asked.model_copy(update={"text": whole.kept})):
        heading, text = screened(piece.heading), screened(piece.text)
        pieces[Piece(heading.kept, text.kept)] = None
        blank.update({part.kind: part.count for part in text.redacted})
    return list(pieces), tuple(Redacted(kind=kind, count=count) for kind, count in sorted(blank.items()))


def _pieces(asked: NewDocument) -> list[Piece]:
    markdown = asked.document.lower().endswith(_MARKDOWN) if asked.markdown is None else asked.markdown
    pieces = cut(asked.text, markdown=markdown)
    if not pieces:
        message = f"`{asked.document[:100]}` says nothing"
        raise Incorrect("empty_document", message, "send some text, or take the document back", where="text")
    return pieces


def _passage(desk: Desk, document: str, piece: Piece) -> Passage:
    return Passage(
        id=desk.new_id("passage"),
        seq=desk.next_seq(),
        recorded_at=desk.now,
        author=desk.author,
        document=document,
        heading=piece.heading,
        text=piece.text,
    )


def _receipt(desk: Desk, document: str, topic: str, *, added: int = 0, kept: int = 0, removed: int) -> DocumentReceipt:
    at = as_datetime(desk.now)
    return DocumentReceipt(document=document, topic=topic, added=added, kept=kept, removed=removed, recorded_at=at)


# --- what is taken back ------------------------------------------------------------------------------------------


def take_back(desk: Desk, document: str, reason: str | None) -> list[DocumentReceipt]:
    """Takes back the document, or every document in the folder of that name; what was known of it then stays known.

    Raises Missing if none stands.
    """
    receipts = []
    for found in list(documents(desk.view, document)):
        standing = _standing(desk.view, found.document)
        _take_back(desk, standing, reason)
        receipts.append(_receipt(desk, found.document, found.topic, removed=len(standing)))
    return receipts or _no_such_document(document)


def _take_back(desk: Desk, passages: Iterable[tuple[Passage, Filing]], reason: str | None) -> None:
    for passage, filing in passages:
        act = Withdraw(
            id=desk.new_id("act"),
            seq=desk.next_seq(),
            recorded_at=desk.now,
            author=desk.author,
            target=passage.id,
            as_operator=desk.as_operator,
            reason=reason,
        )
        desk.file(act, filing)


def erase(desk: Desk, document: str) -> tuple[Erased, tuple[Label, ...]]:
    """Takes a document away for good, whatever it has ever said. Raises Missing if there has been none of that name."""
    rows = list(desk.view.rows(desk.view.base.documents.get(document, ())))
    gaps = [
        Gap(id=row.record.id, seq=row.record.seq, recorded_at=row.record.recorded_at, author=row.record.author)
        for row in rows
    ]
    if not gaps:
        _no_such_document(document)
    return desk.erase(gaps), tuple(sorted({label for row in rows for label in row.filing}))


def _no_such_document(document: str) -> list[DocumentReceipt]:
    message = f"there is no document `{document[:100]}`"
    raise Missing("not_found", message, "list the documents; a folder is named like one")
