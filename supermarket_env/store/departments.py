"""How departments look on floor plans: a colour and a hatching each, the same in every store and every picture."""

from __future__ import annotations

import zlib
from collections.abc import Iterable
from typing import Final, NamedTuple

PROMOTION: Final = "promotion"
EMPTY: Final = "empty"


class Look(NamedTuple):
    """Fill colour and hatching of a department's shelves."""

    colour: str
    hatch: str


_COLOURS: Final = (
    "#8cc474", "#e8b877", "#e07a6a", "#8fbbe0", "#f2d65c", "#b59ad6", "#66c2b5", "#f2a0bd", "#a8a29a", "#c9d96f",
    "#d98f4e", "#5f93c9", "#c76fa3", "#78a05a", "#f0c4a0", "#9fd3d9", "#9c7a5c", "#d7bde8", "#b8c4cf", "#e3e0a0",
    "#6f7fb5", "#d9605a", "#57a89a", "#c2a83e",
)  # fmt: skip
_HATCHES: Final = ("", "////", "....", "\\\\\\\\", "xxxx", "----", "||||", "++++", "oo", "//..", "**")

_KNOWN: Final = (
    "Fruit & Vegetables", "Vegetables", "Bakery", "Cheese & Delicatessen", "Meat & Poultry", "Fish & Seafood",
    "Dairy & Eggs", "Chilled Ready Meals", "Plant-Based", "Frozen", "Breakfast & Spreads", "Pasta, Rice & World Foods",
    "Tins & Jars", "Sauces, Oils & Spices", "Baking", "Snacks", "Confectionery & Biscuits", "Soft Drinks & Juices",
    "Coffee & Tea", "Beer & Wine", "Cleaning & Laundry", "Household & Paper", "Drugstore", "Baby", "Pets",
)  # fmt: skip
"""Departments with a place of their own; each of the next 264 places is another pair of colour and hatching."""

_ALIKE: Final = {
    "produce": "Fruit & Vegetables", "bakery": "Bakery", "meat": "Meat & Poultry", "dairy": "Dairy & Eggs",
    "centre": "Pasta, Rice & World Foods",
}  # fmt: skip
"""Labels of bare layouts, which look like the department that stands there first."""


def looks_of(names: Iterable[str]) -> dict[str, Look]:
    """Return the look of each department, whatever the order and whatever else is in the store.

    Args:
        names: Departments, some perhaps twice. Unknown ones take a place by their name; two that would fall on the
            same place in one store take the next free one.

    Returns:
        A look for each name, in one order for all stores, promotion and empty shelves last.

    >>> looks_of(["Bakery", "Pets"])["Pets"] == looks_of(["Pets"])["Pets"]
    True
    """
    wanted = [name for name in dict.fromkeys(names) if name not in (PROMOTION, EMPTY)]
    places = {name: _KNOWN.index(_ALIKE.get(name, name)) for name in wanted if _ALIKE.get(name, name) in _KNOWN}
    taken = set(places.values())
    total = len(_COLOURS) * len(_HATCHES)
    for name in sorted(set(wanted) - set(places)):
        place = len(_KNOWN) + zlib.crc32(name.encode()) % (total - len(_KNOWN))
        while place in taken:
            place = len(_KNOWN) + (place + 1 - len(_KNOWN)) % (total - len(_KNOWN))
        places[name] = place
        taken.add(place)
    looks = {name: Look(_COLOURS[places[name] % len(_COLOURS)], _HATCHES[places[name] % len(_HATCHES)])
             for name in sorted(wanted, key=lambda name: places[name])}  # fmt: skip
    return {**looks, PROMOTION: Look("#ffffff", ""), EMPTY: Look("#eeeeee", "")}
