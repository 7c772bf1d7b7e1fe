"""Vectors follow the write: nobody waits but a recall that may, none is lost, none of what is erased comes back."""

from __future__ import annotations

import pytest
from sqlalchemy.exc import OperationalError

from hub import following
from hub.embed import REFUSED, HashingEmbedder
from hub.errors import Fault
from hub.following import Follower
from hub.hub.meaning import ANOTHER_LENGTH, NOT_YET, SILENT
from hub.ledger.vectors import Vectors
from hub.moments import rendered
from hub.registry import SAME_AS
from hub.vectors import steps
from tests.embedding import KIM, Hubs, Words, embedders, gaps, held_up, look, nearest, stored, tell
from tests.scene import RELATIONS


@pytest.fixture
def opened(tmp_path):
    with Hubs(tmp_path) as hubs:
        yield hubs


@pytest.fixture
def nobody_follows():
    """The threads of all hubs do not come to it, until this is undone."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Follower, "_begin", lambda self: None)
        yield patch


# --- what follows ------------------------------------------------------------------------------------------------


def test_every_memory_gets_its_vector_and_nothing_else_does(opened):
    words = Words()
    hub = opened(words)
    mia = hub.agent("mia", KIM)
    mia.remember(
        "I like pho, not tea",
        facts=[
            {"relation": "likes", "value": "pho"},
            {"relation": "likes", "value": "tea", "negated": True},
            {"relation": "owns", "object": {"kind": "car", "name": "Civic"}},
            {"relation": SAME_AS, "subject": {"name": "my car"}, "object": {"name": "Civic"}},
        ],
    )
    mia.retract(mia.remember(" ", facts=[{"relation": "likes", "value": "soup"}]).facts[0].id)
    hub.settle()
    assert sorted(words.kept) == ["I like pho, not tea", "likes: pho", "likes: soup", "owns: Civic"]
    found = [(kind, packed) for kind, _, _, packed in stored(hub)]
    told = ("likes: pho", "owns: Civic", "I like pho, not tea", "likes: soup")
    expected = [steps(HashingEmbedder().embed_query(text)) for text in told]
    assert sorted(found) == sorted(zip(("claim", "claim", "turn", "claim"), expected, strict=True))


def test_a_write_does_not_wait_for_its_vectors(opened):
    words = Words()
    hub = opened(words)
    with held_up(words):
        tell(hub, "tea", "rice")
        assert [fact.value for fact in hub.agent("mia", KIM).timeline().slots] == ["tea", "rice"]
        assert stored(hub) == []
    hub.settle()
    assert len(stored(hub)) == 2


def test_what_a_killed_hub_had_not_embedded_is_embedded_by_the_next(opened, nobody_follows):
    hub = opened(Words())
    tell(hub, "tea", text="I like tea")
    hub.close()
    nobody_follows.undo()
    again = opened(Words())
    again.warm()
    again.settle()
    assert len(stored(again)) == 2
    assert opened(None).settle() is None, "a hub without an embedder has nothing to wait for"


def test_many_are_stored_in_few_commits_in_the_order_of_recording(opened, monkeypatch):
    monkeypatch.setattr(following, "AT_ONCE", 4)
    hub = opened(words := Words())
    with held_up(words):
        tell(hub, *map(str, range(30)))
    hub.settle()
    with hub._ledger.reading() as reading:
        assert reading.state.vectors in (8, 9)
    assert words.kept == [f"likes: {n}" for n in range(30)]


def test_vectors_that_another_hub_stores_are_found_by_one_that_has_looked_before(opened, nobody_follows):
    writer, reader = opened(Words()), opened(Words(local=False))
    [tea] = tell(writer, "tea")
    assert nearest(reader, "likes: tea") == []
    writer.agent("mia", KIM).recall("tea")
    nobody_follows.undo()
    writer.settle()
    assert nearest(reader, "likes: tea") == [tea]
    tell(writer, "rice")
    assert nearest(reader, "likes: rice") == [tea], "it has none yet; both like something"
    writer.settle()
    assert len(nearest(reader, "likes: rice")) == 2


def test_a_file_that_cannot_be_written_loses_no_vector(opened, monkeypatch, caplog):
    hub, keep = opened(Words()), Vectors.keep

    def full(*_):
        raise OperationalError("INSERT", {}, Exception("disk full"))

    monkeypatch.setattr(Vectors, "keep", full)
    tell(hub, "tea")
    hub.agent("mia", KIM).recall("tea")
    with pytest.raises(Fault) as failed:
        hub.settle()
    assert failed.value.code == "not_settled"
    assert "vectors_failed" in failed.value.message
    assert "will be tried again" in caplog.text
    monkeypatch.setattr(Vectors, "keep", keep)
    hub.settle()
    assert len(stored(hub)) == 1


# --- an embedder that fails --------------------------------------------------------------------------------------


def test_an_embedder_that_fails_is_tried_again_and_says_so_once(opened, caplog):
    words = Words(local=False)
    hub = opened(words)

    def fail(_texts):
        raise Fault("endpoint_silent", "the endpoint is busy (503)", "wait")

    words.before = fail
    tell(hub, "tea")
    for _ in range(3):
        with pytest.raises(Fault) as failed:
            hub.settle()
        assert (failed.value.code, "503" in failed.value.message) == ("not_settled", True)
    assert caplog.text.count("will be tried again") == 1
    words.before = lambda texts: None
    hub.settle()
    assert len(stored(hub)) == 1


def test_an_embedder_that_failed_is_left_alone_longer_and_longer():
    pauses = [following._pause(failures) for failures in range(1, 40)]
    assert pauses[:4] == [1, 2, 4, 8]
    assert pauses == sorted(pauses)
    assert max(pauses) == following.AT_LAST


def test_a_text_that_is_refused_keeps_no_other_from_its_vector(opened, caplog):
    words = Words(local=False)
    hub = opened(words)

    def refuse(texts):
        if any("poison" in text for text in texts):
            raise Fault(REFUSED, "the endpoint refuses what it was sent (400)", "")

    words.before = refuse
    with held_up(Words()):
        tell(hub, "tea", "poison", "rice", "soup", "poison too")
    hub.settle()
    assert [body.split('"value":"')[1].split('"')[0] for _, body, _, _ in stored(hub)] == ["tea", "rice", "soup"]
    assert "that `words` refuses are found by words" in caplog.text
    assert "poison" not in caplog.text
    tell(hub, "pho")
    hub.settle()
    assert len(stored(hub)) == 4, "and does not hold up what comes after it"


def test_vectors_of_another_length_are_not_mixed_in(opened):
    hub = opened(Words(local=False))
    [tea] = tell(hub, "tea")
    hub.settle()
    hub.close()
    again = opened(Words(local=False, dimensions=32))
    tell(again, "rice")
    with pytest.raises(Fault, match="wrong_dimension"):
        again.settle()
    answer = again.agent("mia", KIM).recall("tea")
    assert gaps(answer) == [ANOTHER_LENGTH]
    assert tea in [memory.id for memory in answer.memories]


def test_closing_does_not_wait_for_a_text_that_is_being_embedded(opened):
    words = Words()
    hub = opened(words)
    with held_up(words) as inside:
        tell(hub, "tea")
        assert inside.wait(30)
        hub.close()
    hub._meaning._follower._thread.join()
    again = opened(Words())
    assert stored(again) == []
    with pytest.raises(Fault, match="the hub is closed"):
        hub.settle()


# --- a recall ----------------------------------------------------------------------------------------------------


def test_a_recall_makes_what_its_view_lacks_with_a_local_embedder(opened, nobody_follows):
    words = Words()
    hub = opened(words)
    tell(hub, "tea", text="I like tea")
    tell(hub, "asthma", relation="allergic_to", agent="sage")
    answer = hub.agent("atlas", KIM).recall("tea?")
    assert gaps(answer) == []
    assert words.kept == ["likes: tea"], "and nothing that it may not read"
    assert look(hub, "atlas").lacking() == {}
    nobody_follows.undo()
    hub.settle()
    assert sorted(words.kept) == ["I like tea", "allergic to: asthma", "likes: tea"], "none of them twice"
    assert len(stored(hub)) == 3


def test_a_recall_after_an_import_embeds_the_newest_and_says_that_there_are_others(opened, nobody_follows):
    words = Words(at_once=80)
    hub = opened(words)
    tell(hub, *(f"dish {n}" for n in range(81)))
    answer = hub.agent("mia", KIM).recall("dish 3", limit=100)
    assert words.kept == [f"likes: dish {n}" for n in range(71, 81)]
    assert gaps(answer) == [NOT_YET]
    assert any("dish 3" in memory.text for memory in answer.memories), "words find what has no vector yet"
    nobody_follows.undo()
    hub.settle()
    assert gaps(hub.agent("mia", KIM).recall("dish 3")) == []
    assert len(words.kept) == 81


def test_how_much_a_recall_embeds_depends_on_how_long_the_texts_are(opened, nobody_follows):
    words = Words(at_once=40)
    hub = opened(words)
    for n in range(4):
        hub.agent("mia", KIM).remember(f"{n} " + "tea " * 300)
    assert gaps(hub.agent("mia", KIM).recall("tea")) == [NOT_YET]
    assert words.kept == [], "13 a text"


def test_a_remote_embedder_is_not_waited_for(opened, nobody_follows):
    words = Words(local=False)
    hub = opened(words)
    [tea] = tell(hub, "tea")
    answer = hub.agent("mia", KIM).recall("tea")
    assert (words.kept, words.asked) == ([], ["tea"])
    assert gaps(answer) == [NOT_YET]
    assert [memory.id for memory in answer.memories] == [tea]
    nobody_follows.undo()
    hub.settle()
    assert gaps(hub.agent("mia", KIM).recall("tea")) == []


def test_a_query_that_the_embedder_does_not_answer_is_answered_by_words(opened, caplog):
    words = Words(local=False)
    hub = opened(words)
    [tea] = tell(hub, "tea")
    hub.settle()
    with_meaning = hub.agent("mia", KIM).recall("tea")

    def fail(_texts):
        raise Fault("endpoint_silent", "the endpoint does not answer (ReadTimeout)", "wait")

    words.before = fail
    answer = hub.agent("mia", KIM).recall("tea")
    assert gaps(answer) == [SILENT]
    assert gaps(hub.agent("mia", KIM).recall("xyzzy")) == [SILENT], "also beside nothing"
    assert gaps(hub.agent("mia", KIM).recall("tea", token_budget=1)) == [SILENT]
    assert [memory.id for memory in answer.memories] == [memory.id for memory in with_meaning.memories] == [tea]
    assert "ReadTimeout" in caplog.text


@pytest.mark.parametrize("query", [".", "…", "🍜", "項目甲", "tea " * 2_000])
def test_any_query_can_be_asked(opened, query):
    hub = opened("hashing")
    tell(hub, "tea")
    assert gaps(hub.agent("mia", KIM).recall(query)) == []


def test_what_one_agent_has_asked_is_not_kept_for_another(opened):
    words = Words()
    hub = opened(words)
    tell(hub, "tea")
    hub.settle()
    for agent in ("mia", "atlas", "mia"):
        hub.agent(agent, KIM).recall("tea?")
    assert words.asked == ["tea?"] * 3


# --- what is there no longer, or elsewhere -----------------------------------------------------------------------


def test_what_is_erased_while_it_is_being_embedded_gets_no_vector(opened):
    words = Words()
    hub = opened(words)
    with held_up(words) as inside:
        [tea] = tell(hub, "tea")
        assert inside.wait(30)
        hub.operator().erase_fact(tea)
    hub.settle()
    assert stored(hub) == []


def test_an_erased_memory_is_near_to_nothing_in_every_hub_at_once(opened):
    hub, other = opened(Words()), opened(Words())
    tea, rice = tell(hub, "tea", "rice")
    before = hub._door.now()
    hub.settle()
    for one in (hub, other):
        assert tea in nearest(one, "likes: tea")
    hub.operator().erase_fact(tea)
    for one in (hub, other):
        assert nearest(one, "likes: tea") == [rice]
        assert tea not in str(one.agent("mia", KIM).recall("tea", as_of=rendered(before)))
    assert len(stored(hub)) == 1


def test_a_memory_that_is_filed_elsewhere_takes_its_vector_along(opened):
    words = Words()
    hub = opened(words)
    [tea] = tell(hub, "tea")
    hub.settle()
    assert nearest(hub, "likes: tea", "atlas") == [tea]
    hub.operator().relabel(tea, scope="private")
    assert nearest(hub, "likes: tea", "atlas") == []
    assert nearest(hub, "likes: tea") == [tea]
    assert words.kept == ["likes: tea"]


def test_a_claim_that_reads_differently_is_embedded_anew(opened, tmp_path):
    words = Words()
    hub = opened(words)
    tell(hub, "tea")
    hub.settle()
    hub.close()
    (tmp_path / "relations.yaml").write_text(RELATIONS.replace("en: likes", "en: adores"))
    again = opened(words, relations=tmp_path / "relations.yaml")
    again.agent("mia", KIM).recall("tea")
    again.settle()
    assert words.kept == ["likes: tea", "adores: tea"]
    assert len(stored(again)) == 2
    again.operator().erase_customer(KIM)
    assert stored(again) == []


def test_what_another_embedder_has_embedded_is_left_until_somebody_says_so(opened, caplog):
    hub = opened(HashingEmbedder())
    tell(hub, "tea")
    hub.settle()
    hub.close()
    again = opened(Words(local=False))
    tell(again, "rice")
    again.settle()
    assert embedders(again) == ["hashing-64", "words"]
    assert caplog.text.count("another embedder has been at work") == 1
    assert gaps(again.agent("mia", KIM).recall("tea")) == [NOT_YET]


# --- run again ---------------------------------------------------------------------------------------------------


def test_a_recall_runs_again_to_the_same_bytes_though_its_embedder_is_down(opened):
    words = Words(local=False)
    hub = opened(words)
    tell(hub, "tea")
    hub.settle()
    mia = hub.agent("mia", KIM)
    first = mia.recall("tea")

    def fail(_texts):
        raise Fault("endpoint_silent", "", "")

    words.before = fail
    blind = mia.recall("tea")
    assert mia.replay(first.recall_id) == first
    words.before = lambda texts: None
    assert mia.replay(blind.recall_id) == blind, "and one without it as it was without"
    assert hub.operator().replay(first.recall_id) == first


def test_vectors_that_came_later_are_named_where_they_make_a_difference(opened, nobody_follows):
    hub = opened(Words(local=False))
    tell(hub, "tea")
    mia = hub.agent("mia", KIM)
    first = mia.recall("tea")
    assert mia.replay(first.recall_id) == first
    nobody_follows.undo()
    hub.settle()
    again = mia.replay(first.recall_id)
    assert again == first or again.since_then.changed == ("vectors",)


def test_the_vector_of_a_query_goes_with_what_is_erased_of_it(opened):
    hub = opened(Words())
    [tea] = tell(hub, "tea")
    mia = hub.agent("mia", KIM)
    asked, other = mia.recall("tea?"), mia.recall("xyzzy", as_of="2020")  # which tells nothing of it
    hub.operator().erase_fact(tea)
    with hub._ledger.reading() as reading:
        assert reading.recall(asked.recall_id).steps is None
        assert reading.recall(other.recall_id).steps == steps(HashingEmbedder().embed_query("xyzzy"))
    assert mia.replay(asked.recall_id).since_then.changed
