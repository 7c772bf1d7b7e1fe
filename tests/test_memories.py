"""What a view holds, written out: one memory, a profile by entity, a timeline by slot."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import chain, repeat

import pytest

from hub import memories
from hub.codec import replaced
from hub.facts import CUSTOMER, Described, Label, Mode, Precision, Scope, Status
from hub.memories import heard, profile, remembered, strictest, timeline
from hub.moments import DAY, HOUR, as_datetime
from hub.timeline import sides
from hub.view import Row
from hub.view.finding import meant
from tests.views import START, Notebook, thing

CIVIC, CAMRY, CITY = thing("Honda Civic", "car"), thing("Toyota Camry", "car"), thing("Da Nang", "city")
HOME = (CUSTOMER, "lives_in", None)


def one(book: Notebook, **fields):
    """The only belief there is, as a memory."""
    view = book.view()
    (belief,) = view.beliefs()
    return remembered(view, belief, **fields)


def pages(turn, view, limit):
    """All pages of a profile or timeline, one after the other."""
    after, more = 0, True
    while more:
        page, more = turn(view, limit, after)
        after += limit
        yield page


# --- one memory --------------------------------------------------------------------------------------------------


def test_a_fact_says_what_when_who_and_how_sure():
    book = Notebook()
    claim = book.told("penny", "budget", "800 USD", confidence=0.6)
    book.told("mia", "budget", "800 USD", confidence=0.5)
    memory = one(book, score=0.5)
    assert (memory.id, memory.kind, memory.text) == (claim.id, "fact", "budget: 800 USD")
    assert (memory.subject, memory.subject_id, memory.relation, memory.value) == (
        "customer",
        "customer",
        "budget",
        "800 USD",
    )
    assert (memory.valid_from, memory.valid_to) == (as_datetime(claim.recorded_at), None)
    assert (memory.author.agent, memory.author.domain, memory.scope) == ("penny", "finance", Scope.SHARED)
    assert (memory.confidence, memory.score, memory.status, memory.core) == (0.8, 0.5, Status.CURRENT, False)
    assert memory.expires == as_datetime(claim.recorded_at + 1_000_000 + 90 * DAY)


def test_a_fact_about_a_thing_names_both_ends():
    book = Notebook()
    book.told("mia", "owns", CIVIC)
    assert (one(book).value, one(book).object_id, one(book).text) == ("Honda Civic", CIVIC.id, "owns: Honda Civic")
    book = Notebook()
    book.told("kai", "availability", "3 days", about=CIVIC)
    memory = one(book)
    assert (memory.subject, memory.subject_id, memory.object_id) == ("Honda Civic", CIVIC.id, None)
    assert memory.core


@pytest.mark.parametrize(
    ("lang", "text"),
    [
        ("en", "no car for 3 days"),
        ("ko", "차 사용 불가 (3 days)"),
        ("vi", "không có xe 3 days"),
        ("ja", "車が故障中（3 days）"),
    ],
)
def test_a_fact_reads_in_the_language_it_was_said_in(lang, text):
    book = Notebook()
    book.told("kai", "availability", "3 days", lang=lang)
    assert one(book).text == text


def test_a_plan_says_the_day_it_describes():
    book = Notebook()
    book.told("atlas", "planned_trip", CITY, on=Described(START + 9 * DAY, Precision.DAY))
    memory = one(book)
    assert (memory.on, memory.status) == (as_datetime(START + 9 * DAY), Status.UPCOMING)


def test_both_sides_of_a_contest_name_each_other():
    book = Notebook()
    book.told("mia", "lives_in", "Hanoi")
    book.told("atlas", "lives_in", "Hue")
    book.told("kai", "lives_in", negated=True)
    view = book.view()
    memories = [remembered(view, side) for side in sides(view.believe(HOME))]
    assert [(m.value, set(m.contested_by)) for m in memories] == [
        ("Hue", {"Hanoi", "none"}),
        ("Hanoi", {"Hue", "none"}),
    ]


class Between:
    """A face that another thread writes upon between two looks at it."""

    def __init__(self, face: object, told: Iterable[object]) -> None:
        self._face, self._told = face, iter(told)

    def __getattr__(self, name: str) -> object:
        return getattr(self._face, name)

    @property
    def told(self) -> object:
        return next(self._told)


@pytest.mark.parametrize("looks", [1, 2])
def test_what_another_tells_meanwhile_of_the_same_claim_is_not_told_in_its_place(monkeypatch, looks):
    book = Notebook()
    first = book.told("mia", "lives_in", "Hanoi")
    book.told("atlas", "lives_in", "Hanoi")
    base = book.base()
    then, now = book.as_of(first.recorded_at, base=base), book.view(base=base)
    told = [(view.believe(HOME), remembered(view, view.believe(HOME))) for view in (then, now)]
    assert [(belief.claim, memory.corroboration) for belief, memory in told] == [(first, 1), (first, 2)]
    shared = Between(memories._face(then, first), chain(repeat(told[0], looks), repeat(told[1])))
    monkeypatch.setattr(memories, "_face", lambda *_: shared)
    assert remembered(then, told[0][0]) == told[0][1]


def test_a_fact_filed_under_several_labels_has_the_strictest_scope():
    def filing(*scopes):
        return frozenset(Label("personal", "personal", scope, "likes") for scope in scopes)

    assert strictest(filing(Scope.SHARED)) is Scope.SHARED
    assert strictest(filing(Scope.GLOBAL)) is Scope.GLOBAL
    assert strictest(filing(Scope.GLOBAL, Scope.SHARED)) is Scope.SHARED
    assert strictest(filing(Scope.SHARED, Scope.PRIVATE)) is Scope.PRIVATE


def test_what_is_filed_nowhere_counts_as_private():
    book = Notebook()
    book.told("mia", "likes", "tea")
    view = book.view()
    elsewhere = Notebook()
    elsewhere.told("mia", "likes", "tea")
    (row,) = elsewhere.rows
    elsewhere.rows[0] = replaced(row, record=replaced(row.record, id="fact_other"))
    assert remembered(view, elsewhere.view().beliefs()[0]).scope is Scope.PRIVATE


def test_what_superseded_a_fact_is_named_if_it_can_be_seen():
    book = Notebook()
    book.told("mia", "lives_in", "Hanoi")
    newer = book.told("mia", "lives_in", "Hue", mode=Mode.CHANGE)
    view = book.view()
    stretches = view.history(HOME)
    assert [remembered(view, belief).superseded_by for belief in stretches] == [newer.id, None]
    assert remembered(Notebook().view(), stretches[0]).superseded_by is None


def test_a_turn_is_verbatim():
    book = Notebook()
    turn = book.said("mia", "  Twice\n  the <b>coffee</b>  ")
    memory = heard(book.view(), turn, score=0.25)
    assert (memory.kind, memory.text, memory.score) == ("turn", turn.text, 0.25)
    assert (memory.subject, memory.relation, memory.value) == (None, None, None)
    assert (memory.valid_from, memory.scope, memory.status) == (
        as_datetime(turn.said_at),
        Scope.PRIVATE,
        Status.CURRENT,
    )
    assert heard(book.view(), turn, past=True).status is Status.PAST


# --- profile -----------------------------------------------------------------------------------------------------


def known(profile_page):
    return [(entity.name, [memory.text for memory in entity.beliefs]) for entity in profile_page]


def test_a_profile_goes_by_entity_and_leaves_out_what_is_over():
    book = Notebook()
    book.told("mia", "owns", CIVIC)
    book.told("kai", "availability", "3 days", about=CIVIC)
    book.told("mia", "lives_in", "Hanoi")
    book.told("mia", "lives_in", "Hue", mode=Mode.CHANGE)
    book.told("mia", "lives_in", "Saigon", since=START + 90 * DAY, mode=Mode.CHANGE)
    view = book.view()
    entities, more = profile(view, 100, 0)
    assert known(entities) == [
        ("customer", ["owns: Honda Civic", "lives in: Hue", "lives in: Saigon"]),
        ("Honda Civic", ["Honda Civic · no car for 3 days"]),
    ]
    assert [(entity.id, entity.kind) for entity in entities] == [("customer", "person"), (CIVIC.id, "car")]
    assert [memory.status.value for memory in entities[0].beliefs] == ["current", "current", "upcoming"]
    assert not more
    later = profile(book.view(START + 91 * DAY), 100, 0)[0]
    assert known(later) == [("customer", ["owns: Honda Civic", "lives in: Saigon"])]


def test_a_profile_shows_both_sides_of_a_contest():
    book = Notebook()
    book.told("mia", "lives_in", "Hanoi")
    book.told("atlas", "lives_in", "Hue")
    (customer,) = profile(book.view(), 100, 0)[0]
    assert [(memory.value, memory.contested_by) for memory in customer.beliefs] == [
        ("Hue", ("Hanoi",)),
        ("Hanoi", ("Hue",)),
    ]


def test_a_profile_of_many_facts_is_walked_page_by_page():
    book = Notebook()
    for number in range(1_137):
        book.told(
            "mia", "likes", f"dish {number}", about=(CIVIC if number % 3 else thing("customer", "person", CUSTOMER))
        )
    walked = list(pages(profile, book.view(), 100))
    assert len(walked) == 12
    assert all(sum(len(entity.beliefs) for entity in page) == 100 for page in walked[:-1])
    texts = [memory.text for page in walked for entity in page for memory in entity.beliefs]
    assert len(texts) == len(set(texts)) == 1_137


def test_a_name_that_was_forgotten_is_in_no_profile():
    book = Notebook()
    secret = book.told("mia", "owns", thing("Secret Boat", "boat", "ent_boat"))
    book.told("kai", "fault", "a leak", about=thing("the boat", id="ent_boat"))
    book.told("kai", "fault", "rust", about=thing("the old boat", "ship", "ent_boat"))
    book.hide("mia", secret)
    (boat,) = profile(book.view(), 100, 0)[0]
    assert (boat.name, boat.kind, len(boat.beliefs)) == ("the boat", "ship", 2)


# --- timeline ----------------------------------------------------------------------------------------------------


def test_a_timeline_has_every_stretch_oldest_first():
    book = Notebook()
    for city in ("Hanoi", "Hue", "Hanoi"):
        book.told("mia", "lives_in", city, mode=Mode.CHANGE)
        book.wait(DAY)
    book.told("mia", "lives_in", "Saigon", since=START + 30 * DAY, mode=Mode.CHANGE)
    (slot,), more = timeline(book.view(), None, None, 100, 0)
    assert (slot.subject, slot.relation, slot.value, more) == ("customer", "lives_in", None, False)
    assert [(memory.value, memory.status.value) for memory in slot.intervals] == [
        ("Hanoi", "past"),
        ("Hue", "past"),
        ("Hanoi", "current"),
        ("Saigon", "upcoming"),
    ]
    assert [memory.valid_to for memory in slot.intervals[:-1]] == [memory.valid_from for memory in slot.intervals[1:]]


def test_a_stay_begun_again_is_two_stretches_of_one_slot():
    book = Notebook()
    for start in (10, 30):
        book.told("mia", "has_pet", "a cat", since=START - start * DAY, until=START - (start - 5) * DAY)
    (slot,), _ = timeline(book.view(), None, None, 100, 0)
    assert (slot.value, len(slot.intervals)) == ("a cat", 2)


def test_a_timeline_can_be_of_one_subject_and_one_relation():
    book = Notebook()
    book.told("mia", "owns", CIVIC)
    book.told("mia", "lives_in", "Hanoi")
    book.told("kai", "availability", "3 days", about=CIVIC)
    view = book.view()

    def slots(subject, relation=None):
        return [(slot.subject, slot.relation) for slot in timeline(view, subject, relation, 100, 0)[0]]

    assert slots(None) == [("customer", "owns"), ("customer", "lives_in"), ("Honda Civic", "availability")]
    assert slots("honda civic") == slots(CIVIC.id) == [("Honda Civic", "availability")]
    assert slots("customer", "lives_in") == [("customer", "lives_in")]
    assert slots("somebody else") == slots("customer", "likes") == []
    assert [slot.value for slot in timeline(view, None, "owns", 100, 0)[0]] == ["Honda Civic"]


def test_a_side_that_never_held_is_in_the_timeline_too():
    book = Notebook()
    book.told("mia", "lives_in", "Hanoi", since=START)
    book.told("atlas", "lives_in", "Hue", since=START)
    (slot,), _ = timeline(book.view(), None, None, 100, 0)
    assert [(memory.value, memory.contested_by) for memory in slot.intervals] == [
        ("Hue", ("Hanoi",)),
        ("Hanoi", ("Hue",)),
    ]


def test_a_timeline_is_walked_page_by_page():
    book = Notebook()
    for number in range(25):
        book.told("mia", "likes", f"dish {number}")
    walked = list(pages(lambda view, limit, after: timeline(view, None, None, limit, after), book.view(), 10))
    assert [len(page) for page in walked] == [10, 10, 5]
    assert [slot.value for page in walked for slot in page] == [f"dish {number}" for number in range(25)]


# --- who is meant ------------------------------------------------------------------------------------------------


def test_a_name_means_all_that_are_called_so_and_an_id_one():
    book = Notebook()
    first, second = thing("Anna", "person", "ent_1"), thing("anna", "person", "ent_2")
    book.told("mia", "family_member", first)
    book.told("mia", "family_member", second)
    view = book.view()
    assert meant(view, "ANNA") == ["ent_1", "ent_2"]
    assert meant(view, "ent_2") == ["ent_2"]
    assert meant(view, "Customer") == ["customer"]
    assert meant(view, "ent_3") == meant(view, "*") == []
    book.told("mia", "same_as", second, about=first)
    assert meant(book.view(), "anna") == ["ent_1"]


def test_entities_that_are_one_are_one_in_the_profile_until_that_is_taken_back():
    book = Notebook()
    rocket = thing("Red Rocket", "car")
    book.told("mia", "owns", CIVIC)
    book.told("kai", "availability", "6 days", about=rocket)
    alias = book.told("mia", "same_as", CIVIC, about=rocket)
    book.told("kai", "warranty_until", "2028", about=CIVIC)
    assert [entity.name for entity in profile(book.view(), 100, 0)[0]] == ["customer", "Honda Civic"]
    book.withdraw("mia", alias)
    assert [entity.name for entity in profile(book.view(), 100, 0)[0]] == ["customer", "Honda Civic", "Red Rocket"]


def test_rows_that_moved_to_another_filing_are_seen_once():
    book = Notebook()
    claim = book.told("mia", "likes", "tea")
    moved = Row(claim, frozenset({Label("personal", "personal", Scope.PRIVATE, "likes")}), claim.recorded_at + HOUR, 2)
    base = book.base()
    base.left[0] = (moved.at, 2)
    base.left_ats.append(moved.at)
    base.append(moved)
    book.rows.append(moved)
    for at, scope in ((claim.recorded_at, Scope.SHARED), (moved.at, Scope.PRIVATE)):
        (entity,) = profile(book.as_of(at, base=base), 100, 0)[0]
        assert [(memory.text, memory.scope) for memory in entity.beliefs] == [("likes: tea", scope)]
