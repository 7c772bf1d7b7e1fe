"""Random histories of several agents around one customer, made so that what is hidden collides with what is seen."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from tests.sources import ROOT

T = TypeVar("T")

ALICE, BOB = "alice", "bob"
"""The customer asked about, and one whom the viewer does not serve."""

AGENTS = {
    "mia": "personal",
    "atlas": "travel",
    "iris": "travel",
    "sage": "health",
    "penny": "finance",
    "zed": "garden",
    "vera": "audit",
}
"""Agent -> home; `garden` is granted nothing, and no line names it. `vera` looks into things, and no further."""

AUDITOR = "vera"
AUDITED = ("company", "personal", "travel")
"""Whose labels the auditor may inspect, by whatever policy."""

VIEWERS = ("atlas", "mia", "zed")
PURPOSES = ("meal", "booking")
ADMIN = "admin"
THINGS = ("Civic", "my car")

RELATIONS = """
classes: {lasting: never, fading: 30d}
trust: {personal: 0.8, travel: 0.5, health: 0.9}
relations:
  likes: {owner: personal, cardinality: many, scope: shared, class: fading, opposite: dislikes, core: true}
  dislikes: {owner: personal, cardinality: many, scope: shared, class: fading, opposite: likes}
  lives_in: {owner: personal, cardinality: one, scope: shared, class: lasting, arbitration: trust, kind: city}
  diet: {owner: personal, cardinality: one, scope: shared, class: lasting, arbitration: review}
  time_zone: {owner: personal, cardinality: one, scope: shared, class: lasting}
  trip: {owner: travel, cardinality: one, scope: shared, class: fading, ttl: 30d, kind: city}
  income: {owner: finance, cardinality: one, class: lasting, arbitration: owner}
  allergic_to: {owner: health, cardinality: many, class: lasting}
  owns: {owner: personal, cardinality: many, scope: shared, class: lasting, kind: device}
  fault: {owner: repair, cardinality: many, class: fading}
  grows: {owner: garden, cardinality: many, scope: shared, class: fading}
  soil: {owner: garden, cardinality: one, class: fading}
"""
OWNERS = ("personal", "travel", "health", "finance", "repair", "shopping")

LINES = {
    "travel reads no likes": "p, travel, personal, shared, likes, read, *, deny",
    "travel reads private likes for meals": "p, travel, personal, private, likes, read, meal, allow",
    "mia reads no private likes": "p, agent:mia, personal, private, likes, read, *, deny",
    "atlas reads no homes": "p, agent:atlas, personal, shared, lives_in, read, *, deny",
    "mia reads no private homes": "p, agent:mia, personal, private, lives_in, read, *, deny",
    "garden reads homes": "p, garden, personal, shared, lives_in, read, *, allow",
    "travel books by income": "p, travel, finance, private, income, read, booking, allow",
    "personal reads allergies": "p, personal, health, private, allergic_to, read, *, allow",
    "travel reads no possessions": "p, travel, personal, shared, owns, read, *, deny",
    "nobody reads fears": "p, *, *, *, fear, read, *, deny",
    "iris reads finance": "p, agent:iris, finance, private, *, read, *, allow",
    "iris reads all": "p, agent:iris, *, private, *, read, *, allow",
    "atlas reads nothing private": "p, agent:atlas, *, private, *, read, *, deny",
    "garden shares": "g, garden, shared-reader, *",
    "vera audits all": "g, agent:vera, auditor, *",
    "owners erase": "p, owner, *, *, *, erase, *, allow",
}
"""Lines a policy may have besides the shipped ones."""

NAMED = "owners are named"
"""The policy in which only six owners' labels are named by a line that lets somebody read."""

_BROAD = ("p, owner, *, private, *, read, *, allow", "p, shared-reader, *, shared, *, read, *, allow")


