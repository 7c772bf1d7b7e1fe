"""What people say once more, late, or of two things of one name: faults of other memories, told in sentences."""

from __future__ import annotations

import json

import pytest

from hub.clock import SimulatedClock
from hub.errors import Incorrect
from hub.hub import Hub
from hub.moments import DAY, as_datetime, instant
from tests.test_told_times import says

START = instant("2026-07-01T09:00:00Z")
KIM = "kh-001"


@pytest.fixture
def clock():
    return SimulatedClock(START)


@pytest.fixture
def hub(clock):
    with Hub.open(clock=clock) as hub:
        yield hub


@pytest.fixture
def mia(hub):
    return hub.agent("mia", KIM)


def beliefs(agent, **at):
    told = [m for entity in agent.profile(**at).entities for m in entity.beliefs]
    return {m.text for m in told if m.status == "current"}


@pytest.mark.parametrize(
    ("before", "then", "was", "now"),
    [
        ("I live in Paris", "I moved to Rome", "lives in: Paris", "lives in: Rome"),
        ("I love coffee", "I hate coffee", "likes: coffee", "dislikes: coffee"),
        ("저는 부산에 살아요", "저는 서울로 이사했어요", "사는 곳: 부산", "사는 곳: 서울"),
        ("저는 커피를 좋아해요", "저는 커피를 싫어해요", "좋아하는 것: 커피", "싫어하는 것: 커피"),
        ("Tôi sống ở Huế", "Tôi đã chuyển đến Đà Lạt", "sống ở: Huế", "sống ở: Đà Lạt"),
        ("Tôi thích cà phê", "Tôi ghét cà phê", "thích: cà phê", "không thích: cà phê"),
        ("京都に住んでいます", "大阪に引っ越しました", "住まい: 京都", "住まい: 大阪"),
        ("コーヒーが好きです", "コーヒーが嫌いです", "好きなもの: コーヒー", "嫌いなもの: コーヒー"),
    ],
)
def test_the_new_word_holds_now_and_the_old_one_in_the_past_only(hub, mia, clock, before, then, was, now):
    mia.remember(before)
    told = clock.now()
    clock.advance(30 * DAY)
    mia.remember(then)
    assert beliefs(mia) == {now}
    assert beliefs(mia, as_of=as_datetime(told)) == {was}
    past = [m.status for m in mia.recall(f"{before} {then}", include_past=True).memories if m.text == was]
    assert past == ["past"]


@pytest.mark.parametrize("text", ["I love jazz", "재즈를 좋아해요", "Tôi thích nhạc jazz", "ジャズが好きです"])
def test_what_is_told_three_times_is_one_memory_and_surer_each_time(mia, clock, text):
    surer = []
    for _ in range(3):
        mia.remember(text)
        clock.advance(DAY)
        (memory,) = [m for entity in mia.profile().entities for m in entity.beliefs]
        surer.append((memory.corroboration, memory.confidence))
    assert [count for count, _ in surer] == [1, 2, 3]
    assert surer[0][1] < surer[1][1] < surer[2][1]


def test_what_was_taken_back_and_is_told_again_is_a_new_claim_and_no_old_one_that_comes_back(mia, clock):
    talk = "I love jazz and I live in Hue"
    jazz, _ = says(mia, talk)
    clock.advance(DAY)
    mia.retract(jazz.id)
    assert beliefs(mia) == {"lives in: Hue"}
    clock.advance(DAY)
    again, _ = says(mia, talk)
    assert beliefs(mia) == {"lives in: Hue", "likes: jazz"}
    assert again.id != jazz.id
    assert mia.timeline(relation="likes").slots[0].intervals[-1].id == again.id
    yesterday = as_datetime(clock.now() - DAY)
    assert beliefs(mia, known_at=yesterday) == {"lives in: Hue"}  # what was settled then stays settled


def test_five_years_brought_along_today_were_not_known_last_week_and_were_so_then(hub, mia):
    homes = [("2021-03-01", "Hue"), ("2023-05-01", "Hanoi"), ("2025-01-01", "Saigon")]
    lines = [
        json.dumps(
            {"agent": "mia", "customer": KIM, "said_at": f"{day}T12:00:00Z", "text": f"I moved to {place} today"}
        )
        for day, place in homes
    ]
    assert hub.operator().load(lines).recorded == len(homes)
    assert beliefs(mia) == {"lives in: Saigon"}
    assert beliefs(mia, known_at="2026-06-24T00:00:00Z") == set()
    assert [beliefs(mia, valid_at=f"{year}-07-01T00:00:00Z") for year in (2022, 2023, 2025)] == [
        {"lives in: Hue"}, {"lives in: Hanoi"}, {"lives in: Saigon"},
    ]  # fmt: skip


def test_two_of_one_name_are_two_and_what_made_them_one_is_taken_back(hub, mia):
    fruit, firm = {"kind": "fruit", "name": "Apple"}, {"kind": "company", "name": "Apple"}
    mia.remember(facts=[{"relation": "craves", "object": fruit}, {"relation": "works_at", "object": firm}])
    annas = [{"kind": kind, "name": "Anna"} for kind in ("sister", "colleague")]
    mia.remember(facts=[{"relation": "likes", "value": "tea", "subject": anna} for anna in annas])
    apples = [node for node in mia.graph().nodes if node.name == "Apple"]
    assert len({node.id for node in apples}) == 2
    joined = mia.remember(facts=[{"relation": "same_as", "subject": fruit, "object": firm}]).facts[0]
    assert len([node for node in mia.graph().nodes if node.name == "Apple"]) == 1
    mia.retract(joined.id)
    assert len([node for node in mia.graph().nodes if node.name == "Apple"]) == 2
    assert [e.kind for e in mia.profile().entities if e.name == "Anna"] == ["sister", "colleague"]
    with pytest.raises(Incorrect, match="may be one of 2 things"):
        mia.remember(facts=[{"relation": "likes", "value": "jazz", "subject": "Anna"}])


def test_a_job_taken_up_again_is_a_second_stint(mia, clock):
    for text in ("I work at FPT", "I no longer work at FPT", "I now work at FPT"):
        mia.remember(text)
        clock.advance(100 * DAY)
    (slot,) = mia.timeline(relation="works_at").slots
    assert [(m.value, m.valid_to is None) for m in slot.intervals] == [("FPT", False), ("FPT", True)]


@pytest.mark.parametrize(
    ("old", "new", "asked"),
    [
        ("My alert threshold is 0.8", "I lowered my alert threshold to 0.6", "What is the alert threshold?"),
        ("제 알림 기준은 0.8이에요", "제 알림 기준은 이제 0.6이에요", "알림 기준이 뭐예요?"),
        ("Ngưỡng cảnh báo của tôi là 0.8", "Ngưỡng cảnh báo của tôi giờ là 0.6", "Ngưỡng cảnh báo là bao nhiêu?"),
        ("私の警告しきい値は0.8です", "私の警告しきい値は今は0.6です", "警告しきい値は？"),
    ],
)
def test_however_often_the_old_number_was_said_the_new_one_answers(hub, clock, old, new, asked):
    penny = hub.agent("penny", KIM)
    for said in (old, f"{old}.", f"{old}!", old):
        penny.remember(said)
        clock.advance(DAY)
    penny.remember(new)
    clock.advance(DAY)
    now = [m.text for m in penny.recall(asked).memories]
    assert "0.6" in now[0]
    assert not any("0.8" in text for text in now)
    past = {m.text: m.status for m in penny.recall(asked, include_past=True).memories if "0.8" in m.text}
    assert set(past.values()) == {"past"}
