"""From counts to grades 1..5."""

from __future__ import annotations

from collections.abc import Sequence


def by_share(share: float, cuts: Sequence[float]) -> int:
    """Return 1 plus the number of cuts a share reaches.

    Args:
        share: From 0 (worst) to 1 (best).
        cuts: Four ascending shares: from which on it is a 2, 3, 4, 5.

    >>> [by_share(x, (0.2, 0.4, 0.6, 0.8)) for x in (0.0, 0.2, 0.79, 1.0)]
    [1, 2, 4, 5]
    """
    return 1 + sum(share >= cut for cut in cuts)


def at_least_one(grade: int) -> int:
    """Return the grade within 1..5."""
    return max(1, min(5, grade))
