"""Exact shortest walks through a store: by metres (tours) and by moves (turns).

A stop is a set of standing nodes, any of which will do. The walk starts at the entrance, touches every stop in any
order and ends at the checkout that is best for the whole. Solved by dynamic programming over (stops done, node), so the
answer is exact; a table entry is a set of stops, which is why their number is limited.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Sequence
from functools import lru_cache
from operator import add
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from supermarket_env.errors import TaskError
from supermarket_env.store import Store

MAX_STOPS: Final = 15
"""Most stops of one walk; the table doubles with each."""
FEW_STOPS: Final = 5
"""Walks with at most this many stops are worked out in plain Python."""
_METRE_SHARE: Final = 1e-6
"""Metres break ties between walks of equally many moves; a walk stays far below a million metres."""

_BLOCK: Final = 1 << 20
"""Table entries worked on at once, to bound memory."""

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Stop = tuple[int, ...]


class Tour(NamedTuple):
    """A shortest walk in metres and the order in which it reaches what was asked for."""

    metres: float
    order: tuple[int, ...]


class Walk(NamedTuple):
    """A walk with the fewest moves."""

    moves: int
    nodes: tuple[int, ...]
    """The nodes to stop at, entrance first, checkout last; between them the store's ``next_move`` leads the way."""


class _Visit(NamedTuple):
    cost: float
    nodes: tuple[int, ...]


def shortest_tour(store: Store, sections: Iterable[int]) -> Tour:
    """Return the shortest walk entrance - every section - checkout; the last few thousand answers are kept.

    Args:
        store: The store.
        sections: Section numbers, repeats allowed; none gives 0 metres.

    Returns:
        Metres (rounded to millimetres) and the sections in the order they are reached.

    Raises:
        TaskError: More than ``MAX_STOPS`` sections that no common node serves.
    """
    return _section_tour(store, frozenset(int(c) for c in sections))


@lru_cache(maxsize=8192)
def _section_tour(store: Store, sections: frozenset[int]) -> Tour:
    names = sorted(sections)
    visit = shortest_visit(store.dist_m, store.entrance, [store.section_nodes[c] for c in names], store.checkouts)
    return Tour(round(visit.cost, 3), _order(names, [store.section_nodes[c] for c in names], visit.nodes))


def shortest_product_tour(store: Store, products: Iterable[int]) -> Tour:
    """Return the shortest walk that takes every product, at its home section or its endcap, whichever suits.

    Args:
        store: The store.
        products: Numbers of carried products, repeats allowed; none gives 0 metres.

    Returns:
        Metres (rounded to millimetres) and the products in the order they are reached.

    Raises:
        TaskError: A product is not carried, or there are too many stops.
    """
    numbers = sorted(set(products))
    stops = [stop_of(store, p) for p in numbers]
    visit = shortest_visit(store.dist_m, store.entrance, stops, store.checkouts)
    return Tour(round(visit.cost, 3), _order(numbers, stops, visit.nodes))


def fewest_moves(store: Store, products: Iterable[int]) -> Walk:
    """Return the walk with the fewest moves that takes every product and ends at a checkout.

    Args:
        store: The store.
        products: Numbers of carried products, repeats allowed; none gives the walk that stays at the entrance.

    Raises:
        TaskError: A product is not carried, or there are too many stops.
    """
    stops = [stop_of(store, p) for p in sorted(set(products))]
    visit = shortest_visit(_move_cost(store), store.entrance, stops, store.checkouts)
    return Walk(int(visit.cost), visit.nodes)


def fewest_turns(store: Store, lines: Collection[tuple[int, int]]) -> int:
    """Return the turns of the optimal trip for a cart: moves, one add a line, one checkout.

    Args:
        store: The store.
        lines: (product, quantity) pairs; an empty cart takes one turn, in which the user leaves.
    """
    return fewest_moves(store, (p for p, _ in lines)).moves + len(lines) + 1


def stop_of(store: Store, product: int) -> Stop:
    """Return the nodes from which a product can be taken, ascending.

    Raises:
        TaskError: The store does not carry it.
    """
    sections = store.product_sections(product)
    if not sections:
        raise TaskError(f"store {store.name!r} does not carry product number {product}")
    return tuple(sorted({node for c in sections for node in store.section_nodes[c]}))


@lru_cache(maxsize=64)
def _move_cost(store: Store) -> Floats:
    return store.moves + _METRE_SHARE * store.path_m


def _order(names: Sequence[int], stops: Sequence[Stop], nodes: Sequence[int]) -> tuple[int, ...]:
    """Sort names by the first node of the walk that serves them, then by number."""
    place = {node: k for k, node in reversed(list(enumerate(nodes)))}
    reached = [min(place[n] for n in stop if n in place) for stop in stops]
    return tuple(name for _, name in sorted(zip(reached, names, strict=True)))


def _needed(stops: Iterable[Stop]) -> list[frozenset[int]]:
    """Drop stops that are reached anyway because another stop lies inside them."""
    kept: list[frozenset[int]] = []
    for stop in sorted({frozenset(s) for s in stops}, key=lambda s: (len(s), sorted(s))):
        if not any(other <= stop for other in kept):
            kept.append(stop)
    return kept


