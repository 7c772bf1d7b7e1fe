"""The scenario player: stories read strictly, checked, played in process and counted."""

from hub.play.checking import check
from hub.play.judging import Kind, Verdict
from hub.play.player import play
from hub.play.reading import load, read_story
from hub.play.report import Outcome, Played, Rate, Report, State, Summary, Tally
from hub.play.story import Category, Expect, Lang, Step, Story, Verb, Wanted

__all__ = [
    "Category",
    "Expect",
    "Kind",
    "Lang",
    "Outcome",
    "Played",
    "Rate",
    "Report",
    "State",
    "Step",
    "Story",
    "Summary",
    "Tally",
    "Verb",
    "Verdict",
    "Wanted",
    "check",
    "load",
    "play",
    "read_story",
]
