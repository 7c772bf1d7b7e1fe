"""Hub: one database, its agents and its operators, wired together."""

from __future__ import annotations

import os
import secrets
import tempfile
from collections.abc import Iterable
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from types import TracebackType
from typing import Literal

from hub.clock import SimulatedClock, SystemClock
from hub.door import ROOM, Door, Shelving
from hub.embed import Embedder, chosen
from hub.errors import Conflict, Denied, HubError, Incorrect, Missing
from hub.extract import Asker, Extractor
from hub.facts import Binding, Viewer
from hub.hub.agent import Agent
from hub.hub.cast import DEMO_AGENTS
from hub.hub.checkup import Checkup, checkup
from hub.hub.keys import key_digest
from hub.hub.listening import Listening, chosen_reader
from hub.hub.meaning import Meaning
from hub.hub.operator import Operator
from hub.hub.spelling import AGENTS, no_agent
from hub.hub.tokens import Tokens
from hub.index import Memory, Place, Server
from hub.ledger import Ledger, Version, Visit
from hub.moments import Clock
from hub.policy import Decision, Policy
from hub.registry import Registry
from hub.reindexing import Reindexed, Told, reindexed

__all__ = ["DEMO_AGENTS", "Agent", "Decision", "Hub", "Operator", "shipped", "shipped_words"]

ADMIN = "admin"


def shipped(folder: str) -> Path:
    """A folder that comes with the hub: `policies` or `scenarios`, in a checkout or in an installed package."""
    package = Path(__file__).parent.parent
    installed = package / f"_{folder}"
    return installed if installed.is_dir() else package.parent / folder


def shipped_words() -> str:
    """The word lists of the four languages that come with the hub."""
    return (shipped("policies") / "words.yaml").read_text(encoding="utf-8")


