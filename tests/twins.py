"""Two hubs live through one history, one of them without what a viewer may not read: whatever it asks, they agree."""

from __future__ import annotations

import atexit
import random
import re
import secrets
import shutil
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cache, lru_cache
from pathlib import Path
from unittest.mock import patch

import msgspec

from hub.clock import SimulatedClock
from hub.errors import HubError
from hub.facts import Hide, Relabel, Withdraw
from hub.hub import Hub
from hub.moments import rendered
from hub.policy import Policy
from hub.registry import Promotion, Registry
from hub.view import View
from tests.reference_clearance import Label, Recorded, Sight, cut, labels_of
from tests.sources import ROOT
from tests.twin_histories import (
    ADMIN,
    AGENTS,
    ALICE,
    BOB,
    PURPOSES,
    RELATIONS,
    History,
    Restart,
    Say,
    policy,
    smaller,
)
from tests.twin_roads import asked, canonical, dump, looked, text_of
from tests.twin_steps import GHOST, START, STEP, Played, Ref, Request, Resolver, questions

REDACTED = "…"
SCRATCH = Path("/dev/shm") if Path("/dev/shm").is_dir() else None
_ACTS = {"withdraw": Withdraw, "hide": Hide, "relabel": Relabel}


class Leak(AssertionError):
    """The two worlds, or two hubs on one world, did not agree."""


# --- one world ---------------------------------------------------------------------------------------------------


class World:
    """One hub on one file, with a clock that the story moves."""

    def __init__(self, path: Path, history: History) -> None:
        self.path = path
        self.clock = SimulatedClock(START + STEP)
        self.ids: dict[str, str] | None = None
        shutil.copy(_template(), path)
        self.hub = Hub.open(path, policies=_policies(path.parent, history.lines), clock=self.clock)
        self.hub.operator().bind(history.viewer, customers=[ALICE], purposes=PURPOSES)
        self.answers: list[str] = []

    def reopen(self) -> None:
        self.hub.close()
        self.hub = Hub.open(self.path, clock=self.clock)

    def another(self, path: Path | None = None) -> Hub:
        """A fresh hub at the same moment: on the same file, or on another."""
        return Hub.open(path or self.path, clock=SimulatedClock(self.clock.now()))

    def perform(self, request: Request) -> object:
        """The answer, or the error."""
        try:
            return call(self.hub, request.who, request.verb, self._meant(request.args))
        except HubError as error:
            return error

    def _meant(self, value: object) -> object:
        """A request's arguments with this world's ids."""
        match value:
            case Ref():
                return str(value) if self.ids is None else self.ids.get(value, GHOST)
            case dict():
                return {name: self._meant(inner) for name, inner in value.items()}
            case list():
                return [self._meant(inner) for inner in value]
        return value

    def seq(self) -> int:
        with self.hub._ledger.reading() as reading:
            return reading.state.seq

    def since(self, seq: int) -> list[str]:
        """The ids of the records later than `seq`, oldest first."""
        asked_for = "SELECT id FROM record WHERE seq > ? ORDER BY seq"
        with self.hub._ledger.reading() as reading:
            return [record for (record,) in reading._connection.exec_driver_sql(asked_for, (seq,))]


_shelf = tempfile.TemporaryDirectory(prefix="twins-", dir=SCRATCH)
atexit.register(_shelf.cleanup)


@cache
def _template() -> Path:
    """A database with every agent, as a new hub has it."""
    path = Path(_shelf.name) / "template.db"
    with Hub.open(path, policies=_policies(path.parent, ()), clock=SimulatedClock(START)) as hub:
        for agent, home in AGENTS.items():
            hub.agent(agent, domain=home)
    return path


def _policies(folder: Path, lines: tuple[str, ...]) -> Path:
    """The folder, with a policy and a registry in it."""
    shutil.copy(ROOT / "policies" / "model.conf", folder)
    (folder / "policy.csv").write_text(policy(lines), encoding="utf-8")
    (folder / "relations.yaml").write_text(RELATIONS, encoding="utf-8")
    return folder


