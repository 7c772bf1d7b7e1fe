"""Plays stories against one of these systems: `python -m bench.targets mem0 shared REPORT.json [PATH…]`."""

from __future__ import annotations

import sys
from pathlib import Path

from bench.targets import Elsewhere
from bench.targets.langgraph import LangGraph
from bench.targets.mem0 import Mem0
from hub.hub import shipped
from hub.play import load, play_all
from hub.play.pages import run_of, write

STORES = {"mem0": Mem0, "langgraph": LangGraph}
WAYS = {"shared": True, "by_agent": False}


def main(store: str, way: str, report: str, *paths: str) -> None:
    stories = [story for path in paths or (shipped("scenarios"),) for story in load(path)]
    target = Elsewhere(STORES[store], shared=WAYS[way])
    write(Path(report), run_of(play_all(stories, target, jobs=1), f"{store}, {way}"))


if __name__ == "__main__":
    main(*sys.argv[1:])
