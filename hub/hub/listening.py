"""Who reads what customers say: rules at once, a model before anything is written, and again later if it failed."""

from __future__ import annotations

import logging
import threading
from dataclasses import dataclass, replace
from functools import lru_cache

from hub.clock import SimulatedClock
from hub.door import Door
from hub.errors import Fault, HubError, Missing
from hub.extract import Asker, Extractor
from hub.extract.by_model import ByModel
from hub.extract.rules import Rules
from hub.facts import Instant, Turn, Viewer
from hub.ledger import Ledger, Left
from hub.model import NOT_ASKED, PAUSE, chosen, setting
from hub.moments import SECOND
from hub.registry import kind_words
from hub.remember import FIRST_PAUSE, is_read, said
from hub.remember.again import reread
from hub.requests import Remember
from hub.text import lang_of

TRIES = 5
"""How often a turn that could not be read is tried again, each time after four times as long."""
AT_ONCE = 20
LONGEST_WAIT = 600.0
"""Seconds after which it is looked whether something is due, whoever left it."""

_SILENCES = frozenset({"model_silent", NOT_ASKED})

_log = logging.getLogger("hub.listening")


def chosen_reader(which: str, words: str) -> Extractor | Asker:
    """`rules`, or (`configured`) with the model that HUB_MODEL names, if it names one and there is a key for it."""
    return (configured(words) if which == "configured" else None) or _rules(words)


def configured(words: str) -> Asker | None:
    """What asks the model that HUB_MODEL names, beside rules for these nouns; None if there is none."""
    model = chosen(setting())
    return None if model is None else ByModel(model, _rules(words))


@lru_cache(maxsize=4)
def _rules(words: str) -> Extractor:
    return Rules(kind_words(words))


@dataclass(frozen=True, slots=True)
class Ear:
    """What reads one turn; `failed`: in the place of a model that gave no answer."""

    extractor: Extractor | None
    failed: bool = False


class _Failing:
    """What goes wrong in reading is a Fault, whatever it is, for a reader may be anybody's: the turn is kept, and tried
    again."""

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if isinstance(error, Exception) and not isinstance(error, HubError):
            raise Fault("not_read", f"a reader fails ({type(error).__name__})", "see to the extractor") from error


