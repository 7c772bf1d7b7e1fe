"""Strict documents: what is read as what, what is refused, and where the complaint points."""

from __future__ import annotations

import json
import math
from contextlib import suppress

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from hub.documents import DEEPEST, Fields, parse, parse_json, places, shortened
from hub.errors import Incorrect
from hub.facts import Arbitration

WORDS_AS_READ = [
    ("true", True),
    ("false", False),
    ("null", None),
    ("~", None),
    ("", None),
    ("12", 12),
    ("-0.5", -0.5),
    ("1e3", 1000.0),
    *((word, word) for word in "yes no on off Yes NO True FALSE Null y n".split()),
    *(
        (word, word)
        for word in "2026-03-01 2026-03-01T09:00:00Z 12:30 007 +84 0x1F 0o17 1_000 .5 1. .inf .nan =".split()
    ),
    ('"true"', "true"),
    ("'12'", "12"),
    ('""', ""),
    ("xin chào", "xin chào"),
    (r'"\u8eca"', "車"),
]


@pytest.mark.parametrize(("written", "read"), WORDS_AS_READ)
def test_a_word_is_read_as_json_reads_it_and_is_a_string_otherwise(written: str, read: object) -> None:
    got = parse(f"value: {written}\n", "a.yaml")
    assert got == {"value": read}
    assert type(got["value"]) is type(read)  # type: ignore[index]


def test_keys_are_the_text_that_stands_there() -> None:
    assert parse("1: a\ntrue: b\nno: c\n2026: d\n~: e\n", "a.yaml") == {
        "1": "a",
        "true": "b",
        "no": "c",
        "2026": "d",
        "~": "e",
    }


def test_lists_and_mappings_nest_in_either_style() -> None:
    text = "steps:\n  - {agent: mia, say: |\n      hello\n  - [a, {b: [1, 2]}]\n  - >-\n    one\n    line\n"
    assert parse(text.replace("{agent: mia, say: |\n      hello", "agent: mia\n    say: |\n      hello"), "a.yaml") == {
        "steps": [{"agent": "mia", "say": "hello\n"}, ["a", {"b": [1, 2]}], "one line"]
    }
    assert parse("", "a.yaml") is None
    assert parse("# only a comment\n", "a.yaml") is None
    assert parse("--- word\n", "a.yaml") == "word"


def test_flow_style_that_is_no_json_is_yaml() -> None:
    assert parse("{agent: mia, facts: [a, b,]}  # note", "a.yaml") == {"agent": "mia", "facts": ["a", "b"]}
    assert parse('{"smile": "\\ud83d\\ude00"}', "a.json") == {"smile": "😀"}


DEEP = DEEPEST + 1
REFUSED_YAML = [
    ("a: 1\nb: 2\na: 3\n", "line 3", "twice"),
    ("a: &x [1]\nb: *x\n", "line 1", "anchors"),
    ("- &x {a: 1}\n", "line 1", "anchors"),
    ("- &x one\n", "line 1", "anchors"),
    ("a: 1\nb: *x\n", "line 2", "anchors"),
    ("a: !!int 3\n", "line 1", "tags"),
    ("a: !!python/object/apply:os.system [ls]\n", "line 1", "tags"),
    ("a: ! 3\n", "line 1", "tags"),
    ("a: !!set {b}\n", "line 1", "tags"),
    ("[1, 2]: a\n", "line 1", "key"),
    ("? {a: 1}\n: b\n", "line 1", "key"),
    ("a: 1\n---\nb: 2\n", "line 2", "second document"),
    ("a: [1, 2\n", "line 2", "not YAML"),
    ("a: b: c\n", "line 1", "not YAML"),
    ("a: 1\n\tb: 2\n", "line 2", "not YAML"),
    ("a: '\x00'\n", "a.yaml:", "character"),
    ("a: \ud800\n", "a.yaml:", "surrogate"),
    ('a: "\\ud800"\n', "line 1", ""),
    ("a: 1e999\n", "line 1", "finite"),
    (f"a: {'9' * 101}\n", "line 1", "digits"),
    ("[" * DEEP + "]" * DEEP, "line 1", "levels"),
    ("[" * 500, "line 1", "levels"),
    ("[" * 100_000, "line 1", ""),  # whoever counts first, the parser or we
    ("- " * DEEP + "x\n", "line 1", "levels"),
    ('{"a": ' * DEEP + "1" + "}" * DEEP, "line 1", "levels"),
    ('{"a": 1,\n "b": 2,\n "a": 3}', "line 3", "twice"),
]


