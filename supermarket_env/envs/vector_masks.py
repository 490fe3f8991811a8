"""Masks of legal actions for a batch: arrays kept from turn to turn, in which only what changed is written."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from supermarket_env.envs.spaces import Masks
from supermarket_env.rules.codes import ACTIONS, MAX_CART
from supermarket_env.rules.twins import compiled_function, direct
from supermarket_env.world import World

COPIED_BELOW = 4096
"""Product masks shorter than this are copied whole when the user walks; of longer ones the runs that differ are set."""


class MaskTable:
    """What is legal at every node of one world, worked out once (see :class:`Masks`)."""

    def __init__(self, world: World) -> None:
        masks = Masks(world.app)
        store = world.store
        at = [masks.at(node) for node in range(store.n_nodes)]
        whole = np.stack([mask for mask, _ in at])
        places = store.n_nodes + store.n_sections
        self.nodes = np.ascontiguousarray(whole[:, : store.n_nodes])
        self.sections = np.ascontiguousarray(whole[:, store.n_nodes : places])
        self.n_products = world.catalogue.n_products
        runs = [_runs(row[places:]) for row in whole]
        self.first = np.cumsum([0, *map(len, runs)], dtype=np.int64)
        self.runs = np.ascontiguousarray(np.concatenate(runs), dtype=np.uint32)
        """Products in reach of node a: numbers from [k, 0] to before [k, 1], k in first[a] .. first[a + 1] - 1."""
        dense = self.n_products < COPIED_BELOW
        self.products = np.ascontiguousarray(whole[:, places:]) if dense else np.zeros((0, 0), dtype=np.int8)
        """Product masks by node; empty when they are long, and made of ``runs``."""
        anything = np.array([found for _, found in at], dtype=np.int64)
        tills = np.zeros(store.n_nodes, dtype=np.int64)
        tills[list(store.checkouts)] = 4
        self.kind = anything + tills
        """Row of ``types`` by node, for an empty cart; two rows on for a full one."""
        self.types = np.stack(masks.all_types)


def _runs(mask: Any) -> NDArray[np.int64]:
    """Return where the ones of a mask begin and end, (n, 2): goods of one type have numbers in a row."""
    edges = np.flatnonzero(np.diff(np.concatenate([[0], mask != 0, [0]]).astype(np.int64)))
    return edges.reshape(-1, 2).astype(np.int64)


class Taken(NamedTuple):
    """What a turn came to, by row: new arrays every turn, the caller's."""

    turns: NDArray[np.int64]
    terminated: NDArray[np.bool_]
    rewards: NDArray[np.float64]
    """That of any turn; what was paid is not in it yet."""