def call(hub: Hub, who: str, verb: str, args: dict[str, object]) -> object:
    rest = {name: value for name, value in args.items() if name not in ("customer", "id")}
    match verb:
        case "remember":
            return hub.agent(who, args["customer"]).remember(**rest)
        case "correct" | "retract" | "end" | "forget" | "restore":
            return getattr(hub.agent(who, ALICE), verb)(args["id"], **rest)
        case "relabel" | "take_back":
            return getattr(hub.operator(ADMIN), verb)(args["id"], **rest)
        case "same_as":
            return hub.operator(ADMIN).same_as(args["customer"], *args["names"])
        case "promote" | "demote" | "replace_policy" | "bind":
            return getattr(hub.operator(ADMIN), verb)(**args)
        case "ask":
            return asked(hub, who, args)
    raise ValueError(verb)


# --- the first world ---------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Settled:
    """An answer about a fixed point in both times, and the records it was given from."""

    request: Request
    answer: str
    seen: frozenset[str]


@dataclass
class Tale:
    """What happened in the first world."""

    history: History
    world: World
    steps: list[Played] = field(default_factory=list)
    settled: list[Settled] = field(default_factory=list)
    views: list[tuple[View, list[str]]] = field(default_factory=list)
    """Views that somebody has in hand, and what they held when they were given out."""

    def sight(self) -> Sight:
        return Sight(self.world.path)


def told(history: History, world: World) -> Tale:
    """Plays a history in full."""
    tale = Tale(history, world)
    resolver = Resolver(history.viewer)
    for step in history.steps:
        resolver.begin(step)
        world.clock.set(resolver.now)
        request, before = resolver.request(step, tale.sight), world.seq()
        if isinstance(step, Restart):
            world.reopen()
        outcome = None if request is None else world.perform(request)
        tale.steps.append(Played(request, resolver.now, outcome, world.since(before)))
        resolver.note(request, outcome)
        if request is not None and request.who == history.viewer:
            world.answers.append(text_of(outcome))
            tale.settled += _settled(tale, request, text_of(outcome))
            tale.views += _held(tale, request)
    world.clock.set(resolver.now + STEP)
    return tale


def _settled(tale: Tale, request: Request, answer: str) -> Iterator[Settled]:
    if request.verb == "ask" and request.known_at is not None and request.known_at <= tale.world.clock.now():
        yield Settled(request, answer, _seen(tale, request))


def _held(tale: Tale, request: Request) -> Iterator[tuple[View, list[str]]]:
    if request.args.get("road") == "view":
        try:
            view = looked(tale.world.hub, request.who, request.args)
        except HubError:
            return
        compare_sight(view, tale.sight(), request)
        yield view, list(dump(view))


def compare_sight(view: View, sight: Sight, request: Request) -> None:
    """A view holds what the viewer may read by the second reading of policy and ledger, and nothing else."""
    args = request.args
    stays = sight.visible(request.who, args["customer"], args["purpose"], view.known_at)
    due = {(record.id, stay.labels, stay.at) for record, stay in stays}
    held = {(row.record.id, labels_of(row.filing), row.at) for row in view.all_rows()}
    if held != due:
        raise Leak(f"{request.args} shows {sorted(held - due)} too much, {sorted(due - held)} too little")


def _seen(tale: Tale, request: Request) -> frozenset[str]:
    args = request.args
    stays = tale.sight().visible(tale.history.viewer, args["customer"], args["purpose"], request.known_at)
    return frozenset(record.id for record, _ in stays)


# --- its twin ----------------------------------------------------------------------------------------------------


