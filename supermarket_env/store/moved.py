"""A rearranged store, named ``<store>+moved<k>`` (``neighbourhood+moved2``): who holds the old map is misled.

The building is the same; the goods of some pairs of shelves have changed places. Everything true (what the user sees,
where goods are taken) is the rearranged store; the assistant's app still holds the map from before.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

import numpy as np

from supermarket_env.store.stock import Store, rearranged

if TYPE_CHECKING:
    from supermarket_env.catalogue.schema import Catalogue

MOVED_SHARE: Final = 0.3
"""Share of the ordinary sections whose goods stand elsewhere."""
_NAME: Final = re.compile(r"(.+)\+moved([1-9]\d{0,2})")


def split_moved(name: str) -> tuple[str, int]:
    """Return the base store and the number of the rearrangement; 0 is the store itself.

    >>> split_moved("corner+moved3"), split_moved("generated:7")
    (('corner', 3), ('generated:7', 0))
    """
    found = _NAME.fullmatch(name)
    return (found[1], int(found[2])) if found else (name, 0)


def moved_store(store: Store, catalogue: Catalogue, variant: int) -> Store:
    """Return the store with the goods of some pairs of sections exchanged.

    Args:
        store: The store before.
        catalogue: The goods it is stocked with.
        variant: 1 to 999; equal numbers give equal stores.
    """
    from supermarket_env.catalogue.draws import Draws

    draws = Draws(11, variant)
    filled = sorted({int(c) for c in store.home_section if c >= 0}, key=lambda c: (draws(1, c), c))
    n_pairs = max(1, round(MOVED_SHARE * len(filled) / 2)) if len(filled) > 1 else 0
    to = np.arange(store.n_sections)
    for a, b in zip(filled[:n_pairs], filled[n_pairs : 2 * n_pairs], strict=True):
        to[a], to[b] = b, a
    home = np.where(store.home_section >= 0, to[store.home_section], -1)
    return rearranged(store, catalogue, home, f"{store.name}+moved{variant}")
