"""What must hold of a history that has been told: filing, its twin, its past, views given out, and the ledger cut."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from pathlib import Path

from hub.errors import HubError
from hub.moments import rendered
from tests.reference_clearance import cut
from tests.twin_histories import AGENTS, ALICE, PURPOSES
from tests.twin_roads import canonical, dump, text_of
from tests.twin_steps import Request, questions
from tests.twin_tales import Kept, Tale, held, readable, retold
from tests.twin_worlds import Leak, World, call


def differ(what: str, ours: Iterable[str], theirs: Iterable[str], requests: Sequence[Request]) -> None:
    """Raises at the first answer that is not the same in both."""
    pairs = zip(canonical(ours), canonical(theirs), requests, strict=True)
    for number, (one, other, request) in enumerate(pairs):
        if one != other:
            lines = [(a, b) for a, b in zip(one.split("\n"), other.split("\n"), strict=False) if a != b]
            first = lines[0] if lines else (one[-300:], other[-300:])
            raise Leak(f"{what}, answer {number} to {request.verb} {request.args}:\n  {first[0]}\n  {first[1]}")


def check_filing(tale: Tale) -> None:
    """Every fact lies where registry and scope say, and every turn where all that it says lies too."""
    records = tale.sight().records
    for played in tale.steps:
        if played.request is None or played.request.verb != "remember" or isinstance(played.outcome, HubError):
            continue
        refused = {refusal.index for refusal in played.outcome.refused}
        wanted = [item for index, item in enumerate(played.request.items) if index not in refused]
        filed = [records[receipt.id].stays[0].labels for receipt in played.outcome.facts]
        if any(item is not None and labels != item for labels, item in zip(filed, wanted, strict=True)):
            raise Leak(f"{played.request.args} is filed under {filed}, not {wanted}")
        if played.outcome.turn is not None:
            home = AGENTS[played.request.who]
            due = frozenset({(home, home, "private", "turn")}).union(*filed)
            if (labels := records[played.outcome.turn.id].stays[0].labels) != due:
                raise Leak(f"the turn of {played.request.args} is filed under {labels}, not {due}")


def check_aliases(tale: Tale) -> None:
    """INVARIANT: an alias tells nobody of a name that is not known to it already, by some other record."""
    records = list(tale.sight().records.values())
    for number, alias in enumerate(records):
        if alias.body.get("relation") == "same_as":
            first = alias.stays[0]
            for thing in alias.things:
                places = [
                    place for record in records[:number] if thing in record.things for place in record.held(first.at)
                ]
                if places and not any(place.labels <= first.labels for place in places):
                    raise Leak(f"{alias.body} is filed under {first.labels}, its names under {places}")


def check_twin(tale: Tale, twin: World) -> None:
    """What the viewer heard on the way, and whatever it asks in the end; a fresh hub says the same as the old one."""
    requests = [p.request for p in tale.steps if p.request is not None and p.request.who == tale.history.viewer]
    try:
        retold(tale, Kept(tale.sight(), tale.history.viewer), twin)
        differ("on the way", tale.world.answers, twin.answers, requests)
        last = list(questions(tale.steps, tale.history.viewer))
        requests += last
        for request in last:
            list(held(tale, request))
        warm = [text_of(tale.world.perform(request)) for request in last]
        theirs = [text_of(twin.perform(request)) for request in last]
    finally:
        twin.hub.close()
    differ("in the end", tale.world.answers + warm, twin.answers + theirs, requests)
    with tale.world.another() as cold:
        differ("a fresh hub", warm, [text_of(call(cold, r.who, r.verb, r.args)) for r in last], last)


def check_past(tale: Tale) -> None:
    """What was said about a settled point is said again, unless the viewer may read less of it now."""
    viewer, sight = tale.history.viewer, tale.sight()
    asked_for = [s for s in tale.settled if sight.lets_ask(viewer, ALICE, s.request.args["purpose"])]
    again = [s for s in asked_for if "Denied" not in s.answer and readable(tale, s.request) == s.seen]
    ours = [_settling(s.answer) for s in again]
    theirs = [_settling(text_of(tale.world.perform(s.request))) for s in again]
    differ("said before", ours, theirs, [s.request for s in again])


def check_views(tale: Tale) -> None:
    """A view is a value: whatever happens after it was given out, it stays as it was."""
    for number, (view, before) in enumerate(tale.views):
        if list(dump(view)) != before:
            changed = next((a, b) for a, b in zip(dump(view), before, strict=False) if a != b)
            raise Leak(f"view {number} is another one now:\n  {changed[0]}\n  {changed[1]}")


def _settling(answer: str) -> str:
    """Without the one word that looks ahead of the point asked about."""
    return re.sub(r'"nothing_known_before":("[^"]*"|null)', "", answer)


def check_cuts(tale: Tale, folder: Path) -> None:
    """The ledger itself without what the viewer may not read at that point, today and then."""
    viewer, sight = tale.history.viewer, tale.sight()
    ruled = [p.at for p in tale.steps if p.request is not None and p.request.verb in ("replace_policy", "bind")]
    middle = (ruled or [tale.steps[len(tale.steps) // 2].at])[-1]
    bound = [purpose for purpose in PURPOSES if sight.lets_ask(viewer, ALICE, purpose)]
    points = [(None, None), (None, middle), *((purpose, None) for purpose in bound[:1])]
    for number, (purpose, known_at) in enumerate(points):
        path = folder / f"cut{number}.db"
        seen = {record.id for record, _ in sight.visible(viewer, ALICE, purpose, known_at)}
        cut(tale.world.path, path, [r for r in sight.records.values() if r.id not in seen])
        point = {} if known_at is None else {"known_at": rendered(known_at)}
        last = list(questions(tale.steps, viewer, purpose, point))
        with tale.world.another(path) as less:
            theirs = [text_of(call(less, r.who, r.verb, r.args)) for r in last]
        ours = [text_of(tale.world.perform(r)) for r in last]
        if known_at is not None:
            ours, theirs = list(map(_settling, ours)), list(map(_settling, theirs))
        differ(f"cut for {purpose} at {known_at}", ours, theirs, last)
