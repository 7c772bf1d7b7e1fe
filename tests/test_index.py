"""The index of company knowledge: what it names is right or it names nothing, whatever becomes of it."""

from __future__ import annotations

import shutil
import socket
import subprocess
import sys
import textwrap
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Event

import pytest

from hub.door.bases import Bases
from hub.embed import HashingEmbedder, query_direction
from hub.errors import Fault, Incorrect
from hub.hub import Hub, shipped
from hub.index import Index, Server
from hub.index.chroma import Collections
from hub.recall.weighing import Scale
from tests.erasing import searched
from tests.sources import ROOT

EMBEDDER = HashingEmbedder()
WORDS = "shoes coffee laptops trains gardens letters rivers lamps".split()
NO_SALARIES = "\np, travel, company, global, salaries, read, *, deny\n"


@pytest.fixture(autouse=True)
def even_a_few(monkeypatch):
    """Are asked for through the index, and count by what they mean, as far as hashes can tell."""
    monkeypatch.setattr("hub.door.shelves.FEW", 0)
    monkeypatch.setattr("hub.recall.shelved._SCALES", {"hashing": Scale(0.05, 0.6)})


@pytest.fixture(scope="module")
def template(tmp_path_factory) -> Path:
    """A database with company knowledge."""
    file = tmp_path_factory.mktemp("template") / "hub" / "memory.db"
    with opened(file) as hub:
        publish(hub)
        hub.settle()
    return file.parent


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "hub" / "memory.db"


@contextmanager
def opened(file: Path, **more: object) -> Iterator[Hub]:
    file.parent.mkdir(exist_ok=True)
    with Hub.open(file, embedder=EMBEDDER, **more) as hub:
        yield hub


@pytest.fixture
def hub(file: Path, template: Path) -> Iterator[Hub]:
    shutil.copytree(template, file.parent)
    with opened(file) as hub:
        hub.shelve()
        yield hub


def publish(hub: Hub) -> None:
    admin = hub.operator()
    for n, word in enumerate(WORDS):
        admin.add_knowledge(f"{word}.md", f"# {word}\n\nAll about {word}, number {n}, and a little of {WORDS[n - 1]}.")
    admin.add_knowledge("salaries.md", "Clerks who sell shoes earn little.", topic="salaries")


def named(hub: Hub, query: str, agent: str = "nova", **point: object) -> list[str] | None:
    """The passages that the index names, as the view sees them; None if it names nothing."""
    view = looked(hub, agent, **point)
    rows = view.finder(view, steps(query), 5, 0.1)
    return None if rows is None else [view.base.rows[row].record.id for row in rows]


def exact(hub: Hub, query: str, agent: str = "nova", **point: object) -> list[str]:
    """The same, row by row."""
    view = looked(hub, agent, **point)
    near = [row for row, _ in view.similar(steps(query)).best(99, 0.1)]
    return [view.base.rows[row].record.id for row in near if view.published(view.base.rows[row].record)][:5]


def looked(hub: Hub, agent: str, **point: object):
    from hub.hub.points import point as pointed
    from hub.requests import Page, checked

    asked = checked(Page, {"customer": "kim", **point})
    return hub._door.look(agent, "kim", pointed(asked, hub._door.now())).knowledge


def steps(query: str) -> bytes:
    direction = query_direction(EMBEDDER, query)
    assert direction is not None
    return direction


# --- what it names -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("query", ["shoes coffee", "all about rivers", "number", "lamps and trains"])
def test_it_names_what_a_look_at_every_row_would_find(hub, query):
    assert named(hub, query) == exact(hub, query) != []


