"""The best cart of a task: the exact optimum over needs and acceptable, in-stock products under the budget.

The value of a cart is the sum over needs i of weight_i / qty_i x (utility - outside_i) of the units that serve i, at
most qty_i units a need; units of one need may be different products. Needs are solved one by one as sets of efficient
(cost, value) pairs, which are then combined under the budget. No heuristics; utilities have the log's nine digits.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from supermarket_env.errors import TaskError
from supermarket_env.rules.codes import MAX_TYPES
from supermarket_env.rules.place import left_on_shelf
from supermarket_env.rules.rows import State
from supermarket_env.rules.utility import breaks_hard, utility

Lines = tuple[tuple[int, int], ...]
"""(product number, quantity) pairs."""


class Offer(NamedTuple):
    """One product that a need may buy."""

    product: int
    price: int
    """Cents a unit."""
    value: float
    """Value a unit: weight / qty x margin; > 0."""
    left: int
    """Units on the shelf."""


class NeedValues(NamedTuple):
    """What the carried products of its types are worth to one need."""

    utility: dict[int, float]
    """Utility of every carried product, to nine digits, by number."""
    feasible: tuple[int, ...]
    """Products that break no hard constraint."""
    acceptable: tuple[int, ...]
    """Feasible products that beat the outside option, sold out or not; best first."""
    offers: tuple[Offer, ...]
    """Acceptable products on the shelf, by number."""


class BestCart(NamedTuple):
    """The optimum of a task."""

    lines: Lines
    """By product number; empty when nothing acceptable is affordable."""
    cost_cents: int
    value: float
    """U*."""
    by_need: tuple[Lines, ...]
    """The same units by the need they serve."""


class _Option(NamedTuple):
    cost: int
    value: float
    lines: Lines


def round9(x: float) -> float:
    """Return a number with nine significant digits, as logs carry it.

    >>> round9(1.23456789012)
    1.23456789
    """
    return float(f"{x:.9g}")


def value_needs(tables: Any, s: Any, *, lasting: bool = False) -> tuple[NeedValues, ...]:
    """Return what products are worth to every need of a state row (plain tables).

    The shelf is the opening stock less what the task sold out, and everything that will be brought during the trip:
    all units that could ever be taken. With ``lasting`` it is what can be taken at any time of the trip: goods that
    sell out during it do not count, and what is brought later does not either.
    """
    empty: Any = State()
    empty.taste_seed = s.taste_seed
    shelf = {p: left_on_shelf(tables, empty, p) for p in s.due_p[: s.n_due]}
    for k in range(s.n_due):
        p, left = s.due_p[k], s.due_left[k]
        shelf[p] = min(shelf[p], left) if lasting else shelf[p] + left
    return tuple(_value_need(tables, s, i, empty, shelf) for i in range(s.n_needs))


def _value_need(tables: Any, s: Any, i: int, empty: Any, shelf: dict[int, int]) -> NeedValues:
    outside = round9(s.outside[i])
    worth: dict[int, float] = {}
    feasible: list[int] = []
    for k in range(s.n_type[i]):
        row = tables.typ[s.typ[i * MAX_TYPES + k]]
        for p in range(row.first, row.first + row.count):
            if tables.prod[p].section >= 0:
                worth[p] = round9(utility(tables, s, i, p))
                if breaks_hard(tables, s, i, p) == 0:
                    feasible.append(p)
    good = sorted((p for p in feasible if worth[p] > outside), key=lambda p: (-worth[p], p))
    offers = []
    for p in sorted(good):
        left = shelf[p] if p in shelf else left_on_shelf(tables, empty, p)
        if left > 0:
            offers.append(Offer(p, tables.prod[p].price, s.weight[i] / s.qty[i] * (worth[p] - outside), left))
    return NeedValues(worth, tuple(feasible), tuple(good), tuple(offers))


def best_cart(tables: Any, s: Any, values: Sequence[NeedValues] | None = None) -> BestCart:
    """Return the best cart of a task.

    Args:
        tables: Plain tables of the world and user (``plain_tables``).
        s: Plain state row of the task (``state_of``).
        values: What ``value_needs`` gave for them, when known.

    Returns:
        The optimum; of equally good carts the cheaper one, then the one with smaller product numbers in the need that
        differs first.

    Raises:
        TaskError: Two needs could want the same product and there is not enough of it for both; the needs are then
            no longer separate, and such a task is refused.
    """
    known = value_needs(tables, s) if values is None else values
    qtys = [s.qty[i] for i in range(s.n_needs)]
    _check_separate(known, qtys)
    fronts = [_need_options(v.offers, q) for v, q in zip(known, qtys, strict=True)]
    chosen = [front[-1] for front in fronts]
    if sum(option.cost for option in chosen) > s.budget:
        chosen = _combine(fronts, s.budget)
    units: dict[int, int] = {}
    gains = []
    for option, v in zip(chosen, known, strict=True):
        worth = {offer.product: offer.value for offer in v.offers}
        for p, n in option.lines:
            units[p] = units.get(p, 0) + n
            gains.append(worth[p] * n)
    return BestCart(
        tuple(sorted(units.items())),
        sum(option.cost for option in chosen),
        math.fsum(gains),
        tuple(option.lines for option in chosen),
    )


def _check_separate(values: Sequence[NeedValues], qtys: Sequence[int]) -> None:
    wanted: dict[int, int] = {}
    for v, qty in zip(values, qtys, strict=True):
        for offer in v.offers:
            wanted[offer.product] = wanted.get(offer.product, 0) + qty
            if wanted[offer.product] > offer.left and wanted[offer.product] > qty:
                raise TaskError(
                    f"needs share product number {offer.product}, of which {offer.left} are left for "
                    f"{wanted[offer.product]} wanted; give needs separate product types"
                )


def _efficient(options: list[_Option]) -> list[_Option]:
    """Keep what no other option beats: ascending cost, strictly ascending value."""
    kept: list[_Option] = []
    for option in sorted(options, key=lambda o: (o.cost, -o.value, o.lines)):
        if not kept or option.value > kept[-1].value:
            kept.append(option)
    return kept


def _useful(offers: Sequence[Offer], qty: int) -> list[Offer]:
    """Drop offers that are never needed: no better and no cheaper than others of which there is enough."""
    kept: list[Offer] = []
    for offer in sorted(offers, key=lambda o: (o.price, -o.value, o.product)):
        # Whatever beats a dropped offer beats this one too, so the kept ones say enough.
        if sum(min(other.left, qty) for other in kept if other.value >= offer.value) < qty:
            kept.append(offer)
    return sorted(kept, key=lambda o: o.product)


def _need_options(offers: Sequence[Offer], qty: int) -> list[_Option]:
    """Return the efficient ways of buying 0 to ``qty`` units, the empty one first and the best one last."""
    layers: list[list[_Option]] = [[] for _ in range(qty + 1)]
    layers[0] = [_Option(0, 0.0, ())]
    for offer in _useful(offers, qty):
        grown = [list(layer) for layer in layers]
        for have, layer in enumerate(layers):
            for n in range(1, min(offer.left, qty - have) + 1):
                grown[have + n].extend(
                    _Option(o.cost + n * offer.price, o.value + n * offer.value, (*o.lines, (offer.product, n)))
                    for o in layer
                )
        layers = [_efficient(layer) for layer in grown]
    return _efficient([option for layer in layers for option in layer])


def _combine(fronts: Sequence[Sequence[_Option]], budget: int) -> list[_Option]:
    """Pick one option a need so that the value is largest within the budget."""
    cost: NDArray[np.int64] = np.zeros(1, dtype=np.int64)
    value: NDArray[np.float64] = np.zeros(1)
    steps: list[tuple[NDArray[np.int64], NDArray[np.int64]]] = []
    for front in fronts:
        all_cost = np.add.outer(cost, np.array([o.cost for o in front], dtype=np.int64)).ravel()
        all_value = np.add.outer(value, np.array([o.value for o in front])).ravel()
        ids = np.flatnonzero(all_cost <= budget)
        ids = ids[np.lexsort((ids, -all_value[ids], all_cost[ids]))]
        top = np.maximum.accumulate(all_value[ids])
        fresh = np.concatenate(([True], all_value[ids][1:] > top[:-1]))
        ids = ids[fresh]
        cost, value = all_cost[ids], all_value[ids]
        steps.append((ids // len(front), ids % len(front)))
    at = len(cost) - 1
    chosen = []
    for front, (before, option) in zip(reversed(fronts), reversed(steps), strict=True):
        chosen.append(front[int(option[at])])
        at = int(before[at])
    return chosen[::-1]
