"""From a step of a history to the call it comes to in the first world: what it picks, and where it must be filed."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime

from hub.errors import HubError
from hub.facts import Instant
from hub.moments import from_datetime, rendered
from tests.reference_clearance import Label, Recorded, Sight
from tests.twin_histories import (
    ADMIN,
    AGENTS,
    ALICE,
    Agree,
    Ask,
    Bind,
    Cite,
    Disagree,
    Do,
    Fact,
    Operate,
    Restart,
    Rule,
    Say,
    Step,
    Wait,
    When,
    policy,
)

_DISABLED = {"personal": "mia", "health": "sage"}
_OPERATED = {"relabel": ("claim",), "erase_fact": ("claim", "turn")}
_CITABLE = re.compile(r'"id":"((?:fact|turn)_[0-9a-f]{24})"')
_RECALL = re.compile(r"\brecall_[0-9a-f]{24}\b")
NAMING = ("fact", "history", "why_not", "tries")
"""Roads that are asked with the id of a record."""

DAY, STEP = 86_400_000_000, 60_000_000
START = from_datetime(datetime(2026, 3, 1, tzinfo=UTC))

REGISTRY = {
    "likes": ("personal", "shared"),
    "dislikes": ("personal", "shared"),
    "lives_in": ("personal", "shared"),
    "diet": ("personal", "shared"),
    "time_zone": ("personal", "shared"),
    "trip": ("travel", "shared"),
    "income": ("finance", "private"),
    "allergic_to": ("health", "private"),
    "owns": ("personal", "shared"),
    "fault": ("repair", "private"),
    "grows": ("garden", "shared"),
    "soil": ("garden", "private"),
}
"""Relation -> (owner, scope); any other belongs to its writer, and is private until promoted."""


NAMES = ("promote", "demote", "merge_relation", "reject_relation")
"""What an operator decides about a name, in place of what was decided before."""

CHOOSING = ("accept", "reject", "edit")
DECIDING = (*CHOOSING, "undo")
"""What an operator does about what it sees contested; in the twin it might see less of that."""


class Ref(str):
    """The id of a record or a thing in the first world."""

    __slots__ = ()


@dataclass(frozen=True)
class Request:
    """One call of a verb. `items`: where each fact of a `remember` must be filed, None where nobody can say.

    `known_at`: the fixed point in recorded time that is asked about, if there is one.
    """

    who: str
    verb: str
    args: dict[str, object]
    items: tuple[frozenset[Label] | None, ...] = ()
    known_at: Instant | None = None


@dataclass(frozen=True)
class Played:
    """A step as it went in the first world, the records it left, oldest first, and those it erased.

    What was erased is named with the token that the gaps of one value share. `sides`: the claims of each that an
    operator decided between.
    """

    request: Request | None
    at: Instant
    outcome: object
    records: list[str]
    gone: dict[str, str | None] = field(default_factory=dict)
    sides: frozenset[frozenset[str]] = frozenset()


Look = Callable[[], Sight]


@dataclass
class Resolver:
    """Knows how far the story has come."""

    viewer: str
    now: Instant = START + STEP
    instants: list[Instant] = field(default_factory=list)
    promoted: dict[str, tuple[str | None, str]] = field(default_factory=dict)
    merged: dict[str, str] = field(default_factory=dict)
    recalls: list[str] = field(default_factory=list)
    answers: dict[str, list[str]] = field(default_factory=dict)
    """What can be cited of a recall."""

    def begin(self, step: Step) -> None:
        self.now += STEP + (step.days * DAY if isinstance(step, Wait) else 0)
        self.instants.append(self.now)

    def request(self, step: Step, look: Look) -> Request | None:
        match step:
            case Say():
                return self._saying(step, look)
            case Do():
                return self._doing(step, look)
            case Cite():
                return self._citing(step)
            case Operate():
                return self._operating(step, look)
            case Ask():
                return self._asking(step, look)
            case Agree():
                return self._agreeing(step)
            case Disagree(pick):
                return Request(ADMIN, "unconsent", {"pick": pick})
            case Rule(lines):
                return Request(ADMIN, "replace_policy", {"policy": policy(lines)})
            case Bind(who, purposes, customers):
                customers = None if customers is None else list(customers)
                return Request(ADMIN, "bind", {"agent_id": who, "purposes": list(purposes), "customers": customers})
            case Wait() | Restart():
                return None

    def note(self, request: Request | None, outcome: object) -> None:
        """Remembers what was promoted, and what was recalled, by whomever."""
        if request is None or isinstance(outcome, HubError):
            return
        if request.verb == "ask" and request.args["road"] != "tries":  # an audit tells of those beside the story too
            if (recalled := recalls_in(str(outcome))) and request.args["road"] == "recall":
                self.answers[recalled[0]] = list(dict.fromkeys(_CITABLE.findall(str(outcome))))
            self.recalls += [Ref(recall) for recall in recalls_in(str(outcome)) if recall not in self.recalls]
        if request.verb in NAMES:
            self.promoted.pop(request.args["relation"], None)
            self.merged.pop(request.args["relation"], None)
        if request.verb == "promote":
            self.promoted[request.args["relation"]] = (request.args["owner"], request.args["scope"])
        if request.verb == "merge_relation":
            self.merged[request.args["relation"]] = request.args["into"]

    def _agreeing(self, agree: Agree) -> Request:
        days = {"valid_from": agree.since, "valid_to": agree.until}
        given = {"domain": agree.domain, "owner": agree.owner, "relation": agree.relation}
        given |= {name: rendered(START + day * DAY)[:10] for name, day in days.items() if day is not None}
        effect = "object" if agree.objects else "grant"
        return Request(ADMIN, "consent", {**given, "effect": effect, "reason": "said so"})

    # --- what agents say -----------------------------------------------------------------------------------------

    def _saying(self, say: Say, look: Look) -> Request:
        made = [self._fact(say, fact, look) for fact in say.facts]
        args = {
            "customer": say.customer,
            "text": say.text,
            "facts": [plain for plain, _ in made],
            "said_at": None if say.said is None else rendered(START + say.said * DAY),
            "purpose": say.purpose,
            "idempotency_key": say.key,
        }
        return Request(say.who, "remember", args, tuple(filing for _, filing in made))

    def _fact(self, say: Say, fact: Fact, look: Look) -> tuple[dict[str, object], frozenset[Label] | None]:
        plain: dict[str, object] = {"relation": fact.relation, "negated": fact.negated}
        plain |= {"value": fact.value, "object": fact.thing, "scope": fact.scope, "mode": fact.mode}
        plain["subject"] = fact.subject if fact.kind is None else {"name": fact.subject, "kind": fact.kind}
        if fact.kind is not None and fact.thing is not None:
            plain |= {"subject": fact.subject, "object": {"name": fact.thing, "kind": fact.kind}}
        if fact.of is not None:
            named = [self._thing(say.who, look(), fact.of + n) for n in range(2)]
            plain |= {"subject": named[0], "object": fact.thing and named[1]}
        days = {"valid_from": fact.since, "valid_to": fact.until, "on": fact.on}
        plain |= {name: rendered(START + day * DAY)[:10] for name, day in days.items() if day is not None}
        filing = frozenset({self._label(say.who, fact)})
        if fact.sources:
            found = [self._picked(say.who, look(), pick, ("claim", "turn")) for pick in fact.sources]
            plain["derived_from"] = [Ref(record.id) for record in found if record is not None]
            filing = filing.union(*(record.labels for record in found if record is not None))
        if fact.supersedes is not None:
            old = self._picked(say.who, look(), fact.supersedes, ("claim",))
            if old is not None and (say.who == self.viewer or old.labels <= filing):
                plain["supersedes"] = Ref(old.id)
        given = {name: value for name, value in plain.items() if value not in (None, False)}
        return given, None if fact.relation == "same_as" else filing

    def _thing(self, who: str, sight: Sight, pick: int) -> dict[str, object] | None:
        """The object of a record, or else its subject, by id."""
        record = self._picked(who, sight, pick, ("claim",))
        if record is None:
            return None
        return {"id": Ref(record.things[-1])} if record.things else None

    def _label(self, who: str, fact: Fact) -> Label:
        home = AGENTS[who]
        name = self.merged.get(fact.relation, fact.relation)
        owner, scope = REGISTRY.get(name) or self.promoted.get(name, (None, "private"))
        return Label(owner or home, home, fact.scope or scope, name)

    # --- what is done to records ---------------------------------------------------------------------------------

    def _doing(self, do: Do, look: Look) -> Request | None:
        kinds = ("claim",) if do.verb in ("correct", "end") else ("claim", "turn", "withdraw", "hide")
        record = self._picked(do.who, look(), do.pick, kinds)
        if record is None:
            return None
        args: dict[str, object] = {"id": Ref(record.id), "reason": f"{do.verb}, as {do.who} was told"}
        day = None if do.day is None else rendered(START + do.day * DAY)[:10]
        if do.verb == "correct":
            args |= {name: value for name, value in (("value", do.value), ("valid_from", day)) if value is not None}
        if do.verb == "end":
            args["at"] = day
        if do.verb == "relabel":
            args["scope"] = "private" if do.value is None else "shared"
        return Request(do.who, do.verb, args)

    def _citing(self, cite: Cite) -> Request | None:
        if not self.answers:
            return None
        recall = list(self.answers)[-1 - cite.pick % len(self.answers)]
        told = self.answers[recall]
        cited = [Ref(told[cite.place % len(told)])] if told else []
        return Request(cite.who, "feedback", {"recall_id": Ref(recall), "cited": cited, "outcome": cite.outcome})

    def _operating(self, step: Operate, look: Look) -> Request | None:
        match step.verb:
            case "same_as":
                return Request(ADMIN, "same_as", {"customer": ALICE, "names": list(step.names)})
            case "promote":
                names = ("relation", "scope", "owner", "arbitration", "existing")
                return Request(ADMIN, "promote", {name: getattr(step, name) for name in names})
            case "demote" | "reject_relation":
                return Request(ADMIN, step.verb, {"relation": step.relation, "existing": step.existing})
            case "merge_relation":
                names = ("relation", "into", "existing")
                return Request(ADMIN, "merge_relation", {name: getattr(step, name) for name in names})
            case "rate":
                return Request(ADMIN, "rate", {"domain": step.owner, "score": step.score, "relation": step.relation})
            case "disable":
                return Request(ADMIN, "disable", {"agent_id": _DISABLED.get(step.owner, "iris")})
        if step.verb in DECIDING:
            record = _decidable(look(), step.verb, step.pick)
        else:
            kinds = _OPERATED.get(step.verb, ("claim", "turn", "withdraw", "hide", "relabel"))
            record = self._picked(ADMIN, look(), step.pick, kinds)
        if record is None:
            return None
        more = {"relabel": {"scope": step.scope, "owner": step.owner}, "edit": {"value": "tea"}}.get(step.verb, {})
        return Request(ADMIN, step.verb, {"id": Ref(record.id), "reason": f"{step.verb}, as asked", **more})

    def _picked(self, who: str, sight: Sight, pick: int, kinds: tuple[str, ...]) -> Recorded | None:
        """Counted from the latest. The viewer and the operator pick from all there is, others from what they read."""
        found = [record for record in sight.records.values() if record.customer == ALICE]
        if who not in (self.viewer, ADMIN):
            found = [record for record, _ in sight.visible(who, ALICE, None, None)]
        found = [record for record in found if record.kind in kinds]
        return found[-1 - pick % len(found)] if found else None

    # --- what the viewer asks ------------------------------------------------------------------------------------

    def _asking(self, ask: Ask, look: Look) -> Request:
        point, known_at = self.point(ask.when)
        who = ask.who or self.viewer
        named = self._named(ask, who, look)
        return question(
            who,
            ask.road,
            point,
            word=ask.word,
            limit=ask.limit,
            purpose=ask.purpose,
            record=named or GHOST,
            known_at=known_at,
        )

    def _named(self, ask: Ask, who: str, look: Look) -> str | None:
        """What a road is asked with, besides a point in time: a record, a recall, or another agent."""
        if ask.road == "again":
            return self.recalls[-1 - ask.pick % len(self.recalls)] if self.recalls else None
        if ask.road == "deputy":
            return list(AGENTS)[ask.pick % len(AGENTS)]
        picked = self._picked(who, look(), ask.pick, ("claim",)) if ask.road in NAMING else None
        return None if picked is None else Ref(picked.id)

    def point(self, when: When) -> tuple[dict[str, object], Instant | None]:
        valid_at = None if when.day is None else START + when.day * DAY
        known_at = None if when.step is None else self.instants[when.step % len(self.instants)] + when.beside
        if when.both and known_at is not None:
            return {"as_of": rendered(known_at)}, known_at
        given = {"valid_at": valid_at, "known_at": known_at}
        point = {name: rendered(at) for name, at in given.items() if at is not None}
        return point, known_at if valid_at is not None else None


def _decidable(sight: Sight, verb: str, pick: int) -> Recorded | None:
    """A claim that another one of its slot contradicts, or what was decided about one; counted from the latest."""
    claims = [r for r in sight.records.values() if r.customer == ALICE and r.kind == "claim"]
    if verb == "undo":
        acts = [r for r in sight.records.values() if r.customer == ALICE and r.body.get("as_operator")]
        found = [*(r for r in claims if r.body.get("settles")), *(r for r in acts if r.kind == "withdraw")]
    else:
        found = [r for r in claims if any(_differ(r.body, other.body) for other in claims)]
    return found[-1 - pick % len(found)] if found else None


def _differ(one: dict[str, object], other: dict[str, object]) -> bool:
    about = ("subject", "relation")
    if one["relation"] not in ("lives_in", "diet", "fear") or any(one[name] != other[name] for name in about):
        return False
    return any(one.get(name) != other.get(name) for name in ("value", "obj"))


GHOST = "fact_" + "0" * 24
"""The id of nothing: what a twin is asked for in place of what it never held."""


def question(
    viewer: str,
    road: str,
    point: dict[str, object],
    *,
    word: str = "coffee",
    limit: int = 100,
    purpose: str | None = None,
    record: str = GHOST,
    known_at: Instant | None = None,
) -> Request:
    args = {"road": road, "point": point, "word": word, "limit": limit, "purpose": purpose, "customer": ALICE}
    return Request(viewer, "ask", {**args, "id": record}, known_at=known_at)


def recalls_in(answer: str) -> list[str]:
    """The ids of the recalls that an answer tells of, each once."""
    return list(dict.fromkeys(_RECALL.findall(answer)))


def questions(
    played: list[Played],
    viewer: str,
    purpose: str | None = None,
    point: dict[str, object] | None = None,
    recalls: Sequence[str] = (),
) -> Iterator[Request]:
    """What a viewer asks at the end of a story: every road, at this point, or at a few in both times."""
    points = list(_points([step.at for step in played])) if point is None else [point]
    for at in points:
        for road in ("view", "timeline", "profile", "graph") if at is points[0] else ("view", "timeline"):
            yield question(viewer, road, at, purpose=purpose)
        for road in ("recall", "why") if at is points[0] else ("recall",):
            yield question(viewer, road, at, word="what does my car like, coffee?", purpose=purpose)
    if purpose is None and not point:  # at a point of the past, an auditor also sees what the viewer read only then
        yield question(viewer, "eyes", points[0])
        yield question(viewer, "consents", points[0])
    records = [record for step in played for record in step.records]
    for record in records[:: max(1, len(records) // 4)]:
        yield question(viewer, "fact", points[0], record=Ref(record), purpose=purpose)
        yield question(viewer, "history", points[-1], record=Ref(record), purpose=purpose)
    for record in records[:: max(1, len(records) // 2)]:
        if point is None:  # asked about a point of the past, an agent also hears of what it knows by now
            yield question(viewer, "why_not", points[-1], record=Ref(record), purpose=purpose)
            yield question(viewer, "why_not", points[0], record=Ref(record), purpose=purpose)
            yield question(viewer, "tries", points[0], record=Ref(record), purpose=purpose)
    for recall in recalls[:: max(1, len(recalls) // 2)]:
        yield question(viewer, "again", points[0], record=recall)


def _points(instants: list[Instant]) -> Iterator[dict[str, object]]:
    """Now; in the middle of the story; long before it as known now; now as known early on."""
    yield {}
    yield {"as_of": rendered(instants[len(instants) // 2])}
    yield {"valid_at": rendered(START - 5 * DAY)}
    yield {"valid_at": rendered(instants[-1]), "known_at": rendered(instants[len(instants) // 3])}
