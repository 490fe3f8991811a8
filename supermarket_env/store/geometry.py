"""Sight and walking tables of a layout, computed once per content and kept in the process."""

from __future__ import annotations

from typing import NamedTuple

from supermarket_env.store.layout import Layout
from supermarket_env.store.paths import Paths, compute_paths
from supermarket_env.store.sight import Sight, compute_sight

_KEPT = 64
_tables: dict[str, Geometry] = {}


class Geometry(NamedTuple):
    """All tables that follow from the plan alone."""

    sight: Sight
    paths: Paths


def geometry_of(layout: Layout) -> Geometry:
    """Return the tables of a layout; the 64 last used layouts are kept.

    The arrays are shared by all who ask: nobody may write to them.
    """
    found = _tables.pop(layout.content_hash, None)
    if found is None:
        found = Geometry(compute_sight(layout), compute_paths(layout))
    _tables[layout.content_hash] = found
    while len(_tables) > _KEPT:
        del _tables[next(iter(_tables))]
    return found
