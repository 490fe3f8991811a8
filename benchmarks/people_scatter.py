"""Scatter plots of automatic scores against the mean grade of people, for the pages that compare them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from supermarket_env.stats import paired_correlation

Floats = npt.NDArray[np.float64]

BLUE, GREY = "#0072B2", "#999999"
JITTER = 0.04
"""Grades are means of few whole numbers: without some noise the points lie on top of each other."""


class Panel(NamedTuple):
    """One set of points: what it is, automatic scores and mean human grades, both (n,)."""

    name: str
    scores: Floats
    human: Floats


def draw_scatter(panels: Sequence[Panel], out: Path, *, score: str, is_same_scale: bool = False) -> None:
    """Draw one panel a set, with its rank correlation.

    Args:
        panels: At least one.
        out: Picture to write.
        score: What stands on the horizontal axis.
        is_same_scale: Whether scores are on the people's scale: then the line of equality is drawn, else the mean grade
            of each tenth of the scores.
    """
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9.6, 4.4), dpi=110, layout="constrained")
    FigureCanvasAgg(figure)
    drawn: Any = figure.subplots(1, len(panels), sharex=True, sharey=True, squeeze=False)[0]
    for axes, panel in zip(drawn, panels, strict=True):
        jitter = np.random.default_rng(0).uniform(-JITTER, JITTER, len(panel.human))
        axes.scatter(panel.scores, panel.human + jitter, s=9, color=BLUE, alpha=0.45, linewidths=0)
        if is_same_scale:
            axes.plot([1, 5], [1, 5], color=GREY, linewidth=0.8)
        else:
            tenths = np.array_split(np.argsort(panel.scores, kind="stable"), 10)
            middle = [(float(panel.scores[part].mean()), float(panel.human[part].mean())) for part in tenths]
            axes.plot(*zip(*middle, strict=True), color="black", marker="o", ms=4, linewidth=1.2, label="mean by tenth")
            axes.legend(loc="upper left", fontsize=8, frameon=False)
        rho = paired_correlation(panel.scores.tolist(), panel.human.tolist()).spearman
        shown = "n/a" if rho is None else f"{rho:.2f}"
        axes.set_title(f"{panel.name} (Spearman {shown})", fontsize=10)
        axes.set_xlabel(score)
    drawn[0].set_ylabel("mean grade of people")
    out.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(out, metadata={"Software": None})
