"""From single ratings to dimension means, the weighted total and the floor."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from supermarket_env.errors import ConfigError, unknown_name
from supermarket_env.scorers.sie.dimensions import DIMENSIONS, FLOOR
from supermarket_env.scorers.sie.weights import STANDARD, WeightSet, check_weights

SLACK = 1e-9
"""A mean that equals the floor on paper may fall short of it by this much in floating point."""

Ratings = Mapping[str, Mapping[str, Mapping[str, float | None]]]
"""item -> rater -> dimension -> grade; absent or None where a rater gave none or the dimension does not apply."""


class Total(NamedTuple):
    """The weighted total and the dimensions below the floor."""

    total: float | None
    """None when a dimension has no mean: a report with four dimensions is incomplete."""
    below_floor: list[str]
    """Dimensions to mend first, in the order of the tables."""


def sie_total(
    dimension_means: Mapping[str, float | None], weights: WeightSet | Mapping[str, float] | None = None
) -> Total:
    """Return the weighted total of five dimension means, and the dimensions below 2.8.

    Args:
        dimension_means: Unrounded mean in [1, 5] by dimension; None or absent when there is none.
        weights: A weight set, or bare weights (which no report accepts, as they have no name); default the standard.

    Raises:
        ConfigError: If a dimension is unknown or the weights are no weights.
        ValueError: If a mean is not in [1, 5].

    >>> sie_total({"relevance": 4, "empathy": 3.1, "naturalness": 3.8, "proactiveness": 2.7, "consistency": 3.6})
    Total(total=3.48, below_floor=['proactiveness'])
    """
    if weights is None:
        weights = STANDARD
    bare = weights.weights if isinstance(weights, WeightSet) else weights
    check_weights(bare)
    for name, mean in dimension_means.items():
        if name not in DIMENSIONS:
            raise ConfigError(unknown_name("dimension", str(name), DIMENSIONS))
        if mean is not None and not 1.0 - SLACK <= mean <= 5.0 + SLACK:
            raise ValueError(f"expected a mean of {name} in [1, 5], got {mean!r}")
    known = [(name, mean) for name in DIMENSIONS if (mean := dimension_means.get(name)) is not None]
    total = math.fsum(bare[name] * mean for name, mean in known) if len(known) == len(DIMENSIONS) else None
    return Total(total, [name for name, mean in known if mean < FLOOR - SLACK])


def mean_or_none(values: Sequence[float]) -> float | None:
    """Return the mean, None for no values."""
    return math.fsum(values) / len(values) if values else None


def item_means(ratings: Ratings) -> dict[str, dict[str, float | None]]:
    """Return each item's mean over its raters, by dimension; None where nobody rated.

    Args:
        ratings: item -> rater -> dimension -> grade.
    """
    return {
        item: {
            name: mean_or_none([grade for row in raters.values() if (grade := row.get(name)) is not None])
            for name in DIMENSIONS
        }
        for item, raters in ratings.items()
    }


def dimension_means(items: Mapping[str, Mapping[str, float | None]]) -> dict[str, float | None]:
    """Return the mean of each dimension over the items that have one; None where none has.

    Args:
        items: Item means from :func:`item_means`; may be empty.
    """
    return {
        name: mean_or_none([mean for row in items.values() if (mean := row.get(name)) is not None])
        for name in DIMENSIONS
    }
