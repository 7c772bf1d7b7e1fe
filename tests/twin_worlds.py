"""A hub on a file of its own, with a clock that a story moves, and the calls that the story makes of it."""

from __future__ import annotations

import atexit
import random
import secrets
import shutil
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import cache, lru_cache
from pathlib import Path
from unittest.mock import patch

from hub.clock import SimulatedClock
from hub.errors import HubError
from hub.hub import Hub, Operator
from hub.policy import Policy
from hub.registry import Amendment, Registry
from tests.sources import ROOT
from tests.twin_histories import ADMIN, AGENTS, ALICE, PURPOSES, RELATIONS, History, policy
from tests.twin_roads import asked
from tests.twin_steps import GHOST, START, STEP, Ref, Request

SCRATCH = Path("/dev/shm") if Path("/dev/shm").is_dir() else None


EMBEDDER = "hashing"
ERASING = ("erase", "erase_fact")


class Leak(AssertionError):
    """The two worlds, or two hubs on one world, did not agree."""


class World:
    """One hub on one file, with a clock that the story moves; or two, as of two processes.

    With `beside`, the viewer and every other agent are at one of the hubs, the operator and the rest at the other.
    """

    def __init__(self, path: Path, history: History, *, beside: bool = False) -> None:
        self.path = path
        self.clock = SimulatedClock(START + STEP)
        self.ids: dict[str, str] | None = None
        shutil.copy(_template(), path)
        self.hub = Hub.open(path, policies=_policies(path.parent, history.lines), clock=self.clock, embedder=EMBEDDER)
        self.hub.operator().bind(history.viewer, customers=[ALICE], purposes=PURPOSES)
        self.answers: list[str] = []
        self._beside = {ADMIN, *list(AGENTS)[::2]} - {history.viewer}
        self.beside = Hub.open(path, clock=self.clock, embedder=EMBEDDER) if beside else None

    def close(self) -> None:
        self.hub.close()
        if self.beside is not None:
            self.beside.close()

    def flush(self) -> None:
        """All that was answered is on the disk, whichever hub was asked."""
        self.hub.flush()
        if self.beside is not None:
            self.beside.flush()

    def reopen(self) -> None:
        self.close()
        self.hub = Hub.open(self.path, clock=self.clock, embedder=EMBEDDER)
        self.beside = None if self.beside is None else Hub.open(self.path, clock=self.clock, embedder=EMBEDDER)

    def another(self, path: Path | None = None) -> Hub:
        """A fresh hub at the same moment: on the same file, with all that was answered written down, or on another."""
        self.flush()
        return Hub.open(path or self.path, clock=SimulatedClock(self.clock.now()), embedder=EMBEDDER)

    def perform(self, request: Request) -> object:
        """The answer, or the error."""
        if request.verb in ERASING:
            self.flush()  # of what is written down later than an erasure less is kept, which none of this is about
        hub = self.beside if self.beside is not None and request.who in self._beside else self.hub
        try:
            return call(hub, request.who, request.verb, self.meant(request.args))
        except HubError as error:
            return error

    def meant(self, value: object) -> object:
        """A request's arguments with this world's ids."""
        match value:
            case Ref():
                return str(value) if self.ids is None else self.ids.get(value, GHOST)
            case dict():
                return {name: self.meant(inner) for name, inner in value.items()}
            case list():
                return [self.meant(inner) for inner in value]
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
            _keys[agent] = hub.operator().rotate(agent).key
    return path


_keys: dict[str, str] = {}


def keys() -> Mapping[str, str]:
    """The keys of the agents, the same in every world."""
    _template()
    return _keys


def _policies(folder: Path, lines: tuple[str, ...]) -> Path:
    """The folder, with a policy and a registry in it."""
    shutil.copy(ROOT / "policies" / "model.conf", folder)
    (folder / "policy.csv").write_text(policy(lines), encoding="utf-8")
    (folder / "relations.yaml").write_text(RELATIONS, encoding="utf-8")
    return folder


_OPERATED = {"hide": "forget", "unhide": "restore", "take_back": "retract", "unsame": "withdraw_same_as"}
"""What an operator does, by names that tell it from what agents do."""


def call(hub: Hub, who: str, verb: str, args: dict[str, object]) -> object:
    rest = {name: value for name, value in args.items() if name not in ("customer", "id")}
    match verb:
        case "remember":
            return hub.agent(who, args["customer"]).remember(**rest)
        case "correct" | "retract" | "end" | "forget" | "restore" | "erase":
            return getattr(hub.agent(who, ALICE), verb)(args["id"], **rest)
        case "feedback":
            return hub.agent(who, ALICE).feedback(**rest)
        case "relabel" | "erase_fact" | "accept" | "reject" | "edit" | "undo":
            return getattr(hub.operator(who), verb)(args["id"], **rest)
        case "hide" | "unhide" | "take_back" | "unsame":
            return getattr(hub.operator(who), _OPERATED[verb])(args["id"], **rest)
        case "consent":
            return hub.operator(who).record_consent(ALICE, **args)
        case "unconsent":
            return _unconsent(hub.operator(who), int(args["pick"]))
        case "same_as":
            return hub.operator(ADMIN).same_as(args["customer"], *args["names"])
        case "rate":
            return hub.operator(ADMIN).rate(args["domain"], args["score"], relation=args["relation"])
        case "promote" | "demote" | "merge_relation" | "reject_relation" | "replace_policy" | "bind" | "disable":
            return getattr(hub.operator(ADMIN), verb)(**args)
        case "ask":
            return asked(hub, who, args)
    raise ValueError(verb)


def _unconsent(operator: Operator, pick: int) -> object:
    """Takes back one of those so far, if there are any."""
    listed = operator.consents(ALICE)
    return operator.withdraw_consent(ALICE, listed[pick % len(listed)].id) if listed else None


# --- what all worlds share ---------------------------------------------------------------------------------------


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
        patch.object(Registry, "with_amendments", _with_amendments),
    ):
        yield


_policy = lru_cache(256)(Policy.parse)
_registry = lru_cache(16)(Registry.read)
_amending = Registry.with_amendments
_amended: dict[tuple[int, tuple[Amendment, ...]], tuple[Registry, Registry]] = {}


def _with_amendments(registry: Registry, amendments: Iterable[Amendment]) -> Registry:
    key = (id(registry), tuple(amendments))
    if key not in _amended:
        _amended[key] = (registry, _amending(registry, key[1]))
    return _amended[key][1]