@pytest.mark.parametrize("parser", ["CSafeLoader", "SafeLoader"])
@pytest.mark.parametrize(("text", "place", "what"), REFUSED_YAML)
def test_what_is_ambiguous_or_hostile_is_refused_with_its_line(
    text: str, place: str, what: str, parser: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("hub.documents._Parser", getattr(yaml, parser))
    with pytest.raises(Incorrect) as refused:
        parse(text, "a.yaml")
    assert refused.value.code == "bad_document"
    assert refused.value.message.startswith("a.yaml")
    assert place in refused.value.message
    assert what in refused.value.message
    assert refused.value.fix


def test_what_lies_exactly_as_deep_as_allowed_is_read() -> None:
    for text in ("[" * DEEPEST + "]" * DEEPEST, "- " * DEEPEST + "x"):
        got, depth = parse(text, "a.yaml"), 0
        while isinstance(got, list):
            got, depth = (got[0] if got else None), depth + 1
        assert depth == DEEPEST


REFUSED_JSON = [
    ('{"a": 1, "a": 2}', "twice"),
    ('[{"b": {"c": 1, "c": 1}}]', "twice"),
    ("[NaN]", "finite"),
    ("[-Infinity]", "finite"),
    ("[1e999]", "finite"),
    (f"[{'9' * 5000}]", "digits"),
    (r'["\ud800"]', "surrogate"),
    ('["\ud800"]', "surrogate"),
    ("{'a': 1}", "not JSON"),
    ('{"a": 1} x', "not JSON"),
    ("", "not JSON"),
    ("[" * 100_000, "levels"),
    ('{"a":' * 100_000, "levels"),
    ('"' + '\\"' * 200_000 + "[" * 100, "not JSON"),  # one long string without an end, scanned once
]


@pytest.mark.parametrize(("text", "what"), REFUSED_JSON)
def test_json_is_read_more_strictly_than_python_does(text: str, what: str) -> None:
    with pytest.raises(Incorrect) as refused:
        parse_json(text, "the body")
    assert refused.value.code == "bad_document"
    assert what in refused.value.message


def test_brackets_inside_strings_are_not_depth() -> None:
    text = json.dumps({"a": "[" * 200, "b\\": '"[{' * 100, "c": [[]]})
    assert parse_json(text, "the body") == json.loads(text)


PLAIN = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(10**18), 10**18)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


@given(PLAIN)
def test_what_json_writes_comes_back_the_same(value: object) -> None:
    assert parse(json.dumps(value), "a.json") == value
    assert parse_json(json.dumps(value, ensure_ascii=False), "a.json") == value


@given(
    st.dictionaries(
        st.text(st.characters(codec="ascii", min_codepoint=32)), st.text(st.characters(codec="ascii", min_codepoint=32))
    )
)
def test_quoted_yaml_comes_back_the_same(value: dict[str, str]) -> None:
    assert parse(yaml.safe_dump(value, default_style='"'), "a.yaml") == value


@given(st.text(alphabet=list("[]{}:,-&*!|>'\"\\#%@`~?\n\t ab1\ud800\x00\u8eca"), max_size=60))
def test_no_text_breaks_the_reader(text: str) -> None:
    for read in (parse, parse_json):
        with suppress(Incorrect):
            read(text, "a.yaml")


# --- fields ------------------------------------------------------------------------------------------------------


def fields(**values: object) -> Fields:
    return Fields.of(values, "the file", "bad_file")