class Hub:
    """Opened on a file, closed again; everything in between is asked of its agents and operators."""

    def __init__(
        self,
        ledger: Ledger,
        words: str,
        *,
        embedder: Embedder | str | None = None,
        extractor: Extractor | Asker | None = None,
        place: Place | None = None,
        room: int | None = None,
        scratch: tempfile.TemporaryDirectory[str] | None = None,
    ) -> None:
        self._ledger = ledger
        self._words = words
        self._scratch = scratch
        known = embedder if embedder is not None and not isinstance(embedder, str) else chosen(embedder)
        self._door = Door(ledger, words, new_id, None if known is None else known.id, _room(room))
        self._meaning = Meaning(known, self._door.texts, own=known is not embedder)
        self._listening = Listening(self._door, ledger, extractor)
        self._door.recorded = self._meaning.follow
        if place is not None and self._meaning.id is not None:
            self._door.shelving = Shelving(place, self._meaning.id, self._door.shelved, self._meaning.settle)

    @classmethod
    def open(
        cls,
        path: str | Path | None = None,
        *,
        policies: str | Path | None = None,
        relations: str | Path | None = None,
        clock: Clock | None = None,
        embedder: Embedder | str | None = None,
        extractor: Extractor | Asker | Literal["configured", "rules"] | None = "configured",
        audit: str | None = None,
        chroma: str | None = None,
        view_cache: int | None = None,
    ) -> Hub:
        """The hub in the SQLite file `path`, made if it is not there; None: a temporary one, gone when closed.

        `policies` is a folder with model.conf, policy.csv and relations.yaml, `relations` another registry file.
        A new database starts with them, or with the shipped ones; an existing one keeps what it has unless they are
        given here and differ: then they become its next version. Raises Fault for a file of another schema.
        `embedder` is one, or the name of one, as `hub.embed.chosen` reads it (default: what HUB_EMBEDDER says, or the
        one that comes with the hub). `extractor` reads what customers say in turns that come without facts: by
        rules, with the model that HUB_MODEL names (the default, if it names one), or as it is told to; None: what is
        said is kept, and nothing is claimed. `audit` (default: what HUB_AUDIT says, or `grouped`): with `strict` no
        answer is given before its line in the audit is on the disk, and none if it can't be. `view_cache` is how many
        megabytes of memory what has been looked at may take up (default: what HUB_VIEW_CACHE says, or 384).
        """
        scratch = tempfile.TemporaryDirectory(prefix="hub-") if path is None else None
        file = Path(scratch.name) / "memory.db" if scratch is not None else Path(path or "")
        words = shipped_words()
        with ExitStack() as undone:
            if scratch is not None:
                undone.callback(scratch.cleanup)
            ledger = Ledger(file, clock or SystemClock(), strict=_strict(audit))
            undone.callback(ledger.close)
            reader = chosen_reader(extractor, words) if isinstance(extractor, str) else extractor
            place = _place(chroma)
            opened = cls(
                ledger, words, embedder=embedder, extractor=reader, place=place, room=view_cache, scratch=scratch
            )
            opened._start(*(None if given is None else Path(given) for given in (policies, relations)))
            opened._meaning.notice()
            undone.pop_all()
        return opened

    def agent(
        self,
        agent_id: str,
        customer: str | None = None,
        *,
        domain: str | None = None,
        customers: Iterable[str] | None = None,
        purposes: Iterable[str] = (),
    ) -> Agent:
        """An agent of this hub, in process, without a key; `domain` creates one the hub does not know yet."""
        binding = self._door.binding(agent_id)
        if binding is None:
            if domain is None:
                message = no_agent(agent_id, self._door).message
                fix = f"{AGENTS}; from Python, say its `domain`, and it will be created"
                raise Denied("unknown_agent", message, fix)
            self.operator().create_agent(agent_id, domain, customers=customers, purposes=purposes)
            binding = self._door.binding(agent_id)
            assert binding is not None, "it has just been made"
        elif domain is not None and domain != binding.domain:
            message = f"`{agent_id}` lives in `{binding.domain}`"
            raise Conflict("agent_exists", message, "leave `domain` out, or choose another id", where="domain")
        return self._agent(binding, customer)

    def operator(self, agent_id: str = ADMIN) -> Operator:
        """The verbs of operators and auditors; the policy says which of them this agent may use."""
        return Operator(self._door, self._ledger, agent_id, self._words, self._meaning, self._listening)

    def authenticate(self, key: str) -> Agent:
        """The agent a key belongs to. Raises Denied `bad_key` for any other, revoked or expired."""
        digest = key_digest(key)
        with self._door.visit("authenticate", quiet=True):
            bearer = self._door.keys.bearer(digest)
            if bearer is None:
                raise Denied("bad_key", "that key opens nothing", "ask an operator for a key")
        return self._agent(bearer.binding, bearer.viewer.customer, bearer.viewer, parent=digest)

    def recognise(self, key: str) -> Agent | None:
        """What `authenticate` would answer, if that is known without waiting for anything; None: ask `authenticate`."""
        digest = key_digest(key)
        bearer = self._door.keys.by_heart(digest)
        if bearer is None:
            return None
        return self._agent(bearer.binding, bearer.viewer.customer, bearer.viewer, parent=digest)

    def note_refusal(self, error: HubError, agent: str | None = None) -> None:
        """A refusal on the way to a verb leaves a line too; what a verb has refused has one already."""
        if isinstance(error, Denied | Missing) and not error.noted:
            error.noted = True
            self._ledger.note(Visit(verb="call", agent=agent, outcome=error.code), wait=False)

    def flush(self) -> None:
        """Waits until all that has been read so far is in the audit."""
        self._ledger.flush()

    @property
    def simulated(self) -> bool:
        """Whether time passes here only when somebody says so."""
        return isinstance(self._ledger.clock, SimulatedClock)

    def ready(self) -> bool:
        """Whether the database answers and a policy is in force."""
        return self._door.rules().version.id > 0

    def faults(self) -> list[str]:
        """What is wrong with the database and its policy; empty if all is sound."""
        found = self._ledger.faults()
        try:
            self._door.rules()
        except HubError as error:
            found.append(str(error))
        return found + ([] if self._door.shelving is None else self._door.shelving.index.faults())

    def warm(self) -> None:
        """Loads a local embedder now, not with the first recall, and begins to embed, and to read, what is left from
        before."""
        self._meaning.warm()
        self._listening.follow()

    def reread(self) -> int:
        """Reads now the turns that could not be read before and are due; how many have been read."""
        return self._listening.again()

    def reindex(self, told: Told = lambda done, all_of_them: None) -> Reindexed | None:
        """Embeds all that is remembered by the embedder of today, lets go of what others have made, and has what the
        company knows indexed anew; the hub answers meanwhile. None if there is no embedder.

        `told` hears how many records have been looked at, and how many there are. Raises Fault if the embedder, the
        disk or the index fails: what has been embedded by then is kept, and need not be embedded again.
        """
        if self._meaning.embedder is None:
            return None
        done = reindexed(self._door.texts, self._meaning.embedder, told)
        if self._door.shelving is not None:
            self._door.shelving.index.scrap()
        self.shelve()
        return done

    def checkup(self) -> Checkup:
        """What is wrong, how complete the vectors are, and what to do. Reads every record."""
        embedder = self._meaning.id
        vectors = None if embedder is None else self._door.texts.counted(embedder)
        return checkup(self._ledger, self.faults(), embedder, vectors)

    def settle(self) -> None:
        """Waits until all that has been recorded so far is embedded. Raises Fault `not_settled` if that fails."""
        self._meaning.settle()

    def shelve(self) -> None:
        """Waits until what the company knows is indexed. Raises Fault `index_failed` if it can't be."""
        if self._door.shelving is not None:
            self._door.shelving.index.settle()

    def close(self) -> None:
        self._listening.close()
        self._meaning.close()
        if self._door.shelving is not None:
            self._door.shelving.index.close()
        self._ledger.close()
        if self._scratch is not None:
            self._scratch.cleanup()

    def __enter__(self) -> Hub:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _agent(self, binding: Binding, customer: str | None, viewer: Viewer | None = None, parent: str = "") -> Agent:
        return Agent(
            self._door,
            viewer or Viewer(agent=binding.agent),
            binding.domain,
            customer,
            tokens=Tokens(self._ledger, self.authenticate, parent),
            listening=self._listening,
            meaning=self._meaning,
        )

    def _start(self, policies: Path | None, relations: Path | None) -> None:
        """Gives a new database its first version and agents, or the given files their place in an existing one."""
        with self._ledger.reading() as reading:
            if reading.latest_version() is not None and policies is None and relations is None:
                return
        opening = Visit(verb="open", agent=None)
        with self._ledger.visit(opening), self._ledger.writing() as writing:  # another process may have been quicker
            current = writing.latest_version()
            wanted = _files(policies or (None if current is not None else shipped("policies")), relations, current)
            Policy.parse(wanted.model, wanted.policy)
            Registry.read(wanted.relations, "relations.yaml", self._words)
            if current is None or replace(wanted, reason=current.reason, author=current.author) != current:
                writing.version(wanted)
            if current is None:
                for agent, (domain, purposes) in DEMO_AGENTS.items():
                    writing.bind(Binding(agent=agent, domain=domain, purposes=purposes, recorded_at=writing.now))
                writing.bind(Binding(agent=ADMIN, domain="operations", recorded_at=writing.now))


