"""Find a layout by name and stock it: named layouts, `generated:<seed>`, or a YAML file."""

from __future__ import annotations

import re
from functools import lru_cache
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Final

from supermarket_env.errors import LayoutError, nearest
from supermarket_env.store.generate import build_layout, generated_plan
from supermarket_env.store.layout import Layout
from supermarket_env.store.layout_file import parse_layout, read_layout
from supermarket_env.store.moved import moved_store, split_moved
from supermarket_env.store.stock import Store, stock_store
from supermarket_env.store.validate import validate_layout

if TYPE_CHECKING:
    from supermarket_env.catalogue.schema import Catalogue

LAYOUT_NAMES: Final[tuple[str, ...]] = ("corner", "neighbourhood", "hyper")
"""The layouts that come with the package."""
_GENERATED: Final = re.compile(r"generated:(\d{1,9})")
_KEPT_STORES: Final = 64
_stores: dict[tuple[str, str, str, int, int], Store] = {}


def load_layout(name: str | Path) -> Layout:
    """Load a layout.

    Args:
        name: "corner", "neighbourhood", "hyper", "generated:<seed>" with a seed of 0 to 999,999,999, or the path of a
            .yaml or .yml file; "+moved<k>" behind it changes nothing: the building is the same.

    Returns:
        The validated layout; named and generated ones are kept in the process.

    Raises:
        LayoutError: For an unknown name or a broken file.
    """
    text = split_moved(str(name))[0]
    if text in LAYOUT_NAMES:
        return _named(text)
    drawn = _GENERATED.fullmatch(text)
    if drawn:
        return _generated(int(drawn[1]))
    if text.endswith((".yaml", ".yml")):
        return read_layout(text)
    valid = ", ".join(LAYOUT_NAMES)
    raise LayoutError(
        f"unknown store {text!r}; valid: {valid}, generated:<seed> (a number from 0, e.g. generated:12) "
        f"or the path of a .yaml file.{nearest(text, [*LAYOUT_NAMES, 'generated:0'])}"
    )


@lru_cache(maxsize=8)
def _named(name: str) -> Layout:
    file = resources.files("supermarket_env.store") / "data" / f"{name}.yaml"
    return parse_layout(file.read_text(encoding="utf-8"), where=f"{name}.yaml")


@lru_cache(maxsize=64)
def _generated(seed: int) -> Layout:
    return validate_layout(build_layout(generated_plan(seed)))


def default_seed(name: str | Path) -> int:
    """Return the planogram seed that goes with a layout name: the seed of a generated one, else 0."""
    drawn = _GENERATED.fullmatch(split_moved(str(name))[0])
    return int(drawn[1]) if drawn else 0


def load_store(name: str | Path, catalogue: Catalogue) -> Store:
    """Load a layout and stock it with a catalogue; the 64 last used stores are kept in the process.

    Generated layouts are stocked in the department order of their own seed. A name that ends in "+moved<k>" is the
    rearranged store; :func:`load_map` gives the map from before.

    Raises:
        LayoutError: See `load_layout` and `stock_store`.
    """
    layout, seed = load_layout(name), default_seed(name)
    base, variant = split_moved(str(name))
    key = (layout.name, layout.content_hash, catalogue.content_hash, seed, variant)
    found = _stores.pop(key, None)
    if found is None:
        if variant:
            found = moved_store(load_store(base, catalogue), catalogue, variant)
        else:
            found = stock_store(layout, catalogue, seed=seed)
    _stores[key] = found
    while len(_stores) > _KEPT_STORES:
        del _stores[next(iter(_stores))]
    return found


def load_map(name: str | Path, catalogue: Catalogue) -> Store:
    """Return the store as the assistant's map shows it: the store itself, or as it was before it was rearranged.

    Raises:
        LayoutError: See `load_layout` and `stock_store`.
    """
    return load_store(split_moved(str(name))[0], catalogue)
