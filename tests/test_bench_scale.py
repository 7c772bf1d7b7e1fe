"""The benches of size and of peers do what they say, on next to nothing: who is slow is named, who is missing too."""

from __future__ import annotations

import argparse
import json
import subprocess
from pathlib import Path

import pytest

from bench import peers, scale
from bench.charts import drawn
from bench.furnish import Cheap, pour, pour_turns, said, shared
from bench.peers import Amount, Peer
from bench.rivals import Work, searched
from hub.hub import Hub

TINY = scale.Sizes((20, 40), (1, 3), (0, 20), (50,), crowd=3, writes=10, recalls_over_http=0)


def test_every_quantity_is_measured_and_judged(monkeypatch, tmp_path):
    monkeypatch.setattr(scale, "ROUNDS", 20)
    monkeypatch.setattr(scale, "QUICK", TINY)
    monkeypatch.setattr(scale, "embedding", lambda: 1.0)
    files = ["--json", str(tmp_path / "out" / "scale.json"), "--chart", str(tmp_path / "scale.svg")]
    scale.main(["--quick", "--no-http", *files])
    figures = json.loads((tmp_path / "out" / "scale.json").read_text(encoding="utf-8"))
    assert list(figures["beliefs"]["warm"]) == list(figures["beliefs"]["kinds"]) == ["20", "40"]
    assert figures["beliefs"]["kinds"]["20"].keys() == {"as_of", "explain", "after_a_write", "policy_share", "cold_ms"}
    assert list(figures["hidden"]) == ["0", "20"]
    assert figures["customers"]["mix"].keys() == {"one", "fifty", "crowd"}
    assert figures["writes"]["remember_per_second"] > 0
    assert {"hidden records, most ÷ none", "remembers a second"} <= figures["budgets"].keys()
    assert figures["exponents"].keys() >= {"recall_by_beliefs", "recall_by_hidden", "cold_by_beliefs"}


def test_a_budget_is_kept_up_to_its_limit():
    kept = [scale.Budget("x", 1.0, most=1.0), scale.Budget("x", 5.0, least=5.0)]
    missed = [scale.Budget("x", 1.1, most=1.0), scale.Budget("x", 4.9, least=5.0)]
    assert [budget.kept for budget in kept + missed] == [True, True, False, False]


@pytest.mark.parametrize("many", [2, 3, 4, 5])
def test_who_is_asked_first_is_another_each_time(many):
    """Whoever comes first finds the processor cold."""
    asked = []
    scale.timed({str(n): lambda _, n=n: asked.append(n) for n in range(many)}, many * scale.AT_A_TIME)
    turns = asked[:: len(asked) // many]
    assert sorted(turns) == list(range(many))


def test_growth_is_the_slope_of_the_logarithms():
    assert scale.exponent([(10, 1), (100, 10), (1_000, 100)]) == pytest.approx(1.0)
    assert scale.exponent([(10, 5), (100, 5)]) == pytest.approx(0.0)


def test_what_is_poured_is_what_is_remembered():
    with Hub.open(embedder=Cheap(), extractor=None) as hub:
        pour(hub, "mia", "kim", shared(20))
        pour_turns(hub, "nova", {"kim": list(said(3, seed=5)), "lee": list(said(2, seed=6))})
        hub.settle()
        assert hub.faults() == []
        text = next(iter(said(20)))
        assert text in str(hub.agent("atlas", "kim").recall(text).memories)
        assert len(hub.agent("nova", "lee").recall(next(iter(said(2, seed=6)))).memories) >= 1
        assert hub.operator().verify_audit().ok


def test_a_chart_says_why_it_is_not_there(monkeypatch, tmp_path):
    monkeypatch.setitem(__import__("sys").modules, "matplotlib", None)
    assert "matplotlib" in (drawn([], tmp_path / "none.svg") or "")


# --- peers -------------------------------------------------------------------------------------------------------


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    peers.prepared(tmp_path, [Amount(2, 30)])
    return tmp_path


@pytest.mark.parametrize("kind", peers.HUBS)
def test_the_hub_is_asked_what_the_others_are(folder, kind):
    figures = peers.hub(kind, folder, "0")
    assert figures["cpu_ms"] > 0
    assert figures["found"] > 0


def test_a_rival_is_given_texts_queries_and_vectors(folder):
    work = Work(folder, "0")
    assert (len(work.texts), len({user for user, _ in work.texts}), work.dimensions) == (30, 2, 512)
    assert work.vector(work.texts[0][1]) == work.vectors[0].tolist()
    assert work.vector("never said") == [0.0] * 512
    figures = searched(lambda user, query: [user, query], work.queries, 10)
    assert figures["found"] == 2


def test_who_cannot_be_installed_or_does_not_run_is_skipped_with_the_reason(monkeypatch, tmp_path):
    chosen = argparse.Namespace(full=False, environments=tmp_path)
    amount = Amount(1, 2_000)
    assert "takes too long" in str(peers.measured(Peer("slow", (), most=1_000), amount, 0, tmp_path, chosen))

    def refused(*_: object) -> Path:
        raise subprocess.CalledProcessError(1, "pip", stderr="no such package")

    monkeypatch.setattr(peers, "python_for", refused)
    assert peers.measured(Peer("gone", ()), amount, 0, tmp_path, chosen) == "it can't be installed: no such package"
    assert peers.asked(["python3", "-c", "raise SystemExit('broken')"]) == "broken"
    assert peers.asked(["python3", "-c", "print('{\"cpu_ms\": 2.0}')"]) == {"cpu_ms": 2.0}


def test_who_is_ahead_of_the_hub_is_named():
    row: dict[str, object] = {"hub": {"cpu_ms": 1.0}, "a": {"cpu_ms": 0.5}, "b": {"cpu_ms": 2.0}, "c": "skipped"}
    peers.rated(row)
    assert (row["a"]["times_the_hub"], row["b"]["times_the_hub"]) == (0.5, 2.0)
    assert peers.behind({"some": row}) == ["a at some"]
