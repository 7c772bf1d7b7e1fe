"""Packs and patterns: what they may say, what is wrong with one, and that no text can make them run away."""

from __future__ import annotations

import pytest

from hub.errors import Incorrect
from hub.extract import rules
from hub.extract.pack import pack_from
from hub.extract.patterns import LONGEST
from hub.extract.rules import Clauses, Turn
from hub.extract.sentences import LONGEST_SENTENCE, composed, sentences
from tests.extracting import SAID_AT, noted, read

PACK = """
spacing: {spacing}
lists: {{me: [i, we], wish: ["would (love|like)"]}}
goods: [car]
lengths: {{one: 1 day, many: "{{n}} days"}}
joints: [_and_]
list_joints: [_and_, ",_"]
tails: [now]
goes_on: {{<me>: "", "{{thing}}": ""}}
slots:
  x: {{most: 3, ends: [and], trail: [a lot]}}
  list: {{list: true}}
  food: {{one_of: me}}
  word: {{like: "\\\\w+", write: upper}}
  thing: {{write: thing}}
  time: {{time: true, never: [for]}}
things: {{before: [my_, the_], after: [_of mine], pronouns: [it]}}
frames:
{frames}
"""


def made(*frames, spacing="words", bare=False):
    text = PACK.format(spacing=spacing, frames="\n".join(f"  - {frame}" for frame in frames) or "  []")
    return pack_from(text, "en.yaml", {"car": "car", "bike": "bicycle"}, bare=bare)


def claimed(pack, text):
    turn = Turn(SAID_AT, "UTC")
    for sentence in sentences(text):
        Clauses(text[sentence.start : sentence.end], sentence, pack, turn).read()
    return [noted(heard.fact) for heard in turn.heard]


LIKES = '{say: ["<me> [really|truly] like {x}"], relation: likes, value: "{x}"}'


@pytest.mark.parametrize(
    ("frame", "text", "notes"),
    [
        (LIKES, "I really like tea", ["likes = tea"]),
        (LIKES, "I like tea", ["likes = tea"]),
        (LIKES, "Ireally like tea", []),
        (LIKES, "I like tea a lot", ["likes = tea"]),
        (LIKES, "I like one two three four", []),
        (LIKES, "I like it (the tea)", ["likes = it"]),
        (LIKES, "we like tea and like milk", ["likes = tea", "likes = milk"]),
        ('{say: ["go [on]"], relation: likes, value: walks}', "Go on", ["likes = walks"]),
        ('{say: ["go[ing] now"], relation: likes, value: walks}', "Going now", ["likes = walks"]),
        ('{say: ["it(\'s| is) {word}"], relation: likes, value: "{word}"}', "It's hot", ["likes = HOT"]),
        ('{say: ["it (\'s|is) {word}"], relation: likes, value: "{word}"}', "It is hot", ["likes = HOT"]),
        ('{say: ["it [\'s|is] so {word}"], relation: likes, value: "{word}"}', "It's so hot", ["likes = HOT"]),
        ('{say: ["it [\'s|is] so {word}"], relation: likes, value: "{word}"}', "It so hot", ["likes = HOT"]),
        ('{say: ["i [just] (\'d|would) go"], relation: likes, value: walks}', "I just would go", ["likes = walks"]),
        ('{say: ["i [just] (\'d|would) go"], relation: likes, value: walks}', "I'd go", ["likes = walks"]),
        ('{say: ["i <wish> {x}"], relation: wants, value: "{x}"}', "I would love tea", ["wants = tea"]),
        ('{say: ["i * {x}"], relation: likes, value: "{x}"}', "I adore tea", ["likes = tea"]),
        (
            '{say: ["{thing} broke"], relation: fault, value: broke, of: "{thing}"}',
            "My car broke",
            ["fault = broke | of car"],
        ),
        (
            '{say: ["{thing} broke"], relation: fault, value: broke, of: "{thing}"}',
            "Car of mine broke",
            ["fault = broke | of car"],
        ),
        (
            '{say: ["{thing} broke"], relation: fault, value: broke, of: "{thing}"}',
            "The VW Golf broke",
            ["fault = broke | of VW Golf"],
        ),
        ('{say: ["{thing} broke"], relation: fault, value: broke, of: "{thing}"}', "It broke", []),
        ('{say: ["{thing} broke"], relation: fault, value: broke, of: "{thing}"}', "Silence broke", []),
        ('{say: ["broke"], relation: fault, value: broke, of: it}', "Broke", []),
        (
            '{say: ["see you {time}"], relation: appointment, value: "{time}"}',
            "See you tomorrow",
            ["appointment = tomorrow"],
        ),
        ('{say: ["see you {time}"], relation: appointment, value: "{time}"}', "See you for 3 days", []),
        ('{say: ["i [{x} and] go"], relation: likes, value: "{x}"}', "I go", []),
        ('{say: ["my {x} is {word}"], relation: "my_{x}", value: "{word}"}', "My rock'n'roll is loud", []),
        ('{say: ["stop {x}"], anywhere: true, relation: likes, value: "{x}"}', "Please stop one two three four", []),
        ('{say: ["no {x}"], refuse: true}', "No tea", []),
        (
            '{say: ["stop {word}"], anywhere: true, relation: dislikes, value: "{word}"}',
            "Please stop it",
            ["dislikes = IT"],
        ),
    ],
)
def test_a_pattern_fits_what_it_says(frame, text, notes):
    assert claimed(made(frame), text) == notes


