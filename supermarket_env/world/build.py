"""Building the numeric world from a catalogue and a stocked store.

A :class:`World` bundles both with the tables the rules read, in two forms: NumPy record arrays for compiled rules and
lists of slotted rows for plain ones. Both are made once and shared by all episodes.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from supermarket_env.catalogue import Catalogue, load_catalogue
from supermarket_env.errors import LayoutError
from supermarket_env.rules import codes
from supermarket_env.rules.rows import MAX_NODES, MAX_NUMBER
from supermarket_env.rules.world import (
    MOVE_DTYPE,
    MOVE_ROW,
    NODE_DTYPE,
    NODE_ROW,
    PRODUCT_DTYPE,
    PRODUCT_ROW,
    SECTION_DTYPE,
    SECTION_ROW,
    TYPE_DTYPE,
    TYPE_ROW,
    Tables,
)
from supermarket_env.store import Store, load_map, load_store

Records = NDArray[np.void]


class World:
    """One catalogue in one store, with everything numeric about it.

    ``size_class`` (n_products,) holds 1 small, 2 regular, 3 large: terciles of size among the distinct sizes of the
    product's type and unit. ``rel_price`` (n_products,) is the mean of price and unit price relative to the medians of
    the type, minus 1, clipped to [-1, 1.5].

    Args:
        catalogue: The goods.
        store: The store as it is.
        map_store: The store as the assistant's map shows it; None: the map is right.

    Raises:
        LayoutError: too many nodes, sections or types, or the store was stocked with other goods.
    """

    def __init__(self, catalogue: Catalogue, store: Store, map_store: Store | None = None) -> None:
        if store.n_nodes > MAX_NODES:
            raise LayoutError(f"store {store.name!r} has {store.n_nodes} nodes; the rules hold at most {MAX_NODES}")
        for what, count in (("sections", store.n_sections), ("product types", catalogue.n_types)):
            if count > MAX_NUMBER:
                raise LayoutError(f"store {store.name!r} has {count} {what}; the rules hold at most {MAX_NUMBER}")
        if store.catalogue_hash != catalogue.content_hash:
            raise LayoutError(f"store {store.name!r} was stocked with another catalogue than {catalogue.name!r}")
        self.catalogue = catalogue
        self.store = store
        self._map_store = map_store
        self.slot_names: tuple[str, ...] = codes.SLOTS + _attribute_names()
        self.size_class = _size_classes(catalogue)
        self.rel_price = _relative_prices(catalogue)
        self.price_cents: list[int] = catalogue.price_cents.tolist()

    @cached_property
    def app(self) -> World:
        """The world as the assistant's app knows it: this very world unless the store was rearranged since."""
        if self._map_store is None or self._map_store is self.store:
            return self
        return World(self.catalogue, self._map_store)

    def __repr__(self) -> str:
        return f"<World {self.store.name} x {self.catalogue.name}>"

    @cached_property
    def arrays(self) -> Tables:
        """The tables as NumPy arrays (``par`` is empty; see ``with_params``)."""
        return _Arrays(self).tables()

    @cached_property
    def lists(self) -> Tables:
        """The tables as lists of plain rows and numbers."""
        a = self.arrays
        return Tables(
            par=[],
            prod=_rows(a.prod, PRODUCT_ROW),
            typ=_rows(a.typ, TYPE_ROW),
            sec=_rows(a.sec, SECTION_ROW),
            node=_rows(a.node, NODE_ROW),
            move=_rows(a.move, MOVE_ROW),
            **{
                name: getattr(a, name).tolist()
                for name in ("flat", "dist", "hops", "step", "touch", "sees", "way", "stand", "sight")
            },
        )


def load_world(catalogue: str, store: str) -> World:
    """Load a catalogue and a store by name and return their world."""
    goods = load_catalogue(catalogue)
    return World(goods, load_store(store, goods), load_map(store, goods))


def _attribute_names() -> tuple[str, ...]:
    from supermarket_env.catalogue.schema import ATTRIBUTES

    return ATTRIBUTES


def _rows(records: Records, row_class: Any) -> list[Any]:
    columns = {name: records[name].tolist() for name, _, _ in row_class.spec}
    rows = []
    for k in range(len(records)):
        row = row_class()
        for name, column in columns.items():
            setattr(row, name, column[k])
        rows.append(row)
    return rows


def _size_classes(catalogue: Catalogue) -> NDArray[np.int64]:
    result = np.full(catalogue.n_products, 2, dtype=np.int64)
    for t in range(catalogue.n_types):
        members = np.array(catalogue.products_of(t), dtype=np.int64)
        units = np.array([catalogue.units[p] for p in members])
        for unit in np.unique(units):
            these = members[units == unit]
            sizes = np.unique(catalogue.size[these])
            if len(sizes) < 2:
                continue
            rank = np.searchsorted(sizes, catalogue.size[these])
            result[these] = np.where(rank == 0, 1, np.where(rank == len(sizes) - 1, 3, 2))
    return result


