"""A history told in one world, and again in its twin, where what the viewer may not read never was."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from itertools import islice, product

import msgspec

from hub.door import Act, Desk
from hub.errors import Denied, HubError
from hub.facts import Claim, Feedback, Hide, Instant, Relabel, Scope, Withdraw
from hub.facts import Label as HubLabel
from hub.hub import Agent
from hub.moments import moment, rendered
from hub.remember.deciding import _at_odds, _contested
from hub.remember.erasing import _gap
from hub.view import View
from tests.reference_clearance import Label, Recorded, Sight, Stay, labels_of
from tests.twin_histories import ADMIN, ALICE, BOB, PURPOSES, History, Restart
from tests.twin_roads import behalf, dump, looked, text_of
from tests.twin_steps import CHOOSING, DECIDING, GHOST, STEP, Played, Request, Resolver, question, recalls_in
from tests.twin_worlds import ERASING, Leak, World

REDACTED, SAME_AS = "…", "same_as"
SETTLED = ("view", "recall", "profile", "timeline", "graph", "fact", "history")
"""Roads whose answers about a fixed point in both times stay as they are; others speak of today's rules too."""

NAMING_ONLY_WHAT_IS_READ = ("recall", "why", "timeline", "profile", "graph")
"""Roads beside which a fact, read by itself, says which turn it came from, by an id that opens nothing."""

_RECORD = re.compile(r"\b(?:fact|turn|act)_[0-9a-f]{24}\b")

CLAIMING = ("correct", "end")
"""Acts that leave a claim, which may be out of sight though what it is about was in sight once."""

EVERY = 3
"""After every so many steps the viewer is told of the moment, to be asked again in the end."""

_HERE_FOR = {
    "relabel": Act.RELABEL,
    "take_back": Act.DECIDE,
    "same_as": Act.DECIDE,
    "unsame": Act.DECIDE,
    "hide": Act.FORGET,
    "unhide": Act.FORGET,
    "accept": Act.DECIDE,
    "reject": Act.DECIDE,
    "edit": Act.DECIDE,
    "undo": Act.DECIDE,
}
"""What lets an operator see what it acts upon."""

_ACTS = {"withdraw": Withdraw, "hide": Hide, "relabel": Relabel}


# --- the first world ---------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Settled:
    """An answer about a fixed point in both times: when it was given, and the records it was given from."""

    request: Request
    answer: str
    seen: frozenset[str]
    at: Instant


@dataclass(frozen=True)
class Asked:
    """A recall of the viewer's that was kept, as it was answered, and where all that it was answered from was filed."""

    answer: str
    purpose: str | None
    seen: dict[str, frozenset[Label]]


@dataclass
class Tale:
    """What happened in the first world."""

    history: History
    world: World
    steps: list[Played] = field(default_factory=list)
    settled: list[Settled] = field(default_factory=list)
    asked: list[Asked] = field(default_factory=list)
    recalls: list[str] = field(default_factory=list)
    views: list[tuple[View, list[str]]] = field(default_factory=list)
    """Views that somebody has in hand, and what they held when they were given out."""
    before: dict[str, Recorded] = field(default_factory=dict)
    """Records as they were before they were erased."""
    _sight: Sight | None = None

    def sight(self) -> Sight:
        if self._sight is None:
            requests = [played.request for played in self.steps if played.request is not None]
            asked = {label for request in requests for item in request.items if item is not None for label in item}
            self._sight = Sight(self.world.path, self.world.clock.now(), self.before, asked)
        return self._sight

    def perform(self, request: Request) -> object:
        """The answer, or the error; what is erased is remembered as it was."""
        if request.verb in ERASING:
            self.before = {**self.sight().records, **self.before}
        outcome = self.world.perform(request)
        self._sight = None
        return outcome


