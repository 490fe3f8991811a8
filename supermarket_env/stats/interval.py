"""Intervals and the Wilson score interval of a share."""

from __future__ import annotations

import math
from statistics import NormalDist
from typing import NamedTuple

from supermarket_env.errors import ConfigError


class Interval(NamedTuple):
    """Lower and upper bound."""

    low: float
    high: float


def check_level(level: float) -> float:
    """Return the level.

    Raises:
        ConfigError: If it is not strictly between 0 and 1.
    """
    if not 0.0 < level < 1.0:
        raise ConfigError(f"a confidence level must lie strictly between 0 and 1, got {level!r}")
    return level


def wilson_interval(k: float, n: float, level: float = 0.95) -> Interval | None:
    """Return the Wilson score interval of a share.

    Args:
        k: Successes, 0 .. n.
        n: Trials.
        level: Confidence level in (0, 1).

    Returns:
        Bounds in [0, 1]; None for n = 0.

    Raises:
        ConfigError: If ``level`` is not in (0, 1).
        ValueError: If k is not in 0 .. n.

    >>> low, high = wilson_interval(7, 10)
    >>> round(low, 6), round(high, 6)
    (0.396778, 0.892209)
    """
    check_level(level)
    if n < 0 or not 0 <= k <= n:
        raise ValueError(f"expected 0 <= k <= n, got k={k!r}, n={n!r}")
    if n == 0:
        return None
    z = NormalDist().inv_cdf((1 + level) / 2)
    share, spread = k / n, z * z / n
    centre = (share + spread / 2) / (1 + spread)
    half = z * math.sqrt(share * (1 - share) / n + spread / (4 * n)) / (1 + spread)
    return Interval(0.0 if k == 0 else max(0.0, centre - half), 1.0 if k == n else min(1.0, centre + half))
