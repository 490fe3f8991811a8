"""The embedded catalogue: what every product and every type must be, whatever was drawn."""

from __future__ import annotations

from itertools import groupby, pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from supermarket_env.catalogue import ALLERGENS, ATTRIBUTES, DIETS, Catalogue, Product, load_catalogue
from supermarket_env.catalogue.embedded import embedded_catalogue, shelf_price, size_label
from supermarket_env.catalogue.schema import unit_price_of
from supermarket_env.catalogue.taxonomy import embedded_taxonomy, parse_brands, parse_taxonomy
from supermarket_env.errors import CatalogueError

EMBEDDED_HASH = "c0d3c1a021bd99c5a576c829c326170243a925d6feccf17c48675da03b730af0"
ANIMAL = {"milk", "eggs", "fish", "crustaceans", "molluscs"}
SEEDS = st.integers(0, 50)


@pytest.fixture(scope="module")
def catalogue() -> Catalogue:
    return load_catalogue("embedded")


def test_the_catalogue_is_pinned(catalogue: Catalogue) -> None:
    """A change of the taxonomy or the generator changes every published number: it must be made on purpose."""
    assert catalogue.content_hash == EMBEDDED_HASH


def test_it_has_the_promised_extent(catalogue: Catalogue) -> None:
    assert 2_500 <= catalogue.n_products <= 5_000
    assert 20 <= len(catalogue.departments) <= 26
    assert 120 <= len(catalogue.aisles) <= 140
    assert 200 <= catalogue.n_types <= 240
    assert 18 <= catalogue.type_count.min() <= catalogue.type_count.max() <= 22


def test_seeds_give_other_products_of_the_same_types() -> None:
    one, two = load_catalogue("embedded", seed=1), load_catalogue("embedded", seed=2)
    assert one.types == two.types
    assert one.content_hash != two.content_hash
    embedded_catalogue.cache_clear()
    assert load_catalogue("embedded", seed=1).content_hash == one.content_hash


def test_each_listed_claim_is_on_a_fifth_to_three_fifths_of_its_type(catalogue: Catalogue) -> None:
    rows, _ = embedded_taxonomy()
    for number, row in enumerate(rows):
        masks = catalogue.attr_mask[list(catalogue.products_of(number))]
        for claim in row.shares:
            share = float(np.mean(masks >> ATTRIBUTES.index(claim) & 1))
            # The table itself may ask for less, where a claim is rare in life.
            assert 0.18 <= share <= 0.62, f"{row.name}: {claim} is on {share:.0%} of the products"


@settings(deadline=None, max_examples=4)
@given(seed=SEEDS)
def test_in_every_type_choice_is_possible(seed: int) -> None:
    catalogue = load_catalogue("embedded", seed=seed)
    for number, kind in enumerate(catalogue.types):
        products = list(catalogue.products_of(number))
        assert len(products) >= 12
        shares = [float(np.mean(catalogue.attr_mask[products] >> bit & 1)) for bit in range(len(ATTRIBUTES))]
        assert sum(0.15 <= share <= 0.65 for share in shares) >= 3, kind.name
        assert 5 <= len(set(catalogue.brand_idx[products].tolist())) <= 9, kind.name
        assert len(set(catalogue.size[products].tolist())) >= 2, kind.name
        assert catalogue.price_cents[products].max() >= 1.5 * catalogue.price_cents[products].min(), kind.name


@settings(deadline=None, max_examples=4)
@given(seed=SEEDS)
def test_claims_diets_and_allergens_agree(seed: int) -> None:
    for p in load_catalogue("embedded", seed=seed).products:
        assert p.attributes <= set(ATTRIBUTES)
        assert p.allergens <= set(ALLERGENS)
        assert p.attributes & set(DIETS) <= p.diets, p.name
        if "vegan" in p.attributes:
            assert "vegetarian" in p.attributes, p.name
            assert not p.allergens & ANIMAL, p.name
        if "vegan" in p.diets:
            assert {"vegetarian", "lactose_free"} <= p.diets, p.name
        if p.department in ("Cleaning & Laundry", "Household & Paper", "Drugstore", "Pets"):
            assert p.diets == set(DIETS), p.name
            assert not p.attributes & set(DIETS), p.name
            continue
        assert ("gluten" in p.allergens) != ("gluten_free" in p.diets), p.name
        if "vegetarian" in p.diets:
            assert not p.allergens & {"fish", "crustaceans", "molluscs"}, p.name
        if "vegan" in p.diets:
            assert not p.allergens & ANIMAL, p.name


