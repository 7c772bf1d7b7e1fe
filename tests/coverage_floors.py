"""Fails unless the lower floors are covered whole, line and branch; run it after the tests ran with `--cov`."""

import sys

from coverage import Coverage
from coverage.exceptions import NoDataError

from tests.sources import ROOT, read_house

HIGHEST = 4


def must_be_covered() -> list[str]:
    """File patterns of every room on the lower floors, as the README lists them."""
    low = (room.path for room in read_house().rooms if room.floor <= HIGHEST)
    return [str(ROOT / "hub" / (f"{path}*" if path.endswith("/") else path)) for path in low]


def main() -> int:
    coverage = Coverage()
    coverage.load()
    try:
        reached = coverage.report(include=must_be_covered())
    except NoDataError as nothing:
        print(f"floors 0-{HIGHEST}: {nothing}; run the tests with --cov first")
        return 1
    print(f"floors 0-{HIGHEST}: {reached:.2f} % covered, 100 % wanted")
    return 0 if reached == 100 else 1


if __name__ == "__main__":
    sys.exit(main())
