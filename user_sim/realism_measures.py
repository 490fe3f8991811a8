"""The measures behind the realism report: one row of numbers a trip, and a figure from all rows.

A measure is a pure function of an array, so that its interval comes from resampling rows (trips). A figure that is not
defined (no such trips, nothing bought) is None and never zero.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from supermarket_env.user_sim.realism_facts import FEW_ITEMS, ROOM

if TYPE_CHECKING:
    from supermarket_env.user_sim.realism import Shop, Trip

Floats = npt.NDArray[np.float64]
Row = tuple[float, ...] | None

RESAMPLES: Final = 400
SEED: Final = 7
RISE: Final = 1.25
"""Factor on the prices of the dearer half of the brands."""
METRES_A_DOLLAR: Final = 16.8
ABSTRACT: Final = frozenset({"stock_up", "browse"})
CONCRETE: Final = frozenset({"quick", "recipe"})


class Measured(NamedTuple):
    """A figure with its 95 % interval and the number of observations behind it."""

    value: float
    low: float
    high: float
    n: int


class Result(NamedTuple):
    """A figure without interval; the value is NaN when it is not defined."""

    value: float
    n: int


Combine = Callable[[Floats], Result]


class Trips(NamedTuple):
    """The trips that are measured; every part may be empty."""

    alone: Sequence[Trip] = ()
    """Unassisted users."""
    hinted: Sequence[Trip] = ()
    """With an assistant that gives hints."""
    large: Sequence[Trip] = ()
    """Unassisted users in a full-size store."""
    dearer: tuple[Sequence[Trip], Sequence[Trip]] = ((), ())
    """Unassisted users, the first, and the second half of the brands dearer; the same tasks in both."""


@dataclass(frozen=True, slots=True)
class Measure:
    """One figure: where its rows come from and how they become a number."""

    row: Callable[[Trip, Shop], Row]
    combine: Combine
    population: str = "alone"
    """Trips that are read: ``alone``, ``hinted``, ``large`` or ``dearer`` (then rows of the same task are joined)."""

    def rows(self, trips: Trips, shop: Shop) -> Floats:
        """Return the rows, shape (trips that count, numbers of this measure); empty when there are none."""
        if self.population == "dearer":
            first, second = ([self.row(trip, shop) for trip in world] for world in trips.dearer)
            found = [(*a, *b) for a, b in zip(first, second, strict=True) if a is not None and b is not None]
        else:
            source = {"alone": trips.alone, "hinted": trips.hinted, "large": trips.large}[self.population]
            found = [row for trip in source if (row := self.row(trip, shop)) is not None]
        return np.array(found, dtype=np.float64) if found else np.zeros((0, 1))


def resampled(rows: Floats, combine: Combine, *, resamples: int = RESAMPLES, seed: int = SEED) -> Measured | None:
    """Return a figure with the 2.5 and 97.5 % quantiles of its resamples; None when it is not defined."""
    if not len(rows):
        return None
    value, n = combine(rows)
    if not math.isfinite(value):
        return None
    generator = np.random.default_rng(seed)
    drawn = [combine(rows[generator.integers(0, len(rows), len(rows))]).value for _ in range(resamples)]
    kept = [x for x in drawn if math.isfinite(x)]
    low, high = np.quantile(kept, (0.025, 0.975)) if kept else (value, value)
    return Measured(float(value), float(low), float(high), int(n))


# --- from rows to figures ---------------------------------------------------------------------------------------------


def ratio(rows: Floats) -> Result:
    """Sum of the first column over the sum of the second."""
    part, whole = rows.sum(axis=0)
    return Result(part / whole if whole else math.nan, int(whole))


def mean(rows: Floats) -> Result:
    """Mean of the only column."""
    return Result(float(rows.mean()), len(rows))


def difference(rows: Floats) -> Result:
    """Ratio of columns 0 and 1 minus that of columns 2 and 3; n is the smaller of the two wholes."""
    a, b, c, d = rows.sum(axis=0)
    return Result(a / b - c / d if b and d else math.nan, int(min(b, d)))


def quotient(rows: Floats) -> Result:
    """Ratio of columns 0 and 1 over that of columns 2 and 3."""
    a, b, c, d = rows.sum(axis=0)
    return Result((a / b) / (c / d) if b and c and d else math.nan, len(rows))


def slope(rows: Floats) -> Result:
    """Least-squares slope of column 1 on column 0."""
    x, y = rows[:, 0], rows[:, 1]
    spread = float(((x - x.mean()) ** 2).sum())
    return Result(float(((x - x.mean()) * (y - y.mean())).sum()) / spread if spread else math.nan, len(rows))


def _ranks(values: Floats) -> Floats:
    """Return ranks from 1, ties sharing their mean."""
    _, inverse, counts = np.unique(values, return_inverse=True, return_counts=True)
    ends = np.cumsum(counts)
    return np.asarray((ends - (counts - 1) / 2.0)[inverse], dtype=np.float64)


def _spearman(x: Floats, y: Floats) -> float:
    a, b = _ranks(x), _ranks(y)
    a, b = a - a.mean(), b - b.mean()
    scale = math.sqrt(float((a * a).sum()) * float((b * b).sum()))
    return float((a * b).sum()) / scale if scale else math.nan


def rank_correlation(rows: Floats) -> Result:
    """Spearman's correlation of the two columns."""
    return Result(_spearman(rows[:, 0], rows[:, 1]), len(rows))