@settings(deadline=None, max_examples=4)
@given(seed=SEEDS)
def test_a_larger_pack_costs_more_but_less_per_unit(seed: int) -> None:
    products = load_catalogue("embedded", seed=seed).products

    def line(p: Product) -> tuple[str, str, str]:
        stem = p.name.rsplit(" ", 1 if p.name.endswith("each") else 2)[0]
        return (p.product_type, p.brand, stem)

    cheaper_per_unit = pairs = 0
    for _, group in groupby(sorted(products, key=lambda p: (*line(p), p.size)), key=line):
        packs = list(group)
        for small, large in pairwise(packs):
            assert small.size < large.size
            assert small.price_cents < large.price_cents, large.name
            pairs += 1
            cheaper_per_unit += large.unit_price <= small.unit_price
    assert pairs > 1_000
    assert cheaper_per_unit >= 0.95 * pairs


def test_ids_names_and_numbers_are_sound(catalogue: Catalogue) -> None:
    assert len(set(catalogue.names)) == len(set(catalogue.ids)) == len(catalogue)
    for number, p in enumerate(catalogue.products):
        assert catalogue.by_id[p.id] == number
        assert p.name.startswith(p.brand + " ")
        assert "  " not in p.name
        assert p.unit_price == unit_price_of(p.price_cents, p.size, p.unit)
        assert 15 <= p.price_cents <= 5_000
        assert p.quality is not None
        assert 1.0 <= p.quality <= 5.0
        assert p.popularity > 0
        assert 1 <= p.stock <= 40
        assert p.regular_price_cents >= p.price_cents


def test_shares_and_ratings_are_as_described(catalogue: Catalogue) -> None:
    assert 0.06 <= np.mean(catalogue.promotion > 0) <= 0.10
    correlations = []
    for number in range(catalogue.n_types):
        products = list(catalogue.products_of(number))
        price = catalogue.price_cents[products] / catalogue.size[products] ** 0.8
        correlations.append(np.corrcoef(price, catalogue.quality[products])[0, 1])
    assert 0.3 <= float(np.mean(correlations)) <= 0.5
    popularity = np.sort(catalogue.popularity)[::-1]
    assert popularity[: len(popularity) // 10].sum() >= 0.3 * popularity.sum()  # a long tail


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ("a | 100@100g | 1 2 | {v} | x | organic", "line 1: a type stands before its aisle"),
        ("= D\n- A\na | 100@100g | 1 2", "line 3: expected 6 or 7 columns, got 3"),
        ("= D\n- A\na | 100@100g | 1 2 | {v} | x | orgnic", "unknown attribute 'orgnic'. Did you mean 'organic'?"),
        ("= D\n- A\na | 100@100g | 1 2 | {v} | x !nutz | organic", "unknown allergen 'nutz'. Did you mean 'nuts'?"),
        ("= D\n- A\na | 100@100kg | 1 2 | {v} | x | organic", "unit 'kg'"),
        ("= D | brand=x", "unknown option 'brand'"),
    ],
)
def test_a_slip_in_the_taxonomy_is_named(wrong: str, message: str) -> None:
    with pytest.raises(CatalogueError) as caught:
        parse_taxonomy(wrong)
    assert message in str(caught.value)


def test_a_slip_in_the_brands_is_named() -> None:
    with pytest.raises(CatalogueError, match=r"brands.txt, line 1: expected 'group: Name \(tier\)"):
        parse_brands("dairy: Hofland")


def test_labels_and_prices_look_like_a_shop() -> None:
    assert [size_label(s, "g") for s in (90.0, 1000.0, 1250.0)] == ["90 g", "1 kg", "1.25 kg"]
    assert size_label(6.0, "pcs") == "6 pcs"
    assert all(shelf_price(float(x)) % 10 == 9 for x in range(100, 2_000, 7))
