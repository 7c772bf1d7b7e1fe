"""Strict reading of YAML and JSON text into plain values."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import accumulate
from typing import TypeVar

import yaml

from hub.errors import Incorrect

DEEPEST = 64
"""Lists and mappings may lie this many levels inside each other."""

_LONGEST_NUMBER = 100
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?")
_WORDS: Mapping[str, bool | None] = {"": None, "~": None, "null": None, "true": True, "false": False}
_SURROGATE = re.compile("[\ud800-\udfff]")
# Possessive, with an optional closing quote: an unterminated string is passed over once, never retried.
_NO_BRACKET = re.compile(r'(?:[^"\[\]{}]++|"(?:[^"\\]++|\\.)*+"?)++', re.DOTALL)
_DEEPER = {"[": 1, "{": 1, "]": -1, "}": -1}
_Parser = getattr(yaml, "CSafeLoader", yaml.SafeLoader)

_Choice = TypeVar("_Choice", bound=StrEnum)


def parse(text: str, source: str) -> object:
    """The one document in `text`: null, true, false, numbers as JSON writes them, strings, lists, mappings.

    Everything else that YAML might see in a bare word (dates, `yes`, `0x1F`, `1_000`) stays a string, and keys
    are always strings. Anchors, tags and repeated keys are refused. Raises `bad_document`, naming the line.
    """
    if text.lstrip()[:1] in ("{", "[", '"'):
        # What JSON refuses may still be YAML in flow style; if it is not, YAML knows the line.
        with suppress(Incorrect):
            return parse_json(text, source)
    if _SURROGATE.search(text):
        raise _bad(source, None, "the text holds half a surrogate pair", "save it as UTF-8")
    try:
        return _built(yaml.parse(text, Loader=_Parser), source)
    except yaml.YAMLError as error:
        raise _broken_yaml(error, source) from None


def parse_json(text: str, source: str) -> object:
    """The JSON value in `text`; repeated keys, NaN, deep nesting and lone surrogates raise `bad_document`."""
    if _depth(text) > DEEPEST:
        raise _too_deep(source, None)
    try:
        value: object = json.loads(
            text, object_pairs_hook=_unique, parse_int=_number, parse_float=_number, parse_constant=_no_number
        )
        (json.dumps(value, ensure_ascii=False) if "\\u" in text else text).encode()
    except json.JSONDecodeError as error:
        raise _bad(source, error.lineno, f"this is not JSON: {error.msg.lower()}", "mend the text there") from None
    except UnicodeEncodeError:
        raise _bad(source, None, "a string holds half a surrogate pair", "send whole characters") from None
    except _Unfit as error:
        raise _bad(source, None, error.what, error.fix) from None
    return value


class _Unfit(Exception):
    """Well-formed, and still not acceptable."""

    def __init__(self, what: str, fix: str) -> None:
        super().__init__(what)
        self.what = what
        self.fix = fix


def _depth(text: str) -> int:
    if text.count("[") + text.count("{") <= DEEPEST:
        return 0
    brackets = _NO_BRACKET.sub("", text)
    return max(accumulate(map(_DEEPER.__getitem__, brackets)), default=0)


def _unique(pairs: list[tuple[str, object]]) -> dict[str, object]:
    found: dict[str, object] = {}
    for key, value in pairs:
        if key in found:
            raise _repeated(key)
        found[key] = value
    return found


def _repeated(key: str) -> _Unfit:
    return _Unfit(f"the key `{shortened(key)}` is given twice", "keep one of the two")


def _number(digits: str) -> int | float:
    if len(digits) > _LONGEST_NUMBER:
        raise _Unfit(f"a number has more than {_LONGEST_NUMBER} digits", "put it in quotes if it is a name")
    number = int(digits) if digits.lstrip("-").isdecimal() else float(digits)
    return number if math.isfinite(number) else _no_number(digits)


def _no_number(digits: str) -> float:
    raise _Unfit(f"`{digits}` is no finite number", "put it in quotes, or send a finite one")


# --- YAML: values are built from the parser's events, without recursion ------------------------------------------


@dataclass(slots=True)
class _Open:
    """A list or mapping whose end has not been read; `key` waits for its value."""

    into: list[object] | dict[str, object]
    key: str | None = None

    def awaits_key(self) -> bool:
        return isinstance(self.into, dict) and self.key is None

    def take_key(self, key: str) -> None:
        if key in self.into:
            raise _repeated(key)
        self.key = key

    def take(self, value: object) -> None:
        if isinstance(self.into, list):
            self.into.append(value)
        else:
            key, self.key = self.key or "", None
            self.into[key] = value


def _built(events: Iterable[yaml.Event], source: str) -> object:
    root: list[object] = []
    stack = [_Open(root)]
    for event in events:
        try:
            _step(stack, event)
        except _Unfit as error:
            raise _bad(source, _line(event.start_mark), error.what, error.fix) from None
        if len(stack) > DEEPEST + 1:
            raise _too_deep(source, _line(event.start_mark))
    return root[0] if root else None


def _step(stack: list[_Open], event: yaml.Event) -> None:
    match event:
        case yaml.AliasEvent():
            raise _Unfit("anchors and aliases are not read here", "write the value out in both places")
        case yaml.ScalarEvent():
            _no_frills(event)
            _whole_characters(event.value)
            _take_scalar(stack[-1], event)
        case yaml.SequenceStartEvent() | yaml.MappingStartEvent():
            _no_frills(event)
            _open(stack, [] if isinstance(event, yaml.SequenceStartEvent) else {})
        case yaml.SequenceEndEvent() | yaml.MappingEndEvent():
            stack.pop()
        case yaml.DocumentStartEvent() if stack[0].into:
            raise _Unfit("a second document begins", "keep one document a file")


def _no_frills(event: yaml.ScalarEvent | yaml.CollectionStartEvent) -> None:
    if event.anchor is not None:
        raise _Unfit("anchors and aliases are not read here", "write the value out in both places")
    if event.tag is not None:
        raise _Unfit("tags are not read here", "write the plain value")


def _whole_characters(text: str) -> None:
    # The parser written in Python lets an escaped half of a pair through; the one in C does not.
    if _SURROGATE.search(text):
        raise _Unfit("a string holds half a surrogate pair", "write whole characters")


def _take_scalar(top: _Open, event: yaml.ScalarEvent) -> None:
    if top.awaits_key():
        top.take_key(event.value)
    else:
        top.take(_bare(event.value) if event.implicit[0] else event.value)


def _bare(word: str) -> object:
    if word in _WORDS:
        return _WORDS[word]
    return _number(word) if _NUMBER.fullmatch(word) else word


def _open(stack: list[_Open], into: list[object] | dict[str, object]) -> None:
    if stack[-1].awaits_key():
        raise _Unfit("a key is a list or a mapping", "use a string as the key")
    stack[-1].take(into)
    stack.append(_Open(into))


# --- where things are --------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Places:
    """The lines on which a document's keys are, and the items of the lists under them."""

    keys: Mapping[str, int]
    items: Mapping[str, Sequence[int]]


