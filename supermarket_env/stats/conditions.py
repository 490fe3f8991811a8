"""Whether two evaluation conditions rank the assistants alike: correlation of assistant means, with its uncertainty."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from supermarket_env.stats.bootstrap import RESAMPLES, SEED
from supermarket_env.stats.correlation import FEW, correlation_p, paired_correlation, unpaired_names
from supermarket_env.stats.interval import Interval, check_level

Floats = npt.NDArray[np.float64]

Values = Mapping[str, Sequence[float | None]]
"""assistant -> its episodes' values, in any order."""


class ConditionAgreement(NamedTuple):
    """Correlation over assistants between two conditions; None where undefined."""

    pearson: float | None
    spearman: float | None
    n: int
    """Assistants with a mean in both conditions."""
    p_pearson: float | None
    """Two-sided permutation p."""
    p_spearman: float | None
    pearson_interval: Interval | None
    """Bootstrap over the episodes of each assistant and condition: the uncertainty of the means themselves.

    Percentiles, an end moved out to the coefficient where it does not reach it.
    """
    spearman_interval: Interval | None
    resamples_undefined: int
    """Resamples in which a coefficient was undefined; left out of the intervals."""
    few: bool
    """Fewer than five assistants: two give 1 or -1 by construction."""
    dropped: list[str]
    """Assistants without a mean in both."""
    left_out: list[str]
    """Assistants left out on purpose (probes, privileged ones)."""


def compare_conditions(
    x: Values,
    y: Values,
    *,
    leave_out: Collection[str] = (),
    level: float = 0.95,
    resamples: int = RESAMPLES,
    seed: int = SEED,
) -> ConditionAgreement:
    """Correlate assistant means between two conditions (two users, two judges, people and a judge).

    Args:
        x: Values of each assistant's episodes in one condition; None and NaN are left out, and no values are no mean.
        y: The same in the other.
        leave_out: Assistants to leave out: probes and privileged agents widen the range and so raise a correlation.
            Report it with and without them.
        level: Level of the intervals.
        resamples: Bootstrap resamples.
        seed: Seed of the permutations and the bootstrap.

    Raises:
        ConfigError: If ``level`` is not in (0, 1).
        ValueError: If a value is infinite.
    """
    check_level(level)
    kept_x, kept_y = _kept(x, leave_out), _kept(y, leave_out)
    mean_x, mean_y = _means(kept_x), _means(kept_y)
    found = paired_correlation(mean_x, mean_y)
    names = sorted(name for name in mean_x if mean_x[name] is not None and mean_y.get(name) is not None)
    pearson, spearman, undefined = _resampled(names, kept_x, kept_y, resamples, seed)
    return ConditionAgreement(
        found.pearson,
        found.spearman,
        found.n,
        correlation_p(mean_x, mean_y, "pearson", seed=seed),
        correlation_p(mean_x, mean_y, "spearman", seed=seed),
        _percentiles(found.pearson, pearson, level),
        _percentiles(found.spearman, spearman, level),
        undefined,
        found.n < FEW,
        [str(name) for name in unpaired_names(mean_x, mean_y)],
        sorted(set(leave_out) & (x.keys() | y.keys())),
    )


def _kept(values: Values, leave_out: Collection[str]) -> dict[str, list[float]]:
    return {
        name: [value for value in row if value is not None and not math.isnan(value)]
        for name, row in values.items()
        if name not in leave_out
    }


def _means(values: Mapping[str, Sequence[float]]) -> dict[str, float | None]:
    return {name: float(np.mean(list(row))) if len(row) else None for name, row in values.items()}


def _resampled(
    names: Sequence[str],
    x: Mapping[str, Sequence[float]],
    y: Mapping[str, Sequence[float]],
    resamples: int,
    seed: int,
) -> tuple[Floats, Floats, int]:
    """Coefficients of resampled means: every assistant's episodes are drawn anew in both conditions."""
    from scipy.stats import rankdata

    generator = np.random.default_rng(seed)
    columns = []
    for values in (x, y):
        drawn = []
        for name in names:
            row = np.asarray(values[name], dtype=np.float64)
            places = generator.integers(0, len(row), size=(resamples, len(row)))
            drawn.append(row[places].mean(axis=1))
        columns.append(np.stack(drawn, axis=1) if drawn else np.zeros((resamples, 0)))
    pearson = _row_correlations(*columns)
    spearman = _row_correlations(*(rankdata(column, axis=1) if column.size else column for column in columns))
    defined = ~(np.isnan(pearson) | np.isnan(spearman))
    return pearson[defined], spearman[defined], int(np.count_nonzero(~defined))


def _row_correlations(x: Floats, y: Floats) -> Floats:
    """Pearson's r of each row of two arrays (rows, assistants), NaN where a row has no variance."""
    if x.shape[1] < 2:
        return np.full(len(x), np.nan)
    a, b = x - x.mean(axis=1, keepdims=True), y - y.mean(axis=1, keepdims=True)
    scale = np.sqrt((a * a).sum(axis=1) * (b * b).sum(axis=1))
    flat = (np.ptp(x, axis=1) == 0) | (np.ptp(y, axis=1) == 0)
    with np.errstate(invalid="ignore", divide="ignore"):
        found: Floats = np.where(flat, np.nan, np.clip((a * b).sum(axis=1) / scale, -1.0, 1.0))
    return found


def _percentiles(estimate: float | None, values: Floats, level: float) -> Interval | None:
    """Return the percentile interval, moved out to the estimate where it does not reach it.

    Resampled means scatter once more about means that scatter already, so that resampled coefficients lie nearer to 0:
    for a coefficient near 1 all may be smaller than itself. What was seen is never outside what is held possible.
    """
    if estimate is None or not len(values):
        return None
    low, high = np.quantile(values, [(1 - level) / 2, (1 + level) / 2])
    return Interval(min(float(low), estimate), max(float(high), estimate))
