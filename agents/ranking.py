"""Ranking the products of a type by what was heard about a need."""

from __future__ import annotations

from collections.abc import Container

from supermarket_env.agents.rule_config import RuleWeights
from supermarket_env.agents.shelf import Goods, Shelf, mask_of
from supermarket_env.catalogue.schema import ALLERGEN_BIT, ATTRIBUTE_BIT
from supermarket_env.dialogue.view import HeardNeed


def rank(
    shelf: Shelf,
    need: HeardNeed,
    weights: RuleWeights,
    *,
    wishes: tuple[str, ...],
    excluded: Container[str],
    thrift: float,
    count: int,
) -> tuple[str, ...]:
    """Return ids of the best products for a need, best first.

    Args:
        shelf: The goods of the store.
        need: What was heard; a need without a type gives an empty list.
        weights: Worth of the features.
        wishes: The wished attributes in the order they were said.
        excluded: Ids that must not come again.
        thrift: Factor on the price weight, > 0.
        count: Most ids wanted.

    Products that break a diet or hold an allergen that was named are left out whatever they are worth. Ties go to the
    smaller product number.
    """
    kind = shelf.type_number.get(need.product_type or "", -1)
    if kind < 0:
        return ()
    diet = mask_of(need.diet)
    allergy = 0
    for name in need.allergy:
        allergy |= 1 << ALLERGEN_BIT[name] if name in ALLERGEN_BIT else 0
    shares = _shares(wishes, weights.size if need.size else 0.0)
    scored = []
    for goods in shelf.of_type(kind):
        if goods.allergens & allergy or goods.attributes & diet != diet or goods.id in excluded:
            continue
        scored.append((-_worth(goods, need, weights, shares, thrift), goods.number, goods.id))
    scored.sort()
    return tuple(entry[2] for entry in scored[:count])


def _shares(wishes: tuple[str, ...], size: float) -> tuple[tuple[tuple[int, float], ...], float]:
    """Return (attribute bit, share) of each wish and the share of the size; all shares sum to 1 unless none is wished.

    People say first what matters most, so later wishes count less.
    """
    raw = [(1 << ATTRIBUTE_BIT[name], 1.0 / (1.0 + 0.6 * k)) for k, name in enumerate(wishes) if name in ATTRIBUTE_BIT]
    total = sum(weight for _, weight in raw) + size
    if total <= 0.0:
        return (), 0.0
    return tuple((bit, weight / total) for bit, weight in raw), size / total


def _worth(
    goods: Goods,
    need: HeardNeed,
    weights: RuleWeights,
    shares: tuple[tuple[tuple[int, float], ...], float],
    thrift: float,
) -> float:
    worth = weights.quality * goods.quality + weights.popularity * goods.popularity
    worth -= weights.price * thrift * goods.relative_price
    for bit, share in shares[0]:
        if goods.attributes & bit:
            worth += weights.match * share
    if shares[1] and goods.size == need.size:
        worth += weights.match * shares[1]
    if need.brand is not None and goods.brand == need.brand:
        worth += weights.brand
    if need.price_limit is not None and goods.price > need.price_limit:
        worth -= weights.over_limit
    return worth
