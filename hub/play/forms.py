"""How each verb is written in a step: its short form, its arguments, and what it needs beside them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from hub.play.story import Verb
from hub.requests import Act, Correct, NewConsent, NewLabel, Page, Point, Promote, Recall, Remember, Request, SameAs

_POINT = ("as_of", "valid_at", "known_at")
_PAGE = (*_POINT, "customer", "purpose", "limit")


@dataclass(frozen=True, slots=True, kw_only=True)
class Form:
    """`short` is the argument that a bare text under the verb stands for; `model` checks the arguments.

    `bare`: the verb alone will do. `of`: it acts upon a record; None: it may. `spoken`: it says which agent acts.
    `named`: what it records can be named with `as`. `built`: there is a part of the hub that plays it.
    """

    keys: tuple[str, ...] = ()
    short: str | None = None
    bare: bool = False
    model: type[Request] | None = None
    of: bool | None = False
    spoken: bool = True
    named: bool = False
    built: bool = True


def _fields(model: type[Request], *more: str) -> tuple[str, ...]:
    return (*model.model_fields, *more)


def _act(model: type[Request] = Act, keys: Iterable[str] = ("reason",)) -> Form:
    return Form(keys=(*keys, "customer"), model=model, of=True, named=True)


def _unbuilt(*keys: str, short: str | None = None, spoken: bool = False) -> Form:
    return Form(keys=keys, short=short, spoken=spoken, built=False)


_SAYING = Form(keys=_fields(Remember, "idempotency_key"), short="text", model=Remember, named=True)
_BY_ID = Form(keys=(*_POINT, "purpose", "customer"), model=Point, of=True)

FORMS: Mapping[Verb, Form] = {
    Verb.SAY: _SAYING,
    Verb.REMEMBER: _SAYING,
    Verb.RECALL: Form(keys=_fields(Recall), short="query", model=Recall, named=True),
    Verb.TIMELINE: Form(keys=(*_PAGE, "subject", "relation"), model=Page),
    Verb.PROFILE: Form(keys=_PAGE, model=Page),
    Verb.GRAPH: Form(keys=(*_PAGE, "root", "hops"), model=Page),
    Verb.BELIEFS: Form(keys=("agent", *_PAGE), short="agent"),
    Verb.FACT: _BY_ID,
    Verb.HISTORY: _BY_ID,
    Verb.CORRECT: _act(Correct, ("value", "valid_from", "valid_to", "reason")),
    Verb.RETRACT: _act(),
    Verb.END: _act(keys=("at", "reason")),
    Verb.FORGET: _act(),
    Verb.RESTORE: _act(),
    Verb.PROMOTE: Form(keys=_fields(Promote, "relation"), model=Promote, spoken=False),
    Verb.POLICY: Form(keys=("add", "remove"), spoken=False),
    Verb.RELABEL: Form(keys=_fields(NewLabel), model=NewLabel, of=True, spoken=False, named=True),
    Verb.SAME_AS: Form(keys=_fields(SameAs), model=SameAs, spoken=False, named=True),
    Verb.ADVANCE: Form(keys=("length",), short="length", spoken=False),
    Verb.MARK: Form(keys=("name",), short="name", spoken=False),
    Verb.RESTART: Form(spoken=False),
    Verb.SLEEP: _unbuilt("phase", short="phase"),
    Verb.BURST: _unbuilt("agents", "turns"),
    Verb.ERASE: Form(keys=("reason", "customer"), model=Act, of=None, spoken=False),
    Verb.CONSENT: Form(keys=_fields(NewConsent, "customer"), model=NewConsent, spoken=False),
    Verb.WHY: Form(keys=("text", "of_recall"), short="text", bare=True),
}

BARE = frozenset({Verb.ADVANCE, Verb.MARK, Verb.RESTART})
"""Verbs of the stage itself: nobody acts and nothing is answered."""

UNBUILT = frozenset(verb for verb, form in FORMS.items() if not form.built)
"""Verbs that this player knows of and cannot play yet."""