def test_what_a_view_may_not_read_is_not_asked_for(hub, monkeypatch):
    hub.operator().replace_policy(policy=(shipped("policies") / "policy.csv").read_text("utf-8") + NO_SALARIES)
    asked: list[str] = []
    search = Index.search
    monkeypatch.setattr(Index, "search", lambda self, name, *more: asked.append(name) or search(self, name, *more))
    assert len(named(hub, "clerks shoes earn") or ()) > 1
    assert len(set(asked)) == 2
    asked.clear()
    assert named(hub, "clerks shoes earn", "atlas") == exact(hub, "clerks shoes earn", "atlas")
    assert len(set(asked)) == 1


def test_it_follows_what_is_published_and_taken_back(hub):
    admin = hub.operator()
    admin.add_knowledge("shoes.md", "# shoes\n\nNothing but shoes, shoes, shoes.")
    admin.remove_knowledge("coffee.md")
    assert named(hub, "shoes coffee") in (None, exact(hub, "shoes coffee"))
    hub.shelve()
    assert named(hub, "shoes coffee") == exact(hub, "shoes coffee")


def test_the_past_and_the_eyes_of_others_are_not_asked_of_it(hub):
    now = hub._door.now()
    from hub.moments import rendered

    assert named(hub, "shoes", known_at=rendered(now)) is None
    assert named(hub, "shoes", valid_at="2020-01-01") is None
    assert named(hub, "shoes", valid_at="2100-01-01") == exact(hub, "shoes", valid_at="2100-01-01")


def test_chroma_is_given_ids_and_vectors_and_no_word(hub):
    client = hub._door.shelving.index._store._client
    kept = [found.get() | {"told": found.metadata} for found in client.list_collections()]
    assert {id_.partition("_")[0] for one in kept for id_ in one["ids"]} == {"passage"}
    assert "passage_" in str(kept)
    assert not [word for word in [*WORDS, "salaries", "company", "global"] if word in str(kept)]
    assert {str(one["documents"]) + str(one["metadatas"]) for one in kept} <= {str([None] * n) * 2 for n in range(20)}


def test_nothing_of_it_is_ever_on_the_disk(hub, file, monkeypatch, tmp_path):
    """Chroma's files hold whatever lay in the memory of the process before, and what was removed stays in them."""
    for name in ("cwd", "temporary"):
        (tmp_path / name).mkdir()
    monkeypatch.chdir(tmp_path / "cwd")
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "temporary"))
    with opened(file) as other:
        other.operator().add_knowledge("late.md", "shoes, shoes and coffee")
        other.shelve()
        assert named(other, "shoes coffee")
        there = {path.name for path in tmp_path.rglob("*") if path.is_file()}
    assert there == {"memory.db", "memory.db-wal", "memory.db-shm"}


def test_without_company_knowledge_chroma_is_not_even_loaded(tmp_path):
    told = """
        import sys
        from hub import Hub
        from hub.embed import HashingEmbedder
        with Hub.open("memory.db", embedder=HashingEmbedder()) as hub:
            hub.agent("nova", "kim").remember("I like shoes", facts=[{"relation": "likes", "value": "shoes"}])
            hub.agent("nova", "kim").recall("shoes")
            hub.shelve()
            print(hub.faults(), "chromadb" in sys.modules)
    """
    environment = {"PYTHONPATH": str(ROOT), "PATH": "", "HOME": str(tmp_path)}
    command = [sys.executable, "-c", textwrap.dedent(told)]
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
    assert done.stdout.strip() == "[] False", done.stderr


# --- late, broken ------------------------------------------------------------------------------------------------


def test_it_is_made_anew_after_a_restart_and_after_a_write_by_another_process(hub, file):
    with opened(file) as other:
        assert other.faults() == []
        other.operator().add_knowledge("late.md", "shoes, shoes and coffee")
        other.shelve()
        assert named(hub, "shoes coffee") in (None, right := exact(other, "shoes coffee"))
        assert named(other, "shoes coffee") == right
        hub.shelve()
        assert named(hub, "shoes coffee") == right
    assert named(hub, "shoes coffee") == right
    hub.close()
    with opened(file) as again:
        assert named(again, "shoes coffee") is None
        again.shelve()
        assert named(again, "shoes coffee") == right


