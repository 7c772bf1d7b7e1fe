"""Fails unless the built wheel carries policies and scenarios inside the package, and works without the checkout."""

import os
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

from tests.sources import ROOT

CARRIED = {"policies": "hub/_policies", "scenarios": "hub/_scenarios"}
COMMANDS = ["import hub", "from hub.cli import cli; cli(['policy', 'test'])"]
"""Run by the unpacked wheel, in a folder that has nothing else."""


def built(folder: str) -> Path:
    pip = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", folder, str(ROOT)]
    subprocess.run(pip, check=True)
    return next(Path(folder).glob("*.whl"))


def left_out(wheel: Path) -> list[str]:
    inside = set(zipfile.ZipFile(wheel).namelist())
    files = (file for folder in ("hub", *CARRIED) for file in (ROOT / folder).rglob("*") if file.is_file())
    names = (file.relative_to(ROOT).as_posix() for file in files if "__pycache__" not in file.parts)
    return [name for name in names if _place(name) not in inside]


def _place(name: str) -> str:
    top, rest = name.split("/", 1)
    return f"{CARRIED.get(top, top)}/{rest}"


def main() -> int:
    with tempfile.TemporaryDirectory() as folder:
        wheel = built(folder)
        if missing := left_out(wheel):
            print(f"the wheel lacks {', '.join(missing)}")
            return 1
        unpacked = Path(folder) / "unpacked"
        zipfile.ZipFile(wheel).extractall(unpacked)
        alone = {**os.environ, "PYTHONPATH": str(unpacked)}  # found before the checkout's own package
        for command in COMMANDS:
            subprocess.run([sys.executable, "-c", command], check=True, cwd=folder, env=alone)
    print("the wheel is whole")
    return 0


if __name__ == "__main__":
    sys.exit(main())