def test_fields_give_what_was_asked_for() -> None:
    some = fields(name="An", tags=["b", "a", "b"], core=True, trust=1, scope="owner", deep={"x": "y"})
    assert some.text("name") == "An"
    assert some.texts("tags") == ("b", "a")
    assert some.texts("none") == ()
    assert (some.flag("core"), some.flag("none")) == (True, False)
    assert math.isclose(some.number("trust"), 1.0)
    assert some.choice("scope", Arbitration) is Arbitration.OWNER
    assert some.part("deep", ("x",)).text("x") == "y"
    assert some.part("none").values == {}
    assert some.has("name")
    assert not some.has("none")


@pytest.mark.parametrize(
    ("read", "what"),
    [
        (lambda: Fields.of([1], "the file", "bad_file"), "the file is not a mapping"),
        (lambda: Fields.of({"a": 1, "oops": 2}, "the file", "bad_file", ("a",)), "the file has an unknown key `oops`"),
        (lambda: fields(a=1).part("a"), "the file `a` is not a mapping"),
        (lambda: fields(a={"b": 1}).part("a", ("c",)), "the file `a` has an unknown key `b`"),
        (lambda: fields(a=1).text("a"), "a text as `a`"),
        (lambda: fields(a=" ").text("a"), "a text as `a`"),
        (lambda: fields().text("a"), "a text as `a`"),
        (lambda: fields(a="b").texts("a"), "a list of texts as `a`"),
        (lambda: fields(a=["b", 1]).texts("a"), "a list of texts as `a`"),
        (lambda: fields(a=["b", ""]).texts("a"), "a list of texts as `a`"),
        (lambda: fields(a="yes").flag("a"), "a yes or no as `a`"),
        (lambda: fields(a=True).number("a"), "a number as `a`"),
        (lambda: fields(a="1").number("a"), "a number as `a`"),
        (lambda: fields(a="mine").choice("a", Arbitration), "no such `a`"),
        (lambda: fields(a=["latest"]).choice("a", Arbitration), "no such `a`"),
    ],
)
def test_fields_complain_in_the_words_of_their_reader(read: object, what: str) -> None:
    with pytest.raises(Incorrect) as refused:
        read()  # type: ignore[operator]
    assert refused.value.code == "bad_file"
    assert what in refused.value.message
    assert refused.value.where
    assert refused.value.fix


def test_an_error_message_bears_only_so_much() -> None:
    assert shortened("short") == "short"
    assert shortened("a\x00b\ud800\n") == "a�b��"
    assert shortened("x" * 1_000_000) == "x" * 59 + "…"


PLACES = {
    "id: a\nsteps:\n  - {a: b}\n  - a: c\n    d: e\n  - x\nlast: |\n  a\n  b\nend: [1,\n 2]\n": (
        {"id": 1, "steps": 2, "last": 7, "end": 10},
        {"steps": [3, 4, 6], "end": [10, 11]},
    ),
    '{"id": "a",\n "": "x",\n "steps": [\n{"a": "b"}, {"b": 1}]}': ({"id": 1, "": 2, "steps": 3}, {"steps": [4, 4]}),
    '{"id": "a", "steps": [1, 2]}\n': ({}, {}),
    "- a\n- b\n": ({}, {}),
    '{"a":\n "\\ud83c\\udf5c"}': ({}, {}),
}


@pytest.mark.parametrize("text", PLACES)
def test_keys_and_items_are_found_again_by_their_lines(text):
    parse(text, "here")
    found = places(text)
    assert (dict(found.keys), dict(found.items)) == PLACES[text]


def test_what_is_wrong_with_a_key_is_told_with_its_line():
    fields = Fields.of({"a": 1, "b": {"c": 2}}, "here", "bad", lines={"a": 3, "b": 4})
    assert fields.wrong("is odd", "mend it", "a").message == "here, line 3 is odd"
    assert fields.wrong("is odd", "mend it").where == "here"
    assert fields.part("b").name == "here, line 4 `b`"
    with pytest.raises(Incorrect, match="here, line 3 has an unknown key `a`"):
        Fields.of({"a": 1}, "here", "bad", ["b"], {"a": 3})
