"""What a turn and a trip earn: need satisfaction when the user pays, less a little for every turn."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

from supermarket_env.envs.narrate import short
from supermarket_env.metrics.satisfaction import Taker, TrueNeed, assign, plain_worth, takers, true_needs
from supermarket_env.tasks.prepare import Prepared

TURN_COST = 0.1
"""Reward lost over a trip that takes exactly the optimal number of turns."""


@lru_cache(maxsize=4096)
def turn_reward(prepared: Prepared) -> float:
    """Return the reward of a turn that ends nothing."""
    return short(-TURN_COST / prepared.optimal_turns)


@lru_cache(maxsize=4096)
def own_limit(prepared: Prepared) -> int:
    """Return the turn limit of a task."""
    return prepared.max_turns


class CartValue:
    """What carts are worth in one task; what follows from the task is looked up once.

    Args:
        prepared: The task.
    """

    __slots__ = ("_each", "_ids", "_needs", "best", "sole")

    def __init__(self, prepared: Prepared) -> None:
        catalogue = prepared.world.catalogue
        self.best = prepared.U_star
        """Value of the best cart."""
        self._each = turn_reward(prepared)
        self._ids = catalogue.ids
        self._needs: tuple[TrueNeed, ...] = true_needs(prepared.logged_truth) or ()
        """The needs as the metrics read them from the logged truth."""
        found = takers(self._needs)
        self.sole: Mapping[int, Taker] | None = None
        """Which need takes each product, by product number; None when some product could serve two."""
        if found is not None:
            self.sole = {catalogue.number(name): taker for name, taker in found.items()}

    def share(self, cart: Mapping[int, int]) -> float:
        """Return the value (0..1) of a cart, quantities by product number, as a share of the best one's."""
        if self.best <= 0.0:
            return 0.0
        worth = None if self.sole is None else plain_worth(self.sole, cart)
        if worth is None:
            names = self._ids
            worth = assign(self._needs, {names[p]: q for p, q in cart.items() if q > 0}).utility
        return max(0.0, worth) / self.best

    def reward(self, paid: Mapping[int, int]) -> float:
        """Return the reward of the last turn, when this cart was paid."""
        return short(short(self.share(paid)) + self._each)


@lru_cache(maxsize=4096)
def cart_value(prepared: Prepared) -> CartValue:
    """Return what carts are worth in a task."""
    return CartValue(prepared)


def satisfaction(prepared: Prepared, cart: Mapping[int, int]) -> float:
    """Return the value (0..1) of a cart, quantities by product number, as a share of the best one's."""
    return cart_value(prepared).share(cart)
