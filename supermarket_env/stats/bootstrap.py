"""Percentile bootstrap of ratios of sums: tasks resampled within strata, the trials of a task together."""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from supermarket_env.stats.interval import Interval, check_level
from supermarket_env.stats.tables import finite_values

Floats = npt.NDArray[np.float64]

RESAMPLES: Final = 10_000
SEED: Final = 0

_MANTISSA_BITS = 52
_CHUNK = 64
"""Figures resampled at a time: bounds the memory at two matrices of resamples x chunk."""


class RatioIntervals(NamedTuple):
    """Bounds of several ratios, NaN where no resample is defined, and the undefined resamples of each."""

    low: Floats
    high: Floats
    dropped: npt.NDArray[np.int64]


def cluster_strata(
    tasks: Sequence[Hashable], strata: Sequence[Hashable] | None = None
) -> tuple[npt.NDArray[np.int64], list[npt.NDArray[np.int64]]]:
    """Number the tasks and sort them into strata.

    Args:
        tasks: Task of each observation, comparable by ``repr``.
        strata: Stratum of each observation; a task belongs to the smallest of its strata. None: one stratum.

    Returns:
        The task number of each observation, and for each stratum (sorted) the numbers of its tasks. Neither depends
        on the order of the observations beyond the order of the result's first part.
    """
    home: dict[str, str] = {}
    for position, task in enumerate(tasks):
        name, stratum = repr(task), "" if strata is None else repr(strata[position])
        home[name] = min(home.get(name, stratum), stratum)
    number = {name: index for index, name in enumerate(sorted(home))}
    members: dict[str, list[int]] = {}
    for name, index in number.items():
        members.setdefault(home[name], []).append(index)
    groups = [np.array(members[stratum], dtype=np.int64) for stratum in sorted(members)]
    return np.array([number[repr(task)] for task in tasks], dtype=np.int64), groups


def resample_counts(groups: Sequence[npt.NDArray[np.int64]], resamples: int = RESAMPLES, seed: int = SEED) -> Floats:
    """Return how often each task is drawn in each resample.

    Args:
        groups: Task numbers of each stratum; together 0 .. tasks - 1.
        resamples: Number of resamples.
        seed: Seed of the generator used for this call alone.

    Returns:
        Array (resamples, tasks) of whole numbers as float64; each stratum keeps its number of tasks.
    """
    generator = np.random.default_rng(seed)
    total = sum(len(group) for group in groups)
    counts = np.zeros((resamples, total))
    rows = np.arange(resamples)[:, None]
    for group in groups:
        size = len(group)
        drawn = generator.integers(0, size, size=(resamples, size))
        tally = np.bincount((rows * size + drawn).ravel(), minlength=resamples * size)
        counts[:, group] = tally.reshape(resamples, size)
    return counts


def exact_columns(values: Floats) -> Floats:
    """Round each column to a grid so coarse that sums of ``len(values)`` of its values are exact in any order.

    Matrix products then do not depend on the number of threads or the machine; the grid is finer than 1e-9 of the
    column's largest value for up to a million rows.

    Args:
        values: Array (tasks, columns).
    """
    bits = _MANTISSA_BITS - math.ceil(math.log2(max(2, len(values))))
    largest = np.abs(values).max(axis=0, initial=0.0)
    exponent = np.ceil(np.log2(np.where(largest > 0, largest, 1.0))).astype(np.int64)
    return np.ldexp(np.rint(np.ldexp(values, bits - exponent)), exponent - bits)


def sum_by_task(values: Floats, task_of: npt.NDArray[np.int64], tasks: int) -> Floats:
    """Add up the rows of each task.

    Args:
        values: Array (observations, columns).
        task_of: Task number of each observation.
        tasks: Number of tasks.

    Returns:
        Array (tasks, columns) of exact sums, rounded once.
    """
    if len(values) == tasks:
        result = np.empty_like(values)
        result[task_of] = values
        return result
    parts: list[list[int]] = [[] for _ in range(tasks)]
    for position, task in enumerate(task_of.tolist()):
        parts[task].append(position)
    return np.array([[math.fsum(column) for column in values[part].T.tolist()] for part in parts]).reshape(tasks, -1)


