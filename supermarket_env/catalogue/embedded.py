"""The embedded catalogue: a seeded generator that turns the taxonomy into about four thousand products.

Per type it makes *lines*: a brand with a variety and a set of claims, sold in one to three sizes. Claims are dealt to
whole lines until the wanted share of products carries each, so that what a user may want is always there and never
everywhere. All draws are a hash of (seed, type, purpose, object): a change in one type moves no other, and the result
is the same on every machine.
"""

from __future__ import annotations

import zlib
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from supermarket_env.catalogue.draws import Draws
from supermarket_env.catalogue.schema import (
    ATTRIBUTE_BIT,
    DIETS,
    Catalogue,
    Columns,
    ProductType,
    allergen_mask,
    attribute_mask,
)
from supermarket_env.catalogue.taxonomy import Brand, TypeRow, Variety, embedded_taxonomy

_PAIR, _COUNT, _SIZE, _CLAIM, _MAY, _NOISE, _PROMO, _QUALITY, _POPULAR, _STOCK, _BRAND = range(1, 12)
"""Purpose codes of the draws; never renumber, they decide the products."""

_TIER_PRICE = {"b": 0.76, "s": 0.9, "a": 1.06, "p": 1.34, "o": 1.02}
_TIER_QUALITY = {"b": -0.3, "s": -0.05, "a": 0.1, "p": 0.35, "o": 0.15}
_TIER_POPULAR = {"b": 1.1, "s": 1.5, "a": 1.0, "p": 0.6, "o": 0.7}
_CLAIM_BIAS = {"b": 0.25, "s": 0.05, "a": 0.0, "p": -0.15, "o": -0.1}
"""Added to the rank of a line when claims are dealt: budget brands get them last."""

_CLAIM_PRICE = {
    "organic": 1.28,
    "fair_trade": 1.12,
    "gluten_free": 1.3,
    "lactose_free": 1.12,
    "vegan": 1.1,
    "free_range": 1.18,
    "high_protein": 1.14,
    "sustainable_fishing": 1.1,
    "biodegradable": 1.1,
    "sensitive": 1.08,
    "no_additives": 1.07,
    "ready_to_use": 1.12,
    "local": 1.04,
    "wholegrain": 1.03,
    "fragrance_free": 1.03,
}
_CLAIM_WORDS = {
    "organic": "Organic",
    "free_range": "Free-Range",
    "fair_trade": "Fair Trade",
    "vegan": "Vegan",
    "vegetarian": "",
    "gluten_free": "Gluten-Free",
    "lactose_free": "Lactose-Free",
    "alcohol_free": "Alcohol-Free",
    "caffeine_free": "Decaf",
    "fragrance_free": "Fragrance-Free",
    "sensitive": "Sensitive",
    "wholegrain": "Wholegrain",
    "low_fat": "Light",
    "low_sugar": "Less Sugar",
    "low_salt": "Less Salt",
    "high_protein": "High-Protein",
}
"""Claims that a product name may state, in the order of the words; the others stand on the label only."""

_MAX_CLAIM_WORDS = 2
_SIZE_EXPONENT = 0.8
_PROMOTIONS = (10, 15, 20, 25, 30)
_PROMOTION_SHARE = 0.08
_NOT_VEGAN = frozenset({"milk", "eggs", "fish", "crustaceans", "molluscs"})
_NOT_VEGETARIAN = frozenset({"fish", "crustaceans", "molluscs"})


@dataclass(slots=True)
class _Line:
    """A brand's variety, with the numbers of the sizes it comes in."""

    number: int
    brand: Brand
    variety: Variety
    sizes: list[int]
    claims: set[str]
    shown: list[str]
    allergens: frozenset[str] = frozenset()
    stem: str = ""
    """Name without the size, unique within its type."""


@lru_cache(maxsize=8)
def embedded_catalogue(seed: int = 0) -> Catalogue:
    """Return the embedded catalogue, made once per seed and process.

    Args:
        seed: Moves everything that is drawn (brands, sizes, claims, prices, ratings, stock); the taxonomy stays.
    """
    rows, groups = embedded_taxonomy()
    columns = _empty_columns()
    lists: dict[str, list[float]] = {name: [] for name in _NUMERIC}
    stems: set[str] = set()
    for number, row in enumerate(rows):
        _add_type(columns, lists, number, row, groups["house"] + groups[row.brands], seed, stems)
    for name, values in lists.items():
        dtype = np.float64 if name in ("size", "popularity", "quality") else np.int64
        setattr(columns, name, np.array(values, dtype=dtype))
    types = [ProductType(row.name, row.aisle, row.department) for row in rows]
    return Catalogue("embedded", types, columns, synonyms={row.name: row.also for row in rows if row.also})


