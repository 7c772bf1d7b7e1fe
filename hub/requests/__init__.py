"""What an agent may send, field by field; anything else is refused by name."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeVar

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    StrictBool,
    StrictInt,
    ValidationError,
)

from hub.errors import Incorrect
from hub.facts import Mode, Scope
from hub.requests.values import MAX_DOCUMENT as MAX_DOCUMENT
from hub.requests.values import MAX_FACTS as MAX_FACTS
from hub.requests.values import MAX_TEXT as MAX_TEXT
from hub.requests.values import MAX_VALUE as MAX_VALUE
from hub.requests.values import Kind as Kind
from hub.requests.values import Limit as Limit
from hub.requests.values import Moment as Moment
from hub.requests.values import Name as Name
from hub.requests.values import Said as Said
from hub.requests.values import Scalar as Scalar
from hub.requests.values import Share as Share
from hub.requests.values import Text as Text
from hub.requests.values import whole as whole
from hub.requests.values import wholesome as wholesome

if TYPE_CHECKING:
    from pydantic._internal._model_construction import ModelMetaclass
else:
    ModelMetaclass = type(BaseModel)


class _Refusing(ModelMetaclass):
    """Made by hand, a request is refused as one that came in is; a request within another is not made here."""

    def __call__(self, *given: Any, **fields: Any) -> Any:
        try:
            return super().__call__(*given, **fields)
        except ValidationError as error:
            raise _refusal(error) from None


class Request(BaseModel, metaclass=_Refusing):
    """Raises Incorrect `unknown_field` or `bad_field`, naming the field."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class Thing(Request):
    """An entity by name, or by an id the hub has given out."""

    id: Name | None = None
    kind: Name | None = None
    name: Name | None = None


class Mention(Thing):
    """A thing as people speak of it: its kind alone, or a part of its name, may be all that is said."""


class Another(Thing):
    """Somebody who is called so, and need not be the one who was called so before."""


class Kin(Thing):
    """Somebody by what they are to the customer (`noun`), who is the one that the relation `by` holds, if it does.

    A `name` that is not the noun is what this one is told to be called.
    """

    noun: Name
    by: Name

    @property
    def is_named(self) -> bool:
        return self.name != self.noun


class NewName(Mention):
    """A thing as it is told to be called: the one of its kind that is known without a name, if there is one."""


class Fact(Request):
    """One explicit fact. `valid_from` and the other moments: RFC 3339 with offset, or a date, month or year."""

    subject: Name | Thing | None = None
    relation: Name
    value: Scalar | None = None
    object: Name | Thing | None = None
    negated: StrictBool = False
    valid_from: Moment | None = None
    valid_to: Moment | None = None
    on: Moment | None = None
    mode: Mode | None = None
    supersedes: Name | None = None
    scope: Scope | None = None
    confidence: Share = 0.8
    importance: Share = 0.5
    pinned: StrictBool = False
    derived_from: Annotated[tuple[Name, ...], Field(max_length=50)] = ()


class Remember(Request):
    customer: Name
    text: Text | None = None
    role: Literal["user", "assistant", "system", "tool"] = "user"
    session: Name | None = None
    said_at: Moment | None = None
    lang: Literal["en", "ko", "vi", "ja"] | None = None
    purpose: Name | None = None
    facts: Annotated[tuple[Fact, ...], Field(max_length=MAX_FACTS)] = ()


class Once(Request):
    """The name under which a request is recorded once, however often it is sent."""

    idempotency_key: Name


class Point(Request):
    """A point in both times: `as_of` for both, or `valid_at` and `known_at` apart."""

    as_of: Moment | None = None
    valid_at: Moment | None = None
    known_at: Moment | None = None


