"""One figure of a sweep over two of its keys, as a map of cells."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from supermarket_env.errors import ConfigError, unknown_name
from supermarket_env.report.collect import Row, varied_keys
from supermarket_env.report.look import GREYS, new_figure, save_figure
from supermarket_env.report.tables import COLUMNS


class Cell(NamedTuple):
    """What one cell of the map says."""

    value: float
    low: float | None
    high: float | None
    n: int
    """Trips of all its runs."""
    n_runs: int


def cell_of(rows: Sequence[Row], value: str) -> Cell | None:
    """Return the mean of a figure over the runs of a cell, each with one weight.

    The interval of several runs goes from the mean of their lower to the mean of their upper ends: as wide as if the
    runs, which often share their tasks, erred together, so never too narrow for the mean of these very runs.

    Args:
        rows: Of one assistant, from a collection.
        value: A figure of the main table.

    Returns:
        The cell; ``None`` when the figure is undefined in all of them.
    """
    known = [row for row in rows if row[value] is not None]
    if not known:
        return None
    low, high = (_mean([row[f"{value}_{end}"] for row in known]) for end in ("low", "high"))
    mean = math.fsum(row[value] for row in known) / len(known)
    return Cell(mean, low, high, sum(row["n"] for row in known), len(known))


def _mean(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return math.fsum(known) / len(known) if len(known) == len(values) else None


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
    privileged = {str(row["agent"]) for row in rows if row.get("privileged")}
    across, down = _values(rows, x), _values(rows, y)
    column = next(column for column in COLUMNS if column.title == value)
    cells = {
        (agent, i, j): cell_of([r for r in rows if r["agent"] == agent and _is(r, x, a) and _is(r, y, d)], value)
        for agent in agents for i, d in enumerate(down) for j, a in enumerate(across)
    }  # fmt: skip
    means = [cell.value for cell in cells.values() if cell is not None]
    low, high = (min(means), max(means)) if means else (0.0, 1.0)
    columns = min(3, max(1, len(agents)))
    lines = math.ceil(max(1, len(agents)) / columns)
    width, height = max(2.8, 1.35 * len(across) + 0.9), max(1.6, 0.85 * len(down) + 0.9)
    page = new_figure(max(6.0, columns * width), lines * height + 1.1)
    table: list[dict[str, Any]] = []
    for place, agent in enumerate(agents):
        axes = page.add_subplot(lines, columns, place + 1)
        grid = [[math.nan] * len(across) for _ in down]
        for i, down_value in enumerate(down):
            for j, across_value in enumerate(across):
                cell = cells[agent, i, j]
                if cell is None:
                    axes.text(j, i, "n/a", ha="center", va="center", fontsize=7.5)
                    continue
                grid[i][j] = cell.value
                shade = 0.0 if high == low else (cell.value - low) / (high - low)
                axes.text(j, i, _words(cell, column.digits), ha="center", va="center", fontsize=7.5,
                          color="black" if shade > 0.5 else "white")  # fmt: skip
                table.append({"agent": agent, x: across_value, **({y: down_value} if y else {}), value: cell.value,
                              "unit": column.unit, "low": cell.low, "high": cell.high, "n": cell.n,
                              "n_runs": cell.n_runs})  # fmt: skip
        axes.imshow(grid, cmap=GREYS, vmin=low, vmax=high if high > low else low + 1, aspect="auto")
        axes.set_xticks(range(len(across)), [_tick(v) for v in across], fontsize=8)
        axes.set_yticks(range(len(down)), [_tick(v) for v in down] if y else [""], fontsize=8)
        if place + columns >= len(agents):
            axes.set_xlabel(x, fontsize=9)
        if place % columns == 0:
            axes.set_ylabel(y, fontsize=9)
        axes.set_title(f"{agent}*" if agent in privileged else agent, fontsize=10)
    merged = any(cell.n_runs > 1 for cell in cells.values() if cell is not None)
    words = "; several runs: their mean, as uncertain as if they erred together" if merged else ""
    page.suptitle(textwrap.fill(f"{value} ({column.unit}), brackets: 95 % intervals, n: trips{words}", 90), fontsize=10)
    return save_figure(page, out, table)


def _words(cell: Cell, digits: int) -> str:
    """Return what stands in a cell: value, interval, trips and runs."""
    span = "[n/a]" if cell.low is None or cell.high is None else f"[{cell.low:.{digits}f}, {cell.high:.{digits}f}]"
    return f"{cell.value:.{digits}f}\n{span}\nn = {cell.n}" + (f", {cell.n_runs} runs" if cell.n_runs > 1 else "")


def _tick(value: Any) -> str:
    return textwrap.fill(str(value), 14, max_lines=4, placeholder=" ...")


def _values(rows: Sequence[Row], key: str) -> list[Any]:
    if not key:
        return [None]
    found = {repr(row.get(f"config.{key}")): row.get(f"config.{key}") for row in rows}
    return sorted(found.values(), key=lambda v: (not isinstance(v, int | float), v if isinstance(v, int | float) else 0,
                                                 str(v)))  # fmt: skip


def _is(row: Row, key: str, value: Any) -> bool:
    return not key or row.get(f"config.{key}") == value