def told(history: History, world: World) -> Tale:
    """Plays a history in full."""
    tale = Tale(history, world)
    resolver = Resolver(history.viewer, recalls=tale.recalls)
    for number, step in enumerate(history.steps):
        resolver.begin(step)
        world.clock.set(resolver.now)
        tale._sight = None
        request, before = resolver.request(step, tale.sight), world.seq()
        if isinstance(step, Restart):
            world.reopen()
        known = {} if request is None or request.verb not in ERASING else dict(tale.sight().gaps)
        sides = frozenset() if request is None or request.verb not in CHOOSING else sides_seen(world, request)
        outcome = None if request is None else tale.perform(request)
        gone = {} if request is None or request.verb not in ERASING else _newly(tale.sight().gaps, known)
        tale.steps.append(Played(request, resolver.now, outcome, world.since(before), gone, sides))
        resolver.note(request, outcome)
        if request is not None and request.who == history.viewer:
            world.answers.append(text_of(outcome))
            tale.settled += _settled(tale, request, text_of(outcome))
            tale.asked += _kept(tale, request, text_of(outcome))
            tale.views += held(tale, request)
            check_named(tale, request, text_of(outcome))
        if number % EVERY == 0:
            tale.settled += _noted(tale)
    world.clock.set(resolver.now + STEP)
    tale._sight = None
    return tale


def _newly(gaps: dict[str, str | None], known: dict[str, str | None]) -> dict[str, str | None]:
    return {record: token for record, token in gaps.items() if record not in known}


def _noted(tale: Tale) -> Iterator[Settled]:
    """What the viewer is told of this very moment, on some roads that tell much."""
    now = tale.world.clock.now()
    for road in ("view", "recall"):
        request = question(tale.history.viewer, road, {"as_of": rendered(now)}, known_at=now)
        yield from _settled(tale, request, text_of(tale.world.perform(request)))


def _settled(tale: Tale, request: Request, answer: str) -> Iterator[Settled]:
    now = tale.world.clock.now()
    if request.args.get("road") in SETTLED and request.known_at is not None and request.known_at <= now:
        yield Settled(request, answer, readable(tale, request), now)


def _kept(tale: Tale, request: Request, answer: str) -> Iterator[Asked]:
    if request.args.get("road") == "recall" and '"recall_id":' in answer:
        args, sight = request.args, tale.sight()
        stays = sight.visible(request.who, args["customer"], args["purpose"], known_at_of(args["point"]))
        seen = {record.id: stay.labels for record, stay in stays if record.id not in sight.gaps}
        yield Asked(answer, args["purpose"], seen)


def known_at_of(point: Mapping[str, object]) -> Instant | None:
    """The recorded time a point names; None for all that is known."""
    given = point.get("as_of", point.get("known_at"))
    return None if given is None else moment(str(given), "UTC")[0]


def held(tale: Tale, request: Request) -> Iterator[tuple[View, list[str]]]:
    """The view that a request looks at, once it has been compared with a second reading; of a deputy only compared."""
    hub, args, who = tale.world.hub, request.args, request.who
    try:
        if args.get("road") == "view":
            view = looked(hub, who, args)
            compare_sight(view, _due(tale, who, view, args), request)
            yield view, list(dump(view))
        elif args.get("road") == "deputy" and args["purpose"] is None:
            view = looked(hub, behalf(hub, who, args).viewer, args)
            both = (_due(tale, agent, view, args) for agent in (who, str(args["id"])))
            compare_sight(view, set.intersection(*both), request)
        elif args.get("road") == "token":
            _check_bearer(tale, hub.authenticate(hub.agent(who, ALICE).token(purpose=args["purpose"]).token), request)
    except HubError:
        return


def _check_bearer(tale: Tale, bearer: Agent, request: Request) -> None:
    """A token shows what its agent sees of its customer for its purpose or for none, and opens nothing else."""
    for customer, purpose in product((ALICE, BOB), (None, *PURPOSES)):
        asked = {**request.args, "customer": customer, "purpose": purpose}
        opens = customer == ALICE and purpose in (None, request.args["purpose"])
        try:
            view = looked(tale.world.hub, bearer.viewer, asked)
        except Denied:
            continue
        if not opens:
            raise Leak(f"a token of {request.args} opens {customer} for {purpose}")
        compare_sight(view, _due(tale, bearer.id, view, asked), request)


