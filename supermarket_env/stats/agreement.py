"""Agreement between raters, and the position bias of a judge."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from supermarket_env.errors import ConfigError, unknown_name
from supermarket_env.stats.comparison import mcnemar_exact
from supermarket_env.stats.interval import Interval, check_level
from supermarket_env.stats.tables import finite_values, whole_table

Floats = npt.NDArray[np.float64]

LEVELS: Final = ("nominal", "ordinal", "interval")
ICC_KINDS: Final = ("1,1", "A,1", "C,1", "1,k", "A,k", "C,k")


def quadratic_weighted_kappa(table: Any) -> float | None:
    """Return the quadratically weighted kappa of two raters.

    Args:
        table: Square array of counts: first rater's grade in rows, second's in columns, grades in order.

    Returns:
        Kappa in [-1, 1]; None without ratings or without any expected disagreement.

    Raises:
        ValueError: If the table is not square, or a count is negative, missing or infinite.
    """
    counts = finite_values(table)
    if counts.ndim != 2 or counts.shape[0] != counts.shape[1] or (counts < 0).any():
        raise ValueError(f"expected a square table of counts, got shape {counts.shape}")
    total = float(counts.sum())
    if total == 0:
        return None
    grades = np.arange(len(counts))
    weights = (grades[:, None] - grades[None, :]) ** 2
    expected = np.outer(counts.sum(axis=1), counts.sum(axis=0)) / total
    scale = float((weights * expected).sum())
    return 1.0 - float((weights * counts).sum()) / scale if scale > 0 else None


def krippendorff_alpha(data: Any, level: str = "ordinal") -> float | None:
    """Return Krippendorff's alpha for any number of raters with gaps.

    Args:
        data: Raters x items, None (or NaN) where a rater did not rate; numbers.
        level: ``nominal``, ``ordinal`` or ``interval``.

    Returns:
        Alpha, 1 for perfect agreement; None when no item has two ratings or all ratings are equal.

    Raises:
        ConfigError: If the level is unknown.
        ValueError: If the array has not two dimensions, or a rating is infinite.
    """
    if level not in LEVELS:
        raise ConfigError(unknown_name("level", level, LEVELS))
    table = np.array([[np.nan if v is None else v for v in row] for row in data], dtype=np.float64)
    if table.ndim != 2 or np.isinf(table).any():
        raise ValueError(f"expected an array (raters, items) of finite numbers and gaps, got shape {table.shape}")
    grades = np.unique(table[~np.isnan(table)])
    counts = (table[:, :, None] == grades).sum(axis=0).astype(np.float64)
    counts = counts[counts.sum(axis=1) >= 2]
    if not len(counts):
        return None
    per_item = counts.sum(axis=1)
    pairs = (counts[:, :, None] * counts[:, None, :] - counts[:, :, None] * np.eye(len(grades))) / (
        per_item[:, None, None] - 1
    )
    coincidence = pairs.sum(axis=0)
    totals = coincidence.sum(axis=1)
    distance = _distances(grades, totals, level)
    observed = float((coincidence * distance).sum())
    expected = float((np.outer(totals, totals) * distance).sum()) / (float(totals.sum()) - 1)
    return 1.0 - observed / expected if expected > 0 else None


def alpha_interval(
    data: Any, level: str = "ordinal", *, confidence: float = 0.95, resamples: int = 1000, seed: int = 0
) -> Interval | None:
    """Return a percentile bootstrap interval of Krippendorff's alpha, items resampled.

    Args:
        data: As in :func:`krippendorff_alpha`.
        level: As there.
        confidence: Share of the resamples between the bounds.
        resamples: Number of resamples; those with undefined alpha are left out.
        seed: Seed of the generator, used for this call alone.

    Returns:
        The bounds; None when no resample has an alpha.

    Raises:
        ConfigError: If the level or the confidence is none.
        ValueError: If the array has not two dimensions.
    """
    check_level(confidence)
    krippendorff_alpha(data, level)
    table = np.array([[np.nan if v is None else v for v in row] for row in data], dtype=np.float64)
    generator = np.random.default_rng(seed)
    n = table.shape[1]
    drawn = [krippendorff_alpha(table[:, generator.integers(0, n, n)], level) for _ in range(resamples if n else 0)]
    alphas = [alpha for alpha in drawn if alpha is not None]
    if not alphas:
        return None
    low, high = np.quantile(alphas, [(1 - confidence) / 2, (1 + confidence) / 2])
    return Interval(float(low), float(high))


def _distances(grades: Floats, totals: Floats, level: str) -> Floats:
    if level == "nominal":
        return 1.0 - np.eye(len(grades))
    if level == "interval":
        return (grades[:, None] - grades[None, :]) ** 2
    # Ordinal: how many ratings lie between two grades, their own halves included.
    middle = np.cumsum(totals) - totals / 2.0
    return (middle[:, None] - middle[None, :]) ** 2


def icc(ratings: Any, kind: str = "A,k") -> float | None:
    """Return an intraclass correlation.

    Args:
        ratings: Array (items, raters) without gaps.
        kind: ``1`` one-way, ``A`` absolute agreement, ``C`` consistency (both two-way); ``,1`` single ratings, ``,k``
            their mean.

    Returns:
        The coefficient; None with fewer than 2 items or raters, or without any variance.

    Raises:
        ConfigError: If the kind is unknown.
        ValueError: If the array has not two dimensions, or a rating is missing or infinite.
    """
    if kind not in ICC_KINDS:
        raise ConfigError(unknown_name("kind", kind, ICC_KINDS))
    table = whole_table(ratings, "(items, raters)")
    n, k = table.shape
    if n < 2 or k < 2:
        return None
    mean = table.mean()
    between = k * float(((table.mean(axis=1) - mean) ** 2).sum()) / (n - 1)
    raters_sum = n * float(((table.mean(axis=0) - mean) ** 2).sum())
    raters = raters_sum / (k - 1)
    within_sum = float(((table - table.mean(axis=1, keepdims=True)) ** 2).sum())
    within = within_sum / (n * (k - 1))
    error = (within_sum - raters_sum) / ((n - 1) * (k - 1))
    tops: dict[str, Callable[[], tuple[float, float]]] = {
        "1,1": lambda: (between - within, between + (k - 1) * within),
        "A,1": lambda: (between - error, between + (k - 1) * error + k * (raters - error) / n),
        "C,1": lambda: (between - error, between + (k - 1) * error),
        "1,k": lambda: (between - within, between),
        "A,k": lambda: (between - error, between + (raters - error) / n),
        "C,k": lambda: (between - error, between),
    }
    top, bottom = tops[kind]()
    return top / bottom if bottom > 0 else None


class PositionBias(NamedTuple):
    """How a judge's verdicts depend on the order in which two systems are shown."""

    consistency: float | None
    """Share of pairs with the same verdict in both orders."""
    first: int
    """Pairs in which the system shown first won both times."""
    second: int
    """Pairs in which the system shown second won both times."""
    p: float | None
    """Exact two-sided binomial p of first against second among the flips."""


def position_bias(rows: Sequence[Sequence[str]]) -> PositionBias:
    """Compare a judge's verdicts over both orders of each pair.

    Args:
        rows: For each pair (verdict with A shown first, verdict with B shown first), each ``"A"``, ``"B"`` or
            ``"tie"``: the verdict names the system, not the place.

    Returns:
        Consistency and flips; None fields without pairs or without flips.

    Raises:
        ConfigError: If a verdict is unknown.

    >>> position_bias([("A", "A"), ("A", "B"), ("B", "B"), ("B", "A")])
    PositionBias(consistency=0.5, first=1, second=1, p=1.0)
    """
    valid = ("A", "B", "tie")
    first = second = same = 0
    for row in rows:
        one, other = row
        for verdict in (one, other):
            if verdict not in valid:
                raise ConfigError(unknown_name("verdict", str(verdict), valid))
        same += one == other
        first += (one, other) == ("A", "B")
        second += (one, other) == ("B", "A")
    p = mcnemar_exact(first, second) if first + second else None
    return PositionBias(same / len(rows) if rows else None, first, second, p)
