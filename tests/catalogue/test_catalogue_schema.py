"""The catalogue object: columns, look-ups and their errors."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

from supermarket_env.catalogue import (
    ALLERGENS,
    ATTRIBUTES,
    Catalogue,
    allergen_mask,
    allergen_names,
    attribute_mask,
    attribute_names,
    load_catalogue,
)
from supermarket_env.errors import CatalogueError


@pytest.fixture(scope="module")
def catalogue() -> Catalogue:
    return load_catalogue("embedded")


def test_masks_and_names_are_inverse() -> None:
    assert len(ATTRIBUTES) <= 24
    assert len(set(ATTRIBUTES)) == len(ATTRIBUTES)
    for name in ATTRIBUTES:
        assert attribute_names(attribute_mask([name])) == {name}
    assert allergen_names(allergen_mask(list(ALLERGENS))) == set(ALLERGENS)
    with pytest.raises(CatalogueError, match="Did you mean 'organic'"):
        attribute_mask(["orgnic"])
    with pytest.raises(CatalogueError, match="Did you mean 'nuts'"):
        allergen_mask(["nut"])


def test_types_are_contiguous_ranges(catalogue: Catalogue) -> None:
    assert np.all(np.diff(catalogue.type_idx) >= 0)
    numbers: list[int] = []
    for t in range(catalogue.n_types):
        products = catalogue.products_of(t)
        assert np.all(catalogue.type_idx[products.start : products.stop] == t)
        numbers += products
    assert numbers == list(range(len(catalogue)))


def test_columns_and_records_say_the_same(catalogue: Catalogue) -> None:
    for number in range(0, len(catalogue), 97):
        p = catalogue.products[number]
        assert (p.department, p.aisle, p.product_type) == (
            catalogue.types[catalogue.type_idx[number]].department,
            catalogue.types[catalogue.type_idx[number]].aisle,
            catalogue.types[catalogue.type_idx[number]].name,
        )
        assert attribute_mask(p.attributes) == catalogue.attr_mask[number]
        assert attribute_mask(p.diets) == catalogue.diet_mask[number]
        assert allergen_mask(p.allergens) == catalogue.allergen_mask[number]
        assert (p.price_cents, p.size, p.stock) == (
            catalogue.price_cents[number],
            catalogue.size[number],
            catalogue.stock[number],
        )
        assert catalogue.product(p.id) is p


def test_columns_cannot_be_written(catalogue: Catalogue) -> None:
    with pytest.raises(ValueError, match="read-only"):
        catalogue.price_cents[0] = 1
    assert catalogue.price_cents.dtype == np.int64
    assert catalogue.quality.dtype == np.float64


def test_products_behave_as_a_sequence(catalogue: Catalogue) -> None:
    assert catalogue.products[-1] is catalogue.products[len(catalogue) - 1]
    assert catalogue.products[2:4] == [catalogue.products[2], catalogue.products[3]]
    assert len(list(catalogue.products)) == len(catalogue)
    with pytest.raises(IndexError, match="is outside 0"):
        catalogue.products[len(catalogue)]


def test_unknown_names_are_refused_with_the_nearest(catalogue: Catalogue) -> None:
    with pytest.raises(CatalogueError, match="unknown product 'P99999'"):
        catalogue.product("P99999")
    with pytest.raises(CatalogueError, match="Did you mean 'oat drink'"):
        catalogue.type_number("oat drnk")
    with pytest.raises(CatalogueError, match="is outside 0"):
        catalogue.products_of(-1)
    with pytest.raises(CatalogueError, match="Did you mean 'embedded'"):
        load_catalogue("embeded")


def test_a_catalogue_survives_pickling_after_a_search(catalogue: Catalogue) -> None:
    catalogue.search("milk")
    copy = pickle.loads(pickle.dumps(catalogue))
    assert copy.content_hash == catalogue.content_hash
    assert copy.search("milk") == catalogue.search("milk")
    assert copy.products[5] == catalogue.products[5]
