"""How much this user will like each product of a type: a learned judgement, made with NumPy alone.

The rule assistant's ranking knows only what was said. This one was trained on what users turned out to like, and so
also weighs what is likely but unsaid: popular brands, wishes still to come, an allergy named for another need, and how
much this user seems to mind prices.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from supermarket_env.agents.rule_memory import NeedMemory
from supermarket_env.agents.shelf import Goods, Shelf, mask_of
from supermarket_env.agents.weights import read_weights
from supermarket_env.catalogue.schema import ALLERGEN_BIT, ATTRIBUTE_BIT
from supermarket_env.dialogue.view import HeardNeed
from supermarket_env.errors import ConfigError

SCHEMA: Final = "supermarket.goods/1"
Floats = NDArray[np.float64]

FEATURES: Final = (
    "match",
    "wishes_heard",
    "match_of_heard",
    "other_attributes",
    "other_attributes_open",
    "brand",
    "brand_share_open",
    "size",
    "size_share_open",
    "over_limit",
    "quality",
    "relative_price",
    "relative_price_squared",
    "popularity",
    "price_times_lean",
    "brand_times_loyalty",
    "breaks_other_allergy",
    "breaks_other_diet",
    "thrift",
    "all_told",
    "wishes_open",
    "products",
)
"""Columns of :func:`goods_features`; "open" ones are 0 once the user cannot mean them any more."""
LAYERS: Final = ("first", "second", "last")
_MOST_WISHES: Final = 3
_SIZE_WEIGHT: Final = 0.35
_VARYING: Final = (0.1, 0.8)
"""Attributes that this share of a type's products have are the ones that people wish for."""


class Leaning(NamedTuple):
    """What a user's choices so far say of it."""

    price: float = 0.0
    """How much dearer (relative price) than the rest of the list's top its choices were, shrunk towards 0."""
    brand: float = 0.0
    """-1..1: takes the brand it asked for although it has the choice, shrunk towards 0."""


class _Kind(NamedTuple):
    """The goods of a type as arrays."""

    goods: tuple[Goods, ...]
    attributes: Floats
    """(goods, attributes) of 0 and 1."""
    varying: NDArray[np.bool_]
    brand_share: Floats
    size_share: Floats
    plain: Floats
    """(goods, 3): quality, relative price, popularity."""


@lru_cache(maxsize=4096)
def _kind_of(shelf: Shelf, kind: int) -> _Kind:
    goods = shelf.of_type(kind)
    n_bits = 1 + max(ATTRIBUTE_BIT.values())
    attributes = np.array([[g.attributes >> bit & 1 for bit in range(n_bits)] for g in goods], dtype=np.float64)
    share = attributes.mean(axis=0)
    popularity = np.array([g.popularity for g in goods])
    by_brand: dict[str, float] = {}
    for g in goods:
        by_brand[g.brand] = by_brand.get(g.brand, 0.0) + g.popularity
    sizes = [g.size for g in goods]
    return _Kind(
        goods,
        attributes,
        (share >= _VARYING[0]) & (share <= _VARYING[1]),
        np.array([by_brand[g.brand] for g in goods]) / max(1e-9, float(popularity.sum())),
        np.array([sizes.count(size) / len(goods) if len(set(sizes)) > 1 else 0.0 for size in sizes]),
        np.array([[g.quality, g.relative_price, g.popularity] for g in goods]),
    )


