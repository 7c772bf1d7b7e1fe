"""Turns that could not be read: who is to read them again, when, and how often it was tried."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import Connection, text

from hub.codec import decode
from hub.facts import Instant, Viewer

# What is due first; how many are, and of how many nothing more is hoped for.
_LEFT = text(
    "SELECT u.record, r.id, c.name, u.viewer, u.purpose, u.tries, u.due FROM unread u "
    "JOIN record r ON r.seq = u.record JOIN customer c ON c.id = u.customer "
    "WHERE u.due IS NOT NULL ORDER BY u.due, u.record LIMIT :most"
)
_COUNTED = text("SELECT count(due), count(*) - count(due) FROM unread")
_TAKE = text("UPDATE unread SET tries = tries + 1, due = :due WHERE record = :record AND tries = :tries")
_PUT_BACK = text("UPDATE unread SET tries = tries - 1, due = :due WHERE record = :record AND tries = :tries")
_OVER = text("DELETE FROM unread WHERE record = :record AND tries = :tries")


@dataclass(frozen=True, slots=True, kw_only=True)
class Left:
    """A turn left unread, as it stands after so many tries."""

    record: int
    turn: str
    customer: str
    viewer: Viewer
    purpose: str | None
    tries: int
    due: Instant


class Unread:
    """In one snapshot, or one open commit."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def left(self, most: int) -> list[Left]:
        """What is to be read again, in the order in which it is due."""
        return [
            Left(record=seq, turn=id_, customer=name, viewer=decode(viewer, Viewer), purpose=for_, tries=n, due=due)
            for seq, id_, name, viewer, for_, n, due in self._connection.execute(_LEFT, {"most": most})
        ]

    def counted(self) -> tuple[int, int]:
        """How many are to be read again, and how many no more."""
        waiting, given_up = self._connection.execute(_COUNTED).one()
        return int(waiting), int(given_up)

    def take(self, one: Left, due: Instant | None) -> bool:
        """Takes a turn up, to be tried again at `due` if nothing comes of it; False if somebody else has."""
        asked = {"record": one.record, "tries": one.tries, "due": due}
        return self._connection.execute(_TAKE, asked).rowcount == 1

    def put_back(self, one: Left, due: Instant) -> None:
        """It was taken up, but nobody was there to read it, which is no try; unless somebody has taken it up since."""
        self._connection.execute(_PUT_BACK, {"record": one.record, "tries": one.tries, "due": due})

    def over(self, one: Left) -> bool:
        """It is read, or there is nothing to read any more; False if somebody else has taken it up since."""
        return self._connection.execute(_OVER, {"record": one.record, "tries": one.tries}).rowcount == 1