def test_one_that_is_behind_is_said(hub, monkeypatch):
    with monkeypatch.context() as hanging:
        hanging.setattr(Index, "wake", lambda _: None)
        hub.operator().add_knowledge("late.md", "shoes, shoes and coffee")
        hub.settle()
        assert hub.faults() == ["1 collections of company knowledge are behind (`hub reindex` renews them)"]
    hub.reindex()
    assert hub.faults() == []


def test_what_is_no_longer_known_at_all_is_asked_of_no_index(hub):
    for name in [*WORDS, "salaries"]:
        hub.operator().remove_knowledge(f"{name}.md")
    hub.shelve()
    for name in [*WORDS, "salaries"]:
        hub.operator().erase_knowledge(f"{name}.md")
    hub.shelve()
    assert (named(hub, "shoes coffee") or [], hub.faults()) == ([], [])


def test_few_are_compared_sooner_than_an_index_is_asked(hub, monkeypatch):
    monkeypatch.setattr("hub.door.shelves.FEW", 10)
    assert named(hub, "shoes coffee") is None


# --- in recalls --------------------------------------------------------------------------------------------------


def recalled(hub: Hub, query: str, agent: str = "nova"):
    return hub.agent(agent, "kim").recall(query, explain=True, limit=20)


@pytest.mark.parametrize("query", ["shoes coffee", "all about rivers", "the lamps and trains of gardens"])
def test_a_recall_is_the_same_with_and_without_it(hub, monkeypatch, query):
    named = recalled(hub, query)
    assert any(memory.explain.dense for memory in named.memories)
    monkeypatch.setattr("hub.door.shelves.FEW", 10**9)
    assert recalled(hub, query).memories == named.memories


def test_a_recall_is_run_again_with_what_it_named_then(hub, monkeypatch):
    """An index may miss something; an answer that was given is not changed by that."""
    monkeypatch.setattr("hub.door.shelves.AT_LEAST", 1)
    monkeypatch.setattr("hub.recall.shelved.MOST_ROWS", 1)
    told = recalled(hub, "shoes coffee")
    assert hub._door.kept_recall("nova", told.recall_id).named is not None
    hub.operator().add_knowledge("late.md", "shoes, shoes and coffee")
    hub.shelve()
    assert recalled(hub, "shoes coffee").memories != told.memories
    assert hub.agent("nova").replay(told.recall_id) == told
    assert hub.operator().replay(told.recall_id) == told


def test_what_it_named_can_be_erased(hub):
    told = recalled(hub, "shoes coffee")
    [first, *_] = told.memories
    hub.operator().erase_knowledge(first.subject)
    again = hub.agent("nova").replay(told.recall_id)
    assert first.id not in {memory.id for memory in again.memories}
    assert again.since_then.changed == ("digest",)


def test_a_fresh_hub_answers_before_its_index_is_there(hub, file):
    right = recalled(hub, "shoes coffee").memories
    hub.close()
    with opened(file) as again:
        assert named(again, "shoes coffee") is None
        assert recalled(again, "shoes coffee").memories == right


def test_an_error_or_a_panic_in_there_ends_there(hub, monkeypatch):
    class Panic(BaseException):
        """As the binary part of Chroma raises them."""

    right = named(hub, "shoes coffee")
    with monkeypatch.context() as broken:
        broken.setattr(Collections, "nearest", lambda *_: (_ for _ in ()).throw(Panic()))
        assert named(hub, "shoes coffee") is None
        broken.setattr(Collections, "renew", lambda *_: (_ for _ in ()).throw(Panic()))
        hub.operator().add_knowledge("late.md", "quite another thing")
        with pytest.raises(Fault) as failed:
            hub.shelve()
        assert "Panic" in failed.value.message
    hub.shelve()
    assert named(hub, "shoes coffee") == right


