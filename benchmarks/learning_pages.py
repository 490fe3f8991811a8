"""Tables and figures of ``learning.py``: the share of the gap closed, the grid, its price, ablations, curves."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from user_page import table

from supermarket_env.stats import bootstrap_ci

HOME: Final = "new tasks"
REFERENCES: Final = ("silent", "rule", "rule_tuned", "informed", "oracle")
"""`informed` is told the needs but not the taste for single products: what could be known (``informed.py``)."""
LEARNERS: Final = {"learned": "`learned`", "ppo": "`ppo`"}
"""What was trained, the main one first; the seeds of each are named after it, ``ppo0``, ``ppo1``, ..."""
RESAMPLES: Final = 2000

Played = dict[str, list[Any]]
"""Figures of one assistant in one cell, by task."""
Grid = Mapping[str, Mapping[str, Played]]
"""By cell and assistant."""


def curve(folder: Path) -> list[dict[str, Any]]:
    """Return the points of a training run, none when there is none."""
    file = folder / "progress.jsonl"
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()] if file.is_file() else []


def gap_share(
    policy: Sequence[Sequence[float]], tuned: Sequence[float], oracle: Sequence[float]
) -> tuple[float, float, float]:
    """Return the share of the gap closed with a 95 % interval, resampling training seeds and tasks together.

    Args:
        policy: Need satisfaction by training seed and task.
        tuned: By task, of ``rule_tuned``.
        oracle: By task. Without a gap all three are NaN.
    """
    p, t, o = np.array(policy), np.array(tuned), np.array(oracle)
    if np.mean(o) <= np.mean(t):
        return float("nan"), float("nan"), float("nan")
    rng = np.random.Generator(np.random.Philox(0))

    def share(seeds: NDArray[np.int64], tasks: NDArray[np.int64]) -> float:
        gap = float(np.mean(o[tasks] - t[tasks]))
        return float(np.mean(p[np.ix_(seeds, tasks)]) - np.mean(t[tasks])) / gap if gap > 0 else float("nan")

    drawn = [share(rng.integers(len(p), size=len(p)), rng.integers(len(t), size=len(t))) for _ in range(RESAMPLES)]
    low, high = np.nanpercentile(drawn, [2.5, 97.5])
    return share(np.arange(len(p)), np.arange(len(t))), float(low), float(high)


def seeds_of(here: Mapping[str, Played], key: str, learner: str) -> list[list[float]]:
    """Return a figure of a learner by training seed and task."""
    return [played[key] for name, played in here.items() if name.rstrip("0123456789") == learner]


def grid_table(found: Grid) -> str:
    """Return the generalisation grid."""
    rows = []
    for cell, here in found.items():
        cells = [cell, str(len(here["rule"]["ns"])), *(f"{np.mean(here[name]['ns']):.3f}" for name in REFERENCES)]
        for learner in LEARNERS:
            seeds = seeds_of(here, "ns", learner)
            share, low, high = gap_share(seeds, here["rule_tuned"]["ns"], here["oracle"]["ns"])
            by_seed = [float(np.mean(ns)) for ns in seeds]
            cells.append(f"{np.mean(by_seed):.3f} ({min(by_seed):.3f} to {max(by_seed):.3f})")
            cells.append(f"{100 * share:+.0f} % [{100 * low:+.0f}, {100 * high:+.0f}]")
        rows.append(cells)
    names = [f"`{name}`" + ("\\*" if name in ("informed", "oracle") else "") for name in REFERENCES]
    learners = [head for label in LEARNERS.values() for head in (f"{label} (seeds)", "its share of the gap closed")]
    return table(("cell", "tasks", *names, *learners), rows)


def price_table(found: Grid) -> str:
    """Return what the gain costs: violations, money, turns."""
    rows = []
    for cell, here in found.items():
        for name in ("rule_tuned", *LEARNERS):
            cells = []
            for key in ("violations", "spent", "turns", "complete"):
                values = seeds_of(here, key, name) if name in LEARNERS else [here[name][key]]
                cells.append(f"{np.mean(values):.2f}")
            rows.append([cell, f"`{name}`", *cells])
    return table(("cell", "assistant", "violations a trip", "spent a trip", "turns", "all needs met"), rows)


LABELS: Final = {
    "goods_order": "`learned`, seed 0: only its order of the goods, no second lists",
    "clone": "cloned from `rule_tuned`, not trained further",
    "dialogue": "trained blind to the dialogue",
    "position": "trained blind to position, may name no place",
    "standpoint": "trained blind to position, may name places",
    "success": "trained on SR alone, from nothing",
}


def exhibit_table(found: Grid) -> str:
    """Return ablations and the exhibit of a reward for success alone."""
    here = found[HOME]
    labels = {
        "silent": "`silent`",
        "rule_tuned": "`rule_tuned`",
        "learned0": "`learned`, seed 0",
        "ppo0": "`ppo`, seed 0",
    }
    shown = [(label, here[name]) for name, label in {**labels, **LABELS}.items() if name in here]
    rows = [
        [
            name,
            f"{np.mean(played['ns']):.3f}",
            f"{100 * np.mean(played['paid']):.0f} %",
            f"{100 * np.mean(played['complete']):.0f} %",
            f"{np.mean(played['turns']):.1f}",
            f"{100 * np.mean(played['pushes']):.0f} %",
        ]
        for name, played in shown
    ]
    return table(("assistant", "NS", "SR", "all needs met", "turns", "messages that offer to pay"), rows)


def draw_curves(options: Any, found: Grid, out: Path) -> None:
    """Draw the learning curves; told apart by marks and lines."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8.5, 4.6), dpi=130, layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.subplots()
    for seed in range(options.seeds):
        points = curve(options.out / f"seed{seed}")
        axes.plot(
            [p["steps"] for p in points],
            [p["satisfaction"] for p in points],
            color="#000000",
            linewidth=1.0,
            marker="o",
            markersize=3,
            alpha=0.8,
            label="ppo, one line a training seed" if seed == 0 else None,
        )
    styles = {"dialogue": (":", "v"), "position": ("--", "^"), "standpoint": ("-.", "x"), "success": ((0, (1, 3)), "s")}
    for variant, (line, mark) in styles.items():
        points = curve(options.out / f"{variant}0")
        if points:
            axes.plot(
                [p["steps"] for p in points],
                [p["satisfaction"] for p in points],
                color="#777777",
                linestyle=line,
                marker=mark,
                markersize=4,
                label=LABELS[variant].replace("`", ""),
            )
    axes.set_xlabel("environment steps (turns), those cloned from included")
    axes.set_ylabel("need satisfaction on 100 watched training tasks (0..1)")
    axes.set_ylim(0.0, 1.0)
    _finish(figure, axes, out)


