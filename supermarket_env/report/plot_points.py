"""Pictures of whole runs as points: radar, Pareto front."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from supermarket_env.errors import ConfigError, unknown_name
from supermarket_env.report.look import INK, legend_below, new_figure, save_figure, styles_of, tidy, undefined
from supermarket_env.report.panels import label_feet, panel_grid
from supermarket_env.report.plots import spread
from supermarket_env.report.results import Results, panel_titles
from supermarket_env.report.tables import Group, agent_order, figure, groups_of, interval

if TYPE_CHECKING:
    from matplotlib.axes import Axes

SPOKES: Final[tuple[tuple[str, tuple[str, ...], float], ...]] = (
    ("NS", ("beyond", "need_satisfaction"), 1.0),
    ("SR_complete", ("beyond", "SR_complete"), 0.01),
    ("R@5", ("R@5",), 1.0),
    ("NDCG@10", ("NDCG@10",), 1.0),
    ("AFR", ("AFR",), 1.0),
    ("LNSR", ("LNSR",), 1.0),
    ("CGV(3)", ("CGV", "3"), 1.0),
)
"""Name, place and factor to 0..1 of each spoke of the radar."""

EFFORTS: Final[Mapping[str, tuple[tuple[str, ...], str]]] = {
    "turns": (("Turn",), "turns a trip"),
    "cost": (("beyond", "cost"), "cost a trip"),
    "talk": (("beyond", "talk_turns"), "turns of talk a trip"),
}
"""What need satisfaction can be set against: place of the figure and label."""


def _name(group: Group, results: Results) -> str:
    name = str(group.get("agent", "all"))
    return f"{name}*" if name in results.privileged else name


def save_radar(results: Results, out: Path) -> list[Path]:
    """Draw the main figures of each assistant on spokes from 0 to 1; an undefined one leaves a gap.

    Raises:
        ConfigError: If the picture cannot be written.
    """
    groups = agent_order(groups_of(results.metrics), results.agents)
    columns = min(3, max(1, len(groups)))
    lines = math.ceil(max(1, len(groups)) / columns)
    page = new_figure(3.6 * columns, 3.5 * lines + 0.6)
    angles = [2 * math.pi * k / len(SPOKES) for k in range(len(SPOKES))]
    rows: list[dict[str, Any]] = []
    for place, (group, style) in enumerate(
        zip(groups, styles_of([str(g.get("agent")) for g in groups]), strict=True), start=1
    ):
        axes = page.add_subplot(lines, columns, place, projection="polar")
        values: list[float] = []
        for name, path, factor in SPOKES:
            value, bounds = figure(group, path), interval(group, path)
            values.append(math.nan if value is None else value * factor)
            low, high = (None, None) if bounds is None else (bounds[0] * factor, bounds[1] * factor)
            rows.append({"agent": _name(group, results), "n": group["n"], "spoke": name,
                         "value": None if value is None else value * factor, "low": low, "high": high})  # fmt: skip
            if low is not None and high is not None:
                axes.plot([angles[len(values) - 1]] * 2, [low, high], color=style.colour, linewidth=3, alpha=0.4)
        axes.plot([*angles, angles[0]], [*values, values[0]], color=style.colour, marker=style.marker,
                  linestyle=style.line, markersize=5, clip_on=False)  # fmt: skip
        labels = [f"{name}\nn/a" if math.isnan(v) else f"{name}\n{v:.2f}"
                  for (name, _, _), v in zip(SPOKES, values, strict=True)]  # fmt: skip
        axes.set_xticks(angles, labels, fontsize=7.5)
        axes.set_ylim(0, 1)
        axes.set_yticks([0.25, 0.5, 0.75, 1.0], [])
        for label, angle in zip(axes.get_xticklabels(), angles, strict=True):
            side = round(math.cos(angle), 1)
            label.set_horizontalalignment("left" if side > 0.3 else "right" if side < -0.3 else "center")
        axes.set_title(f"{_name(group, results)} (n = {group['n']} trips)", fontsize=10)
    page.suptitle(f"Each spoke 0..1, bars: 95 % intervals - {results.title}", fontsize=10)
    return save_figure(page, out, rows)


def save_pareto(runs: Sequence[Results], out: Path, *, effort: str = "turns") -> list[Path]:
    """Draw need satisfaction against what it takes, with both 95 % intervals and the front of the undominated.

    Args:
        runs: One run or several, a panel each: what is dominated in one store or by one user is not in another.
        out: Picture to write.
        effort: One of :data:`EFFORTS`.

    Raises:
        ConfigError: For an unknown effort, or a picture that cannot be written.
    """
    if effort not in EFFORTS:
        raise ConfigError(unknown_name("effort", effort, EFFORTS))
    path, label = EFFORTS[effort]
    alone = len(runs) == 1
    page, panels = panel_grid(len(runs), width=7.5 if alone else 5.0, height=4.4 if alone else 3.8)
    rows: list[dict[str, Any]] = []
    found: list[list[dict[str, Any]]] = []
    for axes, results, title in zip(panels, runs, panel_titles(runs), strict=True):
        points = _efforts(results, effort, path)
        rows += points
        found.append(points)
        _draw_front(axes, points, effort)
        for point, style in zip(points, styles_of([point["agent"] for point in points]), strict=True):
            x, y = point[effort], point["NS"]
            if point["NS_low"] is not None:
                axes.plot([x, x], [point["NS_low"], point["NS_high"]], color=style.colour, linewidth=1.2)
            if point["low"] is not None:
                axes.plot([point["low"], point["high"]], [y, y], color=style.colour, linewidth=1.2)
            axes.plot([x], [y], style.marker, color=style.colour, markersize=8, zorder=4,
                      markerfacecolor="white" if point["privileged"] else style.colour)  # fmt: skip
        if not points:
            undefined(axes, f"n/a: {effort} is not in this run")
        axes.set_title(textwrap.fill(title, 64, break_long_words=False), fontsize=9.5)
        tidy(axes)
    for axes, points in zip(panels, found, strict=True):  # the panels share an axis, whose ends are known only now
        _label_points(axes, points, effort)
    label_feet(panels, f"{label} (less is better)")
    panels[0].set_ylabel("need satisfaction (0..1, more is better)")
    page.suptitle("What satisfaction takes, n = trips, 95 % intervals", fontsize=11)
    legend_below(page, *panels)
    return save_figure(page, out, rows)


def _label_points(axes: Axes, points: Sequence[Mapping[str, Any]], effort: str) -> None:
    """Write the names in the right margin, apart from each other and from every mark, each with a line to its point."""
    low, high = axes.get_ylim()
    places = spread([point["NS"] for point in points], gap=0.075 * (high - low), low=low, high=high)
    for point, place, style in zip(points, places, styles_of([p["agent"] for p in points]), strict=True):
        axes.annotate(
            f"{point['agent']} (n = {point['n']})", (point[effort], point["NS"]), (1.03, place),
            textcoords=axes.get_yaxis_transform(), va="center", fontsize=8.5, color=INK, annotation_clip=False,
            arrowprops={"arrowstyle": "-", "color": style.colour, "linewidth": 0.7, "linestyle": ":", "shrinkB": 5},
        )  # fmt: skip


def _efforts(results: Results, effort: str, path: tuple[str, ...]) -> list[dict[str, Any]]:
    """Return a row for each assistant that has both figures."""
    points: list[dict[str, Any]] = []
    for group in agent_order(groups_of(results.metrics), results.agents):
        x, y = figure(group, path), figure(group, ("beyond", "need_satisfaction"))
        if x is None or y is None:
            continue
        low, high = interval(group, path) or (None, None)
        below, above = interval(group, ("beyond", "need_satisfaction")) or (None, None)
        points.append({
            "run": str(results.path), "agent": _name(group, results), "n": group["n"], effort: x, "low": low,
            "high": high, "NS": y, "NS_low": below, "NS_high": above,
            "privileged": int(str(group.get("agent")) in results.privileged),
        })  # fmt: skip
    for point in points:
        point["on_front"] = int(not point["privileged"] and not any(_beats(o, point, effort) for o in points))
    return points


def _draw_front(axes: Axes, points: Sequence[Mapping[str, Any]], effort: str) -> None:
    """Draw what can be had for an effort: from each undominated assistant on to the right."""
    front = sorted((point[effort], point["NS"]) for point in points if point["on_front"])
    if front:
        right = max(point["high"] or point[effort] for point in points)
        xs, ys = [x for x, _ in front], [y for _, y in front]
        axes.plot([*xs, max(right, xs[-1])], [*ys, ys[-1]], color="#777777", linestyle=(0, (4, 3)), linewidth=1.2,
                  drawstyle="steps-post", zorder=1, label="front: nobody else does better with less (* left out)",
                  )  # fmt: skip


def _beats(one: Mapping[str, Any], two: Mapping[str, Any], effort: str) -> bool:
    if one["privileged"] or one is two:
        return False
    least, most = one[effort] <= two[effort], one["NS"] >= two["NS"]
    return bool(least and most and (one[effort] < two[effort] or one["NS"] > two["NS"]))