Due = set[tuple[str, frozenset[Label], Instant]]


def check_named(tale: Tale, request: Request, answer: str) -> None:
    """INVARIANT: an answer names no record that its reader could not read there and then, not even by its id."""
    args, sight = request.args, tale.sight()
    if args.get("road") in NAMING_ONLY_WHAT_IS_READ:
        stays = sight.visible(request.who, args["customer"], args["purpose"], known_at_of(args["point"]))
        strange = set(_RECORD.findall(answer)) - {record.id for record, _ in stays}
        if strange:
            raise Leak(f"{args} names {[sight.records[one].body for one in strange]}")


def _due(tale: Tale, agent: str, view: View, args: Mapping[str, object]) -> Due:
    sight = tale.sight()
    stays = sight.visible(agent, str(args["customer"]), args["purpose"], view.known_at)
    return {(record.id, stay.labels, stay.at) for record, stay in stays if record.id not in sight.gaps}


def compare_sight(view: View, due: Due, request: Request) -> None:
    """A view holds what the viewer may read by the second reading of policy and ledger, and nothing else."""
    shown = {(row.record.id, labels_of(row.filing), row.at) for row in view.all_rows()}
    if shown != due:
        raise Leak(f"{request.args} shows {sorted(shown - due)} too much, {sorted(due - shown)} too little")


def readable(tale: Tale, request: Request) -> frozenset[str]:
    args, sight = request.args, tale.sight()
    stays = sight.visible(tale.history.viewer, args["customer"], args["purpose"], request.known_at)
    return frozenset(record.id for record, _ in stays if record.id not in sight.gaps)


# --- its twin ----------------------------------------------------------------------------------------------------


class Kept:
    """What stays in the twin: all that the viewer wrote, reads, or could have read at any moment of the history.

    A record that came into its sight later stays with all that may have shaped it. A turn that it can't read stays, its
    words struck out, if a claim that stays names it as its source, with all that was done to it.
    """

    def __init__(self, sight: Sight, viewer: str) -> None:
        self._sight, self._viewer = sight, viewer
        self.labels = {customer: _labels(sight, viewer, customer) for customer in (ALICE, BOB)}
        self.ids = {r.id for r in sight.records.values() if r.kind in ("claim", "turn", "feedback") and self.shows(r)}
        claims = [r for r in sight.records.values() if r.kind == "claim" and r.id in self.ids]
        self.redacted = {str(source) for claim in claims for source in claim.body["sources"]} - self.ids
        self.ids |= self.redacted
        for record in sight.records.values():
            if record.target in self.ids and (not _settles(record, sight.records) or self.shows(record)):
                self.ids.add(record.id)
            if record.target in self.redacted:
                self.redacted.add(record.id)

    def could_read(self, labels: frozenset[Label] | None, at: Instant, customer: str) -> bool:
        """Whether the viewer is one of the readers whose sight decides about what would be filed so just then."""
        if labels is None or not labels <= self.labels[customer]:
            return False
        return self._sight.read_by(self._viewer, Stay(labels, at), customer)

    def shows(self, record: Recorded) -> bool:
        return any(stay.labels <= self.labels[record.customer] for stay in record.stays)


def _settles(record: Recorded, records: Mapping[str, Recorded]) -> bool:
    """Whether a side is taken back in sight of those alone who may read every side: for others nothing happened."""
    filed = record.stays[0]
    return record.kind == "withdraw" and all(
        filed.labels > stay.labels for stay in records[str(record.target)].held(filed.at)
    )


def _renamed_from(sight: Sight, record: Recorded, others: Sequence[Recorded]) -> Iterator[Label]:
    """Where a claim was filed that an operator has given the name of another relation, whoever could read that."""
    for act in others:
        if (
            act.kind == "withdraw"
            and record.kind == "claim"
            and act.body["recorded_at"] == record.body["recorded_at"]
            and sight.records[str(act.target)].kind == "claim"
            and sight.records[str(act.target)].body["relation"] != record.body["relation"]
        ):
            yield from sight.records[str(act.target)].stays[-1].labels


