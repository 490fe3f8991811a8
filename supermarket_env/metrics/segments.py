"""Figures by part of the episodes: the weakest segment, recall by cart size."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, Final

from supermarket_env.metrics.row import EpisodeRow

SMALLEST_SEGMENT: Final = 20
"""Segments with fewer episodes are not named as the weakest: their mean says too little."""

SEGMENT_KEYS: Final = ("stratum", "store", "user")

_SIZES: tuple[tuple[str, Callable[[int], bool]], ...] = (
    ("1", lambda size: size == 1),
    ("2-3", lambda size: 2 <= size <= 3),
    ("4+", lambda size: size >= 4),
)


def worst_segment(rows: Sequence[EpisodeRow], smallest: int = SMALLEST_SEGMENT) -> dict[str, Any] | None:
    """Return the segment with the lowest need satisfaction among those with at least ``smallest`` episodes.

    Returns:
        Its key, value, n and need_satisfaction; None when no segment is large enough.
    """
    found: list[tuple[float, str, str, int]] = []
    for key in SEGMENT_KEYS:
        segments: dict[str, list[float]] = {}
        for row in rows:
            name, satisfaction = getattr(row, key), row.truth.need_satisfaction
            if name is not None and satisfaction is not None:
                segments.setdefault(name, []).append(satisfaction)
        found += [
            (math.fsum(values) / len(values), key, name, len(values))
            for name, values in segments.items()
            if len(values) >= smallest
        ]
    if not found:
        return None
    value, key, name, count = min(found, key=lambda entry: (entry[0], SEGMENT_KEYS.index(entry[1]), entry[2]))
    return {"key": key, "value": name, "n": count, "need_satisfaction": value}


def cart_size_recall(rows: Sequence[EpisodeRow]) -> dict[str, float | None]:
    """Return R@5 of purchases by number of distinct products bought: 1, 2-3, 4 and more."""
    result: dict[str, float | None] = {}
    for label, fits in _SIZES:
        scores = [row.ranking.recall for row in rows if row.success and fits(row.cart_size)]
        result[label] = math.fsum(scores) / len(scores) if scores else None
    return result