def shortest_visit(cost: Floats, start: int, stops: Sequence[Stop], ends: Sequence[int]) -> _Visit:
    """Return the cheapest way from ``start`` through one node of every stop to one of ``ends``.

    Args:
        cost: (n, n) cost between nodes, which must obey the triangle inequality.
        start: First node.
        stops: Per stop the nodes that serve it, none empty; no stops cost nothing.
        ends: Nodes the walk may end at.

    Returns:
        The cost and the nodes stopped at, ``start`` first and the end last.

    Raises:
        TaskError: More than ``MAX_STOPS`` stops.
    """
    groups = _needed(stops)
    if not groups:
        return _Visit(0.0, (start,))
    if len(groups) > MAX_STOPS:
        raise TaskError(f"an exact walk has at most {MAX_STOPS} stops, got {len(groups)}")
    if len(groups) <= FEW_STOPS:
        return _visit_few(cost, start, groups, ends)
    nodes = np.array(sorted(frozenset().union(*groups)), dtype=np.int64)
    cover = np.array(
        [sum(1 << g for g, group in enumerate(groups) if v in group) for v in nodes.tolist()], dtype=np.int64
    )
    best, came = _fill(cost[np.ix_(nodes, nodes)], cost[start, nodes], cover, len(groups))
    till = cost[np.ix_(nodes, np.array(ends, dtype=np.int64))]
    total = best[-1] + till.min(axis=1)
    last = int(total.argmin())
    trail = _trail(came, cover, last)
    walk = (start, *(int(nodes[v]) for v in trail), int(ends[int(till[last].argmin())]))
    return _Visit(float(total[last]), walk)


def _visit_few(cost: Floats, start: int, groups: Sequence[frozenset[int]], ends: Sequence[int]) -> _Visit:
    """Do what ``shortest_visit`` does, bit for bit, faster for a few stops (arrays cost more than their work there)."""
    nodes = sorted(frozenset().union(*groups))
    covers = [sum(1 << g for g, group in enumerate(groups) if v in group) for v in nodes]
    rows = [cost[v].tolist() for v in nodes]
    toward = [[row[v] for row in rows] for v in nodes]
    first = cost[start].tolist()
    best = [[math.inf] * len(nodes) for _ in range(1 << len(groups))]
    came = [[-1] * len(nodes) for _ in range(1 << len(groups))]
    for done in range(1, 1 << len(groups)):
        reached, back = best[done], came[done]
        for k, cover in enumerate(covers):
            before = done & ~cover
            if before == 0:
                reached[k] = first[nodes[k]]
            elif before != done:
                sums = list(map(add, best[before], toward[k]))
                reached[k] = least = min(sums)
                back[k] = sums.index(least)
    tills = [[row[e] for e in ends] for row in rows]
    total = [reach + min(till) for reach, till in zip(best[-1], tills, strict=True)]
    last = total.index(min(total))
    trail, done, k = [], len(best) - 1, last
    while k >= 0:
        trail.append(nodes[k])
        done, k = done & ~covers[k], came[done][k]
    end = ends[tills[last].index(min(tills[last]))]
    return _Visit(total[last], (start, *trail[::-1], int(end)))


def _fill(between: Floats, first: Floats, cover: Ints, n_groups: int) -> tuple[Floats, Ints]:
    """Fill the table: cheapest cost of having done a set of stops and standing at a node that serves one of them.

    Sets are taken by size, all of one size at a time; ``came`` is the node before (-1 for the first one).
    """
    n = len(cover)
    best = np.full((1 << n_groups, n), np.inf)
    came = np.full((1 << n_groups, n), -1, dtype=np.int64)
    toward = np.ascontiguousarray(between.T)
    chunk = max(1, _BLOCK // (n * n))
    for layer in _layers(n_groups):
        for k in range(0, len(layer), chunk):
            sets = layer[k : k + chunk]
            before = sets[:, None] & ~cover
            via = best[before] + toward
            pick = via.argmin(axis=2)
            reach = np.take_along_axis(via, pick[:, :, None], axis=2)[:, :, 0]
            reach[before == sets[:, None]] = np.inf
            start = before == 0
            pick[start] = -1
            best[sets] = np.where(start, first, reach)
            came[sets] = pick
    return best, came


@lru_cache(maxsize=MAX_STOPS + 1)
def _layers(n_groups: int) -> tuple[Ints, ...]:
    """Return all non-empty sets of stops as bit masks, grouped by size."""
    sets = np.arange(1 << n_groups)
    sizes = sum((sets >> g & 1) for g in range(n_groups))
    return tuple(sets[sizes == size] for size in range(1, n_groups + 1))


def _trail(came: Ints, cover: Ints, last: int) -> list[int]:
    done, node = len(came) - 1, last
    trail = []
    while node >= 0:
        trail.append(node)
        done, node = done & ~int(cover[node]), int(came[done, node])
    return trail[::-1]
