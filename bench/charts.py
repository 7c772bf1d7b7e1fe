"""Charts of benches, one file each, drawn where nobody has a screen."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Chart:
    """Lines over sizes, both axes by powers of ten; `limits` are points that may not be exceeded."""

    title: str
    across: str
    up: str
    lines: Mapping[str, Sequence[tuple[float, float]]]
    limits: Sequence[tuple[float, float]] = ()


def drawn(charts: Sequence[Chart], file: Path) -> str | None:
    """Why there is no picture; None if there is."""
    try:
        import matplotlib as mpl
    except ImportError:
        return "matplotlib is not installed (it comes with memory-hub[bench])"
    mpl.use("Agg")
    mpl.rcParams["svg.hashsalt"] = "bench"
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(
        1, len(charts), figsize=(5.2 * len(charts), 4.2), layout="constrained", squeeze=False
    )
    for axis, chart in zip(axes[0], charts, strict=True):
        for name, points in chart.lines.items():
            axis.plot(*zip(*points, strict=True), marker="o", label=name)
        if chart.limits:
            axis.plot(*zip(*chart.limits, strict=True), "k_", markersize=14, label="budget")
        axis.set(title=chart.title, xlabel=chart.across, ylabel=chart.up, xscale="symlog", yscale="log")
        axis.grid(visible=True, which="major", alpha=0.3)
        axis.legend(fontsize="small")
    file.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(file, metadata={"Date": None} if file.suffix == ".svg" else None)
    pyplot.close(figure)
    return None