class Kept:
    """What stays in the twin: all that the viewer wrote, reads, or could have read at any moment of the history.

    A record that came into its sight later stays with all that may have shaped it. A turn that it can't read stays, its
    words struck out, if a claim that stays names it as its source.
    """

    def __init__(self, sight: Sight, viewer: str) -> None:
        self.labels = {customer: _labels(sight, viewer, customer) for customer in (ALICE, BOB)}
        self.ids = {r.id for r in sight.records.values() if r.kind in ("claim", "turn") and self.shows(r)}
        claims = [r for r in sight.records.values() if r.kind == "claim" and r.id in self.ids]
        self.redacted = {str(source) for claim in claims for source in claim.body["sources"]} - self.ids
        self.ids |= self.redacted
        for record in sight.records.values():
            if record.target in self.ids:
                self.ids.add(record.id)

    def shows(self, record: Recorded) -> bool:
        return any(stay.labels <= self.labels[record.customer] for stay in record.stays)


def _labels(sight: Sight, viewer: str, customer: str) -> frozenset[Label]:
    mine = [record for record in sight.records.values() if record.customer == customer]
    own = {label for r in mine if r.agent == viewer for stay in r.stays for label in stay.labels}
    labels = sight.ever(viewer, customer) | own
    while True:
        shown = [r for r in mine if any(stay.labels <= labels for stay in r.stays)]
        late = [r.stays[0] for r in shown if not sight.read_by(viewer, r.stays[0], customer)]
        shaping = frozenset(label for stay in late for label in sight.behind(stay, customer))
        if shaping <= labels:
            return labels
        labels |= shaping


def retold(tale: Tale, kept: Kept, twin: World) -> None:
    """Plays the same history without the rest; the clock goes on as if nothing was missing."""
    twin.ids = {}
    for number, played in enumerate(tale.steps):
        twin.clock.set(played.at)
        before = twin.seq()
        _retold(tale, kept, twin, played)
        ours, theirs = [r for r in played.records if r in kept.ids], twin.since(before)
        if len(ours) != len(theirs):
            raise Leak(f"step {number} left {len(ours)} records in sight, and {len(theirs)} in the twin world")
        twin.ids |= dict(zip(ours, theirs, strict=True))
        if ours:
            _meet(tale, twin, ours)
    twin.clock.set(tale.world.clock.now())


def _meet(tale: Tale, twin: World, ours: Iterable[str]) -> None:
    """What the records mention is the same thing in both worlds."""
    records, theirs = tale.sight().records, Sight(twin.path).records
    for record in ours:
        for thing, other in zip(records[record].things, theirs[twin.ids[record]].things, strict=False):
            twin.ids.setdefault(thing, other)


def _retold(tale: Tale, kept: Kept, twin: World, played: Played) -> None:
    request = played.request
    if request is None:
        return
    if request.who == tale.history.viewer:
        twin.answers.append(text_of(twin.perform(request)))
    elif request.verb == "ask":
        return
    elif request.verb == "remember":
        if (less := _without(request, played, kept)) is not None:
            twin.perform(less)
    elif request.verb == "same_as":
        if kept.ids.intersection(played.records):
            twin.perform(request)
    elif "id" in request.args:
        _redone(tale, kept, twin, played, request)
    else:
        twin.perform(request)


def _without(request: Request, played: Played, kept: Kept) -> Request | None:
    """The request without the items, and the words, that the viewer may not read; None if nothing stays."""
    stays = _staying(request, played, kept)
    turn = getattr(getattr(played.outcome, "turn", None), "id", None)
    if not any(stays) and turn not in kept.ids:
        return None
    told = isinstance(played.outcome, HubError) or turn in kept.ids
    text = (REDACTED if turn in kept.redacted else request.args["text"]) if told else None
    facts = [fact for fact, stay in zip(request.args["facts"], stays, strict=True) if stay]
    return replace(request, args={**request.args, "text": text, "facts": facts})


def _staying(request: Request, played: Played, kept: Kept) -> list[bool]:
    labels = kept.labels[str(request.args["customer"])]
    seen = [item is not None and item <= labels for item in request.items]
    if isinstance(played.outcome, HubError):
        culprit = (played.outcome.where or "").split(".")
        hidden = len(culprit) > 1 and not seen[int(culprit[1])]
        return [False] * len(seen) if hidden else seen
    refused = {refusal.index for refusal in played.outcome.refused}
    ids = iter(receipt.id for receipt in played.outcome.facts)
    return [seen[i] if i in refused else next(ids) in kept.ids for i in range(len(seen))]


