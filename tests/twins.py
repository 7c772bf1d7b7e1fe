"""Two hubs live through one history, one of them without what a viewer may not read: whatever it asks, they agree.

`python -m tests.twins --minutes 10` tells random histories for so long, prints how many and what was compared, and ends
with 1 at the first leak, with the smallest history that shows it. `--first N` begins at the history of that number.
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from pathlib import Path

from hub.errors import HubError
from tests.reference_clearance import Label
from tests.twin_checks import (
    TALLY,
    check_aliases,
    check_auditors,
    check_cuts,
    check_filing,
    check_past,
    check_replays,
    check_twin,
    check_views,
)
from tests.twin_histories import AGENTS, History, Say, history, smaller
from tests.twin_steps import Played
from tests.twin_tales import Kept, Tale, told
from tests.twin_worlds import SCRATCH, Leak, World, numbered_ids, read_once


def check(story: History, *, wire: bool = False) -> None:
    """Plays a history and its twin; raises Leak where an answer tells them apart, with `wire` also over HTTP."""
    with tempfile.TemporaryDirectory(prefix="twins-", dir=SCRATCH) as folder, numbered_ids(), read_once():
        tale = told(story, World(Path(folder) / "world.db", story, beside=True))
        if (silent := _silenced(tale)) is not None:
            tale.world.close()
            tale = told(silent, World(Path(folder) / "silent.db", silent, beside=True))
        try:
            check_filing(tale)
            check_aliases(tale)
            check_twin(tale, World(Path(folder) / "twin.db", story), wire=wire)
            check_past(tale)
            check_replays(tale)
            check_views(tale)
            check_cuts(tale, Path(folder))
            check_auditors(tale, Path(folder))
        finally:
            tale.world.close()


def _silenced(tale: Tale) -> History | None:
    """The history without the words of turns that somebody might read in the twin alone; None if there are none.

    A turn carries the labels of all it says, and in the twin it says less.
    """
    steps = [
        replace(step, text=None) if isinstance(step, Say) and _reads_wider(tale, played) else step
        for step, played in zip(tale.history.steps, tale.steps, strict=True)
    ]
    return replace(tale.history, steps=tuple(steps)) if tuple(steps) != tale.history.steps else None


def _reads_wider(tale: Tale, played: Played) -> bool:
    sight = tale.sight()
    kept = Kept(sight, tale.history.viewer)
    turn = getattr(getattr(played.outcome, "turn", None), "id", None)
    if turn not in kept.redacted:
        return False
    full, customer = sight.records[turn].stays[0].labels, str(played.request.args["customer"])
    said = [sight.records[record] for record in played.records if record in kept.ids and record != turn]
    less = frozenset(label for record in said for label in record.stays[0].labels if record.body.get("sources"))
    home = AGENTS[played.request.who]  # a turn that something said is derived from is filed with who heard that one
    less |= {Label(home, home, "private", "turn")}
    return any(sight.ever_reads(agent, less, customer) != sight.ever_reads(agent, full, customer) for agent in AGENTS)


def shrunk(story: History, fails: Callable[[History], object], most: int = 300) -> History:
    """A history as small as leaving out one thing after another makes it, while it still fails."""
    for _ in range(most):
        less = next((one for one in smaller(story) if one.steps and fails(one)), None)
        if less is None:
            return story
        story = less
    return story


def leak(story: History, *, wire: bool = False) -> Leak | None:
    try:
        check(story, wire=wire)
    except Leak as found:
        return found
    except HubError as error:
        return Leak(f"a step that was taken in one world can't be taken in the other: {error}")
    except AssertionError as broken:
        return Leak(f"the hub contradicts itself: {broken}")
    return None


def noticed(stories: Iterable[tuple[str, History]]) -> tuple[int, str, Leak] | None:
    """How many stories it takes until two worlds disagree, which one that is, and over what."""
    for number, (name, story) in enumerate(stories, 1):
        if (found := leak(story)) is not None:
            return number, name, found
    return None


# --- for as long as one likes ------------------------------------------------------------------------------------


def play(minutes: float, first: int) -> int:
    """Tells histories one after the other until the time is up."""
    ends = time.monotonic() + 60 * minutes
    told, due = 0, time.monotonic() + 60
    while time.monotonic() < ends:
        if leak(history(first + told)) is not None:
            least = shrunk(history(first + told), leak)
            print(f"history {first + told}: {leak(least)}\n{least!r}", flush=True)
            return 1
        told += 1
        if time.monotonic() > due:
            due += 60
            print(f"{told} histories", flush=True)
    counted = "".join(f"\n{count:9,} {what}" for what, count in TALLY.items())
    print(f"{told:,} histories, from number {first} on: no leak{counted}", flush=True)
    return 0


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.twins", description=__doc__)
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--first", type=int, default=None, help="the number of the first history; by default any")
    asked = parser.parse_args(arguments)
    return play(asked.minutes, random.randrange(2**40) if asked.first is None else asked.first)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
