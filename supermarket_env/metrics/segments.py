"""Figures by part of the episodes: the weakest segment, recall by cart size."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, Final

from supermarket_env.metrics.row import EpisodeRow

SMALLEST_SEGMENT: Final = 20
"""Segments with fewer episodes are not named as the weakest: their mean says too little."""

THIRDS: Final = ("low", "middle", "high")

SEGMENT_KEYS: Final = ("stratum", "store", "user")

_SIZES: tuple[tuple[str, Callable[[int], bool]], ...] = (
    ("1", lambda size: size == 1),
    ("2-3", lambda size: 2 <= size <= 3),
    ("4+", lambda size: size >= 4),
)


def worst_segment(rows: Sequence[EpisodeRow], smallest: int = SMALLEST_SEGMENT) -> dict[str, Any] | None:
    """Return the segment with the lowest need satisfaction among those with at least ``smallest`` episodes.

    A segment that holds every episode (the only store, the only user) is no part of anything and is never named.

    Returns:
        Its key, value, n and need_satisfaction; None when no segment is large enough.
    """
    found: list[tuple[float, str, str, int]] = []
    known = sum(row.truth.need_satisfaction is not None for row in rows)
    for key in SEGMENT_KEYS:
        segments: dict[str, list[float]] = {}
        for row in rows:
            name, satisfaction = getattr(row, key), row.truth.need_satisfaction
            if name is not None and satisfaction is not None:
                segments.setdefault(name, []).append(satisfaction)
        found += [
            (math.fsum(values) / len(values), key, name, len(values))
            for name, values in segments.items()
            if smallest <= len(values) < known
        ]
    if not found:
        return None
    value, key, name, count = min(found, key=lambda entry: (entry[0], SEGMENT_KEYS.index(entry[1]), entry[2]))
    return {"key": key, "value": name, "n": count, "need_satisfaction": value}


def thirds_of(values: Sequence[float]) -> list[str]:
    """Return the third each of at least one value belongs to: ``low``, ``middle`` or ``high``.

    With n values in order, ``low`` is below number n // 3 and ``high`` from number 2n // 3 on (counted from 0), so
    equal values stay together.

    >>> thirds_of([0.1, 0.9, 0.5, 0.5])
    ['low', 'high', 'high', 'high']
    """
    ordered = sorted(values)
    first, second = ordered[len(ordered) // 3], ordered[2 * len(ordered) // 3]
    return ["low" if value < first else "high" if value >= second else "middle" for value in values]


def persona_segments(rows: Sequence[EpisodeRow]) -> dict[str, dict[str, list[float]]]:
    """Return need satisfaction by trait and third of its values: ``low``, ``middle``, ``high``.

    Of the known values (``thirds_of``); traits with one value only are left out.
    """
    found: dict[str, list[tuple[float, float]]] = {}
    for row in rows:
        satisfaction = row.truth.need_satisfaction
        if satisfaction is not None and row.truth.persona is not None:
            for trait, value in row.truth.persona.items():
                found.setdefault(trait, []).append((value, satisfaction))
    result: dict[str, dict[str, list[float]]] = {}
    for trait in sorted(found):
        values = [value for value, _ in found[trait]]
        if min(values) == max(values):
            continue
        thirds: dict[str, list[float]] = {name: [] for name in THIRDS}
        for third, (_, satisfaction) in zip(thirds_of(values), found[trait], strict=True):
            thirds[third].append(satisfaction)
        result[trait] = thirds
    return result


def persona_satisfaction(rows: Sequence[EpisodeRow]) -> dict[str, dict[str, float | None]]:
    """Return the mean need satisfaction of each third of each trait; None for a third without episodes."""
    return {
        trait: {name: math.fsum(values) / len(values) if values else None for name, values in thirds.items()}
        for trait, thirds in persona_segments(rows).items()
    }


def worst_persona_segment(rows: Sequence[EpisodeRow], smallest: int = SMALLEST_SEGMENT) -> dict[str, Any] | None:
    """Return the third of a trait with the lowest need satisfaction among those with at least ``smallest`` episodes.

    Returns:
        Its key (the trait), value (the third), n and need_satisfaction; None when no third is large enough.
    """
    found = [
        (math.fsum(values) / len(values), trait, THIRDS.index(name), len(values))
        for trait, thirds in persona_segments(rows).items()
        for name, values in thirds.items()
        if len(values) >= max(1, smallest)
    ]
    if not found:
        return None
    value, trait, third, count = min(found)
    return {"key": trait, "value": THIRDS[third], "n": count, "need_satisfaction": value}


CART_SIZES: Final = tuple(label for label, _ in _SIZES)
"""The classes of :func:`cart_size_recall`."""


def cart_size_label(size: int) -> str | None:
    """Return the class of a cart by its distinct products, None for an empty one.

    >>> [cart_size_label(size) for size in (0, 1, 3, 9)]
    [None, '1', '2-3', '4+']
    """
    return next((label for label, fits in _SIZES if fits(size)), None)


def cart_size_recall(rows: Sequence[EpisodeRow]) -> dict[str, float | None]:
    """Return R@5 of purchases by number of distinct products bought: 1, 2-3, 4 and more."""
    result: dict[str, float | None] = {}
    for label, fits in _SIZES:
        scores = [row.ranking.recall for row in rows if row.success and fits(row.cart_size)]
        result[label] = math.fsum(scores) / len(scores) if scores else None
    return result
