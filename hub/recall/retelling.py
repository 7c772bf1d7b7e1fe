"""Retellings: turns that say nothing but what another turn of the answer says, which count for it and are told once."""

from __future__ import annotations

import re
from collections.abc import Iterable

from hub.facts import Claim, Turn, folded, value_key
from hub.recall.ranking import Word
from hub.text import is_stop, tokens
from hub.view import View

Said = frozenset[object]
"""What the claims of a turn come to: of which slot, which value, denied or not, and for when."""

_SIGNS = re.compile(r"[\W_]+")


class Retellings:
    """The turns of one view that are told, each with those that say the same.

    A turn says the same as another if it claims the same, and has no word besides that the other lacks; or, where
    nothing is claimed, if it has the same words, whatever the case and the signs between them. INVARIANT: cosines have
    no say, to which `I like it` and `I don't` are near; what is claimed otherwise is no retelling.
    """

    def __init__(self, view: View) -> None:
        self._view = view
        self._by_words: dict[tuple[str, Said], Turn] = {}
        self._by_claims: dict[Said, list[tuple[Turn, frozenset[str]]]] = {}
        self.times: dict[str, int] = {}

    def retold(self, turn: Turn) -> Turn | None:
        """The turn among those told that says what this one does; if there is none, this one is told from now on."""
        words, said = _words(turn), _said(self._view, turn)
        told = self._by_words.get((words, said)) or (self._of_claims(turn, said) if said else None)
        if told is None:
            self._by_words[words, said] = turn
            if said:
                self._by_claims.setdefault(said, []).append((turn, _content(turn)))
        kept = told or turn
        self.times[kept.id] = self.times.get(kept.id, 0) + 1
        return told

    def counted(self, words: Iterable[Word]) -> list[Word]:
        """With how many turns say what each does, itself included."""
        return [word._replace(times=self.times[word.turn.id]) for word in words]

    def _of_claims(self, turn: Turn, said: Said) -> Turn | None:
        others = self._by_claims.get(said, ())
        content = _content(turn) if others else frozenset()
        return next((other for other, words in others if content <= words), None)


def _words(turn: Turn) -> str:
    return _SIGNS.sub(" ", folded(turn.text)).strip() or turn.text


def _content(turn: Turn) -> frozenset[str]:
    return frozenset(token for token in tokens(turn.text) if not is_stop(token))


def _said(view: View, turn: Turn) -> Said:
    rows = view.rows(view.base.claims_from.get(turn.id, ()))
    return frozenset(_sense(view, row.record) for row in rows if isinstance(row.record, Claim))


def _sense(view: View, claim: Claim) -> object:
    value = claim.value if claim.obj is None else claim.obj
    when = claim.interval if claim.start_given else claim.interval.end
    return (view.slot_of(claim), None if value is None else value_key(value), claim.negated, claim.on, when)