def _redone(tale: Tale, kept: Kept, twin: World, played: Played, request: Request) -> None:
    """An act upon something: as it was if that is in sight, else those of its acts that are."""
    ours = [record for record in played.records if record in kept.ids]
    if request.args["id"] in kept.ids and (len(ours) == len(played.records) or request.verb != "correct"):
        twin.perform(request)
    elif ours:
        records = tale.sight().records
        copy_acts(twin, request.who, [records[record] for record in ours])


def copy_acts(twin: World, who: str, acts: Sequence[Recorded]) -> None:
    """Files the same acts, all at once, in place of a request that spoke of something hidden."""
    with twin.hub._door.admit(who, ALICE) as desk:
        for act in acts:
            if act.kind not in _ACTS:
                raise Leak(f"what became of something hidden can be read: {act.body}")
            body = {**act.body, "id": desk.new_id("act"), "seq": desk.next_seq(), "recorded_at": desk.now}
            record = msgspec.convert({**body, "target": twin.ids[act.target]}, _ACTS[act.kind])
            desk.file(record, desk.filing_of(record.target))


# --- whether they agree --------------------------------------------------------------------------------------------


def differ(what: str, ours: Iterable[str], theirs: Iterable[str], requests: Sequence[Request]) -> None:
    """Raises at the first answer that is not the same in both."""
    pairs = zip(canonical(ours), canonical(theirs), requests, strict=True)
    for number, (one, other, request) in enumerate(pairs):
        if one != other:
            lines = [(a, b) for a, b in zip(one.split("\n"), other.split("\n"), strict=False) if a != b]
            first = lines[0] if lines else (one[-300:], other[-300:])
            raise Leak(f"{what}, answer {number} to {request.verb} {request.args}:\n  {first[0]}\n  {first[1]}")


@contextmanager
def numbered_ids() -> Iterator[None]:
    """Random ids that are the same in every run, and never the same in two worlds."""
    numbers = random.Random(0)
    with patch.object(secrets, "token_hex", lambda size: f"{numbers.getrandbits(8 * size):0{2 * size}x}"):
        yield


@contextmanager
def read_once() -> Iterator[None]:
    """Policies and registries are values: those of one text are read once for all worlds, which saves half the time."""
    with (
        patch.object(Policy, "parse", _policy),
        patch.object(Registry, "read", _registry),
        patch.object(Registry, "with_promotions", _with_promotions),
    ):
        yield


_policy = lru_cache(256)(Policy.parse)
_registry = lru_cache(16)(Registry.read)
_promoting = Registry.with_promotions
_promoted: dict[tuple[int, tuple[Promotion, ...]], tuple[Registry, Registry]] = {}


def _with_promotions(registry: Registry, promotions: Iterable[Promotion]) -> Registry:
    key = (id(registry), tuple(promotions))
    if key not in _promoted:
        _promoted[key] = (registry, _promoting(registry, key[1]))
    return _promoted[key][1]


def check(story: History) -> None:
    """Plays a history and its twin; raises Leak where an answer tells them apart."""
    with tempfile.TemporaryDirectory(prefix="twins-", dir=SCRATCH) as folder, numbered_ids(), read_once():
        tale = told(story, World(Path(folder) / "world.db", story))
        if (silent := _silenced(tale)) is not None:
            tale.world.hub.close()
            tale = told(silent, World(Path(folder) / "silent.db", silent))
        try:
            _check_filing(tale)
            _check_twin(tale, World(Path(folder) / "twin.db", story))
            _check_past(tale)
            _check_views(tale)
            _check_cuts(tale, Path(folder))
        finally:
            tale.world.hub.close()