def test_a_frame_that_needs_the_marks_is_not_tried_without_them():
    frame = '{say: ["bán {x}"], relation: likes, value: "{x}", marked: true}'
    assert claimed(made(frame), "Bán trà") == ["likes = trà"]
    assert claimed(made(frame, bare=True), "Ban tra") == []
    assert claimed(made(frame.replace(", marked: true", ""), bare=True), "Ban tra") == ["likes = tra"]


def test_words_need_spaces_only_where_the_language_has_them():
    frame = '{say: ["go {x}"], relation: likes, value: "{x}"}'
    assert claimed(made(frame), "Gohome") == []
    assert claimed(made(frame, spacing="loose"), "Gohome") == ["likes = home"]
    assert claimed(made(frame, spacing="none"), "Goup") == ["likes = up"]


@pytest.mark.parametrize(
    ("frame", "complaint"),
    [
        ('{say: ["i like {x} [now]"], relation: likes, value: "{x}"}', "ends in something optional"),
        ('{say: ["i (like {x}"], relation: likes, value: "{x}"}', "not closed"),
        ('{say: ["i like) {x}"], relation: likes, value: "{x}"}', "stray"),
        ('{say: ["i|we like {x}"], relation: likes, value: "{x}"}', "outside of them"),
        ('{say: ["i < like {x}"], relation: likes, value: "{x}"}', "cannot be read"),
        ('{say: ["<you> like {x}"], relation: likes, value: "{x}"}', "no list"),
        ('{say: ["i like {y}"], relation: likes, value: "{y}"}', "no slot `y`"),
        ('{say: ["{x} {list}"], relation: likes, value: "{x}"}', "no word that a text would have to hold"),
        ('{say: ["i like {x}"], relation: likes, value: "{list}"}', "not in `i like {x}`"),
        ('{say: ["i like {x}"], relation: likes, value: "a", of: "{x}"}', "no thing"),
        ('{say: ["i like {x}"], claims: {relation: likes}}', "no list"),
        ('{say: ["i like {x}"], relation: likes, value: "{x}", colour: red}', "unknown key"),
        ('{say: ["i like {x}"], value: "{x}"}', "needs a text as `relation`"),
    ],
)
def test_what_is_wrong_with_a_pack_is_said(frame, complaint):
    with pytest.raises(Incorrect) as refused:
        made(frame)
    assert refused.value.code == "bad_pack"
    assert complaint in refused.value.message


def test_frames_are_a_list():
    with pytest.raises(Incorrect, match="no list of `frames`"):
        pack_from("spacing: words\nlengths: {one: a, many: b}\nframes: all", "xx.yaml", {})


# --- sentences ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("I paid 3.50. Dr. Lee said so! Why?", ["I paid 3.50", "Dr. Lee said so", "Why"]),
        ("見て。これ？はい", ["見て", "これ", "はい"]),
        ("one\ntwo\r\n\n three…four", ["one", "two", "three", "four"]),
        ('he said "no." Then left', ['he said "no', "Then left"]),
        ("J. R. R. Tolkien", ["J. R. R. Tolkien"]),
        ("a.b", ["a.b"]),
        ("  . ", []),
    ],
)
def test_a_text_is_cut_into_sentences(text, parts):
    assert [text[s.start : s.end] for s in sentences(text)] == parts


def test_a_text_is_read_composed_and_without_what_nobody_sees():
    assert composed("To\u0302i\u200b") == "Tôi"
    assert [noted(h.fact) for h in read("Tôi thích phở", "vi").heard] == ["likes = phở"]


@pytest.mark.parametrize(
    ("text", "notes"),
    [
        ("I love pizza, pasta, sushi", ["likes = pizza", "likes = pasta", "likes = sushi"]),
        ("I love pizza, as I said", ["likes = pizza"]),
        ("hi hi hi hi hi hi hi hi hi I live in Hue", []),
        ("I live in İzmir", ["lives_in = İzmir"]),
        ("I\u2019m vegan", ["diet = vegan"]),
        ("Сергей", []),
        ("I live in Hue, right?", []),
        ("If my order ORD-48200 is late, tell me", []),
        ("I love the song “I hate you”", []),
        ("My favourite song is “I hate you”", ["favourite_song = I hate you"]),
    ],
)
def test_odd_texts_are_read_as_far_as_they_say_anything(text, notes):
    assert [noted(heard.fact) for heard in read(text).heard] == notes


# --- texts that nobody says --------------------------------------------------------------------------------------

HOSTILE = {
    "one long word": "a" * 100_000,
    "commas": "I like , " * 12_000,
    "claims without end": "I like a. " * 10_000,
    "a slot without end": "I like " + "x " * 50_000,
    "openers without end": "well so " * 12_000,
    "open quotes": 'I like "' * 12_000,
    "brackets": "((((" * 25_000,
    "marks": "a" + "\u0301" * 100_000,
    "Korean": "저는 " * 30_000,
    "Japanese": "私の車は" * 25_000,
    "Vietnamese": "tôi thích " * 10_000,
    "private use": "I like \ue000\ue001\ue010" * 5_000,
    "numbers": "1 day " * 16_000,
    "surrogates": "\ud800 I like tea " * 5_000,
}


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_no_text_makes_a_reader_run_away(text):
    assert len(read(text).heard) <= rules.MOST_FACTS


def test_of_one_text_no_more_is_claimed_than_a_hub_takes():
    assert len(read(" ".join(f"I like tea{n}." for n in range(300))).heard) == rules.MOST_FACTS


def test_of_a_sentence_without_end_only_the_start_is_read():
    assert read("word " * LONGEST_SENTENCE + ", I like tea").heard == ()
    assert read("I live in " + "x" * 2 * LONGEST).heard == ()