class Recall(Point):
    customer: Name
    query: Text
    purpose: Name | None = None
    session: Name | None = None
    limit: Annotated[StrictInt, Field(ge=1, le=100), BeforeValidator(whole)] = 5
    token_budget: Annotated[StrictInt, Field(ge=1, le=1_000_000), BeforeValidator(whole)] | None = None
    include_past: StrictBool = False
    min_score: Share | None = None
    kinds: Annotated[tuple[Kind, ...], Field(max_length=6)] | None = None
    explain: StrictBool = False
    graph: StrictBool = True
    lang: Literal["en", "ko", "vi", "ja"] | None = None


class Page(Point):
    """What profile, timeline and graph are asked with."""

    customer: Name
    purpose: Name | None = None
    subject: Name | None = None
    relation: Name | None = None
    root: Name | None = None
    hops: Annotated[int, Field(ge=0, le=6)] | None = None
    limit: Limit = 100
    cursor: Annotated[str, Field(max_length=4_000)] | None = None


class WhyNot(Recall):
    """A recall, and what is missed in its answer: words, or the id of a memory."""

    text: Said


class WhyNotKept(Request):
    """What is missed in the answer to a recall that was kept."""

    text: Said


class WhyOf(Recall):
    """The recall of an agent, or of any agent of a domain."""

    agent: Name


class WhyNotOf(WhyOf):
    text: Said


class Compare(Point):
    """Two agents, or domains, whose sights of a customer are laid side by side."""

    customer: Name
    one: Name
    other: Name
    purpose: Name | None = None
    limit: Limit = 100


class TryPolicy(Point):
    """Texts of a policy that is not in force; one that is left out is as it is. `agents`: ids or domains."""

    policy: Text | None = None
    model: Text | None = None
    customer: Name | None = None
    agents: Annotated[tuple[Name, ...], Field(max_length=100)] | None = None
    limit: Limit = 100


class AskPolicy(Request):
    """Whether an agent may do something to what is filed so. `told` omitted: to its owner."""

    agent: Name
    owner: Name
    relation: Name
    told: Name | None = None
    scope: Scope = Scope.PRIVATE
    act: Literal["read", "write", "share", "forget", "erase", "relabel", "decide", "inspect", "consent"] = "read"
    purpose: Name | None = None
    domain: Name | None = None


class NewFeedback(Request):
    """What became of an answer: `cited` are the memories of it that were used; an `outcome` of `unhelpful` or `wrong`
    says that they did not help."""

    cited: Annotated[tuple[Name, ...], Field(max_length=100)]
    outcome: Literal["helpful", "unhelpful", "wrong"] = "helpful"


class Correct(Request):
    value: Scalar | None = None
    valid_from: Moment | None = None
    valid_to: Moment | None = None
    reason: Said | None = None


class Act(Request):
    """Retract, end, forget and restore; `at` is for end."""

    reason: Said | None = None
    at: Moment | None = None


class NewAgent(Request):
    """`new_names`: a domain or purpose that looks like one in use with a slip in it is meant as it is spelt."""

    id: Name
    domain: Name
    roles: Annotated[tuple[Name, ...], Field(max_length=20)] = ()
    customers: Annotated[tuple[Name, ...], Field(max_length=10_000)] | None = None
    purposes: Annotated[tuple[Name, ...], Field(max_length=100)] = ()
    expires_at: Moment | None = None
    new_names: StrictBool = False


class NewConsent(Request):
    """`domain` may be `*` in an objection: every domain but the owner of what it is about."""

    domain: Name
    owner: Name | None = None
    relation: Name | None = None
    effect: Literal["grant", "object"]
    valid_from: Moment | None = None
    valid_to: Moment | None = None
    reason: Said


class NewToken(Request):
    customer: Name
    purpose: Name | None = None
    ttl_seconds: Annotated[StrictInt, Field(ge=1, le=3_600), BeforeValidator(whole)] = 3_600


class NewDocument(Request):
    """Something the company knows. `markdown` omitted: as the name ends; `topic` omitted: where it stands already."""

    document: Name
    text: Annotated[str, Field(strict=True, max_length=MAX_DOCUMENT), AfterValidator(wholesome)]
    topic: Name | None = None
    markdown: StrictBool | None = None