def policy(names: tuple[str, ...]) -> str:
    shipped = (ROOT / "policies" / "policy.csv").read_text(encoding="utf-8").splitlines()
    lines = [line for line in shipped if line and not line.startswith("#")]
    if NAMED in names:
        lines = [line for line in lines if line not in _BROAD]
        lines += [broad.replace("*", owner, 1) for broad in _BROAD for owner in OWNERS]
    lines += [f"g, agent:{AUDITOR}, auditor, {owner}" for owner in AUDITED]
    return "\n".join([*lines, *(LINES[name] for name in names if name != NAMED)]) + "\n"


# --- what may happen ---------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Fact:
    """One explicit fact. Days count from the start; `of`, `supersedes` and `sources` pick from what the agent knows.

    `of`: the subject by id, as a picked record has it, and the thing as the record before that.
    """

    relation: str
    value: object = None
    thing: str | None = None
    subject: str | None = None
    kind: str | None = None
    negated: bool = False
    scope: str | None = None
    since: int | None = None
    until: int | None = None
    on: int | None = None
    mode: str | None = None
    of: int | None = None
    supersedes: int | None = None
    sources: tuple[int, ...] = ()


@dataclass(frozen=True)
class Say:
    who: str
    facts: tuple[Fact, ...]
    text: str | None = None
    said: int | None = None
    purpose: str | None = None
    key: str | None = None
    customer: str = ALICE


@dataclass(frozen=True)
class Do:
    """A verb upon something recorded, counted from the latest that the agent may read (the viewer: from any)."""

    who: str
    verb: str
    pick: int
    value: object = None
    day: int | None = None


@dataclass(frozen=True)
class Cite:
    """Feedback on one of the recalls so far, from the latest: the memory at a place in it helped, or did not."""

    who: str
    pick: int = 0
    place: int = 0
    outcome: str = "helpful"


@dataclass(frozen=True)
class Operate:
    """`verb`: relabel, take_back, unsame, hide, unhide or erase_fact `pick`; accept, reject or edit a side of what is
    contested, or undo that; same_as two `names`; promote, demote or reject_relation a `relation`, or merge_relation it
    `into` another; rate the domain `owner` at `score` in a `relation`; disable the agent `owner`."""

    verb: str
    pick: int = 0
    names: tuple[str, str] = ("Civic", "my car")
    relation: str = "fear"
    scope: str = "shared"
    owner: str | None = None
    arbitration: str | None = None
    existing: bool = False
    into: str = "likes"
    score: float | None = None


@dataclass(frozen=True)
class Agree:
    """The customer grants labels to a domain, or (`objects`) forbids them, from and until these days."""

    domain: str
    owner: str | None = None
    relation: str | None = None
    objects: bool = False
    since: int | None = None
    until: int | None = None


@dataclass(frozen=True)
class Disagree:
    """Takes back one of the consents so far."""

    pick: int


@dataclass(frozen=True)
class Rule:
    lines: tuple[str, ...]


@dataclass(frozen=True)
class Bind:
    who: str
    purposes: tuple[str, ...]
    customers: tuple[str, ...] | None = None


@dataclass(frozen=True)
class Wait:
    days: int


@dataclass(frozen=True)
class Restart:
    """The hub is closed and opened again; its twin is not."""


@dataclass(frozen=True)
class When:
    """A day of valid time, and the commit of a step, or up to a microsecond beside it; None: not given."""

    day: int | None = None
    step: int | None = None
    beside: int = 0
    both: bool = False


@dataclass(frozen=True)
class Ask:
    """The viewer, or `who`, asks: `road`, a point in both times, and what the road is asked with.

    `pick`: a record, one of the recalls so far, or a colleague on whose behalf to look, as the road wants it.
    """

    road: str
    when: When = When()
    word: str = "coffee"
    pick: int = 0
    limit: int = 5
    purpose: str | None = None
    who: str | None = None


Step = Say | Do | Cite | Operate | Agree | Disagree | Rule | Bind | Wait | Restart | Ask


