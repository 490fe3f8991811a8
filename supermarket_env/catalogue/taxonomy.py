"""Read the hand-written taxonomy of the embedded catalogue: departments, aisles, product types and invented brands.

``data/taxonomy.txt`` is one table; its first lines explain the columns. Everything that makes a product of a type
plausible (sizes, a usual price, varieties, which claims may differ, allergens) stands there, so that the generator
needs to know nothing about food.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files

from supermarket_env.catalogue.schema import ALLERGENS, ATTRIBUTES, UNITS
from supermarket_env.errors import CatalogueError, nearest, unknown_name

DEFAULT_SHARE = 0.34
"""Share of a type's products that carry a varying attribute when the table states none."""

NATURES = ("vegan", "vegetarian", "animal", "nonfood")
"""What a type is by nature: all products suit vegans / vegetarians / not by themselves / is no food."""

_OPTIONS = ("always", "allergens", "may", "nature", "also", "weight", "brands", "piece", "words")


@dataclass(frozen=True, slots=True)
class Variety:
    """A flavour, cut, cultivar or strength of a type, with what it forces, forbids, contains and costs."""

    name: str
    """Words of the product name; may be empty."""
    forced: frozenset[str]
    forbidden: frozenset[str]
    contains: frozenset[str]
    free_of: frozenset[str]
    price_factor: float


@dataclass(frozen=True, slots=True)
class Brand:
    """An invented brand; ``tier`` is one of b, s, a, p, o (see ``data/brands.txt``)."""

    name: str
    tier: str


@dataclass(frozen=True, slots=True)
class TypeRow:
    """One product type as the table describes it."""

    name: str
    aisle: str
    department: str
    price_cents: int
    price_size: float
    unit: str
    sizes: tuple[float, ...]
    template: str
    varieties: tuple[Variety, ...]
    shares: dict[str, float]
    """Varying attributes and the share of products meant to carry each."""
    always: frozenset[str]
    allergens: frozenset[str]
    may: frozenset[str]
    """Allergens that only some products contain."""
    nature: str
    also: tuple[str, ...]
    weight: float
    brands: str
    piece: str
    """Word for a piece in product names of unit ``pcs`` ("rolls")."""
    words: dict[str, str]
    """What product names say for a claim, where the usual word does not fit ("Lean"); empty = nothing."""


def read_data(name: str) -> str:
    """Return the text of a data file of this package."""
    return (files("supermarket_env.catalogue") / "data" / name).read_text(encoding="utf-8")


def parse_brands(text: str) -> dict[str, tuple[Brand, ...]]:
    """Return the brands by group.

    Raises:
        CatalogueError: A line is not ``group: Name (tier), ...``.
    """
    groups: dict[str, tuple[Brand, ...]] = {}
    for row, line in _lines(text):
        group, colon, rest = line.partition(":")
        brands = []
        for item in rest.split(","):
            name, _, tier = item.strip().rpartition(" (")
            if not colon or not name or tier not in ("b)", "s)", "a)", "p)", "o)"):
                raise CatalogueError(f"brands.txt, line {row}: expected 'group: Name (tier), ...', got {line!r}")
            brands.append(Brand(name, tier[0]))
        groups[group.strip()] = tuple(brands)
    return groups


def parse_taxonomy(text: str) -> list[TypeRow]:
    """Return the types in the order of the table.

    Raises:
        CatalogueError: A line cannot be understood; the message names line, column and the nearest valid name.
    """
    rows: list[TypeRow] = []
    department = aisle = ""
    defaults: dict[str, str] = {}
    for row, line in _lines(text):
        if line.startswith("= "):
            department, _, options = line[2:].partition("|")
            department, aisle, defaults = department.strip(), "", _options(options, row)
        elif line.startswith("- "):
            aisle = line[2:].strip()
        else:
            if not aisle:
                raise CatalogueError(f"taxonomy.txt, line {row}: a type stands before its aisle ('- name')")
            rows.append(_type_row(line, row, department, aisle, defaults))
    return rows


@lru_cache(maxsize=1)
def embedded_taxonomy() -> tuple[tuple[TypeRow, ...], dict[str, tuple[Brand, ...]]]:
    """Return the types and the brand groups of the embedded catalogue."""
    return tuple(parse_taxonomy(read_data("taxonomy.txt"))), parse_brands(read_data("brands.txt"))


