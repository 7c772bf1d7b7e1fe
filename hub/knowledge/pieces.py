"""A document cut into pieces that can be read by themselves: by headings first, then by paragraphs."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

LONGEST = 700
"""So many characters of text a piece holds at most, its headings not counted."""

BETWEEN = " › "

_FRONT = re.compile(r"\A---[ \t]*\n(.*?\n)?(?:---|\.\.\.)[ \t]*(?:\n|\Z)", re.DOTALL)
_TITLE = re.compile(r"^title:(.+)$", re.MULTILINE)
_HEADING = re.compile(r" {0,3}(#{1,6})(?![^ \t])(.*)")
_UNDERLINE = re.compile(r" {0,3}(=+|-+)[ \t]*")
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_ROW = re.compile(r"[ \t]*\|.*")
_RULER = re.compile(r"[ \t]*\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*")
_SENTENCE = re.compile(r"(?<=[.!?…]\s)|(?<=[。！？])")
_WORD = re.compile(r"\S+\s*|\s+")
_WIDEST = 2_000
"""A line longer than this is no heading and no part of a table."""


@dataclass(frozen=True, slots=True)
class Piece:
    """Some text of a document, and the headings it stands under."""

    heading: str
    text: str


@dataclass(slots=True)
class _Outline:
    """The headings above the line that has been reached, each with its level."""

    above: list[tuple[int, str]] = field(default_factory=list)

    def enter(self, level: int, title: str) -> None:
        self.above = [pair for pair in self.above if pair[0] < level] + [(level, title)]

    @property
    def path(self) -> str:
        return BETWEEN.join(title for _, title in self.above if title)


def cut(text: str, *, markdown: bool) -> list[Piece]:
    """The pieces of a document in its order, none of them empty, none twice.

    Paragraphs under one heading are put together up to `LONGEST`; what is longer is cut between rows, sentences, words,
    in that order. A table that is cut has its head over every piece; code is no place for headings.
    """
    plain = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    blocks = _blocks(plain) if markdown else (("", block) for block in _paragraphs(plain.split("\n")))
    return list(dict.fromkeys(_packed(blocks)))


# --- into blocks -------------------------------------------------------------------------------------------------


def _blocks(text: str) -> Iterator[tuple[str, str]]:
    """(headings, paragraph, list, table or code) of Markdown, line by line."""
    outline = _Outline()
    if front := _FRONT.match(text):
        title = _TITLE.search(front[1] or "")
        outline.enter(0, title[1].strip(" \t\"'") if title else "")
        text = text[front.end() :]
    lines: list[str] = []
    fence = ""
    for line in [*_uncommented(text).split("\n"), "#"]:  # a last heading ends the last section
        opened = _FENCE.match(line)
        if opened and (not fence or opened[1].startswith(fence)):
            fence = "" if fence else opened[1]
        heading = None if fence else _heading(line, lines)
        if heading is None:
            lines.append(line)
            continue
        yield from ((outline.path, block) for block in _paragraphs(lines))
        lines = []
        outline.enter(*heading)
    if fence:  # which nobody closed, so that it reaches to the end
        yield from ((outline.path, block) for block in _paragraphs(lines[:-1]))


def _uncommented(text: str) -> str:
    """Without what a reader is not shown; a comment that nobody closed is none."""
    kept: list[str] = []
    at = 0
    while (start := text.find("<!--", at)) >= 0 and (end := text.find("-->", start)) >= 0:
        kept.append(text[at:start])
        at = end + 3
    return "".join([*kept, text[at:]])


def _heading(line: str, before: list[str]) -> tuple[int, str] | None:
    """(level, title) if the line makes a heading, of itself or of the line before it, which is then taken away."""
    if len(line) > _WIDEST:
        return None
    if found := _HEADING.fullmatch(line):
        title = found[2].strip()
        bare = title.rstrip("#")
        return len(found[1]), bare.rstrip() if bare[-1:] in ("", " ", "\t") else title
    alone = bool(before and before[-1].strip()) and (len(before) == 1 or not before[-2].strip())
    if alone and (found := _UNDERLINE.fullmatch(line)) and not _ROW.fullmatch(before[-1]):
        return (1 if found[1][0] == "=" else 2), before.pop().strip()
    return None


def _paragraphs(lines: Iterable[str]) -> Iterator[str]:
    """What blank lines divide; those within a fence of code do not."""
    block: list[str] = []
    fence = ""
    for line in [*lines, ""]:
        opened = _FENCE.match(line)
        if opened and (not fence or opened[1].startswith(fence)):
            fence = "" if fence else opened[1]
        if line.strip() or fence:
            block.append(line.rstrip())
        elif block:
            yield "\n".join(block)
            block = []
    if block:
        yield "\n".join(block).rstrip()


# --- into pieces -------------------------------------------------------------------------------------------------


def _packed(blocks: Iterable[tuple[str, str]]) -> Iterator[Piece]:
    """As many blocks in a piece as there is room for; a heading begins another."""
    heading, text = "", ""
    for under, block in blocks:
        for part in _parts(block):
            if text and (under != heading or len(text) + 2 + len(part) > LONGEST):
                yield Piece(heading, text)
                text = ""
            heading, text = under, f"{text}\n\n{part}" if text else part
    if text:
        yield Piece(heading, text)


def _parts(block: str) -> Iterator[str]:
    if len(block) <= LONGEST:
        yield block
        return
    head, rows = _table(block)
    room = LONGEST - len(head)
    wrapped = (piece for row in rows for piece in _wrapped(row, room))
    yield from (head + rows for rows in _joined(wrapped, "\n", room))


def _table(block: str) -> tuple[str, list[str]]:
    """The head of a table with the line under it, and its rows; of anything else no head and its lines."""
    lines = block.split("\n")
    fits = len(lines) > 2 and len(lines[0]) + len(lines[1]) < LONGEST // 2
    is_table = fits and _ROW.fullmatch(lines[0]) and _RULER.fullmatch(lines[1])
    head = f"{lines[0]}\n{lines[1]}\n" if is_table else ""
    return (head, lines[2:]) if is_table else ("", lines)


def _wrapped(line: str, room: int) -> Iterator[str]:
    """A line as it is if it fits, else by sentences, and a sentence that does not fit by words."""
    if len(line) <= room:
        yield line
        return
    sentences = (part for sentence in _SENTENCE.split(line) for part in _words(sentence, room))
    yield from _joined(sentences, "", room)


def _words(sentence: str, room: int) -> Iterator[str]:
    if len(sentence) <= room:
        yield sentence
        return
    words = (word[at : at + room] for word in _WORD.findall(sentence) for at in range(0, len(word), room))
    yield from _joined(words, "", room)


def _joined(parts: Iterable[str], joint: str, room: int) -> Iterator[str]:
    """As many in one as there is room for."""
    text = ""
    for part in parts:
        if text and len(text) + len(joint) + len(part.rstrip()) > room:
            yield text.rstrip()
            text = ""
        text = f"{text}{joint}{part}" if text else part
    if text.strip():
        yield text.rstrip()
