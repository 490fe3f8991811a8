"""The interval of a difference between two shares measured on the same tasks."""

from __future__ import annotations

import math

from supermarket_env.stats.interval import Interval, wilson_interval


def paired_share_interval(both: int, first: int, second: int, neither: int, level: float = 0.95) -> Interval | None:
    """Return Newcombe's interval (his method 10) of the paired difference of two shares, first minus second.

    It is built from the two Wilson intervals and the correlation of the pairs, so that unlike a bootstrap it keeps a
    width when no pair differs.

    Args:
        both: Pairs in which both succeeded.
        first: Pairs in which only the first succeeded.
        second: Pairs in which only the second succeeded.
        neither: Pairs in which both failed.
        level: Level in (0, 1).

    Returns:
        Bounds in [-1, 1]; None without pairs.

    Raises:
        ConfigError: If ``level`` is not in (0, 1).
        ValueError: If a count is negative.

    >>> low, high = paired_share_interval(36, 12, 2, 0)
    >>> round(low, 4), round(high, 4)
    (0.0569, 0.3404)
    """
    if min(both, first, second, neither) < 0:
        raise ValueError(f"expected counts of 0 or more, got {both}, {first}, {second}, {neither}")
    n = both + first + second + neither
    one, two = wilson_interval(both + first, n, level), wilson_interval(both + second, n, level)
    if one is None or two is None:
        return None
    p, q = (both + first) / n, (both + second) / n
    scale = math.sqrt((both + first) * (second + neither) * (both + second) * (first + neither))
    product = float(both * neither - first * second)
    if product > 0:
        product = max(0.0, product - n / 2)
    phi = product / scale if scale else 0.0
    below, above = p - one.low, one.high - p
    under, over = q - two.low, two.high - q
    down = math.sqrt(max(0.0, below**2 - 2 * phi * below * over + over**2))
    up = math.sqrt(max(0.0, above**2 - 2 * phi * above * under + under**2))
    return Interval(max(-1.0, p - q - down), min(1.0, p - q + up))