def _meetings(records: Sequence[Recorded]) -> Iterator[Stay]:
    """Where an alias was filed, or was not, as a name was used that something else was known by."""
    for number, record in enumerate(records):
        for known in records[:number]:
            if record.names & known.names:
                yield from (
                    Stay(record.stays[0].labels | stay.labels, record.stays[0].at)
                    for stay in known.held(record.stays[0].at)
                )


def _labels(sight: Sight, viewer: str, customer: str) -> frozenset[Label]:
    mine = [record for record in sight.records.values() if record.customer == customer]
    own = {label for r in mine if r.agent == viewer for stay in r.stays for label in stay.labels}
    labels = sight.ever(viewer, customer) | own
    while True:
        shown = [r for r in mine if any(stay.labels <= labels for stay in r.stays)]
        filed = [r.stays[0] for r in shown] + [stay for stay in _meetings(shown) if stay.labels <= labels]
        late = [stay for stay in filed if not sight.read_by(viewer, stay, customer)]
        shaping = frozenset(label for stay in late for label in sight.behind(stay, customer))
        shaping |= frozenset(label for r in shown for label in _renamed_from(sight, r, mine))
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
        if played.gone.keys() & kept.ids and played.request.who != tale.history.viewer:
            _erased(kept, twin, played)
        ours, theirs = [r for r in played.records if r in kept.ids], twin.since(before)
        if len(ours) != len(theirs):
            theirs = _shown(kept, twin, theirs)
        if len(ours) != len(theirs):
            raise Leak(f"step {number} left {len(ours)} records in sight, and {len(theirs)} in the twin world")
        theirs = _in_order(tale, kept, twin, ours, theirs)
        twin.ids |= dict(zip(ours, theirs, strict=True))
        if ours:
            _meet(tale, twin, ours)
    twin.clock.set(tale.world.clock.now())


def _shown(kept: Kept, twin: World, records: Iterable[str]) -> list[str]:
    """Without the claims that the twin made of what is in sight, and filed out of it, as the first world did."""
    sight = Sight(twin.path, twin.clock.now(), {}).records
    return [one for one in records if sight[one].kind != "claim" or kept.shows(sight[one])]


def _in_order(tale: Tale, kept: Kept, twin: World, ours: Sequence[str], theirs: Sequence[str]) -> list[str]:
    """What was done to turns whose words are struck out, which may have been copied last, where it came first."""
    records = tale.sight().records
    places = {twin.ids[str(records[one].target)]: n for n, one in enumerate(ours) if _upon(kept, records[one])}
    acts = _done_to(twin, theirs, places)
    ordered = [one for one in theirs if one not in acts.values()]
    for target, act in sorted(acts.items(), key=lambda pair: places[pair[0]]):
        ordered.insert(places[target], act)
    return ordered


def _upon(kept: Kept, record: Recorded) -> bool:
    """Whether it was done to a turn whose words are struck out."""
    return record.target in kept.redacted


def _done_to(twin: World, acts: Sequence[str], targets: Collection[str]) -> dict[str, str]:
    """Of these records of the twin, those that act upon one of these, by what they act upon."""
    if not targets or not acts:
        return {}
    records = Sight(twin.path, twin.clock.now(), {}).records
    return {str(records[one].target): one for one in acts if records[one].target in targets}


def _meet(tale: Tale, twin: World, ours: Iterable[str]) -> None:
    """What the records mention is the same thing in both worlds."""
    records, theirs = tale.sight().records, Sight(twin.path, twin.clock.now(), {}).records
    for record in ours:
        for thing, other in zip(records[record].things, theirs[twin.ids[record]].things, strict=False):
            twin.ids.setdefault(thing, other)


