"""The forest of intervals: how far assistants are apart, pair by pair."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from supermarket_env.compare.paired import Comparison
from supermarket_env.compare.sides import flag_of
from supermarket_env.compare.values import VALUES
from supermarket_env.report.look import INK, STYLES, new_figure, outlined, save_figure, tidy, undefined

PANELS = ("NS_uplift", "SR_complete", "Turn")


def save_forest(found: Sequence[Comparison], out: Path, *, warnings: Iterable[str] = ()) -> list[Path]:
    """Draw the difference of each comparison with its 95 % interval, a panel a figure.

    Args:
        found: One comparison or more.
        out: Picture to write.
        warnings: Written above the picture; a forced comparison is flagged in the numbers as well.

    Raises:
        ConfigError: If the picture cannot be written.
    """
    warnings = list(warnings)
    flag = flag_of(warnings)
    figure = new_figure(11.0, 1.9 + 0.42 * max(2, len(found)) + 0.2 * len(warnings))
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
                          (0, 6), textcoords="offset points", ha="center", fontsize=8, color=INK,
                          path_effects=outlined())  # fmt: skip
            rows.append(
                {
                    "flag": flag, "figure": name, "unit": effect.unit, "second": comparison.second,
                    "first": comparison.first,
                    "second_run": comparison.second_run, "first_run": comparison.first_run,
                    "difference": effect.difference, "low": effect.low, "high": effect.high, "n_tasks": effect.n_tasks,
                    "p": effect.p, "p_holm": effect.p_holm,
                }
            )  # fmt: skip
        axes.axvline(0, color="#777777", linewidth=1, linestyle=(0, (3, 2)))
        wanted = "" if VALUES[name].more_is_better else ", less is better"
        axes.set_xlabel(f"difference in {name} ({VALUES[name].unit}{wanted})")
        tidy(axes, grid="x")
        if not drawn:
            undefined(axes)
    panels[0].set_yticks(range(len(found)), [_label(one) for one in found])
    panels[0].set_ylim(len(found) - 0.4, -0.7)
    head = "Paired differences, n = tasks, 95 % intervals; orange diamonds: the interval leaves out 0"
    shown = [textwrap.shorten(warning, 150, placeholder=" ...") for warning in warnings]
    figure.suptitle("\n".join([*shown, head]), fontsize=9 if warnings else 11, color="#A33B00" if warnings else INK)
    return save_figure(figure, out, rows)


def _label(one: Comparison) -> str:
    if one.first != one.second and one.first_run == one.second_run:
        return f"{one.second} - {one.first}"
    return f"{one.second} ({Path(one.second_run).name})\n- {one.first} ({Path(one.first_run).name})"
