"""What the words of a query call for: contexts, kinds of things, relations by their labels, or mere company."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field

from hub.codec import Quick
from hub.facts import Relation
from hub.moments import DAY
from hub.registry import Registry
from hub.text import fold, identifiers, is_stop, lang_of, tokens
from hub.view.days import marks_asked

_LASTING = 365 * DAY
_MOST_VOCABULARIES = 8

Phrase = tuple[str, ...]


class Cues(Quick, frozen=True, kw_only=True):
    """A query, read: `words` are its tokens without grammar, each once, in order.

    `identifiers` are the order numbers, models and the like in it, each by its own tokens; `dates` are the marks of
    days, months and years that it names, `dated` the words that name them.
    `wordless`: there is not a word in it, nor a sign that stands for one.
    `sociable`: it holds a word of the lists that ship with the hub, and so gets the company of core facts.
    """

    words: tuple[str, ...]
    contexts: tuple[str, ...]
    kinds: tuple[str, ...]
    relations: tuple[str, ...]
    sociable: bool
    wordless: bool = False
    lang: str = "en"
    identifiers: tuple[tuple[str, ...], ...] = ()
    dates: tuple[str, ...] = ()
    dated: frozenset[str] = frozenset()


@dataclass(slots=True)
class _Found:
    contexts: dict[str, None] = field(default_factory=dict)
    kinds: dict[str, None] = field(default_factory=dict)
    relations: dict[str, None] = field(default_factory=dict)
    sociable: bool = False


@dataclass(frozen=True, slots=True)
class _Entry:
    """A phrase of the lists, and what it calls for; a `kind` uses up its tokens, so that the longest noun counts."""

    phrase: Phrase
    context: str = ""
    kind: str = ""
    relation: str = ""


class Vocabulary:
    """The words of one registry as the tokens of queries, and its relations by what calls for them."""

    def __init__(self, registry: Registry) -> None:
        self.registry = registry
        relations = registry.relations.values()
        self.core = tuple(r for r in relations if r.core)
        self.lasting = tuple(r for r in relations if not r.core and _lasts(registry, r))
        named = ((r.name, r.opposite) for r in (*self.core, *self.lasting))
        self.company = frozenset(name for pair in named for name in pair if name is not None)
        self.by_context = {name: tuple(r for r in relations if name in r.contexts) for name in registry.contexts}
        self.by_subject_kind = _by_subject_kind(relations)
        self.common = frozenset(token for word in registry.words for token in tokens(word))
        self._entries: dict[str, list[_Entry]] = {}
        self.understood: set[str] = set()
        """Words and pairs that the lists have by themselves."""
        for entry in self._all_entries():
            self._entries.setdefault(entry.phrase[0], []).append(entry)
        for entries in self._entries.values():
            entries.sort(key=lambda entry: -len(entry.phrase))

    def read(self, query: str) -> Cues:
        asked = tokens(query)
        found = _Found()
        self._read(asked, found)
        dates = marks_asked(query)
        dated = frozenset(token for written in dates.values() for token in tokens(written))
        return Cues(
            words=tuple(dict.fromkeys(token for token in asked if not is_stop(token))),
            contexts=tuple(found.contexts),
            kinds=tuple(found.kinds),
            relations=tuple(found.relations),
            sociable=found.sociable,
            wordless=not asked,
            identifiers=tuple(one for one in identifiers(query) if dated.isdisjoint(one)),
            lang=lang_of(query),
            dates=tuple(dates),
            dated=dated,
        )

    def _read(self, asked: list[str], found: _Found) -> None:
        used = 0
        for at, token in enumerate(asked):
            if token in self.understood:
                found.sociable = True
            for entry in self._entries.get(token, ()):
                if len(entry.phrase) > 1 and not _goes_on(asked, at, entry.phrase):
                    continue
                used = self._note(entry, at, used, found)

    def _note(self, entry: _Entry, at: int, used: int, found: _Found) -> int:
        if entry.relation:
            found.relations[entry.relation] = None
            return used
        found.sociable = True
        if entry.context:
            found.contexts[entry.context] = None
        if entry.kind and at >= used:
            found.kinds[entry.kind] = None
            return at + len(entry.phrase)
        return used

    def _all_entries(self) -> Iterator[_Entry]:
        for name, words in self.registry.contexts.items():
            yield from (_Entry(phrase, context=name) for phrase in self._phrases(words))
        for name, words in self.registry.kinds.items():
            yield from (_Entry(phrase, kind=name) for phrase in self._phrases((name, *words)))
        yield from (_Entry(phrase) for phrase in self._phrases(self.registry.words))
        for relation in self.registry.relations.values():
            yield from (_Entry(phrase, relation=relation.name) for phrase in self._labels(relation))
        for name, words in self.registry.questions.items():
            yield from (_Entry(phrase, relation=name) for phrase in filter(None, map(_phrase, words)))

    def _phrases(self, words: Iterable[str]) -> Iterator[Phrase]:
        """Words as runs of tokens. Each of the pairs of a word without spaces counts as one of its words."""
        for word in words:
            phrase = _phrase(word)
            if len(phrase) == 1 or not all(token.isascii() for token in phrase):
                self.understood.update(phrase)
            if phrase:
                yield phrase

    def _labels(self, relation: Relation) -> Iterator[Phrase]:
        """The labels that say more than any talk does."""
        for label in dict.fromkeys(text for _, text in relation.labels):
            phrase = _trimmed(_phrase(label))
            if any(token not in self.common for token in phrase):
                yield phrase


def _goes_on(asked: list[str], at: int, phrase: Phrase) -> bool:
    """Whether the query has a phrase from there on. A sign by itself is left of one with a particle: `병이`, `병`."""
    for token in phrase:
        while at < len(asked) and asked[at] != token and len(asked[at]) == 1 and not asked[at].isascii():
            at += 1
        if at == len(asked) or asked[at] != token:
            return False
        at += 1
    return True


def _phrase(text: str) -> Phrase:
    """The tokens of a text, but of a run of CJK signs the pairs alone, which follow each other in any longer run."""
    return tuple(token for word in fold(text).split() for token in _pairs(tokens(word)))


def _pairs(found: list[str]) -> list[str]:
    longer = [token for token in found if len(token) > 1]
    return longer if longer and not found[0].isascii() else found


def _trimmed(phrase: Phrase) -> Phrase:
    """Without grammar at either end: `lives in` is asked for by `live`."""
    kept = [at for at, token in enumerate(phrase) if not is_stop(token)]
    return phrase[kept[0] : kept[-1] + 1] if kept else ()


def _lasts(registry: Registry, relation: Relation) -> bool:
    half_life = registry.half_life(relation.memory_class)
    return half_life is None or half_life >= _LASTING


def _by_subject_kind(relations: Iterable[Relation]) -> Mapping[str, tuple[Relation, ...]]:
    found: dict[str, tuple[Relation, ...]] = {}
    for relation in relations:
        if relation.subject_kind is not None:
            found[relation.subject_kind] = (*found.get(relation.subject_kind, ()), relation)
    return found


_vocabularies: OrderedDict[int, Vocabulary] = OrderedDict()


def vocabulary(registry: Registry) -> Vocabulary:
    """The vocabulary of a registry, made once."""
    known = _vocabularies.get(id(registry))
    if known is None or known.registry is not registry:
        while len(_vocabularies) >= _MOST_VOCABULARIES:
            with suppress(KeyError):  # others let go of them at the same time
                _vocabularies.popitem(last=False)
        known = _vocabularies[id(registry)] = Vocabulary(registry)
    return known
