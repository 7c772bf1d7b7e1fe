"""What was said around a hit comes with it: within one talk, as far as the view goes, and less the further away."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from hub.facts import Mode, Scope
from hub.vectors import Meant, steps
from hub.view import Base
from tests.recalling import asked, texts
from tests.views import DOMAINS, SHIPPED, Notebook

TALK = ("Which instrument do you play?", "The oboe, since I was nine.", "How lovely!", "And I sing.")


def talked(*more: str) -> Notebook:
    book = Notebook()
    for text in ("Good to see you.", *TALK, *more):
        book.said("mia", text, session="monday")
    return book


def test_an_answer_is_found_by_the_words_of_its_question():
    found = asked(talked().view(), "instrument play", kinds=["turn"])
    assert texts(found)[:3] == [TALK[0], TALK[1], TALK[2]]
    assert found.memories[0].score > found.memories[1].score > found.memories[2].score


def test_words_of_several_turns_meet_in_the_one_between_them():
    book = talked("The weather is fine.", "Fine indeed.")
    assert texts(asked(book.view(), "oboe lovely sing", limit=1)) == ["How lovely!"]


def test_another_session_and_a_turn_of_none_are_no_neighbours():
    book = Notebook()
    book.said("mia", TALK[0], session="monday")
    book.said("mia", TALK[1], session="tuesday")
    book.said("mia", TALK[2])
    assert texts(asked(book.view(), "instrument play")) == [TALK[0]]


def test_what_was_forgotten_or_taken_back_says_nothing_about_its_neighbours():
    for act in ("hide", "withdraw"):
        book = talked()
        question = next(row.record for row in book.rows if row.record.text == TALK[0])
        getattr(book, act)("mia", question)
        assert texts(asked(book.view(), "instrument play")) == []


def test_a_neighbour_that_is_not_in_the_view_is_none_and_the_next_one_stands_in_its_place():
    book = Notebook()
    for agent, text in zip(("mia", "sage", "mia"), TALK, strict=False):
        book.said(agent, text, session="monday")

    def sees(filing):
        return all(label.told != "health" for label in filing)

    shown = Notebook(book.registry, [row for row in book.rows if sees(row.filing)])
    answer = asked(book.as_of(book.now, sees), "instrument play")
    assert texts(answer) == [TALK[0], TALK[2]]
    assert answer == asked(shown.as_of(book.now), "instrument play")


said = st.tuples(
    st.sampled_from(sorted(DOMAINS)),
    st.sampled_from(["oboe", "oboe and tea", "tea at nine", "nine it is", "yes"]),
    st.sampled_from([None, "monday", "tuesday"]),
)


@given(st.lists(said, max_size=16), st.sampled_from(sorted(DOMAINS)), st.integers(0, 16))
def test_what_others_said_in_the_same_talk_changes_no_answer(told, domain, known):
    book = Notebook()
    for agent, text, session in told:
        book.said(agent, text, session=session)
    at = book.rows[known].at if known < len(book.rows) else book.now

    def sees(filing):
        return all(label.scope is not Scope.PRIVATE or domain in (label.owner, label.told) for label in filing)

    shown = Notebook(book.registry, [row for row in book.rows if sees(row.filing) and row.at <= at])
    assert asked(book.as_of(at, sees), "tea and oboe at nine") == asked(shown.as_of(at), "tea and oboe at nine")


# --- meaning -----------------------------------------------------------------------------------------------------


def meaning(book: Notebook, vectors: dict[str, list[float]]):
    """A view of the book with these vectors, by the text of a turn or the value of a fact."""
    base = book.base(Base(SHIPPED, embedder="by hand"))
    rows = [row.record for row in book.rows]
    said = {number: getattr(record, "text", None) or record.value for number, record in enumerate(rows)}
    known = {number: steps(vectors[text]) for number, text in said.items() if text in vectors}
    base.meanings.matrix.put(list(known), list(known.values()))
    return book.view(base=base)


def near(cosine: float) -> list[float]:
    return [cosine, (1 - cosine**2) ** 0.5]


def test_what_means_the_same_is_found_without_a_word_in_common():
    book = Notebook()
    book.told("mia", "motto", "carpe diem")
    book.said("mia", "The kitten sleeps all day")
    view = meaning(book, {"carpe diem": near(0.05), "The kitten sleeps all day": near(0.7)})
    answer = asked(view, "lazy feline", Meant(steps([1.0, 0.0])), explain=True)
    assert texts(answer) == ["The kitten sleeps all day"]
    assert answer.memories[0].explain.dense > 0 == answer.memories[0].explain.lexical
    assert texts(asked(view, "lazy feline")) == []


def test_meaning_speaks_for_the_turns_beside_it_too():
    book = Notebook()
    for text in ("first", "second", "third"):
        book.said("mia", text, session="monday")
    view = meaning(book, {"first": near(0.0), "second": near(0.95), "third": near(0.0)})
    answer = asked(view, "feline", Meant(steps([1.0, 0.0])), min_score=0.0, explain=True)
    shares = {memory.text: memory.explain.dense for memory in answer.memories}
    assert shares["second"] > shares["third"] > shares["first"] > 0


def test_a_claim_of_another_value_than_is_held_means_nothing():
    book = Notebook()
    book.told("mia", "lives_in", "Hanoi")
    book.told("mia", "lives_in", "Hue", mode=Mode.CHANGE)
    view = meaning(book, {"Hanoi": near(0.9), "Hue": near(0.0)})
    assert texts(asked(view, "feline", Meant(steps([1.0, 0.0])))) == []


def test_whoever_asks_for_any_score_gets_what_the_floor_would_keep_back():
    book = talked()
    query = "The oboe and a great many other things that nobody here has ever spoken of before today"
    assert texts(asked(book.view(), query, kinds=["turn"])) == []
    assert texts(asked(book.view(), query, kinds=["turn"], min_score=0.0))[0] == TALK[1]