@dataclass(frozen=True)
class History:
    viewer: str
    lines: tuple[str, ...]
    steps: tuple[Step, ...]

    def __repr__(self) -> str:
        steps = "\n".join(f"        {_shown(step)}," for step in self.steps)
        return f"History(\n    {self.viewer!r},\n    {self.lines!r},\n    (\n{steps}\n    ),\n)"


def _shown(step: Step) -> str:
    """As it would be written by hand: defaults left out."""
    if not hasattr(step, "__dataclass_fields__"):
        return repr(step)
    fields = [(name, getattr(step, name), f.default) for name, f in step.__dataclass_fields__.items()]
    said = [f"{name}={_nested(value)}" for name, value, default in fields if value != default]
    return f"{type(step).__name__}({', '.join(said)})"


def _nested(value: object) -> str:
    if isinstance(value, tuple):
        return "(" + "".join(f"{_shown(v)}, " for v in value) + ")"
    return _shown(value)


# --- how they are drawn ------------------------------------------------------------------------------------------

Pick = Callable[[Sequence[T]], T]
"""One of several; what stands there twice is twice as likely."""

_DAYS = (-40, -10, -2, 1, 10)
_MAYBE_DAY = (None, None, None, *_DAYS)
_NARROWER = (None, "private")
_PICKS = range(12)


def _taste(pick: Pick) -> Fact:
    return Fact(
        pick(("likes", "likes", "dislikes")),
        pick(("coffee", "Coffee", "tea")),
        negated=pick((False, False, False, True)),
        scope=pick(_NARROWER),
        since=pick(_MAYBE_DAY),
    )


def _home(pick: Pick) -> Fact:
    mode = pick((None, None, None, "change", "state"))
    return Fact("lives_in", thing=pick(("Hanoi", "Hue")), scope=pick(_NARROWER), since=pick(_MAYBE_DAY), mode=mode)


def _plain(pick: Pick) -> Fact:
    relation = pick(("income", "diet", "allergic_to", "grows", "soil"))
    value = pick(("coffee", 10, "20"))
    negated = pick((False, False, False, True))
    return Fact(relation, value, negated=negated, scope=pick(_NARROWER), since=pick(_MAYBE_DAY))


def _zone(pick: Pick) -> Fact:
    return Fact("time_zone", pick(("Asia/Tokyo", "America/Lima")), scope=pick(_NARROWER), since=-60)


def _trip(pick: Pick) -> Fact:
    return Fact("trip", thing=pick(("Hanoi", "Hue")), scope=pick(_NARROWER), on=pick(_MAYBE_DAY))


def _possession(pick: Pick) -> Fact:
    return Fact("owns", thing=pick(THINGS), kind=pick((None, "car")), scope=pick(_NARROWER))


def _about_things(pick: Pick) -> Fact:
    return Fact(
        pick(("likes", "fear", "fault")),
        pick(("coffee", "tea")),
        subject=pick(THINGS),
        kind=pick((None, None, "car")),
        scope=pick((None, None, "private", "shared")),
    )


def _fear(pick: Pick) -> Fact:
    return Fact("fear", pick(("coffee", "tea")), scope=pick((None, None, "shared")), since=pick(_MAYBE_DAY))


def _alias(pick: Pick) -> Fact:
    negated = pick((False, False, False, True))
    return Fact("same_as", subject="Civic", thing="my car", scope=pick((None, None, "private")), negated=negated)


@dataclass(frozen=True)
class Topic:
    """What is talked about, and the lines of a policy that matter to it."""

    facts: tuple[Callable[[Pick], Fact], ...]
    lines: tuple[str, ...] = ()