def draw_grid(found: Grid, out: Path) -> None:
    """Draw need satisfaction by cell of the grid."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9.0, 4.6), dpi=130, layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.subplots()
    places = np.arange(len(found))
    marks = {
        "silent": ("s", "#bbbbbb"),
        "rule": ("v", "#777777"),
        "rule_tuned": ("^", "#777777"),
        "informed": ("d", "#999999"),
        "oracle": ("*", "#000000"),
    }
    for k, (name, (mark, colour)) in enumerate(marks.items()):
        shown = [here[name]["ns"] for here in found.values()]
        _with_intervals(axes, places + 0.1 * (k - 2.5), shown, color=colour, marker=mark, label=name)
    for k, (learner, mark) in enumerate((("learned", "o"), ("ppo", "P"))):
        played = [np.mean(seeds_of(here, "ns", learner), axis=0).tolist() for here in found.values()]
        n_seeds = len(seeds_of(next(iter(found.values())), "ns", learner))
        label = f"{learner}, mean of {n_seeds} training seeds"
        at = places + 0.1 * (k + 3)
        _with_intervals(axes, at, played, color="#000000", marker=mark, fillstyle="none", label=label)
    n_tasks = sorted({len(here["silent"]["ns"]) for here in found.values()})
    axes.set_xticks(places, list(found))
    axes.set_ylabel("need satisfaction (0..1)")
    axes.set_title(f"n = {' or '.join(map(str, n_tasks))} tasks; bars: 95 % intervals over tasks", fontsize=10)
    axes.set_ylim(0.0, 1.05)
    _finish(figure, axes, out)


def _with_intervals(axes: Any, places: Any, shown: Sequence[Sequence[float]], **style: Any) -> None:
    """Plot means with 95 % bootstrap intervals over tasks."""
    means = np.array([np.mean(ns) for ns in shown])
    bounds = np.array([bootstrap_ci(ns) or (np.mean(ns), np.mean(ns)) for ns in shown])
    bars = np.clip(np.stack([means - bounds[:, 0], bounds[:, 1] - means]), 0.0, None)
    axes.errorbar(places, means, bars, linestyle="none", markersize=7, elinewidth=0.9, capsize=2, **style)


def _finish(figure: Any, axes: Any, out: Path) -> None:
    axes.grid(axis="y", color="#e5e5e5", linewidth=0.6)
    axes.spines[["top", "right"]].set_visible(False)
    axes.legend(frameon=False, fontsize=8, loc="lower right")
    out.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(out)


def cost_line(options: Any) -> str:
    """Return what training took."""
    ppo = [curve(options.out / f"seed{seed}")[-1] for seed in range(options.seeds)]
    goods = [record(options.out / f"goods{seed}") for seed in range(options.seeds)]
    parts = []
    for name, points in (("learned", goods), ("ppo", ppo)):
        steps = [point["steps"] for point in points]
        seconds = [point["cpu_seconds"] for point in points if point["cpu_seconds"] is not None]
        took = f" and {_range(seconds)} s of CPU" if seconds else ""
        parts.append(f"`{name}` {_range(steps)} environment steps{took} a seed")
    tuned = json.loads((options.out / "rule_tuned.json").read_text(encoding="utf-8"))["steps"]
    return f"{options.seeds} training seeds: {'; '.join(parts)}. The search of `rule_tuned` took {tuned:,} steps."


def _range(values: Sequence[float]) -> str:
    low, high = f"{min(values):,.0f}", f"{max(values):,.0f}"
    return low if low == high else f"{low} to {high}"


def record(folder: Path) -> dict[str, Any]:
    """Return how a learned assistant came about."""
    found: dict[str, Any] = json.loads((folder / "learned.json").read_text(encoding="utf-8"))
    return found