def _lines(text: str) -> Iterator[tuple[int, str]]:
    for row, raw in enumerate(text.splitlines(), start=1):
        line = raw.strip()
        if line and not line.startswith("#"):
            yield row, line


def _options(text: str, row: int) -> dict[str, str]:
    options: dict[str, str] = {}
    for item in filter(None, (part.strip() for part in text.split(";"))):
        key, equals, value = (part.strip() for part in item.partition("="))
        if not equals or key not in _OPTIONS:
            raise CatalogueError(f"taxonomy.txt, line {row}: {unknown_name('option', key, _OPTIONS)}")
        options[key] = value
    return options


def _names(text: str, valid: tuple[str, ...], kind: str, row: int) -> frozenset[str]:
    names = frozenset(filter(None, (part.strip() for part in text.replace(",", " ").split())))
    for name in names:
        if name not in valid:
            raise CatalogueError(f"taxonomy.txt, line {row}: unknown {kind} {name!r}.{nearest(name, valid)}")
    return names


def _variety(text: str, row: int) -> Variety:
    words: list[str] = []
    marked: dict[str, list[str]] = {"+": [], "-": [], "!": [], "~": []}
    factor = 1.0
    for token in text.split():
        if token[0] in marked and len(token) > 1:
            marked[token[0]].append(token[1:])
        elif token[0] == "*":
            factor = float(token[1:])
        elif token != "_":
            words.append(token)
    return Variety(
        name=" ".join(words),
        forced=_names(" ".join(marked["+"]), ATTRIBUTES, "attribute", row),
        forbidden=_names(" ".join(marked["-"]), ATTRIBUTES, "attribute", row),
        contains=_names(" ".join(marked["!"]), ALLERGENS, "allergen", row),
        free_of=_names(" ".join(marked["~"]), ALLERGENS, "allergen", row),
        price_factor=factor,
    )


def _shares(text: str, row: int) -> dict[str, float]:
    shares: dict[str, float] = {}
    for item in text.split():
        name, _, share = item.partition(":")
        _names(name, ATTRIBUTES, "attribute", row)
        shares[name] = float(share) if share else DEFAULT_SHARE
    return shares


def _words(text: str, row: int) -> dict[str, str]:
    words: dict[str, str] = {}
    for item in filter(None, (part.strip() for part in text.split(","))):
        name, _, word = item.partition(":")
        _names(name, ATTRIBUTES, "attribute", row)
        words[name] = word
    return words


def _type_row(line: str, row: int, department: str, aisle: str, defaults: dict[str, str]) -> TypeRow:
    columns = [part.strip() for part in line.split("|")]
    if len(columns) not in (6, 7):
        raise CatalogueError(f"taxonomy.txt, line {row}: expected 6 or 7 columns, got {len(columns)}: {line[:60]!r}")
    name, price, sizes, template, varieties, attributes = columns[:6]
    options = defaults | _options(columns[6] if len(columns) == 7 else "", row)
    amount, _, reference = price.partition("@")
    unit = reference.lstrip("0123456789.")
    nature = options.get("nature", "vegan")
    if unit not in UNITS or nature not in NATURES:
        raise CatalogueError(f"taxonomy.txt, line {row}: unit {unit!r} or nature {nature!r} is not known")
    return TypeRow(
        name=name,
        aisle=aisle,
        department=department,
        price_cents=int(amount),
        price_size=float(reference.removesuffix(unit)),
        unit=unit,
        sizes=tuple(float(size) for size in sizes.split()),
        template=template,
        varieties=tuple(_variety(part.strip(), row) for part in varieties.split(";")),
        shares=_shares(attributes, row),
        always=_names(options.get("always", ""), ATTRIBUTES, "attribute", row),
        allergens=_names(options.get("allergens", ""), ALLERGENS, "allergen", row),
        may=_names(options.get("may", ""), ALLERGENS, "allergen", row),
        nature=nature,
        also=tuple(filter(None, (word.strip() for word in options.get("also", "").split(",")))),
        weight=float(options.get("weight", "3")),
        brands=options.get("brands", "sauces"),
        piece=options.get("piece", "pcs"),
        words=_words(options.get("words", ""), row),
    )
