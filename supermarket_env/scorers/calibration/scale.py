"""Scores of different scales brought to 1..5."""

from __future__ import annotations

import math
from typing import Final, Literal

LOWEST: Final = 1.0
HIGHEST: Final = 5.0


def rescale(score: float, lo: float, hi: float, how: Literal["affine", "proportional"] = "affine") -> float:
    """Return a score of a scale lo..hi on the scale 1..5.

    Affine keeps the worst at 1 and the best at 5; proportional (``score * 5 / hi``) makes the worst of a 3-point
    scale 1.67 and is there for comparison only.

    Args:
        score: The score; it should lie within lo..hi.
        lo: Lowest score of its scale.
        hi: Highest score of its scale.
        how: Which of the two.

    Raises:
        ValueError: If ``lo < hi`` does not hold, or the score lies outside.

    >>> rescale(2, 1, 3), rescale(1, 0, 2)
    (3.0, 3.0)
    """
    if not lo < hi:
        raise ValueError(f"expected a scale with lo < hi, got {lo!r}..{hi!r}")
    if not lo <= score <= hi:
        raise ValueError(f"expected a score from {lo!r} to {hi!r}, got {score!r}")
    if how == "proportional":
        return score * HIGHEST / hi
    return LOWEST + (score - lo) * (HIGHEST - LOWEST) / (hi - lo)


def clamp(score: float) -> float:
    """Return the score within 1..5.

    >>> clamp(5.4), clamp(0.2)
    (5.0, 1.0)
    """
    return min(HIGHEST, max(LOWEST, score))


def mean(values: list[float]) -> float:
    """Return the exact mean of at least one number."""
    return math.fsum(values) / len(values)