def correlation_gap(rows: Floats) -> Result:
    """Spearman's correlation of columns 0 and 2 minus that of columns 1 and 2."""
    return Result(_spearman(rows[:, 0], rows[:, 2]) - _spearman(rows[:, 1], rows[:, 2]), len(rows))


def elasticity(rows: Floats) -> Result:
    """Change of log odds of the dearer half by change of log price, from both price worlds.

    Columns: purchases of first and second half when the first is dearer, then when the second is.
    """
    a1, a2, b1, b2 = rows.sum(axis=0)
    if min(a1, a2, b1, b2) <= 0:
        return Result(math.nan, int(a1 + a2 + b1 + b2))
    return Result((math.log(a1 / a2) - math.log(b1 / b2)) / (2.0 * math.log(RISE)), int(a1 + a2 + b1 + b2))


_TRIP_CODES: Final[Mapping[str, int]] = {
    name: k for k, name in enumerate(("", "quick", "fill_in", "stock_up", "recipe", "browse"))
}


def standardised_gap(rows: Floats) -> Result:
    """Moves of the empty-handed over those of buyers, minus 1, buyers weighted to the same trip types.

    Columns: trip type (code), whether something was paid for, moves.
    """
    expected = seen = 0.0
    n = 0
    for code in np.unique(rows[:, 0]):
        mine = rows[rows[:, 0] == code]
        buyers, empty = mine[mine[:, 1] == 1.0], mine[mine[:, 1] == 0.0]
        if len(buyers) and len(empty):
            expected += float(buyers[:, 2].mean()) * len(empty)
            seen += float(empty[:, 2].sum())
            n += len(empty)
    return Result(seen / expected - 1.0 if expected else math.nan, n)


# --- from trips to rows -----------------------------------------------------------------------------------------------


def first_half(brand: str) -> bool:
    """Return whether a brand is in the half that is made dearer first; depends on its name alone."""
    return hashlib.sha256(f"realism brand {brand}".encode()).digest()[0] < 128


def _unplanned(trip: Trip, shop: Shop) -> Row:
    return (float(sum(not t.planned for t in trip.bought)), float(len(trip.bought)))


def _abstractness(trip: Trip, shop: Shop) -> Row:
    row = _unplanned(trip, shop)
    if row is None or trip.stratum not in ABSTRACT | CONCRETE:
        return None
    return (*row, 0.0, 0.0) if trip.stratum in ABSTRACT else (0.0, 0.0, *row)


def _drift(trip: Trip, shop: Shop) -> Row:
    half = len(trip.takes) // 2
    if half == 0:
        return None
    early, late = trip.takes[:half], trip.takes[-half:]
    return (float(sum(not t.planned for t in late)), half, float(sum(not t.planned for t in early)), half)


def _room(trip: Trip, shop: Shop) -> Row:
    if trip.budget is None or not trip.planned_cost:
        return None
    return (float(trip.budget > trip.planned_cost * (1.0 + ROOM)),)


def _coverage(trip: Trip, shop: Shop) -> Row:
    return None if trip.coverage is None else (trip.coverage,)


