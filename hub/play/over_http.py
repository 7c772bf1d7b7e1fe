"""Hubs behind HTTP to play stories against: those the player serves itself, or any other by its address."""

from __future__ import annotations

import secrets
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack, closing, contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TypeVar

from hub.answers import PolicyVersion, Promoted
from hub.api import served
from hub.client import HubClient, OperatorClient
from hub.client.calls import Call
from hub.clock import SimulatedClock
from hub.errors import Conflict, HubError, Missing
from hub.facts import Instant
from hub.hub import DEMO_AGENTS
from hub.moments import SECOND, from_datetime, rendered
from hub.play.checking import dated
from hub.play.inside import InsideSession, Twin
from hub.play.reference import Asking, Reference
from hub.play.story import OPERATORS, Story
from hub.play.target import Unable


@dataclass(frozen=True, slots=True)
class Served:
    """Hubs that the player opens and serves on a port of this machine, with a simulated clock."""

    policies: Path | None = None

    @contextmanager
    def opened(self, story: Story) -> Iterator[ServedSession]:
        with tempfile.TemporaryDirectory(prefix="play-") as folder:
            inside = InsideSession(
                Path(folder) / "memory.db", SimulatedClock(story.start), story.policy or self.policies
            )
            with closing(inside), closing(ServedSession(inside)) as session:
                session.hire(story.agents, story.purposes)
                yield session


@dataclass(frozen=True, slots=True)
class Remote:
    """A hub that somebody else runs. A story is told under names that are new there; once it is over, its customers are
    erased and its agents disabled, and `left` says of which that could not be done.

    Stories that need a clock, or other rules, are played if it serves with `--simulated-clock`, and skipped if not; the
    rules are put back after each.
    """

    url: str
    admin_key: str
    left: list[str] = field(default_factory=list, compare=False)

    @contextmanager
    def opened(self, story: Story) -> Iterator[RemoteSession]:
        with closing(RemoteSession(self, secrets.token_hex(4))) as session:
            session.begin(story)
            session.hire(story.agents, story.purposes)
            yield session


T = TypeVar("T")

_FILES = {"model": "model.conf", "policy": "policy.csv", "relations": "relations.yaml"}

_MEASURED = frozenset({"content-length", "date"})
"""Headers made of numbers, in which any short text could be by chance."""

NO_ANSWER = "no_answer"
"""The code of the Fault that a client raises where no hub is to be heard."""

_BY_ID = frozenset({"fact", "history", "correct", "retract", "end", "forget", "restore", "erase"})


@dataclass(frozen=True, slots=True)
class AtWork:
    """An agent at work for one customer: what it asks by id, it asks with a token for that customer alone."""

    url: str
    client: HubClient
    heard: Callable[[Mapping[str, str]], object]

    def __getattr__(self, verb: str) -> Callable[..., object]:
        found: Callable[..., object] = getattr(self.client, verb)
        return partial(self._narrowed, verb) if verb in _BY_ID else found

    def _narrowed(self, verb: str, *args: object, **kwargs: object) -> object:
        purpose = kwargs.get("purpose")
        token = self.client.token(purpose=None if purpose is None else str(purpose)).token
        with HubClient(self.url, token, heard=self.heard) as narrowed:
            found: Callable[..., object] = getattr(narrowed, verb)
            return found(*args, **kwargs)


class _Session:
    """Agents by their keys. `tag` is put after the names of agents and customers, so that they are new."""

    operates: type[OperatorClient] = OperatorClient

    def __init__(self, tag: str = "") -> None:
        self._tag = tag
        self._keys: dict[str, str] = {}
        self._headers: dict[str, str] = {}
        self._agents: dict[tuple[str, str], AtWork] = {}
        self._operators: dict[str, OperatorClient] = {}
        self.url = ""
        self.admin_key = ""

    def agent(self, name: str, customer: str) -> AtWork:
        key = (name, self.customer(customer))
        if key not in self._agents:
            client = HubClient(self.url, self._key(name), key[1], heard=self._hear)
            self._agents[key] = AtWork(self.url, client, self._hear)
        return self._agents[key]

    def operator(self, name: str) -> OperatorClient:
        if name not in self._operators:
            self._operators[name] = self.operates(self.url, self._key(name), heard=self._hear)
        return self._operators[name]

    def customer(self, name: str) -> str:
        return self.called(name)

    def headers(self) -> Mapping[str, str]:
        """Those that have come with answers since they were asked for last."""
        heard, self._headers = self._headers, {}
        return heard

    def hire(self, agents: Mapping[str, str], purposes: Mapping[str, tuple[str, ...]]) -> None:
        """Has every agent of a story created, or given a key."""
        operator = self.operator("admin")
        for name, domain in agents.items():
            self._keys[name] = ""  # from here on somebody may be there to be sent away again
            try:
                bound = DEMO_AGENTS[name][1] if name in DEMO_AGENTS else purposes.get(name, ())
                self._keys[name] = operator.create_agent(self.called(name), domain, purposes=bound).key
            except Conflict:
                self._keys[name] = operator.rotate(self.called(name)).key

    def hang_up(self) -> None:
        for agent in self._agents.values():
            agent.client.close()
        for operator in self._operators.values():
            operator.close()
        self._agents.clear()
        self._operators.clear()

    def close(self) -> None:
        self.hang_up()

    def _key(self, name: str) -> str:
        return self.admin_key if name in OPERATORS else self._keys[name]

    def _hear(self, headers: Mapping[str, str]) -> None:
        self._headers |= {name: value for name, value in headers.items() if name not in _MEASURED}

    def called(self, name: str) -> str:
        return f"{name}-{self._tag}" if self._tag else name


