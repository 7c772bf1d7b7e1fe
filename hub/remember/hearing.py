"""What a turn is heard to say: facts by the hub's extractor, each dated as its readers would date it."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

from hub.door import Desk
from hub.errors import Fault, Incorrect
from hub.extract import Extractor, Reading
from hub.facts import CUSTOMER, Instant
from hub.moments import zone_named
from hub.requests import Fact
from hub.view import View


def heard(desk: Desk, extractor: Extractor, text: str, lang: str, said_at: Instant) -> tuple[Fact, ...] | None:
    """The facts in a text; None if it could not be read, for which the text is not to blame."""

    @lru_cache(maxsize=4)
    def read(zone: str) -> Reading:
        return extractor.read(text, lang=lang, said_at=said_at, zone=zone)

    own = zone_of(desk.view)
    try:
        return tuple(_dated(desk, number, own, read) for number in range(len(read(own).heard)))
    except Fault:
        return None


def _dated(desk: Desk, number: int, own: str, read: Callable[[str], Reading]) -> Fact:
    """INVARIANT no write-down: a day is one of the time zone that all readers of the fact may know."""
    fact = read(own).heard[number].fact
    zone = zone_of(desk.cut(frozenset({desk.label(fact.relation, fact.scope)})))
    return fact if zone == own else read(zone).heard[number].fact


def zone_of(view: View) -> str:
    """The customer's time zone as the view has it; UTC if it has none, or none that there is."""
    belief = view.believe((CUSTOMER, "time_zone", None))
    zone = "UTC" if belief is None else str(belief.claim.value)
    try:
        zone_named(zone)
    except Incorrect:
        return "UTC"
    return zone
