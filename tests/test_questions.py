"""Questions call a relation by more than its label: by words of four languages, and by a name nobody registered."""

from __future__ import annotations

import pytest

from hub.errors import Incorrect
from hub.hub import Hub
from hub.recall.calling import TELLING
from hub.recall.cues import vocabulary
from hub.recall.weighing import FLOORS, GRAPH, WORDS_ONLY
from hub.registry import Registry
from tests.recalling import asked, relevant
from tests.views import SHIPPED, Notebook, thing

PHRASES = [
    (relation, phrase)
    for relation, by_lang in SHIPPED.question_words.items()
    for ws in by_lang.values()
    for phrase in ws
]


def test_every_relation_that_has_questions_has_them_in_four_languages():
    assert all(set(by_lang) == {"en", "ko", "vi", "ja"} for by_lang in SHIPPED.question_words.values())
    assert len(SHIPPED.question_words) >= 50


def test_every_phrase_is_heard_in_a_question_and_none_is_what_any_talk_is_made_of():
    known = vocabulary(SHIPPED)
    for relation, phrase in PHRASES:
        assert relation in known.read(phrase).relations, phrase
    for word in SHIPPED.words:
        assert not set(known.read(word).relations) & SHIPPED.question_words.keys(), word


def someone() -> Notebook:
    book = Notebook()
    book.told("mia", "lives_in", "Incheon")
    book.told("mia", "language", "Tiếng Việt")
    book.told("atlas", "planned_trip", thing("Huế", "city"))
    book.told("sage", "has_condition", "gout")
    book.told("mia", "works_at", thing("Vinamilk", "company"))
    book.told("penny", "budget", "700 USD")
    return book


ASKED = [
    ("고객은 지금 어디에 살고 있나요?", "lives in: Incheon"),
    ("お客様はどこに住んでいますか？", "lives in: Incheon"),
    ("Nên nói chuyện bằng ngôn ngữ nào?", "speaks: Tiếng Việt"),
    ("何語で話せばいいですか？", "speaks: Tiếng Việt"),
    ("Chị ấy sẽ đi đâu?", "trip to: Huế"),
    ("어디로 떠나세요?", "trip to: Huế"),
    ("고객에게 병이 있어요?", "has: gout"),
    ("Khách mắc bệnh gì?", "has: gout"),
    ("Who is her employer?", "works at: Vinamilk"),
    ("얼마까지 쓸 수 있어요?", "budget: 700 USD"),
]


@pytest.mark.parametrize(("query", "text"), ASKED, ids=range(len(ASKED)))
def test_a_question_is_answered_that_has_no_word_of_the_label(query: str, text: str):
    assert relevant(asked(someone().view(), query))[0] == text


def test_a_particle_does_not_part_the_words_of_a_question():
    assert vocabulary(SHIPPED).read("조심해야 할 병이 있어요?").relations == ("has_condition",)
    assert vocabulary(SHIPPED).read("책상에 꽃병이 하나").relations == ()


# --- names nobody registered -------------------------------------------------------------------------------------


def with_a_colour() -> Notebook:
    book = someone()
    book.told("mia", "màu_yêu_thích", "xanh lá")
    book.told("mia", "house_code", "blue door")
    return book


def test_a_telling_word_of_a_name_nobody_registered_brings_up_what_is_held_under_it():
    answer = asked(with_a_colour().view(), "Gói quà bằng giấy màu gì nhỉ?", explain=True)
    assert [memory.text for memory in answer.memories if memory.score] == ["màu yêu thích: xanh lá"]
    assert answer.memories[0].explain.why == ("asks for `mau`",)


def test_a_word_of_such_a_name_is_no_answer_by_itself_and_one_that_any_talk_is_made_of_is_no_cue():
    assert min(WORDS_ONLY.fact, FLOORS.fact) > GRAPH * TELLING
    (liked,) = asked(with_a_colour().view(), "Bạn thích gì?", explain=True).memories
    assert liked.explain.why == ()


def test_a_name_is_asked_for_alike_before_and_after_it_was_promoted():
    query, colour = "Gói quà bằng giấy màu gì nhỉ?", "màu_yêu_thích"
    with Hub.open(embedder="none", extractor=None) as hub:
        mia = hub.agent("mia", "linh")
        mia.remember(facts=[{"relation": colour, "value": "xanh lá"}])
        before = mia.recall(query, explain=True)
        hub.operator().promote(colour, scope="private", existing=True)
        after = mia.recall(query, explain=True)
        assert [answer.memories[0].explain.graph for answer in (before, after)] == [TELLING, TELLING]


# --- the file ----------------------------------------------------------------------------------------------------

OWN = {
    "classes": {"state": "30d"},
    "relations": {"locker": {"owner": "gym", "cardinality": "one", "class": "state", "label": {"en": "locker"}}},
}


def test_a_registry_of_ones_own_has_questions_of_its_own_and_none_for_relations_it_lacks():
    words = {"questions": {"lives_in": {"en": ["reside"]}}}
    own = Registry.parse(OWN | {"questions": {"locker": {"en": ["where are her things"]}}}, "r.yaml", words)
    assert dict(own.questions) == {"locker": ("where are her things",)}
    assert vocabulary(own).read("Where are her things, please?").relations == ("locker",)


def test_a_question_for_no_relation_is_refused():
    with pytest.raises(Incorrect) as refused:
        Registry.parse(OWN | {"questions": {"lokcer": {"en": ["where"]}}}, "r.yaml")
    assert refused.value.code == "bad_registry"
    assert "`lokcer`, which is no relation" in refused.value.message
