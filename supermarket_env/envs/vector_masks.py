"""Masks of legal actions for a batch: arrays kept from turn to turn, in which only what changed is written."""

from __future__ import annotations

from typing import Any

import numpy as np

from supermarket_env.envs.spaces import Masks
from supermarket_env.envs.vector_rows import Batch
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
        reach = [np.flatnonzero(row[places:]) for row in whole]
        self.first = np.cumsum([0, *map(len, reach)], dtype=np.int64)
        self.reach = np.concatenate(reach).astype(np.int64)
        """Products in reach of node a: entries first[a] .. first[a + 1] - 1."""
        self.n_products = world.catalogue.n_products
        anything = np.array([found for _, found in at], dtype=np.int64)
        tills = np.zeros(store.n_nodes, dtype=np.int64)
        tills[list(store.checkouts)] = 4
        self.kind = anything + tills
        """Row of ``types`` by node, for an empty cart; two rows on for a full one."""
        self.types = np.stack(masks.all_types)


def mark(first: Any, reach: Any, states: Any, at: Any, marked: Any, product: Any, cart: Any, n: int) -> None:
    """Bring the product masks of ``n`` rows up to date with their states; only what changed is written.

    Args:
        first: Where the products in reach of a node begin in ``reach``.
        reach: Products in reach, by node.
        states: The states.
        at: Node whose products are marked in each row, -1 for none (n,).
        marked: Number of marked cart lines and their products (n, 1 + MAX_CART).
        product: Masks of products in reach (n, n_products).
        cart: Masks of products in the cart (n, n_products).
        n: Number of rows.
    """
    for k in range(n):
        s = states[k]
        if s.node != at[k]:
            if at[k] >= 0:
                for j in range(first[at[k]], first[at[k] + 1]):
                    product[k, reach[j]] = 0
            at[k] = s.node
            for j in range(first[at[k]], first[at[k] + 1]):
                product[k, reach[j]] = 1
        same = 1 if s.n_cart == marked[k, 0] else 0
        if same == 1:
            for j in range(s.n_cart):
                if s.cart_p[j] != marked[k, 1 + j]:
                    same = 0
        if same == 0:
            for j in range(marked[k, 0]):
                cart[k, marked[k, 1 + j]] = 0
            marked[k, 0] = s.n_cart
            for j in range(s.n_cart):
                marked[k, 1 + j] = s.cart_p[j]
                cart[k, s.cart_p[j]] = 1


class BatchMasks:
    """The mask arrays of ``n`` environments; they stay the same objects, and ``fill`` brings them up to date."""

    def __init__(self, table: MaskTable, n: int) -> None:
        self.table = table
        self.product = np.zeros((n, table.n_products), dtype=np.int8)
        self.cart = np.zeros((n, table.n_products), dtype=np.int8)
        self._at = np.full(n, -1, dtype=np.int64)
        self._marked = np.zeros((n, 1 + MAX_CART), dtype=np.int64)

    def fill(self, batch: Batch, observation: dict[str, Any]) -> None:
        """Bring the masks up to date and put them into an observation; the product masks are views of this object's."""
        table = self.table
        bring_up_to_date = compiled_function(mark) if batch.rules.compiled else mark
        n = len(self._at)
        bring_up_to_date(table.first, table.reach, batch.states, self._at, self._marked, self.product, self.cart, n)
        node = self._at
        kind = table.kind[node] + 2 * (self._marked[:, 0] > 0)
        observation["mask_type"] = table.types[kind]
        observation["mask_node"] = table.nodes[node]
        observation["mask_section"] = table.sections[node]
        observation["mask_product"] = self.product
        observation["mask_cart"] = self.cart
