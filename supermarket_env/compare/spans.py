"""The 95 % interval of a mean over tasks, of a width that few or equal values do not make too small."""

from __future__ import annotations

import math
import statistics
from collections.abc import Hashable, Sequence
from typing import Final

from supermarket_env.stats import bootstrap_ci, wilson_interval
from supermarket_env.stats.bootstrap import RESAMPLES
from supermarket_env.stats.interval import Interval

FEW: Final = 20
"""With fewer values resampling gives intervals that are too narrow: Student's t is taken."""

RARE: Final = 5

_EQUAL: Final = 1e-12


def mean_span(
    values: Sequence[float],
    *,
    ends: tuple[float, float] | None = None,
    strata: Sequence[Hashable] | None = None,
    resamples: int = RESAMPLES,
) -> Interval | None:
    """Return the 95 % interval of a mean.

    Args:
        values: One number a task.
        ends: Least and largest number possible; ``None`` for numbers without bounds.
        strata: Stratum of each task, resampled within.
        resamples: Bootstrap resamples of tasks.

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
    if not n:
        return None
    if max(values) - min(values) <= _EQUAL:
        return None if ends is None else _span_of_equals(values[0], n, ends)
    if n < FEW:
        return _student(values, ends)
    span = bootstrap_ci(values, strata=strata, resamples=resamples)
    if span is not None and span.high - span.low <= _EQUAL:  # the values differ between the strata alone
        span = bootstrap_ci(values, resamples=resamples)
    return span


def share_span(values: Sequence[float], *, resamples: int = RESAMPLES) -> Interval | None:
    """Return the 95 % interval of a mean of shares in [0, 1], one a task.

    Wilson's where every task has 0 or 1, and where fewer than five tasks differ from 0 or from 1: so few tell
    resampling next to nothing of how many others there may be.

    >>> low, high = share_span([1.0] * 25)
    >>> round(low, 4), high
    (0.8668, 1.0)
    """
    inside = sum(value not in (0.0, 1.0) for value in values)
    few = min(sum(value != end for value in values) for end in (0.0, 1.0)) < RARE
    if not inside or few:
        return wilson_interval(math.fsum(values), len(values))
    return mean_span(values, ends=(0.0, 1.0), resamples=resamples)


def _span_of_equals(value: float, n: int, ends: tuple[float, float]) -> Interval | None:
    differing = wilson_interval(0, n)
    if differing is None:
        return None
    low, high = ends
    return Interval(value - differing.high * (value - low), value + differing.high * (high - value))


def _student(values: Sequence[float], ends: tuple[float, float] | None) -> Interval:
    from scipy.stats import t

    n = len(values)
    half = float(t.ppf(0.975, n - 1)) * statistics.stdev(values) / math.sqrt(n)
    middle = math.fsum(values) / n
    low, high = (-math.inf, math.inf) if ends is None else ends
    return Interval(max(low, middle - half), min(high, middle + half))
