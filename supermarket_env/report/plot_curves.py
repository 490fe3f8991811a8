"""Curves: success by turn over several runs, goals by horizon, repeated trials, learning."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from supermarket_env.compare.trials import TrialPoint
from supermarket_env.errors import ConfigError, RunFolderError
from supermarket_env.report.look import (
    INK,
    STYLES,
    legend_below,
    new_figure,
    save_figure,
    styles_of,
    tidy,
    undefined,
)
from supermarket_env.report.results import Results, panel_titles
from supermarket_env.report.tables import Group, agent_order, figure, groups_of, interval, stored_intervals

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

SUCCESS_CURVE = ("beyond", "SR_complete(t)")
MAX_PANELS = 12


def _grid(n: int, *, width: float = 4.4, height: float = 3.4) -> tuple[Figure, list[Axes]]:
    """Return a figure with n panels in rows of up to three, and its axes."""
    if n > MAX_PANELS:
        raise ConfigError(f"{n} runs are too many for one picture, at most {MAX_PANELS}; collect them instead")
    columns = min(3, n)
    rows = math.ceil(n / columns)
    page = new_figure(max(6.0, width * columns), height * rows + 1.0)
    panels = page.subplots(rows, columns, sharex=True, sharey=True, squeeze=False)
    flat = [axes for row in panels for axes in row]
    for axes in flat[n:]:
        axes.set_visible(False)
    return page, flat[:n]


def _label(group: Group, results: Results) -> str:
    name = str(group.get("agent", "all"))
    return f"{name}*" if name in results.privileged else name


def save_success(runs: Sequence[Results], out: Path, *, path: Sequence[str] = SUCCESS_CURVE) -> list[Path]:
    """Draw success by turn, one panel a run (seeds, users, stores), with 95 % bands.

    Args:
        runs: One run or several.
        out: Picture to write.
        path: The curve: ``SR(t)`` or ``beyond``, ``SR_complete(t)``.

    Raises:
        ConfigError: If there are too many runs or the picture cannot be written.
    """
    page, panels = _grid(len(runs))
    rows: list[dict[str, Any]] = []
    for axes, results, title in zip(panels, runs, panel_titles(runs), strict=True):
        groups = agent_order(groups_of(results.metrics), results.agents)
        drawn = 0
        for group, style in zip(groups, styles_of([str(g.get("agent")) for g in groups]), strict=True):
            value: Any = group
            for name in path:
                value = value.get(name) if isinstance(value, dict) else None
            if not isinstance(value, list) or None in value:
                continue
            drawn += 1
            bands = stored_intervals(group, path)
            stored = bands if isinstance(bands, list) else value
            pairs = [b if isinstance(b, list) else [v, v] for b, v in zip(stored, value, strict=False)]
            pairs[:1] = [[value[0], value[0]]]  # nobody has bought anything before the first turn: no estimate
            turns = list(range(len(value)))
            axes.fill_between(turns[: len(pairs)], [p[0] for p in pairs], [p[1] for p in pairs], color=style.colour,
                              alpha=0.12, linewidth=0)  # fmt: skip
            axes.plot(turns, value, color=style.colour, linestyle=style.line, marker=style.marker, markersize=4,
                      markevery=max(1, len(value) // 6), markerfacecolor="white", linewidth=1.6,
                      label=_label(group, results))  # fmt: skip
            rows += [
                {"run": str(results.path), "agent": _label(group, results), "n": group["n"], "turn": turn,
                 path[-1]: point, "low": pair[0], "high": pair[1]}
                for turn, (point, pair) in enumerate(zip(value, pairs, strict=False))
            ]  # fmt: skip
        if not drawn:
            undefined(axes)
        n = {int(group["n"]) for group in groups}
        axes.set_title(f"{title} (n = {'-'.join(str(k) for k in sorted(n))} each)", fontsize=10)
        axes.set_ylim(0, 102)
        tidy(axes)
        axes.set_xlabel("t (turns)")
    panels[0].set_ylabel("share of trips (%)")
    legend_below(page, *panels)
    page.suptitle(f"{path[-1]} with 95 % bands", fontsize=11.5)
    return save_figure(page, out, rows)


def save_goals(runs: Sequence[Results], out: Path) -> list[Path]:
    """Draw CGV(h): the share of goals that came into view within h turns, one panel a run.

    Raises:
        ConfigError: If there are too many runs or the picture cannot be written.
    """
    page, panels = _grid(len(runs))
    rows: list[dict[str, Any]] = []
    for axes, results, title in zip(panels, runs, panel_titles(runs), strict=True):
        groups = agent_order(groups_of(results.metrics), results.agents)
        horizons: list[str] = list((groups[0].get("CGV") or {}) if groups else {})
        drawn = 0
        for number, (group, style) in enumerate(
            zip(groups, styles_of([str(g.get("agent")) for g in groups]), strict=True)
        ):
            values = [value for h in horizons if (value := figure(group, ("CGV", h))) is not None]
            if not horizons or len(values) < len(horizons):
                continue
            drawn += 1
            bounds = [interval(group, ("CGV", h)) for h in horizons]
            places = [place + 0.06 * (number - len(groups) / 2) for place in range(len(horizons))]
            for place, bound in zip(places, bounds, strict=True):
                if bound is not None:
                    axes.plot([place, place], bound, color=style.colour, linewidth=1.2)
            axes.plot(places, values, color=style.colour, linestyle=style.line, marker=style.marker, markersize=5,
                      markerfacecolor="white", label=f"{_label(group, results)}")  # fmt: skip
            rows += [
                {"run": str(results.path), "agent": _label(group, results), "n": group["n"],
                 "n_goals": group.get("n_goals"), "h": h, "CGV": value,
                 "low": None if bound is None else bound[0], "high": None if bound is None else bound[1]}
                for h, value, bound in zip(horizons, values, bounds, strict=True)
            ]  # fmt: skip
        if not drawn:
            undefined(axes, "n/a: nobody gave an eligible goal")
        axes.set_xticks(range(len(horizons)), horizons)
        axes.set_ylim(0, 1.02)
        axes.set_title(f"{title} (n = {'-'.join(sorted({str(g['n']) for g in groups}))} trips each)", fontsize=10)
        axes.set_xlabel("h (turns after the goal was given)")
        tidy(axes)
    panels[0].set_ylabel("CGV(h), share of goals (0..1)")
    legend_below(page, *panels)
    page.suptitle("Goals that came into view within h turns, 95 % intervals", fontsize=11.5)
    return save_figure(page, out, rows)


def save_trials(points: Sequence[TrialPoint], success: str, out: Path) -> list[Path]:
    """Draw pass^k (solid) and pass@k (open) by k, with 95 % bands for pass^k.

    Raises:
        ConfigError: If the picture cannot be written.
    """
    page = new_figure(7.0, 4.2 + 0.22 * len({point.agent for point in points}))
    axes = page.add_subplot()
    names = list(dict.fromkeys(point.agent for point in points))
    for name, style in zip(names, styles_of(names), strict=True):
        mine = [point for point in points if point.agent == name]
        ks = [point.k for point in mine]
        axes.fill_between(ks, [p.pass_hat_low for p in mine], [p.pass_hat_high for p in mine], color=style.colour,
                          alpha=0.12, linewidth=0)  # fmt: skip
        axes.plot(ks, [p.pass_hat for p in mine], color=style.colour, marker=style.marker, linewidth=1.8,
                  label=f"{name} pass^k (n = {mine[0].n_tasks} tasks)")  # fmt: skip
        axes.plot(ks, [p.pass_at for p in mine], color=style.colour, marker=style.marker, linewidth=1.0,
                  linestyle=(0, (2, 2)), markerfacecolor="white", label=f"{name} pass@k")  # fmt: skip
    axes.set_xticks(sorted({point.k for point in points}))
    axes.set_ylim(0, 1.02)
    axes.set_xlabel("k (trials)")
    axes.set_ylabel("share of tasks (0..1)")
    axes.set_title(f"All (pass^k) or any (pass@k) of k trials succeed: {success}, 95 % bands", fontsize=10.5)
    tidy(axes)
    legend_below(page, axes, columns=2)
    rows = [{name: getattr(point, name) for name in TrialPoint.__slots__} for point in points]
    return save_figure(page, out, rows)


def save_learning(folders: Sequence[Path], out: Path) -> list[Path]:
    """Draw the need satisfaction of trainings (their ``progress.jsonl``) by steps, and the mean where several agree.

    Raises:
        RunFolderError: If a folder holds no training.
        ConfigError: If the picture cannot be written.
    """
    page = new_figure(7.5, 4.6)
    axes = page.add_subplot()
    rows: list[dict[str, Any]] = []
    curves: list[dict[int, float]] = []
    for folder, style in zip(folders, (STYLES * len(folders))[: len(folders)], strict=False):
        curve = _progress(folder)
        curves.append(curve)
        axes.plot(list(curve), list(curve.values()), color=style.colour, linestyle=style.line, linewidth=1.1,
                  label=folder.name)  # fmt: skip
        rows += [{"training": str(folder), "steps": step, "NS": value} for step, value in curve.items()]
    common = sorted(set.intersection(*(set(curve) for curve in curves)))
    if len(curves) > 1 and common:
        means = [math.fsum(curve[step] for curve in curves) / len(curves) for step in common]
        axes.plot(common, means, color=INK, linewidth=2.4, label=f"mean of {len(curves)} trainings")
        rows += [
            {"training": "mean", "steps": s, "NS": m, "n": len(curves)} for s, m in zip(common, means, strict=True)
        ]
    axes.set_xlabel("environment steps")
    axes.set_ylabel("need satisfaction in validation (0..1)")
    axes.set_title(f"Learning curves (n = {len(curves)} trainings, each drawn)", fontsize=10.5)
    tidy(axes)
    legend_below(page, axes)
    return save_figure(page, out, rows)


def _progress(folder: Path) -> dict[int, float]:
    try:
        lines = (folder / "progress.jsonl").read_text(encoding="utf-8").splitlines()
        entries = [json.loads(line) for line in lines if line.strip()]
        return {int(e["steps"]): float(e["satisfaction"]) for e in entries if e.get("satisfaction") is not None}
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise RunFolderError(f"{folder}: expected a training with a progress.jsonl ({error!r})") from None
