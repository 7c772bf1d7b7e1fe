"""Reports of a run: what they say, that nothing in a story is taken for markup, and what a gate lets through."""

from __future__ import annotations

import json
import shutil
import subprocess
from dataclasses import replace
from html import escape, unescape
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
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        links = [value or "" for name, value in attrs if name in ("src", "href", "action")]
        self.fetched += [link for link in links if not link.startswith("#")]
        self.elements.append((tag, dict(attrs)))

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


def test_the_page_can_be_read_without_seeing_it(bad, good, tmp_path):
    page = Page(written(replace(bad, losses=good.losses), "run.html", tmp_path, good))
    headings = [tag for tag in page.tags if tag in ("h1", "h2", "h3")]
    assert headings[0] == "h1"
    assert set(headings[1:]) == {"h2"}
    assert page.tags.count("caption") == page.tags.count("table") == 4
    known = {name for _, names in page.elements if (name := names.get("id")) is not None}
    for tag, names in page.elements:
        if tag == "th":
            assert names.get("scope") in ("col", "row")
        if tag == "input":
            assert names["aria-label"]
        if names.get("role") == "region":
            assert (names["tabindex"], names["aria-labelledby"] in known) == ("0", True)
        if tag == "a":
            assert (names["href"] or "").removeprefix("#") in known


def test_a_page_says_first_what_came_of_it(good, bad, tmp_path):
    def verdict(run: Run) -> str:
        text = " ".join(" ".join(Page(written(run, "run.html", tmp_path)).shown).split())
        return (
            text[text.index("Stories played") :].split(".")[0].split("a hub")[-1].split("without a door ")[-1].strip()
        )

    assert verdict(good).startswith("All 2 stories hold, and nothing leaked")
    assert verdict(bad).startswith("1 story of 2 failed, and 1 private text leaked")
    skipped = run_of(told("- {sleep: true}", "nap", "stale"), "a hub")
    assert verdict(skipped).startswith("Nothing failed; 1 of 1 story could not be played")


CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")

PROBE = """
<script>
const parts = colour => colour.match(/[0-9.]+/g).map(Number);
const light = colour => parts(colour).slice(0, 3).map(c => c / 255)
  .map(c => c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4)
  .reduce((sum, c, n) => sum + c * [0.2126, 0.7152, 0.0722][n], 0);
const behind = element => {
  const colour = getComputedStyle(element).backgroundColor;
  return parts(colour)[3] === 0 ? behind(element.parentElement) : colour;
};
const faint = inside => [...inside.querySelectorAll("main *")].filter(element => {
  if (![...element.childNodes].some(node => node.nodeType === 3 && node.data.trim())) return false;
  const pair = [light(getComputedStyle(element).color), light(behind(element))].sort((a, b) => b - a);
  return (pair[0] + 0.05) / (pair[1] + 0.05) < 4.5;
}).map(element => element.textContent.trim().slice(0, 40));
addEventListener("load", () => {
  const page = document.querySelector("iframe").contentDocument;
  page.querySelector("[data-state=skipped][aria-pressed]").click();
  const stories = [...page.querySelectorAll(".story")];
  const told = {
    wide: page.documentElement.scrollWidth,
    faint: faint(page),
    hidden: stories.map(story => story.hidden),
    shown: page.querySelector("#shown").textContent,
    dark: matchMedia("(prefers-color-scheme: dark)").matches,
  };
  document.querySelector("pre").textContent = JSON.stringify(told);
});
</script>
"""


@pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium here")
@pytest.mark.parametrize(("scheme", "width"), [("dark", 360), ("light", 1280)])
def test_a_browser_shows_all_of_the_page_legibly_and_runs_its_script(scheme, width, bad, good, tmp_path):
    text = escape(written(bad, "run.html", tmp_path, good))
    framed = f'<iframe width="{width}" height="900" srcdoc="{text}"></iframe><pre></pre>{PROBE}'
    (tmp_path / "probe.html").write_text(f"<!doctype html><meta charset=utf-8>{framed}", encoding="utf-8")
    command = [str(CHROMIUM), "--headless", "--no-sandbox", "--disable-gpu", "--dump-dom", "--virtual-time-budget=5000"]
    done = subprocess.run(
        [
            *command,
            f"--blink-settings=preferredColorScheme={0 if scheme == 'dark' else 1}",
            f"--user-data-dir={tmp_path / 'profile'}",
            (tmp_path / "probe.html").as_uri(),
        ],
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )
    told_by = json.loads(unescape(done.stdout.split("<pre>")[1].split("</pre>")[0]))
    assert told_by["dark"] is (scheme == "dark")
    assert told_by["faint"] == [], "as legible as WCAG's AA wants"
    assert told_by["wide"] <= width, "nothing has to be looked for beside the page"
    assert told_by["hidden"] == [True, False], "failures come first, and the button leaves those that were skipped"
    assert told_by["shown"] == "1 of 2"