def goods_features(
    shelf: Shelf,
    need: HeardNeed,
    memo: NeedMemory,
    heard: Sequence[HeardNeed],
    leaning: Leaning,
    thrift: float,
) -> tuple[tuple[Goods, ...], Floats]:
    """Return the carried goods of a need's type, and (goods, FEATURES) numbers about how they may suit.

    Args:
        shelf: The goods of the store.
        need: What was heard of the need; one without a type, or of a type not carried, gives no goods.
        memo: What the assistant remembers of it: wishes in the order they were said, whether all was told.
        heard: All needs mentioned so far: allergies and diets named for one may hold for the others.
        leaning: What the user's choices so far say of it.
        thrift: Factor that grows with every refusal for the price, 1 at first.
    """
    kind = shelf.type_number.get(need.product_type or "", -1)
    if kind < 0 or not shelf.of_type(kind):
        return (), np.zeros((0, len(FEATURES)))
    goods, attributes, varying, brand_share, size_share, plain = _kind_of(shelf, kind)
    n = len(goods)
    one = np.ones(n)
    wishes = [ATTRIBUTE_BIT[name] for name in memo.wishes if name in ATTRIBUTE_BIT]
    weights = [1.0 / (1.0 + 0.6 * k) for k in range(len(wishes))]  # people say first what matters most
    size = np.array([need.size is not None and g.size == need.size for g in goods], dtype=np.float64)
    total = sum(weights) + (_SIZE_WEIGHT if need.size else 0.0)
    match = attributes[:, wishes] @ np.array(weights) + _SIZE_WEIGHT * size if total else np.zeros(n)
    match = match / total if total else match
    told = float(memo.told_all)
    rest = varying.copy()
    settled = [*wishes, *(ATTRIBUTE_BIT[a] for a in (*need.unwanted, *need.no_preference) if a in ATTRIBUTE_BIT)]
    rest[settled] = False
    other = attributes[:, rest].mean(axis=1) if rest.any() else np.zeros(n)
    wishes_open = max(0, _MOST_WISHES - len(wishes)) / _MOST_WISHES * (1.0 - told)
    brand = np.array([need.brand is not None and g.brand == need.brand for g in goods], dtype=np.float64)
    brand_open = float(need.brand is None and "brand" not in need.no_preference and not told)
    size_open = float(need.size is None and "size" not in need.no_preference and not told)
    over = [need.price_limit is not None and g.price > need.price_limit for g in goods]
    allergy, diet = _others(need, heard)
    quality, price, popularity = plain.T
    columns = (
        match,
        one * len(wishes) / _MOST_WISHES,
        match * len(wishes) / _MOST_WISHES,
        other,
        other * wishes_open,
        brand,
        brand_share * brand_open,
        size,
        size_share * size_open,
        np.array(over, dtype=np.float64),
        quality,
        price,
        price * price,
        popularity,
        price * leaning.price,
        brand * leaning.brand,
        np.array([bool(g.allergens & allergy) for g in goods], dtype=np.float64),
        np.array([g.attributes & diet != diet for g in goods], dtype=np.float64),
        one * (thrift - 1.0),
        one * told,
        one * wishes_open,
        one * n / 30.0,
    )
    return goods, np.stack(columns, axis=1)


def _others(need: HeardNeed, heard: Sequence[HeardNeed]) -> tuple[int, int]:
    """Return masks of the allergens and diets that were named for the other needs."""
    allergy = diet = 0
    for other in heard:
        if other.ordinal != need.ordinal:
            diet |= mask_of(other.diet)
            for name in other.allergy:
                allergy |= 1 << ALLERGEN_BIT[name] if name in ALLERGEN_BIT else 0
    return allergy, diet


def suitable(need: HeardNeed, goods: Goods) -> bool:
    """Return whether a product keeps the diets and is free of the allergens that were named for a need."""
    diet = mask_of(need.diet)
    allergy = 0
    for name in need.allergy:
        allergy |= 1 << ALLERGEN_BIT[name] if name in ALLERGEN_BIT else 0
    return not goods.allergens & allergy and goods.attributes & diet == diet


class GoodsNetwork:
    """The numbers of a trained judgement.

    Args:
        arrays: ``mean`` and ``scale`` (features,), and per layer ``<layer>.w`` (out, in) and ``<layer>.b`` (out,).
        meta: ``thresholds`` of the rule assistant it was trained with, and whatever tells where it came from.

    Raises:
        ConfigError: An array is missing, or it was trained for other features.
    """

    def __init__(self, arrays: Mapping[str, NDArray[Any]], meta: Mapping[str, Any]) -> None:
        wanted = ["mean", "scale", *(f"{layer}.{part}" for layer in LAYERS for part in "wb")]
        missing = [name for name in wanted if name not in arrays]
        if missing:
            raise ConfigError(f"goods network: arrays missing: {', '.join(missing)}")
        if tuple(meta.get("features", ())) != FEATURES:
            raise ConfigError("goods network: it was trained for other features than this version has; train it again")
        self.arrays = {name: np.asarray(arrays[name], dtype=np.float64) for name in wanted}
        self.meta = dict(meta)

    @property
    def thresholds(self) -> dict[str, Any]:
        """Configuration of the rule assistant that it judges for."""
        return dict(self.meta.get("thresholds") or {})

    def worth(self, features: Floats) -> Floats:
        """Return the worth of goods, (n,), from their (n, FEATURES); comparable within one call only."""
        a = self.arrays
        x = (features - a["mean"]) / a["scale"]
        for layer in LAYERS[:-1]:
            x = np.tanh(x @ a[f"{layer}.w"].T + a[f"{layer}.b"])
        worth: Floats = (x @ a["last.w"].T + a["last.b"])[:, 0]
        return worth

    def save(self, path: Path | str) -> None:
        """Write it as a NumPy archive."""
        target = Path(path)
        target.parent.mkdir(parents=True, exist_ok=True)
        text = json.dumps({"schema": SCHEMA, **self.meta}, sort_keys=True)
        arrays: dict[str, Any] = {name: values.astype(np.float32) for name, values in self.arrays.items()}
        np.savez_compressed(target, meta=np.frombuffer(text.encode(), dtype=np.uint8), **arrays)

    @classmethod
    def load(cls, path: Path | str) -> GoodsNetwork:
        """Read one.

        Raises:
            ConfigError: There is no such file, or it is none of this version.
        """
        return cls(*read_weights(path, what="goods network", file="learned.npz", schema=SCHEMA))