def _silenced(tale: Tale) -> History | None:
    """The history without the words of turns that somebody might read in the twin alone; None if there are none.

    A turn carries the labels of all it says, and in the twin it says less.
    """
    steps = [
        replace(step, text=None) if isinstance(step, Say) and _reads_wider(tale, played) else step
        for step, played in zip(tale.history.steps, tale.steps, strict=True)
    ]
    return replace(tale.history, steps=tuple(steps)) if tuple(steps) != tale.history.steps else None


def _reads_wider(tale: Tale, played: Played) -> bool:
    sight = tale.sight()
    kept = Kept(sight, tale.history.viewer)
    turn = getattr(getattr(played.outcome, "turn", None), "id", None)
    if turn not in kept.redacted:
        return False
    full = sight.records[turn].stays[0].labels
    said = [sight.records[record] for record in played.records if record in kept.ids and record != turn]
    less = frozenset(label for record in said for label in record.stays[0].labels if record.body.get("sources"))
    less |= frozenset(label for label in full if label[-1] == "turn")
    return any(sight.ever_reads(agent, less) != sight.ever_reads(agent, full) for agent in AGENTS)


def shrunk(story: History, fails: Callable[[History], object], most: int = 300) -> History:
    """A history as small as leaving out one thing after another makes it, while it still fails."""
    for _ in range(most):
        less = next((one for one in smaller(story) if one.steps and fails(one)), None)
        if less is None:
            return story
        story = less
    return story


def leak(story: History) -> Leak | None:
    try:
        check(story)
    except Leak as found:
        return found
    return None


def noticed(stories: Iterable[tuple[str, History]]) -> tuple[int, str, Leak] | None:
    """How many stories it takes until two worlds disagree, which one that is, and over what."""
    for number, (name, story) in enumerate(stories, 1):
        if (found := leak(story)) is not None:
            return number, name, found
    return None


def _check_filing(tale: Tale) -> None:
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


def _check_twin(tale: Tale, twin: World) -> None:
    """What the viewer heard on the way, and whatever it asks in the end; a fresh hub says the same as the old one."""
    requests = [p.request for p in tale.steps if p.request is not None and p.request.who == tale.history.viewer]
    try:
        retold(tale, Kept(tale.sight(), tale.history.viewer), twin)
        differ("on the way", tale.world.answers, twin.answers, requests)
        last = list(questions(tale.steps, tale.history.viewer))
        requests += last
        for request in last:
            list(_held(tale, request))
        warm = [text_of(tale.world.perform(request)) for request in last]
        theirs = [text_of(twin.perform(request)) for request in last]
    finally:
        twin.hub.close()
    differ("in the end", tale.world.answers + warm, twin.answers + theirs, requests)
    with tale.world.another() as cold:
        differ("a fresh hub", warm, [text_of(call(cold, r.who, r.verb, r.args)) for r in last], last)


def _check_past(tale: Tale) -> None:
    """What was said about a settled point is said again, unless the viewer may read less of it now."""
    viewer, sight = tale.history.viewer, tale.sight()
    asked_for = [s for s in tale.settled if sight.lets_ask(viewer, ALICE, s.request.args["purpose"])]
    again = [s for s in asked_for if "Denied" not in s.answer and _seen(tale, s.request) == s.seen]
    ours = [_settling(s.answer) for s in again]
    theirs = [_settling(text_of(tale.world.perform(s.request))) for s in again]
    differ("said before", ours, theirs, [s.request for s in again])


def _check_views(tale: Tale) -> None:
    """A view is a value: whatever happens after it was given out, it stays as it was."""
    for number, (view, before) in enumerate(tale.views):
        if list(dump(view)) != before:
            changed = next((a, b) for a, b in zip(dump(view), before, strict=False) if a != b)
            raise Leak(f"view {number} is another one now:\n  {changed[0]}\n  {changed[1]}")


def _settling(answer: str) -> str:
    """Without the one word that looks ahead of the point asked about."""
    return re.sub(r'"nothing_known_before":("[^"]*"|null)', "", answer)


def _check_cuts(tale: Tale, folder: Path) -> None:
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
