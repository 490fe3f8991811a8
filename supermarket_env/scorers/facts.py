"""A statement about a product, and whether the store bears it out."""

from __future__ import annotations

import math
from typing import Any, Final, NamedTuple

from supermarket_env.catalogue.schema import ALLERGENS, ATTRIBUTES
from supermarket_env.scorers.truth import StoreTruth

PRICE_TOLERANCE: Final = 0.005
UNIT_PRICE_TOLERANCE: Final = 0.0051
QUALITY_TOLERANCE: Final = 0.051


class Claim(NamedTuple):
    """One statement and whether it is true."""

    turn: int
    kind: str
    """``product`` (it exists here), ``price``, ``unit_price``, ``place``, ``stock``, ``brand``, ``size``, ``quality``,
    ``product_type``, ``allergens`` or an attribute."""
    product: str
    """Id of the product, or what it was called when no product is meant."""
    said: Any
    true: bool | None
    """None when it cannot be checked."""
    source: str
    """``slots``, ``list``, ``goal`` or ``text``."""

    def as_data(self) -> dict[str, Any]:
        """Return the claim as JSON-ready data."""
        return {**self._asdict(), "said": list(self.said) if isinstance(self.said, tuple) else self.said}


class Evidence(NamedTuple):
    """What the log itself shows of stock: products taken later, products found sold out."""

    taken: frozenset[tuple[str, int]]
    sold_out: frozenset[tuple[str, int]]

    def in_stock(self, product: str, turn: int) -> bool | None:
        """Return whether a product was on the shelf in a turn, None when nothing shows it."""
        if any(p == product and at >= turn for p, at in self.taken):
            return True
        return False if any(p == product and at <= turn for p, at in self.sold_out) else None


def check(kind: str, product: str, said: Any, truth: StoreTruth, evidence: Evidence, turn: int) -> bool | None:
    """Return whether a statement about a product is true; None when it cannot be checked.

    Args:
        kind: Field of the product, see :class:`Claim`.
        product: Its id; an unknown one makes any statement about it untrue.
        said: The value stated.
        truth: The store.
        evidence: What the log shows of stock.
        turn: When it was said.
    """
    number = truth.number(product)
    if number is None or not truth.is_carried(number):
        return False
    record = truth.product(number)
    if kind == "product":
        return True
    if kind == "price":
        return _near(said, record.price_cents / 100.0, PRICE_TOLERANCE)
    if kind == "unit_price":
        return _near(said, record.unit_price, UNIT_PRICE_TOLERANCE)
    if kind == "quality":
        return None if record.quality is None else _near(said, record.quality, QUALITY_TOLERANCE)
    if kind == "stock":
        return _check_stock(bool(said), number, product, truth, evidence, turn)
    if kind == "place":
        return said in truth.sections_of(number) if isinstance(said, str) else None
    if kind == "brand":
        return _same(said, record.brand)
    if kind == "product_type":
        return _same(said, record.product_type)
    if kind == "allergens":
        return _check_allergens(said, truth, record.allergens)
    if kind in ATTRIBUTES and type(said) is bool:
        return (kind in record.attributes or kind in record.diets) is said
    return None


def _check_allergens(said: Any, truth: StoreTruth, contained: frozenset[str]) -> bool | None:
    if not truth.catalogue.allergens_known or not isinstance(said, list | tuple | set | frozenset):
        return None
    named = {str(name) for name in said}
    return named == set(contained) if named <= set(ALLERGENS) else None


def _check_stock(
    said: bool, number: int, product: str, truth: StoreTruth, evidence: Evidence, turn: int
) -> bool | None:
    shown = evidence.in_stock(product, turn)
    if shown is None and int(truth.store.stock[number]) == 0:
        shown = False
    return None if shown is None else shown is said


def _near(said: Any, true: float, tolerance: float) -> bool | None:
    if isinstance(said, bool) or not isinstance(said, int | float) or not math.isfinite(said):
        return None
    return abs(said - true) <= tolerance


def _same(said: Any, true: str) -> bool | None:
    return said.casefold() == true.casefold() if isinstance(said, str) else None
