"""A view's beliefs as a graph of entities: the whole of it to look at, or a walk of a few steps from some seeds."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import chain, islice

import networkx as nx

from hub.answers import Edge, Graph, Node, Step
from hub.facts import CUSTOMER, Belief, Cardinality, Claim, Entity, Status, Value
from hub.registry import SAME_AS
from hub.timeline import sides
from hub.view import SlotKey, View
from hub.view.finding import as_called, meant, newest_claims

HOPS = 2
"""How far a walk goes unless it is said otherwise."""

MOST_EDGES = 24
"""Of each kind (told of an entity, pointing to it) the newest that a walk looks at."""

MOST_ENTITIES = 48
"""How many entities a walk visits at most."""

ONWARD = 0.6
"""What one step leaves of a strength, before it is divided among many."""


# --- the whole ---------------------------------------------------------------------------------------------------


def graph(view: View, root: str | None = None, hops: int | None = None) -> Graph:
    """Entities and what is believed between them; from `root` (by name or id) on, only what lies within `hops` of it.

    A thing of which the view holds nothing is in no graph; contested values are edges, but never attributes.
    """
    beliefs = [belief for belief in view.beliefs() if belief.status is not Status.EXPIRED]
    drawn = _drawn(view, beliefs)
    near = drawn.nodes
    if root is not None:
        seeds = [seed for seed in meant(view, root) if seed in drawn]
        near = _within(drawn, seeds, HOPS if hops is None else hops)
    nodes = tuple(Node(id=node, **labels) for node, labels in drawn.nodes(data=True) if node in near)
    edges = (
        Edge(source=source, target=target, key=key, relation=relation, memory_id=key)
        for source, target, key, relation in drawn.edges(keys=True, data="relation")
        if source in near and target in near
    )
    return Graph(nodes=nodes, edges=tuple(edges))


def _drawn(view: View, beliefs: Iterable[Belief]) -> nx.MultiDiGraph:
    drawn = nx.MultiDiGraph()
    for belief in beliefs:
        _add_entity(view, drawn, belief.claim.subject)
        for side in sides(belief):
            _add_side(view, drawn, side)
    return drawn


def _add_side(view: View, drawn: nx.MultiDiGraph, belief: Belief) -> None:
    claim = belief.claim
    subject = view.canon(claim.subject.id)
    if claim.obj is not None:
        _add_entity(view, drawn, claim.obj)
        drawn.add_edge(subject, view.canon(claim.obj.id), key=claim.id, relation=claim.relation)
    elif claim.value is not None and _is_attribute(view, belief):
        drawn.nodes[subject]["attributes"][claim.relation] = claim.value


def _is_attribute(view: View, belief: Belief) -> bool:
    undisputed = not belief.contested and not belief.against_none
    return undisputed and view.relation(belief.claim.relation).cardinality is Cardinality.ONE


def _add_entity(view: View, drawn: nx.MultiDiGraph, entity: Entity) -> None:
    node = view.canon(entity.id)
    if node not in drawn:
        called = as_called(view, node)
        attributes: dict[str, Value] = {}
        drawn.add_node(node, kind=called.kind, name=called.name, attributes=attributes)


def _within(drawn: nx.MultiDiGraph, seeds: list[str], hops: int) -> set[str]:
    """The nodes within so many edges of the seeds, whichever way the edges point."""
    either_way = drawn.to_undirected(as_view=True)
    return {node for seed in seeds for node in nx.single_source_shortest_path_length(either_way, seed, cutoff=hops)}


# --- a walk ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Reached:
    """A slot that a walk came to: `strength` is what is left of the seed's, `via` the facts walked along."""

    key: SlotKey
    strength: float
    via: tuple[Step, ...]


@dataclass(frozen=True, slots=True)
class _Stop:
    entity: str
    strength: float
    via: tuple[Step, ...] = ()


def walk(view: View, seeds: Mapping[str, float], hops: int = HOPS) -> Iterator[Reached]:
    """The slots about the seeds (entity -> strength, 0..1) and about what lies up to `hops` facts away, nearest first.

    The customer is never walked through, for everything hangs on it; what branches out widely leads on weakly, and
    along some relations less far than along others.
    """
    walked = nx.MultiDiGraph()
    walked.add_nodes_from(seeds)
    stops = [_Stop(entity, strength) for entity, strength in seeds.items()]
    seen: set[SlotKey] = set()
    for hop in range(hops + 1):
        onward: list[_Stop] = []
        for stop in stops:
            keys = list(around(view, stop.entity))
            yield from (Reached(key, stop.strength, stop.via) for key in keys if key not in seen)
            seen.update(keys)
            if hop < hops:
                onward += _onward(view, walked, stop, keys)
        stops = sorted(onward, key=lambda stop: -stop.strength)


def around(view: View, entity: str) -> Iterator[SlotKey]:
    """The slots of what was last told of an entity, and of what last pointed to it and still does."""
    yield from _newest(view, view.base.told_of, entity)
    yield from (key for key in _newest(view, view.base.claims_on, entity) if key[2] or _points(view, key, entity))


def _newest(view: View, rows: Mapping[str, list[int]], entity: str) -> Iterable[SlotKey]:
    claims = chain.from_iterable(newest_claims(view, rows.get(member)) for member in view.members(entity))
    told = (claim for claim in islice(claims, MOST_EDGES) if claim.relation != SAME_AS)
    return dict.fromkeys(map(view.slot_of, told))


def _points(view: View, key: SlotKey, entity: str) -> bool:
    """Whether a slot of one value holds this one: the claim that led here may be a thing of the past."""
    held = (side.claim.obj for belief in view.stretches(key) for side in sides(belief))
    return any(obj is not None and view.canon(obj.id) == entity for obj in held)


def _onward(view: View, walked: nx.MultiDiGraph, stop: _Stop, keys: Iterable[SlotKey]) -> list[_Stop]:
    """Where the facts at a stop lead, to entities that the walk has not come to."""
    customer = view.canon(CUSTOMER)
    steps = [step for key in keys for step in _leading(view, stop.entity, key) if step[0] != customer]
    strength = stop.strength * ONWARD / max(1.0, math.log2(1 + len(steps)))
    found: list[_Stop] = []
    for entity, weight, step in steps:
        if entity not in walked and len(walked) < MOST_ENTITIES:
            found.append(_Stop(entity, strength * weight, (*stop.via, step)))
            walked.add_edge(stop.entity, entity, key=step.memory_id, relation=step.relation)
    return found


def _leading(view: View, entity: str, key: SlotKey) -> Iterator[tuple[str, float, Step]]:
    """Where a slot leads, how far, and the step there."""
    belief, weight = view.believe(key), view.relation(key[1]).weight
    if belief is None or belief.status is Status.EXPIRED:
        return
    for side in sides(belief):
        if side.claim.obj is not None:
            ends = view.canon(side.claim.subject.id), view.canon(side.claim.obj.id)
            yield ends[ends[0] == entity], weight, along(view, side.claim, back=ends[0] != entity)


def along(view: View, claim: Claim, *, back: bool = False) -> Step:
    """The step along a fact; `back` is from its object to its subject, if the relation has a name for that."""
    there = claim.subject.name if claim.obj is None else claim.obj.name
    inverse = view.relation(claim.relation).inverse if back else None
    if inverse is None:
        return Step(from_=claim.subject.name, relation=claim.relation, to=there, memory_id=claim.id)
    return Step(from_=there, relation=inverse, to=claim.subject.name, memory_id=claim.id)