def _retold(tale: Tale, kept: Kept, twin: World, played: Played) -> None:
    request = played.request
    if request is None:
        return
    if request.who == tale.history.viewer:
        answer = text_of(twin.perform(request))
        twin.answers.append(answer)
        twin.ids |= dict(zip(recalls_in(text_of(played.outcome)), recalls_in(answer), strict=False))
    elif request.verb in ERASING or request.verb == "ask":
        return
    elif request.verb == "same_as" or _joins_alone(request):
        copy_acts(twin, request, kept, [tale.sight().records[r] for r in played.records if r in kept.ids])
    elif request.verb == "remember":
        if (less := _without(request, played, kept)) is not None:
            twin.perform(less)
    elif request.verb == "feedback":
        copy_feedback(twin, request, [tale.sight().records[r] for r in played.records if r in kept.ids])
    elif "id" in request.args:
        _redone(tale, kept, twin, played, request)
    else:
        twin.perform(request)


def _joins_alone(request: Request) -> bool:
    """Whether names are joined and nothing else is said: which things they mean, only whoever joins them can tell."""
    facts = request.args.get("facts") or ()
    joins = {fact["relation"] == SAME_AS for fact in facts}
    return request.verb == "remember" and joins == {True} and request.args["text"] is None


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
    customer = str(request.args["customer"])
    labels = kept.labels[customer]
    shown = [item is not None and item <= labels for item in request.items]
    if isinstance(played.outcome, HubError):
        culprit = (played.outcome.where or "").split(".")
        hidden = len(culprit) > 1 and not kept.could_read(request.items[int(culprit[1])], played.at, customer)
        return [False] * len(shown) if hidden else shown
    refused = {refusal.index for refusal in played.outcome.refused}
    ids = iter(receipt.id for receipt in played.outcome.facts)
    return [shown[i] if i in refused else next(ids) in kept.ids for i in range(len(shown))]


def _redone(tale: Tale, kept: Kept, twin: World, played: Played, request: Request) -> None:
    """An act upon something: as it was if that is in sight, else those of its acts that are."""
    ours = [record for record in played.records if record in kept.ids]
    acts = [tale.sight().records[record] for record in ours]
    if request.verb in DECIDING and (not ours or len(ours) != len(played.records)):
        copy_acts(twin, request, kept, acts)
    elif _other_sides(kept, twin, played) and _decided_for_readers(kept, twin, request, acts):
        return
    elif request.args["id"] in kept.ids and (len(ours) == len(played.records) or request.verb not in CLAIMING):
        _performed(kept, twin, request, acts)
    elif ours:
        records = {**tale.sight().records, **tale.before}  # with the reasons that an erasure has taken since
        copy_acts(twin, request, kept, [_for_readers(records[record], played, kept) for record in ours])


def _for_readers(act: Recorded, played: Played, kept: Kept) -> Recorded:
    """Why something was corrected speaks of what it was corrected to, and is for those to read who read that."""
    hidden = played.request.verb == "correct" and not kept.ids.issuperset(played.records)
    return replace(act, body={**act.body, "reason": None}) if hidden else act


def _performed(kept: Kept, twin: World, request: Request, ours: Sequence[Recorded]) -> None:
    """Does it again; what came to a turn whose words are struck out, by way of something hidden, comes to it too."""
    before, upon = twin.seq(), [act for act in ours if _upon(kept, act)]
    twin.perform(request)
    done = _done_to(twin, twin.since(before), {twin.ids[str(act.target)] for act in upon})
    copy_acts(twin, request, kept, [act for act in upon if twin.ids[str(act.target)] not in done])


Sides = frozenset[frozenset[str]]


def sides_seen(world: World, request: Request) -> Sides:
    """The claims of each side that an operator who decides about a fact sees contested."""
    view = world.hub._door.inspect(request.who, ALICE, act=Act.DECIDE)
    claim = view.claim(str(world.meant(request.args["id"])))
    if claim is None or not view.living(claim):
        return frozenset()
    key = view.slot_of(claim)
    found = (one for one in _contested(view, [key]) if one.side(view.slot(key).key(claim)) is not None)
    return frozenset(frozenset(c.id for c in side.claims) for one in islice(found, 1) for side in one.sides)


