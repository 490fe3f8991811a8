"""What training and development never show: a fixed fifth of the product types, and corners of the persona space."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Final

from supermarket_env.tasks.draws import D_TRAIT, Draws
from supermarket_env.user_sim.persona import TRAIT_TABLE, trait_value

HELD_OUT_SHARE: Final = 0.2

PERSONA_CORNERS: Final = (
    (("patience", -1), ("temper", 1)),
    (("trust", -1), ("talkativeness", -1)),
    (("price_sensitivity", 1), ("attention", -1)),
    (("brand_loyalty", 1), ("compliance", -1)),
)
"""Held-out regions: both traits in the low (-1) or high (1) third of their default range."""


def type_held_out(name: str) -> bool:
    """Return whether a product type is kept for the stratum of unseen categories; depends on its name alone."""
    digest = hashlib.sha256(f"supermarket held-out type {name}".encode()).digest()
    return int.from_bytes(digest[:4], "little") / 2**32 < HELD_OUT_SHARE


def persona_held_out(persona: Mapping[str, float]) -> bool:
    """Return whether a persona lies in one of the held-out corners."""
    ranges = {trait.name: (trait.low, trait.high) for trait in TRAIT_TABLE}

    def inside(name: str, side: int) -> bool:
        low, high = ranges[name]
        place = (persona[name] - low) / (high - low)
        return place > 2.0 / 3.0 if side > 0 else place < 1.0 / 3.0

    return any(all(inside(name, side) for name, side in corner) for corner in PERSONA_CORNERS)


def draw_persona(draws: Draws, *, held_out: bool) -> dict[str, float]:
    """Draw the traits of a persona inside (``held_out``) or outside the held-out corners."""
    n = 0
    while True:
        persona = {
            trait.name: trait_value(trait, draws.uniform(D_TRAIT, k, 2 * n), draws.uniform(D_TRAIT, k, 2 * n + 1))
            for k, trait in enumerate(TRAIT_TABLE)
        }
        if persona_held_out(persona) == held_out:
            return persona
        n += 1
