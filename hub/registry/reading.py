"""The parts of a registry's file, read strictly; every complaint names the relation and what to write."""

from __future__ import annotations

import re
from collections.abc import Container, Mapping
from string import Formatter

from hub.documents import Fields, shortened
from hub.errors import Incorrect
from hub.facts import Arbitration, Cardinality, Relation, Scope, folded
from hub.redaction import PERSONAL

BAD = "bad_registry"
SAME_AS = "same_as"
"""The built-in relation that makes two names one thing."""

DAY = 86_400_000_000

Texts = tuple[tuple[str, str], ...]
Lexicon = Mapping[str, Mapping[str, tuple[str, ...]]]
"""Words by name (of a context, of a kind) and language, in the order of the file."""

_UNITS: Mapping[str, int] = {"m": 60_000_000, "h": 3_600_000_000, "d": DAY}
_SENSITIVITIES = ("normal", "personal", "financial", "health")
_KEYS = (
    *("owner", "cardinality", "scope", "sensitivity", "ttl", "class", "arbitration", "opposite", "inverse"),
    *("core", "context", "kind", "subject_kind", "weight", "label", "text"),
)

# The two Hangul fillers are letters to Unicode, and invisible.
_NAME = re.compile(r"(?!.*[\u115f\u1160])[^\W\d_]\w{0,63}")
_LONGEST_NAME = 64
_DOMAIN = re.compile(r"[^\W_][\w-]{0,63}")
_LANGUAGE = re.compile(r"[a-z]{2,3}")
_DURATION = re.compile(r"([1-9][0-9]{0,4})([mhd])")
RECORD_KINDS = frozenset({"turn", "episode", "procedure", "summary", "recall", "knowledge", "feedback"})


# --- names -------------------------------------------------------------------------------------------------------


def checked_relation(name: str) -> str:
    """`name`, if a relation may be called so: letters, digits and `_`, in the one spelling that folding leaves."""
    if _may_be_called(name):
        return name
    better = re.sub(r"\W+", "_", folded(name)).strip("_0123456789") if len(name) <= _LONGEST_NAME else ""
    hint = f"send `{better}`" if _may_be_called(better) else "send another name"
    raise Incorrect(
        "bad_relation",
        f"`{shortened(name)}` is no name for a relation",
        f"{hint}: up to 64 small letters, digits and `_`, a letter first",
        where="relation",
    )


def _may_be_called(name: str) -> bool:
    # INVARIANT: a relation is never called as a kind of record is, for both stand in a label's `relation`.
    return _NAME.fullmatch(name) is not None and folded(name) == name and name not in RECORD_KINDS


def read_domain(fields: Fields, key: str) -> str:
    domain = fields.text(key)
    if not _DOMAIN.fullmatch(domain):
        raise fields.wrong(f"names no domain as `{key}`", "use up to 64 letters, digits, `_` and `-`")
    return domain


# --- sections ----------------------------------------------------------------------------------------------------


def read_half_lives(top: Fields) -> dict[str, int | None]:
    """By memory class, in microseconds; `never` is None."""
    part = top.part("classes")
    return {name: None if part.values[name] == "never" else _duration(part, name) for name in part.values}


def read_trust(top: Fields) -> dict[str, float]:
    part = top.part("trust")
    for domain in part.values:
        if not 0 <= part.number(domain) <= 1:
            raise part.wrong(f"trusts `{shortened(domain)}` too little or too much", "use a number from 0 to 1")
    return {domain: part.number(domain) for domain in part.values}


EVERYBODY = "*"


def read_redaction(top: Fields) -> dict[str, tuple[str, ...]]:
    """Kinds of personal data by the domain that hears them, or `*` for every domain."""
    part = top.part("redaction")
    for domain in part.values:
        for kind in part.texts(domain):
            if kind not in PERSONAL:
                message = f"has an unknown kind `{shortened(kind)}` of personal data"
                raise part.wrong(message, f"use some of {', '.join(PERSONAL)}")
    return {domain: part.texts(domain) for domain in part.values}


def read_words(top: Fields, key: str = "words") -> dict[str, tuple[str, ...]]:
    """Lists of words by language."""
    part = top.part(key)
    _check_languages(part)
    return {lang: part.texts(lang) for lang in part.values}


def read_lexicon(top: Fields, key: str) -> dict[str, Mapping[str, tuple[str, ...]]]:
    """Lists of words by name and language."""
    part = top.part(key)
    return {name: read_words(part, name) for name in part.values}


def read_kinds(shipped: Fields, top: Fields) -> dict[str, Mapping[str, tuple[str, ...]]]:
    """The nouns of each kind; a kind of `top` replaces the shipped one, and no noun may name two kinds."""
    kinds = read_lexicon(shipped, "kinds") | read_lexicon(top, "kinds")
    taken: dict[str, str] = {}
    for kind, by_lang in kinds.items():
        if not by_lang.get("en"):
            raise top.wrong(f"has no English noun for the kind `{shortened(kind)}`", "write `en: [noun]` there")
        for noun in (kind, *(noun for nouns in by_lang.values() for noun in nouns)):
            other = taken.setdefault(folded(noun), kind)
            if other != kind:
                raise top.wrong(
                    f"has `{shortened(noun)}` for two kinds, `{shortened(other)}` and `{shortened(kind)}`",
                    "keep it under one",
                )
    return kinds


def read_questions(shipped: Fields, top: Fields, relations: Container[str]) -> dict[str, Mapping[str, tuple[str, ...]]]:
    """What questions call a relation by; those that ship for relations which are not there stand for nothing."""
    own = read_lexicon(top, "questions")
    for name in own:
        if name not in relations:
            raise top.wrong(f"asks for `{shortened(name)}`, which is no relation", "name one that is under `relations`")
    return {name: words for name, words in read_lexicon(shipped, "questions").items() if name in relations} | own