def _relative_prices(catalogue: Catalogue) -> NDArray[np.float64]:
    result = np.zeros(catalogue.n_products, dtype=np.float64)
    for t in range(catalogue.n_types):
        members = np.array(catalogue.products_of(t), dtype=np.int64)
        if not len(members):
            continue
        price = catalogue.price_cents[members].astype(np.float64)
        unit = catalogue.unit_price[members]
        relative = 0.5 * (price / np.median(price) - 1.0) + 0.5 * (unit / max(float(np.median(unit)), 1e-9) - 1.0)
        result[members] = np.round(np.clip(relative, -1.0, 1.5), 6)
    return result


class _Arrays:
    """The ragged parts of the tables, gathered into one flat list."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.flat: list[int] = [len(world.store.checkouts), *world.store.checkouts]

    def put(self, numbers: Any) -> tuple[int, int]:
        """Append numbers to the flat list; return (first, count)."""
        first = len(self.flat)
        self.flat.extend(int(x) for x in numbers)
        return first, len(self.flat) - first

    def products(self) -> Records:
        """Return one record a product."""
        cat, store = self.world.catalogue, self.world.store
        prod = np.zeros(cat.n_products, dtype=PRODUCT_DTYPE)
        quality = np.where(np.isnan(cat.quality), 3.0, cat.quality)
        popular = cat.popularity / np.maximum.reduceat(cat.popularity, cat.type_start)[cat.type_idx]
        prod["price"] = cat.price_cents
        prod["typ"] = cat.type_idx
        prod["brand"] = cat.brand_idx
        prod["attrs"] = cat.attr_mask
        prod["diets"] = cat.diet_mask | cat.attr_mask
        prod["allergens"] = cat.allergen_mask
        prod["size_class"] = self.world.size_class
        prod["section"] = store.home_section
        prod["endcap"] = store.endcap_section
        prod["stock"] = store.stock
        prod["unit_price"] = np.rint(cat.unit_price * 1000.0).astype(np.int64)
        prod["quality"] = np.round((quality - 1.0) / 4.0, 6)
        prod["popularity"] = np.round(popular, 6)
        prod["rel_price"] = self.world.rel_price
        return prod

    def types(self) -> Records:
        """Return one record a product type."""
        cat, store = self.world.catalogue, self.world.store
        typ = np.zeros(cat.n_types, dtype=TYPE_DTYPE)
        typ["first"] = cat.type_start
        typ["count"] = cat.type_count
        for t, kind in enumerate(cat.types):
            typ[t]["sec_first"], typ[t]["sec_count"] = self.put(store.type_home_sections[t])
            typ[t]["department"] = cat.departments.index(kind.department)
        return typ

    def sections(self) -> Records:
        """Return one record a section; endcap goods stand in two sections."""
        store = self.world.store
        members: list[list[int]] = [[] for _ in range(store.n_sections)]
        for places in (store.home_section, store.endcap_section):
            for p in np.flatnonzero(places >= 0).tolist():
                members[int(places[p])].append(p)
        sec = np.zeros(store.n_sections, dtype=SECTION_DTYPE)
        for c in range(store.n_sections):
            sec[c]["prod_first"], sec[c]["prod_count"] = self.put(sorted(members[c]))
            sec[c]["node_first"], sec[c]["node_count"] = self.put(store.section_nodes[c])
            sec[c]["type_first"], sec[c]["type_count"] = self.put(store.section_types[c])
        return sec

    def moves(self) -> tuple[Records, Records]:
        """Return one record a node and one a move."""
        store = self.world.store
        kinds = {kind: k for k, kind in enumerate(codes.NODE_KINDS)}
        node = np.zeros(store.n_nodes, dtype=NODE_DTYPE)
        rows: list[tuple[int, int, int, float]] = []
        for a in range(store.n_nodes):
            node[a]["kind"] = kinds[store.layout.nodes[a].kind]
            node[a]["move_first"] = len(rows)
            node[a]["move_count"] = len(store.move_targets[a])
            node[a]["see_first"], node[a]["see_count"] = self.put(np.flatnonzero(store.visible[a]))
            rows.extend((mv.node, *self.put(mv.passed), mv.metres) for mv in store.move_targets[a])
        move = np.zeros(len(rows), dtype=MOVE_DTYPE)
        for k, row in enumerate(rows):
            move[k]["to"], move[k]["pass_first"], move[k]["pass_count"], move[k]["metres"] = row
        return node, move

    def tables(self) -> Tables:
        """Return all tables as C-contiguous, writable arrays (one type signature for numba)."""
        store = self.world.store
        prod, typ, sec = self.products(), self.types(), self.sections()
        node, move = self.moves()

        def small(table: Any) -> NDArray[np.int16]:
            return np.array(table, dtype=np.int16, order="C")  # numbers of nodes, counts of moves, yes and no

        return Tables(
            par=np.zeros(0),
            prod=prod,
            typ=typ,
            sec=sec,
            node=node,
            move=move,
            flat=np.array(self.flat, dtype=np.int64),
            dist=np.array(store.dist_m, dtype=np.float64, order="C"),
            hops=small(store.moves),
            step=small(store.next_move),
            touch=small(store.reach),
            sees=small(store.visible),
            way=small(store.section_moves),
            stand=small(store.nearest_node),
            sight=small(store.section_view_moves),
        )
