"""What must hold of a history that has been told: filing, its twin, its past, views given out, and the ledger cut."""

from __future__ import annotations

import json
import re
import secrets
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from hub.errors import HubError
from hub.facts import AsOf, Instant
from hub.hub import Hub
from hub.moments import rendered
from tests.reference_clearance import Label, Recorded, Stay, cut
from tests.twin_histories import AGENTS, ALICE, AUDITOR, BOB, PURPOSES
from tests.twin_roads import canonical, dump, text_of
from tests.twin_steps import Ref, Request, question, questions
from tests.twin_tales import Kept, Settled, Tale, compare_sight, held, readable, retold
from tests.twin_wire import over_http, routed
from tests.twin_worlds import Leak, World, call

WORDS = "what does my car like, coffee?"
_EYES = question(AUDITOR, "eyes", {})

TALLY: Counter[str] = Counter()
"""How much has been compared so far in this process."""

RULING = ("replace_policy", "bind", "consent", "unconsent", "disable")


def differ(what: str, ours: Iterable[str], theirs: Iterable[str], requests: Sequence[Request]) -> None:
    """Raises at the first answer that is not the same in both."""
    pairs = zip(canonical(ours), canonical(theirs), requests, strict=True)
    TALLY["answers held against each other"] += len(requests)
    for number, (one, other, request) in enumerate(pairs):
        if one != other:
            lines = [(a, b) for a, b in zip(one.split("\n"), other.split("\n"), strict=False) if a != b]
            first = lines[0] if lines else (one[-300:], other[-300:])
            raise Leak(f"{what}, answer {number} to {request.verb} {request.args}:\n  {first[0]}\n  {first[1]}")


def check_filing(tale: Tale) -> None:
    """Every fact lies where registry and scope say, every turn where all that it says lies too, and what was of use to
    a domain with that domain.
    """
    records = tale.sight().records
    for said in (record for record in records.values() if record.kind == "feedback"):
        home = AGENTS[str(said.agent)]
        if (labels := said.stays[0].labels) != {(home, home, "private", "feedback")}:
            raise Leak(f"what was of use to {said.agent} is filed under {labels}")
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


def check_twin(tale: Tale, twin: World, *, wire: bool = False) -> None:
    """What the viewer heard on the way, and whatever it asks in the end; a fresh hub says the same as the old one.

    `wire`: it asks over HTTP once more.
    """
    requests = [p.request for p in tale.steps if p.request is not None and p.request.who == tale.history.viewer]
    try:
        retold(tale, Kept(tale.sight(), tale.history.viewer), twin)
        differ("on the way", tale.world.answers, twin.answers, requests)
        last = list(questions(tale.steps, tale.history.viewer, recalls=tale.recalls))
        requests += last
        for request in last:
            list(held(tale, request))
        warm = [text_of(tale.world.perform(request)) for request in last]
        theirs = [text_of(twin.perform(request)) for request in last]
        if wire:
            differ("over HTTP", over_http(tale.world, last), over_http(twin, last), routed(last))
    finally:
        twin.hub.close()
    differ("in the end", tale.world.answers + warm, twin.answers + theirs, requests)
    with tale.world.another() as cold:
        differ("a fresh hub", warm, [text_of(call(cold, r.who, r.verb, r.args)) for r in last], last)


def check_past(tale: Tale) -> None:
    """INVARIANT: what was said about a settled point is said again, but for what was erased or is denied since.

    Nothing recorded later comes into it; what was readable then and is not now, or the other way round, is so because
    a rule, a consent or a filing changed.
    """
    again = [s for s in tale.settled if not s.answer.startswith("Denied")]
    alike = [s for s in again if _stays(tale, s)]
    ours = [_RECALL.sub("some recall", _settling(s.answer)) for s in alike]
    theirs = [_RECALL.sub("some recall", _settling(text_of(tale.world.perform(s.request)))) for s in alike]
    differ("said before", ours, theirs, [s.request for s in alike])
    TALLY["settled answers asked again, all the same"] += len(alike)
    TALLY["settled answers that an erasure or a rule has changed since"] += len(again) - len(alike)


