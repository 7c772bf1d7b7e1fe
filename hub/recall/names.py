"""Which things a query names, by name or by kind; the more exact name wins."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Set

from hub.facts import CUSTOMER, Entity
from hub.recall.cues import Cues
from hub.text import identifiers, is_stop, tokens
from hub.view import View
from hub.view.finding import mention, named

MOST_ALIKE = 16
"""A word that more things are called by names none of them."""

MOST_OF_A_KIND = 8

NAMED, BY_FULL_NAME = 0.6, 0.4
"""What a part of a name is worth, and what the rest of it adds."""

OF_A_KIND = 0.6
"""What a kind is worth if there is one thing of it; of many, each is worth less."""


def things(view: View, cues: Cues) -> tuple[dict[str, float], dict[str, float]]:
    """The classes of entities that the query calls by name, and those it means by their kind: how surely, 0..1."""
    by_name = _by_name(view, cues.words)
    kinds = {_kind(view, entity) for entity in by_name}
    by_kind: dict[str, float] = {}
    for kind in cues.kinds:
        if kind not in kinds:
            meant = _of_kind(view, kind, exactly=bool(cues.identifiers))
            by_kind |= {entity: sure for entity, sure in meant if entity not in by_name}
    for kind in sorted(kinds):
        by_kind |= {entity: OF_A_KIND for entity in _unnamed(view, kind) if entity not in by_name}
    return by_name, by_kind


# --- by name -----------------------------------------------------------------------------------------------------


def _by_name(view: View, words: Iterable[str]) -> dict[str, float]:
    namings = [(word, naming) for word in words if _tells(word) and (naming := view.base.names.get(word)) is not None]
    called: dict[str, dict[str, Entity]] = {}
    for _, naming in namings:
        found = named(view, naming, MOST_ALIKE + 1)
        for entity in found if len(found) <= MOST_ALIKE else ():
            if entity not in called:
                called[entity] = {word: e for word, one in namings if (e := mention(view, one, entity)) is not None}
    heard = [(entity, mentions) for entity, mentions in called.items() if mentions]
    exact = [pair for pair in heard if not any(pair[1].keys() < other.keys() for _, other in heard)]
    sure: dict[str, float] = {}
    for entity, mentions in exact:
        strength = _surely(next(iter(mentions.values())).name, mentions.keys())
        if strength:
            sure[view.canon(entity)] = max(strength, sure.get(view.canon(entity), 0.0))
    sure.pop(view.canon(CUSTOMER), None)
    return dict(sorted(sure.items(), key=lambda pair: -pair[1]))


def _tells(word: str) -> bool:
    """A lone letter or a small number is nobody's name."""
    return not word.isascii() or len(word) > 2 or not (word.isdigit() or len(word) == 1)


def _surely(name: str, heard: Set[str]) -> float:
    """Pairs of CJK signs meet by chance: one of several is no name."""
    words = dict.fromkeys(token for token in tokens(name) if not is_stop(token))
    pairs = [token for token in words if not token.isascii()]
    if len(pairs) > 1 and len(heard) == 1 and not heard.isdisjoint(pairs):
        return 0.0
    return NAMED + BY_FULL_NAME * min(1.0, len(heard) / max(1, len(words)))


# --- by kind -----------------------------------------------------------------------------------------------------


def _kind(view: View, entity: str) -> str:
    kind = view.entity(entity).kind
    return view.registry.kind_of(kind) or kind


def _of_kind(view: View, kind: str, *, exactly: bool) -> Iterator[tuple[str, float]]:
    """Things that go by numbers are not meant by their kind where one of them is asked for `exactly`."""
    found = dict.fromkeys(view.canon(entity) for entity in named(view, view.base.kinds.get(kind), MOST_OF_A_KIND))
    found.pop(view.canon(CUSTOMER), None)
    for entity in found:
        if not exactly or not identifiers(view.entity(entity).name):
            yield entity, OF_A_KIND * 2 / (1 + len(found))


def _unnamed(view: View, kind: str) -> Iterator[str]:
    """Things that have no name but their kind: whoever asks about the Civic means `the car` too."""
    for entity in named(view, view.base.kinds.get(kind), MOST_OF_A_KIND):
        if view.registry.kind_of(view.entity(entity).name) == kind:
            yield view.canon(entity)