def _other_sides(kept: Kept, twin: World, played: Played) -> bool:
    """Whether the operator, who knows more than those it decides for, sees another contest in the twin, or none."""
    ours = frozenset(frozenset(twin.ids[c] for c in side if c in kept.ids) for side in played.sides)
    return bool(played.sides) and ours != sides_seen(twin, played.request)


def _decided_for_readers(kept: Kept, twin: World, request: Request, acts: Sequence[Recorded]) -> bool:
    """Files the same decision, if it is about what is at odds, in the twin, in all that all its readers know."""
    with suppress(_NotAtOdds), twin.hub._door.admit(request.who, ALICE, act=Act.DECIDE) as desk:
        for act in acts:
            claim = desk.view.claim(twin.ids.get(str(act.target or request.args["id"]), GHOST))
            if claim is None or not _at_odds(desk.cut(filing_of(act)), [claim]):
                raise _NotAtOdds
        _copy(desk, twin, request, kept, acts)
        return True
    return False


class _NotAtOdds(Exception):
    """Nothing is decided, and the clock stays where it is."""


def filing_of(record: Recorded) -> frozenset[HubLabel]:
    """Where it was filed first, as the hub has it."""
    return frozenset(HubLabel(o, t, Scope(s), r) for o, t, s, r in record.stays[0].labels)


def _erased(kept: Kept, twin: World, played: Played) -> None:
    """Leaves the same gaps, those of one value with one token, in place of an erasure that took hidden records too."""
    tokens: dict[str, str] = {}
    twin.hub.flush()
    with twin.hub._door.admit(ADMIN, ALICE, act=Act.ERASE) as desk:
        gaps = []
        for record, token in played.gone.items():
            if record in kept.ids:
                row = desk.view.row(twin.ids[record])
                gaps.append(_gap(row.record, "" if token is None else tokens.setdefault(token, desk.new_id("gap"))))
        desk.erase(gaps)


def copy_acts(twin: World, request: Request, kept: Kept, acts: Sequence[Recorded]) -> None:
    """Files the same acts, if there are any, all at once, in place of a request that spoke of something hidden.

    A turn whose words are struck out may be filed for more to read: what was done to it goes along.
    """
    if not acts:  # as where whoever asked was not at work any more
        return
    with twin.hub._door.admit(request.who, acts[0].customer, act=_HERE_FOR.get(request.verb, Act.READ)) as desk:
        _copy(desk, twin, request, kept, acts)


def _copy(desk: Desk, twin: World, request: Request, kept: Kept, acts: Sequence[Recorded]) -> None:
    for act in acts:
        body = {**act.body, "seq": desk.next_seq()}
        if act.kind == "claim" and (act.body.get("settles") or request.verb in ("same_as", "remember")):
            record = _decided(twin, {**body, "id": desk.new_id("fact")})
        elif act.kind not in _ACTS:
            raise Leak(f"what became of something hidden can be read: {act.body}")
        else:
            told = {**body, "id": desk.new_id("act"), "target": twin.ids[act.target]}
            record = msgspec.convert(told, _ACTS[act.kind])
        desk.file(record, desk.filing_of(record.target) if _upon(kept, act) else filing_of(act))


def copy_feedback(twin: World, request: Request, said: Sequence[Recorded]) -> None:
    """Files what somebody else said of an answer that is not given in the twin."""
    for one in said:
        with twin.hub._door.admit(request.who, ALICE) as desk:
            cited = [twin.ids.get(memory, memory) for memory in one.body["cited"]]
            told = {**one.body, "seq": desk.next_seq(), "recorded_at": desk.now, "cited": cited}
            record = msgspec.convert({**told, "id": desk.new_id("feedback")}, Feedback)
            desk.file(record, frozenset({desk.feedback_label}))


def _decided(twin: World, body: dict[str, object]) -> Claim:
    """What somebody decided about things that are called otherwise in the twin."""
    things = {role: body.get(role) for role in ("subject", "obj")}
    same = {role: {**thing, "id": twin.ids.get(thing["id"], thing["id"])} for role, thing in things.items() if thing}
    return msgspec.convert({**body, **same}, Claim)
