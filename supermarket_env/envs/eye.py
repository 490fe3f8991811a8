"""What an assistant is shown: the observation of ``Supermarket-v0``, for every door that plays a game at a time."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from supermarket_env.envs.game import Game
from supermarket_env.envs.spaces import Masks, split_observation


class AssistantEye:
    """What one assistant is shown: the observation of ``Supermarket-v0``."""

    def __init__(self, game: Game, masks: Masks) -> None:
        self._game = game
        self._masks = masks
        self._checkouts = frozenset(game.world.store.checkouts)
        self.cart: NDArray[np.int8] = masks.empty_cart

    def reset(self) -> None:
        """Begin an episode."""
        self.cart = self._masks.empty_cart

    def follow(self) -> None:
        """Note what the latest turn did to the cart."""
        game = self._game
        outcome = game.kernel.o
        if outcome.cleared:
            self.cart = self._masks.empty_cart
        elif outcome.cart_op:
            self.cart = self._masks.with_product(self.cart, outcome.cart_p, game.bought)

    def observation(self) -> dict[str, Any]:
        """Return the observation, made of new arrays."""
        game, masks = self._game, self._masks
        node = game.kernel.node
        observation: dict[str, Any] = split_observation(game.kernel.observation())
        anything = masks.fill(node, observation)
        cart = self.cart is not masks.empty_cart
        observation["mask_type"] = masks.types(anything=anything, cart=cart, at_checkout=node in self._checkouts).copy()
        observation["mask_cart"] = self.cart.copy()
        observation["words"] = game.last_words
        return observation