_COLLEAGUES = (
    "iris reads all",
    "iris reads all",
    "atlas reads nothing private",
    "garden shares",
    "vera audits all",
    "owners erase",
)
_ON_TASTE = ("travel reads no likes", "travel reads private likes for meals", "mia reads no private likes")
_ON_HOMES = ("atlas reads no homes", "mia reads no private homes", "garden reads homes")
_ON_MONEY = ("travel books by income", "personal reads allergies", "iris reads finance")
_ON_THINGS = ("travel reads no possessions", "nobody reads fears")
_TOPICS = (
    Topic((_taste,), _ON_TASTE),
    Topic((_home,), _ON_HOMES),
    Topic((_home, _zone), _ON_HOMES),
    Topic((_plain,), _ON_MONEY),
    Topic((_plain, _taste), (*_ON_MONEY, *_ON_TASTE)),
    Topic((_trip, _home), _ON_HOMES),
    Topic((_possession, _about_things, _alias), _ON_THINGS),
    Topic((_about_things, _possession), _ON_THINGS),
    Topic((_about_things, _alias), _ON_TASTE),
    Topic((_fear, _about_things), _ON_THINGS),
    Topic((_taste, _zone), _ON_TASTE),
)


def _fact(pick: Pick, topic: Topic) -> Fact:
    fact = pick(topic.facts)(pick)
    alias, rare = fact.relation == "same_as", pick(("", "", "", "", "", "", "sources", "supersedes", "of", "until"))
    if rare == "sources" and not alias:
        return replace(fact, sources=(pick(_PICKS),))
    if rare == "supersedes" and not alias:
        return replace(fact, supersedes=pick(_PICKS))
    if rare == "of":
        return replace(fact, of=pick(_PICKS))
    if rare == "until" and fact.since is not None:
        return replace(fact, until=fact.since + 9)
    one = fact.relation in ("lives_in", "income", "diet", "soil", "fear")
    return replace(fact, value=None, thing=None) if fact.negated and one and pick((False, True)) else fact


def _say(pick: Pick, viewer: str, cast: Sequence[str], topic: Topic) -> Say:
    who = pick(cast)
    return Say(
        who,
        tuple(_fact(pick, topic) for _ in range(pick((1, 1, 2, 3)))),
        text=pick((None, None, "coffee in Hanoi", "my car likes tea")),
        said=pick((None, None, None, -10, -2)),
        purpose=pick((None,) * 9 + ("meal",)),
        key=pick((None, None, None, "k")) if who == viewer else None,
        customer=pick((ALICE,) * 11 + (BOB,)),
    )


def _do(pick: Pick, cast: Sequence[str]) -> Do:
    often = ("retract", "correct", "end", "forget", "forget", "restore") * 2
    verb = pick((*often, "erase", "relabel"))
    return Do(pick(cast), verb, pick(_PICKS), value=pick((None, "coffee", "tea")), day=pick(_MAYBE_DAY))


_OFTEN_OPERATED = ("relabel", "relabel", "promote", "promote", "demote", "take_back", "same_as")


_DECIDED = ("accept", "accept", "edit", "reject", "reject", "undo", "undo")


def _operate(pick: Pick) -> Operate:
    return Operate(
        pick((*_OFTEN_OPERATED * 2, *_DECIDED, "unsame", "hide", "unhide", "erase_fact", "erase_fact", "disable")),
        pick(_PICKS),
        pick((("Civic", "my car"), ("my car", "Hanoi"))),
        scope=pick(("shared", "private")),
        owner=pick((None, None, "personal", "health")),
        arbitration=pick((None, "trust")),
        existing=pick((True, False)),
    )


def _govern(pick: Pick) -> Operate:
    """What becomes of a name nobody registered, and how far whose word counts."""
    if pick((True, False)):
        domain, score = pick(("personal", "travel", "health")), pick((None, 0.1, 0.9))
        return Operate("rate", relation=pick(("lives_in", "lives_in", "fear")), owner=domain, score=score)
    verb = pick(("merge_relation", "merge_relation", "reject_relation"))
    return Operate(verb, into=pick(("likes", "fault", "soil")), existing=pick((True, True, False)))


def _lines(pick: Pick, topic: Topic) -> tuple[str, ...]:
    chosen = {pick((None, *topic.lines)), pick((None, *topic.lines, *_COLLEAGUES)), pick((None, *_COLLEAGUES))} - {None}
    return (*sorted(chosen), *pick(((), (), (), (NAMED,))))


