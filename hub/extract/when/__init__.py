"""Time in language: what a text says of when, held against when and where it was said."""

from __future__ import annotations

from dataclasses import dataclass

from hub.errors import Incorrect
from hub.extract.when.calendar import Now, Toward
from hub.extract.when.finding import Found, found
from hub.extract.when.meaning import meant
from hub.extract.when.pack import LANGUAGES, Role, pack_of
from hub.facts import Instant, Precision
from hub.moments import as_datetime, rendered, zone_named
from hub.text import fold

__all__ = ["Role", "Toward", "When", "times"]

_LETTERS = {Precision.YEAR: 4, Precision.MONTH: 7, Precision.DAY: 10}


@dataclass(frozen=True, slots=True, kw_only=True)
class When:
    """One expression of time in a text, `text[span[0]:span[1]]`, and the half-open stretch that it means.

    `start` is None for what only ends (`until`), `end` for what only starts (`since`). `starts` and `ends` are the
    same bounds as a request takes them: `2026-03` for a month, RFC 3339 for an instant. `bare`: a length that no word
    says the use of (“3 days”): whether it lasts that long from now, the sentence around it has to say.
    """

    span: tuple[int, int]
    role: Role
    start: Instant | None
    end: Instant | None
    precision: Precision
    starts: str | None
    ends: str | None
    bare: bool = False


def times(text: str, *, lang: str, said_at: Instant, zone: str, toward: Toward | None = None) -> tuple[When, ...]:
    """The expressions of time in a text, in order; none in a language other than `en`, `ko`, `vi` and `ja`.

    Days are those of the IANA `zone` (raises `unknown_zone`). `toward`: whether the sentence speaks of what was or of
    what will be; without it “on Friday” stays unread, for it could be either. A length looked back on (“have lived
    here for 3 years”) is its start. What is vague, impossible or not understood is left out, never guessed.
    """
    place = zone_named(zone)
    if lang not in LANGUAGES:
        return ()
    pack = pack_of(lang, bare=lang == "vi" and _is_bare(text))
    now = Now(said_at, place, pack.numeric.order(zone))
    read = (_when(one, now, toward) for one in found(text, pack))
    return tuple(when for when in read if when is not None)


def _is_bare(text: str) -> bool:
    return text.isascii() or fold(text) == text.casefold()


def _when(one: Found, now: Now, toward: Toward | None) -> When | None:
    try:
        bounds = meant(one, now, toward)
    except (ValueError, OverflowError, Incorrect):  # beyond the years 1 to 9999
        return None
    if bounds is None:
        return None
    role, start, end, precision = bounds
    return When(
        span=one.span,
        role=role,
        start=start,
        end=end,
        precision=precision,
        starts=None if start is None else _written(start, precision, now),
        ends=None if end is None else rendered(end),
        bare=one.frame.bare,
    )


def _written(start: Instant, precision: Precision, now: Now) -> str:
    if precision is Precision.INSTANT:
        return rendered(start)
    return as_datetime(start).astimezone(now.place).date().isoformat()[: _LETTERS[precision]]
