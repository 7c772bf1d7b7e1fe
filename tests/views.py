"""Builds views by hand, as the door would: a notebook of rows, looked at from any point in either time."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path

from hub.facts import (
    Author,
    Claim,
    Described,
    Entity,
    Filing,
    Hide,
    Instant,
    Interval,
    Label,
    Mode,
    Record,
    Scope,
    Turn,
    Value,
    Withdraw,
)
from hub.moments import DAY, instant
from hub.registry import Registry
from hub.view import THE_CUSTOMER, Base, Row, View

POLICIES = Path(__file__).parent.parent / "policies"
SHIPPED = Registry.read(
    (POLICIES / "relations.yaml").read_text(encoding="utf-8"),
    "relations.yaml",
    (POLICIES / "words.yaml").read_text(encoding="utf-8"),
)
START = instant("2026-07-01T09:00:00Z")
DOMAINS = {
    "mia": "personal",
    "kai": "repair",
    "atlas": "travel",
    "sage": "health",
    "penny": "finance",
    "nova": "shopping",
}
LATER = 1_000 * 365 * DAY


def thing(name: str, kind: str = "thing", id: str | None = None) -> Entity:
    return Entity(id or "ent_" + name.replace(" ", "_"), kind, name)


class Notebook:
    """One customer's rows. Every record comes one second after the one before, unless `at` says when.

    Records are said when they are recorded, filed under one label, and returned, so that later ones can name them.
    """

    def __init__(self, registry: Registry = SHIPPED, rows: Iterable[Row] = ()) -> None:
        self.registry = registry
        self.rows: list[Row] = list(rows)
        self.now = START

    def wait(self, length: int) -> None:
        self.now += length

    def told(
        self,
        agent: str,
        relation: str,
        content: Value | Entity | None = None,
        *,
        about: Entity = THE_CUSTOMER,
        scope: Scope | None = None,
        since: Instant | None = None,
        until: Instant | None = None,
        mode: Mode = Mode.STATE,
        negated: bool = False,
        on: Described | None = None,
        source: Turn | None = None,
        lang: str = "en",
        importance: float = 0.5,
        pinned: bool = False,
        confidence: float = 0.8,
    ) -> Claim:
        number, at, author = self._next(agent)
        entity = isinstance(content, Entity)
        claim = Claim(
            id=f"fact_{number:06}",
            seq=number,
            recorded_at=at,
            author=author,
            subject=about,
            relation=relation,
            value=None if entity else content,
            obj=content if entity else None,
            negated=negated,
            interval=Interval(at if since is None else since, until),
            start_given=since is not None,
            end_given=until is not None,
            mode=mode,
            mode_given=mode is not Mode.STATE,
            on=on,
            importance=importance,
            pinned=pinned,
            confidence=confidence,
            sources=() if source is None else (source.id,),
            lang=lang,
            said_at=at,
        )
        rule = self.registry.of(relation, author.domain)
        self._file(claim, frozenset({Label(rule.owner, author.domain, scope or rule.scope, relation)}))
        return claim

    def said(self, agent: str, text: str, *, lang: str = "en", session: str | None = None) -> Turn:
        number, at, author = self._next(agent)
        turn = Turn(
            id=f"turn_{number:06}",
            seq=number,
            recorded_at=at,
            author=author,
            role="user",
            text=text,
            session=session,
            lang=lang,
            said_at=at,
        )
        self._file(turn, frozenset({Label(author.domain, author.domain, Scope.PRIVATE, "turn")}))
        return turn

    def withdraw(self, agent: str, record: Record) -> Withdraw:
        return self._act(Withdraw, agent, record)

    def hide(self, agent: str, record: Record) -> Hide:
        return self._act(Hide, agent, record)

    def view(
        self,
        valid_at: Instant | None = None,
        known_at: Instant | None = None,
        sees: Callable[[Filing], bool] | None = None,
        base: Base | None = None,
    ) -> View:
        """All that is in the notebook, as it stands now; `sees` hides filings from the past."""
        return View(
            base or self.base(),
            snapshot=max((row.seq for row in self.rows), default=0),
            valid_at=self.now if valid_at is None else valid_at,
            known_at=known_at,
            registry=self.registry,
            sees=sees,
        )

    def as_of(self, at: Instant, sees: Callable[[Filing], bool] | None = None, base: Base | None = None) -> View:
        return self.view(at, at, sees, base)

    def base(self, base: Base | None = None) -> Base:
        """A base with every row; one that is given is brought up to date."""
        base = base or Base(self.registry)
        for row in self.rows[len(base.rows) :]:
            base.append(row)
        return base

    def seen_by(self, domain: str) -> Notebook:
        """The notebook without what the shipped policy keeps from a domain, purposes aside."""
        rows = [row for row in self.rows if all(_readable(label, domain) for label in row.filing)]
        book = Notebook(self.registry, rows)
        book.now = self.now
        return book

    def _next(self, agent: str) -> tuple[int, Instant, Author]:
        self.now += 1_000_000
        return len(self.rows) + 1, self.now, Author(agent, DOMAINS[agent])

    def _act(self, kind: type[Withdraw] | type[Hide], agent: str, record: Record) -> Withdraw | Hide:
        number, at, author = self._next(agent)
        act = kind(id=f"act_{number:06}", seq=number, recorded_at=at, author=author, target=record.id)
        self._file(act, next(row.filing for row in self.rows if row.record.id == record.id))
        return act

    def _file(self, record: Record, filing: Filing) -> None:
        self.rows.append(Row(record, filing, record.recorded_at, record.seq))


def _readable(label: Label, domain: str) -> bool:
    return label.scope is not Scope.PRIVATE or domain in (label.owner, label.told)
