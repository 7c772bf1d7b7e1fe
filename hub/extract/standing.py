"""Which of a model's claims stand beside those of the rules: none said already, none with words that are for fewer."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from hub.extract import Heard
from hub.facts import CUSTOMER, Scope, folded
from hub.registry import Registry
from hub.requests import Fact, Thing
from hub.text import is_stop, tokens

Words = frozenset[str]

Place = tuple[Scope, str]
"""Where a relation is filed: for whom, and by which domain it is owned (nobody yet if it is not registered)."""

_CURRENCY = "(?:[$€£¥₩₫%원円]|usd|eur|gbp|vnd|krw|jpy|dollar|euro|pound|won\\b|yen\\b|dong\\b|đồng|triệu|tỷ)"
_AMOUNT = re.compile(rf"(?<![\d.,])\d[\d.,]*+(?=\s{{0,3}}{_CURRENCY})|(?<=[$€£¥₩₫])\s{{0,3}}\d[\d.,]*+")
"""The number in a sum of money."""

_BEFORE = " \t\r\n,;:、。，；：\"“”‘«»'"
_AFTER = _BEFORE + ".!?…！？’"


def bare(text: str) -> str:
    """Without the signs at its edges that end a clause or quote it."""
    return text.lstrip(_BEFORE).rstrip(_AFTER)


def content(text: str) -> Words:
    """The words of a text that say something, as they are compared; all of them where none does."""
    found = tokens(text)
    return frozenset(word for word in found if not is_stop(word)) or frozenset(found)


def same_words(one: Words, other: Words) -> bool:
    """Whether one of two values says nothing that the other doesn't."""
    return one <= other or other <= one


def said_of(fact: Fact) -> str:
    """The name or noun of whom a fact is told of; empty for the customer."""
    named = fact.subject
    if named is None or isinstance(named, str):
        return "" if named in (None, CUSTOMER) else str(named)
    return named.name or named.kind or ""


def held_text(fact: Fact) -> str:
    """What a fact says of its subject: its value, or what its thing is called."""
    if fact.object is None:
        return "" if fact.value is None else str(fact.value)
    return fact.object if isinstance(fact.object, str) else fact.object.name or fact.object.kind or ""


def standing(ruled: Sequence[Heard], told: Sequence[Heard], text: str, registry: Registry) -> Iterator[Heard]:
    """Of `told`, in its order, what may be claimed beside what the rules have claimed of the text.

    INVARIANT: no word that the rules have claimed for some to know, nor one that the model itself has, is filed once
    more where others read it, be it in a value or in what somebody or something is called; nor is money anywhere but
    where money belongs.
    """
    guarded = [(_place(one.fact, registry), _private(one, text)) for one in ruled if _is_private(one.fact, registry)]
    narrow = _all(content(held_text(one.fact)) for one in told if _is_private(one.fact, registry))
    amounts = _all(content(found[0]) for found in _AMOUNT.finditer(folded(text)))
    for heard in told:
        place, shown = _place(heard.fact, registry), _shown(heard.fact, registry)
        kept = _all(words for where, words in guarded if where != place)
        if not _is_private(heard.fact, registry):
            is_money = registry.of(heard.fact.relation, "").memory_class == "money"
            kept |= narrow | (frozenset() if is_money else amounts)
        if not (shown & kept or any(_is_said(heard.fact, one.fact) for one in ruled)):
            yield heard


def once(told: Iterable[Heard]) -> list[Heard]:
    """However often the same is told, it is told once."""
    found: dict[object, Heard] = {}
    for one in told:
        fact = one.fact
        times = (fact.valid_from, fact.valid_to, fact.on)
        found.setdefault((fact.relation, fact.negated, said_of(fact), content(held_text(fact)), times), one)
    return list(found.values())


def _is_said(fact: Fact, other: Fact) -> bool:
    """Whether this is the other fact in the same words, or with fewer or more of them where the relation is one."""
    if content(said_of(fact)) != content(said_of(other)):
        return False
    words, theirs = content(held_text(fact)), content(held_text(other))
    alike = (other.relation, other.negated) == (fact.relation, fact.negated)
    return same_words(words, theirs) if alike else words == theirs


def _all(parts: Iterable[Words]) -> Words:
    return frozenset[str]().union(*parts)


def _place(fact: Fact, registry: Registry) -> Place:
    rule = registry.of(fact.relation, "")
    return rule.scope, rule.owner


def _is_private(fact: Fact, registry: Registry) -> bool:
    return registry.of(fact.relation, "").scope is Scope.PRIVATE


def _private(heard: Heard, text: str) -> Words:
    """The words of what is claimed and of what says it, but for whom it is said of."""
    said = content(text[slice(*heard.span)]) - content(said_of(heard.fact))
    return frozenset(word for word in said | content(held_text(heard.fact)) if not is_stop(word))


def _shown(fact: Fact, registry: Registry) -> Words:
    """The words that whoever reads the fact reads, but for kinds that the hub itself has a name for."""
    shown = [str(fact.value)] if fact.value is not None else []
    for named in (fact.object, fact.subject):
        parts = [named] if isinstance(named, str | None) else [named.name, _own_kind(named, registry)]
        shown += [part for part in parts if part]
    return frozenset(word for part in shown for word in tokens(part) if not is_stop(word))


def _own_kind(named: Thing, registry: Registry) -> str | None:
    return None if named.kind in registry.kinds else named.kind
