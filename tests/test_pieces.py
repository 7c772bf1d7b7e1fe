"""Documents cut into pieces: by headings, then by paragraphs, and nothing lost or said twice on the way."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hub.knowledge.pieces import LONGEST, Piece, cut


def markdown(text: str) -> list[tuple[str, str]]:
    return [(piece.heading, piece.text) for piece in cut(text, markdown=True)]


CASES = {
    "a heading, and what stands under it": ("# Returns\nWithin 30 days.", [("Returns", "Within 30 days.")]),
    "headings within headings": (
        "# A\nx\n## B\ny\n### C\nz\n## D\nw",
        [("A", "x"), ("A › B", "y"), ("A › B › C", "z"), ("A › D", "w")],
    ),
    "text before any heading": ("Hello.\n\n# A\nx", [("", "Hello."), ("A", "x")]),
    "paragraphs under one heading stay together": ("# A\nx\n\ny", [("A", "x\n\ny")]),
    "underlined headings": ("A\n===\nx\n\nB\n---\ny", [("A", "x"), ("A › B", "y")]),
    "a rule is no heading": ("# A\nx\n\n---\n\ny", [("A", "x\n\n---\n\ny")]),
    "closing signs of a heading": ("## A ##\nx\n## C#\ny", [("A", "x"), ("C#", "y")]),
    "a hash without a space is no heading": ("#tag\n\nx", [("", "#tag\n\nx")]),
    "an empty heading ends a section": ("# A\nx\n#\ny", [("A", "x"), ("", "y")]),
    "code is no place for headings": ("# A\n```\n# b\n\n```\nx", [("A", "```\n# b\n\n```\nx")]),
    "code that nobody closed": ("# A\n~~~\n# b\n\nc", [("A", "~~~\n# b\n\nc")]),
    "a fence within a longer fence": ("````\n```\n# a\n````\n# B\nx", [("", "````\n```\n# a\n````"), ("B", "x")]),
    "what is written above the text": ("---\ntitle: 'Help'\nx: 1\n---\n# A\nx", [("Help › A", "x")]),
    "front matter without a title": ("---\nx: 1\n---\n# A\nx", [("A", "x")]),
    "comments are not shown": ("# A\nx <!-- no\n# B --> y", [("A", "x  y")]),
    "a comment that nobody closed is none": ("# A\nx <!-- y", [("A", "x <!-- y")]),
    "the same twice": ("# A\nx\n# B\ny\n# A\nx", [("A", "x"), ("B", "y")]),
    "line ends of all systems": ("\ufeff# A\r\nx\r\ry", [("A", "x\n\ny")]),
    "nothing but headings": ("# A\n## B\n", []),
    "nothing": (" \n\t\n", []),
}


@pytest.mark.parametrize(("text", "pieces"), CASES.values(), ids=CASES)
def test_markdown_is_cut_by_its_headings(text, pieces):
    assert markdown(text) == pieces


def test_plain_text_has_no_headings():
    assert cut("# A\nx\n\ny", markdown=False) == [Piece("", "# A\nx\n\ny")]


def test_paragraphs_are_put_together_as_far_as_there_is_room():
    paragraphs = [f"{n} " + "x" * 296 for n in range(5)]
    pieces = cut("\n\n".join(paragraphs), markdown=False)
    assert [piece.text.count("\n\n") + 1 for piece in pieces] == [2, 2, 1]


def test_a_table_that_is_cut_keeps_its_head_over_every_piece():
    rows = [f"| item {n} | {n} USD |" for n in range(80)]
    pieces = cut("# Prices\n" + "\n".join(["| item | price |", "|---|--:|", *rows]), markdown=True)
    assert len(pieces) > 2
    assert all(piece.text.startswith("| item | price |\n|---|--:|\n| item ") for piece in pieces)
    told = [line for piece in pieces for line in piece.text.split("\n")[2:]]
    assert told == rows


def test_a_long_paragraph_is_cut_between_sentences_in_any_language():
    for sentence in ("This is one of very many sentences. ", "これは一つの文です。", "이것은 한 문장입니다. "):
        pieces = cut(sentence * 100, markdown=False)
        assert len(pieces) == 1 or all(piece.text.endswith((".", "。")) for piece in pieces)
        assert max(len(piece.text) for piece in pieces) <= LONGEST
        assert len(cut("".join(f"{n} {sentence}" for n in range(100)), markdown=False)) > 1


@given(st.text(alphabet="# -=`~|\n\tab.。<!->\u00e9", max_size=400), st.booleans())
def test_whatever_comes_is_cut_into_pieces_that_are_not_too_long(text, is_markdown):
    for piece in cut(text, markdown=is_markdown):
        assert piece.text.strip()
        assert len(piece.text) <= LONGEST


@given(st.lists(st.tuples(st.sampled_from(["{}", "{}. ", "# {}", "{}\n"]), st.sampled_from([1, 9, 400])), max_size=8))
def test_of_plain_text_no_word_is_lost(paragraphs):
    said = ["".join(form.format(f"{n}x{i}") for i in range(most)) for n, (form, most) in enumerate(paragraphs)]
    text = "\n\n".join(said)
    cut_up = "".join(piece.text for piece in cut(text, markdown=False))
    assert re.sub(r"\s", "", cut_up) == re.sub(r"\s", "", text)


@pytest.mark.parametrize("hostile", ["<!--" * 50_000, "# " + " " * 200_000, "|" + "-" * 200_000, "`" * 200_000])
def test_hostile_documents_take_no_longer_than_others(hostile):
    """Seconds would be minutes if the time grew with the square of the length."""
    assert cut(f"a\n{hostile}\nb", markdown=True)