def _spend_by_way(trip: Trip, shop: Shop) -> Row:
    if not trip.paid:
        return None
    return (trip.walked_m / METRES_A_DOLLAR, math.fsum(t.price * t.qty for t in trip.bought if not t.planned))


def _deviations(trip: Trip) -> tuple[float, float] | None:
    """Return the extra metres of the order and of the travel; None without a tour to compare with."""
    if trip.tour_m is None or trip.ordered_m is None:
        return None
    return max(0.0, trip.ordered_m - trip.tour_m), max(0.0, trip.walked_m - max(trip.ordered_m, trip.tour_m))


def _travel_part(trip: Trip, shop: Shop) -> Row:
    found = _deviations(trip)
    return None if found is None else (found[1], found[0] + found[1])


def _deviation_by_basket(trip: Trip, shop: Shop) -> Row:
    found = _deviations(trip)
    return None if found is None else (sum(found), float(len(trip.bought)))


def _order_and_travel(trip: Trip, shop: Shop) -> Row:
    found = _deviations(trip)
    return None if found is None else (*found, float(len(trip.bought)))


def _perimeter(trip: Trip, shop: Shop) -> Row:
    kinds = [shop.node_kind.get(node) for node in trip.nodes]
    every = list(shop.node_kind.values())
    return (
        float(kinds.count("perimeter")), float(every.count("perimeter")),
        float(kinds.count("aisle")), float(every.count("aisle")),
    )  # fmt: skip


def _handling(trip: Trip, shop: Shop) -> Row:
    return (float(trip.turns - trip.moves), float(trip.turns))


def _empty_handed(trip: Trip, shop: Shop) -> Row:
    return (float(_TRIP_CODES.get(trip.stratum, 0)), float(trip.paid), float(trip.moves))


def _small(trip: Trip, shop: Shop) -> Row:
    return (float(len(trip.bought) <= FEW_ITEMS),) if trip.paid else None


def _met(trip: Trip, shop: Shop) -> Row:
    gone = len(trip.sold_out)
    return (float(gone), float(gone + sum(t.planned for t in trip.takes)))


def _after(what: str) -> Callable[[Trip, Any], Row]:
    def row(trip: Trip, shop: Shop) -> Row:
        return (float(sum(followed == what for _, followed in trip.sold_out)), float(len(trip.sold_out)))

    return row


def _halves(trip: Trip, shop: Shop) -> Row:
    taken = [first_half(t.brand) for t in trip.takes if t.planned]
    return (float(sum(taken)), float(len(taken) - sum(taken)))


def _told(trip: Trip, shop: Shop) -> Row:
    return (float(trip.told[0]), float(trip.told[1]))


def _hints(trip: Trip, shop: Shop) -> Row:
    return (float(trip.hints[0]), float(trip.hints[1]))


MEASURES: Final[Mapping[str, Measure]] = {
    "unplanned_share": Measure(_unplanned, ratio),
    "unplanned_by_abstractness": Measure(_abstractness, difference),
    "unplanned_drift": Measure(_drift, difference),
    "budget_room": Measure(_room, mean),
    "coverage": Measure(_coverage, mean),
    "coverage_large": Measure(_coverage, mean, "large"),
    "spend_by_way": Measure(_spend_by_way, slope),
    "travel_part": Measure(_travel_part, ratio),
    "deviation_by_basket": Measure(_deviation_by_basket, rank_correlation),
    "order_above_travel": Measure(_order_and_travel, correlation_gap),
    "perimeter_preference": Measure(_perimeter, quotient),
    "handling_share": Measure(_handling, ratio),
    "empty_handed_way": Measure(_empty_handed, standardised_gap),
    "small_trips": Measure(_small, mean),
    "met_sold_out": Measure(_met, ratio),
    "sold_out_nothing": Measure(_after("nothing"), ratio),
    "sold_out_other_brand": Measure(_after("other_brand"), ratio),
    "sold_out_same_brand": Measure(_after("same_brand"), ratio),
    "brand_elasticity": Measure(_halves, elasticity, "dearer"),
    "told_at_once": Measure(_told, ratio),
    "hints_followed": Measure(_hints, ratio, "hinted"),
}
"""Every measure, by the name the facts use."""
