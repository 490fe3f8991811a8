"""A judge's ratings against people's, as a picture: one panel a dimension."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from supermarket_env.errors import ConfigError
from supermarket_env.scorers.judge.checks import Ratings
from supermarket_env.scorers.judge.dimensions import DIMENSIONS

_COLUMNS: Final = 4
_GOLDEN: Final = (0.618034, 0.381966)
"""Steps that spread points of equal grades without chance."""


def rated_pairs(
    judge: Mapping[str, Ratings], people: Mapping[str, Mapping[str, Sequence[float]]], dim: str
) -> list[tuple[float, float]]:
    """Return (judge, mean of the people) of every episode that both rated on a dimension, by episode id."""
    found = []
    for name in sorted(judge):
        ours, theirs = judge[name][dim], people.get(name, {}).get(dim)
        if ours is not None and theirs:
            found.append((ours, math.fsum(theirs) / len(theirs)))
    return found


def draw_agreement(
    judge: Mapping[str, Ratings],
    people: Mapping[str, Mapping[str, Sequence[float]]],
    alphas: Mapping[str, float | None],
    out: Path,
) -> Path:
    """Draw judge against people.

    Args:
        judge: Ratings 1..5 by episode, see :func:`~supermarket_env.scorers.judge.checks.ratings_of`.
        people: Ratings of the people by episode and dimension, one number a person.
        alphas: Agreement by dimension, for the titles.
        out: Picture to write; the ending decides the format.

    Raises:
        ConfigError: If no episode was rated by both, or the picture cannot be written.
    """
    pairs = {dim: found for dim in DIMENSIONS if (found := rated_pairs(judge, people, dim))}
    if not pairs:
        raise ConfigError("a scatter of judge and people needs an episode that both have rated")
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    columns = min(_COLUMNS, len(pairs))
    rows = math.ceil(len(pairs) / columns)
    figure = Figure(figsize=(0.6 + 3.0 * columns, 0.6 + 3.0 * rows), dpi=120, layout="constrained")
    FigureCanvasAgg(figure)
    panels: Any = figure.subplots(rows, columns, sharex=True, sharey=True, squeeze=False).ravel()
    for place, (dim, found) in enumerate(pairs.items()):
        axes = panels[place]
        moved = [
            tuple(value + 0.3 * ((k * step) % 1 - 0.5) for value, step in zip(pair, _GOLDEN, strict=True))
            for k, pair in enumerate(found)
        ]
        axes.plot([1, 5], [1, 5], color="#999999", linewidth=0.8)
        axes.scatter(*zip(*moved, strict=True), s=14, color="#0072B2", alpha=0.6, linewidths=0)
        alpha = alphas.get(dim)
        told = "n/a" if alpha is None else f"{alpha:.2f}"
        axes.set_title(f"{dim.replace('_', ' ')}\nalpha {told}, n {len(found)}", fontsize=9)
        axes.set(xlim=(0.7, 5.3), ylim=(0.7, 5.3), xticks=range(1, 6), yticks=range(1, 6))
        # The lowest panel of its column, which need not stand in the last row.
        axes.tick_params(labelbottom=place + columns >= len(pairs))
    for axes in panels[len(pairs) :]:
        axes.set_visible(False)
    figure.supxlabel("judge", fontsize=10)
    figure.supylabel("mean of people", fontsize=10)
    try:
        figure.savefig(out, metadata={"Software": None} if out.suffix == ".png" else None)
    except (OSError, ValueError) as error:
        raise ConfigError(f"cannot write {out}: {error}") from None
    return out
