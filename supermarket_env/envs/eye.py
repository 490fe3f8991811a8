"""What an assistant is shown: the observation of ``Supermarket-v0``, for every door that plays a game at a time.

An observation is one stretch of memory: features first, masks behind them, and every part of it is a view. A new one
begins as a copy of what never changes at the node where the user stands.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np

from supermarket_env.envs.frames import ROW, frame_type, framed
from supermarket_env.envs.game import Game
from supermarket_env.envs.spaces import Masks, split_observation
from supermarket_env.rules.observe import OBSERVATION_SIZE
from supermarket_env.world import World


@lru_cache(maxsize=64)
def _frame(n_types: int, n_nodes: int, n_sections: int, n_products: int) -> np.dtype[np.void]:
    """Return the layout of an observation of such a world."""
    parts = split_observation(np.zeros(OBSERVATION_SIZE, dtype=np.float32))
    masks = {
        "mask_node": n_nodes,
        "mask_section": n_sections,
        "mask_product": n_products,
        "mask_type": n_types,
        "mask_cart": n_products,
    }
    return frame_type({name: part.shape for name, part in parts.items()}, masks)


@lru_cache(maxsize=64)
def _blanks(world: World) -> dict[int, tuple[bytearray, int]]:
    """Return what all eyes in a world share, filled as nodes are reached.

    By node: the observation that shows its masks and nothing else, up to the mask of the cart, and the number of its
    mask of types.
    """
    return {}


class AssistantEye:
    """What one assistant is shown: the observation of ``Supermarket-v0``."""

    def __init__(self, game: Game, masks: Masks) -> None:
        self._game = game
        self._masks = masks
        store, catalogue = masks.world.store, masks.world.catalogue
        self._checkouts = frozenset(game.world.store.checkouts)
        self._types = [mask.tobytes() for mask in masks.all_types]
        self._frame = _frame(len(self._types[0]), store.n_nodes, store.n_sections, catalogue.n_products)
        fields: Any = self._frame.fields
        self._type_span = slice(at := fields["mask_type"][1], at + len(self._types[0]))
        self._head_size: int = fields["mask_cart"][1]
        self._blank = _blanks(game.world)
        self._empty = bytes(catalogue.n_products)
        self._cart: bytes | bytearray = self._empty
        """The mask of products in the cart; the very ``_empty`` while there are none."""

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_blank": None, "_cart": None if self._cart is self._empty else self._cart}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._blank = _blanks(self._game.world)
        self._cart = self._empty if self._cart is None else self._cart

    def reset(self) -> None:
        """Begin an episode."""
        self._cart = self._empty

    def follow(self) -> None:
        """Note what the latest turn did to the cart."""
        outcome = self._game.kernel.o
        if outcome.cleared:
            self._cart = self._empty
        elif outcome.cart_op:
            bought = self._game.bought
            cart = self._cart if isinstance(self._cart, bytearray) else bytearray(self._empty)
            cart[outcome.cart_p] = bought[outcome.cart_p] > 0
            gone = bought[outcome.cart_p] <= 0 and not any(q > 0 for q in bought.values())
            self._cart = self._empty if gone else cart

    def observation(self) -> dict[str, Any]:
        """Return the observation, made of new arrays."""
        game = self._game
        node = game.kernel.node
        blank, kind = self._blank.get(node) or self._blank_at(node)
        memory = blank + self._cart  # one new stretch of memory, written once
        if self._cart is not self._empty:
            kind += 2
        memory[self._type_span] = self._types[kind]
        part = framed(self._frame, memory)
        game.kernel.observe(part[ROW])
        return {
            "needs": part["needs"],
            "candidates": part["candidates"],
            "moves": part["moves"],
            "dialogue": part["dialogue"],
            "trip": part["trip"],
            "mask_node": part["mask_node"],
            "mask_section": part["mask_section"],
            "mask_product": part["mask_product"],
            "mask_type": part["mask_type"],
            "mask_cart": part["mask_cart"],
            "words": game.last_words,
        }

    def _blank_at(self, node: int) -> tuple[bytearray, int]:
        mask, anything = self._masks.at(node)
        made = bytearray(self._head_size)
        fields: Any = self._frame.fields
        first: int = fields["mask_node"][1]
        made[first : first + len(mask)] = mask.tobytes()
        found = self._blank[node] = made, anything + 4 * (node in self._checkouts)
        return found