def read_texts(fields: Fields, key: str) -> Texts:
    """Texts by language, as pairs; none, or at least the English one."""
    part = fields.part(key)
    _check_languages(part)
    if part.values and not part.has("en"):
        raise part.wrong("lacks English, which stands in for every other language", "add `en: …`")
    return tuple((lang, part.text(lang)) for lang in part.values)


def _check_languages(part: Fields) -> None:
    for lang in part.values:
        if not _LANGUAGE.fullmatch(lang):
            raise part.wrong(f"has `{shortened(lang)}` for a language", "use a code such as `en`, `ko`, `vi`, `ja`")


def _duration(fields: Fields, key: str) -> int:
    match = _DURATION.fullmatch(fields.text(key))
    if match is None:
        raise fields.wrong(f"needs a length of time as `{key}`", "write `90m`, `12h` or `30d`")
    return int(match[1]) * _UNITS[match[2]]


# --- relations ---------------------------------------------------------------------------------------------------


def read_relations(top: Fields, half_lives: Mapping[str, int | None], contexts: Lexicon) -> dict[str, Relation]:
    part = Fields.of(top.values.get("relations"), f"{top.name}: relation", top.code)
    if not part.values:
        raise top.wrong("knows no relation", "write at least one under `relations`")
    relations = {name: _relation(part.part(name, _KEYS), name) for name in part.values}
    for relation in relations.values():
        fields = part.part(relation.name)
        if relation.memory_class not in half_lives:
            raise fields.wrong("has a `class` without a half-life", "add it under `classes`")
        for context in relation.contexts:
            if context not in contexts:
                raise fields.wrong(f"has an unknown context `{shortened(context)}`", "add its words under `contexts`")
        _check_opposite(fields, relation, relations)
        _check_inverse(fields, relation, relations)
    return relations


def _relation(fields: Fields, name: str) -> Relation:
    if not _may_be_called(name) or name == SAME_AS:
        raise fields.wrong("cannot be called so", "use small letters, digits and `_`, and no name the hub uses itself")
    return Relation(
        name,
        read_domain(fields, "owner"),
        cardinality=fields.choice("cardinality", Cardinality),
        scope=fields.choice("scope", (Scope.PRIVATE, Scope.SHARED)) if fields.has("scope") else Scope.PRIVATE,
        arbitration=fields.choice("arbitration", Arbitration) if fields.has("arbitration") else Arbitration.LATEST,
        sensitivity=_sensitivity(fields),
        ttl=_duration(fields, "ttl") if fields.has("ttl") else None,
        memory_class=fields.text("class"),
        opposite=_name(fields, "opposite"),
        inverse=_name(fields, "inverse"),
        core=fields.flag("core"),
        contexts=fields.texts("context"),
        object_kind=_name(fields, "kind"),
        subject_kind=_name(fields, "subject_kind"),
        labels=read_texts(fields, "label"),
        templates=_templates(fields),
        weight=_weight(fields),
    )


def _weight(fields: Fields) -> float:
    weight = fields.number("weight") if fields.has("weight") else 1.0
    if not 0 <= weight <= 1:
        raise fields.wrong("has a `weight` that is too small or too large", "use a number from 0 to 1")
    return weight


def _sensitivity(fields: Fields) -> str:
    word = fields.text("sensitivity") if fields.has("sensitivity") else "normal"
    if word not in _SENSITIVITIES:
        raise fields.wrong("has no such `sensitivity`", f"use one of {', '.join(_SENSITIVITIES)}")
    return word


def _name(fields: Fields, key: str) -> str | None:
    if not fields.has(key):
        return None
    name = fields.text(key)
    if not _may_be_called(name):
        raise fields.wrong(f"has no name as `{key}`", "use small letters, digits and `_`")
    return name


def _templates(fields: Fields) -> Texts:
    templates = read_texts(fields, "text")
    for _, template in templates:
        blanks = _blanks(template)
        if "value" not in blanks or not blanks <= {"kind", "value"}:
            raise fields.wrong("has a `text` with wrong blanks", "use `{value}`, and `{kind}` if it helps, no others")
        if "kind" in blanks and not fields.has("subject_kind"):
            raise fields.wrong("has `{kind}` in its `text`, but none for the customer", "add `subject_kind: …`")
    return templates


def _blanks(template: str) -> set[str]:
    """The names between braces; anything but a bare name, and broken braces, come back as ``!``."""
    try:
        parsed = [(name, spec, conversion) for _, name, spec, conversion in Formatter().parse(template)]
    except ValueError:
        return {"!"}
    return {"!" if spec or conversion else name for name, spec, conversion in parsed if name is not None}


def _check_opposite(fields: Fields, relation: Relation, relations: Mapping[str, Relation]) -> None:
    if relation.opposite is None:
        return
    other = relations.get(relation.opposite)
    if other is None or other.opposite != relation.name or other is relation:
        raise fields.wrong(
            f"is not the opposite of its opposite `{relation.opposite}`", "let each of two relations name the other"
        )
    if other.cardinality is not relation.cardinality:
        raise fields.wrong(f"differs in `cardinality` from its opposite `{other.name}`", "give both the same")


def _check_inverse(fields: Fields, relation: Relation, relations: Mapping[str, Relation]) -> None:
    other = relations.get(relation.inverse or "")
    if other is not None and other.inverse != relation.name:
        raise fields.wrong(f"is not the inverse of its inverse `{other.name}`", "let each of the two name the other")