def test_who_gives_up_on_what_is_there_no_more_spoils_nothing(hub):
    index = hub._door.shelving.index
    store = index._store
    index._give_up(object(), ValueError())
    assert index.faults() == []
    assert index._store is store
    hub.close()
    index._give_up(store, ValueError())
    index.settle()
    assert index._store is None


def test_nobody_waits_for_an_index_that_hangs(hub, monkeypatch):
    free = Event()
    monkeypatch.setattr("hub.index.PATIENCE", 0.01)
    monkeypatch.setattr(Collections, "nearest", lambda *_: free.wait(30) and [])
    assert named(hub, "shoes coffee") is None
    free.set()


def test_a_collection_that_does_not_hold_what_it_was_given_is_not_asked(hub, monkeypatch):
    monkeypatch.setattr("chromadb.api.models.Collection.Collection.add", lambda *_, **__: None)
    hub.operator().add_knowledge("late.md", "shoes, shoes and coffee")
    with pytest.raises(Fault):
        hub.shelve()
    assert named(hub, "shoes coffee") is None


def test_strangers_ids_are_looked_up_and_dropped(hub, monkeypatch):
    monkeypatch.setattr(Collections, "nearest", lambda *_: ["passage_" + "0" * 24, "fact_1", ""])
    assert named(hub, "shoes coffee") == []


def test_a_collection_of_which_most_must_go_is_made_anew(hub):
    admin = hub.operator()
    for word in WORDS[:-1]:
        admin.remove_knowledge(f"{word}.md")
    hub.shelve()
    assert named(hub, "all about lamps") == exact(hub, "all about lamps")
    admin.remove_knowledge("lamps.md")
    hub.shelve()
    assert named(hub, "all about lamps") == exact(hub, "all about lamps")


def test_another_embedder_has_collections_of_its_own(hub, file):
    hub.close()
    other = HashingEmbedder(32)
    with Hub.open(file, embedder=other) as again:
        view = looked(again, "nova")
        direction = query_direction(other, "shoes coffee")
        assert view.finder(view, direction, 5, 0.1) is None


def test_an_erased_vector_is_gone_from_its_disk_and_from_the_index(hub, file):
    import numpy as np

    hub.operator().add_knowledge("secret.md", "a canary sings of shoes", topic="secrets")
    hub.shelve()
    told = steps("a canary sings of shoes")
    floats = np.frombuffer(told, dtype=np.int8).astype(np.float32).tobytes()
    assert searched(file.parent, [told]) != {}
    hub.operator().remove_knowledge("secret.md")
    hub.shelve()
    assert hub.operator().erase_knowledge("secret.md").receipt.swept
    assert searched(file.parent, [told, floats]) == {}
    assert hub._door.shelving.index._store is None
    hub.shelve()
    assert named(hub, "shoes coffee") == exact(hub, "shoes coffee")


def test_no_env_file_that_lies_about_has_a_say(file, monkeypatch):
    file.parent.mkdir()
    (file.parent / ".env").write_text("CHROMA_SERVER_HOST=evil\nANONYMIZED_TELEMETRY=True\nIS_PERSISTENT=False\n")
    monkeypatch.chdir(file.parent)
    with opened(file) as hub:
        publish(hub)
        hub.shelve()
        assert named(hub, "shoes coffee") == exact(hub, "shoes coffee")


