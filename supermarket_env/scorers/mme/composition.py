"""Correlation re-scaling (CRS): from correlations on rated replies to weights, and from weights to one score.

For dataset i, quality j and sub-metric k, with S the rank correlation of sub-metric and people::

    w_ijk = S_ijk^d / sum over k' of S_ijk'^d          w_jk = mean of w_ijk over the datasets that rate j
    score_j(reply) = sum over k of w_jk * m_k(reply)
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, Literal

import numpy as np

from supermarket_env.errors import ConfigError, unknown_name

Negatives = Literal["clip", "literal", "signed"]
NEGATIVES: Final = ("clip", "literal", "signed")
LEAST_ROWS: Final = 30
"""Fewer rated replies than this are refused."""
FEW_ROWS: Final = 100
"""Fewer than this are warned of: a correlation of 0.1 is noise then."""
HIGHEST_POWER: Final = 10


def crs_weights(
    correlations: Sequence[float | None], power: float = 2, negatives: Negatives = "clip"
) -> tuple[float, ...]:
    """Return the weights that correlations give; they sum to 1 (``signed``: their sizes do).

    Args:
        correlations: One a sub-metric, -1 to 1; None (not defined) counts as 0.
        power: The exponent d; a whole number for ``literal`` when a correlation is negative.
        negatives: What a negative correlation becomes: ``clip`` 0; ``literal`` its power, positive for an even one;
            ``signed`` its power with the sign kept.

    Returns:
        The weights in the same order; all equal when nothing is left above zero. Empty for an empty list.

    Raises:
        ConfigError: For an unknown way with negatives, a power that is not above 0, or a correlation outside -1 to 1.

    >>> [round(weight, 2) for weight in crs_weights([0.3, 0.4, 0.0])]
    [0.36, 0.64, 0.0]
    >>> crs_weights([0.4, -0.2, 0.2])
    (0.8, 0.0, 0.2)
    """
    if negatives not in NEGATIVES:
        raise ConfigError(unknown_name("way with negatives", negatives, NEGATIVES))
    if not (np.isfinite(power) and power > 0):
        raise ConfigError(f"power: expected a number above 0, got {power!r}")
    given = [0.0 if value is None or np.isnan(value) else float(value) for value in correlations]
    for value in given:
        if not -1.000001 <= value <= 1.000001:
            raise ConfigError(f"correlation: expected -1 to 1, got {value!r}")
    if negatives == "clip":
        raised = [max(value, 0.0) ** power for value in given]
    elif negatives == "literal":
        if min(given, default=0.0) < 0 and power != int(power):
            raise ConfigError(f"power: literal negatives need a whole number, got {power!r}")
        whole = int(power) if power == int(power) else power
        raised = [float(value**whole) for value in given]
    else:
        raised = [float(np.sign(value)) * abs(value) ** power for value in given]
    total = sum(abs(value) for value in raised) if negatives == "signed" else sum(raised)
    if not total > 0:
        return tuple(1 / len(given) for _ in given)
    return tuple(value / total for value in raised)


def is_informative(correlations: Sequence[float | None]) -> bool:
    """Return whether any correlation is above zero; without one the weights are uniform and mean nothing."""
    return any(value is not None and value > 0 for value in correlations)


def crs_power(correlations: Sequence[float | None], target: float = 1 / 3) -> int:
    """Return the smallest whole power, at most 10, whose largest (clipped) weight reaches the target.

    >>> crs_power([0.3, 0.4, 0.0])
    1
    """
    for power in range(1, HIGHEST_POWER):
        if max(crs_weights(correlations, power), default=1.0) >= target:
            return power
    return HIGHEST_POWER


def crs_average(
    datasets: Mapping[str, Mapping[str, Sequence[float | None]]], power: float = 2, negatives: Negatives = "clip"
) -> dict[str, tuple[float, ...]]:
    """Return the weights of each quality, averaged over the datasets that rate it.

    Args:
        datasets: Correlations by dataset and quality, the sub-metrics always in the same order.
        power: As in :func:`crs_weights`.
        negatives: As in :func:`crs_weights`.

    Returns:
        Weights by quality, in order of first appearance; empty without datasets.

    Raises:
        ConfigError: When two datasets have different numbers of sub-metrics for a quality.
    """
    collected: dict[str, list[tuple[float, ...]]] = {}
    for name, qualities in datasets.items():
        for quality, correlations in qualities.items():
            rows = collected.setdefault(quality, [])
            if rows and len(rows[0]) != len(correlations):
                raise ConfigError(
                    f"dataset {name!r}, quality {quality!r}: expected {len(rows[0])} correlations, "
                    f"got {len(correlations)}"
                )
            rows.append(crs_weights(correlations, power, negatives))
    return {
        quality: tuple(sum(column) / len(rows) for column in zip(*rows, strict=True))
        for quality, rows in collected.items()
    }


def composite(values: Sequence[float | None], weights: Sequence[float]) -> float | None:
    """Return the weighted score of one reply.

    Args:
        values: One a sub-metric; None is left out and the other weights are scaled up to make up for it.
        weights: As many, summing to 1 (in size).

    Returns:
        The score, None when every sub-metric with a weight is missing.

    Raises:
        ConfigError: When the lengths differ.

    >>> composite([0.5, None], [0.25, 0.75])
    0.5
    """
    if len(values) != len(weights):
        raise ConfigError(f"expected {len(weights)} values, one a weight, got {len(values)}")
    kept = [(value, weight) for value, weight in zip(values, weights, strict=True) if value is not None]
    if len(kept) == len(values):
        return float(sum(value * weight for value, weight in kept))
    whole, left = sum(abs(weight) for weight in weights), sum(abs(weight) for _, weight in kept)
    if not left > 0:
        return None
    return float(sum(value * weight for value, weight in kept) * whole / left)
