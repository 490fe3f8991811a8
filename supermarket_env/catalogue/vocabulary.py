"""The closed vocabularies of products: label claims, diets, allergens and units, and their bit masks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Final

from supermarket_env.errors import CatalogueError, unknown_name

ATTRIBUTES: Final[tuple[str, ...]] = (
    "organic",
    "vegan",
    "vegetarian",
    "gluten_free",
    "lactose_free",
    "low_sugar",
    "low_fat",
    "low_salt",
    "wholegrain",
    "fair_trade",
    "local",
    "family_size",
    "high_protein",
    "high_fibre",
    "free_range",
    "sustainable_fishing",
    "no_additives",
    "ready_to_use",
    "caffeine_free",
    "alcohol_free",
    "fragrance_free",
    "biodegradable",
    "recyclable",
    "sensitive",
)
"""Closed vocabulary of label claims. Bit i of ``attr_mask`` is ``ATTRIBUTES[i]``; the order never changes."""

DIETS: Final[tuple[str, ...]] = ("vegan", "vegetarian", "gluten_free", "lactose_free")
"""Attributes that may be a hard diet constraint of a need. Judge them by ``diet_mask``, see :class:`Catalogue`."""

ALLERGENS: Final[tuple[str, ...]] = (
    "gluten",
    "crustaceans",
    "eggs",
    "fish",
    "peanuts",
    "soy",
    "milk",
    "nuts",
    "celery",
    "mustard",
    "sesame",
    "sulphites",
    "lupin",
    "molluscs",
)
"""The fourteen allergens of European food law. Bit i of ``allergen_mask`` is ``ALLERGENS[i]``; never reordered."""

UNITS: Final[tuple[str, ...]] = ("g", "ml", "pcs")
"""Units of ``size``; unit prices are per kilogram, litre or piece."""

ATTRIBUTE_BIT: Final[Mapping[str, int]] = {name: i for i, name in enumerate(ATTRIBUTES)}
ALLERGEN_BIT: Final[Mapping[str, int]] = {name: i for i, name in enumerate(ALLERGENS)}

DIET_BITS: Final[int] = sum(1 << ATTRIBUTE_BIT[name] for name in DIETS)
"""The bits of ``attr_mask`` that are diets."""


def attribute_mask(names: Sequence[str] | frozenset[str] | set[str]) -> int:
    """Return the bit mask of attribute names; 0 for none.

    Raises:
        CatalogueError: A name is not in :data:`ATTRIBUTES`.

    >>> attribute_mask(["organic", "vegetarian"])
    5
    """
    mask = 0
    for name in names:
        if name not in ATTRIBUTE_BIT:
            raise CatalogueError(unknown_name("attribute", name, ATTRIBUTES))
        mask |= 1 << ATTRIBUTE_BIT[name]
    return mask


def allergen_mask(names: Sequence[str] | frozenset[str] | set[str]) -> int:
    """Return the bit mask of allergen names; 0 for none.

    Raises:
        CatalogueError: A name is not in :data:`ALLERGENS`.

    >>> allergen_mask(["gluten", "eggs"])
    5
    """
    mask = 0
    for name in names:
        if name not in ALLERGEN_BIT:
            raise CatalogueError(unknown_name("allergen", name, ALLERGENS))
        mask |= 1 << ALLERGEN_BIT[name]
    return mask


@lru_cache(maxsize=65536)
def attribute_names(mask: int) -> frozenset[str]:
    """Return the attribute names of a bit mask.

    >>> sorted(attribute_names(5))
    ['organic', 'vegetarian']
    """
    return frozenset(name for i, name in enumerate(ATTRIBUTES) if mask >> i & 1)


@lru_cache(maxsize=65536)
def allergen_names(mask: int) -> frozenset[str]:
    """Return the allergen names of a bit mask.

    >>> sorted(allergen_names(5))
    ['eggs', 'gluten']
    """
    return frozenset(name for i, name in enumerate(ALLERGENS) if mask >> i & 1)


def unit_price_of(price_cents: int, size: float, unit: str) -> float:
    """Return the price per kilogram (g), litre (ml) or piece (pcs) in currency units, rounded to 4 decimals.

    >>> unit_price_of(199, 500.0, "g")
    3.98
    >>> unit_price_of(240, 6.0, "pcs")
    0.4
    """
    amount = size if unit == "pcs" else size / 1000.0
    return round(price_cents / 100.0 / amount, 4)
