"""Versions side by side on the items they share: changes with intervals, and the regression gate."""

from __future__ import annotations

import datetime
import itertools
from collections.abc import Sequence
from typing import Any, Final, NamedTuple

import numpy as np

from supermarket_env.errors import ConfigError
from supermarket_env.scorers.sie.build import CYCLE_DAYS, RETEST_HOURS
from supermarket_env.scorers.sie.dimensions import DIMENSIONS
from supermarket_env.scorers.sie.result import (
    RESAMPLES,
    ItemMeans,
    SieResult,
    item_matrix,
    percentile_bounds,
    resampled_means,
)
from supermarket_env.scorers.sie.symptoms import Symptom, trend_symptoms
from supermarket_env.scorers.sie.total import SLACK, dimension_means, sie_total

LARGEST_DROP: Final = 0.3
"""A paired drop above this blocks even where its interval is wide."""


class Change(NamedTuple):
    """Change of one figure from the old version to the new one, on common items."""

    old: float | None
    new: float | None
    delta: float | None
    low: float | None
    high: float | None
    n: int
    """Items with a grade in both."""


class Comparison(NamedTuple):
    """Two versions compared."""

    old: str
    new: str
    n_common: int
    dims: dict[str, Change]
    total: Change
    regressions: list[str]
    """Dimensions that fell: the interval of the change lies below 0, or the drop exceeds 0.3."""
    below_floor: list[str]
    """Dimensions of the new version below 2.8, over all its items."""
    verdict: str
    """``passes``, ``blocked`` or, without common items, ``not comparable``."""
    symptoms: list[Symptom]
    warnings: list[str]


def compare_items(
    old: ItemMeans, new: ItemMeans, weights: Any, *, seed: int = 0, resamples: int = RESAMPLES
) -> tuple[dict[str, Change], Change]:
    """Return the paired changes of the five dimensions and of the total.

    Args:
        old: Item means of the old version.
        new: Item means of the new version; only items of both count, in each dimension only those graded in both.
        weights: Weight set of both.
        seed: Seed of the bootstrap over items.
        resamples: Resamples.

    Returns:
        Changes new - old; None fields without common items. The total's change needs all five dimensions.
    """
    common = sorted(old.keys() & new.keys())
    both = {
        i: [name for name in DIMENSIONS if old[i].get(name) is not None and new[i].get(name) is not None]
        for i in common
    }
    first = {i: {name: old[i][name] for name in both[i]} for i in common}
    second = {i: {name: new[i][name] for name in both[i]} for i in common}
    means_old, means_new = dimension_means(first), dimension_means(second)
    total_old, total_new = sie_total(means_old, weights).total, sie_total(means_new, weights).total
    if not common:
        nothing = Change(None, None, None, None, None, 0)
        return dict.fromkeys(DIMENSIONS, nothing), nothing
    # The same resampled items on both sides: the counts depend on the number of items and the seed alone.
    draws = resampled_means(item_matrix(second), seed=seed, resamples=resamples) - resampled_means(
        item_matrix(first), seed=seed, resamples=resamples
    )
    dims = {}
    for place, name in enumerate(DIMENSIONS):
        n = sum(name in names for names in both.values())
        dims[name] = _change(means_old[name], means_new[name], draws[:, place], n)
    weighted = draws @ np.array([weights.weights[name] for name in DIMENSIONS])
    return dims, _change(total_old, total_new, weighted, len(common))


def _change(old: float | None, new: float | None, draws: np.ndarray[Any, np.dtype[np.float64]], n: int) -> Change:
    if old is None or new is None:
        return Change(old, new, None, None, None, n)
    low, high = percentile_bounds(draws) or (None, None)
    return Change(old, new, new - old, low, high, n)


def is_regression(change: Change) -> bool:
    """Return whether a dimension fell: its interval lies below 0, or the drop exceeds 0.3.

    >>> is_regression(Change(3.9, 3.0, -0.9, -1.3, -0.5, 40)), is_regression(Change(3.9, 3.7, -0.2, -0.5, 0.1, 40))
    (True, False)
    """
    if change.delta is None:
        return False
    return change.delta < -LARGEST_DROP - SLACK or (change.high is not None and change.high < 0)


def compare_results(
    results: Sequence[SieResult], *, accuracy_change: float | None = None, is_retest: bool = False
) -> list[Comparison]:
    """Compare each version with the one before it.

    Args:
        results: Two or more results, oldest first.
        accuracy_change: Change of the share of right answers between the last two, in percentage points.
        is_retest: Whether the last one re-tests a change of the prompt, which may come sooner than a cycle.

    Returns:
        One comparison for each neighbouring pair.

    Raises:
        ConfigError: With fewer than two results, or different weight sets or anchors: such totals are not compared.
    """
    if len(results) < 2:
        raise ConfigError(f"expected two results or more to compare, got {len(results)}")
    first = results[0]
    for other in results[1:]:
        if other.weights != first.weights:
            labels = f"{first.weights.label} and {other.weights.label}"
            raise ConfigError(f"totals under different weight sets are never compared: {labels}")
        if other.anchors != first.anchors:
            raise ConfigError(f"grades under different anchors are not compared: {first.anchors} and {other.anchors}")
    found = []
    totals: list[float | None] = [first.overall.total]
    for old, new in itertools.pairwise(results):
        totals.append(new.overall.total)
        is_last = new is results[-1]
        dims, total = compare_items(old.items, new.items, first.weights)
        regressions = [name for name in DIMENSIONS if is_regression(dims[name])]
        below = list(new.below_floor)
        found.append(
            Comparison(
                old.system,
                new.system,
                len(old.items.keys() & new.items.keys()),
                dims,
                total,
                regressions,
                below,
                _verdict(regressions, below, old, new),
                trend_symptoms(totals, total_change=total.delta, accuracy_change=accuracy_change if is_last else None),
                _warnings(old, new, is_retest=is_retest and is_last),
            )
        )
    return found


def _verdict(regressions: list[str], below: list[str], old: SieResult, new: SieResult) -> str:
    if regressions or below:
        return "blocked"
    return "passes" if old.items.keys() & new.items.keys() else "not comparable"


def _warnings(old: SieResult, new: SieResult, *, is_retest: bool) -> list[str]:
    found = []
    common = len(old.items.keys() & new.items.keys())
    if not common:
        found.append("no common items: nothing can be compared; rate the same items again")
    elif common < min(len(old.items), len(new.items)):
        found.append(f"compared on the {common} common items only")
    found += [f"{one.system} is not for publication" for one in (old, new) if one.publication == "no"]
    if old.date and new.date:
        days = (datetime.date.fromisoformat(new.date) - datetime.date.fromisoformat(old.date)).days
        if is_retest and days * 24 > RETEST_HOURS:
            found.append(f"{days} days between: a change of the prompt is re-tested within {RETEST_HOURS} hours")
        if not is_retest and days < CYCLE_DAYS:
            found.append(f"{days} days between the cycles: expected at least {CYCLE_DAYS}")
    return found
