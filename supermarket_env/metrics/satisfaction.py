"""How well a cart serves the true needs: assignment of bought units to needs, utility, open needs."""

from __future__ import annotations

import math
from collections.abc import Collection, Container, Mapping, Sequence
from typing import Any, NamedTuple

from supermarket_env.metrics.trace import finite

_TIE = 1e-12
"""Relative bonus of using a unit at all, so that of two equally good assignments the fuller one is taken."""


class TrueNeed(NamedTuple):
    """One need as the evaluator knows it."""

    need_id: str
    wanted: int
    weight: float
    acceptable: frozenset[str]
    utility: Mapping[str, float]
    """Utility of the products known for this need, acceptable or not."""
    margins: Mapping[str, float]
    """Utility above the outside option, acceptable products only."""
    attributes: tuple[str, ...]
    best: float | None
    """Largest known utility of an acceptable product."""
    candidates: tuple[tuple[int, frozenset[str]], ...]
    """(number of products, attributes of the need they lack): the goods of its type; empty when not logged."""


class Taker(NamedTuple):
    """The one need that a product serves."""

    need: int
    wanted: int
    each: float
    """Weight of one unit."""
    margin: float


class Assignment(NamedTuple):
    """The best use of a cart: its utility and the units assigned to each need."""

    utility: float
    units: tuple[int, ...]


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def _texts(value: Any) -> tuple[str, ...]:
    return tuple(item for item in value if isinstance(item, str)) if isinstance(value, list) else ()


def true_needs(truth: Mapping[str, Any] | None) -> tuple[TrueNeed, ...] | None:
    """Read the needs from the truth of an episode; None when it has none written down."""
    raw = truth.get("needs") if truth is not None else None
    if truth is None or not isinstance(raw, list):
        return None
    acceptable, utility = _mapping(truth.get("acceptable")), _mapping(truth.get("utility"))
    needs = []
    for position, entry in enumerate(raw):
        need = _mapping(entry)
        need_id = str(need.get("id", position))
        wanted = need.get("qty", 1)
        wanted = wanted if isinstance(wanted, int) and wanted > 0 and finite(int(wanted)) is not None else 1
        weight, outside = finite(need.get("weight", 1.0)), finite(need.get("outside", 0.0))
        known = {p: value for p, u in _mapping(utility.get(need_id)).items() if (value := finite(u)) is not None}
        accepted = frozenset(_texts(acceptable.get(need_id)))
        margins = {p: known[p] - (outside or 0.0) for p in accepted if p in known}
        attributes = _texts(need.get("attributes"))
        weight = 1.0 if weight is None else weight
        best = max((known[p] for p in margins), default=None)
        goods = _candidates(need.get("candidates"))
        needs.append(TrueNeed(need_id, wanted, weight, accepted, known, margins, attributes, best, goods))
    return tuple(needs)


def _candidates(value: Any) -> tuple[tuple[int, frozenset[str]], ...]:
    """Read ``[[number, [attribute, ...]], ...]``; entries of another form are passed over."""
    return tuple(
        (entry[0], frozenset(_texts(entry[1])))
        for entry in (value if isinstance(value, list) else ())
        if isinstance(entry, list) and len(entry) == 2 and type(entry[0]) is int and entry[0] > 0
    )


def candidate_bits(needs: Sequence[TrueNeed], reveals: Container[str]) -> float | None:
    """Return log2 of (goods of a need's type / those of them that have all that was made known), mean over needs.

    A need whose type is not known yet counts 0; where no product has everything, one is taken to be left.

    Args:
        needs: The true needs; those without logged candidates are left out.
        reveals: What was made known, as ``need.attribute``.
    """
    bits = []
    for need in needs:
        total = sum(count for count, _ in need.candidates)
        if not total:
            continue
        known = {name for name in need.attributes if f"{need.need_id}.{name}" in reveals}
        left = sum(count for count, lacks in need.candidates if known.isdisjoint(lacks))
        bits.append(math.log2(total / max(1, left)) if "type" in known else 0.0)
    return math.fsum(bits) / len(bits) if bits else None


def takers(needs: Sequence[TrueNeed]) -> dict[str, Taker] | None:
    """Return, by product, the one need that it can serve with a gain; None when some product could serve two."""
    found: dict[str, Taker] = {}
    for index, need in enumerate(needs):
        for product, margin in need.margins.items():
            if margin < 0.0:
                continue
            if product in found:
                return None
            found[product] = Taker(index, need.wanted, need.weight / need.wanted, margin)
    return found