def places(text: str) -> Places:
    """Of a mapping that `parse` takes. Where all of it is on one line, nothing is worth saying; nor of JSON that is
    no YAML."""
    root: yaml.Node | None = None
    with suppress(yaml.YAMLError):
        root = yaml.compose(text, Loader=_Parser) if "\n" in text.strip() else None
    pairs = root.value if isinstance(root, yaml.MappingNode) else []
    lists = [(key.value, value.value) for key, value in pairs if isinstance(value, yaml.SequenceNode)]
    return Places(
        {key.value: key.start_mark.line + 1 for key, _ in pairs},
        {key: [item.start_mark.line + 1 for item in items] for key, items in lists},
    )


# --- complaints --------------------------------------------------------------------------------------------------


def shortened(text: str, limit: int = 60) -> str:
    """`text`, cut to what an error message can bear, with a mark for every character that cannot be shown."""
    cut = text if len(text) <= limit else text[: limit - 1] + "…"
    return "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in cut)


def _line(mark: object) -> int | None:
    line = getattr(mark, "line", None)
    return line + 1 if isinstance(line, int) else None


def _bad(source: str, line: int | None, what: str, fix: str) -> Incorrect:
    place = source if line is None else f"{source}, line {line}"
    return Incorrect("bad_document", f"{place}: {what}", fix, where=place)


