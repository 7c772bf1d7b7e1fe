"""Everything in a view that a query might mean: by words and meaning, by names and walks, by kinds of query."""

from __future__ import annotations

from collections.abc import Mapping

from hub.graph import HOPS, walk
from hub.recall.calling import Caller
from hub.recall.cues import Cues, Vocabulary
from hub.recall.leads import Leads
from hub.recall.likeness import by_likeness, likeness
from hub.recall.names import things
from hub.recall.weighing import FLOORS, WORDS_ONLY
from hub.vectors import Meant
from hub.view import View


def gathered(view: View, cues: Cues, vocabulary: Vocabulary, meant: Meant, *, walking: bool = True) -> Leads:
    """INVARIANT: whatever is in here came out of the view.

    Without walking, nothing that only facts between things lead to.
    """
    alike = likeness(view, cues, vocabulary, meant)
    leads = Leads(floors=FLOORS if alike.sees else WORDS_ONLY)
    by_likeness(alike, leads)
    by_name, by_kind = things(view, cues)
    _by_walking(view, {**by_name, **by_kind}, HOPS if walking else 0, leads)
    caller = Caller(view, cues, vocabulary, by_name.keys(), walking=walking)
    caller.call(leads, strange=alike.strange)
    return leads


def _by_walking(view: View, seeds: Mapping[str, float], hops: int, leads: Leads) -> None:
    for reached in walk(view, seeds, hops) if seeds else ():
        lead = leads.lead(reached.key)
        if reached.via:
            lead.hint(reached.strength, reached.via, f"{len(reached.via)} steps from what is named")
        else:
            lead.entity = max(lead.entity, reached.strength)
            lead.why += ("about what is named",)
