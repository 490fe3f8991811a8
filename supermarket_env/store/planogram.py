"""Which product stands on which shelf: departments stay together, fresh food lines the walls.

A section's label names a department of the catalogue or one of the fresh zones produce, bakery, meat and dairy; every
other department, and every section whose label fits none, belongs to the centre. Inside a zone the sections are filled
in file order, each department getting room by its number of products, each type its place inside the department.
Endcaps hold the most popular promoted products of the shelves around them as a second place.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from supermarket_env.errors import LayoutError
from supermarket_env.store.layout import Assortment, Layout

if TYPE_CHECKING:
    from supermarket_env.catalogue.schema import Catalogue

Ints = NDArray[np.int64]

ENDCAP_PRODUCTS: Final = 8
"""Products on one endcap."""
_CENTRE: Final = "centre"
_ZONE_WORDS: Final[dict[str, frozenset[str]]] = {
    "produce": frozenset({"produce", "fruit", "fruits", "vegetable", "vegetables"}),
    "bakery": frozenset({"bakery", "bread", "breads"}),
    "meat": frozenset({"meat", "meats", "fish", "seafood", "poultry", "butcher", "deli", "delicatessen"}),
    "dairy": frozenset({"dairy", "egg", "eggs", "cheese", "chilled"}),
}
_NOT_FRESH: Final = frozenset({"frozen", "canned", "tinned", "dried", "pet", "pets", "baby"})


class Planogram(NamedTuple):
    """Where products stand; arrays of shape (n_products,), int64, -1 for none."""

    home_section: Ints
    endcap_section: Ints


def carried_products(catalogue: Catalogue, assortment: Assortment) -> NDArray[np.bool_]:
    """Tell which products a store with this assortment has: (n_products,) booleans.

    Every department keeps its share of the types; the most popular types and, in a type, the most popular products
    stay (ties: the smaller number).
    """
    n = len(catalogue.type_idx)
    carried = np.zeros(n, dtype=np.bool_)
    for t in _carried_types(catalogue, assortment.types):
        first = int(catalogue.type_start[t])
        count = int(catalogue.type_count[t])
        room = count if assortment.products_per_type is None else min(count, assortment.products_per_type)
        order = np.argsort(-catalogue.popularity[first : first + count], kind="stable")
        carried[first + order[:room]] = True
    return carried


def _carried_types(catalogue: Catalogue, room: int | None) -> list[int]:
    filled = [t for t in range(len(catalogue.types)) if int(catalogue.type_count[t]) > 0]
    if room is None or room >= len(filled):
        return filled
    weight = np.bincount(catalogue.type_idx, weights=catalogue.popularity, minlength=len(catalogue.types))
    groups: dict[str, list[int]] = {}
    for t in filled:
        groups.setdefault(catalogue.types[t].department, []).append(t)
    if room < len(groups):
        return sorted(sorted(filled, key=lambda t: (-weight[t], t))[:room])
    shares = _shares([len(group) for group in groups.values()], room)
    chosen: list[int] = []
    for group, share in zip(groups.values(), shares, strict=True):
        chosen += sorted(group, key=lambda t: (-weight[t], t))[:share]
    return sorted(chosen)


def _shares(weights: Sequence[float], total: int) -> list[int]:
    """Divide `total` by weight, each at least 1 (largest remainders; ties: the first). Needs total >= len(weights)."""
    spare = total - len(weights)
    exact = np.array(weights, dtype=np.float64) / sum(weights) * spare
    out = np.floor(exact).astype(np.int64)
    order = np.argsort(-(exact - out), kind="stable")
    out[order[: spare - int(out.sum())]] += 1
    return [int(v) + 1 for v in out]


def _spread(weights: Sequence[float], bins: int) -> list[range]:
    """Give each item a run of bins in order: whole bins when there are enough, else neighbours share a bin."""
    if bins >= len(weights):
        ends = np.cumsum([0, *_shares(weights, bins)])
        return [range(int(a), int(b)) for a, b in pairwise(ends)]
    out: list[range] = []
    left, item = float(sum(weights)), 0
    for b in range(bins):
        goal, load = left / (bins - b), 0.0
        last_item = len(weights) - (bins - b - 1)
        while item < last_item and (load == 0.0 or b == bins - 1 or load + weights[item] / 2 <= goal):
            load += weights[item]
            out.append(range(b, b + 1))
            item += 1
        left -= load
    return out


def _zone_of(department: str, labels: frozenset[str]) -> str:
    """Name the zone of a catalogue department: its own label, a fresh zone, or the centre."""
    own = department.strip().casefold()
    if own in labels:
        return own
    words = set(re.findall(r"[a-z]+", own))
    if not words & _NOT_FRESH:
        for zone, known in _ZONE_WORDS.items():
            if words & known and zone in labels:
                return zone
    return _CENTRE


def _zones(layout: Layout, departments: Sequence[str]) -> list[tuple[list[str], list[int]]]:
    """Pair up departments and section numbers, zone by zone."""
    shelves = [i for i, s in enumerate(layout.sections) if not s.endcap]
    if not shelves:
        raise LayoutError(f"layout {layout.name!r}: every section is an endcap; products need ordinary sections")
    label = {i: layout.sections[i].department.strip().casefold() for i in shelves}
    zone = {d: _zone_of(d, frozenset(label.values())) for d in departments}
    used = set(zone.values())
    pools: dict[str, tuple[list[str], list[int]]] = {}
    for d in departments:
        pools.setdefault(zone[d], ([], []))[0].append(d)
    spare: list[int] = []
    for i in shelves:
        if label[i] in used:
            pools[label[i]][1].append(i)
        else:
            spare.append(i)
    if _CENTRE in pools:
        pools[_CENTRE] = (pools[_CENTRE][0], sorted(pools[_CENTRE][1] + spare))
        if not pools[_CENTRE][1]:  # no shelf without a label of its own: everything shares everything
            return [(list(departments), shelves)]
    return list(pools.values())


def plan_shelves(layout: Layout, catalogue: Catalogue, carried: NDArray[np.bool_], *, seed: int = 0) -> Planogram:
    """Place every carried product.

    Args:
        layout: A valid layout.
        catalogue: The products.
        carried: (n_products,) which of them the store has.
        seed: 0 keeps the department order of the catalogue; another number shuffles the departments inside each zone.

    Returns:
        The planogram; the same for the same arguments.

    Raises:
        LayoutError: When nothing is carried, or all sections are endcaps.
    """
    if not carried.any():
        raise LayoutError(f"layout {layout.name!r}: no product to put on the shelves")
    count = np.bincount(catalogue.type_idx[carried], minlength=len(catalogue.types))
    departments = [
        d for d in catalogue.departments
        if any(count[t] and kind.department == d for t, kind in enumerate(catalogue.types))
    ]  # fmt: skip
    home = np.full(len(carried), -1, dtype=np.int64)
    rng = np.random.Generator(np.random.PCG64([0x9147, seed])) if seed else None
    for names, sections in _zones(layout, departments):
        ordered = [names[i] for i in rng.permutation(len(names))] if rng else names
        groups = [_types_of(catalogue, d, count) for d in ordered]
        weights = [float(sum(count[t] for t in group)) for group in groups]
        for group, part in zip(groups, _spread(weights, len(sections)), strict=True):
            _fill(catalogue, carried, group, [sections[b] for b in part], count, home)
    return Planogram(home, _place_promotions(layout, catalogue, home))


def _types_of(catalogue: Catalogue, department: str, count: NDArray[np.intp]) -> list[int]:
    """Carried types of a department, aisle by aisle."""
    aisle_order = {aisle: i for i, aisle in enumerate(catalogue.aisles)}
    own = [t for t, kind in enumerate(catalogue.types) if kind.department == department and count[t]]
    return sorted(own, key=lambda t: (aisle_order[catalogue.types[t].aisle], t))


def _fill(
    catalogue: Catalogue,
    carried: NDArray[np.bool_],
    types: list[int],
    sections: list[int],
    count: NDArray[np.intp],
    home: Ints,
) -> None:
    for t, part in zip(types, _spread([float(count[t]) for t in types], len(sections)), strict=True):
        first = int(catalogue.type_start[t])
        products = first + np.flatnonzero(carried[first : first + int(catalogue.type_count[t])])
        # Brands stand together, as on a real shelf.
        products = products[np.lexsort((products, catalogue.brand_idx[products]))]
        for b, share in zip(part, np.array_split(products, len(part)), strict=True):
            home[share] = sections[b]


def _place_promotions(layout: Layout, catalogue: Catalogue, home: Ints) -> Ints:
    second = np.full(len(home), -1, dtype=np.int64)
    ends = np.array([i for i, s in enumerate(layout.sections) if s.endcap], dtype=np.int64)
    offers = np.flatnonzero((home >= 0) & (catalogue.promotion > 0))
    if not ends.size or not offers.size:
        return second
    centres = np.array([s.centre for s in layout.sections], dtype=np.float64)
    room = np.full(len(ends), ENDCAP_PRODUCTS, dtype=np.int64)
    for p in offers[np.argsort(-catalogue.popularity[offers], kind="stable")]:
        gap = np.round(np.hypot(*(centres[ends] - centres[home[p]]).T), 6)
        gap[room == 0] = np.inf
        best = int(np.argmin(gap))
        if not np.isfinite(gap[best]):
            break
        second[p] = ends[best]
        room[best] -= 1
    return second
