"""What a product and a catalogue are: the record, and the columns everything else reads.

A catalogue is held as columns (one numpy array or list a field, position = product number). :class:`Product` records
are made on demand, so that fifty thousand products cost no more than their columns. Products are sorted by product
type, so the products of one type are one contiguous range.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple, overload

import numpy as np
from numpy.typing import NDArray

from supermarket_env.catalogue.vocabulary import (
    ALLERGEN_BIT,
    ALLERGENS,
    ATTRIBUTE_BIT,
    ATTRIBUTES,
    DIET_BITS,
    DIETS,
    UNITS,
    allergen_mask,
    allergen_names,
    attribute_mask,
    attribute_names,
    unit_price_of,
)
from supermarket_env.errors import CatalogueError, unknown_name
from supermarket_env.readonly import ReadOnlyDict

if TYPE_CHECKING:
    from supermarket_env.catalogue.search import SearchIndex

__all__ = [
    "ALLERGENS",
    "ALLERGEN_BIT",
    "ATTRIBUTES",
    "ATTRIBUTE_BIT",
    "DIETS",
    "DIET_BITS",
    "UNITS",
    "Catalogue",
    "Columns",
    "Product",
    "ProductSequence",
    "ProductType",
    "allergen_mask",
    "allergen_names",
    "attribute_mask",
    "attribute_names",
    "unit_price_of",
]


@dataclass(frozen=True, slots=True)
class Product:
    """One product as everybody may read it. Two products are equal when all their fields are."""

    id: str
    name: str
    brand: str
    department: str
    aisle: str
    product_type: str
    size: float
    """Contents of the pack in ``unit``; > 0."""
    unit: str
    """One of :data:`UNITS`."""
    price_cents: int
    """What is paid at the till, in cents; a promotion is already taken off."""
    unit_price: float
    """Currency per kilogram, litre or piece."""
    attributes: frozenset[str]
    """Label claims, a subset of :data:`ATTRIBUTES`."""
    diets: frozenset[str]
    """The :data:`DIETS` it suits, by label or by nature (apples carry no vegan label and are vegan)."""
    allergens: frozenset[str]
    """Contained allergens, a subset of :data:`ALLERGENS`; empty and meaningless when the catalogue knows none."""
    nutrition: Mapping[str, float] | None
    """Per 100 g or 100 ml, or None."""
    popularity: float
    """Relative weight, > 0; only ratios mean something."""
    quality: float | None
    """Mean customer rating, 1 to 5, or None when unknown."""
    promotion: int
    """Percent off that ``price_cents`` already contains, 0 to 90; 0 = none."""
    stock: int
    """Pieces on the shelf when the store opens."""

    @property
    def regular_price_cents(self) -> int:
        """Return the price without the promotion, in cents (rounded)."""
        return round(self.price_cents * 100 / (100 - self.promotion))


class ProductType(NamedTuple):
    """A kind of product that a shopper has on the list ("oat drink"), and where it stands."""

    name: str
    aisle: str
    department: str


@dataclass(slots=True)
class Columns:
    """The fields of all products, one sequence a field, all of equal length, in any order of types."""

    ids: list[str]
    names: list[str]
    brands: list[str]
    type_idx: NDArray[np.int64]
    size: NDArray[np.float64]
    units: list[str]
    price_cents: NDArray[np.int64]
    attr_mask: NDArray[np.int64]
    diet_mask: NDArray[np.int64]
    allergen_mask: NDArray[np.int64]
    popularity: NDArray[np.float64]
    quality: NDArray[np.float64]
    promotion: NDArray[np.int64]
    stock: NDArray[np.int64]
    nutrition: list[Mapping[str, float] | None] | None = None

    def sorted_by_type(self) -> Columns:
        """Return the columns ordered by type; within a type the given order stays."""
        order = np.argsort(self.type_idx, kind="stable")
        if np.array_equal(order, np.arange(len(order))):
            return self
        seq = order.tolist()
        return Columns(
            ids=[self.ids[i] for i in seq],
            names=[self.names[i] for i in seq],
            brands=[self.brands[i] for i in seq],
            type_idx=self.type_idx[order],
            size=self.size[order],
            units=[self.units[i] for i in seq],
            price_cents=self.price_cents[order],
            attr_mask=self.attr_mask[order],
            diet_mask=self.diet_mask[order],
            allergen_mask=self.allergen_mask[order],
            popularity=self.popularity[order],
            quality=self.quality[order],
            promotion=self.promotion[order],
            stock=self.stock[order],
            nutrition=None if self.nutrition is None else [self.nutrition[i] for i in seq],
        )


class ProductSequence(Sequence[Product]):
    """All products of a catalogue by product number; a record is made at its first use and then kept."""

    def __init__(self, catalogue: Catalogue) -> None:
        self._catalogue = catalogue
        self._made: dict[int, Product] = {}

    def __len__(self) -> int:
        return self._catalogue.n_products

    @overload
    def __getitem__(self, index: int) -> Product: ...
    @overload
    def __getitem__(self, index: slice) -> list[Product]: ...
    def __getitem__(self, index: int | slice) -> Product | list[Product]:
        if isinstance(index, slice):
            return [self[i] for i in range(*index.indices(len(self)))]
        n = len(self)
        number = int(index) + n if index < 0 else int(index)
        if not 0 <= number < n:
            raise IndexError(f"product number {index} is outside 0..{n - 1}")
        made = self._made.get(number)
        if made is None:
            made = self._made[number] = self._catalogue.make_product(number)
        return made

    def __iter__(self) -> Iterator[Product]:
        return (self[i] for i in range(len(self)))


def _frozen_int(column: NDArray[np.int64]) -> NDArray[np.int64]:
    array = np.ascontiguousarray(column, dtype=np.int64)
    array.setflags(write=False)
    return array


def _frozen_float(column: NDArray[np.float64]) -> NDArray[np.float64]:
    array = np.ascontiguousarray(column, dtype=np.float64)
    array.setflags(write=False)
    return array


class Catalogue:
    """All products a store may carry, read-only.

    Arrays have shape ``(n_products,)`` unless said otherwise, int64 or float64, C-contiguous and not writable:
    ``price_cents``, ``type_idx``, ``brand_idx``, ``attr_mask``, ``diet_mask``, ``allergen_mask``, ``size``,
    ``unit_price``, ``quality`` (NaN when unknown), ``popularity``, ``stock``, ``promotion``;
    ``type_start`` and ``type_count`` have shape ``(n_types,)``.

    ``attr_mask`` holds what the label says, ``diet_mask`` what the product suits: it uses the same bits, only those
    of :data:`DIETS`, and also counts what suits by nature. A hard diet constraint is judged by ``diet_mask``.
    """

    def __init__(
        self,
        name: str,
        types: Sequence[ProductType],
        columns: Columns,
        *,
        allergens_known: bool = True,
        synonyms: Mapping[str, Sequence[str]] | None = None,
        notice: str = "",
    ) -> None:
        cols = columns.sorted_by_type()
        self.name = name
        self.types: tuple[ProductType, ...] = tuple(types)
        self.allergens_known = allergens_known
        self.synonyms: Mapping[str, tuple[str, ...]] = ReadOnlyDict((k, tuple(v)) for k, v in (synonyms or {}).items())
        """Other words for a type name, used by the search."""
        self.notice = notice
        """Terms of the source, to be shown to whoever loads it; empty when there are none."""
        # Assistants hold the catalogue: what they could sort or shuffle by mistake is a tuple.
        self.ids: Sequence[str] = tuple(cols.ids)
        self.names: Sequence[str] = tuple(cols.names)
        self.units: Sequence[str] = tuple(cols.units)
        self.by_id: Mapping[str, int] = ReadOnlyDict((pid, i) for i, pid in enumerate(cols.ids))
        if len(self.by_id) != len(cols.ids):
            raise CatalogueError(f"catalogue {name!r}: product ids are not unique")
        self.brands: tuple[str, ...] = tuple(sorted(set(cols.brands)))
        self.aisles: tuple[str, ...] = tuple(dict.fromkeys(t.aisle for t in self.types))
        self.departments: tuple[str, ...] = tuple(dict.fromkeys(t.department for t in self.types))
        brand_number = {brand: i for i, brand in enumerate(self.brands)}
        self.brand_idx = _frozen_int(np.array([brand_number[b] for b in cols.brands], dtype=np.int64))
        self.type_idx = _frozen_int(cols.type_idx)
        self.price_cents = _frozen_int(cols.price_cents)
        self.attr_mask = _frozen_int(cols.attr_mask)
        self.diet_mask = _frozen_int(cols.diet_mask)
        self.allergen_mask = _frozen_int(cols.allergen_mask)
        self.promotion = _frozen_int(cols.promotion)
        self.stock = _frozen_int(cols.stock)
        self.size = _frozen_float(cols.size)
        self.quality = _frozen_float(cols.quality)
        self.popularity = _frozen_float(cols.popularity)
        priced = zip(self.price_cents.tolist(), self.size.tolist(), cols.units, strict=True)
        self.unit_price = _frozen_float(np.array([unit_price_of(*row) for row in priced], dtype=np.float64))
        self.type_count = _frozen_int(np.bincount(self.type_idx, minlength=len(self.types)).astype(np.int64))
        self.type_start = _frozen_int(np.cumsum(self.type_count) - self.type_count)
        self._nutrition = cols.nutrition
        self._type_number = ReadOnlyDict((t.name, i) for i, t in enumerate(self.types))
        self.products: Sequence[Product] = ProductSequence(self)

    @property
    def n_products(self) -> int:
        """Return the number of products."""
        return len(self.ids)

    @property
    def n_types(self) -> int:
        """Return the number of product types."""
        return len(self.types)

    def __len__(self) -> int:
        return len(self.ids)

    def __getstate__(self) -> dict[str, object]:
        # The search index holds caches that cannot be pickled; it is made anew where it is needed.
        return {key: value for key, value in self.__dict__.items() if key != "_index"}

    def __repr__(self) -> str:
        return f"Catalogue({self.name!r}, {self.n_products} products, {self.n_types} types, {self.content_hash[:12]})"

    @cached_property
    def content_hash(self) -> str:
        """Return the sha256 (hex) of everything a shopper can meet: types, and all fields of all products in order."""
        digest = hashlib.sha256(b"supermarket catalogue 1\n")
        for texts in (
            [field for t in self.types for field in t],
            self.ids,
            self.names,
            [self.brands[i] for i in self.brand_idx.tolist()],
            self.units,
            [str(int(self.allergens_known))],
            [] if self._nutrition is None else [repr(sorted(n.items())) if n else "" for n in self._nutrition],
        ):
            digest.update("\x1f".join(texts).encode() + b"\x1e")
        for ints in (
            self.type_idx,
            self.price_cents,
            self.attr_mask,
            self.diet_mask,
            self.allergen_mask,
            self.promotion,
            self.stock,
        ):
            digest.update(ints.astype("<i8").tobytes())
        for floats in (self.size, self.quality, self.popularity):
            digest.update(floats.astype("<f8").tobytes())
        return digest.hexdigest()

    @property
    def nutrition(self) -> list[Mapping[str, float] | None] | None:
        """Nutrition by product; None when the catalogue has none."""
        return self._nutrition

    def make_product(self, number: int) -> Product:
        """Return a new record of product ``number`` (0..n-1); prefer :meth:`product` or ``products[number]``."""
        kind = self.types[int(self.type_idx[number])]
        quality = float(self.quality[number])
        return Product(
            id=self.ids[number],
            name=self.names[number],
            brand=self.brands[int(self.brand_idx[number])],
            department=kind.department,
            aisle=kind.aisle,
            product_type=kind.name,
            size=float(self.size[number]),
            unit=self.units[number],
            price_cents=int(self.price_cents[number]),
            unit_price=float(self.unit_price[number]),
            attributes=attribute_names(int(self.attr_mask[number])),
            diets=attribute_names(int(self.diet_mask[number])),
            allergens=allergen_names(int(self.allergen_mask[number])),
            nutrition=None if self._nutrition is None else self._nutrition[number],
            popularity=float(self.popularity[number]),
            quality=None if quality != quality else quality,
            promotion=int(self.promotion[number]),
            stock=int(self.stock[number]),
        )

    def product(self, product_id: str) -> Product:
        """Return the product with this id.

        Raises:
            CatalogueError: No product has it; names the nearest id.
        """
        return self.products[self.number(product_id)]

    def number(self, product_id: str) -> int:
        """Return the product number of an id.

        Raises:
            CatalogueError: No product has it; names the nearest id.
        """
        number = self.by_id.get(product_id)
        if number is None:
            raise CatalogueError(unknown_name("product", product_id, self.ids))
        return number

    def products_of(self, type_idx: int) -> range:
        """Return the product numbers of a type as a range; empty when it has none.

        Raises:
            CatalogueError: ``type_idx`` is outside 0..n_types-1.
        """
        if not 0 <= type_idx < self.n_types:
            raise CatalogueError(f"product type number {type_idx} is outside 0..{self.n_types - 1}")
        start = int(self.type_start[type_idx])
        return range(start, start + int(self.type_count[type_idx]))

    def type_number(self, name: str) -> int:
        """Return the number of the type with exactly this name.

        Raises:
            CatalogueError: No type has it; names the nearest one. For free text use :meth:`find_type`.
        """
        number = self._type_number.get(name)
        if number is None:
            raise CatalogueError(unknown_name("product type", name, self._type_number))
        return number

    @cached_property
    def _index(self) -> SearchIndex:
        from supermarket_env.catalogue.search import SearchIndex

        return SearchIndex(self)

    def search(self, query: str, k: int = 10, *, product_type: str | None = None) -> list[int]:
        """Return at most ``k`` product numbers that fit the words of ``query``, best first.

        Names, brands, types, aisles and attributes are searched; misspelt words are replaced by the nearest known
        one. Equal scores are ordered by product number. An empty or hopeless query gives an empty list.

        Args:
            query: Free text in any case.
            k: Most results wanted, >= 0.
            product_type: Exact name of a type to stay within, or None for the whole catalogue.

        Raises:
            CatalogueError: ``product_type`` is not a type of this catalogue.
        """
        within = None if product_type is None else self.products_of(self.type_number(product_type))
        return self._index.search(query, k, within)

    def find_type(self, text: str) -> int | None:
        """Return the number of the product type that ``text`` means, or None when nothing is close.

        Exact names and synonyms win; otherwise the closest in spelling, ties to the smaller number.
        """
        return self._index.find_type(text)
