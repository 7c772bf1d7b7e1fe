"""Reports of a run: what they say, that nothing in a story is taken for markup, and what a gate lets through."""

from __future__ import annotations

import json
import shutil
import subprocess
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from textwrap import dedent, indent
from xml.etree import ElementTree

import pytest

from hub.errors import Incorrect
from hub.play import Ablation, Report, play, read_story
from hub.play.pages import Run, compared, read_run, run_of, write
from hub.play.report import State

HOSTILE = "<script>alert('x')</script> & | `code` \x07"
SECRET = "kumquat-4711"

LEAKING = f"""
- {{agent: sage, remember: {{facts: [{{relation: allergic_to, value: {SECRET}}}]}}}}
- {{agent: sage, recall: "any allergies?", expect: {{remembers: [{SECRET}]}}}}
- {{agent: atlas, recall: "any allergies?", expect: {{private: [{SECRET}]}}}}
"""
HOLDING = """
- {agent: mia, remember: {facts: [{relation: lives_in, value: Hanoi}]}}
- {agent: atlas, recall: "where is home?", expect: {remembers: [Hanoi]}}
"""


def told(steps: str, story_id: str, category: str, lang: str = "en", **how: object) -> Report:
    head = f"id: {story_id}\ncategory: {category}\nlang: {lang}\ndescription: {json.dumps(HOSTILE)}\nsteps:\n"
    return play(read_story(head + indent(dedent(steps), "  "), "tale.yaml"), **how)


@pytest.fixture(scope="module")
def good() -> Run:
    report = told(LEAKING, "leaky", "leakage", twin=True) + told(HOLDING, "home", "cross_agent", "ko", twin=True)
    return run_of(report, "a hub", {"door": told(LEAKING, "leaky", "leakage", ablation=Ablation(door=False))})


@pytest.fixture(scope="module")
def bad() -> Run:
    report = told(LEAKING, "leaky", "leakage", ablation=Ablation(door=False))
    return run_of(report + told("- {sleep: true}", "nap", "stale"), "a hub without a door")


class Page(HTMLParser):
    """What a page shows, and what it would fetch or run."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.shown: list[str] = []
        self.tags: list[str] = []
        self.fetched: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.fetched += [value or "" for name, value in attrs if name in ("src", "href", "action")]

    def handle_data(self, data: str) -> None:
        self.shown.append(data)


def written(run: Run, name: str, folder: Path, before: Run | None = None) -> str:
    write(folder / name, run, before)
    return (folder / name).read_text(encoding="utf-8")


def test_a_leak_is_told_with_its_text_and_the_road_it_took(bad):
    [leak, *_] = bad.stories[0].leaks
    assert (leak.wanted, leak.agent, leak.step) == (SECRET, "atlas", 3)
    assert SECRET in leak.text
    assert leak.road.startswith("memories.0.")


def test_a_run_read_again_is_the_run(good, tmp_path):
    written(good, "run.json", tmp_path)
    assert read_run(tmp_path / "run.json") == good


def test_the_page_holds_everything_it_shows(good, bad, tmp_path):
    for run in (good, bad):
        page = Page(written(run, "run.html", tmp_path, good))
        assert page.fetched == []
        assert page.tags.count("script") == 1, "only its own"
        text = " ".join(page.shown)
        assert all(story.id in text for story in run.stories)
        assert HOSTILE.replace("\x07", "").strip() in text.replace("\x07", "")


def test_the_page_shows_leaks_losses_and_what_got_worse(good, bad, tmp_path):
    worse = " ".join(Page(written(bad, "run.html", tmp_path, good)).shown)
    assert SECRET in worse
    assert "memories.0.text" in worse
    assert "Worse than before" in worse
    sound = " ".join(Page(written(good, "run.html", tmp_path)).shown)
    assert "no door" in sound
    assert "None in 1 check, beside 1 of 1 positive controls." in sound


def test_markdown_takes_nothing_in_a_story_for_markup(bad, tmp_path):
    text = written(bad, "run.md", tmp_path)
    assert "**leaky**" in text
    assert "<script>" not in text
    assert SECRET in text


def test_junit_counts_what_was_played(good, bad, tmp_path):
    suite = ElementTree.fromstring(written(bad, "run.xml", tmp_path)).find("testsuite")
    assert [suite.get(name) for name in ("tests", "failures", "skipped")] == ["2", "1", "1"]
    [leaky, nap] = suite.findall("testcase")
    assert SECRET in leaky.find("failure").text
    assert nap.find("skipped") is not None
    assert ElementTree.fromstring(written(good, "good.xml", tmp_path)).find(".//failure") is None


def test_a_gate_lets_nothing_through_that_got_worse(good, bad):
    assert compared(good, good) == []
    changes = {change.what: (change.before, change.now) for change in compared(good, bad)}
    assert changes["leaky"] == ("passed", "failed")
    assert changes["home"] == ("passed", "gone")
    assert changes["leaks"] == ("0", "1")
    assert changes["twins"] == ("100.0%", "–")
    assert compared(bad, good) == []


def test_a_story_that_failed_before_may_fail_again(bad):
    assert [story.state for story in bad.stories] == [State.FAILED, State.SKIPPED]
    assert compared(bad, bad) == []


@pytest.mark.parametrize(
    ("text", "code"), [("{}", "bad_run"), ("nonsense", "bad_run"), (None, "bad_run")], ids=["empty", "no JSON", "none"]
)
def test_what_is_no_run_is_not_compared_with(text, code, tmp_path):
    if text is not None:
        (tmp_path / "run.json").write_text(text, encoding="utf-8")
    with pytest.raises(Incorrect) as refused:
        read_run(tmp_path / "run.json")
    assert refused.value.code == code


def test_a_run_of_another_version_is_not_compared_with(good, tmp_path):
    written(replace(good, format=99), "run.json", tmp_path)
    with pytest.raises(Incorrect, match="another version"):
        read_run(tmp_path / "run.json")


def test_a_report_says_by_its_ending_what_it_is(good, tmp_path):
    with pytest.raises(Incorrect) as refused:
        write(tmp_path / "run.pdf", good)
    assert refused.value.code == "bad_report"


CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")


@pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium here")
def test_a_browser_shows_the_page_and_runs_its_script(bad, good, tmp_path):
    text = written(bad, "run.html", tmp_path, good)
    probe = "<script>document.querySelector('[data-state=skipped][aria-pressed]').click()</script></body>"
    (tmp_path / "probed.html").write_text(text.replace("</body>", probe), encoding="utf-8")
    command = [str(CHROMIUM), "--headless", "--no-sandbox", "--disable-gpu", "--dump-dom"]
    done = subprocess.run(
        [*command, f"--user-data-dir={tmp_path / 'profile'}", (tmp_path / "probed.html").as_uri()],
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )
    page = done.stdout
    stories = page[page.index('id="stories"') :]
    leaky, nap = stories.index("leaky"), stories.index("nap")
    hidden = [part.split(">")[0] for part in stories.split("<details")[1:]]
    assert leaky < nap, "failures come first"
    assert ["hidden" in head for head in hidden] == [True, False], "the button leaves those that were skipped"
