"""What a turn is heard to say: facts by the hub's extractor, each read as its readers would read it."""

from __future__ import annotations

from dataclasses import dataclass, field

from hub.door import Desk
from hub.errors import Fault, Incorrect
from hub.extract import Extractor, Reading
from hub.facts import CUSTOMER, Filing, Instant
from hub.moments import zone_named
from hub.requests import Fact
from hub.view import View

TIME_ZONE = "time_zone"


@dataclass(slots=True)
class Hearing:
    """A text, and what it says in one time zone or another.

    INVARIANT no write-down: what is filed, and how a day in it is cut, follows from the time zone that all its readers
    know, and not from one that only the writer does.
    """

    desk: Desk
    extractor: Extractor
    text: str
    lang: str
    said_at: Instant
    _read: dict[str, Reading] = field(default_factory=dict)

    def facts(self) -> tuple[Fact, ...] | None:
        """In the order of the text; None if it could not be read, for which the text is not to blame."""
        zones = [zone_of(self.desk.view), self._zone(TIME_ZONE)]
        found: dict[tuple[int, int], Fact] = {}
        try:
            for zone in zones:  # grows while it is walked
                for number, heard in enumerate(self._reading(zone).heard):
                    there = self._zone(heard.fact.relation)
                    zones += [] if there in zones else [there]
                    if there == zone:
                        found[heard.span[0], number] = heard.fact
        except Fault:
            return None
        return tuple(fact for _, fact in sorted(found.items(), key=lambda item: item[0]))

    def whole(self, filing: Filing) -> bool:
        """Whether nothing is said but what is filed there."""
        return self._reading(zone_of(self.desk.cut(filing))).whole

    def _zone(self, relation: str) -> str:
        return zone_of(self.desk.cut(self.desk.filing(relation)))

    def _reading(self, zone: str) -> Reading:
        if zone not in self._read:
            self._read[zone] = self.extractor.read(self.text, lang=self.lang, said_at=self.said_at, zone=zone)
        return self._read[zone]


def check_zone(relation: str, value: object) -> None:
    """Raises Incorrect for a time zone that there is none of: days would be cut in another, and nobody would know."""
    if relation == TIME_ZONE and value is not None:
        zone_named(str(value))


def zone_of(view: View) -> str:
    """The customer's time zone as the view has it; UTC if it has none, or one that is no more."""
    belief = view.believe((CUSTOMER, TIME_ZONE, None))
    zone = "UTC" if belief is None else str(belief.claim.value)
    try:
        zone_named(zone)
    except Incorrect:
        return "UTC"
    return zone
