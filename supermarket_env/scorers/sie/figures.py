"""The radar chart and the version table as pictures."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from supermarket_env.errors import ConfigError
from supermarket_env.scorers.sie.compare import Change, Comparison
from supermarket_env.scorers.sie.dimensions import DIMENSIONS, FLOOR
from supermarket_env.scorers.sie.result import SieResult

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_STYLES: Final = (("#000000", "-"), ("#D55E00", "--"), ("#0072B2", "-."), ("#009E73", ":"), ("#CC79A7", "-"))
_FALLEN, _RISEN, _STILL = "#F6C9B0", "#BFE3D3", "#FFFFFF"


def _figure(width: float, height: float) -> Figure:
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height), dpi=130, layout="constrained")
    FigureCanvasAgg(figure)
    return figure


def _save(figure: Figure, out: Path) -> Path:
    import matplotlib as mpl

    try:
        out.parent.mkdir(parents=True, exist_ok=True)
        metadata: dict[str, Any] = {"Software": None} if out.suffix == ".png" else {}
        with mpl.rc_context({"svg.hashsalt": "sie"}):
            figure.savefig(out, metadata=metadata)
    except (OSError, ValueError) as error:
        raise ConfigError(f"{out}: cannot write the picture ({error})") from None
    return out


def draw_radar(results: Sequence[SieResult], out: Path) -> Path:
    """Draw the five dimension means of each result on five axes from 1 to 5, with a ring at the floor.

    Args:
        results: Results with all five means; others are left out and named in the legend.
        out: Picture to write; the ending decides the format.

    Raises:
        ConfigError: If no result is complete or the picture cannot be written.
    """
    complete = [r for r in results if all(r.overall.dims[name].mean is not None for name in DIMENSIONS)]
    if not complete:
        raise ConfigError("a radar chart needs a result with all five dimensions")
    figure = _figure(6.4, 5.6)
    axes: Any = figure.add_subplot(projection="polar")
    angles = [2 * math.pi * place / len(DIMENSIONS) for place in range(len(DIMENSIONS))]
    ring = [2 * math.pi * place / 90 for place in range(91)]
    axes.plot(ring, [FLOOR] * len(ring), color="#7F7F7F", linewidth=1.0, label=f"floor {FLOOR}")
    for place, result in enumerate(complete):
        colour, style = _STYLES[place % len(_STYLES)]
        means = [float(result.overall.dims[name].mean or 0.0) for name in DIMENSIONS]
        total = f"{result.overall.total:.3f}" if result.overall.total is not None else "n/a"
        label = f"{result.system}: total {total}"
        axes.plot([*angles, angles[0]], [*means, means[0]], color=colour, linestyle=style, marker="o", label=label)
        axes.fill([*angles, angles[0]], [*means, means[0]], color=colour, alpha=0.06)
    axes.set_theta_offset(math.pi / 2)
    axes.set_theta_direction(-1)
    axes.set_xticks(angles, DIMENSIONS)
    axes.tick_params(axis="x", pad=14)
    axes.set_ylim(1, 5)
    axes.set_yticks([1, 2, 3, 4, 5])
    axes.grid(color="#CCCCCC", linewidth=0.6)
    figure.legend(loc="outside lower center", ncols=2, frameon=False)
    figure.suptitle(f"SIE, {complete[0].weights.label}, anchors {complete[0].anchors}", fontsize=11)
    return _save(figure, out)


def draw_versions(comparisons: Sequence[Comparison], out: Path) -> Path:
    """Draw the version table: means of the common items, change, interval; fallen dimensions are shaded.

    Args:
        comparisons: Neighbouring versions from :func:`~supermarket_env.scorers.sie.compare.compare_results`.
        out: Picture to write.

    Raises:
        ConfigError: Without comparisons, or if the picture cannot be written.
    """
    if not comparisons:
        raise ConfigError("a version table needs two versions")
    header = ["versions", "items", *DIMENSIONS, "total"]
    cells: list[list[str]] = []
    colours: list[list[str]] = []
    for found in comparisons:
        changes = [*(found.dims[name] for name in DIMENSIONS), found.total]
        cells.append([f"{found.old} to {found.new}", str(found.n_common), *map(_cell, changes)])
        shades = [_FALLEN if name in found.regressions else _shade(found.dims[name]) for name in DIMENSIONS]
        colours.append([_STILL, _STILL, *shades, _shade(found.total)])
    figure = _figure(12.0, 1.1 + 0.75 * len(cells))
    axes = figure.subplots()
    axes.axis("off")
    table = axes.table(cellText=cells, cellColours=colours, colLabels=header, loc="center", cellLoc="center")
    table.auto_set_font_size(False)
    table.set_fontsize(8.5)
    table.scale(1.0, 2.6)
    axes.set_title("SIE by version, on common items: old to new, change [95 % interval]", fontsize=10.5)
    return _save(figure, out)


def _shade(change: Change) -> str:
    if change.low is not None and change.low > 0:
        return _RISEN
    return _FALLEN if change.high is not None and change.high < 0 else _STILL


def _cell(change: Change) -> str:
    if change.delta is None or change.old is None or change.new is None:
        return "n/a"
    interval = f" [{change.low:+.2f}, {change.high:+.2f}]" if change.low is not None else ""
    return f"{change.old:.3f} to {change.new:.3f}\n{change.delta:+.3f}{interval}"