def ratio_intervals(
    nums: Floats,
    dens: Floats,
    counts: Floats,
    *,
    level: float = 0.95,
    families: Sequence[Sequence[int]] | None = None,
) -> RatioIntervals:
    """Return percentile intervals of ``sum(num) / sum(den)``, one per column or family of columns.

    Args:
        nums: Array (tasks, columns) of numerators.
        dens: Array (tasks, columns) of denominators, 0 or more.
        counts: Array (resamples, tasks) from :func:`resample_counts`.
        level: Share of the resamples between the bounds, in (0, 1).
        families: Columns whose largest ratio is the figure; default each column by itself.

    Returns:
        Arrays (figures,). Resamples with denominator 0 are dropped and counted.

    Raises:
        ConfigError: If ``level`` is not in (0, 1).
    """
    check_level(level)
    groups = [[column] for column in range(nums.shape[1])] if families is None else [list(f) for f in families]
    low, high = np.full(len(groups), np.nan), np.full(len(groups), np.nan)
    dropped = np.zeros(len(groups), dtype=np.int64)
    nums, dens = exact_columns(nums), exact_columns(dens)
    for start in range(0, len(groups), _CHUNK):
        part = groups[start : start + _CHUNK]
        columns = [column for family in part for column in family]
        totals = counts @ dens[:, columns]
        with np.errstate(invalid="ignore", divide="ignore"):
            ratios = np.where(totals > 0, (counts @ nums[:, columns]) / totals, np.inf)
        if len(columns) > len(part):
            ends = np.cumsum([len(family) for family in part])[:-1]
            ratios = np.stack([block.max(axis=1) for block in np.split(ratios, ends, axis=1)], axis=1)
        ratios.sort(axis=0)
        defined = np.isfinite(ratios).sum(axis=0)
        place = slice(start, start + len(part))
        dropped[place] = len(ratios) - defined
        low[place] = _quantile(ratios, defined, (1 - level) / 2)
        high[place] = _quantile(ratios, defined, (1 + level) / 2)
    return RatioIntervals(low, high, dropped)


def _quantile(ordered: Floats, defined: npt.NDArray[np.intp], share: float) -> Floats:
    """Linear quantile of the first ``defined`` values of each sorted column, NaN for none."""
    place = share * np.maximum(defined - 1, 0)
    below = np.floor(place).astype(np.int64)
    above = np.minimum(below + 1, np.maximum(defined - 1, 0))
    column = np.arange(ordered.shape[1])
    lower = np.where(defined > 0, ordered[below, column], np.nan)
    upper = np.where(defined > 0, ordered[above, column], np.nan)
    result: Floats = lower + (place - below) * (upper - lower)
    return result


def bootstrap_ci(
    values: Sequence[float] | npt.NDArray[Any],
    denominators: Sequence[float] | npt.NDArray[Any] | None = None,
    *,
    tasks: Sequence[Hashable] | None = None,
    strata: Sequence[Hashable] | None = None,
    level: float = 0.95,
    resamples: int = RESAMPLES,
    seed: int = SEED,
) -> Interval | None:
    """Return a percentile interval of a mean, or of a ratio of sums.

    Args:
        values: One number per episode: the values, or numerators when denominators are given.
        denominators: One number of 0 or more per episode; default 1 each, which makes the figure a mean.
        tasks: Task of each episode; the episodes of a task are resampled together. Default: each its own.
        strata: Stratum of each episode; tasks are resampled within strata. Default: one stratum.
        level: Share of the resamples between the bounds, in (0, 1).
        resamples: Number of resamples.
        seed: Seed of the generator, used for this call alone.

    Returns:
        The interval; None for no values or when no resample is defined.

    Raises:
        ConfigError: If ``level`` is not in (0, 1).
        ValueError: If lengths differ, or a number is missing or infinite.

    >>> bootstrap_ci([0.0, 0.0, 1.0])
    Interval(low=0.0, high=1.0)
    """
    check_level(level)
    nums = finite_values(values)
    dens = np.ones_like(nums) if denominators is None else finite_values(denominators)
    for name, other in (("denominators", dens), ("tasks", tasks), ("strata", strata)):
        if other is not None and len(other) != len(nums):
            raise ValueError(f"expected as many {name} as values ({len(nums)}), got {len(other)}")
    if not len(nums):
        return None
    task_of, groups = cluster_strata(range(len(nums)) if tasks is None else tasks, strata)
    total = sum(len(group) for group in groups)
    columns = sum_by_task(np.stack([nums, dens], axis=1), task_of, total)
    found = ratio_intervals(columns[:, :1], columns[:, 1:], resample_counts(groups, resamples, seed), level=level)
    return None if math.isnan(found.low[0]) else Interval(float(found.low[0]), float(found.high[0]))


def bca_interval(
    values: Sequence[float] | Floats, *, level: float = 0.95, resamples: int = RESAMPLES, seed: int = SEED
) -> Interval | None:
    """Return the bias-corrected, accelerated interval of a mean (for smooth means; shares take Wilson's).

    Args:
        values: One number per episode, at least two different ones.
        level: Level in (0, 1).
        resamples: Number of resamples.
        seed: Seed of the generator, used for this call alone.

    Returns:
        The interval; None with fewer than two values or without variance.

    Raises:
        ConfigError: If ``level`` is not in (0, 1).
        ValueError: If a value is missing or infinite.
    """
    check_level(level)
    sample = finite_values(values)
    if len(sample) < 2 or np.ptp(sample) == 0:
        return None
    from scipy.stats import bootstrap

    found = bootstrap(
        (sample,),
        np.mean,
        confidence_level=level,
        n_resamples=resamples,
        method="BCa",
        rng=np.random.default_rng(seed),
    ).confidence_interval
    if not (math.isfinite(found.low) and math.isfinite(found.high)):
        return None
    return Interval(float(found.low), float(found.high))
