"""Recall and NDCG of a ranked list against the products bought."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from collections.abc import Set as AbstractSet

RECALL_CUT = 5
NDCG_CUT = 10

_DISCOUNTS = [1.0 / math.log2(rank + 1) for rank in range(1, NDCG_CUT + 1)]
_IDEAL = [math.fsum(_DISCOUNTS[:length]) for length in range(NDCG_CUT + 1)]
_SETS = (set, frozenset)


def _discounts(length: int) -> list[float]:
    """Return the discounts of at least the first so many places."""
    if length <= NDCG_CUT:
        return _DISCOUNTS
    return [*_DISCOUNTS, *(1.0 / math.log2(rank + 1) for rank in range(NDCG_CUT + 1, length + 1))]


def _ideal(length: int) -> float:
    return _IDEAL[length] if length <= NDCG_CUT else math.fsum(_discounts(length)[:length])


def recall_at(
    items: Sequence[str], relevant: AbstractSet[str], k: int = RECALL_CUT, *, capped: bool = False
) -> float | None:
    """Share of the relevant products among the first ``k`` places.

    A repeat uses up its place and counts once; missing places are misses.

    Args:
        items: Ranked product ids, best first; may be empty.
        relevant: Relevant product ids.
        k: Number of places looked at.
        capped: Divide by ``min(k, number of relevant products)`` instead of their number.

    Returns:
        A share in [0, 1]; None without relevant products.

    >>> recall_at(["a", "x", "c"], {"a", "c", "d", "e"})
    0.5
    """
    if not relevant:
        return None
    hits = len(relevant.intersection(items[:k])) if isinstance(relevant, _SETS) else _hits(items, relevant, k)
    return hits / (min(k, len(relevant)) if capped else len(relevant))


def _hits(items: Sequence[str], relevant: Collection[str], k: int) -> int:
    return len({item for item in items[:k] if item in relevant})


def ndcg_at(
    items: Sequence[str], relevant: AbstractSet[str], k: int = NDCG_CUT, *, credit_repeats: bool = False
) -> float | None:
    """Normalised discounted cumulative gain of the first ``k`` places, gains 0 or 1, discount log2(rank + 1).

    A repeated product earns at its first place only; the ideal list has ``min(k, number of relevant products)`` hits.

    Args:
        items: Ranked product ids, best first; may be empty.
        relevant: Relevant product ids.
        k: Number of places looked at.
        credit_repeats: Let repeats earn again (the value may then exceed 1; for comparison only).

    Returns:
        A value in [0, 1]; None without relevant products.
    """
    if not relevant:
        return None
    cut = items[:k]
    gain = 0.0
    seen: list[str] = []
    for item, discount in zip(cut, _discounts(len(cut)), strict=False):
        if item in relevant and (credit_repeats or item not in seen):
            seen.append(item)
            gain += discount
    return gain / _ideal(min(k, len(relevant)))


def without_repeats(items: Sequence[str]) -> list[str]:
    """Return the items with later repeats removed, order kept.

    >>> without_repeats(["a", "b", "a"])
    ['a', 'b']
    """
    return list(dict.fromkeys(items))
