"""Learning curves of trainings, each with its interval, and their mean."""

from __future__ import annotations

import json
import math
import statistics
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

from supermarket_env.errors import RunFolderError
from supermarket_env.report.look import INK, STYLES, legend_below, new_figure, save_figure, tidy, undefined

CURVE: Final = "progress.jsonl"
GRID: Final = 50
"""Points of the mean curve between the first and the last step that all trainings share."""


class Point(NamedTuple):
    """One line of a training's curve."""

    steps: int
    satisfaction: float
    low: float | None
    high: float | None
    n: int | None
    """Watched tasks, if the training says how many."""


def save_learning(folders: Sequence[Path], out: Path) -> list[Path]:
    """Draw the need satisfaction of trainings by steps, with 95 % intervals, and the mean of several.

    A training's own interval is over its watched tasks and drawn where its curve holds it. The mean of three trainings
    or more has a band over trainings (Student's t) at every step that all of them share, values in between being read
    off their lines; two trainings have a mean without a band.

    Args:
        folders: Training folders.
        out: Picture to write.

    Raises:
        RunFolderError: If a folder holds no training.
        ConfigError: If the picture cannot be written.
    """
    page = new_figure(7.5, 4.8)
    axes = page.add_subplot()
    rows: list[dict[str, Any]] = []
    curves = [read_curve(folder) for folder in folders]
    names = [folder.name for folder in folders]
    names = names if len(set(names)) == len(names) else [str(folder) for folder in folders]
    length = max((point.steps for curve in curves for point in curve), default=0)
    styles = (STYLES * len(folders))[: len(folders)]
    for number, (name, curve, style) in enumerate(zip(names, curves, styles, strict=True)):
        aside = 0.004 * length * (number - (len(folders) - 1) / 2)  # bars of one step stand side by side
        steps = [point.steps for point in curve]
        known = [point for point in curve if point.low is not None and point.high is not None]
        for point in known:
            axes.plot(
                [point.steps + aside] * 2, [point.low or 0.0, point.high or 0.0], color=style.colour, linewidth=0.9
            )
        n = next((point.n for point in curve if point.n is not None), None)
        axes.plot(steps, [point.satisfaction for point in curve], color=style.colour, linestyle=style.line,
                  marker=style.marker, markersize=4, markerfacecolor="white", linewidth=1.2,
                  label=f"{name} (n = {n} tasks)" if n else name)  # fmt: skip
        rows += [{"training": name, "steps": p.steps, "NS": p.satisfaction, "low": p.low, "high": p.high, "n": p.n,
                  "n_is": "watched tasks"} for p in curve]  # fmt: skip
    mean = mean_curve(curves) if len(curves) > 1 else []
    if mean:
        steps = [point.steps for point in mean]
        axes.plot(steps, [point.satisfaction for point in mean], color=INK, linewidth=2.4,
                  label=f"mean of {len(curves)} trainings" + (", 95 % band" if len(curves) > 2 else ""))  # fmt: skip
        if len(curves) > 2:
            axes.fill_between(steps, [p.low or 0.0 for p in mean], [p.high or 0.0 for p in mean], color=INK,
                              alpha=0.12, linewidth=0)  # fmt: skip
        rows += [{"training": "mean", "steps": p.steps, "NS": p.satisfaction, "low": p.low, "high": p.high, "n": p.n,
                  "n_is": "trainings"} for p in mean]  # fmt: skip
    if not any(curves):
        undefined(axes, "n/a: no training has a point yet")
    axes.set_xlabel("environment steps")
    axes.xaxis.set_major_formatter(lambda value, _: f"{value:,.0f}")
    axes.set_ylabel("need satisfaction on watched tasks (0..1)")
    bars = "; bars: 95 % intervals over watched tasks" if any(p.low is not None for c in curves for p in c) else ""
    axes.set_title(f"Learning curves (n = {len(curves)} training{'s' * (len(curves) > 1)}){bars}", fontsize=10.5)
    tidy(axes)
    legend_below(page, axes)
    return save_figure(page, out, rows)


def mean_curve(curves: Sequence[Sequence[Point]]) -> list[Point]:
    """Return the mean of several curves over the steps that all share, with Student's t over curves from three on.

    Returns:
        Points with ``n`` the number of curves; empty when a curve is empty or the curves share no step.
    """
    if not all(curves):
        return []
    first, last = max(curve[0].steps for curve in curves), min(curve[-1].steps for curve in curves)
    if first > last:
        return []
    grid = sorted({round(first + (last - first) * k / (GRID - 1)) for k in range(GRID)})
    found = []
    for step in grid:
        values = [_at(curve, step) for curve in curves]
        middle, half = math.fsum(values) / len(values), None
        if len(values) > 2:
            from scipy.stats import t

            half = float(t.ppf(0.975, len(values) - 1)) * statistics.stdev(values) / math.sqrt(len(values))
        low, high = (None, None) if half is None else (max(0.0, middle - half), min(1.0, middle + half))
        found.append(Point(step, middle, low, high, len(values)))
    return found


def _at(curve: Sequence[Point], step: int) -> float:
    """Return the value of a curve at a step within it, on the line between its points."""
    after = next(place for place, point in enumerate(curve) if point.steps >= step)
    right = curve[after]
    if right.steps == step or after == 0:
        return right.satisfaction
    left = curve[after - 1]
    part = (step - left.steps) / (right.steps - left.steps)
    return left.satisfaction + part * (right.satisfaction - left.satisfaction)


def read_curve(folder: Path) -> list[Point]:
    """Return the points of a training, in the order of their steps.

    Raises:
        RunFolderError: If the folder holds no training.
    """
    try:
        lines = (folder / CURVE).read_text(encoding="utf-8").splitlines()
        entries = [json.loads(line) for line in lines if line.strip()]
        points = {
            int(e["steps"]): Point(int(e["steps"]), float(e["satisfaction"]), e.get("satisfaction_low"),
                                   e.get("satisfaction_high"), e.get("watched"))
            for e in entries if e.get("satisfaction") is not None
        }  # fmt: skip
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise RunFolderError(f"{folder}: expected a training with a {CURVE} ({error!r})") from None
    return [points[steps] for steps in sorted(points)]