def _stays(tale: Tale, settled: Settled) -> bool:
    """Whether the answer must be the same; raises Leak if what it was given from is another without a reason."""
    sight, purpose = tale.sight(), settled.request.args["purpose"]
    ruled = sight.changed(settled.at, ALICE)
    now = readable(tale, settled.request)
    for record in settled.seen ^ now:
        known = sight.records[record]
        moved = any(stay.at > settled.at or (stay.left or 0) > settled.at for stay in known.stays)
        if not ruled and not moved and record not in sight.gaps:
            raise Leak(
                f"{known.body} was readable {record in settled.seen} by {settled.request.args}, and that changed"
            )
        if known.body["recorded_at"] > settled.request.known_at:
            raise Leak(f"{known.body} came later than {settled.request.args}")
    return settled.seen == now and sight.lets_ask(tale.history.viewer, ALICE, purpose)


def check_replays(tale: Tale) -> None:
    """INVARIANT: a recall is run again to the same bytes, or says which of its memories are no longer there."""
    for asked in tale.asked:
        told = json.loads(asked.answer)
        request = question(tale.history.viewer, "replay", {}, record=Ref(told["recall_id"]))
        answer = text_of(tale.world.perform(request))
        if not answer.startswith("{"):
            continue  # the viewer may not come in any more
        lost = {record for record, then in asked.seen.items() if not _still(tale, record, then, asked.purpose)}
        since = json.loads(answer).get("since_then")
        unasked = bool(since) and "digest" in since["changed"] and _may_have_quoted(tale)
        if not (lost or unasked or answer == asked.answer or (since and _alike(told, answer))):
            differ("run again", [asked.answer], [answer], [request])
        TALLY["recalls run again, with something gone" if lost else "recalls run again to the same bytes"] += 1
        gone = [memory["id"] for memory in (*told["memories"], *told["upcoming"]) if memory["id"] in lost]
        if since is None:
            if gone or answer != asked.answer:
                raise Leak(f"run again without a word, though {gone} is gone:\n  {asked.answer}\n  {answer}")
        elif [one["id"] for one in since["unavailable"]] != gone:
            raise Leak(f"run again, {gone} is gone, and it says {since}")


def _alike(told: dict[str, object], answer: str) -> bool:
    """But for the one word that looks ahead of the point asked about: what it told of may be out of sight since."""
    ahead = {"nothing_known_before": None, "since_then": None}
    return {**json.loads(answer), **ahead} == {**told, **ahead}


def _may_have_quoted(tale: Tale) -> bool:
    """Whether anything was erased that the viewer could ever read: a question that quoted it has lost its words."""
    sight, viewer = tale.sight(), tale.history.viewer
    return any(any(sight.ever_reads(viewer, sight.records[gap].stays[-1].labels, ALICE)) for gap in sight.gaps)


def _still(tale: Tale, record: str, then: frozenset[Label], purpose: str | None) -> bool:
    """Whether the viewer may read now what it read then, for the purpose of then if that is still its own."""
    viewer, sight = tale.history.viewer, tale.sight()
    named = purpose if sight.lets_ask(viewer, ALICE, purpose) else None
    both = (then, sight.records[record].labels)
    return record not in sight.gaps and all(sight.opens(viewer, ALICE, named, None, labels) for labels in both)


def check_views(tale: Tale) -> None:
    """A view is a value: whatever happens after it was given out, it stays as it was."""
    for number, (view, before) in enumerate(tale.views):
        if list(dump(view)) != before:
            changed = next((a, b) for a, b in zip(dump(view), before, strict=False) if a != b)
            raise Leak(f"view {number} is another one now:\n  {changed[0]}\n  {changed[1]}")


_RECALL = re.compile(r"recall_[0-9a-f]{24}")
"""A question that is asked again is another recall than the one that feedback speaks of."""


def _settling(answer: str) -> str:
    """Without the one word that looks ahead of the point asked about."""
    return re.sub(r'"nothing_known_before":("[^"]*"|null)', "", answer)


