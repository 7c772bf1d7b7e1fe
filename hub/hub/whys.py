"""Why and why not, asked at the door: by an agent of its own view, by an auditor of all that it may inspect."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from hub.door import Door, Eyes
from hub.facts import AsOf, Viewer
from hub.hub.points import as_of_answer, moment_text, point
from hub.recall.reasons import WhyAnswer, WhyNotAnswer
from hub.recall.why import why
from hub.recall.why_not import Sights, why_not
from hub.requests import Recall, WhyNot, checked


@dataclass(frozen=True, slots=True)
class Own:
    """An agent that asks about its own recall. INVARIANT: nothing it may not read comes into any answer."""

    door: Door
    viewer: Viewer

    def why(self, request: Recall) -> WhyAnswer:
        as_of = point(request, self.door.now())
        view = self.door.look(self.viewer, request.customer, as_of, request.purpose)
        rules = self.door.rulings(self._eyes(request), request.customer, as_of)
        return WhyAnswer(agent=self.viewer.agent, as_of=as_of_answer(view), memories=why(view, request, rules))

    def why_not(self, request: Recall, text: str) -> WhyNotAnswer:
        as_of = point(request, self.door.now())
        view = self.door.look(self.viewer, request.customer, as_of, request.purpose)
        later = view
        if view.known_at is not None:
            later = self.door.look(self.viewer, request.customer, AsOf(view.valid_at), request.purpose)
        rules = self.door.rulings(self._eyes(request), request.customer, as_of)
        found, more = why_not(Sights(view, view, later), request, rules, text)
        return WhyNotAnswer(agent=self.viewer.agent, as_of=as_of_answer(view), candidates=found, truncated=more)

    def _eyes(self, request: Recall) -> Eyes:
        return Eyes(viewer=self.viewer, purpose=request.purpose)


class Explaining:
    """What an agent may ask about its own recalls."""

    viewer: Viewer
    _door: Door

    def why(self, query: str, *, customer: str | None = None, **recall: object) -> WhyAnswer:
        """Why each memory that this is answered with is in the answer; takes what `recall` takes."""
        return self.why_of(checked(Recall, self._asking(query, customer, recall)))

    def why_of(self, request: Recall) -> WhyAnswer:
        """`why` for a request that has been checked."""
        return Own(self._door, self.viewer).why(request)

    def why_not(self, query: str, text: str, *, customer: str | None = None, **recall: object) -> WhyNotAnswer:
        """Why this is not answered with something this agent may know, by its words or its id."""
        return self.why_not_of(checked(WhyNot, {**self._asking(query, customer, recall), "text": text}))

    def why_not_of(self, request: WhyNot) -> WhyNotAnswer:
        """`why_not` for a request that has been checked."""
        return Own(self._door, self.viewer).why_not(request, request.text)

    def _asking(self, query: str, customer: str | None, recall: Mapping[str, object]) -> dict[str, object]:
        moments = {name: moment_text(given) for name, given in recall.items()}
        return {**moments, "query": query, "customer": self._customer(customer)}

    def _customer(self, given: str | None) -> str:
        raise NotImplementedError


@dataclass(frozen=True, slots=True)
class Another:
    """An auditor that asks about the recall of whoever these eyes are; what it may not inspect stays out."""

    door: Door
    auditor: str
    eyes: Eyes

    def why(self, request: Recall) -> WhyAnswer:
        as_of = self._moment(request)
        view = self.door.inspect(self.auditor, request.customer, as_of, self.eyes)
        rules = self.door.rulings(self.eyes, request.customer, as_of)
        return WhyAnswer(agent=self.eyes.viewer.agent, as_of=as_of_answer(view), memories=why(view, request, rules))

    def why_not(self, request: Recall, text: str) -> WhyNotAnswer:
        """The difference between what the auditor may inspect and what the eyes see is what was denied."""
        as_of = self._moment(request)
        seen = self.door.inspect(self.auditor, request.customer, as_of, self.eyes)
        held = ever = self.door.inspect(self.auditor, request.customer, as_of)
        if self.eyes.asked_at is not None or request.as_of is not None or request.known_at is not None:
            ever = self.door.inspect(self.auditor, request.customer, AsOf(as_of.valid_at))
        rules = self.door.rulings(self.eyes, request.customer, as_of)
        found, more = why_not(Sights(seen, held, ever), request, rules, text)
        return WhyNotAnswer(agent=self.eyes.viewer.agent, as_of=as_of_answer(seen), candidates=found, truncated=more)

    def _moment(self, request: Recall) -> AsOf:
        """INVARIANT: all looks are at one moment, so that what is written meanwhile does not pass for denied."""
        now = self.door.now() if self.eyes.asked_at is None else self.eyes.asked_at
        asked = point(request, now) or AsOf(now)
        return asked if asked.known_at is not None else AsOf(asked.valid_at, now)
