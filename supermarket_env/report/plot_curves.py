"""Curves: success by turn over several runs, goals by horizon, repeated trials."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from supermarket_env.compare.trials import TrialPoint
from supermarket_env.report.look import INK, legend_below, new_figure, outlined, save_figure, styles_of, tidy, undefined
from supermarket_env.report.panels import head_panel, label_feet, panel_grid
from supermarket_env.report.plots import band_of, curve_of
from supermarket_env.report.results import Results, panel_titles
from supermarket_env.report.tables import Group, agent_order, figure, groups_of, interval

if TYPE_CHECKING:
    pass

SUCCESS_CURVE = ("beyond", "SR_complete(t)")


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
    page, panels = panel_grid(len(runs))
    rows: list[dict[str, Any]] = []
    every = [group for results in runs for group in groups_of(results.metrics)]
    horizon = max(1, *(len(curve_of(group, path)) - 1 for group in every)) if every else 1
    for axes, results, title in zip(panels, runs, panel_titles(runs), strict=True):
        groups = agent_order(groups_of(results.metrics), results.agents)
        drawn = 0
        for number, (group, style) in enumerate(
            zip(groups, styles_of([str(g.get("agent")) for g in groups]), strict=True)
        ):
            value = curve_of(group, path)
            if not value:
                continue
            drawn += 1
            low, high = band_of(group, path, value)
            rows += [
                {"run": str(results.path), "agent": _label(group, results), "n": group["n"], "turn": turn,
                 path[-1]: point, "unit": "%", "low": low[turn], "high": high[turn]}
                for turn, point in enumerate(value)
            ]  # fmt: skip
            # After its longest trip a curve stays where it is: drawn on to the common end.
            drawn_on = [line + [line[-1]] * (horizon + 1 - len(line)) for line in (value, low, high)]
            turns = range(horizon + 1)
            axes.fill_between(turns, drawn_on[1], drawn_on[2], color=style.colour, alpha=0.12, linewidth=0)
            step = max(1, horizon // 6)
            axes.plot(turns, drawn_on[0], color=style.colour, linestyle=style.line, marker=style.marker, markersize=4,
                      markevery=(number * max(1, step // 5) % step, step), markerfacecolor="white", linewidth=1.6,
                      label=_label(group, results))  # fmt: skip
        if not drawn:
            undefined(axes)
        head_panel(axes, title, (int(group["n"]) for group in groups))
        axes.set_ylim(0, 102)
        axes.set_xlim(0, horizon)
        tidy(axes)
    label_feet(panels, "t (turns)")
    panels[0].set_ylabel("share of trips (%)")
    legend_below(page, *panels)
    page.suptitle(f"{path[-1]} with 95 % bands", fontsize=11.5)
    return save_figure(page, out, rows)


def save_goals(runs: Sequence[Results], out: Path) -> list[Path]:
    """Draw CGV(h): the share of goals that came into view within h turns, one panel a run.

    Raises:
        ConfigError: If there are too many runs or the picture cannot be written.
    """
    page, panels = panel_grid(len(runs))
    rows: list[dict[str, Any]] = []
    for axes, results, title in zip(panels, runs, panel_titles(runs), strict=True):
        groups = agent_order(groups_of(results.metrics), results.agents)
        horizons: list[str] = list((groups[0].get("CGV") or {}) if groups else {})
        drawn = 0
        given: list[str] = []
        for number, (group, style) in enumerate(
            zip(groups, styles_of([str(g.get("agent")) for g in groups]), strict=True)
        ):
            values = [value for h in horizons if (value := figure(group, ("CGV", h))) is not None]
            if not horizons or len(values) < len(horizons):
                continue
            drawn += 1
            given.append(f"{_label(group, results)} {group.get('n_goals', 'n/a')}")
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
        else:
            axes.text(0.98, 0.03, "\n".join(["n goals:", *given]), ha="right", va="bottom", transform=axes.transAxes,
                      fontsize=8, color=INK, path_effects=outlined())  # fmt: skip
        axes.set_xticks(range(len(horizons)), horizons)
        axes.set_ylim(0, 1.02)
        head_panel(axes, title, (int(group["n"]) for group in groups))
        tidy(axes)
    label_feet(panels, "h (turns after the goal was given)")
    panels[0].set_ylabel("CGV(h), share of goals (0..1)")
    legend_below(page, *panels)
    page.suptitle("Goals that came into view within h turns, 95 % intervals", fontsize=11.5)
    return save_figure(page, out, rows)


def save_trials(points: Sequence[TrialPoint], success: str, out: Path) -> list[Path]:
    """Draw pass^k and pass@k by k side by side, with 95 % bands.

    Raises:
        ConfigError: If the picture cannot be written.
    """
    names = list(dict.fromkeys(point.agent for point in points))
    page = new_figure(10.0, 4.4 + 0.24 * math.ceil(len(names) / 3))
    panels = page.subplots(1, 2, sharey=True)
    parts = (("pass_hat", "pass^k: all of k trials succeed"), ("pass_at", "pass@k: any of k trials succeeds"))
    for axes, (part, meaning) in zip(panels, parts, strict=True):
        for number, (name, style) in enumerate(zip(names, styles_of(names), strict=True)):
            mine = [point for point in points if point.agent == name]
            ks: list[float] = [point.k for point in mine]
            low, middle, high = ([getattr(p, f"{part}{end}") for p in mine] for end in ("_low", "", "_high"))
            axes.fill_between(ks, low, high, color=style.colour, alpha=0.12, linewidth=0)
            if len(ks) == 1:  # a band of one point has no area: bars side by side
                ks = [1 + 0.06 * (number - (len(names) - 1) / 2)]
                axes.plot([*ks, *ks], [low[0], high[0]], color=style.colour, linewidth=1.2)
                axes.set_xlim(0.5, 1.5)
            axes.plot(ks, middle, color=style.colour, marker=style.marker, linestyle=style.line, linewidth=1.8,
                      markerfacecolor="white", label=f"{name} (n = {mine[0].n_tasks} tasks)")  # fmt: skip
        axes.set_xticks(sorted({point.k for point in points}))
        axes.set_ylim(0, 1.02)
        axes.set_xlabel("k (trials)")
        axes.set_title(meaning, fontsize=10.5)
        tidy(axes)
    panels[0].set_ylabel("share of tasks (0..1)")
    legend_below(page, *panels)
    page.suptitle(f"Repeated trials, success = {success}, 95 % bands", fontsize=11)
    rows = [{name: getattr(point, name) for name in TrialPoint.__slots__} for point in points]
    return save_figure(page, out, rows)