def check_cuts(tale: Tale, folder: Path) -> None:
    """The ledger itself without what the viewer may not read at that point, today and then."""
    viewer, sight = tale.history.viewer, tale.sight()
    bound = [purpose for purpose in PURPOSES if sight.lets_ask(viewer, ALICE, purpose)]
    points = [(None, None), (None, _middle(tale)), *((purpose, None) for purpose in bound[:1])]
    for purpose, known_at in points:
        stays = sight.visible(viewer, ALICE, purpose, known_at)
        last = list(questions(tale.steps, viewer, purpose, _known(known_at)))
        with _without(tale, folder, stays) as less:
            differ(f"cut for {purpose} at {known_at}", *_asked(tale, less, last, known_at), last)


def check_auditors(tale: Tale, folder: Path) -> None:
    """INVARIANT: what an auditor is told comes of what it may inspect today, and through an agent's eyes of no more
    than that agent could have read.
    """
    viewer, sight = tale.history.viewer, tale.sight()
    _check_eyes(tale)
    for known_at in (None, _middle(tale)):
        point = _known(known_at)
        own = [question(AUDITOR, "looks", point, record=viewer, word=WORDS)]
        with _without(tale, folder, sight.through(AUDITOR, viewer, ALICE, known_at)) as less:
            differ(f"through the eyes of {viewer} at {known_at}", *_asked(tale, less, own, known_at), own)
    recalls = tale.recalls[:: len(tale.recalls) // 2 or 1]
    whole = [question(AUDITOR, "audits", _known(at), record=viewer, word=WORDS) for at in (None, _middle(tale))]
    whole += [question(AUDITOR, "reruns", {}, record=recall) for recall in recalls]
    with _without(tale, folder, sight.through(AUDITOR, None, ALICE, None)) as less:
        differ("audited", *_asked(tale, less, whole, None), whole)


def _check_eyes(tale: Tale) -> None:
    """Eyes see what they should by a second reading; all that an agent is told now, an auditor of everything is too."""
    viewer, sight, hub = tale.history.viewer, tale.sight(), tale.world.hub
    if sight.lets_ask(viewer, ALICE, None):
        own = hub.agent(viewer, ALICE).profile()
        differ("the same eyes", [text_of(own)], [text_of(hub.operator().beliefs(ALICE, viewer))], [_EYES])
    for known_at in (None, _middle(tale)):
        as_of = None if known_at is None else AsOf(known_at, known_at)
        view = hub._door.look(AUDITOR, ALICE, as_of, through=viewer)
        stays = sight.through(AUDITOR, viewer, ALICE, known_at)
        compare_sight(view, {(r.id, s.labels, s.at) for r, s in stays if r.id not in sight.gaps}, _EYES)


def _middle(tale: Tale) -> Instant:
    """When a rule was changed last, or the middle of the story."""
    ruled = [p.at for p in tale.steps if p.request is not None and p.request.verb in RULING]
    return (ruled or [tale.steps[len(tale.steps) // 2].at])[-1]


def _known(known_at: Instant | None) -> dict[str, object]:
    return {} if known_at is None else {"known_at": rendered(known_at)}


@contextmanager
def _without(tale: Tale, folder: Path, stays: Sequence[tuple[Recorded, Stay]]) -> Iterator[Hub]:
    """A hub on the same ledger with nothing but these records in it, and what the viewer reads of somebody else."""
    stays = [*stays, *tale.sight().visible(tale.history.viewer, BOB, None, None)]
    path, left = folder / f"cut-{secrets.token_hex(4)}.db", {record.id for record, _ in stays}
    tale.world.flush()  # for what is copied is what is on the disk
    cut(tale.world.path, path, [r for r in tale.sight().records.values() if r.id not in left])
    with tale.world.another(path) as less:
        yield less


def _asked(tale: Tale, less: Hub, requests: Sequence[Request], known_at: Instant | None) -> tuple[list[str], list[str]]:
    ours = [text_of(tale.world.perform(r)) for r in requests]
    theirs = [text_of(call(less, r.who, r.verb, r.args)) for r in requests]
    return (ours, theirs) if known_at is None else (list(map(_settling, ours)), list(map(_settling, theirs)))
