"""Random policies and the questions they are asked, made of so few names that they collide."""

from __future__ import annotations

from itertools import chain
from typing import NamedTuple

from hypothesis import strategies as st

from hub.facts import Label, Scope
from hub.policy import Act, Subject


class Question(NamedTuple):
    home: str
    agent: str
    owner: str
    told: str
    scope: str
    relation: str
    act: str
    purpose: str


class Case(NamedTuple):
    lines: str
    questions: tuple[Question, ...]


# Few names, so that they meet; `legal`, `odd` and `turn` stand in no rule; `crew` is a role and somebody's home.
HOMES = ("travel", "health", "legal", "odd", "crew", "shared-reader")
OWNERS = ("travel", "health", "legal", "odd")
SCOPES, RELATIONS, ACTS = ("private", "shared", "global"), ("allergy", "turn"), ("read", "write", "erase")
HOLDERS = ("agent:atlas", "travel", "health", "crew", "shared-reader")
GRANTS = st.tuples(
    st.sampled_from(HOLDERS[:-1]), st.sampled_from(HOLDERS[2:]), st.sampled_from(("*", "travel", "health"))
).filter(lambda it: HOLDERS.index(it[0]) < HOLDERS.index(it[1]))

OPEN = ("p", "*", "*", "*", "*", "*", "*", "allow")


def column(*words: str) -> st.SearchStrategy[str]:
    """A cell that is left open two times out of three."""
    return st.sampled_from(("*",) * 2 * len(words) + words)


RULES = st.tuples(
    st.just("p"),
    st.sampled_from(("*", "owner", "told", "shared-reader", *HOLDERS)),
    column("travel", "health"),
    column("private", "shared"),
    column("allergy", "name"),
    column("read", "write"),
    column("meal", "booking"),
    st.sampled_from(("allow", "allow", "deny")),
)


@st.composite
def questions_about(draw: st.DrawFn, rule: tuple[str, ...]) -> list[Question]:
    """Labels the rule means or just misses, asked for by whom they belong to, whom they were told to, or others."""
    _, _, *wanted, _, _ = rule
    strange = ("legal", "global", "turn", "erase")
    owner, scope, relation, act = (
        draw(st.sampled_from((want, want, other) if want != "*" else others))
        for want, other, others in zip(wanted, strange, (OWNERS, SCOPES, RELATIONS, ACTS), strict=True)
    )
    told = draw(st.sampled_from(OWNERS))
    home = draw(st.sampled_from((owner, told, "travel", "health", *HOMES)))
    return [
        Question(home, agent, owner, told, scope, relation, act, purpose)
        for agent in ("atlas", "sage")
        for purpose in ("meal", "tour", "")
    ]


@st.composite
def cases(draw: st.DrawFn) -> Case:
    """Half of the policies allow everything to start with, so that a lost denial shows."""
    grants = draw(st.lists(GRANTS, min_size=2, max_size=5, unique=True))
    rules = draw(st.lists(RULES, min_size=1, max_size=5, unique=True))
    if draw(st.booleans()) and OPEN not in rules:
        rules.append(OPEN)
    asked = [draw(questions_about(rule)) for rule in rules for _ in range(3)]
    rows = [*(("g", *grant) for grant in grants), *rules]
    return Case("\n".join(", ".join(row) for row in rows), tuple(chain.from_iterable(asked)))


def parts(question: Question) -> tuple[Subject, Label, Act, str]:
    home, agent, owner, told, scope, relation, act, purpose = question
    return Subject(agent, home), Label(owner, told, Scope(scope), relation), Act(act), purpose
