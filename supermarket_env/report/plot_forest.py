"""The forest of intervals: how far assistants are apart, pair by pair."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from supermarket_env.compare.paired import Comparison
from supermarket_env.compare.values import VALUES
from supermarket_env.report.look import INK, STYLES, new_figure, save_figure, tidy, undefined

PANELS = ("NS_uplift", "SR_complete", "Turn")


def save_forest(found: Sequence[Comparison], out: Path) -> list[Path]:
    """Draw the difference of each comparison with its 95 % interval, a panel a figure.

    Raises:
        ConfigError: If the picture cannot be written.
    """
    figure = new_figure(11.0, 1.9 + 0.42 * max(2, len(found)))
    panels = figure.subplots(1, len(PANELS), sharey=True)
    rows: list[dict[str, Any]] = []
    for axes, name in zip(panels, PANELS, strict=True):
        drawn = 0
        for place, comparison in enumerate(found):
            effect = comparison.effect(name)
            if effect.difference is None or effect.low is None or effect.high is None:
                continue
            drawn += 1
            style = STYLES[3] if effect.low > 0 or effect.high < 0 else STYLES[0]
            axes.plot([effect.low, effect.high], [place, place], color=style.colour, linewidth=2, solid_capstyle="butt")
            axes.plot([effect.difference], [place], style.marker, color=style.colour, markersize=6)
            digits = VALUES[name].digits
            axes.annotate(f"{effect.difference:+.{digits}f}, n = {effect.n_tasks}", (effect.difference, place),
                          (0, 6), textcoords="offset points", ha="center", fontsize=8, color=INK)  # fmt: skip
            rows.append(
                {
                    "figure": name, "unit": effect.unit, "second": comparison.second, "first": comparison.first,
                    "second_run": comparison.second_run, "first_run": comparison.first_run,
                    "difference": effect.difference, "low": effect.low, "high": effect.high, "n_tasks": effect.n_tasks,
                    "p": effect.p, "p_holm": effect.p_holm,
                }
            )  # fmt: skip
        axes.axvline(0, color="#777777", linewidth=1, linestyle=(0, (3, 2)))
        axes.set_xlabel(f"difference in {name} ({VALUES[name].unit})")
        tidy(axes, grid="x")
        if not drawn:
            undefined(axes)
    panels[0].set_yticks(range(len(found)), [f"{one.second} - {one.first}" for one in found])
    panels[0].set_ylim(len(found) - 0.4, -0.7)
    figure.suptitle("Paired differences over tasks, 95 % intervals; orange diamonds: the interval leaves out 0",
                    fontsize=11)  # fmt: skip
    return save_figure(figure, out, rows)
