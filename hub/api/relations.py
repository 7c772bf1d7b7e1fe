"""Routes of the registry: what is known, what is merely used, what operators make of it, and whose word counts."""

from __future__ import annotations

from litestar import get, post, put
from litestar.params import FromPath

from hub.answers import Promoted
from hub.api.asked import Asked, Existing
from hub.api.callers import Operating, for_operators
from hub.hub.governing import Rated, Ratings, Relations, RelationUses
from hub.requests import MergeRelation, Promote, Rate


@get("/relations", sync_to_thread=True)
def relations(operator: Operating) -> Relations:
    return Relations(relations=tuple(operator.relations()))


@get("/relations/provisional", sync_to_thread=True)
def provisional(operator: Operating) -> RelationUses:
    return RelationUses(relations=tuple(operator.provisional()))


@post("/relations/{relation:str}/promote", status_code=200, sync_to_thread=True)
def promote(operator: Operating, relation: FromPath[str], asked: Asked[Promote]) -> Promoted:
    return operator.promote(
        relation, scope=asked.scope, arbitration=asked.arbitration, owner=asked.owner, existing=asked.existing
    )


@post("/relations/{relation:str}/demote", status_code=200, sync_to_thread=True)
def demote(operator: Operating, relation: FromPath[str], asked: Asked[Existing]) -> Promoted:
    return operator.demote(relation, existing=asked.existing)


@post("/relations/{relation:str}/merge", status_code=200, sync_to_thread=True)
def merge_relation(operator: Operating, relation: FromPath[str], asked: Asked[MergeRelation]) -> Promoted:
    return operator.merge_relation(relation, into=asked.into, existing=asked.existing, scope=asked.scope)


@post("/relations/{relation:str}/reject", status_code=200, sync_to_thread=True)
def reject_relation(operator: Operating, relation: FromPath[str], asked: Asked[Existing]) -> Promoted:
    return operator.reject_relation(relation, existing=asked.existing)


@get("/trust", sync_to_thread=True)
def ratings(operator: Operating) -> Ratings:
    return Ratings(ratings=tuple(operator.ratings()))


@put("/trust", sync_to_thread=True)
def rate(operator: Operating, asked: Asked[Rate]) -> Rated:
    return operator.rate(asked.domain, asked.score, relation=asked.relation)


ROUTES = for_operators(relations, provisional, promote, demote, merge_relation, reject_relation, ratings, rate)