def _too_deep(source: str, line: int | None) -> Incorrect:
    return _bad(source, line, f"more than {DEEPEST} levels lie inside each other", "send flatter text")


def _broken_yaml(error: yaml.YAMLError, source: str) -> Incorrect:
    if isinstance(error, yaml.MarkedYAMLError):
        return _bad(source, _line(error.problem_mark), f"this is not YAML: {error.problem}", "mend the text there")
    return _bad(source, None, "the text holds a character that YAML does not allow", "remove control characters")


# --- fields of a mapping -----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Fields:
    """A mapping read field by field: what is unknown, missing or of the wrong type is refused with `code`.

    `name` opens every complaint: it says which file and which part of it. `lines`: on which a key is, if that is known.
    """

    values: Mapping[str, object]
    name: str
    code: str
    lines: Mapping[str, int] = field(default_factory=dict)

    @classmethod
    def of(
        cls,
        value: object,
        name: str,
        code: str,
        allowed: Iterable[str] | None = None,
        lines: Mapping[str, int] | None = None,
    ) -> Fields:
        """`allowed` None takes any key."""
        if not isinstance(value, dict):
            raise Incorrect(code, f"{name} is not a mapping", "write it as `key: value` lines", where=name)
        fields = cls(value, name, code, lines or {})
        known = None if allowed is None else tuple(allowed)
        for key in value:
            if known is not None and key not in known:
                raise fields.wrong(f"has an unknown key `{shortened(key)}`", f"use only {_listed(known)}", key)
        return fields

    def wrong(self, what: str, fix: str, key: str = "") -> Incorrect:
        """To be raised for what is wrong with a key, or with all of it."""
        where = self.at(key)
        return Incorrect(self.code, f"{where} {what}", fix, where=where)

    def at(self, key: str) -> str:
        return f"{self.name}, line {self.lines[key]}" if key in self.lines else self.name

    def has(self, key: str) -> bool:
        return key in self.values

    def part(self, key: str, allowed: Iterable[str] | None = None) -> Fields:
        """The mapping under `key`; one that is left out is empty."""
        return Fields.of(self.values.get(key, {}), f"{self.at(key)} `{shortened(key)}`", self.code, allowed)

    def text(self, key: str) -> str:
        value = self.values.get(key)
        if not isinstance(value, str) or not value.strip():
            raise self.wrong(f"needs a text as `{key}`", f"write `{key}: …` (in quotes if it looks like a number)", key)
        return value

    def texts(self, key: str) -> tuple[str, ...]:
        """The list of texts under `key`, in its order and without repetitions; empty if left out."""
        value = self.values.get(key, [])
        if not isinstance(value, list) or not all(isinstance(item, str) and item.strip() for item in value):
            raise self.wrong(f"needs a list of texts as `{key}`", f"write `{key}: [one, two]`", key)
        return tuple(dict.fromkeys(value))

    def flag(self, key: str) -> bool:
        value = self.values.get(key, False)
        if not isinstance(value, bool):
            raise self.wrong(f"needs a yes or no as `{key}`", f"write `{key}: true` or `{key}: false`", key)
        return value

    def number(self, key: str) -> float:
        value = self.values.get(key)
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise self.wrong(f"needs a number as `{key}`", f"write `{key}: 0.5`", key)
        return float(value)

    def choice(self, key: str, among: Iterable[_Choice]) -> _Choice:
        """The one that `key` names `among` those that may stand here."""
        names = {member.value: member for member in among}
        value = self.values.get(key)
        if key not in self.values:
            raise self.wrong(f"has no `{key}`", f"write `{key}: …` with one of {_listed(names)}")
        if not isinstance(value, str) or value not in names:
            raise self.wrong(f"has no such `{key}`", f"use one of {_listed(names)}", key)
        return names[value]


def _listed(names: Iterable[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)
