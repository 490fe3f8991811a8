"""Small multiples: a panel for each run, on common axes."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from supermarket_env.errors import ConfigError
from supermarket_env.report.look import new_figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

MAX_PANELS = 12


def panel_grid(n: int, *, width: float = 4.4, height: float = 3.4) -> tuple[Figure, list[Axes]]:
    """Return a figure with n panels in rows of up to three (four: two by two), and its axes."""
    if n > MAX_PANELS:
        raise ConfigError(f"{n} runs are too many for one picture, at most {MAX_PANELS}; collect them instead")
    columns = 2 if n == 4 else min(3, n)
    rows = math.ceil(n / columns)
    page = new_figure(max(6.0, width * columns), height * rows + 1.0)
    panels = page.subplots(rows, columns, sharex=True, sharey=True, squeeze=False)
    flat = [axes for row in panels for axes in row]
    for axes in flat[n:]:
        axes.set_visible(False)
    return page, flat[:n]


def label_feet(panels: Sequence[Axes], label: str) -> None:
    """Label the panels that stand at the foot of their column, also where the row below is not full."""
    spec = panels[0].get_subplotspec()
    columns = 1 if spec is None else spec.get_gridspec().ncols
    for axes in panels[-min(columns, len(panels)) :]:
        axes.tick_params(labelbottom=True)
        axes.set_xlabel(label)


def head_panel(axes: Axes, title: str, trips: Iterable[int]) -> None:
    """Write what a panel shows and how many trips of each assistant it holds."""
    n = "-".join(str(k) for k in sorted(set(trips)))
    whole = f"(n = {n} trips each)".replace(" ", "\N{NO-BREAK SPACE}")
    axes.set_title(textwrap.fill(f"{title} {whole}", 64, break_long_words=False), fontsize=9.5)