def _strict(audit: str | None) -> bool:
    chosen = audit or os.environ.get("HUB_AUDIT") or "grouped"
    if chosen not in ("grouped", "strict"):
        raise Incorrect("bad_audit", f"`{chosen[:40]}` is no way to keep an audit", "say grouped or strict")
    return chosen == "strict"


def _place(chroma: str | None) -> Place:
    """A Chroma server if one is named, else the memory of this process."""
    url = chroma or os.environ.get("HUB_CHROMA_URL")
    return Server(url) if url else Memory()


def _room(megabytes: int | None) -> int:
    told = os.environ.get("HUB_VIEW_CACHE") or str(ROOM) if megabytes is None else str(megabytes)
    if not (told.isascii() and told.isdigit()):
        raise Incorrect("bad_view_cache", f"`{told[:40]}` is no number of megabytes", "say a whole one, such as 384")
    return int(told)


def new_id(kind: str) -> str:
    """Random, so that an id says nothing about how many others there are."""
    return f"{kind}_{secrets.token_hex(12)}"


def _files(policies: Path | None, relations: Path | None, current: Version | None) -> Version:
    wanted = current or Version(model="", policy="", relations="", author="hub", reason="")
    if policies is not None:
        wanted = replace(wanted, model=_text(policies / "model.conf"), policy=_text(policies / "policy.csv"))
        if relations is None:
            relations = policies / "relations.yaml"
    if relations is not None:
        wanted = replace(wanted, relations=_text(relations))
    return replace(wanted, author="hub", reason="opened with these files")


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise Incorrect("unreadable_file", f"`{path.name}` can't be read", "name a folder that holds it") from error
