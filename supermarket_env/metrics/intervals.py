"""95 % intervals of the figures: Wilson for shares with one trial a task, else by tasks.

From 20 tasks on tasks are resampled, within strata where each has five tasks or more; below that resampling is too
narrow and Student's t is taken. With several trials a task, shares of which fewer than five tasks differ from none or
all have Wilson's interval, each task counted once.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from supermarket_env.metrics.figure import Curve, Figure
from supermarket_env.metrics.figures import all_curves, all_figures
from supermarket_env.metrics.judge import DIMENSIONS
from supermarket_env.metrics.pairing import Partners
from supermarket_env.metrics.row import EpisodeRow
from supermarket_env.stats.bootstrap import cluster_strata, ratio_intervals, resample_counts, sum_by_task
from supermarket_env.stats.interval import wilson_interval
from supermarket_env.stats.spans import FEW, few_span, large_strata, wants_wilson

Bounds = list[float] | None
Floats = npt.NDArray[np.float64]
Numbers = npt.NDArray[np.int64]

SHARES = frozenset({
    "SR", "SR_complete", "checkout_rate", "patience_checkout_rate", "illegal_rate", "need_satisfaction", "NS_cart",
    "need_hit@5", "elicited", "elicited(t)", "SR(t)", "SR_complete(t)", "first_add(t)", "too_early_rate",
    "budget_overrun_share", "SPL", "acceptance_rate", "followed_per_turn",
})  # fmt: skip
"""Figures from 0 to 1 (before the factor 100 of percentages), with those of :data:`SHARE_FAMILIES`."""
SHARE_FAMILIES = ("R@5", "NDCG@10", "AFR", "LNSR", "CGV")
SIGNED = frozenset({"NS_uplift"})
"""Figures from -1 to 1."""
FREE = frozenset({"walked_extra", "unplanned_spend_extra", "hint_progress"})
"""Figures of either sign without bounds; all others have at least 0."""


def task_of(row: EpisodeRow) -> tuple[str, ...]:
    """Return the cluster an episode is resampled with: its task, or itself when the task is not known."""
    if row.task_id is None:
        return ("episode", row.episode_id, row.agent)
    return ("task", str(row.user), str(row.store), row.task_id)


def ends_of(name: tuple[str, ...]) -> tuple[float, float]:
    """Return the least and the largest value a figure can have, infinite where there is none.

    >>> ends_of(("CGV", "3")), ends_of(("Turn",))
    ((0.0, 1.0), (0.0, inf))
    """
    first = name[0]
    if first == "judge":
        return (1.0, 5.0) if name[-1] in DIMENSIONS else (-math.inf, math.inf)
    if first in SHARES or first.startswith(SHARE_FAMILIES):
        return 0.0, 1.0
    if first in SIGNED:
        return -1.0, 1.0
    return (-math.inf if first in FREE else 0.0), math.inf


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
    points = [point for curve in curves if not (single and curve.share) for point in _points(curve)]
    bounds, dropped = _by_tasks(counted, clusters, [*drawn, *points])
    result: dict[str, Any] = {}
    for figure in figures:
        if single and figure.share:
            bounds[figure.name] = _wilson(sum(figure.nums), sum(figure.dens), figure.scale)
        place = result
        for step in figure.name[:-1]:
            place = place.setdefault(step, {})
        place[figure.name[-1]] = bounds[figure.name]
    for curve in curves:
        values = curve.values()
        if values is None:
            result[curve.name] = None
        elif single and curve.share:
            base = sum(curve.dens)
            result[curve.name] = [_wilson(round(p * base / curve.scale), base, curve.scale) for p in values]
        else:
            result[curve.name] = [bounds[curve.name, str(t)] for t in range(curve.length)]
    return {"intervals": result, "null_resamples": dropped}


def _wilson(hits: float, base: float, scale: float) -> Bounds:
    interval = wilson_interval(hits, base)
    return None if interval is None else [scale * interval.low, scale * interval.high]


def _by_tasks(
    rows: Sequence[EpisodeRow], clusters: Sequence[tuple[str, ...]], figures: Sequence[Figure]
) -> tuple[dict[tuple[str, ...], Bounds], dict[str, int]]:
    """Return the bounds by figure name and the undefined resamples by dotted name."""
    if not rows or not figures:
        return {figure.name: None for figure in figures}, {}
    numbers, groups = cluster_strata(clusters, [row.stratum for row in rows])
    total = sum(len(group) for group in groups)
    tops: list[list[float]] = []
    bottoms: list[list[float]] = []
    families: list[range] = []
    for figure in figures:
        columns = [figure.nums, *figure.rivals]
        families.append(range(len(tops), len(tops) + len(columns)))
        tops += columns
        bottoms += [figure.dens] * len(columns)
    nums, dens = (sum_by_task(np.array(part, dtype=np.float64).T, numbers, total) for part in (tops, bottoms))
    if total < FEW:
        bounds = {
            f.name: _few(f, nums[:, family], dens[:, family]) for f, family in zip(figures, families, strict=True)
        }
        dropped: dict[str, int] = {}
    else:
        if not large_strata(map(len, groups)):
            groups = [np.arange(total)]
        bounds, dropped = _resampled(figures, families, nums, dens, groups)
    for figure, family in zip(figures, families, strict=True):
        if figure.share:
            hits, base = nums[:, family[0]], dens[:, family[0]]
            hits, base = hits[base > 0], base[base > 0]
            if wants_wilson((hits / base).tolist()) and (tasks := len(hits)):
                mean = float(hits.sum() / base.sum())
                bounds[figure.name] = _wilson(min(float(tasks), tasks * mean), tasks, figure.scale)
    return bounds, dropped


def _few(figure: Figure, nums: Floats, dens: Floats) -> Bounds:
    """Return Student's interval of a figure, of the leading one of its rivals."""
    leading = int(np.argmax(nums.sum(axis=0)))
    span = few_span(nums[:, leading].tolist(), dens[:, leading].tolist(), ends=ends_of(figure.name))
    return None if span is None else [figure.scale * span.low, figure.scale * span.high]


def _resampled(
    figures: Sequence[Figure], families: Sequence[range], nums: Floats, dens: Floats, groups: Sequence[Numbers]
) -> tuple[dict[tuple[str, ...], Bounds], dict[str, int]]:
    """Return the percentile bounds of figures from the sums of each task, and the undefined resamples."""
    counts = _counts(tuple(tuple(group.tolist()) for group in groups))
    found = ratio_intervals(nums, dens, counts, families=families)
    bounds: dict[tuple[str, ...], Bounds] = {}
    dropped: dict[str, int] = {}
    flat = []
    for position, figure in enumerate(figures):
        low, high = float(found.low[position]), float(found.high[position])
        bounds[figure.name] = None if np.isnan(low) else [figure.scale * low, figure.scale * high]
        lost = int(found.dropped[position])
        if 0 < lost < len(counts):
            dropped[".".join(figure.name)] = lost
        if low == high and len(groups) > 1 and _differ(nums[:, families[position][0]], dens[:, families[position][0]]):
            flat.append(position)
    if flat:  # the values differ between the strata alone
        again, _ = _resampled(
            [figures[k] for k in flat], [families[k] for k in flat], nums, dens, [np.arange(len(nums))]
        )
        bounds |= again
    return bounds, dropped


def _differ(nums: Floats, dens: Floats) -> bool:
    ratios = nums[dens > 0] / dens[dens > 0]
    return bool(len(ratios)) and bool(np.ptp(ratios) > 1e-9)


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
            share=curve.share,
        )
        for t in range(curve.length)
    ]
