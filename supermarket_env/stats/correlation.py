"""Correlation between two evaluation conditions, and between rankings."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from typing import Any, Final, Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from supermarket_env.stats.tables import whole_table

Floats = npt.NDArray[np.float64]
Scores = Mapping[Any, float | None] | Sequence[float | None]

EXACT_UP_TO: Final = 8
"""Number of assistants up to which all orders are enumerated."""

FEW: Final = 5
"""Below this number of pairs a correlation says little; with two it is 1 or -1 by construction."""


class PairedCorrelation(NamedTuple):
    """Correlation over the assistants present in both conditions; None when undefined."""

    pearson: float | None
    spearman: float | None
    n: int


def _is_missing(value: float | None) -> bool:
    return value is None or math.isnan(value)


def _paired(x: Scores, y: Scores) -> tuple[Floats, Floats]:
    if isinstance(x, Mapping) and isinstance(y, Mapping):
        pairs = [(x[key], y.get(key)) for key in sorted(x, key=repr)]
    elif isinstance(x, Mapping) or isinstance(y, Mapping):
        raise ValueError("expected two mappings or two sequences")
    else:
        pairs = list(zip(x, y, strict=True))
    whole = [pair for pair in pairs if not _is_missing(pair[0]) and not _is_missing(pair[1])]
    table = np.array(whole, dtype=np.float64).reshape(-1, 2)
    if np.isinf(table).any():
        raise ValueError("expected finite numbers, None or NaN, got an infinite one")
    return table[:, 0], table[:, 1]


def unpaired_names(x: Mapping[Any, float | None], y: Mapping[Any, float | None]) -> list[Any]:
    """Return the names without a value in one of two conditions, sorted by ``repr``."""
    both = {key for key in x.keys() & y.keys() if not _is_missing(x[key]) and not _is_missing(y[key])}
    return sorted((x.keys() | y.keys()) - both, key=repr)


def mid_ranks(values: Floats) -> Floats:
    """Return ranks from 1, ties sharing the mean of their places.

    Args:
        values: Array (n,).
    """
    _, inverse, counts = np.unique(values, return_inverse=True, return_counts=True)
    ends = np.cumsum(counts)
    ranks: Floats = (ends - (counts - 1) / 2.0)[inverse]
    return ranks


def _pearson(x: Floats, y: Floats) -> float | None:
    if len(x) < 2 or np.ptp(x) == 0 or np.ptp(y) == 0:
        return None
    a, b = x - math.fsum(x) / len(x), y - math.fsum(y) / len(y)
    scale = math.sqrt(math.fsum(a * a) * math.fsum(b * b))
    return max(-1.0, min(1.0, math.fsum(a * b) / scale)) if scale else None


def paired_correlation(x: Scores, y: Scores) -> PairedCorrelation:
    """Return Pearson's r and Spearman's rho (mid-ranks) over the pairs.

    Args:
        x: Mean of each assistant in one condition, by name; or a sequence.
        y: The same in the other condition. Names (or places) without a value (None or NaN) in both are left out.

    Returns:
        Coefficients in [-1, 1], None with fewer than 2 pairs or without variance, and the number of pairs.

    Raises:
        ValueError: If sequences differ in length, a mapping is paired with a sequence, or a value is infinite.

    >>> paired_correlation([1, 2, 3], [1, 4, 9]).spearman
    1.0
    """
    first, second = _paired(x, y)
    return PairedCorrelation(_pearson(first, second), _pearson(mid_ranks(first), mid_ranks(second)), len(first))


def correlation_p(
    x: Scores,
    y: Scores,
    kind: Literal["pearson", "spearman"] = "pearson",
    *,
    draws: int = 10_000,
    seed: int = 0,
) -> float | None:
    """Return the two-sided permutation p of a correlation: all orders up to 8 pairs, random orders above.

    Args:
        x: As in :func:`paired_correlation`.
        y: As in :func:`paired_correlation`.
        kind: Which coefficient.
        draws: Random orders above 8 pairs.
        seed: Seed of the generator, used for this call alone.

    Returns:
        p in (0, 1]; None when the coefficient is undefined.
    """
    first, second = _paired(x, y)
    if kind == "spearman":
        first, second = mid_ranks(first), mid_ranks(second)
    observed = _pearson(first, second)
    if observed is None:
        return None
    a, b = first - first.mean(), second - second.mean()
    n = len(a)
    exact = n <= EXACT_UP_TO
    if exact:
        orders = np.array(list(itertools.permutations(range(n))))
    else:
        orders = np.random.default_rng(seed).permuted(np.tile(np.arange(n), (draws, 1)), axis=1)
    sums = np.abs((b[orders] * a).sum(axis=1))
    limit = abs(math.fsum(a * b)) - 1e-12 * float(np.abs(a).sum() * np.abs(b).max())
    extreme = int(np.count_nonzero(sums >= limit))
    return extreme / len(orders) if exact else (1 + extreme) / (1 + draws)


def kendall_tau_b(x: Sequence[float | None], y: Sequence[float | None]) -> float | None:
    """Return Kendall's tau-b of two equally long sequences; None with fewer than 2 pairs or without variance.

    Pairs with a gap (None or NaN) are left out.

    Raises:
        ValueError: If the lengths differ or a value is infinite.
    """
    first, second = _paired(x, y)
    if len(first) < 2 or np.ptp(first) == 0 or np.ptp(second) == 0:
        return None
    from scipy.stats import kendalltau

    return float(kendalltau(first, second, variant="b").statistic)


def kendall_w(ratings: Any) -> float | None:
    """Return Kendall's coefficient of concordance, corrected for ties.

    Args:
        ratings: Array (raters, items) without gaps.

    Returns:
        W in [0, 1]; None with fewer than 2 raters or items, or when every rater ties everything.

    Raises:
        ValueError: If the array has not two dimensions, or a rating is missing or infinite.
    """
    table = whole_table(ratings, "(raters, items)")
    raters, items = table.shape
    if raters < 2 or items < 2:
        return None
    ranks = np.stack([mid_ranks(row) for row in table])
    totals = ranks.sum(axis=0)
    spread = float(((totals - totals.mean()) ** 2).sum())
    ties = 0.0
    for row in table:
        counts = np.unique(row, return_counts=True)[1].astype(np.float64)
        ties += float((counts**3 - counts).sum())
    scale = raters**2 * (items**3 - items) - raters * ties
    return 12.0 * spread / scale if scale > 0 else None