class Listening:
    """INVARIANT: a model is asked by whoever remembers, and by nobody who recalls; and never inside a transaction."""

    def __init__(self, door: Door, ledger: Ledger, extractor: Extractor | Asker | None) -> None:
        self._door = door
        self._ledger = ledger
        self._extractor = extractor
        self._turn = threading.Condition()
        self._closing = False
        self._thread: threading.Thread | None = None

    def ear(self, viewer: Viewer, request: Remember, key: str | None = None) -> Ear:
        """Raises what the door does, and remembering, before a text that nobody may write down is sent anywhere."""
        asker = self._extractor
        if not isinstance(asker, Asker):
            return Ear(asker)
        if not is_read(request) or self._answered(viewer, request.customer, key):
            return Ear(asker.rules)
        self._door.look(viewer, request.customer, None, request.purpose)
        self._door.check_hears(viewer)
        said_at = said(request.said_at, self._door.now())
        text = request.text or ""
        try:
            return Ear(self._asked(text, request.lang or lang_of(text), said_at))
        except Fault as error:
            _log.warning("a turn is read by rules alone for now: %s (%s)", error.message, error.code)
            return Ear(asker.rules, failed=True)

    # --- again ---------------------------------------------------------------------------------------------------

    def again(self) -> int:
        """Reads what is due now; how many turns were read."""
        return self._round()[0]

    def _round(self) -> tuple[int, bool]:
        """How many turns were read, and whether it ended because nobody answered: then the others wait, unharmed."""
        if self._extractor is None:
            return 0, False
        with self._ledger.reading() as reading:
            now, left = reading.present, reading.unread().left(AT_ONCE)
        read = 0
        for one in left:
            if one.due > now or self._closing:
                break
            fault = self._tried(one, now)
            if fault in _SILENCES:
                return read, True
            read += fault is None
        return read, False

    def follow(self) -> None:
        """A turn may have been left unread. A clock that somebody sets by hand starts nothing by itself."""
        by_hand = self._extractor is None or isinstance(self._ledger.clock, SimulatedClock)
        with self._turn:
            alive = self._thread is not None and self._thread.is_alive()
            if not (self._closing or alive or by_hand):
                self._thread = threading.Thread(target=self._run, name="hub-listening", daemon=True)
                self._thread.start()
            self._turn.notify_all()

    def close(self) -> None:
        """INVARIANT: the ledger is not touched after this. What was under way is due again later."""
        with self._turn:
            self._closing = True
            self._turn.notify_all()
        if isinstance(self._extractor, Asker):
            self._extractor.close()
        if self._thread is not None:
            self._thread.join()

    def _run(self) -> None:
        while not self._closing:
            wait = self._gone_over()
            with self._turn:
                if not self._closing:
                    self._turn.wait(wait)

    def _gone_over(self) -> float:
        """Reads what is due, and says in how many seconds something is again."""
        try:
            with _Failing():
                _, silent = self._round()
                with self._ledger.reading() as reading:
                    left, now = reading.unread().left(1), reading.present
        except Fault as error:
            _log.warning("turns can't be read again for now: %s", error.code)
            return LONGEST_WAIT
        soonest = PAUSE if silent else 0.0
        return min(max(soonest, (left[0].due - now) / SECOND), LONGEST_WAIT) if left else LONGEST_WAIT

    def _tried(self, one: Left, now: Instant) -> str | None:
        """None if the turn was read, else the code of what was in the way.

        INVARIANT: whoever takes a turn up has it alone, and if nothing comes of it, it is due again. That nobody could
        be asked is no try.
        """
        tries = one.tries + 1
        due = None if tries >= TRIES else now + FIRST_PAUSE * 4**tries
        with self._ledger.taking_up() as unread:
            if not unread.take(one, due):
                return "taken"
        taken = replace(one, tries=tries)
        try:
            with self._door.visit("reread", one.viewer) as visit, _Failing():
                visit.named(one.turn)
                return None if self._read(taken) else "taken"
        except Fault as error:
            if error.code == NOT_ASKED:
                with self._ledger.taking_up() as unread:
                    unread.put_back(taken, now + round(PAUSE) * SECOND)
            _log.warning("a turn can't be read, at attempt %d of %d: %s", tries, TRIES, error.code)
            return error.code
        except HubError as error:  # whoever heard it may not read it any more, or it is gone
            with self._ledger.taking_up() as unread:
                unread.over(taken)
            return error.code

    def _read(self, taken: Left) -> bool:
        view = self._door.look(taken.viewer, taken.customer, None, taken.purpose)
        row = view.row(taken.turn)
        if row is None or not isinstance(row.record, Turn) or view.forgotten(row.record):
            raise Missing("not_found", "there is no such turn any more", "there is nothing to do")
        turn = row.record
        self._door.check_hears(taken.viewer)
        extractor = self._asked(turn.text, turn.lang, turn.said_at)
        with self._door.admit(taken.viewer, taken.customer, taken.purpose) as desk:
            mine = desk.over(taken)
            if mine:
                reread(desk, turn, extractor)
        return mine

    def _asked(self, text: str, lang: str, said_at: Instant) -> Extractor:
        extractor = self._extractor
        if isinstance(extractor, Asker):
            registry = self._door.rules().registry
            with _Failing():
                return extractor.ask(text, lang=lang, said_at=said_at, registry=registry)
        assert extractor is not None, "nothing is left unread where nobody reads"
        return extractor

    def _answered(self, viewer: Viewer, customer: str, key: str | None) -> bool:
        """What was done before is not asked about again."""
        if key is None:
            return False
        with self._ledger.reading(customer) as reading:
            return reading.answer(viewer, key) is not None