# --- a server ----------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def chroma(tmp_path_factory) -> Iterator[str]:
    """A Chroma server of its own."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [Path(sys.executable).with_name("chroma"), "run", "--host", "127.0.0.1", "--port", str(port)]
    command += ["--path", str(tmp_path_factory.mktemp("chroma"))]
    serving = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    yield f"http://127.0.0.1:{port}"
    serving.terminate()
    serving.wait()


def shelved(hub: Hub) -> None:
    """As soon as the server is there."""
    for _ in range(400):
        try:
            return hub.shelve()
        except Fault:
            Event().wait(0.05)
    return hub.shelve()


def test_two_hubs_and_two_processes_share_a_server(chroma, file, tmp_path):
    with opened(file, chroma=chroma) as hub, opened(tmp_path / "elsewhere" / "memory.db", chroma=chroma) as stranger:
        publish(hub)
        shelved(hub)
        stranger.operator().add_knowledge("a.md", "shoes and coffee elsewhere")
        stranger.shelve()
        right = named(hub, "shoes coffee")
        assert right == exact(hub, "shoes coffee")
        assert named(stranger, "shoes coffee") == exact(stranger, "shoes coffee")
        with opened(file, chroma=chroma) as other:
            other.operator().add_knowledge("late.md", "shoes, shoes and coffee")
            other.shelve()
            assert other.faults() == []
            assert named(other, "shoes coffee") == exact(other, "shoes coffee")
        assert named(hub, "shoes coffee") == exact(hub, "shoes coffee") != right
        assert hub.operator().erase_knowledge("late.md").receipt.swept
        assert named(hub, "shoes coffee") is None
        hub.shelve()
        assert named(hub, "shoes coffee") == right
        assert named(stranger, "shoes coffee") == exact(stranger, "shoes coffee")
    with opened(file, chroma=chroma) as fresh:
        assert fresh.faults() == []
    with Hub.open(file, embedder=HashingEmbedder(32), chroma=chroma) as other:
        other.reindex()
    with opened(file, chroma=chroma) as fresh:
        assert any("behind" in fault for fault in fresh.faults()), "collections of one embedder at a time"


def test_a_server_that_is_not_there_is_done_without(file):
    with opened(file, chroma="http://127.0.0.1:9") as hub:
        publish(hub)
        with pytest.raises(Fault):
            hub.shelve()
        assert named(hub, "shoes coffee") is None
        assert exact(hub, "shoes coffee") != []
        assert ["can't be looked at" in fault for fault in hub.faults()] == [True]


@pytest.mark.parametrize("url", ["127.0.0.1:8000", "ftp://x", "http://", "http://x/path", "http://x:port"])
def test_what_is_no_address_is_refused_when_the_hub_is_opened(file, url):
    with pytest.raises(Incorrect) as refused, opened(file, chroma=url):
        pass
    assert refused.value.code == "bad_chroma_url"


@pytest.mark.parametrize(
    ("url", "address"),
    [
        ("http://x:1", ("x", 1, False)),
        ("https://x/", ("x", 443, True)),
        ("http://x", ("x", 8000, False)),
    ],
)
def test_an_address_names_host_port_and_scheme(url, address):
    assert Server(url)._address == address


# --- a ledger that moves on meanwhile --------------------------------------------------------------------------------


@pytest.mark.parametrize("late", [1, 2], ids=["the customer's own", "the company's own"])
def test_whoever_looks_while_a_base_is_built_from_a_later_state_looks_again(hub, monkeypatch, late):
    right = exact(hub, "shoes coffee")
    asked = overtaken(monkeypatch, late)
    assert exact(hub, "shoes coffee") == right
    assert len(asked) == late + 2


def test_what_is_to_be_indexed_is_looked_at_again_too(hub, monkeypatch):
    view, hub_id = hub._door.shelved()
    asked = overtaken(monkeypatch, 1)
    again, same = hub._door.shelved()
    assert (len(asked), same, len(again.base.passages)) == (2, hub_id, len(view.base.passages))


def overtaken(monkeypatch, late: int) -> list[object]:
    """Every base that is asked for from now on; the one of that number has been built anew meanwhile."""
    asked: list[object] = []
    base = Bases.base

    def overtaking(self, reading, *rest):
        asked.append(reading)
        return None if len(asked) == late else base(self, reading, *rest)

    monkeypatch.setattr(Bases, "base", overtaking)
    return asked
