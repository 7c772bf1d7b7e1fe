"""The benches of recall on small things: they read what they are given, measure it rightly, and can fail."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from bench import abstain, locomo


def spoken(session: int, *lines: str) -> list[dict[str, str]]:
    turns = (line.split(": ") for line in lines)
    return [{"speaker": who, "dia_id": f"D{session}:{n}", "text": text} for n, (who, text) in enumerate(turns, 1)]


CONVERSATION = {
    "speaker_a": "Ann",
    "speaker_b": "Bo",
    "session_1_date_time": "1:56 pm on 8 May, 2023",
    "session_1": spoken(1, "Ann: Which instrument do you play?", "Bo: The oboe.", "Ann: I paint lakes."),
    "session_2_date_time": "9:00 am on 2 June, 2023",
    "session_2": spoken(2, "Bo: My boat has a leak.", "Ann: Oh no!"),
    "session_3_date_time": "9:00 am on 3 June, 2023",
}
QUESTIONS = [
    {"question": "Which instrument does Bo play?", "evidence": ["D1:2; D1:01"], "category": 1},
    {"question": "What happened in June 2023?", "evidence": ["D2:1", "D2:2"], "category": 2},
    {"question": "What does Ann paint?", "evidence": ["D:1:3", "D"], "category": 4},
    {"question": "Why is the sky blue?", "evidence": [], "category": 5},
]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    file = tmp_path / "talks.json.gz"
    with gzip.open(file, "wt") as out:
        json.dump([{"sample_id": f"c{n}", "conversation": CONVERSATION, "qa": QUESTIONS} for n in range(2)], out)
    return file


def test_a_conversation_is_read_with_its_hours_and_however_its_evidence_is_written(path: Path) -> None:
    talk, _ = locomo.conversations(path)
    assert [(turn.id, turn.session, turn.at.isoformat()) for turn in talk.turns][2:4] == [
        ("D1:3", "session_1", "2023-05-08T13:56:00+00:00"),
        ("D2:1", "session_2", "2023-06-02T09:00:00+00:00"),
    ]
    assert talk.turns[1].text == "Bo: The oboe."
    assert [sorted(question.evidence) for question in talk.questions] == [["D1:1", "D1:2"], ["D2:1", "D2:2"], ["D1:3"]]


def test_evidence_that_is_all_there_is_found(path: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = [str(path), "--embedder", "none", "--keep", str(tmp_path / "kept")]
    assert locomo.main([*arguments, "--json"]) == 0
    figures = json.loads(capsys.readouterr().out)
    assert figures["all"] == {"questions": 6, "@5": 100.0, "@10": 100.0}
    assert figures["tuned on"]["questions"] == figures["held out"]["questions"] == 3
    assert figures["time"]["questions"] == 2
    assert locomo.main([*arguments, "--limit", "1", "--questions", "1"]) == 0
    assert "several turns" in capsys.readouterr().out


def test_evidence_that_is_not_found_fails_the_bench(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(locomo, "DEPTHS", (1, 2))
    monkeypatch.setattr(locomo, "BAR", {1: 99.0})
    assert locomo.main([str(path), "--embedder", "none", "--floor", "--json"]) == 1


def test_the_questions_of_abstention_are_labelled_soundly() -> None:
    read = list(abstain.stories())
    for half in ("tune", "report"):
        assert {story.lang for story in read if story.half == half} == {"en", "ko", "vi", "ja"}
    for story in read:
        assert {q.kind for q in story.questions} == set(abstain.KINDS)
        for question in story.questions:
            assert question.right <= story.facts.keys() | story.turns.keys()
            assert bool(question.right) == (question.kind == "answerable")


def test_what_is_found_and_what_stays_silent_is_counted(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    some = [story for story in abstain.stories() if story.lang == "vi"][2:4]
    monkeypatch.setattr(abstain, "stories", lambda: iter(some))
    assert abstain.main(["--embedder", "none", "--misses", "--json"]) in (0, 1)
    out = capsys.readouterr().out
    figures = json.loads(out[out.index("{") :])
    assert set(figures) == {"tune", "report", "report, vi", "reliability"}
    assert {level for half in figures["reliability"].values() for level in half} > set(abstain.LEVELS)
    assert figures["report"]["questions"] == len(some[1].questions)
    assert figures["report"]["found"] > 90


def answered(kind: str, *told: str, right: bool = False, best: float = 0.0) -> abstain.Found:
    question = abstain.Question("en", "report", kind, "?", frozenset("x" if kind == "answerable" else ""))
    return abstain.Found(question, right, told, "low" if told else "none", 0.3 if told else 0.0, best)


def test_a_wrong_answer_is_neither_found_nor_silent_and_a_few_of_them_fail_the_bench() -> None:
    found = [
        answered("answerable", "right", right=True, best=0.9),
        answered("answerable", best=0.2),
        answered("strange", "noise", best=0.3),
        answered("unknown", best=0.1),
    ]
    figures = abstain.figures(found)
    assert (figures["found"], figures["silent_on_strange"], figures["silent_on_unknown"]) == (50.0, 0.0, 100.0)
    assert (figures["silence_precision"], figures["roc_strange"], figures["roc_unknown"]) == (50.0, 0.5, 1.0)
    assert len(list(abstain.misses(found))) == 2
    assert not abstain.reached({"report": figures})
    assert abstain.reached({"report": {"found": 90.0, "silent_on_strange": 96.0}})
