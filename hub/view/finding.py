"""Finding rows and entities of a view by words, at a cost that neither hidden nor later rows add to."""

from __future__ import annotations

import heapq
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, islice

from hub.facts import CUSTOMER, Claim, Entity, Feedback, Record, folded
from hub.view import THE_CUSTOMER, SlotKey, View
from hub.view.base import Naming, entities_of
from hub.view.entities import described
from hub.view.kept import Order


def extent(view: View) -> tuple[int, int]:
    """How many rows with words the view has, and how many words are in them."""
    base, prefix = view.base, view.prefix
    rows, words = (base.texts[prefix], base.words[prefix]) if view.sees is None else view.seen().upto(prefix)
    for number in base.left:
        if number < prefix and view.admitted(number) and not view.visible(number):
            rows, words = rows - bool(base.lengths[number]), words - base.lengths[number]
    return rows, words


def most_important(view: View) -> float:
    """The most that any claim of the view can matter, 0..1. INVARIANT: where the base has other rows too, that is 1."""
    alone = view.sees is None and not view.base.left and not view.more
    return view.base.importances[view.prefix] if alone else 1.0


def times_used(view: View, records: Iterable[str]) -> int:
    """How often answers that cited one of these records have been of use; of what is about to be written too."""
    wanted = set(records)
    found = {number for record in wanted for number in among(view, view.base.uses.get(record, []))}
    news = (row.record for row in view.more if isinstance(row.record, Feedback))
    return len(found) + sum(record.helped and not wanted.isdisjoint(record.cited) for record in news)


def holding(view: View, token: str) -> Sequence[int]:
    """The rows with this token, in ledger order."""
    numbers = view.base.postings.get(token)
    return () if numbers is None else among(view, numbers)


def among(view: View, numbers: list[int]) -> Sequence[int]:
    """Those of these rows that the view has; they must go up."""
    known = numbers[: bisect_left(numbers, view.prefix)]
    if view.sees is not None:
        mask = view.seen().mask
        known = [number for number in known if mask[number]]
    return [number for number in known if view.visible(number)] if view.base.left else known


def newest(view: View, numbers: list[int] | None) -> Iterator[int]:
    """Those of these rows that the view has, the last one first."""
    if numbers:
        for place in range(bisect_left(numbers, view.prefix) - 1, -1, -1):
            if view.visible(numbers[place]):
                yield numbers[place]


def newest_claims(view: View, numbers: list[int] | None) -> Iterator[Claim]:
    records = (view.base.rows[number].record for number in newest(view, numbers))
    return (record for record in records if isinstance(record, Claim))


def newest_slots(view: View, subject: str, relation: str, most: int) -> list[SlotKey]:
    """The slots that the last claims of one subject and relation touch; twice as many claims are looked at."""
    claims_of = view.base.claims_of
    told = [numbers for member in view.members(subject) if (numbers := claims_of.get((member, relation)))]
    if not told:
        return []
    claims = chain.from_iterable(newest_claims(view, numbers) for numbers in told)
    found: dict[SlotKey, None] = {}
    for claim in islice(claims, 2 * most):
        found[view.slot_of(claim)] = None
        if len(found) == most:
            break
    return list(found)


def named(view: View, naming: Naming | None, most: int) -> list[str]:
    """The entities under a word, those that came last first, each as itself and not as its class."""
    if naming is None:
        return []
    if view.base.left:
        found = ((_first(view, naming, entity), entity) for entity in naming.entities)
        return [e for _, e in heapq.nlargest(most, ((place, e) for place, e in found if place is not None))]
    if view.sees is None:
        return _last(naming.entities, bisect_left(naming.firsts, view.prefix), most)
    order = _seen_order(view, naming)
    return _last(order.entities, bisect_left(order.places, 2 * view.prefix), most)


def _last(entities: list[str], count: int, most: int) -> list[str]:
    return entities[max(0, count - most) : count][::-1]


def _seen_order(view: View, naming: Naming) -> Order:
    """The entities by the first row that puts them there for a clearance of the past, worked out once."""
    mask, orders = view.seen().mask, view.kept().orders
    known = orders.get(id(naming))
    if known is None or known.rows < len(mask):
        firsts = (
            (next((n for n in rows if n < len(mask) and mask[n]), None), e) for e, rows in list(naming.rows.items())
        )
        found = sorted((_place(view, number, entity), entity) for number, entity in firsts if number is not None)
        places, entities = [place for place, _ in found], [entity for _, entity in found]
        known = orders[id(naming)] = Order(naming, len(mask), places, entities)
    return known


def mention(view: View, naming: Naming, entity: str) -> Entity | None:
    """An entity as a claim calls it that stands under the word; None if all such claims are taken back or forgotten."""
    rows = (view.base.rows[number] for number in naming.rows.get(entity, ()) if view.visible(number))
    standing = (row for row in rows if stands(view, row.record))
    return next((e for row in standing for e in entities_of(row.record) if e.id == entity), None)


def stands(view: View, record: Record) -> bool:
    return view.living(record) and not view.forgotten(record)


def _first(view: View, naming: Naming, entity: str) -> int | None:
    number = next((number for number in naming.rows.get(entity, ()) if view.visible(number)), None)
    return None if number is None else _place(view, number, entity)


def _place(view: View, number: int, entity: str) -> int:
    """The place of an entity's first mention: no two share one, for a row's subject comes first."""
    return 2 * number + (entities_of(view.base.rows[number].record)[0].id != entity)


def meant(view: View, name: str) -> list[str]:
    """The entities that somebody who says `name` can mean, by id or by name, the customer among them."""
    if folded(name) == CUSTOMER:
        return [view.canon(CUSTOMER)]
    mentioned = [entity for row in view.called(name) for entity in entities_of(row.record)]
    called = [entity.id for entity in mentioned if folded(entity.name) == folded(name)]
    known = [name] if next(view.rows(view.base.mentions.get(name, ())), None) is not None else []
    return list(dict.fromkeys(view.canon(entity) for entity in known + called))


def as_called(view: View, entity: str) -> Entity:
    """An entity by its first name, and of the first kind that says anything, in claims that nobody took back or forgot.

    There must be one: what is believed of it, or says it of others.
    """
    stands = view.canon(entity)
    if stands == CUSTOMER:
        return THE_CUSTOMER
    if stands not in view.names:
        view.names[stands] = described(stands, _standing_mentions(view, entity), view.registry)
    return view.names[stands]


def _standing_mentions(view: View, entity: str) -> Iterator[Entity]:
    members = {member: view.base.mentions.get(member, ()) for member in view.members(entity)}
    rows = ((member, row) for member, numbers in members.items() for row in view.rows(numbers))
    standing = ((member, row.record) for member, row in rows if stands(view, row.record))
    return (next(e for e in entities_of(record) if e.id == member) for member, record in standing)