_NUMERIC = (
    "type_idx",
    "size",
    "price_cents",
    "attr_mask",
    "diet_mask",
    "allergen_mask",
    "popularity",
    "quality",
    "promotion",
    "stock",
)


def _empty_columns() -> Columns:
    ints, floats = np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.float64)
    return Columns([], [], [], ints, floats, [], ints, ints, ints, ints, floats, floats, ints, ints)


def _add_type(
    columns: Columns,
    lists: dict[str, list[float]],
    number: int,
    row: TypeRow,
    brands: tuple[Brand, ...],
    seed: int,
    stems: set[str],
) -> None:
    draw = Draws(seed, zlib.crc32(row.name.encode()))
    lines = _lines(row, _brands_for(row, brands, draw), draw)
    # Where some varieties are meat or fish, all others are vegetarian.
    by_variety = row.nature == "animal" and any("vegetarian" in v.forbidden for v in row.varieties)
    for line in lines:
        line.claims |= row.always | line.variety.forced
        if "vegan" in line.claims or (by_variety and "vegetarian" not in line.variety.forbidden):
            line.claims.add("vegetarian")
    # Vegan first: it brings other claims along, which count towards their shares.
    for claim in sorted(row.shares, key=lambda name: name != "vegan"):
        _deal(claim, row, lines, draw)
    for line in lines:
        _settle(line, row, draw)
    _name_lines(lines, row, stems)
    products = [(line, place) for line in lines for place in line.sizes]
    for rank, (line, place) in enumerate(products):
        _add_product(columns, lists, number, row, line, place, rank, draw)


def _brands_for(row: TypeRow, brands: tuple[Brand, ...], draw: Draws) -> list[Brand]:
    """Return the brands that sell this type: all but one of those offered; organic-only ones if it has that claim."""
    usable = [b for b in brands if b.tier != "o" or "organic" in row.shares]
    dropped = 3 + int(draw(_BRAND, 0) * (len(usable) - 3))
    return [b for i, b in enumerate(usable) if i != dropped or len(usable) < 7]


