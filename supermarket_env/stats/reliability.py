"""Repeated trials: how often all, or any, of k trials succeed; a robust mean."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from supermarket_env.stats.interval import Interval, check_level
from supermarket_env.stats.tables import finite_values, whole_table


def _pairs(successes: Any, k: int) -> list[tuple[int, int]]:
    """Return (successes, trials) per task, checked."""
    entries = list(successes)
    as_pairs = bool(entries) and all(isinstance(entry, tuple) and len(entry) == 2 for entry in entries)
    rows = [[int(value) for value in entry] for entry in entries]
    if not as_pairs:
        # Lists of two numbers are pairs as soon as one of them cannot be the outcome of a trial.
        as_pairs = bool(rows) and all(len(row) == 2 for row in rows) and any(v not in (0, 1) for r in rows for v in r)
    if as_pairs:
        counts = [(row[0], row[1]) for row in rows]
    else:
        if any(value not in (0, 1) for row in rows for value in row):
            raise ValueError("expected 0 or 1 for each trial, or (successes, trials) for each task")
        counts = [(sum(row), len(row)) for row in rows]
    if k < 1:
        raise ValueError(f"expected k of 1 or more, got {k!r}")
    trials = {n for _, n in counts}
    if len(trials) > 1:
        raise ValueError(f"expected the same number of trials for every task, got {sorted(trials)}")
    for c, n in counts:
        if n < k or not 0 <= c <= n:
            raise ValueError(f"expected 0 <= successes <= trials and trials >= k = {k}, got {c} of {n}")
    return counts


def pass_hat_k(successes: Any, k: int) -> float | None:
    """Return pass^k: the chance that k trials of a task all succeed, averaged over tasks.

    Args:
        successes: Array (tasks, trials) of 0 and 1, or one tuple (successes, trials) per task. Errors are failures.
        k: Number of trials drawn without replacement, 1 .. trials.

    Returns:
        A share in [0, 1], without bias; None for no tasks.

    Raises:
        ValueError: If tasks have different numbers of trials, fewer than k, or counts make no sense.

    >>> round(pass_hat_k([(8, 8), (4, 8), (0, 8)], 2), 6)
    0.404762
    """
    counts = _pairs(successes, k)
    shares = [math.comb(c, k) / math.comb(n, k) for c, n in counts]
    return math.fsum(shares) / len(shares) if shares else None


def pass_at_k(successes: Any, k: int) -> float | None:
    """Return pass@k: the chance that at least one of k trials of a task succeeds, averaged over tasks.

    Arguments, result and errors as in :func:`pass_hat_k`.

    >>> round(pass_at_k([(8, 8), (4, 8), (0, 8)], 2), 6)
    0.595238
    """
    counts = _pairs(successes, k)
    shares = [1.0 - math.comb(n - c, k) / math.comb(n, k) for c, n in counts]
    return math.fsum(shares) / len(shares) if shares else None


def iqm(values: Sequence[float] | Any) -> float | None:
    """Return the interquartile mean: the mean of what is left after cutting a quarter off each end.

    Args:
        values: Scores of any shape (runs x tasks are taken together).

    Returns:
        The mean of the middle half (the cut is rounded down); None for no values.

    Raises:
        ValueError: If a score is missing or infinite.

    >>> iqm([1, 2, 3, 4, 5, 6, 7, 100])
    4.5
    """
    ordered = np.sort(finite_values(values), axis=None).tolist()
    cut = len(ordered) // 4
    middle = ordered[cut : len(ordered) - cut]
    return math.fsum(middle) / len(middle) if middle else None


def performance_profile(values: Any, thresholds: Sequence[float]) -> list[float] | None:
    """Return the share of runs with a score above each threshold.

    Args:
        values: Scores of any shape (runs x tasks are taken together).
        thresholds: Scores at which to look.

    Returns:
        One share in [0, 1] for each threshold, falling as it rises; None for no values.

    Raises:
        ValueError: If a score is missing or infinite.

    >>> performance_profile([0.0, 0.5, 1.0], [-1.0, 0.0, 0.7, 1.0])
    [1.0, 0.6666666666666666, 0.3333333333333333, 0.0]
    """
    scores = finite_values(values).ravel()
    if not len(scores):
        return None
    return [int(np.count_nonzero(scores > threshold)) / len(scores) for threshold in thresholds]


def iqm_interval(values: Any, *, level: float = 0.95, resamples: int = 2000, seed: int = 0) -> Interval | None:
    """Return a bootstrap interval of the interquartile mean, runs resampled within their task.

    Args:
        values: Array (runs, tasks).
        level: Share of the resamples between the bounds, in (0, 1).
        resamples: Number of resamples.
        seed: Seed of the generator, used for this call alone.

    Returns:
        The bounds; None for no values.

    Raises:
        ConfigError: If ``level`` is not in (0, 1).
        ValueError: If the array has not two dimensions, or a score is missing or infinite.
    """
    check_level(level)
    table = whole_table(values, "(runs, tasks)")
    if not table.size:
        return None
    generator = np.random.default_rng(seed)
    means = []
    for _ in range(resamples):
        drawn = np.take_along_axis(table, generator.integers(0, len(table), table.shape), axis=0)
        means.append(iqm(drawn))
    low, high = np.quantile(np.array(means, dtype=np.float64), [(1 - level) / 2, (1 + level) / 2])
    return Interval(float(low), float(high))
