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


def list_scores(
    items: Sequence[str], relevant: set[str] | frozenset[str]
) -> tuple[float, float, float] | tuple[None, None, None]:
    """Return Recall@5, capped Recall@5 and NDCG@10 of a list in one go, to the bit what each function gives.

    Args:
        items: Ranked product ids, best first; may be empty.
        relevant: Relevant product ids.

    Returns:
        Three shares in [0, 1]; three None without relevant products.

    >>> list_scores(["a", "x", "c"], {"a", "c", "d", "e"})[:2]
    (0.5, 0.5)
    """
    n = len(relevant)
    if not n:
        return None, None, None
    cut = items if len(items) <= NDCG_CUT else items[:NDCG_CUT]
    hits = relevant.intersection(cut)
    if not hits:
        return 0.0, 0.0, 0.0
    if len(hits) == 1:  # by far the most frequent case
        at = cut.index(*hits)
        gain, early = _DISCOUNTS[at], 1 if at < RECALL_CUT else 0
    else:
        gain, early = 0.0, 0
        for at in sorted([cut.index(item) for item in hits]):
            gain += _DISCOUNTS[at]
            early += at < RECALL_CUT
    return early / n, early / (n if n < RECALL_CUT else RECALL_CUT), gain / _IDEAL[n if n < NDCG_CUT else NDCG_CUT]


def without_repeats(items: Sequence[str]) -> list[str]:
    """Return the items with later repeats removed, order kept.

    >>> without_repeats(["a", "b", "a"])
    ['a', 'b']
    """
    return list(dict.fromkeys(items))
