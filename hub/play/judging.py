"""Whether an answer is as a step expects: one verdict a text and check."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from hub.answers import Remembered
from hub.errors import HubError
from hub.facts import Instant
from hub.moments import from_datetime, moment, rendered, span_end
from hub.play.sight import NO_HEADERS, Shown, Sight, sight_of
from hub.play.story import Expect, Pairs, Wanted, Wants


class Kind(StrEnum):
    """The checks of a step; `outcome`: that it did not fail where nothing was said of failing; `twin`: that it was
    answered like the twin, in which what is hidden never was; `beliefs`: as a second evaluator makes it of the records,
    and `recorded`: that these say what was said; `beside`: like another hub the story was played on."""

    REMEMBERS = "remembers"
    ABSENT = "absent"
    PRIVATE = "private"
    CONFLICT = "conflict"
    EMPTY = "empty"
    ORDER = "order"
    VALID_FROM = "valid_from"
    VALID_TO = "valid_to"
    STATUS = "status"
    VIA = "via"
    ERROR = "error"
    OUTCOME = "outcome"
    TWIN = "twin"
    BELIEFS = "beliefs"
    RECORDED = "recorded"
    BESIDE = "beside"


@dataclass(frozen=True, slots=True)
class Verdict:
    """`why` says what was seen instead, empty if the check held; `road` where in the answer a leak was."""

    kind: Kind
    wanted: str
    held: bool
    why: str = ""
    road: str = ""


Marks = Mapping[str, Instant]


def judged(
    expect: Expect, answer: object, marks: Marks, headers: Mapping[str, str] = NO_HEADERS
) -> tuple[Verdict, ...]:
    """The verdicts on an answer, or on the HubError that came instead of one, and the headers around it."""
    return tuple(_verdicts(expect, answer, marks, headers))


def _verdicts(expect: Expect, answer: object, marks: Marks, headers: Mapping[str, str]) -> Iterator[Verdict]:
    sight = sight_of(answer, headers)
    yield from _errors(expect, answer)
    yield from (_kept(wanted, sight) for wanted in expect.private)
    if isinstance(answer, HubError):
        yield from (Verdict(Kind.OUTCOME, str(wanted), False, "there is no answer") for wanted in expect.shown)
        return
    yield from _each(Kind.REMEMBERS, expect.remembers, lambda wanted: _missed(wanted, sight.all))
    yield from _each(Kind.ABSENT, expect.absent, lambda wanted: _found(wanted, sight.memories))
    yield from _each(Kind.CONFLICT, expect.conflict, lambda wanted: _uncontested(wanted, sight.all))
    yield from _emptiness(expect.empty, sight)
    yield from _ordered(expect.order, sight.all)
    yield from _pairs(Kind.STATUS, expect.status, sight, lambda shown, value: shown.status == value)
    yield from _pairs(Kind.VIA, expect.via, sight, _goes_by)
    yield from _pairs(Kind.VALID_FROM, expect.valid_from, sight, lambda x, value: _is_at(x.valid_from, value, marks))
    yield from _pairs(Kind.VALID_TO, expect.valid_to, sight, lambda x, value: _is_at(x.valid_to, value, marks))


# --- errors ------------------------------------------------------------------------------------------------------


def _errors(expect: Expect, answer: object) -> Iterator[Verdict]:
    """A refusal nobody expected is a failure, also of one fact of several; but a text is kept without its secrets."""
    found = dict(_refusals(answer, text=expect.error is not None))
    if expect.error is not None:
        held = expect.error in found
        yield Verdict(Kind.ERROR, expect.error, held, "" if held else _told(found) or "nothing was refused")
    elif found and not expect.anything:
        yield Verdict(Kind.OUTCOME, "no error", False, _told(found))


def _refusals(answer: object, *, text: bool) -> Iterator[tuple[str, str]]:
    match answer:
        case HubError(code=code, message=message):
            yield code, message
        case Remembered(refused=refused):
            yield from ((item.code, item.detail) for item in refused if text or item.index is not None)


def _told(found: Mapping[str, str]) -> str:
    return "; ".join(f"{message} ({code})" for code, message in found.items())


# --- texts -------------------------------------------------------------------------------------------------------


def _each(kind: Kind, wants: Wants, fault: Callable[[Wanted], str]) -> Iterator[Verdict]:
    for wanted in wants:
        why = fault(wanted)
        yield Verdict(kind, str(wanted), not why, why)


def _kept(wanted: Wanted, sight: Sight) -> Verdict:
    leak = next((told for told in sight.texts if wanted.is_in(told.text)), None)
    if leak is None:
        return Verdict(Kind.PRIVATE, str(wanted), True)
    return Verdict(Kind.PRIVATE, str(wanted), False, f"the answer says `{leak.text}`", leak.road)


def _missed(wanted: Wanted, shown: tuple[Shown, ...]) -> str:
    return "" if any(wanted.is_in(one.text) for one in shown) else f"it remembers {_listed(shown)}"


def _found(wanted: Wanted, shown: tuple[Shown, ...]) -> str:
    return next((f"it remembers `{one.text}`" for one in shown if wanted.is_in(one.text)), "")


def _uncontested(wanted: Wanted, shown: tuple[Shown, ...]) -> str:
    if any(one.contested and wanted.is_in(one.text) for one in shown):
        return ""
    return f"contested are {_listed(tuple(one for one in shown if one.contested))}"


def _emptiness(wanted: bool | None, sight: Sight) -> Iterator[Verdict]:
    if wanted is None:
        return
    told = tuple(one for one in sight.all if not one.core)
    empty = not told and sight.abstains
    why = (
        "" if empty is wanted else f"it remembers {_listed(told)}" if told else f"it is{'' if empty else ' not'} empty"
    )
    yield Verdict(Kind.EMPTY, str(wanted).lower(), empty is wanted, why)


def _ordered(wants: Wants, shown: tuple[Shown, ...]) -> Iterator[Verdict]:
    if not wants:
        return
    rest = iter(shown)
    held = all(any(wanted.is_in(one.text) for one in rest) for wanted in wants)
    yield Verdict(Kind.ORDER, ", ".join(map(str, wants)), held, "" if held else f"the order is {_listed(shown)}")


def _listed(shown: tuple[Shown, ...]) -> str:
    return ", ".join(f"`{one.text}`" for one in shown) or "nothing"


# --- a memory picked by its text -----------------------------------------------------------------------------------


def _pairs(kind: Kind, pairs: Pairs, sight: Sight, fits: Callable[[Shown, str | None], bool]) -> Iterator[Verdict]:
    """It holds if one of the memories with that text is as wanted."""
    for wanted, value in pairs:
        picked = tuple(one for one in sight.all if wanted.is_in(one.text))
        held = any(fits(one, value) for one in picked)
        seen = ", ".join(_described(kind, one) for one in picked) or f"it remembers {_listed(sight.all)}"
        yield Verdict(kind, f"{wanted}: {value}", held, "" if held else seen)


def _described(kind: Kind, shown: Shown) -> str:
    seen = {Kind.STATUS: shown.status, Kind.VIA: shown.via or "no path"}
    at = shown.valid_from if kind is Kind.VALID_FROM else shown.valid_to
    return f"`{shown.text}`: {seen.get(kind) or (at and rendered(from_datetime(at)))}"


def _goes_by(shown: Shown, value: str | None) -> bool:
    return not shown.via if value is None else Wanted.read(value).is_in(shown.via)


def _is_at(seen: datetime | None, value: str | None, marks: Marks) -> bool:
    """A mark or an instant is meant exactly; a day, month or year is meant anywhere within."""
    if seen is None or value is None:
        return seen is None and value is None
    at = from_datetime(seen)
    if value in marks:
        return at == marks[value]
    start, precision = moment(value, "UTC")
    return start <= at < span_end(start, precision, "UTC")
