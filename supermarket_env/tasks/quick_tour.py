"""The length of a shortest tour by compiled code: what every finished episode's log line asks for.

The table and the order of its additions are those of ``tasks.tour``, so the metres are the same to the last bit; the
order of the stops is not worked out.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from supermarket_env.errors import TaskError
from supermarket_env.rules.twins import compiled_function
from supermarket_env.store import Store
from supermarket_env.tasks.tour import MAX_STOPS

Ints = NDArray[np.int64]


class _Stops(NamedTuple):
    """The sections of a store as the table needs them."""

    bits: tuple[int, ...]
    """Of each section the nodes that serve it, one bit a node."""
    first: Ints
    """Where its nodes begin in ``nodes``; one entry more than sections."""
    nodes: Ints
    ends: Ints


@lru_cache(maxsize=64)
def _stops(store: Store) -> _Stops:
    nodes = store.section_nodes
    return _Stops(
        tuple(sum(1 << v for v in set(some)) for some in nodes),
        np.cumsum([0, *map(len, nodes)], dtype=np.int64),
        np.array([v for some in nodes for v in some], dtype=np.int64),
        np.array(store.checkouts, dtype=np.int64),
    )


def quick_metres(store: Store, sections: frozenset[int]) -> float:
    """Return the metres of ``shortest_tour(store, sections)``, rounded to millimetres as there.

    Args:
        store: The store.
        sections: Section numbers; none gives 0 metres.

    Raises:
        TaskError: More than ``MAX_STOPS`` sections that no common node serves.
        ImportError: numba is not installed.
    """
    if not sections:
        return 0.0
    stops = _stops(store)
    bits = stops.bits
    kept: list[int] = []
    every = 0
    for c in sorted(sections, key=lambda c: bits[c].bit_count()):
        mine = bits[c]
        if not any(bits[k] & mine == bits[k] for k in kept):  # else reached anyway: another stop lies inside it
            kept.append(c)
            every |= mine
    if len(kept) > MAX_STOPS:
        raise TaskError(f"an exact walk has at most {MAX_STOPS} stops, got {len(kept)}")
    table = np.empty((1 << len(kept), every.bit_count()))
    found = compiled_function(_metres)
    metres = found(
        store.dist_m,
        store.entrance,
        stops.first,
        stops.nodes,
        stops.ends,
        np.array(kept, dtype=np.int64),
        np.zeros(store.n_nodes, dtype=np.int64),
        np.empty(table.shape[1], dtype=np.int64),
        table,
    )
    return round(metres, 3)  # type: ignore[call-overload, no-any-return]


def _metres(
    dist: Any, start: int, first: Any, nodes: Any, ends: Any, stops: Any, cover: Any, at: Any, table: Any
) -> float:
    """Return the metres of the shortest walk from ``start`` through one node of every stop to one of ``ends``.

    Args:
        dist: Metres between nodes (n, n).
        start: The first node.
        first: Where the nodes of each section begin in ``nodes``, one entry more than sections.
        nodes: The nodes of all sections.
        ends: Nodes the walk may end at.
        stops: Sections to touch, none of which lies inside another.
        cover: Room (n,), all zero: which stops a node serves, one bit each.
        at: Room (k,) for the k nodes that serve any.
        table: Room (2 ** stops, k): the metres of having done a set of stops and standing at a node that serves one.
    """
    n_stops = len(stops)
    for g in range(n_stops):
        for j in range(first[stops[g]], first[stops[g] + 1]):
            cover[nodes[j]] |= 1 << g
    n = 0
    for v in range(len(cover)):
        if cover[v] != 0:
            at[n] = v
            n += 1
    for done in range(1, 1 << n_stops):
        for k in range(n):
            before = done & ~cover[at[k]]
            least = np.inf
            if before == 0:
                least = dist[start, at[k]]
            elif before != done:
                for j in range(n):
                    walked = table[before, j] + dist[at[j], at[k]]
                    if walked < least:
                        least = walked
            table[done, k] = least
    best = np.inf
    for k in range(n):
        last = np.inf
        for e in range(len(ends)):
            if dist[at[k], ends[e]] < last:
                last = dist[at[k], ends[e]]
        if table[(1 << n_stops) - 1, k] + last < best:
            best = table[(1 << n_stops) - 1, k] + last
    return best
