"""Retellings: turns that say nothing but what another turn of the answer says, which count for it and are told once."""

from __future__ import annotations

import re
from collections.abc import Iterable

from hub.codec import replaced
from hub.facts import Claim, Turn, value_key
from hub.recall.ranking import Word
from hub.text import composed
from hub.view import View

Said = frozenset[object]
"""What the claims of a turn come to: of which slot, which value, denied or not, and for when."""

_STRAIGHT = str.maketrans("‘’ʼ", "'''")
_QUOTES = re.compile(r"(?<!\d)[\"“”„«»「」『』](?!\w)|(?<!\w)[\"“”„«»「」『』]")
_BREAKS = re.compile(r"(?<![.!…,;])[.!…,;]+(?= |$)|(?<!\d)[。．｡！，、､；]|[。．｡！，、､；](?!\d)")
_COLONS = re.compile(r":(?= |$)|(?<!\d)：|：(?!\d)")


class Retellings:
    """The turns of one view that are told, each with those that say the same.

    A turn says the same as another if it claims the same in the same words, one after the other, whatever the case,
    the spaces and the marks that end or cut sentences. INVARIANT: in doubt they are two. Cosines have no say, to which
    `I like it` and `I don't` are near; nor have claims alone, as `no nuts` and `nuts` may be heard to claim the same.
    """

    def __init__(self, view: View) -> None:
        self._view = view
        self._told: dict[tuple[str, Said], Turn] = {}
        self.times: dict[str, int] = {}

    def retold(self, turn: Turn) -> Turn | None:
        """The turn among those told that says what this one does; if there is none, this one is told from now on."""
        said = _words(turn), _said(self._view, turn)
        told = self._told.get(said)
        if told is None:
            self._told[said] = turn
        kept = told or turn
        self.times[kept.id] = self.times.get(kept.id, 0) + 1
        return told

    def counted(self, words: Iterable[Word]) -> list[Word]:
        """With how many turns say what each does, itself included."""
        return [replaced(word, times=self.times[word.turn.id]) for word in words]


def _words(turn: Turn) -> str:
    """Marks within words and beside digits are part of them: `1.12`, `-5`, `5"`."""
    spaced = " ".join(composed(turn.text).translate(_STRAIGHT).split())
    cut = _COLONS.sub(" ", _BREAKS.sub(" , ", _QUOTES.sub("", spaced)))
    return " ".join(cut.split()).strip(" ,") or turn.text


def _said(view: View, turn: Turn) -> Said:
    return frozenset(_sense(view, claim) for claim in view.claims_of(turn))


def _sense(view: View, claim: Claim) -> object:
    value = claim.value if claim.obj is None else claim.obj
    when = claim.interval if claim.start_given else claim.interval.end
    return (view.slot_of(claim), None if value is None else value_key(value), claim.negated, claim.on, when)
