"""Every road by which a viewer can ask, and everything a view holds, as text that can be compared byte for byte."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import partial

from hub.codec import encode, replaced
from hub.errors import HubError
from hub.facts import Belief, Claim, Record, Turn, Viewer
from hub.hub import Agent, Hub
from hub.hub.points import point
from hub.requests import Page, checked
from hub.vectors import Meant
from hub.view import View

WORDS = ("coffee", "tea", "hanoi", "hue", "civic", "car", "my car", "likes")
MOST_PAGES = 6
_ID = re.compile(r"\b(?:fact|turn|feedback|passage|ent|act|recall|consent|erase)_[0-9a-f]{24}\b")
_DIGEST = re.compile(r'"digest":"[0-9a-f]{64}"')  # of an answer, whose ids differ


def canonical(answers: Iterable[str]) -> list[str]:
    """The answers with ids numbered in the order in which they are first seen."""
    seen: dict[str, str] = {}
    return [
        _ID.sub(lambda m: seen.setdefault(m[0], f"<{m[0].split('_')[0]} {len(seen)}>"), _DIGEST.sub("<digest>", text))
        for text in answers
    ]


def text_of(answer: object) -> str:
    """An answer or an error, as bytes would have it."""
    if isinstance(answer, str):
        return answer
    if isinstance(answer, HubError):
        return f"{type(answer).__name__} {answer.code} at {answer.where}: {answer.message}. {answer.fix}"
    return encode(answer).decode()


def asked(hub: Hub, viewer: str, args: dict[str, object]) -> str:
    """The answer of one road, errors included; `args` hold the road, a point in both times and a few words."""
    road = ROADS[str(args["road"])]
    try:
        return road(hub, viewer, args)
    except HubError as error:
        return text_of(error)


def _common(args: dict[str, object]) -> dict[str, object]:
    return {**args["point"], "purpose": args["purpose"]}


def looked(hub: Hub, viewer: Viewer | str, args: dict[str, object]) -> View:
    page = checked(Page, {**_common(args), "customer": args["customer"]})
    return hub._door.look(viewer, page.customer, point(page, hub._door.now()), page.purpose)


def _view(hub: Hub, viewer: str, args: dict[str, object]) -> str:
    view = looked(hub, viewer, args)
    return "\n".join([*dump(view), *_near(view, hub._meaning.of(view, f"likes: {args['word']}"))])


def _near(view: View, meant: Meant) -> Iterator[str]:
    """What is near a query in meaning, bit by bit, whatever recall makes of that."""
    for number, cosine in view.similar(meant.steps or b"").best(100):
        yield f"near {view.base.rows[number].record.id} {cosine.hex()}"


def _recall(hub: Hub, viewer: str, args: dict[str, object]) -> str:
    limit = int(args["limit"])
    agent = hub.agent(viewer, str(args["customer"]))
    return text_of(agent.recall(str(args["word"]), limit=limit, explain=True, include_past=limit != 1, **_common(args)))


def _pages(ask: Callable[..., object], args: dict[str, object]) -> Iterator[str]:
    cursor = None
    for _ in range(MOST_PAGES):
        answer = ask(limit=args["limit"], cursor=cursor, **({} if cursor else args["point"]), purpose=args["purpose"])
        yield text_of(answer)
        cursor = answer.next
        if cursor is None:
            return


def _profile(hub: Hub, viewer: str, args: dict[str, object]) -> str:
    return "\n".join(_pages(hub.agent(viewer, str(args["customer"])).profile, args))


def _timeline(hub: Hub, viewer: str, args: dict[str, object]) -> str:
    agent = hub.agent(viewer, str(args["customer"]))
    narrowed = {"coffee": {}, "tea": {"relation": "likes"}}.get(str(args["word"]), {"subject": "my car"})
    return "\n".join(_pages(lambda **asked: agent.timeline(**narrowed, **asked), args))


def _graph(hub: Hub, viewer: str, args: dict[str, object]) -> str:
    root = {"coffee": None, "tea": "Civic"}.get(str(args["word"]), "my car")
    hops = None if root is None else int(args["limit"])
    return text_of(hub.agent(viewer, str(args["customer"])).graph(root=root, hops=hops, **_common(args)))


def _fact(hub: Hub, viewer: str, args: dict[str, object]) -> str:
    return text_of(hub.agent(viewer).fact(str(args["id"]), **_common(args)))


def _history(hub: Hub, viewer: str, args: dict[str, object]) -> str:
    return text_of(hub.agent(viewer).history(str(args["id"]), **_common(args)))


def _why(hub: Hub, viewer: str, args: dict[str, object]) -> str:
    agent, limit = hub.agent(viewer, str(args["customer"])), int(args["limit"])
    return text_of(agent.why_now(str(args["word"]), limit=limit, include_past=limit != 1, **_common(args)))


def _why_not(hub: Hub, viewer: str, args: dict[str, object]) -> str:
    """By words, and by the id of something."""
    agent, limit = hub.agent(viewer, str(args["customer"])), int(args["limit"])
    wanted = ("coffee", str(args["id"]))
    return _each(partial(agent.why_not_now, str(args["word"]), text, limit=limit, **_common(args)) for text in wanted)


def _again(hub: Hub, viewer: str, args: dict[str, object]) -> str:
    """A recall of before: what was asked, its answer once more, and why that was so."""
    agent, recall = hub.agent(viewer, str(args["customer"])), str(args["id"])
    looked = (agent.recalled_before, agent.replay, agent.why)
    return _each([*(partial(look, recall) for look in looked), partial(agent.why_not, recall, "coffee")])


def _replay(hub: Hub, viewer: str, args: dict[str, object]) -> str:
    return text_of(hub.agent(viewer, str(args["customer"])).replay(str(args["id"])))


def _token(hub: Hub, viewer: str, args: dict[str, object]) -> str:
    """By a key for this customer and purpose alone."""
    customer = str(args["customer"])
    token = hub.agent(viewer, customer).token(purpose=args["purpose"])
    bearer = hub.authenticate(token.token)
    told = [text_of(replace(token, token="…")), text_of(bearer.me()), text_of(bearer.profile(**_common(args)))]
    other = _each([partial(bearer.profile, customer="bob"), partial(bearer.recall, str(args["word"]), **_common(args))])
    return "\n".join([*told, other])


def behalf(hub: Hub, viewer: str, args: dict[str, object]) -> Agent:
    """The viewer at work for another agent."""
    customer = str(args["customer"])
    other = hub.agent(str(args["id"]), customer).token(purpose=args["purpose"])
    return hub.agent(viewer, customer).on_behalf_of(other.token)


def _deputy(hub: Hub, viewer: str, args: dict[str, object]) -> str:
    deputy = behalf(hub, viewer, args)
    asked = partial(deputy.recall, str(args["word"]), explain=True, **_common(args))
    return "\n".join([*dump(looked(hub, deputy.viewer, args)), _each([deputy.me, asked])])


def _consents(hub: Hub, viewer: str, args: dict[str, object]) -> str:
    return text_of(hub.operator(viewer).consents(str(args["customer"])))


def _tries(hub: Hub, viewer: str, args: dict[str, object]) -> str:
    """What only auditors may ask, of whatever is named."""
    operator, customer, named = hub.operator(viewer), str(args["customer"]), str(args["id"])
    return _each(
        [
            partial(operator.why_now, agent=viewer, customer=customer, query="coffee"),
            partial(operator.why_not_now, "coffee", named, agent=viewer, customer=customer),
            partial(operator.beliefs, customer, viewer),
            partial(operator.compare, customer, viewer, "mia"),
            partial(operator.policy_diff, policy="p, *, *, *, *, read, *, allow", customer=customer),
            partial(operator.replay, named),
            partial(operator.audit, customer=customer),
            operator.policies,
        ]
    )


def _looks(hub: Hub, viewer: str, args: dict[str, object]) -> str:
    """What an auditor sees through an agent's eyes."""
    operator, customer, agent = hub.operator(viewer), str(args["customer"]), str(args["id"])
    asked = {"agent": agent, "customer": customer, "query": str(args["word"]), **_common(args)}
    return _each([partial(operator.beliefs, customer, agent, **_common(args)), partial(operator.why_now, **asked)])


