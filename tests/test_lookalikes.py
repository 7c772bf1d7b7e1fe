"""Names that look like others are refused, whoever gives them and by whatever road; names in four languages are not."""

from __future__ import annotations

import pytest

from hub.clock import SimulatedClock
from hub.codec import encode
from hub.errors import Incorrect
from hub.hub import Hub
from hub.remember.lookalikes import check_named
from tests.fake_model import asker
from tests.scene import CUSTOMER, START

KIM = CUSTOMER

SPELLED = (
    "Honda Civic|갤럭시 S24|삼성Galaxy|LG그램|제네시스 G80|iPhoneケース|iPhone用ケース|東京タワー|トヨタ・プリウス|カ力"
    "|Nguyễn Văn Á|Đà Nẵng|Café del Mar|Škoda|München|Ødegård|Łódź|Straße|Ｈｏｎｄａ|ＬＧ 그램|Sony α7 IV|μTorrent|H₂O"
    "|Сергей|Рома|Лада Vesta|Яндекс Go|می\u200cخواهم|क्\u200dष|❤\ufe0f shop|👨\u200d👩\u200d👧 family"
    "|Hawaiʻi|Əliyev|Kofi Mɛnsa|Diyarbakır|Işık|Yıldız|Aydın|Sarıyer|Kadıköy|Kırşehir|DIŞKAPı"
    "|ไทยbev|Bar עברית|〆切App|佐々木AI|ラーメンX|🫩 shop|ℌ𝔬𝔫𝔡𝔞|ªrea"
    "|❤\ufe0f\u200d🔥|#\ufe0f\u20e3 tag|1\ufe0f\u20e3"
).split("|")

DECEIVING = (
    "Hоnda|Нonda|Ноnda Civic|Honda Сіvіс|Toyota Саmrу|Hоndа시빅|Hοnda|Հonda|Ꮋonda|Hon\u200bda|Hon\u200dda|Hon\u200cda"
    "|Civic\u200d|\u200dHonda|\u200bHonda|Honda\u2060|H\u00adonda|\ufeffHonda|\u202eadnoH|Honda\u3164|Honda\ufe0f"
    "|Hondɑ|Hᴏnda|Civiᴄ|Cɪvɪc|Civıc|Cıvıc|Mıtsubishi|Kıa|Fıat|Robın|Wındows|ɡoogle|Hǀlton|Honda\U00010414|\U00010414onda|ᗪonda|Ꝏ|ꞵeta|Boɾk"
    "|Hon\ufffada|Hon\U0001d173da|Hon\U0001bca0da|Hon\u0600da|Hon\u070fda|Hon\u08e2da|Hon\U000110bdda|Hon\ue000da"
    "|Hon\U000e0041da|Hon\u0378da|Hon\u2028da|Hon\u0085da|\U0010fffd|م\u0600خ"
    "|Ho\u0335nda|혼\u200b다|ホ\u200bンダ|👨\u200d"
).split("|")


@pytest.mark.parametrize("name", SPELLED)
def test_a_name_as_it_is_spelled_is_taken(name):
    check_named(name, "object")


@pytest.mark.parametrize("name", DECEIVING, ids=ascii)
def test_a_name_that_passes_for_another_is_refused(name):
    with pytest.raises(Incorrect) as refused:
        check_named(name, "object")
    assert refused.value.code == "lookalike_name"


@pytest.fixture
def hub():
    with Hub.open(clock=SimulatedClock(START)) as hub:
        hub.agent("mia", KIM).remember(facts=[{"relation": "owns", "object": {"kind": "car", "name": "Honda Civic"}}])
        yield hub


TWIN = "Hоnda Civic"


@pytest.mark.parametrize(
    "fact",
    [
        {"relation": "owns", "object": {"kind": "car", "name": TWIN}},
        {"relation": "owns", "object": TWIN},
        {"relation": "owns", "object": {"name": "Honda\u200b Civic"}},
        {"relation": "mileage", "subject": TWIN, "value": "12,000 km"},
        {"relation": "mileage", "subject": {"kind": "car", "name": TWIN}, "value": "12,000 km"},
        {"relation": "same_as", "subject": TWIN, "object": "Honda Civic"},
        {"relation": "same_as", "subject": "Honda Civic", "object": TWIN},
    ],
)
def test_a_twin_of_a_name_is_refused_with_the_place_it_stands_in_and_nothing_is_recorded(hub, fact):
    mia = hub.agent("mia", KIM)
    before = encode(mia.profile())
    with pytest.raises(Incorrect) as refused:
        mia.remember(facts=[{"relation": "likes", "value": "tea"}, fact])
    assert refused.value.code == "lookalike_name"
    assert refused.value.where == "facts.1." + next(w for w in ("subject", "object") if _odd(fact.get(w)))
    assert encode(mia.profile()) == before


def _odd(named):
    return named is not None and not str(named if isinstance(named, str) else named["name"]).isascii()


def test_what_is_heard_of_a_twin_is_refused_by_name_and_the_rest_is_recorded(hub):
    answer = hub.agent("mia", KIM).remember(f"My car is a {TWIN}, and I live in Hue")
    assert [one.code for one in answer.refused] == ["lookalike_name"]
    assert [one.label.relation for one in answer.facts] == ["lives_in"]


def test_a_model_names_nothing_by_signs_nobody_sees():
    told = {"quote": "a Hоnda is what takes me", "relation": "owns", "thing": {"kind": "car", "name": "Hоnda"}}
    reader, _ = asker([told])
    with Hub.open(clock=SimulatedClock(START), extractor=reader) as hub:
        answer = hub.agent("mia", KIM).remember("Yes, a Hоnda is what takes me to work")
        assert [one.code for one in answer.refused] == ["lookalike_name"]


def test_whether_a_name_is_refused_says_nothing_of_what_is_known():
    with Hub.open(clock=SimulatedClock(START)) as empty, pytest.raises(Incorrect) as refused:
        empty.agent("kai", KIM).remember(facts=[{"relation": "owns", "object": TWIN}])
    assert TWIN not in str(refused.value)
