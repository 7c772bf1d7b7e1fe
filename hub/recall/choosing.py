"""Which candidates make the answer: facts before the words that carry them, nothing twice, within the limit."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from hub.recall.ranking import Candidate, Fact, Word, carried, ranked
from hub.recall.retelling import Retellings
from hub.view import SlotKey, View


def chosen(view: View, facts: Iterable[Fact], words: Sequence[Word], limit: int) -> tuple[list[Candidate], bool]:
    """The best within the limit, and whether there were more."""
    best: list[Candidate] = ranked(list(facts))
    if not words:
        return best[:limit], len(best) > limit
    shown = {fact.key: fact.evidence.lexical for fact in best[:limit] if isinstance(fact, Fact)}
    free, tied = _sorted_out(view, words, shown)
    everything = ranked(best + free) + tied
    return everything[:limit], len(everything) > limit


def _sorted_out(
    view: View, words: Iterable[Word], shown: Mapping[SlotKey, float]
) -> tuple[list[Candidate], list[Candidate]]:
    """Turns that speak for themselves, and those that come after the facts they carry.

    A turn that carries nothing but facts of the answer, which match as well as it does, says nothing new; nor does one
    that is told again.
    """
    free: list[Word] = []
    tied: list[Word] = []
    told = Retellings(view)
    for word in ranked(list(words)):
        if not isinstance(word, Word) or told.retold(word.turn) is not None:
            continue
        said = carried(view, word.turn)
        if said.isdisjoint(shown):
            free.append(word)
        elif not said <= shown.keys() or word.evidence.lexical > max(shown[key] for key in said):
            tied.append(word)
    return [*told.counted(free)], [*told.counted(tied)]