class ServedSession(_Session):
    """A hub of this process, asked through its own port."""

    def __init__(self, inside: InsideSession) -> None:
        super().__init__()
        self.admin_key = secrets.token_urlsafe(24)
        self._inside = inside
        self._serving = ExitStack()
        self._serve()

    def now(self) -> Instant:
        return self._inside.now()

    def advance(self, microseconds: int) -> None:
        self._inside.advance(microseconds)

    def reference(self) -> Reference:
        return self._inside.reference()

    def twin(self, asking: Asking) -> AbstractContextManager[Twin]:
        return self._inside.twin(asking)

    def restart(self) -> None:
        self.close()
        self._inside.restart()
        self._serve()

    def close(self) -> None:
        self.hang_up()
        self._serving.close()

    def _serve(self) -> None:
        self.url = f"http://127.0.0.1:{self._serving.enter_context(served(self._inside.hub, self.admin_key))}"


class Guest(OperatorClient):
    """An operator who leaves the rules that hold for everybody as they are."""

    def send(self, call: Call[T]) -> T:
        if call.kind in (Promoted, PolicyVersion) and call.method != "GET":
            raise Unable("it would change the rules for everybody at this hub")
        return super().send(call)


class RemoteSession(_Session):
    """A hub at an address. One whose clock can be set is there to be tried out: there, rules may change for a while."""

    operates: type[OperatorClient] = Guest

    def __init__(self, target: Remote, tag: str) -> None:
        super().__init__(tag)
        self.url, self.admin_key = target.url, target.admin_key
        self._left = target.left
        self._customers: dict[str, None] = {}
        self._rules: PolicyVersion | None = None

    def customer(self, name: str) -> str:
        """Whoever is named may come to be known there."""
        called = self.called(name)
        self._customers[called] = None
        return called

    def close(self) -> None:
        """INVARIANT: what it brought goes with it, however the story ended, or is among what is left."""
        operator = self.operator("admin")
        undoing: list[tuple[str, Callable[[], object]]] = [
            *([] if self._rules is None else [("its rules", partial(_put_back, operator, self._rules))]),
            *((f"the agent {name}", partial(operator.disable, name)) for name in map(self.called, self._keys)),
            *((f"the customer {name}", partial(operator.erase_customer, name)) for name in self._customers),
        ]
        try:
            while undoing and _undone(*undoing[0], self._left):
                del undoing[0]
        finally:
            self._left.extend(name for name, _ in undoing)
            self.hang_up()

    def begin(self, story: Story) -> None:
        """Sets the hub's clock to the story's start, or takes note that it is past that already."""
        try:
            late = max(0, self.now() - story.start)
        except Unable:
            if story.policy is not None:
                raise Unable("it would take another policy, and this hub is not ours") from None
            return
        self.hang_up()
        self.operates = OperatorClient
        if not late:
            self._clock(now=rendered(story.start))
        elif dated(story):
            raise Unable("it names dates, and this hub's clock is past its start")
        self._rules = self.operator("admin").policies()
        if story.policy is not None:
            self._rule(story.policy)

    def now(self) -> Instant:
        return self._clock()

    def advance(self, microseconds: int) -> None:
        self._clock(advance=f"{microseconds // SECOND}s")

    def restart(self) -> None:
        raise Unable("a hub at an address is not ours to restart")

    def _rule(self, folder: Path) -> None:
        texts = {key: (folder / name).read_text(encoding="utf-8") for key, name in _FILES.items()}
        self.operator("admin").replace_policy(**texts, reason="a story's own")

    def _clock(self, now: str | None = None, advance: str | None = None) -> Instant:
        try:
            return from_datetime(self.operator("admin").clock(now=now, advance=advance).now)
        except Missing:
            raise Unable("this hub's clock cannot be set (serve it with --simulated-clock)") from None
        except HubError as error:
            raise Unable(f"this hub's clock cannot be set: {error}") from None


def _undone(name: str, undo: Callable[[], object], left: list[str]) -> bool:
    """Whether it makes sense to go on: where nobody answers, nobody will."""
    try:
        undo()
    except Missing:
        return True  # it never came to be there
    except HubError as error:
        if error.code == NO_ANSWER:
            return False
        left.append(f"{name} ({error.message})")
    return True


def _put_back(operator: OperatorClient, rules: PolicyVersion) -> None:
    """The rules as they were before a story."""
    now = operator.policies()
    for relation in set(now.promotions) - set(rules.promotions):
        operator.demote(relation)
    if (now.model, now.policy, now.relations) != (rules.model, rules.policy, rules.relations):
        operator.replace_policy(
            model=rules.model, policy=rules.policy, relations=rules.relations, reason="as before the story"
        )
