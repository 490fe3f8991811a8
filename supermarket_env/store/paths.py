"""Walking: shortest metres, moves along a straight line, fewest moves and the next one.

networkx builds the graph and scipy runs the all-pairs searches, once per layout; the rules of the game only read the
resulting arrays.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from supermarket_env.store.layout import Layout

if TYPE_CHECKING:
    import networkx as nx

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

_STRAIGHT_COS = math.cos(math.radians(5.0))
"""Two edges belong to one straight line when their directions differ by at most 5 degrees."""
_MOVE_WEIGHT = float(2**20)
"""Far above any walk in metres, so that one search minimises moves first and metres second."""
_TIE = 1e-6


class Move(NamedTuple):
    """One move: from a node along a straight line to another."""

    node: int
    metres: float
    passed: tuple[int, ...]
    """Nodes walked over in between, in order, without start and end."""


class Paths(NamedTuple):
    """Walking tables of a layout with n nodes."""

    dist_m: Floats
    """(n, n) shortest walk in metres; inf when not connected."""
    move_targets: tuple[tuple[Move, ...], ...]
    """Per node its moves, ascending by target."""
    moves: Ints
    """(n, n) fewest moves; -1 when not connected."""
    path_m: Floats
    """(n, n) metres of the shortest among the walks with the fewest moves."""
    next_move: Ints
    """(n, n) first target on that walk (ties: the smaller node); a on the diagonal, -1 when not connected."""


def layout_graph(layout: Layout) -> nx.Graph:
    """Return the walkable graph: nodes carry number, x, y and kind, edges length_m."""
    import networkx as nx

    graph: nx.Graph = nx.Graph(name=layout.name)
    for number, node in enumerate(layout.nodes):
        graph.add_node(node.id, number=number, x=node.x, y=node.y, kind=node.kind)
    for edge in layout.edges:
        graph.add_edge(edge.a, edge.b, length_m=edge.length_m)
    return graph


def compute_paths(layout: Layout) -> Paths:
    """Compute the walking tables of a layout."""
    n = len(layout.nodes)
    numbers = layout.node_numbers
    pairs = [(numbers[e.a], numbers[e.b], e.length_m) for e in layout.edges]
    dist_m = _all_pairs(n, pairs + [(b, a, w) for a, b, w in pairs])
    targets = _move_targets(layout, pairs)
    arcs = [(a, move.node, move.metres) for a in range(n) for move in targets[a]]
    cost = _all_pairs(n, [(a, b, _MOVE_WEIGHT + metres) for a, b, metres in arcs])
    joined = np.isfinite(cost)
    filled = np.where(joined, cost, 0.0)
    moves = np.floor(filled / _MOVE_WEIGHT).astype(np.int64)
    path_m = np.where(joined, filled - moves * _MOVE_WEIGHT, np.inf)
    return Paths(dist_m, targets, np.where(joined, moves, -1), path_m, _next_move(n, targets, cost))


def _all_pairs(n: int, arcs: list[tuple[int, int, float]]) -> Floats:
    from scipy.sparse import csr_matrix
    from scipy.sparse.csgraph import dijkstra

    best: dict[tuple[int, int], float] = {}
    for a, b, weight in arcs:
        best[a, b] = min(weight, best.get((a, b), math.inf))
    keys = np.array(sorted(best), dtype=np.int64).reshape(-1, 2)
    weights = np.array([best[a, b] for a, b in keys.tolist()], dtype=np.float64)
    matrix: Any = csr_matrix((weights, (keys[:, 0], keys[:, 1])), shape=(n, n))
    return np.ascontiguousarray(dijkstra(matrix, directed=True), dtype=np.float64)


def _move_targets(layout: Layout, pairs: list[tuple[int, int, float]]) -> tuple[tuple[Move, ...], ...]:
    neighbours: list[dict[int, float]] = [{} for _ in layout.nodes]
    for a, b, metres in pairs:
        neighbours[a][b] = min(metres, neighbours[a].get(b, math.inf))
        neighbours[b][a] = neighbours[a][b]
    xy = [(node.x, node.y) for node in layout.nodes]

    def direction(a: int, b: int) -> tuple[float, float]:
        dx, dy = xy[b][0] - xy[a][0], xy[b][1] - xy[a][1]
        size = math.hypot(dx, dy) or 1.0
        return dx / size, dy / size

    def moves_from(start: int) -> tuple[Move, ...]:
        found: dict[int, Move] = {}
        lines: list[tuple[tuple[int, ...], float, tuple[tuple[float, float], ...]]] = [((start,), 0.0, ())]
        for _ in range(layout.step_edges):
            longer = []
            for walked, metres, headings in lines:
                for b, length in sorted(neighbours[walked[-1]].items()):
                    new = direction(walked[-1], b)
                    if b in walked or any(h[0] * new[0] + h[1] * new[1] < _STRAIGHT_COS for h in headings):
                        continue
                    total = metres + length
                    if b not in found or total < found[b].metres - _TIE:
                        found[b] = Move(b, total, walked[1:])
                    longer.append(((*walked, b), total, (*headings, new)))
            lines = longer
        return tuple(found[b] for b in sorted(found))

    return tuple(moves_from(a) for a in range(len(xy)))


def _next_move(n: int, targets: tuple[tuple[Move, ...], ...], cost: Floats) -> Ints:
    table = np.full((n, n), -1, dtype=np.int64)
    for a in range(n):
        if targets[a]:
            number = np.array([move.node for move in targets[a]], dtype=np.int64)
            step = np.array([move.metres + _MOVE_WEIGHT for move in targets[a]])
            total = step[:, None] + cost[number]
            best = total.min(axis=0)
            first = np.argmax(total <= best[None] + _TIE, axis=0)
            table[a] = np.where(np.isfinite(best), number[first], -1)
        table[a, a] = a
    return table
