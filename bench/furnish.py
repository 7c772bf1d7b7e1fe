"""Hubs full of memory, quickly: claims written straight into the ledger, and an embedder that costs next to nothing."""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import accumulate

import numpy as np
from numpy.typing import NDArray

from hub.facts import Author, Claim, Entity, Interval, Label, Scope, Turn, Value
from hub.hub import DEMO_AGENTS, Hub, new_id
from hub.ledger import Writing
from hub.view import THE_CUSTOMER

DIMENSIONS = 512
AT_ONCE = 5_000
"""Claims in one transaction."""

_SYLLABLES = "ba ko li mu ne ro sa ti vu wa ze do fi ga hu ja pe qui su xo".split()

_KNOWN = "SELECT id, reference FROM customer WHERE name = ?"

Fact = tuple[Entity, str, Value | Entity]
"""(subject, relation, value or object)."""


class Cheap:
    """As many dimensions as the default embedder has, in a hundredth of its time: the sum of a direction a word."""

    id = f"bench-{DIMENSIONS}"
    local = True
    at_once = 100_000

    def embed_documents(self, texts: list[str]) -> list[NDArray[np.float64]]:
        return [self.embed_query(text) for text in texts]

    def embed_query(self, text: str) -> NDArray[np.float64]:
        words = [_direction(word) for word in text.casefold().split()]
        return np.sum(words, axis=0) if words else np.zeros(DIMENSIONS)

    def close(self) -> None:
        pass


@lru_cache(maxsize=100_000)
def _direction(word: str) -> NDArray[np.float64]:
    return np.random.default_rng(abs(hash_of(word))).standard_normal(DIMENSIONS)


def hash_of(word: str) -> int:
    """The same in every process."""
    return int.from_bytes(word.encode()[-8:].rjust(8, b"\0"), "big") ^ len(word)


@lru_cache
def words() -> tuple[str, ...]:
    """Two thousand made-up words, the first of them much more frequent than the last when drawn by `said`."""
    draw = random.Random(0)
    found: dict[str, None] = {}
    while len(found) < 2_000:
        found["".join(draw.choices(_SYLLABLES, k=draw.choice((2, 3))))] = None
    return tuple(found)


def said(count: int, seed: int = 0) -> Iterator[str]:
    """So many short texts, no two alike: words as frequent as words are, and a number."""
    vocabulary, draw = words(), random.Random(seed)
    weights = list(accumulate(1 / (rank + 10) for rank in range(len(vocabulary))))
    for number in range(count):
        yield f"{' '.join(draw.choices(vocabulary, cum_weights=weights, k=draw.choice((2, 3, 4))))} {number}"


def shared(count: int, seed: int = 0) -> Iterator[Fact]:
    """Facts that every demo agent may read: tastes, and one in ten a thing with a fact about it."""
    for number, text in enumerate(said(count, seed)):
        if number % 10 == 8 and number + 1 < count:
            yield THE_CUSTOMER, "owns", _thing(number, seed)
        elif number % 10 == 9:
            yield _thing(number - 1, seed), "likes", text
        else:
            yield THE_CUSTOMER, "likes", text


def hidden(count: int, seed: int = 1) -> Iterator[Fact]:
    """Facts that health alone may read."""
    return ((THE_CUSTOMER, "has_condition", text) for text in said(count, seed))


def _thing(number: int, seed: int) -> Entity:
    return Entity(f"ent_{seed:08x}{number:016x}", "thing", f"Model {words()[number % 2_000]} {number}")


def pour(hub: Hub, agent: str, customer: str, facts: Iterable[Fact]) -> None:
    """Records facts as `remember` would, past the desk: for benches only."""
    waiting = list(facts)
    for start in range(0, len(waiting), AT_ONCE):
        pour_all(hub, agent, {customer: waiting[start : start + AT_ONCE]})


def pour_all(hub: Hub, agent: str, facts: Mapping[str, Sequence[Fact]]) -> None:
    """The same for many customers, in one transaction."""
    domain = DEMO_AGENTS[agent][0]
    registry = hub._door.rules().registry
    with hub._ledger.writing() as writing:
        for customer, told in facts.items():
            _turn_to(writing, customer)
            for subject, relation, content in told:
                claim = _claim(writing, Author(agent, domain), subject, relation, content)
                rule = registry.of(relation, domain)
                writing.append(claim, frozenset({Label(rule.owner, domain, rule.scope, relation)}))
            writing._write()
            writing._touched.clear()
    hub._meaning.follow()


def _claim(writing: Writing, author: Author, subject: Entity, relation: str, content: Value | Entity) -> Claim:
    return Claim(
        id=new_id("fact"),
        seq=writing.next_seq(),
        recorded_at=writing.now,
        author=author,
        subject=subject,
        relation=relation,
        value=None if isinstance(content, Entity) else content,
        obj=content if isinstance(content, Entity) else None,
        interval=Interval(writing.now),
        said_at=writing.now,
    )


def pour_turns(hub: Hub, agent: str, texts: Mapping[str, Sequence[str]]) -> None:
    """Records what customers said to one agent, word for word, as `pour_all` records facts."""
    domain = DEMO_AGENTS[agent][0]
    label = Label(domain, domain, Scope.PRIVATE, "turn")
    with hub._ledger.writing() as writing:
        for customer, said_then in texts.items():
            _turn_to(writing, customer)
            for text in said_then:
                turn = Turn(
                    id=new_id("turn"),
                    seq=writing.next_seq(),
                    recorded_at=writing.now,
                    author=Author(agent, domain),
                    role="user",
                    text=text,
                    said_at=writing.now,
                )
                writing.append(turn, frozenset({label}))
            writing._write()
            writing._touched.clear()
    hub._meaning.follow()


def _turn_to(writing: Writing, customer: str) -> None:
    number, reference = writing._connection.exec_driver_sql(_KNOWN, (customer,)).first() or (None, None)
    writing.state = writing.state.of_customer(number, reference)
    writing._customer_name = customer