def plain_worth(sole: Mapping[Any, Taker], cart: Mapping[Any, int]) -> float | None:
    """Return the utility that ``assign`` finds in a cart without two products for one need; None for other carts.

    Args:
        sole: The needs products serve, by whatever the cart names products by.
        cart: Quantities by product, all above 0; may be empty.
    """
    gains = []
    served = 0
    for product, quantity in cart.items():
        taker = sole.get(product)
        if taker is None:
            continue
        need, wanted, each, margin = taker
        if (served >> need) & 1:
            return None
        served |= 1 << need
        gains.append(each * min(wanted, quantity) * margin)
    return math.fsum(gains)


def assign(needs: Sequence[TrueNeed], cart: Mapping[str, int]) -> Assignment:
    """Assign the units of a cart to needs so that utility is largest.

    Every unit serves one need or none, a need takes at most ``wanted`` units and only acceptable products; a unit of
    need i is worth ``weight / wanted * margin``.

    Args:
        needs: The true needs; may be empty.
        cart: Quantities by product, all above 0; may be empty.
    """
    # A cart is short, the list of what a need accepts is not.
    useful = [{p: m for p in cart if (m := need.margins.get(p, -1.0)) >= 0.0} for need in needs]
    seen: set[str] = set()
    for offer in useful:
        if not seen.isdisjoint(offer):
            return _assign_shared(needs, useful, cart)
        seen.update(offer)
    gains: list[float] = []
    units = []
    for need, offer in zip(needs, useful, strict=True):
        left = need.wanted
        ranked = sorted(offer.items(), key=lambda pair: (-pair[1], pair[0])) if len(offer) > 1 else offer.items()
        for product, margin in ranked:
            taken = min(left, cart[product])
            gains.append(need.weight / need.wanted * taken * margin)
            left -= taken
            if not left:
                break
        units.append(need.wanted - left)
    return Assignment(math.fsum(gains), tuple(units))


def _assign_shared(
    needs: Sequence[TrueNeed], useful: Sequence[Mapping[str, float]], cart: Mapping[str, int]
) -> Assignment:
    """The same where some product could serve several needs: a linear assignment of slots to units."""
    import numpy as np
    from scipy.optimize import linear_sum_assignment

    slots: list[int] = []
    for index, (need, offer) in enumerate(zip(needs, useful, strict=True)):
        slots.extend([index] * min(need.wanted, sum(cart[product] for product in offer)))
    products = sorted({product for offer in useful for product in offer})
    columns = [product for product in products for _ in range(min(cart[product], len(slots)))]
    gain = np.zeros((len(slots), len(columns)))
    usable = np.zeros(gain.shape, dtype=bool)
    for row, index in enumerate(slots):
        value = needs[index].weight / needs[index].wanted
        for column, product in enumerate(columns):
            if product in useful[index]:
                gain[row, column] = value * useful[index][product]
                usable[row, column] = True
    bonus = _TIE * max(1.0, float(gain.max(initial=0.0)))
    rows, chosen = linear_sum_assignment(np.where(usable, gain + bonus, 0.0), maximize=True)
    units = [0] * len(needs)
    gains = []
    for row, column in zip(rows.tolist(), chosen.tolist(), strict=True):
        if usable[row, column]:
            units[slots[row]] += 1
            gains.append(float(gain[row, column]))
    return Assignment(math.fsum(gains), tuple(units))


def open_needs(needs: Sequence[TrueNeed], cart: Mapping[str, int]) -> list[TrueNeed]:
    """Return the needs for which the cart holds fewer acceptable units than wanted."""
    if not cart:
        return list(needs)
    return [
        need
        for need in needs
        if sum(quantity for product, quantity in cart.items() if product in need.acceptable) < need.wanted
    ]


def list_hits(opened: Sequence[TrueNeed], items: Collection[str]) -> bool:
    """Whether some item is acceptable for an open need."""
    return any(item in need.acceptable for need in opened for item in items)


def list_regret(opened: Sequence[TrueNeed], items: Collection[str]) -> float | None:
    """Return the smallest utility an open need loses against its best acceptable product; None if not comparable."""
    losses = []
    for need in opened:
        shown = max((need.utility[p] for p in items if p in need.utility), default=None)
        if need.best is not None and shown is not None:
            losses.append(max(0.0, need.best - shown))
    return min(losses, default=None)