def _agree(pick: Pick) -> Agree:
    since = pick((None, None, None, 1))
    return Agree(
        pick(("travel", "personal", "garden", "*")),
        pick((None, "personal", "health", "finance")),
        pick((None, None, "likes", "allergic_to", "lives_in", "turn")),
        pick((False, False, True)),
        since,
        pick((None, None, 2, 10)),
    )


def _bind(pick: Pick, viewer: str) -> Bind:
    customers = pick(((ALICE,),) * 5 + ((),))
    return Bind(pick((viewer, "atlas")), pick(((), PURPOSES, ("meal",))), customers)


_OFTEN_ASKED = (
    *("view", "view", "recall", "recall", "recall", "profile", "timeline", "graph", "fact", "history", "eyes", "why"),
    "again",
)


def _cite(pick: Pick, cast: Sequence[str]) -> Cite:
    return Cite(pick(cast), pick(range(3)), pick(_PICKS), pick(("helpful", "helpful", "helpful", "wrong")))


def _ask(pick: Pick, cast: Sequence[str]) -> Ask:
    when = When(pick(_MAYBE_DAY), pick((None, *range(16))), pick((0, 0, -1, 1)), pick((True, False)))
    return Ask(
        pick(_OFTEN_ASKED * 2 + ("why_not", "token", "deputy", "consents", "tries")),
        when,
        pick(("coffee", "what does my car like?", "Hanoi", "tea")),
        pick(_PICKS),
        pick((1, 2, 5)),
        pick((None, None, "meal", "booking")),
        pick((None, None, None, *cast[1:])),
    )


def drawn(pick: Pick, longest: int = 16) -> History:
    """A small cast with few subjects, so that they meet, in so many steps or a little less."""
    viewer = pick(VIEWERS)
    cast = (viewer, *(pick(tuple(AGENTS)) for _ in range(3)))
    topic = pick(_TOPICS)
    does: dict[str, Callable[[], Step | None]] = {
        "": lambda: None,
        "say": lambda: _say(pick, viewer, cast, topic),
        "do": lambda: _do(pick, cast),
        "ask": lambda: _ask(pick, cast),
        "cite": lambda: _cite(pick, cast),
        "operate": lambda: _operate(pick),
        "govern": lambda: _govern(pick),
        "agree": lambda: pick((_agree(pick), _agree(pick), Disagree(pick(range(3))))),
        "rule": lambda: Rule(_lines(pick, topic)),
        "bind": lambda: _bind(pick, viewer),
        "break": lambda: pick((Restart(), Wait(1), Wait(35))),
    }
    often = ("", *("say",) * 8, *("do",) * 4, *("ask",) * 4, "cite", "operate", "operate", "operate", "rule", "rule")
    weighted = (*often, "agree", "bind", "break", "govern")
    lines = _lines(pick, topic)
    steps = [does[pick(weighted)]() for _ in range(longest)]
    return History(viewer, lines, (*(step for step in steps if step is not None), Restart()))


def history(seed: int) -> History:
    return drawn(random.Random(seed).choice)


def smaller(history: History) -> Iterator[History]:
    """The same history with less in it: without a step, without a fact, by the plain policy."""
    steps = history.steps
    for number in reversed(range(len(steps))):
        before, step, after = steps[:number], steps[number], steps[number + 1 :]
        yield replace(history, steps=before + after)
        if isinstance(step, Say):
            less = [replace(step, facts=step.facts[:n] + step.facts[n + 1 :]) for n in range(len(step.facts))]
            yield from (replace(history, steps=(*before, one, *after)) for one in less if one.facts)
            if step.text is not None:
                yield replace(history, steps=(*before, replace(step, text=None), *after))
    for line in history.lines:
        yield replace(history, lines=tuple(other for other in history.lines if other != line))
