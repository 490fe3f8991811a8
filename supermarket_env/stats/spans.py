"""95 % intervals of means and ratios over tasks, of a width that few or equal values do not make too small."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from typing import Final

from supermarket_env.stats.bootstrap import RESAMPLES, bootstrap_ci
from supermarket_env.stats.interval import Interval, wilson_interval

FEW: Final = 20
"""With fewer tasks resampling gives intervals that are too narrow: Student's t is taken."""

RARE: Final = 5
"""With fewer tasks that differ from none (or all), a share has Wilson's interval."""

SMALLEST_STRATUM: Final = 5
"""Where a stratum has fewer tasks, they are not resampled within strata: a stratum of one task would never vary."""

EQUAL: Final = 1e-8
"""Values that differ by no more are the same: logs round what they hold to nine digits."""

Ends = tuple[float, float]


def mean_span(
    values: Sequence[float],
    *,
    ends: Ends | None = None,
    strata: Sequence[Hashable] | None = None,
    resamples: int = RESAMPLES,
    tasks: Sequence[Hashable] | None = None,
) -> Interval | None:
    """Return the 95 % interval of a mean.

    Args:
        values: One number a task.
        ends: Least and largest number possible; ``None`` for numbers without bounds.
        strata: Stratum of each task, resampled within where every stratum has five tasks or more.
        resamples: Bootstrap resamples of tasks.
        tasks: Names of the tasks; with them the resamples do not depend on the order of the values.

    Returns:
        From 20 tasks on the bootstrap over tasks, below Student's t within the ends. Equal values, of which neither
        knows a width: as far as the mean would move if as many tasks differed as Wilson's interval of 0 of n allows,
        each by all that the ends allow; ``None`` without ends. ``None`` for no values.

    >>> low, high = mean_span([0.0] * 25, ends=(-1.0, 1.0))
    >>> round(low, 4), round(high, 4)
    (-0.1332, 0.1332)
    >>> low, high = mean_span([0.1, 0.2, 0.3])
    >>> round(low, 4), round(high, 4)
    (-0.0484, 0.4484)
    """
    n = len(values)
    if n < FEW or max(values) - min(values) <= EQUAL:
        return few_span(values, [1.0] * n, ends=ends)
    homes = strata if strata is not None and large_strata(Counter(strata).values()) else None
    span = bootstrap_ci(values, tasks=tasks, strata=homes, resamples=resamples)
    if span is not None and span.high - span.low <= EQUAL:  # the values differ between the strata alone
        span = bootstrap_ci(values, tasks=tasks, resamples=resamples)
    return span


def few_span(nums: Sequence[float], dens: Sequence[float], *, ends: Ends | None = None) -> Interval | None:
    """Return the 95 % interval of ``sum(nums) / sum(dens)`` by Student's t over tasks.

    Args:
        nums: One numerator a task.
        dens: One denominator a task, 0 or more; tasks with 0 do not count. All 1 makes the figure a mean.
        ends: Least and largest ratio possible, infinite where there is none; ``None`` for no bounds at all.

    Returns:
        The interval within the ends: t times the spread of the residuals ``num - ratio * den`` (for a mean the usual
        one). Where all tasks have the same ratio: see :func:`mean_span`. ``None`` without a task.
    """
    known = [(num, den) for num, den in zip(nums, dens, strict=True) if den]
    n, total = len(known), math.fsum(den for _, den in known)
    if not n:
        return None
    ratio = math.fsum(num for num, _ in known) / total
    if ends is not None:  # a value that exceeds them by rounding still lies in its interval
        ends = min(ends[0], ratio), max(ends[1], ratio)
    residuals = [num - ratio * den for num, den in known]
    if all(abs(rest) <= EQUAL * max(1.0, abs(num)) for rest, (num, _) in zip(residuals, known, strict=True)):
        return None if ends is None or not all(map(math.isfinite, ends)) else _span_of_equals(ratio, n, ends)
    from scipy.special import stdtrit

    spread = math.sqrt(math.fsum(rest * rest for rest in residuals) * n / (n - 1)) / total
    half = float(stdtrit(n - 1, 0.975)) * spread
    low, high = (-math.inf, math.inf) if ends is None else ends
    return Interval(max(low, ratio - half), min(high, ratio + half))


def share_span(
    values: Sequence[float],
    *,
    strata: Sequence[Hashable] | None = None,
    resamples: int = RESAMPLES,
    tasks: Sequence[Hashable] | None = None,
) -> Interval | None:
    """Return the 95 % interval of a mean of shares in [0, 1], one a task.

    Wilson's where :func:`wants_wilson` says so, else that of :func:`mean_span`.

    >>> low, high = share_span([1.0] * 25)
    >>> round(low, 4), high
    (0.8668, 1.0)
    """
    if wants_wilson(values):
        return wilson_interval(math.fsum(values), len(values))
    return mean_span(values, ends=(0.0, 1.0), strata=strata, resamples=resamples, tasks=tasks)


def wants_wilson(shares: Sequence[float]) -> bool:
    """Whether a mean of shares, one a task, has Wilson's interval, each task counted once.

    Where every task has 0 or 1, and where fewer than five tasks differ from 0 or from 1: so few tell resampling next
    to nothing of how many others there may be.
    """
    inside = any(share not in (0.0, 1.0) for share in shares)
    return not inside or min(sum(share != end for share in shares) for end in (0.0, 1.0)) < RARE


def large_strata(sizes: Iterable[int]) -> bool:
    """Whether every stratum has tasks enough for being resampled by itself."""
    return all(size >= SMALLEST_STRATUM for size in sizes)


def _span_of_equals(value: float, n: int, ends: Ends) -> Interval | None:
    differing = wilson_interval(0, n)
    if differing is None:
        return None
    low, high = ends
    return Interval(value - differing.high * (value - low), value + differing.high * (high - value))