def _audits(hub: Hub, viewer: str, args: dict[str, object]) -> str:
    """What an auditor hears of an agent from outside."""
    operator, customer, agent = hub.operator(viewer), str(args["customer"]), str(args["id"])
    asked = {"agent": agent, "customer": customer, "query": str(args["word"]), **_common(args)}
    against = [partial(operator.compare, customer, agent, "mia", **_common(args))]
    if not args["point"]:  # a policy is tried out label by label, which takes a while
        policy = "p, told, *, *, *, read, *, allow\n"
        against.append(partial(operator.policy_diff, policy=policy, agents=[agent], customer=customer))
    return _each([*(partial(operator.why_not_now, text=text, **asked) for text in ("coffee", "Hanoi")), *against])


def _reruns(hub: Hub, viewer: str, args: dict[str, object]) -> str:
    """What an auditor hears of a recall that was kept."""
    operator, recall = hub.operator(viewer), str(args["id"])
    asks = [partial(ask, recall) for ask in (operator.replay, operator.why)]
    return _each([*asks, partial(operator.why_not, recall, "coffee")])


def _each(asks: Iterable[Callable[[], object]]) -> str:
    """An answer a line, errors included."""
    return "\n".join(map(_answered, asks))


def _answered(ask: Callable[[], object]) -> str:
    try:
        return text_of(ask())
    except HubError as error:
        return text_of(error)


