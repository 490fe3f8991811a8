"""Personas: the traits of a simulated user, their ranges, defaults and where they come from.

Each trait is drawn from its documented distribution, keyed by (task seed, trait). A source in words is a published
shopper fact; a trait without one is uncalibrated and says so.
"""

from __future__ import annotations

from typing import Final, NamedTuple


class Trait(NamedTuple):
    """One persona trait."""

    name: str
    low: float
    high: float
    """Bounds of what the default population draws."""
    minimum: float
    maximum: float
    """Bounds of what may be set by hand."""
    shape: str
    """``uniform`` on [low, high], ``low`` (squared: mass near low) or ``middle`` (sum of two: mass in the middle)."""
    meaning: str
    source: str


TRAIT_TABLE: Final[tuple[Trait, ...]] = (
    Trait("patience", 14.0, 34.0, 1.0, 500.0, "uniform", "units of patience at the start", "uncalibrated"),
    Trait("trust", 0.4, 0.9, 0.0, 1.0, "uniform", "belief in what the assistant says", "uncalibrated"),
    Trait("compliance", 0.6, 0.95, 0.0, 1.0, "uniform", "readiness to do as suggested", "uncalibrated"),
    Trait("familiarity", 0.1, 0.8, 0.0, 1.0, "middle", "share of places known by heart", "uncalibrated"),
    Trait("talkativeness", 0.1, 0.95, 0.0, 1.0, "uniform", "readiness to speak unasked", "uncalibrated"),
    Trait("disclosure", 0.0, 0.9, 0.0, 1.0, "middle", "0 only when asked ... 1 all at once", "uncalibrated"),
    Trait(
        "price_sensitivity",
        0.3,
        1.6,
        0.0,
        4.0,
        "uniform",
        "weight of the relative price",
        "brand elasticity -2.62",
    ),
    Trait("brand_loyalty", 0.3, 1.7, 0.0, 4.0, "uniform", "weight of the wanted brand", "uncalibrated"),
    Trait("hesitation", 0.0, 0.7, 0.0, 1.0, "low", "wavering between close options", "overload: mean effect 0"),
    Trait("impulse", 0.0, 1.0, 0.0, 5.0, "middle", "unplanned purchases", "disputed: 20 to 60 % of purchases"),
    Trait("attention", 0.75, 0.95, 0.0, 1.0, "uniform", "chance of reading the next list item", "uncalibrated"),
    Trait("temper", 0.1, 0.9, 0.0, 1.0, "middle", "how fast irritation grows and shows", "uncalibrated"),
    Trait("self_discovery", 0.0, 0.5, 0.0, 1.0, "uniform", "wishes coming to mind on sight", "uncalibrated"),
)


def trait_value(trait: Trait, u: float, v: float) -> float:
    """Return the trait's value for two uniform draws, rounded to 4 decimals.

    >>> trait_value(TRAIT_TABLE[1], 0.0, 0.5)
    0.4
    """
    if trait.shape == "low":
        x = u * u
    elif trait.shape == "middle":
        x = 0.5 * (u + v)
    else:
        x = u
    return round(trait.low + (trait.high - trait.low) * x, 4)
