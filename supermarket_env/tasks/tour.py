"""Exact shortest walks through a store: by metres (tours) and by moves (turns).

A stop is a set of standing nodes, any of which will do. The walk starts at the entrance, touches every stop in any
order and ends at the checkout that is best for the whole. Solved by dynamic programming over (stops done, node), so the
answer is exact; a table entry is a set of stops, which is why their number is limited.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from functools import lru_cache
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from supermarket_env.errors import TaskError
from supermarket_env.store import Store

MAX_STOPS: Final = 15
"""Most stops of one walk; the table doubles with each."""
_METRE_SHARE: Final = 1e-6
"""Metres break ties between walks of equally many moves; a walk stays far below a million metres."""

Floats = NDArray[np.float64]
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
    visit = shortest_visit(
        store.dist_m, store.entrance, [store.section_nodes[c] for c in names], store.checkouts
    )
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
    nodes = np.array(sorted(frozenset().union(*groups)), dtype=np.int64)
    cover = np.array([sum(1 << g for g, group in enumerate(groups) if v in group) for v in nodes.tolist()])
    best, came = _fill(cost[np.ix_(nodes, nodes)], cost[start, nodes], cover, len(groups))
    till = cost[np.ix_(nodes, list(ends))]
    total = best[-1] + till.min(axis=1)
    last = int(total.argmin())
    trail = _trail(came, cover, last)
    walk = (start, *(int(nodes[v]) for v in trail), int(ends[int(till[last].argmin())]))
    return _Visit(float(total[last]), walk)


def _fill(between: Floats, first: Floats, cover: Any, n_groups: int) -> tuple[Floats, Any]:
    """Fill the table: cheapest cost of standing at node v with exactly the stops of a set done, and where from."""
    n = len(cover)
    columns = np.arange(n)
    best = np.full((1 << n_groups, n), np.inf)
    came = np.full((1 << n_groups, n, 2), -1, dtype=np.int32)
    best[cover, columns] = first
    for done in range(1, (1 << n_groups) - 1):
        row = best[done]
        live = np.flatnonzero(row < np.inf)
        if not len(live):
            continue
        via = row[live, None] + between[live]
        pick = via.argmin(axis=0)
        arrive = via[pick, columns]
        then = cover | done
        better = np.flatnonzero((arrive < best[then, columns]) & (then != done))
        best[then[better], better] = arrive[better]
        came[then[better], better, 0] = done
        came[then[better], better, 1] = live[pick[better]]
    return best, came


def _trail(came: Any, cover: Any, last: int) -> list[int]:
    done, node = len(came) - 1, last
    trail = [node]
    while came[done, node, 0] >= 0:
        done, node = (int(x) for x in came[done, node])
        trail.append(node)
    return trail[::-1]
