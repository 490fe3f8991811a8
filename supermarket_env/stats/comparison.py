"""Comparing two assistants on the same tasks, and several comparisons at once."""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping, Sequence
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from supermarket_env.stats.bootstrap import RESAMPLES, SEED, bootstrap_ci
from supermarket_env.stats.tables import finite_values

EXACT_UP_TO: Final = 20
"""Number of differences up to which all sign vectors are enumerated (about a million)."""

MONTE_CARLO: Final = 100_000

_EQUAL = 1e-12
"""Relative slack in comparing sums that are equal on paper."""


class PairedDifference(NamedTuple):
    """Mean difference x - y over tasks with its bootstrap interval and sign-flip p; None without pairs."""

    mean: float | None
    low: float | None
    high: float | None
    p: float | None
    n: int


def mcnemar_exact(b: int, c: int) -> float:
    """Return the exact two-sided p of McNemar's test.

    Args:
        b: Pairs in which only the first succeeded.
        c: Pairs in which only the second succeeded.

    Returns:
        p in (0, 1]; 1 when no pair differs.

    Raises:
        ValueError: If a count is negative or no whole number.

    >>> mcnemar_exact(10, 3)
    0.09228515625
    """
    if int(b) != b or int(c) != c or b < 0 or c < 0:
        raise ValueError(f"expected counts of 0 or more, got {b!r} and {c!r}")
    total = int(b) + int(c)
    tail = sum(math.comb(total, i) for i in range(min(int(b), int(c)) + 1))
    return min(1.0, tail / 2 ** (total - 1)) if total else 1.0


def sign_flip_test(
    differences: Sequence[float] | npt.NDArray[Any], *, draws: int = MONTE_CARLO, seed: int = SEED
) -> float | None:
    """Return the two-sided p of the mean difference under random signs.

    Args:
        differences: One difference per task.
        draws: Random sign vectors used when there are more than 20 differences; fewer are enumerated.
        seed: Seed of the generator, used for this call alone.

    Returns:
        p in (0, 1]: the share of sign vectors with a sum at least as far from 0; None for no differences.

    Raises:
        ValueError: If a difference is not finite.

    >>> sign_flip_test([1.0, 2.0, 3.0])
    0.25
    """
    values = np.asarray(differences, dtype=np.float64)
    if not np.isfinite(values).all():
        raise ValueError("expected finite differences")
    if not len(values):
        return None
    observed = abs(math.fsum(values.tolist()))
    limit = observed - _EQUAL * float(np.abs(values).sum())
    if len(values) <= EXACT_UP_TO:
        sums = np.zeros(1)
        for value in values:
            sums = np.concatenate([sums + value, sums - value])
        return float(np.count_nonzero(np.abs(sums) >= limit)) / len(sums)
    generator = np.random.default_rng(seed)
    extreme, left = 0, draws
    while left:
        block = min(left, 10_000)
        signs = generator.integers(0, 2, size=(block, len(values))) * 2.0 - 1.0
        # Row sums, not a matrix product: their order does not depend on the number of threads.
        extreme += int(np.count_nonzero(np.abs((signs * values).sum(axis=1)) >= limit))
        left -= block
    return (1 + extreme) / (1 + draws)


def holm(p_values: Sequence[float]) -> list[float]:
    """Return Holm's adjusted p values, in the order given.

    Raises:
        ValueError: If a value is not in [0, 1].

    >>> [round(p, 6) for p in holm([0.01, 0.04, 0.03, 0.005])]
    [0.03, 0.06, 0.06, 0.02]
    """
    for p in p_values:
        if not 0.0 <= p <= 1.0:
            raise ValueError(f"expected p values in [0, 1], got {p!r}")
    order = sorted(range(len(p_values)), key=lambda i: p_values[i])
    adjusted = [0.0] * len(p_values)
    highest = 0.0
    for rank, position in enumerate(order):
        highest = max(highest, min(1.0, (len(p_values) - rank) * p_values[position]))
        adjusted[position] = highest
    return adjusted


