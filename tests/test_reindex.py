"""Another embedder takes over: everything is embedded anew, nothing is lost on the way, and the doctor keeps count."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner
from sqlalchemy.exc import OperationalError

from hub import reindexing
from hub.cli import cli
from hub.embed import REFUSED, HashingEmbedder
from hub.errors import Fault
from hub.hub.checkup import REINDEX
from hub.ledger.vectors import Vectors
from tests.embedding import KIM, Hubs, Words, embedders, gaps, held_up, nearest, stored, tell
from tests.scene import RELATIONS


@pytest.fixture
def opened(tmp_path, monkeypatch):
    monkeypatch.setattr(reindexing, "AT_ONCE", 3)
    with Hubs(tmp_path) as hubs:
        yield hubs


@pytest.fixture
def old(opened):
    """A hub with ten texts that another embedder has embedded, and one that nobody embeds."""
    hub = opened(HashingEmbedder())
    tell(hub, *(f"dish {n}" for n in range(8)), text="I like dishes")
    tell(hub, "tea", text=" ")
    hub.agent("mia", KIM).remember(facts=[{"relation": "likes", "value": "dish 3", "negated": True}])
    hub.settle()
    assert embedders(hub) == ["hashing-64"] * 10
    return hub


def run(*arguments, **environment):
    return CliRunner().invoke(cli, arguments, env=environment)


def test_all_is_embedded_by_the_embedder_of_today_and_nothing_else_is_left(opened, old):
    hub, heard = opened(Words(local=False)), []
    done = hub.reindex(lambda looked_at, total: heard.append((looked_at, total)))
    assert (done.embedder, done.embedded, done.refused, done.let_go) == ("words", 10, 0, 10)
    assert embedders(hub) == ["words"] * 10
    assert heard == [(3, 11), (6, 11), (9, 11), (11, 11)]
    again = hub.reindex()
    assert (again.embedded, again.let_go) == (0, 0)
    assert opened(None).reindex() is None


def test_a_hub_that_is_asked_meanwhile_answers_by_words_and_then_by_meaning(opened, old):
    served = opened(Words(local=False))
    words, answers = Words(local=False), []

    def ask(_texts):
        answers.append(served.agent("mia", KIM).recall("dish 3", limit=3))

    words.before = ask
    opened(words).reindex()
    assert len(answers) == 5, "before the first batch, and within each"
    assert all(answer.memories and gaps(answer) for answer in answers)
    assert gaps(served.agent("mia", KIM).recall("dish 3")) == []
    assert len(nearest(served, "likes: dish 3")) == 3


def test_interrupted_it_goes_on_where_it_was_and_loses_nothing_before_the_end(opened, old):
    words = Words(local=False)

    def fail_late(texts):
        if any("dish 5" in text for text in texts):
            raise Fault("endpoint_silent", "gone", "wait")

    words.before = fail_late
    hub = opened(words)
    with pytest.raises(Fault, match="gone"):
        hub.reindex()
    assert embedders(hub).count("hashing-64") == 10, "what is old stays until all is new"
    first = embedders(hub).count("words")
    assert 0 < first < 10
    words.before = lambda texts: None
    assert hub.reindex().embedded == 10 - first
    assert embedders(hub) == ["words"] * 10


def test_an_embedder_that_does_not_answer_at_all_changes_nothing(opened, old):
    words = Words(local=False)

    def fail(_texts):
        raise Fault("endpoint_refused", "the endpoint refuses (401)", "see to the key")

    words.before = fail
    with pytest.raises(Fault, match="401"):
        opened(words).reindex()
    assert embedders(old) == ["hashing-64"] * 10


def test_a_disk_that_takes_no_vectors_is_said_to(opened, old, monkeypatch):
    def full(*_):
        raise OperationalError("INSERT", {}, Exception("disk full"))

    monkeypatch.setattr(Vectors, "keep", full)
    with pytest.raises(Fault) as failed:
        opened(Words()).reindex()
    assert failed.value.code == "vectors_failed"


def test_texts_that_are_refused_are_counted_and_keep_no_other_from_theirs(opened, old):
    words = Words(local=False)

    def refuse(texts):
        if any("dish 4" in text for text in texts):
            raise Fault(REFUSED, "", "")

    words.before = refuse
    done = opened(words).reindex()
    assert (done.embedded, done.refused) == (9, 1)
    assert embedders(old) == ["words"] * 9


def test_a_model_that_has_changed_under_its_name_takes_the_place_of_itself(opened):
    hub = opened(Words(local=False, dimensions=32))
    tell(hub, "tea", "rice")
    hub.settle()
    hub.close()
    again = opened(Words(local=False))
    assert again.reindex().embedded == 2
    assert {len(steps) for _, _, _, steps in stored(again)} == {64}
    tell(again, "pho")
    again.settle()
    assert len(stored(again)) == 3


def test_texts_that_read_differently_lose_what_stood_for_them_before(opened, tmp_path):
    hub = opened(Words())
    tell(hub, "tea", text="tea!")
    hub.settle()
    hub.close()
    (tmp_path / "relations.yaml").write_text(RELATIONS.replace("en: likes", "en: adores"), encoding="utf-8")
    words = Words()
    again = opened(words, relations=tmp_path / "relations.yaml")
    counted = again.checkup().vectors
    assert (counted.texts, counted.missing, counted.stale) == (2, 1, 1)
    done = again.reindex()
    assert (words.kept, done.embedded, done.let_go) == (["adores: tea"], 1, 1)
    assert len(stored(again)) == 2


def test_what_is_erased_meanwhile_is_not_embedded_again(opened):
    hub = opened(HashingEmbedder())
    tea, _ = tell(hub, "tea", "rice")
    hub.settle()
    words = Words(local=False)

    def erase(texts):
        if "likes: tea" in texts:
            hub.operator().erase_fact(tea)

    words.before = erase
    opened(words).reindex()
    assert [body for _, body, _, _ in stored(hub) if "tea" in body] == []
    assert embedders(hub) == ["words"]


# --- the doctor --------------------------------------------------------------------------------------------------


def test_a_checkup_counts_what_is_embedded_missing_and_left_by_others(opened, old):
    words = Words(local=False)
    hub = opened(words)
    found = hub.checkup()
    assert (found.sound, found.faults, found.embedder) == (True, (), "words")
    assert (found.vectors.texts, found.vectors.missing, found.vectors.stale) == (10, 10, 0)
    assert found.vectors.others == {"hashing-64": 10}
    assert found.advice == (REINDEX,)
    hub.reindex()
    found = hub.checkup()
    assert (found.vectors.texts, found.vectors.missing, found.vectors.others, found.advice) == (10, 0, {}, ())
    with held_up(words):
        tell(hub, "soup")
        assert hub.checkup().vectors.missing == 1
    assert opened(None).checkup().vectors is None


def test_in_the_terminal_the_doctor_says_what_to_do_and_reindexing_does_it(opened, old):
    old.close()
    db = str(opened.file)
    told = run("doctor", "--db", db, HUB_EMBEDDER="none").output.splitlines()
    assert told[0] == "sound"
    assert [line.split()[0] for line in told] == ["sound", "schema"]
    sick = json.loads(run("doctor", "--db", db, "--json", HUB_EMBEDDER="sentence").stdout)
    assert (sick["sound"], sick["vectors"]["missing"], sick["advice"]) == (True, 10, [REINDEX])
    done = run("reindex", "--db", db, "--embedder", "hashing", "--json")
    assert json.loads(done.stdout) == {"embedder": "hashing-64", "embedded": 0, "refused": 0, "let_go": 0}
    told = run("doctor", "--db", db, HUB_EMBEDDER="hashing").output
    assert "hashing-64: 10 of 10 texts embedded" in told
    assert "advice" not in told


def test_in_the_terminal_reindexing_says_how_much_it_did(opened):
    hub = opened(Words())
    tell(hub, "tea")
    hub.settle()
    hub.close()
    sick = run("doctor", "--db", str(opened.file), HUB_EMBEDDER="hashing").stdout
    assert "words: 1 vectors left" in sick
    assert f"advice: {REINDEX}" in sick
    done = run("reindex", "--db", str(opened.file), "--embedder", "hashing")
    assert done.stdout.strip() == "hashing-64: 1 texts embedded, 1 vectors let go of"
    assert done.exit_code == 0


def test_there_is_nothing_to_reindex_with_no_embedder_or_no_database(tmp_path, opened):
    opened(None).close()
    assert run("reindex", "--db", str(opened.file), HUB_EMBEDDER="none").exception.code == "no_embedder"
    assert run("reindex", "--db", str(tmp_path / "nowhere.db"), "--embedder", "hashing").exit_code == 2
