"""What can't come to anything is refused before it is begun, with a word about how to mend it."""

from __future__ import annotations

import socket
from pathlib import Path

import pytest

from hub.cli import playing
from hub.errors import Conflict, Incorrect
from hub.play.over_http import Remote
from tests.sources import ROOT
from tests.test_cli import run

STORY = str(ROOT / "scenarios" / "leakage" / "allergy-told-to-shop.yaml")
NEEDS_A_MODEL = """
id: needs-a-model
category: exact_match
requires: llm
steps:
  - {agent: mia, remember: {facts: [{relation: lives_in, value: Hanoi}]}}
  - {agent: mia, recall: "where is home?", expect: {remembers: [Hanoi]}}
"""


@pytest.mark.parametrize("name", ["missing/run.html", "run.pdf"])
def test_a_report_that_can_t_be_written_is_refused_before_anything_is_played(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(playing, "play_all", lambda *_, **__: pytest.fail("it was played"))
    with pytest.raises(Incorrect, match="bad_report"):
        run("play", STORY, "--report", str(tmp_path / name))


def test_a_run_that_plays_nothing_is_not_green(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    done = run("play", STORY, "--category", "temporal")
    assert done.exit_code == 2
    assert "no story of the category temporal" in done.output
    monkeypatch.delenv("HUB_MODEL", raising=False)
    (tmp_path / "story.yaml").write_text(NEEDS_A_MODEL, encoding="utf-8")
    done = run("play", str(tmp_path))
    assert done.exit_code == 2
    assert "every story was skipped" in done.output


HEAD = "id: tale\ncategory: leakage\nlang: en\ndescription: a tale\nsteps:\n"
TOLD = "  - {agent: sage, remember: {facts: [{relation: allergic_to, value: peanuts}]}}\n"
KEPT = "  - {agent: nova, recall: snacks, expect: {private: [peanut]}}\n"
SHOWN = "  - {agent: sage, recall: allergies, expect: {remembers: [peanut]}}\n"
WHOLE = HEAD + TOLD + KEPT + SHOWN
BROKEN: dict[str, tuple[str | bytes, str]] = {
    "a key nobody knows": (WHOLE.replace("lang:", "langs:"), "line 3 has an unknown key `langs`"),
    "a verb nobody knows": (HEAD + "  - {agent: mia, recal: hi}\n", "line 6, step 1 has no verb"),
    "an argument nobody knows": (WHOLE.replace("recall: snacks", "recall: snacks, limits: 3"), "line 7, step 2"),
    "a check nobody knows": (WHOLE.replace("private:", "hidden:"), "line 7, step 2 `expect` has an unknown key"),
    "steps that are none": ("id: a\ncategory: leakage\nsteps: hello\n", "line 3 has no steps"),
    "a step that is none": (HEAD + "  - hello\n", "line 6, step 1 is not a mapping"),
    "a number in words": (WHOLE.replace("recall: snacks", "recall: snacks, limit: many"), "line 7, step 2"),
    "facts that are no list": (HEAD + "  - {agent: mia, remember: {facts: {a: b}}}\n", "line 6, step 1"),
    "an agent that is none": (WHOLE.replace("agent: nova", "agent: yes"), "line 7, step 2 has an agent `yes`"),
    "nothing to keep": (HEAD + TOLD + SHOWN, "line 7, step 2 ends a leakage story"),
    "what nobody says": (WHOLE.replace("[peanut]", "[walnut]", 1), "line 7, step 2 keeps `walnut` private"),
    "no positive control": (HEAD + TOLD + KEPT, "line 7, step 2 keeps `peanut` private"),
    "a pattern that is none": (WHOLE.replace("[peanut]", "['/(/']", 1), "line 7, step 2 `expect`"),
    "no YAML": (HEAD + TOLD + "  - {agent: mia, recall: [hi}\n", "line 7: this is not YAML"),
    "a tab": (HEAD + "\t- {mark: a}\n", "line 6: this is not YAML"),
    "a key twice": (WHOLE.replace("lang: en", "lang: en\nlang: ko"), "line 4: the key `lang` is given twice"),
    "a key twice in JSON": ('{\n"id": "a",\n"id": "b"}', "line 3: the key `id` is given twice"),
    "an alias": ("id: &a tale\ncategory: *a\n", "line 1: anchors and aliases"),
    "a tag": ("id: !!python/name:os.system\n", "line 1: tags are not read"),
    "two in one": (WHOLE + "---\n" + WHOLE, "a second document begins"),
    "a start without offset": ("start: 2026-07-01T10:00:00\n" + WHOLE, "line 1 has no usable `start`"),
    "a date without offset": (
        WHOLE.replace("recall: snacks", "recall: snacks, as_of: 2026-07-01T10:00:00"),
        "line 7, step 2 has `as_of: 2026-07-01T10:00:00`",
    ),
    "nothing": ("", "is not a mapping"),
    "a list": ("- a\n- b\n", "is not a mapping"),
    "too deep": ("[" * 3_000, "line 1: "),
    "control characters": (WHOLE.replace("a tale", "a \0 tale"), "does not allow"),
    "bytes": (WHOLE.encode() + b"\xff", "is not UTF-8"),
    "other letters": (WHOLE.encode("utf-16"), "is not UTF-8"),
    "too much": (WHOLE + "#" * 1_000_000, "is larger than 1,000,000 bytes"),
}


def test_every_broken_story_is_refused_with_file_line_and_fix(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "1000")
    for name, (text, _) in BROKEN.items():
        (tmp_path / f"{name}.yaml").write_bytes(text if isinstance(text, bytes) else text.encode())
    (tmp_path / "sound.yaml").write_text(WHOLE.replace("id: tale", "id: sound"), encoding="utf-8")
    done = run("play", "--check", str(tmp_path))
    assert done.exit_code == 1
    lines = done.output.splitlines()
    for name, (_, told) in BROKEN.items():
        [number] = [n for n, line in enumerate(lines) if f"{name}.yaml" in line and "(bad_" in line]
        assert told in lines[number]
        assert lines[number + 1], "how to mend it"
    assert not any("sound.yaml" in line for line in lines)


def test_one_story_is_one_story() -> None:
    assert run("play", STORY, "--check").output == "1 story is fit to be played\n"


def test_an_address_that_is_none_is_said_to_be_none() -> None:
    done = run("play", STORY, "--url", "junk", "--admin-key", "key")
    assert done.exit_code == 2
    assert "http://127.0.0.1:8080" in done.output


def test_a_port_in_use_is_named_with_a_way_out(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        with pytest.raises(Conflict, match="--port"):
            run("serve", "--db", str(tmp_path / "memory.db"), "--port", port, "--embedder", "none")


def test_what_is_left_behind_at_another_hub_is_told_even_after_ctrl_c(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken_off(stories: object, target: Remote, *_: object, **__: object) -> None:
        target.left.append("the customer tale-1")
        raise KeyboardInterrupt

    monkeypatch.setattr(playing, "play_all", broken_off)
    done = run("play", STORY, "--url", "http://127.0.0.1:1", "--admin-key", "key")
    assert done.exit_code == 1
    assert "may be left at http://127.0.0.1:1: the customer tale-1" in done.output
