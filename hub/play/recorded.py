"""What a step says held against what was recorded of it, read behind the hub's back."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import cast

from hub.answers import FactReceipt, Remembered
from hub.codec import decode
from hub.facts import Claim, Entity
from hub.moments import DAY, moment
from hub.play.evaluating import relations, unknown
from hub.play.folding import SAME_AS
from hub.play.reference import Label, Recorded, Reference

Said = Mapping[str, object]
"""One fact of a step, as it was sent."""

_AROUND = DAY
"""A day begins when it does where the customer is."""


def misrecorded(reference: Reference, facts: list[Said], answer: Remembered, agent: str, home: str) -> Iterator[str]:
    """What was not recorded as it was said, or not filed where registry and scope say. Of what was refused, nothing."""
    refused = {one.index for one in answer.refused}
    taken = [fact for index, fact in enumerate(facts) if index not in refused]
    if len(taken) != len(answer.facts):
        yield f"of {len(taken)} facts {len(answer.facts)} were recorded"
    for fact, receipt in zip(taken, answer.facts, strict=False):
        yield from _compared(reference, fact, receipt, agent, home)


def _compared(reference: Reference, fact: Said, receipt: FactReceipt, agent: str, home: str) -> Iterator[str]:
    kept = reference.records.get(receipt.id)
    if kept is None or kept.kind != "claim":
        yield f"{receipt.id} is not there"
        return
    claim = decode(kept.body, Claim)
    due = {
        "author": (agent, home),
        "relation": fact["relation"],
        "content": _content(fact),
        "negated": bool(fact.get("negated")),
        "mode": fact.get("mode") or ("change" if {"valid_from", "supersedes"} & fact.keys() else "state"),
    }
    found = {
        "author": (claim.author.agent, claim.author.domain),
        "relation": claim.relation,
        "content": _name(claim.value if claim.obj is None else claim.obj),
        "negated": claim.negated,
        "mode": claim.mode.value,
    }
    yield from (f"{name} is {found[name]}, not {due[name]}" for name in due if found[name] != due[name])
    yield from _misdated(fact, claim)
    yield from _misfiled(reference, fact, kept, home)


def _misdated(fact: Said, claim: Claim) -> Iterator[str]:
    if not claim.recorded_at >= claim.said_at or bool(claim.mode_given) != ("mode" in fact):
        yield f"it was said at {claim.said_at}, and recorded at {claim.recorded_at}"
    for name, at in (("valid_from", claim.interval.start), ("valid_to", claim.interval.end)):
        given = fact.get(name)
        if given is None:
            near = at == (claim.said_at if name == "valid_from" else None)
        else:
            near = at is not None and abs(at - moment(str(given), "UTC")[0]) < _AROUND
        if not near:
            yield f"{name} is {at}, not {given}"


def _misfiled(reference: Reference, fact: Said, kept: Recorded, home: str) -> Iterator[str]:
    """A fact lies where its relation lies, whoever says it; an alias lies where the names lie that it joins."""
    relation, version = str(fact["relation"]), reference.version(None)
    if relation == SAME_AS or version is None:
        return
    rule = relations(version).get(relation) or unknown(relation)
    label = Label(rule.owner or home, home, str(fact.get("scope") or rule.scope.value), relation)
    labels = kept.stays[0].labels
    if label not in labels or (len(labels) > 1 and "derived_from" not in fact):
        yield f"it is filed under {sorted(labels)}, not {label}"


def _content(fact: Said) -> object:
    """What it says, or the name of what it speaks of."""
    thing = fact.get("object")
    if isinstance(thing, dict):
        return cast(object, thing.get("name"))
    return fact.get("value") if thing is None else thing


def _name(content: object) -> object:
    return content.name if isinstance(content, Entity) else content