class Shelf(Request):
    """Which page of the list of documents."""

    limit: Annotated[int, Field(ge=1, le=1_000)] = 100
    cursor: Annotated[str, Field(max_length=4_000)] | None = None


class OldDocument(Request):
    """One that is taken back or erased, by its name."""

    document: Name
    reason: Said | None = None


class Promote(Request):
    scope: Scope
    arbitration: Literal["latest", "owner", "trust", "review"] | None = None
    owner: Name | None = None
    existing: StrictBool = False


class MergeRelation(Request):
    """Without a `scope`, values already stored (`existing`) stay with those who can read them."""

    into: Name
    existing: StrictBool = False
    scope: Literal[Scope.PRIVATE, Scope.SHARED] | None = None


class Rate(Request):
    """`score` None: what the domain has earned counts."""

    domain: Name
    score: Share | None
    relation: Name | None = None


class NewPolicy(Request):
    """Texts of the three files; one that is left out stays as it is."""

    model: Text | None = None
    policy: Text | None = None
    relations: Text | None = None
    reason: Said = "replaced"


class NewLabel(Request):
    scope: Scope
    owner: Name | None = None
    reason: Said | None = None


class SameAs(Request):
    customer: Name
    one: Name
    other: Name
    reason: Said | None = None


class Queue(Request):
    """What is to be reviewed, of one customer or of all."""

    customer: Name | None = None
    limit: Annotated[int, Field(ge=1, le=1_000)] = 100
    cursor: Annotated[str, Field(max_length=4_000)] | None = None


class Trail(Request):
    """The last lines of the audit from `since` on and before `until`; a day, month or year means its start, in UTC."""

    agent: Name | None = None
    customer: Name | None = None
    verb: Name | None = None
    since: Moment | None = None
    until: Moment | None = None
    limit: Limit = 100
    cursor: Annotated[str, Field(max_length=4_000)] | None = None


R = TypeVar("R", bound=Request)


def checked(kind: type[R], fields: object) -> R:
    """The request in plain values; raises Incorrect `unknown_field` or `bad_field`, naming the field."""
    try:
        return kind.model_validate(fields)
    except ValidationError as error:
        raise _refusal(error) from None


def each(facts: object, plain: Callable[[Fact | Mapping[str, object]], Mapping[str, object]]) -> object:
    """Every fact in plain values; what is no fact, or no list of them, is left as it is, to be refused by name."""
    if not isinstance(facts, Iterable) or isinstance(facts, str | Mapping | Request):
        return facts
    return [plain(fact) if isinstance(fact, Fact | Mapping) else fact for fact in facts]


def _refusal(error: ValidationError) -> Incorrect:
    errors = error.errors(include_url=False, include_input=False)
    unknown = [e for e in errors if e["type"] == "extra_forbidden"]
    first = (unknown or errors)[0]
    where = (".".join(_steps(first["loc"])) or "body")[:100]
    if unknown:
        return Incorrect("unknown_field", f"there is no field `{where}`", "leave it out, or see `/schema`", where=where)
    if first["type"] == "string_too_long" and first["ctx"]["max_length"] == MAX_TEXT:
        message = f"`{where}` holds more than {MAX_TEXT:,} characters"
        return Incorrect("too_large", message, "send it in parts", where=where)
    return Incorrect(
        "bad_field",
        f"`{where}`: {first['msg'].lower().removeprefix('value error, ')}",
        "send it as `/schema` says",
        where=where,
    )


def _steps(place: tuple[int | str, ...]) -> list[str]:
    """Without the names that pydantic has for the forms a field may take, which the sender never wrote."""
    *above, last = map(str, place or ("",))
    shown = [step for step in above if step != Thing.__name__]
    return [step for step in [*shown, last] if step and not step.startswith("function-")]
