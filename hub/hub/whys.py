"""Why and why not, asked at the door: by an agent of its own view, by an auditor of all that it may inspect."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from hub.door import Door, Eyes, Rulings
from hub.facts import AsOf, Viewer
from hub.hub.meaning import Meaning
from hub.hub.points import as_of_answer, moment_text, point
from hub.hub.recalls import checked_again
from hub.ledger import KeptRecall
from hub.recall.reasons import WhyAnswer, WhyNotAnswer
from hub.recall.why import why
from hub.recall.why_not import Sights, why_not
from hub.requests import Recall, WhyNot, WhyNotKept, checked
from hub.vectors import Meant
from hub.view import View


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """A recall to be explained: the view it was answered from, and the lines that have a say in it.

    `held` is all that whoever asks may look into at that as-of, `ever` the same as it is known today.
    """

    agent: str
    request: Recall
    seen: View
    rules: Rulings
    meant: Meant
    held: Callable[[], View]
    ever: Callable[[], View]

    def why(self) -> WhyAnswer:
        memories = why(self.seen, self.request, self.rules, self.meant)
        return WhyAnswer(agent=self.agent, as_of=as_of_answer(self.seen), memories=memories)

    def why_not(self, text: str) -> WhyNotAnswer:
        held = self.held()
        sights = Sights(self.seen, held, held if self.ever is self.held else self.ever())
        found, more = why_not(sights, self.request, self.rules, text, self.meant)
        return WhyNotAnswer(agent=self.agent, as_of=as_of_answer(self.seen), candidates=found, truncated=more)


# --- an agent's own ----------------------------------------------------------------------------------------------


def own(door: Door, viewer: Viewer, request: Recall, meaning: Meaning) -> Told:
    """INVARIANT: nothing that the agent may not read comes into any answer, not even as denied."""
    as_of = point(request, door.now())
    view = door.look(viewer, request.customer, as_of, request.purpose)
    eyes = Eyes(viewer=viewer, purpose=request.purpose)

    def ever() -> View:
        return door.look(viewer, request.customer, AsOf(view.valid_at), request.purpose)

    def held() -> View:
        return view

    return Told(
        agent=viewer.agent,
        request=request,
        seen=view,
        rules=door.rulings(eyes, request.customer, as_of),
        meant=meaning.of(view, request.query),
        held=held,
        ever=ever if view.known_at is not None else held,
    )


def own_kept(door: Door, viewer: Viewer, kept: KeptRecall, meaning: Meaning) -> Told:
    """Of a recall that was kept: what the agent may still know of what it was answered from."""
    view = door.look_again(viewer, kept)
    binding = door.binding(viewer.agent)
    purpose = kept.purpose if binding is not None and kept.purpose in viewer.named(binding) else None
    return Told(
        agent=viewer.agent,
        request=checked_again(kept),
        seen=view,
        rules=_rulings(door, kept),
        meant=meaning.again(view, kept),
        held=lambda: view,
        ever=lambda: door.look(viewer, kept.customer, AsOf(kept.valid_at), purpose),
    )


class Explaining:
    """What an agent may ask about its own recalls."""

    viewer: Viewer
    _door: Door
    _meaning: Meaning

    def why(self, recall_id: str) -> WhyAnswer:
        """Why each memory that a recall of this agent's was answered with was in the answer."""
        return own_kept(self._door, self.viewer, self._own(recall_id), self._meaning).why()

    def why_now(self, query: str, *, customer: str | None = None, **recall: object) -> WhyAnswer:
        """Why each memory would be in the answer if this agent asked now; takes what `recall` takes."""
        return self.why_of(checked(Recall, self._asking(query, customer, recall)))

    def why_of(self, request: Recall) -> WhyAnswer:
        """`why_now` for a request that has been checked."""
        return own(self._door, self.viewer, request, self._meaning).why()

    def why_not_now(self, query: str, text: str, *, customer: str | None = None, **recall: object) -> WhyNotAnswer:
        """Why something would not be in the answer if this agent asked now; takes what `recall` takes."""
        return self.why_not_of(checked(WhyNot, {**self._asking(query, customer, recall), "text": text}))

    def why_not_of(self, request: WhyNot) -> WhyNotAnswer:
        """`why_not_now` for a request that has been checked."""
        return own(self._door, self.viewer, request, self._meaning).why_not(request.text)

    def why_not(self, recall_id: str, text: str) -> WhyNotAnswer:
        """Why a recall was not answered with something this agent may know, by its words or its id."""
        asked = checked(WhyNotKept, {"text": text})
        return own_kept(self._door, self.viewer, self._own(recall_id), self._meaning).why_not(asked.text)

    def _asking(self, query: str, customer: str | None, recall: Mapping[str, object]) -> dict[str, object]:
        moments = {name: moment_text(given) for name, given in recall.items()}
        return {**moments, "query": query, "customer": self._customer(customer)}

    def _customer(self, given: str | None) -> str:
        raise NotImplementedError

    def _own(self, recall_id: str) -> KeptRecall:
        raise NotImplementedError


# --- another's ---------------------------------------------------------------------------------------------------


def anothers(door: Door, auditor: str, eyes: Eyes, request: Recall, meaning: Meaning) -> Told:
    """Of the recall that these eyes would make now; what the auditor may not inspect stays out.

    INVARIANT: all looks are at one moment, so that what is written meanwhile does not pass for denied.
    """
    now = door.now()
    asked = point(request, now) or AsOf(now)
    as_of = asked if asked.known_at is not None else AsOf(asked.valid_at, now)

    def held() -> View:
        return door.inspect(auditor, request.customer, as_of)

    def ever() -> View:
        return door.inspect(auditor, request.customer, AsOf(as_of.valid_at))

    seen = door.inspect(auditor, request.customer, as_of, eyes)
    return Told(
        agent=eyes.viewer.agent,
        request=request,
        seen=seen,
        rules=door.rulings(eyes, request.customer, as_of),
        meant=meaning.of(seen, request.query),
        held=held,
        ever=ever if asked.known_at is not None else held,
    )


def anothers_kept(door: Door, auditor: str, kept: KeptRecall, meaning: Meaning) -> Told:
    """Of a recall that was kept, by the rows and the rules of then."""
    as_of = AsOf(kept.valid_at, kept.present if kept.known_at is None else kept.known_at)
    seen = door.look_again(auditor, kept, inspecting=True)
    return Told(
        agent=kept.viewer.agent,
        request=checked_again(kept),
        seen=seen,
        rules=_rulings(door, kept),
        meant=meaning.again(seen, kept),
        held=lambda: door.inspect(auditor, kept.customer, as_of),
        ever=lambda: door.inspect(auditor, kept.customer, AsOf(kept.valid_at)),
    )


def _rulings(door: Door, kept: KeptRecall) -> Rulings:
    """Of when it was asked, and of the as-of if it was asked about another time."""
    known_at = kept.present if kept.known_at is None else kept.known_at
    eyes = Eyes(viewer=kept.viewer, purpose=kept.purpose, asked_at=kept.present)
    return door.rulings(eyes, kept.customer, AsOf(kept.valid_at, known_at))
