"""Candidates for a list: up to fifty products that may fit a need, with numbers about how they fit."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

from supermarket_env.agents.ranking import rank
from supermarket_env.agents.rule_config import RuleConfig
from supermarket_env.agents.shelf import Goods, Shelf, mask_of
from supermarket_env.catalogue.schema import ALLERGEN_BIT
from supermarket_env.dialogue.view import HeardNeed

PRODUCT_FEATURES: Final = (
    "exists",
    "of_heard_type",
    "match",
    "brand_match",
    "size_match",
    "over_limit",
    "hard_ok",
    "quality",
    "relative_price",
    "popularity",
    "turned_down",
    "in_reach",
    "carrier_rank",
)
"""Per candidate, each in [0, 1]; ``carrier_rank`` is 1 for the first product of the carrier's own list, falling to 0
for what is not on it. Without any wish heard, ``match`` is 1."""

_WEIGHTS: Final = RuleConfig().weights


def retrieve(shelf: Shelf, need: HeardNeed | None, listed: Sequence[str], count: int) -> tuple[str, ...]:
    """Return ``count`` different ids of carried products, fewer only when the store has no more.

    First the listed ones, then the heard type's, what the search finds, the department's, the store's best sellers.

    Args:
        shelf: The goods of the store.
        need: What was heard of the need, or None when the list is for none.
        listed: Ids that stand first, in this order.
        count: Most ids wanted.
    """
    carried = goods_of(shelf)
    found = dict.fromkeys(product for product in listed if product in carried)
    if need is not None:
        wishes = tuple(sorted(need.wanted))
        found.update(dict.fromkeys(rank(shelf, need, _WEIGHTS, wishes=wishes, excluded=(), thrift=1.0, count=count)))
    if len(found) < count:
        found.update(dict.fromkeys(_searched(shelf, _query(shelf, need, listed), 2 * count)))
    if len(found) < count and found:
        found.update(dict.fromkeys(_department_goods(shelf, _department(shelf, next(iter(found))))))
    if len(found) < count:
        found.update(dict.fromkeys(shelf.best_sellers(2 * count)))
    return tuple(found)[:count]


def describe(
    shelf: Shelf, need: HeardNeed | None, products: Sequence[str], listed: Sequence[str], node: int, count: int
) -> NDArray[np.float32]:
    """Return (count, len(PRODUCT_FEATURES)) numbers in [0, 1] about the candidates; rows beyond them are zero."""
    x = np.zeros((count, len(PRODUCT_FEATURES)), dtype=np.float32)
    places = {product: k for k, product in enumerate(listed)}
    for k, product in enumerate(products):
        goods = goods_of(shelf)[product]
        place = places.get(product)
        x[k] = (
            1.0,
            *_fit(shelf, need, goods),
            goods.quality,
            (goods.relative_price + 1.0) / 2.5,
            goods.popularity,
            need is not None and product in need.rejected,
            shelf.touches(node, product),
            0.0 if place is None else 1.0 - place / 10.0,
        )
    return x


def _fit(shelf: Shelf, need: HeardNeed | None, goods: Goods) -> tuple[float, float, bool, bool, bool, bool]:
    """Return of_heard_type, match, brand_match, size_match, over_limit and hard_ok."""
    if need is None:
        return 0.0, 1.0, False, False, False, True
    of_type = shelf.catalogue.types[shelf.type_of[goods.number]].name == need.product_type
    wishes, diet = mask_of(need.wanted), mask_of(need.diet)
    allergy = sum(1 << ALLERGEN_BIT[name] for name in need.allergy if name in ALLERGEN_BIT)
    match = (goods.attributes & wishes).bit_count() / wishes.bit_count() if wishes else 1.0
    return (
        float(of_type),
        match,
        need.brand is not None and goods.brand == need.brand,
        need.size is not None and goods.size == need.size,
        need.price_limit is not None and goods.price > need.price_limit,
        not goods.allergens & allergy and goods.attributes & diet == diet,
    )


def _query(shelf: Shelf, need: HeardNeed | None, listed: Sequence[str]) -> str:
    """Return the words to search for; a list for no need is searched by the type of its first product."""
    if need is None:
        number = shelf.catalogue.by_id[listed[0]] if listed else -1
        return shelf.catalogue.types[shelf.type_of[number]].name if number >= 0 else ""
    words = (need.product_type or need.department or "", need.brand or "", *sorted(need.wanted | need.diet))
    return " ".join(word.replace("_", " ") for word in words if word)


def _searched(shelf: Shelf, query: str, count: int) -> list[str]:
    """Return ids of carried products that the catalogue's search finds for ``query``."""
    carried = goods_of(shelf)
    ids = shelf.catalogue.ids
    return [ids[p] for p in shelf.catalogue.search(query, count) if ids[p] in carried]


def _department(shelf: Shelf, product: str) -> str:
    return shelf.catalogue.types[shelf.type_of[goods_of(shelf)[product].number]].department


@lru_cache(maxsize=256)
def _department_goods(shelf: Shelf, department: str) -> tuple[str, ...]:
    """Return the carried products of a department, those relatively best sold first."""
    kinds = [k for k, kind in enumerate(shelf.catalogue.types) if kind.department == department]
    goods = [goods for kind in kinds for goods in shelf.of_type(kind)]
    return tuple(g.id for g in sorted(goods, key=lambda g: (-g.popularity, g.number)))


@lru_cache(maxsize=8)
def goods_of(shelf: Shelf) -> dict[str, Goods]:
    """Return all carried products with opening stock, by id."""
    return {goods.id: goods for kind in range(shelf.catalogue.n_types) for goods in shelf.of_type(kind)}
