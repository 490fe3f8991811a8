"""What an assistant knows of the goods: per product type the carried products with their features as plain numbers.

Made once a store and shared by all assistants of the process, so that ranking the twenty or so products of a type
needs no array code and no search.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from supermarket_env.catalogue.schema import ATTRIBUTE_BIT, Catalogue
from supermarket_env.store import Store

SIZES: Final = ("small", "regular", "large")
_KEPT: Final = 8


class Goods(NamedTuple):
    """One product as far as ranking goes."""

    number: int
    id: str
    attributes: int
    """Bit mask of label claims and of diets that it suits by nature."""
    allergens: int
    brand: str
    size: str
    """``small``, ``regular`` or ``large`` among the pack sizes of its type and unit."""
    price: float
    relative_price: float
    """Mean of price and unit price against the type's medians, minus 1, within [-1, 1.5]."""
    quality: float
    """0..1; 0.5 when unknown."""
    popularity: float
    """0..1, relative to the best seller of the type."""


class Shelf:
    """The carried goods of a store by product type.

    ``popular`` lists, per type, the positions in ``of_type`` from the best seller down.
    """

    def __init__(self, catalogue: Catalogue, store: Store) -> None:
        self.catalogue = catalogue
        self.store = store
        self.type_number = {kind.name: t for t, kind in enumerate(catalogue.types)}
        self.home: list[int] = store.home_section.tolist()
        self.type_of: list[int] = catalogue.type_idx.tolist()
        self.step: list[list[int]] = store.next_move.tolist()
        self.way: list[list[int]] = store.section_moves.tolist()
        self.stand: list[list[int]] = store.nearest_node.tolist()
        self.touch: list[list[bool]] = store.reach.tolist()
        self.metres: list[list[float]] = store.section_dist_m.tolist()
        self.checkout: list[int] = store.nearest_checkout.tolist()
        self._goods: dict[int, tuple[Goods, ...]] = {}
        self._popular: dict[int, tuple[Goods, ...]] = {}
        self._best_sellers: tuple[str, ...] | None = None

    def of_type(self, number: int) -> tuple[Goods, ...]:
        """Return the carried products of a type with stock at opening, by product number; may be empty."""
        goods = self._goods.get(number)
        if goods is None:
            goods = self._goods[number] = tuple(self._goods_of(number))
        return goods

    def popular(self, number: int) -> tuple[Goods, ...]:
        """Return the products of a type from the best seller down; ties by product number."""
        goods = self._popular.get(number)
        if goods is None:
            goods = tuple(sorted(self.of_type(number), key=lambda g: (-g.popularity, g.number)))
            self._popular[number] = goods
        return goods

    def best_sellers(self, count: int = 10) -> tuple[str, ...]:
        """Return ids of the most popular carried products of the whole store, at most ``count``."""
        if self._best_sellers is None or len(self._best_sellers) < count:
            popularity = self.catalogue.popularity.tolist()
            carried = [p for p, section in enumerate(self.home) if section >= 0]
            carried.sort(key=lambda p: (-popularity[p], p))
            self._best_sellers = tuple(self.catalogue.ids[p] for p in carried[:count])
        return self._best_sellers[:count]

    def section_of_type(self, node: int, number: int) -> int:
        """Return the ordinary section of a type nearest to a node (moves, then number), -1 when not carried."""
        way = self.way[node]
        return min(self.store.type_home_sections[number], key=lambda s: (way[s], s), default=-1)

    def section_of_product(self, product_id: str) -> int:
        """Return the home section of a product, -1 when the store does not carry it or nobody knows the id."""
        number = self.catalogue.by_id.get(product_id)
        return -1 if number is None else self.home[number]

    def touches(self, node: int, product_id: str) -> bool:
        """Return whether a product's home section is within reach of a node."""
        section = self.section_of_product(product_id)
        return section >= 0 and self.touch[node][section]

    def step_to_section(self, node: int, section: int) -> str:
        """Return the id of the next node on the way to a section, empty when it is already within reach."""
        if self.touch[node][section]:
            return ""
        return self.store.node_ids[self.step[node][self.stand[node][section]]]

    def step_to_checkout(self, node: int) -> str:
        """Return the id of the next node on the way to the nearest checkout, empty when standing at it."""
        till = self.checkout[node]
        return "" if till == node else self.store.node_ids[self.step[node][till]]

    def _goods_of(self, number: int) -> list[Goods]:
        cat = self.catalogue
        members = list(cat.products_of(number))
        if not members:
            return []
        first, after = members[0], members[-1] + 1
        price = cat.price_cents[first:after].tolist()
        unit_price = cat.unit_price[first:after].tolist()
        relative = _relative(price, unit_price)
        sizes = _size_names(cat.size[first:after].tolist(), [cat.units[p] for p in members])
        quality = cat.quality[first:after].tolist()
        popularity = cat.popularity[first:after].tolist()
        diets, attrs = cat.diet_mask[first:after].tolist(), cat.attr_mask[first:after].tolist()
        allergens, brands = cat.allergen_mask[first:after].tolist(), cat.brand_idx[first:after].tolist()
        top = max(popularity)
        return [
            Goods(
                number=p,
                id=cat.ids[p],
                attributes=attrs[k] | diets[k],
                allergens=allergens[k],
                brand=cat.brands[brands[k]],
                size=sizes[k],
                price=price[k] / 100.0,
                relative_price=relative[k],
                quality=0.5 if quality[k] != quality[k] else (quality[k] - 1.0) / 4.0,
                popularity=popularity[k] / top,
            )
            for k, p in enumerate(members)
            if self.home[p] >= 0 and self.store.stock[p] > 0
        ]


_shelves: dict[str, Shelf] = {}


def shelf_of(catalogue: Catalogue, store: Store) -> Shelf:
    """Return the shelf knowledge of a store, made once a process (the last few stores are kept)."""
    shelf = _shelves.get(store.content_hash)
    if shelf is None or shelf.store is not store:
        while len(_shelves) >= _KEPT:
            del _shelves[next(iter(_shelves))]
        shelf = _shelves[store.content_hash] = Shelf(catalogue, store)
    return shelf


def mask_of(names: frozenset[str]) -> int:
    """Return the bit mask of catalogue attributes; names that are none are left out."""
    mask = 0
    for name in names:
        bit = ATTRIBUTE_BIT.get(name)
        if bit is not None:
            mask |= 1 << bit
    return mask


def _median(values: Sequence[float]) -> float:
    ordered = sorted(values)
    n = len(ordered)
    return ordered[n // 2] if n % 2 else 0.5 * (ordered[n // 2 - 1] + ordered[n // 2])


def _relative(price: Sequence[float], unit_price: Sequence[float]) -> list[float]:
    typical, typical_unit = _median(price), max(_median(unit_price), 1e-9)
    return [
        min(1.5, max(-1.0, 0.5 * (p / typical - 1.0) + 0.5 * (u / typical_unit - 1.0)))
        for p, u in zip(price, unit_price, strict=True)
    ]


def _size_names(sizes: Sequence[float], units: Sequence[str]) -> list[str]:
    """Name pack sizes as shoppers do: the smallest of its type and unit is small, the largest large."""
    names = []
    for size, unit in zip(sizes, units, strict=True):
        others = {s for s, u in zip(sizes, units, strict=True) if u == unit}
        if len(others) < 2:
            names.append("regular")
        else:
            names.append("small" if size == min(others) else "large" if size == max(others) else "regular")
    return names
