"""How sure a band is, and the better practice with many labels: the prediction-powered estimate."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from supermarket_env.scorers.calibration.core import GOOD_SAMPLE, Calibration
from supermarket_env.stats import Interval, bootstrap_ci


def band_interval(
    calibration: Calibration, *, level: float = 0.95, resamples: int = 10_000, seed: int = 0
) -> Interval | None:
    """Return a bootstrap interval of the mean difference over the labelled evaluations.

    Args:
        calibration: The calibration; its differences are resampled.
        level: Share of the resamples between the bounds.
        resamples: Number of resamples.
        seed: Seed of the resamples.

    Returns:
        The interval; None without a band. A band whose interval covers 0 is not established.
    """
    if calibration.band is None or not calibration.deltas:
        return None
    return bootstrap_ci(list(calibration.deltas), level=level, resamples=resamples, seed=seed)


class PredictionPowered(NamedTuple):
    """A mean human score estimated from all automatic scores and some labels."""

    estimate: float
    low: float
    high: float
    n_auto: int
    n_labelled: int
    is_advised: bool
    """Whether there are enough labels to prefer it."""


def prediction_powered_mean(
    autos: Sequence[float], deltas: Sequence[float], *, level: float = 0.95
) -> PredictionPowered | None:
    """Return mean(auto over all) + mean(human - auto over a random labelled sample), with a normal interval.

    Args:
        autos: Automatic scores of all evaluations.
        deltas: Differences of the labelled ones; they must be a random sample of the same evaluations.
        level: Level of the interval, in (0, 1).

    Returns:
        The estimate; None with fewer than 2 scores or 2 labels.

    Raises:
        ValueError: If ``level`` is not in (0, 1).
    """
    from statistics import NormalDist

    if not 0.0 < level < 1.0:
        raise ValueError(f"expected a level between 0 and 1, got {level!r}")
    if len(autos) < 2 or len(deltas) < 2:
        return None
    centre = math.fsum(autos) / len(autos) + math.fsum(deltas) / len(deltas)
    half = NormalDist().inv_cdf(0.5 + level / 2) * math.sqrt(_variance_of_mean(autos) + _variance_of_mean(deltas))
    return PredictionPowered(
        centre, centre - half, centre + half, len(autos), len(deltas), is_advised=len(deltas) >= GOOD_SAMPLE
    )


def _variance_of_mean(values: Sequence[float]) -> float:
    centre = math.fsum(values) / len(values)
    return math.fsum((v - centre) ** 2 for v in values) / (len(values) - 1) / len(values)
