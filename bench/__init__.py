"""Benches: what the hub keeps and how fast, on real material; each a command of its own."""

from __future__ import annotations

from argparse import ArgumentTypeError
from pathlib import Path


def a_file(given: str) -> Path:
    """The type of an argument that names a file that is there."""
    path = Path(given)
    if not path.is_file():
        raise ArgumentTypeError(f"there is no file `{given}`; README.md says under Benches what it has to hold")
    return path
