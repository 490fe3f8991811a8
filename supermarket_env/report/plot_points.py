"""Pictures of whole runs as points: radar, Pareto front, heat map of a sweep."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from supermarket_env.errors import ConfigError, unknown_name
from supermarket_env.report.collect import Row, varied_keys
from supermarket_env.report.look import GREYS, INK, legend_below, new_figure, save_figure, styles_of, tidy, undefined
from supermarket_env.report.results import Results
from supermarket_env.report.tables import COLUMNS, Group, agent_order, figure, groups_of, interval

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
                  linestyle=style.line, markersize=5)  # fmt: skip
        labels = [f"{name}\nn/a" if math.isnan(v) else f"{name}\n{v:.2f}"
                  for (name, _, _), v in zip(SPOKES, values, strict=True)]  # fmt: skip
        axes.set_xticks(angles, labels, fontsize=7.5)
        axes.set_ylim(0, 1)
        axes.set_yticks([0.25, 0.5, 0.75, 1.0], [])
        axes.set_title(f"{_name(group, results)} (n = {group['n']})", fontsize=10)
    page.suptitle(f"Each spoke 0..1, bars: 95 % intervals - {results.title}", fontsize=10)
    return save_figure(page, out, rows)


def save_pareto(runs: Sequence[Results], out: Path, *, effort: str = "turns") -> list[Path]:
    """Draw need satisfaction against what it takes, with both 95 % intervals and the front of the undominated.

    Args:
        runs: One run or several.
        out: Picture to write.
        effort: One of :data:`EFFORTS`.

    Raises:
        ConfigError: For an unknown effort, or a picture that cannot be written.
    """
    if effort not in EFFORTS:
        raise ConfigError(unknown_name("effort", effort, EFFORTS))
    path, label = EFFORTS[effort]
    page = new_figure(7.5, 5.2)
    axes = page.add_subplot()
    points: list[dict[str, Any]] = []
    for results in runs:
        for group in agent_order(groups_of(results.metrics), results.agents):
            x, y = figure(group, path), figure(group, ("beyond", "need_satisfaction"))
            if x is None or y is None:
                continue
            across, up = interval(group, path), interval(group, ("beyond", "need_satisfaction"))
            points.append({
                "run": str(results.path), "agent": _name(group, results), "n": group["n"], effort: x, "NS": y,
                f"{effort}_low": across and across[0], f"{effort}_high": across and across[1],
                "NS_low": up and up[0], "NS_high": up and up[1],
                "privileged": int(str(group.get("agent")) in results.privileged),
            })  # fmt: skip
    for point in points:
        point["on_front"] = int(not point["privileged"] and not any(_beats(o, point, effort) for o in points))
    for point, style in zip(points, styles_of([point["agent"] for point in points]), strict=True):
        x, y = point[effort], point["NS"]
        if point["NS_low"] is not None:
            axes.plot([x, x], [point["NS_low"], point["NS_high"]], color=style.colour, linewidth=1.2)
        if point[f"{effort}_low"] is not None:
            axes.plot([point[f"{effort}_low"], point[f"{effort}_high"]], [y, y], color=style.colour, linewidth=1.2)
        axes.plot([x], [y], style.marker, color=style.colour, markersize=8,
                  markerfacecolor="white" if point["privileged"] else style.colour)  # fmt: skip
        axes.annotate(f"{point['agent']} (n = {point['n']})", (x, y), (7, 5), textcoords="offset points", fontsize=9,
                      color=INK)  # fmt: skip
    front = sorted((p[effort], p["NS"]) for p in points if p["on_front"])
    axes.plot([x for x, _ in front], [y for _, y in front], color="#777777", linestyle=(0, (4, 3)), linewidth=1,
              label="nobody else does better with less (told the truth: left out)")  # fmt: skip
    if not points:
        undefined(axes, f"n/a: {effort} is not in these runs")
    axes.set_xlabel(f"{label} (less is better)")
    axes.set_ylabel("need satisfaction (0..1)")
    axes.set_title(f"What satisfaction takes, 95 % intervals - {runs[0].title}", fontsize=10)
    tidy(axes)
    legend_below(page, axes)
    return save_figure(page, out, points)


def _beats(one: Mapping[str, Any], two: Mapping[str, Any], effort: str) -> bool:
    if one["privileged"] or one is two:
        return False
    least, most = one[effort] <= two[effort], one["NS"] >= two["NS"]
    return bool(least and most and (one[effort] < two[effort] or one["NS"] > two["NS"]))


def save_heat_map(rows: Sequence[Row], out: Path, *, x: str = "", y: str = "", value: str = "NS_uplift") -> list[Path]:
    """Draw one figure over two keys of a sweep, a panel an assistant; each cell says value, interval and n.

    Args:
        rows: Of a collection.
        out: Picture to write.
        x: Configuration key across, as ``suite.name``; by default the first that varies.
        y: Configuration key down; by default the second that varies, or none.
        value: A figure of the main table.

    Raises:
        ConfigError: For a key that does not vary, an unknown figure, or a picture that cannot be written.
    """
    titles = [column.title for column in COLUMNS]
    if value not in titles:
        raise ConfigError(unknown_name("figure", value, titles))
    varied = [key.removeprefix("config.") for key in varied_keys(rows)]
    for key in (x, y):
        if key and key not in varied:
            raise ConfigError(unknown_name("varied key", key, varied))
    free = [key for key in varied if key not in (x, y) and key != "agents"]
    x = x or (free.pop(0) if free else "")
    y = y or (free.pop(0) if free else "")
    if not x:
        raise ConfigError("a heat map needs runs in which at least one configuration key differs")
    agents = list(dict.fromkeys(str(row["agent"]) for row in rows if row[value] is not None))
    across, down = _values(rows, x), _values(rows, y)
    columns = min(3, max(1, len(agents)))
    lines = math.ceil(max(1, len(agents)) / columns)
    width, height = max(2.8, 1.35 * len(across) + 0.9), max(1.6, 0.85 * len(down) + 0.9)
    page = new_figure(max(6.0, columns * width), lines * height + 0.9)
    found = [row[value] for row in rows if row[value] is not None]
    low, high = (min(found), max(found)) if found else (0.0, 1.0)
    table: list[dict[str, Any]] = []
    for place, agent in enumerate(agents, start=1):
        axes = page.add_subplot(lines, columns, place)
        grid = [[math.nan] * len(across) for _ in down]
        for i, down_value in enumerate(down):
            for j, across_value in enumerate(across):
                cell = [row for row in rows if row["agent"] == agent and _is(row, x, across_value)
                        and _is(row, y, down_value) and row[value] is not None]  # fmt: skip
                if not cell:
                    continue
                mean = math.fsum(row[value] for row in cell) / len(cell)
                grid[i][j] = mean
                n = sum(row["n"] for row in cell)
                text = f"{mean:.3g}"
                bounds = (None, None)
                if len(cell) == 1 and cell[0][f"{value}_low"] is not None:
                    bounds = (cell[0][f"{value}_low"], cell[0][f"{value}_high"])
                    text += f"\n[{bounds[0]:.2g}, {bounds[1]:.2g}]"
                shade = 0.0 if high == low else (mean - low) / (high - low)
                axes.text(j, i, f"{text}\nn = {n}" + (f", {len(cell)} runs" if len(cell) > 1 else ""), ha="center",
                          va="center", fontsize=7.5, color="black" if shade > 0.5 else "white")  # fmt: skip
                table.append({"agent": agent, x: across_value, **({y: down_value} if y else {}), value: mean,
                              "low": bounds[0], "high": bounds[1], "n": n, "n_runs": len(cell)})  # fmt: skip
        axes.imshow(grid, cmap=GREYS, vmin=low, vmax=high if high > low else low + 1, aspect="auto")
        axes.set_xticks(range(len(across)), [str(v)[:14] for v in across], fontsize=8)
        axes.set_yticks(range(len(down)), [str(v)[:14] for v in down] if y else [""], fontsize=8)
        axes.set_xlabel(x, fontsize=9)
        axes.set_ylabel(y, fontsize=9)
        axes.set_title(agent, fontsize=10)
    unit = next(column.unit for column in COLUMNS if column.title == value)
    page.suptitle(f"{value} ({unit}), brackets: 95 % interval of a single run", fontsize=11)
    return save_figure(page, out, table)


def _values(rows: Sequence[Row], key: str) -> list[Any]:
    if not key:
        return [None]
    found = {repr(row.get(f"config.{key}")): row.get(f"config.{key}") for row in rows}
    return sorted(found.values(), key=lambda v: (not isinstance(v, int | float), v if isinstance(v, int | float) else 0,
                                                 str(v)))  # fmt: skip


def _is(row: Row, key: str, value: Any) -> bool:
    return not key or row.get(f"config.{key}") == value
