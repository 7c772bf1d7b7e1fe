"""Feedback: what was of use comes first the next time, to those it was of use to, and to nobody else."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from hub.clock import SimulatedClock
from hub.codec import encode
from hub.errors import Incorrect, Missing
from hub.hub import Agent, Hub
from hub.moments import instant, rendered
from hub.play.canonical import canonical

START = instant("2026-07-01T09:00:00Z")
QUERY = "train tickets"
NOTES = ("budget_note", "budget_hint", "budget_memo")


@pytest.fixture
def hub() -> Iterator[Hub]:
    with Hub.open(clock=SimulatedClock(START), embedder="none", extractor=None) as opened:
        yield opened


def told(hub: Hub, agent: str = "penny", scope: str = "shared") -> Agent:
    """Three notes that match alike, one after the other."""
    speaker = hub.agent(agent, "kim")
    for note in NOTES:
        speaker.remember(facts=[{"relation": note, "value": QUERY, "scope": scope}])
    return speaker


def order(agent: Agent, **asked: object) -> list[str]:
    return [memory.relation for memory in agent.recall(QUERY, **asked).memories]


def test_what_was_of_use_comes_before_its_equals(hub: Hub) -> None:
    penny = told(hub)
    answer = penny.recall(QUERY, explain=True)
    last = answer.memories[2]
    assert [memory.explain.use for memory in answer.memories] == [0.0] * 3
    receipt = penny.feedback(answer.recall_id, cited=[last.id])
    assert [(use.id, use.uses) for use in receipt.uses] == [(last.id, 1)]
    after = penny.recall(QUERY, explain=True)
    assert [memory.relation for memory in after.memories] == [NOTES[2], NOTES[0], NOTES[1]]
    assert after.memories[0].explain.use == 0.25
    assert after.memories[0].score > last.score


def test_turns_can_be_of_use_too(hub: Hub) -> None:
    mia = hub.agent("mia", "kim")
    for text in ("the blue suitcase is packed", "the blue suitcase is heavy"):
        mia.remember(text)
    answer = mia.recall("blue suitcase")
    mia.feedback(answer.recall_id, cited=[answer.memories[1].id])
    assert mia.recall("blue suitcase").memories[0].text == answer.memories[1].text


def test_one_recall_counts_once_and_what_did_not_help_counts_for_nothing(hub: Hub) -> None:
    penny = told(hub)
    first = penny.recall(QUERY)
    cited = [memory.id for memory in first.memories[1:]]
    for _ in range(2):
        receipt = penny.feedback(first.recall_id, cited=[*cited, cited[0]])
        assert [(use.id, use.uses) for use in receipt.uses] == [(id_, 1) for id_ in cited]
    second = penny.recall(QUERY)
    assert penny.feedback(second.recall_id, cited=cited[:1]).uses[0].uses == 2
    third = penny.recall(QUERY)
    assert penny.feedback(third.recall_id, cited=cited[:1], outcome="unhelpful").uses[0].uses == 2
    assert penny.feedback(third.recall_id, cited=[]).uses == ()
    assert order(penny) == [NOTES[1], NOTES[2], NOTES[0]]


def test_one_recall_counts_once_whoever_acts_for_whom(hub: Hub) -> None:
    told(hub)
    atlas, sage = hub.agent("atlas", "kim"), hub.agent("sage", "kim")
    deputy = atlas.on_behalf_of(sage.token().token)
    answer = deputy.recall(QUERY)
    last = answer.memories[2].id
    receipts = [deputy.feedback(answer.recall_id, cited=[last]) for _ in range(6)]
    assert [receipt.uses[0].uses for receipt in receipts] == [1] * 6
    own = atlas.recall(QUERY)
    assert atlas.feedback(own.recall_id, cited=[last]).uses[0].uses == 2
    assert deputy.feedback(answer.recall_id, cited=[last]) == receipts[0], "which says nothing of what atlas keeps"


def test_use_is_a_matter_of_ones_own_domain(hub: Hub) -> None:
    penny, atlas = told(hub), hub.agent("atlas", "kim")
    before = canonical(atlas.recall(QUERY, explain=True))
    answer = penny.recall(QUERY)
    penny.feedback(answer.recall_id, cited=[answer.memories[2].id])
    assert canonical(atlas.recall(QUERY, explain=True)) == before
    purse = hub.agent("purse", "kim", domain="finance")
    assert order(purse) == order(penny) == [NOTES[2], NOTES[0], NOTES[1]]


def test_the_past_is_as_it_was_before_anybody_said_what_was_of_use(hub: Hub) -> None:
    penny = told(hub)
    answer = penny.recall(QUERY)
    then = hub._door.now()
    penny.feedback(answer.recall_id, cited=[answer.memories[2].id])
    assert penny.replay(answer.recall_id) == answer
    hub.flush()
    assert order(penny, known_at=answer.memories[2].recorded_at) == list(NOTES)
    assert then < hub._door.now()


def test_only_what_the_answer_held_can_be_cited_whatever_else_there_is(hub: Hub) -> None:
    penny = told(hub)
    hidden = hub.agent("sage", "kim").remember(facts=[{"relation": "allergic_to", "value": "nuts"}]).facts[0].id
    answer = penny.recall(QUERY, limit=1)
    errors = []
    for strange in (hidden, "fact_" + "0" * 24, "nonsense"):
        with pytest.raises(Incorrect) as caught:
            penny.feedback(answer.recall_id, cited=[answer.memories[0].id, strange])
        errors.append((caught.value.code, caught.value.where, caught.value.message.replace(strange, "…")))
    assert set(errors) == {("not_recalled", "cited.1", "`…` was not in that answer")}
    assert order(penny) == list(NOTES), "and nothing of it counts"


def test_a_recall_of_another_agent_is_none(hub: Hub) -> None:
    penny = told(hub)
    answer = penny.recall(QUERY)
    for agent, recall in ((hub.agent("atlas", "kim"), answer.recall_id), (penny, "recall_none"), (penny, None)):
        with pytest.raises(Missing):
            agent.feedback(recall, cited=[])
    with pytest.raises(Missing):
        hub.agent("penny", "lee").feedback(answer.recall_id, cited=[])


def test_what_may_be_known_no_longer_is_passed_over_whether_forbidden_or_erased(hub: Hub) -> None:
    penny, atlas = told(hub), hub.agent("atlas", "kim")
    answer = atlas.recall(QUERY)
    first, second, third = (memory.id for memory in answer.memories)
    hub.operator().erase_fact(first)
    hub.operator().relabel(second, scope="private")
    receipt = atlas.feedback(answer.recall_id, cited=[first, second, third])
    assert [use.id for use in receipt.uses] == [third]
    assert penny.recall(QUERY).memories


def test_feedback_goes_with_the_customer(hub: Hub) -> None:
    penny = told(hub)
    answer = penny.recall(QUERY)
    penny.feedback(answer.recall_id, cited=[answer.memories[0].id])
    hub.operator().erase_customer("kim")
    with pytest.raises(Missing):
        penny.feedback(answer.recall_id, cited=[])
    assert penny.recall(QUERY).memories == ()


def test_what_is_of_use_to_others_changes_not_a_byte_of_an_answer(hub: Hub) -> None:
    told(hub)
    nova = hub.agent("nova", "kim")
    then = rendered(hub._door.now())
    before = [canonical(nova.recall(QUERY, explain=True)), encode(nova.profile(as_of=then))]
    for name, place in (("penny", 2), ("atlas", 1), ("sage", 2), ("penny", 0)):
        other = hub.agent(name, "kim")
        answer = other.recall(QUERY)
        other.feedback(answer.recall_id, cited=[answer.memories[place].id])
        assert [canonical(nova.recall(QUERY, explain=True)), encode(nova.profile(as_of=then))] == before
