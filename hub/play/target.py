"""What stories are played against: one fresh system a story, with verbs for its agents and operators."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from typing import Protocol

from hub.facts import Instant
from hub.play.story import Story


class Unable(Exception):
    """The system has nothing to do this with. The step counts as skipped: neither passed nor failed."""


class Session(Protocol):
    """The system while one story is played.

    Agents and operators are objects with methods named and called like those of `hub.hub.Agent` and `Operator` as
    far as the system has such a thing; a method that is not there makes its step a skipped one. Answers are those of
    `hub.answers`, refusals HubErrors. A system whose answers come with headers may have a method `headers`, which gives
    those of the answers since it was called last: private texts are looked for in them too. One that calls agents
    otherwise than their story does has a method `called`, from one name to the other.
    """

    def agent(self, name: str, customer: str) -> object:
        """An agent of the story at work for a customer."""

    def operator(self, name: str) -> object:
        """Whoever has that name, or the admin, as an operator."""

    def customer(self, name: str) -> str:
        """What the system calls a customer of the story."""

    def now(self) -> Instant:
        """What the system's clock says; Unable if nobody can set it."""

    def advance(self, microseconds: int) -> None:
        """Lets time pass, no earlier than it has to."""

    def restart(self) -> None:
        """Ends the system and starts it on what it left behind."""


class Target(Protocol):
    """A kind of system, and where it is."""

    def opened(self, story: Story) -> AbstractContextManager[Session]:
        """A system that knows nothing but the story's agents, and follows its policy."""


def headers(session: Session) -> Mapping[str, str]:
    found: Callable[[], Mapping[str, str]] = getattr(session, "headers", dict)
    return found()


def called(session: Session, name: str) -> str:
    """What the system calls an agent of the story."""
    found: Callable[[str], str] = getattr(session, "called", str)
    return found(name)


def verb(actor: object, name: str) -> Callable[..., object]:
    found: Callable[..., object] | None = getattr(actor, name, None)
    if found is None:
        raise Unable(f"there is no `{name}`")
    return found