def benjamini_hochberg(p_values: Sequence[float]) -> list[float]:
    """Return Benjamini and Hochberg's adjusted p values (false discovery rate), in the order given.

    For exploring only; a family declared beforehand is adjusted with :func:`holm`.

    Raises:
        ValueError: If a value is not in [0, 1].

    >>> [round(p, 6) for p in benjamini_hochberg([0.01, 0.04, 0.03, 0.005])]
    [0.02, 0.04, 0.04, 0.02]
    """
    for p in p_values:
        if not 0.0 <= p <= 1.0:
            raise ValueError(f"expected p values in [0, 1], got {p!r}")
    order = sorted(range(len(p_values)), key=lambda i: p_values[i], reverse=True)
    adjusted = [0.0] * len(p_values)
    lowest = 1.0
    for place, position in enumerate(order):
        lowest = min(lowest, p_values[position] * len(p_values) / (len(p_values) - place))
        adjusted[position] = lowest
    return adjusted


def probability_of_improvement(x: Any, y: Any) -> float | None:
    """Return P(X > Y), ties counting one half.

    Args:
        x: Scores (runs,) or (runs, tasks).
        y: Scores of the other, (runs,) or (runs, tasks) with the same tasks; the number of runs may differ.

    Returns:
        The share of pairs of runs, per task and then averaged over tasks; None when a side is empty.

    Raises:
        ValueError: If the shapes do not fit, or a score is missing or infinite.

    >>> probability_of_improvement([3, 2, 1], [1, 2, 1])
    0.7222222222222222
    """
    first, second = finite_values(x), finite_values(y)
    if first.ndim != second.ndim or first.ndim not in (1, 2) or first.shape[1:] != second.shape[1:]:
        raise ValueError(f"expected (runs,) or (runs, tasks) with equal tasks, got {first.shape} and {second.shape}")
    if not first.size or not second.size:
        return None
    above = np.sign(first[:, None] - second[None, :])
    return float(np.mean((above + 1) / 2))


def paired_difference(
    x: Mapping[Any, float] | Sequence[float],
    y: Mapping[Any, float] | Sequence[float],
    *,
    tasks: Sequence[Hashable] | None = None,
    strata: Sequence[Hashable] | None = None,
    level: float = 0.95,
    resamples: int = RESAMPLES,
    seed: int = SEED,
) -> PairedDifference:
    """Compare two assistants by the mean over tasks of x - y.

    Args:
        x: Values by task (or any pair key), or a sequence in task order.
        y: The same for the other; only keys present in both count.
        tasks: Task of each pair, when several pairs (trials) belong to a task: they are averaged within it first.
            Only for sequences.
        strata: Stratum of each pair, for sequences.
        level: Level of the interval.
        resamples: Bootstrap resamples of tasks.
        seed: Seed of both resampling steps.

    Returns:
        Mean, interval, sign-flip p and the number of tasks; None fields without pairs.

    Raises:
        ValueError: If sequences differ in length, or a mapping is paired with a sequence.
    """
    if isinstance(x, Mapping) and isinstance(y, Mapping):
        keys = sorted(x.keys() & y.keys(), key=repr)
        differences = [x[key] - y[key] for key in keys]
    elif isinstance(x, Mapping) or isinstance(y, Mapping):
        raise ValueError("expected two mappings or two sequences")
    else:
        differences = [a - b for a, b in zip(x, y, strict=True)]
    parts: dict[Hashable, list[float]] = {}
    homes: dict[Hashable, Hashable] = {}
    for position, difference in enumerate(differences):
        task = position if tasks is None else tasks[position]
        parts.setdefault(task, []).append(difference)
        homes.setdefault(task, None if strata is None else strata[position])
    means = [math.fsum(part) / len(part) for part in parts.values()]
    if not means:
        return PairedDifference(None, None, None, None, 0)
    interval = bootstrap_ci(means, strata=list(homes.values()), level=level, resamples=resamples, seed=seed)
    low, high = (None, None) if interval is None else interval
    return PairedDifference(math.fsum(means) / len(means), low, high, sign_flip_test(means, seed=seed), len(means))