def _eyes(hub: Hub, viewer: str, args: dict[str, object]) -> str:
    return text_of(hub.operator().beliefs(str(args["customer"]), viewer, **_common(args)))


ROADS = {
    "view": _view,
    "recall": _recall,
    "profile": _profile,
    "timeline": _timeline,
    "graph": _graph,
    "fact": _fact,
    "history": _history,
    "why": _why,
    "why_not": _why_not,
    "again": _again,
    "replay": _replay,
    "token": _token,
    "deputy": _deputy,
    "consents": _consents,
    "tries": _tries,
    "eyes": _eyes,
    "looks": _looks,
    "audits": _audits,
    "reruns": _reruns,
}


# --- everything a view holds -------------------------------------------------------------------------------------


def dump(view: View) -> Iterator[str]:
    """One line each: rows, entities, names, slots with all that is believed in them, turns."""
    yield f"at {view.valid_at} known {view.known_at}"
    for row in view.all_rows():
        yield f"row {row.at} {_plain(row.record)} under {encode(sorted(row.filing)).decode()}"
        yield f"  {_standing(view, row.record)}"
    for entity in view.entities():
        yield f"entity {encode(entity).decode()} of {sorted(view.members(entity.id)[1:], key=_first(view))}"
        yield f"  object of {[str(key) for key in view.about(entity.id)]}"
    for word in WORDS:
        yield f"named {word}: {view.named(word)}, called: {[row.record.id for row in view.called(word)]}"
    for key in view.slots():
        yield f"slot {key}: {_belief(view.believe(key))}"
        yield from (f"  {name} {_belief(b)}" for name in ("history", "stretches") for b in getattr(view, name)(key))
    yield from (f"turn {turn.id} outdated {view.outdated(turn)}" for turn in view.turns())


def _first(view: View) -> Callable[[str], int]:
    """Members of a class in an order that does not lean on random ids."""
    order: dict[str, int] = {}
    for entity in view.mentioned():
        order.setdefault(entity.id, len(order))
    return lambda entity: order.get(entity, -1)


def _plain(record: Record) -> str:
    return f"{type(record).__name__} {encode(replaced(record, seq=0)).decode()}"


def _standing(view: View, record: Record) -> str:
    claim = isinstance(record, Claim) and record.relation != "same_as"
    return (
        f"living {view.living(record)} forgotten {view.forgotten(record)} owner {view.owner_of(record)} "
        f"believed {view.believed(record) if claim else '-'} "
        f"standing {view.standing(record) if isinstance(record, Turn) else '-'}"
    )


def _belief(belief: Belief | None) -> str:
    if belief is None:
        return "-"
    return (
        f"{belief.claim.id} won by {belief.winner.id} {belief.interval} {belief.status} "
        f"by {belief.superseded_by} against {[c.id for c in belief.contested]} {belief.against_none} "
        f"until {belief.expires} on {[c.id for c in belief.support]}"
    )
