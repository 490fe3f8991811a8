"""Masks of legal actions for a batch: arrays kept from turn to turn, in which only what changed is written."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from supermarket_env.envs.spaces import Masks
from supermarket_env.rules.codes import MAX_CART
from supermarket_env.rules.twins import compiled_function
from supermarket_env.world import World


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
        runs = [_runs(row[places:]) for row in whole]
        self.first = np.cumsum([0, *map(len, runs)], dtype=np.int64)
        self.runs = np.ascontiguousarray(np.concatenate(runs))
        """Products in reach of node a: numbers from [k, 0] to before [k, 1], k in first[a] .. first[a + 1] - 1."""
        self.n_products = world.catalogue.n_products
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


def mark(
    first: Any, runs: Any, states: Any, seen: Any, marked: Any, product: Any, cart: Any, start: int, n: int
) -> None:
    """Bring the product masks of ``n`` rows up to date with their states; only what changed is written.

    Args:
        first: Where the runs of products in reach of a node begin in ``runs``.
        runs: Runs of products in reach, by node (from, to).
        states: The states of these rows.
        seen: Of each row of the batch: node whose products are marked (-1 for none), turn, end code (N, 3).
        marked: Number of marked cart lines and their products (N, 1 + MAX_CART).
        product: Masks of products in reach (N, n_products).
        cart: Masks of products in the cart (N, n_products).
        start: Number of the first of these rows.
        n: How many they are.
    """
    for j in range(n):
        s = states[j]
        k = start + j
        seen[k, 1] = s.turn
        seen[k, 2] = s.end
        at = seen[k, 0]
        if s.node != at:
            if at >= 0:
                for r in range(first[at], first[at + 1]):
                    for p in range(runs[r, 0], runs[r, 1]):
                        product[k, p] = 0
            at = s.node
            seen[k, 0] = at
            for r in range(first[at], first[at + 1]):
                for p in range(runs[r, 0], runs[r, 1]):
                    product[k, p] = 1
        same = 1 if s.n_cart == marked[k, 0] else 0
        if same == 1:
            for c in range(s.n_cart):
                if s.cart_p[c] != marked[k, 1 + c]:
                    same = 0
        if same == 0:
            for c in range(marked[k, 0]):
                cart[k, marked[k, 1 + c]] = 0
            marked[k, 0] = s.n_cart
            for c in range(s.n_cart):
                marked[k, 1 + c] = s.cart_p[c]
                cart[k, s.cart_p[c]] = 1


class BatchMasks:
    """The mask arrays of ``n`` environments; they stay the same objects, and ``mark`` brings them up to date."""

    def __init__(self, table: MaskTable, n: int) -> None:
        self.table = table
        self.product = np.zeros((n, table.n_products), dtype=np.int8)
        self.cart = np.zeros((n, table.n_products), dtype=np.int8)
        self._seen = np.zeros((n, 3), dtype=np.int64)
        self._seen[:, 0] = -1
        self._marked = np.zeros((n, 1 + MAX_CART), dtype=np.int64)

    def mark(self, states: Any, start: int, n: int, *, compiled: bool) -> None:
        """Bring the masks of ``n`` rows from ``start`` on up to date with their states."""
        run = compiled_function(mark) if compiled else mark
        table = self.table
        run(table.first, table.runs, states, self._seen, self._marked, self.product, self.cart, start, n)

    @property
    def turns(self) -> NDArray[np.int64]:
        """The turn of every row when it was marked, a new array (n,)."""
        return self._seen[:, 1].copy()

    @property
    def ends(self) -> NDArray[np.int64]:
        """The end code of every row when it was marked, a new array (n,)."""
        return self._seen[:, 2].copy()

    def show(self, observation: dict[str, Any]) -> None:
        """Put the masks into an observation; the product masks are this object's own arrays."""
        table, node = self.table, self._seen[:, 0]
        kind = table.kind[node] + 2 * (self._marked[:, 0] > 0)
        observation["mask_type"] = table.types.take(kind, axis=0)
        observation["mask_node"] = table.nodes.take(node, axis=0)
        observation["mask_section"] = table.sections.take(node, axis=0)
        observation["mask_product"] = self.product
        observation["mask_cart"] = self.cart
