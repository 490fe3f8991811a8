"""`seek_brand`: after a stock-out, who wants the same brand notices that brand, and finds it if it is there."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

from supermarket_env.rules import codes as c

SAME_BRAND, OTHER_BRAND = 3, 2


def load(name: str) -> ModuleType:
    """Import a module of this folder (tests are not a package)."""
    spec = importlib.util.spec_from_file_location(f"user_tests_{name}", Path(__file__).parent / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


shop = load("small_shop")


def found_after(reaction: int, seek_brand: int) -> list[set[int]]:
    """Return the milk bought by each user who reacts so, two products noticed a look; brand 0 is milk 0 and 3."""
    bought = []
    for seed in range(120):
        tables = shop.small_tables(shelf_notice=2, shelf_looks=1, seek_brand=seek_brand)
        tables.prod[0].stock = 0
        user = shop.Shopper(shop.MILK, seed=seed, tables=tables).open()
        user.hear(items=(0,))
        while user.o.cause != c.C_OUT_OF_STOCK:
            user.hear()
        user.hear()
        if user.o.stock_out == reaction:
            user.until_end()
            bought.append({p for p in user.s.cart_p[: user.s.n_cart] if p < 6})
    assert len(bought) > 10
    return bought


def test_the_same_brand_is_found_when_it_is_looked_for() -> None:
    assert all(goods == {3} for goods in found_after(SAME_BRAND, seek_brand=1))
    assert any(not goods for goods in found_after(SAME_BRAND, seek_brand=0))


def test_other_brands_only_when_others_are_looked_for() -> None:
    assert all(goods <= {1, 2} for goods in found_after(OTHER_BRAND, seek_brand=1))
