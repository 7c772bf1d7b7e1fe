"""What a view holds, as memories: facts and turns written out, entity by entity and stretch by stretch."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from itertools import islice

from hub.answers import AuthorAnswer, Explained, Memory, ProfileEntity, SlotHistory, Step
from hub.codec import replaced
from hub.facts import Author, Belief, Claim, Filing, Scope, Status, Turn, Value
from hub.moments import as_datetime
from hub.registry import plainly
from hub.salience import corroborated
from hub.timeline import sides
from hub.view import SlotKey, View
from hub.view.base import entities_of
from hub.view.finding import as_called, meant

NOTHING = "none"
"""What a slot is said to hold by those who say that it holds nothing."""


# --- one memory --------------------------------------------------------------------------------------------------


def remembered(
    view: View,
    belief: Belief,
    *,
    score: float = 0.0,
    via: tuple[Step, ...] = (),
    explain: Explained | None = None,
) -> Memory:
    """One belief, or one side of a contested one, in the language it was said in."""
    told = _told(view, belief)
    return told if not (score or via or explain) else replaced(told, score=score, via=via, explain=explain)


def _told(view: View, belief: Belief) -> Memory:
    """INVARIANT: it is kept only for the very belief, and where nothing in it depends on more of a view than that."""
    face = _face(view, belief.claim)
    alone = not view.stands() and not view.more
    last = face.told  # looked at once, for another thread may tell the same claim of another belief meanwhile
    if alone and last is not None and last[0] is belief:
        return last[1]
    memory = _made(view, belief, face)
    if alone and face.kept and belief.superseded_by is None:
        face.told = (belief, memory)
    return memory


def _made(view: View, belief: Belief, face: _Face) -> Memory:
    claim, ended_by = face.claim, belief.superseded_by
    return Memory(
        id=claim.id,
        kind="fact",
        text=face.text,
        subject=claim.subject.name,
        subject_id=view.canon(claim.subject.id),
        relation=claim.relation,
        value=said(claim),
        object_id=None if claim.obj is None else view.canon(claim.obj.id),
        on=None if claim.on is None else as_datetime(claim.on.at),
        valid_from=as_datetime(belief.interval.start),
        valid_to=None if belief.interval.end is None else as_datetime(belief.interval.end),
        precision=claim.precision,
        status=belief.status,
        recorded_at=face.recorded_at,
        superseded_by=ended_by if ended_by is None or view.claim(ended_by) is not None else None,
        author=face.author,
        scope=_scope(view, claim.id),
        confidence=confidence(belief),
        corroboration=max(1, len(belief.support)),
        contested_by=contested_by(belief),
        core=face.core,
        expires=None if belief.expires is None else as_datetime(belief.expires),
    )


def heard(
    view: View,
    turn: Turn,
    *,
    score: float = 0.0,
    past: bool = False,
    times: int = 1,
    explain: Explained | None = None,
) -> Memory:
    """One turn, word for word, said so many `times`; `past` if none of what it said is believed any more.

    `superseded_by`: what is believed in place of some of it.
    """
    return Memory(
        id=turn.id,
        kind="turn",
        text=turn.text,
        valid_from=as_datetime(turn.said_at),
        status=Status.PAST if past else Status.CURRENT,
        recorded_at=as_datetime(turn.recorded_at),
        author=_author(turn.author),
        scope=_scope(view, turn.id),
        confidence=1.0,
        superseded_by=_in_place_of(view, turn),
        corroboration=times,
        score=score,
        explain=explain,
    )


def _in_place_of(view: View, turn: Turn) -> str | None:
    for claim in view.claims_of(turn):
        belief = None if view.believed(claim) else view.believe(view.slot_of(claim))
        if belief is not None:
            return belief.claim.id
    return None


@dataclass(slots=True)
class _Face:
    """What shows of a claim wherever it is told; and if `kept`, the belief that it was told for last, as a memory."""

    claim: Claim
    text: str
    recorded_at: datetime
    author: AuthorAnswer
    core: bool
    kept: bool
    told: tuple[Belief, Memory] | None = None


def _face(view: View, claim: Claim) -> _Face:
    """INVARIANT: it is kept only where it depends on the claim and the registry, and on nothing else a view holds."""
    kept = view.kept().faces
    known = kept.get(claim.id)
    if isinstance(known, _Face) and known.claim is claim:
        return known
    unnamed = [thing.id for thing in entities_of(claim) if view.registry.kind_of(thing.name) is not None]
    named = _by_name(view, claim, unnamed) if unnamed else claim
    core = view.relation(named.relation).core
    text, at = view.registry.render(named), as_datetime(named.recorded_at)
    face = _Face(named, text, at, _author(named.author), core, kept=not unnamed and not view.more)
    if face.kept:
        kept[claim.id] = face
    return face


def _by_name(view: View, claim: Claim, unnamed: Iterable[str]) -> Claim:
    """With what things are called, of which it was only said what they are."""
    called = {thing: as_called(view, thing).name for thing in unnamed}
    subject, obj = claim.subject, claim.obj
    return replaced(
        claim,
        subject=replaced(subject, name=called.get(subject.id, subject.name)),
        obj=None if obj is None else replaced(obj, name=called.get(obj.id, obj.name)),
    )


def said(claim: Claim) -> Value | None:
    """The value as it was said; of a thing, its name."""
    return claim.value if claim.obj is None else claim.obj.name


def confidence(belief: Belief) -> float:
    return corroborated([claim.confidence for claim in belief.support])


def contested_by(belief: Belief) -> tuple[str, ...]:
    """The values of the other sides, in words."""
    others = tuple(plainly(said(claim)) for claim in belief.contested)
    return (*others, NOTHING) if belief.against_none else others


def _author(author: Author) -> AuthorAnswer:
    return AuthorAnswer(agent=author.agent, domain=author.domain)


def _scope(view: View, record_id: str) -> Scope:
    row = view.row(record_id)
    return Scope.PRIVATE if row is None else strictest(row.filing)


def strictest(filing: Filing) -> Scope:
    scopes = [label.scope for label in filing]
    return next((scope for scope in (Scope.PRIVATE, Scope.SHARED) if scope in scopes), Scope.GLOBAL)


# --- entity by entity --------------------------------------------------------------------------------------------


def profile(view: View, limit: int, after: int) -> tuple[tuple[ProfileEntity, ...], bool]:
    """What is current and upcoming, by entity, those mentioned first first; and whether more follows.

    `limit` and `after` count memories, so that an entity of which much is known goes on on the next page.
    """
    shown = (belief for subject in view.in_order(list(view.base.relations_of)) for belief in _held(view, subject))
    page = list(islice(shown, after, after + limit + 1))
    by_subject: dict[str, list[Belief]] = {}
    for belief in page[:limit]:
        by_subject.setdefault(view.canon(belief.claim.subject.id), []).append(belief)
    return tuple(_entity(view, beliefs) for beliefs in by_subject.values()), len(page) > limit


def _held(view: View, subject: str) -> list[Belief]:
    """All of one subject that is current or upcoming, each side of what is contested."""
    beliefs = [belief for key in view.slots(subject) for belief in view.stretches(key)]
    return [side for belief in beliefs for side in sides(belief)]


def _entity(view: View, beliefs: list[Belief]) -> ProfileEntity:
    entity = as_called(view, beliefs[0].claim.subject.id)
    told = tuple(remembered(view, belief) for belief in beliefs)
    return ProfileEntity(id=entity.id, kind=entity.kind, name=entity.name, beliefs=told)


# --- stretch by stretch ------------------------------------------------------------------------------------------


def timeline(
    view: View, subject: str | None, relation: str | None, limit: int, after: int
) -> tuple[tuple[SlotHistory, ...], bool]:
    """Every slot, of one subject (by name or id) and one relation if given, with all its stretches; and whether more
    slots follow."""
    subjects: list[str | None] = [None] if subject is None else [*meant(view, subject)]
    keys = [key for one in subjects for key in view.slots(one) if relation is None or key[1] == relation]
    histories = [(key, stretches) for key in keys if (stretches := view.history(key))]
    page = histories[after : after + limit]
    return tuple(_slot(view, key, stretches) for key, stretches in page), len(histories) > after + limit


def _slot(view: View, key: SlotKey, stretches: list[Belief]) -> SlotHistory:
    first = stretches[0].claim
    return SlotHistory(
        subject=as_called(view, key[0]).name,
        relation=key[1],
        value=None if key[2] is None else said(first),
        intervals=tuple(remembered(view, belief) for belief in with_sides(stretches)),
    )


def with_sides(stretches: list[Belief]) -> Iterator[Belief]:
    """The stretches, and beside a contested one the sides that have no stretch of their own."""
    own = {belief.claim.id for belief in stretches}
    for belief in stretches:
        yield belief
        yield from (side for side in sides(belief)[1:] if side.claim.id not in own)
