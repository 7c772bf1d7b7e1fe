"""The extraction bench reads customers only, and says what it claimed of whom."""

from __future__ import annotations

import gzip
import json

from bench import extract as bench

TALKS = [
    {"turns": [["U", "I love jazz. Find me a concert."], ["S", "I love rock."], ["U", "Thanks"]]},
    {"turns": ["I am vegan .", "I am a waiter .", "Do I like fish ?"]},
]


def test_every_claim_of_a_customer_is_shown(tmp_path, capsys):
    path = tmp_path / "talks.jsonl.gz"
    with gzip.open(path, "wt", encoding="utf-8") as file:
        file.writelines(json.dumps(talk) + "\n" for talk in TALKS)
    assert bench.main([str(path)]) == 0
    shown = capsys.readouterr().out
    assert "relation: likes, value: jazz" in shown
    assert "relation: diet, value: vegan" in shown
    assert "rock" not in shown
    assert bench.main([str(path), "--json", "--all"]) == 0
    figures = json.loads(capsys.readouterr().out)
    assert (figures["turns"], figures["sentences"], figures["claims"]) == (4, 5, 2)


def test_turns_are_taken_from_all_over_a_file():
    assert bench.spread(list("abcdef"), 3) == ["a", "c", "e"]
    assert bench.spread(["a"], 3) == ["a"]
