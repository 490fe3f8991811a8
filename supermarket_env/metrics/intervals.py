"""95 % intervals of the figures: Wilson for shares with one trial a task, else the bootstrap over tasks.

Where every task gave the same share resampling has no width; Wilson's interval then counts each task once.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from supermarket_env.metrics.figure import Curve, Figure
from supermarket_env.metrics.figures import all_curves, all_figures
from supermarket_env.metrics.pairing import Partners
from supermarket_env.metrics.row import EpisodeRow
from supermarket_env.stats.bootstrap import cluster_strata, ratio_intervals, resample_counts, sum_by_task
from supermarket_env.stats.interval import wilson_interval

Bounds = list[float] | None
Floats = npt.NDArray[np.float64]


def task_of(row: EpisodeRow) -> tuple[str, ...]:
    """Return the cluster an episode is resampled with: its task, or itself when the task is not known."""
    if row.task_id is None:
        return ("episode", row.episode_id, row.agent)
    return ("task", str(row.user), str(row.store), row.task_id)


def interval_part(rows: Sequence[EpisodeRow], index: Partners, horizons: Sequence[int]) -> dict[str, Any]:
    """Return the ``intervals`` of a group and the undefined resamples left out of them.

    Args:
        rows: All rows of the group; simulator failures are set aside here.
        index: Episodes of the reference agent.
        horizons: Offsets of the goal figures.

    Returns:
        ``intervals``: [low, high] under each figure's name, nested like the figures, None where undefined, lists of
        pairs for curves; ``null_resamples``: counts above 0 by figure name.
    """
    counted = [row for row in rows if not row.infra]
    figures, curves = all_figures(counted, index, horizons), all_curves(counted)
    clusters = [task_of(row) for row in counted]
    single = len(set(clusters)) == len(clusters)
    drawn = [figure for figure in figures if not (single and figure.share)]
    drawn_curves = [curve for curve in curves if not (single and curve.share)]
    bounds, dropped = _bootstrap(counted, clusters, drawn, drawn_curves)
    result: dict[str, Any] = {}
    for figure in figures:
        if single and figure.share:
            bounds[figure.name] = _wilson(sum(figure.nums), sum(figure.dens), figure.scale)
        elif figure.share and _certain(bounds[figure.name]):
            bounds[figure.name] = _by_task(sum(figure.nums), figure.dens, clusters, figure.scale)
        place = result
        for step in figure.name[:-1]:
            place = place.setdefault(step, {})
        place[figure.name[-1]] = bounds[figure.name]
    for curve in curves:
        points = curve.values()
        if points is None:
            result[curve.name] = None
        elif single and curve.share:
            base = sum(curve.dens)
            result[curve.name] = [_wilson(round(p * base / curve.scale), base, curve.scale) for p in points]
        else:
            result[curve.name] = [
                _by_task(points[t] * sum(curve.dens) / curve.scale, curve.dens, clusters, curve.scale)
                if curve.share and _certain(bounds[curve.name, str(t)])
                else bounds[curve.name, str(t)]
                for t in range(curve.length)
            ]
    return {"intervals": result, "null_resamples": dropped}


def _certain(bounds: Bounds) -> bool:
    """Say whether resampling found no width: every task gave the same share, mostly none or all."""
    return bounds is not None and bounds[0] == bounds[1]


def _by_task(hits: float, dens: Sequence[float], clusters: Sequence[tuple[str, ...]], scale: float) -> Bounds:
    """Return Wilson's bounds as if every task in the base had been played once."""
    tasks = len({cluster for cluster, base in zip(clusters, dens, strict=True) if base})
    return _wilson(min(float(tasks), tasks * hits / sum(dens)), tasks, scale)


def _wilson(hits: float, base: float, scale: float) -> Bounds:
    interval = wilson_interval(hits, base)
    return None if interval is None else [scale * interval.low, scale * interval.high]


def _bootstrap(
    rows: Sequence[EpisodeRow],
    clusters: Sequence[tuple[str, ...]],
    figures: Sequence[Figure],
    curves: Sequence[Curve],
) -> tuple[dict[tuple[str, ...], Bounds], dict[str, int]]:
    """Return the bounds by figure name and the undefined resamples by dotted name."""
    every = [*figures, *(point for curve in curves for point in _points(curve))]
    if not rows or not every:
        return {figure.name: None for figure in every}, {}
    numbers, groups = cluster_strata(clusters, [row.stratum for row in rows])
    tops: list[list[float]] = []
    bottoms: list[list[float]] = []
    families: list[range] = []
    for figure in every:
        columns = [figure.nums, *figure.rivals]
        families.append(range(len(tops), len(tops) + len(columns)))
        tops += columns
        bottoms += [figure.dens] * len(columns)
    total = sum(len(group) for group in groups)
    nums, dens = (sum_by_task(np.array(part, dtype=np.float64).T, numbers, total) for part in (tops, bottoms))
    counts = _counts(tuple(tuple(group.tolist()) for group in groups))
    found = ratio_intervals(nums, dens, counts, families=families)
    bounds: dict[tuple[str, ...], Bounds] = {}
    dropped: dict[str, int] = {}
    for position, figure in enumerate(every):
        low, high = float(found.low[position]), float(found.high[position])
        bounds[figure.name] = None if np.isnan(low) else [figure.scale * low, figure.scale * high]
        lost = int(found.dropped[position])
        if 0 < lost < len(counts):
            dropped[".".join(figure.name)] = lost
    return bounds, dropped


@lru_cache(maxsize=2)
def _counts(groups: tuple[tuple[int, ...], ...]) -> Floats:
    """Resamples depend on the sizes of the strata alone, so groups that played the same tasks share them."""
    return resample_counts([np.array(group, dtype=np.int64) for group in groups])


def _points(curve: Curve) -> list[Figure]:
    """Return each point of a curve as a figure."""
    return [
        Figure(
            (curve.name, str(t)),
            curve.reached(t),
            curve.dens,
            curve.scale,
        )
        for t in range(curve.length)
    ]
