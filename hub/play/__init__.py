"""The scenario player: stories read strictly, checked, played against any hub, and counted."""

from hub.play.chance import by_chance
from hub.play.checking import check
from hub.play.inside import Inside
from hub.play.judging import Kind, Verdict
from hub.play.many import play_all
from hub.play.player import WHOLE, Ablation, play
from hub.play.reading import files_of, load, read_story
from hub.play.report import Outcome, Played, Rate, Report, State, Summary, Tally
from hub.play.story import Category, Expect, Lang, Step, Story, Verb, Wanted

__all__ = [
    "WHOLE",
    "Ablation",
    "Category",
    "Expect",
    "Inside",
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
    "by_chance",
    "check",
    "files_of",
    "load",
    "play",
    "play_all",
    "read_story",
]