def _lines(row: TypeRow, brands: list[Brand], draw: Draws) -> list[_Line]:
    """Return the lines of a type: distinct (brand, variety) pairs, evenly spread, with 18 to 22 products in all."""
    wanted = 18 + int(draw(_COUNT, 0) * 5)
    n_lines = round(wanted / (1.55 if len(row.sizes) == 2 else 1.9))
    pairs = [(b, v) for b in range(len(brands)) for v in range(len(row.varieties))]
    pairs.sort(key=lambda pair: draw(_PAIR, pair[0] * 64 + pair[1]))
    brand_room = [-(-n_lines // len(brands))] * len(brands)
    variety_room = [-(-n_lines // len(row.varieties)) + (len(row.varieties) < 7)] * len(row.varieties)
    lines: list[_Line] = []
    for b, v in pairs:
        if len(lines) < n_lines and brand_room[b] and variety_room[v]:
            brand_room[b] -= 1
            variety_room[v] -= 1
            claims = {"organic"} if brands[b].tier == "o" else set()
            lines.append(_Line(b * 64 + v, brands[b], row.varieties[v], [], claims, []))
    middle = len(row.sizes) // 2
    places = [(i, s) for i in range(len(lines)) for s in range(len(row.sizes))]
    # Every line comes in one size at least, mostly the usual one; the rest is dealt by chance.
    places.sort(key=lambda p: draw(_SIZE, lines[p[0]].number * 8 + p[1]) - 0.3 * (p[1] == middle))
    for i, s in places:
        if not lines[i].sizes:
            lines[i].sizes.append(s)
    _add_sizes(row, lines, places, wanted)
    for line in lines:
        line.sizes.sort()
    return sorted(lines, key=lambda line: line.number)


def _add_sizes(row: TypeRow, lines: list[_Line], places: list[tuple[int, int]], wanted: int) -> None:
    """Add sizes to lines until there are ``wanted`` products; family packs first, until they are a fifth."""
    last = len(row.sizes) - 1
    total = sum(len(line.sizes) for line in lines)
    large = sum(last in line.sizes for line in lines)
    family_packs = -(-wanted // 5) if "family_size" in row.shares else 0
    ordered = [(i, s) for i, s in places if s == last] + [(i, s) for i, s in places if s != last]
    for i, s in ordered:
        if s == last and s not in lines[i].sizes and large < family_packs and total < wanted:
            lines[i].sizes.append(s)
            large, total = large + 1, total + 1
    for i, s in places:
        if s not in lines[i].sizes and total < wanted:
            lines[i].sizes.append(s)
            total += 1


def _allowed(claim: str, line: _Line, row: TypeRow) -> bool:
    if claim in line.variety.forbidden:
        return False
    if claim == "vegan":
        return not line.variety.contains & _NOT_VEGAN and "vegetarian" not in line.variety.forbidden
    if claim == "vegetarian":
        return not line.variety.contains & _NOT_VEGETARIAN
    if claim == "free_range":
        return "vegan" not in line.claims
    if claim == "gluten_free":
        return "gluten" not in line.variety.contains
    if claim in ("low_fat", "low_sugar", "low_salt"):
        # One "less of it" claim a line: "Light Less Salt Less Sugar Crisps" is no product.
        return not line.claims & ({"low_fat", "low_sugar", "low_salt"} - {claim}) or claim in line.claims
    return claim not in row.always


def _deal(claim: str, row: TypeRow, lines: list[_Line], draw: Draws) -> None:
    """Give a claim to lines, in an order drawn by chance, until its share of products is reached."""
    if claim == "family_size":
        return
    total = sum(len(line.sizes) for line in lines)
    have = sum(len(line.sizes) for line in lines if claim in line.claims)
    bit = ATTRIBUTE_BIT[claim]
    order = sorted(
        lines,
        key=lambda line: draw(_CLAIM, line.number * 32 + bit) + _CLAIM_BIAS[line.brand.tier],
    )
    for line in order:
        if have / total >= row.shares[claim] - 0.04:
            break
        if claim not in line.claims and _allowed(claim, line, row):
            line.claims.add(claim)
            line.shown.append(claim)
            if claim == "vegan":
                line.claims |= {"vegetarian", "lactose_free"} & {"vegetarian", *row.shares}
            have += len(line.sizes)


def _settle(line: _Line, row: TypeRow, draw: Draws) -> None:
    """Derive what follows: allergens from claims, claims from stricter claims."""
    allergens = set(row.allergens | line.variety.contains) - line.variety.free_of
    for i, name in enumerate(sorted(row.may)):
        if draw(_MAY, line.number * 32 + i) < DEFAULT_MAY:
            allergens.add(name)
    if "vegan" in line.claims:
        allergens -= _NOT_VEGAN
    if "vegetarian" in line.claims:
        allergens -= _NOT_VEGETARIAN
    if "gluten_free" in line.claims:
        allergens.discard("gluten")
    line.allergens = frozenset(allergens)


DEFAULT_MAY = 0.35
"""Chance that a line contains an allergen that only some products of its type contain."""


def _diets(line: _Line, row: TypeRow) -> set[str]:
    if row.nature == "nonfood":
        return set(DIETS)
    diets = line.claims & set(DIETS)
    if row.nature == "vegan" and not line.allergens & _NOT_VEGAN and not line.variety.forbidden & {"vegan"}:
        diets.add("vegan")
    if (row.nature in ("vegan", "vegetarian") or "vegan" in diets) and not (
        line.allergens & _NOT_VEGETARIAN or "vegetarian" in line.variety.forbidden
    ):
        diets.add("vegetarian")
    if "gluten" not in line.allergens:
        diets.add("gluten_free")
    if "milk" not in line.allergens:
        diets.add("lactose_free")
    return diets


def size_label(size: float, unit: str, piece: str = "pcs") -> str:
    """Return a size as a price tag states it.

    >>> size_label(1500.0, "ml"), size_label(250.0, "g"), size_label(1.0, "pcs"), size_label(8.0, "pcs", "rolls")
    ('1.5 l', '250 g', 'each', '8 rolls')
    """
    if unit == "pcs":
        return "each" if size == 1.0 and piece == "pcs" else f"{size:g} {piece.rstrip('s') if size == 1.0 else piece}"
    if size >= 1000.0:
        return f"{size / 1000.0:g} {'kg' if unit == 'g' else 'l'}"
    return f"{size:g} {unit}"


def _name_lines(lines: list[_Line], row: TypeRow, taken: set[str]) -> None:
    """Give every line a name of its own: a claim's word and a variety may say the same (lean mince)."""
    for line in lines:
        said = _claim_words(line, row)
        for words in (said[:_MAX_CLAIM_WORDS], said, [], [*said[:_MAX_CLAIM_WORDS], "Selected"]):
            line.stem = _stem(line, row, words)
            if line.stem not in taken:
                break
        taken.add(line.stem)


def _claim_words(line: _Line, row: TypeRow) -> list[str]:
    shown = [*line.shown, *(["organic"] if line.brand.tier == "o" and "organic" not in line.shown else [])]
    if "vegan" in shown and "vegetarian" in shown:
        shown.remove("vegetarian")
    said = [row.words.get(claim, word) for claim, word in _CLAIM_WORDS.items() if claim in shown]
    return [word for word in said if word]


def _stem(line: _Line, row: TypeRow, words: list[str]) -> str:
    what = " ".join(row.template.replace("{v}", line.variety.name).split())
    return " ".join((line.brand.name, *words, what))


def shelf_price(cents: float) -> int:
    """Return a price a shop would print: ending in 5 or 9 below one unit, in 9 above.

    >>> [shelf_price(x) for x in (12.0, 43.2, 97.0, 131.0, 1204.0)]
    [15, 45, 99, 129, 1199]
    """
    if cents < 95.0:
        return max(15, round(cents / 5.0) * 5)
    return round((cents + 1.0) / 10.0) * 10 - 1


def _line_prices(line: _Line, row: TypeRow, draw: Draws) -> tuple[dict[int, int], int]:
    """Return the price by place in ``line.sizes``, strictly rising with size, and the promotion in percent."""
    factor = _TIER_PRICE[line.brand.tier] * line.variety.price_factor
    for claim, times in _CLAIM_PRICE.items():
        if claim in line.claims and claim not in row.always:
            factor *= times
    factor *= 0.9 + 0.2 * draw(_NOISE, line.number)
    promotion = 0
    if draw(_PROMO, line.number * 2) < _PROMOTION_SHARE:
        promotion = _PROMOTIONS[int(draw(_PROMO, line.number * 2 + 1) * len(_PROMOTIONS))]
    prices: dict[int, int] = {}
    last = 0
    for place in line.sizes:
        scale = (row.sizes[place] / row.price_size) ** _SIZE_EXPONENT
        price = shelf_price(row.price_cents * factor * scale * (100 - promotion) / 100.0)
        last = prices[place] = max(price, last + 10)
    return prices, promotion


def _add_product(
    columns: Columns,
    lists: dict[str, list[float]],
    number: int,
    row: TypeRow,
    line: _Line,
    place: int,
    rank: int,
    draw: Draws,
) -> None:
    prices, promotion = _line_prices(line, row, draw)
    item = line.number * 8 + place
    claims = set(line.claims)
    if "family_size" in row.shares and place == len(row.sizes) - 1:
        claims.add("family_size")
    usual = row.price_cents * (row.sizes[place] / row.price_size) ** _SIZE_EXPONENT
    dear = min(1.0, max(-1.0, prices[place] / usual - 1.0))
    # Sizes of one line are rated much alike: three draws of the line, one of the pack.
    spread = sum(draw(_QUALITY, line.number * 4 + i) for i in range(3)) - 2.0
    spread += draw(_QUALITY, item * 4 + 3)
    quality = 3.55 + _TIER_QUALITY[line.brand.tier] + 0.45 * dear + 1.1 * spread
    chance = draw(_POPULAR, item)
    popular = row.weight * _TIER_POPULAR[line.brand.tier] * (1.3 if promotion else 1.0) / (0.06 + chance)
    stock = 1 + int(39.99 * (0.25 + 0.75 * draw(_STOCK, item * 2)) * (1.0 - 0.6 * chance))
    columns.ids.append(f"P{number + 1:03d}{rank + 1:02d}")
    columns.names.append(f"{line.stem} {size_label(row.sizes[place], row.unit, row.piece)}")
    columns.brands.append(line.brand.name)
    columns.units.append(row.unit)
    values = (
        number,
        row.sizes[place],
        prices[place],
        attribute_mask(claims),
        attribute_mask(_diets(line, row)),
        allergen_mask(line.allergens),
        round(popular, 3),
        round(min(5.0, max(1.0, quality)), 1),
        promotion,
        stock,
    )
    for name, value in zip(_NUMERIC, values, strict=True):
        lists[name].append(value)
