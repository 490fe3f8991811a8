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
def _true_needs(prepared: Prepared) -> tuple[TrueNeed, ...]:
    """Return the needs of a task as the metrics read them from its logged truth."""
    return true_needs(prepared.logged_truth) or ()


@lru_cache(maxsize=4096)
def _takers(prepared: Prepared) -> Mapping[int, Taker] | None:
    """Return which need takes each product, by product number; None when some product could serve two."""
    found = takers(_true_needs(prepared))
    number = prepared.world.catalogue.number
    return None if found is None else {number(name): taker for name, taker in found.items()}


@lru_cache(maxsize=4096)
def turn_reward(prepared: Prepared) -> float:
    """Return the reward of a turn that ends nothing."""
    return short(-TURN_COST / prepared.optimal_turns)


@lru_cache(maxsize=4096)
def own_limit(prepared: Prepared) -> int:
    """Return the turn limit of a task."""
    return prepared.max_turns


def satisfaction(prepared: Prepared, cart: Mapping[int, int]) -> float:
    """Return the value (0..1) of a cart, quantities by product number, as a share of the best one's."""
    if prepared.U_star <= 0.0:
        return 0.0
    sole = _takers(prepared)
    worth = None if sole is None else plain_worth(sole, cart)
    if worth is None:
        names = prepared.world.catalogue.ids
        worth = assign(_true_needs(prepared), {names[p]: q for p, q in cart.items() if q > 0}).utility
    return max(0.0, worth) / prepared.U_star


def trip_reward(prepared: Prepared, paid: Mapping[int, int] | None) -> float:
    """Return the reward of the last turn: of a paid cart, or None when nothing was paid."""
    if paid is None:
        return turn_reward(prepared)
    return short(short(satisfaction(prepared, paid)) + turn_reward(prepared))
