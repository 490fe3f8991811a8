"""How many tasks a comparison needs, and how small a difference a suite can show."""

from __future__ import annotations

import math
from statistics import NormalDist

ALPHA = 0.05
POWER = 0.8


def _quantiles(alpha: float, power: float) -> tuple[float, float]:
    if not 0 < alpha < 1 or not 0 < power < 1:
        raise ValueError(f"expected alpha and power strictly between 0 and 1, got {alpha!r} and {power!r}")
    normal = NormalDist()
    return normal.inv_cdf(1 - alpha / 2), normal.inv_cdf(power)


def detectable_difference(sd: float, n: int, *, alpha: float = ALPHA, power: float = POWER) -> float | None:
    """Return the mean paired difference a two-sided test finds with the given power.

    Args:
        sd: Standard deviation of the differences over tasks, 0 or more.
        n: Number of tasks.
        alpha: Level of the test, in (0, 1).
        power: Wanted power, in (0, 1).

    Returns:
        The difference in the unit of ``sd`` (normal approximation); None with fewer than 2 tasks.

    Raises:
        ValueError: If an argument is out of range.

    >>> round(detectable_difference(0.4, 100), 4)
    0.1121
    """
    if not sd >= 0:
        raise ValueError(f"expected a standard deviation of 0 or more, got {sd!r}")
    a, b = _quantiles(alpha, power)
    return (a + b) * sd / math.sqrt(n) if n >= 2 else None


def tasks_needed(sd: float, delta: float, *, alpha: float = ALPHA, power: float = POWER) -> int:
    """Return the number of tasks at which a mean paired difference ``delta`` is found with the given power.

    Arguments as in :func:`detectable_difference`; ``delta`` is in the unit of ``sd`` and not 0.

    Raises:
        ValueError: If an argument is out of range.

    >>> tasks_needed(0.4, 0.05)
    503
    """
    if not sd >= 0 or not delta:
        raise ValueError(f"expected a standard deviation of 0 or more and a difference, got {sd!r} and {delta!r}")
    a, b = _quantiles(alpha, power)
    return max(2, math.ceil(((a + b) * sd / abs(delta)) ** 2 - 1e-9))


def pairs_needed(discordance: float, delta: float, *, alpha: float = ALPHA, power: float = POWER) -> int:
    """Return the number of pairs McNemar's test needs for a difference of two shares.

    Args:
        discordance: Share of the pairs in which exactly one succeeds, in [|delta|, 1].
        delta: Difference of the shares, not 0.
        alpha: Level of the test, in (0, 1).
        power: Wanted power, in (0, 1).

    Raises:
        ValueError: If an argument is out of range.

    >>> pairs_needed(0.2, 0.05), pairs_needed(0.2, 0.1)
    (626, 155)
    """
    if not delta or not abs(delta) <= discordance <= 1:
        raise ValueError(f"expected 0 < |difference| <= discordance <= 1, got {delta!r} and {discordance!r}")
    a, b = _quantiles(alpha, power)
    root = a * math.sqrt(discordance) + b * math.sqrt(discordance - delta * delta)
    return math.ceil((root / delta) ** 2 - 1e-9)


def arms_needed(first: float, second: float, *, alpha: float = ALPHA, power: float = POWER) -> int:
    """Return the number of episodes each of two unpaired arms needs to tell two shares apart.

    Args:
        first: One share, in [0, 1].
        second: The other, a different one.
        alpha: Level of the test, in (0, 1).
        power: Wanted power, in (0, 1).

    Raises:
        ValueError: If an argument is out of range.

    >>> arms_needed(0.5, 0.55), arms_needed(0.5, 0.6)
    (1565, 388)
    """
    if not (0 <= first <= 1 and 0 <= second <= 1) or first == second:
        raise ValueError(f"expected two different shares in [0, 1], got {first!r} and {second!r}")
    a, b = _quantiles(alpha, power)
    middle = (first + second) / 2
    own = first * (1 - first) + second * (1 - second)
    root = a * math.sqrt(2 * middle * (1 - middle)) + b * math.sqrt(own)
    return math.ceil((root / (first - second)) ** 2 - 1e-9)