def mark(
    first: Any,
    runs: Any,
    near: Any,
    nodes: Any,
    sections: Any,
    kinds: Any,
    types: Any,
    seen: Any,
    marked: Any,
    product: Any,
    cart: Any,
    mask_node: Any,
    mask_section: Any,
    mask_type: Any,
    states: Any,
    fresh: Any,
    each: Any,
    turns: Any,
    terminated: Any,
    rewards: Any,
    start: int,
    n: int,
) -> None:
    """Bring the masks of ``n`` rows up to date with their states, and note what the turn came to.

    Args:
        first: Where the runs of products in reach of a node begin in ``runs``.
        runs: Runs of products in reach, by node (from, to).
        near: Masks of products in reach by node; empty: take ``runs``.
        nodes: Masks of nodes by node.
        sections: Masks of sections by node.
        kinds: Row of ``types`` by node, for an empty cart; two rows on for a full one.
        types: Masks of action types.
        seen: Of each row of the batch: node that is marked (-1 for none), row of ``types`` that is (N, 2).
        marked: Number of marked cart lines and their products (N, 1 + MAX_CART).
        product: Masks of products in reach (N, n_products).
        cart: Masks of products in the cart (N, n_products).
        mask_node: Masks of nodes (N, n_nodes).
        mask_section: Masks of sections (N, n_sections).
        mask_type: Masks of action types (N, number of types).
        states: The states of these rows.
        fresh: Rows that have begun instead of playing a turn (N,); they go on from here.
        each: Reward of a turn that ends nothing (N,).
        turns: Takes the turn (N,).
        terminated: Takes whether the episode has ended (N,).
        rewards: Takes the reward of the turn (N,).
        start: Number of the first of these rows.
        n: How many they are.
    """
    for j in range(n):
        s = states[j]
        k = start + j
        if fresh[k]:
            s.end = 0
        turns[k] = s.turn
        terminated[k] = s.end != 0
        rewards[k] = 0.0 if fresh[k] else each[k]
        node = s.node
        at = seen[k][0]
        if node != at:
            seen[k][0] = node
            row = product[k]
            if len(near) > 0:
                now = near[node]
                for p in range(len(row)):
                    row[p] = now[p]
            else:
                if at >= 0:
                    for r in range(first[at], first[at + 1]):
                        for p in range(runs[r][0], runs[r][1]):
                            row[p] = 0
                for r in range(first[node], first[node + 1]):
                    for p in range(runs[r][0], runs[r][1]):
                        row[p] = 1
            row = mask_node[k]
            now = nodes[node]
            for p in range(len(row)):
                row[p] = now[p]
            row = mask_section[k]
            now = sections[node]
            for p in range(len(row)):
                row[p] = now[p]
        kind = kinds[node] + (2 if s.n_cart > 0 else 0)
        if kind != seen[k][1]:
            seen[k][1] = kind
            for p in range(len(types[kind])):
                mask_type[k][p] = types[kind][p]
        same = 1 if s.n_cart == marked[k][0] else 0
        if same == 1:
            for c in range(s.n_cart):
                if s.cart_p[c] != marked[k][1 + c]:
                    same = 0
        if same == 0:
            for c in range(marked[k][0]):
                cart[k][marked[k][1 + c]] = 0
            marked[k][0] = s.n_cart
            for c in range(s.n_cart):
                marked[k][1 + c] = s.cart_p[c]
                cart[k][s.cart_p[c]] = 1


class BatchMasks:
    """The mask arrays of ``n`` environments; they stay the same objects, and ``mark`` brings them up to date."""

    def __init__(self, table: MaskTable, n: int) -> None:
        self.table = table
        self.product = np.zeros((n, table.n_products), dtype=np.int8)
        self.cart = np.zeros((n, table.n_products), dtype=np.int8)
        self.node = np.zeros((n, table.nodes.shape[1]), dtype=np.int8)
        self.section = np.zeros((n, table.sections.shape[1]), dtype=np.int8)
        self.type = np.zeros((n, len(ACTIONS)), dtype=np.int8)
        self._seen = np.full((n, 2), -1, dtype=np.int16)
        self._marked = np.zeros((n, 1 + MAX_CART), dtype=np.int32)
        self._fixed = (
            *(table.first, table.runs, table.products, table.nodes, table.sections, table.kind, table.types),
            *(self._seen, self._marked, self.product, self.cart, self.node, self.section, self.type),
        )
        self._run: Any = None

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_run": None}

    def mark(self, states: Any, fresh: Any, each: Any, taken: Taken, start: int, n: int, *, compiled: bool) -> None:
        """Bring the masks of ``n`` rows from ``start`` on up to date with ``states``, theirs; see :func:`mark`."""
        arguments = (*self._fixed, states, fresh, each, *taken, start, n)
        if self._run is not None:
            self._run(*arguments)
            return
        run = compiled_function(mark) if compiled else mark
        run(*arguments)
        self._run = direct(run)

    def show(self, observation: dict[str, Any]) -> None:
        """Put the masks into an observation: this object's own arrays."""
        observation["mask_type"] = self.type
        observation["mask_node"] = self.node
        observation["mask_section"] = self.section
        observation["mask_product"] = self.product
        observation["mask_cart"] = self.cart
