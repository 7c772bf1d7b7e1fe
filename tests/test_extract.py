"""What customers say in four languages, and what the hub takes them to claim: tables, and the packs' own examples."""

from __future__ import annotations

import pytest

from hub.documents import parse
from hub.extract import pack as packs
from tests.extracting import TABLES, fits, noted, read, scored, table

LANGUAGES = [lang for lang in ("en", "ko", "vi", "ja") if (packs._FOLDER / f"{lang}.yaml").is_file()]
each_language = pytest.mark.parametrize("lang", LANGUAGES)


def examples():
    for lang in LANGUAGES:
        top = parse((packs._FOLDER / f"{lang}.yaml").read_text(encoding="utf-8"), lang)
        for frame in top["frames"]:
            for sentence, notes in frame.get("examples", {}).items():
                yield pytest.param(lang, sentence, notes, id=f"{lang}: {sentence}")


@pytest.mark.parametrize(("lang", "sentence", "notes"), list(examples()))
def test_an_example_in_a_pack_claims_what_it_says(lang, sentence, notes):
    facts = [heard.fact for heard in read(sentence, lang).heard]
    assert len(facts) == len(notes), [noted(fact) for fact in facts]
    assert all(fits(note, fact) for note, fact in zip(notes, facts, strict=True)), [noted(fact) for fact in facts]


@each_language
def test_sentences_that_the_rules_were_written_for_are_read_right(lang):
    score = scored(table(lang), lang)
    assert score.false == []
    assert score.recall >= 0.97, score.missed


@each_language
def test_sentences_that_no_rule_was_written_for_are_read_right(lang):
    score = scored(table(f"{lang}.held-out"), lang)
    print(lang, score)
    assert score.precision >= 0.98, "\n".join([str(score), *score.false])
    assert score.recall >= 0.90, "\n".join([str(score), *score.missed])


@each_language
def test_a_third_of_the_sentences_claim_nothing(lang):
    sentences = table(lang) + table(f"{lang}.held-out")
    assert len(sentences) >= 150
    assert sum(not notes for _, notes in sentences) * 3 >= len(sentences)
    assert len({sentence for sentence, _ in sentences}) == len(sentences)


def test_every_table_belongs_to_a_pack():
    assert {path.name.partition(".")[0] for path in TABLES.glob("*.yaml")} <= set(LANGUAGES)


@pytest.mark.parametrize(
    ("text", "notes"),
    [
        ("I live in Hanoi. My friend hates tea.", ["lives_in = Hanoi", "dislikes = tea | of friend"]),
        ("저는 하노이에 살아요. I love jazz.", ["likes = jazz"]),
        ("I love jazz. I love jazz!", ["likes = jazz"]),
        ("I've got a ``question''", []),
        ("", []),
        ("...?!", []),
    ],
)
def test_each_sentence_is_read_for_itself(text, notes):
    assert [note for note in map(noted, (h.fact for h in read(text).heard)) if "하노이" not in note] == notes


def test_a_fact_comes_with_the_words_that_say_it():
    text = "Hello! I live in Hanoi with my wife, and I love jazz."
    assert [text[slice(*heard.span)] for heard in read(text).heard] == ["I live in Hanoi", "I love jazz"]


@pytest.mark.parametrize(
    ("text", "whole"),
    [
        ("I live in Hanoi.", True),
        ("Hi! Hello, I live in Hanoi, and I love jazz. Thanks", True),
        ("I live in Hanoi. Thanks, doctor", False),
        ("Hello, I live in Hanoi, and I love jazz", True),
        ("I live in Hanoi and my back hurts", False),
        ("I live in Hanoi. My back hurts.", False),
        ("I live in Hanoi with somebody you know", False),
        ("My back hurts", False),
        ("", False),
    ],
)
def test_a_text_is_read_whole_if_every_clause_says_something(text, whole):
    assert read(text).whole is whole
